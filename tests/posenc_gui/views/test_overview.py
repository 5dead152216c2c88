"""The overview: every head in its place, chosen by mouse and keyboard."""

import itertools

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor

from posenc_gui.views.overview import OverviewMosaic

LOW, HIGH = QColor("#440154"), QColor("#fde725")


class FakeOverview:
    def __init__(self, maximum):
        self.maximum = maximum


@pytest.fixture
def mosaic(qtbot):
    mosaic = OverviewMosaic()
    qtbot.addWidget(mosaic)
    mosaic.resize(400, 400)
    mosaic.show()
    return mosaic


def near(color, other):
    return max(abs(a - b) for a, b in zip(color.getRgb()[:3], other.getRgb()[:3], strict=True)) <= 3


def test_each_head_is_in_its_place_the_right_way_round(mosaic):
    """One bright cell in one head of 3 layers × 4 heads: row 0, column 1 of layer 3, head 2."""
    maximum = np.zeros((3, 4, 2, 2), dtype=np.float32)
    maximum[2, 1, 0, 1] = 1
    mosaic.show_overview(FakeOverview(maximum), (0.0, 1.0), "viridis")
    image = mosaic.grab().toImage()
    for layer in range(3):
        for head in range(4):
            tile = mosaic.tile_rect(layer, head)
            for row in range(2):
                for column in range(2):
                    point = QPoint(
                        int(tile.left() + (column + 0.5) * tile.width() / 2),
                        int(tile.top() + (row + 0.5) * tile.height() / 2),
                    )
                    is_bright = (layer, head, row, column) == (2, 1, 0, 1)
                    assert near(image.pixelColor(point), HIGH if is_bright else LOW)


def test_tiles_do_not_overlap_and_stay_inside(mosaic):
    for layers, heads in ((1, 1), (12, 12), (24, 16), (2, 30)):
        maximum = np.zeros((layers, heads, 2, 2), dtype=np.float32)
        mosaic.show_overview(FakeOverview(maximum), (0.0, 1.0), "viridis")
        tiles = [[mosaic.tile_rect(i, j) for j in range(heads)] for i in range(layers)]
        for line in tiles:
            for left, right in itertools.pairwise(line):
                assert left.right() < right.left()
        for above, below in itertools.pairwise(tiles):
            assert above[0].bottom() < below[0].top()
        assert tiles[-1][-1].right() <= 400
        assert tiles[-1][-1].bottom() <= 400


def test_click_chooses_the_head_under_the_mouse(qtbot, mosaic):
    mosaic.show_overview(FakeOverview(np.zeros((3, 4, 2, 2), np.float32)), (0.0, 1.0), "viridis")
    for layer, head in ((0, 0), (2, 3), (1, 2)):
        with qtbot.waitSignal(mosaic.head_chosen) as chosen:
            point = mosaic.tile_rect(layer, head).center().toPoint()
            qtbot.mouseClick(mosaic, Qt.MouseButton.LeftButton, pos=point)
        assert chosen.args == [layer, head]
    with qtbot.assertNotEmitted(mosaic.head_chosen):
        qtbot.mouseClick(mosaic, Qt.MouseButton.LeftButton, pos=QPoint(1, 1))


def test_arrow_keys_stop_at_the_edges(qtbot, mosaic):
    mosaic.show_overview(FakeOverview(np.zeros((2, 3, 2, 2), np.float32)), (0.0, 1.0), "viridis")
    chosen = []
    mosaic.head_chosen.connect(lambda layer, head: chosen.append((layer, head)))
    mosaic.choose(1, 2)
    qtbot.keyClick(mosaic, Qt.Key.Key_Down)
    qtbot.keyClick(mosaic, Qt.Key.Key_Right)
    mosaic.choose(0, -1)  # the mean: a step to the right begins at the first head
    qtbot.keyClick(mosaic, Qt.Key.Key_Right)
    assert chosen == [(1, 2), (1, 2), (0, 0)]


def test_the_chosen_head_is_framed(mosaic):
    mosaic.show_overview(FakeOverview(np.zeros((2, 3, 2, 2), np.float32)), (0.0, 1.0), "viridis")

    def frame_color(layer, head):
        image = mosaic.grab().toImage()
        tile = mosaic.tile_rect(layer, head)
        return image.pixelColor(int(tile.left() - 2), int(tile.center().y()))

    mosaic.choose(1, 1)
    accent = QColor("#1f5fae")
    assert near(frame_color(1, 1), accent)
    assert not near(frame_color(0, 2), accent)
    mosaic.choose(0, -1)
    assert near(frame_color(0, 0), accent)
    assert not near(frame_color(1, 1), accent)


def test_nothing(qtbot, mosaic):
    mosaic.show_overview(FakeOverview(np.ones((2, 2, 2, 2), np.float32)), (0.0, 1.0), "viridis")
    point = mosaic.tile_rect(1, 1).center().toPoint()
    mosaic.show_nothing()
    assert not near(mosaic.grab().toImage().pixelColor(point), HIGH)
    with qtbot.assertNotEmitted(mosaic.head_chosen):
        qtbot.mouseClick(mosaic, Qt.MouseButton.LeftButton, pos=point)
