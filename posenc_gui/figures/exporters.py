"""The registry of picture files, and how a figure becomes one."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF, QSizeF
from PySide6.QtGui import QFont, QFontMetricsF, QGuiApplication, QImage
from PySide6.QtSvg import QSvgGenerator

from posenc_gui.figures.from_result import matrix_figure
from posenc_gui.figures.labels import GAP
from posenc_gui.figures.matrix import MatrixFigure, Style, layout_matrix, paint_matrix
from posenc_gui.fonts import FIGURE_FAMILY, load_fonts
from posenc_gui.painting import painting
from posenc_model.exporters import Exporter
from posenc_model.result import RunResult

SIZE = QSizeF(900, 800)
PNG_SCALE = 2.0
_DOTS_PER_METER_AT_96_DPI = 3780
# A text that is not turned: all up to its x, x, up to the style, the style, the rest, the content.
_UPRIGHT_TEXT = re.compile(
    r'(transform="matrix\(1,0,0,1,0,0\)"[^<]*<text [^>]*? x=")([\d.-]+)'
    r'(" y="[^>]*? font-style=")(\w+)("[^>]*>)([^<]*)</text>'
)
_SAME_PLACE = 1.5

# Characters that XML cannot hold in any form, and Qt writes all the same.
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


@dataclass(frozen=True)
class PictureFormat:
    """A way to write a figure.

    Attributes:
        suffix: File name ending, with the dot.
        title: What a file dialog shows.
        render: Gives the file's content.
    """

    suffix: str
    title: str
    render: Callable[[MatrixFigure], bytes]


def export_style() -> Style:
    """Black on white in the shipped font, whatever the window looks like."""
    font = QFont(FIGURE_FAMILY)
    font.setPixelSize(15)
    return Style(font)


def figure_image(figure: MatrixFigure, scale: float = PNG_SCALE) -> QImage:
    """The picture as an image with ``scale`` pixels a unit."""
    pixels = SIZE * scale
    image = QImage(int(pixels.width()), int(pixels.height()), QImage.Format.Format_RGB32)
    image.setDotsPerMeterX(round(_DOTS_PER_METER_AT_96_DPI * scale))
    image.setDotsPerMeterY(round(_DOTS_PER_METER_AT_96_DPI * scale))
    with painting(image) as painter:
        painter.scale(scale, scale)
        paint_matrix(painter, figure, SIZE, export_style())
    image.setText("Title", figure.title)
    image.setText("Description", figure.caption)
    return image


def render_png(figure: MatrixFigure) -> bytes:
    """A PNG at 192 dpi, its description in a text chunk."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    figure_image(figure).save(buffer, "PNG")  # type: ignore[call-overload]  # the stubs miss it
    return bytes(buffer.data().data())


def render_svg(figure: MatrixFigure) -> bytes:
    """An SVG whose text is text and whose cells are rectangles."""
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(96)
    generator.setSize(SIZE.toSize())
    generator.setViewBox(QRectF(0, 0, SIZE.width(), SIZE.height()))
    generator.setTitle(figure.title)
    generator.setDescription(figure.caption)
    with painting(generator) as painter:
        paint_matrix(painter, figure, SIZE, export_style())
    # Without this, viewers blend the edges of neighbouring cells and hairlines appear between them.
    content.replace(b'<g fill="none"', b'<g shape-rendering="crispEdges" fill="none"')
    text = _end_row_labels(bytes(content.data()).decode(), figure)
    return _NOT_XML.sub("\ufffd", text).encode()


def _end_row_labels(svg: str, figure: MatrixFigure) -> str:
    """Has the labels of rows end at the cells, in whatever font a viewer shows them.

    Qt writes where a text begins; a wider font than ours would run over the cells.
    """
    font = export_style().font
    edge = layout_matrix(figure, SIZE, font).cells.left() - GAP

    def end(found: re.Match[str]) -> str:
        before, x, between, style, after, content = found.groups()
        font.setItalic(style == "italic")
        width = QFontMetricsF(font).horizontalAdvance(html.unescape(content))
        if abs(float(x) + width - edge) > _SAME_PLACE:
            return found[0]
        return f'{before}{edge:g}" text-anchor="end{between}{style}{after}{content}</text>'

    return _UPRIGHT_TEXT.sub(end, svg)


PICTURE_FORMATS: dict[str, PictureFormat] = {
    picture.suffix: picture
    for picture in (
        PictureFormat(".png", "Picture (PNG)", render_png),
        PictureFormat(".svg", "Vector picture (SVG)", render_svg),
    )
}


def _exporter(picture: PictureFormat) -> Exporter:
    def render(result: RunResult, layer: int, head: int, kind: str) -> bytes:
        application = QGuiApplication.instance() or QGuiApplication([])
        load_fonts()
        content = picture.render(matrix_figure(result, layer, head, kind))
        del application
        return content

    return Exporter(picture.suffix, picture.title, render)


PICTURE_EXPORTERS: dict[str, Exporter] = {
    suffix: _exporter(picture) for suffix, picture in PICTURE_FORMATS.items()
}
