"""The program as it is started: its exit code and what it leaves on the terminal."""

import csv
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtGui import QImage

from posenc_gui import launch
from posenc_model import encode

ROOT = Path(__file__).parents[2]
SMALL = ["--num_layers", "2", "--num_heads", "2", "--width", "16", "--nlp_pipeline", "whitespace"]


def start(arguments, tmp_path, **changes):
    """Runs Python in another folder, with a home of its own; ``None`` removes a variable."""
    environment = {**os.environ, "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    for name, value in changes.items():
        environment.pop(name, None)
        if value is not None:
            environment[name] = value
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=tmp_path,
        env={**environment, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )


CLOSE = """
import sys
from PySide6.QtCore import QTimer
import posenc_gui.app
from posenc_gui.launch import main

class Window(posenc_gui.app.MainWindow):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.text_panel.set_text(" ".join(f"word{i}" for i in range(1500)))
        {when}

    def closeEvent(self, event):
        global was_busy
        was_busy = self.controller.is_busy
        super().closeEvent(event)

posenc_gui.app.MainWindow = Window
code = main([])
sys.exit(code or (0 if was_busy else 9))
"""


@pytest.mark.parametrize(
    "when",
    [
        pytest.param(
            "self.controller.progressed.connect(lambda share: self.close())", id="in the middle"
        ),
        pytest.param(
            "self.controller.started.connect(lambda _: QTimer.singleShot(0, self.close))",
            id="while loading",
        ),
    ],
)
def test_closing_while_busy(tmp_path, when):
    """Case 9: exit code 0, nothing on the terminal, everything remembered."""
    ended = start(["-c", CLOSE.replace("{when}", when)], tmp_path, QT_QPA_PLATFORM="offscreen")
    output = [
        line
        for line in (ended.stdout + ended.stderr).splitlines()
        if line != "This plugin does not support propagateSizeHints()"  # Qt's, offscreen only
    ]
    assert output == []
    assert ended.returncode == 0
    (preferences,) = (tmp_path / "config").rglob("preferences.json")
    assert "word1499" in preferences.read_text(encoding="utf-8")


def test_export_without_a_display(tmp_path):
    """Pictures and weights from the command line, with neither display nor window."""
    text = "<s> x < y &amp; 她"
    arguments = [str(ROOT / "main.py"), "--text", text, *SMALL, "--positional_encoding", "rel"]
    arguments += ["--layer", "2", "--head", "2"]
    for name in ("out.png", "out.svg", "out.csv"):
        arguments += ["--export", name]
    ended = start(arguments, tmp_path, DISPLAY=None, WAYLAND_DISPLAY=None, QT_QPA_PLATFORM=None)
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == ""
    assert "Number of blocks: 2" in ended.stdout
    assert "Positional encoding: rel" in ended.stdout

    result = encode(
        text,
        num_layers=2,
        num_heads=2,
        width=16,
        nlp_pipeline="whitespace",
        positional_encoding="rel",
    )
    tokens = ["<s>", "x", "<", "y", "&amp;", "她"]
    content = (tmp_path / "out.csv").read_text(encoding="utf-8-sig")
    _, *rows = csv.reader(content.splitlines())
    assert rows[0][1:] == tokens
    numbers = np.array([row[1:] for row in rows[1:]], dtype=np.float32)
    np.testing.assert_allclose(numbers, result.weights(1, 1), atol=1e-5)

    root = ElementTree.parse(tmp_path / "out.svg").getroot()
    svg = "{http://www.w3.org/2000/svg}"
    written = ["".join(t.itertext()).strip("\n ") for t in root.iter(f"{svg}text")]
    for token in [*tokens, "rel, random · layer 2 · head 2", "query (looks)", "key (is looked at)"]:
        assert token in written
    image = QImage(str(tmp_path / "out.png"))
    assert image.width() == 1890  # 160 mm at 300 dpi
    assert image.text("Title") == "rel, random · layer 2 · head 2"
    colors = {image.pixel(x, y) for x in range(0, 1890, 9) for y in range(0, image.height(), 9)}
    assert len(colors) > 20


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--text", "a", "--num_layers", "0"], "num_layers"),
        (["--text", "a", "--unk_ignore", "maybe"], "unk_ignore"),
        (["--text", "a", "--layer", "3", "--num_layers", "2"], "layer"),
        (["--text", "a", "--export", "out.xyz"], "out.xyz"),
        (["--no_such_option", "1"], "no_such_option"),
        (["--export", "out.png"], "--text"),
        (["--input", "none.txt", "--export", "out.csv"], "none.txt"),
        (["--from", "none.svg"], "none.svg"),
        (["--text", "a", "--export", "a.png", "--font", "No Such Font"], "No Such Font"),
    ],
)
def test_wrong_values(capsys, monkeypatch, arguments, word):
    """One sentence and exit code 2."""
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    assert launch.main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert word in err
    assert err.endswith(".\n")


