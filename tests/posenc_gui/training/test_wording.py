import pytest

from posenc_gui.training.wording import listed, measured, time_left, verdict

FOUND = {
    "rel": {20: 1.0, 40: 0.992, 80: 0.6, 160: 0.3},
    "abs": {20: 0.97, 40: 0.4, 80: 0.2, 160: 0.14},
    "none": {20: 0.08, 40: 0.07, 80: 0.07, 160: 0.07},
}


def test_what_was_measured_is_said_in_words():
    rel, absolute, none = measured(FOUND, 20, 1 / 14)
    assert rel == (
        "rel answers 99 % at 40 words, twice the longest sentence it saw, but 60 % at 80 and "
        "30 % at 160."
    )
    assert absolute == "abs answers 97 % at 20 words, but 40 % at 40 and 14 % at 160."
    assert none.startswith("none (the control: ")
    assert none.endswith("has not learned the task: 8 % at 20 words, where guessing gives 7 %.")


def test_what_holds_to_the_end_is_said():
    (said,) = measured({"rel": {20: 1.0, 40: 0.99, 80: 0.98, 160: 0.94}}, 20, 1 / 14)
    assert said == "rel answers 94 % at 160 words, 8 times the longest sentence it saw."


def test_lengths_shorter_than_in_training_are_no_achievement():
    (said,) = measured({"rel": {20: 1.0, 40: 1.0}}, 60, 1 / 14)
    assert said == "rel answers 100 % at 40 words."


def test_the_verdict_is_one_sentence():
    held = {**FOUND, "t5": {20: 1.0, 40: 1.0, 80: 1.0, 160: 0.95}}
    assert verdict(held, 20) == (
        "t5 can still do it at 160 words; rel and abs learned it, but cannot do it at 160 words; "
        "none did not learn it."
    )


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, ""),
        (2.0, "a few seconds left"),
        (41.0, "about 40 seconds left"),
        (130.0, "about 2 minutes left"),
        (7300.0, "about 2 hours left"),
        (3e5, "about 3 days left"),
    ],
)
def test_the_time_left_is_said_plainly(seconds, words):
    assert time_left(seconds) == words


@pytest.mark.parametrize(
    ("words", "said"),
    [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")],
)
def test_words_are_listed(words, said):
    assert listed(words) == said
