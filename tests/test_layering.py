"""The direction of imports: main → posenc_gui → posenc_model; panels and views apart."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MODEL = sorted((ROOT / "posenc_model").rglob("*.py"))
GUI = sorted((ROOT / "posenc_gui").rglob("*.py"))
# Where panels and views may meet.
MEETING_POINTS = {"posenc_gui.main_window", "posenc_gui.app", "posenc_gui.launch"}


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(source: str, module: str, is_package: bool = False) -> Iterator[str]:
    """Full names of all that ``module`` imports, inside functions and type checks too.

    ``from a import b`` gives both ``a`` and ``a.b``, because b may be a module.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = module.split(".")
            if node.level:
                keep = len(package) - node.level + (1 if is_package else 0)
                base = ".".join([*package[:keep], *([node.module] if node.module else [])])
            else:
                base = node.module or ""
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call):
            named = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if named in ("import_module", "__import__") and node.args:
                argument = node.args[0]
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield argument.value


def imports_of(path: Path) -> set[str]:
    source = path.read_text(encoding="utf-8")
    return set(imported(source, module_name(path), path.name == "__init__.py"))


def among(names: set[str], *packages: str) -> set[str]:
    return {n for n in names for p in packages if n == p or n.startswith(f"{p}.")}


def test_imports_are_found_wherever_they_stand():
    source = (
        "import a.b\nfrom c import d\nfrom . import e\nfrom ..f import g\n"
        "def late():\n    import h\n    importlib.import_module('i')\n"
    )
    found = set(imported(source, "top.middle.module"))
    assert found >= {"a.b", "c", "c.d", "top.middle.e", "top.f", "top.f.g", "h", "i"}
    assert "top.middle.e" in set(imported("from . import e", "top.middle", is_package=True))


@pytest.mark.parametrize("path", MODEL, ids=module_name)
def test_the_model_imports_no_qt_and_no_gui(path):
    forbidden = ("PySide6", "PyQt5", "PyQt6", "shiboken6", "pyqtgraph", "posenc_gui", "main")
    assert among(imports_of(path), *forbidden) == set()


@pytest.mark.parametrize("path", GUI, ids=module_name)
def test_the_gui_does_not_import_what_starts_it(path):
    assert among(imports_of(path), "main") == set()


@pytest.mark.parametrize("path", GUI, ids=module_name)
def test_panels_and_views_never_import_each_other(path):
    panels = among(imports_of(path), "posenc_gui.panels")
    views = among(imports_of(path), "posenc_gui.views")
    name = module_name(path)
    if name.startswith("posenc_gui.panels"):
        assert views == set()
    elif name.startswith("posenc_gui.views"):
        assert panels == set()
    elif name not in MEETING_POINTS:
        assert not (panels and views)


@pytest.mark.parametrize("path", GUI, ids=module_name)
def test_panels_and_views_do_not_import_the_places_where_they_meet(path):
    if module_name(path) not in MEETING_POINTS:
        meeting_points = MEETING_POINTS - {"posenc_gui.launch"}
        assert among(imports_of(path), *meeting_points) == set()


def test_main_imports_the_gui_only():
    names = imports_of(ROOT / "main.py")
    own = among(names, "posenc_gui", "posenc_model")
    assert among(own, "posenc_gui") == own
    assert names - own <= set(sys.stdlib_module_names)


def test_a_request_and_the_start_load_no_torch_and_no_tokenizer_library():
    """So that the window and a mistake on the command line show at once."""
    code = (
        "import sys, posenc_model.request, posenc_gui.launch\n"
        "print([m for m in ('torch', 'spacy', 'nltk', 'stanza', 'gensim') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")
