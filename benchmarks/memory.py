"""The memory and the waiting of a very long text, through the window's own path.

``python -m benchmarks.memory [--tokens 4096]``

Prints the peak memory above the idle program (bar: 1.2 GB), how long progress was silent and how
long Cancel took (bar: 300 ms), and how long a head took to be shown (bar: 500 ms). Linux only.
"""

from __future__ import annotations

import argparse
import itertools
import tempfile
import time
from pathlib import Path

from benchmarks.encoder import high_water_mark
from benchmarks.window import Heart, make_window, wait_for_picture


def words(tokens: int, seed: str) -> str:
    return " ".join(f"{seed}{i % 997}" for i in range(tokens))


def measure(tokens: int) -> None:
    from PySide6.QtCore import QEventLoop

    with tempfile.TemporaryDirectory() as folder:
        application, window = make_window(Path(folder))
        text = window.text_panel.text()
        wait_for_picture(application, window, text)
        idle = high_water_mark()
        heart = Heart()
        reports: list[float] = []
        window.controller.progressed.connect(lambda share: reports.append(time.perf_counter()))
        text = words(tokens, "word")
        began = time.perf_counter()
        window.text_panel.set_text(text)
        painted = wait_for_picture(application, window, text)
        silences = [b - a for a, b in itertools.pairwise(reports)]
        print(f"{tokens} tokens: {painted - began:.1f} s to the picture")
        print(f"peak above idle         {high_water_mark() - idle:>6.0f} MB   (bar 1,200)")
        print(f"longest silence         {1000 * max(silences):>6.0f} ms   (bar 300)")
        print(f"longest gap             {heart.longest_ms():>6.0f} ms   (bar 50)")

        # Another layer and head, from asking to its repaint.
        shown = []
        for layer, head in ((3, 2), (11, 7), (7, 5)):
            began = time.perf_counter()
            loop = QEventLoop()
            window.controller.task_finished.connect(loop.quit)
            window.attention_view.choose_head(layer, head)
            loop.exec()
            window.controller.task_finished.disconnect(loop.quit)
            application.processEvents()
            shown.append(time.perf_counter() - began)
        print(f"a head shown within     {1000 * max(shown):>6.0f} ms   (bar 500)")
        print(f"longest gap             {heart.longest_ms():>6.0f} ms   (bar 50)")

        # Cancelled at different moments of the run.
        waits = []
        for number in range(6):
            reports.clear()
            window.text_panel.set_text(words(tokens, f"other{number}x"))
            loop = QEventLoop()

            def on_progress(
                share: float, after: int = 3 + 7 * number, loop: QEventLoop = loop
            ) -> None:
                if len(reports) >= after:
                    loop.quit()

            window.controller.progressed.connect(on_progress)
            loop.exec()
            window.controller.progressed.disconnect(on_progress)
            began = time.perf_counter()
            done = QEventLoop()
            window.controller.idle.connect(done.quit)
            window.controller.cancel()
            done.exec()
            window.controller.idle.disconnect(done.quit)
            waits.append(time.perf_counter() - began)
        print(f"cancelled within        {1000 * max(waits):>6.0f} ms   (bar 300)")
        print(f"peak above idle         {high_water_mark() - idle:>6.0f} MB   (bar 1,200)")
        window.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tokens", type=int, default=4096)
    measure(parser.parse_args().tokens)


if __name__ == "__main__":
    main()
