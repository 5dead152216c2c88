"""The page of all heads: its parts read by Python and Pillow, the whole by a browser."""

import base64
import html.parser
import io
import json
import re
import shutil
import subprocess

import numpy as np
import pytest
from PIL import Image
from PySide6.QtGui import QImage

from posenc_gui.figures.html import HTML, gray_png
from posenc_model.errors import PosencError
from posenc_model.exporters import Export
from posenc_model.exporters.files import only_used
from posenc_model.exporters.look import Look
from posenc_model.exporters.provenance import provenance, read_state
from posenc_model.exporters.results import with_compared
from posenc_model.exporters.spec import Spec
from posenc_model.matrices import matrix_of
from posenc_model.request import MEAN_HEAD
from posenc_model.run import encode

TEXT = "She said: <b>dog</b> </script> &amp; שלום <!--page--> said:"
WORDS = TEXT.split(" ")
SMALL = {"nlp_pipeline": "whitespace", "width": 16, "num_layers": 2, "num_heads": 2}


@pytest.fixture(scope="module")
def result():
    return encode(TEXT, **SMALL)


def exported(result, look=None, **spec):
    spec = Spec(**{"layers": None, "heads": None, **spec})
    return Export(with_compared(result, spec, ""), spec, Look(**(look or {})), "out.html")


class Page(html.parser.HTMLParser):
    """What a browser would find: scripts by their id, and the addresses of other files."""

    def __init__(self, content):
        super().__init__()
        self.scripts, self.addresses, self.title, self._open = {}, [], "", None
        self.feed(content.decode())
        self.page = json.loads(self.scripts["page"])

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.addresses += [attributes[name] for name in ("src", "href") if name in attributes]
        self._open = attributes.get("id", "") if tag == "script" else tag

    def handle_data(self, data):
        if self._open == "title":
            self.title += data
        self.scripts[self._open] = self.scripts.get(self._open, "") + data

    def handle_endtag(self, tag):
        self._open = None

    def png(self, encoding, index):
        return base64.b64decode(self.scripts[f"head-{encoding}-{index}"])

    def values(self, encoding, index):
        """The values of a head as the page knows them, and how far off they can be."""
        codes = np.asarray(Image.open(io.BytesIO(self.png(encoding, index)))).astype(float)
        low, high = self.page["scales"][encoding][index]
        step = (high - low) / (self.page["levels"] - 1)
        return np.where(codes > 0, low + (codes - 1) * step, np.nan), step / 2


def read(result, look=None, **spec):
    return Page(HTML.render(exported(result, look, **spec)).content)


