"""Runs: special tokens, how tokens are written, long texts, cancelling, threads, silence."""

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

from posenc_model.errors import PosencError, RunCancelled
from posenc_model.pretrained import SPECIAL_TOKENS, ModelOutput, model, open_model
from posenc_model.pretrained.output import without_special_tokens
from posenc_model.tokenizers import Token

ROOT = Path(__file__).resolve().parents[3]


def test_dropped_tokens_take_their_rows_and_columns_and_nothing_else(make_model, text):
    opened = open_model(make_model("bert"))
    shown, dropped = opened.run(text), opened.run(text, "drop")
    assert np.array_equal(dropped.attentions, shown.attentions[:, :, 1:-1, 1:-1])
    assert np.array_equal(dropped.hidden_states, shown.hidden_states[:, 1:-1])
    assert dropped.tokens == shown.tokens[1:-1]
    assert not any(dropped.is_special)
    gone = 1 - dropped.attentions.sum(-1, dtype=np.float64).mean()
    (warning,) = dropped.warnings
    assert warning == (
        f"The special tokens ([CLS], [SEP]) are left out; on average {gone:.1%} of a word's weight "
        "went to them, so the rows do not sum to 1."
    )


def test_renormalised_rows_sum_to_1_and_keep_their_proportions(make_model, text):
    opened = open_model(make_model("roberta"))
    shown, output = opened.run(text), opened.run(text, "renormalise")
    np.testing.assert_allclose(output.attentions.sum(-1), 1, atol=1e-6)
    inner = shown.attentions[:, :, 1:-1, 1:-1]
    np.testing.assert_allclose(
        output.attentions, inner / inner.sum(-1, keepdims=True), rtol=1e-5, atol=1e-7
    )
    assert output.warnings[0].startswith("The special tokens (<s>, </s>) are left out; on average ")
    assert output.warnings[0].endswith(", and the rest of each row was divided by its sum.")


def test_a_row_that_gave_all_its_weight_away_stays_zero():
    tokens = (Token("[CLS]", 0, 0), Token("a", 0, 1), Token("b", 2, 3))
    weights = np.array([[[[1, 0, 0], [1, 0, 0], [0.5, 0.25, 0.25]]]], dtype=np.float32)
    output = ModelOutput(
        tokens,
        (True, False, False),
        weights,
        np.zeros((2, 3, 4), dtype=np.float32),
        ("Before.",),
        lambda layer, head: {"content": np.arange(9, dtype=np.float32).reshape(3, 3)},
        np.tri(3, dtype=np.bool_),
    )
    left = without_special_tokens(output, renormalise=True)
    assert left.attentions.tolist() == [[[[0, 0], [0.5, 0.5]]]]
    assert left.warnings == (
        "Before.",
        "The special tokens ([CLS]) are left out; on average 75.0% of a word's weight went to "
        "them, and the rest of each row was divided by its sum. Nothing was left of 1 rows, which "
        "are 0.",
    )
    assert left.score_parts(0, 0)["content"].tolist() == [[4, 5], [7, 8]]
    assert left.mask.tolist() == [[True, False], [True, True]]
    assert left.hidden_states.shape == (2, 2, 4)


def test_a_causal_model_keeps_its_mask_and_parts_their_size(make_model, text):
    output = open_model(make_model("gpt2")).run(text, "drop")
    n = len(output.tokens)
    assert np.array_equal(output.mask, np.tri(n, dtype=bool))
    parts = open_model(make_model("t5")).run(text, "drop").score_parts(1, 1)
    shown = open_model(make_model("t5")).run(text).score_parts(1, 1)
    assert np.array_equal(parts["position"], shown["position"][:-1, :-1])


