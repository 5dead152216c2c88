"""What the user can do, as actions in menus: a name, an icon, a shortcut each."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

from posenc_gui.theme import icon


class Actions:
    """Builds the menus of a window and keeps the icons in the theme's colour."""

    def __init__(self, window: QMainWindow) -> None:
        self._window = window
        self._icons: dict[QAction, str] = {}

    def menu(self, title: str) -> QMenu:
        """Adds a menu to the menu bar."""
        menu = QMenu(title, self._window)
        self._window.menuBar().addMenu(menu)
        return menu

    def add(
        self,
        menu: QMenu,
        text: str,
        slot: Callable[[], object],
        shortcut: str | QKeySequence.StandardKey = "",
        icon_name: str = "",
    ) -> QAction:
        """Adds an action to a menu."""
        action = QAction(text, self._window)
        action.setShortcut(QKeySequence(shortcut))
        action.triggered.connect(slot)
        if icon_name:
            self._icons[action] = icon_name
        menu.addAction(action)
        return action

    def add_choice(
        self, menu: QMenu, choices: dict[str, str], chosen: str, slot: Callable[[str], object]
    ) -> dict[str, QAction]:
        """Adds one checkable action for each choice, of which one is checked.

        Args:
            menu: Where to add them.
            choices: What the menu shows, by name.
            chosen: The name that is checked first.
            slot: Called with the name of the one that was chosen.
        """
        group = QActionGroup(self._window)
        actions = {}
        for name, text in choices.items():
            action = QAction(text, group)
            action.setCheckable(True)
            action.setChecked(name == chosen)
            action.setData(name)
            menu.addAction(action)
            actions[name] = action
        group.triggered.connect(lambda action: slot(str(action.data())))
        return actions

    def color_icons(self) -> None:
        """Draws all icons in the colour of the window's text."""
        for action, name in self._icons.items():
            action.setIcon(icon(name, self._window.palette()))
