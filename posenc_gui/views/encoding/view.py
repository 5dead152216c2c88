"""The view of the encoding itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from posenc_gui.head_choice import HeadChoice
from posenc_gui.plain_label import PlainLabel
from posenc_gui.views.base import ResultView
from posenc_gui.views.encoding.others import OthersPicture
from posenc_gui.views.encoding.pair import PairBoxes
from posenc_gui.views.encoding.picture import EncodingPicture, Shown
from posenc_gui.views.encoding.registry import PICTURES
from posenc_gui.views.head_controls import HeadControls
from posenc_model.encodings import ENCODINGS
from posenc_model.exporters.spec import Spec

if TYPE_CHECKING:
    from posenc_model.result import RunResult

_OLD = "This is the picture from before; the new one is on its way."
_OTHERS = ""  # the name under which the picture of encoders that are not ours is kept


class EncodingView(ResultView):
    """Shows what the encoding of the current result is, for the marked pair of tokens.

    Nothing is drawn while the tab is hidden.
    """

    title = "Encoding"
    pictures = ("encoding",)

    def __init__(self, choice: HeadChoice | None = None) -> None:
        super().__init__(choice)
        self._result: RunResult | None = None
        self._pair: tuple[int, int] | None = None
        self._is_stale = False
        self._pictures: dict[str, EncodingPicture] = {}
        self.head_controls = HeadControls(self.choice)
        self.pair_boxes = PairBoxes()
        self.controls = QWidget()
        row = QHBoxLayout(self.controls)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.head_controls)
        row.addWidget(self.pair_boxes)
        row.addStretch(1)
        self.old_note = PlainLabel(_OLD, "hint")
        self.old_note.hide()
        self._picture: EncodingPicture | None = None
        place = QWidget()
        self._place = QVBoxLayout(place)
        self._place.setContentsMargins(0, 0, 0, 0)
        scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(place)
        shown = QWidget()
        column = QVBoxLayout(shown)
        column.setContentsMargins(0, 4, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.controls)
        column.addWidget(self.old_note)
        column.addWidget(scroll, 1)
        self.hint = PlainLabel()
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        font = self.hint.font()
        font.setPointSizeF(font.pointSizeF() * 1.25)
        self.hint.setFont(font)
        self._shown_page = shown
        self._pages = QStackedWidget()
        self._pages.addWidget(self.hint)
        self._pages.addWidget(shown)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._pages)
        self.choice.changed.connect(self._refresh)
        self.pair_boxes.changed.connect(self._on_pair_chosen)

    @property
    def picture(self) -> EncodingPicture | None:
        """The picture that is shown; ``None`` before the first."""
        return self._picture

    @property
    def pair(self) -> tuple[int, int]:
        """The query and key that the picture is about, from 0: marked last, or two neighbours."""
        count = 1 if self._result is None else len(self._result.tokens)
        if self._pair is None:
            return count // 2, max(0, count // 2 - 1)
        return min(self._pair[0], count - 1), min(self._pair[1], count - 1)

    def show_result(self, result: RunResult) -> None:
        self.choice.fit(result.num_layers, result.num_heads)
        self.head_controls.refresh()
        self._result = result
        self.set_old(False)
        self._pages.setCurrentWidget(self._shown_page)
        self._refresh()

    def has_result(self) -> bool:
        return self._result is not None

    def clear(self, hint: str) -> None:
        self._result = None
        self.set_old(False)
        self.hint.setText(hint)
        self._pages.setCurrentWidget(self.hint)

    def set_old(self, is_old: bool) -> None:
        self.old_note.setVisible(is_old)

    def spec(self) -> Spec:
        return self._spec("encoding", cell=self.pair)

    def show_spec(self, spec: Spec) -> None:
        self.mark_cell(spec.cell)

    def mark_query(self, query: int | None) -> None:
        if query is not None:
            self._pair = (query, self.pair[1])
            self._refresh()
            self.spec_chosen.emit()

    def mark_cell(self, cell: tuple[int, int] | None) -> None:
        if cell is not None and cell != self._pair:
            self._pair = cell
            self._refresh()
            self.spec_chosen.emit()

    def take(self, name: str, given: object) -> None:
        for picture in self._pictures.values():
            picture.take(name, given)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_stale:
            self._refresh()

    @Slot()
    def _on_pair_chosen(self) -> None:
        self._pair = self.pair_boxes.pair
        self._refresh()
        self.spec_chosen.emit()

    @Slot()
    def _refresh(self) -> None:
        """Draws what is wanted now, or remembers to once it can be seen."""
        result = self._result
        if result is None:
            return
        self._is_stale = not self.isVisible()
        if self._is_stale:
            return
        layer = self.choice.layer
        query, key = self.pair
        picture = self._picture_of(result.encoding_name)
        self.pair_boxes.show_pair([token.text for token in result.tokens], (query, key))
        numbers = result.picture_numbers(layer)
        picture.show_shown(Shown(result, numbers, layer, self.choice.head, query, key))
        self.head_controls.setVisible(picture.uses_heads)
        self.pair_boxes.setVisible(picture.uses_pair)
        if picture is not self._picture:
            # Not a stack of widgets: the highest of them would make all others scroll.
            if self._picture is not None:
                self._picture.hide()
            picture.show()
            self._picture = picture

    def _picture_of(self, encoding: str | None) -> EncodingPicture:
        name = encoding or _OTHERS
        picture = self._pictures.get(name)
        if picture is None:
            picture = OthersPicture() if not encoding else PICTURES[encoding](ENCODINGS[encoding])
            picture.setting_wanted.connect(self.setting_wanted)
            picture.work_wanted.connect(self.work_wanted)
            self._pictures[name] = picture
            self._place.addWidget(picture)
        return picture
