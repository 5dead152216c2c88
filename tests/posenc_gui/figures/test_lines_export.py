"""Attention as lines as it is exported."""

import numpy as np
import pytest
from pictures import export_of, export_style, painted
from PySide6.QtCore import QSizeF

from posenc_gui.figures import lines_export
from posenc_gui.figures.lines import LinesFigure, head_color
from posenc_gui.figures.lines_export import LayersFigure, lines_of
from posenc_gui.figures.make import make_figure
from posenc_model.errors import PosencError
from posenc_model.exporters.look import Look
from posenc_model.request import MEAN_HEAD

TEXT = "one two three four five"


def made(**spec):
    look = spec.pop("look", None)
    return make_figure(export_of(TEXT, view="lines", look=look, **spec))


def test_all_chosen_heads_of_a_layer_are_in_one_picture():
    export = export_of(TEXT, view="lines", layers=(1,), heads=None, threshold=0.2)
    shown, result = make_figure(export), export.result
    assert isinstance(shown, LinesFigure)
    assert shown.heads == (0, 1)
    np.testing.assert_array_equal(shown.weights, [result.weights(1, head) for head in range(2)])
    assert (shown.threshold, shown.full) == (0.2, 1.0)
    assert shown.title.endswith("layer 2 · all 2 heads")
    assert list(shown.words()) == TEXT.split()


def test_the_caption_says_what_is_hidden():
    shown = made(threshold=0.2, heads=None)
    hidden, count = shown.hidden, shown.count
    assert 0 < hidden < count == 50
    share = round(100 * shown.hidden_share)
    said = f"weights below 20 % have no line, which hides {hidden} of {count}, together {share} %"
    assert said in shown.caption
    assert "layer 1, all 2 heads" in shown.caption
    assert TEXT in shown.caption
    assert "which hides none of 25" in made(threshold=0.0).caption


def test_chosen_tokens_stand_alone_and_what_goes_elsewhere_is_said():
    export = export_of(TEXT, view="lines", tokens=(3, 1), threshold=0.0)
    shown, weights = make_figure(export), export.result.weights(0, 0)
    assert shown.tokens == ("four", "two")
    np.testing.assert_array_equal(shown.weights[0], weights[np.ix_([3, 1], [3, 1])])
    elsewhere = weights[[3, 1]][:, [0, 2, 4]].sum()
    assert shown.elsewhere == pytest.approx(elsewhere, abs=1e-6)
    assert f"; {100 * elsewhere / 2:.0f} % of the attention of these words goes" in shown.caption
    assert "tokens 4, 2; " in shown.caption


def test_only_so_many_lines_are_drawn_and_it_is_said(monkeypatch):
    monkeypatch.setattr("posenc_gui.figures.lines.MOST_LINES", 7)
    monkeypatch.setattr(lines_export, "MOST_LINES", 7)
    assert "at most the 7 strongest lines of a layer are drawn" in made(threshold=0.0).caption


def test_several_layers_stand_side_by_side_with_one_legend_and_scale():
    look = Look(color_range="largest")
    shown = made(layers=None, heads=None, look=look)
    assert isinstance(shown, LayersFigure)
    parts = shown.grid.figures
    assert [part.has_legend for part in parts] == [False, False]
    largest = max(float(part.weights.max()) for part in parts)
    assert {part.full for part in (*parts, shown.legend)} == {largest}
    assert shown.title.endswith("all 2 layers · all 2 heads")
    assert "of 100, together" in shown.caption
    assert set(shown.words()) == {*TEXT.split(), "layer 1", "layer 2"}
    style = export_style()
    legend = shown.height_for(900, style) - shown.grid.height_for(900, style)
    size = QSizeF(900, shown.height_for(900, style))
    image = painted(shown, size, scale=1)
    for y_range, is_there in ((range(int(size.height() - legend), image.height()), True),):
        seen = {image.pixel(25, y) for y in y_range}
        assert (head_color(0, style).rgb() in seen) == is_there


@pytest.mark.parametrize(("color_range", "full"), [("auto", 1.0), ("0,0.5", 0.5), ("-2,-1", 1.0)])
def test_the_scale_is_that_of_the_look(color_range, full):
    assert made(look=Look(color_range=color_range)).full == full


def test_a_look_without_bar_and_names_has_lines_alone():
    shown = made(look=Look(color_bar=False, axis_names=False))
    assert (shown.has_legend, shown.has_names) == (False, False)


def test_the_mean_has_no_colour_of_a_head():
    assert made(heads=(MEAN_HEAD,)).heads == (MEAN_HEAD,)


def test_so_many_weights_that_no_memory_holds_them_are_refused(monkeypatch):
    monkeypatch.setattr(lines_export, "_MOST_WEIGHTS", 99)
    sentence = "5 words in 4 heads come from 100 weights, more than 99; choose fewer"
    with pytest.raises(PosencError, match=sentence):
        made(layers=None, heads=None)


def test_rows_may_be_those_of_the_first_words_alone():
    result = export_of(TEXT).result
    rows = result.weights(0, 0)[:2]
    shown = lines_of(result, {0: rows}, range(2), threshold=0.1, full=None)
    assert shown.full == rows[:, :2].max()
    assert shown.elsewhere == pytest.approx(rows[:, 2:].sum(), abs=1e-6)
