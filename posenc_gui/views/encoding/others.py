"""The picture of somebody else's model or attention: what is known of its position."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from posenc_gui.figures.numbers import distance_words, signed
from posenc_gui.views.encoding.bias import BiasPlot
from posenc_gui.views.encoding.picture import EncodingPicture, Shown, TitledPlot
from posenc_model.encodings.pictures import NOT_BY_DISTANCE, Bias, bias_of, chosen_bias
from posenc_model.errors import PosencError

if TYPE_CHECKING:
    from posenc_model.result import RunResult

TASK = "encoding bias"


def known_of(result: RunResult) -> str:
    """What is known of the model or file, in a sentence."""
    try:
        return result.request.settings.source.summary
    except PosencError as error:  # its file is gone
        return error.sentence


class OthersPicture(EncodingPicture):
    """One sentence and, where scores are known in parts, the bias by distance."""

    def __init__(self) -> None:
        super().__init__()
        self._bias: Bias | None = None
        self.plot = BiasPlot()
        self.part = TitledPlot("What distance adds to scores", self.plot)
        self.content.addWidget(self.part, 1)
        self.content.addStretch(0)
        self.content.addWidget(self.fold)
        self.plot.pointed.connect(self._on_pointed)

    def show_shown(self, shown: Shown) -> None:
        self.shown = shown
        self.sentence.setText(known_of(shown.result))
        reason = shown.result.split_reason(shown.layer)
        has_bias = reason is None
        self.uses_heads = self.uses_pair = has_bias
        self.readout.setText("" if has_bias else reason or "")
        bias = self._bias
        if not has_bias:
            self.part.hide()
        elif bias is not None and (bias.result, bias.layer) == (shown.result, shown.layer):
            self._draw()
        else:
            self.part.hide()
            self._bias = None
            self.work_wanted.emit(TASK, partial(bias_of, shown.result, shown.layer))

    def take(self, name: str, given: object) -> None:
        shown = self.shown
        if name != TASK or not isinstance(given, Bias) or shown is None:
            return
        if (given.result, given.layer) == (shown.result, shown.layer):
            self._bias = given
            self._draw()

    def _draw(self) -> None:
        assert self._bias is not None
        assert self.shown is not None
        values = self._bias.values
        self.part.setVisible(values is not None)
        if values is None:
            self.readout.setText(NOT_BY_DISTANCE)
            return
        n = (values.shape[1] + 1) // 2
        self.plot.show_bias(np.arange(1 - n, n), values, self.shown.head)
        self.plot.mark("pair", self.shown.distance)
        self._on_pointed(None)

    def _on_pointed(self, spot: tuple[int, int] | None) -> None:
        shown, bias = self.shown, self._bias
        if shown is None or bias is None or bias.values is None:
            return
        distance = shown.distance if spot is None else spot[0]
        who = shown.pair if spot is None else f"distance {distance_words(distance)}"
        middle = bias.values.shape[1] // 2
        value = float(chosen_bias(bias.values, shown.head)[middle + distance])
        self.readout.setText(f"{who}: adds {signed(value)} to the score ({shown.where})")
