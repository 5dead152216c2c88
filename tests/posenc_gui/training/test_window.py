import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

import posenc_gui.training.window as window_module
from posenc_gui.theme import DARK, LIGHT, apply_theme
from posenc_gui.training import runner as runner_module
from posenc_gui.training.runner import State
from posenc_gui.training.window import TrainWindow
from posenc_model.errors import PosencError

ENDLESS = 1_000_000
ROOT = Path(__file__).resolve().parents[3]


def done_steps(window):
    return [run.trainer.done for run in window.runner.training.session.runs]


def test_importing_the_window_loads_no_torch():
    code = "import sys, posenc_gui.training.window; print('torch' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("False\n", "")


def test_before_the_first_training_it_says_what_will_be_seen_where(window):
    assert window.pages.currentIndex() == 0
    assert not window.runner.has_thread
    assert window.schedule.planned == 20
    buttons = window.controls
    assert buttons.start_button.isEnabled()
    for button in (buttons.pause_button, buttons.stop_button, buttons.test_button):
        assert not button.isEnabled()


def test_a_training_runs_to_its_end(window, reaches):
    window.start()
    reaches(window, State.DONE)
    assert done_steps(window) == [20, 20]
    for curves in (window.curves.losses, window.curves.accuracies):
        assert {name: len(curve) for name, curve in curves.items()} == {"t5": 20, "abs": 20}
        assert curves["t5"].points()[0].tolist() == list(range(1, 21))
    assert window.pages.currentIndex() == 1
    assert window.attention.attentions["t5"].shape == (1, 2, 20, 20)
    assert window.attention.matrices.words == window.runner.training.words
    np.testing.assert_allclose(window.attention.attentions["abs"].sum(-1), 1, atol=1e-5)
    assert "step 20 of 20" in window.controls.words.text()
    assert "over" in window.controls.caption.text()
    assert window.controls.further_button.isEnabled()


def test_nothing_can_be_changed_while_it_learns(window, fill, reaches, makes_steps):
    fill(window, steps=ENDLESS)
    window.start()
    makes_steps(window)
    assert not window.form.common.isEnabled()
    assert not window.controls.start_button.isEnabled()
    window.controls.stop_button.click()
    reaches(window, State.STOPPED)
    assert window.form.common.isEnabled()


def test_pausing_stops_the_steps_and_continuing_makes_more(
    window, fill, qtbot, reaches, makes_steps
):
    fill(window, steps=ENDLESS)
    window.start()
    makes_steps(window)
    window.controls.pause_button.click()
    reaches(window, State.PAUSED)
    paused = done_steps(window)
    assert paused[0] == paused[1] == len(window.curves.losses["t5"])
    for _ in range(5):
        QApplication.processEvents()
    assert done_steps(window) == paused
    assert window.controls.pause_button.text() == "&Continue"
    window.controls.pause_button.click()
    makes_steps(window, paused[0] + 3)
    window.controls.stop_button.click()
    reaches(window, State.STOPPED)
    assert done_steps(window)[0] > paused[0]
    steps = window.curves.losses["t5"].points()[0]
    assert (np.diff(steps) == 1).all()  # none is missing, none comes twice


def test_a_paused_training_can_be_stopped(window, fill, reaches, makes_steps):
    fill(window, steps=ENDLESS)
    window.start()
    makes_steps(window)
    window.runner.pause()
    reaches(window, State.PAUSED)
    window.controls.stop_button.click()
    assert window.runner.state is State.STOPPED
    assert window.form.common.isEnabled()


def test_it_trains_further_after_the_end(window, reaches):
    window.start()
    reaches(window, State.DONE)
    window.controls.further_box.setValue(7)
    window.controls.further_button.click()
    reaches(window, State.DONE)
    assert done_steps(window) == [27, 27]
    assert len(window.curves.losses["abs"]) == 27
    assert window.schedule.planned == 27


def test_a_training_resumes_from_its_folder(window, fill, qtbot, tmp_path, reaches, makes_steps):
    fill(window, "rel", steps=ENDLESS, kinds=5)
    window.form.set_folder(tmp_path)
    window.start()
    makes_steps(window)
    window.controls.stop_button.click()
    reaches(window, State.STOPPED)
    (made,) = done_steps(window)
    assert window.form.folder.saved.steps == made

    other = TrainWindow("viridis")
    qtbot.addWidget(other)
    other.show()
    other.form.set_folder(tmp_path)
    assert f"recall with rel, {made:,} of 1,000,000" in other.form.folder.found.text()
    other.form.folder.resume_button.click()
    makes_steps(other, made + 3)
    assert other.runner.training.plan.settings == window.runner.training.plan.settings
    other.controls.stop_button.click()
    reaches(other, State.STOPPED)
    mine, theirs = (each.curves.losses["rel"].points()[1][:made] for each in (window, other))
    np.testing.assert_array_equal(mine, theirs)
    other.shut_down()


