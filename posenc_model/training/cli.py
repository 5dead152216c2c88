"""``posenc train`` and ``posenc lengths``: training on the command line.

Imports no torch before everything that was typed is known to be right.
"""

from __future__ import annotations

import argparse
import csv
import io
import signal
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from posenc_model.config import POSITIONAL_ENCODING
from posenc_model.encodings import ENCODINGS
from posenc_model.errors import PosencError
from posenc_model.exporters import check_target, write_whole
from posenc_model.options import Option, Value
from posenc_model.terminal import (
    Parser,
    add,
    add_option,
    clear_line,
    let_any_terminal_print,
    plain_value,
    print_error,
    refuse_foreign,
    show_line,
    summaries,
)
from posenc_model.training import TASKS
from posenc_model.training.folders import checkpoints_in, prepare_folder
from posenc_model.training.lengths import (
    LENGTHS,
    accuracy_at,
    describe_lengths,
    percent,
    refuse_texts,
)
from posenc_model.training.progress import Progress
from posenc_model.training.settings import TASK, TRAINING_SETTINGS, TrainingSettings
from posenc_model.training.tasks import LetterTask

if TYPE_CHECKING:
    from posenc_model.training.session import Run, Session

TRAIN, TEST_LENGTHS = "train", "lengths"
INTERRUPTED = 130
# Steps of up to so many numbers are made on one core: several would wait for each other, a hundred
# times as long as they compute where something else runs beside them.
_LENGTH = Option("lengths", "int", LENGTHS[0], "Lengths", "", minimum=1, maximum=4096)
_SEVERAL = replace(
    POSITIONAL_ENCODING,
    help=f"{POSITIONAL_ENCODING.help[:-1]}; several, with commas between, learn side by side.",
)
_DESCRIPTIONS = {
    TRAIN: "Trains small encoders and says how well they learned. Several encodings learn\n"
    "side by side from the same sentences and start from the same weights.",
    TEST_LENGTHS: "Trains encoders on short sentences, as “posenc train” does, and asks them on\n"
    "longer ones: which encodings carry over to lengths that they never saw?",
}
_EXAMPLES = {
    TRAIN: """examples:
  posenc train --task reverse --positional_encoding abs,rel
  posenc train --task masked --text_file book.txt --folder book-encoder
  posenc train --task masked --text_file book.txt --folder book-encoder --resume

Ctrl+C ends a training early; with --folder it can be resumed.""",
    TEST_LENGTHS: """examples:
  posenc lengths
  posenc lengths --positional_encoding abs,rel --lengths 20,30 --export out.csv

With --folder and --resume, encoders that have learned already are only asked.""",
}


@dataclass(frozen=True)
class Arguments:
    """What the command line asks for.

    Attributes:
        settings: One for each encoding; they differ in nothing else.
        folder: Where checkpoints go.
        resume: Whether to go on from those in it.
        lengths: How long the sentences are that are asked after training, rising; empty for a
            training alone.
        export: A file for the accuracies at these lengths.
    """

    settings: tuple[TrainingSettings, ...]
    folder: Path | None = None
    resume: bool = False
    lengths: tuple[int, ...] = ()
    export: Path | None = None


def train(argv: Sequence[str]) -> int:
    """Runs ``posenc train``; gives the exit code.

    Raises:
        PosencError: Something the user can put right.
    """
    arguments = parse(argv, TRAIN)
    session = _trained(arguments)
    if session is None:
        return INTERRUPTED
    rows = [_learned(session, run) for run in session.runs]
    clear_line()
    print("On sentences that were never learned from:")
    _print_table(["encoding", "steps", "loss", "accuracy", "seconds", "tokens/s"], rows)
    if arguments.folder is not None:
        print(f"Checkpoints: {arguments.folder}")
        for path in session.encoders():
            print(f"Encoder: {path} (open it with --weights)")
    return 0


def lengths(argv: Sequence[str]) -> int:
    """Runs ``posenc lengths``; gives the exit code.

    Raises:
        PosencError: Something the user can put right.
    """
    arguments = parse(argv, TEST_LENGTHS)
    session = _trained(arguments)
    if session is None:
        return INTERRUPTED
    results = {}
    for run in session.runs:
        show_line(f"asking {run.name} …")
        results[run.name] = accuracy_at(run.trainer, arguments.lengths)
    clear_line()
    # Before anything is printed: whoever reads the output may stop reading.
    if arguments.export is not None:
        write_whole(arguments.export, _lengths_file(results))
    print("Words named rightly, by the length of the sentence:")
    rows = [[name, *map(percent, shares.values())] for name, shares in results.items()]
    _print_table(["encoding", *map(str, arguments.lengths)], rows)
    print(f"\n{describe_lengths(results, arguments.settings[0].max_length)}")
    if arguments.export is not None:
        print(f"Written: {arguments.export}")
    return 0


