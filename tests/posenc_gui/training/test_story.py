import numpy as np

from posenc_gui.training.story import best_head, learning


def looking_left(share, places=3, n=8):
    """Weights [1, 2, n, n] whose second head puts ``share`` on the word so many places left."""
    weights = np.full((1, 2, n, n), 0.01, dtype=np.float32)
    weights[0, 1] += share * np.eye(n, k=-places, dtype=np.float32)
    return weights


def test_the_head_that_looks_there_is_found():
    head, share = best_head(looking_left(0.8), 3)
    assert head == 2
    assert abs(share - 0.81) < 1e-6
    assert best_head(looking_left(0.8), 100) == (1, 0.0)


def test_at_first_all_guess():
    said = learning({"t5": 0.07}, {}, {}, 3, 14)
    assert "of 14 words one is right by chance (7 %)" in said


def test_what_was_learned_is_said_with_what_the_matrix_shows():
    said = learning({"rel": 0.99, "t5": 0.3}, {"rel": 180}, {"rel": looking_left(0.8)}, 3, 14)
    assert "rel at step 180" in said
    assert "head 2 puts 81 % of its attention 3 places to the left" in said
    assert "Still learning: t5 (30 %)." in said


def test_nothing_is_claimed_of_a_matrix_that_does_not_show_it():
    said = learning({"rel": 0.99}, {"rel": 180}, {"rel": looking_left(0.0)}, 3, 14)
    assert "matrix" not in said
