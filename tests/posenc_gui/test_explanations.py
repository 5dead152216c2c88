"""The contract of the texts: everything has one, each says where it comes from, links lead on."""

import re

import pytest

from posenc_gui.explanations import KINDS, NO_REFERENCE, explanations, parse_explanation
from posenc_gui.tour import STEPS
from posenc_gui.views import VIEWS
from posenc_model.analysis import MEASURES
from posenc_model.encodings import ENCODINGS
from posenc_model.matrices import MATRICES
from posenc_model.resources import resource_folder
from posenc_model.settings import SETTINGS

OWN_OPTIONS = [option for info in ENCODINGS.values() for option in info.options]
WORDS = "query key value head layer score softmax weight bucket clip one-hot token residual"

NEEDED = {
    *(f"settings/{option.name}" for option in (*SETTINGS, *OWN_OPTIONS)),
    *(f"encodings/{name}" for name in ENCODINGS),
    *(view.explanation() for view in VIEWS),
    *(f"matrices/{name}" for name in MATRICES),
    *(f"measures/{name}" for name in MEASURES),
    *(f"words/{word}" for word in WORDS.split()),
}
LINK = re.compile(r"\[[^\]]+\]\(([^)]*)\)")
# A paper with its number, or a year where it has none.
CITED = re.compile(r"\w+ et al\. \d{4}, arXiv:\d{4}\.\d{5}|\w+ and \w+ \d{4}, arXiv:|Shannon 1948")


@pytest.mark.parametrize("name", sorted(NEEDED))
def test_everything_has_a_text(name):
    assert name in explanations()


def test_no_text_is_about_what_is_not_there():
    for kind in ("settings", "encodings", "matrices"):
        there = {name for name in explanations() if name.startswith(f"{kind}/")}
        assert there == {name for name in NEEDED if name.startswith(f"{kind}/")}


def test_every_file_is_read():
    folder = resource_folder() / "explanations"
    files = {str(path.relative_to(folder).with_suffix("")) for path in folder.rglob("*.*")}
    assert files == set(explanations())


@pytest.mark.parametrize("name", list(explanations()))
def test_each_names_a_reference_or_says_why_there_is_none(name):
    reference = explanations()[name].reference
    if reference.startswith(NO_REFERENCE):
        assert re.fullmatch(r"none \(.+\)", reference)
    else:
        assert CITED.search(reference)


@pytest.mark.parametrize("name", list(explanations()))
def test_each_is_short_first(name):
    explanation = explanations()[name]
    assert "\n" not in explanation.short
    assert len(LINK.sub("", explanation.short)) < 260
    assert explanation.short.endswith((".", ")"))
    assert explanation.title


@pytest.mark.parametrize("name", list(explanations()))
def test_its_links_lead_to_texts(name):
    explanation = explanations()[name]
    for target in LINK.findall(explanation.short + explanation.more):
        assert target in explanations()
        assert target != name


@pytest.mark.parametrize("name", list(explanations()))
def test_it_is_shown_as_it_is_written(qtbot, name):
    """Nothing is taken for markup that is not meant so: no tags, no half of a pair of stars."""
    from PySide6.QtGui import QTextDocument

    explanation = explanations()[name]
    document = QTextDocument()
    document.setMarkdown(f"{explanation.short}\n\n{explanation.more}")
    shown = document.toPlainText()
    plain = LINK.sub(lambda link: link.group().partition("]")[0][1:], explanation.more)
    marks = re.compile(r"^(> |- )|\*|\s", re.M)
    assert re.sub(r"\s", "", shown).endswith(marks.sub("", plain))
    assert "<" not in explanation.short + explanation.more


def test_titles_tell_texts_of_one_kind_apart():
    titles = [(name.partition("/")[0], one.title) for name, one in explanations().items()]
    assert len(set(titles)) == len(titles)
    assert {kind for kind, _ in titles} == set(KINDS)


@pytest.mark.parametrize(
    "source",
    [
        "",
        "title: A\n\nshort\n\n---\n\nmore\n",
        "title: A\nreference: none (x)\n\nshort\n",
        "title: A\nreference: none (x)\n\n\n---\n\nmore\n",
        "title: A\nreference: none (x)\n\nshort\n\n---\n\n",
    ],
)
def test_a_file_that_lacks_a_part_is_refused(source):
    with pytest.raises(ValueError, match="words/a"):
        parse_explanation("words/a", source)


def test_a_file_is_read():
    read = parse_explanation("words/a", "title: A: b\nreference: X 1\n\nOne.\n\n---\n\nTwo.\n")
    assert (read.title, read.reference, read.short, read.more) == ("A: b", "X 1", "One.", "Two.")


def test_the_tour_says_little_at_a_time():
    for step in STEPS:
        assert len(step.sentence) < 175
        assert step.sentence.endswith(".")
        assert not step.seen or step.seen.endswith(".")
