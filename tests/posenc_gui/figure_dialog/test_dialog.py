"""The figure dialog: preview, mistakes, saving, copying, presets."""

import shlex
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QWhatsThis

from posenc_gui import launch
from posenc_gui.figure_dialog import dialog as module
from posenc_gui.figure_dialog.jobs import SaveJob
from posenc_model.errors import PosencError
from posenc_model.exporters.look import Look
from posenc_model.exporters.provenance import read_state
from posenc_model.exporters.spec import Spec


@pytest.fixture
def ask(monkeypatch):
    """Answers the file dialog with a path; holds what it was asked."""

    class Asked:
        path = None
        replaces = True
        taken = ()

        def __call__(self, parent, title, proposal, kinds, *, asks_to_replace=True):
            self.proposal, self.kinds, self.asks = Path(proposal), list(kinds), asks_to_replace
            return self.path

        def replace(self, parent, *paths):
            self.taken = [path.name for path in paths]
            return self.replaces

    asked = Asked()
    monkeypatch.setattr(module, "ask_save", asked)
    monkeypatch.setattr(module, "ask_replace", asked.replace)
    return asked


@pytest.fixture
def saved(qtbot, ask):
    """Saves to a path and gives what was said."""

    def save(dialog, path):
        ask.path = path
        with qtbot.waitSignal(dialog.said, timeout=20_000) as said:
            dialog.save_button.click()
        return said.args[0]

    return save


def field(dialog, name):
    return dialog.form.rows[name].field


# --- preview --------------------------------------------------------------------------------------


def test_it_opens_with_the_picture_at_its_true_proportions(begin):
    dialog = begin({"width_mm": 100.0, "height_mm": 50.0, "dpi": 254})
    assert dialog.isVisible()
    assert dialog.windowModality() == Qt.WindowModality.WindowModal
    image, room = dialog.pane.image, dialog.pane.area
    assert image.width() / image.height() == pytest.approx(2, rel=0.02)
    ratio = dialog.devicePixelRatioF()
    shown = image.width() / ratio, image.height() / ratio
    assert shown[0] == pytest.approx(room.width(), abs=1) or shown[1] == pytest.approx(
        room.height(), abs=1
    )
    words = "100.0 × 50.0 mm  ·  3.94 × 1.97 inches  ·  1,000 × 500 pixels at 254 dpi"
    assert dialog.size_label.text() == words


def test_a_change_is_shown(begin, settled):
    dialog = begin()
    before = dialog.pane.image
    field(dialog, "theme").set_value("dark")
    assert dialog.is_waiting
    assert dialog.pane.image is before  # until the new one is there
    settled(dialog)
    assert dialog.pane.image.pixelColor(2, 2).lightness() < 40
    field(dialog, "theme").set_value("transparent")
    settled(dialog)
    assert dialog.pane.image.pixelColor(2, 2).alpha() == 0


def test_a_larger_pane_has_a_larger_picture(begin, settled):
    dialog = begin({"height_mm": 100.0})
    dialog.resize(700, 400)
    settled(dialog)
    small = dialog.pane.image.width()
    dialog.resize(1000, 700)
    settled(dialog)
    assert dialog.pane.image.width() > 1.2 * small


def test_the_newest_wins(begin, settled, monkeypatch):
    dialog = begin()
    made = []
    real = module.make_preview

    def make(compared, spec, look, area, ratio, is_cancelled):
        made.append(look.dpi)
        return real(compared, spec, look, area, ratio, is_cancelled)

    monkeypatch.setattr(module, "make_preview", make)
    for dpi in (100, 200, 400):
        field(dialog, "dpi").set_value(dpi)
    settled(dialog)
    assert made == [400]
    assert dialog.size_label.text().endswith("400 dpi")


def test_a_preview_that_a_run_took_away_is_asked_for_again(begin, settled):
    from posenc_model.request import RunRequest
    from posenc_model.settings import Settings

    dialog = begin()
    field(dialog, "dpi").set_value(72)
    dialog._refresh()
    small = Settings.of({"num_layers": 1, "num_heads": 1, "width": 8, "nlp_pipeline": "whitespace"})
    dialog.controller.submit(RunRequest(1, "a b", small))
    settled(dialog)
    assert dialog.size_label.text().endswith("72 dpi")
    assert dialog.save_button.isEnabled()


