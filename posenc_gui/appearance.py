"""What the user chooses of the window's looks: theme, colour map and colour scale."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QApplication, QCheckBox, QMenu

from posenc_gui.actions import Actions
from posenc_gui.figures.colormaps import COLOR_MAPS
from posenc_gui.theme import THEMES, apply_theme


class Appearance(QObject):
    """Keeps the choices, applies the theme and fills the menu.

    Attributes:
        theme: A name in ``THEMES``.
        color_map: A name in ``COLOR_MAPS``.
        full_scale: Whether colours go from 0 to 1, not to the largest weight shown.
        scale_box: Switches ``full_scale`` as the menu does, for beside the picture.
    """

    colors_changed = Signal(str, bool)  # colour map, full scale
    theme_changed = Signal()

    def __init__(self, theme: str, color_map: str, full_scale: bool, parent: QObject) -> None:
        super().__init__(parent)
        self.theme, self.color_map, self.full_scale = theme, color_map, full_scale
        self.scale_box = QCheckBox("Scale 0–1")
        self.scale_box.setToolTip("Colours go from 0 to 1; off: from 0 to the largest weight shown")
        self.scale_box.setChecked(full_scale)
        self.scale_box.toggled.connect(self._on_scale)
        QApplication.styleHints().colorSchemeChanged.connect(self.apply_theme)

    def fill_menu(self, actions: Actions, menu: QMenu) -> None:
        maps = menu.addMenu("Colour &map")
        names = {name: title for name, (_, title) in COLOR_MAPS.items()}
        self._maps = actions.add_choice(maps, names, self.color_map, self._on_color_map)
        scale = actions.add(menu, "Colour &scale from 0 to 1", self.scale_box.click)
        scale.setCheckable(True)
        scale.setChecked(self.full_scale)
        self.scale_box.toggled.connect(scale.setChecked)
        actions.add_choice(menu.addMenu("&Theme"), THEMES, self.theme, self._on_theme)

    def show_colors(self, color_map: str, full_scale: bool) -> None:
        """Chooses a colour map and scale, as if the user had."""
        self._maps[color_map].trigger()
        self.scale_box.setChecked(full_scale)

    @Slot()
    def apply_theme(self) -> None:
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        apply_theme(application, self.theme)
        self.theme_changed.emit()

    def _on_color_map(self, name: str) -> None:
        self.color_map = name
        self.colors_changed.emit(self.color_map, self.full_scale)

    @Slot(bool)
    def _on_scale(self, is_full: bool) -> None:
        self.full_scale = is_full
        self.colors_changed.emit(self.color_map, self.full_scale)

    def _on_theme(self, name: str) -> None:
        self.theme = name
        self.apply_theme()
