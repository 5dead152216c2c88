"""Painting that ends, whatever happens: else Qt aborts the program once its ground is gone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtGui import QPaintDevice, QPainter


@contextmanager
def painting(device: QPaintDevice) -> Iterator[QPainter]:
    """A painter on ``device`` that is ended even where painting raises."""
    painter = QPainter(device)
    try:
        yield painter
    finally:
        painter.end()
