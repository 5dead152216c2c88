"""Other people's models: a Hugging Face folder on disk, and the attention it gives.

Importing this package loads neither torch nor transformers, and nothing in it uses the network or
runs program code out of a model's folder.
"""

from __future__ import annotations

from pathlib import Path

from posenc_model.pretrained.info import ModelInfo, model_info
from posenc_model.pretrained.model import PretrainedModel
from posenc_model.pretrained.output import SPECIAL_TOKENS, ModelOutput

__all__ = [
    "SPECIAL_TOKENS",
    "ModelInfo",
    "ModelOutput",
    "PretrainedModel",
    "model_info",
    "open_model",
]


def open_model(folder: Path) -> PretrainedModel:
    """Opens the model in a folder; the last ones opened are remembered while their files stay.

    Args:
        folder: Holds ``config.json``, the weights (``*.safetensors``) and the tokenizer's files.

    Raises:
        PosencError: It cannot be opened; the sentence says why.
    """
    from posenc_model.pretrained.opening import open_model as opened

    return opened(folder)
