"""NLTK's rules, compared with ``word_tokenize``, which cuts words the same way.

``word_tokenize`` writes double quotes as `` and ''; ours keeps what stands in the text.
"""

import pytest
from nltk.tokenize import word_tokenize

from posenc_model.tokenizers import TOKENIZERS


def ours(text: str) -> list[str]:
    return [token.text for token in TOKENIZERS["nltk"].tokenize(text)]


def nltks(*sentences: str) -> list[str]:
    """What ``word_tokenize`` gives for text cut into sentences by hand; that needs no data."""
    words = [w for sentence in sentences for w in word_tokenize(sentence, preserve_line=True)]
    return ['"' if word in ("``", "''") else word for word in words]


@pytest.mark.parametrize(
    "sentence",
    [
        "The program shows what each word looks at.",
        "I can't believe it's not the dogs' bowl, can you?",
        'She said, "well, well," and left.',
        '"Stop!" he cried; "we cannot (ever) pay $1,000.50 - 5% off."',
        "It's 3:30 p.m. in the U.S. now.",
        "Wait... what?! I'm gonna wanna see -- really.",
        "<s> x < y & z </s> [MASK] #1 @you a/b user@example.com",
        "«Bonjour», „Hallo“ and ‘so’ on…",
    ],
)
def test_a_sentence_is_cut_as_by_word_tokenize(sentence):
    assert ours(sentence) == nltks(sentence)


def test_each_sentences_full_stop_is_split_off_and_an_abbreviations_is_not():
    expected = ["Dr.", "Smith", "left", ".", "He", "came", "back", "."]
    assert ours("Dr. Smith left. He came back.") == expected
    assert nltks("Dr. Smith left.", "He came back.") == expected


@pytest.mark.parametrize(
    "sentences",
    [
        ("Dogs bite men.", "Men bite dogs.", "Who bites whom?"),
        ("Mr. and Mrs. Jones met Prof. Lee.", "Was it in fig. 3, e.g. there?", "No!"),
        ('He asked "why?"', "Nobody knew.", "It rained etc. all day long."),
    ],
)
def test_several_sentences_are_cut_one_by_one(sentences):
    assert ours(" ".join(sentences)) == nltks(*sentences)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("`` a '' \"b\"", ["``", "a", "''", '"', "b", '"']),
        ("('' b", ["(", "''", "b"]),
        ("he said ''hi''", ["he", "said", "''", "hi", "''"]),
        ('"" \'\'"', ['"', '"', "''", '"']),
        ("``` x", ["``", "`", "x"]),
    ],
)
def test_every_kind_of_double_quote_stays_as_it_stands_in_the_text(text, tokens):
    assert ours(text) == tokens