def test_a_newer_result_takes_the_place_of_the_older(begin, settled):
    from posenc_model import encode

    dialog = begin()
    before = dialog.pane.image
    newer = encode("four five", num_layers=1, num_heads=1, width=8, nlp_pipeline="whitespace")
    dialog.show_result(newer)
    settled(dialog)
    assert dialog.pane.image != before
    assert field(dialog, "cell").boxes[0].maximum() == 2


def test_too_many_pixels_are_noted(begin, settled):
    dialog = begin({"width_mm": 1000.0, "height_mm": 1000.0, "dpi": 300})
    assert "PNG or TIFF" not in dialog.notes.text()
    field(dialog, "dpi").set_value(600)
    settled(dialog)
    assert "As PNG or TIFF that is too large" in dialog.notes.text()
    assert dialog.save_button.isEnabled()  # as SVG


@pytest.mark.parametrize("arrange", ["grid", "files"])
def test_several_heads(begin, arrange):
    dialog = begin(heads=None, arrange=arrange)
    assert dialog.size_label.text().startswith("First of 2 files") == (arrange == "files")


def test_encodings_are_compared_once(begin, settled, monkeypatch):
    import posenc_model.compare

    runs = []
    real = posenc_model.compare.run

    def run(request, *arguments):
        runs.append(request.settings.positional_encoding)
        return real(request, *arguments)

    monkeypatch.setattr(posenc_model.compare, "run", run)
    dialog = begin(view="compare", compare=("none",))
    assert dialog.pane.sentence == ""
    field(dialog, "dpi").set_value(72)
    settled(dialog)
    assert runs == ["none"]
    field(dialog, "compare").boxes["abs"].setChecked(True)
    settled(dialog)
    assert runs == ["none", "none", "abs"]


# --- mistakes -------------------------------------------------------------------------------------


def test_a_mistake_stands_beside_its_field(begin, settled):
    dialog = begin()
    before = dialog.pane.image
    field(dialog, "tokens").line.setText("2-9")
    settled(dialog)
    row = dialog.form.rows["tokens"]
    assert "token is 4, but has to be from 1 to 3" in row.message.text()
    assert row.message.isVisible()
    assert dialog.pane.image is before  # faded
    assert dialog.size_label.text() == " "
    assert not dialog.save_button.isEnabled()
    field(dialog, "tokens").line.setText("2-3")
    settled(dialog)
    assert not row.message.isVisible()
    assert dialog.save_button.isEnabled()


def test_a_mistake_in_a_field_that_is_not_seen_stands_in_the_picture_s_place(begin, settled):
    dialog = begin()
    field(dialog, "font").set_value("No Such Font")
    settled(dialog)
    assert dialog.pane.sentence == (
        "“No Such Font” is not on this machine; choose another font, such as Noto Sans."
    )
    field(dialog, "tokens").line.setText("x")
    settled(dialog)
    assert dialog.pane.sentence == ""  # it stands beside its field
    field(dialog, "tokens").line.setText("")
    dialog.form.setCurrentIndex(1)
    field(dialog, "font").set_value("Noto Sans")
    settled(dialog)
    assert dialog.pane.sentence == ""


def test_what_is_no_picture_is_said(begin, settled, monkeypatch):
    dialog = begin()

    def refuse(*arguments):
        raise MemoryError

    monkeypatch.setattr(module, "make_preview", refuse)
    field(dialog, "dpi").set_value(72)
    settled(dialog)
    assert "not enough memory" in dialog.pane.sentence


def test_a_crash_leaves_nothing_waiting(begin, settled, monkeypatch, qtbot):
    dialog = begin()

    def crash(*arguments):
        raise ZeroDivisionError

    monkeypatch.setattr(module, "make_preview", crash)
    with qtbot.waitSignal(dialog.controller.crashed):
        field(dialog, "dpi").set_value(72)
    settled(dialog)
    assert dialog.pane.sentence == "This picture could not be drawn."


# --- saving ---------------------------------------------------------------------------------------


