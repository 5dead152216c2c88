"""No position: the control."""

from __future__ import annotations

from posenc_model.encodings.base import PositionalEncoding


class NoPosition(PositionalEncoding):
    """Adds nothing, so that the encoder is permutation-equivariant.

    Shuffled words give the shuffled result.
    """
