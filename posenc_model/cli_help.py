"""What the command line offers: its options in groups, as ``--help`` shows them."""

from __future__ import annotations

import argparse

from posenc_model import __version__
from posenc_model.encodings import ENCODINGS
from posenc_model.exporters.look import LOOK_OPTIONS, PRESETS
from posenc_model.exporters.names import FIELDS
from posenc_model.exporters.spec import ARRANGE, PICTURES, REACH, TABLE, THRESHOLD, VIEW
from posenc_model.matrices import MATRIX
from posenc_model.options import Option
from posenc_model.settings import SETTINGS
from posenc_model.terminal import Parser, add, add_flag, add_option, summaries

# What ``--size`` says in their place.
SIZES = ("width_mm", "height_mm")
LOOKS: tuple[Option, ...] = tuple(o for o in LOOK_OPTIONS if o.name not in SIZES)
# Of what is exported, those with values of their own; the others are read by ``Spec``.
CHOICES: tuple[Option, ...] = (VIEW, ARRANGE, MATRIX, THRESHOLD, REACH, TABLE)
SPEC_NAMES = (
    "view",
    "layers",
    "heads",
    "arrange",
    "matrix",
    "tokens",
    "cell",
    "compare",
    "threshold",
    "reach",
    "table",
)

_EXAMPLES = """examples:
  posenc --text "The dog bites the man." --positional_encoding rel \\
      --layer 1 --head 3 --export out.svg
  posenc --text "The dog bites the man." --weights trained --view overview \\
      --size single --export out.pdf
  posenc --input texts.txt --compare abs,rel --export "{number}.png" --jobs 4
  posenc --from out.svg --theme dark --export dark.png

"""


def settings_options() -> list[Option]:
    """All settings, the encodings' own parameters among them."""
    return [*SETTINGS, *(option for info in ENCODINGS.values() for option in info.options)]


def make_parser() -> argparse.ArgumentParser:
    """The parser of the command line without a command; all values are left as they are typed."""
    parser = Parser(
        prog="posenc",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
        usage="posenc [options]",
        description="See what position does to attention. Without a text, opens the window;\n"
        "with one, or with many, runs the encoder without a display.\n\n"
        "“posenc train” trains encoders, “posenc lengths” asks them on longer sentences\n"
        "than they learned from; each has its own --help.",
        epilog=_EXAMPLES
        + summaries("pictures (--view)", PICTURES)
        + "\n\n"
        + summaries("encodings", ENCODINGS),
    )
    parser.add_argument("--version", action="version", version=f"posenc {__version__}")
    _add_text(parser.add_argument_group("text"))
    _add_many(parser.add_argument_group("many texts"))
    _add_files(parser.add_argument_group("files"))
    _add_spec(parser.add_argument_group("what is exported"))
    _add_look(parser.add_argument_group("how pictures look"))
    encoder = parser.add_argument_group("encoder")
    for option in SETTINGS:
        add_option(encoder, option)
    for info in ENCODINGS.values():
        if info.options:
            group = parser.add_argument_group(f"only with --positional_encoding {info.name}")
            for option in info.options:
                add_option(group, option)
    return parser


def _add_text(group: argparse._ArgumentGroup) -> None:
    add(group, "text", "TEXT", "the text to run the encoder on")
    add(group, "text_file", "FILE", "a text file to read it from (UTF-8, UTF-16 or Latin-1)")
    add(
        group,
        "from",
        "FILE",
        "a picture or data file that this program has saved: take text, settings and all else from "
        "it, apart from what is given here; without --text and --export, opens the window so",
    )
    add(
        group,
        "mask",
        "N,N",
        "hide these tokens, counted from 1, and print what trained weights guess for them",
    )


def _add_many(group: argparse._ArgumentGroup) -> None:
    add(
        group,
        "input",
        "FILE",
        "a file of texts: one a line, or a table (.csv, .tsv) with a header, or JSON lines "
        "(.jsonl, .ndjson); each becomes the files that --export names",
    )
    add(group, "column", "NAME", "which column or key has the texts (the only one, or text)")
    add(group, "jobs", "N", "how many texts are worked on at a time (1)")


def _add_files(group: argparse._ArgumentGroup) -> None:
    fields = ", ".join(f"{{{field}}}" for field in FIELDS)
    add(
        group,
        "export",
        "FILE",
        "write a picture (.png, .svg, .pdf, .tiff), a page of all heads (.html) or the numbers "
        "(.csv, .json, .npz); repeatable. "
        f"With --input a pattern with {fields}",
        repeatable=True,
    )
    add(group, "format", "ENDING,…", "endings for each --export that has none: png,svg")
    add_flag(group, "force", "replace files that exist")


def _add_spec(group: argparse._ArgumentGroup) -> None:
    add_option(group, VIEW)
    all_or_one = "(1; all where a file takes all of them)"
    add(group, "layers", "N", f"which layers: 3, 1-4,7 or all {all_or_one}", also=("layer",))
    add(group, "heads", "N", f"which heads: 3, 1-4,7, all or mean {all_or_one}", also=("head",))
    add_flag(group, "all_heads", "the same as --layers all --heads all")
    add_option(group, ARRANGE)
    add_option(group, MATRIX)
    add(group, "tokens", "N", "which tokens are shown: 1-20 (all)")
    add(group, "cell", "Q,K", "the token that looks and the one that is looked at, from 1: 5,2")
    add(
        group,
        "compare",
        "NAME,…",
        "encodings beside the chosen one: abs,rel; a picture is --view compare then",
    )
    for option in (THRESHOLD, REACH, TABLE):
        add_option(group, option)


def _add_look(group: argparse._ArgumentGroup) -> None:
    sizes = ", ".join(PRESETS)
    add(group, "size", "SIZE", f"{sizes}, or in mm, cm, in, pt or px: 85mm, 85x60mm (160mm)")
    for option in LOOKS:
        add_option(group, option)
