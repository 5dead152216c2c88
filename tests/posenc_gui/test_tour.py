"""The guided tour, done from the first step to the last in the real window."""

import json

import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, QSize, Qt
from PySide6.QtWidgets import QApplication, QPushButton, QWidget

from posenc_gui.tour import BUSY, STEPS, card_place, part_of, visible_rect
from posenc_model.request import MEAN_HEAD

TEXT = "the dog bites the man"


@pytest.fixture
def window(open_window):
    window = open_window("one two three", {"weights": "trained"}, wait=False)
    window.activateWindow()
    return window


def cell_point(plot, query, key):
    rect = plot.layout_now.cell_rect(query, key)
    return QPointF(rect.center())


class Doer:
    """Does what each step asks for, with mouse and keys."""

    def __init__(self, qtbot, window, hover):
        self.qtbot, self.window, self.hover = qtbot, window, hover
        self.view = window.attention_view

    def type(self):
        editor = self.window.text_panel.editor
        editor.setFocus()
        editor.selectAll()
        self.qtbot.keyClicks(editor, TEXT)

    def point(self):
        for key in range(3):
            self.hover(self.view.plot.viewport(), cell_point(self.view.plot, 1, key))

    def ask_why(self):
        point = cell_point(self.view.plot, 1, 2).toPoint()
        self.qtbot.mouseClick(self.view.plot.viewport(), Qt.MouseButton.LeftButton, pos=point)

    def other_head(self):
        alt = Qt.KeyboardModifier.AltModifier
        self.qtbot.keyClick(self.window, Qt.Key.Key_Right, alt)

    def position_only(self):
        box = self.view.kind_box
        box.setFocus()
        while box.currentData() != "position":
            self.qtbot.keyClick(box, Qt.Key.Key_Down)

    def other_encoding(self):
        self.qtbot.keyClick(
            self.window.settings_panel.rows["positional_encoding"].field.editor, Qt.Key.Key_Down
        )

    def hide_a_word(self):
        chips = self.window.text_panel.chips
        point = chips.chip_rect(2).center().toPoint()
        self.qtbot.mouseClick(chips, Qt.MouseButton.LeftButton, pos=point)

    def compare(self):
        bar = self.window.tabs.tabBar()
        titles = [bar.tabText(i) for i in range(bar.count())]
        point = bar.tabRect(titles.index("Compare")).center()
        self.qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=point)

    def read(self):
        self.window.settings_panel.rows["positional_encoding"].field.setFocus()
        self.qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_F1)


ORDER = (
    "type",
    "point",
    "ask_why",
    "other_head",
    "position_only",
    "other_encoding",
    "hide_a_word",
    "compare",
    "read",
)


def test_the_whole_tour_by_doing_it(qtbot, window, shown, hover):
    shown(window, "one two three")
    tour = window.guide.tour
    tour.start()
    doer = Doer(qtbot, window, hover)
    assert len(ORDER) == len(STEPS) - 1
    for index, name in enumerate(ORDER):
        assert tour.index == index
        assert tour.card.isVisible()
        assert tour.card.sentence.text() == STEPS[index].sentence
        assert tour.card.progress.text() == f"{index + 1} of {len(STEPS)}"
        QApplication.processEvents()
        assert tour.glow.isVisible()
        getattr(doer, name)()
        qtbot.waitUntil(lambda index=index: tour.index == index + 1, timeout=30_000)
        assert tour.card.seen.text() == f"✓ {STEPS[index].seen}"
    assert window.guide.explainer.pane.isVisible()
    assert tour.card.end.text() == "Fi&nish"
    assert not tour.card.skip.isVisible()
    qtbot.mouseClick(tour.card.end, Qt.MouseButton.LeftButton)
    assert tour.index == -1
    assert not tour.card.isVisible()
    assert not tour.glow.isVisible()


def test_other_things_do_not_move_it_on(qtbot, open_window, shown, hover):
    window = open_window("one two three")
    tour = window.guide.tour
    tour.start()
    window.settings_panel.rows["seed"].field.set_value(5)
    shown(window, seed=5)
    hover(window.attention_view.plot.viewport(), cell_point(window.attention_view.plot, 0, 1))
    assert tour.index == 0
    window.text_panel.set_text("word")
    shown(window, "word")
    assert tour.index == 0  # a single word shows nothing of attention
    window.text_panel.set_text("two words")
    shown(window, "two words")
    assert tour.index == 1


def test_back_skip_and_end(qtbot, open_window):
    window = open_window("one two three")
    tour = window.guide.tour
    tour.start()
    card = tour.card
    assert not card.back.isEnabled()
    for index in range(1, len(STEPS)):
        qtbot.mouseClick(card.skip, Qt.MouseButton.LeftButton)
        assert tour.index == index
        assert not card.seen.isVisible()
    qtbot.mouseClick(card.back, Qt.MouseButton.LeftButton)
    assert tour.index == len(STEPS) - 2
    qtbot.mouseClick(card.end, Qt.MouseButton.LeftButton)
    assert tour.index == -1
    window.choice.choose(1, 1)
    window.choice.choose(0, MEAN_HEAD)
    assert tour.index == -1


