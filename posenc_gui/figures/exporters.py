"""The registry of picture files, and how a page becomes one."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QSizeF
from PySide6.QtGui import QGuiApplication, QImage, QPageSize, QPdfWriter

from posenc_gui.figures.html import HTML
from posenc_gui.figures.make import make_figure
from posenc_gui.figures.notes import dark_note, notes_of
from posenc_gui.figures.page import Page
from posenc_gui.figures.svg import render_svg
from posenc_gui.figures.text_painter import PixelPainter, TextPainter
from posenc_gui.fonts import load_fonts
from posenc_gui.painting import painting
from posenc_model import __version__
from posenc_model.errors import PosencError
from posenc_model.exporters import Export, Exporter, Rendered
from posenc_model.exporters.look import MAX_PIXELS, POINTS_PER_INCH, UNITS_PER_INCH
from posenc_model.exporters.provenance import provenance_json

_CREATOR = f"PosEnc {__version__}"
_METERS_PER_INCH = 0.0254


def make_page(export: Export) -> Page:
    """The page that an export writes.

    Raises:
        PosencError: The result has no such layer, head or matrix, or there is no such font.
    """
    load_fonts()
    return Page(make_figure(export), export.look)


def page_image(page: Page, dpi: float) -> QImage:
    """A page as an image.

    Raises:
        PosencError: It would have too many pixels.
    """
    scale = dpi / UNITS_PER_INCH
    width = max(1, round(page.size.width() * scale))
    height = max(1, round(page.size.height() * scale))
    if width * height > MAX_PIXELS:
        raise PosencError(
            f"At {dpi:g} dpi the picture has {width:,} × {height:,} pixels, more than "
            f"{MAX_PIXELS // 10**6} million; lower dpi or size, or save it as SVG or PDF.",
            "dpi",
        )
    is_opaque = page.style.background.alpha() == 255
    kind = QImage.Format.Format_RGB32 if is_opaque else QImage.Format.Format_ARGB32_Premultiplied
    image = QImage(width, height, kind)
    image.fill(page.style.background)
    image.setDotsPerMeterX(round(dpi / _METERS_PER_INCH))
    image.setDotsPerMeterY(round(dpi / _METERS_PER_INCH))
    with painting(image, PixelPainter) as painter:
        painter.scale(scale, scale)
        page.paint(painter)
    return image


def render_png(page: Page, provenance: str) -> bytes:
    """A PNG with its real dpi, and its provenance in a text chunk."""
    image = page_image(page, page.look.dpi)
    image.setText("Title", page.title or page.figure.title)
    image.setText("Software", _CREATOR)
    image.setText("Description", page.figure.caption)
    image.setText("posenc", provenance)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # the stubs miss it
    return bytes(buffer.data().data())


def render_tiff(page: Page, provenance: str) -> bytes:
    """A TIFF without loss, with its real dpi, and its provenance as its description."""
    import io

    import numpy as np
    from tifffile import imwrite

    image = page_image(page, page.look.dpi)
    has_alpha = image.hasAlphaChannel()
    kind = QImage.Format.Format_RGBA8888 if has_alpha else QImage.Format.Format_RGB888
    image = image.convertToFormat(kind)
    channels = 4 if has_alpha else 3
    lines = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1)
    pixels = lines[:, : image.width() * channels].reshape(image.height(), image.width(), channels)
    out = io.BytesIO()
    imwrite(
        out,
        pixels,
        photometric="rgb",
        extrasamples=("unassalpha",) if has_alpha else None,
        compression="zlib",
        resolution=(page.look.dpi, page.look.dpi),
        resolutionunit="INCH",
        description=provenance,
        software=_CREATOR,
        metadata=None,
    )
    return out.getvalue()


def render_pdf(page: Page, provenance: str) -> bytes:
    """A PDF of one page of the picture's size, its provenance in a file attached to it."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    # At any other resolution type comes out in another size than in the other formats.
    writer.setResolution(int(UNITS_PER_INCH))
    points = page.size * (POINTS_PER_INCH / UNITS_PER_INCH)
    # Qt knows pages of whole points only.
    width, height = math.ceil(points.width()), math.ceil(points.height())
    writer.setPageSize(QPageSize(QSizeF(width, height), QPageSize.Unit.Point, "", _EXACT))
    writer.setPageMargins(QMarginsF(0, 0, 0, 0))
    writer.setTitle(page.title or page.figure.title)
    writer.setCreator(_CREATOR)
    writer.addFileAttachment("posenc.json", QByteArray(provenance.encode()), "application/json")
    with painting(writer, TextPainter) as painter:
        page.paint(painter)
    box = f"[0 0 {width:.6f} {height:.6f}]".encode()
    exact = f"[0 {height - points.height():.4f} {points.width():.4f} {height}".encode()
    # Of the same length, since a PDF says where each of its parts begins.
    return bytes(buffer.data().data()).replace(box, exact.ljust(len(box) - 1) + b"]")


_EXACT = QPageSize.SizeMatchPolicy.ExactMatch


@functools.lru_cache(maxsize=1)
def _application() -> QGuiApplication | None:
    """Makes an application where there is none, and keeps it: fonts go with it."""
    return QGuiApplication([]) if QGuiApplication.instance() is None else None


def _exporter(suffix: str, title: str, render: Callable[[Page, str], bytes]) -> Exporter:
    def rendered(export: Export) -> Rendered:
        _application()
        page = make_page(export)
        content = render(page, provenance_json(export))
        return Rendered(content, (*notes_of(page, suffix), *dark_note(page)))

    return Exporter(suffix, title, rendered, is_picture=True)


PICTURE_EXPORTERS: dict[str, Exporter] = {
    exporter.suffix: exporter
    for exporter in (
        _exporter(".png", "Picture (PNG)", render_png),
        _exporter(".svg", "Vector picture (SVG)", render_svg),
        _exporter(".pdf", "Vector picture (PDF)", render_pdf),
        _exporter(".tiff", "Picture for print (TIFF)", render_tiff),
        HTML,
    )
}


def clipboard_svg(export: Export) -> bytes:
    """The page as SVG, for the clipboard."""
    named = replace(export, file_name="picture.svg")
    return PICTURE_EXPORTERS[".svg"].render(named).content
