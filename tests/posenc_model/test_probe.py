"""The order probe."""

import numpy as np
import pytest

from posenc_model import PosencError, encode, probe_order, probe_word
from posenc_model.encodings import ENCODINGS

SMALL = {"num_layers": 3, "num_heads": 4, "width": 32, "nlp_pipeline": "whitespace"}
TEXT = "the dog bites the old man"
ORDER = [5, 1, 2, 0, 4, 3]


def test_without_positions_another_order_only_permutes():
    probe = probe_order(TEXT, ORDER, positional_encoding="none", **SMALL)
    assert probe.hidden_shift.shape == (4, 6)
    assert probe.weights_shift.shape == (3, 6)
    assert probe.hidden_shift.max() < 1e-5
    assert probe.weights_shift.max() < 1e-5


@pytest.mark.parametrize("encoding", [name for name in ENCODINGS if name != "none"])
def test_with_positions_every_token_moves(encoding):
    probe = probe_order(TEXT, ORDER, positional_encoding=encoding, **SMALL)
    assert probe.weights_shift[0].min() > 1e-3
    assert probe.hidden_shift[1].min() > 1e-3


def test_the_changed_text_is_the_one_that_was_asked_for():
    probe = probe_order(TEXT, ORDER, positional_encoding="abs", **SMALL)
    assert " ".join(token.text for token in probe.after.tokens) == "man dog bites the old the"
    typed = encode("man dog bites the old the", positional_encoding="abs", **SMALL)
    np.testing.assert_array_equal(probe.after.attentions, typed.attentions)


def test_shifts_are_the_differences_worked_out_token_by_token():
    probe = probe_order(TEXT, ORDER, positional_encoding="rel", **SMALL)
    before, after = probe.before, probe.after
    for place, token in enumerate(ORDER):
        for layer in range(4):
            old, new = before.hidden_states[layer, token], after.hidden_states[layer, place]
            expected = np.linalg.norm(old - new) / np.linalg.norm(old)
            assert probe.hidden_shift[layer, token] == pytest.approx(expected, rel=1e-4, abs=1e-6)
        for layer in range(3):
            heads = []
            for head in range(4):
                row = before.weights(layer, head)[token]
                moved = after.weights(layer, head)[place]
                heads.append(sum(abs(row[ORDER[j]] - moved[j]) for j in range(6)) / 2)
            assert probe.weights_shift[layer, token] == pytest.approx(np.mean(heads), abs=1e-6)


def test_the_same_order_moves_nothing():
    probe = probe_order(TEXT, range(6), positional_encoding="t5", **SMALL)
    assert probe.hidden_shift.max() == probe.weights_shift.max() == 0


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_another_word_changes_every_tokens_state(encoding):
    probe = probe_word(TEXT, 2, "sees", positional_encoding=encoding, **SMALL)
    assert " ".join(token.text for token in probe.after.tokens) == "the dog sees the old man"
    assert probe.hidden_shift[0].nonzero()[0].tolist() == [2]
    assert probe.hidden_shift[1:].min() > 1e-4


def test_a_replaced_word_is_comparable_in_one_hot_vectors_too():
    settings = {**SMALL, "embedding": "one-hot", "vocabulary": "text", "num_heads": 1}
    probe = probe_word(TEXT, 2, "sees", positional_encoding="t5", **settings)
    assert probe.before.config.width == probe.after.config.width == 6  # five words and a new one
    assert probe.hidden_shift[0, [0, 1, 3, 4, 5]].max() == 0


@pytest.mark.parametrize("order", [[0, 1, 2], [0, 1, 2, 3, 4, 4], [1, 2, 3, 4, 5, 6]])
def test_what_is_no_order_of_the_tokens_is_refused(order):
    with pytest.raises(PosencError, match="each number from 0 to 5 once"):
        probe_order(TEXT, order, **SMALL)


def test_a_token_that_does_not_exist_is_refused():
    with pytest.raises(PosencError, match="index is 6, but has to be from 0 to 5"):
        probe_word(TEXT, 6, "word", **SMALL)
