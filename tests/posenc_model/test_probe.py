"""The order probe."""

import numpy as np
import pytest

from posenc_model import PosencError, encode, probe_order, probe_word
from posenc_model.encodings import ENCODINGS
from posenc_model.errors import RunCancelled
from posenc_model.probe import probe_result, probe_tokens, words_of_result
from posenc_model.request import MEAN_HEAD, RunRequest
from posenc_model.run import run
from posenc_model.settings import Settings
from posenc_model.tokenizers import Token

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


# --- words repeated and left out ------------------------------------------------------------------

UNEVEN = [2, 1, 1, 5, 0, 2]  # “bites dog dog man the bites”: without “the” (4th) and “old”
UNEVEN_TEXT = "bites dog dog man the bites"


def uneven(encoding="t5", order=UNEVEN, **settings):
    return probe_result(encode(TEXT, positional_encoding=encoding, **SMALL, **settings), order)


def test_the_changed_words_are_those_of_a_run_of_their_own():
    probe = uneven()
    typed = encode(UNEVEN_TEXT, positional_encoding="t5", **SMALL)
    assert [token.text for token in probe.after.tokens] == UNEVEN_TEXT.split()
    np.testing.assert_array_equal(probe.after.attentions, typed.attentions)
    np.testing.assert_array_equal(probe.after.hidden_states, typed.hidden_states)


def test_tokens_are_matched_with_their_first_copy():
    probe = uneven()
    assert probe.places.tolist() == [4, 1, 0, -1, -1, 3]
    assert probe.kept.tolist() == [0, 1, 2, 5]
    assert not probe.is_permutation
    assert probe_order(TEXT, ORDER, **SMALL).is_permutation
    assert np.isnan(probe.hidden_shift[:, [3, 4]]).all()
    assert np.isnan(probe.weights_shift[:, [3, 4]]).all()


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_shifts_of_the_tokens_that_both_have_worked_out_one_by_one(encoding):
    probe = uneven(encoding)
    before = encode(TEXT, positional_encoding=encoding, **SMALL)
    after = encode(UNEVEN_TEXT, positional_encoding=encoding, **SMALL)
    first_place = {2: 0, 1: 1, 5: 3, 0: 4}
    for token, place in first_place.items():
        for layer in range(4):
            old, new = before.hidden_states[layer, token], after.hidden_states[layer, place]
            expected = np.linalg.norm(old - new) / np.linalg.norm(old)
            assert probe.hidden_shift[layer, token] == pytest.approx(expected, rel=1e-4, abs=1e-6)
        for layer in range(3):
            heads = []
            for head in range(4):
                new = dict.fromkeys(range(6), 0.0)  # what each token of the text gets
                for column, key in enumerate(UNEVEN):
                    new[key] += float(after.weights(layer, head)[place, column])
                old = before.weights(layer, head)[token]
                heads.append(sum(abs(old[key] - new[key]) for key in range(6)) / 2)
            assert probe.weights_shift[layer, token] == pytest.approx(np.mean(heads), abs=1e-6)
    kept = [0, 1, 2, 5]
    np.testing.assert_allclose(probe.mean_hidden_shift, probe.hidden_shift[:, kept].mean(1))
    np.testing.assert_allclose(probe.mean_weights_shift, probe.weights_shift[:, kept].mean(1))
    assert 0 < probe.weights_shift[:, kept].min() < probe.weights_shift[:, kept].max() <= 1


@pytest.mark.parametrize("head", [1, MEAN_HEAD])
def test_weights_among_the_tokens_that_both_have(head):
    probe = uneven("rel")
    old, new = probe.kept_weights(2, head)
    kept, places = [0, 1, 2, 5], [4, 1, 0, 3]
    np.testing.assert_allclose(old, probe.before.weights(2, head)[np.ix_(kept, kept)], atol=1e-7)
    after = probe.after.weights(2, head)
    columns = [[4], [1, 2], [0, 5], [3]]  # the places of each one's copies
    for row, place in enumerate(places):
        for column, copies in enumerate(columns):
            assert new[row, column] == pytest.approx(after[place, copies].sum(), abs=1e-6)
    np.testing.assert_allclose(new.sum(1), 1, atol=1e-5)  # after the change, there are no others


def test_without_positions_by_word_the_two_pictures_are_one():
    result = encode(TEXT, positional_encoding="none", **SMALL)
    probe = probe_result(result, ORDER)
    for layer in range(3):
        for head in range(4):
            old, new = probe.kept_weights(layer, head)
            np.testing.assert_allclose(old, result.weights(layer, head), atol=1e-7)
            np.testing.assert_allclose(new, old, atol=1e-5)


def test_a_missing_word_moves_the_attention_it_had():
    """In the first layer, without position, the others share it as the softmax has it."""
    result = encode(TEXT, positional_encoding="none", **SMALL)
    probe = probe_result(result, [0, 1, 3, 4, 5])
    lost = np.mean([result.weights(0, head)[:, 2] for head in range(4)], axis=0)
    kept = [0, 1, 3, 4, 5]
    np.testing.assert_allclose(probe.weights_shift[0, kept], lost[kept], atol=1e-6)


def test_a_result_at_hand_is_not_run_again():
    result = encode(TEXT, positional_encoding="abs", **SMALL)
    probe = probe_result(result, ORDER)
    assert probe.before is result
    typed = probe_order(TEXT, ORDER, positional_encoding="abs", **SMALL)
    np.testing.assert_allclose(probe.hidden_shift, typed.hidden_shift, atol=1e-6)
    np.testing.assert_allclose(probe.weights_shift, typed.weights_shift, atol=1e-6)
    same = probe_result(result, range(6))
    assert same.after is result
    assert same.hidden_shift.max() == same.weights_shift.max() == 0


