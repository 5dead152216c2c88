"""From a checkpoint to a trained encoder's file: half as large, and without what only training
needs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from safetensors.torch import save

from posenc_model import __version__
from posenc_model.exporters import write_whole
from posenc_model.trained import FORMAT
from posenc_model.training.checkpoints import read_checkpoint


def export_encoder(checkpoint_path: Path, target: Path, notes: Mapping[str, Any]) -> None:
    """Writes the encoder of a checkpoint in half precision.

    Args:
        checkpoint_path: What :func:`~posenc_model.training.checkpoints.save_checkpoint` wrote.
        target: A ``.safetensors`` file.
        notes: What the program and the model card say of it.

    Raises:
        PosencError: The checkpoint cannot be read, or the file not be written.
    """
    checkpoint = read_checkpoint(checkpoint_path)
    settings = checkpoint.settings
    with safe_open(checkpoint_path, framework="pt") as file:
        model = {
            name.removeprefix("model."): file.get_tensor(name)
            for name in file.keys()  # noqa: SIM118 - a safe_open is no mapping
            if name.startswith("model.")
        }
    # As the encoder takes them in; see Learner.
    model["words"] = model["words"] * settings.width**0.5
    config = {
        "width": settings.width,
        "num_layers": settings.num_layers,
        "num_heads": settings.num_heads,
        "positional_encoding": settings.positional_encoding,
        "encoding_options": dict(settings.encoding_options),
    }
    header = {
        "format": FORMAT,
        "version": __version__,
        "config": json.dumps(config),
        "words": json.dumps(checkpoint.words, ensure_ascii=False),
        "notes": json.dumps(
            {"steps": checkpoint.step, "longest": settings.max_length, **notes},
            ensure_ascii=False,
        ),
    }
    halves = {name: tensor.to(torch.float16).contiguous() for name, tensor in model.items()}
    write_whole(target, save(halves, metadata=header))
