"""What a run of somebody else's model gives, and what becomes of its special tokens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from posenc_model.tokenizers import Token

FloatArray = NDArray[np.float32]
BoolArray = NDArray[np.bool_]

SHOW, DROP, RENORMALISE = SPECIAL_TOKENS = ("show", "drop", "renormalise")

# Takes a layer and a head, both from 0 (the head may be MEAN_HEAD); gives the exact parts of the
# scores [n, n] by name, or None where they are not known.
ScoreParts = Callable[[int, int], "dict[str, FloatArray] | None"]


@dataclass(frozen=True, eq=False)
class ModelOutput:
    """The attention of somebody else's model for one text.

    Attributes:
        tokens: Its tokens, as a person reads them, with their places in the text (see
            ``pieces.py`` for how they are written). A special token has no characters there.
        is_special: Whether each token was added by the tokenizer ([CLS], </s> …).
        attentions: The weights [layers, heads, n, n], query by key.
        hidden_states: The input of the first layer, then the output of each [layers + 1, n, D].
        warnings: What the user should know, as sentences.
        score_parts: Gives the exact parts of one head's scores, or ``None``.
        mask: Which keys each query may see [n, n]; ``None``: all of them.
    """

    tokens: tuple[Token, ...]
    is_special: tuple[bool, ...]
    attentions: FloatArray
    hidden_states: FloatArray
    warnings: tuple[str, ...]
    score_parts: ScoreParts
    mask: BoolArray | None


def without_special_tokens(output: ModelOutput, renormalise: bool) -> ModelOutput:
    """Leaves out the rows and columns of the special tokens, and says how much went with them.

    Args:
        output: What the model gave.
        renormalise: Whether each row is divided by what is left of it. A row of which nothing is
            left stays zero.
    """
    special = np.array(output.is_special, dtype=np.bool_)
    if not special.any():
        return output
    kept = np.flatnonzero(~special)
    square = np.ix_(kept, kept)
    weights = output.attentions[:, :, kept[:, None], kept[None, :]]
    gone = output.attentions[:, :, kept][..., special].sum(-1, dtype=np.float64)  # [l, h, kept]
    names = list(dict.fromkeys(t.text for t, s in zip(output.tokens, special, strict=True) if s))
    warning = (
        f"The special tokens ({', '.join(names)}) are left out; on average {gone.mean():.1%} of a "
        "word's weight went to them"
    )
    if renormalise:
        sums = weights.sum(-1, keepdims=True, dtype=np.float64)
        weights = np.divide(weights, sums, out=np.zeros_like(weights), where=sums > 0)
        warning += ", and the rest of each row was divided by its sum."
        empty = int((sums == 0).sum())
        if empty:
            warning += f" Nothing was left of {empty:,} rows, which are 0."
    else:
        warning += ", so the rows do not sum to 1."

    def score_parts(layer: int, head: int) -> dict[str, FloatArray] | None:
        parts = output.score_parts(layer, head)
        return None if parts is None else {name: part[square] for name, part in parts.items()}

    return ModelOutput(
        tokens=tuple(output.tokens[i] for i in kept),
        is_special=(False,) * len(kept),
        attentions=weights,
        hidden_states=output.hidden_states[:, kept],
        warnings=(*output.warnings, warning),
        score_parts=score_parts,
        mask=None if output.mask is None else output.mask[square],
    )
