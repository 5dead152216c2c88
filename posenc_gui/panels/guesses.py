"""What trained weights guess for hidden words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from posenc_gui.figures.labels import visible
from posenc_gui.figures.numbers import percent
from posenc_gui.painting import painting
from posenc_gui.theme import colors_of

if TYPE_CHECKING:
    from posenc_model.trained_encoder import Guesses

_INVITATION = "Click a word to hide it: the encoder then guesses it from the others."
_GAP = 14.0
_BAR = 4.0
_LINES = 3
_MORE = "… and {} more hidden words."


def own_words(guesses: Guesses) -> str:
    """What is said of the hidden word itself."""
    if guesses.own is None or guesses.rank is None:
        return f"‘{visible(guesses.word)}’ (unknown) is hidden"
    if guesses.rank <= len(guesses.likeliest):
        return f"‘{visible(guesses.word)}’ is hidden"
    return f"‘{visible(guesses.word)}’ is hidden (rank {guesses.rank:,}, {percent(guesses.own)})"


class GuessBar(QWidget):
    """One line for each hidden word: the likeliest words with a bar as long as they are likely."""

    def __init__(self) -> None:
        super().__init__()
        self._guesses: tuple[Guesses, ...] = ()
        self._can_guess = False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.hide()

    def show_guesses(self, guesses: tuple[Guesses, ...], can_guess: bool) -> None:
        """Shows guesses, or the invitation to hide a word where the weights can guess."""
        self._guesses, self._can_guess = guesses, can_guess
        self.setVisible(can_guess)
        self.setAccessibleName("Guesses: " + "; ".join(self.lines()))
        self.updateGeometry()
        self.update()

    @property
    def can_guess(self) -> bool:
        """Whether words can be hidden."""
        return self._can_guess

    def lines(self) -> list[str]:
        """All that is shown, as text."""
        if not self._guesses:
            return [_INVITATION]
        lines = []
        for guesses in self._guesses[:_LINES]:
            words = " · ".join(f"{g.word} {percent(g.probability)}" for g in guesses.likeliest)
            lines.append(f"{own_words(guesses)}: {words}")
        if len(self._guesses) > _LINES:
            lines.append(_MORE.format(len(self._guesses) - _LINES))
        return lines

    def _line_height(self) -> float:
        return QFontMetricsF(self.font()).height() + (_BAR + 3 if self._guesses else 2)

    def sizeHint(self) -> QSize:
        return QSize(200, int(len(self.lines()) * self._line_height() + 2))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as painter:
            if not self._guesses:
                painter.setPen(QColor(colors_of(self.palette()).muted))
                painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter, _INVITATION)
                return
            y = 0.0
            for guesses in self._guesses[:_LINES]:
                self._paint_line(painter, guesses, y)
                y += self._line_height()
            if len(self._guesses) > _LINES:
                painter.setPen(QColor(colors_of(self.palette()).muted))
                box = QRectF(0, y, self.width(), self._line_height())
                painter.drawText(box, Qt.AlignmentFlag.AlignLeft, self.lines()[-1])

    def _paint_line(self, painter: QPainter, guesses: Guesses, y: float) -> None:
        colors = colors_of(self.palette())
        metrics = QFontMetricsF(self.font())
        height = metrics.height()
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        flags |= Qt.TextFlag.TextSingleLine
        painter.setPen(QColor(colors.muted))
        head = f"{own_words(guesses)}:"
        painter.drawText(QRectF(0, y, self.width(), height), flags, head)
        x = metrics.horizontalAdvance(head) + _GAP
        for guess in guesses.likeliest:
            label = f"{visible(guess.word)} {percent(guess.probability)}"
            width = metrics.horizontalAdvance(label)
            if x + width > self.width():  # a guess that is cut off would be misread
                break
            painter.setPen(QColor(colors.text))
            painter.drawText(QRectF(x, y, width + 2, height), flags, label)
            bar = QRectF(x, y + height, width, _BAR)
            painter.fillRect(bar, QColor(colors.line))
            bar.setWidth(max(1.0, width * guess.probability))
            painter.fillRect(bar, QColor(colors.accent))
            x += width + _GAP
