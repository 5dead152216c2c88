"""Matrices as JSON, read back with Python's own reader and with the program itself."""

import json

import numpy as np
import pytest

from posenc_model.attention_file import read_attention_file
from posenc_model.errors import PosencError
from posenc_model.exporters import DATA_EXPORTERS, Export
from posenc_model.exporters.look import Look
from posenc_model.exporters.provenance import provenance
from posenc_model.exporters.results import with_compared
from posenc_model.exporters.spec import Spec
from posenc_model.request import MEAN_HEAD
from posenc_model.run import encode

TEXT = 'She "said" 她们 \\n </script>'
SMALL = {"nlp_pipeline": "whitespace", "width": 16, "num_layers": 2, "num_heads": 2}


@pytest.fixture(scope="module")
def result():
    return encode(TEXT, **SMALL)


def exported(result, **spec):
    spec = Spec(**spec)
    return Export(with_compared(result, spec, ""), spec, Look(), "out.json")


def render(result, **spec):
    return DATA_EXPORTERS[".json"].render(exported(result, **spec))


def read(result, **spec):
    def refuse(name):
        raise AssertionError(f"{name} is no JSON")

    return json.loads(render(result, **spec).content, parse_constant=refuse)


def test_all_heads_exactly(result):
    found = read(result, layers=None, heads=None)
    assert found["provenance"] == provenance(exported(result, layers=None, heads=None))
    assert found["tokens"] == TEXT.split(" ")
    assert found["layers"] == found["heads"] == [1, 2]
    assert found["matrix"] == "weights"
    assert np.array_equal(np.array(found["weights"], dtype=np.float32), result.attentions)


def test_the_chosen_head_and_words(result):
    found = read(result, layers=(1,), heads=(MEAN_HEAD,), tokens=(2, 0))
    assert (found["layers"], found["heads"]) == ([2], ["mean"])
    assert found["tokens"] == ["她们", "She"]
    expected = result.weights(1, MEAN_HEAD)[[2, 0]][:, [2, 0]]
    assert np.array_equal(np.array(found["weights"][0][0], dtype=np.float32), expected)


def test_what_has_no_value_is_null():
    result = encode("one two", positional_encoding="abs", attention_mask="causal", **SMALL)
    found = read(result, layers=None, heads=None, matrix="position")
    assert found["matrix"] == "position"
    assert found["position"][0][1][0][1] is None
    assert isinstance(found["position"][0][1][1][0], float)
    assert found["position"][1] == [None, None]
    (note,) = render(result, layers=None, matrix="position").notes
    assert note.startswith("Written as null, because there is no “position only” in layer 2 of abs")
    assert read(result, matrix="scores")["scores"][0][0][0][1] is None


def test_compared_encodings_are_named(result):
    found = read(result, matrix="scores", compare=("rel",))
    other = encode(TEXT, positional_encoding="rel", **SMALL)
    assert np.array_equal(np.array(found["rel_scores"][0][0], np.float32), other.scores(0, 0))


def test_the_program_opens_it_again(result, tmp_path):
    path = tmp_path / "out.json"
    path.write_bytes(render(result, layers=None, heads=None).content)
    file = read_attention_file(path)
    assert np.array_equal(file.attentions, result.attentions)
    assert file.tokens == tuple(TEXT.split(" "))
    assert (file.title, file.warnings) == ("t5, random, seed 0", ())


def test_too_large_a_file_is_refused(result, monkeypatch):
    monkeypatch.setattr("posenc_model.exporters.chosen.MOST_TEXT_VALUES", 20)
    with pytest.raises(PosencError, match=r"A \.json file of 25 values"):
        render(result)


def test_the_same_bytes_each_time(result):
    assert render(result).content == render(encode(TEXT, **SMALL)).content
