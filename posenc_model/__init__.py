"""A Transformer encoder whose positional encoding can be seen at work. No Qt in here.

``encode("some text", positional_encoding="rel")`` is the shortest way in. Names are loaded when
they are first used, so that importing the package does not import torch.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from posenc_model.config import EncoderConfig
    from posenc_model.encoder import EncoderOutput, TransformerEncoder
    from posenc_model.errors import PosencError
    from posenc_model.probe import OrderProbe, probe_order, probe_word
    from posenc_model.result import RunResult
    from posenc_model.run import encode

__all__ = [
    "EncoderConfig",
    "EncoderOutput",
    "OrderProbe",
    "PosencError",
    "RunResult",
    "TransformerEncoder",
    "encode",
    "probe_order",
    "probe_word",
]

_HOMES = {
    "EncoderConfig": "config",
    "EncoderOutput": "encoder",
    "OrderProbe": "probe",
    "PosencError": "errors",
    "RunResult": "result",
    "TransformerEncoder": "encoder",
    "encode": "run",
    "probe_order": "probe",
    "probe_word": "probe",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"posenc_model.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
