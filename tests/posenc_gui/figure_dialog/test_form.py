"""The form: what it shows of a spec and a look is what it gives."""

import re
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QLabel

from posenc_gui.figure_dialog.form import FigureForm
from posenc_model.errors import PosencError
from posenc_model.exporters.look import LOOK_OPTIONS, Look
from posenc_model.exporters.spec import PICTURES, Spec

KEY = re.compile(r"&(\w)")
OTHER = Look(
    width_mm=90.25,
    height_mm=60.0,
    dpi=144,
    font="Noto Sans",
    font_size=7.5,
    theme="transparent-dark",
    color_map="magma",
    color_range="0,0.25",
    title="Figure 1",
    caption="auto",
    color_bar=False,
    axis_names=False,
    labels="turned",
    numbers=True,
)


@pytest.fixture
def form(qtbot, result):
    made = FigureForm()
    qtbot.addWidget(made)
    made.show_spec(Spec(), result, (0, 0))
    return made


def test_every_value_of_a_look_has_a_field(form):
    default = Look()
    for option in LOOK_OPTIONS:
        assert getattr(OTHER, option.name) != option.default or option.name == "font"
    form.show_look(OTHER.flat())
    assert form.look() == OTHER
    form.show_look({"width_mm": 20.0, "dpi": 72})
    assert form.look() == replace(OTHER, width_mm=20.0, dpi=72)
    form.show_look(default.flat())
    assert form.look() == default


SPECS = [
    Spec(layers=(1,), heads=(0,), matrix="scores", tokens=(0, 2)),
    Spec(layers=(1,), heads=None, arrange="files"),
    Spec(view="overview", layers=None, heads=None),
    Spec(view="compare", compare=("abs", "none")),
    Spec(view="why", layers=(0, 1), heads=(1,), cell=(2, 0)),
    Spec(view="encoding", cell=(0, 1), reach=12),
    Spec(view="profile", heads=(-1,), reach=7),
    Spec(view="lines", heads=(0, 1), threshold=0.25, tokens=(0, 1)),
]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.view)
def test_what_is_exported_is_read_back(form, result, spec):
    form.show_spec(spec, result, (1, 0))
    assert form.spec() == spec


@pytest.mark.parametrize("view", PICTURES)
def test_only_what_a_picture_uses_is_shown_and_given(form, result, view):
    everything = Spec(
        view=view,
        layers=None,
        heads=(0,),
        arrange="files",
        matrix="scores",
        tokens=(1,),
        cell=(0, 1),
        compare=("none",),
        threshold=0.5,
        reach=3,
    )
    form.show_spec(everything, result, (0, 0))
    uses = PICTURES[view].uses
    shown = {name for name, row in form.rows.items() if row.place.isVisibleTo(form.widget(0))}
    assert shown - {"view", "heads"} == uses - {"layers", "heads"}
    given, defaults = form.spec().flat(), Spec().flat()
    for name in defaults.keys() - {"view", "layers", "heads", "table"}:
        assert (given[name] == everything.flat()[name]) == (name in uses)
        assert (given[name] == defaults[name]) != (name in uses)


def test_the_picture_of_all_heads_shows_them_and_the_others_one_again(form):
    view = form.rows["view"].field
    view.set_value("overview")
    assert (form.spec().layers, form.spec().heads) == (None, None)
    view.set_value("matrix")
    assert (form.spec().layers, form.spec().heads) == ((0,), (0,))
    form.rows["heads"].field.set_value(((1,), (0, 1)))
    view.set_value("overview")
    assert form.spec().layers == (1,)


def test_one_head_has_nothing_to_arrange(form, result):
    row = form.rows["arrange"]
    assert not row.place.isVisibleTo(form.widget(0))
    form.show_spec(Spec(heads=None, arrange="files"), result, (0, 0))
    assert row.place.isVisibleTo(form.widget(0))
    form.rows["heads"].field.set_value(((0,), (0,)))
    assert form.spec().arrange == "grid"


def test_a_cell_beyond_the_text_is_another(form, result):
    form.show_spec(Spec(view="why", cell=(7, 1)), result, (0, 0))
    assert form.spec().cell == (1, 0)


def test_encodings_to_compare_with_are_ticked_at_first(form, result):
    form.show_spec(Spec(view="compare"), result, (0, 0))
    assert result.encoding_title == "t5"
    assert form.rows["compare"].field.value() == ("abs", "rel")
    assert form.spec().compare == ()  # as it was given
    form.rows["compare"].field.boxes["none"].setChecked(True)
    assert form.spec().compare == ("abs", "rel", "none")


