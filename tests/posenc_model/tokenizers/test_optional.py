"""Stanza and gensim, which need not be installed: the first by a stand-in, the second if it is."""

import sys
from types import ModuleType, SimpleNamespace

import pytest

from posenc_model.tokenizers import TOKENIZERS
from posenc_model.tokenizers.base import is_installed
from posenc_model.tokenizers.stanza import StanzaTokenizer, _load


def test_stanza_without_its_model_says_how_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setattr("posenc_model.tokenizers.stanza.is_installed", lambda module: True)
    monkeypatch.setenv("STANZA_RESOURCES_DIR", str(tmp_path))
    assert "stanza.download('en')" in StanzaTokenizer().missing()
    (tmp_path / "en" / "tokenize").mkdir(parents=True)
    assert StanzaTokenizer().missing() is None


def test_stanzas_tokens_are_taken_with_their_offsets_and_nothing_is_downloaded(
    monkeypatch, tmp_path
):
    asked = {}

    def pipeline(**options):
        asked.update(options)
        words = [
            SimpleNamespace(start_char=0, end_char=3),
            SimpleNamespace(start_char=4, end_char=8),
        ]
        last = [SimpleNamespace(start_char=9, end_char=13)]
        document = SimpleNamespace(
            sentences=[SimpleNamespace(tokens=words), SimpleNamespace(tokens=last)]
        )
        return lambda text: document

    stanza = ModuleType("stanza")
    stanza.Pipeline = pipeline
    monkeypatch.setitem(sys.modules, "stanza", stanza)
    monkeypatch.setenv("STANZA_RESOURCES_DIR", str(tmp_path))
    _load.cache_clear()
    try:
        tokens = StanzaTokenizer().tokenize("Dog bite\nEnd.")
    finally:
        _load.cache_clear()
    assert [(t.text, t.start) for t in tokens] == [("Dog", 0), ("bite", 4), ("End.", 9)]
    assert asked["download_method"] is None
    assert asked["dir"] == str(tmp_path)


@pytest.mark.skipif(not is_installed("gensim"), reason="gensim is an optional extra")
def test_gensim_keeps_runs_of_letters_only():
    tokens = TOKENIZERS["gensim"].tokenize("Don't pay 10 dollars, März!")
    assert [token.text for token in tokens] == ["Don", "t", "pay", "dollars", "März"]
