"""Many texts on the command line: the same files of each, in one process or several."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Generator, Iterable, Sequence
from pathlib import Path

from posenc_model.batch_line import Outcome, Task, export_line
from posenc_model.batch_pool import LoadPictures, side_by_side
from posenc_model.cli import Arguments
from posenc_model.errors import PosencError
from posenc_model.exporters import DATA_EXPORTERS, check_target
from posenc_model.terminal import clear_line, print_error, printable, show_line
from posenc_model.text_lists import Line, read_lines
from posenc_model.training.progress import in_words

INTERRUPTED = 130
_BAR = 20
_MOST_NUMBERS = 5


def run_batch(arguments: Arguments, load_pictures: LoadPictures) -> int:
    """Exports many texts, and says how it went; goes on after a text that fails.

    Args:
        arguments: With many texts.
        load_pictures: Gives the exporters beside those for data.

    Returns:
        The exit code: 1 where a text failed.

    Raises:
        PosencError: Something is wrong with all of them.
    """
    assert arguments.many is not None
    started = time.monotonic()
    path = arguments.many.path
    lines = read_lines(path, arguments.many.column)
    task = Task(
        settings=arguments.settings,
        masked=arguments.masked,
        wishes=arguments.wishes,
        look=arguments.look,
        force=arguments.force,
        stem=path.stem,
        digits=len(str(lines[-1].number)),
    )
    good = [line for line in lines if line.problem is None]
    _check_names(task, good)
    outcomes = [Outcome(line.number, failure=line.problem) for line in lines if line.problem]
    jobs = min(arguments.many.jobs, len(good))
    work = (
        side_by_side(task, good, load_pictures, jobs)
        if jobs > 1
        else _one_by_one(task, good, load_pictures)
    )
    progress = _Progress(len(lines), started)
    progress.show(outcomes)
    try:
        with contextlib.closing(work):
            for outcome in work:
                outcomes.append(outcome)
                progress.show(outcomes)
    except KeyboardInterrupt:
        clear_line()
        print_error(f"Stopped. {_summary(outcomes, len(lines), time.monotonic() - started)}")
        return INTERRUPTED
    clear_line()
    outcomes.sort(key=lambda outcome: outcome.number)
    _print_notes(outcomes)
    print(_summary(outcomes, len(lines), time.monotonic() - started))
    failed = [outcome for outcome in outcomes if outcome.failure is not None]
    for outcome in failed:
        print(f"line {outcome.number}: {printable(outcome.failure or '')}")
    return 1 if failed else 0


def _check_names(task: Task, lines: Sequence[Line]) -> None:
    """Refuses a pattern that gives two texts one name, or leads to a folder that there is not."""
    seen: dict[Path, int] = {}
    for wish in task.wishes:
        if "{" not in str(wish.path.parent):
            check_target(wish.path)
    for line in lines:
        for wish in task.wishes:
            name = task.name(line, wish)
            if name in seen:
                other = seen[name]
                who = (
                    f"Lines {other} and {line.number} would both"
                    if other != line.number
                    else f"Line {line.number} would twice"
                )
                raise PosencError(
                    f"{who} be written to “{name}”; tell them apart in the name, "
                    "with {number} for instance.",
                    "export",
                )
            seen[name] = line.number


def _one_by_one(
    task: Task, lines: Iterable[Line], load_pictures: LoadPictures
) -> Generator[Outcome, None, None]:
    exporters = {**DATA_EXPORTERS, **load_pictures()}
    for line in lines:
        yield export_line(task, line, exporters)


class _Progress:
    """A line that changes where somebody watches."""

    def __init__(self, total: int, started: float) -> None:
        self._total = total
        self._started = started

    def show(self, outcomes: Sequence[Outcome]) -> None:
        done, total = len(outcomes), self._total
        failed = sum(outcome.failure is not None for outcome in outcomes)
        left = (time.monotonic() - self._started) / max(1, done) * (total - done)
        bar = f"{'#' * (_BAR * done // total):{_BAR}}"
        also = f", {failed:,} failed" if failed else ""
        also += f", {in_words(left)} left" if done else ""
        show_line(f"[{bar}] {done:,} of {total:,} texts{also}")


def _summary(outcomes: Sequence[Outcome], total: int, seconds: float) -> str:
    files = sum(outcome.files for outcome in outcomes)
    whole = sum(outcome.failure is None for outcome in outcomes)
    failed = len(outcomes) - whole
    of_all = f"{whole:,} of {total:,}" if whole < total else f"{total:,}"
    end = f"; {failed:,} failed:" if failed else "."
    return (
        f"Written: {files:,} {'file' if files == 1 else 'files'} for {of_all} "
        f"{'text' if total == 1 else 'texts'} in {in_words(seconds)}{end}"
    )


def _print_notes(outcomes: Iterable[Outcome]) -> None:
    """Says each thing once, and of which lines."""
    numbers: dict[str, list[int]] = {}
    for outcome in outcomes:
        for note in outcome.notes:
            numbers.setdefault(note, []).append(outcome.number)
    for note, lines in numbers.items():
        named = ", ".join(map(str, lines[:_MOST_NUMBERS]))
        more = f" and {len(lines) - _MOST_NUMBERS:,} more" if len(lines) > _MOST_NUMBERS else ""
        print_error(f"{note} ({'line' if len(lines) == 1 else 'lines'} {named}{more})")
