"""The order probe: what moves when words are moved or replaced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from posenc_model.errors import PosencError
from posenc_model.request import KEEP_ALL, RunRequest
from posenc_model.result import RunResult
from posenc_model.run import run_tokens, tokens_of
from posenc_model.settings import Settings
from posenc_model.tokenizers import Token


@dataclass(frozen=True, eq=False)
class OrderProbe:
    """A text before and after a change, and how far each token of it moved.

    Attributes:
        before: The text as it is.
        after: The changed text.
        order: Place i of the changed text holds token ``order[i]`` of the text.
        hidden_shift: [layers + 1, n] for each token of the text, before the first layer and after
            each: ‖h − h'‖ / ‖h‖, h its hidden state before and h' after (h' alone if h is zero).
        weights_shift: [layers, n]: total variation between its attention before and after, each
            key matched with itself, averaged over heads; from 0 to 1.
    """

    before: RunResult
    after: RunResult
    order: tuple[int, ...]
    hidden_shift: NDArray[np.float64]
    weights_shift: NDArray[np.float64]


def probe_order(text: str, order: Sequence[int], **settings: object) -> OrderProbe:
    """Puts the tokens of ``text`` in another order and measures what that changes.

    Without positions nothing but the order changes: both shifts are 0 but for rounding.

    >>> probe = probe_order("dog bites man", [2, 1, 0], positional_encoding="none", num_layers=2)
    >>> bool(probe.hidden_shift.max() < 1e-4)
    True

    Args:
        text: The text.
        order: A permutation of 0 … n−1: which token comes to each place.
        **settings: The settings of the program by name.

    Raises:
        PosencError: ``order`` is no permutation of the tokens, or a setting is not allowed.
    """
    request = RunRequest(0, text, Settings.of(settings), KEEP_ALL)
    tokens, _ = tokens_of(request)
    if sorted(order) != list(range(len(tokens))):
        raise PosencError(
            f"order is {list(order)}, but has to hold each number from 0 to {len(tokens) - 1} "
            f"once, because the text has {len(tokens)} tokens.",
            "order",
        )
    return _probe(request, tokens, tuple(tokens[i] for i in order), tuple(order))


def probe_word(text: str, index: int, word: str, **settings: object) -> OrderProbe:
    """Replaces one token of ``text`` and measures what that changes.

    Every token can look at every other, so that all of their hidden states change.

    Args:
        text: The text.
        index: Which token, from 0.
        word: What stands in its place.
        **settings: The settings of the program by name.

    Raises:
        PosencError: There is no such token, or a setting is not allowed.
    """
    request = RunRequest(0, text, Settings.of(settings), KEEP_ALL)
    tokens, _ = tokens_of(request)
    if not 0 <= index < len(tokens):
        raise PosencError(f"index is {index}, but has to be from 0 to {len(tokens) - 1}.", "index")
    old = tokens[index]
    replaced = (*tokens[:index], Token(word, old.start, old.end), *tokens[index + 1 :])
    return _probe(request, tokens, replaced, tuple(range(len(tokens))))


def _probe(
    request: RunRequest,
    tokens: tuple[Token, ...],
    changed: tuple[Token, ...],
    order: tuple[int, ...],
) -> OrderProbe:
    # One vocabulary for both, or the words' vectors would not be comparable.
    known = tokens + changed
    before = run_tokens(request, tokens, vocabulary_tokens=known)
    after = run_tokens(request, changed, vocabulary_tokens=known)
    place = np.argsort(order)  # where each token of the text went
    old, new = before.hidden_states, after.hidden_states[:, place]
    moved = np.linalg.norm((old - new).astype(np.float64), axis=-1)
    length = np.linalg.norm(old.astype(np.float64), axis=-1)
    matched = after.attentions[:, :, place][:, :, :, place]
    variation = np.abs(before.attentions.astype(np.float64) - matched).sum(-1) / 2
    return OrderProbe(
        before=before,
        after=after,
        order=order,
        hidden_shift=moved / np.where(length > 0, length, 1.0),
        weights_shift=variation.mean(1),
    )
