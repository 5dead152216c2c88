"""About, bug reports, and asking for files."""

from importlib import metadata
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QFileDialog,
    QLabel,
    QMessageBox,
    QPlainTextEdit,
    QPushButton,
    QTextBrowser,
)

from posenc_gui.dialogs.about import AboutDialog, versions
from posenc_gui.dialogs.bug import BugDialog
from posenc_gui.dialogs.files import ask_open, ask_replace, ask_save
from posenc_model import __version__

ROOT = Path(__file__).parents[3]


def test_about_holds_version_and_licences(qtbot):
    dialog = AboutDialog()
    qtbot.addWidget(dialog)
    assert f"PosEnc {__version__}" in [label.text() for label in dialog.findChildren(QLabel)]
    text = dialog.findChild(QTextBrowser).toPlainText()
    assert "# " not in text  # a heading, not its Markdown
    for word in ("MIT", "Noto", "OFL"):
        assert word in text
    assert f"torch {metadata.version('torch')}" in text
    assert any(not label.pixmap().isNull() for label in dialog.findChildren(QLabel))


def test_versions_of_what_is_not_installed(monkeypatch):
    monkeypatch.setattr("posenc_gui.dialogs.about._PACKAGES", ("numpy", "no-such-package"))
    lines = versions().splitlines()
    assert lines[0] == f"PosEnc {__version__}"
    assert lines[2:] == [f"numpy {metadata.version('numpy')}", "no-such-package not installed"]


def test_bug_dialog_copies_its_details(qtbot):
    dialog = BugDialog("Traceback <b>…\nValueError: x < y\n")
    qtbot.addWidget(dialog)
    dialog.show()
    (copy,) = [b for b in dialog.findChildren(QPushButton) if b.text() == "Copy details"]
    copy.click()
    copied = QGuiApplication.clipboard().text()
    assert copied.startswith("Traceback <b>…\nValueError: x < y\n")
    assert f"PosEnc {__version__}" in copied
    assert f"numpy {metadata.version('numpy')}" in copied
    assert dialog.findChild(QPlainTextEdit).toPlainText() == copied
    assert dialog.isVisible()


@pytest.fixture
def answer(monkeypatch):
    """What Qt's own file dialogs answer."""

    def set_answer(name, chosen=""):
        for method in ("getSaveFileName", "getOpenFileName"):
            monkeypatch.setattr(
                QFileDialog, method, staticmethod(lambda *arguments: (name, chosen))
            )

    return set_answer


KINDS = {".png": "Picture (PNG)", ".svg": "Vector picture (SVG)"}


@pytest.mark.parametrize(
    ("name", "chosen", "expected"),
    [
        ("/a/out.png", "Picture (PNG) (*.png)", "/a/out.png"),
        ("/a/out.SVG", "Picture (PNG) (*.png)", "/a/out.SVG"),
        ("/a/out", "Vector picture (SVG) (*.svg)", "/a/out.svg"),
        ("/a/out.v2", "Vector picture (SVG) (*.svg)", "/a/out.v2.svg"),
        ("/a/out", "", "/a/out.png"),
    ],
)
def test_names_to_save_to_get_a_suffix(answer, name, chosen, expected):
    answer(name, chosen)
    assert ask_save(None, "Save", "", KINDS) == Path(expected)


def test_no_file_was_chosen(answer):
    answer("")
    assert ask_save(None, "Save", "", KINDS) is None
    assert ask_open(None, "Open", "") is None


def test_file_to_open(answer):
    answer("/a/text.txt")
    assert ask_open(None, "Open", "") == Path("/a/text.txt")


@pytest.mark.parametrize(("answer", "kept"), [(True, "old.png"), (False, None)])
def test_a_suffix_that_is_added_replaces_no_file_unasked(
    qtbot, monkeypatch, tmp_path, answer, kept
):
    (tmp_path / "old.png").write_bytes(b"keep me")
    typed = (str(tmp_path / "old"), "Picture (*.png)")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *args, **kwargs: typed)
    asked = []
    monkeypatch.setattr(
        "posenc_gui.dialogs.files.ask_replace",
        lambda parent, path: asked.append(path.name) or answer,
    )
    window = QPushButton()
    qtbot.addWidget(window)
    path = ask_save(window, "Save", "", {".png": "Picture"})
    assert asked == ["old.png"]
    assert (path and path.name) == kept
    assert (tmp_path / "old.png").read_bytes() == b"keep me"


def test_a_new_name_is_not_asked_about(qtbot, monkeypatch, tmp_path):
    typed = (str(tmp_path / "new"), "Picture (*.png)")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *args, **kwargs: typed)
    window = QPushButton()
    qtbot.addWidget(window)
    assert ask_save(window, "Save", "", {".png": "Picture"}) == tmp_path / "new.png"


@pytest.mark.parametrize("asks", [True, False])
def test_a_name_that_several_files_begin_with_replaces_nothing(qtbot, monkeypatch, tmp_path, asks):
    """Neither Qt nor the program asks about a file that is not going to be written."""
    (tmp_path / "old.svg").write_bytes(b"keep me")
    given = []

    def answer(*arguments):
        given.extend(arguments)
        return str(tmp_path / "old"), arguments[4]

    asked = []
    monkeypatch.setattr(QFileDialog, "getSaveFileName", answer)
    monkeypatch.setattr(
        "posenc_gui.dialogs.files.ask_replace", lambda parent, path: asked.append(path.name)
    )
    window = QPushButton()
    qtbot.addWidget(window)
    path = ask_save(window, "Save", "/a/proposed.svg", KINDS, asks_to_replace=asks)
    assert given[4] == "Vector picture (SVG) (*.svg)"  # the kind that was proposed
    assert bool(given[5] & QFileDialog.Option.DontConfirmOverwrite) != asks
    assert asked == (["old.svg"] if asks else [])
    assert path == (None if asks else tmp_path / "old.svg")


@pytest.mark.parametrize("count", [1, 3])
def test_the_question_names_what_is_there(monkeypatch, count):
    questions = []

    def answer(parent, title, question):
        questions.append(question)
        return QMessageBox.StandardButton.Yes

    monkeypatch.setattr(QMessageBox, "question", answer)
    assert ask_replace(None, *(Path(f"/a/{i}.png") for i in range(count)))
    expected = {
        1: "“0.png” exists already. Replace it?",
        3: "“0.png” and 2 other files exist already. Replace them?",
    }
    assert questions == [expected[count]]
