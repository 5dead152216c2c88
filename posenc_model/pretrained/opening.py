"""Opening a model's folder with transformers, without trusting the folder or transformers' guesses.

transformers gets a configuration and tensors that were read here, never the folder: so it finds
no code, no adapter and no second set of weights there, and can fetch nothing. What it would make
up for weights that are missing is refused.
"""

from __future__ import annotations

import importlib.util
import re
import threading
from collections import OrderedDict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from posenc_model.errors import PosencError
from posenc_model.pretrained.checkpoint import MAX_NUMBERS, read_tensors
from posenc_model.pretrained.folder import (
    MAX_TOKENIZER_CONFIG_BYTES,
    checked_folder,
    fingerprint,
    read_config,
    read_json,
    reason_of,
    refuse,
    refuse_own_code,
    size_of,
)
from posenc_model.pretrained.info import info_of
from posenc_model.pretrained.model import PretrainedModel
from posenc_model.pretrained.parts import PARTS
from posenc_model.pretrained.quiet import quiet, transformers_library

_KEPT = 2  # models that are remembered
_MAX_TOKENIZER_BYTES = 128 * 2**20

# Of a sequence-to-sequence model only the encoder is loaded where there is a class for that.
_ENCODERS = {"t5": "T5EncoderModel", "mt5": "MT5EncoderModel", "umt5": "UMT5EncoderModel"}

# What would change how transformers loads or runs the model, rather than what the model is.
_NOT_THE_MODEL = re.compile(
    r"^(_?attn_implementation.*|(torch_)?dtype|output_(attentions|hidden_states)|use_cache|"
    r"(use_)?return_dict|gradient_checkpointing|fusion_config|distributed_config|"
    r"transformers_weights|torchscript|_?name_or_path)$"
)

# Weights that no attention depends on, and tables that are a formula.
_MAY_BE_MISSING = re.compile(r"(^|\.)pooler\.|(^|\.)embed_positions\.weight$")
_IS_FORMULA = {"roformer", "marian", "pegasus"}
# Old files hold masks and tables that the code now makes itself.
_MAY_BE_LEFT = re.compile(
    r"(^|[._])decoder\.|position_ids$|token_type_ids$|\.masked_bias$|attn\.bias$|"
    r"attention\.bias$|inv_freq$|rotary_emb|embed_positions\.weights?$|_float_tensor$"
)
_LAYER = re.compile(r"(^|\.)\d+\.")

_opening = threading.Lock()
_opened: OrderedDict[tuple[object, ...], PretrainedModel] = OrderedDict()


def open_model(folder: Path) -> PretrainedModel:
    """Opens the model in a folder; see :func:`posenc_model.pretrained.open_model`.

    Raises:
        PosencError: It cannot be opened; the sentence says why.
    """
    folder = checked_folder(folder)
    key = (folder, fingerprint(folder))
    with _opening:  # so that two threads do not load the same model
        if key not in _opened:
            for old in [other for other in _opened if other[0] == folder]:
                del _opened[old]
            while len(_opened) >= _KEPT:  # before the next is loaded, not after
                _opened.popitem(last=False)
            _opened[key] = _open(folder)
        _opened.move_to_end(key)
        return _opened[key]


def load_libraries() -> None:
    """Imports what opening any model needs.

    Raises:
        PosencError: transformers is not installed, or cannot be loaded.
    """
    with quiet():
        transformers = transformers_library()
        # Its parts are imported when they are first asked for.
        for name in ("AutoTokenizer", "PreTrainedModel", "PreTrainedTokenizerFast", "BertModel"):
            getattr(transformers, name)


def _open(folder: Path) -> PretrainedModel:
    content = read_config(folder)
    info = info_of(content)
    _check_tokenizer_files(folder)
    with quiet():
        transformers = transformers_library()
        try:
            config = _config(transformers, content)
            tokenizer = _tokenizer(transformers, folder, config)
            model = _model(transformers, folder, config, info.family)
        except (PosencError, KeyboardInterrupt, SystemExit):
            raise
        except Exception as error:
            # Whatever a library says about somebody's files is about the files.
            raise refuse(
                f"The model in “{folder.name}” could not be opened: {reason_of(error)}."
            ) from error
    return PretrainedModel(info, model, tokenizer, PARTS.get(info.family))


