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
    assert form.spec().compare == ("abs", "rel")


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
