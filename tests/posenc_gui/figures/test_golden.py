"""Three pictures as somebody has looked at them and found them right.

After a change that is meant to show, run ``python tests/posenc_gui/figures/test_golden.py`` and
look at ``golden/`` again.
"""

import os
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

GOLDEN = Path(__file__).resolve().parent / "golden"
TEXT = "The old man opened the door and saw that the dog was gone."
SPECS = {
    "matrix": {"layers": (0,), "heads": (3,), "numbers": True},
    "compare": {"layers": (1,), "heads": (2,), "view": "compare", "compare": ("abs", "rel")},
    "why": {"layers": (0,), "heads": (3,), "view": "why", "cell": (4, 5)},
}
# A glyph's edge may be a shade lighter with another build of Qt; a cell may not change its colour.
MOST_DIFFERENCE = 2.0  # of 255, on average
MOST_OTHER_PIXELS = 0.02


def picture(name):
    from pictures import export_of

    from posenc_gui.figures.exporters import PICTURE_EXPORTERS
    from posenc_model.exporters.look import Look
    from posenc_model.exporters.results import with_compared

    spec = dict(SPECS[name])
    numbers = spec.pop("numbers", False)
    look = Look(width_mm=150, dpi=72, numbers=numbers)
    settings = {"weights": "trained"}
    export = export_of(TEXT, f"{name}.png", settings, look, small=False, **spec)
    results = with_compared(export.result, export.spec, export.spec.view)
    return PICTURE_EXPORTERS[".png"].render(replace(export, results=results)).content


@pytest.mark.parametrize("name", SPECS)
def test_it_looks_as_it_did(name, tmp_path):
    made = tmp_path / "made.png"
    made.write_bytes(picture(name))
    with Image.open(GOLDEN / f"{name}.png") as golden, Image.open(made) as now:
        assert now.size == golden.size
        difference = np.abs(np.asarray(now.convert("RGB"), float) - golden.convert("RGB"))
    assert difference.mean() < MOST_DIFFERENCE
    assert (difference.max(2) > 64).mean() < MOST_OTHER_PIXELS


if __name__ == "__main__":
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    sys.path[:0] = [str(Path(__file__).resolve().parents[i]) for i in (2, 3)]
    GOLDEN.mkdir(exist_ok=True)
    for each in SPECS:
        (GOLDEN / f"{each}.png").write_bytes(picture(each))
