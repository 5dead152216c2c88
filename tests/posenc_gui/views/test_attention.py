"""The attention view in the window: heads, scale, hovering, large matrices."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication

from posenc_gui.figures.colormaps import color_of
from posenc_model import encode
from posenc_model.matrices import MATRICES, matrix_of

TEXT = "one two three"


def drawn(window):
    return window.attention_view.plot.image.image


def levels(window):
    return tuple(float(level) for level in window.attention_view.plot.image.levels)


@pytest.fixture
def weights(small):
    return encode(TEXT, **small).attentions


def test_layer_and_head_by_spin_box(open_window, weights):
    window = open_window(TEXT)
    view = window.attention_view
    for layer, head in ((1, 0), (1, 1), (0, 1)):
        view.layer_box.setValue(layer + 1)
        view.head_box.setValue(head + 1)
        np.testing.assert_allclose(drawn(window), weights[layer, head], atol=1e-6)
    assert np.abs(weights[1, 1] - weights[0, 1]).max() > 1e-4


def test_head_by_click_in_the_overview(qtbot, open_window, weights):
    window = open_window(TEXT)
    view = window.attention_view
    for layer, head in ((1, 1), (0, 1), (1, 0)):
        point = view.mosaic.tile_rect(layer, head).center().toPoint()
        qtbot.mouseClick(view.mosaic, Qt.MouseButton.LeftButton, pos=point)
        np.testing.assert_allclose(drawn(window), weights[layer, head], atol=1e-6)
        assert (view.layer_box.value(), view.head_box.value()) == (layer + 1, head + 1)
        assert view.figure().title == f"t5, random · layer {layer + 1} · head {head + 1}"


def test_head_by_click_leaves_the_mean(qtbot, open_window, weights):
    window = open_window(TEXT)
    view = window.attention_view
    view.mean_box.setChecked(True)
    np.testing.assert_allclose(drawn(window), weights[0].mean(axis=0), atol=1e-6)
    point = view.mosaic.tile_rect(0, 1).center().toPoint()
    qtbot.mouseClick(view.mosaic, Qt.MouseButton.LeftButton, pos=point)
    assert not view.mean_box.isChecked()
    np.testing.assert_allclose(drawn(window), weights[0, 1], atol=1e-6)


def test_head_by_arrow_keys_in_the_overview(qtbot, open_window, weights):
    window = open_window(TEXT)
    mosaic = window.attention_view.mosaic
    steps = (
        (Qt.Key.Key_Right, (0, 1)),
        (Qt.Key.Key_Right, (0, 1)),
        (Qt.Key.Key_Down, (1, 1)),
        (Qt.Key.Key_Left, (1, 0)),
        (Qt.Key.Key_Up, (0, 0)),
    )
    for key, (layer, head) in steps:
        qtbot.keyClick(mosaic, key)
        np.testing.assert_allclose(drawn(window), weights[layer, head], atol=1e-6)


def test_hovering_says_pair_weight_and_share(open_window, hover, weights):
    window = open_window(TEXT)
    view = window.attention_view
    for query, key in ((0, 2), (2, 1)):
        hover(view.plot.viewport(), view.plot.layout_now.cell_rect(query, key).center())
        words = TEXT.split()
        weight = weights[0, 0, query, key]
        assert 0.1 < weight < 1
        share = round(100 * float(weight))
        assert view.sentence.text() == (
            f"‘{words[query]}’ puts {share} % of its attention on ‘{words[key]}’"
        )
        assert f"query {query + 1} · key {key + 1} · weight {weight:.4f} ·" in view.numbers.text()
    hover(view.plot.viewport(), view.plot.layout_now.cell_rect(1, 1).center())
    assert view.sentence.text().endswith(" of its attention on itself")
    hover(view.plot.viewport(), QPointF(1, 1))
    assert view.sentence.text().startswith("Point at a cell")
    assert view.plot.marked is None


def test_hovering_goes_on_with_the_next_head(open_window, hover, weights):
    window = open_window(TEXT)
    view = window.attention_view
    hover(view.plot.viewport(), view.plot.layout_now.cell_rect(0, 2).center())
    view.head_box.setValue(2)
    assert f"weight {weights[0, 1, 0, 2]:.4f}" in view.numbers.text()


def test_words_that_occur_twice_are_told_apart(open_window, hover):
    window = open_window("dog bites dog")
    view = window.attention_view
    hover(view.plot.viewport(), view.plot.layout_now.cell_rect(0, 2).center())
    assert view.sentence.text().startswith("‘dog’ (token 1) puts ")
    assert view.sentence.text().endswith(" on ‘dog’ (token 3)")


def test_arrow_keys_move_the_marked_cell(qtbot, open_window, weights):
    window = open_window(TEXT)
    view = window.attention_view
    for key, cell in (
        (Qt.Key.Key_Right, (0, 0)),
        (Qt.Key.Key_Right, (0, 1)),
        (Qt.Key.Key_Down, (1, 1)),
        (Qt.Key.Key_Left, (1, 0)),
        (Qt.Key.Key_Left, (1, 0)),
        (Qt.Key.Key_Up, (0, 0)),
    ):
        qtbot.keyClick(view.plot, key)
        assert view.plot.marked == cell
        assert f"weight {weights[(0, 0, *cell)]:.4f}" in view.numbers.text()
        assert window.text_panel.chips.chip_color(0) is not None


def test_colour_scale(open_window, do, weights):
    window = open_window(TEXT)
    assert levels(window) == (0.0, 1.0)
    do(window, "Colour scale from 0 to 1")
    assert levels(window) == pytest.approx((0.0, float(weights[0, 0].max())))
    window.attention_view.head_box.setValue(2)
    assert levels(window) == pytest.approx((0.0, float(weights[0, 1].max())))
    do(window, "Colour scale from 0 to 1")
    assert levels(window) == (0.0, 1.0)


def test_colour_map_reaches_picture_chips_and_overview(open_window, do, hover):
    import pyqtgraph as pg

    window = open_window(TEXT)
    view = window.attention_view
    hover(view.plot.viewport(), view.plot.layout_now.cell_rect(0, 0).center())
    before = view.mosaic.grab().toImage()
    do(window, "Magma")
    low = pg.colormap.get("magma").map(0.0, mode="qcolor")
    assert view.plot.image.lut[0][:3].tolist() == list(low.getRgb()[:3])
    weight = float(view.figure().matrix[0, 1])
    wanted = pg.colormap.get("magma").map(weight, mode="qcolor").getRgb()[:3]
    chip = window.text_panel.chips.chip_color(1).getRgb()[:3]
    assert np.abs(np.subtract(chip, wanted)).max() <= 3
    assert view.mosaic.grab().toImage() != before


def test_constant_matrix_keeps_the_scale(open_window, do):
    """Equal words without position: every weight is 1/3, which must not be drawn as 0 or 1."""
    window = open_window("same same same", {"positional_encoding": "none"})
    np.testing.assert_allclose(drawn(window), np.full((3, 3), 1 / 3), atol=1e-6)
    assert levels(window) == (0.0, 1.0)
    do(window, "Colour scale from 0 to 1")
    assert levels(window) == pytest.approx((0.0, 1 / 3))


def test_one_token(open_window):
    window = open_window("alone")
    np.testing.assert_allclose(drawn(window), [[1.0]], atol=1e-6)
    assert levels(window) == (0.0, 1.0)
    assert window.status.label.text().startswith("1 token ·")


def test_heads_computed_when_looked_at(qtbot, open_window, monkeypatch, weights):
    """Where all weights would take too much memory, the same matrix is computed anew."""
    monkeypatch.setattr("posenc_model.run.KEEP_BYTES", 0)
    window = open_window(TEXT)
    view = window.attention_view
    assert not view.result.keeps_attentions
    assert "computed when you look at it" in window.notice.label.text()

    def check(expected):
        assert view.figure() is not None
        np.testing.assert_allclose(drawn(window), expected, atol=1e-6)

    qtbot.waitUntil(lambda: check(weights[0, 0]))
    view.choose_head(1, 1)
    qtbot.waitUntil(lambda: check(weights[1, 1]))
    assert view.figure().title == "t5, random · layer 2 · head 2"
    view.mean_box.setChecked(True)
    qtbot.waitUntil(lambda: check(weights[1].mean(axis=0)))


def test_late_head_of_another_choice_is_dropped(open_window, weights):
    from posenc_gui.head_weights import head_weights

    window = open_window(TEXT)
    view = window.attention_view
    late = head_weights(view.result, 1, 1)
    view.show_head(late)
    np.testing.assert_allclose(drawn(window), weights[0, 0], atol=1e-6)


def wheel(plot, point, steps):
    for _ in range(steps):
        event = QWheelEvent(
            point,
            QPointF(plot.viewport().mapToGlobal(point.toPoint())),
            QPoint(),
            QPoint(0, 120),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(plot.viewport(), event)


def test_large_matrix_is_drawn_reduced(qtbot, open_window, monkeypatch, hover, small):
    """Blocks show their largest weight; zoomed in, the cells themselves are drawn."""
    monkeypatch.setattr("posenc_gui.head_weights.DRAWN_CELLS", 10)
    monkeypatch.setattr("posenc_gui.views.heatmap.DRAWN_CELLS", 10)
    text = " ".join(f"w{i}" for i in range(25))
    window = open_window(text)
    plot = window.attention_view.plot
    matrix = encode(text, **small).weights(0, 0)
    padded = np.zeros((27, 27))
    padded[:25, :25] = matrix
    blocks = padded.reshape(9, 3, 9, 3).max(axis=(1, 3))
    np.testing.assert_allclose(drawn(window), blocks, atol=1e-6)
    np.testing.assert_allclose(window.attention_view.figure().matrix, matrix, atol=1e-6)
    hover(plot.viewport(), plot.layout_now.cell_rect(7, 20).center())
    assert plot.marked == (7, 20)

    wheel(plot, plot.layout_now.cell_rect(7, 20).center(), 12)
    rows, columns = plot.layout_now.visible_rows, plot.layout_now.visible_columns
    assert rows[1] - rows[0] < 10
    first, last = int(rows[0]), int(np.ceil(rows[1]))
    left, right = int(columns[0]), int(np.ceil(columns[1]))
    assert first <= 7 < last
    assert left <= 20 < right
    np.testing.assert_allclose(drawn(window), matrix[first:last, left:right], atol=1e-6)
    hover(plot.viewport(), plot.layout_now.cell_rect(7, 20).center())
    assert plot.marked == (7, 20)
    assert f"weight {matrix[7, 20]:.4f}" in window.attention_view.numbers.text()

    qtbot.mouseDClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
    np.testing.assert_allclose(drawn(window), blocks, atol=1e-6)


def test_zoom_stays_inside_the_matrix_and_can_be_undone(open_window, do):
    window = open_window(" ".join(f"w{i}" for i in range(12)))
    plot = window.attention_view.plot
    assert plot.layout_now.visible_rows == pytest.approx((0, 12))
    wheel(plot, plot.layout_now.cell_rect(0, 0).center(), 40)
    top, bottom = plot.layout_now.visible_rows
    assert top >= 0
    assert bottom - top >= 1 - 1e-6
    do(window, "Show the whole matrix")
    assert plot.layout_now.visible_rows == pytest.approx((0, 12))
    assert plot.layout_now.visible_columns == pytest.approx((0, 12))


def test_marked_query_beyond_the_matrix_is_none(open_window):
    window = open_window(TEXT)
    window.attention_view.mark_query(1)
    assert window.attention_view.plot.marked[0] == 1
    window.attention_view.mark_query(3)
    assert window.attention_view.plot.marked is None


def choose_kind(window, kind):
    box = window.attention_view.kind_box
    box.setCurrentIndex(box.findData(kind))


@pytest.mark.parametrize("kind", ["scores", "content", "position", "change"])
def test_other_matrices_of_a_head(qtbot, open_window, kind):
    window = open_window("one two three")
    view = window.attention_view
    choose_kind(window, kind)
    qtbot.waitUntil(lambda: view.shown is not None and view.shown.kind == kind)
    figure = view.figure()
    expected = matrix_of(view.result, 0, 0, kind)
    np.testing.assert_array_equal(figure.matrix, expected)
    largest = np.abs(expected).max()
    assert figure.levels == pytest.approx((-largest, largest))
    assert figure.color_map == "signed"
    assert figure.title.endswith(MATRICES[kind].title)
    assert figure.scale_name == MATRICES[kind].scale_name
    choose_kind(window, "weights")
    qtbot.waitUntil(lambda: view.shown.kind == "weights")
    assert view.figure().levels == (0.0, 1.0)


def test_a_matrix_that_does_not_exist_says_why(qtbot, open_window):
    window = open_window("one two three", settings={"positional_encoding": "abs"})
    view = window.attention_view
    choose_kind(window, "position")
    qtbot.waitUntil(lambda: view.shown is not None and view.shown.kind == "position")
    view.choose_head(1, 0)
    assert view.missing.isVisible()
    assert "only layer 1" in view.missing.text()
    assert view.figure() is None
    view.choose_head(0, 0)
    qtbot.waitUntil(lambda: view.figure() is not None)
    assert view.plot.isVisible()


def test_a_signed_picture_lights_the_chips_in_its_own_colours(qtbot, open_window):
    window = open_window("one two three")
    choose_kind(window, "change")
    view = window.attention_view
    qtbot.waitUntil(lambda: view.shown.kind == "change")
    view.mark_query(1)
    figure = view.figure()
    colors = [window.text_panel.chips.chip_color(i) for i in range(3)]
    expected = [color_of(float(x), figure.levels, "signed") for x in figure.matrix[1]]
    assert colors == expected


def visible_block(window):
    (top, bottom), (left, right) = window.attention_view.plot._visible()
    return (round(top), round(bottom)), (round(left), round(right))


def test_parts_of_a_sentence_pair(open_window, shown):
    window = open_window("one two three\nfour five")
    view = window.attention_view
    assert view.part_box.isVisible()
    blocks = []
    for index in range(5):
        view.part_box.setCurrentIndex(index)
        blocks.append(visible_block(window))
    assert blocks == [
        ((0, 5), (0, 5)),
        ((0, 3), (0, 3)),
        ((3, 5), (3, 5)),
        ((0, 3), (3, 5)),
        ((3, 5), (0, 3)),
    ]
    window.text_panel.set_text("one two three")
    shown(window, "one two three")
    assert not view.part_box.isVisible()
    assert visible_block(window) == ((0, 3), (0, 3))


def test_masked_cells_are_no_weights(open_window, shown, hover):
    window = open_window("one two three", settings={"attention_mask": "causal"})
    figure = window.attention_view.figure()
    np.testing.assert_array_equal(np.isnan(figure.matrix), ~np.tril(np.ones((3, 3), bool)))
    assert figure.title.endswith("look-ahead mask")
    assert "Grey cells are masked" in window.attention_view.numbers.text()
    window.attention_view.plot._mark_and_tell((0, 2))
    assert "may not look at ‘three’" in window.attention_view.sentence.text()