def test_every_value_of_every_head_as_exactly_as_it_says(result):
    page = read(result, compare=("rel",))
    others = encode(TEXT, positional_encoding="rel", **SMALL)
    for encoding, one in enumerate((result, others)):
        for index in range(4):
            weights = one.weights(index // 2, index % 2)
            values, off = page.values(encoding, index)
            assert off == pytest.approx(weights.max() / 254 / 2)
            assert np.abs(values - weights).max() <= off * 1.0001
    assert page.page["encodings"] == ["t5", "rel"]
    assert page.page["layers"] == [1, 2]
    assert page.page["heads"] == ["1", "2"]


@pytest.mark.parametrize("kind", ["weights", "scores", "content", "change"])
def test_masked_cells_are_told_from_those_that_are_0(kind):
    result = encode("one two three", attention_mask="causal", **SMALL)
    values, off = read(result, matrix=kind).values(0, 3)
    assert np.array_equal(np.isnan(values), ~result.mask)
    matrix = matrix_of(result, 1, 1, kind)
    assert np.abs(values - matrix)[result.mask].max() <= off * 1.0001


def test_0_is_a_level_of_its_own_where_values_have_a_sign(result):
    page = read(result, matrix="position")
    assert page.page["signed"]
    (low, high), codes = page.page["scales"][0][0], np.arange(1, page.page["levels"] + 1)
    levels = low + (codes - 1) * (high - low) / (len(codes) - 1)
    assert low == -high
    assert 0 in levels.round(12)


def test_the_chosen_layers_heads_and_words(result):
    page = read(result, layers=(1,), heads=(MEAN_HEAD,), tokens=(5, 1))
    assert (page.page["layers"], page.page["heads"]) == ([2], ["mean"])
    assert (page.page["words"], page.page["numbers"]) == (["שלום", "said:"], [6, 2])
    values, off = page.values(0, 0)
    assert np.abs(values - result.weights(1, MEAN_HEAD)[[5, 1]][:, [5, 1]]).max() <= off * 1.0001


def test_a_layer_without_such_a_matrix_says_why():
    result = encode("one two", positional_encoding="abs", **SMALL)
    page = read(result, matrix="content")
    assert page.page["reasons"][0][0] is None
    assert "only layer 1 can be split" in page.page["reasons"][0][1]
    assert "head-0-2" not in page.scripts
    (note,) = HTML.render(exported(result, matrix="content")).notes
    assert note.startswith("Left out, because there is no “content only” in layer 2 of abs")


def test_nothing_comes_from_anywhere_else(result):
    content = HTML.render(exported(result)).content
    page = Page(content)
    assert page.addresses == []
    assert not re.search(rb"https?:|url\(|@import|\bimport\(|fetch\(|XMLHttp", content)


@pytest.mark.parametrize("title", ["</title><b>& “mine” &amp;", "<!--page-->"])
def test_texts_break_nothing(result, title):
    page = read(result, {"title": title, "caption": "</script> <!-- <script>"})
    assert page.title == page.page["title"] == title
    assert page.page["caption"] == "</script> <!-- <script>"
    assert page.page["words"] == WORDS
    export = exported(result, {"title": title, "caption": "</script> <!-- <script>"})
    assert json.loads(page.scripts["provenance"]) == provenance(export)


def test_the_page_says_how_it_was_made(result, tmp_path):
    export = exported(result, {"theme": "dark", "title": 'a "b" </script>'}, compare=("none",))
    path = tmp_path / "out.html"
    path.write_bytes(HTML.render(export).content)
    state = read_state(path)
    assert (state.text, state.settings) == (TEXT, result.request.settings)
    assert (state.spec, state.look) == (only_used(path, export.spec), export.look)


def test_the_same_bytes_each_time(result):
    again = encode(TEXT, **SMALL)
    assert HTML.render(exported(result)).content == HTML.render(exported(again)).content


def test_fewer_levels_where_there_is_no_room_and_the_page_says_so(result, monkeypatch):
    full = read(result)
    monkeypatch.setattr("posenc_gui.figures.html.MOST_BYTES", 4500)
    rendered = HTML.render(exported(result))
    page = Page(rendered.content)
    assert page.page["levels"] < full.page["levels"]
    values, off = page.values(0, 0)
    assert np.abs(values - result.weights(0, 0)).max() <= off * 1.0001
    assert f"keeps {page.page['levels']} levels of each head" in rendered.notes[0]


def test_too_many_cells_are_refused(result, monkeypatch):
    monkeypatch.setattr("posenc_gui.figures.html.MOST_CELLS", 200)
    with pytest.raises(PosencError, match=r"256 cells would be too large.*at most 200"):
        HTML.render(exported(result))
    HTML.render(exported(result, heads=(0,)))


@pytest.mark.parametrize(("tokens", "layers", "most"), [(128, 12, 4e6), (512, 1, 30e6 / 12)])
def test_all_heads_of_a_long_text_make_no_large_page(tokens, layers, most):
    """With the matrix that packs worst; of the longer text, a layer has its twelfth."""
    text = " ".join(f"word{number * number % 97}" for number in range(tokens))
    settings = {"positional_encoding": "abs", "num_layers": layers}
    result = encode(text, nlp_pipeline="whitespace", **settings)
    rendered = HTML.render(exported(result, matrix="scores"))
    assert (result.num_layers, result.num_heads, len(result.tokens)) == (layers, 8, tokens)
    assert len(rendered.content) < most
    assert rendered.notes == ()


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (40, 7)])
def test_pngs_are_read_by_others(shape):
    pixels = np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)
    pixels[1:] = pixels[:1]  # lines that are like those above them
    png = gray_png(pixels)
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(png))), pixels)
    image = QImage.fromData(png)
    assert image.format() == QImage.Format.Format_Grayscale8
    assert image.pixelColor(shape[1] - 1, shape[0] - 1).red() == pixels[-1, -1]


BROWSER = shutil.which("chromium") or shutil.which("google-chrome")


@pytest.mark.skipif(BROWSER is None, reason="needs Chromium")
def test_a_browser_shows_the_cell_that_the_address_names(result, tmp_path):
    path = tmp_path / "out.html"
    path.write_bytes(HTML.render(exported(result, compare=("rel",))).content)
    address = f"{path.as_uri()}#layer=2&head=1&query=3&key=6&encoding=rel"
    options = ("--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'u'}")
    done = subprocess.run(
        [BROWSER, *options, "--virtual-time-budget=3000", "--dump-dom", address],
        capture_output=True,
        timeout=60,
    )
    dom = done.stdout.decode()

    def shown(tag, name):
        inner = re.search(rf'<{tag} [^>]*id="{name}"[^>]*>(.*?)</{tag}>', dom, re.DOTALL)[1]
        return html.unescape(re.sub(r"<[^>]+>", "", inner))

    weight = encode(TEXT, positional_encoding="rel", **SMALL).weights(1, 0)[2, 5]
    sentence = shown("p", "readout")
    number, off = re.search(r"([\d.]+) % ± ([\d.]+)", sentence).groups()
    assert sentence == (
        f"‘<b>dog</b>’ gives {number} % ± {off} of its attention to ‘שלום’ (layer 2, head 1)"
    )
    assert abs(float(number) - 100 * weight) <= float(off) < 1
    assert shown("p", "cell").startswith("query 3 · key 6 · distance +3 · t5: ")
    assert re.findall(r">(\w+)</option>", dom) == ["t5", "rel", "1", "2", "1", "2"]
    pressed = re.findall(r'<button aria-label="([^"]*)"[^>]*aria-pressed="true"', dom)
    assert pressed == ["layer 2, head 1"]
    assert shown("dl", "made").count(" | ".join(WORDS)) == 1