def _config(transformers: Any, content: dict[str, Any]) -> Any:
    kind = content["model_type"]
    auto = transformers.models.auto.modeling_auto
    text_models = set(_ENCODERS)
    for task in ("MASKED_LM", "CAUSAL_LM", "TEXT_ENCODING", "SEQ_TO_SEQ_CAUSAL_LM"):
        text_models |= set(getattr(auto, f"MODEL_FOR_{task}_MAPPING_NAMES", ()))
    if kind not in text_models:
        raise refuse(
            f"config.json gives model_type as “{kind[:80]}”, which is no model for text that "
            f"transformers {transformers.__version__} knows."
        )
    cleaned = {name: value for name, value in content.items() if not _NOT_THE_MODEL.match(name)}
    config = transformers.CONFIG_MAPPING[kind].from_dict(cleaned)
    config.use_cache = False
    return config


def _check_tokenizer_files(folder: Path) -> None:
    """Refuses tokenizers that are too large or want code of their own, before any is loaded."""
    content = read_json(folder / "tokenizer_config.json", MAX_TOKENIZER_CONFIG_BYTES)
    refuse_own_code(content or {}, "tokenizer_config.json", folder)
    files = [
        name
        for name in (
            *("tokenizer.json", "vocab.txt", "vocab.json", "merges.txt"),
            *("spiece.model", "sentencepiece.bpe.model", "tokenizer.model", "spm.model"),
        )
        if (size_of(folder / name) or 0) > 0
    ]
    if not files:
        raise refuse(
            f"There is no tokenizer in “{folder.name}”: neither tokenizer.json nor a vocabulary."
        )
    for name in files:
        size = size_of(folder / name) or 0
        if size > _MAX_TOKENIZER_BYTES:
            raise refuse(
                f"“{name}” has {size / 2**20:,.0f} MB; {_MAX_TOKENIZER_BYTES // 2**20} MB is the "
                "most that a tokenizer's file can have."
            )


def _tokenizer(transformers: Any, folder: Path, config: Any) -> Any:
    content = read_json(folder / "tokenizer_config.json", MAX_TOKENIZER_CONFIG_BYTES) or {}
    named = content.get("tokenizer_class")
    known = transformers.models.auto.tokenization_auto.tokenizer_class_from_name
    if named is not None and (not isinstance(named, str) or known(named) is None):
        raise refuse(
            f"tokenizer_config.json names the tokenizer “{str(named)[:80]}”, which transformers "
            f"{transformers.__version__} does not know."
        )
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(
            str(folder), config=config, local_files_only=True, trust_remote_code=False
        )
    except PosencError:
        raise
    except Exception as error:
        raise refuse(
            f"The tokenizer in “{folder.name}” could not be opened: {reason_of(error)}."
        ) from error
    if not getattr(tokenizer, "is_fast", False):
        raise refuse(
            f"The tokenizer in “{folder.name}” does not say where its tokens stand in the text; "
            "PosEnc needs one of the fast kind (tokenizer.json)."
        )
    return tokenizer


def _model(transformers: Any, folder: Path, config: Any, kind: str) -> Any:
    model_class = _class_of(transformers, config, kind)
    tensors = read_tensors(folder)
    _check_kinds(tensors, folder)
    _check_memory(model_class, config, sum(t.numel() for t in tensors.values()))
    try:
        model, report = model_class.from_pretrained(
            None,
            config=config,
            state_dict=tensors,
            attn_implementation="eager",  # the others give no weights
            output_loading_info=True,
            local_files_only=True,
        )
    except RuntimeError as error:
        raise _misfit(model_class, config, tensors, error) from error
    _check_report(report, folder, kind)
    for name, parameter in model.named_parameters():
        if parameter.is_meta or parameter.dtype != torch.float32:
            raise refuse(f"The weights “{name}” in “{folder.name}” were not loaded in float32.")
    model.eval()
    model.requires_grad_(False)
    return model


