"""The same words under other encodings, and how far each head moved."""

import numpy as np
import pytest

from posenc_model import encode
from posenc_model.compare import compare, run_encodings, why_no_difference, with_encoding
from posenc_model.errors import PosencError, RunCancelled
from posenc_model.request import RunRequest
from posenc_model.settings import Settings

SETTINGS = {"num_layers": 2, "num_heads": 2, "width": 16, "nlp_pipeline": "whitespace"}
TEXT = "one two three four"


def test_other_encodings_run_on_the_same_words_and_weights():
    request = RunRequest(7, TEXT, Settings.of({**SETTINGS, "num_buckets": 8}))
    results = run_encodings(request, ["rel", "none", "t5"])
    for result, name in zip(results, ("rel", "none", "t5"), strict=True):
        options = {"num_buckets": 8} if name == "t5" else {}
        expected = encode(TEXT, positional_encoding=name, **SETTINGS, **options)
        np.testing.assert_array_equal(result.attentions, expected.attentions)
        assert result.request.id == 7


def test_trained_weights_stay_trained():
    settings = with_encoding(Settings.of({"weights": "trained"}), "rel")
    assert (settings.weights, settings.positional_encoding) == ("trained", "rel")
    assert dict(settings.encoding_options)["clip_distance"] == 16


def test_attention_from_a_file_has_no_other_encoding(tmp_path):
    weights = np.full((1, 1, 2, 2), 0.5, dtype=np.float32)
    np.savez(tmp_path / "a.npz", weights=weights, tokens=np.array(["a", "b"]))
    with pytest.raises(PosencError, match="no other encoding"):
        with_encoding(Settings.of({"weights": str(tmp_path / "a.npz")}), "rel")


def test_the_share_that_moved_against_a_loop():
    first, second = (encode(TEXT, positional_encoding=e, **SETTINGS) for e in ("t5", "none"))
    (moved,) = compare(first, [second]).moved
    for layer in range(2):
        for head in range(2):
            total = 0.0
            for query in range(4):
                for key in range(4):
                    a = first.attentions[layer, head, query, key]
                    b = second.attentions[layer, head, query, key]
                    total += abs(float(a) - float(b)) / 2 / 4
            assert moved[layer, head] == pytest.approx(total, abs=1e-6)


def test_a_result_has_not_moved_from_itself():
    result = encode(TEXT, **SETTINGS)
    assert not compare(result, [result]).moved[0].any()


def test_other_sizes_are_not_subtracted_and_say_why():
    first = encode(TEXT, **SETTINGS)
    shorter = encode("one two", **SETTINGS)
    fewer = encode(TEXT, **{**SETTINGS, "num_heads": 1})
    assert compare(first, [shorter, fewer]).moved == (None, None)
    assert "4 tokens and the other 2" in why_no_difference(first, shorter)
    assert "2 × 2 layers and heads and the other 2 × 1" in why_no_difference(first, fewer)


def test_a_cancelled_comparison_ends():
    with pytest.raises(RunCancelled):
        run_encodings(RunRequest(0, TEXT, Settings.of(SETTINGS)), ["rel"], lambda: True)
