"""The results that an export shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from posenc_model.exporters.spec import PICTURES, Spec

if TYPE_CHECKING:
    from posenc_model.result import RunResult

_USUAL = ("abs", "rel", "t5")


def compared_encodings(result: RunResult, spec: Spec, view: str) -> tuple[str, ...]:
    """The encodings that stand beside a result's own.

    Args:
        result: What is exported.
        spec: What of it.
        view: A name in ``PICTURES``, or ``""`` for a data file.
    """
    uses_others = not view or "compare" in PICTURES[view].uses
    if not uses_others:
        return ()
    named = spec.compare or (_USUAL if view == "compare" else ())
    return tuple(name for name in dict.fromkeys(named) if name != result.encoding_title)


def with_compared(
    result: RunResult,
    spec: Spec,
    view: str,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> tuple[RunResult, ...]:
    """A result, and after it the same text under the encodings that it is compared with.

    Args:
        result: What is exported.
        spec: What of it.
        view: A name in ``PICTURES``, or ``""`` for a data file.
        is_cancelled: Asked between small steps; once it says yes, the run ends.

    Raises:
        PosencError: One of them cannot be run on these weights.
        RunCancelled: ``is_cancelled`` said yes.
    """
    names = compared_encodings(result, spec, view)
    if not names:
        return (result,)
    from posenc_model.compare import run_encodings

    return (result, *run_encodings(result.request, names, is_cancelled))
