"""The settings panel: built from what is declared, tells what does not matter or is wrong."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QComboBox, QLabel

from posenc_gui.panels.settings import SettingsPanel
from posenc_model.encodings import ENCODINGS
from posenc_model.settings import SETTINGS, Settings
from posenc_model.tokenizers import TOKENIZERS


@pytest.fixture
def make(qtbot):
    def made(*arguments):
        panel = SettingsPanel(*arguments)
        qtbot.addWidget(panel)
        panel.resize(280, 700)
        panel.show()
        return panel

    return made


def combo(panel, name):
    return panel.rows[name].field.findChild(QComboBox)


def test_defaults(make):
    assert make().settings() == Settings()


def test_every_declared_option_has_a_field(make):
    panel = make()
    assert list(panel.rows) == [option.name for option in SETTINGS]
    assert list(panel.encodings) == list(ENCODINGS)
    for name, info in ENCODINGS.items():
        assert list(panel.encodings[name].rows) == [option.name for option in info.options]
        sentences = [label.text() for label in panel.encodings[name].findChildren(QLabel)]
        assert info.summary in sentences
    for row in panel.rows.values():
        assert row.field.editor.accessibleName() == row.field.option.label
        assert row.field.editor.toolTip() == row.field.option.help


def test_given_values(make):
    values = {"num_layers": 3, "unk_ignore": False, "positional_encoding": "abs", "seed": 5}
    settings = make(values, {"abs": {"base": 250.5}, "t5": {"num_buckets": 8}}).settings()
    assert (settings.num_layers, settings.unk_ignore, settings.seed) == (3, False, 5)
    assert settings.encoding_options == (("base", 250.5),)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("positional_encoding", "rel"),
        ("num_layers", 5),
        ("num_heads", 4),
        ("nlp_pipeline", "whitespace"),
        ("embedding", "one-hot"),
        ("width", 64),
        ("vocabulary", "sample"),
        ("unk_ignore", False),
        ("seed", 123),
    ],
)
def test_every_change_is_told_and_read(qtbot, make, name, value):
    panel = make()
    assert getattr(panel.settings(), name) != value
    with qtbot.waitSignal(panel.changed):
        panel.rows[name].field.set_value(value)
    assert getattr(panel.settings(), name) == value
    with qtbot.assertNotEmitted(panel.changed):
        panel.rows[name].field.set_value(value)


def test_only_the_chosen_encoding_shows_its_parameters(make):
    panel = make()
    for name in ENCODINGS:
        panel.rows["positional_encoding"].field.set_value(name)
        assert [n for n, own in panel.encodings.items() if own.isVisible()] == [name]


def test_parameters_of_an_encoding_survive_another_one(qtbot, make):
    panel = make()
    field = panel.rows["positional_encoding"].field
    field.set_value("rel")
    with qtbot.waitSignal(panel.changed):
        panel.encodings["rel"].rows["clip_distance"].field.set_value(3)
    field.set_value("none")
    assert panel.settings().encoding_options == ()
    field.set_value("rel")
    assert dict(panel.settings().encoding_options)["clip_distance"] == 3


def test_fields_that_do_not_matter_are_disabled(make):
    panel = make()
    names = ("vocabulary", "unk_ignore", "width")
    assert [panel.rows[name].isEnabled() for name in names] == [False, False, True]
    assert "Word vectors" in panel.rows["vocabulary"].toolTip()
    assert "one-hot" in panel.rows["vocabulary"].toolTip()
    panel.rows["embedding"].field.set_value("one-hot")
    assert [panel.rows[name].isEnabled() for name in names] == [True, True, False]
    assert panel.rows["vocabulary"].toolTip() == ""
    assert "fixed random vectors" in panel.rows["width"].toolTip()


def test_a_tokenizer_that_is_missing_is_disabled_and_says_what_to_do(make, monkeypatch):
    sentence = "gensim is not installed: run “pip install gensim”."
    monkeypatch.setattr(TOKENIZERS["gensim"], "missing", lambda: sentence)
    panel = make()
    box = combo(panel, "nlp_pipeline")
    rows = {box.itemData(i): i for i in range(box.count())}
    assert list(rows) == list(TOKENIZERS)
    gensim = box.model().item(rows["gensim"])
    assert not gensim.isEnabled()
    assert gensim.text() == sentence
    assert box.itemData(rows["gensim"], Qt.ItemDataRole.ToolTipRole) == sentence
    white = box.model().item(rows["whitespace"])
    assert white.isEnabled()
    assert white.text() == "White space"


def test_keys_pass_over_a_missing_tokenizer(qtbot, make, monkeypatch):
    for name in TOKENIZERS:
        wanted = None if name in ("spacy", "whitespace") else "Not here."
        monkeypatch.setattr(TOKENIZERS[name], "missing", lambda wanted=wanted: wanted)
    panel = make()
    box = combo(panel, "nlp_pipeline")
    qtbot.keyClick(box, Qt.Key.Key_Down)
    assert panel.settings().nlp_pipeline == "whitespace"
    qtbot.keyClick(box, Qt.Key.Key_Down)
    assert panel.settings().nlp_pipeline == "whitespace"


def test_message_beside_its_field(make):
    panel = make()
    assert panel.show_message("num_heads", "Too <b>many</b> heads.")
    row = panel.rows["num_heads"]
    assert row.message.isVisible()
    assert row.message.text() == "Too <b>many</b> heads."
    assert row.message.textFormat() == Qt.TextFormat.PlainText
    assert panel.show_message("num_buckets", "Too few.")
    assert panel.encodings["t5"].rows["num_buckets"].message.isVisible()
    assert not panel.show_message("text", "Nothing here.")
    panel.clear_messages()
    assert not row.message.isVisible()


def test_message_far_down_is_scrolled_to(qtbot, make):
    panel = make()
    panel.resize(280, 200)
    panel.show_message("seed", "Another, please.")
    message = panel.rows["seed"].message

    def check():
        assert not message.visibleRegion().isEmpty()

    qtbot.waitUntil(check)


def test_vocabulary_from_a_file(qtbot, make, tmp_path, monkeypatch):
    from PySide6.QtWidgets import QPushButton

    path = tmp_path / "words.txt"
    path.write_text("one two")
    panel = make({"embedding": "one-hot"})
    button = panel.rows["vocabulary"].field.findChild(QPushButton)
    monkeypatch.setattr("posenc_gui.panels.fields.ask_open", lambda *_: None)
    with qtbot.assertNotEmitted(panel.changed):
        button.click()
    assert panel.settings().vocabulary == "text"
    monkeypatch.setattr("posenc_gui.panels.fields.ask_open", lambda *_: path)
    with qtbot.waitSignal(panel.changed):
        button.click()
    assert panel.settings().vocabulary == str(path)
    box = combo(panel, "vocabulary")
    assert box.currentText() == "words.txt"
    count = box.count()
    button.click()
    assert box.count() == count  # the same file is not offered twice


def test_remembered_vocabulary_file(make, tmp_path):
    path = str(tmp_path / "gone.txt")
    panel = make({"embedding": "one-hot", "vocabulary": path})
    assert panel.settings().vocabulary == path


def test_the_wheel_scrolls_the_panel_and_not_a_value(make):
    panel = make()
    panel.resize(280, 200)
    box = panel.rows["num_layers"].field.editor
    box.clearFocus()
    before = panel.settings()
    event = QWheelEvent(
        QPointF(5, 5),
        QPointF(box.mapToGlobal(QPoint(5, 5))),
        QPoint(),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(box, event)
    assert panel.settings() == before
    assert not event.isAccepted()


def test_numbers_beyond_the_limits_become_the_nearest(qtbot, make):
    panel = make()
    box = panel.rows["num_layers"].field.editor
    limit = int(panel.rows["num_layers"].field.option.maximum)
    box.selectAll()
    qtbot.keyClicks(box, str(10 * limit))
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert panel.settings().num_layers == limit
