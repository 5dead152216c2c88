"""The text panel: samples, files, undo."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from posenc_gui.panels.text import TextPanel, load_samples

SAMPLES = Path(__file__).parents[3] / "resources" / "samples"


@pytest.fixture
def panel(qtbot):
    panel = TextPanel("my own words")
    qtbot.addWidget(panel)
    panel.show()
    return panel


def text_of(file):
    return (SAMPLES / file).read_text(encoding="utf-8").rstrip("\n")


def test_first_start_shows_the_first_sample(qtbot):
    panel = TextPanel()
    qtbot.addWidget(panel)
    first = json.loads((SAMPLES / "samples.json").read_text(encoding="utf-8"))[0]
    assert panel.text() == text_of(first["file"])
    assert panel.samples.currentText() == first["title"]
    assert panel.note.text() == first["note"]


def test_an_empty_text_stays_empty(qtbot):
    panel = TextPanel("")
    qtbot.addWidget(panel)
    assert panel.text() == ""
    assert panel.samples.currentIndex() == -1


def test_every_sample_can_be_chosen_and_undone(qtbot, panel):
    listed = json.loads((SAMPLES / "samples.json").read_text(encoding="utf-8"))
    assert panel.samples.count() == len(listed) >= 8
    for index, sample in enumerate(listed):
        with qtbot.waitSignal(panel.changed):
            panel.samples.activated.emit(index)
        assert panel.text() == text_of(sample["file"])
        assert panel.note.text() == sample["note"]
        panel.editor.undo()
        assert panel.text() == "my own words"
        assert panel.note.text() == ""
        assert panel.samples.currentIndex() == -1


def test_the_kinds_of_samples_that_were_promised():
    """A corpus of six to twelve sentences, order that matters, repeats, long, Chinese, Arabic."""
    texts = {sample["file"]: sample["text"] for sample in load_samples()}
    corpus = texts["computing.txt"].splitlines()
    assert 6 <= len(corpus) <= 12
    assert all(line.endswith(".") for line in corpus)
    assert max(len(text.split()) for text in texts.values()) >= 80
    assert any("一" <= c <= "鿿" for c in texts["chinese.txt"])
    assert any("؀" <= c <= "ۿ" for c in texts["arabic.txt"])
    assert texts["markup.txt"].startswith("<s>")
    words = [word.lower().strip(".,") for word in texts["again-and-again.txt"].split()]
    assert any(words.count(word) >= 3 for word in words)


def test_typing_takes_the_note_away(qtbot, panel):
    panel.samples.activated.emit(0)
    assert panel.note.text()
    with qtbot.waitSignal(panel.changed):
        qtbot.keyClicks(panel.editor, "x")
    assert panel.note.text() == ""
    assert panel.samples.currentIndex() == -1


def test_pasted_rich_text_comes_as_plain_text(panel):
    from PySide6.QtCore import QMimeData

    data = QMimeData()
    data.setHtml("<b>bold</b> move")
    data.setText("bold move")
    panel.editor.selectAll()
    panel.editor.insertFromMimeData(data)
    assert panel.text() == "bold move"


def test_tab_leaves_the_editor(qtbot, panel):
    panel.editor.setFocus()
    qtbot.keyClick(panel.editor, Qt.Key.Key_Tab)
    assert "\t" not in panel.text()


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda path: None, "could not be read"),
        (lambda path: path.mkdir(), "is a folder"),
        (lambda path: path.write_bytes(b"a" * (2 * 2**20 + 1)), "2.0 MB"),
        (lambda path: path.write_bytes(bytes(range(256))), "does not hold text"),
    ],
)
def test_what_cannot_be_read_says_why_and_keeps_the_text(qtbot, panel, tmp_path, make, reason):
    path = tmp_path / "<i>some</i>".replace("/", "-")
    make(path)
    with qtbot.assertNotEmitted(panel.changed):
        panel.open_file(path)
    assert panel.text() == "my own words"
    assert panel.message.isVisible()
    assert reason in panel.message.text()
    assert path.name in panel.message.text()
    assert panel.message.textFormat() == Qt.TextFormat.PlainText


def test_an_opened_file_can_be_undone(panel, tmp_path):
    path = tmp_path / "text.md"
    path.write_text("from a file")
    panel.open_file(path)
    assert panel.text() == "from a file"
    panel.editor.undo()
    assert panel.text() == "my own words"
