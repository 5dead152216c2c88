"""The whole window: what is typed and set is what is computed and shown."""

import codecs
from pathlib import Path

import numpy as np
import PySide6.QtGui
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QPushButton

from posenc_gui.dialogs.about import AboutDialog
from posenc_gui.dialogs.bug import BugDialog
from posenc_gui.figures.matrix import label_of
from posenc_gui.theme import LIGHT, apply_theme
from posenc_model import __version__, encode
from posenc_model.encodings import ENCODINGS


def type_text(qtbot, window, text):
    """Replaces the text by real keystrokes."""
    editor = window.text_panel.editor
    editor.setFocus()
    editor.selectAll()
    for character in text:
        qtbot.keyClicks(editor, character)
        QApplication.processEvents()


def drawn(window):
    return window.attention_view.plot.image.image


# --- text and settings to the picture ------------------------------------------------------------


def test_typed_text_is_what_is_drawn(qtbot, open_window, shown, small):
    window = open_window("something else")
    type_text(qtbot, window, "dog bites man")
    shown(window, "dog bites man")
    expected = encode("dog bites man", **small).weights(0, 0)
    np.testing.assert_allclose(drawn(window), expected, atol=1e-6)
    figure = window.attention_view.figure()
    assert list(figure.query_words) == list(figure.key_words) == ["dog", "bites", "man"]
    assert [t.text for t in window.text_panel.chips.tokens] == ["dog", "bites", "man"]


def test_defaults_without_any_preferences(qtbot, folder):
    """The first start: the first sample, the trained encoder of t5, spaCy."""
    from posenc_gui.main_window import MainWindow

    window = MainWindow(folder)
    qtbot.addWidget(window)
    window.show()
    qtbot.waitUntil(lambda: window.attention_view.result is not None, timeout=60_000)
    text = Path("resources/samples/first-sentence.txt").read_text(encoding="utf-8").rstrip("\n")
    expected = encode(text, weights="trained")
    assert window.attention_view.result.request.text == text
    assert expected.attentions.shape[:2] == (4, 8)
    np.testing.assert_allclose(drawn(window), expected.weights(0, 0), atol=1e-5)
    assert window.attention_view.layer_box.maximum() == 4
    assert window.attention_view.head_box.maximum() == 8
    assert not window.notice.isVisible()
    assert "trained, t5, 4 × 8" in window.status.label.text()


def test_every_encoding_in_turn(open_window, shown, small):
    text = "all dogs bite all men"
    window = open_window(text)
    field = window.settings_panel.rows["positional_encoding"].field
    seen = []
    for name in [*ENCODINGS, next(iter(ENCODINGS))]:
        field.set_value(name)
        shown(window, text, positional_encoding=name)
        expected = encode(text, **{**small, "positional_encoding": name}).weights(0, 0)
        np.testing.assert_allclose(drawn(window), expected, atol=1e-6)
        assert window.attention_view.figure().title.startswith(f"{name}, random · layer 1 · head 1")
        assert f", {name}, 2 × 2" in window.status.label.text()
        seen.append(drawn(window).copy())
    np.testing.assert_array_equal(seen[0], seen[-1])
    for i, one in enumerate(seen[:-1]):
        for other in seen[i + 1 : -1]:
            assert np.abs(one - other).max() > 1e-4


def test_clip_distance_smaller_than_the_text(open_window, shown, small):
    """Case 4."""
    text = " ".join(f"w{i}" for i in range(30))
    window = open_window(text, {"positional_encoding": "rel"})
    window.settings_panel.encodings["rel"].rows["clip_distance"].field.set_value(10)
    shown(window, text, clip_distance=10)
    given = {**small, "positional_encoding": "rel"}
    expected = encode(text, **given, clip_distance=10).weights(0, 0)
    np.testing.assert_allclose(drawn(window), expected, atol=1e-6)
    assert np.abs(expected - encode(text, **given, clip_distance=16).weights(0, 0)).max() > 1e-5


def test_heads_that_do_not_divide_the_width(open_window, shown):
    """Case 5."""
    window = open_window("one two three", {"width": 39, "num_heads": 8})
    assert window.attention_view.result.config.num_heads == 3
    assert window.attention_view.head_box.maximum() == 3
    assert window.notice.isVisible()
    sentence = window.notice.label.text()
    assert "8 heads" in sentence
    assert "39" in sentence
    assert sentence.endswith(": 3.")
    window.settings_panel.rows["num_heads"].field.set_value(13)
    shown(window, num_heads=13)
    assert window.attention_view.head_box.maximum() == 13
    assert not window.notice.isVisible()


