"""The picture of ``rel``: a layer's vectors by distance, and what they add to scores."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Slot
from PySide6.QtWidgets import QGridLayout, QLabel

from posenc_gui.views.encoding.picture import EncodingPicture, Shown, titled
from posenc_gui.views.encoding.plot import PointedPlot, steps
from posenc_gui.views.encoding.scale import ColorScale
from posenc_gui.views.encoding.what_if import WhatIf
from posenc_gui.views.encoding.wording import vectors_sentence
from posenc_gui.views.wording import distance_words, quoted, signed
from posenc_model.encodings import EncodingInfo
from posenc_model.encodings.pictures import VectorNumbers, clipped_rows

LEAST_REACH = 40
_DISTANCE = "distance (key − query)"


class ShawPicture(EncodingPicture):
    """Vectors by distance (Shaw et al. 2018), and which distances another clip would join."""

    formula = (
        "score = q_i · (k_j + a^K_c) / √d,  passed on = Σ_j weight_ij (v_j + a^V_c),  "
        "c = clip(j − i, −k, k).\n"
        "Each layer has a table a^K of 2k + 1 vectors of the width d of one head, and one a^V if it "
        "is switched on; all heads of the layer share them. Shaded distances share the vector of "
        "the clip distance."
    )

    def __init__(self, info: EncodingInfo) -> None:
        super().__init__(info.reference)
        self._numbers: VectorNumbers | None = None
        self._added: NDArray[np.float32] | None = None
        self.reach = LEAST_REACH
        name = "clip_distance"
        self.what_if = WhatIf(info, {name: range(1, LEAST_REACH + 1)}, "Use this clip distance")
        self.content.addWidget(self.what_if)
        self.keys = PointedPlot(_DISTANCE, "dimension", "Key vectors", points_up=True)
        self.values = PointedPlot(_DISTANCE, "dimension", "Value vectors", points_up=True)
        self.scores = PointedPlot(_DISTANCE, "adds to the score", "What distance adds to scores")
        self.key_scale, self.value_scale = ColorScale("value"), ColorScale("value")
        self.score_title = QLabel()
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.addLayout(titled("Key vectors a^K", self.keys, self.key_scale, height=120), 0, 0)
        grid.addLayout(titled("Value vectors a^V", self.values, self.value_scale, height=120), 1, 0)
        scores = titled("What distance adds to the score of the query", self.scores)
        grid.addLayout(scores, 0, 1, 2, 1)
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
        self.what_if.set_current(clip_distance=clip)
        self._added = shown.result.added_by_distance(
            shown.layer, shown.head, shown.query, self.reach
        )
        self._draw()
