"""Saving and copying from the window: what of it is saved, and where it goes."""

import csv
import errno
import json
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QAction, QGuiApplication, QImage

from posenc_gui.figure_dialog.data import DataDialog
from posenc_gui.views.compare import CompareView
from posenc_model import encode
from posenc_model.exporters.look import Look
from posenc_model.exporters.provenance import read_state
from posenc_model.exporters.spec import Spec
from posenc_model.request import MEAN_HEAD

MARKUP = "<s> x < y <b>a</b> &amp;"
TOKENS = ["<s>", "x", "<", "y", "<b>a</b>", "&amp;"]
SAVE, DATA, COPY = "Save picture…", "Save data…", "Copy picture"


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch):
    monkeypatch.setattr("posenc_gui.figure_dialog.dialog._PAUSE_MS", 0)


@pytest.fixture
def ask(monkeypatch):
    """Answers the file dialog with a path; holds what it was asked."""

    class Asked:
        path = None

        def __call__(self, parent, title, proposal, kinds, **_):
            self.title, self.proposal, self.kinds = title, Path(proposal), list(kinds)
            return self.path

    asked = Asked()
    monkeypatch.setattr("posenc_gui.saving.ask_save", asked)
    monkeypatch.setattr("posenc_gui.figure_dialog.dialog.ask_save", asked)
    return asked


@pytest.fixture
def figures(qtbot, do):
    """Opens the figure dialog from the menu, and waits for its picture."""

    def opened(window):
        do(window, SAVE)
        dialog = window.saver.figures
        qtbot.waitUntil(lambda: not dialog.is_waiting, timeout=20_000)
        assert dialog.isVisible()
        return dialog

    return opened


@pytest.fixture
def save_data(qtbot, do, ask):
    """Saves data as the small dialog is filled in, and gives what was said."""

    def save(window, path, heads=None):
        ask.path = path
        do(window, DATA)
        dialog = window.findChild(DataDialog)
        assert dialog.isVisible()
        dialog.kind_box.setCurrentIndex(dialog.kind_box.findData(path.suffix))
        if heads is not None:
            dialog.heads_box.setCurrentIndex(dialog.heads_box.findData(heads))
        with qtbot.waitSignal(window.saver.said, timeout=20_000) as said:
            dialog.save_button.click()
        return said.args[0]

    return save


def show_tab(window, title):
    view = next(view for view in window.views if view.title == title)
    window.tabs.setCurrentWidget(view)
    return view


def actions_of(window):
    named = {a.text().replace("&", ""): a for a in window.findChildren(QAction)}
    return [named[name] for name in (SAVE, DATA, COPY)]


# --- what the dialog begins with ------------------------------------------------------------------


def test_the_matrix_as_it_is_shown(open_window, figures):
    window = open_window("one two three", color_map="magma", full_scale=False)
    view = window.attention_view
    view.choose_head(1, 1)
    view.kind_box.setCurrentIndex(view.kind_box.findData("scores"))
    dialog = figures(window)
    assert dialog.form.spec() == Spec(layers=(1,), heads=(1,), matrix="scores")
    assert dialog.form.look() == Look(color_map="magma", color_range="largest")


def test_the_mean(open_window, figures):
    window = open_window("one two three")
    window.attention_view.mean_box.setChecked(True)
    assert figures(window).form.spec().heads == (MEAN_HEAD,)


def test_a_part_of_the_matrix(open_window, figures):
    window = open_window("one two three four")
    window.attention_view.plot.show_part((1, 3), (1, 3))
    assert figures(window).form.spec().tokens == (1, 2)
    window.saver.figures.close()
    window.attention_view.plot.show_part((1, 3), (0, 2))  # other columns than rows
    dialog = figures(window)
    assert dialog.form.spec().tokens is None
    assert "other rows than columns, so all words are saved" in dialog.note.text()