def test_saving(begin, ask, saved, tmp_path, qtbot):
    dialog = begin({"width_mm": 101.6, "height_mm": 101.6, "dpi": 50}, one=(1, 0))
    target = tmp_path / "out.png"
    with qtbot.waitSignal(dialog.folder_changed) as folder:
        assert saved(dialog, target) == f"Saved “{target}”."
    assert dialog.isVisible()
    assert dialog.status.text() == f"Saved “{target}”."
    assert ask.proposal == tmp_path / "t5-random-layer-2-head-1.png"
    assert ask.kinds == [".png", ".svg", ".pdf", ".tiff"]
    assert ask.asks
    assert folder.args == [str(tmp_path)]
    image = QImage(str(target))
    assert (image.width(), image.height()) == (200, 200)
    state = read_state(target)
    assert (state.spec.layers, state.spec.heads) == ((1,), (0,))
    assert (state.text, state.look.dpi) == ("one two three", 50)


def test_notes_of_a_picture_are_shown_before_and_after(begin, saved, tmp_path):
    dialog = begin({"width_mm": 30.0, "height_mm": 25.0, "font_size": 12.0})
    assert dialog.notes.isVisible()
    said = saved(dialog, tmp_path / "out.png")
    note = said.removeprefix(f"Saved “{tmp_path / 'out.png'}”. ")
    assert note
    assert dialog.notes.text().startswith(note)
    assert dialog.status.property("role") == "warning"


def test_the_kind_of_file_is_remembered(begin, ask, saved, tmp_path, qtbot):
    dialog = begin()
    with qtbot.waitSignal(dialog.memory_changed) as memory:
        saved(dialog, tmp_path / "out.SVG")
    assert memory.args[0].suffix == ".svg"
    ask.path = None
    dialog.save()
    assert ask.proposal.suffix == ".svg"


def test_the_preview_is_what_is_saved(begin, saved, tmp_path):
    dialog = begin({"width_mm": 60.0, "height_mm": 60.0})
    saved(dialog, tmp_path / "out.png")
    size = dialog.pane.image.size()
    smooth = (Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation)

    def pixels(image):
        gray = image.convertToFormat(QImage.Format.Format_Grayscale8)
        lines = np.frombuffer(gray.constBits(), np.uint8).reshape(gray.height(), -1)
        return lines[:, : gray.width()].astype(float)

    file = pixels(QImage(str(tmp_path / "out.png")).scaled(size, *smooth))
    shown = pixels(dialog.pane.image)
    assert np.abs(file - shown).mean() < 4
    assert shown.std() > 20


def test_a_file_for_each_head(begin, ask, saved, tmp_path):
    dialog = begin({"dpi": 36}, layers=None, heads=None, arrange="files")
    assert saved(dialog, tmp_path / "out.png").startswith(f"Saved 4 files to “{tmp_path}”")
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {f"out-layer{layer}-head{head}.png" for layer in (1, 2) for head in (1, 2)}
    assert ask.proposal.name == "t5-random.png"
    assert not ask.asks  # of the name of no file
    assert not ask.taken
    assert dialog.progress.isHidden()


@pytest.mark.parametrize("replaces", [True, False])
def test_files_that_are_there_already_are_asked_about(begin, ask, saved, tmp_path, replaces):
    dialog = begin(heads=None, arrange="files")
    for name in ("out-layer1-head2.png", "out.png"):
        (tmp_path / name).write_text("before")
    ask.replaces = replaces
    if replaces:
        saved(dialog, tmp_path / "out.png")
    else:
        ask.path = tmp_path / "out.png"
        dialog.save()
        assert dialog.save_button.isEnabled()
    assert ask.taken == ["out-layer1-head2.png"]
    assert (tmp_path / "out.png").read_text() == "before"
    is_kept = (tmp_path / "out-layer1-head2.png").read_bytes() == b"before"
    assert is_kept != replaces


def test_a_folder_that_is_gone(begin, ask, qtbot, tmp_path):
    dialog = begin()
    ask.path = tmp_path / "missing" / "out.png"
    with qtbot.assertNotEmitted(dialog.said):
        dialog.save()
        qtbot.waitUntil(lambda: "There is no folder" in dialog.status.text())
    assert dialog.isVisible()
    assert dialog.status.property("role") == "error"
    assert dialog.save_button.isEnabled()
    assert dialog.cancel_button.isHidden()


def test_a_failure_that_nobody_saw_is_told_to_the_window(begin, ask, qtbot, tmp_path):
    dialog = begin()
    ask.path = tmp_path / "missing" / "out.png"
    with qtbot.waitSignal(dialog.failed) as failed:
        dialog.save()
        dialog.close()
    assert "There is no folder" in failed.args[0]


