"""Reading the tensors of a model's folder; nothing in the files is ever run."""

from __future__ import annotations

import math
import zipfile
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from torch import Tensor

from posenc_model.pretrained.folder import MAX_INDEX_BYTES, read_json, reason_of, refuse, size_of

MAX_NUMBERS = 2**31  # 8 GiB in float32

_WHOLE = ("model.safetensors", "pytorch_model.bin")
_INDICES = ("model.safetensors.index.json", "pytorch_model.bin.index.json")


def read_tensors(folder: Path) -> dict[str, Tensor]:
    """Reads all tensors of a model's folder, floating-point ones as float32.

    They are copies: a file that is changed later changes no tensor.

    Raises:
        PosencError: There are none, they are too large, or a file is damaged.
    """
    tensors: dict[str, Tensor] = {}
    for path in weight_files(folder):
        read = _read_safetensors if path.suffix == ".safetensors" else _read_pickled
        tensors.update(read(path, MAX_NUMBERS - sum(t.numel() for t in tensors.values())))
    return tensors


def weight_files(folder: Path) -> list[Path]:
    """The files that hold the weights: one, or all that an index names.

    Raises:
        PosencError: There are none, or the index names what is not there.
    """
    for whole, index in zip(_WHOLE, _INDICES, strict=True):
        if size_of(folder / whole) is not None:
            return [folder / whole]
        content = read_json(folder / index, MAX_INDEX_BYTES)
        if content is not None:
            return _indexed(folder, index, content.get("weight_map"))
    for name, kind in (("tf_model.h5", "TensorFlow"), ("flax_model.msgpack", "Flax")):
        if (folder / name).exists():
            raise refuse(f"“{folder.name}” holds the weights for {kind} only ({name}).")
    raise refuse(
        f"There are no weights in “{folder.name}”: neither model.safetensors nor pytorch_model.bin."
    )


def _indexed(folder: Path, index: str, weight_map: Any) -> list[Path]:
    if not isinstance(weight_map, dict) or not weight_map:
        raise refuse(f"{index} does not say which file holds which weights (weight_map).")
    ending = ".safetensors" if "safetensors" in index else ".bin"
    paths = []
    for name in sorted({str(name) for name in weight_map.values()}):
        # A name with a folder in it could lead anywhere on the disk.
        if Path(name).name != name or "\\" in name or not name.endswith(ending):
            raise refuse(f"{index} names “{name[:80]}”, which is no {ending} file in its folder.")
        if size_of(folder / name) is None:
            raise refuse(f"{index} names “{name[:80]}”, which is not in “{folder.name}”.")
        paths.append(folder / name)
    return paths


def _read_safetensors(path: Path, numbers_left: int) -> dict[str, Tensor]:
    try:
        with safe_open(path, framework="pt") as file:
            names = list(file.keys())
            sizes = [math.prod(file.get_slice(name).get_shape()) for name in names]
            _check_total(path, sum(sizes), numbers_left)
            return {name: _copied(file.get_tensor(name)) for name in names}
    except (OSError, ValueError, RuntimeError, MemoryError) as error:
        raise _damaged(path, error) from error
    except Exception as error:
        # SafetensorError derives from Exception alone.
        if type(error).__name__ != "SafetensorError":
            raise
        raise _damaged(path, error) from error


def _read_pickled(path: Path, numbers_left: int) -> dict[str, Tensor]:
    """Reads a pickled file with torch's reader that knows tensors and runs nothing."""
    try:
        _check_total(path, _unpacked_size(path) // 4, numbers_left * 2)
        found = torch.load(path, map_location="cpu", weights_only=True)
    except (KeyboardInterrupt, SystemExit):
        raise
    except Exception as error:
        if hasattr(error, "sentence"):
            raise
        # A pickle can fail in any way it likes; that it holds code is the likeliest.
        raise refuse(
            f"“{path.name}” could not be read as weights alone, so nothing of it was used: it is "
            "damaged, or holds program code."
        ) from error
    if not isinstance(found, dict):
        raise refuse(f"“{path.name}” holds a {type(found).__name__} instead of named tensors.")
    tensors = {str(name): t for name, t in found.items() if isinstance(t, Tensor) and not t.is_meta}
    # A tensor can claim more numbers than the file has, by repeating them.
    _check_total(path, sum(tensor.numel() for tensor in tensors.values()), numbers_left)
    return {name: _copied(tensor) for name, tensor in tensors.items()}


def _unpacked_size(path: Path) -> int:
    """Bytes of a pickled file, unpacked if it is packed."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            return sum(entry.file_size for entry in archive.infolist())
    return path.stat().st_size


def _check_total(path: Path, numbers: int, left: int) -> None:
    if numbers > left:
        raise refuse(
            f"“{path.name}” is too large: PosEnc opens models of up to {MAX_NUMBERS:,} weights."
        )


def _damaged(path: Path, error: BaseException) -> Exception:
    return refuse(f"“{path.name}” is cut off or damaged: {reason_of(error)}.")


def _copied(tensor: Tensor) -> Tensor:
    if tensor.layout != torch.strided:
        raise ValueError("it holds a sparse tensor")
    if tensor.is_floating_point():
        return tensor.to(torch.float32, copy=True).contiguous()
    return tensor.clone(memory_format=torch.contiguous_format)
