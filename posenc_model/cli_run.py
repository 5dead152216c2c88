"""One text on the command line: runs the encoder, prints the last hidden states, writes files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from posenc_model.cli import Arguments
from posenc_model.exporters import DATA_EXPORTERS, Exporter
from posenc_model.exporters.files import check_all_free, split_files, write_files
from posenc_model.request import RunRequest
from posenc_model.terminal import clear_line, print_error, printable, show_line

if TYPE_CHECKING:
    from posenc_model.result import RunResult


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
    known = (path for wish in arguments.wishes for path in wish.known_files())
    check_all_free(known, force=arguments.force)
    # Here, because torch takes seconds to load and a mistake should be told at once.
    from posenc_model.run import run

    result = run(
        RunRequest(0, arguments.text or "", arguments.settings, masked=arguments.masked),
        on_progress=_show_progress,
    )
    clear_line()
    for warning in result.warnings:
        print_error(f"Warning: {warning}")
    files = [one for wish in arguments.wishes for one in split_files(wish.path, wish.spec, result)]
    exporters = {**DATA_EXPORTERS, **pictures}
    # Before anything is printed: whoever reads the output may stop reading.
    written = list(write_files(result, files, arguments.look, exporters, force=arguments.force))
    for note in dict.fromkeys(note for one in written for note in one.notes):
        print_error(f"Note: {note}")
    for line in _lines(result):
        print(line)
    for one in written:
        print(f"Written: {one.path}")
    return 0


def _lines(result: RunResult) -> Iterable[str]:
    yield f"Number of blocks: {result.num_layers}"
    yield f"Positional encoding: {result.encoding_title}"
    yield f"Weights: {result.weights_title}"
    tokens = result.tokens
    yield f"Tokens ({len(tokens)}): {' | '.join(printable(token.text) for token in tokens)}"
    unknown = [
        t.text for t, is_unknown in zip(tokens, result.is_unknown, strict=True) if is_unknown
    ]
    if unknown:
        yield f"Unknown, so zero vectors: {', '.join(map(printable, dict.fromkeys(unknown)))}"
    for guesses in result.guesses:
        likeliest = ", ".join(f"“{g.word}” {g.probability:.1%}" for g in guesses.likeliest)
        yield f"Token {guesses.index + 1}, hidden “{printable(guesses.word)}”: {likeliest}"
    last = result.last_hidden_state
    if last is not None:
        yield f"Last hidden states [{last.shape[0]}, {last.shape[1]}]:"
        yield np.array2string(last, precision=4, suppress_small=True, threshold=200)


def _show_progress(share: float) -> None:
    show_line(f"{share:4.0%}")