ONE_HOT = {**SMALL, "embedding": "one-hot", "vocabulary": "text", "num_heads": 1}


def test_left_out_words_stay_in_the_vocabulary():
    settings = {key: value for key, value in ONE_HOT.items() if key != "width"}
    result = encode(TEXT, positional_encoding="t5", **settings)
    probe = probe_result(result, [0, 1, 5])
    assert probe.before is result
    assert probe.after.config.width == result.config.width == 5
    assert np.nanmax(probe.hidden_shift[0]) == 0


def test_a_new_word_makes_a_vocabulary_for_both():
    settings = {key: value for key, value in ONE_HOT.items() if key != "width"}
    result = encode(TEXT, positional_encoding="t5", **settings)
    changed = [*result.tokens[:2], Token("sees", 0, 0)]
    probe = probe_tokens(result.request, result.tokens, changed, [0, 1, 2], before=result)
    assert probe.before is not result
    assert probe.before.config.width == probe.after.config.width == 6
    assert probe.hidden_shift[0, :2].max() == 0
    assert probe.hidden_shift[0, 2] > 0


def test_unknown_words_of_trained_weights_stay_zero_vectors():
    text = "the dog xqzzy the man"
    settings = {"weights": "trained", "nlp_pipeline": "whitespace"}
    result = encode(text, positional_encoding="none", **settings)
    assert result.is_unknown == (False, False, True, False, False)
    probe = probe_result(result, [2, 4, 2, 0])
    assert probe.after.is_unknown == (True, False, True, False)
    assert np.abs(probe.after.hidden_states[0, [0, 2]]).max() == 0
    assert probe.hidden_shift[0, 2] == 0
    typed = encode("xqzzy man xqzzy the", positional_encoding="none", **settings)
    np.testing.assert_allclose(probe.after.hidden_states, typed.hidden_states, atol=1e-6)


def test_hidden_words_stay_hidden_wherever_they_go():
    settings = Settings.of({"weights": "trained", "nlp_pipeline": "whitespace"})
    text = "the dog bites the man"
    result = run(RunRequest(0, text, settings, masked=(1,)))
    assert " ".join(token.text for token in words_of_result(result)) == text
    probe = probe_result(result, [1, 0, 2, 4, 1])
    assert probe.before is result
    assert probe.after.request.masked == (0, 4)
    expected = run(RunRequest(0, "dog the bites man dog", settings, masked=(0, 4)))
    np.testing.assert_array_equal(probe.after.hidden_states, expected.hidden_states)
    assert [token.text for token in probe.after.tokens] == [t.text for t in expected.tokens]


BATCH = "the dog bites\n\nthe old man sees the dog\n"


@pytest.mark.parametrize("embedding", ["random", "one-hot"])
@pytest.mark.parametrize("show_padding", [False, True])
def test_one_line_of_a_batch(embedding, show_padding):
    settings = {**SMALL, "num_heads": 1, "embedding": embedding, "positional_encoding": "none"}
    if embedding == "one-hot":
        del settings["width"]
    result = encode(BATCH, batch=True, show_padding=show_padding, **settings)
    assert len(result.tokens) == (6 if show_padding else 3)
    probe = probe_result(result, [2, 0, 1])
    assert (probe.before is result) == (not show_padding)
    assert [token.text for token in probe.before.tokens] == ["the", "dog", "bites"]
    np.testing.assert_allclose(
        probe.before.hidden_states, result.hidden_states[:, :3], atol=1e-5
    )  # the same vectors, though the vocabulary is that of all lines
    assert probe.hidden_shift.max() < 1e-5
    assert probe.weights_shift.max() < 1e-5


def test_a_look_ahead_mask_is_position_enough():
    settings = {**SMALL, "positional_encoding": "none", "attention_mask": "causal"}
    probe = probe_order(TEXT, ORDER, **settings)
    assert probe.weights_shift[0].max() > 0.1
    # The first word sees itself alone, before and after.
    assert probe_order(TEXT, [0, 2, 1, 3, 4, 5], **settings).hidden_shift[:, 0].max() == 0


@pytest.mark.parametrize("after_calls", [0, 1, 5, 14])
def test_a_probe_can_be_ended(after_calls):
    result = encode(TEXT, positional_encoding="t5", **SMALL)
    asked = []

    def is_cancelled():
        asked.append(True)
        return len(asked) > after_calls

    with pytest.raises(RunCancelled):
        probe_result(result, UNEVEN, is_cancelled)
    assert len(asked) == after_calls + 1


@pytest.mark.parametrize("order", [[], [0, 6], [-1]])
def test_tokens_that_are_not_there_cannot_be_put_anywhere(order):
    with pytest.raises(PosencError, match="numbers from 0 to 5, at least one"):
        uneven(order=order)


def test_an_order_of_another_length_than_the_words_is_refused():
    result = encode(TEXT, **SMALL)
    with pytest.raises(PosencError, match="order has 2 numbers, but the changed text has 1 tokens"):
        probe_tokens(result.request, result.tokens, result.tokens[:1], [0, 1])


def test_somebody_elses_attention_cannot_be_run_again(tmp_path):
    path = tmp_path / "other.npz"
    weights = np.full((1, 1, 2, 2), 0.5, np.float32)
    np.savez(path, weights=weights, tokens=np.array(["a", "b"]))
    result = encode("a b", weights=str(path))
    with pytest.raises(PosencError, match="needs an encoder of our own, not “other"):
        probe_result(result, [0, 1])
