"""Large matrices, reduced for drawing."""

import numpy as np

from posenc_gui.head_weights import block_maxima


def blocks(matrix, size):
    n = len(matrix)
    for row in range(0, n, size):
        for column in range(0, n, size):
            yield row // size, column // size, matrix[row : row + size, column : column + size]


def test_a_small_matrix_is_drawn_as_it_is():
    matrix = np.eye(4, dtype=np.float32)
    assert block_maxima(matrix, 4) is matrix


def test_blocks_of_weights_show_the_largest():
    matrix = np.random.default_rng(0).random((10, 10)).astype(np.float32)
    reduced = block_maxima(matrix, 4)
    assert reduced.shape == (4, 4)
    for row, column, block in blocks(matrix, 3):
        assert reduced[row, column] == block.max()


def test_blocks_of_signed_values_show_what_is_farthest_from_zero():
    matrix = np.random.default_rng(0).normal(size=(10, 10)).astype(np.float32)
    reduced = block_maxima(matrix, 5)
    for row, column, block in blocks(matrix, 2):
        assert reduced[row, column] == block.ravel()[np.abs(block).argmax()]


def test_masked_cells_hide_nothing_beside_them():
    matrix = np.full((4, 4), np.nan, dtype=np.float32)
    matrix[0, 1] = 0.5
    reduced = block_maxima(matrix, 2)
    assert reduced[0, 0] == 0.5
    assert np.isnan(reduced[1, 1])
