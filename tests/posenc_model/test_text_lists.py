"""Many texts out of one file."""

from pathlib import Path

import pytest

from posenc_model.errors import PosencError
from posenc_model.text_lists import Line, read_lines


def write(folder: Path, name: str, content: str, encoding: str = "utf-8") -> Path:
    path = folder / name
    path.write_bytes(content.encode(encoding))
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_a_text_a_line_numbered_as_they_stand(tmp_path, encoding):
    path = write(tmp_path, "a.txt", "naïve one\r\n\r\n  two \n\t\nthree", encoding)
    assert read_lines(path) == [Line(1, "naïve one"), Line(3, "  two "), Line(5, "three")]


def test_only_ends_of_lines_part_texts(tmp_path):
    path = write(tmp_path, "a.text", "one\u2028two\x0cthree\n")
    assert read_lines(path) == [Line(1, "one\u2028two\x0cthree")]


@pytest.mark.parametrize(
    ("content", "column"),
    [
        ("words\none\ntwo\n", None),
        ('id,text\n1,one\n2,"two"\n', None),
        ("id;text;more\n1;one;x\n2;two\n", None),
        ("id\ttext\n1\tone\n2\ttwo\n", None),
        ("text, words \nx,one\ny,two\n", "words"),
    ],
)
def test_a_column_of_a_table(tmp_path, content, column):
    path = write(tmp_path, "a.csv", content, "utf-8-sig")
    assert read_lines(path, column) == [Line(2, "one"), Line(3, "two")]


def test_rows_of_a_table_are_counted_as_a_spreadsheet_does(tmp_path):
    path = write(tmp_path, "a.csv", 'id,text\n1,"two\nlines, ""quoted"""\n2,\n,\n\n4,end\n')
    assert read_lines(path) == [
        Line(2, 'two\nlines, "quoted"'),
        Line(3, "", "“text” is empty."),
        Line(6, "end"),
    ]


def test_a_quotation_mark_that_is_never_closed_swallows_no_rows(tmp_path):
    path = write(tmp_path, "a.csv", 'id,text\n1,"never closed\n2,b\n')
    with pytest.raises(PosencError, match="is no table"):
        read_lines(path)


def test_a_row_that_is_too_long_is_a_problem_of_its_own(tmp_path):
    first, second = read_lines(write(tmp_path, "a.csv", "text\none, two\nthree\n"))
    assert first.number == 2
    assert first.problem is not None
    assert "2 columns, but the header 1" in first.problem
    assert second == Line(3, "three")


@pytest.mark.parametrize("name", ["a.jsonl", "a.NDJSON"])
def test_a_key_of_json_lines(tmp_path, name):
    path = write(tmp_path, name, '{"text": "one\\ntwo", "n": 1}\n\n{"n": 2, "text": "她"}')
    assert read_lines(path) == [Line(1, "one\ntwo"), Line(3, "她")]
    path = write(tmp_path, name, '{"text": "no", "words": "yes"}')
    assert read_lines(path, "words") == [Line(1, "yes")]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "It is not valid JSON."),
        ("[" * 100_000, "It is not valid JSON."),
        ('["text"]', "It is no object with the key “text”."),
        ('{"a": 1, "b": 2}', "It has no key “text”; there are: “a”, “b”."),
        ("{}", "It has no key “text”; there are: none."),
        ('{"text": 3}', "Its “text” is no text."),
    ],
)
def test_a_line_of_bad_json_is_a_problem_of_its_own(tmp_path, line, problem):
    path = write(tmp_path, "a.jsonl", f'{line}\n{{"text": "good"}}\n')
    assert read_lines(path) == [Line(1, problem=problem), Line(2, "good")]


def test_half_a_character_is_replaced(tmp_path):
    path = write(tmp_path, "a.jsonl", '{"text": "a\\ud800"}')
    assert read_lines(path) == [Line(1, "a?")]


@pytest.mark.parametrize(
    ("name", "content", "column", "sentence"),
    [
        ("a.txt", " \n\n", None, "“a.txt” has no texts in it."),
        ("a.csv", "text\n", None, "“a.csv” has no texts in it."),
        ("a.csv", "", None, "no column “text”; give --column one of these: none."),
        ("a.csv", "a,b\n1,2\n", None, "no column “text”; give --column one of these: “a”, “b”."),
        ("a.csv", "text,b\n1,2\n", "c", "no column “c”; give --column one of these: “text”, “b”."),
    ],
)
def test_files_without_texts_are_refused(tmp_path, name, content, column, sentence):
    with pytest.raises(PosencError) as refusal:
        read_lines(write(tmp_path, name, content), column)
    assert refusal.value.sentence.endswith(sentence)


def test_what_is_no_text_is_refused(tmp_path):
    with pytest.raises(PosencError, match="does not hold text"):
        read_lines(write(tmp_path, "a.txt", "\0\1\2"))
    with pytest.raises(PosencError, match="could not be read"):
        read_lines(tmp_path / "none.csv")
