"""The picture of somebody else's model or attention."""

from dataclasses import replace

import numpy as np
import pytest

from posenc_gui.views.encoding.others import OthersPicture
from posenc_gui.views.encoding.picture import Shown
from posenc_model import encode
from posenc_model.encodings.pictures import bias_of
from posenc_model.request import MEAN_HEAD

N = 4
# By head and distance, 1 − N … N − 1.
LINES = np.array([[0, 0, 1, 2, 3, 0, 0], [5, 4, 3, 2, 1, 0, -1]], np.float32)


def matrix(line):
    return np.stack([line[N - 1 - row : 2 * N - 1 - row] for row in range(N)])


@pytest.fixture
def given(tmp_path):
    """Attention from a file: two layers, two heads, four words."""
    weights = np.random.default_rng(0).dirichlet(np.ones(N), (2, 2, N)).astype(np.float32)
    path = tmp_path / "other.npz"
    np.savez(path, weights=weights, tokens=np.array(list("abcd")))
    return encode("unused", weights=str(path))


def with_parts(result, lines=LINES):
    """The same, as a model with a bias by distance would give it."""

    def parts(layer, head):
        position = matrix(lines.mean(0) if head == MEAN_HEAD else lines[head]) * (layer + 1)
        return {"content": np.zeros((N, N), np.float32), "position": position}

    return replace(result, _parts=parts, parts_reason=None)


@pytest.fixture
def picture(qtbot):
    picture = OthersPicture()
    qtbot.addWidget(picture)
    picture.show()
    picture.work_wanted.connect(lambda name, work: picture.take(name, work()))
    return picture


def shown(result, layer=0, head=0, query=1, key=2):
    return Shown(result, result.picture_numbers(layer), layer, head, query, key)


def test_a_file_says_what_is_known_of_it(picture, given):
    picture.show_shown(shown(given))
    assert given.encoding_name is None
    assert picture.sentence.text() == given.request.settings.source.summary
    assert picture.readout.text() == given.split_reason(0)
    assert not picture.part.isVisible()
    assert not picture.uses_heads
    assert not picture.fold.isVisible()


def test_a_bias_is_read_off_the_scores(picture, given):
    picture.show_shown(shown(with_parts(given), layer=1, head=1))
    assert picture.part.isVisible()
    np.testing.assert_array_equal(picture.plot.line("head 0")[1][::2], 2 * LINES[0])
    np.testing.assert_array_equal(picture.plot.line("chosen")[1][::2], 2 * LINES[1])
    assert picture.readout.text() == (
        "‘b’ → ‘c’, distance +1: adds +2.00 to the score (layer 2, head 2)"
    )
    picture.plot.point_at((-3, 0))
    assert picture.readout.text() == "distance −3: adds +10.00 to the score (layer 2, head 2)"


def test_a_layer_is_read_once(picture, given):
    asked = []
    picture.work_wanted.connect(lambda *args: asked.append(args))
    result = with_parts(given)
    picture.show_shown(shown(result))
    picture.show_shown(shown(result, head=MEAN_HEAD, key=0))
    assert len(asked) == 1
    assert "(layer 1, mean over heads)" in picture.readout.text()
    picture.show_shown(shown(result, layer=1))
    assert len(asked) == 2


def test_an_answer_about_another_result_is_dropped(picture, given):
    picture.show_shown(shown(given))
    picture.take("encoding bias", bias_of(with_parts(given), 0))
    assert not picture.part.isVisible()


def test_more_than_distance_is_said(picture, given):
    result = with_parts(given)
    odd = replace(
        result, _parts=lambda layer, head: {"position": np.eye(N, dtype=np.float32)[[0, 2, 1, 3]]}
    )
    picture.show_shown(shown(odd))
    assert picture.readout.text().endswith("depends on more than the distance.")
    assert not picture.part.isVisible()


def test_a_file_that_is_gone_is_said(picture, given):
    given.request.settings.source.path.unlink()
    picture.show_shown(shown(given))
    assert picture.sentence.text()