def test_a_folder_with_checkpoints_is_not_overwritten(window, tmp_path, reaches):
    window.form.set_folder(tmp_path)
    window.start()
    reaches(window, State.DONE)
    window.start()
    reaches(window, State.NOTHING)
    assert "already holds checkpoints" in window.form.folder.message.text()
    assert window.form.folder.message.isVisible()


@pytest.mark.parametrize(
    ("wrong", "setting"),
    [
        ({"min_length": 30}, "max_length"),
        ({"batch_tokens": 16}, "batch_tokens"),
    ],
)
def test_a_wrong_setting_is_said_beneath_its_field(window, fill, qtbot, wrong, setting):
    fill(window, **wrong)
    row = window.form.more.rows[setting]
    qtbot.waitUntil(lambda: _is_said(row, setting))
    window.start()
    assert window.runner.state is State.NOTHING
    assert not window.runner.has_thread
    assert row.message.isVisible()  # the fold has opened
    fill(window, min_length=12, batch_tokens=64)
    qtbot.waitUntil(lambda: _is_silent(row))


def _is_said(row, setting):
    assert setting in row.message.text()


def _is_silent(row):
    assert not row.message.text()


def test_a_mistake_found_by_the_task_is_said_beneath_its_field(window, fill, reaches):
    fill(window, min_length=5)
    window.start()
    reaches(window, State.NOTHING)
    assert "more than 10" in window.form.more.rows["min_length"].message.text()


def test_a_text_has_to_be_chosen(window, reaches):
    window.form.choose_task("masked")
    window.start()
    reaches(window, State.NOTHING)
    row = window.form.tasks["masked"].rows["text_file"]
    assert row.message.text() == "Choose a text file to learn from."


def test_words_of_a_text_are_learned_and_have_no_length_test(window, fill, tmp_path, reaches):
    text = "the dog bites the man . the man sees the dog .\n\n" * 60
    (tmp_path / "text.txt").write_text(text, encoding="utf-8")
    window.form.choose_task("masked")
    fill(window, "t5", steps=5, text_file=str(tmp_path / "text.txt"), max_length=20)
    window.start()
    reaches(window, State.DONE)
    assert not window.controls.test_button.isEnabled()
    assert "dog" in window.attention.matrices.words


def test_at_least_one_encoding_is_needed(window):
    window.form.boxes.choose([])
    window.start()
    assert window.form.boxes.message.text() == "Choose at least one encoding to train."


def test_heads_that_do_not_divide_the_width_are_told(window, fill, reaches):
    fill(window, num_heads=3)
    window.start()
    reaches(window, State.DONE)
    assert "nearest number" in window.controls.problem.text()


def test_the_length_test_fills_its_table_and_says_what_was_measured(window, reaches, qtbot):
    window.start()
    reaches(window, State.DONE)
    with qtbot.waitSignal(window.runner.tested, timeout=60_000):
        window.controls.test_button.click()
    reaches(window, State.DONE)
    view = window.lengths
    assert window.tabs.currentWidget() is view
    assert view.lengths() == [20, 40, 80, 160]
    assert (view.table.rowCount(), view.table.columnCount()) == (2, 4)
    assert view.table.item(1, 3).text().endswith(" %")
    assert len(view.measured.text().splitlines()) == 2
    assert window.form.common.isEnabled()


def test_a_paused_training_can_be_tested_and_goes_on(window, fill, reaches, makes_steps, qtbot):
    fill(window, "abs", steps=ENDLESS)
    window.start()
    makes_steps(window)
    window.runner.pause()
    reaches(window, State.PAUSED)
    made = done_steps(window)
    with qtbot.waitSignal(window.runner.tested, timeout=60_000):
        window.controls.test_button.click()
    reaches(window, State.PAUSED)
    assert done_steps(window) == made
    window.controls.pause_button.click()
    makes_steps(window, made[0] + 3)
    window.runner.stop()
    reaches(window, State.STOPPED)


def test_a_length_that_the_task_cannot_have_is_left_out(window, fill, reaches, qtbot):
    fill(window, "abs", places=30, min_length=40, max_length=50)
    window.start()
    reaches(window, State.DONE)
    with qtbot.waitSignal(window.runner.tested, timeout=60_000):
        window.runner.test_lengths()
    assert window.lengths.lengths() == [40, 80, 160]


def test_closing_in_the_middle_leaves_no_thread(window, fill, tmp_path, makes_steps):
    fill(window, steps=ENDLESS)
    window.form.set_folder(tmp_path)
    window.start()
    makes_steps(window)
    thread = window.runner._thread
    window.close()
    window.shut_down()
    assert thread.isFinished()
    assert not window.runner.has_thread
    assert not runner_module._LEAVING
    assert list(tmp_path.glob("t5-step-*.safetensors"))


