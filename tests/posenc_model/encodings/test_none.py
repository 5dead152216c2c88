"""No position at all."""

import torch


def test_none_has_no_parameters_and_no_buffers(make_encoder):
    encoding = make_encoder("none").encoding
    assert [*encoding.parameters(), *encoding.buffers()] == []


def test_equal_words_get_equal_rows_and_columns(make_encoder, make_words):
    x = make_words(n=6)
    x[0, 4] = x[0, 1]
    with torch.no_grad():
        weights = make_encoder("none")(x).attentions[1][0]
    assert torch.allclose(weights[:, 4], weights[:, 1], atol=1e-6)
    assert torch.allclose(weights[:, :, 4], weights[:, :, 1], atol=1e-6)


def test_the_content_part_is_the_whole_score(make_encoder, make_words):
    encoder = make_encoder("none")
    with torch.no_grad():
        output = encoder(make_words())
        parts = encoder.score_parts(output, 1)
        assert torch.equal(parts["content"], encoder.scores_of(output, 1))
    assert list(parts) == ["content"]
