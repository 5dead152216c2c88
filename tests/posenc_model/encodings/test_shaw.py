"""Shaw's relative vectors, compared with the equations written as plain loops."""

import math

import pytest
import torch

from posenc_model.encodings.base import offset_rows


def plain_attention(attention, encoding, x, clip, *, values=True):
    """Equations 3 to 5 of Shaw et al. 2018 as loops over heads, queries and keys, in float64.

    Returns the weights [h][i][j] and the output [n][D] for one sentence ``x`` [n, D].
    """
    n, width = x.shape
    h = attention._heads
    d = width // h
    w_query, w_key, w_value = attention.in_projection.detach().double().split(width)
    x = x.double()
    q, k, v = x @ w_query.T, x @ w_key.T, x @ w_value.T
    a_key = encoding.key_tables[0].detach().double()
    a_value = encoding.value_tables[0].detach().double() if values else None
    weights, output = [], torch.zeros(n, width, dtype=torch.float64)
    for head in range(h):
        own = slice(head * d, (head + 1) * d)
        weights.append([])
        for i in range(n):
            exponentials = []
            for j in range(n):
                row = min(max(j - i, -clip), clip) + clip
                score = sum(q[i, own][c] * (k[j, own][c] + a_key[row][c]) for c in range(d))
                exponentials.append(math.exp(score / math.sqrt(d)))
            total = sum(exponentials)
            weights[head].append([e / total for e in exponentials])
            for j in range(n):
                row = min(max(j - i, -clip), clip) + clip
                value = v[j, own] + (a_value[row] if values else 0)
                output[i, own] += weights[head][i][j] * value
    return torch.tensor(
        weights, dtype=torch.float64
    ), output @ attention.out_projection.detach().double().T


@pytest.mark.parametrize("clip", [1, 2, 5, 16])
@pytest.mark.parametrize("values", [True, False])
def test_scores_and_values_equal_the_plain_loops(make_encoder, make_words, clip, values):
    encoder = make_encoder(
        "rel",
        width=6,
        num_heads=2,
        num_layers=1,
        encoding_options={"clip_distance": clip, "relative_values": values},
    )
    attention, encoding = encoder.layers[0].attention, encoder.encoding
    x = make_words(n=11, width=6)
    with torch.no_grad():
        output, weights = attention(x, encoding)
    plain_weights, plain_output = plain_attention(attention, encoding, x[0], clip, values=values)
    torch.testing.assert_close(weights[0].double(), plain_weights, atol=1e-6, rtol=0)
    torch.testing.assert_close(output[0].double(), plain_output, atol=1e-5, rtol=0)


def test_thirty_tokens_with_clip_distance_ten_share_one_row_beyond_it(make_encoder, make_words):
    encoder = make_encoder("rel", num_layers=1, encoding_options={"clip_distance": 10})
    with torch.no_grad():
        output = encoder(make_words(n=30))
        position = encoder.score_parts(output, 0)["position"][0]
        query, _ = encoder.layers[0].attention.project(output.hidden_states[0])
        query = query[0] / 4**0.5  # heads are four wide
        first_row = query @ encoder.encoding.key_tables[0][0]
        last_row = query @ encoder.encoding.key_tables[0][20]
    for i in range(30):
        left, right = position[:, i, : max(0, i - 9)], position[:, i, i + 10 :]
        torch.testing.assert_close(left, first_row[:, i, None].expand_as(left))
        torch.testing.assert_close(right, last_row[:, i, None].expand_as(right))
    inside = position[:, 29, 20]
    assert (inside - position[:, 29, 19]).abs().min() > 1e-4  # distance −9 has its own row


def test_each_layer_has_two_tables_shared_by_its_heads(make_encoder):
    encoding = make_encoder(
        "rel", num_layers=3, num_heads=4, encoding_options={"clip_distance": 5}
    ).encoding
    assert [tuple(t.shape) for t in encoding.key_tables] == [(11, 4)] * 3
    assert [tuple(t.shape) for t in encoding.value_tables] == [(11, 4)] * 3
    tables = [*encoding.key_tables, *encoding.value_tables]
    assert len({table.data_ptr() for table in tables}) == 6


def test_without_relative_values_only_the_values_change(make_encoder, make_words):
    both = make_encoder("rel", num_layers=1)
    ablated = make_encoder("rel", num_layers=1, encoding_options={"relative_values": False})
    assert len(ablated.encoding.value_tables) == 0
    with torch.no_grad():
        with_values, without = both(make_words()), ablated(make_words())
    assert torch.equal(with_values.attentions[0], without.attentions[0])
    difference = with_values.last_hidden_state - without.last_hidden_state
    assert difference.abs().max() > 0.01


@pytest.mark.parametrize("rows", [1, 7, 16, 40, 1000])
@pytest.mark.parametrize("clip", [1, 5, 16, 100])
def test_block_by_block_equals_all_at_once(make_encoder, make_words, rows, clip):
    encoder = make_encoder("rel", encoding_options={"clip_distance": clip})
    x = make_words(b=2, n=41)
    whole = encoder(x)  # with gradients everything is made at once
    with torch.no_grad():
        blocks = encoder(x, keep_attentions=False, rows_per_block=rows)
    torch.testing.assert_close(blocks.last_hidden_state, whole.last_hidden_state, atol=1e-5, rtol=0)


def test_a_distance_keeps_its_vector_when_the_clip_distance_grows(make_encoder):
    near = make_encoder("rel", encoding_options={"clip_distance": 3}).encoding
    far = make_encoder("rel", encoding_options={"clip_distance": 9}).encoding
    for name in ("key_tables", "value_tables"):
        assert torch.equal(getattr(near, name)[1], getattr(far, name)[1][6:13])


def test_every_row_of_both_tables_is_trained(make_encoder, make_words):
    encoder = make_encoder("rel", encoding_options={"clip_distance": 4}).train()
    encoder(make_words(n=12)).last_hidden_state.pow(3).sum().backward()
    for table in [*encoder.encoding.key_tables, *encoder.encoding.value_tables]:
        assert table.grad.any(dim=1).all()


def test_distances_are_key_minus_query():
    rows = offset_rows(2, 2, range(1, 5), torch.device("cpu"))
    assert rows.tolist() == [[-1, 0, 1, 2], [-2, -1, 0, 1]]


@pytest.mark.parametrize("n", [63, 64, 65, 200])
@pytest.mark.parametrize("clip", [1, 16, 70, 300])
def test_pieces_of_rows_equal_the_table_looked_up_pair_by_pair(make_encoder, n, clip):
    encoding = make_encoder("rel", encoding_options={"clip_distance": clip}).encoding
    generator = torch.Generator().manual_seed(1)
    query = torch.randn(1, 2, n, 4, generator=generator)
    weights = torch.rand(1, 2, n, n, generator=generator)
    scores = torch.zeros(1, 2, n, n)
    keys, values = encoding.key_tables[1].detach(), encoding.value_tables[1].detach()
    with torch.no_grad():
        encoding.add_to_scores(scores, query, 1, 0, slice(None), {})
        context = encoding.add_to_context(torch.zeros(1, 2, n, 4), weights, 1, 0, {})
    position = torch.arange(n)
    row = (position[None, :] - position[:, None]).clamp(-clip, clip) + clip
    expected_scores = torch.einsum("bhid,ijd->bhij", query, keys[row]) / 4**0.5
    expected_context = torch.einsum("bhij,ijd->bhid", weights, values[row])
    torch.testing.assert_close(scores, expected_scores, atol=1e-5, rtol=0)
    torch.testing.assert_close(context, expected_context, atol=1e-4, rtol=1e-5)
