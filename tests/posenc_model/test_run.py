"""One run, from text to result."""

import numpy as np
import pytest
import torch

import posenc_model.run as run_module
from posenc_model.embeddings import RandomEmbedding
from posenc_model.encodings import ENCODINGS
from posenc_model.errors import PosencError, RunCancelled
from posenc_model.request import MEAN_HEAD, RunRequest
from posenc_model.run import encode, run
from posenc_model.settings import Settings
from posenc_model.tokenizers import TOKENIZERS
from posenc_model.tokenizers.whitespace import WhitespaceTokenizer

SMALL = {"width": 16, "num_layers": 2, "num_heads": 4, "nlp_pipeline": "whitespace"}


def text_of(n: int) -> str:
    return " ".join(f"word{i}" for i in range(n))


def small_request(n: int, **settings: object) -> RunRequest:
    return RunRequest(7, text_of(n), Settings.of({**SMALL, **settings}))


def test_the_shortest_way_in():
    result = encode(
        "one two three",
        positional_encoding="rel",
        clip_distance=4,
        num_layers=2,
        nlp_pipeline="whitespace",
    )
    assert result.attentions.shape == (2, 8, 3, 3)
    assert result.hidden_states.shape == (3, 3, 512)
    assert result.last_hidden_state.shape == (3, 512)
    assert result.config.options["clip_distance"] == 4
    assert [token.text for token in result.tokens] == ["one", "two", "three"]


def test_a_result_carries_its_request():
    request = small_request(3)
    assert run(request).request is request


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_weights_are_rows_of_queries_that_sum_to_one(encoding):
    result = encode(text_of(40), **SMALL, positional_encoding=encoding)
    attentions = result.attentions
    assert attentions.dtype == np.float32
    np.testing.assert_allclose(attentions.sum(-1), 1, atol=1e-6)
    for layer in range(2):
        for head in range(4):
            assert np.array_equal(result.weights(layer, head), attentions[layer, head])
        mean = result.weights(layer, MEAN_HEAD)
        np.testing.assert_allclose(mean, attentions[layer].mean(0), atol=1e-7)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("n", [20, 150])
def test_weights_made_on_demand_equal_the_kept_ones(monkeypatch, encoding, n):
    request = small_request(n, positional_encoding=encoding)
    kept = run(request)
    monkeypatch.setattr(run_module, "KEEP_BYTES", 0)
    on_demand = run(request)
    assert kept.keeps_attentions
    assert not on_demand.keeps_attentions
    np.testing.assert_allclose(on_demand.attentions, kept.attentions, atol=1e-6)
    for layer in range(2):
        for head in (0, 3, MEAN_HEAD):
            again = on_demand.weights(layer, head)
            np.testing.assert_allclose(again, kept.weights(layer, head), atol=1e-6)
    np.testing.assert_allclose(on_demand.overview.mean, kept.overview.mean, atol=1e-6)
    np.testing.assert_allclose(on_demand.last_hidden_state, kept.last_hidden_state, atol=1e-5)
    (warning,) = on_demand.warnings
    assert warning.startswith(f"{n} tokens: ")
    assert kept.warnings == ()


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_scores_and_their_parts_belong_to_the_weights(encoding):
    result = encode(text_of(12), **SMALL, positional_encoding=encoding)
    for layer in range(2):
        for head in (0, 3, MEAN_HEAD):
            parts = result.score_parts(layer, head)
            scores = result.scores(layer, head)
            np.testing.assert_allclose(sum(parts.values()), scores, atol=1e-5)
        exponentials = np.exp(result.scores(layer, 2).astype(np.float64))
        softmax = exponentials / exponentials.sum(-1, keepdims=True)
        np.testing.assert_allclose(softmax, result.weights(layer, 2), atol=1e-6)


def test_layers_and_heads_that_do_not_exist_are_refused():
    result = encode("one two", **SMALL)
    for layer, head in ((2, 0), (-1, 0), (0, 4), (0, -2)):
        with pytest.raises(IndexError):
            result.weights(layer, head)
        with pytest.raises(IndexError):
            result.score_parts(layer, head)


