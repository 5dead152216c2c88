"""The order probe: what moves when words are moved, replaced, repeated or left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from posenc_model.errors import PosencError, RunCancelled
from posenc_model.request import KEEP_ALL, RunRequest
from posenc_model.result import RunResult
from posenc_model.run import run_tokens, tokens_of
from posenc_model.settings import MAX_SENTENCES, Settings
from posenc_model.tokenizers import Token
from posenc_model.vocabulary import FROM_TEXT
from posenc_model.weight_sources import RANDOM, TRAINED
from posenc_model.words import PAD_WORD


@dataclass(frozen=True, eq=False)
class OrderProbe:
    """A text before and after a change, and how far each token of it moved.

    The changed text may repeat tokens of the text and may lack some. Then the tokens that both
    have are matched: as one that looks, a token is matched with the first of its copies; as one
    that is looked at, with all of them, whose weights are added up. A token that is missing gets
    no weight after the change, and is itself not measured.

    Attributes:
        before: The text as it is.
        after: The changed text.
        order: Place i of the changed text holds token ``order[i]`` of the text.
        hidden_shift: [layers + 1, n] for each token of the text, before the first layer and after
            each: ‖h − h'‖ / ‖h‖, h its hidden state before and h' after (h' alone if h is zero).
            NaN for tokens that are missing after the change.
        weights_shift: [layers, n]: total variation between its attention before and after, each
            key matched with itself, averaged over heads; from 0 to 1. NaN likewise.
    """

    before: RunResult
    after: RunResult
    order: tuple[int, ...]
    hidden_shift: NDArray[np.float64]
    weights_shift: NDArray[np.float64]

    @property
    def places(self) -> NDArray[np.int64]:
        """Where each token of the text stands after the change, or its first copy; else −1."""
        return _places(self.order, len(self.before.tokens))

    @property
    def kept(self) -> NDArray[np.int64]:
        """The tokens of the text that the changed text has, too."""
        return np.flatnonzero(self.places >= 0)

    @property
    def is_permutation(self) -> bool:
        """Whether the changed text has every token of the text once."""
        return _is_permutation(self.order, len(self.before.tokens))

    @property
    def mean_hidden_shift(self) -> NDArray[np.float64]:
        """``hidden_shift`` averaged over the tokens that both have, [layers + 1]."""
        mean: NDArray[np.float64] = self.hidden_shift[:, self.kept].mean(1)
        return mean

    @property
    def mean_weights_shift(self) -> NDArray[np.float64]:
        """``weights_shift`` averaged over the tokens that both have, [layers]."""
        mean: NDArray[np.float64] = self.weights_shift[:, self.kept].mean(1)
        return mean

    def kept_weights(self, layer: int, head: int) -> tuple[NDArray[np.float64], ...]:
        """The weights of one head before and after, for the tokens that both have.

        Args:
            layer: From 0.
            head: From 0, or ``MEAN_HEAD``.

        Returns:
            Two matrices [kept, kept] in the order of the text; what goes to copies of a token is
            added up.
        """
        kept = self.kept
        before = self.before.weights(layer, head).astype(np.float64)
        after = _by_token(self.after.weights(layer, head), self.order, len(self.before.tokens))
        return before[np.ix_(kept, kept)], after[:, kept]


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
    if not _is_permutation(order, len(tokens)):
        raise PosencError(
            f"order is {list(order)}, but has to hold each number from 0 to {len(tokens) - 1} "
            f"once, because the text has {len(tokens)} tokens.",
            "order",
        )
    return probe_tokens(request, tokens, [tokens[i] for i in order], order)


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
    return probe_tokens(request, tokens, replaced, range(len(tokens)))


def probe_result(
    result: RunResult,
    order: Sequence[int],
    is_cancelled: Callable[[], bool] = lambda: False,
) -> OrderProbe:
    """Puts the tokens of a result in another order, some of them repeated or left out.

    Its ``before`` is the result itself, or where padding is shown, the same without it.

    Args:
        result: A result of our own encoder.
        order: Which token of the result comes to each place.
        is_cancelled: As for :func:`probe_tokens`.

    Raises:
        PosencError: The result is somebody else's, or ``order`` names no or other tokens.
        RunCancelled: ``is_cancelled`` said yes.
    """
    request = result.request
    if result.encoding_name is None:
        raise PosencError(
            f"This needs an encoder of our own, not {request.settings.source.title}; set weights "
            f"to {TRAINED} or {RANDOM}.",
            "weights",
        )
    tokens = words_of_result(result)
    _check(order, len(tokens))
    return probe_tokens(
        request,
        tokens,
        [tokens[i] for i in order],
        order,
        is_cancelled,
        before=result if len(tokens) == len(result.tokens) else None,
        other_words=_words_of_batch(request),
    )


def words_of_result(result: RunResult) -> tuple[Token, ...]:
    """The tokens that can be put into another order: hidden ones as written, and no padding."""
    text, masked = result.request.text, set(result.request.masked)
    return tuple(
        replace(token, text=text[token.start : token.end]) if index in masked else token
        for index, token in enumerate(result.tokens)
        if token.text != PAD_WORD or token.end > token.start
    )


def probe_tokens(
    request: RunRequest,
    tokens: Sequence[Token],
    changed: Sequence[Token],
    order: Sequence[int],
    is_cancelled: Callable[[], bool] = lambda: False,
    before: RunResult | None = None,
    other_words: Sequence[Token] = (),
) -> OrderProbe:
    """Runs tokens and changed tokens through the same encoder and measures what moved.

    Both have the same word vectors: a one-hot vocabulary of "the words of this text" is that of
    both. A hidden token is hidden after the change, too, and so are its copies.

    Args:
        request: The settings, and which of ``tokens`` are hidden.
        tokens: The text as it is.
        changed: The changed text.
        order: Which of ``tokens`` stands at each place of ``changed``; some may be repeated or
            missing. :class:`OrderProbe` says how they are matched.
        is_cancelled: Asked between small steps; once it says yes, the probe ends.
        before: The result for ``request`` and ``tokens``, where it is at hand. It is used unless
            ``changed`` has words that a vocabulary of its text would lack.
        other_words: What a vocabulary of the text has besides, before the words of both.

    Raises:
        PosencError: ``order`` does not fit, or a setting is not allowed.
        RunCancelled: ``is_cancelled`` said yes.
    """
    _check(order, len(tokens))
    if len(order) != len(changed):
        raise PosencError(
            f"order has {len(order)} numbers, but the changed text has {len(changed)} tokens.",
            "order",
        )
    # One vocabulary for both, or the words' vectors would not be comparable.
    known = (*other_words, *tokens, *changed)
    old_words = {token.text for token in (*other_words, *tokens)}
    if before is None or not {token.text for token in changed} <= old_words:
        before = run_tokens(request, tuple(tokens), is_cancelled, vocabulary_tokens=known)
    if list(changed) == list(tokens) and list(order) == list(range(len(tokens))):
        after = before
    else:
        masked = tuple(place for place, token in enumerate(order) if token in request.masked)
        after = run_tokens(
            replace(request, masked=masked), tuple(changed), is_cancelled, vocabulary_tokens=known
        )
    return OrderProbe(
        before=before,
        after=after,
        order=tuple(order),
        hidden_shift=_hidden_shift(before, after, order),
        weights_shift=_weights_shift(before, after, order, is_cancelled),
    )


def _words_of_batch(request: RunRequest) -> list[Token]:
    """The words that the vocabulary of a batch of lines is made of; none where there is none."""
    settings = request.settings
    if not settings.batch or settings.embedding != "one-hot" or settings.vocabulary != FROM_TEXT:
        return []
    lines = [line for line in request.text.splitlines() if line.strip()][:MAX_SENTENCES]
    return [token for line in lines for token in tokens_of(replace(request, text=line))[0]]


def _check(order: Sequence[int], n: int) -> None:
    if not order or not set(order) <= set(range(n)):
        raise PosencError(
            f"order is {list(order)}, but has to hold numbers from 0 to {n - 1}, at least one.",
            "order",
        )


def _is_permutation(order: Sequence[int], n: int) -> bool:
    return sorted(order) == list(range(n))


def _places(order: Sequence[int], n: int) -> NDArray[np.int64]:
    places = np.full(n, -1, dtype=np.int64)
    for place in reversed(range(len(order))):
        places[order[place]] = place
    return places


def _by_token(weights: NDArray[np.float32], order: Sequence[int], n: int) -> NDArray[np.float64]:
    """The weights after the change [kept, n], told by the tokens of the text.

    Rows are those of the first copies; columns are added up over copies, and 0 where none is left.
    """
    places = _places(order, n)
    kept = np.flatnonzero(places >= 0)
    columns = np.argsort(order, kind="stable")  # copies side by side, in the order of the text
    starts = np.searchsorted(np.asarray(order)[columns], kept)
    rows = weights[places[kept]].astype(np.float64)
    matched = np.zeros((len(kept), n))
    matched[:, kept] = np.add.reduceat(rows[:, columns], starts, axis=1)
    return matched


def _hidden_shift(before: RunResult, after: RunResult, order: Sequence[int]) -> NDArray[np.float64]:
    old, new = before.hidden_states, after.hidden_states
    assert old is not None
    assert new is not None
    places = _places(order, old.shape[1])
    kept = places >= 0
    shift = np.full(old.shape[:2], np.nan)
    old, new = old[:, kept].astype(np.float64), new[:, places[kept]].astype(np.float64)
    moved, length = np.linalg.norm(old - new, axis=-1), np.linalg.norm(old, axis=-1)
    shift[:, kept] = moved / np.where(length > 0, length, 1.0)
    return shift


def _weights_shift(
    before: RunResult,
    after: RunResult,
    order: Sequence[int],
    is_cancelled: Callable[[], bool],
) -> NDArray[np.float64]:
    n = len(before.tokens)
    kept = _places(order, n) >= 0
    shift = np.full((before.num_layers, n), np.nan)
    shift[:, kept] = 0.0
    for layer in range(before.num_layers):
        for head in range(before.num_heads):
            if is_cancelled():
                raise RunCancelled
            if after is not before:
                old = before.weights(layer, head)[kept].astype(np.float64)
                new = _by_token(after.weights(layer, head), order, n)
                shift[layer, kept] += np.abs(old - new).sum(-1) / 2 / before.num_heads
    return shift
