"""The controller and its worker thread, with a stand-in for the model's run."""

import threading
from dataclasses import dataclass

import pytest

from posenc_gui.controller import Controller
from posenc_gui.work import Work
from posenc_model.errors import PosencError, RunCancelled
from posenc_model.request import RunRequest


@dataclass
class FakeRun:
    """Answers with the request's text; waits while it is shut; raises what it is told to."""

    def __post_init__(self):
        self.open = threading.Event()
        self.open.set()
        self.began = []
        self.threads = set()
        self.error = None
        self.obeys = True

    def __call__(self, request, is_cancelled, on_progress):
        self.began.append(request.id)
        self.threads.add(threading.current_thread())
        while not self.open.wait(0.002):
            if self.obeys and is_cancelled():
                raise RunCancelled
        if self.error is not None:
            raise self.error
        on_progress(0.5)
        on_progress(0.501)  # too small a step to be worth a signal
        on_progress(1.0)
        return request.text


@pytest.fixture
def fake(monkeypatch):
    import posenc_model.run  # noqa: F401 - so that loading it is not part of a test

    monkeypatch.setattr("posenc_gui.worker.load_libraries", lambda name: None)
    fake = FakeRun()
    monkeypatch.setattr("posenc_model.run.run", fake)
    yield fake
    fake.open.set()


@pytest.fixture
def controller(qapp, fake):
    controller = Controller()
    yield controller
    fake.open.set()
    controller.shut_down()
    assert controller._thread.isFinished()


def collected(signal):
    seen = []
    signal.connect(lambda *arguments: seen.append(arguments))
    return seen


def test_a_run_reports_and_ends(qtbot, controller, fake):
    finished, started = collected(controller.finished), collected(controller.started)
    progressed = collected(controller.progressed)
    request = RunRequest(1, "one")
    with qtbot.waitSignal(controller.finished):
        controller.submit(request)
    assert finished == [("one",)]
    assert started == [(request,)]
    assert progressed == [(0.5,), (1.0,)]
    qtbot.waitUntil(lambda: not controller.is_busy)
    assert controller.runs_started == 1
    assert threading.main_thread() not in fake.threads


def test_fifty_requests_are_two_runs(qtbot, controller, fake):
    """Qt does not coalesce; the controller does."""
    finished = collected(controller.finished)
    fake.open.clear()
    fake.obeys = False
    controller.submit(RunRequest(1, "text 1"))
    qtbot.waitUntil(lambda: fake.began == [1])
    for number in range(2, 51):
        controller.submit(RunRequest(number, f"text {number}"))
    fake.open.set()
    qtbot.waitUntil(lambda: bool(finished))
    qtbot.waitUntil(lambda: not controller.is_busy)
    assert finished == [("text 50",)]
    assert fake.began == [1, 50]
    assert controller.runs_started == 2


def test_failure_of_an_old_run_is_dropped(qtbot, controller, fake):
    failed, finished = collected(controller.failed), collected(controller.finished)
    fake.open.clear()
    fake.obeys = False
    fake.error = PosencError("Old.", "text")
    controller.submit(RunRequest(1, "old"))
    qtbot.waitUntil(lambda: fake.began == [1])
    controller.submit(RunRequest(2, "new"))
    fake.open.set()
    qtbot.waitUntil(lambda: len(fake.began) == 2 and not controller.is_busy)
    assert [arguments[0].id for arguments in failed] == [2]
    assert finished == []


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (PosencError("Too short.", "text"), ("Too short.", "text")),
        (PosencError("Just so."), ("Just so.", "")),
        (MemoryError(), ("There is not enough memory for this text and these sizes.", "")),
    ],
)
def test_failures_are_sentences(qtbot, controller, fake, error, expected):
    failed = collected(controller.failed)
    fake.error = error
    request = RunRequest(3, "x")
    with qtbot.waitSignal(controller.failed):
        controller.submit(request)
    assert failed == [(request, *expected)]
    qtbot.waitUntil(lambda: not controller.is_busy)


def test_a_crash_does_not_leave_it_busy(qtbot, controller, fake):
    crashed = collected(controller.crashed)
    fake.error = ZeroDivisionError("a bug")
    with qtbot.waitSignal(controller.crashed):
        controller.submit(RunRequest(1, "x"))
    ((details,),) = crashed
    assert details.startswith("Traceback")
    assert "ZeroDivisionError: a bug" in details
    fake.error = None
    with qtbot.waitSignal(controller.finished):
        controller.submit(RunRequest(2, "y"))


