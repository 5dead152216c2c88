"""The picture of ``rel``: a layer's vectors by distance, and what they add to scores."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Slot
from PySide6.QtWidgets import QGridLayout

from posenc_gui.figures.chart import spans_beyond, steps
from posenc_gui.figures.labels import quoted
from posenc_gui.figures.numbers import distance_words, signed
from posenc_gui.views.encoding.picture import EncodingPicture, Shown, TitledPlot
from posenc_gui.views.encoding.plot import PointedPlot
from posenc_gui.views.encoding.scale import ColorScale
from posenc_gui.views.encoding.what_if import WhatIf
from posenc_gui.views.encoding.wording import vectors_sentence
from posenc_model.encodings import EncodingInfo
from posenc_model.encodings.pictures import VectorNumbers, clipped_rows

LEAST_REACH = 40
MOST_CLIP = 64
_DISTANCE = "distance (key − query)"


class ShawPicture(EncodingPicture):
    """Vectors by distance (Shaw et al. 2018), and which distances another clip would join."""

    formula = (
        "score = q_i · (k_j + a^K_c) / √d,  passed on = Σ_j weight_ij (v_j + a^V_c),  "
        "c = clip(j − i, −k, k).\n"
        "Each layer has a table a^K of 2k + 1 vectors of the width d of one head, and one a^V if "
        "it is switched on; all heads of the layer share them. Shaded distances share the vector "
        "of the clip distance."
    )

    def __init__(self, info: EncodingInfo) -> None:
        super().__init__(info.reference)
        self._numbers: VectorNumbers | None = None
        self._added: NDArray[np.float32] | None = None
        self.reach = LEAST_REACH
        name = "clip_distance"
        self.what_if = WhatIf(info, {name: range(1, MOST_CLIP + 1)}, "Use this clip distance")
        self.content.addWidget(self.what_if)
        self.keys = PointedPlot(_DISTANCE, "dimension", "Key vectors", points_up=True)
        self.values = PointedPlot(_DISTANCE, "dimension", "Value vectors", points_up=True)
        self.scores = PointedPlot(_DISTANCE, "adds to the score", "What distance adds to scores")
        self.key_scale, self.value_scale = ColorScale("value"), ColorScale("value")
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        self.value_part = TitledPlot("Value vectors a^V", self.values, self.value_scale)
        grid.addWidget(TitledPlot("Key vectors a^K", self.keys, self.key_scale), 0, 0)
        grid.addWidget(self.value_part, 1, 0)
        self.score_part = TitledPlot("", self.scores)
        grid.addWidget(self.score_part, 0, 1, 2, 1)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(1, 1)
        self.content.addLayout(grid, 1)
        self.content.addWidget(self.fold)
        self.what_if.changed.connect(self._draw)
        self.what_if.setting_wanted.connect(self.setting_wanted)
        self._plots = (self.keys, self.values, self.scores)
        for plot in self._plots:
            plot.pointed.connect(partial(self._on_pointed, plot))

    @property
    def clip(self) -> int:
        """The clip distance that is drawn."""
        return int(self.what_if.value("clip_distance"))

    def show_shown(self, shown: Shown) -> None:
        assert isinstance(shown.numbers, VectorNumbers)
        self.shown = shown
        self._numbers = shown.numbers
        clip = shown.numbers.clip
        self.reach = max(LEAST_REACH, clip + clip // 4)
        self.value_part.setVisible(shown.numbers.values is not None)
        self.what_if.set_current(clip_distance=clip)
        self._added = shown.result.added_by_distance(
            shown.layer, shown.head, shown.query, self.reach
        )
        who = quoted([token.text for token in shown.result.tokens], shown.query)
        self.score_part.heading.setText(f"Added to the scores of {who} (points: words of the text)")
        self._draw()

    @Slot()
    def _draw(self) -> None:
        numbers = self._numbers
        if numbers is None or self.shown is None:
            return
        reach, clip = self.reach, self.clip
        distances = np.arange(-reach, reach + 1)
        rows = clipped_rows(distances, min(clip, numbers.clip)) - min(clip, numbers.clip)
        rows += numbers.clip
        # What is farther than the table reaches would get vectors that nobody has drawn yet.
        is_known = np.abs(distances) <= (reach if clip <= numbers.clip else numbers.clip)
        ends = spans_beyond(clip, reach)
        for plot, scale, table in (
            (self.keys, self.key_scale, numbers.keys),
            (self.values, self.value_scale, numbers.values),
        ):
            if table is None:
                continue
            image = np.where(is_known[:, None], table[rows], np.nan).T
            largest = max(float(np.abs(table).max()), 1e-6)
            plot.show_image(image, -reach, largest)
            scale.show_largest(largest)
            plot.show_range((-reach - 0.5, reach + 0.5), (-0.5, len(image) - 0.5), downwards=True)
        self._draw_scores(distances, rows, is_known)
        for plot in self._plots:
            plot.shade(ends)
            plot.mark("pair", self.shown.distance if abs(self.shown.distance) <= reach else None)
        is_other = clip != numbers.clip
        self.sentence.setText(vectors_sentence(clip, is_what_if=is_other))
        self._read(None)

    def _draw_scores(
        self, distances: NDArray[np.int64], rows: NDArray[np.int64], is_known: NDArray[np.bool_]
    ) -> None:
        added, numbers, shown = self._added, self._numbers, self.shown
        assert added is not None
        assert numbers is not None
        assert shown is not None
        drawn = np.where(is_known, added[rows - numbers.clip + self.reach], np.nan)
        self.scores.draw("what if", *steps(distances, drawn))
        if self.clip == numbers.clip:
            self.scores.erase("now")
        else:
            self.scores.draw("now", *steps(distances, added), "other")
        there = distances + shown.query
        has_word = (there >= 0) & (there < len(shown.result.tokens))
        self.scores.draw("words", distances[has_word], drawn[has_word], "points")
        low, high = min(0.0, float(added.min())), max(0.0, float(added.max()))
        self.scores.show_range((-self.reach - 0.5, self.reach + 0.5), (low, high))

    def _on_pointed(self, plot: PointedPlot, spot: tuple[int, int] | None) -> None:
        for other in self._plots:
            if other is not plot:
                other.show_pointed(None if spot is None else (spot[0], 0))
        self._read(spot, plot)

    def _read(self, spot: tuple[int, int] | None, plot: PointedPlot | None = None) -> None:
        shown, added, numbers = self.shown, self._added, self._numbers
        if shown is None or added is None or numbers is None:
            return
        distance = shown.distance if spot is None else spot[0]
        if spot is not None and plot is not None and plot.values is not None:
            value = float(plot.values[spot[1], distance + self.reach])
            name = "key" if plot is self.keys else "value"
            said = f"{name} vector, dimension {spot[1]}: {signed(value)}"
            if not np.isfinite(value):
                said = f"no {name} vector yet"
            self.readout.setText(f"distance {distance_words(distance)}: {said}")
            return
        who = shown.pair if spot is None else f"distance {distance_words(distance)}"
        place = self.reach + max(-self.reach, min(distance, self.reach))
        said = f"adds {signed(float(added[place]))} to the score ({shown.where})"
        if spot is not None:
            there = shown.query + distance
            words = [token.text for token in shown.result.tokens]
            where = quoted(words, there) if 0 <= there < len(words) else "no word of this text"
            said += f" · {where} is there"
        if abs(distance) >= numbers.clip:
            side = distance_words(numbers.clip if distance > 0 else -numbers.clip)
            said += f" · shares the vector of {side}"
        self.readout.setText(f"{who}: {said}")
