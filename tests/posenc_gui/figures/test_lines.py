"""Attention as lines: which are drawn, how thick, how opaque, and where."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from pictures import export_style
from pictures import painted as painted_figure
from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSizeF
from PySide6.QtGui import QColor, QFontMetricsF
from PySide6.QtSvg import QSvgGenerator, QSvgRenderer

from posenc_gui.figures import lines as module
from posenc_gui.figures.lines import (
    DASHES,
    ON_DARK,
    ON_LIGHT,
    LinesFigure,
    head_color,
    head_dash,
    layout_lines,
    lines_height,
    paint_lines,
    smallest_pitch,
)
from posenc_gui.painting import painting
from posenc_model.request import MEAN_HEAD

SIZE = QSizeF(600, 300)


def random_figure(n=6, heads=(0, 2, 5), **changed):
    rng = np.random.default_rng(1)
    weights = rng.dirichlet(np.full(n, 0.4), (len(heads), n)).astype(np.float32)
    shown = {"weights": weights, "heads": heads, "tokens": [f"w{i}" for i in range(n)]}
    return LinesFigure(**{**shown, **changed})


def one_line(query, key, weight=1.0, head=0, n=4, **changed):
    weights = np.zeros((1, n, n), np.float32)
    weights[0, query, key] = weight
    shown = {"tokens": ["a", "b", "c", "d"], **changed}
    return LinesFigure(weights=weights, heads=(head,), **shown)


def painted(figure, size=SIZE):
    return painted_figure(figure, size, scale=1)


def as_svg(figure, size=SIZE):
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(size.toSize())
    with painting(generator) as painter:
        paint_lines(painter, figure, size, export_style())
    return bytes(content.data()).decode()


# --- which lines ---------------------------------------------------------------------------------


@pytest.mark.parametrize("threshold", [0.0, 0.05, 0.3, 1.0])
def test_exactly_the_weights_that_reach_the_threshold_have_a_line(threshold):
    figure = random_figure(threshold=threshold)
    lines = figure.lines
    drawn = {
        (int(h), int(q), int(k)): float(w)
        for h, q, k, w in zip(lines.head, lines.query, lines.key, lines.weight, strict=True)
    }
    expected = {
        (head, q, k): float(figure.weights[i, q, k])
        for i, head in enumerate(figure.heads)
        for q, k in itertools.product(range(6), range(6))
        if figure.weights[i, q, k] >= threshold and figure.weights[i, q, k] > 0
    }
    assert drawn == expected
    assert figure.count == 3 * 36
    assert figure.hidden == 3 * 36 - len(expected)
    assert figure.hidden_share == pytest.approx(1 - sum(expected.values()) / 18, abs=1e-5)


def test_strong_lines_come_last_and_are_thicker_and_more_opaque():
    lines = random_figure().lines
    assert (np.diff(lines.weight) >= 0).all()
    assert (np.diff(lines.width)[np.diff(lines.weight) > 1e-6] > 0).all()
    assert (np.diff(lines.opacity)[np.diff(lines.weight) > 1e-6] > 0).all()
    np.testing.assert_allclose(lines.opacity, np.sqrt(lines.weight), atol=1e-6)
    np.testing.assert_allclose(lines.width, 0.5 + 4.5 * lines.weight, atol=1e-6)


def test_the_fullest_line_is_the_one_of_the_scale():
    lines = one_line(0, 1, 0.2, full=0.2).lines
    assert (lines.opacity[0], lines.width[0]) == pytest.approx((1.0, module.THICKEST))
    lines = one_line(0, 1, 0.1, full=0.2).lines
    assert lines.opacity[0] == pytest.approx(np.sqrt(0.5))


def test_a_weight_of_almost_1_reaches_100_percent():
    assert len(one_line(0, 1, 0.9999999, threshold=1.0).lines) == 1
    assert len(one_line(0, 1, 0.99, threshold=1.0).lines) == 0


def test_masked_cells_are_no_lines():
    weights = np.array([[[0.5, np.nan], [-np.inf, np.inf]]], np.float32)
    figure = LinesFigure(weights=weights, heads=(0,), tokens=["a", "b"])
    assert figure.lines.weight.tolist() == [0.5]
    assert (figure.count, figure.hidden, figure.hidden_share) == (1, 0, 0.0)


def test_a_marked_query_or_key_has_its_lines_alone():
    figure = random_figure(threshold=0.05)
    row = replace(figure, query=2).lines
    assert set(row.query.tolist()) == {2}
    assert sorted(row.weight.tolist()) == sorted(
        figure.weights[:, 2][figure.weights[:, 2] >= 0.05].tolist()
    )
    column = replace(figure, key=4)
    assert set(column.lines.key.tolist()) == {4}
    assert len(column.lines) == int((figure.weights[:, :, 4] >= 0.05).sum())
    assert column.count == 18
    for lines in (row, column.lines):
        for h, q, k, w in zip(lines.head, lines.query, lines.key, lines.weight, strict=True):
            assert figure.weights[figure.heads.index(h), q, k] == w


def test_of_very_many_lines_the_strongest_are_drawn(monkeypatch):
    monkeypatch.setattr(module, "MOST_LINES", 10)
    figure = random_figure()
    strongest = np.sort(figure.weights.ravel())[-10:]
    np.testing.assert_array_equal(figure.lines.weight, strongest)
    assert figure.hidden == 98


def test_no_head_is_no_line():
    figure = random_figure(weights=np.zeros((0, 6, 6), np.float32), heads=())
    assert (len(figure.lines), figure.count, figure.hidden_share) == (0, 0, 0.0)
    painted(figure)


def test_attention_to_words_beyond_the_picture_counts():
    figure = one_line(0, 1, 0.6, elsewhere=0.4)
    assert figure.elsewhere_share == pytest.approx(0.4)
    assert figure.hidden_share == 0
    hidden = replace(figure, threshold=0.7)
    assert hidden.hidden_share == pytest.approx(0.6)


# --- colours -------------------------------------------------------------------------------------

# Machado, Oliveira & Fernandes 2009, severity 1, on linear RGB.
_SIGHTS = {
    "common": np.eye(3),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
}


def linear(names):
    rgb = np.array([QColor(name).getRgbF()[:3] for name in names])
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def oklab(rgb):
    """Björn Ottosson's: equal distances are about equal differences; black to white is 100."""
    cones = np.array(
        [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ]
    )
    lab = np.array(
        [
            [0.2104542553, 0.7936177850, -0.0040720468],
            [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660],
        ]
    )
    return 100 * np.cbrt(np.clip(rgb, 0, None) @ cones.T) @ lab.T


