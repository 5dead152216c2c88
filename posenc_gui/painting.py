"""Painting that ends, whatever happens: else Qt aborts the program once its ground is gone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtGui import QPaintDevice, QPainter


@contextmanager
def painting(device: QPaintDevice, kind: type[QPainter] = QPainter) -> Iterator[QPainter]:
    """A painter on ``device`` that is ended even where painting raises."""
    painter = kind(device)
    try:
        yield painter
    finally:
        painter.end()


@contextmanager
def restored(painter: QPainter) -> Iterator[None]:
    """Whatever is set within it is as before afterwards, even where painting raises."""
    painter.save()
    try:
        yield
    finally:
        painter.restore()
