"""From words to vectors."""

import numpy as np
import pytest

from posenc_model.embeddings import OneHotEmbedding, RandomEmbedding, require_known
from posenc_model.errors import PosencError
from posenc_model.vocabulary import Vocabulary


def test_one_hot_has_a_one_at_the_words_place_and_nothing_for_unknown_words():
    embedding = OneHotEmbedding(Vocabulary(("dog", "bites", "man")))
    expected = [[0, 0, 1], [0, 0, 0], [1, 0, 0], [0, 0, 1]]
    vectors = embedding.vectors(["man", "cat", "dog", "man"])
    assert embedding.width == 3
    assert vectors.dtype == np.float32
    assert vectors.tolist() == expected
    assert embedding.knows("dog")
    assert not embedding.knows("Dog")


def test_a_word_is_not_affected_by_the_words_around_it():
    among_others = RandomEmbedding(16, 0).vectors(["a", "dog", "bites", "dog"])
    alone = RandomEmbedding(16, 0).vectors(["dog"])
    assert np.array_equal(among_others[1], alone[0])
    assert np.array_equal(among_others[3], alone[0])
    assert not np.array_equal(among_others[2], alone[0])


def test_word_seed_and_width_each_change_the_vector():
    vectors = [
        RandomEmbedding(width, seed).vectors([word])[0, :8]
        for width, seed, word in ((8, 0, "a"), (8, 1, "a"), (8, 0, "A"), (9, 0, "a"))
    ]
    assert len({tuple(vector) for vector in vectors}) == 4


def test_random_vectors_are_standard_normal():
    vectors = RandomEmbedding(512, 0).vectors([f"word{i}" for i in range(200)])
    assert abs(vectors.mean()) < 0.02
    assert abs(vectors.std() - 1) < 0.02
    directions = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    assert np.abs(directions @ directions.T - np.eye(200)).max() < 0.3


def test_no_word_is_unknown_to_random_vectors():
    require_known(RandomEmbedding(4, 0), ["zyx", "", "她"])


def test_every_unknown_word_is_named_once():
    embedding = OneHotEmbedding(Vocabulary(("a",)))
    with pytest.raises(PosencError, match="“b”, “c” are not in the vocabulary") as refusal:
        require_known(embedding, ["b", "a", "c", "b"])
    assert refusal.value.setting == "unk_ignore"
    with pytest.raises(PosencError, match="“b” is not in the vocabulary"):
        require_known(embedding, ["b"])
    require_known(embedding, ["a", "a"])