@pytest.mark.parametrize(
    ("name", "text", "shown"),
    [
        ("bert", "Barking DOGS", ["[CLS]", "barking", "dogs", "[SEP]"]),
        ("bert", "dogsbark [MASK] 火", None),
        ("roberta", "so nobody woke", ["<s>", "so", "nobody", "woke", "</s>"]),
        ("roberta", "so ’ so", ["<s>", "so", "’", "so", "</s>"]),
        ("t5", "so woke", ["so", "woke", "</s>"]),
    ],
)
def test_tokens_are_written_for_people(make_model, name, text, shown):
    output = open_model(make_model(name)).run(text)
    texts = [token.text for token in output.tokens]
    assert shown is None or texts == shown or "·" in "".join(texts)
    assert not any(sign in "".join(texts) for sign in ("##", "Ġ", "▁", "â", "Ċ"))
    for token, special in zip(output.tokens, output.is_special, strict=True):
        assert special == (token.start == token.end)


def test_pieces_of_a_word_begin_with_a_dot_and_join_to_the_word(make_model):
    for name in ("bert", "roberta", "t5"):
        text = "nobody barksogs"
        output = open_model(make_model(name)).run(text, "drop")
        tokens = [t for t in output.tokens if t.text != "␣"]  # a space that was not merged
        assert "".join(t.text for t in tokens).replace("·", "") == "nobodybarksogs"
        assert any(t.text.startswith("·") for t in tokens)
        starts = [t.start for t in tokens if not t.text.startswith("·")]
        assert starts == [0, 7]
        assert "".join(text[t.start : t.end] for t in tokens) == text.replace(" ", "")


def test_bytes_that_are_no_character_and_blanks_are_written_out(make_model):
    opened = open_model(make_model("gpt2"))
    shown = [token.text for token in opened.run("火 \n\t so").tokens if token.text]
    joined = "".join(shown)
    assert "<0xE7>" in joined
    assert "<0x81>" in joined
    assert "↵" in joined
    assert "⇥" in joined
    assert "␣" in joined


def test_a_special_token_that_the_user_typed_is_the_users(make_model):
    output = open_model(make_model("bert")).run("so [MASK] woke")
    i = [token.text for token in output.tokens].index("[MASK]")
    assert not output.is_special[i]
    assert (output.tokens[i].start, output.tokens[i].end) == (3, 9)
    assert "[MASK]" in [
        t.text for t in open_model(make_model("bert")).run("so [MASK]", "drop").tokens
    ]


def test_offsets_point_into_the_text_after_characters_of_any_width(make_model):
    text = "😀 so é́ so"
    for name in ("bert", "roberta", "t5", "gpt2"):
        output = open_model(make_model(name)).run(text)
        places = [(t.start, t.end) for t in output.tokens if t.text in ("so", "·so")]
        assert [text[start:end] for start, end in places] == ["so"] * len(places)


@pytest.mark.parametrize("text", ["", "  \n "])
def test_no_words_are_the_users_to_put_right(make_model, text):
    with pytest.raises(
        PosencError, match=r"^(The text is empty|The model's tokenizer finds no)"
    ) as e:
        open_model(make_model("bert")).run(text)
    assert e.value.setting == "text"


def test_half_a_character_is_replaced(make_model):
    output = open_model(make_model("bert")).run("so \ud83d so")
    assert [token.text for token in output.tokens].count("so") == 2


def test_an_unknown_way_with_special_tokens_is_refused(make_model):
    assert SPECIAL_TOKENS == ("show", "drop", "renormalise")
    with pytest.raises(PosencError, match="'hide', but has to be one of show, drop, renormalise"):
        open_model(make_model("bert")).run("so", "hide")


@pytest.mark.parametrize(("name", "takes"), [("bert", 40), ("roberta", 38), ("gpt2", 40)])
def test_a_long_text_is_cut_to_the_positions_with_a_warning(make_model, name, takes):
    opened = open_model(make_model(name))
    text = "so " * 100
    output = opened.run(text)
    assert len(output.tokens) == output.attentions.shape[-1] == takes
    (warning,) = output.warnings
    assert warning.endswith(f"but the model takes {takes}; the first {takes} are shown.")
    assert output.is_special[-1] == (name != "gpt2") or name == "gpt2"
    # The next run is not cut.
    assert opened.run("so so").warnings == ()


