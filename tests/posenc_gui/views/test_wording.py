"""The exact words for a cell."""

import numpy as np
import pytest

from posenc_gui.figures.matrix import MatrixFigure
from posenc_gui.views.wording import cell_numbers, cell_sentence, percent


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        (0.0, "none"),
        (1e-9, "less than 0.1 %"),
        (0.0004, "less than 0.1 %"),
        (0.0006, "0.1 %"),
        (0.0123, "1.2 %"),
        (0.0994, "9.9 %"),
        (0.0996, "10 %"),
        (0.234, "23 %"),
        (0.999, "100 %"),
        (1.0, "100 %"),
    ],
)
def test_percent(weight, words):
    assert percent(weight) == words


WORDS = ("the", "program", "shows", "the", "<b>")


def figure(matrix=None, **changes):
    matrix = np.full((5, 5), 0.234, dtype=np.float32) if matrix is None else matrix
    return MatrixFigure(matrix, WORDS, WORDS, **changes)


def test_sentence():
    assert cell_sentence(figure(), 2, 1) == "‘shows’ puts 23 % of its attention on ‘program’"
    assert cell_sentence(figure(), 1, 1) == "‘program’ puts 23 % of its attention on itself"
    assert cell_sentence(figure(), 4, 3) == "‘<b>’ puts 23 % of its attention on ‘the’ (token 4)"
    assert cell_sentence(figure(), 0, 3) == (
        "‘the’ (token 1) puts 23 % of its attention on ‘the’ (token 4)"
    )
    nothing = figure(np.zeros((5, 5), dtype=np.float32))
    assert cell_sentence(nothing, 2, 1) == "‘shows’ puts none of its attention on ‘program’"


def test_unknown_words_are_marked():
    marked = figure(unknown_queries=frozenset({2}), unknown_keys=frozenset({0}))
    assert cell_sentence(marked, 2, 0) == (
        "‘shows’ (unknown) puts 23 % of its attention on ‘the’ (unknown) (token 1)"
    )


def test_masked_cell():
    matrix = np.full((5, 5), np.nan, dtype=np.float32)
    sentence = cell_sentence(figure(matrix), 2, 1)
    assert sentence == "‘shows’ may not look at ‘program’: the cell is masked"
    assert "nan" not in cell_numbers(figure(matrix), 2, 1).lower()


def test_queries_and_keys_from_different_texts():
    other = MatrixFigure(np.full((1, 2), 0.5, dtype=np.float32), ("a",), ("a", "b"))
    assert cell_sentence(other, 0, 0) == "‘a’ puts 50 % of its attention on ‘a’"


@pytest.mark.parametrize(("query", "key", "distance"), [(2, 1, "−1"), (1, 4, "+3"), (2, 2, "0")])
def test_numbers(query, key, distance):
    assert cell_numbers(figure(), query, key) == (
        f"query {query + 1} · key {key + 1} · weight 0.2340 · distance {distance}"
    )
