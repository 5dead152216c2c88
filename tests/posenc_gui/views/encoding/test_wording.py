"""What the pictures say."""

import pytest

from posenc_gui.views.encoding.wording import (
    bucket_line,
    bucket_sentence,
    percent_signed,
    vectors_sentence,
    waves_sentence,
)


@pytest.mark.parametrize(
    ("distance", "first", "last", "expected"),
    [
        (0, 0, 0, "A word and itself have a number of their own."),
        (1, 1, 1, "Words 1 place to the right have a number of their own."),
        (-7, 7, 7, "Words 7 places to the left have a number of their own."),
        (
            -9,
            8,
            11,
            "Words 8 to 11 places to the left share one number: this head cannot tell them apart.",
        ),
        (
            400,
            91,
            None,
            "All words 91 or more places to the right share one number: this head cannot tell "
            "them apart.",
        ),
    ],
)
def test_a_bucket_in_words(distance, first, last, expected):
    assert bucket_sentence(distance, first, last) == expected


def test_a_bucket_in_numbers():
    assert bucket_line(-9, 8, 8, 11) == "distance −9 · bucket 8 · distances −11 … −8"
    assert bucket_line(9, 24, 8, 11) == "distance +9 · bucket 24 · distances +8 … +11"
    assert bucket_line(0, 0, 0, 0) == "distance 0 · bucket 0"
    assert bucket_line(-99, 15, 91, None) == "distance −99 · bucket 15 · distances −91 and beyond"


def test_vectors_in_words():
    assert vectors_sentence(16) == (
        "Words 16 or more places away share one vector on each side: 16 and 40 places look the "
        "same."
    )
    assert vectors_sentence(1, is_what_if=True).startswith("With clip distance 1, words on one")


def test_waves_in_words():
    sentence = waves_sentence(0.971, 0.67, 10_000.0)
    assert "alike to 97 %, places 10 apart to 67 % (base 10,000)." in sentence
    assert percent_signed(-0.25) == "−25 %"