def test_chinese_is_complete(qtbot, open_window):
    """Case 6: nothing is truncated, every character is a token to point at."""
    text = "她们是飞行员还是制片人？"
    window = open_window(text, {"nlp_pipeline": "spacy"})
    figure = window.attention_view.figure()
    assert "".join(figure.query_words) == text
    assert "".join(t.text for t in window.text_panel.chips.tokens) == text
    assert list(figure.key_words) == list(text)
    view = window.attention_view
    for i, character in enumerate(text):
        point = QPointF(view.plot.layout_now.cells.left() - 5, view.plot.layout_now.row_center(i))
        assert view.plot.tip_at(point).endswith(f"\n{character}")


def test_one_layer_and_one_head(open_window, monkeypatch):
    """Case 11: one matrix, and the layer ran once."""
    from posenc_model.encoder import EncoderBlock

    blocks = []
    real = EncoderBlock.add_attended

    def counted(block, x, attended):
        blocks.append(block)
        return real(block, x, attended)

    monkeypatch.setattr(EncoderBlock, "add_attended", counted)
    window = open_window("one two three", {"num_layers": 1, "num_heads": 1})
    result = window.attention_view.result
    assert result.attentions.shape == (1, 1, 3, 3)
    assert result.overview.maximum.shape[:2] == (1, 1)
    assert len(blocks) == 1
    assert window.attention_view.layer_box.maximum() == 1
    assert window.attention_view.head_box.maximum() == 1


def no_picture(window):
    view = window.attention_view
    assert view.figure() is None
    assert view.result is None
    assert drawn(window) is None
    assert view.hint.isVisible()
    assert not view.plot.isVisible()
    assert window.text_panel.chips.tokens == ()
    names = ("&Save picture…", "Save &data…", "&Copy picture")
    actions = [a for a in window.findChildren(QAction) if a.text() in names]
    assert [a.isEnabled() for a in actions] == [False] * 3


@pytest.mark.parametrize("text", ["", "   \n\n\t  \n"])
def test_text_without_words(qtbot, open_window, shown, text):
    """Case 14: a hint and no stale picture; typing again goes on."""
    window = open_window("one two three")
    window.text_panel.set_text(text)
    qtbot.waitUntil(lambda: no_picture(window))
    assert window.attention_view.hint.text().startswith("Type a sentence")
    assert not window.notice.isVisible()
    window.text_panel.set_text("four five")
    shown(window, "four five")
    assert window.attention_view.plot.isVisible()


def test_emptied_in_the_middle_of_a_run(qtbot, open_window, gate):
    """The run's result must not come after the hint."""
    window = open_window("one two three")
    gate.shut()
    gate.ignores_cancel = True
    window.text_panel.set_text("four five")
    qtbot.waitUntil(lambda: gate.texts[-1] == "four five")
    window.text_panel.set_text("")
    qtbot.waitUntil(lambda: no_picture(window))
    gate.open()
    qtbot.waitUntil(lambda: not window.controller.is_busy)
    no_picture(window)
    assert window.attention_view.hint.text().startswith("Type a sentence")


def test_markup_is_shown_as_it_is_typed(open_window, shown):
    """Case 1: labels, tooltips, sentence and chips; the exports are tested with Saver."""
    text = "<s> x < y <b>a</b> &amp;"
    tokens = ["<s>", "x", "<", "y", "<b>a</b>", "&amp;"]
    window = open_window(text)
    view = window.attention_view
    assert list(view.figure().query_words) == tokens
    layout = view.plot.layout_now
    for i, token in enumerate(tokens):
        left = QPointF(layout.cells.left() - 5, layout.row_center(i))
        above = QPointF(layout.column_center(i), layout.cells.top() - 5)
        for tip in (view.plot.tip_at(left), view.plot.tip_at(above)):
            assert tip.endswith(f"\n{token}")
            assert not PySide6.QtGui.Qt.mightBeRichText(tip)
        tip = window.text_panel.chips._tip(i)
        assert tip.endswith(f"\n{token}")
        assert not PySide6.QtGui.Qt.mightBeRichText(tip)
    view.mark_query(4)
    assert view.sentence.text().startswith("‘<b>a</b>’ puts ")
    plain = Qt.TextFormat.PlainText
    labels = (view.sentence, view.numbers, view.hint, window.status.label, window.notice.label)
    assert [label.textFormat() for label in labels] == [plain] * 5


