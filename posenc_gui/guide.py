"""What helps: explanations, the guided tour, and the presentation."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow, QMenu, QWidget

from posenc_gui.actions import Actions
from posenc_gui.escape import EscapeKey
from posenc_gui.explain_pane import BesidePane, Explainer
from posenc_gui.presentation import Presentation
from posenc_gui.tour import Tour


class Guide(QObject):
    """Puts them into a window and keeps them out of each other's way.

    Args:
        window: Whose parts they name.
        file: Where the window's geometry is kept.
        is_new: Whether the tour has never been offered.
    """

    presentation: Presentation
    tour: Tour

    def __init__(self, window: QMainWindow, file: Path, is_new: bool) -> None:
        super().__init__(window)
        self._window = window
        self._is_new = is_new
        self.explainer = Explainer(window, file)

    def beside(self, content: QWidget) -> BesidePane:
        """The content with room for explanations at its right."""
        return self.explainer.beside(content)

    def fill_menus(self, actions: Actions, view: QMenu, about: QMenu, cancel: QAction) -> None:
        """Adds what they do to the menus, once all parts of the window are there."""
        escape = EscapeKey(self._window, cancel)
        self.explainer.connect_parts(escape)
        self.presentation = Presentation(self._window, escape)
        self.tour = Tour(self._window)
        self.presentation.changed.connect(self.tour.pause)
        view.addSeparator()
        self.presentation.fill_menu(actions, view)
        about.addSeparator()
        self.explainer.fill_menu(actions, about)
        self.tour.fill_menu(actions, about)
        if self._is_new:
            self.tour.show_offer()

    def end(self) -> None:
        """Leaves everything as the user had it, before the window is remembered."""
        self.tour.end()
        self.presentation.leave()
        self.explainer.remember()
