"""Picture files, read back by others: Qt's image reader and Python's XML parser."""

from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from posenc_gui.figures.exporters import export_style, figure_image, render_png, render_svg
from posenc_gui.figures.matrix import MatrixFigure
from posenc_gui.panels.text import load_samples

SVG = "{http://www.w3.org/2000/svg}"
VIRIDIS = {0.0: "#440154", 0.5: "#21918c", 1.0: "#fde725"}


def figure(values, queries, keys, **changes):
    return MatrixFigure(np.array(values, dtype=np.float32), queries, keys, **changes)


@pytest.fixture
def markup():
    """Case 1, with a token that holds spaces."""
    words = ("<s>", "x < y", "<b>a</b>", "&amp;")
    return figure(
        np.full((4, 4), 0.5), words, words, title="t5 · <i>layer</i> 1", caption="text: <s> & x < y"
    )


def texts(root):
    """What is written, piece by piece; one label may come in several pieces."""
    groups = [g for g in root.iter(f"{SVG}g") if g.find(f"{SVG}text") is not None]
    return [
        "".join("".join(t.itertext()).strip("\n ") for t in g.findall(f"{SVG}text")) for g in groups
    ]


def pieces(root):
    return ["".join(t.itertext()).strip("\n ") for t in root.iter(f"{SVG}text")]


def test_svg_holds_text_as_text(markup):
    """Cases 1 and 8."""
    root = ElementTree.fromstring(render_svg(markup))
    found = pieces(root)
    for word in markup.query_words:
        assert found.count(word) == 2
    for name in ("query (looks)", "key (is looked at)", "attention weight", "t5 · <i>layer</i> 1"):
        assert name in found
    assert root.find(f"{SVG}title").text.strip() == markup.title
    assert root.find(f"{SVG}desc").text.strip() == markup.caption


def test_svg_cells_are_crisp_rectangles():
    """Case 8: three tokens, each cell one rectangle on whole units in the right colour."""
    values = [[0, 0.5, 1], [1, 0, 0.5], [0.5, 1, 0]]
    words = ("one", "two", "three")
    root = ElementTree.fromstring(render_svg(figure(values, words, words)))
    found = []
    for group in root.iter(f"{SVG}g"):
        for rect in group.findall(f"{SVG}rect"):
            x, y, width, height = (float(rect.get(k)) for k in ("x", "y", "width", "height"))
            if width == height:
                found.append((y, x, width, group.get("fill"), group.get("transform")))
    assert len(found) == 9
    side = found[0][2]
    left, top = min(x for _, x, *_ in found), min(y for y, *_ in found)
    for y, x, width, color, transform in found:
        assert all(number == round(number) for number in (x, y, width))
        assert transform == "matrix(1,0,0,1,0,0)"
        row, column = (y - top) / side, (x - left) / side
        assert row in (0, 1, 2)
        assert column in (0, 1, 2)
        assert color == VIRIDIS[values[int(row)][int(column)]]
    assert len({(y, x) for y, x, *_ in found}) == 9


