"""Words as chips that can be put into another order, by mouse and by keyboard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QColor,
    QFocusEvent,
    QFont,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QApplication, QScrollArea, QSizePolicy, QWidget

from posenc_gui.figures.labels import visible
from posenc_gui.painting import painting
from posenc_gui.theme import colors_of
from posenc_gui.tips import show_tip

_GAP = 5.0
_EDGE = 4.0
_PADDING = 8.0
_LONGEST = 180.0
_FADED = 0.35
_NAME = "Words in their order"
_MOVING = (Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ControlModifier)


@dataclass(frozen=True)
class Chip:
    """A word that stands at some place.

    Attributes:
        word: What it says.
        origin: Its place in the text, from 0.
        is_copy: Whether the same word of the text stands before it already.
        is_unknown: Whether it is outside the vocabulary.
    """

    word: str
    origin: int
    is_copy: bool = False
    is_unknown: bool = False


class ProbeChips(QWidget):
    """Chips in lines, painted by one widget. It tells what is wanted and changes no order itself.

    Left and Right choose a chip, with Alt or Ctrl they move it; Delete removes it and Ctrl+D
    repeats it.
    """

    move_wanted = Signal(int, int)  # from which place to which
    repeat_wanted = Signal(int)  # place
    remove_wanted = Signal(int)  # place
    current_changed = Signal(int)  # place of the chosen chip
    came_into_focus = Signal(QRectF)  # what has to be in sight
    laid_out = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.chips: tuple[Chip, ...] = ()
        self.current = 0
        self._rects: list[QRectF] = []
        self._pressed: tuple[int, QPointF] | None = None
        self._dragged: int | None = None
        self._pointer = QPointF()
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self.setSizePolicy(policy)
        self._tell_name()

    # --- what is shown --------------------------------------------------------------------------

    def set_chips(self, chips: Sequence[Chip], current: int = 0) -> None:
        """Shows other chips, of which one is chosen."""
        self.chips = tuple(chips)
        self._pressed = self._dragged = None
        self.current = max(0, min(current, len(self.chips) - 1))
        self._lay_out()
        self._show_current()

    def choose(self, place: int) -> None:
        """Chooses the chip at a place."""
        if place != self.current and 0 <= place < len(self.chips):
            self.current = place
            self._show_current()
            self.current_changed.emit(place)

    @property
    def drop_place(self) -> int | None:
        """Before which chip the dragged one would come to stand, as it is seen; ``None``: none."""
        return None if self._dragged is None else self._gap_at(self._pointer)

    def chip_rect(self, place: int) -> QRectF:
        """Where a chip is, in the widget's coordinates."""
        return self._rects[place]

    def line_height(self) -> float:
        """The height of a line of chips, with the gap to the next."""
        return QFontMetricsF(self.font()).height() + 8 + _GAP

    def _show_current(self) -> None:
        self._tell_name()
        self.update()
        if self._rects:
            self.came_into_focus.emit(self._rects[self.current])

    def _tell_name(self) -> None:
        name = _NAME
        if self.chips:
            name += f": {self._described(self.current)}"
        self.setAccessibleName(name)
        event = QAccessibleEvent(self, QAccessible.Event.NameChanged)
        QAccessible.updateAccessibility(event)

    def _described(self, place: int) -> str:
        chip = self.chips[place]
        copy = ", a copy" if chip.is_copy else ""
        was = "" if chip.origin == place else f", was {chip.origin + 1}"
        return f"‘{visible(chip.word)}’, place {place + 1} of {len(self.chips)}{was}{copy}"

    # --- where chips are ------------------------------------------------------------------------

    def _lay_out(self) -> None:
        plain, italic = QFontMetricsF(self.font()), QFontMetricsF(self._font(True))
        height = plain.height() + 8
        x = y = _EDGE
        self._rects = []
        for chip in self.chips:
            metrics = italic if chip.is_unknown else plain
            width = min(metrics.horizontalAdvance(visible(chip.word)), _LONGEST) + 2 * _PADDING
            if x > _EDGE and x + width > self.width() - _EDGE:
                x, y = _EDGE, y + height + _GAP
            self._rects.append(QRectF(x, y, width, height))
            x += width + _GAP
        self.setMinimumHeight(int(y + height + _EDGE))
        self.update()
        self.laid_out.emit()

    def sizeHint(self) -> QSize:
        return QSize(200, self.minimumHeight())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._lay_out()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._lay_out()

    def _at(self, position: QPointF) -> int:
        return next((i for i, rect in enumerate(self._rects) if rect.contains(position)), -1)

    def _line(self, place: int) -> list[int]:
        """The places in the same line as ``place``."""
        top = self._rects[place].top()
        return [i for i, rect in enumerate(self._rects) if rect.top() == top]

    def _gap_at(self, position: QPointF) -> int:
        """Before which chip something dropped at ``position`` comes; their number for the end."""
        nearest = min(
            range(len(self._rects)),
            key=lambda i: abs(self._rects[i].center().y() - position.y()),
        )
        line = self._line(nearest)
        later = [i for i in line if self._rects[i].center().x() > position.x()]
        return later[0] if later else line[-1] + 1

    # --- painting -------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for place, rect in enumerate(self._rects):
                if rect.bottom() >= event.rect().top() and rect.top() <= event.rect().bottom():
                    painter.setOpacity(_FADED if place == self._dragged else 1.0)
                    self._paint_chip(painter, place, rect)
            painter.setOpacity(1.0)
            if self._dragged is not None:
                self._paint_dragged(painter, self._dragged)

    def _paint_dragged(self, painter: QPainter, place: int) -> None:
        """The chip that hangs on the pointer, and above it where it would go."""
        colors = colors_of(self.palette())
        rect = QRectF(self._rects[place])
        rect.moveCenter(self._pointer)
        painter.setOpacity(0.75)
        painter.setPen(QPen(QColor(colors.accent), 1.2))
        painter.setBrush(QColor(colors.raised))
        painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 6, 6)
        self._write(painter, place, rect, colors.text)
        painter.setOpacity(1.0)
        painter.setPen(QPen(QColor(colors.window), 1.5))
        painter.setBrush(QColor(colors.accent))
        painter.drawRoundedRect(self.gap_rect(self._gap_at(self._pointer)), 2, 2)

    def _paint_chip(self, painter: QPainter, place: int, rect: QRectF) -> None:
        colors = colors_of(self.palette())
        chip = self.chips[place]
        is_current = place == self.current
        color, style = colors.line, Qt.PenStyle.SolidLine
        if chip.is_unknown:
            color, style = colors.warning, Qt.PenStyle.DashLine
        if chip.is_copy:
            color, style = colors.accent, Qt.PenStyle.DashLine
        ground = colors.raised
        if is_current and self.hasFocus():
            color, style, ground = colors.accent, Qt.PenStyle.SolidLine, colors.accent
        elif is_current:
            color = colors.accent
        painter.setPen(QPen(QColor(color), 2.0 if is_current else 1.2, style))
        painter.setBrush(QColor(ground))
        painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 6, 6)
        is_filled = is_current and self.hasFocus()
        self._write(painter, place, rect, colors.on_accent if is_filled else colors.text)

    def _write(self, painter: QPainter, place: int, rect: QRectF, color: str) -> None:
        chip = self.chips[place]
        font = self._font(chip.is_unknown)
        painter.setFont(font)
        painter.setPen(QColor(color))
        text = QFontMetricsF(font).elidedText(
            visible(chip.word), Qt.TextElideMode.ElideRight, rect.width() - 2 * _PADDING + 1
        )
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine
        painter.drawText(rect, flags, text)

    def gap_rect(self, gap: int) -> QRectF:
        """The mark that shows where a dragged chip would go."""
        pointer_line = min(
            (abs(rect.center().y() - self._pointer.y()), rect.top()) for rect in self._rects
        )[1]
        at_end = gap == len(self._rects) or self._rects[gap].top() != pointer_line
        beside = self._rects[gap - 1] if at_end else self._rects[gap]
        x = beside.right() + _GAP / 2 if at_end else beside.left() - _GAP / 2
        return QRectF(x - 3, beside.top() - 3, 6, beside.height() + 6)

    def _font(self, is_unknown: bool) -> QFont:
        font = QFont(self.font())
        font.setItalic(is_unknown)
        return font

    # --- mouse ----------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = self._at(event.position())
        if place >= 0 and event.button() == Qt.MouseButton.LeftButton:
            self.choose(place)
            self._pressed = (place, event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        position = event.position()
        if self._pressed is not None and self._dragged is None:
            place, start = self._pressed
            if (position - start).manhattanLength() >= QApplication.startDragDistance():
                self._dragged = place
        if self._dragged is not None:
            self._pointer = position
            self.came_into_focus.emit(QRectF(position - QPointF(1, 1), position + QPointF(1, 1)))
            self.update()
        self._set_hand(position)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        start, gap = self._dragged, self.drop_place
        self._end_drag()
        if start is None or gap is None:
            return
        end = gap if gap <= start else gap - 1
        if end != start:
            self.move_wanted.emit(start, end)

    def _end_drag(self) -> None:
        self._pressed = self._dragged = None
        self._set_hand(self._pointer)
        self.update()

    def _set_hand(self, position: QPointF) -> None:
        shape = Qt.CursorShape.ArrowCursor
        if self._dragged is not None:
            shape = Qt.CursorShape.ClosedHandCursor
        elif self._at(position) >= 0:
            shape = Qt.CursorShape.OpenHandCursor
        self.setCursor(shape)

    # --- keyboard -------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._answer(event, is_asked=False):
            super().keyPressEvent(event)

    def _answer(self, event: QKeyEvent, *, is_asked: bool) -> bool:
        """Does what a key is for; whether it is for anything here.

        Args:
            event: The key.
            is_asked: Only asked whether it is; nothing is done.
        """
        key = Qt.Key(event.key())
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        count, place = len(self.chips), self.current
        if not count:
            return False
        if key == Qt.Key.Key_Escape and self._dragged is not None:
            if not is_asked:
                self._end_drag()
            return True
        targets = {
            Qt.Key.Key_Left: max(0, place - 1),
            Qt.Key.Key_Right: min(place + 1, count - 1),
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: count - 1,
        }
        if modifiers in _MOVING and key in targets:
            if not is_asked and targets[key] != place:
                self.move_wanted.emit(place, targets[key])
        elif modifiers == Qt.KeyboardModifier.ControlModifier and key == Qt.Key.Key_D:
            if not is_asked:
                self.repeat_wanted.emit(place)
        elif modifiers:
            return False
        elif key in targets:
            if not is_asked:
                self.choose(targets[key])
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            if not is_asked:
                self.choose(self._beyond(-1 if key == Qt.Key.Key_Up else 1))
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            if not is_asked:
                self.remove_wanted.emit(place)
        else:
            return False
        return True

    def _beyond(self, lines: int) -> int:
        """The chip nearest to the chosen one in the line above or below."""
        current = self._rects[self.current]
        top = current.top() + lines * (current.height() + _GAP)
        line = [i for i, rect in enumerate(self._rects) if abs(rect.top() - top) < 1]
        if not line:
            return self.current
        return min(line, key=lambda i: abs(self._rects[i].center().x() - current.center().x()))

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            # Or the menus' Alt+Left would choose another head.
            if self._answer(event, is_asked=True):
                event.accept()
                return True
        elif event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            place = self._at(QPointF(event.pos()))
            is_told = place >= 0 and self._dragged is None
            show_tip(self, event, self._tip(place) if is_told else "")
            return True
        return super().event(event)

    def _tip(self, place: int) -> str:
        chip = self.chips[place]
        more = "\nA copy." if chip.is_copy else ""
        more += "\nNot in the vocabulary: a zero vector." if chip.is_unknown else ""
        # Qt looks for markup in the first line only, so the word stands in the second.
        return (
            f"Place {place + 1}; in the text {chip.origin + 1}:\n{visible(chip.word)}{more}\n"
            "Drag it, or Alt+Left, Alt+Right; Ctrl+D duplicates, Del deletes."
        )

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._end_drag()


class ProbeChipArea(QScrollArea):
    """The chips, as high as they need up to some lines; with a scroll bar beyond."""

    def __init__(self) -> None:
        super().__init__()
        self._most_lines = 3
        self.chips = ProbeChips()
        self.setWidget(self.chips)
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.chips.came_into_focus.connect(self._on_came_into_focus)
        self.chips.laid_out.connect(self._fit)

    def set_most_lines(self, lines: int) -> None:
        """Sets how many lines are seen at once."""
        if lines != self._most_lines:
            self._most_lines = lines
            self._fit()

    def _fit(self) -> None:
        most = int(self._most_lines * self.chips.line_height() + _EDGE)
        self.setFixedHeight(min(self.chips.minimumHeight(), most))

    def _on_came_into_focus(self, rect: QRectF) -> None:
        center = rect.center()
        margin = int(max(rect.height() / 2, self.chips.line_height() / 2))
        self.ensureVisible(int(center.x()), int(center.y()), 0, margin)
