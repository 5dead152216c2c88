import numpy as np
import pytest
from PySide6.QtCore import QPointF

from posenc_gui.training.attention import AttentionNow
from posenc_gui.training.matrices import Matrices


@pytest.fixture
def matrices(qtbot):
    made = Matrices("viridis")
    qtbot.addWidget(made)
    made.resize(700, 220)
    made.show_matrices(
        ["a", "<b>", "c"], {"t5": np.eye(3, dtype=np.float32), "abs": np.full((3, 3), 0.25)}
    )
    made.show()
    return made


def test_a_cell_is_read_in_a_tool_tip(matrices):
    place = matrices._places()[0]
    cell = place.cells.width() / 3
    point = place.cells.topLeft() + QPointF(1.5 * cell, 1.5 * cell)
    tip = matrices.tip_at(point)
    assert tip == "t5: word 2 looks at word 2 with weight 1.00\n<b> → <b>"
    assert matrices.tip_at(QPointF(0, 0)) == ""


@pytest.mark.parametrize("size", [(900, 200), (300, 600), (60, 60)])
def test_all_matrices_fit(matrices, size):
    matrices.resize(*size)
    places = matrices._places()
    assert [place.name for place in places] == ["t5", "abs"]
    if min(size) > 100:
        for place in places:
            assert matrices.rect().contains(place.cells.toAlignedRect())
        assert not places[0].cells.intersects(places[1].cells)
    assert not matrices.grab().isNull()


def test_layer_and_head_are_chosen(qtbot):
    view = AttentionNow("viridis")
    qtbot.addWidget(view)
    weights = np.arange(2 * 3 * 4, dtype=np.float32).reshape(2, 3, 2, 2)
    view.begin(["a", "b"], False)
    view.show_attentions({"t5": weights})
    assert view.matrices.matrices["t5"].tolist() == weights[0, 0].tolist()
    view.layer_box.setValue(2)
    view.head_box.setValue(3)
    assert view.matrices.matrices["t5"].tolist() == weights[1, 2].tolist()
    view.set_color_map("magma")
    view.show()
    assert not view.grab().isNull()
