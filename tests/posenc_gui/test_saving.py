"""Saving and copying from the window; files as other programs read them."""

import csv
import errno
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtGui import QAction, QGuiApplication, QImage

from posenc_model import encode

MARKUP = "<s> x < y <b>a</b> &amp;"
TOKENS = ["<s>", "x", "<", "y", "<b>a</b>", "&amp;"]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def ask(monkeypatch):
    """Answers the dialog with a path; holds what it was asked."""

    class Asked:
        path = None

        def __call__(self, parent, title, proposal, kinds):
            self.title, self.proposal, self.kinds = title, proposal, list(kinds)
            return self.path

    asked = Asked()
    monkeypatch.setattr("posenc_gui.saving.ask_save", asked)
    return asked


def test_picture_as_png(qtbot, open_window, do, ask, tmp_path):
    window = open_window("one two three")
    window.attention_view.choose_head(1, 0)
    ask.path = tmp_path / "out.png"
    with qtbot.waitSignal(window.saver.said) as said:
        do(window, "Save picture…")
    assert said.args == [f"Saved “{ask.path}”."]
    assert window.statusBar().currentMessage() == said.args[0]
    assert Path(ask.proposal).name == "t5-random-layer-2-head-1.png"
    assert Path(ask.proposal).parent.is_dir()
    assert ask.kinds == [".png", ".svg"]
    image = QImage(str(ask.path))
    assert image.dotsPerMeterX() * 0.0254 == pytest.approx(192, abs=0.1)
    assert image.text("Title") == "t5, random · layer 2 · head 1"
    description = image.text("Description")
    assert "layer 2, head 1" in description
    assert "num_buckets=32" in description
    assert description.endswith("text: one two three")


def test_picture_as_svg(qtbot, open_window, do, ask, tmp_path):
    """Cases 1 and 8."""
    window = open_window(MARKUP)
    ask.path = tmp_path / "out.svg"
    with qtbot.waitSignal(window.saver.said):
        do(window, "Save picture…")
    root = ElementTree.parse(ask.path).getroot()
    written = ["".join(t.itertext()).strip("\n ") for t in root.iter(f"{SVG}text")]
    for token in TOKENS:
        assert written.count(token) == 2
    assert root.find(f"{SVG}desc").text.strip().endswith(f"text: {MARKUP}")


def test_weights_as_csv(qtbot, open_window, do, ask, tmp_path, small):
    """Cases 1 and 2: rows are queries; numbers come back exactly."""
    window = open_window(MARKUP)
    window.attention_view.choose_head(1, 1)
    ask.path = tmp_path / "out.csv"
    with qtbot.waitSignal(window.saver.said):
        do(window, "Save weights…")
    assert Path(ask.proposal).name == "t5-random-layer-2-head-2.csv"
    with ask.path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0][1:] == TOKENS
    assert [row[0] for row in rows[1:]] == TOKENS
    numbers = np.array([row[1:] for row in rows[1:]], dtype=np.float32)
    np.testing.assert_allclose(numbers, encode(MARKUP, **small).weights(1, 1), atol=1e-7)
    np.testing.assert_array_equal(numbers, window.attention_view.figure().matrix)


def test_weights_of_the_mean(qtbot, open_window, do, ask, tmp_path, small):
    window = open_window("one two three")
    window.attention_view.mean_box.setChecked(True)
    ask.path = tmp_path / "mean.csv"
    with qtbot.waitSignal(window.saver.said):
        do(window, "Save weights…")
    assert Path(ask.proposal).name == "t5-random-layer-1-mean-over-heads.csv"
    rows = list(csv.reader(ask.path.read_text(encoding="utf-8-sig").splitlines()))
    numbers = np.array([row[1:] for row in rows[1:]], dtype=np.float32)
    mean = encode("one two three", **small).attentions[0].mean(axis=0)
    np.testing.assert_allclose(numbers, mean, atol=1e-6)


def test_picture_to_the_clipboard(qtbot, open_window, do):
    from posenc_gui.figures.exporters import figure_image

    window = open_window("one two three")
    with qtbot.waitSignal(window.saver.said) as said:
        do(window, "Copy picture")
    assert said.args == ["The picture is on the clipboard."]
    image = QGuiApplication.clipboard().image()
    expected = figure_image(window.attention_view.figure())
    assert (image.width(), image.height()) == (1800, 1600)
    assert image.convertToFormat(expected.format()).pixelColor(800, 800) == expected.pixelColor(
        800, 800
    )


def test_a_dark_window_saves_a_light_picture(qtbot, open_window, do, ask, tmp_path):
    window = open_window("one two three", theme="dark")
    assert window.palette().base().color().lightness() < 80
    ask.path = tmp_path / "out.png"
    with qtbot.waitSignal(window.saver.said):
        do(window, "Save picture…")
    assert QImage(str(ask.path)).pixelColor(3, 3).name() == "#ffffff"


