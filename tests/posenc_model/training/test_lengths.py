"""The length test and what is said of it."""

import pytest

from posenc_model.errors import PosencError
from posenc_model.training.lengths import (
    REPORTED,
    accuracy_at,
    describe_lengths,
    percent,
    refuse_texts,
    why_hard,
)
from posenc_model.training.settings import TrainingSettings
from posenc_model.training.trainer import Trainer

FOUND = {
    "abs": {20: 1.0, 40: 0.4, 160: 0.15},
    "rel": {20: 1.0, 40: 1.0, 160: 0.953},
    "t5": {20: 0.34, 40: 0.32, 160: 0.2},
}


def test_what_was_found_is_said_in_its_own_numbers():
    assert describe_lengths(FOUND, 20) == (
        "In sentences of 20 words, as in training, abs names 100 % of the words asked for, "
        "rel 100 % and t5 34 %. In sentences of 160 words, 8 times the longest of the training, "
        "rel names 95 % of the words asked for, t5 20 % and abs 15 %: rel holds on, abs does not "
        f"and t5 had not learned the task in the first place. {REPORTED}"
    )


def test_the_longest_length_that_was_learned_is_the_one_compared_with():
    said = describe_lengths(FOUND, 64)
    assert said.startswith("In sentences of 40 words, no longer than in training, rel names 100 %")
    assert "In sentences of 160 words, 2.5 times the longest" in said
    assert said.endswith(
        f"rel holds on and abs and t5 had not learned the task in the first place. {REPORTED}"
    )


def test_nothing_is_claimed_of_lengths_that_were_not_asked():
    assert describe_lengths({"t5": {40: 0.5}}, 20) == (
        "In sentences of 40 words, 2 times the longest of the training, t5 names 50 % of the words "
        f"asked for. {REPORTED}"
    )
    assert describe_lengths({"t5": {12: 0.5}}, 20) == (
        "In sentences of 12 words, no longer than in training, t5 names 50 % of the words asked "
        f"for. {REPORTED}"
    )
    assert describe_lengths({}, 20) == describe_lengths({"t5": {}}, 20) == ""


def test_where_none_or_all_learned_it_that_is_said():
    nobody = {"t5": {20: 0.3, 40: 0.2}, "none": {20: 0.2, 40: 0.1}}
    assert "none 10 %: t5 and none had not learned the task. " in describe_lengths(nobody, 20)
    everybody = {"rel": {20: 1.0, 40: 0.99}, "abs": {20: 0.95, 40: 0.9}}
    assert "abs 90 %: rel and abs hold on. " in describe_lengths(everybody, 20)


@pytest.mark.parametrize(
    ("share", "text"),
    [(1.0, "100 %"), (0.9999, "99.9 %"), (0.996, "99.6 %"), (0.994, "99 %"), (0.0, "0 %")],
)
def test_a_hundred_percent_means_all(share, text):
    assert percent(share) == text


def test_accuracy_counts_the_words_named_rightly(make_settings):
    """A model that names the same letter everywhere is right where that letter is asked for."""
    trainer = Trainer(make_settings(kinds=3))
    trainer.learner.words.data.zero_()
    trainer.learner.named_bias.data[1] = 1.0
    found = accuracy_at(trainer, (11, 30, 200))
    assert list(found) == [11, 30, 200]
    for length, share in found.items():
        asked = 200 * (length - 10)
        assert share == pytest.approx(1 / 3, abs=5 * (2 / 9 / asked) ** 0.5)
    assert accuracy_at(trainer, (30,)) == {30: found[30]}


def test_long_sentences_in_smaller_batches_give_the_same(make_settings, monkeypatch):
    trainer = Trainer(make_settings())
    whole = accuracy_at(trainer, (40,))
    monkeypatch.setattr("posenc_model.training.tasks._TOKENS_AT_ONCE", 40 * 7)
    calls = []
    assert accuracy_at(trainer, (40,), lambda: calls.append(1)) == pytest.approx(whole)
    assert len(calls) == 29


def test_a_length_too_short_for_the_task_is_refused(make_settings):
    with pytest.raises(PosencError, match="lengths is 10, but has to be more than 10"):
        accuracy_at(Trainer(make_settings()), (10,))


def test_a_text_has_no_longer_sentences():
    with pytest.raises(PosencError, match="a text cannot be made longer"):
        refuse_texts("masked")
    refuse_texts("sort")


def test_why_an_encoding_finds_recall_hard():
    def reason(encoding, places=10, **more):
        values = {"positional_encoding": encoding, "places": places, **more}
        return why_hard(TrainingSettings.of({"max_length": 40, "min_length": 30, **values}))

    # Distances 8 to 11 share a bucket, 7 has one of its own (Raffel et al. 2019).
    assert "8 to 11 places away look alike, and the task asks for the one 10" in reason("t5")
    assert reason("t5", places=7) == ""
    assert reason("rel") == ""
    assert "from 4 places on look alike" in reason("rel", clip_distance=4)
    assert reason("abs") == reason("none") == ""
