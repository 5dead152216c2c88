"""The table of weights, read back."""

import csv
import io

import numpy as np
import pytest

from posenc_model.exporters import DATA_EXPORTERS
from posenc_model.request import MEAN_HEAD
from posenc_model.run import encode

TEXT = '=1+1 "quoted" a,b <s> &amp; 她们 😀 x;y \'tis'


@pytest.fixture(scope="module")
def result():
    return encode(TEXT, nlp_pipeline="whitespace", width=16, num_layers=2, num_heads=2)


@pytest.mark.parametrize("head", [0, 1, MEAN_HEAD])
def test_the_table_gives_back_every_word_and_every_weight_exactly(result, head):
    content = DATA_EXPORTERS[".csv"].render(result, 1, head)
    header, *rows = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""))
    words = TEXT.split(" ")
    assert header == ["query \\ key", *words]
    assert [row[0] for row in rows] == words
    weights = np.array([[np.float32(cell) for cell in row[1:]] for row in rows])
    assert np.array_equal(weights, result.weights(1, head))


def test_rows_are_queries(result):
    content = DATA_EXPORTERS[".csv"].render(result, 0, 0).decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(content, newline="")))[1:]
    for row in rows:
        assert sum(float(cell) for cell in row[1:]) == pytest.approx(1, abs=1e-6)


def test_spreadsheets_are_told_that_it_is_utf_8(result):
    assert DATA_EXPORTERS[".csv"].render(result, 0, 0).startswith(b"\xef\xbb\xbf")


def test_every_exporter_is_registered_under_its_own_suffix():
    for suffix, exporter in DATA_EXPORTERS.items():
        assert exporter.suffix == suffix == suffix.lower()
        assert suffix.startswith(".")
