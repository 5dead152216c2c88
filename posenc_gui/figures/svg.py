"""A page as SVG: Qt's writer draws the shapes, and the texts are put in their places."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, SubElement, fromstring, register_namespace, tostring

from PySide6.QtCore import QBuffer, QByteArray, QIODevice
from PySide6.QtSvg import QSvgGenerator

from posenc_gui.figures.page import Page
from posenc_gui.figures.svg_texts import SVG, XLINK, SvgPainter, families_css, number, valid
from posenc_model.exporters.look import MM_PER_INCH, UNITS_PER_INCH

# Viewers blend the edges of neighbouring cells, and hairlines appear between them, unless told;
# and they smooth the image of a large matrix.
_STYLE = "rect{shape-rendering:crispEdges}image{image-rendering:pixelated}"
# What holds of all shapes unless they say otherwise, as Qt does at each.
_COMMON = {
    "fill": "none",
    "fill-rule": "evenodd",
    "stroke-linecap": "square",
    "stroke-linejoin": "bevel",
}
_NEEDLESS = {
    **_COMMON,
    "fill-opacity": "1",
    "stroke": "none",
    "stroke-opacity": "1",
    "vector-effect": "none",
    "transform": "matrix(1,0,0,1,0,0)",
}
_OF_TEXTS = {"font-family", "font-size", "font-weight", "font-style"}
_MATRIX = re.compile(r"matrix\(([^,]+),0,0,([^,]+),([^,]+),([^,]+)\)")


def render_svg(page: Page, provenance: str) -> bytes:
    """An SVG whose text is text and whose cells are rectangles; the same bytes each time."""
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(int(UNITS_PER_INCH))
    painter = SvgPainter(generator, page.style.font)
    try:
        page.paint(painter)
    finally:
        painter.end()
    drawn = fromstring(bytes(content.data()))

    width, height = page.size.width(), page.size.height()
    root = Element(f"{SVG}svg", {"width": _mm(width), "height": _mm(height)})
    root.set("viewBox", f"0 0 {number(width)} {number(height)}")
    root.set("font-family", families_css(page.style.font.family()))
    # Else browsers round the widths of letters to pixels.
    root.set("text-rendering", "geometricPrecision")
    SubElement(root, f"{SVG}title").text = valid(page.title or page.figure.title)
    SubElement(root, f"{SVG}desc").text = valid(page.figure.caption)
    SubElement(root, f"{SVG}metadata").text = valid(provenance)
    SubElement(root, f"{SVG}style").text = painter.font_faces() + _STYLE
    root.extend(drawn.findall(f"{SVG}defs"))
    body = SubElement(root, f"{SVG}g", _COMMON)
    for group in drawn.iterfind(f"{SVG}g/{SVG}g"):
        for shape in group:
            is_kept = shape.tag == f"{SVG}text"
            body.append(painter.kept[int(shape.text or "")] if is_kept else _flat(shape, group))
    for element in (*root, *body):
        element.tail = "\n"
    register_namespace("", SVG[1:-1])
    register_namespace("xlink", XLINK[1:-1])
    content_bytes: bytes = tostring(root, "UTF-8", xml_declaration=True)
    return content_bytes


def _flat(shape: Element, group: Element) -> Element:
    """A shape with what Qt wrote at its group, and in units of the page where that is easy."""
    given = {**group.attrib, **shape.attrib}
    place = _MATRIX.fullmatch(given["transform"])
    is_plain = "url" not in given["fill"] and given["stroke"] == "none"
    if shape.tag == f"{SVG}rect" and is_plain and place is not None:
        across, down, x, y = map(float, place.groups())
        given["x"] = number(across * float(given["x"]) + x)
        given["y"] = number(down * float(given["y"]) + y)
        given["width"] = number(across * float(given["width"]))
        given["height"] = number(down * float(given["height"]))
        del given["transform"]
    kept = {
        name: value
        for name, value in given.items()
        if name not in _OF_TEXTS and _NEEDLESS.get(name) != value
    }
    return Element(shape.tag, kept)


def _mm(units: float) -> str:
    return f"{number(units * MM_PER_INCH / UNITS_PER_INCH)}mm"
