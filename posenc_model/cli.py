"""The command line: settings by their names, one text in, numbers and files out."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from posenc_model import __version__
from posenc_model.encodings import ENCODINGS
from posenc_model.errors import PosencError
from posenc_model.exporters import DATA_EXPORTERS, Exporter, check_target, write_whole
from posenc_model.matrices import MATRIX, WEIGHTS
from posenc_model.options import Option
from posenc_model.request import MAX_TOKENS, MEAN_HEAD, RunRequest
from posenc_model.settings import SETTINGS, Settings
from posenc_model.terminal import (
    Parser,
    add,
    add_option,
    clear_line,
    let_any_terminal_print,
    print_error,
    printable,
    refuse_foreign,
    show_line,
    summaries,
)
from posenc_model.textfiles import read_text_file


@dataclass(frozen=True)
class Arguments:
    """What the command line asks for.

    Attributes:
        text: The text; ``None`` where the window is wanted.
        given: The settings that were named, by name; the others are left to their defaults.
        settings: All settings.
        layer: From 0.
        head: From 0, or ``MEAN_HEAD``.
        matrix: Which matrix of the head is exported, a name in ``MATRICES``.
        masked: Tokens, from 0, to be hidden and guessed.
        exports: Files to write.
    """

    text: str | None
    given: Mapping[str, object]
    settings: Settings
    layer: int
    head: int
    matrix: str
    masked: tuple[int, ...]
    exports: tuple[Path, ...]


def parse(argv: Sequence[str]) -> Arguments:
    """Reads the command line.

    Raises:
        PosencError: Something on it is not allowed.
        SystemExit: ``--help`` or ``--version`` was asked for.
    """
    let_any_terminal_print()
    named = vars(_make_parser().parse_args(argv))
    options = {option.name: option for option in _all_options()}
    given = {
        name: option.parse(named[name])
        for name, option in options.items()
        if named.get(name) is not None
    }
    chosen = str(given.get("positional_encoding", Settings().positional_encoding))
    refuse_foreign(given, [chosen], ENCODINGS, "encoding", "positional_encoding")
    settings = Settings.of(given)
    text = named["text"]
    if named["text_file"] is not None:
        if text is not None:
            raise PosencError("Give either --text or --text_file, not both.")
        text = read_text_file(Path(named["text_file"]))
    exports = tuple(Path(name) for name in named["export"])
    if exports and text is None and settings.source.kind == "attention":
        text = ""  # the words are in the file
    if exports and text is None:
        raise PosencError("--export needs a text: give --text or --text_file.")
    if text is None and named["mask"]:
        raise PosencError("--mask needs a text: give --text or --text_file.")
    if named["matrix"] is not None and not exports:
        raise PosencError("--matrix chooses what --export writes: add --export FILE.")
    return Arguments(
        text=text,
        given=given,
        settings=settings,
        layer=_from_one("layer", named["layer"], settings.num_layers),
        head=_head(named["head"]),
        matrix=str(MATRIX.parse(named["matrix"] or WEIGHTS)),
        masked=_masked(named["mask"]),
        exports=exports,
    )


def run_text(arguments: Arguments, pictures: Mapping[str, Exporter]) -> int:
    """Runs the encoder, prints the last hidden states and warnings, and writes the files.

    Args:
        arguments: With a text.
        pictures: Exporters beside those for data, by suffix.

    Returns:
        The exit code.

    Raises:
        PosencError: Something the user can put right.
    """
    exporters = {**DATA_EXPORTERS, **pictures}
    for path in arguments.exports:
        check_target(path)
        if path.suffix.lower() not in exporters:
            allowed = ", ".join(sorted(exporters))
            raise PosencError(f"The file name “{path.name}” has to end in one of {allowed}.")
    # Here, because torch takes seconds to load and a mistake should be told at once.
    from posenc_model.run import run

    result = run(
        RunRequest(0, arguments.text or "", arguments.settings, masked=arguments.masked),
        on_progress=_show_progress,
    )
    clear_line()
    for warning in result.warnings:
        print_error(f"Warning: {warning}")
    heads = result.num_heads
    if arguments.head >= heads:
        raise PosencError(
            f"head is {arguments.head + 1}, but has to be from 1 to {heads}, or mean."
        )
    # Before anything is printed: whoever reads the output may stop reading.
    for path in arguments.exports:
        render = exporters[path.suffix.lower()].render
        write_whole(path, render(result, arguments.layer, arguments.head, arguments.matrix))
    unknown = [
        t.text for t, is_unknown in zip(result.tokens, result.is_unknown, strict=True) if is_unknown
    ]
    print(f"Number of blocks: {result.num_layers}")
    print(f"Positional encoding: {result.encoding_title}")
    print(f"Weights: {result.weights_title}")
    print(f"Tokens ({len(result.tokens)}): {' | '.join(printable(t.text) for t in result.tokens)}")
    if unknown:
        print(f"Unknown, so zero vectors: {', '.join(map(printable, dict.fromkeys(unknown)))}")
    for guesses in result.guesses:
        likeliest = ", ".join(f"“{g.word}” {g.probability:.1%}" for g in guesses.likeliest)
        print(f"Token {guesses.index + 1}, hidden “{printable(guesses.word)}”: {likeliest}")
    last = result.last_hidden_state
    if last is not None:
        print(f"Last hidden states [{last.shape[0]}, {last.shape[1]}]:")
        print(np.array2string(last, precision=4, suppress_small=True, threshold=200))
    for path in arguments.exports:
        print(f"Written: {path}")
    return 0


def _all_options() -> list[Option]:
    return [*SETTINGS, *(option for info in ENCODINGS.values() for option in info.options)]


def _make_parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="posenc",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
        description="See what position does to attention. Without a text, opens the window;\n"
        "with one, runs the encoder without a display.\n\n"
        "“posenc train” trains encoders, “posenc lengths” asks them on longer sentences\n"
        "than they learned from; each has its own --help.",
        epilog='example:\n  posenc --text "The dog bites the man." --positional_encoding rel \\\n'
        "      --layer 1 --head 3 --export out.svg\n\n" + summaries("encodings", ENCODINGS),
    )
    parser.add_argument("--version", action="version", version=f"posenc {__version__}")
    text = parser.add_argument_group("text")
    text.add_argument("--text", metavar="TEXT", help="the text to run the encoder on")
    text.add_argument(
        "--mask",
        metavar="N,N",
        default="",
        help="hide these tokens, counted from 1, and print what trained weights guess for them",
    )
    add(text, "text_file", "FILE", "a text file to read it from (UTF-8, UTF-16 or Latin-1)")
    output = parser.add_argument_group("output")
    output.add_argument(
        "--layer", metavar="N", default="1", help="which layer to export, from 1 (1)"
    )
    output.add_argument(
        "--head", metavar="N", default="1", help="which head to export, from 1, or mean (1)"
    )
    add_option(output, MATRIX)
    output.add_argument(
        "--export",
        metavar="FILE",
        action="append",
        default=[],
        help="write the picture (.png, .svg) or the weights (.csv) to a file; repeatable",
    )
    model = parser.add_argument_group("encoder")
    for option in SETTINGS:
        add_option(model, option)
    for info in ENCODINGS.values():
        if info.options:
            group = parser.add_argument_group(f"only with --positional_encoding {info.name}")
            for option in info.options:
                add_option(group, option)
    return parser


def _from_one(name: str, text: str, highest: int) -> int:
    option = Option(name, "int", 1, name, "", minimum=1, maximum=highest)
    return int(option.parse(text)) - 1


def _masked(text: str) -> tuple[int, ...]:
    numbers = [number for number in text.split(",") if number.strip()]
    return tuple(sorted({_from_one("mask", number, MAX_TOKENS) for number in numbers}))


def _head(text: str) -> int:
    return MEAN_HEAD if text.strip().lower() == "mean" else _from_one("head", text, 64)


def _show_progress(share: float) -> None:
    show_line(f"{share:4.0%}")
