"""The registry of the encodings' pictures: one file and one entry each."""

from __future__ import annotations

from collections.abc import Callable

from posenc_gui.views.encoding.bag import BagPicture
from posenc_gui.views.encoding.buckets import BucketPicture
from posenc_gui.views.encoding.picture import EncodingPicture
from posenc_gui.views.encoding.shaw import ShawPicture
from posenc_gui.views.encoding.sinusoids import SinusoidPicture
from posenc_model.encodings import EncodingInfo

# An encoding's name -> the class of its picture.
PICTURES: dict[str, Callable[[EncodingInfo], EncodingPicture]] = {
    "t5": BucketPicture,
    "rel": ShawPicture,
    "abs": SinusoidPicture,
    "none": BagPicture,
}
