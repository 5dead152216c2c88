"""Where the files that travel with the program lie."""

from __future__ import annotations

import importlib.util
from pathlib import Path


def resource_folder() -> Path:
    """The ``resources`` folder: beside the packages in a clone, ``posenc_resources`` installed."""
    beside = Path(__file__).resolve().parent.parent / "resources"
    if beside.is_dir():
        return beside
    spec = importlib.util.find_spec("posenc_resources")
    if spec is None or spec.origin is None:
        raise FileNotFoundError(f"The program's resources are missing: {beside}")
    return Path(spec.origin).parent
