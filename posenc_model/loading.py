"""Loading torch and a tokenizer's library without holding up other threads.

An import holds Python's lock while a library is linked and while the garbage collector walks
through what it made; a window's event loop stands still meanwhile: 0.3 s for torch, 0.1 s for
spaCy. Here linking is done without the lock, and the collector waits until all is loaded.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import gc
import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from posenc_model.errors import PosencError
from posenc_model.tokenizers import get_tokenizer


@functools.lru_cache(maxsize=32)
def load_libraries(nlp_pipeline: str) -> None:
    """Loads torch and what the tokenizer needs; does nothing when called again.

    To be called in a thread of its own. A tokenizer that cannot be loaded is left to the run,
    which says why.
    """
    with _collector_waiting(), contextlib.suppress(PosencError):
        _link_torch()
        importlib.import_module("posenc_model.run")
        get_tokenizer(nlp_pipeline).tokenize("a")


@functools.lru_cache(maxsize=1)
def load_pretrained_libraries() -> None:
    """Loads what somebody else's model needs, transformers above all; once.

    To be called in a thread of its own. If transformers is missing, opening a model says so.
    """
    with _collector_waiting(), contextlib.suppress(PosencError):
        _link_torch()
        opening = importlib.import_module("posenc_model.pretrained.opening")
        opening.load_libraries()


@contextlib.contextmanager
def _collector_waiting() -> Iterator[None]:
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        # What was loaded stays until the end: the collector need not walk through it again.
        gc.freeze()
        if collects:
            gc.enable()


@functools.lru_cache(maxsize=1)
def _link_torch() -> None:
    """Links torch's largest library by a C call, for which ctypes gives up Python's lock.

    Only a saving: where it is not possible, the import links the library as ever.
    """
    spec = importlib.util.find_spec("torch")
    name = {"linux": "libtorch_cpu.so", "darwin": "libtorch_cpu.dylib"}.get(sys.platform)
    if spec is None or not spec.submodule_search_locations or name is None:
        return
    path = Path(spec.submodule_search_locations[0]) / "lib" / name
    try:
        dlopen = ctypes.CDLL(None).dlopen
    except (AttributeError, OSError):
        return
    dlopen.restype = ctypes.c_void_p
    dlopen.argtypes = (ctypes.c_char_p, ctypes.c_int)
    dlopen(os.fsencode(path), os.RTLD_NOW)
