"""Picture files, read back by others: Qt's image reader and Python's XML parser."""

from dataclasses import replace

import numpy as np
import pytest
from pictures import LOOK, export_style, page_of
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from posenc_gui.figures import exporters
from posenc_gui.figures.matrix import MatrixFigure
from posenc_gui.panels.text import load_samples

PROVENANCE = '{"posenc_export": 1}'


def figure_image(shown, dpi=96):
    return exporters.page_image(page_of(shown), dpi)


def figure(values, queries, keys, **changes):
    return MatrixFigure(np.array(values, dtype=np.float32), queries, keys, **changes)


@pytest.fixture
def markup():
    """Case 1, with a token that holds spaces."""
    words = ("<s>", "x < y", "<b>a</b>", "&amp;")
    return figure(
        np.full((4, 4), 0.5), words, words, title="t5 · <i>layer</i> 1", caption="text: <s> & x < y"
    )


def test_png(markup, tmp_path):
    path = tmp_path / "out.png"
    look = replace(LOOK, dpi=192)
    path.write_bytes(exporters.render_png(page_of(markup, look), PROVENANCE))
    image = QImage(str(path))
    assert (image.width(), image.height()) == (1800, 1600)
    assert image.dotsPerMeterX() * 0.0254 == pytest.approx(192, abs=0.1)
    assert image.dotsPerMeterY() * 0.0254 == pytest.approx(192, abs=0.1)
    assert image.text("Title") == markup.title
    assert image.text("Description") == markup.caption
    assert image.text("posenc") == PROVENANCE


@pytest.mark.parametrize("count", [1, 3, 30, 300])
@pytest.mark.parametrize("length", [1, 60])
def test_nothing_touches_the_border(count, length):
    words = tuple("Wy" * length for _ in range(count))
    image = figure_image(figure(np.full((count, count), 0.5), words, words, title="title"))
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
