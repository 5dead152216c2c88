"""What is to be trained, and what a folder holds of an earlier training. Imports no torch."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from posenc_model.encodings import ENCODINGS
from posenc_model.errors import PosencError
from posenc_model.training.folders import checkpoints_in
from posenc_model.training.settings import TrainingSettings

# As posenc_model.training.session names it, which imports torch.
_RESULTS_NAME = "results.json"


@dataclass(frozen=True)
class Plan:
    """A training that is asked for.

    Attributes:
        settings: One for each encoding; all have the same task and sizes.
        folder: Where checkpoints go; ``None``: nowhere.
        resume: Whether to go on from the checkpoints in ``folder``.
    """

    settings: tuple[TrainingSettings, ...]
    folder: Path | None = None
    resume: bool = False


@dataclass(frozen=True)
class SavedTraining:
    """What a folder holds of an earlier training.

    Attributes:
        settings: What was trained; empty where the folder does not say so readably.
        steps: How many steps of it had been made.
    """

    settings: tuple[TrainingSettings, ...]
    steps: int

    @classmethod
    def find(cls, folder: Path) -> SavedTraining | None:
        """The training that ``folder`` has checkpoints of; ``None`` where there are none."""
        try:
            if not any(checkpoints_in(folder, name) for name in ENCODINGS):
                return None
            runs = json.loads((folder / _RESULTS_NAME).read_text(encoding="utf-8"))
            settings = tuple(TrainingSettings.of(run["settings"]) for run in runs)
            return cls(settings, min((int(run["steps"]) for run in runs), default=0))
        except FileNotFoundError:
            return cls((), 0) if folder.is_dir() else None
        except OSError:
            return None
        except (ValueError, KeyError, TypeError, PosencError):
            return cls((), 0)

    @property
    def sentence(self) -> str:
        """What was found, in words."""
        if not self.settings:
            return "The folder holds checkpoints. “Resume” goes on with the settings above."
        names = ", ".join(one.positional_encoding for one in self.settings)
        first = self.settings[0]
        return (
            f"The folder holds a training: {first.task} with {names}, "
            f"{self.steps:,} of {first.steps:,} steps made."
        )
