"""Many texts in several processes, which end together."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.synchronize import Event

from posenc_model.batch_line import Outcome, Task, export_line
from posenc_model.exporters import DATA_EXPORTERS, Exporter
from posenc_model.text_lists import Line

# Gives the exporters of pictures, by suffix; a function at the top of a module, which other
# processes can be told of.
LoadPictures = Callable[[], Mapping[str, Exporter]]

_ENDED = (
    "The process that worked on it came to an end, perhaps for lack of memory; try fewer --jobs."
)


def side_by_side(
    task: Task, lines: Sequence[Line], load_pictures: LoadPictures, jobs: int
) -> Generator[Outcome, None, None]:
    """The outcomes as they come; ends the processes in order when it is closed before its end."""
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    with _ready_for_workers():
        pool = ProcessPoolExecutor(jobs, context, _start_worker, (task, load_pictures, stop))
        futures = {pool.submit(_work, line): line for line in lines}
    told = set()
    try:
        for future in as_completed(futures):
            told.add(future)
            yield _outcome(future, futures[future])
    except KeyboardInterrupt:
        stop.set()
        pool.shutdown(wait=True, cancel_futures=True)
        for future in set(futures) - told:
            if not future.cancelled() and future.exception() is None:
                yield future.result()
        raise
    finally:
        stop.set()
        pool.shutdown(wait=True, cancel_futures=True)


def _outcome(future: Future[Outcome], line: Line) -> Outcome:
    try:
        return future.result()
    except BrokenProcessPool:
        return Outcome(line.number, failure=_ENDED)


@contextlib.contextmanager
def _ready_for_workers() -> Iterator[None]:
    """Has processes that are started now leave Ctrl+C to this one, and wait without being busy.

    All of them use as many threads as this one would: with another number, sums are rounded
    otherwise, and files would differ in their last digits.
    """
    before = os.environ.get("OMP_WAIT_POLICY")
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    blocks = hasattr(signal, "pthread_sigmask")
    if blocks:
        resource_tracker.ensure_running()  # which would let signals through again
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        if blocks:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        if before is None:
            del os.environ["OMP_WAIT_POLICY"]


@dataclass
class _Worker:
    """What a process keeps from one text to the next."""

    task: Task | None = None
    exporters: Mapping[str, Exporter] = field(default_factory=dict)
    is_cancelled: Callable[[], bool] = bool


_worker = _Worker()


def _start_worker(task: Task, load_pictures: LoadPictures, stop: Event) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where signals cannot be blocked
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _worker.task = task
    _worker.exporters = {**DATA_EXPORTERS, **load_pictures()}
    _worker.is_cancelled = stop.is_set


def _end_with_parent() -> None:
    """Ends this process where the one that started it is no more: nobody would tell it to."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(line: Line) -> Outcome:
    assert _worker.task is not None
    return export_line(_worker.task, line, _worker.exporters, _worker.is_cancelled)
