"""The files that an export becomes."""

from pathlib import Path

import pytest

from posenc_gui.figures.exporters import PICTURE_EXPORTERS
from posenc_model.errors import PosencError, RunCancelled
from posenc_model.exporters import DATA_EXPORTERS, Exporter, Rendered
from posenc_model.exporters.files import (
    DRAWN_FILES,
    PAGE,
    PICTURE_FILES,
    Wish,
    check_all_free,
    has_look,
    is_picture,
    only_used,
    spec_uses,
    split_files,
    write_files,
)
from posenc_model.exporters.look import Look
from posenc_model.exporters.spec import PICTURES, Spec
from posenc_model.request import MEAN_HEAD
from posenc_model.run import encode


@pytest.fixture(scope="module")
def result():
    return encode("a b c", nlp_pipeline="whitespace", width=16, num_layers=2, num_heads=2)


def test_the_endings_of_pictures_are_those_that_are_drawn():
    assert set(DRAWN_FILES) == set(PICTURE_EXPORTERS)
    assert PICTURE_EXPORTERS[PAGE].takes_all
    for suffix, exporter in {**DATA_EXPORTERS, **PICTURE_EXPORTERS}.items():
        assert is_picture(Path(f"a{suffix.upper()}")) is exporter.is_picture
        assert (suffix in PICTURE_FILES) is exporter.is_picture
        assert has_look(Path(f"a{suffix}")) is (suffix in PICTURE_EXPORTERS)


@pytest.mark.parametrize("suffix", [*DATA_EXPORTERS, *DRAWN_FILES])
def test_what_matters_to_a_file_are_fields_of_a_spec(suffix):
    for view in PICTURES:
        used = spec_uses(Path(f"a{suffix}"), view)
        assert {"layers", "heads"} <= used <= set(Spec().flat())


def test_what_does_not_matter_is_left_out():
    spec = Spec(view="lines", threshold=0.4, table="long", matrix="scores", heads=(1,))
    assert only_used(Path("a.svg"), spec) == Spec(view="lines", threshold=0.4, heads=(1,))
    assert only_used(Path("a.csv"), spec) == Spec(table="long", matrix="scores", heads=(1,))


def names_of(name, spec, result):
    return [str(path) for path, _ in split_files(Path(name), spec, result)]


def test_one_file_is_one_file(result):
    for spec in (Spec(), Spec(heads=None), Spec(view="lines", layers=None, heads=None)):
        assert split_files(Path("a.svg"), spec, result) == [(Path("a.svg"), spec)]


def test_a_file_each(result):
    spec = Spec(layers=None, heads=(1, 0), arrange="files", matrix="scores")
    assert split_files(Path("x/out.b.svg"), spec, result) == [
        (
            Path(f"x/out.b-layer{layer + 1}-head{head + 1}.svg"),
            Spec(layers=(layer,), heads=(head,), matrix="scores"),
        )
        for layer in (0, 1)
        for head in (1, 0)
    ]


@pytest.mark.parametrize("view", PICTURES)
def test_every_picture_but_the_overview_can_be_a_file_each(result, view):
    spec = Spec(view=view, heads=None, arrange="files")
    count = 1 if view == "overview" else 2
    assert len(split_files(Path("a.svg"), spec, result)) == count


def test_data_can_be_a_file_each_whatever_the_view_and_a_page_never_is(result):
    spec = Spec(view="overview", layers=None, heads=(MEAN_HEAD,), arrange="files")
    assert names_of("a.csv", spec, result) == ["a-layer1-mean.csv", "a-layer2-mean.csv"]
    assert names_of("a.html", spec, result) == ["a.html"]


def test_a_single_head_keeps_the_name(result):
    spec = Spec(layers=(1,), heads=(0,), arrange="files")
    assert split_files(Path("a.svg"), spec, result) == [(Path("a.svg"), Spec(layers=(1,)))]


def test_heads_that_there_are_not_are_refused(result):
    with pytest.raises(PosencError, match="head is 3, but has to be from 1 to 2, or mean"):
        split_files(Path("a.svg"), Spec(heads=(0, 2), arrange="files"), result)


def test_names_are_known_before_the_run_where_all_heads_are_named():
    path = Path("a.svg")
    assert Wish(path, Spec(layers=None, heads=None)).known_files() == [path]
    assert Wish(path, Spec(layers=None, arrange="files")).known_files() == []
    named = Wish(path, Spec(heads=(0, 3), arrange="files")).known_files()
    assert named == [Path("a-layer1-head1.svg"), Path("a-layer1-head4.svg")]


def test_names_that_are_taken_or_shared(tmp_path):
    taken, free = tmp_path / "taken.svg", tmp_path / "free.svg"
    taken.touch()
    check_all_free([free], force=False)
    check_all_free([free, taken], force=True)
    with pytest.raises(PosencError, match="exists already; add --force to replace it"):
        check_all_free([free, taken], force=False)
    with pytest.raises(PosencError, match="would be written twice"):
        check_all_free([free, free], force=True)
    with pytest.raises(PosencError, match="There is no folder"):
        check_all_free([tmp_path / "none" / "a.svg"], force=True)


def writers(asked):
    def render(export):
        asked.append(export)
        return Rendered(export.file_name.encode(), ("A note.",))

    return {
        ".svg": Exporter(".svg", "", render, is_picture=True),
        ".csv": Exporter(".csv", "", render),
    }


def test_files_are_written_in_turn_and_told(tmp_path, result):
    asked = []
    spec, look = Spec(view="compare", compare=("abs",)), Look(theme="dark")
    files = [(tmp_path / "a.svg", spec), (tmp_path / "b.csv", spec), (tmp_path / "c.svg", Spec())]
    done = list(write_files(result, files, look, writers(asked)))
    assert [(one.path, one.notes) for one in done] == [(path, ("A note.",)) for path, _ in files]
    assert [path.read_text() for path, _ in files] == ["a.svg", "b.csv", "c.svg"]
    assert [len(export.results) for export in asked] == [2, 2, 1]
    assert asked[0].results is asked[1].results  # run once
    assert asked[0].look is look


def test_nothing_is_made_where_one_name_is_taken(tmp_path, result):
    asked = []
    (tmp_path / "b.csv").write_text("old")
    files = [(tmp_path / "a.svg", Spec()), (tmp_path / "b.csv", Spec())]
    with pytest.raises(PosencError, match="exists already"):
        list(write_files(result, files, Look(), writers(asked)))
    assert asked == []
    assert not (tmp_path / "a.svg").exists()
    list(write_files(result, files, Look(), writers(asked), force=True))
    assert (tmp_path / "b.csv").read_text() == "b.csv"


def test_writing_ends_between_two_files_where_it_is_cancelled(tmp_path, result):
    asked = []
    files = [(tmp_path / "a.svg", Spec()), (tmp_path / "b.svg", Spec())]
    written = write_files(result, files, Look(), writers(asked), is_cancelled=lambda: bool(asked))
    assert next(written).path == tmp_path / "a.svg"
    with pytest.raises(RunCancelled):
        next(written)
    assert [path.name for path in tmp_path.iterdir()] == ["a.svg"]