COMMANDS = {TRAIN: train, TEST_LENGTHS: lengths}


def parse(argv: Sequence[str], command: str) -> Arguments:
    """Reads the command line after the command's own word.

    Raises:
        PosencError: Something on it is not allowed.
        SystemExit: ``--help`` was asked for.
    """
    let_any_terminal_print()
    named = vars(_make_parser(command).parse_args(argv))
    typed = named["positional_encoding"]
    chosen = _default_encodings(command) if typed is None else _encodings(typed)
    given = {
        option.name: option.parse(named[option.name])
        for option in _all_options()
        if option is not POSITIONAL_ENCODING and named.get(option.name) is not None
    }
    refuse_foreign(given, chosen, ENCODINGS, "encoding", "positional_encoding")
    task = str(given.get("task", TASK.default))
    refuse_foreign(given, [task], TASKS, "task", "task")
    if named["resume"] and named["folder"] is None:
        raise PosencError("--resume needs the folder to go on from: give --folder.", "folder")
    arguments = Arguments(
        settings=settings_for_each(given, chosen),
        folder=None if named["folder"] is None else Path(named["folder"]),
        resume=named["resume"],
    )
    if command == TEST_LENGTHS:
        arguments = replace(
            arguments,
            lengths=_lengths(named["lengths"]),
            export=None if named["export"] is None else Path(named["export"]),
        )
    return arguments


def settings_for_each(
    values: Mapping[str, Value], encodings: Iterable[str]
) -> tuple[TrainingSettings, ...]:
    """The settings of each encoding; an encoding's own parameters are left out for the others.

    Raises:
        PosencError: A value is not allowed, or belongs to something else.
    """
    own = {name: {option.name for option in info.options} for name, info in ENCODINGS.items()}
    foreign = set().union(*own.values())
    return tuple(
        TrainingSettings.of(
            {
                **{k: v for k, v in values.items() if k not in foreign or k in own[encoding]},
                "positional_encoding": encoding,
            }
        )
        for encoding in encodings
    )


def _all_options() -> list[Option]:
    """Every option of a training once, those of encodings and tasks among them."""
    groups = [TRAINING_SETTINGS, *(info.options for info in ENCODINGS.values())]
    groups += [task.options for task in TASKS.values()]
    return list({option.name: option for group in groups for option in group}.values())


def _default_encodings(command: str) -> list[str]:
    # A comparison is the point of the length test.
    return list(ENCODINGS) if command == TEST_LENGTHS else [str(POSITIONAL_ENCODING.default)]


def _encodings(typed: str) -> list[str]:
    """``abs,rel`` as a list, each once."""
    names = (POSITIONAL_ENCODING.parse(name.strip()) for name in typed.split(","))
    return list(dict.fromkeys(map(str, names)))


def _lengths(typed: str) -> tuple[int, ...]:
    return tuple(sorted({int(_LENGTH.parse(length)) for length in typed.split(",")}))


def _make_parser(command: str) -> argparse.ArgumentParser:
    parser = Parser(
        prog=f"posenc {command}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
        usage=f"posenc {command} [options]",
        description=_DESCRIPTIONS[command],
        epilog="\n\n".join(
            [_EXAMPLES[command], summaries("tasks", TASKS), summaries("encodings", ENCODINGS)]
        ),
    )
    files = parser.add_argument_group("files")
    add(
        files,
        "folder",
        "FOLDER",
        "where checkpoints are written, every minute and at the end; without it, nothing is kept",
    )
    files.add_argument(
        "--resume",
        action="store_true",
        help="go on from the newest checkpoints in the folder, with the same options as before",
    )
    if command == TEST_LENGTHS:
        add(files, "export", "FILE", "write the accuracies to a file (.csv)")
        test = parser.add_argument_group("length test")
        every = ",".join(map(str, LENGTHS))
        help_text = f"how many words the sentences have that are asked ({every})"
        test.add_argument("--lengths", metavar="N,N,…", default=every, help=help_text)
    training = parser.add_argument_group("training")
    for option in TRAINING_SETTINGS:
        if option is POSITIONAL_ENCODING:
            add_option(training, _SEVERAL, ",".join(_default_encodings(command)))
        else:
            add_option(training, option, _defaults(option))
    for kind, registry in (("task", TASKS), ("positional_encoding", ENCODINGS)):
        _add_own_options(parser, kind, {name: info.options for name, info in registry.items()})
    return parser


