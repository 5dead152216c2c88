"""Perceptually even, colour-blind-safe colour maps."""

from __future__ import annotations

import functools

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtGui import QColor, QImage

# Name in files and on the command line -> pyqtgraph's name, what a menu shows.
COLOR_MAPS: dict[str, tuple[str, str]] = {
    "viridis": ("viridis", "Viridis"),
    "cividis": ("cividis", "Cividis"),
    "magma": ("magma", "Magma"),
    "blues": ("CET-L12", "Blues on white"),
    "grays": ("CET-L1", "Grays"),
}
DEFAULT_COLOR_MAP = "viridis"
# For signed values: blue below 0, white at 0, red above; not for the user to choose.
SIGNED_COLOR_MAP = "signed"
_SIGNED_SOURCE = "CET-D9"

# On a scale up to 1, a picture is dark where the strongest weights of most rows are below this.
DARK_BELOW = 0.3

# Maps whose low end is dark on paper are turned, so that "nothing" is the paper's colour.
_TURNED = ("grays",)


@functools.lru_cache(maxsize=16)
def lookup_table(name: str) -> NDArray[np.uint8]:
    """256 colours [256, 4] RGBA, from low to high; a name that is not known gives the default."""
    known = name if name in COLOR_MAPS else DEFAULT_COLOR_MAP
    source = _SIGNED_SOURCE if name == SIGNED_COLOR_MAP else COLOR_MAPS[known][0]
    colors = pg.colormap.get(source).getLookupTable(0.0, 1.0, 256, alpha=True)
    table = colors[::-1] if name in _TURNED else colors
    contiguous: NDArray[np.uint8] = np.ascontiguousarray(table, dtype=np.uint8)
    return contiguous


def indices(values: NDArray[np.floating], levels: tuple[float, float]) -> NDArray[np.uint8]:
    """The place of each value in a lookup table; what lies outside the levels gets an end."""
    low, high = levels
    span = high - low if high > low else 1.0
    scaled = np.clip((np.nan_to_num(values) - low) * (255 / span), 0, 255)
    places: NDArray[np.uint8] = np.rint(scaled).astype(np.uint8)
    return places


def color_image(values: NDArray[np.floating], levels: tuple[float, float], name: str) -> QImage:
    """One pixel a cell, row by row; a cell that is no finite number is transparent."""
    rgba = np.ascontiguousarray(lookup_table(name)[indices(values, levels)])
    rgba[~np.isfinite(values)] = 0
    height, width, _ = rgba.shape
    image = QImage(rgba.data, width, height, 4 * width, QImage.Format.Format_RGBA8888)
    return image.copy()  # so that it outlives the array


def color_of(value: float, levels: tuple[float, float], name: str) -> QColor:
    """The colour of one value."""
    index = int(indices(np.array([value]), levels)[0])
    return QColor(*(int(channel) for channel in lookup_table(name)[index]))
