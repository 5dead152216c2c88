"""The distance profile on the screen: pointed at, or walked along with the arrow keys."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from posenc_gui.figures.profile import (
    ProfileFigure,
    ProfileLayout,
    paint_profile,
    plan_profile,
)
from posenc_gui.painting import painting
from posenc_gui.theme import colors_of, picture_style

_LOOK_CHANGES = (QEvent.Type.PaletteChange, QEvent.Type.FontChange)
_NAME = "Distance profile: arrow keys move along the distances"


class ProfilePlot(QWidget):
    """One profile.

    Attributes:
        figure: What is shown; ``None`` before the first.
        layout_now: Where everything is.
        marked: The marked distance.
        is_old: Whether the picture is that of an earlier text or setting.
    """

    distance_marked = Signal(object)  # the distance, or None

    def __init__(self) -> None:
        super().__init__()
        self.figure: ProfileFigure | None = None
        self.layout_now: ProfileLayout | None = None
        self.marked: int | None = None
        self.is_old = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(_NAME)

    def show_figure(self, figure: ProfileFigure | None) -> None:
        """Shows a picture, or nothing; the mark stays where there still is such a distance."""
        self.figure = figure
        if figure is None or (self.marked is not None and abs(self.marked) > figure.reach):
            self.marked = None
        self._place()

    def set_old(self, is_old: bool) -> None:
        """Marks the picture as that of an earlier text or setting."""
        self.is_old = is_old
        self.update()

    def mark(self, distance: int | None) -> None:
        """Marks a distance, or none, and tells; one that is not shown marks none."""
        if distance is not None and (self.figure is None or abs(distance) > self.figure.reach):
            distance = None
        if distance != self.marked:
            self.marked = distance
            self.update()
            self.distance_marked.emit(distance)

    def sizeHint(self) -> QSize:
        return QSize(420, 280)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, 140)

    def paintEvent(self, event: QPaintEvent) -> None:
        style = picture_style(self.palette(), self.font())
        with painting(self) as painter:
            painter.fillRect(self.rect(), style.background)
            if self.figure is not None and self.layout_now is not None:
                accent = QColor(colors_of(self.palette()).accent)
                painter.translate(_MARGIN, _MARGIN)
                paint_profile(painter, self.figure, self.layout_now, style, accent, self.marked)
                painter.resetTransform()
                if self.is_old:
                    veil = QColor(style.background)
                    veil.setAlphaF(0.75)
                    painter.fillRect(self.rect(), veil)
            if self.hasFocus():
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(self.palette().highlight().color(), 1.5))
                painter.drawRect(self.rect().adjusted(1, 1, -2, -2))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in _LOOK_CHANGES:
            self._place()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.layout_now is not None:
            self.mark(self.layout_now.distance_at(event.position().x() - _MARGIN))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.mark(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        key = Qt.Key(event.key())
        is_plain = event.modifiers() in _PLAIN
        if self.figure is None or not is_plain:
            super().keyPressEvent(event)
            return
        reach = self.figure.reach
        if key in steps:
            # The first step marks the word itself.
            beside = 0 if self.marked is None else self.marked + steps[key]
            self.mark(max(-reach, min(beside, reach)))
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self.mark(-reach if key == Qt.Key.Key_Home else reach)
        elif key == Qt.Key.Key_Escape and self.marked is not None:
            self.mark(None)
        else:
            super().keyPressEvent(event)

    def _place(self) -> None:
        self.layout_now = None
        if self.figure is not None:
            size = QSizeF(self.width() - 2 * _MARGIN, self.height() - 2 * _MARGIN)
            style = picture_style(self.palette(), self.font())
            self.layout_now = plan_profile(self.figure, size, style)
        self.update()


_PLAIN = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
_MARGIN = 8