def test_unknown_word_with_markup_in_the_message(qtbot, open_window):
    window = open_window(
        "<b>zzz</b>",
        {"embedding": "one-hot", "vocabulary": "sample", "unk_ignore": False},
        wait=False,
    )
    message = window.settings_panel.rows["unk_ignore"].message
    qtbot.waitUntil(lambda: "“<b>zzz</b>”" in message.text())
    assert message.textFormat() == Qt.TextFormat.PlainText
    assert "“<b>zzz</b>”" in window.attention_view.hint.text()
    assert window.attention_view.hint.textFormat() == Qt.TextFormat.PlainText


# --- many changes at once ------------------------------------------------------------------------


def test_burst_of_keystrokes(qtbot, open_window, shown, small):
    """Case 10: the picture of the final text, after at most a few runs."""
    window = open_window("start")
    before = window.controller.runs_started
    text = "ab cd ef gh ij kl mn"
    assert len(text) == 20
    type_text(qtbot, window, text)
    shown(window, text)
    np.testing.assert_allclose(drawn(window), encode(text, **small).weights(0, 0), atol=1e-6)
    assert 1 <= window.controller.runs_started - before <= 3


def test_burst_of_settings_while_a_run_goes_on(qtbot, open_window, shown, gate, small):
    window = open_window("one two three")
    before = window.controller.runs_started
    gate.shut()
    seed = window.settings_panel.rows["seed"].field
    seed.set_value(1)
    qtbot.waitUntil(lambda: len(gate.texts) == 2)
    gate.ignores_cancel = True
    for value in range(2, 22):
        seed.set_value(value)
        QApplication.processEvents()
    gate.open()
    shown(window, seed=21)
    expected = encode("one two three", **small, seed=21).weights(0, 0)
    np.testing.assert_allclose(drawn(window), expected, atol=1e-6)
    assert window.controller.runs_started - before == 2


def test_older_result_that_comes_late_is_dropped(qtbot, open_window, shown, gate):
    window = open_window("first text")
    shown_texts = []
    window.controller.finished.connect(lambda result: shown_texts.append(result.request.text))
    gate.shut()
    gate.ignores_cancel = True
    window.text_panel.set_text("old text")
    qtbot.waitUntil(lambda: gate.texts[-1] == "old text")
    window.text_panel.set_text("new text")
    qtbot.waitUntil(lambda: window.controller._waiting_run is not None)
    gate.open()
    shown(window, "new text")
    assert gate.texts == ["first text", "old text", "new text"]
    assert shown_texts == ["new text"]


# --- failures ------------------------------------------------------------------------------------


def test_unknown_words_are_named_and_the_old_picture_is_gone(qtbot, open_window, shown):
    """Case 15."""
    given = {"embedding": "one-hot", "vocabulary": "sample", "unk_ignore": False}
    window = open_window("The computer runs a program.", given)
    window.text_panel.set_text("The zebra runs a quagga program. zebra")
    qtbot.waitUntil(lambda: no_picture(window))
    message = window.settings_panel.rows["unk_ignore"].message
    assert message.isVisible()
    assert message.text().count("“") == 2
    for word in ("zebra", "quagga"):
        assert f"“{word}”" in message.text()
        assert f"“{word}”" in window.attention_view.hint.text()
    assert window.status.label.text() == ""
    window.settings_panel.rows["unk_ignore"].field.set_value(True)
    shown(window, unk_ignore=True)
    assert not message.isVisible()
    assert window.attention_view.figure().unknown_keys == {1, 4, 6}
    assert "3 unknown" in window.status.label.text()
    chips = window.text_panel.chips
    assert "zero vector" in chips._tip(1)
    assert "zero vector" not in chips._tip(0)


def test_values_that_do_not_go_together(qtbot, open_window, shown):
    """The sentence stands beside its field, and goes when the field is right again."""
    window = open_window("one two three")
    row = window.settings_panel.encodings["t5"].rows["max_distance"]
    row.field.set_value(8)
    qtbot.waitUntil(lambda: no_picture(window))
    assert row.message.isVisible()
    assert "The maximum distance is 8" in row.message.text()
    assert "32 buckets" in row.message.text()
    assert window.attention_view.hint.text() == row.message.text()
    others = [r for r in window.settings_panel.rows.values() if r.message.isVisible()]
    assert others == []
    row.field.set_value(9)
    shown(window, max_distance=9)
    assert not row.message.isVisible()


