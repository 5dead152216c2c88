"""Tasks on made-up sentences, against slow loops over lists."""

import numpy as np
import pytest

from posenc_model.errors import PosencError
from posenc_model.training import TASKS
from posenc_model.training.settings import TrainingSettings
from posenc_model.training.tasks import NOTHING, LetterTask
from posenc_model.words import FIRST_WORD, MASK_WORD, UNKNOWN_WORD

LETTERS = ["recall", "reverse", "sort", "copy"]


def make(name: str, **values: object) -> LetterTask:
    task = TASKS[name].load()(TrainingSettings.of({"task": name, **values}))
    assert isinstance(task, LetterTask)
    return task


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.Generator(np.random.SFC64(seed))


def recall(sentence: list[int], places: int = 10) -> list[int]:
    return [sentence[i - places] if i >= places else NOTHING for i in range(len(sentence))]


def reverse(sentence: list[int]) -> list[int]:
    answers = []
    for i in range(len(sentence)):
        answers.append(sentence[len(sentence) - 1 - i])
    return answers


def sort(sentence: list[int]) -> list[int]:
    """Counted, letter by letter."""
    answers = []
    for letter in range(FIRST_WORD, FIRST_WORD + 26):
        for word in sentence:
            if word == letter:
                answers.append(letter)
    return answers


def copy(sentence: list[int], nth: int = 3) -> list[int]:
    return [sentence[nth - 1] for _ in sentence]


@pytest.mark.parametrize("name", LETTERS)
@pytest.mark.parametrize("length", [11, 12, 20, 41])
def test_answers_are_those_of_a_plain_loop(name, length):
    batch = make(name).of_length(length, 30, generator())
    assert batch.words.shape == batch.targets.shape == (30, length)
    expected = [globals()[name](sentence) for sentence in batch.words.tolist()]
    assert batch.targets.tolist() == expected


@pytest.mark.parametrize("name", LETTERS)
def test_answers_do_not_change_the_words(name):
    task = make(name)
    words = task.of_length(12, 3, generator()).words
    before = words.copy()
    task.answers(words)[:] = 0
    assert (words == before).all()


def test_other_places_and_other_words_can_be_asked_for():
    sentence = [[2, 3, 4, 5]]
    assert make("recall", places=1).answers(np.array(sentence)).tolist() == [[NOTHING, 2, 3, 4]]
    assert make("copy", nth=4).answers(np.array(sentence)).tolist() == [[5, 5, 5, 5]]


@pytest.mark.parametrize("name", LETTERS)
def test_all_letters_are_drawn_and_equally_often(name):
    task = make(name, kinds=5)
    assert task.words == (UNKNOWN_WORD, MASK_WORD, "a", "b", "c", "d", "e")
    drawn = np.bincount(task.of_length(20, 5000, generator()).words.ravel())
    assert drawn[:FIRST_WORD].sum() == 0
    # Five standard deviations of a binomial count.
    assert drawn[FIRST_WORD:] == pytest.approx([20_000] * 5, abs=5 * (100_000 * 0.2 * 0.8) ** 0.5)


def test_batches_have_every_length_and_at_most_the_tokens_asked_for():
    task = make("recall", min_length=12, max_length=15, batch_tokens=100)
    source = generator()
    shapes = [task.batch(source).words.shape for _ in range(400)]
    counts = {length: sum(shape[1] == length for shape in shapes) for length in range(12, 16)}
    assert sum(counts.values()) == 400
    assert min(counts.values()) > 60
    assert all(shape[0] == 100 // shape[1] for shape in shapes)


@pytest.mark.parametrize("name", LETTERS)
def test_the_same_generator_gives_the_same_batch(name):
    task = make(name)
    one, same, other = (task.batch(generator(seed)) for seed in (1, 1, 2))
    assert (one.words == same.words).all()
    assert one.words.shape != other.words.shape or (one.words != other.words).any()


@pytest.mark.parametrize("name", LETTERS)
def test_what_is_held_out_is_the_same_each_time_and_as_long_as_the_longest(name):
    task = make(name)
    one, other = list(task.held_out()), list(task.held_out())
    assert sum(len(batch.words) for batch in one) == 200
    for a, b in zip(one, other, strict=True):
        assert a.words.shape[1] == 20
        assert (a.words == b.words).all()
    assert task.example().words.tolist() == one[0].words[:1].tolist()


def test_the_parts_of_a_batch_are_the_batch():
    batch = make("reverse").of_length(4000, 9, generator())
    parts = list(batch.parts())
    assert [len(part.words) for part in parts] == [4, 4, 1]
    assert (np.concatenate([part.words for part in parts]) == batch.words).all()
    assert (np.concatenate([part.targets for part in parts]) == batch.targets).all()


@pytest.mark.parametrize(
    ("name", "length", "sentence"),
    [
        ("recall", 10, "min_length is 10, but has to be more than 10 to have a word 10 places to "),
        ("copy", 2, "min_length is 2, but has to be at least 3 to have a word number 3."),
    ],
)
def test_sentences_too_short_to_ask_anything_are_refused(name, length, sentence):
    with pytest.raises(PosencError) as refusal:
        make(name, min_length=length)
    assert refusal.value.sentence.startswith(sentence)
    assert refusal.value.setting == "min_length"
    make(name, min_length=length + 1)
    with pytest.raises(PosencError, match=f"lengths is {length}"):
        make(name).check(length, "lengths")
