"""How the fetched packages are read; nothing is fetched."""

import gzip

from posenc_model.training import sources


def test_brown_loses_its_tags_and_keeps_its_slashes(tmp_path):
    (tmp_path / "package").mkdir()
    sample = "\n\n\t``/`` The/at jury/nn said/vbd 1\\/2/cd ''/'' ./.\n\n\tIt/pps ended/vbd ./.\n"
    (tmp_path / "package" / "ca01").write_text(sample, encoding="utf-8")
    (tmp_path / "package" / "cats.txt").write_text("no sample", encoding="utf-8")
    assert list(sources._brown(tmp_path)) == [["“ The jury said 1\\/2 ” .", "It ended ."]]


def test_a_verse_loses_its_notes_and_its_markup():
    verse = (
        '<title type="x">A psalm</title><w lemma="G1">In</w> the beginning<note n="1">Or, '
        '<hi>first</hi></note> <transChange>was</transChange> the<lb/>word &amp; <q who="x">so</q>.'
    )
    assert sources._without_markup(verse) == "In the beginning was the word & so."


def test_wordnet_gives_the_quoted_examples(tmp_path):
    folder = tmp_path / "usr" / "share" / "wordnet"
    folder.mkdir(parents=True)
    (folder / "data.noun").write_text(
        '  1 This software is "licensed"\n'
        '00001740 03 n 01 entity 0 000 | that which is; "it was full of rackets"; "balls too"\n'
        "00001741 03 n 01 other 0 000 | nothing quoted\n",
        encoding="utf-8",
    )
    assert list(sources._wordnet(tmp_path)) == [["it was full of rackets"], ["balls too"]]


def test_the_dictionary_is_cut_into_entries_of_joined_lines(tmp_path):
    folder = tmp_path / "usr" / "share" / "dictd"
    folder.mkdir(parents=True)
    text = (
        "Preface.\n\nABASEMENT, n.  A decent and\n   _customary_ attitude.\n\n   A second\n"
        "paragraph.\n\nABATIS, n.  Rubbish.\n"
    )
    (folder / "devil.dict.dz").write_bytes(gzip.compress(text.encode("latin-1")))
    assert list(sources._devil(tmp_path)) == [
        ["ABASEMENT, n. A decent and customary attitude.", "A second paragraph."],
        ["ABATIS, n. Rubbish."],
    ]


def test_words_are_counted():
    assert sources.words_in(["one two", "", "three"]) == 3


def test_every_source_has_a_reader_and_its_terms():
    for source in sources.SOURCES:
        assert hasattr(sources, f"_{source.name}")
        assert source.title
        assert source.package
        assert source.licence