def test_failure_without_a_field_goes_to_the_notice(qtbot, open_window, monkeypatch):
    window = open_window("one two three")

    def run(*_):
        raise MemoryError

    monkeypatch.setattr("posenc_model.run.run", run)
    window.text_panel.set_text("four five")
    qtbot.waitUntil(lambda: no_picture(window))
    assert window.notice.isVisible()
    assert "not enough memory" in window.notice.label.text()
    assert window.notice.label.property("role") == "error"


def test_crash_in_the_worker(qtbot, open_window, shown, monkeypatch):
    window = open_window("one two three")

    def run(*_):
        raise KeyError("the very bug")

    with monkeypatch.context() as patch:
        patch.setattr("posenc_model.run.run", run)
        with qtbot.waitSignal(window.controller.crashed):
            window.text_panel.set_text("four five")
    (dialog,) = window.findChildren(BugDialog)
    assert dialog.isVisible()
    no_picture(window)
    dialog.copy_details()
    copied = QGuiApplication.clipboard().text()
    assert "KeyError: 'the very bug'" in copied
    assert "test_main_window.py" in copied
    assert f"PosEnc {__version__}" in copied
    dialog.reject()
    window.text_panel.set_text("six seven")
    shown(window, "six seven")


# --- progress, cancelling, closing ---------------------------------------------------------------

LONG = " ".join(f"word{i % 400}" for i in range(1200))


def test_long_paragraph_can_be_cancelled(qtbot, open_window, shown, gate, monkeypatch):
    """Case 13: the bar appears, the run can be cancelled, the window goes on."""
    monkeypatch.setattr("posenc_gui.status.PROGRESS_AFTER_MS", 0)
    window = open_window("one two three")
    gate.shut()
    QGuiApplication.clipboard().setText(LONG)
    window.text_panel.editor.selectAll()
    window.text_panel.editor.paste()
    status = window.status
    qtbot.waitUntil(lambda: status.bar.isVisible() and status.bar.value() == 25)
    assert status.cancel_button.isVisible()
    with qtbot.waitSignal(window.controller.cancelled):
        status.cancel_button.click()
    assert not status.bar.isVisible()
    assert not status.cancel_button.isVisible()
    no_picture(window)
    assert window.attention_view.hint.text().startswith("Cancelled")
    qtbot.waitUntil(lambda: not window.controller.is_busy)
    assert window.attention_view.result is None
    gate.open()
    window.text_panel.set_text("four five")
    shown(window, "four five")


def test_short_runs_show_no_progress_bar(qtbot, open_window, shown):
    window = open_window("one two three")
    seen = []
    window.controller.started.connect(lambda _: seen.append(window.status.bar.isVisible()))
    window.text_panel.set_text("four five")
    shown(window, "four five")
    assert seen == [False]
    assert not window.status.bar.isVisible()
    assert not window.status._timer.isActive()


def test_escape_cancels(qtbot, open_window, gate, do):
    window = open_window("one two three")
    gate.shut()
    window.text_panel.set_text("four five")
    qtbot.waitUntil(lambda: gate.texts[-1] == "four five")
    with qtbot.waitSignal(window.controller.cancelled):
        action = do(window, "Cancel the run")
    assert action.shortcut().toString() == "Esc"
    no_picture(window)


def test_long_paragraph_is_drawn(open_window, shown, small):
    """Case 13: every word is there, the labels are thinned."""
    window = open_window(LONG)
    view = window.attention_view
    expected = encode(LONG, **small).weights(0, 0)
    assert expected.shape == (1200, 1200)
    np.testing.assert_allclose(view.figure().matrix, expected, atol=1e-6)
    assert len(window.text_panel.chips.tokens) == 1200
    layout = view.plot.layout_now
    pitch = layout.cells.height() / 1200
    line = view.plot.fontMetrics().ascent()
    assert layout.rows.step * pitch >= line
    assert layout.columns.step * pitch >= line
    assert "1,200 tokens" in window.status.label.text()
    assert not window.notice.isVisible()


def test_cap_is_announced(open_window, monkeypatch):
    monkeypatch.setattr("posenc_model.run.MAX_TOKENS", 1000)
    window = open_window(LONG)
    assert window.attention_view.figure().matrix.shape == (1000, 1000)
    assert window.notice.isVisible()
    assert "1,200" in window.notice.label.text()
    assert "1,000" in window.notice.label.text()


def test_closing_in_the_middle_of_a_run(qtbot, open_window, gate):
    """Case 9: no thread is left, nothing is shown afterwards, the text is remembered."""
    window = open_window("one two three")
    gate.shut()
    window.text_panel.set_text("four five")
    qtbot.waitUntil(lambda: gate.texts[-1] == "four five")
    thread = window.controller._thread
    assert thread.isRunning()
    window.close()
    assert thread.isFinished()
    assert not window.isVisible()
    gate.open()
    QApplication.processEvents()
    assert window.attention_view.result.request.text == "one two three"
    again = open_window(wait=False)
    assert again.text_panel.text() == "four five"


