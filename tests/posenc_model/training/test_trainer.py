"""Learning step by step, against the same arithmetic written out."""

import math

import numpy as np
import pytest
import torch

from posenc_model.encodings import ENCODINGS
from posenc_model.training.settings import learning_rate_at
from posenc_model.training.tasks import NOTHING, Batch
from posenc_model.training.trainer import Trainer
from posenc_model.words import FIRST_WORD


def state(trainer: Trainer) -> dict[str, torch.Tensor]:
    return {name: tensor.clone() for name, tensor in trainer.learner.state_dict().items()}


def batches(trainer: Trainer, count: int, monkeypatch: pytest.MonkeyPatch) -> list[Batch]:
    """The batches of the next steps."""
    drawn: list[Batch] = []
    draw = trainer.task.batch

    def batch(generator: np.random.Generator) -> Batch:
        drawn.append(draw(generator))
        return drawn[-1]

    with monkeypatch.context() as patch:
        patch.setattr(trainer.task, "batch", batch)
        for _ in range(count):
            trainer.step()
    return drawn


def test_the_loss_is_the_mean_cross_entropy_in_nats(make_settings):
    """By hand: the model names all words alike but for the bias."""
    trainer = Trainer(make_settings(kinds=3))
    trainer.learner.words.data.zero_()
    trainer.learner.named_bias.data = torch.tensor([0.0, math.log(2), math.log(5)])
    batch = Batch(np.array([[2, 3, 4]]), np.array([[NOTHING, 3, 4]]))
    loss, accuracy = trainer.evaluate([batch])
    assert loss == pytest.approx(-(math.log(2 / 8) + math.log(5 / 8)) / 2)
    assert accuracy == 0.5


def test_several_batches_count_by_their_words(make_settings):
    trainer = Trainer(make_settings(kinds=3))
    trainer.learner.words.data.zero_()
    trainer.learner.named_bias.data = torch.tensor([0.0, 0.0, 1.0])
    batch = Batch(np.array([[2, 3, 4]]), np.array([[4, 4, 4]]))
    other = Batch(np.array([[2, 3, 4]]), np.array([[NOTHING, NOTHING, 2]]))
    nothing = Batch(np.array([[2, 3, 4]]), np.full((1, 3), NOTHING))
    loss, accuracy = trainer.evaluate([batch, other, nothing])
    assert accuracy == 0.75
    of_four, of_two = (1 - math.log(2 + math.e), -math.log(2 + math.e))
    assert loss == pytest.approx(-(3 * of_four + of_two) / 4, rel=1e-6)
    assert trainer.evaluate([nothing]) == (0.0, 0.0)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_step_is_adamw_on_the_clipped_gradient(make_settings, monkeypatch, encoding):
    """Against AdamW written out from Loshchilov and Hutter 2017, algorithm 2, in float64."""
    settings = make_settings(positional_encoding=encoding, learning_rate=0.1, warmup_steps=2)
    trainer = Trainer(settings)
    reference = Trainer(settings)
    drawn = batches(trainer, 3, monkeypatch)
    parameters = list(reference.learner.parameters())
    means = [torch.zeros_like(p, dtype=torch.float64) for p in parameters]
    squares = [torch.zeros_like(p, dtype=torch.float64) for p in parameters]
    for number, batch in enumerate(drawn, 1):
        words, targets = torch.from_numpy(batch.words), torch.from_numpy(batch.targets)
        where = targets != NOTHING
        scores = reference.learner(words, where)
        wanted = targets[where] - FIRST_WORD
        loss = -scores.log_softmax(-1)[torch.arange(len(wanted)), wanted].mean()
        reference.learner.zero_grad()
        loss.backward()
        gradients = [p.grad.double() for p in parameters]
        norm = math.sqrt(sum(float(g.square().sum()) for g in gradients))
        rate = learning_rate_at(settings, number)
        with torch.no_grad():
            for p, g, mean, square in zip(parameters, gradients, means, squares, strict=True):
                g = g * min(1.0, 1.0 / norm)
                mean.mul_(0.9).add_(0.1 * g)
                square.mul_(0.98).add_(0.02 * g * g)
                change = (mean / (1 - 0.9**number)) / ((square / (1 - 0.98**number)).sqrt() + 1e-8)
                p.copy_(p.double() * (1 - 0.01 * rate) - rate * change)
    for name, tensor in trainer.learner.state_dict().items():
        torch.testing.assert_close(
            tensor, reference.learner.state_dict()[name], atol=2e-4, rtol=1e-3, msg=name
        )


