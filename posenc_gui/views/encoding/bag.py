"""The picture of ``none``: a bag of words, which has no order."""

from __future__ import annotations

from PySide6.QtCore import QSizeF
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget

from posenc_gui.figures.bag import EXAMPLE, bag_words, paint_bag
from posenc_gui.painting import painting
from posenc_gui.theme import picture_style
from posenc_gui.views.encoding.picture import EncodingPicture, Shown
from posenc_model.encodings import EncodingInfo


class _Canvas(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.words: tuple[str, ...] = EXAMPLE
        self.setMinimumHeight(11 * self.fontMetrics().height())
        self.setMaximumHeight(22 * self.fontMetrics().height())
        self.setMaximumWidth(60 * self.fontMetrics().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        style = picture_style(self.palette(), self.font())
        with painting(self) as painter:
            painter.fillRect(self.rect(), style.background)
            paint_bag(painter, self.words, QSizeF(self.size()), style)


class BagPicture(EncodingPicture):
    """Why words without places have no order."""

    uses_heads = False
    uses_pair = False
    formula = (
        "score = q_i · k_j / √d with q_i = w_i W^Q and k_j = w_j W^K: neither i nor j is in it but "
        "through the words. Shuffling the words shuffles the rows and columns of every matrix, and "
        "changes no number in them."
    )

    def __init__(self, info: EncodingInfo) -> None:
        super().__init__(info.reference)
        self.canvas = _Canvas()
        self.content.addWidget(self.canvas, 1)
        self.content.addWidget(self.fold)
        self.content.addStretch(1)

    def show_shown(self, shown: Shown) -> None:
        self.shown = shown
        words = bag_words([token.text for token in shown.result.tokens])
        one, other = " ".join(words), " ".join(reversed(words))
        self.sentence.setText(
            f"Without position the text is a bag of words: ‘{one}’ and ‘{other}’ are the same to "
            "this encoder."
        )
        self.readout.setText(
            "Shuffle the words above and see: each keeps its weights on the others."
        )
        self.canvas.words = words
        self.canvas.setAccessibleName(f"‘{one}’ and ‘{other}’ go into the same bag of words")
        self.canvas.update()