@pytest.mark.parametrize("n", [1, 5, 64, 65, 130, 257])
def test_the_overview_is_mean_and_maximum_of_each_cell(n):
    result = run(small_request(n, positional_encoding="rel"))
    attentions, overview = result.attentions, result.overview
    cell = overview.cell
    cells = overview.mean.shape[-1]
    assert cells <= 64
    assert (cells - 1) * cell < n <= cells * cell
    assert overview.mean.shape == overview.maximum.shape == (2, 4, cells, cells)
    for row in range(cells):
        for column in range(cells):
            block = attentions[
                :, :, row * cell : (row + 1) * cell, column * cell : (column + 1) * cell
            ]
            mean, maximum = overview.mean[..., row, column], overview.maximum[..., row, column]
            np.testing.assert_allclose(mean, block.mean((2, 3)), atol=1e-6)
            np.testing.assert_allclose(maximum, block.max((2, 3)), atol=1e-7)


@pytest.mark.parametrize("n", [1, 5, 130, 300])
def test_progress_never_goes_back_and_ends_at_one(n):
    shares = []
    run(small_request(n), on_progress=shares.append)
    assert shares == sorted(shares)
    assert shares[0] > 0
    assert shares[-1] == 1.0
    assert len(shares) >= 2  # at least once for each layer


def test_a_run_is_cancelled_before_the_encoder_is_made(monkeypatch):
    monkeypatch.setattr(run_module, "own_model", None)
    with pytest.raises(RunCancelled):
        run(small_request(5), is_cancelled=lambda: True)


def test_a_run_is_cancelled_between_two_layers():
    shares = []
    with pytest.raises(RunCancelled):
        run(small_request(30), is_cancelled=lambda: bool(shares), on_progress=shares.append)
    assert shares == [1 / 2]


def test_a_long_run_is_cancelled_between_two_blocks_of_one_layer(monkeypatch):
    monkeypatch.setattr(run_module, "KEEP_BYTES", 0)
    shares = []
    with pytest.raises(RunCancelled):
        run(small_request(300), is_cancelled=lambda: bool(shares), on_progress=shares.append)
    assert len(shares) == 1
    assert shares[0] < 1 / 2  # within the first of two layers


def test_a_cap_on_the_tokens_is_announced(monkeypatch):
    monkeypatch.setattr(run_module, "MAX_TOKENS", 10)
    result = run(small_request(12))
    assert result.warnings == ("The text has 12 tokens; the first 10 are shown.",)
    assert len(result.tokens) == len(result.is_unknown) == 10
    assert result.attentions.shape == (2, 4, 10, 10)
    assert run(small_request(10)).warnings == ()


@pytest.mark.parametrize("text", ["", "   ", "\n \t\r\n"])
def test_no_text_gets_a_friendly_hint(text):
    with pytest.raises(PosencError, match="type a sentence") as refusal:
        encode(text)
    assert refusal.value.setting == "text"


def test_heads_that_do_not_divide_the_width_are_told():
    result = encode("one two", **{**SMALL, "width": 39, "num_heads": 8})
    assert result.config.num_heads == 3
    assert result.attentions.shape[1] == 3
    assert "the nearest number that does is used: 3" in result.warnings[0]


def test_one_hot_vectors_have_the_width_of_the_vocabulary():
    result = encode("a b a c", **SMALL, embedding="one-hot", positional_encoding="none")
    assert result.config.width == 3
    assert result.hidden_states[0].tolist() == [[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1]]
    assert result.is_unknown == (False,) * 4


