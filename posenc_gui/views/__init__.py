"""The registry of views: one file and one entry each."""

from __future__ import annotations

from posenc_gui.views.attention import AttentionView
from posenc_gui.views.base import ResultView
from posenc_gui.views.compare import CompareView
from posenc_gui.views.encoding.view import EncodingView
from posenc_gui.views.lines import LinesView
from posenc_gui.views.probe import ProbeView
from posenc_gui.views.profiles import ProfilesView

VIEWS: tuple[type[ResultView], ...] = (
    AttentionView,
    LinesView,
    CompareView,
    ProbeView,
    ProfilesView,
    EncodingView,
)
