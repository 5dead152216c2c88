"""Labels never overlap, whatever the words and the size: turned, shortened or thinned."""

import itertools

import numpy as np
import pytest
from pictures import export_style
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QFontMetricsF, QImage

from posenc_gui.figures.labels import AxisLabels, paint_label, plan_columns, plan_rows, shown_text
from posenc_gui.figures.matrix import MatrixFigure, layout_matrix, paint_frame
from posenc_gui.painting import painting

INK = "Ågjpqy|l"  # as high and as low as letters go


def figure(words):
    n = len(words)
    return MatrixFigure(np.zeros((n, n), dtype=np.float32), words, words, title="title")


def written(monkeypatch, figure, size, marked=None):
    """Every label as it is painted: (is_column, anchor, text, plan)."""
    labels = []

    def record(painter, anchor, text, plan, *, is_column):
        labels.append((is_column, anchor, text, plan))

    monkeypatch.setattr("posenc_gui.figures.matrix.paint_label", record)
    style = export_style()
    layout = layout_matrix(figure, QSizeF(*size), style.font)
    image = QImage(10, 10, QImage.Format.Format_RGB32)
    with painting(image) as painter:
        paint_frame(painter, figure, layout, style, marked)
    return layout, labels


def overlaps(intervals):
    intervals = sorted(intervals)
    return any(b < a_end - 0.5 for (_, a_end), (b, _) in itertools.pairwise(intervals))


CASES = {
    "three": ["one", "two", "three"],
    "one": ["alone"],
    "twenty": [f"word{i}" for i in range(20)],
    "long words": ["Donaudampfschifffahrtsgesellschaftskapitän" * 3, "a", "b" * 200],
    "hundred": [f"token{i}" * (1 + i % 4) for i in range(100)],
    "many": ["wide" * (i % 12) + "x" for i in range(1200)],
    "wide letters": ["W" * 20, "i" * 20] * 110,
}


@pytest.mark.parametrize("size", [(900, 800), (500, 400), (300, 700)], ids=str)
@pytest.mark.parametrize("words", CASES.values(), ids=CASES.keys())
@pytest.mark.parametrize("is_marked", [False, True], ids=["", "marked"])
def test_no_label_overlaps_another(monkeypatch, words, size, is_marked):
    cell = (len(words) // 2, len(words) // 3) if is_marked else None
    layout, labels = written(monkeypatch, figure(words), size, cell)
    metrics = QFontMetricsF(export_style().font)
    ink = metrics.tightBoundingRect(INK).height()
    rows = [(p, t, plan) for is_column, p, t, plan in labels if not is_column]
    columns = [(p, t, plan) for is_column, p, t, plan in labels if is_column]
    assert rows
    assert columns
    assert not overlaps([(p.y() - ink / 2, p.y() + ink / 2) for p, _, _ in rows])
    for point, text, _ in rows:
        assert point.x() - metrics.horizontalAdvance(text) >= 0
    if layout.columns.turned:
        assert not overlaps([(p.x() - ink / 2, p.x() + ink / 2) for p, _, _ in columns])
        for point, text, _ in columns:
            assert point.y() - metrics.horizontalAdvance(text) >= 0
    else:
        widths = [(p.x(), metrics.horizontalAdvance(t) / 2) for p, t, _ in columns]
        assert not overlaps([(x - half, x + half) for x, half in widths])
    if is_marked:
        at_row = [t for p, t, _ in rows if abs(p.y() - layout.row_center(cell[0])) < 0.01]
        at_column = [t for p, t, _ in columns if abs(p.x() - layout.column_center(cell[1])) < 0.01]
        assert len(at_row) == len(at_column) == 1


def test_labels_stand_at_their_rows_and_columns(monkeypatch):
    """Case 2: the first query is the top row, the third key the third column."""
    matrix = np.zeros((3, 5), dtype=np.float32)
    shown = MatrixFigure(matrix, ("q1", "q2", "q3"), ("k1", "k2", "k3", "k4", "k5"))
    layout, labels = written(monkeypatch, shown, (900, 800))
    cells = layout.cells
    rows = {text: p for is_column, p, text, _ in labels if not is_column}
    columns = {text: p for is_column, p, text, _ in labels if is_column}
    for i in range(3):
        assert rows[f"q{i + 1}"].y() == pytest.approx(cells.top() + (i + 0.5) * cells.height() / 3)
        assert rows[f"q{i + 1}"].x() < cells.left()
    for j in range(5):
        x = cells.left() + (j + 0.5) * cells.width() / 5
        assert columns[f"k{j + 1}"].x() == pytest.approx(x)
        assert columns[f"k{j + 1}"].y() < cells.top()


def test_plans():
    metrics = QFontMetricsF(export_style().font)
    line = metrics.height()
    assert plan_columns(["a", "b"], 100, metrics, 200).turned is False
    assert plan_columns(["a" * 60, "b"], 100, metrics, 200).turned is True
    assert plan_rows(["a"] * 9, line, metrics, 200).step == 1
    assert plan_rows(["a"] * 9, line / 3, metrics, 200).step == 3
    assert plan_rows(["a" * 200], line, metrics, 120).room == 120


def test_long_words_are_shortened_and_short_ones_are_not():
    metrics = QFontMetricsF(export_style().font)
    plan = plan_rows(["a" * 200, "short"], 50, metrics, 120)
    text = shown_text("a" * 200, plan, metrics)
    assert text.endswith("…")
    assert metrics.horizontalAdvance(text) <= 120
    assert shown_text("short", plan, metrics) == "short"


@pytest.mark.parametrize("is_column", [False, True], ids=["row", "column"])
@pytest.mark.parametrize("word", ["ที่ป้ฎุ", "Ą̣́̂̃", "مُحَمَّدٌ", "क्षत्रिय"])
def test_labels_are_not_cut_off(word, is_column):
    """Where another font is higher than ours: as much is painted as in all the room there is."""

    def ink(height):
        image = QImage(200, 200, QImage.Format.Format_Grayscale8)
        image.fill(Qt.GlobalColor.white)
        with painting(image) as painter:
            painter.setFont(export_style().font)
            if height:
                box = QRectF(0, 0, 200, height)
                if is_column:
                    painter.translate(0, 200)
                    painter.rotate(-90)
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, word)
            else:
                plan = AxisLabels(is_column, 1, 100.0)
                paint_label(painter, QPointF(150, 100), word, plan, is_column=is_column)
        return 255 * 200 * 200 - int(np.frombuffer(image.constBits(), np.uint8).sum())

    assert ink(0) == pytest.approx(ink(200), rel=0.06)