def test_what_is_wrong_is_not_saved(begin, ask, tmp_path):
    dialog = begin()
    field(dialog, "tokens").line.setText("x")
    ask.path = tmp_path / "out.png"
    dialog.save()
    assert not hasattr(ask, "proposal")
    assert "“Words” is “x”, but has to be all" in dialog.form.rows["tokens"].message.text()


def four(tmp_path):
    heads = [(layer, head) for layer in (0, 1) for head in (0, 1)]
    return [
        (tmp_path / f"{layer}{head}.png", Spec(layers=(layer,), heads=(head,)))
        for layer, head in heads
    ]


def run_all(job):
    saved = job()
    while not saved.is_over:
        saved = job()
    return saved


def test_cancel_ends_before_the_next_file(result, tmp_path):
    job = SaveJob(result, four(tmp_path), Look(dpi=36))
    assert not job().is_over
    assert (job.done, job.total) == (1, 4)
    job.cancel()
    saved = job()
    assert saved.is_over
    assert [path.name for path in tmp_path.iterdir()] == ["00.png"]
    assert saved.text == "Cancelled: 1 of 4 files were saved."


def test_a_failure_half_way_says_how_far_it_came(result, tmp_path, monkeypatch):
    import posenc_model.exporters.files as files

    real = files.write_whole

    def write(path, content):
        if path.name == "10.png":
            raise PosencError("The disk is full.")
        real(path, content)

    monkeypatch.setattr(files, "write_whole", write)
    saved = run_all(SaveJob(result, four(tmp_path), Look(dpi=36)))
    assert saved.text == "The disk is full. 2 of 4 files were saved before."
    assert len(list(tmp_path.iterdir())) == 2


def small_run(number):
    from posenc_model.request import RunRequest
    from posenc_model.settings import Settings

    small = {"num_layers": 1, "num_heads": 1, "width": 8, "nlp_pipeline": "whitespace"}
    return RunRequest(number, "a b", Settings.of(small))


def test_a_save_that_was_asked_for_is_not_given_up_for_a_run(result, tmp_path):
    from posenc_gui.controller import Controller

    controller = Controller()
    controller.run_task("figure save", SaveJob(result, four(tmp_path)[:1], Look(dpi=36)))
    controller.submit(small_run(1))
    controller.shut_down()
    assert len(list(tmp_path.iterdir())) == 1


def test_a_run_goes_between_two_files(begin, ask, qtbot, tmp_path):
    dialog = begin({"dpi": 36}, layers=None, heads=None, arrange="files")
    ask.path = tmp_path / "out.png"
    files = []
    dialog.controller.finished.connect(lambda result: files.append(len(list(tmp_path.iterdir()))))
    with qtbot.waitSignal(dialog.said, timeout=20_000):
        dialog.save()
        dialog.controller.submit(small_run(1))
    assert files
    assert files[0] < 4
    assert len(list(tmp_path.iterdir())) == 4


def test_saving_goes_on_in_sight_when_the_dialog_is_closed(begin, ask, qtbot, tmp_path):
    dialog = begin({"dpi": 36}, layers=None, heads=None, arrange="files")
    ask.path = tmp_path / "out.png"
    told = []
    dialog.saving_unseen.connect(lambda *files: told.append(files))
    with qtbot.waitSignal(dialog.said, timeout=20_000):
        dialog.save()
        dialog.close()
        assert told[-1] == (0, 4)
    assert told[-4:] == [(1, 4), (2, 4), (3, 4), (0, 0)]


def test_a_change_takes_away_what_was_said(begin, saved, settled, tmp_path):
    dialog = begin({"dpi": 36})
    saved(dialog, tmp_path / "out.png")
    assert dialog.status.text()
    dialog.resize(dialog.width() - 40, dialog.height())
    settled(dialog)
    assert dialog.status.text()  # it is as true as before
    field(dialog, "theme").set_value("dark")
    assert dialog.status.text() == ""


