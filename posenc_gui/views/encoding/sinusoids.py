"""The picture of ``abs``: waves over places, and how alike two places are."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from posenc_gui.figures.numbers import distance_words, signed
from posenc_gui.views.encoding.picture import EncodingPicture, Shown, TitledPlot
from posenc_gui.views.encoding.plot import PointedPlot
from posenc_gui.views.encoding.scale import ColorScale
from posenc_gui.views.encoding.what_if import WhatIf
from posenc_gui.views.encoding.wording import percent_signed, waves_sentence
from posenc_model.encodings import EncodingInfo
from posenc_model.encodings.pictures import (
    WaveNumbers,
    position_vectors,
    products_by_distance,
    wave_length,
)

PLACES = 100
REACH = 100
FIRST, ONE, LAST = 0, 25, 49
_STEPS_PER_DECADE = 20
_DECADES = 9


def base_values() -> list[float]:
    """Bases from 1 to a thousand million, evenly spaced as logarithms, three digits each."""
    powers = range(_DECADES * _STEPS_PER_DECADE + 1)
    return [float(f"{10 ** (power / _STEPS_PER_DECADE):.3g}") for power in powers]


class SinusoidPicture(EncodingPicture):
    """Waves (Vaswani et al. 2017, section 3.5), and what another base would make of them."""

    uses_heads = False
    formula = (
        "p(pos, 2k) = sin(pos / base^(2k/D)),  p(pos, 2k+1) = cos(pos / base^(2k/D)),  D the width "
        "of the encoder; p is added to the word before layer 1.\n"
        "p_i · p_j = Σ_k cos(ω_k (i − j)) with ω_k = base^(−2k/D): it depends on the distance "
        "only. Layer 1 sees p through W^Q and W^K, so its scores need not follow this curve.\n"
        "“Alike” is p_i · p_j as a share of p_i · p_i. Places are counted from 0, as in the paper."
    )

    def __init__(self, info: EncodingInfo) -> None:
        super().__init__(info.reference)
        self._numbers: WaveNumbers | None = None
        self.what_if = WhatIf(info, {"base": base_values()}, "Use this base")
        self.content.addWidget(self.what_if)
        self.waves = PointedPlot(
            "dimension", "place in the text (from 0)", "The waves", points_up=True
        )
        self.products = PointedPlot(
            "distance (key − query)", "p_i · p_j", "How alike two places are, by distance"
        )
        self.one = PointedPlot(
            "place in the text (from 0)", f"p_{ONE} · p_j", "One place against others"
        )
        self.scale = ColorScale("value")
        plots = QHBoxLayout()
        plots.addWidget(TitledPlot("The waves", self.waves, self.scale), 1)
        curves = QVBoxLayout()
        curves.addWidget(TitledPlot("How alike two places are, by distance", self.products))
        curves.addWidget(TitledPlot(f"Place {ONE} against places {FIRST} to {LAST}", self.one))
        plots.addLayout(curves, 1)
        self.content.addLayout(plots, 1)
        self.content.addWidget(self.fold)
        self.what_if.changed.connect(self._draw)
        self.what_if.setting_wanted.connect(self.setting_wanted)
        self.waves.pointed.connect(self._on_wave_pointed)
        self.products.pointed.connect(self._on_distance_pointed)
        self.one.pointed.connect(self._on_place_pointed)

    @property
    def base(self) -> float:
        """The base that is drawn."""
        return float(self.what_if.value("base"))

    def show_shown(self, shown: Shown) -> None:
        assert isinstance(shown.numbers, WaveNumbers)
        self.shown, before = shown, self._numbers
        numbers = self._numbers = shown.numbers
        if before is None or (before.width, before.base) != (numbers.width, numbers.base):
            self.what_if.set_current(base=numbers.base)
            self._draw()
        self._mark_pair()

    @Slot()
    def _draw(self) -> None:
        numbers = self._numbers
        if numbers is None:
            return
        width, base = numbers.width, self.base
        self.waves.show_image(position_vectors(PLACES, width, base), 0, 1.0)
        self.waves.show_range((-0.5, width - 0.5), (-0.5, PLACES - 0.5), downwards=True)
        distances = np.arange(-REACH, REACH + 1)
        self.products.show_range((-REACH, REACH), self._height(width, base))
        places = np.arange(FIRST, LAST + 1)
        self.one.show_range((FIRST, LAST), self._height(width, base))
        for plot, at, away in (
            (self.products, distances, distances),
            (self.one, places, places - ONE),
        ):
            plot.draw("what if", at, products_by_distance(away, width, base))
            if base == numbers.base:
                plot.erase("now")
            else:
                plot.draw("now", at, products_by_distance(away, width, numbers.base), "other")
        whole, next_, ten = products_by_distance(np.array([0, 1, 10]), width, base)
        whole = whole or 1.0
        self.sentence.setText(waves_sentence(next_ / whole, ten / whole, base))
        if self.shown is not None:
            self._read_pair()

    def _height(self, width: int, base: float) -> tuple[float, float]:
        assert self._numbers is not None
        away = np.arange(REACH + 1)
        drawn = (base, self._numbers.base)
        lowest = min(float(products_by_distance(away, width, one).min()) for one in drawn)
        return min(lowest, 0.0), max(width // 2, 1)

    def _mark_pair(self) -> None:
        shown = self.shown
        assert shown is not None
        places = (shown.query, shown.key)
        for name, place in zip(("query", "key"), places, strict=True):
            self.waves.mark(name, place if place < PLACES else None, is_across=False)
        distance = shown.distance
        self.products.mark("pair", distance if abs(distance) <= REACH else None)
        self._read_pair()

    def _read_pair(self) -> None:
        shown = self.shown
        assert shown is not None
        places = f"places {shown.query} and {shown.key}"
        self.readout.setText(f"{shown.pair}: {places}, alike to {self._alike(shown.distance)}")

    @Slot(object)
    def _on_distance_pointed(self, spot: tuple[int, int] | None) -> None:
        if spot is None:
            self._read_pair()
        else:
            alike = self._alike(spot[0])
            self.readout.setText(f"distance {distance_words(spot[0])}: alike to {alike}")

    @Slot(object)
    def _on_place_pointed(self, spot: tuple[int, int] | None) -> None:
        if spot is None:
            self._read_pair()
        else:
            alike = self._alike(spot[0] - ONE)
            self.readout.setText(f"places {ONE} and {spot[0]}: alike to {alike}")

    @Slot(object)
    def _on_wave_pointed(self, spot: tuple[int, int] | None) -> None:
        if spot is None:
            self._read_pair()
            return
        assert self._numbers is not None
        assert self.waves.values is not None
        dimension, place = spot
        length = wave_length(dimension, self._numbers.width, self.base)
        value = signed(float(self.waves.values[place, dimension]))
        which = "sine" if dimension % 2 == 0 else "cosine"
        self.readout.setText(
            f"place {place}, dimension {dimension}: {value}, of a {which} that repeats every "
            f"{length:,.4g} places"
        )

    def _alike(self, distance: int) -> str:
        assert self._numbers is not None
        width = self._numbers.width
        whole, product = products_by_distance(np.array([0, distance]), width, self.base)
        share = percent_signed(product / (whole or 1.0))
        return f"{share} (p_i · p_j = {product:.1f} of {whole:.0f})".replace("= -", "= −")