def test_a_cell_that_was_asked_about(qtbot, open_window, figures):
    window = open_window("one two three")
    view = window.attention_view
    view.explain((2, 0))
    qtbot.waitUntil(lambda: view.why.explanation is not None)
    dialog = figures(window)
    assert dialog.form.spec() == Spec(view="why", cell=(2, 0))
    dialog.close()
    view.side.setCurrentIndex(0)
    dialog = figures(window)
    assert dialog.form.spec() == Spec()
    dialog.form.rows["view"].field.set_value("why")
    assert dialog.form.spec().cell == (2, 0)


def test_lines_with_their_heads_and_threshold(open_window, figures):
    window = open_window("one two three")
    view = show_tab(window, "Lines")
    view.slider.setValue(20)
    assert figures(window).form.spec() == Spec(view="lines", threshold=0.2)
    window.saver.figures.close()
    view.show_heads(frozenset((0, 1)))
    assert figures(window).form.spec() == Spec(view="lines", heads=None, threshold=0.2)
    window.saver.figures.close()
    view.show_heads(frozenset())
    assert figures(window).form.spec().heads == (0,)


def test_profiles_with_their_reach(open_window, figures):
    window = open_window("one two three four")
    view = show_tab(window, "Profiles")
    view.reach_box.setCurrentIndex(0)
    assert figures(window).form.spec() == Spec(view="profile", reach=10)
    window.saver.figures.close()
    view.reach_box.setCurrentIndex(2)
    assert figures(window).form.spec().reach == 3


def test_the_encoding_of_the_pair(open_window, figures):
    window = open_window("one two three")
    show_tab(window, "Encoding").mark_cell((0, 2))
    assert figures(window).form.spec() == Spec(view="encoding", cell=(0, 2))


def test_the_encodings_that_are_ticked(open_window, figures):
    window = open_window("one two three")
    view = show_tab(window, "Compare")
    view.encoding_boxes["abs"].setChecked(False)
    dialog = figures(window)
    assert dialog.form.spec() == Spec(view="compare", compare=("rel",))
    assert dialog.note.isHidden()


def test_a_kept_result_that_only_another_encoding_made(open_window, shown, figures):
    window = open_window("one two three")
    view = show_tab(window, "Compare")
    assert isinstance(view, CompareView)
    view.keep_button.click()
    window.settings_panel.choose_setting("positional_encoding", "none")
    shown(window, "one two three", positional_encoding="none")
    dialog = figures(window)
    assert dialog.form.spec() == Spec(view="compare", compare=("t5",))
    assert dialog.note.isHidden()


def test_a_kept_result_that_no_settings_make_again(qtbot, open_window, shown, figures, do):
    window = open_window("one two three")
    view = show_tab(window, "Compare")
    view.keep_button.click()
    window.settings_panel.choose_setting("seed", 7)
    shown(window, "one two three", seed=7)
    dialog = figures(window)
    assert dialog.form.spec().compare == ("rel", "abs")
    assert "in place of the kept result" in dialog.note.text()
    assert dialog.note.isVisible()
    dialog.close()
    with qtbot.waitSignal(window.saver.said) as said:
        do(window, COPY)
    assert "in place of the kept result" in said.args[0]


def test_the_order_probe_has_the_matrix_instead(open_window, figures):
    window = open_window("one two three")
    show_tab(window, "Order probe")
    save, _, copy = actions_of(window)
    assert "“Order probe” has no picture to save" in save.toolTip()
    assert not copy.isEnabled()
    assert copy.toolTip() == "“Order probe” has no picture to copy."
    dialog = figures(window)
    assert dialog.form.spec() == Spec()
    assert "“Order probe” has no picture to save" in dialog.note.text()
    dialog.close()
    show_tab(window, "Attention")
    assert copy.isEnabled()
    assert copy.toolTip() == "Copy picture (Ctrl+Shift+C)"


