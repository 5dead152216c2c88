"""How an exported picture looks: size, type, colours and what is written on it. Imports no Qt.

Declared once, as data: the figure dialog, the command line and stored presets are built from it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from posenc_model.errors import PosencError
from posenc_model.options import Choice, Option, Value

AUTOMATIC = "auto"
LIGHT, DARK, TRANSPARENT, TRANSPARENT_DARK = "light", "dark", "transparent", "transparent-dark"
SMALLEST_MM, LARGEST_MM = 20.0, 2000.0
MM_PER_INCH = 25.4
UNITS_PER_INCH = 96.0
POINTS_PER_INCH = 72.0
MOST_LETTERS = 10_000  # of a title or a caption
# More pixels than this make a file that hardly any program opens, and need gigabytes to draw.
MAX_PIXELS = 150_000_000

# Name -> what a menu shows; all perceptually even and safe for the colour-blind.
COLOR_MAP_TITLES: dict[str, str] = {
    "viridis": "Viridis",
    "cividis": "Cividis",
    "magma": "Magma",
    "blues": "Blues on white",
    "grays": "Grays",
}
DEFAULT_COLOR_MAP = "viridis"


def _named(titles: Mapping[str, str]) -> tuple[Choice, ...]:
    return tuple(Choice(name, title) for name, title in titles.items())


WIDTH_MM = Option(
    name="width_mm",
    kind="float",
    default=160.0,
    minimum=SMALLEST_MM,
    maximum=LARGEST_MM,
    label="Width",
    help="How wide the picture is, in millimetres.",
)
HEIGHT_MM = Option(
    name="height_mm",
    kind="float",
    default=0.0,
    minimum=0.0,
    maximum=LARGEST_MM,
    label="Height",
    help="How high the picture is, in millimetres; 0: as high as it needs to be.",
)
DPI = Option(
    name="dpi",
    kind="int",
    default=300,
    minimum=36,
    maximum=2400,
    label="Resolution",
    help="Dots an inch, of PNG and TIFF.",
)
FONT = Option(
    name="font",
    kind="text",
    default="Noto Sans",
    label="Font",
    help="The family of all that is written; scripts that it lacks are taken from Noto.",
)
FONT_SIZE = Option(
    name="font_size",
    kind="float",
    default=9.0,
    minimum=3.0,
    maximum=72.0,
    label="Font size",
    help="In points, at the picture’s own size.",
)
THEME = Option(
    name="theme",
    kind="choice",
    default=LIGHT,
    choices=lambda: _named(
        {
            LIGHT: "light",
            DARK: "dark",
            TRANSPARENT: "transparent, dark letters",
            TRANSPARENT_DARK: "transparent, light letters",
        }
    ),
    label="Background",
    help="What the picture stands on.",
)
COLOR_MAP = Option(
    name="color_map",
    kind="choice",
    default=DEFAULT_COLOR_MAP,
    choices=lambda: _named(COLOR_MAP_TITLES),
    label="Colours",
    help="The colour map of weights; values with a sign have blue below 0 and red above.",
)
COLOR_RANGE = Option(
    name="color_range",
    kind="text",
    default=AUTOMATIC,
    label="Range",
    help="The ends of the colour scale: auto (weights 0 to 1, others as far as they go), largest "
    "(up to the largest value), or two numbers such as 0,0.5.",
)
TITLE = Option(
    name="title",
    kind="text",
    default=AUTOMATIC,
    label="Title",
    help="Above the picture: auto, a text, or nothing.",
)
CAPTION = Option(
    name="caption",
    kind="text",
    default="",
    label="Caption",
    help="Beneath the picture: auto (all settings and the text), a text, or nothing.",
)
COLOR_BAR = Option(
    name="color_bar",
    kind="bool",
    default=True,
    label="Colour bar",
    help="Whether the picture says what its colours stand for.",
)
AXIS_NAMES = Option(
    name="axis_names",
    kind="bool",
    default=True,
    label="Names of the axes",
    help="Whether “query (looks)” and “key (is looked at)” are written.",
)
LABELS = Option(
    name="labels",
    kind="choice",
    default=AUTOMATIC,
    choices=lambda: _named({AUTOMATIC: "as they fit", "level": "level", "turned": "turned"}),
    label="Words above",
    help="Whether the words above the columns are level, turned, or as they fit.",
)
NUMBERS = Option(
    name="numbers",
    kind="bool",
    default=False,
    label="Numbers in cells",
    help="Whether each cell says its value, where there is room.",
)

LOOK_OPTIONS: tuple[Option, ...] = (
    WIDTH_MM,
    HEIGHT_MM,
    DPI,
    FONT,
    FONT_SIZE,
    THEME,
    COLOR_MAP,
    COLOR_RANGE,
    TITLE,
    CAPTION,
    COLOR_BAR,
    AXIS_NAMES,
    LABELS,
    NUMBERS,
)


@dataclass(frozen=True, kw_only=True)
class Look:
    """How a picture looks, checked when it is made; the fields are those of ``LOOK_OPTIONS``.

    Raises:
        PosencError: A value is not allowed.
    """

    width_mm: float = 160.0
    height_mm: float = 0.0
    dpi: int = 300
    font: str = "Noto Sans"
    font_size: float = 9.0
    theme: str = LIGHT
    color_map: str = DEFAULT_COLOR_MAP
    color_range: str = AUTOMATIC
    title: str = AUTOMATIC
    caption: str = ""
    color_bar: bool = True
    axis_names: bool = True
    labels: str = AUTOMATIC
    numbers: bool = False

    def __post_init__(self) -> None:
        for option in LOOK_OPTIONS:
            object.__setattr__(self, option.name, option.check(getattr(self, option.name)))
        if 0 < self.height_mm < SMALLEST_MM:
            raise PosencError(
                f"height_mm is {self.height_mm:g}, but has to be 0 (as high as it needs to be) or "
                f"from {SMALLEST_MM:g} to {LARGEST_MM:,.0f}.",
                HEIGHT_MM.name,
            )
        levels_of(self.color_range)
        for name in ("title", "caption"):
            length = len(getattr(self, name))
            if length > MOST_LETTERS:
                raise PosencError(
                    f"{name} has {length:,} characters, but may have at most {MOST_LETTERS:,}.",
                    name,
                )

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Look:
        """A look from values by name, the defaults for what is not there.

        Raises:
            PosencError: A value or a name is not allowed.
        """
        names = {field.name for field in fields(cls)}
        for name in values:
            if name not in names:
                raise PosencError(f"There is no “{name}” in the look of a picture.", name)
        return cls(**values)

    def flat(self) -> dict[str, Value]:
        """All values by name."""
        return {option.name: getattr(self, option.name) for option in LOOK_OPTIONS}

    @property
    def size(self) -> str:
        """The size as ``--size`` takes it: ``"85x60mm"``, or ``"85mm"`` for any height."""
        width = f"{self.width_mm:.10g}"
        return f"{width}x{self.height_mm:.10g}mm" if self.height_mm else f"{width}mm"


def levels_of(color_range: str) -> tuple[float, float] | str:
    """The two ends of a scale that are given, or ``"auto"`` or ``"largest"``.

    Raises:
        PosencError: It is none of these.
    """
    if color_range in (AUTOMATIC, "largest"):
        return color_range
    low, _, high = color_range.partition(",")
    try:
        levels = float(low), float(high)
    except ValueError:
        levels = (0.0, 0.0)
    if not -1e6 <= levels[0] < levels[1] <= 1e6:  # not a number is in no range either
        raise PosencError(
            f"color_range is “{color_range}”, but has to be auto, largest, or two numbers such as "
            "0,0.5, the smaller first.",
            COLOR_RANGE.name,
        )
    return levels


@dataclass(frozen=True)
class Preset:
    """Values of a look that belong together.

    Attributes:
        title: What a menu shows.
        values: By name.
    """

    title: str
    values: Mapping[str, Value]


def _preset(title: str, width: float, height: float, font_size: float, dpi: int = 300) -> Preset:
    values = {"width_mm": width, "height_mm": height, "font_size": font_size, "dpi": dpi}
    return Preset(title, values)


PRESETS: dict[str, Preset] = {
    "single": _preset("Single column (85 mm)", 85.0, 0.0, 7.0),
    "double": _preset("Double column (174 mm)", 174.0, 0.0, 9.0),
    "slide": _preset("Slide 16 : 9", 338.6667, 190.5, 18.0, dpi=144),
    "square": _preset("Square (120 mm)", 120.0, 120.0, 9.0),
}

_SIZE = re.compile(r"\s*([\d.]+)\s*(?:[x×]\s*([\d.]+)\s*)?(mm|cm|in|pt|px)\s*", re.IGNORECASE)
_MM = {
    "mm": 1.0,
    "cm": 10.0,
    "in": MM_PER_INCH,
    "pt": MM_PER_INCH / POINTS_PER_INCH,
    "px": MM_PER_INCH / UNITS_PER_INCH,
}


def parse_size(text: str) -> dict[str, Value]:
    """Reads ``--size``: a preset's name, ``85x60mm``, ``3.3x2.5in``, or a width such as ``85mm``.

    Returns:
        Values of a look, by name.

    Raises:
        PosencError: It is none of these.
    """
    if text.strip().lower() in PRESETS:
        return dict(PRESETS[text.strip().lower()].values)
    found = _SIZE.fullmatch(text)
    try:
        if found is None:
            raise ValueError
        unit = _MM[found[3].lower()]
        # A hundredth of a micrometre is more than any printer can do.
        width = round(float(found[1]) * unit, 5)
        height = round(float(found[2]) * unit, 5) if found[2] else 0.0
    except ValueError:
        raise PosencError(
            f"size is “{text}”, but has to be {', '.join(PRESETS)}, or a width with or without a "
            "height, such as 85mm, 85x60mm or 3.5x2.5in.",
            "size",
        ) from None
    for value in (width, *((height,) if found[2] else ())):
        if not SMALLEST_MM <= value <= LARGEST_MM:
            raise PosencError(
                f"size is “{text}”, but both sides have to be from {SMALLEST_MM:g} to "
                f"{LARGEST_MM:,.0f} mm.",
                "size",
            )
    return {"width_mm": width, "height_mm": height}
