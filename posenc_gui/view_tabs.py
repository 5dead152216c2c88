"""The views as tabs, with what belongs to one of them in the corner."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QMenu, QTabWidget, QWidget

from posenc_gui.actions import Actions
from posenc_gui.views.base import ResultView


class ViewTabs(QTabWidget):
    """A tab for each view."""

    view_changed = Signal(object)  # ResultView

    def __init__(self, views: Sequence[ResultView]) -> None:
        super().__init__()
        self.setDocumentMode(True)
        self.setTabBarAutoHide(True)
        self._views = views
        self._owner: QWidget | None = None
        self._tools: list[QWidget] = []
        corner = QWidget()
        self._corner = QHBoxLayout(corner)
        self._corner.setContentsMargins(0, 0, 0, 2)
        self.setCornerWidget(corner, Qt.Corner.TopRightCorner)
        for view in views:
            self.addTab(view, view.title)
        self.currentChanged.connect(self._on_current_changed)

    def add_tools(self, owner: ResultView, tools: Sequence[QWidget]) -> None:
        """Puts widgets into the corner, to be seen while ``owner`` is."""
        self._owner, self._tools = owner, list(tools)
        for tool in tools:
            self._corner.addWidget(tool)
        self._on_current_changed()

    def add_button(self, button: QWidget) -> None:
        """Puts a button into the corner, to be seen always."""
        self._corner.addWidget(button)

    def show_picture(self, picture: str) -> ResultView:
        """Shows the view that has a picture, a name in ``PICTURES``, and gives it."""
        view = next(view for view in self._views if picture in view.pictures)
        self.setCurrentWidget(view)
        return view

    def fill_menu(self, actions: Actions, menu: QMenu) -> None:
        """Adds an action for each view: Ctrl and its number."""
        for index in range(self.count()):
            show = partial(self.setCurrentIndex, index)
            actions.add(menu, f"&{index + 1} {self.tabText(index)}", show, f"Ctrl+{index + 1}")

    @Slot()
    def _on_current_changed(self) -> None:
        for tool in self._tools:
            tool.setVisible(self.currentWidget() is self._owner)
        self.view_changed.emit(self.currentWidget())
