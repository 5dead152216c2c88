"""The texts and images of an SVG; texts look the same in programs that have other fonts.

Qt writes a text in pieces, one for each font, and where each begins as it has measured them. In a
program that shows the file in another font, the pieces overlap and labels run into the cells. Here
a text stays whole, is held at the end that it is aligned to, and brings the glyphs that it needs.
"""

from __future__ import annotations

import base64
import itertools
import re
import unicodedata
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element, SubElement

from PySide6.QtCore import QBuffer, QIODevice, QPointF, QRectF
from PySide6.QtGui import QFont, QFontInfo, QImage
from PySide6.QtSvg import QSvgGenerator

from posenc_gui.figures.fit import laid_out
from posenc_gui.figures.font_faces import font_face
from posenc_gui.figures.glyphs import Glyphs, is_complex
from posenc_gui.figures.text_painter import ANY_WIDTH, SHARES, START, Line, TextPainter
from posenc_gui.fonts import font_file

SVG = "{http://www.w3.org/2000/svg}"
XLINK = "{http://www.w3.org/1999/xlink}"
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
# Characters that XML cannot hold in any form, and halves of characters.
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# Around a text that is read from the right: not all programs know “direction”.
_FROM_RIGHT, _END = "\u202b", "\u202c"
# With it, browsers take an emoji from a font of the system's, which is another on each machine.
_IN_COLOR = "\ufe0f"


class SvgPainter(TextPainter):
    """A painter that keeps texts and images, and has Qt write the number of each where it belongs.

    Attributes:
        kept: An element for each line that was written, and each image.
    """

    def __init__(self, generator: QSvgGenerator, font: QFont) -> None:
        super().__init__(generator)
        self.kept: list[Element] = []
        self._family = font.family()
        self._glyphs = Glyphs(font)
        self._written: defaultdict[tuple[str, Path], set[str]] = defaultdict(set)

    def write(self, line: Line) -> None:
        line = line._replace(text=valid(line.text))
        self._keep(QPointF(line.x, line.y), self._element(line))

    def drawImage(self, target: QRectF, image: QImage) -> None:  # type: ignore[override]
        """Takes a rectangle and an image. Qt would pack it without letting other threads work."""
        buffer = QBuffer()
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        image.save(buffer, "PNG")  # type: ignore[call-overload]  # the stubs miss it
        box = self.transform().mapRect(target)
        element = Element(f"{SVG}image", {"preserveAspectRatio": "none"})
        for name in ("x", "y", "width", "height"):
            element.set(name, number(getattr(box, name)()))
        packed = base64.b64encode(buffer.data().data()).decode()
        element.set(f"{XLINK}href", f"data:image/png;base64,{packed}")
        self._keep(target.topLeft(), element)

    def _keep(self, place: QPointF, element: Element) -> None:
        self.write_at(place, str(len(self.kept)))
        self.kept.append(element)

    def font_faces(self) -> str:
        """Rules of CSS with those of our fonts that were written in, as far as they were."""
        return "".join(
            font_face(family, path, characters)
            for (family, path), characters in sorted(self._written.items())
        )

    def _element(self, line: Line) -> Element:
        font, transform, color = self.font(), self.transform(), self.pen().color()
        point, scale = QPointF(line.x, line.y), 1.0
        element = Element(f"{SVG}text")
        if transform.isRotating():
            names = ("m11", "m12", "m21", "m22", "dx", "dy")
            numbers = [number(getattr(transform, name)()) for name in names]
            element.set("transform", f"matrix({','.join(numbers)})")
        else:
            point, scale = transform.map(point), transform.m22()
        element.set("x", number(point.x()))
        element.set("y", number(point.y()))
        element.set("font-size", number(QFontInfo(font).pixelSize() * scale))
        if font.bold():
            element.set("font-weight", "700")
        if font.italic():
            element.set("font-style", "italic")
        element.set("fill", color.name())
        if (opacity := color.alphaF() * self.opacity()) < 1:
            element.set("fill-opacity", number(opacity))

        if line.anchor != START:
            element.set("text-anchor", line.anchor)
        parts = _apart(self._pieces(line.text))
        if len(parts) > 1:
            _place(element, parts, line, font, scale)
        else:
            self._write(element, parts[0])
        return element

    def _pieces(self, text: str) -> list[_Piece]:
        pieces = []
        for family, part in self._glyphs.pieces(text):
            pieces.append(_Piece((family or self._family,), part))
            path = font_file(family, is_bold=self.font().bold())
            if path is not None:
                self._written[family, path].update(part)
        return pieces

    def _write(self, element: Element, piece: _Piece) -> None:
        text = piece.text.replace(_IN_COLOR, "")
        if piece.families != (self._family,):
            element.set("font-family", families_css(*piece.families))
        if text != text.strip() or "  " in text:
            element.set(_SPACE, "preserve")
        element.text = f"{_FROM_RIGHT}{text}{_END}" if _needs_direction(text) else text


