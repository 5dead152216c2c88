"""The matrix that an export asks for."""

import numpy as np
import pytest
from pictures import export_of

from posenc_gui.figures.make import make_figure
from posenc_model.errors import PosencError
from posenc_model.exporters.look import Look


def test_chosen_words_in_their_order():
    export = export_of("a b c d", tokens=(2, 0))
    figure = make_figure(export)
    weights = export.result.weights(0, 0)
    assert figure.query_words == figure.key_words == ("c", "a")
    assert np.array_equal(figure.matrix, weights[[2, 0]][:, [2, 0]])


def test_unknown_words_stay_marked_where_some_are_left_out():
    settings = {"embedding": "one-hot", "vocabulary": "sample", "width": 512}
    export = export_of("computer xyzzy file", settings=settings, tokens=(1, 2))
    assert export.result.is_unknown == (False, True, False)
    assert make_figure(export).unknown_queries == {0}


@pytest.mark.parametrize(
    ("color_range", "matrix", "levels"),
    [
        ("auto", "weights", (0.0, 1.0)),
        ("0,0.25", "weights", (0.0, 0.25)),
        ("-2,3", "scores", (-2.0, 3.0)),
    ],
)
def test_the_range_of_colours(color_range, matrix, levels):
    export = export_of(look=Look(color_range=color_range), matrix=matrix)
    assert make_figure(export).levels == levels


def test_the_range_up_to_the_largest_weight():
    export = export_of(look=Look(color_range="largest"))
    assert make_figure(export).levels == (0.0, pytest.approx(export.result.weights(0, 0).max()))


def test_the_look_reaches_the_figure():
    look = Look(color_map="magma", color_bar=False, axis_names=False, labels="turned", numbers=True)
    figure = make_figure(export_of(look=look))
    assert figure.color_map == "magma"
    assert not figure.has_bar
    assert not figure.has_names
    assert (figure.labels, figure.numbers) == ("turned", True)
    assert make_figure(export_of(look=look, matrix="position")).color_map == "signed"


def test_a_matrix_that_is_not_there_is_said():
    with pytest.raises(PosencError, match="layer is 3, but has to be from 1 to 2"):
        make_figure(export_of(layers=(2,)))
    with pytest.raises(PosencError, match="token is 9, but has to be from 1 to 3"):
        make_figure(export_of(tokens=(8,)))