def test_two_windows_one_after_another(open_window, shown, small):
    first = open_window("one two three")
    first.close()
    second = open_window("four five")
    np.testing.assert_allclose(drawn(second), encode("four five", **small).weights(0, 0), atol=1e-6)
    assert first.controller._thread.isFinished()
    assert second.controller._thread.isRunning()


# --- files ---------------------------------------------------------------------------------------

SENTENCE = "Ein Café für Köpfe"


def dropped(path):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    return data


def drop_on(widget, data):
    """Drags ``data`` over a widget and drops it there; returns whether it was let in."""
    point, actions = QPoint(20, 10), Qt.DropAction.CopyAction
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(point, actions, data, buttons, keys)
    QApplication.sendEvent(widget, enter)
    if enter.isAccepted():
        QApplication.sendEvent(widget, QDropEvent(QPointF(point), actions, data, buttons, keys))
    return enter.isAccepted()


@pytest.mark.parametrize("place", ["window", "editor"])
@pytest.mark.parametrize(
    "content",
    [
        pytest.param(SENTENCE.encode(), id="utf-8"),
        pytest.param(codecs.BOM_UTF16_LE + SENTENCE.encode("utf-16-le"), id="utf-16"),
        pytest.param(SENTENCE.encode("latin-1"), id="latin-1"),
    ],
)
def test_dropped_text_file(qtbot, open_window, shown, tmp_path, place, content):
    """Case 16: read, whatever wrote it."""
    path = tmp_path / "dropped.txt"
    path.write_bytes(content)
    window = open_window("one two three")
    target = window if place == "window" else window.text_panel.editor.viewport()
    assert drop_on(target, dropped(path))
    qtbot.waitUntil(lambda: window.text_panel.text() == SENTENCE)
    assert not window.text_panel.message.isVisible()
    shown(window, SENTENCE)
    window.text_panel.editor.undo()
    assert window.text_panel.text() == "one two three"


@pytest.mark.parametrize("place", ["window", "editor"])
def test_dropped_binary_file(qtbot, open_window, tmp_path, place):
    """Case 16: refused with the reason; the text being edited is not lost."""
    path = tmp_path / "picture.txt"
    path.write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\xff")
    window = open_window("one two three")
    target = window if place == "window" else window.text_panel.editor.viewport()
    assert drop_on(target, dropped(path))
    qtbot.waitUntil(lambda: window.text_panel.message.isVisible())
    assert window.text_panel.text() == "one two three"
    assert "“picture.txt” does not hold text" in window.text_panel.message.text()
    assert window.attention_view.figure() is not None
    window.text_panel.set_text("four")
    assert not window.text_panel.message.isVisible()


def test_what_is_no_file_is_not_let_in(open_window, tmp_path):
    window = open_window("one two three")
    data = QMimeData()
    data.setUrls([QUrl("https://example.org/a.txt")])
    assert not drop_on(window, data)
    two = QMimeData()
    two.setUrls([QUrl.fromLocalFile(str(tmp_path / name)) for name in ("a.txt", "b.txt")])
    assert not drop_on(window, two)
    assert window.text_panel.text() == "one two three"


def test_open_a_text(open_window, shown, do, tmp_path, monkeypatch):
    path = tmp_path / "opened.txt"
    path.write_text("seven\r\neight", newline="")
    asked = []

    def ask_open(parent, title, folder):
        asked.append(folder)
        return path

    monkeypatch.setattr("posenc_gui.opening.ask_open", ask_open)
    window = open_window("one two three")
    do(window, "Open text…")
    shown(window, "seven\neight")
    do(window, "Open text…")
    assert asked[1] == str(tmp_path)
    monkeypatch.setattr("posenc_gui.opening.ask_open", lambda *_: None)
    do(window, "Open text…")
    assert window.text_panel.text() == "seven\neight"


# --- steering ------------------------------------------------------------------------------------


