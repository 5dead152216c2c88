"""Somebody else's model, ready to run on a text. torch is imported when one is run."""

from __future__ import annotations

import inspect
import math
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from posenc_model.errors import PosencError, RunCancelled
from posenc_model.pretrained.folder import reason_of, refuse
from posenc_model.pretrained.info import ModelInfo
from posenc_model.pretrained.output import (
    RENORMALISE,
    SHOW,
    SPECIAL_TOKENS,
    FloatArray,
    ModelOutput,
    ScoreParts,
    without_special_tokens,
)
from posenc_model.pretrained.pieces import marks_of, shown_tokens, without_surrogates
from posenc_model.pretrained.quiet import quiet
from posenc_model.request import EMPTY, MEAN_HEAD
from posenc_model.tokenizers import Token

if TYPE_CHECKING:
    from torch import Tensor

    from posenc_model.pretrained.parts import PartsOf

MAX_ATTENTION_BYTES = 2**30

Check = Callable[[], None]


class PretrainedModel:
    """A model of transformers and its tokenizer. May be run in several threads at a time.

    Attributes:
        info: What is known of it.
    """

    def __init__(self, info: ModelInfo, model: Any, tokenizer: Any, parts: PartsOf | None) -> None:
        self.info = info
        self._model = model
        self._tokenizer = tokenizer
        self._parts = parts
        is_pair = getattr(model.config, "is_encoder_decoder", False) and parts is None
        self._encoder = model.get_encoder() if is_pair else model
        self._inputs = set(inspect.signature(self._encoder.forward).parameters)
        if not getattr(model.config, "type_vocab_size", 0):
            # GPT would take the kinds of its tokens for words, and add those to them.
            self._inputs.discard("token_type_ids")
        self._tokenizing = threading.Lock()  # cutting off changes the tokenizer
        self._run = threading.local()
        self._ask_between_layers()

    def run(
        self, text: str, special_tokens: str = SHOW, check: Check = lambda: None
    ) -> ModelOutput:
        """Runs the model on one text.

        Args:
            text: The text; one that is too long is cut off, with a warning.
            special_tokens: What becomes of the tokens that the tokenizer adds: ``"show"``,
                ``"drop"`` (left out), or ``"renormalise"`` (left out, and each row divided by what
                is left of it).
            check: Called between layers; what it raises ends the run.

        Raises:
            PosencError: There are no words in the text, or the model gives no attention.
            RunCancelled: ``check`` raised it.
        """
        if special_tokens not in SPECIAL_TOKENS:
            raise PosencError(
                f"special_tokens is {special_tokens!r}, but has to be one of "
                f"{', '.join(SPECIAL_TOKENS)}.",
                "special_tokens",
            )
        check()
        text = without_surrogates(text)
        with quiet():
            encoding, inputs, warnings = self._cut(text)
            check()
            attentions, hidden_states = self._computed(inputs, check)
        n = len(encoding.ids)
        output = ModelOutput(
            tokens=self._tokens(text, encoding),
            is_special=tuple(bool(flag) for flag in encoding.special_tokens_mask),
            attentions=attentions,
            hidden_states=hidden_states,
            warnings=warnings,
            score_parts=self._score_parts(hidden_states),
            mask=np.tri(n, dtype=np.bool_) if self.info.is_causal else None,
        )
        if special_tokens == SHOW:
            return output
        return without_special_tokens(output, renormalise=special_tokens == RENORMALISE)

    def _cut(self, text: str) -> tuple[Any, dict[str, Any], tuple[str, ...]]:
        """The text's encoding, what the model takes of it, and warnings."""
        with self._tokenizing:
            batch = self._tokenizer(text, return_special_tokens_mask=True)
            encoding = batch.encodings[0]
            words = len(encoding.ids) - sum(encoding.special_tokens_mask)
            if words == 0:
                sentence = EMPTY
                if text.strip():
                    sentence = "The model's tokenizer finds no words in this text."
                raise PosencError(sentence, "text")
            longest, why = self._longest()
            warnings: tuple[str, ...] = ()
            if len(encoding.ids) > longest:
                batch = self._tokenizer(text, truncation=True, max_length=longest)
                total, encoding = len(encoding.ids), batch.encodings[0]
                warnings = (
                    f"The text has {total:,} tokens, but {why}; the first "
                    f"{len(encoding.ids):,} are shown.",
                )
        if max(encoding.ids) >= self._model.get_input_embeddings().weight.shape[0]:
            raise refuse(
                f"The tokenizer gives “{encoding.tokens[int(np.argmax(encoding.ids))]}” the number "
                f"{max(encoding.ids):,}, but the model knows "
                f"{self._model.get_input_embeddings().weight.shape[0]:,} words; they do not belong "
                "together."
            )
        inputs = {name: batch[name] for name in batch if name in self._inputs}
        return encoding, inputs, warnings

    def _longest(self) -> tuple[int, str]:
        """How many tokens can be run, and why not more."""
        info = self.info
        in_memory = math.isqrt(MAX_ATTENTION_BYTES // (4 * info.num_layers * info.num_heads))
        if info.max_positions is not None and info.max_positions <= in_memory:
            return info.max_positions, f"the model takes {info.max_positions:,}"
        return in_memory, f"the weights of all heads fill {MAX_ATTENTION_BYTES // 2**30} GiB then"

    def _computed(self, inputs: dict[str, Any], check: Check) -> tuple[FloatArray, FloatArray]:
        """The weights [layers, heads, n, n] and the hidden states [layers + 1, n, D]."""
        output = self._forward(inputs, check)
        weights = list(getattr(output, "attentions", None) or ())
        hidden = list(getattr(output, "hidden_states", None) or ())
        del output
        n = len(inputs["input_ids"])
        layers, heads = self.info.num_layers, self.info.num_heads
        wanted = (1, heads, n, n)
        if [getattr(one, "shape", None) for one in weights] != [wanted] * layers or [
            tuple(one.shape[:2]) for one in hidden
        ] != [(1, n)] * (layers + 1):
            raise refuse(
                f"This model gives no weight for each pair of tokens in each of its {layers} × "
                f"{heads} heads, so there is nothing to show."
            )
        attentions = np.empty((layers, *wanted[1:]), dtype=np.float32)
        for layer in range(layers):
            attentions[layer] = weights.pop(0)[0].numpy()  # freed one by one
        hidden_states = np.stack([one[0].numpy() for one in hidden]).astype(np.float32, copy=False)
        if not (np.isfinite(attentions).all() and np.isfinite(hidden_states).all()):
            raise refuse(
                "The model gives numbers that are not finite; its weights are damaged, or do not "
                "belong to its config.json."
            )
        return attentions, hidden_states

    def _forward(self, inputs: dict[str, Any], check: Check) -> Any:
        import torch

        self._run.check = check
        try:
            with torch.inference_mode():
                return self._encoder(
                    **{name: torch.tensor([value]) for name, value in inputs.items()},
                    output_attentions=True,
                    output_hidden_states=True,
                    return_dict=True,
                )
        except (PosencError, RunCancelled):
            raise
        except Exception as error:
            # What goes wrong inside is a matter of the folder's configuration and weights.
            raise refuse(f"The model could not be run: {reason_of(error)}.") from error
        finally:
            self._run.check = None

    def _score_parts(self, hidden_states: FloatArray) -> ScoreParts:
        parts_of = self._parts

        def score_parts(layer: int, head: int) -> dict[str, FloatArray] | None:
            if parts_of is None:
                return None
            import torch

            with torch.inference_mode():
                content, position = parts_of(
                    self._model, layer, torch.from_numpy(hidden_states[layer])
                )
                return {"content": _of(content, head), "position": _of(position, head)}

        return score_parts

    def _tokens(self, text: str, encoding: Any) -> tuple[Token, ...]:
        added = self._tokenizer.added_tokens_decoder
        unknown = getattr(self._tokenizer, "unk_token_id", None)
        return shown_tokens(
            text,
            encoding.tokens,
            encoding.offsets,
            encoding.word_ids,
            [number in added or number == unknown for number in encoding.ids],
            [bool(flag) for flag in encoding.special_tokens_mask],
            marks_of(self._tokenizer.backend_tokenizer),
        )

    def _ask_between_layers(self) -> None:
        """Has the run's own ``check`` called before each layer.

        The hooks stay, so that runs in several threads do not take each other's away.
        """
        from torch import nn

        for module in self._encoder.modules():
            if isinstance(module, nn.ModuleList):
                for layer in module:
                    layer.register_forward_pre_hook(self._on_layer)

    def _on_layer(self, module: Any, inputs: Any) -> None:
        check = getattr(self._run, "check", None)
        if check is not None:
            check()


def _of(matrices: Tensor, head: int) -> FloatArray:
    """One head of some [h, n, n], or their mean."""
    array: FloatArray = (matrices.mean(0) if head == MEAN_HEAD else matrices[head]).numpy()
    return array
