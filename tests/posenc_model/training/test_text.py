"""Masked words: how a text becomes sentences, spans and batches."""

import itertools

import numpy as np
import pytest

from posenc_model.errors import PosencError
from posenc_model.tokenizers import get_tokenizer
from posenc_model.training.settings import TrainingSettings
from posenc_model.training.tasks import NOTHING
from posenc_model.training.text import MaskedWords, read_documents, sentences_of
from posenc_model.words import FIRST_WORD, MASK, UNKNOWN, normal_form


def make(source, **values) -> MaskedWords:
    own = {"task": "masked", "text_file": str(source), "batch_tokens": 128}
    return MaskedWords(TrainingSettings.of({**own, **values}))


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.Generator(np.random.SFC64(seed))


def documents_of(task: MaskedWords, words: np.ndarray) -> list[set[str]]:
    """For each row, which documents its words stand in; full stops stand in all."""
    named = ([task.words[word] for word in row] for row in words.tolist())
    return [{word.split("x")[0] for word in row if word.startswith("w")} for row in named]


def test_sentences_keep_their_closing_signs():
    words = [
        "he",
        "said",
        ":",
        '"',
        "go",
        "!",
        '"',
        "then",
        "(",
        "she",
        "left",
        ".",
        ")",
        "why",
        "?",
        "!",
        "no",
        "end",
    ]
    assert [" ".join(sentence) for sentence in sentences_of(words)] == [
        'he said : " go ! "',
        "then ( she left . )",
        "why ?",
        "!",
        "no end",
    ]
    assert list(sentences_of([])) == []