EXACT = [
    Spec(view="lines", threshold=0.0125),
    Spec(view="encoding"),
    Spec(view="why"),
    Spec(tokens=(2, 0, 1)),
]


@pytest.mark.parametrize("spec", EXACT)
def test_what_nobody_edits_is_given_back_exactly(form, result, spec):
    look = Look(font_size=7.123456789012345, color_range="0.0,0.12345678901234", width_mm=100 / 3)
    form.show_spec(spec, result, (0, 0))
    form.begin_look(look)
    assert form.spec() == spec
    assert form.look() == look
    form.rows["threshold"].field.set_value(0.2)
    form.rows["cell"].field.boxes[0].setValue(3)
    form.rows["size"].field.unit.setCurrentIndex(1)
    assert form.look() == look
    uses = PICTURES[spec.view].uses
    assert (form.spec().threshold == 0.2) == ("threshold" in uses)
    assert (form.spec().cell == (2, 0)) == ("cell" in uses)
    form.rows["font_size"].field.set_value(7.5)
    assert form.look() == replace(look, font_size=7.5)


def test_it_is_made_in_parts(qtbot):
    made = FigureForm()
    qtbot.addWidget(made)
    parts = 0
    while made.build_some():
        parts += 1
    assert parts == len(made.rows) > 20


@pytest.mark.parametrize(
    ("setting", "sentence", "said"),
    [
        ("tokens", "tokens is “0”, but has to be all.", "“Words” is “0”, but has to be all."),
        ("layers", "layers is “x”.", "“Layers” is “x”."),
        ("font_size", "font_size is 2.", "“Font size” is 2."),
        ("tokens", "token is 9.", "token is 9."),
        ("other", "other is 9.", "other is 9."),
    ],
)
def test_a_sentence_calls_a_field_by_its_label(form, setting, sentence, said):
    assert form.in_words(setting, sentence) == said


@pytest.mark.parametrize(
    ("setting", "row"),
    [("heads", "heads"), ("layers", "heads"), ("tokens", "tokens"), ("height_mm", "size")],
)
def test_a_mistake_is_said_beside_its_field(form, setting, row):
    form.setCurrentIndex(1 if row == "size" else 0)
    form.show()
    assert form.say(setting, "That is wrong.")
    assert form.rows[row].message.text() == "That is wrong."
    form.setCurrentIndex(2)
    assert not form.say(setting, "That is wrong.")  # seen by nobody
    assert not form.say("", "")
    assert all(not one.message.text() for one in form.rows.values())


def test_wrong_words_are_refused(form):
    form.rows["tokens"].field.set_value("3-")
    with pytest.raises(PosencError) as caught:
        form.spec()
    assert caught.value.setting == "tokens"


def keys_of(widgets):
    return KEY.findall(" ".join(widget.text() for widget in widgets).lower())


def test_every_field_of_a_page_has_a_key_of_its_own(result, dialog):
    form = dialog.form
    outside = [w for w in dialog.findChildren(QAbstractButton) if not form.isAncestorOf(w)]
    outside += dialog.presets.findChildren(QLabel)
    pages = [form.tabText(index).lower() for index in range(form.count())]
    common = [*keys_of(outside), *KEY.findall(" ".join(pages))]
    assert len(common) == 11
    for view in PICTURES:
        form.show_spec(Spec(view=view, layers=None, heads=(0,), arrange="files"), result, (0, 0))
        for index in range(form.count()):
            page = form.widget(index)
            inside = page.findChildren(QLabel) + page.findChildren(QAbstractButton)
            own = keys_of(w for w in inside if w.isVisibleTo(page))
            assert len(own) > 2
            keys = [*common, *own]
            assert len(keys) == len(set(keys)), (view, index, keys)


def test_the_key_of_a_label_reaches_its_field(form):
    labels = [label for label in form.findChildren(QLabel) if KEY.search(label.text())]
    assert len(labels) > 15
    for label in labels:
        assert label.buddy().focusPolicy() != Qt.FocusPolicy.NoFocus, label.text()


def test_a_key_is_pressed(begin, qtbot):
    dialog = begin()
    dialog.activateWindow()
    qtbot.keyClick(dialog, Qt.Key.Key_T, Qt.KeyboardModifier.AltModifier)
    assert dialog.form.currentIndex() == 1
    qtbot.keyClick(dialog, Qt.Key.Key_U, Qt.KeyboardModifier.AltModifier)
    assert dialog.form.rows["dpi"].field.editor.hasFocus()
