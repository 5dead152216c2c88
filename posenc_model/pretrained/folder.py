"""A model's folder, looked at with suspicion before any library is let into it. Without torch."""

from __future__ import annotations

import errno
import json
import os
import stat
from pathlib import Path
from typing import Any

from posenc_model.errors import PosencError

MAX_CONFIG_BYTES = 2**20
MAX_TOKENIZER_CONFIG_BYTES = 16 * 2**20  # some list tens of thousands of added tokens
MAX_INDEX_BYTES = 16 * 2**20
_MAX_FILES = 2000


def refuse(sentence: str) -> PosencError:
    """What is raised for anything wrong with a model's folder."""
    return PosencError(sentence, "weights")


def reason_of(error: BaseException) -> str:
    """The system's or a library's words for an error, as the end of a sentence."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = lines[0] if lines else type(error).__name__
    return (text if len(text) <= 200 else f"{text[:199]}…").rstrip(".")


def size_of(path: Path) -> int | None:
    """Size of an ordinary file in bytes; ``None`` if there is nothing of that name.

    Raises:
        PosencError: It is there, but is no file that can be read.
    """
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:  # a loop of links; a null character in the name
        raise refuse(f"“{path}” could not be read: {reason_of(error)}.") from error
    if not stat.S_ISREG(found.st_mode):  # a pipe or a device may never end
        raise refuse(f"“{path.name}” in “{path.parent.name}” is not an ordinary file.")
    return found.st_size


def checked_folder(folder: Path) -> Path:
    """The folder's full path, links followed.

    Raises:
        PosencError: There is no such folder.
    """
    try:
        if not stat.S_ISDIR(folder.stat().st_mode):
            raise refuse(
                f"“{folder.name}” is a file; choose the folder that holds a model's config.json."
            )
        return folder.resolve()
    except (OSError, ValueError, RuntimeError) as error:
        if getattr(error, "errno", None) == errno.ENOENT:
            raise refuse(f"There is no folder “{folder}”.") from error
        raise refuse(f"“{folder}” could not be opened: {reason_of(error)}.") from error


def read_json(path: Path, max_bytes: int) -> dict[str, Any] | None:
    """Reads a small JSON object; ``None`` if there is no such file.

    Raises:
        PosencError: It is too large, or does not hold a JSON object.
    """
    size = size_of(path)
    if size is None:
        return None
    name = path.name
    if size > max_bytes:
        raise refuse(
            f"“{name}” has {size / 2**20:,.1f} MB; {max_bytes // 2**20} MB is the most that such "
            "a file can have."
        )
    try:
        with path.open("rb") as file:
            content = json.loads(file.read(max_bytes + 1).decode("utf-8-sig"))
    except OSError as error:
        raise refuse(f"“{name}” could not be read: {reason_of(error)}.") from error
    except UnicodeDecodeError as error:
        raise refuse(f"“{name}” is not text in UTF-8, as JSON has to be.") from error
    except (ValueError, RecursionError) as error:
        raise refuse(f"“{name}” is not valid JSON: {reason_of(error)}.") from error
    if not isinstance(content, dict):
        raise refuse(
            f"“{name}” holds a JSON {_json_kind(content)}, but has to hold an object ({{…}})."
        )
    return content


def _json_kind(content: object) -> str:
    if isinstance(content, list):
        return "list"
    return "string" if isinstance(content, str) else "value"


def read_config(folder: Path) -> dict[str, Any]:
    """Reads ``config.json``, and refuses what could not be shown truly or safely.

    Raises:
        PosencError: There is none, it does not name its kind of model, or the model needs program
            code of its own, is quantised, or is an adapter.
    """
    folder = checked_folder(folder)
    config = read_json(folder / "config.json", MAX_CONFIG_BYTES)
    if config is None:
        if size_of(folder / "adapter_config.json") is not None:
            raise refuse(
                f"“{folder.name}” holds an adapter (adapter_config.json), not a whole model."
            )
        raise refuse(f"There is no config.json in “{folder.name}”{_where_it_is(folder)}.")
    refuse_own_code(config, "config.json", folder)
    if config.get("quantization_config"):
        raise refuse(
            f"The weights in “{folder.name}” are quantised (quantization_config in config.json); "
            "PosEnc opens models in float32, float16 and bfloat16."
        )
    model_type = config.get("model_type")
    if not isinstance(model_type, str) or not model_type:
        raise refuse("config.json does not say what kind of model it is (model_type).")
    return config


def _where_it_is(folder: Path) -> str:
    """Names a folder inside that does hold a model, for whoever chose one too high."""
    try:
        inside = sorted(path.parent.name for path in folder.glob("*/config.json"))
    except OSError:
        return ""
    # Sentence-transformers keep the settings of a pooling step in such a folder.
    inside = [name for name in inside if name != "1_Pooling"]
    return f"; there is one in “{inside[0]}” inside it" if inside else ""


def refuse_own_code(content: dict[str, Any], name: str, folder: Path) -> None:
    """Refuses a configuration that asks for Python code out of its own folder.

    Raises:
        PosencError: It does.
    """
    if content.get("auto_map"):
        raise refuse(
            f"The model in “{folder.name}” needs program code of its own (auto_map in {name}), "
            "which PosEnc never runs."
        )


def fingerprint(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Name, size and modification time of the files, by which a changed folder is told."""
    found = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                try:
                    about = entry.stat()
                except OSError:  # a link to nowhere
                    continue
                if stat.S_ISREG(about.st_mode):
                    found.append((entry.name, about.st_size, about.st_mtime_ns))
                if len(found) > _MAX_FILES:
                    raise refuse(
                        f"“{folder.name}” holds more than {_MAX_FILES:,} files; choose the folder "
                        "that holds the model alone."
                    )
    except OSError as error:
        raise refuse(f"“{folder}” could not be read: {reason_of(error)}.") from error
    return tuple(sorted(found))
