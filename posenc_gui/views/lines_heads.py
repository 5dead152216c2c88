"""Which heads the lines view shows: a button each, in the colour of its lines."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QIcon,
    QMouseEvent,
    QPainter,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QSizePolicy,
    QToolButton,
    QWidget,
)

from posenc_gui.figures.lines import (
    head_color,
    line_pen,
)
from posenc_gui.figures.style import Style
from posenc_gui.painting import painting
from posenc_gui.theme import picture_style


class _HeadButton(QToolButton):
    only_wanted = Signal(int)

    def __init__(self, head: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.head = head
        self.setCheckable(True)
        self.setAutoRaise(True)
        self.setText(str(head + 1))
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(f"Head {head + 1}")
        self.setToolTip(
            f"Shows or hides the lines of head {head + 1}; a double click shows them alone"
        )

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.only_wanted.emit(self.head)


class HeadButtons(QWidget):
    """A check button for each head, with the colour of its lines; in as many rows as needed."""

    ticked = Signal(int, bool)  # head, from 0
    only_wanted = Signal(int)  # head, from 0

    def __init__(self) -> None:
        super().__init__()
        self.buttons: list[_HeadButton] = []
        self.setAccessibleName("Heads")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(60)

    def set_heads(self, count: int, ticked: frozenset[int]) -> None:
        """Shows so many buttons, and which are ticked."""
        while len(self.buttons) > count:
            self.buttons.pop().deleteLater()
        for head in range(len(self.buttons), count):
            button = _HeadButton(head, self)
            button.clicked.connect(self._on_clicked)
            button.only_wanted.connect(self.only_wanted)
            button.show()
            self.buttons.append(button)
        for button in self.buttons:
            button.setChecked(button.head in ticked)
        self._color()
        self._place()

    def _on_clicked(self, is_on: bool) -> None:
        button = self.sender()
        assert isinstance(button, _HeadButton)
        self.ticked.emit(button.head, is_on)

    def _color(self) -> None:
        style = picture_style(self.palette(), self.font())
        for button in self.buttons:
            button.setIcon(_head_icon(button.head, style, self.devicePixelRatioF()))

    def _place(self) -> None:
        if not self.buttons:
            return
        sizes = [button.sizeHint() for button in self.buttons]
        width, height = max(s.width() for s in sizes), max(s.height() for s in sizes)
        columns = max(1, self.width() // (width + 2))
        for index, button in enumerate(self.buttons):
            row, column = divmod(index, columns)
            button.setGeometry(column * (width + 2), row * (height + 2), width, height)
        rows = -(-len(self.buttons) // columns)
        self.setFixedHeight(rows * (height + 2))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._place()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in _LOOK_CHANGES and hasattr(self, "buttons"):
            self._color()
            self._place()


def _head_icon(head: int, style: Style, ratio: float) -> QIcon:
    """A piece of the head's line where the button is ticked, and its outline where not."""
    icon = QIcon()
    for state in (QIcon.State.On, QIcon.State.Off):
        pixmap = QPixmap(round(16 * ratio), round(16 * ratio))
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(Qt.GlobalColor.transparent)
        with painting(pixmap) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if state == QIcon.State.On:
                painter.setPen(line_pen(head, 1.0, 5.0, style))
                painter.drawLine(QPointF(1, 8), QPointF(15, 8))
            else:
                painter.setPen(QPen(head_color(head, style), 1.2))
                painter.drawRoundedRect(QRectF(1.6, 5.6, 12.8, 4.8), 2, 2)
        icon.addPixmap(pixmap, QIcon.Mode.Normal, state)
    return icon


_LOOK_CHANGES = (QEvent.Type.PaletteChange, QEvent.Type.FontChange)
