"""Trained encoders: their files, their vectors and their guesses."""

import json
import shutil

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from posenc_model import encode
from posenc_model.compare import with_encoding
from posenc_model.errors import PosencError
from posenc_model.request import RunRequest
from posenc_model.run import run
from posenc_model.settings import Settings
from posenc_model.trained import read_trained, shipped_encodings, shipped_path
from posenc_model.trained_encoder import load_trained
from posenc_model.training.checkpoints import save_checkpoint
from posenc_model.training.export import export_encoder
from posenc_model.training.settings import TrainingSettings
from posenc_model.training.trainer import Trainer

TEXT = "\n\n".join(f"the dog number {i} bites the man ." for i in range(60))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A trainer after some steps, and the file of its encoder."""
    folder = tmp_path_factory.mktemp("trained")
    (folder / "text.txt").write_text(TEXT, encoding="utf-8")
    settings = TrainingSettings.of(
        {
            "task": "masked",
            "text_file": str(folder / "text.txt"),
            "positional_encoding": "rel",
            "clip_distance": 3,
            "width": 16,
            "num_layers": 2,
            "num_heads": 2,
            "batch_tokens": 64,
            "learning_rate": 1e-2,
            "warmup_steps": 1,
            "vocabulary_size": 30,
        }
    )
    trainer = Trainer(settings)
    for _ in range(20):
        trainer.step()
    checkpoint = save_checkpoint(folder, trainer, [])
    export_encoder(checkpoint, folder / "small.safetensors", {"text": "dogs"})
    return trainer, folder / "small.safetensors"


def header_of(path):
    with safe_open(path, framework="numpy") as file:
        return file.metadata()


def rewritten(path, target, tensors=None, **changed):
    save_file(load_file(path) | (tensors or {}), target, {**header_of(path), **changed})
    return target


def test_the_file_holds_half_precision_and_what_was_trained(made):
    trainer, path = made
    info = read_trained(path)
    assert (info.config.width, info.config.num_layers, info.config.num_heads) == (16, 2, 2)
    assert info.config.options["clip_distance"] == 3
    assert info.words == trainer.task.words
    assert info.notes == {"steps": 20, "longest": 64, "text": "dogs"}
    assert {tensor.dtype for tensor in load_file(path).values()} == {torch.float16}


def test_vectors_states_and_scores_are_those_of_the_learner(made):
    trainer, path = made
    trained = load_trained(path)
    words = ["the", "dog", "bites", "unheard"]
    indices = torch.tensor([[trainer.task.words.index(w) for w in words[:3]] + [0]])
    learner = trainer.learner
    with torch.no_grad():
        vectors = learner.vectors(indices)
        hidden = learner.encoder(vectors).last_hidden_state[0]
        expected = learner.name(hidden).softmax(-1)
    np.testing.assert_allclose(trained.embedding.vectors(words), vectors[0], atol=5e-3)
    assert not trained.embedding.vectors(words)[3].any()
    own = trained.encoder(torch.from_numpy(trained.embedding.vectors(words))[None])
    np.testing.assert_allclose(own.last_hidden_state[0], hidden, atol=2e-2)
    shares = trained.scores(own.last_hidden_state[0]).softmax(-1)
    np.testing.assert_allclose(shares, expected, atol=5e-3)


def test_case_and_quotes_do_not_matter(made):
    embedding = load_trained(made[1]).embedding
    np.testing.assert_array_equal(embedding.vectors(["The"]), embedding.vectors(["the"]))
    assert embedding.knows("DOG")
    assert not embedding.knows("[mask]")
    assert not embedding.knows("[unknown]")


def test_guesses_are_the_largest_shares_of_the_softmax(made):
    _, path = made
    settings = Settings.of({"weights": str(path), "nlp_pipeline": "whitespace"})
    text = "the dog number 7 bites the man ."
    result = run(RunRequest(0, text, settings, masked=(1, 4)))
    trained = load_trained(path)
    vectors = trained.embedding.vectors(text.split())
    vectors[[1, 4]] = trained.embedding.mask
    states = trained.encoder(torch.from_numpy(vectors)[None]).last_hidden_state[0]
    np.testing.assert_allclose(result.last_hidden_state, states, atol=1e-6)
    for guesses, index, word in zip(result.guesses, (1, 4), ("dog", "bites"), strict=True):
        shares = trained.scores(states[index]).softmax(-1).numpy()
        order = np.argsort(-shares)
        assert [g.word for g in guesses.likeliest] == [trained.info.words[i + 2] for i in order[:5]]
        np.testing.assert_allclose([g.probability for g in guesses.likeliest], shares[order[:5]])
        place = trained.info.words.index(word) - 2
        assert guesses.own == pytest.approx(shares[place])
        assert guesses.rank == list(order).index(place) + 1
        assert (guesses.index, guesses.word) == (index, word)
    assert [token.text for token in result.tokens][1] == "[mask]"
    assert text[result.tokens[1].start : result.tokens[1].end] == "dog"


def test_an_unknown_word_can_be_hidden_but_has_no_rank(made):
    settings = Settings.of({"weights": str(made[1]), "nlp_pipeline": "whitespace"})
    result = run(RunRequest(0, "the unheard man", settings, masked=(1,)))
    assert (result.guesses[0].own, result.guesses[0].rank) == (None, None)
    assert result.is_unknown == (False, False, False)


def test_unknown_words_are_marked_or_refused(made):
    settings = {"weights": str(made[1]), "nlp_pipeline": "whitespace"}
    assert encode("the unheard man", **settings).is_unknown == (False, True, False)
    with pytest.raises(PosencError, match="“unheard”"):
        encode("the unheard man", unk_ignore=False, **settings)


@pytest.mark.parametrize("masked", [(3,), (-1,)])
def test_only_words_of_the_text_can_be_hidden(made, masked):
    settings = Settings.of({"weights": str(made[1]), "nlp_pipeline": "whitespace"})
    with pytest.raises(PosencError, match="from 1 to 3"):
        run(RunRequest(0, "a b c", settings, masked=masked))


def test_random_weights_guess_nothing():
    settings = Settings.of({"width": 8, "num_layers": 1, "nlp_pipeline": "whitespace"})
    with pytest.raises(PosencError, match="Only trained weights"):
        run(RunRequest(0, "a b c", settings, masked=(1,)))


def test_a_batch_gives_what_each_text_gives_alone(made):
    settings = {"weights": str(made[1]), "nlp_pipeline": "whitespace"}
    texts = ["the dog bites", "the man bites the dog number 7"]
    for together, text in zip(encode(texts, **settings), texts, strict=True):
        alone = encode(text, **settings)
        np.testing.assert_allclose(together.attentions, alone.attentions, atol=1e-6)


def test_a_truncated_file_is_damaged(made, tmp_path):
    path = tmp_path / "torn.safetensors"
    path.write_bytes(made[1].read_bytes()[:-100])
    with pytest.raises(PosencError, match=r"“torn\.safetensors” is damaged"):
        read_trained(path)


def test_another_programs_file_is_refused(tmp_path):
    save_file({"a": torch.zeros(2)}, tmp_path / "other.safetensors")
    with pytest.raises(PosencError, match="not a trained encoder of this program"):
        read_trained(tmp_path / "other.safetensors")
    (tmp_path / "text.safetensors").write_text("hello, this is no such file")
    with pytest.raises(PosencError, match="is damaged"):
        read_trained(tmp_path / "text.safetensors")


@pytest.mark.parametrize(
    ("name", "value"),
    [("width", 10**9), ("width", 18), ("num_layers", 10**6), ("num_heads", -1), ("nonsense", 1)],
)
def test_a_header_that_claims_other_sizes_is_refused(made, tmp_path, name, value):
    config = json.loads(header_of(made[1])["config"]) | {name: value}
    path = rewritten(made[1], tmp_path / "a.safetensors", config=json.dumps(config))
    with pytest.raises(PosencError) as caught:
        read_trained(path)
    assert caught.value.setting == "weights"


def test_more_layers_than_the_file_has_are_damage(made, tmp_path):
    config = json.loads(header_of(made[1])["config"]) | {"num_layers": 3}
    path = rewritten(made[1], tmp_path / "a.safetensors", config=json.dumps(config))
    with pytest.raises(PosencError, match="is damaged"):
        load_trained(path)


def test_biases_that_do_not_fit_are_damage(made, tmp_path):
    path = rewritten(made[1], tmp_path / "a.safetensors", {"named_bias": torch.zeros(3)})
    with pytest.raises(PosencError, match="is damaged"):
        load_trained(path)


def test_a_file_that_was_replaced_is_read_anew(made, tmp_path):
    path = tmp_path / "a.safetensors"
    shutil.copy(made[1], path)
    assert read_trained(path).notes["text"] == "dogs"
    rewritten(made[1], path, notes=json.dumps({"text": "cats"}))
    assert read_trained(path).notes["text"] == "cats"


def test_there_is_no_such_file(tmp_path):
    with pytest.raises(PosencError, match="no such file"):
        read_trained(tmp_path / "none.safetensors")


def test_every_encoding_comes_trained_with_the_same_vocabulary():
    assert shipped_encodings() == ("t5", "rel", "abs", "none")
    infos = [read_trained(shipped_path(name)) for name in shipped_encodings()]
    assert [info.config.positional_encoding for info in infos] == list(shipped_encodings())
    assert len({info.words for info in infos}) == 1
    assert {(i.config.num_layers, i.config.num_heads, i.config.width) for i in infos} == {
        (4, 8, 128)
    }
    assert sum(shipped_path(name).stat().st_size for name in shipped_encodings()) < 40 * 2**20


def test_shipped_heads_look_at_neighbours_where_there_is_position():
    """On a sentence with no word twice; without position no head can tell the neighbours."""
    text = "He did not know what she had said about their house in town."
    best = {}
    for name in shipped_encodings():
        overview = encode(text, weights="trained", positional_encoding=name).overview
        best[name] = (overview.previous.max(), overview.next.max())
    for name in ("t5", "rel"):
        assert min(best[name]) > 0.45, name
    assert min(best["abs"]) > 0.2
    assert max(best["none"]) < 0.2


def test_shipped_weights_without_position_only_permute():
    words = ["he", "did", "not", "know", "what", "she", "had", "said"]
    settings = {"weights": "trained", "nlp_pipeline": "whitespace"}
    one = encode(" ".join(words), positional_encoding="none", **settings)
    other = encode(" ".join(words[::-1]), positional_encoding="none", **settings)
    np.testing.assert_allclose(one.attentions, other.attentions[:, :, ::-1, ::-1], atol=1e-5)


def test_numbers_that_are_not_finite_are_damage(made, tmp_path):
    words = load_file(made[1])["words"].clone()
    words[3, 2] = float("nan")
    path = rewritten(made[1], tmp_path / "a.safetensors", {"words": words})
    with pytest.raises(PosencError, match="not finite"):
        load_trained(path)


def test_longer_texts_than_were_learned_from_are_said(made):
    settings = {"weights": str(made[1]), "nlp_pipeline": "whitespace"}
    said = "learned from at most 64 at a time"
    assert not any(said in w for w in encode("a " * 64, **settings).warnings)
    assert any(said in w for w in encode("a " * 65, **settings).warnings)


def test_an_encoder_of_ones_own_names_its_encoding(made):
    with pytest.raises(PosencError, match="positional_encoding is abs, but has to be rel"):
        encode("a", weights=str(made[1]), positional_encoding="abs")
    with pytest.raises(PosencError, match="no other encoding"):
        with_encoding(Settings.of({"weights": str(made[1])}), "abs")


def test_a_setting_that_does_not_exist_is_said_to_be_none():
    with pytest.raises(PosencError, match="no option “foo”"):
        encode("a", weights="trained", foo=1)


def test_a_checkpoint_is_no_encoder_and_says_what_is(made, tmp_path):
    checkpoint = save_checkpoint(tmp_path, made[0], [])
    with pytest.raises(PosencError, match="is a checkpoint of a training"):
        read_trained(checkpoint)
