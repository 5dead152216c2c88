import pytest

import posenc_gui.training.folder_row as folder_module
from posenc_gui.training.form import TrainingForm
from posenc_model.encodings import ENCODINGS
from posenc_model.training import TASKS
from posenc_model.training.settings import TRAINING_SETTINGS, TrainingSettings


@pytest.fixture
def form(qtbot):
    made = TrainingForm()
    qtbot.addWidget(made)
    made.show()
    return made


@pytest.mark.parametrize("task", TASKS)
def test_a_task_brings_its_own_defaults(form, task):
    form.choose_task(task)
    expected = [
        TrainingSettings.of({"task": task, "positional_encoding": name}) for name in ENCODINGS
    ]
    assert list(form.settings()) == expected
    assert form.summary.text() == TASKS[task].summary
    assert form.tasks[task].isVisible()
    assert sum(group.isVisible() for group in form.tasks.values()) == 1


def test_every_declared_option_has_a_field_with_a_label(form):
    names = {*form.task.rows, *form.common.rows, *form.more.rows, "positional_encoding"}
    assert names == {option.name for option in TRAINING_SETTINGS}
    for group in form._groups():
        for row in group.rows.values():
            assert row.field.editor.accessibleName() == row.field.option.label
            assert row.field.editor.toolTip()


def test_what_belongs_to_an_encoding_is_shown_with_it(form):
    form.fold.open()
    form.boxes.choose(["rel"])
    assert [name for name, group in form.encodings.items() if group.isVisible()] == ["rel"]
    form.encodings["rel"].rows["clip_distance"].field.set_value(5)
    (settings,) = form.settings()
    assert dict(settings.encoding_options)["clip_distance"] == 5


def test_settings_are_shown_as_they_were(form):
    settings = [
        TrainingSettings.of({"task": "copy", "nth": 2, "steps": 33, "positional_encoding": "t5"}),
        TrainingSettings.of({"task": "copy", "nth": 2, "steps": 33, "positional_encoding": "none"}),
    ]
    form.show_settings(settings)
    assert list(form.settings()) == settings


def test_a_message_in_the_fold_opens_it_and_comes_into_view(form, qtbot):
    form.resize(300, 200)
    assert not form.more.isVisible()
    assert form.show_message("min_length", "Too short.")
    message = form.more.rows["min_length"].message
    assert message.isVisible()
    qtbot.waitUntil(lambda: _is_in_view(message))
    assert not form.show_message("no such setting", "Nowhere.")
    form.clear_messages()
    assert not form.more.rows["min_length"].message.isVisible()


def _is_in_view(widget):
    assert not widget.visibleRegion().isEmpty()


def test_a_folder_is_chosen_and_put_away(form, tmp_path, monkeypatch):
    monkeypatch.setattr(folder_module, "ask_folder", lambda *_: tmp_path)
    form.folder.choose_button.click()
    assert form.plan().folder == tmp_path
    assert form.folder.shown.text() == str(tmp_path)
    form.folder.none_button.click()
    assert form.plan().folder is None
    assert form.folder.shown.text() == "none"
    monkeypatch.setattr(folder_module, "ask_folder", lambda *_: None)
    form.folder.choose_button.click()
    assert form.plan().folder is None