def test_it_is_done_with_the_keyboard(qtbot, open_window, do):
    window = open_window("one two three")
    window.activateWindow()
    do(window, "Guided tour")
    alt = Qt.KeyboardModifier.AltModifier
    for key, index in ((Qt.Key.Key_I, 1), (Qt.Key.Key_B, 0), (Qt.Key.Key_N, -1)):
        qtbot.keyClick(window, key, alt)
        # A button that is pressed by a key shows it for a moment.
        qtbot.waitUntil(lambda index=index: window.guide.tour.index == index)


def test_the_names_of_parts_are_right(open_window):
    window = open_window("one two three")
    for name in (*BUSY, *(step.place for step in STEPS)):
        assert isinstance(part_of(window, name), QWidget)
    for step in STEPS:
        assert step.tab in ("", *(view.title for view in window.views))
        for name in step.signals:
            assert callable(part_of(window, name).connect)


@pytest.mark.parametrize("size", [(1280, 720), (1100, 600), (1700, 900)])
def test_the_card_hides_nothing_of_its_step(open_window, size):
    window = open_window("one two three")
    window.resize(*size)
    tour = window.guide.tour
    tour.start()
    for index in range(len(STEPS)):
        tour._show(index, STEPS[index - 1].seen)
        QApplication.processEvents()
        card = tour.card.geometry()
        about = visible_rect(part_of(window, STEPS[index].place), window)
        assert not about.isEmpty()
        assert not card.intersects(about)
        assert window.rect().contains(card)
        assert tour.glow.geometry().contains(about.intersected(window.rect()))
        words = tour.card.sentence
        assert words.height() >= words.heightForWidth(words.width())


def test_it_follows_what_it_points_at(open_window, do):
    window = open_window("one two three")
    tour = window.guide.tour
    tour.start()
    QApplication.processEvents()
    for _ in range(2):
        before = tour.glow.geometry()
        window.resize(window.width() + 150, window.height())
        QApplication.processEvents()
        assert tour.glow.geometry() != before
    do(window, "Dark")
    QApplication.processEvents()
    assert tour.card.isVisible()
    assert tour.glow.isVisible()


def test_what_is_out_of_view_is_not_framed(open_window):
    window = open_window("one two three")
    tour = window.guide.tour
    tour._show(5)
    QApplication.processEvents()
    assert tour.glow.isVisible()
    window.settings_panel.hide()
    QApplication.processEvents()
    assert not tour.glow.isVisible()
    assert tour.card.isVisible()


def test_the_presentation_hides_it_for_a_while(open_window):
    window = open_window("one two three")
    tour = window.guide.tour
    tour.start()
    window.guide.presentation.enter()
    QApplication.processEvents()
    assert not tour.card.isVisible()
    assert not tour.glow.isVisible()
    window.guide.presentation.leave()
    QApplication.processEvents()
    assert tour.card.isVisible()
    assert tour.glow.isVisible()


def test_closing_in_the_middle(open_window):
    window = open_window("one two three")
    window.guide.tour.start()
    window.close()
    assert window.guide.tour.index == -1


def test_it_is_offered_once(qtbot, open_window, folder):
    window = open_window("one two three")
    offer = window.guide.tour.offer
    assert offer.isVisible()
    assert window.guide.tour.index == -1
    window.close()
    stored = json.loads((folder / "preferences.json").read_text(encoding="utf-8"))
    assert stored["tour_offered"] is True
    again = open_window()
    assert again.guide.tour.offer is None


def test_the_offer_can_be_taken_or_put_away(qtbot, open_window):
    for name, index in (("yes", 0), ("no", -1)):
        window = open_window("one two three")
        offer = window.guide.tour.offer
        button = getattr(offer, name)
        assert isinstance(button, QPushButton)
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        assert not offer.isVisible()
        assert window.guide.tour.index == index


def test_the_card_is_placed_where_it_hides_least():
    room = QRect(0, 0, 1000, 600)
    size = QSize(300, 100)
    about = QRect(0, 0, 1000, 200)
    place = card_place(size, room, about, [QRect(0, 200, 600, 400)])
    card = QRect(place, size)
    assert room.contains(card)
    assert not card.intersects(about)
    assert not card.intersects(QRect(0, 200, 600, 400))
    everywhere = card_place(size, room, room, [])
    assert room.contains(QRect(everywhere, size))


def test_it_can_be_dragged_aside(qtbot, open_window):
    window = open_window("one two three")
    tour = window.guide.tour
    tour.start()
    QApplication.processEvents()
    card = tour.card
    before = card.pos()
    corner = QPoint(4, 4)
    qtbot.mousePress(card, Qt.MouseButton.LeftButton, pos=corner)
    qtbot.mouseMove(card, QPoint(34, 24))
    qtbot.mouseRelease(card, Qt.MouseButton.LeftButton, pos=corner)
    assert card.pos() == before + QPoint(30, 20)
