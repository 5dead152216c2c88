"""Encodings side by side, with their differences."""

from dataclasses import replace

import numpy as np
import pytest
from pictures import export_of

from posenc_gui.figures.grid import GridFigure
from posenc_gui.figures.make import make_figure
from posenc_model.errors import PosencError
from posenc_model.exporters.results import with_compared


def compared(*names, **spec):
    export = export_of("one two three four", view="compare", compare=names, **spec)
    return replace(export, results=with_compared(export.result, export.spec, "compare"))


def test_two_encodings_and_their_difference_stand_in_a_row():
    export = compared("abs")
    figure = make_figure(export)
    first, second, difference = figure.figures
    mine, other = (result.weights(0, 0) for result in export.results)
    assert np.array_equal(first.matrix, mine)
    assert np.array_equal(second.matrix, other)
    assert np.array_equal(difference.matrix, other - mine)
    assert difference.levels[0] == -difference.levels[1]
    assert figure.columns == 3
    # Half the sum of all differences, averaged over the rows, by plain arithmetic.
    moved = np.abs(other - mine).sum() / 2 / 4
    assert figure.names[2][0] == f"abs − t5: {100 * moved:.0f}\u00a0% of the attention moved"


def test_several_encodings_have_their_differences_beneath():
    export = compared("abs", "rel", "none", layers=(1,), heads=(1,))
    figure = make_figure(export)
    assert figure.columns == 4
    assert [names[0] for names in figure.names] == [
        "t5",
        "abs",
        "rel",
        "none",
        "",
        "abs − t5",
        "rel − t5",
        "none − t5",
    ]
    weights = [result.weights(1, 1) for result in export.results]
    for place, other in zip((5, 6, 7), weights[1:], strict=True):
        assert np.array_equal(figure.figures[place].matrix, other - weights[0])
    assert len({figure.figures[place].levels for place in (5, 6, 7)}) == 1
    assert figure.title == "t5, abs, rel, none, random · layer 2 · head 2"


def test_several_heads_are_one_beneath_the_other():
    figure = make_figure(compared("rel", layers=None, heads=(0,)))
    assert figure.columns == 1
    assert [type(part) for part in figure.figures] == [GridFigure, GridFigure]


def test_only_the_chosen_words_are_compared():
    figure = make_figure(compared("abs", tokens=(1, 3)))
    assert [part.matrix.shape for part in figure.figures] == [(2, 2)] * 3
    assert figure.figures[2].query_words == ("two", "four")


def test_nothing_to_compare_with_is_said():
    with pytest.raises(PosencError, match="no other encoding to compare with"):
        make_figure(export_of(view="compare"))


def test_results_that_do_not_fit_are_said():
    export = compared("abs")
    longer = export_of("one two three four five").result
    with pytest.raises(PosencError, match="One text has 4 tokens and the other 5"):
        make_figure(replace(export, results=(export.result, longer)))
