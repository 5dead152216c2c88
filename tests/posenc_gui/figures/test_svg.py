"""SVG files, read back by Python's XML parser and Qt's SVG reader."""

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from pictures import LOOK, page_of
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from posenc_gui.figures.labels import GAP
from posenc_gui.figures.matrix import MatrixFigure
from posenc_gui.figures.svg import render_svg
from posenc_gui.panels.text import load_samples
from posenc_model.exporters.look import Look

SVG = "{http://www.w3.org/2000/svg}"
VIRIDIS = {0.0: "#440154", 0.5: "#21918c", 1.0: "#fde725"}
PROVENANCE = '{"text": "<s> & x"}'


def figure(values, queries, keys=None, **changes):
    return MatrixFigure(np.array(values, np.float32), queries, keys or queries, **changes)


def words_figure(*words, **changes):
    return figure(np.eye(len(words)), words, **changes)


def drawn(shown, look=LOOK):
    return ElementTree.fromstring(render_svg(page_of(shown, look), PROVENANCE))


def written(root):
    """What is written, without the marks that say that it is read from the right."""
    texts = ("".join(text.itertext()) for text in root.iter(f"{SVG}text"))
    return [text.strip("\u202b\u202c") for text in texts]


def squares(root):
    """Left, top, side and colour of all square rectangles."""
    found = []
    for rect in root.iter(f"{SVG}rect"):
        x, y, width, height = (float(rect.get(name)) for name in ("x", "y", "width", "height"))
        if width == height:
            found.append((x, y, width, rect.get("fill")))
    return found


@pytest.fixture
def markup():
    words = ("<s>", "x < y", "<b>a</b>", "&amp;")
    return words_figure(*words, title="t5 · <i>layer</i> 1", caption="text: <s> & x < y")


def test_text_is_text(markup):
    root = drawn(markup)
    found = written(root)
    for word in markup.query_words:
        assert found.count(word) == 2
    for name in ("query (looks)", "key (is looked at)", "attention weight", "t5 · <i>layer</i> 1"):
        assert name in found
    assert root.find(f"{SVG}title").text == markup.title
    assert root.find(f"{SVG}desc").text == markup.caption
    assert root.find(f"{SVG}metadata").text == PROVENANCE


def test_cells_are_crisp_rectangles():
    """Three tokens, each cell one rectangle on whole units in the right colour."""
    values = [[0, 0.5, 1], [1, 0, 0.5], [0.5, 1, 0]]
    root = drawn(figure(values, ("one", "two", "three")))
    found = squares(root)
    assert len(found) == 9
    side = found[0][2]
    left, top = min(x for x, *_ in found), min(y for _, y, *_ in found)
    for x, y, width, color in found:
        assert all(number == round(number) for number in (x, y, width))
        row, column = (y - top) / side, (x - left) / side
        assert row in (0, 1, 2)
        assert column in (0, 1, 2)
        assert color == VIRIDIS[values[int(row)][int(column)]]
    assert len({(x, y) for x, y, *_ in found}) == 9
    assert "rect{shape-rendering:crispEdges}" in root.find(f"{SVG}style").text


def test_curves_are_smooth():
    """Masked cells are crossed by a line, which stays one with its stroke."""
    root = drawn(figure([[np.nan, 1], [1, 0]], ("a", "b"), color_bar=False))
    lines = list(root.iter(f"{SVG}polyline"))
    assert [line.get("stroke") for line in lines] == ["#667080"]
    assert [line.get("shape-rendering") for line in lines] == [None]


@pytest.mark.parametrize(
    ("look", "size"),
    [
        (Look(width_mm=85, height_mm=60), ("85mm", "60mm")),
        (Look(width_mm=338.6667, height_mm=190.5, font_size=18), ("338.667mm", "190.5mm")),
    ],
)
def test_size_is_exact(look, size):
    root = drawn(words_figure("a", "b"), look)
    assert (root.get("width"), root.get("height")) == size
    *_, width, height = map(float, root.get("viewBox").split())
    assert width == pytest.approx(look.width_mm / 25.4 * 96, abs=0.01)
    assert height == pytest.approx(look.height_mm / 25.4 * 96, abs=0.01)