@pytest.mark.parametrize("sight", _SIGHTS)
@pytest.mark.parametrize("names", [ON_LIGHT, ON_DARK], ids=["light", "dark"])
def test_colours_differ_for_everybody(names, sight):
    seen = oklab(np.clip(linear(names) @ _SIGHTS[sight].T, 0, 1))
    closest = min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2))
    assert closest > 7  # 2 is just noticeable


@pytest.mark.parametrize(("names", "ground"), [(ON_LIGHT, "#ffffff"), (ON_DARK, "#16181d")])
def test_colours_stand_out_from_their_ground(names, ground):
    luminances = linear([*names, ground]) @ [0.2126, 0.7152, 0.0722] + 0.05
    for luminance in luminances[:-1]:
        pair = sorted((luminance, luminances[-1]))
        assert pair[1] / pair[0] > 2.5


def test_no_two_of_the_first_heads_look_alike():
    style = export_style()
    looks = {(head_color(head, style).name(), head_dash(head)) for head in range(48)}
    assert len(looks) == 48
    assert all(head_dash(head) == () for head in range(12))
    assert head_color(12, style) == head_color(0, style)
    assert head_dash(12) == DASHES[1]
    dark = replace(style, background=QColor("#16181d"))
    assert head_color(0, dark) != head_color(0, style)


@pytest.mark.parametrize("weight", [0.05, 1.0])
def test_strokes_are_as_long_whatever_the_width(weight):
    image = painted(one_line(1, 1, weight, head=12))
    layout = layout_lines(one_line(1, 1), SIZE, export_style().font)
    y = round(layout.row_center(1))
    ground = export_style().background
    is_gap = [
        all(image.pixelColor(x, y + near) == ground for near in (-1, 0, 1))
        for x in range(int(layout.body.left()), int(layout.body.right()))
    ]
    strokes = sum(a and not b for a, b in itertools.pairwise(is_gap))
    assert strokes == pytest.approx(len(is_gap) / sum(DASHES[1]), abs=2)


def test_the_mean_is_no_head():
    style = export_style()
    assert head_color(MEAN_HEAD, style) == style.text
    assert head_dash(MEAN_HEAD) == ()


# --- where and how it is painted -----------------------------------------------------------------


def test_a_line_goes_from_its_query_to_its_key():
    figure = one_line(0, 3)
    image = painted(figure)
    layout = layout_lines(figure, SIZE, export_style().font)
    color = head_color(0, export_style()).rgb()
    body = layout.body
    for share, row in ((0.01, 0.03), (0.5, 1.5), (0.99, 2.97)):
        x = int(body.left() + share * body.width())
        y = int(layout.row_center(0) + row * layout.pitch)
        assert image.pixel(x, y) == color
    mirrored = int(layout.row_center(3))
    assert image.pixel(int(body.left() + 5), mirrored) == export_style().background.rgb()


