"""The shipped fonts: loaded in a fixed order, on a machine without any font too."""

import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QFont, QFontMetricsF

from posenc_gui import fonts
from posenc_gui.fonts import extra_may_help, figure_font, font_file, load_fonts, resized
from posenc_model.errors import PosencError

SHIPPED = [
    "Noto Sans",
    "Noto Sans Arabic",
    "Noto Sans Devanagari",
    "Noto Sans Hebrew",
    "Noto Sans Thai",
    "Noto Sans CJK SC",
    "Noto Emoji",
    "Noto Sans Symbols",
]


def test_families_are_asked_in_a_fixed_order():
    """Those with letters and digits of their own come last; the extra may add some between."""
    assert [family for family in load_fonts() if family in SHIPPED] == SHIPPED
    assert figure_font("Noto Sans").families() == list(load_fonts())


def test_chosen_family_comes_first():
    families = figure_font("Noto Sans Thai").families()
    assert families[:2] == ["Noto Sans Thai", "Noto Sans"]
    assert sorted(families) == sorted(load_fonts())


def test_unknown_family_is_an_error():
    with pytest.raises(PosencError, match="“No Such Font”") as error:
        figure_font("No Such Font")
    assert error.value.args[0].endswith("leave it out for Noto Sans.")


def test_letters_have_widths_that_are_not_rounded():
    """Else texts would have other widths at each resolution."""
    font = figure_font("Noto Sans")
    small = QFontMetricsF(font).horizontalAdvance("ill, Wit!" * 9)
    large = QFontMetricsF(resized(font, 8)).horizontalAdvance("ill, Wit!" * 9)
    assert large == pytest.approx(8 * small, rel=1e-3)


@pytest.mark.parametrize("font", ["points", "pixels"])
def test_resized(font):
    made = QFont("Noto Sans")
    made.setPointSizeF(10) if font == "points" else made.setPixelSize(16)
    twice = QFontMetricsF(resized(made, 2)).height()
    assert twice == pytest.approx(2 * QFontMetricsF(made).height(), rel=0.05)


def test_files_of_families():
    assert font_file("Noto Sans", is_bold=False).name == "NotoSans-Regular.ttf"
    assert font_file("Noto Sans", is_bold=True).name == "NotoSans-Bold.ttf"
    assert font_file("Noto Sans Thai", is_bold=True).name == "NotoSansThai-Regular.ttf"
    assert font_file("No Such Font", is_bold=False) is None


def test_extra_adds_the_scripts_that_are_not_shipped(monkeypatch, tmp_path):
    names = {
        "some_scripts": ["NotoSans[wght].ttf", "NotoSansThai[wght].ttf", "NotoSansLao[wght].ttf"],
        "some_chinese": ["NotoSansCJK-VF.otf.ttc"],
    }
    for package, files in names.items():
        (tmp_path / package).mkdir()
        for file in ("__init__.py", *files):
            (tmp_path / package / file).touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(fonts, "_PACKAGES", tuple(names))
    found = [path.name for path in fonts._font_files()]
    assert found[-2:] == ["NotoSansLao[wght].ttf", "NotoSansCJK-VF.otf.ttc"]
    assert "NotoSansThai[wght].ttf" not in found
    assert "NotoSansThai-Regular.ttf" in found
    assert not extra_may_help("ব")  # it is there
    assert "some_scripts" not in sys.modules


def test_extra_is_named_where_it_may_help(monkeypatch):
    monkeypatch.setattr(fonts, "_PACKAGES", ("no_such_package",))
    assert extra_may_help("ব")
    assert extra_may_help("鬱")
    assert not extra_may_help("𓀀")
    assert not extra_may_help("\ue000")


BARE = """
from PySide6.QtGui import QGuiApplication
application = QGuiApplication([])
from posenc_gui.figures.glyphs import Glyphs
from posenc_gui.fonts import figure_font
glyphs = Glyphs(figure_font("Noto Sans"))
text = "aé她한い مرحبا שלום क्षत्रिय ภาษา 👩‍💻 → ∑ ☯ Жω"
print(len(glyphs.missing([text])), ascii(glyphs.missing(["\\u13a0\\u0378"])))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there are always fonts")
def test_on_a_machine_without_fonts_every_shipped_script_is_there(monkeypatch, tmp_path):
    config = tmp_path / "fonts.conf"
    cache = f"<cachedir>{tmp_path}</cachedir>"
    config.write_text(f'<?xml version="1.0"?><fontconfig>{cache}</fontconfig>')
    monkeypatch.setenv("FONTCONFIG_FILE", str(config))
    monkeypatch.setenv("FONTCONFIG_PATH", str(tmp_path))
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", BARE], capture_output=True, check=True, cwd=root)
    assert done.stdout.decode().strip() == "0 ['\\u13a0', '\\u0378']"
    assert done.stderr == b""
