"""Attention from a file: what is read, what is said of it, and what is refused."""

import contextlib
import io
import json
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from posenc_model.attention_file import read_attention_file
from posenc_model.errors import PosencError

TOKENS = ["a", "b", "c"]
UNIFORM = np.full((2, 4, 3, 3), 1 / 3)


def weights(layers: int = 2, heads: int = 4, n: int = 3) -> np.ndarray:
    drawn = np.random.default_rng(0).random((layers, heads, n, n))
    return drawn / drawn.sum(-1, keepdims=True)


def saved(folder: Path, **content: object) -> Path:
    """The content as NPZ."""
    path = folder / "attention.npz"
    np.savez(path, **content)
    return path


def written(folder: Path, content: object) -> Path:
    """The content as JSON."""
    path = folder / "attention.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def refused(path: Path, words: str) -> None:
    with pytest.raises(PosencError, match=words) as error:
        read_attention_file(path)
    assert error.value.setting == "weights"
    assert "\n" not in error.value.sentence
    assert error.value.sentence.endswith(".")
    assert len(error.value.sentence) < 500


@pytest.mark.parametrize("name", ["weights", "attentions"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("compress", [np.savez, np.savez_compressed])
def test_npz_gives_back_what_was_saved(tmp_path, name, dtype, compress):
    path = tmp_path / "mine.npz"
    stored = weights().astype(dtype)
    compress(path, **{name: stored}, tokens=np.array(TOKENS))
    found = read_attention_file(path)
    assert np.array_equal(found.attentions, stored.astype(np.float32))
    assert found.attentions.dtype == np.float32
    assert found.tokens == ("a", "b", "c")
    assert found.title == "mine"
    assert found.warnings == ()


def test_json_gives_back_what_was_written(tmp_path):
    stored = weights()
    content = {"weights": stored.tolist(), "tokens": ["ä", "<s>", ""], "title": " BERT ", "more": 1}
    found = read_attention_file(written(tmp_path, content))
    assert np.array_equal(found.attentions, stored.astype(np.float32))
    assert (found.tokens, found.title) == (("ä", "<s>", ""), "BERT")


@pytest.mark.parametrize("drop", [0, 1, 2])
def test_missing_axes_in_front_are_one(tmp_path, drop):
    stored = weights(1, 4 if drop < 2 else 1)[(0,) * drop]
    for path in (
        saved(tmp_path, weights=stored, tokens=TOKENS),
        written(tmp_path, {"weights": stored.tolist(), "tokens": TOKENS}),
    ):
        found = read_attention_file(path).attentions
        assert found.shape == (1, 4 if drop < 2 else 1, 3, 3)
        assert np.array_equal(found.reshape(stored.shape), stored.astype(np.float32))


def test_the_end_of_the_name_does_not_matter(tmp_path):
    path = saved(tmp_path, weights=UNIFORM, tokens=TOKENS)
    assert read_attention_file(path.rename(tmp_path / "x.dat")).tokens == tuple(TOKENS)


def test_odd_weights_are_shown_as_they_are_and_said(tmp_path):
    stored = UNIFORM.copy()
    stored[1, 2, 0] = [-0.5, 1.75, 0]
    found = read_attention_file(saved(tmp_path, weights=stored, tokens=TOKENS))
    assert np.array_equal(found.attentions, stored.astype(np.float32))
    assert found.warnings == (
        "The weights go from -0.5 to 1.75 instead of from 0 to 1; they are shown as they are.",
        "1 of 24 rows do not sum to 1: the sum is off by up to 0.25. They are shown as they are.",
    )


def test_key_tokens_have_to_be_the_tokens(tmp_path):
    same = saved(tmp_path, weights=UNIFORM, tokens=TOKENS, key_tokens=TOKENS)
    assert read_attention_file(same).tokens == tuple(TOKENS)
    refused(
        saved(tmp_path, weights=UNIFORM, tokens=TOKENS, key_tokens=["x", "y", "z"]), "two texts"
    )
    refused(saved(tmp_path, weights=np.ones((3, 5)), tokens=TOKENS), "two texts")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"tokens": TOKENS}, "no “weights”"),
        ({"weights": UNIFORM}, "no “tokens”; it needs 3 strings"),
        ({"weights": UNIFORM, "tokens": TOKENS[:2]}, "2 tokens, but weights for 3"),
        ({"weights": UNIFORM, "attentions": UNIFORM, "tokens": TOKENS}, "both"),
        ({"weights": UNIFORM[0, 0, 0], "tokens": TOKENS}, r"is 3; it has to be \[layers"),
        ({"weights": UNIFORM[None], "tokens": TOKENS}, "is 1 × 2 × 4 × 3 × 3; it has to be"),
        ({"weights": np.float64(1), "tokens": TOKENS}, "is a single number"),
        ({"weights": np.zeros((0, 4, 3, 3)), "tokens": TOKENS}, "at least one"),
        ({"weights": np.zeros((2, 4, 0, 0)), "tokens": []}, "at least one"),
        ({"weights": UNIFORM.astype(complex), "tokens": TOKENS}, "complex128.*real numbers"),
        ({"weights": UNIFORM.astype(str), "tokens": TOKENS}, "real numbers"),
        (
            {"weights": np.where(UNIFORM > 0, np.nan, 0), "tokens": TOKENS},
            "72 values .* not finite",
        ),
        ({"weights": UNIFORM * 1e300, "tokens": TOKENS}, "layer 1, head 1, query 1, key 1"),
        ({"weights": UNIFORM, "tokens": [1, 2, 3]}, "list of strings"),
        ({"weights": UNIFORM, "tokens": [["a", "b", "c"]]}, "2 dimensions"),
        ({"weights": UNIFORM, "tokens": "abc"}, "0 dimensions"),
    ],
)
def test_npz_that_is_something_else(tmp_path, content, words):
    refused(saved(tmp_path, **content), words)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ([], "not a list"),
        (3, "not a single value"),
        ({}, "no “weights”"),
        ({"weights": "many", "tokens": TOKENS}, "no number"),
        ({"weights": [[True]], "tokens": ["a"]}, "no number"),
        ({"weights": [[None]], "tokens": ["a"]}, "no number"),
        ({"weights": {"a": 1}, "tokens": TOKENS}, "no number"),
        ({"weights": [[1, 2], [3]], "tokens": TOKENS}, "different lengths"),
        ({"weights": [[10**400]], "tokens": ["a"]}, "too large"),
        ({"weights": [[float("nan")]], "tokens": ["a"]}, "1 values that are not finite"),
        ({"weights": [], "tokens": []}, "it has to be"),
        ({"weights": [[1]], "tokens": "a"}, "list of strings"),
        ({"weights": [[1]], "tokens": [1]}, "list of strings"),
    ],
)
def test_json_that_is_something_else(tmp_path, content, words):
    refused(written(tmp_path, content), words)


