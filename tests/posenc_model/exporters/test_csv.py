"""Tables of matrices, read back with Python's own reader."""

import csv
import io

import numpy as np
import pytest

from posenc_model.errors import PosencError
from posenc_model.exporters import DATA_EXPORTERS, Export
from posenc_model.exporters.look import Look
from posenc_model.exporters.results import with_compared
from posenc_model.exporters.spec import Spec
from posenc_model.matrices import matrix_of
from posenc_model.request import MEAN_HEAD
from posenc_model.run import encode

TEXT = '=1+1 "quoted" a,b <s> &amp; 她们 😀 x;y \'tis'
WORDS = TEXT.split(" ")
SMALL = {"nlp_pipeline": "whitespace", "width": 16, "num_layers": 2, "num_heads": 2}


@pytest.fixture(scope="module")
def result():
    return encode(TEXT, **SMALL)


@pytest.fixture(scope="module")
def masked():
    return encode("one two three four", attention_mask="causal", **SMALL)


def render(result, **spec):
    spec = Spec(**spec)
    export = Export(with_compared(result, spec, ""), spec, Look(), "out.csv")
    return DATA_EXPORTERS[".csv"].render(export)


def table(result, **spec):
    """The lines after the first, which says where the file comes from."""
    text = render(result, **spec).content.decode("utf-8-sig")
    first, *rows = csv.reader(io.StringIO(text, newline=""))
    assert len(first) == 1
    assert first[0].startswith('# {"posenc_export": ')
    return rows


@pytest.mark.parametrize("head", [0, 1, MEAN_HEAD])
def test_a_wide_table_gives_back_every_word_and_every_weight_exactly(result, head):
    header, *rows = table(result, layers=(1,), heads=(head,))
    assert header == ["query \\ key", *WORDS]
    assert [row[0] for row in rows] == WORDS
    weights = np.array([[np.float32(cell) for cell in row[1:]] for row in rows])
    assert np.array_equal(weights, result.weights(1, head))


def test_a_long_table_gives_back_every_weight_of_every_head_exactly(result):
    header, *rows = table(result, layers=None, heads=None)
    assert header == ["layer", "head", "query", "key", "query token", "key token", "weights"]
    assert len(rows) == 2 * 2 * len(WORDS) ** 2
    found = np.full((2, 2, len(WORDS), len(WORDS)), np.nan, dtype=np.float32)
    for *numbers, query, key, weight in rows:
        place = tuple(int(number) - 1 for number in numbers)
        assert (query, key) == (WORDS[place[2]], WORDS[place[3]])
        found[place] = np.float32(weight)
    assert np.array_equal(found, result.attentions)


def test_the_chosen_layers_heads_and_words_in_their_order(result):
    _, *rows = table(result, layers=(1,), heads=(MEAN_HEAD,), tokens=(3, 1), table="long")
    assert [row[:6] for row in rows] == [
        ["2", "mean", query, key, WORDS[int(query) - 1], WORDS[int(key) - 1]]
        for query in "42"
        for key in "42"
    ]
    assert float(rows[1][6]) == pytest.approx(result.weights(1, MEAN_HEAD)[3, 1], rel=1e-8)


def test_compared_encodings_have_a_column_that_names_them(result):
    header, *rows = table(result, layers=(0,), heads=(1,), compare=("none",))
    assert header[0] == "encoding"
    count = len(WORDS) ** 2
    assert [row[0] for row in rows] == ["t5"] * count + ["none"] * count
    other = encode(TEXT, positional_encoding="none", **SMALL).weights(0, 1)
    assert [np.float32(row[7]) for row in rows[count:]] == other.ravel().tolist()


@pytest.mark.parametrize("layout", ["wide", "long"])
@pytest.mark.parametrize("kind", ["scores", "content"])
def test_cells_that_are_masked_have_no_value(masked, kind, layout):
    _, *rows = table(masked, matrix=kind, table=layout)
    cells = [row[-1:] if layout == "long" else row[1:] for row in rows]
    found = np.array(cells).reshape(4, 4)
    assert np.array_equal(found == "", ~masked.mask)
    expected = matrix_of(masked, 0, 0, kind)[masked.mask]
    assert [np.float32(cell) for cell in found[masked.mask]] == expected.tolist()


def test_weights_of_masked_cells_are_0(masked):
    _, *rows = table(masked)
    assert rows[0][2:] == ["0", "0", "0"]


def test_a_layer_without_such_a_matrix_is_left_out_and_said(result):
    waves = encode("one two", positional_encoding="abs", **SMALL)
    _, *rows = table(waves, layers=None, heads=None, matrix="position")
    assert {row[0] for row in rows} == {"1"}
    (note,) = render(waves, layers=None, heads=None, matrix="position").notes
    assert note.startswith("Left out, because there is no “position only” in layer 2 of abs: ")
    with pytest.raises(PosencError, match="only layer 1 can be split"):
        render(waves, layers=(1,), heads=None, matrix="position")


def test_a_wide_table_of_several_heads_is_refused(result):
    with pytest.raises(PosencError) as caught:
        render(result, layers=None, heads=(0,), table="wide")
    assert "room for one head, but 2 are chosen" in str(caught.value)
    assert caught.value.setting == "table"


def test_a_table_of_absurdly_many_lines_is_refused(result, monkeypatch):
    monkeypatch.setattr("posenc_model.exporters.chosen.MOST_TEXT_VALUES", 300)
    render(result, layers=(0,), heads=None)
    with pytest.raises(PosencError, match=r"324 values would be too large.*at most 300"):
        render(result, layers=None, heads=None)


def test_spreadsheets_are_told_that_it_is_utf_8(result):
    assert render(result).content.startswith(b'\xef\xbb\xbf"# {""posenc_export"": ')


def test_the_same_bytes_each_time(result):
    again = encode(TEXT, **SMALL)
    assert render(result, heads=None).content == render(again, heads=None).content


def test_every_exporter_is_registered_under_its_own_suffix():
    assert set(DATA_EXPORTERS) == {".csv", ".npz", ".json"}
    for suffix, exporter in DATA_EXPORTERS.items():
        assert exporter.suffix == suffix
