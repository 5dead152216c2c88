"""The picture of ``t5``: which distances share a bucket, and what each bucket adds."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel

from posenc_gui.figures.chart import spans_beyond, steps
from posenc_gui.figures.numbers import signed
from posenc_gui.views.encoding.bias import BiasPlot
from posenc_gui.views.encoding.picture import EncodingPicture, Shown, TitledPlot
from posenc_gui.views.encoding.plot import PointedPlot
from posenc_gui.views.encoding.what_if import WhatIf
from posenc_gui.views.encoding.wording import bucket_line, bucket_sentence
from posenc_model.encodings import EncodingInfo
from posenc_model.encodings.pictures import (
    BucketNumbers,
    buckets_by_distance,
    chosen_bias,
    distances_of_bucket,
)

REACHES = (200, 64, 20)
_MOST_BUCKETS = 128


def max_distance_values() -> list[int]:
    """Distances from 2 to 1,024, evenly spaced as logarithms where whole numbers allow."""
    return sorted({round(2 ** (step / 8)) for step in range(8, 81)})


class BucketPicture(EncodingPicture):
    """Buckets (Raffel et al. 2019, section 2.1), and where others would have their borders."""

    formula = (
        "score = q_i · k_j / √d + b[bucket(j − i), head], one table b for all layers.\n"
        "Of the buckets of one direction, the first half hold one distance each; from e of them "
        "on, bucket = e + ⌊w · ln(|j − i| / e) / ln(max / e)⌋, w the number of the others, and the "
        "last takes all that is left. Keys to the right have buckets of their own, half the number "
        "higher. Shaded distances share the last bucket of their side. A bucket that no text in "
        "training was long enough for keeps the number it began with."
    )

    def __init__(self, info: EncodingInfo) -> None:
        super().__init__(info.reference)
        self._numbers: BucketNumbers | None = None
        self.reach = REACHES[0]
        values = {"num_buckets": range(4, _MOST_BUCKETS + 1), "max_distance": max_distance_values()}
        self.what_if = WhatIf(info, values, "Use these")
        self.content.addWidget(self.what_if)
        self.reach_box = QComboBox()
        self.reach_box.setAccessibleName("Distances shown")
        self.reach_box.setToolTip("How far both plots go")
        for reach in REACHES:
            self.reach_box.addItem(f"±{reach}", reach)
        label = QLabel("&Distances")
        label.setBuddy(self.reach_box)
        self.what_if.add(label, self.reach_box)
        self.staircase = PointedPlot("distance (key − query)", "bucket", "Bucket by distance")
        self.bias = BiasPlot()
        plots = QHBoxLayout()
        plots.addWidget(TitledPlot("Which bucket a distance falls into", self.staircase), 1)
        plots.addWidget(TitledPlot("What each bucket adds to scores", self.bias), 1)
        self.content.addLayout(plots, 1)
        self.content.addWidget(self.fold)
        self.what_if.changed.connect(self._draw_staircase)
        self.what_if.setting_wanted.connect(self.setting_wanted)
        self.reach_box.currentIndexChanged.connect(self._on_reach_chosen)
        self.staircase.pointed.connect(partial(self._on_pointed, self.bias))
        self.bias.pointed.connect(partial(self._on_pointed, self.staircase))

    def show_shown(self, shown: Shown) -> None:
        assert isinstance(shown.numbers, BucketNumbers)
        self.shown = shown
        self._numbers = shown.numbers
        self.what_if.set_current(
            num_buckets=shown.numbers.buckets, max_distance=shown.numbers.max_distance
        )
        self._draw_staircase()
        self._draw_bias()
        self._read(None)

    @property
    def _wanted(self) -> tuple[int, int]:
        """The number of buckets and the maximum distance that the sliders are at."""
        return int(self.what_if.value("num_buckets")), int(self.what_if.value("max_distance"))

    @property
    def _current(self) -> tuple[int, int]:
        assert self._numbers is not None
        return self._numbers.buckets, self._numbers.max_distance

    def _distances(self) -> NDArray[np.int64]:
        return np.arange(-self.reach, self.reach + 1)

    @Slot()
    def _draw_staircase(self) -> None:
        if self._numbers is None:
            return
        distances = self._distances()
        now = buckets_by_distance(distances, *self._current)
        if not self.what_if.is_other:
            self.staircase.draw("what if", *steps(distances, now))
            self.staircase.erase("now")
            highest = int(now.max())
        else:
            self.staircase.draw("now", *steps(distances, now), "other")
            highest = int(now.max())
            if self.what_if.refusal:
                self.staircase.erase("what if")
            else:
                buckets = buckets_by_distance(distances, *self._wanted)
                self.staircase.draw("what if", *steps(distances, buckets))
                highest = max(highest, int(buckets.max()))
        self.staircase.show_range((-self.reach - 0.5, self.reach + 0.5), (0, highest))
        self._shade(self.staircase, self._current if self.what_if.refusal else self._wanted)
        self._read(None)

    def _draw_bias(self) -> None:
        numbers, shown = self._numbers, self.shown
        assert numbers is not None
        assert shown is not None
        distances = self._distances()
        bias = numbers.bias[buckets_by_distance(distances, *self._current)].T
        self.bias.show_bias(distances, bias, shown.head)
        self._shade(self.bias, self._current)
        for plot in (self.staircase, self.bias):
            distance = shown.distance
            plot.mark("pair", distance if abs(distance) <= self.reach else None)

    def _shade(self, plot: PointedPlot, options: tuple[int, int]) -> None:
        last, _ = distances_of_bucket(10**9, *options)
        plot.shade(spans_beyond(last, self.reach))

    @Slot()
    def _on_reach_chosen(self) -> None:
        self.reach = int(self.reach_box.currentData())
        self._draw_staircase()
        if self._numbers is not None:
            self._draw_bias()

    def _on_pointed(self, other: PointedPlot, spot: tuple[int, int] | None) -> None:
        other.show_pointed(spot)
        self._read(None if spot is None else spot[0])

    def _read(self, distance: int | None) -> None:
        """Says what a distance, or that of the pair, shares with others; and shades them."""
        shown, numbers = self.shown, self._numbers
        if shown is None or numbers is None:
            return
        is_other = self.what_if.is_other and not self.what_if.refusal
        options = self._wanted if is_other else self._current
        at = shown.distance if distance is None else distance
        first, last = distances_of_bucket(at, *options)
        bucket = int(buckets_by_distance(np.array([at]), *options)[0])
        self.sentence.setText(bucket_sentence(at, first, last))
        line = bucket_line(at, bucket, first, last)
        if distance is None:
            line = f"{shown.pair.rsplit(', ', 1)[0]}: {line}"
        now = int(buckets_by_distance(np.array([at]), *self._current)[0])
        value = float(chosen_bias(numbers.bias.T, shown.head)[now])
        added = f"adds {signed(value)} ({shown.where})"
        self.readout.setText(f"{line} · now {added}" if is_other else f"{line} · {added}")
        sign = -1 if at < 0 else 1
        ends = (sign * first, sign * (last if last is not None else self.reach + 1))
        span = (min(ends) - 0.5, max(ends) + 0.5) if distance is not None else None
        self.staircase.highlight(span)
        self.bias.highlight(span if not is_other else None)
