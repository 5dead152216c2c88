"""What the figure dialog says about itself: behind its question mark, and with F1."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPoint, QRectF, Qt, Slot
from PySide6.QtGui import QKeySequence, QPaintEvent, QPen, QShortcut, QTextDocument
from PySide6.QtWidgets import QWhatsThis, QWidget

from posenc_gui.explanations import explanations
from posenc_gui.help_button import HelpButton
from posenc_gui.painting import painting

TOPIC = "views/saved-picture"


class _Button(HelpButton):
    """Reached with Tab, as the other buttons of a dialog are."""

    def __init__(self) -> None:
        super().__init__(TOPIC, "saving pictures")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.hasFocus():
            with painting(self) as painter:
                painter.setPen(QPen(self.palette().highlight().color(), 1.5))
                painter.drawRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))


class FigureHelp(QObject):
    """A button, and the text that it shows.

    The pane with explanations lies in the window, which the dialog covers.
    """

    def __init__(self, dialog: QWidget) -> None:
        super().__init__(dialog)
        self.button = _Button()
        self.button.asked.connect(self.show)
        QShortcut(QKeySequence("F1"), dialog).activated.connect(self.show)

    @Slot()
    def show(self) -> None:
        QWhatsThis.showText(self.button.mapToGlobal(QPoint(0, 0)), self.text(), self.button)

    @staticmethod
    def text() -> str:
        """The explanation in HTML."""
        explanation = explanations()[TOPIC]
        document = QTextDocument()
        document.setMarkdown(
            f"**{explanation.title}**\n\n{explanation.short}\n\n{explanation.more}"
        )
        return document.toHtml()
