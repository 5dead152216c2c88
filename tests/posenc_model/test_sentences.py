"""Lines as a batch, padding, the look-ahead mask, and sentence pairs."""

import numpy as np
import pytest

from posenc_model import encode
from posenc_model.encodings import ENCODINGS
from posenc_model.errors import PosencError, RunCancelled
from posenc_model.matrices import matrix_of
from posenc_model.pairs import PAIR_PARTS, pair_boundary
from posenc_model.request import RunRequest
from posenc_model.run import run
from posenc_model.settings import Settings

SETTINGS = {"num_layers": 2, "num_heads": 2, "width": 16, "nlp_pipeline": "whitespace"}
LINES = "the dog bites\n\n  she sleeps all day long  \none"


def softmax(scores):
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    return shares / shares.sum(-1, keepdims=True)


@pytest.mark.parametrize("encoding", list(ENCODINGS))
@pytest.mark.parametrize("sentence", [1, 2, 3])
def test_a_line_of_the_batch_is_the_line_alone(encoding, sentence):
    settings = {**SETTINGS, "positional_encoding": encoding}
    alone = encode(LINES.split("\n")[[0, 2, 3][sentence - 1]], **settings)
    result = encode(LINES, batch=True, sentence=sentence, **settings)
    assert [t.text for t in result.tokens] == [t.text for t in alone.tokens]
    np.testing.assert_allclose(result.attentions, alone.attentions, atol=1e-6)
    np.testing.assert_allclose(result.last_hidden_state, alone.last_hidden_state, atol=1e-5)
    np.testing.assert_allclose(result.overview.mean, alone.overview.mean, atol=1e-6)
    assert result.mask is None


def test_tokens_keep_their_places_in_the_whole_text():
    result = encode(LINES, batch=True, sentence=2, **SETTINGS)
    assert [LINES[t.start : t.end] for t in result.tokens] == [
        "she",
        "sleeps",
        "all",
        "day",
        "long",
    ]


def test_padding_is_shown_and_nothing_looks_at_it():
    result = encode(LINES, batch=True, sentence=1, show_padding=True, **SETTINGS)
    assert [t.text for t in result.tokens] == ["the", "dog", "bites", "[pad]", "[pad]"]
    assert result.is_unknown == (False,) * 5
    assert not result.attentions[..., 3:].any()
    np.testing.assert_allclose(result.attentions.sum(-1), 1, atol=1e-6)
    alone = encode("the dog bites", **SETTINGS)
    np.testing.assert_allclose(result.attentions[:, :, :3, :3], alone.attentions, atol=1e-6)
    np.testing.assert_array_equal(result.mask, [[True] * 3 + [False] * 2] * 5)


def test_a_sentence_that_is_not_there():
    with pytest.raises(PosencError, match="sentence is 4, but the text has 3 lines") as caught:
        encode(LINES, batch=True, sentence=4, **SETTINGS)
    assert caught.value.setting == "sentence"


def test_empty_lines_only():
    with pytest.raises(PosencError, match="type a sentence"):
        encode(" \n ", batch=True, **SETTINGS)


def test_too_large_a_batch_is_refused(monkeypatch):
    monkeypatch.setattr("posenc_model.run.MAX_BATCH_TOKENS", 14)
    with pytest.raises(PosencError, match="too much for one batch"):
        encode(LINES, batch=True, **SETTINGS)


def test_a_batch_is_cancelled():
    request = RunRequest(0, LINES, Settings.of({**SETTINGS, "batch": True}))
    with pytest.raises(RunCancelled):
        run(request, is_cancelled=lambda: True)


def test_words_are_hidden_in_the_line_that_is_shown():
    settings = Settings.of({"weights": "trained", "batch": True, "sentence": 2})
    result = run(RunRequest(0, "She went home.\nHe opened the door.", settings, masked=(2,)))
    alone = Settings.of({"weights": "trained"})
    expected = run(RunRequest(0, "He opened the door.", alone, masked=(2,)))
    assert result.guesses[0].word == "the"
    words = [guess.word for guess in result.guesses[0].likeliest]
    assert words == [guess.word for guess in expected.guesses[0].likeliest]


@pytest.mark.parametrize("encoding", list(ENCODINGS))
def test_with_a_look_ahead_mask_no_word_sees_what_comes(encoding):
    text = "one two three four five"
    settings = {**SETTINGS, "positional_encoding": encoding, "attention_mask": "causal"}
    result = encode(text, **settings)
    seen = np.tril(np.ones((5, 5), bool))
    np.testing.assert_array_equal(result.mask, seen)
    for layer in range(2):
        for head in range(2):
            scores = np.where(seen, result.scores(layer, head).astype(np.float64), -np.inf)
            np.testing.assert_allclose(result.weights(layer, head), softmax(scores), atol=1e-6)
    # What comes later changes nothing that was there before.
    shorter = encode("one two three", **settings)
    np.testing.assert_allclose(shorter.last_hidden_state, result.last_hidden_state[:3], atol=1e-5)


def test_a_look_ahead_mask_and_padding_together():
    settings = {**SETTINGS, "attention_mask": "causal"}
    result = encode(LINES, batch=True, sentence=1, **settings)
    alone = encode("the dog bites", **settings)
    np.testing.assert_allclose(result.attentions, alone.attentions, atol=1e-6)
    np.testing.assert_array_equal(result.mask, alone.mask)


def test_trained_weights_say_that_they_learned_without_the_mask():
    result = encode("one two", weights="trained", attention_mask="causal")
    assert any("without a look-ahead mask" in warning for warning in result.warnings)


def test_two_lines_are_a_pair():
    result = encode("the dog the\nthe dog the", **SETTINGS)
    assert pair_boundary(result) == 3
    ranges = {part.title: part.ranges(3, 6) for part in PAIR_PARTS}
    assert ranges == {
        "within A": ((0, 3), (0, 3)),
        "within B": ((3, 6), (3, 6)),
        "A → B": ((0, 3), (3, 6)),
        "B → A": ((3, 6), (0, 3)),
    }


@pytest.mark.parametrize("text", ["one two", "one\ntwo\nthree", "one\n\n"])
def test_other_texts_are_no_pair(text):
    assert pair_boundary(encode(text, **SETTINGS)) is None


def test_a_batch_is_no_pair():
    assert pair_boundary(encode("one two\nthree", batch=True, **SETTINGS)) is None


def test_masked_scores_are_minus_infinity_and_their_parts_no_numbers():
    result = encode("one two three", attention_mask="causal", **SETTINGS)
    seen = np.tril(np.ones((3, 3), bool))
    scores = matrix_of(result, 0, 0, "scores")
    assert np.isneginf(scores[~seen]).all()
    np.testing.assert_allclose(softmax(scores), result.weights(0, 0), atol=1e-6)
    for kind in ("content", "position"):
        np.testing.assert_array_equal(np.isnan(matrix_of(result, 0, 0, kind)), ~seen)
