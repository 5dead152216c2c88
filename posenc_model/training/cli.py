"""``posenc train``: trains encoders on the command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from posenc_model.encodings import ENCODINGS
from posenc_model.errors import PosencError
from posenc_model.options import Option
from posenc_model.training import TASKS
from posenc_model.training.settings import TRAINING_SETTINGS, TrainingSettings


def options() -> dict[str, Option]:
    """Every option of a training by name, those of encodings and tasks among them."""
    every = [
        *TRAINING_SETTINGS,
        *(option for info in ENCODINGS.values() for option in info.options),
        *(option for task in TASKS.values() for option in task.options),
    ]
    return {option.name: option for option in every}


def settings_for_each(
    values: dict[str, object], encodings: Sequence[str]
) -> list[TrainingSettings]:
    """The settings of each encoding; an encoding's own parameters are left out for the others."""
    own = {name: {o.name for o in info.options} for name, info in ENCODINGS.items()}
    foreign = set().union(*own.values())
    for name in foreign & set(values):
        if not any(name in own[encoding] for encoding in encodings):
            raise PosencError(f"{name} does not belong to {', '.join(encodings)}.", name)
    return [
        TrainingSettings.of(
            {
                **{k: v for k, v in values.items() if k not in foreign or k in own[encoding]},
                "positional_encoding": encoding,
            }
        )
        for encoding in encodings
    ]


def train(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="posenc train", allow_abbrev=False)
    for name, option in options().items():
        parser.add_argument(f"--{name}", help=option.help)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--resume", action="store_true")
    named = vars(parser.parse_args(argv))
    folder, resume = named.pop("folder"), named.pop("resume")
    encodings = (named.pop("positional_encoding") or "t5").split(",")
    values: dict[str, object] = {
        k: options()[k].parse(v) for k, v in named.items() if v is not None
    }
    settings = settings_for_each(values, encodings)
    from posenc_model.training.session import Session

    session = Session(settings, folder, resume)
    while session.share_done < 1:
        steps = session.round()
        if steps[0][1].number % 100 == 0:
            shown = " · ".join(
                f"{session.runs[i].name} loss {step.loss:.3f} acc {step.accuracy:.2f}"
                for i, step in steps
            )
            print(
                f"{session.share_done:4.0%} step {steps[0][1].number}: {shown}; "
                f"{session.seconds_left or 0:.0f} s left",
                file=sys.stderr,
                flush=True,
            )
    for run in session.runs:
        loss, accuracy = run.trainer.evaluate(session.task.held_out())
        print(f"{run.name}: held-out loss {loss:.3f}, accuracy {accuracy:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(train(sys.argv[1:]))