def test_the_key_for_saving_is_off_where_the_button_is(begin, settled, qtbot, ask):
    dialog = begin()
    field(dialog, "tokens").line.setText("7")
    settled(dialog)
    dialog.activateWindow()
    qtbot.keyClick(dialog, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    assert not hasattr(ask, "proposal")
    field(dialog, "tokens").line.setText("1–2")
    settled(dialog)
    qtbot.keyClick(dialog, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    assert ask.proposal.name == "t5-random-layer-1-head-1.png"


# --- copying --------------------------------------------------------------------------------------


def test_copy_image(begin, qtbot):
    dialog = begin({"width_mm": 50.8, "height_mm": 25.4, "dpi": 100, "theme": "transparent"})
    with qtbot.waitSignal(dialog.said) as said:
        dialog.copy_button.click()
    assert said.args == ["The picture is on the clipboard (200 × 100 pixels)."]
    image = QGuiApplication.clipboard().image()
    assert (image.width(), image.height()) == (200, 100)
    assert image.pixelColor(1, 1).alpha() == 0


def test_copy_svg(begin, qtbot):
    dialog = begin()
    with qtbot.waitSignal(dialog.said):
        dialog.svg_button.click()
    data = QGuiApplication.clipboard().mimeData()
    assert data.hasFormat("image/svg+xml")
    assert bytes(data.data("image/svg+xml").data()).decode() == data.text()
    assert data.text().rstrip().endswith("</svg>")


def test_the_command_that_is_copied_makes_the_same_file(begin, ask, saved, tmp_path, monkeypatch):
    look = {"dpi": 72, "theme": "dark", "title": "It’s <b>1</b> & “2”", "width_mm": 90.5}
    dialog = begin(look, layers=(0, 1), heads=None, matrix="scores", tokens=(0, 2))
    dialog.command_button.click()
    words = shlex.split(QGuiApplication.clipboard().text())
    assert words[0] == "posenc"
    assert f"“{words[-1]}”" in dialog.status.text()
    saved(dialog, tmp_path / words[-1])
    again = tmp_path / "again"
    again.mkdir()
    monkeypatch.chdir(again)
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")  # which main sets
    assert launch.main(words[1:]) == 0
    assert QImage(str(again / words[-1])) == QImage(str(tmp_path / words[-1]))
    assert read_state(again / words[-1]) == read_state(tmp_path / words[-1])


def test_a_copy_that_fails_says_so(begin, qtbot):
    dialog = begin({"width_mm": 1000.0, "height_mm": 1000.0, "dpi": 600})
    dialog.copy_image()
    qtbot.waitUntil(lambda: "million" in dialog.status.text())
    assert dialog.status.property("role") == "error"


# --- presets and memory ---------------------------------------------------------------------------


def test_a_shipped_preset(begin, settled):
    dialog = begin()
    box = dialog.presets.box
    assert box.currentIndex() == -1
    box.setCurrentIndex(0)
    box.activated.emit(0)
    settled(dialog)
    assert dialog.form.look().width_mm == 85.0
    assert dialog.size_label.text().startswith("85.0 ×")
    assert box.currentText() == "Single column (85 mm)"
    assert not dialog.presets.delete_button.isEnabled()
    field(dialog, "font_size").set_value(8.0)
    settled(dialog)
    assert box.currentIndex() == -1


def test_own_presets(begin, settled, qtbot, monkeypatch):
    dialog = begin({"width_mm": 66.0, "title": "Figure 1"})
    monkeypatch.setattr("posenc_gui.figure_dialog.presets.ask_name", lambda parent, name: "Mine")
    with qtbot.waitSignal(dialog.memory_changed) as memory:
        dialog.presets.save_button.click()
    assert memory.args[0].presets == {"Mine": Look(width_mm=66.0)}
    assert dialog.presets.box.currentText() == "Mine"
    field(dialog, "size").width_box.setValue(99)
    settled(dialog)
    assert dialog.presets.box.currentIndex() == -1
    row = dialog.presets.box.findText("Mine")
    dialog.presets.box.setCurrentIndex(row)
    dialog.presets.box.activated.emit(row)
    settled(dialog)
    assert dialog.form.look().width_mm == 66.0
    with qtbot.waitSignal(dialog.memory_changed) as memory:
        dialog.presets.delete_button.click()
    assert memory.args[0].presets == {}
    assert dialog.presets.box.findText("Mine") < 0


def test_a_name_that_nobody_gave_saves_nothing(begin, qtbot, monkeypatch):
    dialog = begin()
    monkeypatch.setattr("posenc_gui.figure_dialog.presets.ask_name", lambda parent, name: "")
    with qtbot.assertNotEmitted(dialog.memory_changed):
        dialog.presets.save_button.click()


def test_the_same_picture_is_found_as_it_was_left(begin):
    dialog = begin()
    field(dialog, "title").set_value("Figure 1")
    field(dialog, "tokens").set_value("1-2")
    dialog.close()
    dialog = begin()
    assert dialog.form.look().title == "Figure 1"
    assert dialog.form.spec().tokens == (0, 1)
    dialog.close()
    dialog = begin(one=(1, 1))
    assert dialog.form.look().title == "auto"
    assert dialog.form.spec() == Spec(layers=(1,), heads=(1,))


def test_a_font_that_is_gone_has_another_in_its_place(begin, settled):
    dialog = begin({"font": "Gone Sans", "dpi": 72})
    note = "“Gone Sans” is not on this machine; Noto Sans is used."
    assert dialog.note.text() == note
    assert dialog.form.look() == Look(dpi=72)
    assert dialog.save_button.isEnabled()
    dialog.close()
    dialog = begin(one=(1, 1))
    assert dialog.note.isHidden()
    dialog.presets.chosen.emit(Look(font="Gone Sans", dpi=90).flat())
    settled(dialog)
    assert dialog.note.text() == note
    assert dialog.form.look() == Look(dpi=90)


def test_a_look_of_somebody_else_is_not_remembered(begin, qtbot):
    dialog = begin({"dpi": 90, "theme": "dark", "font": "Gone Sans"})
    with qtbot.assertNotEmitted(dialog.memory_changed):
        dialog.close()
    dialog = begin({"dpi": 90, "theme": "dark"}, one=(1, 1))
    field(dialog, "numbers").set_value(True)
    with qtbot.waitSignal(dialog.memory_changed) as memory:
        dialog.close()
    assert memory.args[0].look == Look(numbers=True)


def test_the_look_is_remembered_when_it_closes(begin, qtbot):
    dialog = begin()
    field(dialog, "dpi").set_value(72)
    field(dialog, "title").set_value("Figure 1")
    with qtbot.waitSignal(dialog.memory_changed) as memory:
        dialog.close_button.click()
    assert memory.args[0].look == Look(dpi=72)


# --- the rest -------------------------------------------------------------------------------------


def test_a_note_is_shown_above_the_picture_s_own(begin):
    dialog = begin(note="The kept result is not exported.")
    assert dialog.note.isVisible()
    dialog.close()
    assert begin().note.isHidden()


def test_it_explains_itself(begin, monkeypatch):
    dialog = begin()
    shown = []
    monkeypatch.setattr(QWhatsThis, "showText", lambda place, text, widget: shown.append(text))
    dialog.help.button.click()
    assert "Saved picture" in shown[0]
    assert "“A file each”" in shown[0]


def test_tab_goes_down_the_dialog_and_reaches_everything(begin):
    dialog = begin()
    order, widget = [], dialog.presets.box
    while widget not in order:
        order.append(widget)
        widget = widget.nextInFocusChain()
    wanted = [
        dialog.presets.box,
        dialog.presets.save_button,
        dialog.form.tabBar(),
        field(dialog, "view").editor,
        dialog.cancel_button,
        dialog.help.button,
        dialog.save_button,
        dialog.close_button,
    ]
    places = [order.index(one) for one in wanted]
    assert places == sorted(places)
    assert all(one.focusPolicy() & Qt.FocusPolicy.TabFocus for one in wanted)
    assert dialog.form.tabBar().accessibleName()


def test_small_weights_are_noted(begin, settled):
    from posenc_model import encode

    long = encode(" ".join("abcdefghijklmnop" * 2), num_layers=1, num_heads=1, width=8)
    dialog = begin(of=long)
    assert "Range “up to the largest value”" in dialog.notes.text()
    field(dialog, "color_range").set_value("largest")
    settled(dialog)
    assert "Range" not in dialog.notes.text()


def test_it_fits_a_small_screen(begin):
    dialog = begin()
    least = dialog.minimumSizeHint()
    assert least.width() <= 640
    assert least.height() <= 330  # 1280 × 720 at 200 %, with a title bar
    dialog.resize(640, 330)
    assert dialog.pane.width() > 140
