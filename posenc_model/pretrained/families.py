"""How each family of models knows position. Without torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

_ADDED = "learned absolute positions, added to the words"
_SINUSOIDS = "sinusoidal absolute positions, added to the words"
_ROTARY = "rotary positions: each layer turns its queries and keys by an angle for their place"
_BUCKETS = "a learned number for each bucket of distances, added to the scores of every layer"
_DISENTANGLED = "distances with vectors of their own, compared with the words in every layer"
_ALIBI = "a fixed penalty that grows with distance, subtracted from the scores of every layer"

ADDED_REASON = (
    "Position was added to the words before the first layer, so the score cannot be split here."
)
_ROTARY_REASON = (
    "Queries and keys are turned by their positions and then multiplied, so the score has no "
    "part that is position alone."
)
_DISENTANGLED_REASON = (
    "The score has parts for position here, but PosEnc does not take DeBERTa's apart."
)
_ALIBI_REASON = (
    "Position is a part of the score here, but PosEnc does not take this family's apart."
)
_UNKNOWN_REASON = "PosEnc does not know how this family of models uses position."


@dataclass(frozen=True)
class Family:
    """A family of models that share how they know position.

    Attributes:
        title: Its name as people write it.
        position: How it knows position, as a phrase.
        parts_reason: Why its scores are not split into parts; ``None`` where they are.
        is_causal: Whether each token sees only those before it.
        counts_after_padding: Whether its positions start after the padding token's number, so
            that the first rows of the table are not used.
        has_length: Whether its number of positions limits the text.
    """

    title: str
    position: str = _ADDED
    parts_reason: str | None = ADDED_REASON
    is_causal: bool = False
    counts_after_padding: bool = False
    has_length: bool = True


def _roberta(title: str) -> Family:
    return Family(title, counts_after_padding=True)


def _rotary(title: str, is_causal: bool = True) -> Family:
    return Family(title, _ROTARY, _ROTARY_REASON, is_causal)


def _t5(title: str) -> Family:
    return Family(title, _BUCKETS, None, has_length=False)


FAMILIES: dict[str, Family] = {
    "albert": Family("ALBERT"),
    "bart": Family("BART encoder"),
    "bert": Family("BERT"),
    "bloom": Family("BLOOM", _ALIBI, _ALIBI_REASON, is_causal=True, has_length=False),
    "camembert": _roberta("CamemBERT"),
    "data2vec-text": _roberta("data2vec"),
    "deberta": Family("DeBERTa", _DISENTANGLED, _DISENTANGLED_REASON),
    "deberta-v2": Family("DeBERTa v2", _DISENTANGLED, _DISENTANGLED_REASON),
    "distilbert": Family("DistilBERT"),
    "electra": Family("ELECTRA"),
    "ernie": Family("ERNIE"),
    "eurobert": _rotary("EuroBERT", is_causal=False),
    "gemma": _rotary("Gemma"),
    "gpt2": Family("GPT-2", is_causal=True),
    "gpt_neo": Family("GPT-Neo", is_causal=True),
    "gpt_neox": _rotary("GPT-NeoX"),
    "gptj": _rotary("GPT-J"),
    "llama": _rotary("Llama"),
    "marian": Family("Marian encoder", _SINUSOIDS),
    "mbart": Family("mBART encoder"),
    "megatron-bert": Family("Megatron BERT"),
    "mistral": _rotary("Mistral"),
    "mobilebert": Family("MobileBERT"),
    "modernbert": _rotary("ModernBERT", is_causal=False),
    "mpnet": Family("MPNet", f"{_ADDED}, and {_BUCKETS}", None, counts_after_padding=True),
    "mt5": _t5("mT5 encoder"),
    "openai-gpt": Family("GPT", is_causal=True),
    "opt": Family("OPT", is_causal=True),
    "pegasus": Family("Pegasus encoder", _SINUSOIDS),
    "phi": _rotary("Phi"),
    "phi3": _rotary("Phi-3"),
    "qwen2": _rotary("Qwen2"),
    "qwen3": _rotary("Qwen3"),
    "rembert": Family("RemBERT"),
    "roberta": _roberta("RoBERTa"),
    "roberta-prelayernorm": _roberta("RoBERTa (norm first)"),
    "roformer": _rotary("RoFormer", is_causal=False),
    "smollm3": _rotary("SmolLM3"),
    "stablelm": _rotary("StableLM"),
    "t5": _t5("T5 encoder"),
    "umt5": _t5("UMT5 encoder"),
    "xlm-roberta": _roberta("XLM-RoBERTa"),
    "xlm-roberta-xl": _roberta("XLM-RoBERTa XL"),
}


def family_of(config: dict[str, Any]) -> Family:
    """The family of the model that a ``config.json`` describes, known or not."""
    model_type = config["model_type"]
    known = FAMILIES.get(model_type)
    if known is not None:
        return known
    return Family(model_type, "in a way that PosEnc does not know", _UNKNOWN_REASON)