class _Piece(NamedTuple):
    """A part of a text and the families that draw it."""

    families: tuple[str, ...]
    text: str


def _place(element: Element, parts: list[_Piece], line: Line, font: QFont, scale: float) -> None:
    """Writes the parts of a line where Qt has them, each held as the whole is.

    Some programs take the whole of a text from one font, unless each part has its place.
    """
    layout = laid_out(line.text, font, ANY_WIDTH)
    starts = list(itertools.accumulate((_length(part.text) for part in parts), initial=0))
    # What Qt gives is the place and the one nearest to it where a cursor may be.
    places: list[Any] = [layout.lineAt(0).cursorToX(start) for start in starts]
    edges = [place[0] for place in places]
    share = SHARES[line.anchor]
    left = float(element.get("x", "0")) - share * scale * edges[-1]
    for part, begin, end in zip(parts, edges, edges[1:], strict=False):
        x = left + scale * (begin + share * (end - begin))
        attributes = {"x": number(x), "font-family": families_css(*part.families)}
        SubElement(element, f"{SVG}tspan", attributes).text = part.text.replace(_IN_COLOR, "")
    element.set(_SPACE, "preserve")


def _length(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2  # as Qt counts


def _apart(pieces: list[_Piece]) -> list[_Piece]:
    """The pieces of a line, those together that are read from the right one after the other."""
    found: list[_Piece] = []
    kinds = ""
    for piece in pieces:
        kind = _kind(piece.text)
        place = kinds.rfind("R")
        if kind == "R" and place >= 0 and "L" not in kinds[place:]:
            found[place:] = [_together([*found[place:], piece])]
            kinds = kinds[: place + 1]
        else:
            found.append(piece)
            kinds += kind
    # Where all is read from the right, the pieces stand in another order.
    return [_together(found)] if kinds.lstrip("-").startswith("R") else found


def _together(pieces: list[_Piece]) -> _Piece:
    """One piece of several; the families come first whose letters join."""
    first = [piece for piece in pieces if is_complex(piece.text)]
    families = dict.fromkeys(family for piece in (*first, *pieces) for family in piece.families)
    return _Piece(tuple(families), "".join(piece.text for piece in pieces))


def _kind(text: str) -> str:
    """How the letters of a text are read: from the right, the left, or, without any, either."""
    kinds = {unicodedata.bidirectional(character) for character in text}
    return "R" if kinds & {"R", "AL"} else "L" if "L" in kinds else "-"


def _needs_direction(text: str) -> bool:
    """Whether a text is read from the right and holds anything that would be put elsewhere."""
    kinds = [unicodedata.bidirectional(character) for character in text]
    first = next((kind for kind in kinds if kind in ("L", "R", "AL")), "L")
    return first != "L" and not {"R", "AL", "NSM", "BN", "WS"}.issuperset(kinds)


def families_css(*families: str) -> str:
    """Families as an SVG names them."""
    names = (family.replace("'", "") for family in families)
    return ", ".join((*(f"'{name}'" for name in names), "sans-serif"))


def valid(text: str) -> str:
    """A text without what XML cannot hold."""
    return _NOT_XML.sub("\ufffd", text)


def number(value: float) -> str:
    """A number as short as it is exact enough."""
    return f"{value:.6g}"