def test_a_text_that_would_fill_the_memory_is_cut(make_model, monkeypatch):
    monkeypatch.setattr(model, "MAX_ATTENTION_BYTES", 2 * 4 * 30 * 30 * 4)
    output = open_model(make_model("t5")).run("so " * 60)
    assert output.attentions.nbytes == 2 * 4 * 30 * 30 * 4
    assert "fill" in output.warnings[0]
    assert output.warnings[0].endswith("the first 30 are shown.")


@pytest.mark.parametrize("family_name", ["bert", "distilbert", "t5", "gpt2", "mpnet", "albert"])
def test_a_run_can_be_cancelled_between_layers(make_model, family_name):
    opened = open_model(make_model(family_name))
    count = Mock()
    opened.run("so woke", check=count)
    # Before and after cutting, then once a layer (ALBERT shares one, and it is called twice).
    assert count.call_count >= 4
    for allowed in range(count.call_count):
        check = Mock(side_effect=[None] * allowed + [RunCancelled])
        with pytest.raises(RunCancelled):
            opened.run("so woke", check=check)
    count.reset_mock()
    assert opened.run("so woke").warnings == ()
    assert not count.called  # the hooks forgot it


def test_threads_share_a_model(make_model, text):
    texts = [text, "so woke", "nobody barking so", "dogs " * 90]
    opened = open_model(make_model("mpnet"))
    alone = [opened.run(one) for one in texts]
    start = threading.Barrier(4)

    def run(one: str) -> list[ModelOutput]:
        start.wait()
        return [opened.run(one) for _ in range(10)]

    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(run, texts))
    for expected, found in zip(alone, together, strict=True):
        for output in found:
            assert np.array_equal(output.attentions, expected.attentions)
            assert output.tokens == expected.tokens
            assert output.warnings == expected.warnings


def test_an_opened_model_is_remembered_until_its_folder_changes(make_model, copy_of):
    folder = copy_of("bert")
    first = open_model(folder)
    assert open_model(folder / "." / ".." / folder.name) is first
    (folder / "tokenizer_config.json").touch()
    assert open_model(folder) is not first


def test_weights_are_copies_of_the_file(make_model, copy_of):
    folder = copy_of("bert")
    opened = open_model(folder)
    before = opened.run("so woke").attentions
    path = folder / "model.safetensors"
    with path.open("r+b") as file:  # in place, as an editor or a download would
        file.seek(path.stat().st_size // 2)
        file.write(bytes(path.stat().st_size // 2))
    assert np.array_equal(opened.run("so woke").attentions, before)


# In a process of its own: what is imported here is imported for the first time. Any use of the
# network, any warning, and any word on the terminal is a failure.
SILENT = """
import socket, sys, logging, os, warnings
from pathlib import Path
def refuse(*args, **kwargs):
    raise AssertionError("the network was used")
socket.socket.connect = socket.getaddrinfo = socket.create_connection = refuse
from posenc_model.pretrained import open_model, model_info
model_info(Path(sys.argv[1]))
assert not {"torch", "transformers", "tokenizers"} & set(sys.modules)
import torch  # adds filters of its own
shown = list(warnings.filters)
opened = open_model(Path(sys.argv[1]))
opened.run("so woke " * 60)
assert warnings.filters == shown
import transformers, huggingface_hub.constants as constants
assert transformers.utils.logging.get_verbosity() == logging.WARNING
assert transformers.utils.logging.is_progress_bar_enabled()
assert not constants.HF_HUB_OFFLINE
"""


def test_nothing_is_printed_fetched_or_left_changed(make_model):
    env = {name: value for name, value in os.environ.items() if name != "HF_HUB_OFFLINE"}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SILENT, str(make_model("bert"))],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


def test_without_transformers_the_sentence_says_what_to_install(make_model, copy_of, monkeypatch):
    monkeypatch.setattr("posenc_model.pretrained.quiet.is_installed", lambda name: False)
    with pytest.raises(PosencError) as error:
        open_model(copy_of("bert"))
    assert 'pip install "posenc[pretrained]"' in error.value.sentence
    assert error.value.setting == "weights"
