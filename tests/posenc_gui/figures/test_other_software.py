"""Picture files are opened by other software, which sees in them what was written."""

import io
import itertools
import json
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pypdf
import pypdfium2
import pytest
import resvg_py
from pictures import export_of, page_of
from PIL import Image, ImageColor

from posenc_gui.figures.exporters import PICTURE_EXPORTERS, render_pdf, render_png, render_tiff
from posenc_gui.figures.matrix import MatrixFigure
from posenc_gui.figures.svg import render_svg
from posenc_model.exporters.look import PRESETS, Look
from posenc_model.resources import resource_folder

SVG = "{http://www.w3.org/2000/svg}"
# With so many dots an inch, a pixel is a unit of an SVG.
DPI = 96
TEXT = "The cat <s> sat & slept."


@pytest.fixture(scope="module")
def files():
    """An export in every format: its file by its suffix."""
    export = export_of(TEXT, look=Look(width_mm=100, font_size=7, dpi=DPI, caption="auto"))
    return {
        suffix: PICTURE_EXPORTERS[suffix].render(replace(export, file_name=f"x{suffix}")).content
        for suffix in (".svg", ".png", ".pdf", ".tiff")
    }


def with_resvg(svg):
    """An SVG as resvg draws it, with the shipped fonts and no other."""
    fonts = sorted(str(path) for path in (resource_folder() / "fonts").glob("*.[ot]tf"))
    png = resvg_py.svg_to_bytes(
        svg_string=svg.decode(), font_files=fonts, skip_system_fonts=True, dpi=DPI
    )
    return Image.open(io.BytesIO(bytes(png))).convert("RGB")


def with_pdfium(pdf):
    """A PDF as Chromium's library draws it."""
    document = pypdfium2.PdfDocument(pdf)
    image = document[0].render(scale=DPI / 72).to_pil().convert("RGB")
    document.close()
    return image


def opened(content):
    return Image.open(io.BytesIO(content)).convert("RGB")


def cells(svg):
    """The middle and the colour of every cell."""
    rects = list(ElementTree.fromstring(svg).iter(f"{SVG}rect"))
    boxes = [[float(r.get(name)) for name in ("x", "y", "width", "height")] for r in rects]
    return {
        (x + width / 2, y + height / 2): ImageColor.getrgb(rect.get("fill"))
        for rect, (x, y, width, height) in zip(rects, boxes, strict=True)
        if abs(width - height) < 0.01 and rect.get("fill").startswith("#")
    }


@pytest.mark.parametrize(
    ("suffix", "show"),
    [(".png", opened), (".tiff", opened), (".svg", with_resvg), (".pdf", with_pdfium)],
)
def test_cells_have_their_colors(files, suffix, show):
    expected = cells(files[".svg"])
    assert len(expected) == 81
    assert len(set(expected.values())) > 8
    image = show(files[suffix])
    for (x, y), color in expected.items():
        found = image.getpixel((int(x), int(y)))
        assert max(abs(a - b) for a, b in zip(found, color, strict=True)) <= 1


