"""Makes the pictures of the gallery and its page, all through the command line.

Run it from the repository: ``python docs/gallery/make.py``.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
MAIN = HERE.parents[1] / "main.py"

_DOG = '--text "The old man opened the door and saw that the dog was gone."'
_TRAINED = f"{_DOG} --weights trained"


@dataclass(frozen=True)
class Picture:
    """One picture: what its file is called, what it shows, and how it is made."""

    stem: str
    words: str
    options: str


PICTURES = (
    Picture(
        "matrix",
        "One head of the trained t5 encoder, for a single column of a paper.",
        f"{_TRAINED} --layer 1 --head 4 --size single",
    ),
    Picture(
        "numbers",
        "A short sentence with its weights in the cells.",
        '--text "The dog bites the man." --weights trained --layer 2 --head 3 --size single '
        "--numbers true --color_map blues",
    ),
    Picture(
        "overview",
        "All 96 heads of a random encoder with rel.",
        f"{_DOG} --positional_encoding rel --view overview --all-heads --size 120mm",
    ),
    Picture(
        "heads",
        "The eight heads of a layer as small multiples, on dark.",
        f"{_TRAINED} --layer 2 --heads all --size double --theme dark",
    ),
    Picture(
        "compare",
        "The same head under three encodings and what each changes. Random weights are shared, so "
        "only the encoding differs.",
        f"{_DOG} --compare abs,rel --layer 1 --head 2 --size double",
    ),
    Picture(
        "why",
        "Why “saw” looks at “that”: its score in parts, and its row after the softmax.",
        f"{_TRAINED} --view why --cell 8,9 --layer 1 --head 4 --size 110mm",
    ),
    Picture(
        "position",
        "What position alone adds to the scores of a head.",
        f"{_TRAINED} --matrix position --layer 1 --head 4 --size single",
    ),
    Picture(
        "encoding-t5",
        "The buckets of t5, and what each adds.",
        f"{_TRAINED} --view encoding --head 4 --size double",
    ),
    Picture(
        "encoding-abs",
        "The sinusoids of abs.",
        f"{_DOG} --positional_encoding abs --view encoding --size double",
    ),
    Picture(
        "encoding-rel",
        "The vectors of rel, and what each distance adds to the score of a word.",
        f"{_TRAINED} --positional_encoding rel --view encoding --head 2 --size double",
    ),
    Picture(
        "profile",
        "How far a head looks, with and without position.",
        f"{_TRAINED} --view profile --layer 1 --head 4 --size single",
    ),
    Picture(
        "lines",
        "Two heads as lines.",
        f"{_TRAINED} --view lines --layer 1 --heads 4,8 --size 110mm --threshold 0.2",
    ),
    Picture(
        "scripts",
        "Words in many scripts, from right to left where they are.",
        '--text "hello 她们 مرحبا שלום नमस्ते สวัสดี 👩\u200d💻 &amp; <b>a</b>" --num_layers 2 '
        "--nlp_pipeline whitespace --size single",
    ),
)

PAGE = """# Gallery

Each picture was made by the command beneath it; `make.py` in this folder runs them all. Every file
carries its text, its settings and its command: `posenc --from matrix.png` opens the program in the
state that the picture shows.
"""


def main() -> int:
    """Makes all pictures; returns the exit code."""
    page = PAGE
    for picture in PICTURES:
        name = f"{picture.stem}.png"
        print(name, flush=True)
        options = f"{picture.options} --dpi 144 --export"
        command = [sys.executable, str(MAIN), *shlex.split(options), str(HERE / name), "--force"]
        code = subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode
        if code != 0:
            return code
        page += f"\n## {picture.words}\n\n![{picture.words}]({name})\n\n"
        page += f"    posenc {options} {name}\n"
    (HERE / "README.md").write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
