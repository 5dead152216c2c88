"""No figure paints beyond its area, whatever its size and the words."""

import numpy as np
import pytest
from pictures import export_of, export_style, painted, pixels_of
from PySide6.QtCore import QSizeF

from posenc_gui.figures.make import make_figure

MARGIN = 8
MIXED = f"Donaudampfschifffahrtsgesellschaft {'x' * 90} <b>a</b> 中文字符 مرحبا dog"
TEXTS = {"three": "dog bites man", "mixed": MIXED, "many": " ".join(f"w{i}" for i in range(70))}
FIGURES = {
    "why": {"view": "why", "cell": (0, 1)},
    "why, four parts": {"view": "why", "cell": (1, 1), "encoding": "abs"},
    "why, several": {"view": "why", "heads": None},
    "profile": {"view": "profile"},
    "lines": {"view": "lines", "heads": None, "threshold": 0.02},
    "lines of layers": {"view": "lines", "layers": None, "threshold": 0.02},
    "waves": {"view": "encoding", "encoding": "abs", "cell": (0, 1)},
    "vectors": {"view": "encoding", "encoding": "rel", "heads": None, "cell": (0, 1)},
    "buckets": {"view": "encoding", "encoding": "t5", "cell": (0, 1)},
    "bag": {"view": "encoding", "encoding": "none"},
}
# A column of a journal and a page wide, a slide, and what nobody can read; 0: its own height.
SIZES = ((540, 0), (870, 0), (830, 460), (300, 900), (60, 40))


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("name", FIGURES)
def test_nothing_is_painted_beyond_the_area(name, text):
    spec = dict(FIGURES[name])
    settings = {"positional_encoding": spec.pop("encoding", "t5"), "nlp_pipeline": "whitespace"}
    figure = make_figure(export_of(TEXTS[text], settings=settings, **spec))
    ground = export_style().background.getRgb()[:3]
    for width, height in SIZES:
        size = QSizeF(width, height or figure.height_for(width, export_style()))
        pixels = pixels_of(painted(figure, size, scale=1, margin=MARGIN))
        is_ground = (pixels == ground).all(2)
        assert not is_ground.all(), (width, height)
        # One pixel more: what is on the edge may be smoothed into it.
        edge = MARGIN - 1
        inside = np.zeros_like(is_ground)
        inside[edge:-edge, edge:-edge] = True
        assert is_ground[~inside].all(), (width, height)