def test_a_step_says_what_was_before_its_own_correction(make_settings, monkeypatch):
    trainer, other = Trainer(make_settings()), Trainer(make_settings())
    (batch,) = batches(other, 1, monkeypatch)
    loss, accuracy = trainer.evaluate([batch])
    step = trainer.step()
    assert (step.number, step.tokens) == (1, batch.words.size)
    assert (step.loss, step.accuracy) == (pytest.approx(loss), pytest.approx(accuracy))
    assert step.learning_rate == learning_rate_at(trainer.settings, 1)
    assert trainer.done == 1
    assert not trainer.learner.training


def test_each_batch_depends_on_the_seed_and_the_step_only(make_settings, monkeypatch):
    one = batches(Trainer(make_settings(positional_encoding="abs")), 4, monkeypatch)
    same = batches(Trainer(make_settings(positional_encoding="rel", num_layers=2)), 4, monkeypatch)
    other = batches(Trainer(make_settings(seed=1)), 4, monkeypatch)
    late = Trainer(make_settings())
    late.done = 2
    assert all((a.words == b.words).all() for a, b in zip(one, same, strict=True))
    assert any(a.words.tolist() != b.words.tolist() for a, b in zip(one, other, strict=True))
    assert (batches(late, 1, monkeypatch)[0].words == one[2].words).all()


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_the_same_settings_learn_the_same_bit_for_bit(make_settings, precision):
    one, other = (Trainer(make_settings(precision=precision)) for _ in range(2))
    assert [one.step() for _ in range(5)] == [other.step() for _ in range(5)]
    assert all(
        torch.equal(a, b) for a, b in zip(state(one).values(), state(other).values(), strict=True)
    )


def test_mixed_precision_learns_about_the_same_and_stays_float32(make_settings):
    exact, mixed = Trainer(make_settings()), Trainer(make_settings(precision="bfloat16"))
    first, second = exact.step(), mixed.step()
    assert first.loss != second.loss
    assert first.loss == pytest.approx(second.loss, rel=0.02)
    assert {tensor.dtype for tensor in state(mixed).values()} == {torch.float32}


def test_evaluating_and_watching_change_nothing(make_settings):
    trainer, other = Trainer(make_settings()), Trainer(make_settings())
    for _ in range(3):
        trainer.step()
        other.step()
        trainer.evaluate(trainer.task.held_out())
        trainer.attentions(trainer.task.example().words)
    assert all(
        torch.equal(a, b)
        for a, b in zip(state(trainer).values(), state(other).values(), strict=True)
    )


def test_attentions_are_those_of_one_sentence(make_settings):
    trainer = Trainer(make_settings(num_layers=2))
    words = trainer.task.example().words
    attentions = trainer.attentions(words)
    n = words.shape[1]
    assert attentions.shape == (2, 2, n, n)
    np.testing.assert_allclose(attentions.sum(-1), 1, atol=1e-6)
    output = trainer.learner.encoder(trainer.learner.vectors(torch.from_numpy(words)))
    np.testing.assert_array_equal(attentions[1], output.attentions[1][0].detach().numpy())


@pytest.mark.parametrize("encoding", ["rel", "t5"])
def test_an_easy_task_is_learned(make_settings, encoding):
    """The word before; t5 has a bucket for it alone, too."""
    easy = {"places": 1, "kinds": 4, "width": 16, "min_length": 4, "max_length": 6}
    fast = {"steps": 160, "warmup_steps": 10, "learning_rate": 2e-2, "batch_tokens": 128}
    trainer = Trainer(make_settings(positional_encoding=encoding, **easy, **fast))
    before = trainer.evaluate(trainer.task.held_out())[1]
    for _ in range(160):
        trainer.step()
    assert before < 0.5
    assert trainer.evaluate(trainer.task.held_out())[1] > 0.95


def test_a_batch_that_asks_nothing_is_a_step_like_others(make_settings, monkeypatch):
    trainer = Trainer(make_settings())
    nothing = Batch(np.array([[2, 3, 4]]), np.full((1, 3), NOTHING))
    trainer.step()
    with monkeypatch.context() as patch:
        patch.setattr(trainer.task, "batch", lambda generator: nothing)
        assert trainer.step().loss == 0.0
    steps = {float(own["step"]) for own in trainer.optimizer.state.values()}
    assert steps == {2.0}
    assert all(tensor.isfinite().all() for tensor in state(trainer).values())


def test_without_position_no_place_can_be_told_from_another(make_settings):
    """Places with the same letter then give the same answer."""
    trainer = Trainer(make_settings(positional_encoding="none"))
    for _ in range(3):
        trainer.step()
    words = torch.tensor([[2, 3, 2, 4, 2]])
    scores = trainer.learner(words, torch.ones_like(words, dtype=torch.bool))
    torch.testing.assert_close(scores[0], scores[2])
    torch.testing.assert_close(scores[0], scores[4])
