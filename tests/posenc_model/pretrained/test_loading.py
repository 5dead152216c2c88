"""Loading transformers ahead of the first model."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

LOAD = """
import gc, sys, threading
from posenc_model.loading import load_pretrained_libraries
assert "torch" not in sys.modules
threading.Thread(target=load_pretrained_libraries).start()
[t.join() for t in threading.enumerate() if t is not threading.main_thread()]
assert {"torch", "transformers", "transformers.modeling_utils", "tokenizers"} <= set(sys.modules)
assert gc.isenabled()
"""

MISSING = """
import posenc_model.pretrained.quiet as quiet
quiet.is_installed = lambda name: False
from posenc_model.loading import load_pretrained_libraries
load_pretrained_libraries()  # left to opening a model to say
"""


def run(code: str) -> tuple[str, str]:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout, done.stderr


def test_a_thread_loads_what_opening_a_model_needs():
    assert run(LOAD) == ("", "")


def test_without_transformers_nothing_happens():
    assert run(MISSING) == ("", "")
