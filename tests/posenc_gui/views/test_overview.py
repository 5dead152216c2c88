"""The overview: every head in its place, chosen by mouse and keyboard."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QColor

from posenc_gui.views.overview import OrderedMosaic, OverviewMosaic
from posenc_gui.views.profiles_wording import MEASURE_WORDS, share_text
from posenc_model import encode
from posenc_model.analysis import head_measures

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


# --- heads in an order --------------------------------------------------------------------------

SETTINGS = {"num_layers": 2, "num_heads": 3, "width": 24, "nlp_pipeline": "whitespace"}
ORDER = [(1, 2), (0, 0), (1, 0), (0, 2), (1, 1), (0, 1)]


def reading_order(mosaic, order):
    """The heads as one reads: row by row, from left to right."""
    return sorted(order, key=lambda p: (mosaic.tile_rect(*p).top(), mosaic.tile_rect(*p).left()))


def test_ordered_heads_are_laid_out_as_one_reads(mosaic):
    maximum = np.zeros((2, 3, 2, 2), np.float32)
    maximum[1, 0] = 1  # the third
    mosaic.show_overview(FakeOverview(maximum), (0.0, 1.0), "viridis")
    mosaic.set_order(ORDER)
    assert reading_order(mosaic, ORDER) == ORDER
    image = mosaic.grab().toImage()
    for place in ORDER:
        center = mosaic.tile_rect(*place).center().toPoint()
        assert near(image.pixelColor(center), HIGH if place == (1, 0) else LOW)


@pytest.mark.parametrize(("layers", "heads"), [(1, 1), (2, 3), (8, 12), (12, 12), (24, 16)])
@pytest.mark.parametrize(("width", "height"), [(400, 400), (280, 300), (120, 120)])
def test_ordered_tiles_do_not_overlap_and_stay_inside(mosaic, layers, heads, width, height):
    mosaic.resize(width, height)
    maximum = np.zeros((layers, heads, 2, 2), np.float32)
    mosaic.show_overview(FakeOverview(maximum), (0.0, 1.0), "viridis")
    order = [(i, j) for j in range(heads) for i in range(layers)]
    mosaic.set_order(order)
    tiles = [mosaic.tile_rect(*place) for place in order]
    assert all(mosaic.rect().contains(tile.toAlignedRect()) for tile in tiles)
    assert len({(tile.left(), tile.top()) for tile in tiles}) == len(tiles)
    for first, second in itertools.pairwise(tiles):
        assert not first.intersects(second)


def test_ordered_heads_are_chosen_by_click_and_arrow_keys(qtbot, mosaic):
    mosaic.show_overview(FakeOverview(np.zeros((2, 3, 2, 2), np.float32)), (0.0, 1.0), "viridis")
    mosaic.set_order(ORDER)
    chosen = []
    mosaic.head_chosen.connect(lambda layer, head: chosen.append((layer, head)))
    for place in ORDER:
        point = mosaic.tile_rect(*place).center().toPoint()
        qtbot.mouseClick(mosaic, Qt.MouseButton.LeftButton, pos=point)
    assert chosen == ORDER
    columns = sum(mosaic.tile_rect(*p).top() == mosaic.tile_rect(*ORDER[0]).top() for p in ORDER)
    assert 1 < columns < 6
    chosen.clear()
    for start, key in (
        (0, Qt.Key.Key_Right),
        (columns - 1, Qt.Key.Key_Right),  # on to the next row
        (0, Qt.Key.Key_Down),
        (columns, Qt.Key.Key_Up),
        (0, Qt.Key.Key_Left),
        (5, Qt.Key.Key_Right),
    ):
        mosaic.choose(*ORDER[start])
        qtbot.keyClick(mosaic, key)
    mosaic.choose(0, -1)  # from the mean: to the strongest
    qtbot.keyClick(mosaic, Qt.Key.Key_Right)
    expected = [1, columns, columns, 0, 0, 5, 0]
    assert chosen == [ORDER[slot] for slot in expected]


def test_an_ordered_layer_is_framed_head_by_head(mosaic):
    mosaic.show_overview(FakeOverview(np.zeros((2, 3, 2, 2), np.float32)), (0.0, 1.0), "viridis")
    mosaic.set_order(ORDER)
    mosaic.choose(1, -1)
    image = mosaic.grab().toImage()
    for layer, head in ORDER:
        tile = mosaic.tile_rect(layer, head)
        below = [
            image.pixelColor(int(tile.center().x()), int(tile.bottom()) + d) for d in (1, 2, 3)
        ]
        assert any(near(color, QColor("#1f5fae")) for color in below) == (layer == 1)


def test_other_sizes_are_by_number_again(mosaic):
    mosaic.show_overview(FakeOverview(np.zeros((2, 3, 2, 2), np.float32)), (0.0, 1.0), "viridis")
    mosaic.set_order(ORDER)
    mosaic.show_overview(FakeOverview(np.ones((2, 3, 2, 2), np.float32)), (0.0, 1.0), "viridis")
    assert mosaic.order == tuple(ORDER)
    mosaic.show_overview(FakeOverview(np.zeros((2, 2, 2, 2), np.float32)), (0.0, 1.0), "viridis")
    assert mosaic.order == ()


class Owner(QObject):
    """Stands in for the attention view."""

    work_wanted = Signal(str, object)

    def __init__(self):
        super().__init__()
        self.result = None
        self.asked = []
        self.work_wanted.connect(lambda name, work: self.asked.append((name, work)))


@pytest.fixture
def ordered(qtbot):
    owner = Owner()
    ordered = OrderedMosaic(OverviewMosaic(), owner)
    ordered.owner = owner
    qtbot.addWidget(ordered)
    ordered.resize(300, 400)
    ordered.show()
    return ordered


def show(ordered, result):
    ordered.owner.result = result
    ordered.mosaic.show_overview(result.overview, (0.0, 1.0), "viridis")


def answer(ordered):
    while ordered.owner.asked:
        name, work = ordered.owner.asked.pop(0)
        ordered.take(name, work())


def choose_order(ordered, measure):
    ordered.order_box.setCurrentIndex(ordered.order_box.findData(measure))


@pytest.mark.parametrize("measure", MEASURE_WORDS)
def test_the_strongest_head_comes_first(ordered, measure):
    result = encode("one two three four", **SETTINGS)
    show(ordered, result)
    choose_order(ordered, measure)
    answer(ordered)
    values = head_measures(result)[measure]
    every = [(i, j) for i in range(2) for j in range(3)]
    expected = sorted(every, key=lambda place: -values[place])
    assert list(ordered.mosaic.order) == expected
    tip = ordered.mosaic.tip_at(ordered.mosaic.tile_rect(*expected[0]).center())
    shown = MEASURE_WORDS[measure].text(values[expected[0]])
    assert tip.startswith(f"Layer {expected[0][0] + 1}, head {expected[0][1] + 1}\n")
    assert tip.endswith(shown)
    choose_order(ordered, "")
    assert ordered.mosaic.order == ()


def test_by_number_nothing_is_measured_nor_while_hidden(ordered):
    show(ordered, encode("one two", **SETTINGS))
    assert ordered.owner.asked == []
    ordered.hide()
    choose_order(ordered, "mean_distance")
    show(ordered, encode("one two three", **SETTINGS))
    assert ordered.owner.asked == []
    ordered.show()
    assert [name for name, _ in ordered.owner.asked] == ["profiles"]
    answer(ordered)
    assert len(ordered.mosaic.order) == 6


def test_what_the_run_has_measured_is_not_measured_again(ordered):
    show(ordered, encode("one two", **SETTINGS))
    choose_order(ordered, "previous")
    assert ordered.owner.asked == []
    assert len(ordered.mosaic.order) == 6


def test_the_order_stays_until_the_next_is_known(ordered):
    show(ordered, encode("one two three", **SETTINGS))
    choose_order(ordered, "entropy")
    answer(ordered)
    before = ordered.mosaic.order
    show(ordered, encode("four five six seven", **SETTINGS))
    assert ordered.mosaic.order == before
    answer(ordered)
    values = head_measures(ordered.owner.result)["entropy"]
    ranked = [values[place] for place in ordered.mosaic.order]
    assert ranked == sorted(ranked, reverse=True)


def test_heads_without_a_value_come_last_and_none_at_all_says_why(ordered):
    show(ordered, encode("one two three", positional_encoding="abs", **SETTINGS))
    choose_order(ordered, "position_dependence")
    answer(ordered)
    assert {layer for layer, _ in ordered.mosaic.order[:3]} == {0}
    last = ordered.mosaic.order[-1]
    assert ordered.mosaic.tip_at(ordered.mosaic.tile_rect(*last).center()).endswith("–")
    result = encode("one two three", **SETTINGS)
    unsplit = SimpleNamespace(
        **{name: getattr(result, name) for name in ("tokens", "num_layers", "num_heads")},
        overview=result.overview,
        weights=result.weights,
        weights_without_position=lambda layer, head: None,
        split_reason=lambda layer: "Only weights are known.",
    )
    show(ordered, unsplit)
    answer(ordered)
    assert ordered.mosaic.order == ()
    assert ordered.status.text() == "Only weights are known."
    choose_order(ordered, "entropy")
    assert not ordered.status.isVisible()


def test_a_long_text_is_ordered_only_when_asked(ordered, monkeypatch):
    monkeypatch.setattr("posenc_gui.views.profiles_measurer.MOST_TOKENS_UNASKED", 2)
    show(ordered, encode("one two three", **SETTINGS))
    assert not ordered.measure_button.isVisible()
    choose_order(ordered, "entropy")
    assert ordered.owner.asked == []
    assert ordered.measure_button.isVisible()
    ordered.measure_button.click()
    answer(ordered)
    assert not ordered.measure_button.isVisible()
    assert len(ordered.mosaic.order) == 6


def test_in_the_window_an_ordered_head_is_chosen(qtbot, open_window):
    window = open_window("one two three four")
    view = window.attention_view
    choose_order(view.ordered, "diagonal_share")
    qtbot.waitUntil(lambda: len(view.mosaic.order) == 4)
    values = head_measures(view.result)["diagonal_share"]
    layer, head = (int(i) for i in np.unravel_index(values.argmax(), values.shape))
    assert view.mosaic.order[0] == (layer, head)
    point = view.mosaic.tile_rect(layer, head).center()
    assert share_text(values[layer, head]) in view.mosaic.tip_at(point)
    qtbot.mouseClick(view.mosaic, Qt.MouseButton.LeftButton, pos=point.toPoint())
    assert (window.choice.layer, window.choice.head) == (layer, head)
