"""Using transformers without a word on the terminal, and without the network."""

from __future__ import annotations

import logging
import os
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import ModuleType

from posenc_model.pretrained.folder import reason_of, refuse
from posenc_model.tokenizers.base import is_installed

INSTALL = 'pip install "posenc[pretrained]"'

_lock = threading.Lock()
_users = 0
_undo = ExitStack()


@contextmanager
def quiet() -> Iterator[None]:
    """Keeps transformers silent and off the network inside the block, in every thread.

    Its settings are those of the process, so that they are put back when the last block ends;
    blocks in several threads may overlap.
    """
    global _users, _undo
    with _lock:
        if _users == 0:
            with ExitStack() as stack:
                _silence(stack)
                _undo = stack.pop_all()
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0:
                _undo.close()


def transformers_library() -> ModuleType:
    """Imports transformers; to be called inside :func:`quiet`.

    Raises:
        PosencError: It is not installed, or cannot be loaded.
    """
    if not is_installed("transformers"):
        raise refuse(f"Other people's models need transformers: {INSTALL}")
    try:
        import transformers
    except Exception as error:
        # Anything may come out of an installation that does not fit together.
        raise refuse(f"transformers could not be loaded: {reason_of(error)}.") from error
    return transformers


def _silence(undo: ExitStack) -> None:
    undo.enter_context(warnings.catch_warnings())
    warnings.simplefilter("ignore")
    for name in ("transformers", "huggingface_hub"):
        logger = logging.getLogger(name)
        undo.callback(logger.setLevel, logger.level)
        logger.setLevel(logging.CRITICAL + 1)
    # Or it warns of every later fork of this process.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    if not is_installed("transformers"):
        return
    import huggingface_hub.constants

    _set(undo, huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    transformers = transformers_library()
    # Importing it configures its own logger anew.
    logging.getLogger("transformers").setLevel(logging.CRITICAL + 1)
    hub = transformers.utils.hub
    if hasattr(hub, "_is_offline_mode"):  # before version 5 it remembers the setting itself
        _set(undo, hub, "_is_offline_mode", True)
    messages = transformers.utils.logging
    if messages.is_progress_bar_enabled():
        undo.callback(_quietly(messages.enable_progress_bar))
        messages.disable_progress_bar()


def _set(undo: ExitStack, module: ModuleType, name: str, value: bool) -> None:
    undo.callback(setattr, module, name, getattr(module, name))
    setattr(module, name, value)


def _quietly(change: Callable[[], None]) -> Callable[[], None]:
    def changed() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            change()

    return changed
