"""A plot by pyqtgraph in the window's colours and type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QVBoxLayout, QWidget

from posenc_gui.training.lines import line_pen, muted

# Room above and below, as a share of the height: pyqtgraph leaves out the numbers that do not fit.
EDGE = 0.1
_LOOK_CHANGES = (QEvent.Type.PaletteChange, QEvent.Type.FontChange)


class Plot(QWidget):
    """Axes with names, and lines that belong to encodings.

    Args:
        across: What the horizontal axis shows.
        up: What the vertical axis shows.
        parent: The widget it belongs to.
    """

    def __init__(self, across: str, up: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names = {"bottom": across, "left": up}
        self._lines: dict[str, Any] = {}
        self._aids: list[Any] = []
        self.canvas = pg.PlotWidget(self, enableMenu=False)
        self.canvas.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.item = self.canvas.getPlotItem()
        self.item.hideButtons()
        self.item.setMouseEnabled(x=False, y=False)
        self.setAccessibleName(f"{up} against {across}")
        for side in self._names:
            axis = self.item.getAxis(side)
            axis.enableAutoSIPrefix(False)
            # Only ticks with numbers, and the last number, too, which ends beyond the axis.
            axis.setStyle(maxTickLevel=0, hideOverlappingLabels=False)
        self.item.setContentsMargins(2, 8, 16, 2)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.canvas)
        self._color()

    def set_line(
        self,
        encoding: str,
        across: NDArray[np.float64] | Sequence[float],
        up: NDArray[np.float64] | Sequence[float],
        *,
        with_points: bool = False,
    ) -> None:
        """Draws an encoding's line, in place of its line before."""
        line = self._lines.get(encoding)
        if line is None:
            line = self.item.plot(antialias=True)
            self._lines[encoding] = line
            self._color_line(encoding)
        # Later lines would hide equal ones before them wholly; dashes let them be seen.
        line.setData(np.asarray(across, float), np.asarray(up, float))
        if with_points:
            line.setSymbol("o")
            line.setSymbolSize(7)

    def add_aid(self, aid: Any) -> Any:
        """Adds a line of no encoding, such as a limit; it follows the theme."""
        self.item.addItem(aid)
        self._aids.append(aid)
        self._color_aids()
        return aid

    def clear(self) -> None:
        """Removes all lines."""
        for line in [*self._lines.values(), *self._aids]:
            self.item.removeItem(line)
        self._lines.clear()
        self._aids.clear()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in _LOOK_CHANGES:
            self._color()

    def _color(self) -> None:
        palette = self.palette()
        text = palette.text().color()
        self.canvas.setBackground(palette.base().color())
        for side, name in self._names.items():
            axis = self.item.getAxis(side)
            axis.setPen(muted(palette))
            axis.setTextPen(text)
            axis.setTickFont(self.font())
            size = f"{self.font().pointSizeF():g}pt"
            axis.setLabel(name, color=text.name(), **{"font-size": size})
        self.item.showGrid(x=False, y=True, alpha=0.15)
        for encoding in self._lines:
            self._color_line(encoding)
        self._color_aids()

    def _color_line(self, encoding: str) -> None:
        pen = line_pen(encoding, self.palette())
        line = self._lines[encoding]
        line.setPen(pen)
        line.setSymbolBrush(pen.color())
        line.setSymbolPen(pen.color())

    def _color_aids(self) -> None:
        pen = QPen(muted(self.palette()), 1.0, Qt.PenStyle.DashLine)
        pen.setCosmetic(True)
        for aid in self._aids:
            if hasattr(aid, "setPen"):
                aid.setPen(pen)
