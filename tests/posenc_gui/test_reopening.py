"""Opening a saved file: the window comes back to what the file shows."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication

from posenc_gui import app
from posenc_gui.figure_dialog.jobs import exporters
from posenc_gui.main_window import MainWindow
from posenc_model import encode
from posenc_model.exporters import DATA_EXPORTERS, Export
from posenc_model.exporters.look import Look
from posenc_model.exporters.provenance import read_state
from posenc_model.exporters.spec import Spec

TEXT = "the cat sees <b> a cat"
SETTINGS = {
    "num_layers": 3,
    "num_heads": 4,
    "width": 32,
    "nlp_pipeline": "whitespace",
    "positional_encoding": "rel",
    "clip_distance": 3,
    "seed": 5,
}
LOOK = Look(width_mm=40.0, dpi=40, font_size=4.0, color_map="cividis", title="Figure 1")


@pytest.fixture(scope="module")
def result():
    return encode(TEXT, **SETTINGS)


@pytest.fixture
def saved(result, tmp_path):
    """Saves a file as the program does."""

    def save(spec=None, look=LOOK, name="out.png", of=None):
        path = tmp_path / name
        render = exporters()[path.suffix].render
        export = Export((of or result,), spec or Spec(), look, name)
        path.write_bytes(render(export).content)
        return path

    return save


@pytest.fixture
def reopen(qtbot, monkeypatch, do):
    """Opens a file from the menu, and waits until the window shows what it tells of."""

    def opened(window, path):
        monkeypatch.setattr("posenc_gui.opening.ask_open", lambda *arguments: path)
        before = window.attention_view.result
        do(window, "Open saved picture…")
        qtbot.waitUntil(
            lambda: (
                window.attention_view.result not in (None, before) and not window.controller.is_busy
            ),
            timeout=20_000,
        )

    return opened


def drop(widget, path):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    where, action = QPoint(20, 10), Qt.DropAction.CopyAction
    more = (action, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    enter = QDragEnterEvent(where, *more)
    QApplication.sendEvent(widget, enter)
    assert enter.isAccepted()
    QApplication.sendEvent(widget, QDropEvent(QPointF(where), *more))


def test_text_settings_and_choice_come_back(open_window, reopen, saved):
    window = open_window("something else")
    reopen(window, saved(Spec(layers=(2,), heads=(3,), matrix="scores", cell=(0, 1))))
    request = window.attention_view.result.request
    assert request.text == TEXT
    assert window.text_panel.text() == TEXT
    flat = request.settings.flat()
    assert {name: flat[name] for name in SETTINGS} == SETTINGS
    assert (window.choice.layer, window.choice.head) == (2, 3)
    assert window.attention_view.kind_box.currentData() == "scores"
    assert window.appearance.color_map == "cividis"
    assert not window.notice.isVisible()


SPECS = [
    Spec(layers=(1,), heads=(2,), matrix="content", tokens=(1, 2, 3)),
    Spec(view="overview", layers=None, heads=None),
    Spec(view="compare", layers=(1,), heads=(1,), compare=("none",)),
    Spec(view="why", layers=(1,), heads=(2,), cell=(3, 1)),
    Spec(view="encoding", layers=(1,), heads=(2,), cell=(3, 1)),
    Spec(view="profile", layers=(1,), heads=(2,), reach=10),
    Spec(view="lines", layers=(1,), heads=(0, 2), threshold=0.2),
    Spec(view="lines", layers=(1,), heads=None, threshold=0.2),
    Spec(layers=(1,), heads=(-1,)),
]


def test_every_picture_comes_back_and_is_saved_again_as_it_was(
    qtbot, open_window, reopen, saved, do
):
    """In one window, one after the other: each leaves nothing of the one before."""
    window = open_window("something else")
    read = read_state(saved())
    for spec in SPECS:
        state = replace(read, spec=spec)
        before = window.attention_view.result
        window.opener.state_read.emit(state)
        qtbot.waitUntil(
            lambda before=before: (
                window.attention_view.result is not before and not window.controller.is_busy
            ),
            timeout=20_000,
        )
        view = window.tabs.currentWidget()
        assert spec.view in view.pictures
        if spec.view == "why":
            qtbot.waitUntil(lambda: window.attention_view.why.explanation is not None)
        do(window, "Save picture…")
        dialog = window.saver.figures
        assert dialog.form.spec() == spec
        assert dialog.form.look() == LOOK
        dialog.close()


def test_what_a_file_shows_holds_although_the_view_fills_later(
    qtbot, open_window, reopen, saved, do
):
    """Some of what a view shows comes a moment later: a cell’s scores, or a matrix."""
    window = open_window("something else")
    spec = Spec(view="why", layers=(1,), heads=(0, 1, 2), cell=(3, 1))
    reopen(window, saved(spec, name="why.svg"))
    assert "“Save picture…” (Ctrl+S) has them" in window.notice.label.text()
    qtbot.waitUntil(lambda: window.attention_view.why.explanation is not None)
    do(window, "Save picture…")
    dialog = window.saver.figures
    assert dialog.form.spec() == spec
    dialog.close()
    reopen(window, saved(Spec(layers=(0,), heads=(1,), matrix="position", tokens=(1, 2))))
    assert not window.notice.isVisible()
    view = window.attention_view
    qtbot.waitUntil(lambda: view.shown is not None and view.plot.shown_tokens() == (1, 2))
    spec = Spec(matrix="scores", tokens=(5, 1, 4))
    reopen(window, saved(spec))
    qtbot.waitUntil(lambda: view.shown is not None and view.shown.kind == "scores")
    do(window, "Save picture…")
    assert dialog.form.spec() == spec
    dialog.close()


@pytest.mark.parametrize("change", ["kind", "side", "cell", "zoom", "head", "tab"])
def test_what_a_file_shows_holds_until_something_else_is_chosen(
    open_window, reopen, saved, do, change
):
    window = open_window("something else")
    reopen(window, saved(Spec(layers=None, heads=None)))
    view = window.attention_view
    if change == "kind":
        view.kind_box.setCurrentIndex(1)
    elif change == "side":
        view.side.setCurrentIndex(1)
    elif change == "cell":
        view.plot.cell_chosen.emit((1, 0))
    elif change == "zoom":
        view.plot.choose_all()
    elif change == "head":
        window.choice.choose(1, 1)
    else:
        window.tabs.setCurrentIndex(1)
    do(window, "Save picture…")
    spec = window.saver.figures.form.spec()
    assert spec.heads is not None
    window.saver.figures.close()
    if change == "tab":
        window.tabs.setCurrentIndex(0)
        do(window, "Save picture…")
        assert window.saver.figures.form.spec() == Spec(layers=None, heads=None)
        window.saver.figures.close()


@pytest.mark.parametrize(
    "spec",
    [
        Spec(view="lines", layers=(1,), heads=(1,), threshold=0.0125),
        Spec(view="encoding", layers=(1,), heads=(1,)),
        Spec(view="why", layers=(1,), heads=(1,)),
    ],
    ids=lambda spec: spec.view,
)
def test_open_and_save_give_the_same_file(
    qtbot, open_window, reopen, saved, do, tmp_path, monkeypatch, spec
):
    look = replace(LOOK, font_size=4.123, color_range="0.0,0.12345", width_mm=100 / 3)
    path = saved(spec, look, name="out.svg")
    content = path.read_bytes()
    window = open_window("something else")
    reopen(window, path)
    do(window, "Save picture…")
    dialog = window.saver.figures
    qtbot.waitUntil(lambda: not dialog.is_waiting, timeout=20_000)
    path.unlink()
    monkeypatch.setattr("posenc_gui.figure_dialog.dialog.ask_save", lambda *arguments, **more: path)
    with qtbot.waitSignal(window.saver.said, timeout=20_000):
        dialog.save_button.click()
    dialog.close()
    assert path.read_bytes() == content
    if spec.view == "lines":
        view = window.tabs.currentWidget()
        assert (view.threshold, view.threshold_label.text()) == (0.0125, "1.25 %")
        view.slider.setValue(20)
        assert view.spec().threshold == 0.2


def test_another_head_takes_the_look_of_the_file_only(open_window, reopen, saved, do):
    window = open_window("something else")
    reopen(window, saved(Spec(layers=None, heads=None)))
    window.choice.choose(1, 1)
    do(window, "Save picture…")
    dialog = window.saver.figures
    assert dialog.form.spec() == Spec(layers=(1,), heads=(1,))
    assert dialog.form.look() == LOOK
    dialog.close()


def test_another_text_takes_the_usual_look(open_window, reopen, saved, do, shown):
    window = open_window("something else")
    reopen(window, saved(look=replace(LOOK, color_range="0,0.5")))
    window.text_panel.set_text("one two")
    shown(window, "one two")
    do(window, "Save picture…")
    assert window.saver.figures.form.look() == Look(color_map="cividis")
    window.saver.figures.close()


def test_every_kind_of_file_is_opened(open_window, reopen, saved):
    window = open_window("something else")
    for head, suffix in enumerate((".svg", ".pdf", ".tiff")):
        reopen(window, saved(Spec(layers=(1,), heads=(head,)), name=f"out{suffix}"))
        assert window.attention_view.result.request.text == TEXT
        assert (window.choice.layer, window.choice.head) == (1, head)
    for suffix in DATA_EXPORTERS:
        window.choice.choose(0, 0)
        reopen(window, saved(Spec(layers=(2,), heads=(3,)), name=f"out{suffix}"))
        assert (window.choice.layer, window.choice.head) == (2, 3)


@pytest.mark.parametrize("part", ["window", "editor"])
def test_a_dropped_picture_is_opened(qtbot, open_window, saved, part):
    window = open_window("something else")
    path = saved(Spec(layers=(1,), heads=(2,)))
    drop(window if part == "window" else window.text_panel.editor.viewport(), path)
    qtbot.waitUntil(lambda: window.choice.head == 2, timeout=20_000)
    assert window.text_panel.text() == TEXT


@pytest.mark.parametrize("name", ["words.csv", "words.txt", "words.json"])
def test_a_dropped_text_is_a_text_as_before(open_window, shown, tmp_path, name):
    window = open_window("something else")
    (tmp_path / name).write_text("seven eight", encoding="utf-8")
    drop(window.text_panel.editor.viewport(), tmp_path / name)
    shown(window, "seven eight")


def test_dropped_attention_of_another_program_is_opened(qtbot, open_window, tmp_path):
    window = open_window("something else")
    weights = np.full((1, 1, 2, 2), 0.5, np.float32)
    np.savez(tmp_path / "theirs.npz", weights=weights, tokens=["seven", "eight"])
    drop(window, tmp_path / "theirs.npz")

    def check():
        result = window.attention_view.result
        assert result is not None
        assert [token.text for token in result.tokens] == ["seven", "eight"]

    qtbot.waitUntil(check, timeout=20_000)
    assert window.text_panel.text() == "something else"


@pytest.mark.parametrize("name", ["photo.png", "drawing.svg"])
def test_a_file_that_says_nothing_leaves_the_text_alone(qtbot, open_window, tmp_path, name):
    window = open_window("one two three")
    (tmp_path / name).write_bytes(b"\x89PNG\r\n\x1a\nnothing of ours")
    drop(window, tmp_path / name)
    qtbot.waitUntil(window.notice.isVisible)
    assert f"“{name}” does not say how it was made" in window.notice.label.text()
    assert window.text_panel.text() == "one two three"
    assert window.attention_view.result is not None


def test_weights_that_are_gone_are_named(qtbot, open_window, saved, do, monkeypatch):
    window = open_window("one two three")
    path = saved(name="out.json")
    content = path.read_text("utf-8")
    gone = '"weights": "/gone/encoder.safetensors"'
    path.write_text(content.replace('"weights": "random"', gone), "utf-8")
    assert gone in path.read_text("utf-8")
    monkeypatch.setattr("posenc_gui.opening.ask_open", lambda *arguments: path)
    do(window, "Open saved picture…")
    qtbot.waitUntil(window.notice.isVisible)
    assert "encoder.safetensors" in window.notice.label.text()
    assert window.text_panel.text() == "one two three"


def test_a_state_that_cannot_be_run_is_forgotten(qtbot, open_window, shown, saved):
    window = open_window("one two three")
    state = read_state(saved(Spec(view="lines", layers=(2,), heads=(3,))))
    settings = replace(state.settings, vocabulary="/gone.txt", embedding="one-hot")
    window.opener.state_read.emit(replace(state, settings=settings))
    qtbot.waitUntil(lambda: window.attention_view.result is None)
    window.settings_panel.choose_setting("embedding", "random")
    shown(window, TEXT)
    assert window.tabs.currentIndex() == 0
    assert (window.choice.layer, window.choice.head) == (0, 0)


def test_hidden_words_come_back(open_window, reopen, saved):
    from posenc_model.request import RunRequest
    from posenc_model.run import run
    from posenc_model.settings import Settings

    settings = Settings.of({"weights": "trained", "nlp_pipeline": "whitespace"})
    of = run(RunRequest(0, "The dog opened the door", settings, masked=(1, 3)))
    window = open_window("something else")
    reopen(window, saved(of=of))
    request = window.attention_view.result.request
    assert request.masked == (1, 3)
    assert request.settings.weights == "trained"


def test_undo_brings_back_what_was_there(open_window, reopen, saved, shown, do):
    window = open_window("one two three")
    reopen(window, saved())
    do(window, "Undo")
    shown(window, "one two three", num_layers=2)


def test_the_program_opens_with_a_file(qtbot, monkeypatch, folder, saved):
    opened = []

    class Window(MainWindow):
        def show(self):
            opened.append(self)
            super().show()

    state = read_state(saved(Spec(view="profile", layers=(1,), heads=(2,), reach=10)))
    monkeypatch.setattr(app, "MainWindow", Window)
    monkeypatch.setattr(app, "preferences_folder", lambda: folder)
    monkeypatch.setattr(app, "close_on_interrupt", lambda window: _Timer())
    monkeypatch.setattr(app, "install_bug_hook", lambda window: None)
    monkeypatch.setattr(QApplication, "exec", lambda *_: 0)
    assert app.run_window({"num_layers": 2}, state) == 0
    (window,) = opened
    qtbot.addWidget(window)
    qtbot.waitUntil(lambda: window.attention_view.result is not None, timeout=20_000)
    assert window.attention_view.result.request.text == TEXT
    assert window.attention_view.result.num_layers == 3
    assert window.tabs.currentWidget().title == "Profiles"
    assert (window.choice.layer, window.choice.head) == (1, 2)


class _Timer:
    def stop(self):
        pass
