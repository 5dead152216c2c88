"""The window and its pictures, on PySide6 and pyqtgraph."""