def test_layers_and_heads_by_keyboard(open_window, do, small):
    window = open_window("one two three")
    view = window.attention_view
    weights = encode("one two three", **small)
    steps = [
        ("Next head", "Alt+Right", (0, 1)),
        ("Next head", "Alt+Right", (0, 1)),
        ("Next layer", "Alt+Down", (1, 1)),
        ("Previous head", "Alt+Left", (1, 0)),
        ("Previous layer", "Alt+Up", (0, 0)),
        ("Previous layer", "Alt+Up", (0, 0)),
    ]
    for name, keys, (layer, head) in steps:
        action = do(window, name)
        assert action.shortcut().toString() == keys
        np.testing.assert_allclose(drawn(window), weights.weights(layer, head), atol=1e-6)
        assert view.figure().title == f"t5, random · layer {layer + 1} · head {head + 1}"


def test_shortcut_by_real_keys(qtbot, open_window):
    window = open_window("one two three")
    with qtbot.waitActive(window):
        window.activateWindow()
    window.text_panel.editor.setFocus()
    qtbot.waitUntil(lambda: window.text_panel.editor.hasFocus())
    qtbot.keyClick(window.text_panel.editor, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    assert window.attention_view.layer == 1
    qtbot.keyClick(window.text_panel.editor, Qt.Key.Key_M, Qt.KeyboardModifier.AltModifier)
    assert window.attention_view.mean_box.isChecked()


def test_mean_over_heads(open_window, do, small):
    window = open_window("one two three")
    action = do(window, "Mean over heads")
    assert action.shortcut().toString() == "Alt+M"
    result = encode("one two three", **small)
    mean = np.mean([result.weights(0, 0), result.weights(0, 1)], axis=0)
    np.testing.assert_allclose(drawn(window), mean, atol=1e-6)
    assert window.attention_view.figure().title == "t5, random · layer 1 · mean over heads"
    assert not window.attention_view.head_box.isEnabled()
    do(window, "Mean over heads")
    np.testing.assert_allclose(drawn(window), result.weights(0, 0), atol=1e-6)
    assert window.attention_view.head_box.isEnabled()


def test_fewer_heads_and_layers_than_the_chosen_one(open_window, shown, small):
    text = "one two three"
    window = open_window(text, {"num_heads": 8, "num_layers": 4})
    view = window.attention_view
    view.choose_head(3, 7)
    full = encode(text, **{**small, "num_heads": 8, "num_layers": 4})
    np.testing.assert_allclose(drawn(window), full.weights(3, 7), atol=1e-6)
    window.settings_panel.rows["num_heads"].field.set_value(4)
    window.settings_panel.rows["num_layers"].field.set_value(3)
    shown(window, text, num_heads=4, num_layers=3)
    assert (view.layer, view.head) == (2, 3)
    fewer = encode(text, **{**small, "num_heads": 4, "num_layers": 3})
    np.testing.assert_allclose(drawn(window), fewer.weights(2, 3), atol=1e-6)


def test_chip_under_the_mouse_marks_its_row(open_window, hover, small):
    window = open_window("one two three four")
    chips, view = window.text_panel.chips, window.attention_view
    weights = encode("one two three four", **small).weights(0, 0)
    for row in (2, 0):
        hover(chips, chips.chip_rect(row).center())
        assert view.plot.marked == (row, int(np.argmax(weights[row])))
    hover(chips, QPointF(chips.width() - 2, chips.height() - 1))
    assert view.plot.marked is None
    assert chips.chip_color(0) is None


def test_chips_light_up_with_the_row(open_window, hover, small, application):
    import pyqtgraph as pg

    window = open_window("one two three four")
    chips, plot = window.text_panel.chips, window.attention_view.plot
    weights = encode("one two three four", **small).weights(0, 0)
    assert chips.chip_color(0) is None
    hover(plot.viewport(), plot.layout_now.cell_rect(1, 3).center())
    colors = pg.colormap.get("viridis").map(weights[1], mode="qcolor")
    for i, color in enumerate(colors):
        got = chips.chip_color(i).getRgb()[:3]
        assert np.abs(np.subtract(got, color.getRgb()[:3])).max() <= 3
    image = chips.grab().toImage()
    inside = chips.chip_rect(2).topLeft() + QPointF(4, 6)
    seen = image.pixelColor((inside * image.devicePixelRatio()).toPoint())
    assert np.abs(np.subtract(seen.getRgb()[:3], colors[2].getRgb()[:3])).max() <= 6


def test_only_what_is_seen_changes_with_a_view_setting(open_window, do):
    """Layer, head, colours and theme never run the model again."""
    window = open_window("one two three")
    before = window.controller.runs_started
    for name in ("Next head", "Next layer", "Mean over heads", "Magma", "Dark"):
        do(window, name)
    do(window, "Colour scale from 0 to 1")
    QApplication.processEvents()
    assert window.controller.runs_started == before
    assert not window.controller.is_busy


# --- what is remembered --------------------------------------------------------------------------


def test_everything_comes_back(application, open_window, shown, do, folder):
    from posenc_gui.main_window import MainWindow

    first = open_window("old text", {"num_layers": 3, "positional_encoding": "rel"})
    first.text_panel.set_text("Grüße < 5 &amp; 她\nsecond line")
    first.settings_panel.rows["seed"].field.set_value(7)
    first.settings_panel.encodings["rel"].rows["clip_distance"].field.set_value(3)
    first.settings_panel.encodings["t5"].rows["num_buckets"].field.set_value(12)
    for name in ("Magma", "Colour scale from 0 to 1", "Dark"):
        do(first, name)
    first.resize(1000, 640)
    first.close()
    apply_theme(application, LIGHT)
    second = MainWindow(folder)
    try:
        second.show()
        assert second.palette().base().color().lightness() < 80
        shown(second, "Grüße < 5 &amp; 她\nsecond line", num_layers=3, seed=7, clip_distance=3)
        settings = second.attention_view.result.request.settings
        assert settings.positional_encoding == "rel"
        assert settings.width == 16
        assert second.settings_panel.encoding_options()["t5"]["num_buckets"] == 12
        figure = second.attention_view.figure()
        assert figure.color_map == "magma"
        assert figure.levels == (0.0, pytest.approx(float(figure.matrix.max())))
        # Only the height: this platform's screen is narrower than the window.
        assert second.height() == 640
        checked = {a.text() for a in second.findChildren(QAction) if a.isChecked()}
        assert {"Magma", "Dark"} <= checked
        assert not second.notice.isVisible()
    finally:
        second.close()


def test_command_line_settings_go_before_the_remembered_ones(open_window):
    window = open_window(
        "one two three",
        {"positional_encoding": "rel", "clip_distance": 5},
        settings={"seed": 4, "positional_encoding": "abs"},
        encoding_options={"rel": {"clip_distance": 9}},
    )
    flat = window.attention_view.result.request.settings.flat()
    assert (flat["positional_encoding"], flat["clip_distance"], flat["seed"]) == ("rel", 5, 4)


def test_broken_preferences_give_one_notice(open_window, shown, folder):
    folder.mkdir()
    (folder / "preferences.json").write_text('{"version": 1, "text": "half')
    window = open_window()  # with its first picture, which does not take the notice away
    assert window.notice.isVisible()
    assert "could not be read" in window.notice.label.text()
    assert window.notice.label.text().count("set aside") == 1
    window.notice.findChild(QPushButton).click()
    window.text_panel.set_text("one two")
    shown(window, "one two")
    assert not window.notice.isVisible()
    assert (folder / "preferences.json.broken").read_text() == '{"version": 1, "text": "half'
    window.close()
    again = open_window(wait=False)
    assert not again.notice.isVisible()


def test_broken_window_file(open_window, folder):
    folder.mkdir()
    (folder / "window.ini").write_text("[General]\nwindow=nonsense\nmain=7\nbelow=@Invalid()\n")
    window = open_window("one two three")
    assert window.attention_view.figure() is not None


# --- looks ---------------------------------------------------------------------------------------


def test_themes(open_window, do):
    window = open_window("one two three")
    plot = window.attention_view.plot

    def ground():
        image = plot.grab().toImage()
        return image.pixelColor(2, 2)

    assert window.palette().base().color().name() == ground().name() == "#ffffff"
    do(window, "Dark")
    QApplication.processEvents()
    assert window.palette().base().color().lightness() < 80
    assert window.palette().text().color().lightness() > 180
    assert ground() == window.palette().base().color()
    do(window, "Light")
    QApplication.processEvents()
    assert ground().name() == "#ffffff"


def test_icons_follow_the_theme(open_window, do):
    window = open_window("one two three")
    action = next(a for a in window.findChildren(QAction) if a.text() == "&About PosEnc")

    def lightness():
        image = action.icon().pixmap(32, 32).toImage()
        colors = [image.pixelColor(x, y) for x in range(32) for y in range(32)]
        solid = [c.lightness() for c in colors if c.alpha() > 200]
        assert solid
        return sum(solid) / len(solid)

    assert lightness() < 90
    do(window, "Dark")
    assert lightness() > 180


def test_every_action_has_its_own_shortcut(open_window):
    window = open_window("one two three")
    keys = [a.shortcut().toString() for a in window.findChildren(QAction)]
    keys = [k for k in keys if k]
    assert len(keys) == len(set(keys))
    assert {"Ctrl+O", "Ctrl+S", "Ctrl+Shift+S", "Ctrl+Shift+C", "Ctrl+Q"} <= set(keys)


def test_about(open_window, do):
    window = open_window("one two three")
    do(window, "About PosEnc")
    (dialog,) = window.findChildren(AboutDialog)
    assert dialog.isVisible()
    dialog.reject()
    assert not dialog.isVisible()


def test_tab_reaches_everything(qtbot, open_window):
    window = open_window("one two three")
    window.activateWindow()
    window.text_panel.samples.setFocus()
    reached = set()
    for _ in range(60):
        reached.add(QApplication.focusWidget())
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    view = window.attention_view
    fields = [row.field.editor for row in window.settings_panel.rows.values()]
    for widget in (
        window.text_panel.editor,
        window.text_panel.chips,
        view.layer_box,
        view.head_box,
        view.mean_box,
        view.plot,
        view.mosaic,
        window.appearance.scale_box,
        *(field for field in fields if field.isEnabled() and field.isVisible()),
        *view.neighbours.buttons,
    ):
        assert widget in reached
    assert window.settings_panel not in reached


@pytest.mark.parametrize("part", ["chips", "plot", "mosaic"])
def test_the_focus_can_be_seen(open_window, part):
    window = open_window("one two three")
    owner = window.text_panel if part == "chips" else window.attention_view
    widget = getattr(owner, part)
    window.activateWindow()
    window.text_panel.editor.setFocus()
    without = widget.grab().toImage()
    widget.setFocus()
    assert widget.grab().toImage() != without


def test_a_long_word_does_not_widen_the_window(open_window, hover):
    window = open_window("x" * 3000 + " two")
    before = window.minimumSizeHint().width()
    plot = window.attention_view.plot
    hover(plot.viewport(), plot.layout_now.cell_rect(0, 1).center())
    assert "xxx…’ puts" in window.attention_view.sentence.text()
    assert window.minimumSizeHint().width() == before


def test_a_long_run_marks_the_picture_as_old(qtbot, open_window, shown, gate, do):
    window = open_window("one two three")
    window.status._timer.setInterval(1)
    gate.shut()
    with qtbot.waitSignal(window.status.became_slow):
        window.text_panel.set_text("four five")
    view = window.attention_view
    assert view.plot.is_old
    assert not do(window, "Save picture…").isEnabled()
    old = view.plot.grab().toImage()
    gate.open()
    shown(window, "four five")
    assert not view.plot.is_old
    assert do(window, "Mean over heads").isEnabled()
    assert view.plot.grab().toImage() != old


def test_words_without_ink_are_named(open_window):
    window = open_window("one \u200b three")
    labels = window.attention_view.figure()
    assert labels.key_words[1] == "\u200b"
    assert label_of(labels.key_words[1], False) == "U+200B"
    assert "U+200B" in window.text_panel.chips._tip(1)


def test_the_chosen_head_comes_back_after_a_text_with_fewer(open_window, shown):
    given = {"embedding": "one-hot", "vocabulary": "text", "num_heads": 2}
    window = open_window("one two three four", given)
    window.attention_view.choose_head(1, 1)
    window.text_panel.set_text("one two three")
    shown(window, "one two three")
    assert window.attention_view.head == 0
    window.text_panel.set_text("four three two one")
    shown(window, "four three two one")
    assert (window.attention_view.layer, window.attention_view.head) == (1, 1)


def test_a_hint_gives_way_to_what_is_going_on(qtbot, open_window, gate):
    window = open_window("one two three")
    gate.shut()
    window.text_panel.set_text("four")
    qtbot.waitUntil(lambda: len(gate.texts) == 2)
    window.controller.cancel()
    assert "Cancelled" in window.attention_view.hint.text()
    window.text_panel.set_text("five")
    qtbot.waitUntil(lambda: len(gate.texts) == 3)
    assert window.attention_view.hint.text() == "Running…"
    gate.open()
    qtbot.waitUntil(lambda: window.attention_view.has_result())


def test_work_of_a_view_that_fails_leaves_the_others_alone(open_window):
    window = open_window("one two three")
    window.controller.task_failed.emit("compare", "There is not enough memory.")
    assert window.attention_view.figure() is not None
    compare = next(view for view in window.views if view.title == "Compare")
    assert compare.hint.text() == "There is not enough memory."
    window.controller.task_failed.emit("head", "There is not enough memory.")
    assert window.attention_view.missing.text() == "There is not enough memory."
    assert window.attention_view.figure() is None