def test_wrong_value_as_a_process(tmp_path):
    ended = start([str(ROOT / "main.py"), "--text", "a", "--num_heads", "many"], tmp_path)
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert len(ended.stderr.splitlines()) == 1
    assert "num_heads" in ended.stderr


INTERRUPT = """
import os, signal, sys
from PySide6.QtCore import QTimer
import posenc_gui.app
from posenc_gui.launch import main

class Window(posenc_gui.app.MainWindow):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        QTimer.singleShot(50, lambda: os.kill(os.getpid(), signal.SIGINT))

posenc_gui.app.MainWindow = Window
sys.exit(main([]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl+C is another thing there")
def test_an_interrupt_closes_the_window_in_order(tmp_path):
    done = start(["-c", INTERRUPT], tmp_path)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert list((tmp_path / "config").rglob("preferences.json"))


@pytest.mark.skipif(sys.platform != "linux", reason="others always have a display")
def test_without_a_display_a_sentence_says_so(tmp_path):
    nothing = dict.fromkeys(("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))
    program = "import sys; from posenc_gui.launch import main; sys.exit(main([]))"
    done = start(["-c", program], tmp_path, **nothing)
    assert done.returncode == 2
    assert done.stderr.startswith("There is no display")
    assert done.stderr.count("\n") == 1


def test_a_saved_file_opens_the_window(monkeypatch, tmp_path):
    opened = []
    monkeypatch.setattr("posenc_gui.app.run_window", lambda *asked: opened.append(asked) or 0)
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    monkeypatch.chdir(tmp_path)
    line = ["--text", "a b", *SMALL, "--layer", "2", "--export", "a.json"]
    assert launch.main(line) == 0
    assert launch.main(["--from", "a.json", "--seed", "5"]) == 0
    ((given, state),) = opened
    assert given == {"seed": 5}
    assert (state.text, state.settings.num_layers, state.settings.seed) == ("a b", 2, 5)
    assert state.spec.layers == (1,)
    assert launch.main([]) == 0
    assert opened[1] == ({}, None)


@pytest.mark.skipif(sys.platform != "linux", reason="others always have a display")
def test_a_saved_file_needs_a_display_for_the_window_only(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert launch.main(["--text", "a b", *SMALL, "--export", "a.json"]) == 0
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    capsys.readouterr()
    assert launch.main(["--from", "a.json"]) == 2
    assert capsys.readouterr().err.startswith("There is no display to open a window on; ")
    assert launch.main(["--from", "a.json", "--export", "b.json"]) == 0
    assert (tmp_path / "b.json").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_that_cannot_be_written(tmp_path):
    program = "import sys; from posenc_gui.launch import main; sys.exit(main(sys.argv[1:]))"
    line = [sys.executable, "-c", program, "--text", "one", *SMALL]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)}
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            line, stdout=full, stderr=subprocess.PIPE, text=True, env=environment, timeout=120
        )
    assert done.returncode == 1
    assert done.stderr == "The output could not be written: the disk is full.\n"
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        line, stdout=writer, stderr=subprocess.PIPE, text=True, env=environment, timeout=120
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, "")
