"""The main window: the only place where panels, views and controller meet."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QMainWindow,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from posenc_gui.actions import Actions
from posenc_gui.appearance import Appearance
from posenc_gui.controller import Controller
from posenc_gui.dialogs.about import AboutDialog
from posenc_gui.dialogs.bug import BugDialog
from posenc_gui.geometry import WindowGeometry
from posenc_gui.guide import Guide
from posenc_gui.head_choice import HeadChoice
from posenc_gui.history import History, HistoryStrip, State, head_icon
from posenc_gui.opening import Opener, TrainOpener
from posenc_gui.panels.settings import SettingsPanel, first_weights
from posenc_gui.panels.text import TextPanel, cut_of
from posenc_gui.preferences import Preferences, load_preferences, save_preferences
from posenc_gui.reopening import Reopener
from posenc_gui.saving import Saver
from posenc_gui.status import Notice, RunStatus, result_words
from posenc_gui.view_tabs import ViewTabs
from posenc_gui.views import VIEWS
from posenc_gui.views.attention import AttentionView
from posenc_gui.views.base import ResultView
from posenc_model.encodings import ENCODINGS
from posenc_model.errors import PosencError
from posenc_model.request import RunRequest

if TYPE_CHECKING:
    from posenc_model.exporters.provenance import SavedState
    from posenc_model.result import RunResult

TYPING_PAUSE_MS = 150
_LOADING, _RUNNING = "Loading the encoder…", "Running…"
_SAID_FOR_MS = 8000


class MainWindow(QMainWindow):
    """Panels are read into a request; its result goes to the views.

    Args:
        folder: Where preferences are kept.
        given: Settings from the command line, by name; they go before the remembered ones.
        state: What a saved file tells of; it goes before both.
    """

    def __init__(
        self,
        folder: Path,
        given: Mapping[str, Any] | None = None,
        state: SavedState | None = None,
    ) -> None:
        super().__init__()
        self._folder = folder
        self._next_id = 0
        remembered, notice = load_preferences(folder / "preferences.json")
        self.appearance = Appearance(
            remembered.theme, remembered.color_map, remembered.full_scale, self
        )
        self.appearance.apply_theme()
        given = given or {}
        stored = remembered.encoding_options
        self.setWindowTitle("PosEnc")
        self.text_panel = TextPanel(remembered.text)
        self.settings_panel = SettingsPanel(
            {
                **remembered.settings,
                **given,
                "weights": first_weights(given, remembered.settings),
            },
            {name: {**stored.get(name, {}), **given} for name in ENCODINGS},
        )
        self.choice = HeadChoice(self)
        self.views: list[ResultView] = [view(self.choice) for view in VIEWS]
        self.notice = Notice()
        self.status = RunStatus()
        self.controller = Controller(self)
        parts = (self.controller, self.appearance, self.choice)
        self.saver = Saver(self, *parts, folder / "figures.json", remembered.last_folder)
        self.history = History(self)
        self.opener = Opener(self, self.controller, self.saver.folder)
        self.training = TrainOpener(self.appearance, self)
        self.guide = Guide(self, folder / "window.ini", not remembered.tour_offered)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._build_layout()
        self._build_menus()
        self.reopener = Reopener(
            self.controller, self.tabs, self.choice, self.appearance, self.saver
        )
        self._connect()
        self._on_colors_changed(remembered.color_map, remembered.full_scale)
        self._geometry.restore()
        for sentence in filter(None, (notice, self.saver.notice)):
            self.notice.keep(sentence)
        for view in self.views:
            view.clear(_LOADING)
        if state is not None:
            self.reopener.show_state(state)
        # The window is painted first; then the first run loads torch and spaCy in its thread.
        self._pause.start(0)

    @property
    def attention_view(self) -> AttentionView:
        """The view of single heads, which menus steer."""
        return next(view for view in self.views if isinstance(view, AttentionView))

    def _build_layout(self) -> None:
        self.tabs = ViewTabs(self.views)
        shown = QWidget()
        column = QVBoxLayout(shown)
        column.setContentsMargins(8, 0, 0, 0)
        column.addWidget(self.notice)
        column.addWidget(self.tabs, 1)
        column.addWidget(HistoryStrip(self.history))
        below = QSplitter(Qt.Orientation.Horizontal)
        below.addWidget(self.settings_panel)
        below.addWidget(self.guide.beside(shown))
        below.setStretchFactor(1, 1)
        below.setSizes([240, 1040])
        below.setCollapsible(1, False)
        main = QSplitter(Qt.Orientation.Vertical)
        main.addWidget(self.text_panel)
        main.addWidget(below)
        main.setStretchFactor(1, 1)
        main.setSizes([130, 560])
        main.setCollapsible(1, False)
        central = QWidget()
        margins = QVBoxLayout(central)
        margins.setContentsMargins(10, 6, 10, 4)
        margins.addWidget(main)
        self.setCentralWidget(central)
        self._geometry = WindowGeometry(
            self._folder / "window.ini",
            self,
            {"main": main, "below": below, "attention": self.attention_view.splitter},
        )
        self.statusBar().addWidget(self.status, 1)
        self.statusBar().addPermanentWidget(self.saver.progress)

    def _build_menus(self) -> None:
        self._actions = actions = Actions(self)
        file = actions.menu("&File")
        opened = self.opener.fill_menu(actions, file)
        file.addSeparator()
        self.saver.fill_menu(actions, file)
        file.addSeparator()
        actions.add(file, "&Quit", self.close, "Ctrl+Q", "quit")

        self.history.fill_menu(actions, actions.menu("&Edit"))

        view = actions.menu("&View")
        self.tabs.fill_menu(actions, view)
        view.addSeparator()
        self.attention_view.fill_menu(actions, view)
        cancel = self.controller.cancel
        self._cancel_action = actions.add(view, "&Cancel the run", cancel, "Esc", "cancel")
        self._cancel_action.setEnabled(False)  # or it would keep Esc from the view
        view.addSeparator()
        self.appearance.fill_menu(actions, view)

        train = actions.menu("&Train")
        actions.add(train, "&Train encoders…", self.training.show, "Ctrl+T", "train")

        about = actions.menu("&Help")
        actions.add(about, "&About PosEnc", self._on_about, icon_name="info")

        self.text_panel.open_button.setDefaultAction(opened)
        self.tabs.add_tools(self.attention_view, [self.appearance.scale_box])
        for button in self.saver.buttons():
            self.tabs.add_button(button)
        self.saver.show_view(self.attention_view)
        self.guide.fill_menus(actions, view, about, self._cancel_action)
        actions.color_icons()

    def _connect(self) -> None:
        self.text_panel.changed.connect(self._on_text_changed)
        self.settings_panel.changed.connect(self._on_settings_changed)
        self._pause.timeout.connect(self._on_pause_over)
        self.text_panel.chips.pointed_at.connect(self._on_chip_pointed_at)
        for view in self.views:
            view.work_wanted.connect(self.controller.run_task)
            view.row_marked.connect(self._on_row_marked)
            view.setting_wanted.connect(self.settings_panel.choose_setting)
        self.attention_view.plot.cell_marked.connect(self._on_cell_marked)
        controller = self.controller
        controller.started.connect(self._on_started)
        controller.idle.connect(self._on_idle)
        controller.finished.connect(self._on_finished)
        controller.failed.connect(self._on_failed)
        controller.progressed.connect(self._on_progressed)
        controller.cancelled.connect(self._on_cancelled)
        controller.crashed.connect(self._on_crashed)
        controller.task_finished.connect(self._on_task_finished)
        controller.task_failed.connect(self._on_task_failed)
        self.status.cancel_asked.connect(controller.cancel)
        self.status.became_slow.connect(self._on_slow)
        self.history.restore_wanted.connect(self._on_restore)
        self.opener.text_chosen.connect(self.text_panel.open_file)
        self.opener.weights_chosen.connect(self.settings_panel.choose_weights)
        self.opener.folder_changed.connect(self._on_folder_changed)
        self.opener.state_read.connect(self.reopener.show_state)
        self.opener.failed.connect(self._on_not_saved)
        self.reopener.restore_wanted.connect(self._on_restore)
        self.opener.take_drops(self.text_panel.editor)
        self.tabs.view_changed.connect(self.saver.show_view)
        self.saver.folder_changed.connect(self._on_folder_changed)
        self.saver.said.connect(self._on_saved)
        self.saver.failed.connect(self._on_not_saved)
        self.appearance.colors_changed.connect(self._on_colors_changed)
        self.appearance.theme_changed.connect(self._actions.color_icons)

    # --- from panels to a run -------------------------------------------------------------------

    @Slot()
    def _on_text_changed(self) -> None:
        self._pause.start(TYPING_PAUSE_MS)

    @Slot()
    def _on_settings_changed(self) -> None:
        self._pause.start(0)  # at once, but once for changes that come together

    @Slot()
    def _on_pause_over(self) -> None:
        """Reads every panel once and asks for a run."""
        self.settings_panel.clear_messages()
        try:
            settings = self.settings_panel.settings()
        except PosencError as error:
            self._show_failure(error.sentence, error.setting or "")
            return
        text = self.text_panel.text()
        if not text.strip():
            self._show_failure("Type a sentence to see how its words attend to each other.", "text")
            return
        self._next_id += 1
        masked = self.text_panel.masked(cut_of(settings))
        if settings.source.kind != "trained":
            masked = ()
        self.controller.submit(RunRequest(self._next_id, text, settings, masked=masked))

    @Slot(object)
    def _on_restore(self, state: State) -> None:
        if state.text.strip() and self.text_panel.text() != state.text:
            self.text_panel.set_text(state.text)
        self.text_panel.hide_words(state.masked, cut_of(state.settings))
        try:
            self.settings_panel.show_settings(state.settings)
        except PosencError as error:  # its weights are gone
            self._show_failure(error.sentence, error.setting or "")

    @Slot(object)
    def _on_started(self, request: RunRequest) -> None:
        self._say_running(_LOADING if self.controller.runs_started == 1 else _RUNNING)
        self._cancel_action.setEnabled(True)

    def _say_running(self, sentence: str) -> None:
        self.status.begin(sentence)
        for view in self.views:
            if not view.has_result():
                view.clear(sentence)

    @Slot(float)
    def _on_progressed(self, share: float) -> None:
        if self.status.label.text() == _LOADING:  # it is loaded, then
            self._say_running(_RUNNING)
        self.status.advance(share)

    @Slot()
    def _on_slow(self) -> None:
        self.saver.set_old()
        for view in self.views:
            view.set_old(True)

    @Slot()
    def _on_idle(self) -> None:
        self._cancel_action.setEnabled(False)

    @Slot(object)
    def _on_finished(self, result: RunResult) -> None:
        self.text_panel.chips.set_tokens(
            result.tokens, result.is_unknown, result.request.masked, result.can_guess
        )
        self.text_panel.guesses.show_guesses(result.guesses, result.can_guess)
        for view in self.views:
            view.show_result(result)
        icon = head_icon(result, self.choice.layer, self.choice.head, self.appearance.color_map)
        self.history.record(result, icon)
        self.saver.show_result(result)
        self.notice.show_sentences((*result.warnings, *self.reopener.show_rest(result)))
        self.status.end(result_words(result))

    @Slot(object, str, str)
    def _on_failed(self, request: RunRequest, sentence: str, setting: str) -> None:
        self._show_failure(sentence, setting)

    def _show_failure(self, sentence: str, setting: str) -> None:
        """Shows a mistake where it was made, and in place of the picture, which no longer holds."""
        self.controller.cancel()
        is_shown = self.settings_panel.show_message(setting, sentence)
        self._show_no_result(sentence)
        if setting != "text" and not is_shown:
            self.notice.show_sentences((sentence,), "error")

    def _show_no_result(self, hint: str) -> None:
        self.text_panel.chips.set_tokens((), ())
        self.text_panel.guesses.show_guesses((), can_guess=False)
        self.history.lose()
        for view in self.views:
            view.clear(hint)
        self.notice.show_sentences(())
        self.saver.show_result(None)
        self.reopener.forget()
        self.status.end("")

    @Slot()
    def _on_cancelled(self) -> None:
        self._show_no_result("Cancelled. Change the text or a setting to run again.")

    @Slot(str)
    def _on_crashed(self, details: str) -> None:
        self._show_no_result("Something went wrong. Change the text or a setting to run again.")
        self.show_bug(details)

    def show_bug(self, details: str) -> None:
        """Opens the dialog for a mistake of the program's own."""
        BugDialog(details, self).open()

    # --- between views, chips and heads ---------------------------------------------------------

    @Slot(str, object)
    def _on_task_finished(self, name: str, given: object) -> None:
        for view in self.views:
            view.take(name, given)

    @Slot(str, str)
    def _on_task_failed(self, name: str, sentence: str) -> None:
        for view in self.views:
            view.fail(name, sentence)

    @Slot(object, object)
    def _on_row_marked(self, query: int | None, weights: Any) -> None:
        figure = self.attention_view.figure()
        levels = figure.levels if figure else (0.0, 1.0)
        color_map = figure.color_map if figure else self.appearance.color_map
        self.text_panel.chips.light_up(query, weights, levels, color_map)

    @Slot(object)
    def _on_cell_marked(self, cell: tuple[int, int] | None) -> None:
        for view in self.views:
            view.mark_cell(cell or self.attention_view.plot.chosen)

    @Slot(int)
    def _on_chip_pointed_at(self, index: int) -> None:
        for view in self.views:
            view.mark_query(index if index >= 0 else None)

    # --- files ----------------------------------------------------------------------------------

    @Slot(str)
    def _on_folder_changed(self, folder: str) -> None:
        self.saver.folder = self.opener.folder = folder

    @Slot(str)
    def _on_saved(self, sentence: str) -> None:
        self.statusBar().showMessage(sentence, _SAID_FOR_MS)

    @Slot(str)
    def _on_not_saved(self, sentence: str) -> None:
        self.notice.show_sentences((sentence,), "error")

    # --- looks and memory -----------------------------------------------------------------------

    @Slot(str, bool)
    def _on_colors_changed(self, color_map: str, full_scale: bool) -> None:
        for view in self.views:
            view.set_colors(color_map, full_scale)

    def _on_about(self) -> None:
        AboutDialog(self).open()

    def _remember(self) -> None:
        self._geometry.save()
        preferences = Preferences(
            text=self.text_panel.text(),
            settings=self.settings_panel.remembered(),
            encoding_options=self.settings_panel.encoding_options(),
            theme=self.appearance.theme,
            color_map=self.appearance.color_map,
            full_scale=self.appearance.full_scale,
            last_folder=self.saver.folder,
            tour_offered=True,
        )
        save_preferences(self._folder / "preferences.json", preferences)

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self.saver.may_quit():
            event.ignore()
            return
        self._pause.stop()
        self.guide.end()
        self.saver.shut_down()
        self._remember()
        self.training.shut_down()
        self.hide()  # at once; a run may take a moment to notice that it was cancelled
        self.controller.shut_down()
        event.accept()
