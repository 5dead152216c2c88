"""For the tests of training: settings so small that a step takes a millisecond."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from posenc_model.training.settings import TrainingSettings

MakeSettings = Callable[..., TrainingSettings]

# Sentences of three to six words; every word says which document it stands in.
DOCUMENTS = [
    [
        [f"w{number}x{place}" for place in range(3 + (number + line) % 4)] + ["."]
        for line in range(3)
    ]
    for number in range(60)
]


@pytest.fixture
def make_settings() -> MakeSettings:
    """Settings of width 8 with 2 heads and few words a step, unless told otherwise."""

    def make(**values: Any) -> TrainingSettings:
        own = {"width": 8, "num_heads": 2, "num_layers": 1, "batch_tokens": 64, "steps": 20}
        return TrainingSettings.of({**own, **values})

    return make


@pytest.fixture
def text_file(tmp_path: Path) -> Path:
    """Sixty documents of three sentences, a line each."""
    path = tmp_path / "documents.txt"
    texts = ("\n".join(" ".join(line) for line in document) for document in DOCUMENTS)
    path.write_text("\n\n".join(texts) + "\n", encoding="utf-8")
    return path