def test_cancel(qtbot, controller, fake):
    finished, cancelled = collected(controller.finished), collected(controller.cancelled)
    controller.cancel()
    assert cancelled == []  # nothing was going on
    fake.open.clear()
    controller.submit(RunRequest(1, "x"))
    controller.submit(RunRequest(2, "y"))
    controller.cancel()
    assert cancelled == [()]
    qtbot.waitUntil(lambda: not controller.is_busy)
    fake.open.set()
    with qtbot.waitSignal(controller.finished):
        controller.submit(RunRequest(3, "z"))
    assert finished == [("z",)]
    assert 2 not in fake.began


def test_runs_go_before_tasks_and_tasks_of_one_name_once(qtbot, controller, fake):
    order = collected(controller.task_finished)
    finished = collected(controller.finished)
    controller.finished.connect(lambda text: order.append(("run", text)))
    release = threading.Event()
    controller.run_task("busy", lambda: release.wait(10))
    for number in range(5):
        controller.run_task("same", lambda number=number: number)
    controller.run_task("other", threading.current_thread)
    controller.submit(RunRequest(1, "text"))
    release.set()
    qtbot.waitUntil(lambda: len(order) == 4)
    assert order[:3] == [("busy", True), ("run", "text"), ("same", 4)]
    assert order[3][0] == "other"
    assert order[3][1] is not threading.main_thread()
    assert finished == [("text",)]


def test_a_task_that_fails(qtbot, controller):
    failed = collected(controller.task_failed)

    def work():
        raise PosencError("No room on the disk.")

    with qtbot.waitSignal(controller.task_failed):
        controller.run_task("save", work)
    assert failed == [("save", "No room on the disk.")]


def test_waiting_tasks_are_done_before_the_end(qapp, fake):
    """A file that somebody asked for is written although the window closes."""
    controller = Controller()
    done = []
    fake.open.clear()
    controller.submit(RunRequest(1, "x"))
    controller.run_task("save", lambda: done.append("saved"))
    controller.shut_down()
    assert done == ["saved"]
    assert controller._thread.isFinished()


def test_nothing_is_told_after_the_end(qtbot, fake):
    controller = Controller()
    fake.open.clear()
    fake.obeys = False
    told = [collected(s) for s in (controller.finished, controller.failed, controller.cancelled)]
    controller.submit(RunRequest(1, "x"))
    qtbot.waitUntil(lambda: fake.began == [1])
    threading.Timer(0.05, fake.open.set).start()
    controller.shut_down()
    qtbot.waitUntil(controller._thread.isFinished)
    assert told == [[], [], []]


def endless(began):
    """Work that goes on until it is told to give up."""

    def work(is_cancelled):
        began.set()
        while not is_cancelled():
            threading.Event().wait(0.002)
        raise RunCancelled

    return Work(work)


def test_a_run_ends_work_that_was_asked_for_before(qtbot, controller):
    began = threading.Event()
    finished = collected(controller.task_finished)
    controller.run_task("view", endless(began))
    qtbot.waitUntil(began.is_set)
    with qtbot.waitSignal(controller.finished):
        controller.submit(RunRequest(1, "one"))
    assert finished == []


def test_newer_work_of_the_same_name_ends_the_older(qtbot, controller):
    began = threading.Event()
    controller.run_task("view", endless(began))
    qtbot.waitUntil(began.is_set)
    with qtbot.waitSignal(controller.task_finished) as caught:
        controller.run_task("view", Work(lambda is_cancelled: "newer"))
    assert caught.args == ["view", "newer"]


def test_a_run_drops_waiting_work_but_no_other_task(qtbot, controller, fake):
    fake.open.clear()
    controller.submit(RunRequest(1, "one"))
    finished = collected(controller.task_finished)
    controller.run_task("view", Work(lambda is_cancelled: "of a view"))
    controller.run_task("save", lambda: "saved")
    controller.submit(RunRequest(2, "two"))
    fake.open.set()
    qtbot.waitUntil(lambda: finished == [("save", "saved")])


def test_closing_ends_work(qtbot, qapp, fake):
    controller = Controller()
    began = threading.Event()
    controller.run_task("view", endless(began))
    qtbot.waitUntil(began.is_set)
    controller.shut_down()
    assert controller._thread.isFinished()
