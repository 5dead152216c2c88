"""The pane that shows a picture as it will be saved."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent, QPalette, QPixmap, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from posenc_gui.painting import painting
from posenc_gui.theme import colors_of

_MARGIN = 14.0
_SQUARE = 8  # of the ground, in pixels
_BUSY = "drawing…"
_OLD_OPACITY = 0.25


class PreviewPane(QWidget):
    """The picture on grey, a transparent one on squares that are light or dark as its letters need.

    The old picture stays while another is being made, and is scaled where the pane is another size.
    """

    resized = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.image: QImage | None = None
        self._has_light_letters = False
        self.sentence = ""
        self._is_busy = False
        self._is_old = False
        self.setAccessibleName("Preview")
        self.setMinimumSize(150, 110)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    @property
    def area(self) -> QSizeF:
        """The room that a picture has."""
        return QSizeF(max(1.0, self.width() - 2 * _MARGIN), max(1.0, self.height() - 2 * _MARGIN))

    def show_image(self, image: QImage, has_light_letters: bool) -> None:
        """Shows a picture, and for whatever is transparent of it a ground that it is made for."""
        self.image, self._has_light_letters = image, has_light_letters
        self._is_old = False
        self.show_sentence("")

    def show_sentence(self, sentence: str) -> None:
        """Shows why there is no picture, in its place; an empty one shows the picture."""
        self.sentence = sentence
        self.setAccessibleDescription(sentence)
        self.set_busy(False)

    def clear(self) -> None:
        self.image = None
        self.show_sentence("")

    def set_old(self) -> None:
        """Fades the picture, which is not what is set now, until there is another."""
        self._is_old = True
        self.update()

    def set_busy(self, is_busy: bool) -> None:
        """Marks what is shown as that from before."""
        self._is_busy = is_busy
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as painter:
            window = self.palette().color(QPalette.ColorRole.Window)
            is_dark = window.lightness() < 128
            painter.fillRect(self.rect(), window.lighter(150) if is_dark else window.darker(112))
            if self.sentence:
                self._paint_text(painter)
            elif self.image is not None:
                painter.setOpacity(_OLD_OPACITY if self._is_old else 1.0)
                self._paint_image(painter, self.image)
                painter.setOpacity(1.0)
            if self._is_busy:
                self._paint_busy(painter)

    def _paint_image(self, painter: QPainter, image: QImage) -> None:
        size = QSizeF(image.deviceIndependentSize())
        room = self.area
        share = min(room.width() / size.width(), room.height() / size.height())
        if abs(share - 1) > 0.02:  # made for a pane of another size
            size *= share
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        box = QRectF(QPointF(0, 0), size)
        box.moveCenter(QRectF(self.rect()).center())
        corner = QPointF(box.topLeft().toPoint())  # between two pixels it would be blurred
        if image.hasAlphaChannel():
            painter.drawTiledPixmap(QRectF(corner, size), _squares(self._has_light_letters))
        painter.drawImage(QRectF(corner, size), image)
        painter.setPen(self.palette().color(QPalette.ColorRole.Mid))
        painter.drawRect(QRectF(corner, size).adjusted(-1, -1, 0, 0))

    def _paint_text(self, painter: QPainter) -> None:
        box = QRectF(self.rect()).adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        needed = painter.boundingRect(box, flags, self.sentence).adjusted(-10, -8, 10, 8)
        painter.fillRect(needed, self.palette().base())
        painter.setPen(QColor(colors_of(self.palette()).error))
        painter.drawText(box, flags, self.sentence)

    def _paint_busy(self, painter: QPainter) -> None:
        metrics = self.fontMetrics()
        box = QRectF(0, 0, metrics.horizontalAdvance(_BUSY) + _MARGIN, metrics.height() + 6)
        painter.fillRect(box, self.palette().base())
        painter.setPen(self.palette().color(QPalette.ColorRole.Text))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, _BUSY)


def _squares(is_dark: bool) -> QPixmap:
    """What stands for nothing."""
    tile = QPixmap(2 * _SQUARE, 2 * _SQUARE)
    tile.fill(QColor("#30343b" if is_dark else "#ffffff"))
    other = QColor("#262a30" if is_dark else "#e4e7eb")
    with painting(tile) as painter:
        painter.fillRect(0, 0, _SQUARE, _SQUARE, other)
        painter.fillRect(_SQUARE, _SQUARE, _SQUARE, _SQUARE, other)
    return tile
