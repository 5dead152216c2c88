"""spaCy's rules, compared with spaCy itself."""

import pytest
import spacy

from posenc_model.errors import PosencError
from posenc_model.resources import resource_folder
from posenc_model.tokenizers.spacy import SpacyTokenizer, installed_english_pipelines

SAMPLES = resource_folder() / "samples"


@pytest.mark.parametrize("name", ["computing", "morning-train", "markup", "question-and-answer"])
def test_english_is_cut_as_by_spacys_blank_pipeline(name):
    text = (SAMPLES / f"{name}.txt").read_text(encoding="utf-8")
    tokens = SpacyTokenizer().tokenize(text)
    expected = [t for t in spacy.blank("en")(text) if not t.is_space]
    assert [(t.text, t.start) for t in tokens] == [(t.text, t.idx) for t in expected]


def test_contractions_and_punctuation():
    tokens = SpacyTokenizer().tokenize("Don't stop, Dr. Smith's here.")
    expected = ["Do", "n't", "stop", ",", "Dr.", "Smith", "'s", "here", "."]
    assert [token.text for token in tokens] == expected


def test_a_pipeline_that_cannot_be_loaded_says_how_to_install_it():
    with pytest.raises(PosencError, match="python -m spacy download en_no_such") as refusal:
        SpacyTokenizer("en_no_such").tokenize("text")
    assert refusal.value.setting == "nlp_pipeline"


def test_only_english_pipelines_are_offered(monkeypatch):
    class Entry:
        def __init__(self, name):
            self.name = name

    entries = [Entry("en_core_web_sm"), Entry("de_core_news_sm"), Entry("en_core_web_lg")]
    monkeypatch.setattr("posenc_model.tokenizers.spacy.entry_points", lambda group: entries)
    assert installed_english_pipelines() == ("en_core_web_lg", "en_core_web_sm")
