"""Vocabularies and where they come from."""

import pytest

from posenc_model.errors import PosencError
from posenc_model.resources import resource_folder
from posenc_model.tokenizers import TOKENIZERS
from posenc_model.vocabulary import MAX_WORDS, Vocabulary, load_vocabulary

SPACE = TOKENIZERS["whitespace"]


def test_words_keep_the_order_in_which_they_were_first_seen():
    vocabulary = Vocabulary.of(["b", "a", "b", "B"], "this text")
    assert vocabulary.words == ("b", "a", "B")
    assert vocabulary.index == {"b": 0, "a": 1, "B": 2}
    assert len(vocabulary) == 3
    assert "a" in vocabulary
    assert "A" not in vocabulary


def test_no_words_and_too_many_are_refused():
    with pytest.raises(PosencError, match="There are no words in this text"):
        Vocabulary.of([], "this text")
    words = [str(i) for i in range(MAX_WORDS)]
    assert len(Vocabulary.of(words, "x")) == MAX_WORDS
    with pytest.raises(PosencError, match=r"1,025 distinct words .* at most 1,024"):
        Vocabulary.of([*words, "more"], "x")


def test_the_texts_own_words():
    assert load_vocabulary("text", ["b", "a", "b"], SPACE).words == ("b", "a")


def test_the_sample_corpus():
    text = (resource_folder() / "samples" / "computing.txt").read_text(encoding="utf-8")
    vocabulary = load_vocabulary("sample", ["zebra"], SPACE)
    assert set(vocabulary.words) == set(text.split())


def test_a_file_is_cut_by_the_tokenizer_at_hand(tmp_path):
    path = tmp_path / "words.txt"
    path.write_bytes("dog, bites dog".encode("utf-16"))
    assert load_vocabulary(str(path), [], SPACE).words == ("dog,", "bites", "dog")
    assert load_vocabulary(str(path), [], TOKENIZERS["nltk"]).words == ("dog", ",", "bites")


def test_a_file_in_the_home_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    (tmp_path / "words.txt").write_text("one two", encoding="utf-8")
    assert load_vocabulary("~/words.txt", [], SPACE).words == ("one", "two")


@pytest.mark.parametrize("source", ["no-such-file.txt", "~no-such-user/x", "", "a\0b"])
def test_a_file_that_cannot_be_read_is_the_vocabularys_mistake(source):
    with pytest.raises(PosencError) as refusal:
        load_vocabulary(source, [], SPACE)
    assert refusal.value.setting == "vocabulary"


def test_an_empty_file_is_named(tmp_path):
    (tmp_path / "empty.txt").write_text(" \n", encoding="utf-8")
    with pytest.raises(PosencError, match=r"no words in “empty.txt”"):
        load_vocabulary(str(tmp_path / "empty.txt"), [], SPACE)
