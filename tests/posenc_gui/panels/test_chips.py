"""The chips: every token to see and to point at, unknown ones marked."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor

from posenc_gui.panels.chips import ChipArea
from posenc_model.tokenizers import get_tokenizer


def near(color, other):
    return max(abs(a - b) for a, b in zip(color.getRgb()[:3], other.getRgb()[:3], strict=True)) <= 6


@pytest.fixture
def area(qtbot):
    area = ChipArea()
    qtbot.addWidget(area)
    area.resize(300, 120)
    area.show()
    return area


def fill(area, text, unknown=()):
    tokens = get_tokenizer("whitespace").tokenize(text)
    area.chips.set_tokens(tokens, [i in unknown for i in range(len(tokens))])
    return tokens


def test_chips_wrap_and_never_overlap(area):
    tokens = fill(area, " ".join(f"word{i}" * (1 + i % 9) for i in range(60)))
    rects = [area.chips.chip_rect(i) for i in range(len(tokens))]
    for i, rect in enumerate(rects):
        assert rect.left() >= 0
        assert rect.right() <= area.chips.width()
        assert not any(rect.intersects(other) for other in rects[i + 1 :])
    assert rects[-1].bottom() <= area.chips.height()
    assert len({rect.top() for rect in rects}) > 3
    narrow = area.chips.minimumHeight()
    area.resize(600, 120)
    assert area.chips.minimumHeight() < narrow


def test_pointing(qtbot, area, hover):
    fill(area, "one two three")
    for index in (0, 2):
        with qtbot.waitSignal(area.chips.pointed_at) as pointed:
            hover(area.chips, area.chips.chip_rect(index).center())
        assert pointed.args == [index]
    with qtbot.waitSignal(area.chips.pointed_at) as pointed:
        hover(area.chips, QPointF(area.chips.width() - 1, area.chips.height() - 1))
    assert pointed.args == [-1]


def test_arrow_keys(qtbot, area):
    fill(area, "one two three")
    pointed = []
    area.chips.pointed_at.connect(pointed.append)
    weights = np.array([0.2, 0.3, 0.5], dtype=np.float32)
    area.chips.pointed_at.connect(
        lambda index: area.chips.light_up(index, weights, (0.0, 1.0), "viridis")
    )
    for key in (Qt.Key.Key_Right,) * 4 + (Qt.Key.Key_Left,):
        qtbot.keyClick(area.chips, key)
    assert pointed == [0, 1, 2, 2, 1]


def test_the_chip_that_the_keyboard_reaches_is_scrolled_to(qtbot, area):
    tokens = fill(area, " ".join(f"word{i}" for i in range(200)))
    last = len(tokens) - 1
    bar = area.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    area.chips.light_up(last - 1, np.zeros(len(tokens), np.float32), (0.0, 1.0), "viridis")
    qtbot.keyClick(area.chips, Qt.Key.Key_Right)
    seen = area.chips.visibleRegion().boundingRect()
    assert seen.contains(area.chips.chip_rect(last).center().toPoint())


def test_colours_and_frame(area):
    fill(area, "one two three")
    weights = np.array([0.0, 1.0, 0.5], dtype=np.float32)
    area.chips.light_up(1, weights, (0.0, 1.0), "viridis")
    image = area.chips.grab().toImage()

    def ground(index):
        rect = area.chips.chip_rect(index)
        return image.pixelColor(int(rect.left() + 4), int(rect.center().y()))

    assert near(ground(0), QColor("#440154"))
    assert near(ground(1), QColor("#fde725"))
    assert near(ground(2), QColor("#21918c"))
    edge = area.chips.chip_rect(1)
    assert near(image.pixelColor(int(edge.left() + 1), int(edge.center().y())), QColor("#1f5fae"))
    area.chips.light_up(None, None, (0.0, 1.0), "viridis")
    assert area.chips.chip_color(1) is None
    assert near(
        area.chips.grab().toImage().pixelColor(5, int(edge.center().y())), QColor("#fbfbfc")
    )


def test_weights_of_another_text_are_not_shown(area):
    fill(area, "one two three")
    area.chips.light_up(0, np.ones(4, dtype=np.float32), (0.0, 1.0), "viridis")
    assert area.chips.chip_color(0) is None


def test_tips_say_where_the_token_stands(area):
    tokens = fill(area, "one  <b>two</b>", unknown=(1,))
    assert (tokens[1].start, tokens[1].end) == (5, 15)
    assert area.chips._tip(0) == "Token 1, characters 1 to 3:\none"
    assert area.chips._tip(1) == (
        "Token 2, characters 6 to 15:\n<b>two</b>\nNot in the vocabulary: a zero vector."
    )


def test_unknown_chips_look_different(area):
    fill(area, "same same", unknown=(1,))
    image = area.chips.grab().toImage()
    known, unknown = (image.copy(area.chips.chip_rect(i).toAlignedRect()) for i in (0, 1))
    warning = QColor("#8a4b00")

    def has_warning(part):
        return any(
            near(part.pixelColor(x, y), warning)
            for x in range(part.width())
            for y in range(part.height())
        )

    assert has_warning(unknown)
    assert not has_warning(known)