def test_the_place_of_a_number_that_is_not_finite_counts_from_1(tmp_path):
    stored = UNIFORM.copy()
    stored[1, 2, 0, 2] = np.inf
    refused(
        saved(tmp_path, weights=stored, tokens=TOKENS),
        "1 values that are not finite, the first in layer 2, head 3, query 1, key 3",
    )


class Evil:
    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, ("/tmp/posenc-was-here",)


@pytest.mark.parametrize("name", ["weights", "tokens"])
def test_python_objects_are_never_loaded(tmp_path, name):
    content = {"weights": UNIFORM, "tokens": np.array(TOKENS)}
    content[name] = np.array([Evil()] * 3, dtype=object)
    refused(saved(tmp_path, **content), "Python objects, which are never loaded")
    assert not Path("/tmp/posenc-was-here").exists()


def test_an_array_that_unpacks_to_much_is_refused_before_it_is_unpacked(tmp_path):
    """A megabyte of file whose header claims, and whose zeros would fill, 8 GB."""
    path = tmp_path / "bomb.npz"
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f8", "fortran_order": False, "shape": (2**15, 2**15)}
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("weights.npy", header.getvalue() + bytes(2**20))
    refused(path, r"at most 1 GB in float32, not 4\.0 GB")
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<U4000000", "fortran_order": False, "shape": (3,)}
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("tokens.npy", header.getvalue())
    refused(path, "“tokens” .* is too large: 46 MB|too large|cut off|damaged")


def test_a_shape_that_overflows_is_refused(tmp_path):
    path = tmp_path / "bomb.npz"
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f4", "fortran_order": False, "shape": (2**33, 2**31, 1, 1)}
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("weights.npy", header.getvalue())
    refused(path, "at most 1 GB")


@pytest.mark.parametrize("share", [0.1, 0.5, 0.95])
def test_a_file_that_is_cut_off_is_refused(tmp_path, share):
    path = saved(tmp_path, weights=weights(6, 12, 20), tokens=["x"] * 20)
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])
    refused(path, "cut off or damaged")


def test_files_of_other_kinds(tmp_path):
    path = tmp_path / "x"
    refused(path, "no such file")
    refused(tmp_path, "is a folder")
    refused(tmp_path / "a\0b", "could not be read")
    np.save(tmp_path / "one.npy", UNIFORM)
    refused(tmp_path / "one.npy", "a single array")
    for content in (
        b"",
        b"PK",
        b"PK\x03\x04" + bytes(50),
        b"\xff\xfe\x00",
        b"{" * 100_000,
        b"[" * 10**5,
    ):
        path.write_bytes(content)
        refused(path, "neither an NPZ|cut off or damaged")
    with path.open("r+b") as file:
        file.truncate(65 * 2**20)
    refused(path, "JSON files up to 64 MB")
    path.unlink()
    os.mkfifo(path)
    refused(path, "not an ordinary file")


@pytest.fixture(scope="module")
def good() -> bytes:
    stored = io.BytesIO()
    np.savez(stored, weights=UNIFORM, tokens=TOKENS)
    return stored.getvalue()


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_damage_gives_a_sentence_or_weights(tmp_path, good, data):
    spoilt = bytearray(good)
    for _ in range(data.draw(st.integers(1, 4))):
        spoilt[data.draw(st.integers(0, len(good) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path / "spoilt.npz"
    path.write_bytes(bytes(spoilt))
    with contextlib.suppress(PosencError):  # anything else is a bug
        assert np.isfinite(read_attention_file(path).attentions).all()
