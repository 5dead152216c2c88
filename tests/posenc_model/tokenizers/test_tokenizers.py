"""What holds for every tokenizer that can be used here."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_model.errors import PosencError
from posenc_model.resources import resource_folder
from posenc_model.tokenizers import TOKENIZERS, get_tokenizer, tokenizer_choices

USABLE = [name for name, tokenizer in TOKENIZERS.items() if tokenizer.missing() is None]
SAMPLES = sorted((resource_folder() / "samples").glob("*.txt"))
# Tokenizers that keep every character that is not white space.
LOSSLESS = [name for name in USABLE if name != "gensim"]

WORDS = (
    "dog Dr. e.g. cannot gonna don't I'm 'tis n't 1,000.5 http://a.b/c?d=e a@b.c :-) &amp; <s> İ"
    " ß ﬁ e\u0301 她们 是 。 ？ 𠀀 مرحبا नमस्ते 👩‍👩‍👧 😀 🇩🇪 \ufeff \u200b \u200f \x00 \ud800 \udfff"
)
QUOTES_AND_MARKS = (
    "\" '' `` ` ' “ ” ‘ ’ « » „ ( ) [ ] { } < > . ... … , ? ! ; : - -- — / \\ % $ @ # _"
)
SPACES = (" ", "  ", "\n", "\r\n", "\t", "\u00a0", "\u3000", "\u2028", "\x85", "\x1c")
pieces = st.sampled_from([*WORDS.split(" "), *QUOTES_AND_MARKS.split(" "), *SPACES])
nasty_text = st.lists(pieces, max_size=14).map("".join)
any_text = st.text(st.characters(), max_size=40)  # every code point, lone surrogates too


def check_tokens(name: str, text: str) -> None:
    tokens = TOKENIZERS[name].tokenize(text)
    end = 0
    for token in tokens:
        assert end <= token.start < token.end <= len(text)
        source = text[token.start : token.end]
        replaced = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in source)
        assert token.text == replaced
        assert not any(c.isspace() for c in token.text)
        if name in LOSSLESS:
            assert text[end : token.start].strip() == ""
        end = token.end
    if name in LOSSLESS:
        assert text[end:].strip() == ""


@pytest.mark.parametrize("name", USABLE)
@settings(max_examples=300)
@given(text=nasty_text)
def test_tokens_are_the_source_text_at_their_offsets(name, text):
    check_tokens(name, text)


@pytest.mark.parametrize("name", USABLE)
@settings(max_examples=300)
@given(text=any_text)
def test_no_text_makes_a_tokenizer_raise(name, text):
    check_tokens(name, text)


@pytest.mark.parametrize("name", USABLE)
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_the_samples_are_cut_at_their_offsets(name, path):
    text = path.read_text(encoding="utf-8")
    check_tokens(name, text)
    assert TOKENIZERS[name].tokenize(text)


@pytest.mark.parametrize("name", USABLE)
@pytest.mark.parametrize("text", ["", " ", "\n\t \r\n", "\u3000\u2028\x1c\x85"])
def test_nothing_but_white_space_has_no_tokens(name, text):
    assert TOKENIZERS[name].tokenize(text) == ()


@pytest.mark.parametrize("name", ["spacy", "nltk"])
def test_chinese_is_cut_character_by_character(name):
    text = "她们是飞行员还是制片人？OK，我用Python（好）。"
    tokens = [token.text for token in TOKENIZERS[name].tokenize(text)]
    assert tokens == [*"她们是飞行员还是制片人？", "OK", *"，我用", "Python", *"（好）。"]


@pytest.mark.parametrize("name", ["spacy", "nltk", "whitespace"])
def test_more_than_a_million_characters_are_cut(name):
    assert len(TOKENIZERS[name].tokenize("word " * 220_000)) == 220_000


def test_a_half_of_a_surrogate_pair_becomes_the_replacement_character():
    for name in USABLE:
        if name in LOSSLESS:
            tokens = TOKENIZERS[name].tokenize("a\udce4b c")
            assert "".join(token.text for token in tokens) == "a\ufffdbc"
            assert (tokens[-1].start, tokens[-1].end) == (4, 5)


@pytest.mark.parametrize(
    ("name", "install"),
    [
        ("spacy", "pip install spacy"),
        ("nltk", "pip install nltk"),
        ("stanza", "pip install stanza"),
        ("gensim", "pip install gensim"),
    ],
)
def test_one_that_is_not_installed_says_what_to_install(monkeypatch, name, install):
    monkeypatch.setattr(f"posenc_model.tokenizers.{name}.is_installed", lambda module: False)
    with pytest.raises(PosencError, match=f"is not installed: run “{install}”") as refusal:
        get_tokenizer(name)
    assert refusal.value.setting == "nlp_pipeline"
    choices = {choice.value: choice for choice in tokenizer_choices()}
    assert choices[name].missing == refusal.value.sentence


def test_one_that_can_be_used_is_given_and_has_nothing_missing():
    choices = {choice.value: choice for choice in tokenizer_choices()}
    assert set(choices) >= {"spacy", "nltk", "whitespace", "stanza", "gensim"}
    assert get_tokenizer("whitespace") is TOKENIZERS["whitespace"]
    assert choices["whitespace"].missing is None
