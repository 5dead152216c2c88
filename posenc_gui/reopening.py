"""Bringing a window to the state that a saved file tells of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from posenc_gui.appearance import Appearance
from posenc_gui.controller import Controller
from posenc_gui.head_choice import HeadChoice
from posenc_gui.history import State
from posenc_gui.saving import Saver
from posenc_gui.view_tabs import ViewTabs
from posenc_model.exporters.look import AUTOMATIC, levels_of
from posenc_model.exporters.provenance import SavedState
from posenc_model.exporters.spec import Spec

if TYPE_CHECKING:
    from posenc_model.result import RunResult

_MORE = (
    "The file shows other layers, heads or words than the window can at once: “Save picture…” "
    "(Ctrl+S) has them as they are in the file."
)


class Reopener(QObject):
    """Has the text and settings shown first, and the rest once their result is there."""

    restore_wanted = Signal(object)  # State

    def __init__(
        self,
        controller: Controller,
        tabs: ViewTabs,
        choice: HeadChoice,
        appearance: Appearance,
        saver: Saver,
    ) -> None:
        super().__init__(saver)
        self._tabs, self._choice = tabs, choice
        self._appearance, self._saver = appearance, saver
        self._wanted: SavedState | None = None
        self._has_begun = False
        controller.started.connect(self._on_started)

    @Slot(object)
    def show_state(self, state: SavedState) -> None:
        """Asks for what a file tells of."""
        self._wanted, self._has_begun = state, False
        self.restore_wanted.emit(State(state.text, state.settings, state.masked))

    @Slot()
    def forget(self) -> None:
        """Nothing comes of it: the user is told elsewhere why."""
        self._wanted = None

    @Slot()
    def _on_started(self) -> None:
        self._has_begun = True

    def show_rest(self, result: RunResult) -> tuple[str, ...]:
        """Shows what else the file tells of, if this is the result for it.

        Returns:
            What the user should know of it, as sentences.
        """
        state = self._wanted
        if state is None or not self._has_begun:
            return ()
        self._wanted = None
        spec, look = state.spec, state.look
        is_numbers = isinstance(levels_of(look.color_range), tuple)
        is_full = self._appearance.full_scale if is_numbers else look.color_range == AUTOMATIC
        self._appearance.show_colors(look.color_map, is_full)
        view = self._tabs.show_picture(spec.view)
        layer = self._choice.layer if spec.layers is None else spec.layers[0]
        head = self._choice.head if spec.heads is None else spec.heads[0]
        self._choice.choose(layer, head)
        view.show_spec(spec)
        self._saver.show_opened(spec, look)
        return (_MORE,) if _shows_more(spec, result) else ()


def _shows_more(spec: Spec, result: RunResult) -> bool:
    """Whether a file shows what its view in the window does not: some words, several heads."""
    tokens, view = spec.tokens, spec.view
    if tokens is not None:
        is_block = tokens == tuple(range(tokens[0], tokens[-1] + 1))
        if view != "matrix" or not is_block:
            return True
    layers = result.num_layers if spec.layers is None else len(spec.layers)
    heads = result.num_heads if spec.heads is None else len(spec.heads)
    if view == "overview":
        return (layers, heads) != (result.num_layers, result.num_heads)
    return layers > 1 or (heads > 1 and view != "lines")