def test_all_formats_look_alike(files):
    """Texts are in the same places too: blurred a little, the pictures are nearly the same."""

    def small(image):
        return np.asarray(image.resize((image.width // 3, image.height // 3), Image.Resampling.BOX))

    png = small(opened(files[".png"])).astype(int)
    for other in (with_resvg(files[".svg"]), with_pdfium(files[".pdf"])):
        found = small(other).astype(int)[: png.shape[0], : png.shape[1]]
        assert np.abs(found - png).mean() < 2.5
        assert np.abs(found - png).max() < 140
    np.testing.assert_array_equal(small(opened(files[".tiff"])), png)


def test_png_and_tiff_say_their_size_and_where_they_are_from(files):
    for suffix in (".png", ".tiff"):
        image = Image.open(io.BytesIO(files[suffix]))
        assert image.width == round(100 / 25.4 * DPI)
        assert image.info["dpi"] == pytest.approx((DPI, DPI), abs=0.02)
    png = Image.open(io.BytesIO(files[".png"]))
    assert json.loads(png.text["posenc"])["text"] == TEXT
    tiff = Image.open(io.BytesIO(files[".tiff"]))
    description = 270
    assert json.loads(tiff.tag_v2[description])["text"] == TEXT


def test_pdf_has_its_text_its_size_and_an_attachment(files):
    reader = pypdf.PdfReader(io.BytesIO(files[".pdf"]))
    (page,) = reader.pages
    assert float(page.mediabox.width) == pytest.approx(100 / 25.4 * 72, abs=0.001)
    svg = ElementTree.fromstring(files[".svg"])
    height = float(svg.get("viewBox").split()[3]) * 72 / 96
    assert float(page.mediabox.height) == pytest.approx(height, abs=0.001)
    text = page.extract_text()
    for word in ("The", "cat", "<s>", "slept", "key (is looked at)"):
        assert word in text
    (attached,) = reader.attachments["posenc.json"]
    assert json.loads(attached)["text"] == TEXT


def test_every_font_of_a_pdf_is_inside(files):
    fonts = pypdf.PdfReader(io.BytesIO(files[".pdf"])).pages[0]["/Resources"]["/Font"]
    descriptors = [
        font.get_object()["/DescendantFonts"][0].get_object()["/FontDescriptor"]
        for font in fonts.values()
    ]
    assert len(descriptors) == 2  # regular and bold
    assert all("/FontFile2" in d or "/FontFile3" in d for d in descriptors)


@pytest.mark.parametrize("show", ["png", "svg", "pdf"])
def test_pixels_of_a_large_matrix_are_not_blurred(show):
    n = 160
    matrix = (np.indices((n, n)).sum(axis=0) % 2).astype(np.float32)
    words = tuple(f"w{i}" for i in range(n))
    page = page_of(MatrixFigure(matrix, words, words), Look(width_mm=300, dpi=DPI))
    image = {
        "png": lambda: opened(render_png(page, "{}")),
        "svg": lambda: with_resvg(render_svg(page, "{}")),
        "pdf": lambda: with_pdfium(render_pdf(page, "{}")),
    }[show]()
    middle = image.width // 2 - 100, image.height // 2 - 100
    area = np.asarray(image.crop((*middle, middle[0] + 200, middle[1] + 200))).astype(int)
    ends = [np.array(ImageColor.getrgb(color)) for color in ("#440154", "#fde725")]
    away = np.min([np.abs(area - end).max(axis=2) for end in ends], axis=0)
    # Smoothed, hardly any would have one of the two colours.
    assert np.mean(away <= 2) > 0.6


LONG = "Donaudampfschifffahrtsgesellschaftskapitän"
WORDS = {
    "long": [LONG * 3, "W" * 90, "a", "gjpqy|Å"],
    "200": [f"token{i}" * (1 + i % 3) for i in range(200)],
    "Chinese": ["她们", "是", "飞行员" * 9, "，"],
    "Arabic": ["مرحبا", "بالعالم", "الاستقلالية" * 5, "(abc)"],
    "Hebrew": ["שָׁלוֹם", "עולם!", "אבגדהוזחטי" * 5],
    "Devanagari": ["क्षत्रिय", "ज्ञान", "श्री" * 12, "र्दि"],
    "emoji": ["👩‍💻", "👨‍👩‍👧‍👦" * 9, "🇩🇪", "1️⃣"],
    "tall": ["Ą́̂̃̄g̣̈̊̌", "ที่ป้ฎุ", "ﷺﷻ"],
}
LOOKS = [
    Look(width_mm=85, font_size=7, dpi=DPI, caption="auto"),
    Look(**{**PRESETS["slide"].values, "dpi": 40}),
]


@pytest.mark.parametrize("look", LOOKS, ids=["column", "slide"])
@pytest.mark.parametrize("words", WORDS.values(), ids=WORDS)
def test_nothing_touches_the_border(words, look):
    n = len(words)
    matrix = np.full((n, n), 0.5, np.float32)
    shown = MatrixFigure(matrix, words, words, title=" ".join(words), caption=" ".join(words))
    image = np.asarray(opened(render_png(page_of(shown, look), "{}")))
    ring = [image[:2], image[-2:], image[:, :2], image[:, -2:]]
    assert all((edge == 255).all() for edge in ring)
    inside = image[4:-4, 4:-4].reshape(-1, 3)
    assert (inside == ImageColor.getrgb("#21918c")).all(axis=1).mean() > 0.02


def test_tiff_and_png_have_the_same_pixels_where_they_are_transparent():
    shown = MatrixFigure(np.eye(2, dtype=np.float32), ("a", "b"), ("a", "b"))
    page = page_of(shown, Look(width_mm=50, dpi=DPI, theme="transparent"))
    png, tiff = (
        Image.open(io.BytesIO(render(page, "{}"))).convert("RGBA")
        for render in (render_png, render_tiff)
    )
    np.testing.assert_array_equal(np.asarray(png), np.asarray(tiff))
    corners = itertools.product((0, png.width - 1), (0, png.height - 1))
    assert [png.getpixel(corner)[3] for corner in corners] == [0] * 4
