"""“Why this cell?”: the score of a clicked cell taken apart, and cells that are kept beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSizeF, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QPaintEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from posenc_gui.figures.why import WhyFigure, paint_why, why_figure, why_height
from posenc_gui.painting import painting
from posenc_gui.plain_label import PlainLabel
from posenc_gui.theme import picture_style
from posenc_gui.views.wording import pinned_line, why_sentence

if TYPE_CHECKING:
    from posenc_model.explain import CellExplanation

_INVITATION = (
    "Click a cell of the matrix, or press Enter on the marked one: its score is then taken apart "
    "into what comes from the words and what comes from their places."
)


class _Canvas(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.figure: WhyFigure | None = None

    def show_figure(self, figure: WhyFigure | None) -> None:
        self.figure = figure
        height = 0 if figure is None else int(why_height(figure, self.font())) + 1
        self.setMinimumHeight(height)
        self.update()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.show_figure(self.figure)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.figure is None:
            return
        style = picture_style(self.palette(), self.font())
        with painting(self) as painter:
            paint_why(painter, self.figure, QSizeF(self.size()), style)


class _Pins(QListWidget):
    removed = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.removed.emit()
        else:
            super().keyPressEvent(event)


class WhyView(QWidget):
    """The explanation of one cell, with the cells that were pinned.

    Attributes:
        explanation: What is shown; ``None`` before the first.
    """

    pin_chosen = Signal()  # a pinned cell is shown again

    def __init__(self) -> None:
        super().__init__()
        self.explanation: CellExplanation | None = None
        self.sentence = PlainLabel(_INVITATION)
        self.reason = PlainLabel(role="hint")
        self.canvas = _Canvas()
        self.pin_button = QPushButton("Pin this cell")
        self.pin_button.setToolTip("Keeps the cell in the list, to compare it with others")
        self.unpin_button = QPushButton("Remove")
        self.unpin_button.setToolTip("Removes the chosen cell from the list (Delete)")
        self.pins = _Pins()
        self.pins.setAccessibleName("Pinned cells")
        self.pins.setWordWrap(True)
        self.pins.setMaximumHeight(6 * self.fontMetrics().lineSpacing())
        self.pins.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 4, 6, 0)
        column.addWidget(self.sentence)
        column.addWidget(self.reason)
        column.addWidget(self.canvas)
        column.addStretch(1)
        scroll = QScrollArea()
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(content)
        buttons = QHBoxLayout()
        buttons.addWidget(self.pin_button)
        buttons.addWidget(self.unpin_button)
        buttons.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(scroll, 3)
        layout.addLayout(buttons)
        layout.addWidget(self.pins, 1)
        self.pin_button.clicked.connect(self._on_pin)
        self.unpin_button.clicked.connect(self._on_unpin)
        self.pins.removed.connect(self._on_unpin)
        self.pins.itemActivated.connect(self._on_pin_chosen)
        self.pins.itemClicked.connect(self._on_pin_chosen)
        self.show_nothing()

    def show_explanation(self, explanation: CellExplanation) -> None:
        """Shows a cell taken apart."""
        self.explanation = explanation
        self.sentence.setText(why_sentence(explanation))
        self.reason.setText(explanation.reason or "")
        self.reason.setVisible(explanation.reason is not None)
        self.canvas.show_figure(why_figure(explanation))
        self.pin_button.setEnabled(True)

    def show_nothing(self, sentence: str = _INVITATION) -> None:
        """Shows a sentence in place of an explanation; what was pinned stays."""
        self.explanation = None
        self.sentence.setText(sentence)
        self.reason.hide()
        self.canvas.show_figure(None)
        self.pin_button.setEnabled(False)
        self._show_pins()

    @Slot()
    def _on_pin(self) -> None:
        if self.explanation is None:
            return
        item = QListWidgetItem(pinned_line(self.explanation))
        item.setData(Qt.ItemDataRole.UserRole, self.explanation)
        self.pins.addItem(item)
        self._show_pins()

    @Slot()
    def _on_unpin(self) -> None:
        row = self.pins.currentRow()
        if row < 0:
            row = self.pins.count() - 1
        self.pins.takeItem(row)
        self._show_pins()

    @Slot(QListWidgetItem)
    def _on_pin_chosen(self, item: QListWidgetItem) -> None:
        self.show_explanation(item.data(Qt.ItemDataRole.UserRole))
        self.pin_chosen.emit()

    def _show_pins(self) -> None:
        self.pins.setVisible(self.pins.count() > 0)
        self.unpin_button.setVisible(self.pins.count() > 0)