def test_the_shown_scale_and_colours_are_saved(qtbot, open_window, do, ask, tmp_path):
    import pyqtgraph as pg

    window = open_window("one two three", color_map="magma", full_scale=False)
    ask.path = tmp_path / "out.svg"
    with qtbot.waitSignal(window.saver.said):
        do(window, "Save picture…")
    largest = pg.colormap.get("magma").getLookupTable(0.0, 1.0, 256)[-1]
    color = "#" + "".join(f"{int(channel):02x}" for channel in largest[:3])
    root = ElementTree.parse(ask.path).getroot()
    cells = [
        group.get("fill")
        for group in root.iter(f"{SVG}g")
        for rect in group.findall(f"{SVG}rect")
        if rect.get("width") == rect.get("height")
    ]
    assert len(cells) == 9
    assert cells.count(color) == 1


def test_thinking_better_of_it(qtbot, open_window, do, ask):
    window = open_window("one two three")
    with qtbot.assertNotEmitted(window.controller.task_finished):
        do(window, "Save picture…")
        do(window, "Save weights…")
    assert not window.notice.isVisible()


def test_the_folder_is_remembered(qtbot, open_window, do, ask, tmp_path):
    window = open_window("one two three")
    ask.path = tmp_path / "one.png"
    with qtbot.waitSignal(window.saver.said):
        do(window, "Save picture…")
    window.close()
    again = open_window()
    ask.path = None
    do(again, "Save weights…")
    assert ask.proposal == str(tmp_path / "t5-random-layer-1-head-1.csv")


def test_a_folder_that_is_not_there(qtbot, open_window, do, ask, tmp_path):
    """Case 17."""
    window = open_window("one two three")
    ask.path = tmp_path / "missing" / "out.png"
    with qtbot.waitSignal(window.saver.failed):
        do(window, "Save picture…")
    assert window.notice.isVisible()
    assert "There is no folder" in window.notice.label.text()
    assert "missing" in window.notice.label.text()
    assert not ask.path.parent.exists()
    assert window.attention_view.figure() is not None  # the picture is still shown


@pytest.mark.parametrize("entry", ["Save picture…", "Save weights…"])
@pytest.mark.parametrize(
    ("place", "error"),
    [
        ("posenc_model.exporters.base.os.fsync", OSError(errno.ENOSPC, "No space left on device")),
        (
            "posenc_model.exporters.base.tempfile.mkstemp",
            PermissionError(errno.EACCES, "Permission denied"),
        ),
    ],
)
def test_a_write_that_fails(
    qtbot, open_window, do, ask, tmp_path, monkeypatch, entry, place, error
):
    """Case 17: the reason is shown, no half-written file stays, the existing one is intact."""
    window = open_window("one two three")
    folder = tmp_path / "pictures"
    folder.mkdir()
    ask.path = folder / ("out.png" if "picture" in entry else "out.csv")
    ask.path.write_text("what was there before")

    def fail(*_, **__):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(place, fail)
        with qtbot.waitSignal(window.saver.failed):
            do(window, entry)
    assert window.notice.isVisible()
    assert error.strerror.lower() in window.notice.label.text()
    assert ask.path.name in window.notice.label.text()
    assert ask.path.read_text() == "what was there before"
    assert list(folder.iterdir()) == [ask.path]
    with qtbot.waitSignal(window.saver.said):
        do(window, entry)
    assert ask.path.read_bytes()[:20] != b"what was there before"[:20]
    assert list(folder.iterdir()) == [ask.path]


def test_a_file_asked_for_is_written_although_the_window_closes(
    qtbot, open_window, do, ask, gate, tmp_path
):
    window = open_window("one two three")
    gate.shut()
    window.settings_panel.rows["seed"].field.set_value(3)
    qtbot.waitUntil(lambda: len(gate.texts) == 2)
    ask.path = tmp_path / "late.png"
    do(window, "Save picture…")
    window.close()
    assert QImage(str(ask.path)).width() == 1800


def test_saving_is_off_while_there_is_nothing_to_save(open_window):
    window = open_window("", wait=False)
    names = ("&Save picture…", "Save &weights…", "&Copy picture")
    actions = [a for a in window.findChildren(QAction) if a.text() in names]
    assert [a.isEnabled() for a in actions] == [False] * 3
    other = open_window("one")
    actions = [a for a in other.findChildren(QAction) if a.text() in names]
    assert [a.isEnabled() for a in actions] == [True] * 3


def test_nothing_is_saved_of_a_view_that_is_not_the_matrix(open_window):
    window = open_window("one two")
    save = window.saver._save
    assert save.isEnabled()
    window.tabs.setCurrentIndex(1)
    assert not save.isEnabled()
    window.tabs.setCurrentIndex(0)
    assert save.isEnabled()
