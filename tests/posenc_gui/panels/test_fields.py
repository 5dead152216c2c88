from pathlib import Path

import pytest

from posenc_gui.panels import fields
from posenc_gui.panels.fields import make_field
from posenc_model.encodings import ENCODINGS
from posenc_model.options import Option
from posenc_model.training import TASKS
from posenc_model.training.settings import LEARNING_RATE

MASKED = {option.name: option for option in TASKS["masked"].options}
BASE = ENCODINGS["abs"].options[0]


@pytest.mark.parametrize(
    ("option", "value", "shown"),
    [
        (LEARNING_RATE, 3e-3, "0.003"),
        (LEARNING_RATE, 1e-7, "0.0000001"),
        (LEARNING_RATE, 1.0, "1.0"),
        (MASKED["masked_share"], 0.15, "0.15"),
        (BASE, 10_000.0, "10,000.0"),
        (BASE, 250.5, "250.5"),
    ],
)
def test_numbers_keep_the_decimals_they_need(qtbot, option, value, shown):
    field = make_field(option)
    qtbot.addWidget(field)
    field.set_value(value)
    assert field.value() == value
    assert field.editor.text() == shown


def test_a_small_number_can_be_typed(qtbot):
    field = make_field(LEARNING_RATE)
    qtbot.addWidget(field)
    field.editor.selectAll()
    qtbot.keyClicks(field.editor, "0.00025")
    assert field.value() == 0.00025


def test_a_file_is_typed_or_picked(qtbot, monkeypatch):
    field = make_field(MASKED["text_file"])
    qtbot.addWidget(field)
    assert field.value() == ""
    with qtbot.waitSignal(field.changed):
        field.set_value("some/folder")
    assert field.value() == "some/folder"
    assert "some/folder" in field.editor.toolTip()
    monkeypatch.setattr(fields, "ask_open", lambda *_: Path("other.txt"))
    with qtbot.waitSignal(field.changed):
        field.findChild(fields.QPushButton).click()
    assert field.value() == "other.txt"
    monkeypatch.setattr(fields, "ask_open", lambda *_: None)
    field.findChild(fields.QPushButton).click()
    assert field.value() == "other.txt"


@pytest.mark.parametrize("kind", ["int", "float", "bool", "text"])
def test_every_kind_has_a_field(qtbot, kind):
    defaults = {"int": 3, "float": 0.5, "bool": True, "text": "words"}
    field = make_field(Option("name", kind, defaults[kind], "Label", "Help."))
    qtbot.addWidget(field)
    assert field.value() == defaults[kind]
