"""The package's front door and its resources."""

import json

import pytest

import posenc_model
from posenc_model.errors import PosencError
from posenc_model.resources import resource_folder


@pytest.mark.parametrize("name", posenc_model.__all__)
def test_every_public_name_is_there(name):
    assert getattr(posenc_model, name).__name__ == name


def test_other_names_are_not():
    with pytest.raises(AttributeError, match="no attribute 'no_such'"):
        _ = posenc_model.no_such


def test_an_error_for_the_user_keeps_its_sentence_and_its_place():
    error = PosencError("Wrong.", "seed")
    assert (str(error), error.sentence, error.setting) == ("Wrong.", "Wrong.", "seed")
    assert PosencError("Wrong.").setting is None


def test_every_sample_that_is_listed_is_there_and_no_other():
    folder = resource_folder() / "samples"
    listed = json.loads((folder / "samples.json").read_text(encoding="utf-8"))
    assert {entry["file"] for entry in listed} == {path.name for path in folder.glob("*.txt")}
    assert all(entry["title"] and entry["note"].endswith(".") for entry in listed)


def test_resources_are_found_where_they_are_installed(monkeypatch, tmp_path):
    """Installed, the folder beside the packages is a package called ``posenc_resources``."""
    installed = tmp_path / "posenc_resources"
    installed.mkdir()
    (installed / "__init__.py").touch()
    package = tmp_path / "site" / "posenc_model"
    monkeypatch.setattr("posenc_model.resources.__file__", str(package / "resources.py"))
    with monkeypatch.context() as nothing_installed:
        nothing_installed.setattr("importlib.util.find_spec", lambda name: None)
        with pytest.raises(FileNotFoundError, match="resources are missing"):
            resource_folder()
    monkeypatch.syspath_prepend(str(tmp_path))
    assert resource_folder() == installed