def _add_own_options(
    parser: argparse.ArgumentParser, setting: str, registry: Mapping[str, tuple[Option, ...]]
) -> None:
    """Adds the options of tasks or encodings, in a group for each set of them that has them."""
    owners: dict[str, list[str]] = {}
    for name, own in registry.items():
        for option in own:
            owners.setdefault(option.name, []).append(name)
    groups: dict[str, argparse._ArgumentGroup] = {}
    for own in registry.values():
        for option in own:
            if option.name not in owners:
                continue  # another has it as well, and it is there already
            title = f"only with --{setting} {', '.join(owners.pop(option.name))}"
            if title not in groups:
                groups[title] = parser.add_argument_group(title)
            add_option(groups[title], option)


def _defaults(option: Option) -> str:
    """``1000; 1500 for reverse, sort``."""
    special: dict[str, list[str]] = {}
    for task in TASKS.values():
        value = dict(task.defaults).get(option.name, option.default)
        if value != option.default:
            special.setdefault(plain_value(value), []).append(task.name)
    tasks = (f"; {value} for {', '.join(names)}" for value, names in special.items())
    return plain_value(option.default) + "".join(tasks)


def _trained(arguments: Arguments) -> Session | None:
    """Trains, showing progress; ``None`` where it was interrupted."""
    settings = arguments.settings
    if arguments.lengths:
        refuse_texts(settings[0].task)
    if arguments.export is not None:
        check_target(arguments.export)
        if arguments.export.suffix.lower() != ".csv":
            raise PosencError(f"The file name “{arguments.export.name}” has to end in .csv.")
    if arguments.folder is not None:
        names = [one.positional_encoding for one in settings]
        prepare_folder(arguments.folder, names, arguments.resume)
        for name in names:
            if arguments.resume and not checkpoints_in(arguments.folder, name):
                print_error(f"“{arguments.folder}” has no checkpoint of {name}; it starts anew.")
    # Texts take long to cut, and torch seconds to load: whatever is wrong is told before.
    show_line("preparing …")
    task = TASKS[settings[0].task].load()(settings[0])
    for length in arguments.lengths:
        assert isinstance(task, LetterTask)
        task.check(length, "lengths")
    from posenc_model.training.session import Session
    from posenc_model.training.threads import few_threads

    session = Session(settings, arguments.folder, arguments.resume, task)
    clear_line()
    for warning in session.runs[0].trainer.learner.config.warnings:
        print_error(f"Warning: {warning}")
    progress = Progress(session)
    with _Interrupt() as interrupt, few_threads(settings[0]):
        while session.share_done < 1 and not interrupt.asked:
            session.round()
            progress.show()
    progress.end()
    if session.share_done >= 1:
        return session
    session.checkpoint()
    made = min(run.trainer.done for run in session.runs)
    kept = (
        "nothing is kept, because no --folder was given"
        if arguments.folder is None
        else f"a checkpoint is in “{arguments.folder}”; go on with --resume"
    )
    print_error(f"Stopped after step {made:,}; {kept}.")
    return None


class _Interrupt:
    """Has Ctrl+C end a training between two steps, not inside one; a second one ends at once."""

    def __init__(self) -> None:
        self.asked = False

    def __enter__(self) -> _Interrupt:
        self._before = signal.signal(signal.SIGINT, self._on_interrupt)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _on_interrupt(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        signal.signal(signal.SIGINT, self._before)


def _learned(session: Session, run: Run) -> list[str]:
    """A line of the table: how well it does, and how fast it learned in this sitting."""
    show_line(f"asking {run.name} …")
    loss, accuracy = run.trainer.evaluate(session.task.held_out())
    row = [run.name, f"{run.trainer.done:,}", f"{loss:.3f}", percent(accuracy)]
    if not run.made_now:
        return [*row, "–", "–"]
    tokens = sum(step.tokens for step in run.curve[-run.made_now :])
    return [*row, f"{run.seconds:.1f}", f"{tokens / run.seconds:,.0f}"]


def _print_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """The first column to the left, the others, numbers, to the right."""
    lines = [head, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    for first, *others in lines:
        cells = (f"{cell:>{width}}" for cell, width in zip(others, widths[1:], strict=True))
        print("  ".join([f"{first:{widths[0]}}", *cells]))


def _lengths_file(results: Mapping[str, Mapping[int, float]]) -> bytes:
    """A row for each encoding, a column for each length; UTF-8 with a mark, for spreadsheets."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(["encoding", *next(iter(results.values()))])
    for name, shares in results.items():
        writer.writerow([name, *(f"{share:.6g}" for share in shares.values())])
    return out.getvalue().encode("utf-8-sig")


if __name__ == "__main__":
    sys.exit(train(sys.argv[1:]))
