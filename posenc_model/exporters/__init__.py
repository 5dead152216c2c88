"""The registry of data files: one file and one entry each. Pictures live in ``posenc_gui``."""

from __future__ import annotations

from posenc_model.exporters.base import (
    Export,
    Exporter,
    Rendered,
    check_free,
    check_target,
    write_whole,
)
from posenc_model.exporters.csv import CSV
from posenc_model.exporters.json_file import JSON
from posenc_model.exporters.npz import NPZ

__all__ = [
    "DATA_EXPORTERS",
    "Export",
    "Exporter",
    "Rendered",
    "check_free",
    "check_target",
    "write_whole",
]

DATA_EXPORTERS: dict[str, Exporter] = {exporter.suffix: exporter for exporter in (CSV, NPZ, JSON)}