def test_opacity_is_what_is_seen():
    style = export_style()
    layout = layout_lines(one_line(1, 1), SIZE, style.font)
    x, y = int(layout.body.center().x()), int(layout.row_center(1))
    for weight in (0.36, 0.64, 1.0):
        seen = QColor(painted(one_line(1, 1, weight)).pixel(x, y)).getRgbF()[:3]
        full = np.array(head_color(0, style).getRgbF()[:3])
        expected = full * np.sqrt(weight) + (1 - np.sqrt(weight))
        np.testing.assert_allclose(seen, expected, atol=0.03)


def test_heads_between_the_same_words_lie_side_by_side():
    figure = LinesFigure(weights=np.ones((3, 1, 1), np.float32), heads=(0, 1, 2), tokens=["a"])
    image = painted(figure)
    layout = layout_lines(figure, SIZE, export_style().font)
    x = int(layout.body.center().x())
    seen = {image.pixel(x, y) for y in range(image.height())}
    assert {head_color(head, export_style()).rgb() for head in range(3)} <= seen


def test_words_never_overlap_and_long_ones_end_in_an_ellipsis():
    words = ["x" * 300, *["word"] * 119]
    figure = random_figure(120, tokens=words)
    font = export_style().font
    for pitch in (0.0, smallest_pitch(font)):
        layout = layout_lines(figure, SIZE, font, least_pitch=pitch)
        ink = QFontMetricsF(font).tightBoundingRect("bpgj").height()
        assert layout.pitch * layout.labels.step >= ink
        assert layout.labels.room <= 0.3 * SIZE.width()
        assert layout.body.left() > layout.labels.room
    assert layout.labels.step == 1  # scrolled, not thinned


def test_all_words_are_written_in_a_picture_as_high_as_it_asks_for():
    figure = random_figure(40)
    style = export_style()
    height = lines_height(figure, style.font, 600)
    assert layout_lines(figure, QSizeF(600, height), style.font).labels.step == 1
    text = as_svg(figure, QSizeF(600, height))
    for index in range(40):
        assert text.count(f">w{index}<") == 2


def test_rows_are_found_where_they_are_painted():
    layout = layout_lines(random_figure(50), SIZE, export_style().font, least_pitch=20, offset=333)
    for row in (0, 17, 49):
        assert layout.row_at(layout.row_center(row)) == row
    seen = layout.seen_rows(50)
    assert seen.start == 16
    assert layout.row_center(seen.stop - 1) < layout.body.bottom() + 10


@pytest.mark.parametrize("width", [300, 600, 1000])
def test_the_legend_shows_both_ends_of_the_scale(width):
    text = as_svg(one_line(0, 1, full=0.4), QSizeF(width, 300))
    assert (">2 %<" in text, ">40 %<" in text) == (True, True)
    assert (">10 %<" in text) == (width >= 600)


def test_of_many_words_the_first_is_not_cut():
    figure = random_figure(200)
    layout = layout_lines(figure, SIZE, export_style().font)
    ink = QFontMetricsF(export_style().font).tightBoundingRect("w").height()
    line = QFontMetricsF(export_style().font).height()
    assert layout.labels.step > 5
    assert layout.row_center(0) - ink / 2 > line  # beneath the names of the columns
    assert layout.row_center(199) + ink / 2 < layout.legend.top()
    image = painted(figure)
    words = range(int(layout.body.left()) - 30, int(layout.body.left()) - 5)
    rows = [
        y
        for y in range(int(line), 200)
        if any(image.pixelColor(x, y).lightness() < 128 for x in words)
    ]
    assert min(rows) <= layout.row_center(0) - ink / 2 + 1


def test_few_words_stand_in_the_middle_of_a_high_picture():
    image = painted(one_line(0, 1, n=2, tokens=["a", "b"]), QSizeF(600, 800))
    assert all(image.pixelColor(x, 100) == export_style().background for x in range(600))


def test_without_names_and_legend_there_are_lines_and_words_alone():
    text = as_svg(one_line(0, 1, has_names=False, has_legend=False))
    assert ">a<" in text
    assert ">query (looks)<" not in text
    assert ">Colour" not in text
    assert ">100 %<" not in text


def test_the_vector_picture_has_text_and_a_legend_in_words():
    figure = random_figure(tokens=["<s>", "x < y", "<b>a</b>", "&amp;", "她", "e"])
    text = as_svg(figure)
    assert QSvgRenderer(QByteArray(text.encode())).isValid()
    for shown in (
        ">Colour = head, thickness and opacity = weight:<",
        ">head 1<",
        ">head 3<",
        ">head 6<",
        ">query (looks)<",
        ">key (is looked at)<",
        ">&lt;b&gt;a&lt;/b&gt;<",
        ">&amp;amp;<",
        ">100 %<",
    ):
        assert shown in text
    assert "<image" not in text
    assert text.count("<polyline") >= len(figure.lines)