def test_a_closed_window_can_be_opened_and_used_again(window, fill, reaches, makes_steps):
    fill(window, steps=ENDLESS)
    window.start()
    makes_steps(window)
    window.close()
    window.shut_down()
    window.show()
    fill(window)
    window.start()
    reaches(window, State.DONE)
    assert done_steps(window) == [20, 20]


def test_shutting_down_is_safe_at_any_moment(window, qtbot):
    window.shut_down()
    with qtbot.waitSignal(window.runner.state_changed):
        window.start()
    window.shut_down()
    window.shut_down()
    assert not window.runner.has_thread
    assert window.controls.start_button.isEnabled()


def test_a_mistake_of_the_program_is_shown_as_one(window, monkeypatch, reaches):
    shown = []

    class Dialog:
        def __init__(self, details, parent):
            shown.append(details)

        def open(self):
            pass

    def broken(self):
        raise RuntimeError("broken on purpose")

    monkeypatch.setattr(window_module, "BugDialog", Dialog)
    monkeypatch.setattr("posenc_model.training.session.Session.round", broken)
    window.start()
    reaches(window, State.STOPPED)
    assert "broken on purpose" in shown[0]
    assert window.controls.start_button.isEnabled()


def test_a_checkpoint_that_cannot_be_written_pauses(window, monkeypatch, tmp_path, reaches):
    def full(*_):
        raise PosencError("The disk is full.", "export")

    window.form.set_folder(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr("posenc_model.training.session.save_checkpoint", full)
        window.start()
        reaches(window, State.PAUSED)
    assert window.form.folder.message.text() == "The disk is full."


def test_the_story_trains_all_and_tests_by_itself(window, fill, qtbot, monkeypatch):
    captions = []
    choose = window.form.choose_task

    def smaller(name):
        choose(name)
        fill(window, "t5", "rel", "abs", "none")

    monkeypatch.setattr(window.form, "choose_task", smaller)
    window.runner.state_changed.connect(lambda _: captions.append(window.controls.caption.text()))
    with qtbot.waitSignal(window.runner.tested, timeout=60_000):
        window.controls.story_button.click()
    qtbot.waitUntil(lambda: _is_told(window))
    assert set(window.lengths.accuracies) == {"t5", "rel", "abs", "none"}
    assert any("10 places to its left" in caption for caption in captions)
    assert any("longer" in caption for caption in captions)


def _is_told(window):
    assert window.runner.state is State.DONE
    assert window.controls.caption.text().startswith("What was measured: ")


def test_it_fits_a_small_window_and_follows_the_theme(window, application, reaches):
    window.resize(960, 600)
    assert (window.width(), window.height()) == (960, 600)
    window.start()
    reaches(window, State.DONE)
    light = window.curves.loss_plot._lines["t5"].opts["pen"].color().name()
    apply_theme(application, DARK)
    assert window.curves.loss_plot._lines["t5"].opts["pen"].color().name() != light
    assert not window.grab().isNull()
    apply_theme(application, LIGHT)


def test_a_table_is_saved_and_copied(window, qtbot, tmp_path, monkeypatch, application):
    window.lengths.show_accuracies({"rel": {20: 1.0, 40: 0.5}}, (12, 20), 1 / 14)
    window.lengths.copy_table()
    assert application.clipboard().text() == "encoding\t20\t40\nrel\t1.0000\t0.5000\n"
    target = tmp_path / "table.csv"
    monkeypatch.setattr("posenc_gui.training.lengths.ask_save", lambda *_: target)
    window.lengths.save_table()
    qtbot.waitUntil(lambda: _is_saved(window, target))
    assert target.read_text("utf-8") == "encoding,20,40\nrel,1.0000,0.5000\n"
    picture = tmp_path / "plot.png"
    monkeypatch.setattr("posenc_gui.training.lengths.ask_save", lambda *_: picture)
    window.lengths.save_picture()
    qtbot.waitUntil(lambda: _is_saved(window, picture))
    assert picture.read_bytes().startswith(b"\x89PNG")


def _is_saved(window, path):
    assert window.controls.caption.text() == f"Saved “{path}”."


def test_a_file_that_cannot_be_written_is_said(window, qtbot, tmp_path, monkeypatch):
    window.lengths.show_accuracies({"rel": {20: 1.0}}, (12, 20), 1 / 14)
    target = tmp_path / "missing" / "table.csv"
    monkeypatch.setattr("posenc_gui.training.lengths.ask_save", lambda *_: target)
    window.lengths.save_table()
    qtbot.waitUntil(lambda: _is_not_saved(window))


def _is_not_saved(window):
    assert "no folder" in window.controls.problem.text()
