"""The registry of pictures: what makes the figure of each kind that ``PICTURES`` names."""

from __future__ import annotations

from collections.abc import Callable

from posenc_gui.figures.compare import compare_figure
from posenc_gui.figures.encoding import encoding_figure
from posenc_gui.figures.figure import Figure
from posenc_gui.figures.lines_export import lines_figure
from posenc_gui.figures.matrix_export import matrix_picture
from posenc_gui.figures.overview import overview_figure
from posenc_gui.figures.profile import profile_picture
from posenc_gui.figures.why import why_picture
from posenc_model.exporters import Export

# The name of a picture -> what makes it; a file and a line each.
MAKERS: dict[str, Callable[[Export], Figure]] = {
    "matrix": matrix_picture,
    "overview": overview_figure,
    "compare": compare_figure,
    "why": why_picture,
    "encoding": encoding_figure,
    "profile": profile_picture,
    "lines": lines_figure,
}


def make_figure(export: Export) -> Figure:
    """The figure that an export shows.

    Raises:
        PosencError: The result has no such layer, head, token or matrix.
    """
    return MAKERS[export.spec.view](export)