def test_a_dark_window_saves_a_light_picture(qtbot, open_window, figures, ask, tmp_path):
    window = open_window("one two three", theme="dark")
    assert window.palette().base().color().lightness() < 80
    dialog = figures(window)
    ask.path = tmp_path / "out.png"
    with qtbot.waitSignal(window.saver.said) as said:
        dialog.save()
    assert QImage(str(ask.path)).pixelColor(3, 3).name() == "#ffffff"
    assert window.statusBar().currentMessage() == said.args[0] == f"Saved “{ask.path}”."


def test_a_run_that_ends_while_the_dialog_is_open(open_window, gate, qtbot, do):
    window = open_window("one two three")
    gate.shut()
    window.text_panel.set_text("four five")
    qtbot.waitUntil(lambda: len(gate.texts) == 2)
    do(window, SAVE)
    gate.open()
    dialog = window.saver.figures
    qtbot.waitUntil(lambda: window.attention_view.result.request.text == "four five")
    qtbot.waitUntil(lambda: not dialog.is_waiting)
    assert dialog.form.rows["cell"].field.boxes[0].maximum() == 2


# --- what is remembered ---------------------------------------------------------------------------


def test_the_last_look_and_the_presets_are_remembered(open_window, figures, folder, monkeypatch):
    window = open_window("one two three")
    dialog = figures(window)
    dialog.form.show_look({"width_mm": 85.0, "color_map": "magma", "title": "Figure 1"})
    monkeypatch.setattr("posenc_gui.figure_dialog.presets.ask_name", lambda parent, name: "Mine")
    dialog._refresh()
    dialog.presets.save_button.click()
    window.close()
    stored = json.loads((folder / "figures.json").read_text("utf-8"))
    assert stored["look"]["width_mm"] == stored["presets"]["Mine"]["width_mm"] == 85.0
    dialog = figures(open_window())
    assert dialog.form.look() == Look(width_mm=85.0)  # the colours are the window’s
    assert dialog.presets.presets == {"Mine": Look(width_mm=85.0, color_map="magma")}


def test_a_broken_file_of_looks_gives_one_notice(open_window, folder):
    folder.mkdir()
    (folder / "figures.json").write_text('{"version": 1, "look"')
    window = open_window("one two three")
    assert window.notice.isVisible()
    assert window.notice.label.text().count("could not be read") == 1


def test_the_folder_is_remembered(qtbot, open_window, figures, ask, save_data, tmp_path):
    window = open_window("one two three")
    dialog = figures(window)
    ask.path = tmp_path / "one.png"
    with qtbot.waitSignal(window.saver.said):
        dialog.save()
    dialog.close()
    assert window.opener.folder == str(tmp_path)
    save_data(window, tmp_path / "two.csv")
    assert ask.proposal == tmp_path / "t5-random-layer-1-head-1.csv"
    window.close()
    again = open_window()
    assert again.saver.folder == str(tmp_path)


# --- data -----------------------------------------------------------------------------------------


def test_weights_as_csv(open_window, save_data, ask, tmp_path, small):
    """Rows are queries; numbers come back exactly."""
    window = open_window(MARKUP)
    window.attention_view.choose_head(1, 1)
    target = tmp_path / "out.csv"
    assert save_data(window, target).startswith(f"Saved “{target}”.")
    assert ask.proposal.name == "t5-random-layer-2-head-2.csv"
    assert ask.kinds == [".csv"]
    with target.open(encoding="utf-8-sig", newline="") as file:
        rows = [row for row in csv.reader(file) if len(row) == len(TOKENS) + 1]
    assert rows[0][1:] == TOKENS
    assert [row[0] for row in rows[1:]] == TOKENS
    numbers = np.array([row[1:] for row in rows[1:]], dtype=np.float32)
    np.testing.assert_allclose(numbers, encode(MARKUP, **small).weights(1, 1), atol=1e-7)


def test_the_matrix_that_is_shown_is_saved(open_window, save_data, tmp_path):
    window = open_window("one two three")
    view = window.attention_view
    view.kind_box.setCurrentIndex(view.kind_box.findData("scores"))
    view.mean_box.setChecked(True)
    save_data(window, tmp_path / "out.csv")
    state = read_state(tmp_path / "out.csv")
    assert (state.spec.matrix, state.spec.heads) == ("scores", (MEAN_HEAD,))


