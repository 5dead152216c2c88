"""A plot against distance, dimension or place, in this program's look, that can be pointed at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QMouseEvent, QPaintEvent, QPalette, QPen

from posenc_gui.figures.colormaps import SIGNED_COLOR_MAP, lookup_table
from posenc_gui.painting import painting
from posenc_gui.theme import colors_of, picture_style
from posenc_gui.training.plot import Plot

# How a line is drawn: the one that is meant, one to compare it with, one of many; or points.
Kind = Literal["main", "other", "many", "points"]

_FAST = Qt.KeyboardModifier.ShiftModifier
_STEPS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}


class PointedPlot(Plot):
    """Lines, and an image if need be. The mouse or the arrow keys point at whole numbers.

    Args:
        across: What the horizontal axis shows.
        up: What the vertical axis shows.
        name: What it shows, for those who cannot see it.
        points_up: Whether what is pointed at has a vertical place, too, as in an image.

    Attributes:
        pointed_at: Across and up of what is pointed at; up is 0 where only across counts.
    """

    pointed = Signal(object)  # (across, up) or None

    def __init__(self, across: str, up: str, name: str, *, points_up: bool = False) -> None:
        self._kinds: dict[str, Kind] = {}
        self._marks: dict[str, Any] = {}
        self._shades: list[Any] = []
        self._highlight: Any = None
        self._points_up = points_up
        self._limits = (QPoint(0, 0), QPoint(0, 0))
        self.pointed_at: tuple[int, int] | None = None
        self.image: Any = None
        self.values: NDArray[np.floating] | None = None
        super().__init__(across, up)
        keys = "arrow keys" if points_up else "left and right keys"
        self.setAccessibleName(f"{name}: {keys} point, Escape ends it")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        layout = self.layout()
        assert layout is not None
        layout.setContentsMargins(2, 2, 2, 2)  # for the frame that shows the focus
        self.canvas.setMouseTracking(True)
        self.canvas.viewport().installEventFilter(self)

    # --- what is drawn --------------------------------------------------------------------------

    def draw(
        self,
        key: str,
        across: NDArray[Any] | Sequence[float],
        up: NDArray[Any] | Sequence[float],
        kind: Kind = "main",
    ) -> None:
        """Draws a line, or points, in place of what was drawn under this key before."""
        self._kinds[key] = kind
        has_points = kind == "points"
        self.set_line(key, np.asarray(across, float), np.asarray(up, float), with_points=has_points)
        self._lines[key].setZValue({"many": 1, "other": 2, "main": 3, "points": 4}[kind])
        self._color_line(key)

    def erase(self, key: str) -> None:
        """Takes a line away, if it is there."""
        # Hidden and kept: items that come and go are left to Python's garbage collector.
        if key in self._lines:
            self._lines[key].setData([], [])

    def erase_from(self, prefix: str, first: int) -> None:
        """Takes away lines ``prefix0``, ``prefix1`` … from number ``first`` on."""
        for key in self._lines:
            if key.startswith(prefix) and int(key.removeprefix(prefix)) >= first:
                self.erase(key)

    def line(self, key: str) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """What is drawn under a key; ``None`` where nothing is."""
        data: Any = self._lines[key].getData() if key in self._lines else (None, None)
        return data if data[0] is not None and len(data[0]) else None

    def show_image(self, values: NDArray[np.floating], first: int, largest: float) -> None:
        """Draws a cell around each whole number; what is no number is left out.

        Args:
            values: [rows, columns]; the rows count from 0.
            first: What the first column stands for.
            largest: What the ends of the scale, −largest and largest, are.
        """
        if self.image is None:
            self.image = pg.ImageItem(axisOrder="row-major")
            self.image.setLookupTable(lookup_table(SIGNED_COLOR_MAP))
            self.item.addItem(self.image)
            self.item.showGrid(x=False, y=False)
        self.values = values
        self.image.setImage(values, autoLevels=False, levels=(-largest, largest))
        rows, columns = values.shape
        self.image.setRect(QRectF(first - 0.5, -0.5, columns, rows))

    def show_range(
        self, across: tuple[float, float], up: tuple[float, float], *, downwards: bool = False
    ) -> None:
        """Sets what both axes show, and what can be pointed at."""
        self.item.getViewBox().invertY(downwards)
        self.item.setXRange(*across, padding=0.01)
        self.item.setYRange(*up, padding=0.0 if downwards else 0.06)
        rows = up if self._points_up else (0, 0)
        low = QPoint(int(np.ceil(across[0])), int(np.ceil(rows[0])))
        high = QPoint(int(np.floor(across[1])), int(np.floor(rows[1])))
        self._limits = (low, high)

    def mark(self, key: str, at: float | None, *, is_across: bool = True) -> None:
        """Draws the line of a marked distance or place; none takes it away."""
        mark = self._marks.get(key)
        if mark is None:
            if at is None:
                return
            mark = pg.InfiniteLine(angle=90 if is_across else 0, movable=False)
            mark.setZValue(0.5)  # above an image, beneath lines
            self._marks[key] = mark
            self._color_mark(key)
            self.item.addItem(mark, ignoreBounds=True)
        mark.setVisible(at is not None)
        if at is not None:
            mark.setValue(at)

    def marked_at(self, key: str) -> float | None:
        """Where a mark is; ``None`` where it is not."""
        mark = self._marks.get(key)
        return float(mark.value()) if mark is not None and mark.isVisible() else None

    def shade(self, spans: Sequence[tuple[float, float]]) -> None:
        """Shades spans of the horizontal axis in place of those before."""
        while len(self._shades) < len(spans):
            self._shades.append(self._region(0.2))
        _place_regions(self._shades, spans)
        self._color_shades()

    def shaded(self) -> list[tuple[float, float]]:
        """The spans that are shaded."""
        return [tuple(shade.getRegion()) for shade in self._shades if shade.isVisible()]

    def highlight(self, span: tuple[float, float] | None) -> None:
        """Shows which distances belong to what is pointed at; none takes it away."""
        if self._highlight is None:
            self._highlight = self._region(0.3)
            self._color_shades()
        _place_regions([self._highlight], [] if span is None else [span])

    @property
    def highlighted(self) -> tuple[float, float] | None:
        """The span that is highlighted."""
        region = self._highlight
        return tuple(region.getRegion()) if region is not None and region.isVisible() else None

    def _region(self, height: float) -> Any:
        region = pg.LinearRegionItem(movable=False)
        region.setZValue(height)
        for line in region.lines:
            line.setPen(QPen(Qt.PenStyle.NoPen))
        self.item.addItem(region, ignoreBounds=True)
        return region

    # --- pointing -------------------------------------------------------------------------------

    def point_at(self, spot: tuple[int, int] | None) -> None:
        """Points at whole numbers across and up, or at nothing, and tells it."""
        if spot is not None:
            low, high = self._limits
            spot = (
                max(low.x(), min(spot[0], high.x())),
                max(low.y(), min(spot[1], high.y())),
            )
        if spot != self.pointed_at:
            self.show_pointed(spot)
            self.pointed.emit(spot)

    def show_pointed(self, spot: tuple[int, int] | None) -> None:
        """Shows what is pointed at here or elsewhere, without telling anybody."""
        self.pointed_at = spot
        self.mark("pointed", None if spot is None else spot[0])
        if self._points_up:
            self.mark("pointed up", None if spot is None else spot[1], is_across=False)

    def spot_at(self, position: QPoint) -> tuple[int, int] | None:
        """What lies at a point of the canvas's viewport."""
        box = self.item.getViewBox()
        scene = self.canvas.mapToScene(position)
        if not box.sceneBoundingRect().contains(scene):
            return None
        point = box.mapSceneToView(scene)
        return round(point.x()), round(point.y()) if self._points_up else 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.MouseMove and isinstance(event, QMouseEvent):
            self.point_at(self.spot_at(event.position().toPoint()))
        elif event.type() == QEvent.Type.Leave:
            self.point_at(None)
        elif event.type() == QEvent.Type.MouseButtonPress:
            self.setFocus(Qt.FocusReason.MouseFocusReason)
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        is_plain = not event.modifiers() & ~(_FAST | Qt.KeyboardModifier.KeypadModifier)
        steps = _STEPS if self._points_up else {k: s for k, s in _STEPS.items() if s[0]}
        if key in steps and is_plain:
            across, down = steps[key]
            times = 10 if event.modifiers() & _FAST else 1
            x, y = self.pointed_at or (0, 0)
            self.point_at((x + times * across, y + times * down))
        elif key == Qt.Key.Key_Escape and self.pointed_at is not None:
            self.point_at(None)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.hasFocus():
            with painting(self) as painter:
                painter.setPen(QPen(self.palette().highlight().color(), 1.5))
                painter.drawRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))

    # --- colours --------------------------------------------------------------------------------

    def _color(self) -> None:
        super()._color()
        if self.image is not None:
            self.item.showGrid(x=False, y=False)
        for key in self._marks:
            self._color_mark(key)
        self._color_shades()

    def _color_line(self, encoding: str) -> None:
        line = self._lines[encoding]
        kind = self._kinds[encoding]
        pen = line_pen(kind, self.palette())
        line.setPen(None if kind == "points" else pen)
        line.setSymbol("o" if kind == "points" else None)
        if kind == "points":
            line.setSymbolBrush(pen.color())
            line.setSymbolPen(pen.color())

    def _color_mark(self, key: str) -> None:
        color = picture_style(self.palette(), self.font()).highlight
        pen = QPen(color, 1.6)
        if key.startswith("pointed"):
            base = self.palette().color(QPalette.ColorRole.Text)
            pen = QPen(base, 1.2, Qt.PenStyle.DotLine)
        pen.setCosmetic(True)
        self._marks[key].setPen(pen)

    def _color_shades(self) -> None:
        color = QColor(colors_of(self.palette()).muted)
        color.setAlphaF(0.22)
        for shade in self._shades:
            shade.setBrush(color)
        if self._highlight is not None:
            strong = picture_style(self.palette(), self.font()).highlight
            strong.setAlphaF(0.3)
            self._highlight.setBrush(strong)


def line_pen(kind: Kind, palette: QPalette) -> QPen:
    """The pen of a kind of line; points take its colour."""
    colors = colors_of(palette)
    pen = QPen(QColor(colors.accent), 2.2)
    if kind == "other":
        pen = QPen(QColor(colors.text), 1.2, Qt.PenStyle.DashLine)
    elif kind == "points":
        pen = QPen(QColor(colors.text), 1.0)
    elif kind == "many":
        thin = QColor(colors.muted)
        thin.setAlphaF(0.55)
        pen = QPen(thin, 1.0)
    pen.setCosmetic(True)
    return pen


def _place_regions(regions: Sequence[Any], spans: Sequence[tuple[float, float]]) -> None:
    """Shows as many regions as there are spans, and hides the others."""
    for index, region in enumerate(regions):
        region.setVisible(index < len(spans))
        if index < len(spans):
            region.setRegion(spans[index])