def test_unknown_words_are_zero_vectors_and_marked(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("dog bites", encoding="utf-8")
    settings = {**SMALL, "embedding": "one-hot", "vocabulary": str(path)}
    result = encode("dog eats dog", **settings, positional_encoding="none")
    assert result.is_unknown == (False, True, False)
    assert result.hidden_states[0].tolist() == [[1, 0], [0, 0], [1, 0]]
    with pytest.raises(PosencError, match="“eats”, “cat”") as refusal:
        encode("dog eats cat", **settings, unk_ignore=False)
    assert refusal.value.setting == "unk_ignore"


def test_editing_one_word_changes_no_other_words_vector():
    before = encode("the dog bites", **SMALL, positional_encoding="none").hidden_states[0]
    after = encode("the cat bites", **SMALL, positional_encoding="none").hidden_states[0]
    assert np.array_equal(before[[0, 2]], after[[0, 2]])
    assert not np.array_equal(before[1], after[1])
    alone = RandomEmbedding(16, 0).vectors(["dog"])
    assert np.array_equal(before[1], alone[0])


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_run_repeated_is_bit_identical_whatever_ran_in_between(encoding):
    request = small_request(9, positional_encoding=encoding)
    first = run(request)
    for other in ENCODINGS:
        run(small_request(20, positional_encoding=other, seed=1))
    again = run(request)
    assert np.array_equal(first.attentions, again.attentions)
    assert np.array_equal(first.hidden_states, again.hidden_states)


def test_a_run_leaves_gradients_and_torchs_random_state_alone():
    state = torch.random.get_rng_state()
    run(small_request(5))
    assert torch.equal(torch.random.get_rng_state(), state)
    assert torch.is_grad_enabled()


def test_text_that_is_not_valid_unicode_runs():
    for tokenizer in ("spacy", "nltk", "whitespace"):
        result = encode("a \udce4 b", **{**SMALL, "nlp_pipeline": tokenizer})
        assert [token.text for token in result.tokens] == ["a", "\ufffd", "b"]


def test_a_tokenizer_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setattr("posenc_model.tokenizers.nltk.is_installed", lambda module: False)
    with pytest.raises(PosencError, match="pip install nltk"):
        encode("a b", nlp_pipeline="nltk")


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_texts_in_a_batch_give_what_each_gives_alone(encoding):
    texts = ["one two three four five six seven", "eight", "one two"]
    together = encode(texts, **SMALL, positional_encoding=encoding)
    assert [result.request.text for result in together] == texts
    for text, result in zip(texts, together, strict=True):
        alone = encode(text, **SMALL, positional_encoding=encoding)
        assert [token.text for token in result.tokens] == text.split()
        np.testing.assert_allclose(result.attentions, alone.attentions, atol=1e-6)
        np.testing.assert_allclose(result.hidden_states, alone.hidden_states, atol=1e-5)
        np.testing.assert_allclose(result.overview.maximum, alone.overview.maximum, atol=1e-6)
        np.testing.assert_allclose(result.scores(1, 2), alone.scores(1, 2), atol=1e-5)


def test_no_texts_give_no_results():
    assert encode([]) == []


def test_a_batch_that_keeps_nothing_makes_the_same_weights():
    kept = encode(["one two three", "four"], **SMALL)
    made = encode(["one two three", "four"], keep="none", **SMALL)
    for one, other in zip(kept, made, strict=True):
        assert not other.keeps_attentions
        np.testing.assert_allclose(one.attentions, other.attentions, atol=1e-6)


def test_what_is_kept_is_one_of_three_words():
    with pytest.raises(PosencError, match="keep is “some”, but has to be one of auto, all, none"):
        encode("one", keep="some", **SMALL)


def test_weights_cannot_be_changed_by_whoever_looks_at_them():
    result = encode("one two", **SMALL)
    with pytest.raises(ValueError, match="read-only"):
        result.weights(0, 0)[0, 0] = 1


def test_a_tokenizer_that_leaves_something_out_says_so(monkeypatch):
    assert encode("one two", **SMALL).warnings == ()
    monkeypatch.setattr(WhitespaceTokenizer, "warning", "It leaves out spaces.")
    assert encode("one two", **SMALL).warnings == ("It leaves out spaces.",)


def test_gensims_losses_are_said():
    assert "digits, punctuation and apostrophes" in str(TOKENIZERS["gensim"].warning)


def test_a_warning_belongs_to_its_own_wish():
    """Three heads become two at this width, and so share an encoder with those who want two."""
    settings = {"width": 16, "num_layers": 1}
    for _ in range(2):
        assert encode("one two", num_heads=2, **settings).warnings == ()
        (warning,) = encode("one two", num_heads=3, **settings).warnings
        assert "3" in warning
