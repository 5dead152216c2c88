"""The tokens as chips that light up with the picture."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QScrollArea, QSizePolicy, QWidget

from posenc_gui.figures.colormaps import color_of
from posenc_gui.figures.labels import visible
from posenc_gui.painting import painting
from posenc_gui.theme import colors_of
from posenc_gui.tips import show_tip
from posenc_model.tokenizers import Token

_ENTER_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
_GAP = 4.0
_PADDING = 7.0
_LONGEST = 180.0


class TokenChips(QWidget):
    """All tokens in lines, painted by one widget, because there can be thousands."""

    pointed_at = Signal(int)  # index of a token, −1 for none
    chosen = Signal(int)  # index of a token that was clicked, or entered with the keyboard
    chip_focused = Signal(QRectF)  # where the chip is that the keyboard moved to

    def __init__(self) -> None:
        super().__init__()
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Tokens")
        self.tokens: tuple[Token, ...] = ()
        self._is_unknown: tuple[bool, ...] = ()
        self._masked: frozenset[int] = frozenset()
        self._can_mask = False
        self._rects: list[QRectF] = []
        self._widths: list[float] = []
        self._query: int | None = None
        self._weights: NDArray[np.float32] | None = None
        self._levels = (0.0, 1.0)
        self._color_map = ""
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def set_tokens(
        self,
        tokens: Sequence[Token],
        is_unknown: Sequence[bool],
        masked: Collection[int] = (),
        can_mask: bool = False,
    ) -> None:
        """Shows other tokens.

        Args:
            tokens: The tokens.
            is_unknown: Whether each is outside the vocabulary.
            masked: Which are hidden from the encoder.
            can_mask: Whether a click hides a token.
        """
        self._masked, self._can_mask = frozenset(masked), can_mask
        hand = Qt.CursorShape.PointingHandCursor if can_mask else Qt.CursorShape.ArrowCursor
        self.setCursor(hand)
        self.tokens, self._is_unknown = tuple(tokens), tuple(is_unknown)
        self._query = self._weights = None
        # Measured once a word: a long text repeats its words, and measuring takes the time.
        metrics = QFontMetricsF(self.font())
        texts = {token.text for token in self.tokens}
        widths = {text: metrics.horizontalAdvance(visible(text)) for text in texts}
        self._widths = [min(widths[t.text], _LONGEST) + 2 * _PADDING for t in self.tokens]
        self._lay_out()

    def light_up(
        self,
        query: int | None,
        weights: NDArray[np.float32] | None,
        levels: tuple[float, float],
        color_map: str,
    ) -> None:
        """Frames the chip of the query and colours the others by the weight they get."""
        fits = query is not None and weights is not None and len(weights) == len(self.tokens)
        self._query, self._weights = (query, weights) if fits else (None, None)
        self._levels, self._color_map = levels, color_map
        self.update()

    def chip_color(self, index: int) -> QColor | None:
        """The colour a chip has for its weight; ``None`` where none is shown."""
        if self._weights is None:
            return None
        return color_of(float(self._weights[index]), self._levels, self._color_map)

    def chip_rect(self, index: int) -> QRectF:
        """Where a chip is, in the widget's coordinates."""
        return self._rects[index]

    def _lay_out(self) -> None:
        metrics = QFontMetricsF(self.font())
        height = metrics.height() + 6
        x = y = 2.0
        self._rects = []
        for width in self._widths:
            if x > 2 and x + width > self.width() - 2:
                x, y = 2.0, y + height + _GAP
            self._rects.append(QRectF(x, y, width, height))
            x += width + _GAP
        self.setMinimumHeight(int(y + height + 2))
        self.update()

    def heightForWidth(self, width: int) -> int:
        return self.minimumHeight()

    def sizeHint(self) -> QSize:
        return QSize(200, self.minimumHeight())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._lay_out()

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for index, rect in enumerate(self._rects):
                if rect.bottom() >= event.rect().top() and rect.top() <= event.rect().bottom():
                    self._paint_chip(painter, index, rect)
            if self.hasFocus() and self._rects:
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(QColor(colors_of(self.palette()).accent), 1.5))
                current = self._rects[0 if self._query is None else self._query]
                painter.drawRoundedRect(current.adjusted(-1.5, -1.5, 1.5, 1.5), 6, 6)

    def _paint_chip(self, painter: QPainter, index: int, rect: QRectF) -> None:
        colors = colors_of(self.palette())
        ground = self.chip_color(index) or QColor(colors.raised)
        pen = QPen(QColor(colors.line), 1.0)
        font = QFont(self.font())
        if self._is_unknown[index]:
            pen = QPen(QColor(colors.warning), 1.2, Qt.PenStyle.DashLine)
            font.setItalic(True)
        if index in self._masked:
            pen = QPen(QColor(colors.accent), 1.5, Qt.PenStyle.DashLine)
        if index == self._query:
            pen = QPen(QColor(colors.accent), 2.5)
        painter.setPen(pen)
        painter.setBrush(ground)
        painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 5, 5)
        painter.setFont(font)
        painter.setPen(QColor("#10151c") if ground.lightnessF() > 0.45 else QColor("#ffffff"))
        if self._weights is None:
            painter.setPen(QColor(colors.text))
        text = QFontMetricsF(font).elidedText(
            visible(self.tokens[index].text),
            Qt.TextElideMode.ElideRight,
            rect.width() - 2 * _PADDING + 1,
        )
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine
        painter.drawText(rect, flags, text)

    def _at(self, position: QPointF) -> int:
        return next((i for i, rect in enumerate(self._rects) if rect.contains(position)), -1)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.pointed_at.emit(self._at(event.position()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self._at(event.position())
        if index >= 0 and event.button() == Qt.MouseButton.LeftButton:
            self._choose(index)

    def _choose(self, index: int) -> None:
        token = self.tokens[index]
        if token.end > token.start:  # padding and special tokens are no words of the text
            self.chosen.emit(index)

    def leaveEvent(self, event: QEvent) -> None:
        self.pointed_at.emit(-1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        if event.key() in steps and self.tokens:
            start = -1 if self._query is None else self._query
            index = max(0, min(start + steps[Qt.Key(event.key())], len(self.tokens) - 1))
            self.pointed_at.emit(index)
            self.chip_focused.emit(self._rects[index])
        elif event.key() in _ENTER_KEYS and self._query is not None:
            self._choose(self._query)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            index = self._at(QPointF(event.pos()))
            show_tip(self, event, self._tip(index) if index >= 0 else "")
            return True
        return super().event(event)

    def _tip(self, index: int) -> str:
        token = self.tokens[index]
        more = "\nNot in the vocabulary: a zero vector." if self._is_unknown[index] else ""
        if index in self._masked:
            more = "\nHidden from the encoder; click to show it again."
        elif self._can_mask:
            more += "\nClick to hide it from the encoder, which then guesses it."
        # Qt looks for markup in the first line only, so the word stands in the second.
        return (
            f"Token {index + 1}, characters {token.start + 1} to {token.end}:\n"
            f"{visible(token.text)}{more}"
        )


class ChipArea(QScrollArea):
    """The chips with a scroll bar where they take more than a few lines."""

    def __init__(self) -> None:
        super().__init__()
        self.chips = TokenChips()
        self.setWidget(self.chips)
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.chips.chip_focused.connect(self._on_chip_focused)

    def _on_chip_focused(self, rect: QRectF) -> None:
        center = rect.center()
        self.ensureVisible(int(center.x()), int(center.y()), 0, int(rect.height()))