@pytest.mark.parametrize(("heads", "expected"), [(None, None), ("one", (0,)), ("all", None)])
def test_arrays_of_all_heads_unless_one_is_wanted(
    open_window, save_data, ask, tmp_path, heads, expected
):
    window = open_window("one two three")
    save_data(window, tmp_path / "out.npz", heads)
    state = read_state(tmp_path / "out.npz")
    assert (state.spec.layers, state.spec.heads) == (expected, expected)
    assert ask.proposal.name == (
        "t5-random.npz" if expected is None else "t5-random-layer-1-head-1.npz"
    )


def test_every_kind_of_data_is_offered(open_window, do):
    from posenc_model.exporters import DATA_EXPORTERS

    window = open_window("one two three")
    do(window, DATA)
    dialog = window.findChild(DataDialog)
    offered = {dialog.kind_box.itemData(i) for i in range(dialog.kind_box.count())}
    assert offered >= {*DATA_EXPORTERS, ".html"}
    assert ".png" not in offered


def test_thinking_better_of_it(qtbot, open_window, do, ask):
    window = open_window("one two three")
    with qtbot.assertNotEmitted(window.saver.said):
        do(window, DATA)
        window.findChild(DataDialog).save_button.click()
    assert not window.notice.isVisible()
    assert ask.title == "Save data"


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
    qtbot, open_window, do, ask, save_data, tmp_path, monkeypatch, place, error
):
    """The reason is shown, no half-written file stays, the existing one is intact."""
    window = open_window("one two three")
    folder = tmp_path / "pictures"
    folder.mkdir()
    ask.path = folder / "out.csv"
    ask.path.write_text("what was there before")

    def fail(*_, **__):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(place, fail)
        do(window, DATA)
        with qtbot.waitSignal(window.saver.failed):
            window.findChild(DataDialog).save_button.click()
    assert window.notice.isVisible()
    assert error.strerror.lower() in window.notice.label.text()
    assert "out.csv" in window.notice.label.text()
    assert ask.path.read_text() == "what was there before"
    assert list(folder.iterdir()) == [ask.path]
    save_data(window, ask.path)
    assert ask.path.read_text() != "what was there before"
    assert list(folder.iterdir()) == [ask.path]


def test_a_file_asked_for_is_written_although_the_window_closes(
    qtbot, open_window, figures, ask, gate, tmp_path
):
    window = open_window("one two three")
    dialog = figures(window)
    gate.shut()
    window.settings_panel.rows["seed"].field.set_value(3)
    qtbot.waitUntil(lambda: len(gate.texts) == 2)
    ask.path = tmp_path / "late.png"
    dialog.save()
    window.close()
    assert QImage(str(ask.path)).width() == 1890  # 160 mm at 300 dpi


def save_each(window, dialog, ask, path):
    """Begins to save a file for each of four heads."""
    ask.path = path
    dialog.form.show_look({"dpi": 36})
    dialog.form.rows["heads"].field.set_value((None, None))
    dialog.form.rows["arrange"].field.set_value("files")
    dialog.save()


def test_the_status_bar_shows_what_is_written_meanwhile(
    qtbot, open_window, figures, ask, gate, tmp_path
):
    window = open_window("one two three")
    dialog = figures(window)
    gate.shut()
    window.settings_panel.rows["seed"].field.set_value(3)
    qtbot.waitUntil(lambda: len(gate.texts) == 2)
    save_each(window, dialog, ask, tmp_path / "out.png")
    progress = window.saver.progress
    assert not progress.isVisible()
    dialog.close()
    assert progress.isVisible()
    assert progress.label.text() == "Saving… 0 of 4 files"
    progress.cancel_button.click()
    with qtbot.waitSignal(window.saver.said) as said:
        gate.open()
    assert said.args == ["Cancelled: 0 of 4 files were saved."]
    assert not progress.isVisible()


