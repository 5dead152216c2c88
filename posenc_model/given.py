"""Results whose attention was computed by somebody else's program or model."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray

from posenc_model.attention import masked_softmax
from posenc_model.errors import PosencError, RunCancelled
from posenc_model.overview import OverviewMaker
from posenc_model.request import MEAN_HEAD, RunRequest
from posenc_model.result import FloatArray, RunResult
from posenc_model.tokenizers import Token

CONTENT = "content"

Parts = Callable[[int, int], "dict[str, FloatArray] | None"]


@dataclass(frozen=True, eq=False, kw_only=True)
class GivenResult(RunResult):
    """Attention weights as they were given, and what else is known.

    Attributes:
        parts_reason: Why the scores are not taken apart; ``None`` where they are.
    """

    parts_reason: str | None
    _attentions: FloatArray = field(repr=False)
    _hidden_states: FloatArray | None = field(repr=False, default=None)
    _parts: Parts | None = field(repr=False, default=None)
    _mask: NDArray[np.bool_] | None = field(repr=False, default=None)

    @property
    def attentions(self) -> FloatArray:
        return self._attentions

    @property
    def hidden_states(self) -> FloatArray | None:
        return self._hidden_states

    @property
    def mask(self) -> NDArray[np.bool_] | None:
        return self._mask

    def weights(self, layer: int, head: int) -> FloatArray:
        chosen = self._attentions[layer, self._heads(layer, head)]
        mean: FloatArray = chosen.mean(0) if head == MEAN_HEAD else chosen[0]
        return mean

    def scores(self, layer: int, head: int) -> FloatArray | None:
        parts = list(self.score_parts(layer, head).values())
        return np.sum(parts, axis=0) if parts else None

    def score_parts(self, layer: int, head: int) -> dict[str, FloatArray]:
        self._heads(layer, head)
        return {} if self._parts is None else self._parts(layer, head) or {}

    def weights_without_position(self, layer: int, head: int) -> FloatArray | None:
        if self.request.settings.special_tokens != "show":
            return None  # the softmax was over the tokens that are left out as well
        content = self.score_parts(layer, head).get(CONTENT)
        if content is None:
            return None
        mask = None if self._mask is None else torch.from_numpy(self._mask)
        without: FloatArray = masked_softmax(torch.from_numpy(content), mask).numpy()
        return without

    def part_names(self, layer: int) -> tuple[str, ...]:
        return tuple(self.score_parts(layer, 0))

    @property
    def has_scores(self) -> bool:
        return bool(self.part_names(0))

    def split_reason(self, layer: int) -> str | None:
        return self.parts_reason

    def content_part(self, layer: int) -> str | None:
        return CONTENT if CONTENT in self.part_names(layer) else None


def run_given(
    request: RunRequest, is_cancelled: Callable[[], bool], on_progress: Callable[[float], None]
) -> GivenResult:
    """Runs somebody else's model on the request's text, or reads somebody else's attention.

    Raises:
        PosencError: The folder or file cannot be used, or the text has no words.
        RunCancelled: ``is_cancelled`` said yes.
    """
    started = time.perf_counter()
    if request.masked:
        raise PosencError(
            f"Only trained weights of this program guess hidden words, not "
            f"{request.settings.source.title}.",
            "masked",
        )

    def check() -> None:
        if is_cancelled():
            raise RunCancelled

    source = request.settings.source
    assert source.path is not None
    if source.kind == "attention":
        from posenc_model.attention_file import read_attention_file

        file = read_attention_file(source.path)
        return _result(
            request,
            tokens=_tokens_of_words(file.tokens),
            attentions=file.attentions,
            title="attention" if file.title == source.path.stem else file.title,
            warnings=file.warnings,
            parts_reason="The file holds weights only, so there are no scores to take apart.",
            started=started,
        )
    from posenc_model.pretrained import model_info, open_model

    info = model_info(source.path)
    output = open_model(source.path).run(request.text, request.settings.special_tokens, check)
    on_progress(1.0)
    return _result(
        request,
        tokens=output.tokens,
        attentions=output.attentions,
        title=info.title.split(",")[0],
        warnings=output.warnings,
        parts_reason=info.parts_reason,
        started=started,
        hidden_states=output.hidden_states,
        parts=output.score_parts,
        mask=output.mask,
    )


def _tokens_of_words(words: Sequence[str]) -> tuple[Token, ...]:
    """Tokens with the places they would have in a text of these words."""
    tokens, start = [], 0
    for word in words:
        tokens.append(Token(word, start, start + len(word)))
        start += len(word) + 1
    return tuple(tokens)


def _result(
    request: RunRequest,
    *,
    tokens: tuple[Token, ...],
    attentions: FloatArray,
    title: str,
    warnings: tuple[str, ...],
    parts_reason: str | None,
    started: float,
    hidden_states: FloatArray | None = None,
    parts: Parts | None = None,
    mask: NDArray[np.bool_] | None = None,
) -> GivenResult:
    layers, heads, n, _ = attentions.shape
    overview = OverviewMaker(layers, heads, n)
    for layer in range(layers):
        overview.add(layer, torch.from_numpy(attentions[layer]), 0)
    path = request.settings.source.path
    assert path is not None
    return GivenResult(
        request=request,
        tokens=tokens,
        is_unknown=(False,) * n,
        num_layers=layers,
        num_heads=heads,
        encoding_title=title,
        weights_title=path.name,
        overview=overview.result(),
        keeps_attentions=True,
        seconds=time.perf_counter() - started,
        warnings=warnings,
        parts_reason=parts_reason,
        _attentions=attentions,
        _hidden_states=hidden_states,
        _parts=parts,
        _mask=mask,
    )