def test_svg_is_drawn_by_another_renderer():
    """Qt's SVG reader draws what the PNG shows."""
    from PySide6.QtSvg import QSvgRenderer

    shown = figure([[0, 1], [1, 0]], ("a", "b"), ("a", "b"))
    renderer = QSvgRenderer(render_svg(shown))
    assert renderer.isValid()
    image = QImage(900, 800, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    renderer.render(painter)
    painter.end()
    png = figure_image(shown, 1.0)
    for x, y in ((250, 300), (500, 300), (250, 550), (500, 550)):
        assert image.pixelColor(x, y) == png.pixelColor(x, y)
    assert png.pixelColor(250, 300) != png.pixelColor(500, 300)


def test_svg_with_control_characters_is_still_xml():
    words = ("a\x1bb", "c\x00d")
    caption = "text: a\x1bb\x0cc\x00d"
    content = render_svg(figure(np.eye(2), words, words, title="t\x07", caption=caption))
    root = ElementTree.fromstring(content)
    assert root.find(f"{SVG}desc").text.strip() == "text: a\ufffdb\ufffdc\ufffdd"
    assert "a" in "".join(texts(root))


def test_svg_of_many_cells_embeds_one_image(monkeypatch):
    monkeypatch.setattr("posenc_gui.figures.matrix.MAX_RECTANGLES", 100)
    words = tuple(f"w{i}" for i in range(12))
    root = ElementTree.fromstring(render_svg(figure(np.eye(12), words, words)))
    assert len(list(root.iter(f"{SVG}image"))) == 1
    assert "w3" in pieces(root)


@pytest.mark.parametrize("text", [s["text"] for s in load_samples()[-3:]])
def test_svg_holds_every_script(text):
    """A label may come in pieces, one for each font; together they are the word."""
    words = tuple(word[:12] for word in text.split()[:6])
    n = len(words)
    root = ElementTree.fromstring(render_svg(figure(np.eye(n), words, words)))
    written = [text.replace("\n", "").strip() for text in texts(root)]
    for word in words:
        assert written.count(word) >= 2


def test_png(markup, tmp_path):
    path = tmp_path / "out.png"
    path.write_bytes(render_png(markup))
    image = QImage(str(path))
    assert (image.width(), image.height()) == (1800, 1600)
    assert image.dotsPerMeterX() * 0.0254 == pytest.approx(192, abs=0.1)
    assert image.dotsPerMeterY() * 0.0254 == pytest.approx(192, abs=0.1)
    assert image.text("Title") == markup.title
    assert image.text("Description") == markup.caption


@pytest.mark.parametrize("count", [1, 3, 30, 300])
@pytest.mark.parametrize("length", [1, 60])
def test_nothing_touches_the_border(count, length):
    words = tuple("Wy" * length for _ in range(count))
    image = figure_image(figure(np.full((count, count), 0.5), words, words, title="title"), 1.0)
    white = QColor("#ffffff")
    width, height = image.width(), image.height()
    for i in range(3):
        assert all(
            image.pixelColor(x, y) == white for x in range(width) for y in (i, height - 1 - i)
        )
        assert all(
            image.pixelColor(x, y) == white for y in range(height) for x in (i, width - 1 - i)
        )


def glyph(character):
    """How a character looks in pictures."""
    style = export_style()
    image = QImage(60, 60, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    font = style.font
    font.setPixelSize(30)
    painter.setFont(font)
    painter.setPen(Qt.GlobalColor.black)
    painter.drawText(QPointF(10, 40), character)
    painter.end()
    return image


def test_chinese_glyphs_are_no_boxes():
    """Case 6: every character looks different from a missing one and from the others."""
    text = "她们是飞行员还制片人？"
    missing = glyph("\U0003fffe"), glyph("\u0378")
    blank = glyph(" ")
    images = [glyph(character) for character in text]
    for i, image in enumerate(images):
        assert image != blank
        assert image not in missing
        assert image not in images[:i]


def test_every_sample_can_be_written():
    characters = {c for sample in load_samples() for c in sample["text"] if not c.isspace()}
    assert any("一" <= c <= "鿿" for c in characters)
    assert any("؀" <= c <= "ۿ" for c in characters)
    missing = glyph("\u0378")
    for character in sorted(characters):
        assert glyph(character) != missing, character


def test_row_labels_of_an_svg_end_at_the_cells_in_any_font():
    words = ("<b>a</b>", "&amp;", "她们", "x")
    root = ElementTree.fromstring(render_svg(figure(np.eye(4), words, words)))
    ended = [text for text in root.iter(f"{SVG}text") if text.get("text-anchor") == "end"]
    assert [text.text.strip() for text in ended] == list(words)
    cells = [rect for rect in root.iter(f"{SVG}rect") if float(rect.get("width")) < 300]
    left = min(float(rect.get("x")) for rect in cells)
    assert {float(text.get("x")) for text in ended} == {left - 5}
