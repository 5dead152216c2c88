"""The registry of positional encodings.

An encoding is one file in this folder with a subclass of
:class:`~posenc_model.encodings.base.PositionalEncoding`, and one entry here. The entries hold what
forms and the command line need, and import no torch: the class is loaded when it is first used.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from posenc_model.errors import PosencError
from posenc_model.options import Choice, Option, Value

if TYPE_CHECKING:
    from posenc_model.encodings.base import PositionalEncoding


def _nothing_to_check(options: Mapping[str, Value]) -> None:
    """For encodings whose parameters are independent of each other."""


def _check_buckets(options: Mapping[str, Value]) -> None:
    """Refuses a maximum distance where the published bucket formula breaks down."""
    buckets, distance = int(options["num_buckets"]), int(options["max_distance"])
    if distance <= buckets / 4:
        raise PosencError(
            f"The maximum distance is {distance}, but with {buckets} buckets it has to be more "
            f"than {buckets / 4:g} (a quarter of the buckets).",
            "max_distance",
        )


def _nothing_alike(options: Mapping[str, Value], distance: int) -> tuple[int, int | None] | None:
    """For encodings that tell all distances apart, in principle."""
    return None


def _in_one_bucket(options: Mapping[str, Value], distance: int) -> tuple[int, int | None] | None:
    from posenc_model.encodings.pictures import distances_of_bucket

    buckets, longest = int(options["num_buckets"]), int(options["max_distance"])
    first, last = distances_of_bucket(distance, buckets, longest)
    return None if first == last else (first, last)


def _beyond_the_clip(options: Mapping[str, Value], distance: int) -> tuple[int, int | None] | None:
    clip = int(options["clip_distance"])
    return (clip, None) if abs(distance) >= clip else None


@dataclass(frozen=True)
class EncodingInfo:
    """What is known of an encoding without loading it.

    Attributes:
        name: Its name everywhere (``"t5"``).
        title: What a form shows.
        summary: One plain sentence on what it does.
        reference: Where it was published.
        class_path: ``module:class`` of the implementation.
        options: The parameters of its own.
        check: Raises a PosencError where values that are allowed singly do not go together.
        alike: The smallest and largest |distance| that the encoding cannot tell from a distance,
            given its parameters (the largest is ``None`` where there is none); ``None`` where it
            can tell them apart.
    """

    name: str
    title: str
    summary: str
    reference: str
    class_path: str
    options: tuple[Option, ...] = ()
    check: Callable[[Mapping[str, Value]], None] = _nothing_to_check
    alike: Callable[[Mapping[str, Value], int], tuple[int, int | None] | None] = _nothing_alike

    def load(self) -> type[PositionalEncoding]:
        module, _, name = self.class_path.partition(":")
        loaded: type[PositionalEncoding] = getattr(importlib.import_module(module), name)
        return loaded


_ALL = (
    EncodingInfo(
        name="t5",
        title="t5 · a learned bonus per distance",
        summary="Adds a learned number to each score that depends only on how far apart the two "
        "words are; far distances share one number.",
        reference="Raffel et al. 2019, arXiv:1910.10683, section 2.1",
        class_path="posenc_model.encodings.t5:BucketedBias",
        options=(
            Option(
                name="num_buckets",
                kind="int",
                default=32,
                minimum=4,
                maximum=512,
                label="Buckets",
                help="How many groups of distances there are; half of them look right.",
            ),
            Option(
                name="max_distance",
                kind="int",
                default=128,
                minimum=2,
                maximum=100_000,
                label="Maximum distance",
                help="From about this distance on, all distances share the last bucket.",
            ),
        ),
        check=_check_buckets,
        alike=_in_one_bucket,
    ),
    EncodingInfo(
        name="rel",
        title="rel · a learned vector per distance",
        summary="Each distance between two words has a vector that changes how strongly the "
        "query matches the key; distances beyond the clip share one vector.",
        reference="Shaw et al. 2018, arXiv:1803.02155, equations 3 to 5",
        class_path="posenc_model.encodings.shaw:RelativeVectors",
        alike=_beyond_the_clip,
        options=(
            Option(
                name="clip_distance",
                kind="int",
                default=16,
                minimum=1,
                maximum=512,
                label="Clip distance",
                help="Distances beyond this count as this distance.",
            ),
            Option(
                name="relative_values",
                kind="bool",
                default=True,
                label="Also in the values",
                help="Adds a vector per distance to what is passed on, too, as in the paper.",
            ),
        ),
    ),
    EncodingInfo(
        name="abs",
        title="abs · waves added to the words",
        summary="Adds a pattern of sine waves to each word that depends on its place in the "
        "text, once, before the first layer.",
        reference="Vaswani et al. 2017, arXiv:1706.03762, section 3.5",
        class_path="posenc_model.encodings.sinusoidal:Sinusoidal",
        options=(
            Option(
                name="base",
                kind="float",
                default=10_000.0,
                minimum=1.0,
                maximum=1e9,
                label="Base",
                help="The longest wave is about 2π times this many words long.",
            ),
        ),
    ),
    EncodingInfo(
        name="none",
        title="none · no position at all",
        summary="The control: the encoder sees a bag of words and cannot tell their order.",
        reference="Vaswani et al. 2017 without section 3.5",
        class_path="posenc_model.encodings.none:NoPosition",
    ),
)

ENCODINGS: dict[str, EncodingInfo] = {info.name: info for info in _ALL}


def encoding_choices() -> tuple[Choice, ...]:
    """The encodings as choices of an option."""
    return tuple(Choice(info.name, info.title, info.summary) for info in _ALL)
