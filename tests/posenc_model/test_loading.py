"""Loading the libraries ahead of the first run."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# In a process of its own, because what is loaded stays, and the collector is told so.
LOAD = """
import gc, sys, threading
from posenc_model.loading import load_libraries
assert "torch" not in sys.modules
threading.Thread(target=load_libraries, args=("nltk",)).start()
[t.join() for t in threading.enumerate() if t is not threading.main_thread()]
assert {"torch", "nltk", "posenc_model.run"} <= set(sys.modules)
assert "spacy" not in sys.modules
assert gc.isenabled()
load_libraries("stanza")  # not installed, or without its model: left to the run to say
assert gc.isenabled()
from posenc_model import encode
print(encode("a b", num_layers=1, nlp_pipeline="nltk").attentions.shape)
"""


def test_a_thread_loads_what_the_first_run_needs_and_nothing_else():
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", LOAD],
        cwd=ROOT,
        env={**os.environ, "STANZA_RESOURCES_DIR": str(ROOT / "no-such-folder")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("(1, 8, 2, 2)\n", "")
