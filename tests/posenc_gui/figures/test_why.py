"""The picture of a cell taken apart: its bars, measured."""

from dataclasses import replace

import numpy as np
import pytest
from pictures import export_font, export_of, export_style, painted
from PySide6.QtCore import QSizeF
from PySide6.QtGui import QColor

from posenc_gui.figures.grid import GridFigure
from posenc_gui.figures.make import make_figure
from posenc_gui.figures.why import PART_COLORS, WhyFigure, why_figure, why_height
from posenc_model.errors import PosencError
from posenc_model.explain import explain_cell

WIDTH = 500


def figure(**changed):
    shown = {
        "parts": (("content", 1.0), ("position", -3.0)),
        "score": -2.0,
        "tokens": ["a", "b", "c"],
        "query": 0,
        "key": 1,
        "row": np.array([0.2, 0.6, 0.2], np.float32),
        "row_without": np.array([0.5, 0.25, 0.25], np.float32),
    }
    return WhyFigure(**{**shown, **changed})


def drawn(shown, height=None):
    """At its own height, where no other is given."""
    height = height or int(why_height(shown, export_font())) + 1
    return painted(shown, QSizeF(WIDTH, height), scale=1)


def span(image, color):
    """First and last column in which a colour is seen."""
    wanted = QColor(color).rgb()
    columns = [
        x
        for x in range(image.width())
        if any(image.pixel(x, y) == wanted for y in range(image.height()))
    ]
    return columns[0], columns[-1]


def test_parts_are_stacked_and_as_long_as_they_are_large():
    image = drawn(figure())
    content, position = span(image, PART_COLORS[0]), span(image, PART_COLORS[1])
    unit = content[1] - content[0] + 1
    assert position[1] - position[0] + 1 == pytest.approx(3 * unit, abs=6)
    # Content goes right from 0; position begins where content ends and goes left.
    assert position[1] == pytest.approx(content[1], abs=2)
    assert position[0] < content[0]


def test_the_asked_key_stands_out_and_weights_have_lengths():
    image = drawn(figure())
    style = export_style()
    first, last = span(image, style.highlight)
    assert last - first > 50


def test_all_keys_of_a_short_text_are_shown_in_order():
    assert figure().shown_keys() == [0, 1, 2]


def test_a_long_text_shows_the_strongest_and_the_asked_one():
    row = np.linspace(0.001, 0.05, 40).astype(np.float32)
    shown = figure(tokens=["w"] * 40, key=0, row=row, row_without=None).shown_keys()
    assert shown == [0, *range(30, 40)]


def test_what_only_position_hides_is_shown_too():
    row = np.full(40, 1 / 40, np.float32)
    without = row.copy()
    without[7] = 0.4
    shown = figure(tokens=["w"] * 40, key=0, row=row, row_without=without).shown_keys()
    assert 7 in shown


def test_nothing_is_painted_below_the_height():
    for shown in (figure(), figure(parts=(), score=None, row_without=None)):
        image = drawn(shown)
        background = export_style().background.rgb()
        bottom = image.height() - 1
        assert all(image.pixel(x, bottom) == background for x in range(WIDTH))


# --- as it is exported -----------------------------------------------------------------------


def test_it_says_which_cell_and_how_much_with_all_words_in_full():
    long = "x" * 150
    shown = figure(tokens=["a", long, "c"], says_cell=True, note="It is masked.")
    assert shown.pair == f"‘a’ (token 1) → ‘{long}’ (token 2)"
    assert shown.said == "weight 0.600, without position 0.250\nIt is masked."
    assert figure(row_without=None).said == "weight 0.600"
    style = export_style()
    plain = replace(shown, says_cell=False)
    assert shown.height_for(WIDTH, style) > plain.height_for(WIDTH, style) + 3 * 20


def test_an_arrow_between_arabic_words_goes_from_left_to_right():
    assert "\u200e → \u200e" in figure(tokens=["كلب", "رجل", "c"]).pair
    assert "\u200e" not in figure().pair


def test_where_it_is_too_low_the_row_stands_beside_the_score():
    words = [f"w{i}" for i in range(12)]
    row = np.full(12, 1 / 12, np.float32)
    shown = figure(tokens=words, row=row, row_without=None)
    high, low = drawn(shown), painted(shown, QSizeF(900, 330), scale=1)
    highlight = export_style().highlight
    # The bar of the asked key begins in the left half, or in the right one.
    assert span(high, highlight)[0] < WIDTH / 2
    assert span(low, highlight)[1] > 450
    assert span(low, PART_COLORS[0])[1] < 450


def test_where_it_is_lower_still_fewer_keys_are_shown():
    words = [f"w{i}" for i in range(12)]
    row = np.linspace(0.01, 0.15, 12).astype(np.float32)
    shown = figure(parts=(), score=None, tokens=words, key=11, row=row, row_without=None)
    ground = export_style().background.rgb()
    for height in (340, 230, 120):
        image = painted(shown, QSizeF(WIDTH, height), scale=1, margin=4)
        bottom = image.height() - 2
        assert all(image.pixel(x, bottom) == ground for x in range(image.width()))
        first, last = span(image, export_style().highlight)
        assert last - first > 100


def test_the_picture_is_that_of_the_cell_that_was_asked_for():
    export = export_of("one two three", view="why", layers=(1,), heads=(1,), cell=(2, 0))
    shown, cell = make_figure(export), explain_cell(export.result, 1, 1, 2, 0)
    assert dict(shown.parts) == cell.parts
    np.testing.assert_array_equal(shown.row, cell.row)
    assert shown.says_cell
    assert shown.pair.startswith("‘three’ (token 3) → ‘one’ (token 1)")
    assert shown.title.endswith("layer 2 · head 2")
    for said in ("token 3 for token 1", "layer 2, head 2", "t5", "one two three"):
        assert said in shown.caption
    assert set(shown.words()) == {"one", "two", "three"}


def test_without_a_cell_it_is_about_two_neighbours():
    assert make_figure(export_of("a b c d e", view="why")).pair == "‘c’ (token 3) → ‘b’ (token 2)"


def test_several_heads_stand_side_by_side():
    shown = make_figure(export_of(view="why", heads=None, layers=None))
    assert isinstance(shown, GridFigure)
    assert len(shown.figures) == 4
    assert len({part.pair for part in shown.figures}) == 1
    assert len({part.said for part in shown.figures}) == 4
    assert "all 2 layers, all 2 heads" in shown.caption


def test_what_cannot_be_split_says_why():
    settings = {"positional_encoding": "abs"}
    shown = make_figure(export_of(view="why", layers=(1,), settings=settings))
    assert "only layer 1 can be split" in shown.said
    masked = {"attention_mask": "causal"}
    shown = make_figure(export_of(view="why", cell=(0, 2), settings=masked))
    assert shown.said.startswith("weight 0.000")
    assert "the cell is masked" in shown.said
    result = export_of(settings=masked).result
    assert why_figure(explain_cell(result, 0, 0, 2, 0)).note == ""


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ({"heads": (-1,)}, "comes from no single score"),
        ({"cell": (0, 9)}, "token is 10, but has to be from 1 to 3"),
        ({"heads": (5,)}, "head is 6, but has to be from 1 to 2"),
    ],
)
def test_what_there_is_not_is_refused(spec, sentence):
    with pytest.raises(PosencError, match=sentence):
        make_figure(export_of(view="why", **spec))
