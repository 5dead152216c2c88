"""The texts that explain settings, views, pictures, measures and words.

Each is a file in ``resources/explanations``, in a folder for its kind: two lines with the title and
the reference, an empty line, a short text in Markdown, a line ``---``, and a longer text. Links
name other texts: ``[query](words/query)``.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from posenc_model.resources import resource_folder

# The folders, in the order in which they are offered, and what their texts are about.
KINDS = {
    "views": "View",
    "settings": "Setting",
    "encodings": "Encoding",
    "matrices": "Matrix",
    "measures": "Measure",
    "words": "Word",
}

NO_REFERENCE = "none"


@dataclass(frozen=True)
class Explanation:
    """One text.

    Attributes:
        name: Folder and file: ``words/query``.
        title: What it is about.
        reference: Paper and section, or a sentence that begins with :data:`NO_REFERENCE`.
        short: One or two sentences, Markdown.
        more: The formula and what else there is to know, Markdown.
    """

    name: str
    title: str
    reference: str
    short: str
    more: str


def parse_explanation(name: str, source: str) -> Explanation:
    """Reads the text of a file.

    Raises:
        ValueError: The file lacks one of its parts.
    """
    head, _, body = source.partition("\n\n")
    short, line, more = body.partition("\n---\n")
    values = dict(row.split(": ", 1) for row in head.splitlines() if ": " in row)
    if not (short.strip() and line and more.strip() and {"title", "reference"} <= values.keys()):
        raise ValueError(f"{name}: title, reference, a short and a longer text are needed")
    return Explanation(name, values["title"], values["reference"], short.strip(), more.strip())


@functools.lru_cache(maxsize=1)
def explanations() -> Mapping[str, Explanation]:
    """All texts by name, in the order in which they are offered."""
    folder = resource_folder() / "explanations"
    found = {}
    for kind in KINDS:
        for path in sorted((folder / kind).glob("*.md")):
            name = f"{kind}/{path.stem}"
            found[name] = parse_explanation(name, _read(path))
    by_title = sorted(found, key=lambda name: _place(found[name]))
    return MappingProxyType({name: found[name] for name in by_title})


def _place(explanation: Explanation) -> tuple[int, str]:
    kind = explanation.name.partition("/")[0]
    return list(KINDS).index(kind), explanation.title.lower()


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")