def test_another_renderer_draws_what_the_png_shows():
    from posenc_gui.figures.exporters import page_image

    shown = figure([[0, 1], [1, 0]], ("a", "b"))
    renderer = QSvgRenderer(render_svg(page_of(shown), PROVENANCE))
    assert renderer.isValid()
    image = QImage(900, 800, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    renderer.render(painter)
    painter.end()
    png = page_image(page_of(shown), 96)
    for x, y in ((250, 300), (500, 300), (250, 550), (500, 550)):
        assert image.pixelColor(x, y) == png.pixelColor(x, y)
    assert png.pixelColor(250, 300) != png.pixelColor(500, 300)


def test_a_transparent_picture_has_no_ground():
    look = Look(width_mm=60, theme="transparent")
    root = drawn(figure([[0, 1], [1, 0]], ("a", "b")), look)
    *_, width, _ = map(float, root.get("viewBox").split())
    assert not [r for r in root.iter(f"{SVG}rect") if float(r.get("width")) > 0.95 * width]


def test_any_characters_make_valid_xml():
    words = ("a\x1bb", "c\x00d", "e\ud800f", "\ufffe")
    caption = "text: a\x1bb\x0cc\x00d \udfff"
    root = drawn(words_figure(*words, title="t\x07", caption=caption))
    assert root.find(f"{SVG}desc").text == "text: a\ufffdb\ufffdc\ufffdd \ufffd"
    assert "a\ufffdb" in written(root)


def test_many_cells_are_one_image_whose_pixels_stay_sharp(monkeypatch):
    monkeypatch.setattr("posenc_gui.figures.cells.MAX_RECTANGLES", 100)
    root = drawn(words_figure(*(f"w{i}" for i in range(12))))
    (image,) = root.iter(f"{SVG}image")
    assert image.get("{http://www.w3.org/1999/xlink}href").startswith("data:image/png;base64,")
    assert "image{image-rendering:pixelated}" in root.find(f"{SVG}style").text
    assert "w3" in written(root)


@pytest.mark.parametrize("text", [sample["text"] for sample in load_samples()[-3:]])
def test_labels_are_whole_in_every_script(text):
    words = tuple(word[:12] for word in text.split()[:6])
    found = written(drawn(words_figure(*words)))
    for word in words:
        assert found.count(word) >= 2


def test_labels_of_rows_end_at_the_cells_in_any_font():
    words = ("<b>a</b>", "&amp;", "她们", "مرحبا", "x")
    root = drawn(words_figure(*words))
    ended = [text for text in root.iter(f"{SVG}text") if text.get("text-anchor") == "end"]
    assert ["".join(text.itertext()) for text in ended] == list(words)
    left = min(x for x, *_ in squares(root))
    assert {float(text.get("x")) for text in ended} == {left - GAP}


def test_turned_labels_begin_at_the_cells():
    root = drawn(words_figure("long" * 12, "word" * 12), Look(width_mm=80))
    turned = [text for text in root.iter(f"{SVG}text") if text.text.startswith(("longl", "wordw"))]
    turned = [text for text in turned if text.get("transform")]
    assert len(turned) == 2
    for text in turned:
        assert text.get("x") == "0"
        assert text.get("text-anchor") is None
        assert text.get("transform").startswith("matrix(0,-")


# Not with the imports of this file, which take seconds.
DRAW = """
import hashlib
import numpy as np
from PySide6.QtGui import QGuiApplication
from posenc_gui.figures.matrix import MatrixFigure
from posenc_gui.figures.page import Page
from posenc_gui.figures.svg import render_svg
from posenc_model.exporters.look import Look

application = QGuiApplication.instance() or QGuiApplication([])
words = ("a", "她们", "مرحبا", "क्षत्रिय")
page = Page(MatrixFigure(np.eye(4, dtype=np.float32), words, words, title="t"), Look())
digest = hashlib.sha256(render_svg(page, "{}")).hexdigest()
print(digest)
"""


def test_bytes_are_the_same_each_time_in_another_process_too(monkeypatch):
    monkeypatch.setenv("PYTHONHASHSEED", "3")
    root = Path(__file__).parents[3]
    other = subprocess.run([sys.executable, "-c", DRAW], capture_output=True, check=True, cwd=root)
    digests = []
    for _ in range(2):
        names: dict[str, str] = {}
        exec(DRAW, names)
        digests.append(names["digest"])
    assert digests == [other.stdout.decode().strip()] * 2


def test_color_of_text_follows_the_theme():
    root = drawn(words_figure("a", "b"), Look(theme="dark"))
    colors = {text.get("fill") for text in root.iter(f"{SVG}text")}
    assert colors
    assert all(QColor(color).lightness() > 120 for color in colors)