@pytest.mark.parametrize("quits", [False, True])
def test_quitting_while_files_are_written(
    qtbot, open_window, figures, ask, gate, tmp_path, monkeypatch, quits
):
    window = open_window("one two three")
    dialog = figures(window)
    gate.shut()
    window.settings_panel.rows["seed"].field.set_value(3)
    qtbot.waitUntil(lambda: len(gate.texts) == 2)
    save_each(window, dialog, ask, tmp_path / "out.png")
    dialog.close()
    asked = []
    monkeypatch.setattr(
        "posenc_gui.saving.ask_quit", lambda parent, *files: asked.append(files) or quits
    )
    assert window.close() == quits
    assert asked == [(0, 4)]
    assert window.isVisible() != quits
    if not quits:
        with qtbot.waitSignal(window.saver.said, timeout=20_000):
            gate.open()
    assert len([p for p in tmp_path.iterdir() if p.suffix == ".png"]) == (0 if quits else 4)
    assert window.close()
    assert asked == [(0, 4)]


def test_the_dialog_is_made_ahead(qtbot, open_window, monkeypatch, do):
    monkeypatch.setattr("posenc_gui.saving.PREPARE_AFTER_MS", 0)
    window = open_window("one two three")
    qtbot.waitUntil(lambda: window.saver.figures is not None, timeout=20_000)
    dialog = window.saver.figures
    assert not dialog.isVisible()
    do(window, SAVE)
    assert window.saver.figures is dialog
    assert dialog.form.spec() == Spec()
    dialog.close()


def test_copying_with_a_font_that_is_gone(qtbot, open_window, folder, do):
    folder.mkdir()
    look = {"font": "Gone Sans", "width_mm": 50.8, "dpi": 50}
    content = json.dumps({"version": 1, "look": look})
    (folder / "figures.json").write_text(content, encoding="utf-8")
    window = open_window("one two three")
    with qtbot.waitSignal(window.saver.said) as said:
        do(window, COPY)
    assert "“Gone Sans” is not on this machine; Noto Sans is used." in said.args[0]
    assert QGuiApplication.clipboard().image().width() == 100


# --- copying, and when there is nothing -----------------------------------------------------------


def test_copying_takes_the_last_look(qtbot, open_window, do, figures):
    window = open_window("one two three", full_scale=False)
    dialog = figures(window)
    dialog.form.show_look({"width_mm": 50.8, "height_mm": 50.8, "dpi": 100})
    dialog.close()
    with qtbot.waitSignal(window.saver.said) as said:
        do(window, COPY)
    assert said.args == ["The picture is on the clipboard."]
    image = QGuiApplication.clipboard().image()
    assert (image.width(), image.height()) == (200, 200)


def test_copying_that_fails(qtbot, open_window, do, figures):
    window = open_window("one two three")
    dialog = figures(window)
    dialog.form.show_look({"width_mm": 1000.0, "height_mm": 1000.0, "dpi": 2400})
    dialog.close()
    with qtbot.waitSignal(window.saver.failed) as failed:
        do(window, COPY)
    assert "million" in failed.args[0]
    assert window.notice.label.text().endswith(failed.args[0])


def test_saving_is_off_while_there_is_nothing_to_save(open_window):
    window = open_window("", wait=False)
    assert [a.isEnabled() for a in actions_of(window)] == [False] * 3
    other = open_window("one")
    assert [a.isEnabled() for a in actions_of(other)] == [True] * 3


@pytest.mark.parametrize("title", ["Attention", "Lines", "Compare", "Profiles", "Encoding"])
def test_every_view_is_saved(open_window, title):
    window = open_window("one two three")
    show_tab(window, title)
    assert [a.isEnabled() for a in actions_of(window)] == [True] * 3
    buttons = window.tabs.cornerWidget().findChildren(type(window.text_panel.open_button))
    assert [b.text() for b in buttons if b.isVisible()] == ["Save…", "Copy"]