def _class_of(transformers: Any, config: Any, kind: str) -> Any:
    if kind in _ENCODERS:
        return getattr(transformers, _ENCODERS[kind])
    found = transformers.MODEL_MAPPING[type(config)]
    # Where there are several, the first is the whole model.
    return found[0] if isinstance(found, (tuple, list)) else found


def _on_paper(model_class: Any, config: Any) -> Any:
    """The model without any memory behind its tensors, to learn their sizes."""
    moved = importlib.util.find_spec("transformers.initialization")  # there since version 5
    place = "transformers.initialization" if moved else "transformers.modeling_utils"
    no_init_weights = importlib.import_module(place).no_init_weights
    with no_init_weights(), torch.device("meta"):
        return model_class(config)


def _check_kinds(tensors: dict[str, Tensor], folder: Path) -> None:
    """Refuses whole numbers as weights: they are quantised, and transformers would take them."""
    for name, tensor in tensors.items():
        is_weight = name.endswith(("weight", "bias")) and not _MAY_BE_LEFT.search(name)
        if is_weight and not tensor.is_floating_point():
            raise refuse(
                f"The weights “{name[:120]}” in “{folder.name}” are no floating-point numbers."
            )


def _check_memory(model_class: Any, config: Any, in_file: int) -> None:
    """Refuses a configuration that asks for much more memory than the file has weights.

    It is only about the size: weights of which some are missing are refused by name.
    """
    model = _on_paper(model_class, config)
    needed = sum(parameter.numel() for parameter in model.parameters())
    made = sum(buffer.numel() for buffer in model.buffers())
    # Tied weights count twice; poolers may be missing.
    if needed > 3 * in_file + 2**26 or needed > MAX_NUMBERS or made > 2**28:
        raise refuse(
            f"config.json describes a model of {needed:,} weights, but its files hold {in_file:,}."
        )


def _misfit(
    model_class: Any, config: Any, tensors: dict[str, Tensor], error: RuntimeError
) -> PosencError:
    """Names the first tensor whose shape is not the configuration's."""
    prefix = f"{model_class.base_model_prefix}."
    given = {name.removeprefix(prefix): tuple(tensor.shape) for name, tensor in tensors.items()}
    expected = _on_paper(model_class, config).state_dict()
    for name, tensor in expected.items():
        shape = given.get(name.removeprefix(prefix), tuple(tensor.shape))
        if shape != tuple(tensor.shape):
            return refuse(
                f"The weights “{name}” have the shape {_shape(shape)}, but config.json asks for "
                f"{_shape(tuple(tensor.shape))}."
            )
    return refuse(f"The weights do not fit config.json: {reason_of(error)}.")


def _shape(shape: Iterable[int]) -> str:
    return " × ".join(str(size) for size in shape) or "of a single number"


def _check_report(report: dict[str, Any], folder: Path, kind: str) -> None:
    """Refuses weights that transformers made up, and layers that it left out.

    Either way the picture would not be this model's.
    """
    mismatched = sorted(str(entry[0]) for entry in report.get("mismatched_keys", ()))
    missing = sorted(
        name
        for name in report["missing_keys"]
        if not (_MAY_BE_MISSING.search(name) and ("pooler." in name or kind in _IS_FORMULA))
    )
    if missing or mismatched:
        raise refuse(
            f"The weights in “{folder.name}” are not those that config.json describes: "
            f"{_some(missing or mismatched)} {'are missing' if missing else 'have another shape'}."
        )
    left = sorted(
        name
        for name in report["unexpected_keys"]
        if _LAYER.search(name) and not _MAY_BE_LEFT.search(name)
    )
    if left:
        raise refuse(
            f"The weights in “{folder.name}” hold more than config.json describes: there is no "
            f"place for {_some(left)}."
        )


def _some(names: list[str]) -> str:
    more = f" and {len(names) - 1:,} others" if len(names) > 1 else ""
    return f"“{names[0][:120]}”{more}"
