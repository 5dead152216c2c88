"""A figure with its ground, margins, title and caption: what an export writes to a file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from PySide6.QtCore import QPointF, QRectF, QSizeF
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from posenc_gui.figures.figure import Figure
from posenc_gui.figures.fit import at_least, paint_wrapped, text_height
from posenc_gui.figures.style import Style, scale_of, style_of
from posenc_gui.fonts import resized
from posenc_gui.painting import restored
from posenc_model.exporters.look import AUTOMATIC, LARGEST_MM, MM_PER_INCH, UNITS_PER_INCH, Look

_UNITS_PER_MM = UNITS_PER_INCH / MM_PER_INCH
_MOST_HEIGHT = LARGEST_MM * _UNITS_PER_MM
_MARGIN = 0.6  # of a line of type
# The area, in lines of type, that a figure needs; in a smaller one it is shrunk as a whole.
_LEAST_WIDTH, _LEAST_HEIGHT = 12.0, 9.0
_HIGHEST = 4.0  # times the width, unless a height is given
# What a title and a caption may take of the height that is given.
_MOST_TITLE, _MOST_CAPTION = 0.25, 0.35


@dataclass(frozen=True, eq=False)
class Page:
    """A figure as it is written to a file.

    Attributes:
        figure: What is shown.
        look: How.
    """

    figure: Figure
    look: Look

    @cached_property
    def style(self) -> Style:
        """Colours and type.

        Raises:
            PosencError: There is no such font.
        """
        return style_of(self.look)

    @property
    def title(self) -> str:
        """What stands above the figure."""
        title = self.figure.title if self.look.title == AUTOMATIC else self.look.title
        return " ".join(title.split())

    @property
    def caption(self) -> str:
        """What stands beneath it."""
        return self.figure.caption if self.look.caption == AUTOMATIC else self.look.caption

    @cached_property
    def size(self) -> QSizeF:
        """Width and height in 96ths of an inch; where no height is given, what is needed."""
        width = self.look.width_mm * _UNITS_PER_MM
        height = self.look.height_mm * _UNITS_PER_MM
        if not height:
            inner = self._inner
            text = self._title_height(inner) + self._caption_height(inner)
            wanted = (text + self._body_height + 2 * self._margin) * self._scale
            height = min(wanted, self._most_height)
        return QSizeF(width, height)

    @property
    def font_size(self) -> float:
        """The size of type in points: the one that is wanted, or the largest that fits."""
        return self.look.font_size * self._scale / scale_of(self.look)

    def paint(self, painter: QPainter) -> None:
        """Paints everything into an area of :attr:`size` whose origin is the painter's."""
        size, scale = self.size, self._scale
        with restored(painter):
            painter.scale(scale, scale)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
            # Else a PDF holds images as JPEG, whose colours are not those of the scale.
            painter.setRenderHint(QPainter.RenderHint.LosslessImageRendering, True)
            self._paint(painter, QSizeF(size.width() / scale, size.height() / scale))

    def _paint(self, painter: QPainter, size: QSizeF) -> None:
        if self.style.background.alpha():
            painter.fillRect(QRectF(QPointF(0, 0), size), self.style.background)
        margin = self._margin
        inner = self._inner
        room = size.height() - 2 * margin
        above, below = self._title_height(inner), self._caption_height(inner)
        if above + below > (_MOST_TITLE + _MOST_CAPTION) * room and self._is_limited:
            above, below = min(above, _MOST_TITLE * room), min(below, _MOST_CAPTION * room)
        if self.title:
            box = QRectF(margin, margin, inner, above - self._line * 0.5)
            painter.setPen(self.style.text)
            paint_wrapped(painter, box, self.title, self._title_font, centered=True)
        if self.caption:
            top = size.height() - margin - below + self._line * 0.5
            box = QRectF(margin, top, inner, below - self._line * 0.5)
            painter.setPen(self.style.muted)
            paint_wrapped(painter, box, self.caption, self._caption_font)
        painter.translate(margin, margin + above)
        least = QSizeF(
            _LEAST_WIDTH * self._line, min(_LEAST_HEIGHT * self._line, self._body_height)
        )
        with at_least(painter, QSizeF(inner, room - above - below), least) as body:
            self.figure.paint(painter, body, self.style)

    @property
    def _scale(self) -> float:
        """As the look says, or less, where a page is too narrow for its type."""
        least = _LEAST_WIDTH * self._line + 2 * self._margin
        return min(scale_of(self.look), self.look.width_mm * _UNITS_PER_MM / least)

    @property
    def _inner(self) -> float:
        """The width between the margins, in the units of the figure."""
        return self.look.width_mm * _UNITS_PER_MM / self._scale - 2 * self._margin

    @cached_property
    def _body_height(self) -> float:
        """How high the figure wants to be."""
        return self.figure.height_for(self._inner, self.style)

    @property
    def _most_height(self) -> float:
        """What a page may take of its own accord."""
        return min(_MOST_HEIGHT, _HIGHEST * self.look.width_mm * _UNITS_PER_MM)

    @property
    def _is_limited(self) -> bool:
        """Whether the height is not just what is needed."""
        return self.look.height_mm > 0 or self.size.height() >= self._most_height

    @property
    def _line(self) -> float:
        return QFontMetricsF(self.style.font).height()

    @property
    def _margin(self) -> float:
        return float(round(_MARGIN * self._line))

    @property
    def _title_font(self) -> QFont:
        font = QFont(self.style.font)
        font.setBold(True)
        return font

    @property
    def _caption_font(self) -> QFont:
        return resized(self.style.font, 0.88)

    def _title_height(self, width: float) -> float:
        gap = 0.5 * self._line * bool(self.title)
        return text_height(self.title, self._title_font, width) + gap

    def _caption_height(self, width: float) -> float:
        gap = 0.5 * self._line * bool(self.caption)
        return text_height(self.caption, self._caption_font, width) + gap
