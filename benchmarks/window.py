"""What the window costs over the bare encoder.

``python -m benchmarks.window [--starts 5] [--keys 9]``

Starts the real window without a display and prints

- start to first window, and start to first picture over the bare imports and one forward pass of a
  stack of ``torch.nn`` blocks (bar: 1.2);
- from the end of the typing pause to the repaint, over the bare forward pass (bar: 1.5 × + 10 ms);
- the longest time in which the event loop stood still (bar: 50 ms).
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

BEGAN = time.perf_counter()  # before any import that takes time
TEXT = "The program shows what each word looks at."
BEAT_MS = 5


def probe_bare() -> None:
    """The imports that the program cannot do without, and one forward pass."""
    import pyqtgraph
    import spacy
    import torch
    from PySide6 import QtSvg, QtWidgets

    nlp = spacy.blank("en")
    tokens = len(nlp.make_doc(TEXT))
    imported = time.perf_counter() - BEGAN
    from benchmarks.encoder import WIDTH, Reference

    model = Reference()
    made = time.perf_counter() - BEGAN
    with torch.inference_mode():
        model(torch.randn(1, tokens, WIDTH))
    passed = time.perf_counter() - BEGAN
    assert all((pyqtgraph, QtSvg, QtWidgets))
    # Making the stack is not counted: its weights could have been had faster.
    print(json.dumps({"imports": imported, "total": passed - (made - imported)}))


class Heart:
    """Notes when the event loop stood still."""

    def __init__(self) -> None:
        from PySide6.QtCore import Qt, QTimer

        self.gaps: list[float] = []
        self._last = time.perf_counter()
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(BEAT_MS)
        self._timer.timeout.connect(self._on_beat)
        self._timer.start()

    def _on_beat(self) -> None:
        now = time.perf_counter()
        self.gaps.append(max(0.0, now - self._last - BEAT_MS / 1000))
        self._last = now

    def longest_ms(self) -> float:
        """The longest gap since the last call, in ms."""
        longest = 1000 * max(self.gaps, default=0.0)
        self.gaps.clear()
        self._last = time.perf_counter()
        return longest


def make_window(folder: Path) -> tuple[Any, Any]:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from posenc_gui.app import make_application
    from posenc_gui.main_window import MainWindow

    application = make_application()
    # Of the sizes of the bare stack, not of the trained encoders.
    window = MainWindow(folder, {"weights": "random"})
    window.show()
    return application, window


def wait_for_picture(application: Any, window: Any, text: str) -> float:
    """Runs the event loop until the picture of ``text`` is painted; gives the time of that."""
    from PySide6.QtCore import QEvent, QEventLoop, QObject, QTimer

    loop = QEventLoop()
    times: list[float] = []

    class PaintWatch(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if event.type() == QEvent.Type.Paint and not times:
                result = window.attention_view.result
                if result is not None and result.request.text == text:
                    # The paint itself belongs to it: look at the clock when it is over.
                    QTimer.singleShot(0, self.end)
            return False

        def end(self) -> None:
            times.append(time.perf_counter())
            loop.quit()

    watch = PaintWatch()
    viewport = window.attention_view.plot.viewport()
    viewport.installEventFilter(watch)
    loop.exec()
    viewport.removeEventFilter(watch)
    return times[0]


def probe_start() -> None:
    """Starts the window and says when it was there and when the first picture was."""
    with tempfile.TemporaryDirectory() as folder:
        application, window = make_window(Path(folder))
        window.repaint()
        shown = time.perf_counter() - BEGAN
        heart = Heart()
        picture = wait_for_picture(application, window, TEXT) - BEGAN
        gap = heart.longest_ms()
        window.close()
    print(json.dumps({"window": shown, "picture": picture, "gap_ms": gap}))


def run_probe(name: str) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.window", "--probe", name],
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def compare_start(starts: int) -> None:
    bare, started = [], []
    for _ in range(starts):
        bare.append(run_probe("bare"))
        started.append(run_probe("start"))
    best_bare = min(b["total"] for b in bare)
    best_picture = min(s["picture"] for s in started)
    ratios = [s["picture"] / b["total"] for s, b in zip(started, bare, strict=True)]
    print(f"first window            {min(s['window'] for s in started):.2f} s   (bar 1 s)")
    print(f"bare imports + forward  {best_bare:.2f} s")
    print(
        f"first picture           {best_picture:.2f} s   minima {best_picture / best_bare:.2f}, "
        f"median {statistics.median(ratios):.2f}   (bar 1.2)"
    )
    gaps = sorted(s["gap_ms"] for s in started)
    print(f"longest gap meanwhile   {gaps[-1]:.0f} ms, median {statistics.median(gaps):.0f} ms")


def compare_typing(keys: int) -> None:
    """Types into the window and compares with the bare pass, in turns."""
    with tempfile.TemporaryDirectory() as folder:
        application, window = make_window(Path(folder))
        wait_for_picture(application, window, TEXT)
        import torch

        from benchmarks.encoder import WIDTH, make_encoder

        encoder = make_encoder("t5")
        heart = Heart()
        print(f"\n{'tokens':>6} {'bare ms':>8} {'window ms':>10} {'allowed':>8} {'gap ms':>7}")
        for tokens in (20, 512):
            x = torch.randn(1, tokens, WIDTH)
            passes, repaints, gaps = [], [], []
            for key in range(keys + 2):
                began = time.perf_counter()
                with torch.inference_mode():
                    encoder(x)
                passes.append(time.perf_counter() - began)
                text = (
                    " ".join(f"word{i}" for i in range(tokens - 1)) + " " + "abcdefghijkl"[key % 12]
                )
                pauses: list[float] = []
                note = window._pause.timeout.connect(lambda p=pauses: p.append(time.perf_counter()))
                heart.longest_ms()
                window.text_panel.set_text(text)
                painted = wait_for_picture(application, window, text)
                window._pause.timeout.disconnect(note)
                repaints.append(painted - pauses[0])
                gaps.append(heart.longest_ms())
            bare, shown = 1000 * min(passes[2:]), 1000 * min(repaints[2:])
            allowed = 1.5 * bare + 10
            sign = "" if shown <= allowed else " !"
            gap = max(gaps[2:])
            print(f"{tokens:>6} {bare:>8.1f} {shown:>10.1f} {allowed:>8.1f} {gap:>7.1f}{sign}")
        window.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--starts", type=int, default=5)
    parser.add_argument("--keys", type=int, default=9)
    parser.add_argument("--probe", choices=("bare", "start"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.probe == "bare":
        probe_bare()
    elif arguments.probe == "start":
        probe_start()
    else:
        compare_start(arguments.starts)
        compare_typing(arguments.keys)


if __name__ == "__main__":
    main()
