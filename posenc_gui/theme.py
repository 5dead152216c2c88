"""Light and dark: palettes, icons and picture styles that go together."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QGuiApplication, QIcon, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

from posenc_gui.figures.style import Style
from posenc_gui.painting import painting
from posenc_model.resources import resource_folder

SYSTEM, LIGHT, DARK = "system", "light", "dark"
THEMES = {SYSTEM: "Like the system", LIGHT: "Light", DARK: "Dark"}


@dataclass(frozen=True)
class Colors:
    """The colours of one theme; text on its ground reaches a contrast of at least 4.5 : 1."""

    window: str
    base: str
    raised: str
    field: str
    text: str
    muted: str
    line: str
    accent: str
    on_accent: str
    warning: str
    error: str


_LIGHT = Colors(
    window="#f3f4f6",
    base="#ffffff",
    raised="#fbfbfc",
    field="#ffffff",
    text="#1b1f24",
    muted="#596273",
    line="#cfd4dc",
    accent="#1f5fae",
    on_accent="#ffffff",
    warning="#8a4b00",
    error="#b3261e",
)
_DARK = Colors(
    window="#202329",
    base="#16181d",
    raised="#2b2f37",
    field="#434b58",
    text="#e7e9ec",
    muted="#a3acba",
    line="#3d434e",
    accent="#7db4f5",
    on_accent="#10151c",
    warning="#f2b566",
    error="#ff8a80",
)


def is_dark(theme: str) -> bool:
    """Whether ``theme``, on this system, is dark."""
    if theme == SYSTEM:
        return QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
    return theme == DARK


def colors_of(palette: QPalette) -> Colors:
    """The theme that ``palette`` belongs to."""
    return _DARK if palette.color(QPalette.ColorRole.Base).lightness() < 128 else _LIGHT


def apply_theme(application: QApplication, theme: str) -> None:
    """Gives the whole application the palette of ``theme``."""
    colors = _DARK if is_dark(theme) else _LIGHT
    palette = _palette(colors)
    application.setPalette(palette)
    # Fusion draws these in the colour of text fields, where their frames can hardly be seen.
    fields = QPalette(palette)
    fields.setColor(QPalette.ColorRole.Base, QColor(colors.field))
    for kind in ("QCheckBox", "QAbstractSpinBox"):
        application.setPalette(fields, kind)  # type: ignore[arg-type]  # the stubs say bytes
    application.setStyleSheet(_STYLE_SHEET.format(c=colors))


def _palette(colors: Colors) -> QPalette:
    role = QPalette.ColorRole
    palette = QPalette()
    for target, color in (
        (role.Window, colors.window),
        (role.WindowText, colors.text),
        (role.Base, colors.base),
        (role.AlternateBase, colors.raised),
        (role.Text, colors.text),
        (role.Button, colors.raised),
        (role.ButtonText, colors.text),
        (role.BrightText, colors.error),
        (role.ToolTipBase, colors.raised),
        (role.ToolTipText, colors.text),
        (role.PlaceholderText, colors.muted),
        (role.Highlight, colors.accent),
        (role.HighlightedText, colors.on_accent),
        (role.Link, colors.accent),
        (role.Mid, colors.line),
        (role.Accent, colors.accent),
    ):
        palette.setColor(target, QColor(color))
    for target in (role.WindowText, role.Text, role.ButtonText):
        faded = QColor(colors.muted)
        faded.setAlphaF(0.65)
        palette.setColor(QPalette.ColorGroup.Disabled, target, faded)
    return palette


# Only what a palette cannot say.
_STYLE_SHEET = """
QToolTip {{ border: 1px solid {c.line}; padding: 3px; }}
QLabel[role="heading"] {{ font-weight: 600; }}
QLabel[role="hint"] {{ color: {c.muted}; }}
QLabel[role="error"] {{ color: {c.error}; }}
QLabel[role="warning"] {{ color: {c.warning}; }}
QPlainTextEdit {{ border: 1px solid {c.line}; border-radius: 4px; padding: 2px; }}
QPlainTextEdit:focus {{ border: 1px solid {c.accent}; }}
"""


def picture_style(palette: QPalette, font: QFont) -> Style:
    """How pictures look in a window of this palette."""
    colors = colors_of(palette)
    return Style(
        font=font,
        background=QColor(colors.base),
        text=QColor(colors.text),
        muted=QColor(colors.muted),
        highlight=QColor("#e8590c" if colors is _LIGHT else "#ff9f5a"),
        masked=QColor(colors.line),
    )


def icon(name: str, palette: QPalette) -> QIcon:
    """An icon of the shipped set in the palette's text colour."""
    source = (resource_folder() / "icons" / f"{name}.svg").read_text(encoding="utf-8")
    color = palette.color(QPalette.ColorRole.ButtonText).name()
    renderer = QSvgRenderer(QByteArray(source.replace("#000000", color).encode()))
    result = QIcon()
    for size in (16, 24, 32, 48, 64):
        pixmap = QPixmap(size, size)
        pixmap.fill(Qt.GlobalColor.transparent)
        with painting(pixmap) as painter:
            renderer.render(painter, QRectF(0, 0, size, size))
        result.addPixmap(pixmap)
    return result


def program_icon() -> QIcon:
    """The program's own icon."""
    return QIcon(str(resource_folder() / "icons" / "posenc.svg"))