def test_an_empty_line_separates_documents_and_words_are_in_normal_form(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("One two. Three “four”!\nFive\n\n\n  \nIt’s six.\n", encoding="utf-8")
    documents = read_documents(path, get_tokenizer("spacy"))
    assert documents == [
        [["one", "two", "."], ["three", '"', "four", '"', "!"], ["five"]],
        [["it", "'s", "six", "."]],
    ]


def test_a_folder_is_read_in_the_order_of_names(tmp_path):
    for name, text in (("b", "second"), ("a", "first")):
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    (tmp_path / "c.md").write_text("not this", encoding="utf-8")
    documents = read_documents(tmp_path, get_tokenizer("whitespace"))
    assert documents == [[["first"]], [["second"]]]


def test_a_missing_or_empty_text_is_refused(tmp_path):
    with pytest.raises(PosencError, match=r"The text to learn from: “.*” could not be read") as no:
        make(tmp_path / "no.txt")
    assert no.value.setting == "text_file"
    with pytest.raises(PosencError, match="There are no words to learn from"):
        make(tmp_path)
    with pytest.raises(PosencError, match=r"^Choose a text file to learn from\.$"):
        make("")
    (tmp_path / "short.txt").write_text("Too short.\n\nThis too.", encoding="utf-8")
    with pytest.raises(PosencError, match="has too few sentences of 4 to 64 words"):
        make(tmp_path / "short.txt")


def test_every_twentieth_document_is_held_out_and_never_learned_from(text_file):
    task = make(text_file)
    kept = {"w0", "w20", "w40"}
    held_out = [batch.words for batch in task.held_out()]
    held_out += list(task.held_out_sentences())
    assert set().union(*itertools.chain(*(documents_of(task, words) for words in held_out))) <= kept
    source = generator()
    learned: set[str] = set()
    for _ in range(300):
        batch = task.batch(source)
        words = np.where(batch.targets == NOTHING, batch.words, batch.targets)
        learned = learned.union(*documents_of(task, words))
    assert learned == {f"w{number}" for number in range(60)} - kept
    # Their words are unknown, as nothing was learned of them.
    assert not [word for word in task.words if word.startswith(("w0x", "w20x", "w40x"))]


def test_runs_are_whole_sentences_of_one_document(text_file):
    task = make(text_file, min_length=5, max_length=12)
    stop = task.words.index(".")
    source = generator()
    for _ in range(200):
        batch = task.batch(source)
        words = np.where(batch.targets == NOTHING, batch.words, batch.targets)
        assert 5 <= words.shape[1] <= 12
        assert all(len(documents) == 1 for documents in documents_of(task, words))
        assert (words[:, -1] == stop).all()
        # A sentence begins with its word number 0.
        firsts = {task.words[word].split("x")[1] for word in words[:, 0]}
        assert firsts == {"0"}
        assert len(words) == 128 // words.shape[1]


def test_all_runs_are_found_as_by_a_plain_loop(text_file):
    task = make(text_file, min_length=4, max_length=13)
    documents = read_documents(text_file, get_tokenizer("spacy"))
    expected = []
    for number, document in enumerate(documents):
        if number % 20 != 0:
            for first in range(len(document)):
                for last in range(first + 1, len(document) + 1):
                    run = [word for sentence in document[first:last] for word in sentence]
                    if 4 <= len(run) <= 13:
                        expected.append(tuple(run))
    spans = task._learned
    found = [
        tuple(task.words[word] for word in row)
        for length, starts in spans.starts.items()
        for row in spans.rows(starts, length).tolist()
    ]
    assert sorted(found) == sorted(expected)


def test_one_long_document_is_cut_so_that_a_part_can_be_held_out(tmp_path):
    path = tmp_path / "book.txt"
    path.write_text("\n".join(f"w{n} is here now ." for n in range(400)), encoding="utf-8")
    learned, kept = make(path).tokens
    assert learned + kept == 2000
    assert kept == 100


def test_the_rarest_words_are_unknown(tmp_path):
    path = tmp_path / "a.txt"
    rare = [f"very often and rare{n} ." for n in range(40)]
    path.write_text("\n\n".join(rare), encoding="utf-8")
    task = make(path, vocabulary_size=10)
    assert len(task.words) == 12
    assert set(task.words[2:6]) == {"very", "often", "and", "."}
    assert task.words[:2] == ("[unknown]", "[mask]")
    batch = task.batch(generator())
    assert (batch.words == UNKNOWN).any()


def test_masking_is_that_of_the_paper(tmp_path):
    """15 % are chosen; of them 80 % become the mask, 10 % any word and 10 % stay."""
    path = tmp_path / "a.txt"
    texts = generator(1)
    lines = (" ".join(f"v{n}" for n in texts.integers(200, size=19)) + " ." for _ in range(80))
    path.write_text("\n\n".join(lines), encoding="utf-8")
    task = make(path, vocabulary_size=150, batch_tokens=60_000, min_length=20, max_length=20)
    batch = task.batch(generator())
    asked = batch.targets != NOTHING
    known = np.where(asked, batch.targets, batch.words) != UNKNOWN
    assert not (asked & ~known).any()
    assert (known & ~asked).any()

    def is_share(count: int, total: int, share: float) -> None:
        """Within five standard deviations of a binomial count."""
        assert count == pytest.approx(total * share, abs=5 * (total * share * (1 - share)) ** 0.5)

    is_share(asked.sum(), known.sum(), 0.15)
    shown, true = batch.words[asked], batch.targets[asked]
    total = len(shown)
    others = len(task.words) - FIRST_WORD
    is_share((shown == MASK).sum(), total, 0.8)
    is_share((shown == true).sum(), total, 0.1 + 0.1 / others)
    replaced = (shown != MASK) & (shown != true)
    is_share(replaced.sum(), total, 0.1 * (1 - 1 / others))
    counts = np.bincount(shown[replaced], minlength=len(task.words))
    assert counts[:FIRST_WORD].sum() == 0
    assert (counts[FIRST_WORD:] > 0).mean() > 0.9  # any word, not the common ones alone
    # Where nothing is asked, nothing is changed or masked.
    assert not (batch.words[~asked] == MASK).any()


def test_another_share_can_be_masked(text_file):
    batch = make(text_file, masked_share=0.5, batch_tokens=20_000).batch(generator())
    assert (batch.targets != NOTHING).mean() == pytest.approx(0.5, abs=0.03)


def test_the_same_generator_gives_the_same_batch_and_held_out_is_fixed(text_file):
    one, other = make(text_file), make(text_file)
    assert one.words == other.words
    for a, b in zip(
        [one.batch(generator(3)), one.example(), *one.held_out()],
        [other.batch(generator(3)), other.example(), *other.held_out()],
        strict=True,
    ):
        assert (a.words == b.words).all()
        assert (a.targets == b.targets).all()


def test_lengths_are_drawn_as_often_as_there_are_runs_of_them(text_file):
    task = make(text_file)
    amounts = {length: len(starts) for length, starts in task._learned.starts.items()}
    source = generator()
    drawn = [task.batch(source).words.shape[1] for _ in range(2000)]
    for length, amount in amounts.items():
        share = amount / sum(amounts.values())
        off = 5 * (2000 * share * (1 - share)) ** 0.5
        assert drawn.count(length) == pytest.approx(2000 * share, abs=off)


def test_words_are_written_in_lower_case_with_plain_quotes():
    assert normal_form("Don’t “Stop”") == 'don\'t "stop"'
