"""The model that learns: words in, an encoder, the same words out."""

import pytest
import torch
import torch.nn.functional as F

from posenc_model.encodings import ENCODINGS
from posenc_model.training.learner import Learner
from posenc_model.words import FIRST_WORD, UNKNOWN

WORDS = ("[unknown]", "[mask]", "a", "b", "c")


def test_vectors_are_rows_times_the_root_of_the_width(make_settings):
    learner = Learner(make_settings(), WORDS)
    vectors = learner.vectors(torch.tensor([[2, UNKNOWN, 4, 1]]))
    expected = learner.words * 8**0.5
    for place, word in enumerate([2, None, 4, 1]):
        row = torch.zeros(8) if word is None else expected[word]
        torch.testing.assert_close(vectors[0, place], row)


def test_words_start_with_about_unit_numbers(make_settings):
    learner = Learner(make_settings(width=64, num_heads=4), [*WORDS, *map(str, range(200))])
    assert learner.vectors(torch.arange(2, 205)[None]).std().item() == pytest.approx(1, abs=0.05)


def test_an_unknown_word_gets_no_gradient(make_settings):
    learner = Learner(make_settings(positional_encoding="abs"), WORDS)
    words = torch.tensor([[UNKNOWN, 2, 3, UNKNOWN, 4, 1]])
    learner(words, torch.ones_like(words, dtype=torch.bool)).square().sum().backward()
    gradient = learner.words.grad
    assert gradient is not None
    assert (gradient[UNKNOWN] == 0).all()
    assert (gradient[1:] != 0).any(dim=1).all()


def test_the_output_uses_the_words_own_vectors(make_settings):
    learner = Learner(make_settings(), WORDS)
    learner.named_bias.data = torch.tensor([0.5, -1.0, 2.0])
    hidden = torch.randn(7, 8, generator=torch.Generator().manual_seed(0))
    scores = learner.name(hidden)
    for place in range(7):
        for word in range(FIRST_WORD, len(WORDS)):
            expected = (hidden[place] * learner.words[word]).sum() + learner.named_bias[word - 2]
            torch.testing.assert_close(scores[place, word - FIRST_WORD], expected)
    # One matrix only: no other parameter has a row for each word.
    shapes = [tuple(p.shape) for p in learner.parameters()]
    assert shapes.count((len(WORDS), 8)) == 1
    assert (8, len(WORDS)) not in shapes
    before = scores.detach().clone()
    learner.words.data *= 2
    torch.testing.assert_close(
        learner.name(hidden) - learner.named_bias, 2 * (before - learner.named_bias)
    )


def test_the_vectors_learn_from_both_ends(make_settings):
    learner = Learner(make_settings(), WORDS)
    words = torch.tensor([[2, 2, 2]])
    scores = learner(words, torch.ones_like(words, dtype=torch.bool))
    F.cross_entropy(scores, torch.tensor([1, 1, 1])).backward()
    gradient = learner.words.grad
    assert gradient is not None
    assert (gradient[4] != 0).any()  # never read, but a rival in the output
    assert (gradient[1] == 0).all()  # the mask can be read only, and was not


def test_only_the_places_asked_for_are_scored(make_settings):
    learner = Learner(make_settings(positional_encoding="rel"), WORDS)
    words = torch.tensor([[2, 3, 4], [4, 3, 2]])
    where = torch.tensor([[True, False, True], [False, True, False]])
    everywhere = learner(words, torch.ones_like(where)).view(2, 3, -1)
    torch.testing.assert_close(learner(words, where), everywhere[where])


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_parameter_learns(make_settings, encoding):
    learner = Learner(make_settings(positional_encoding=encoding, num_layers=2), WORDS)
    words = torch.tensor([[2, 3, 4, 1, 2, 3]])
    learner(words, words > 0).square().sum().backward()
    for name, parameter in learner.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().max() > 0, name


@pytest.mark.parametrize(("encoding", "table"), [("rel", "key_tables.0"), ("t5", "bias")])
def test_position_tables_start_small(make_settings, encoding, table):
    learner = Learner(make_settings(positional_encoding=encoding, width=64, num_heads=1), WORDS)
    drawn = dict(learner.encoder.encoding.named_parameters())[table]
    assert drawn.std().item() == pytest.approx(0.02, rel=0.3)


def test_encodings_share_all_weights_that_they_both_have(make_settings):
    learners = [Learner(make_settings(positional_encoding=name), WORDS) for name in ENCODINGS]
    for learner in learners[1:]:
        other = learners[0].state_dict()
        for name, tensor in learner.state_dict().items():
            if ".encoding." not in name:
                assert torch.equal(tensor, other[name]), name
