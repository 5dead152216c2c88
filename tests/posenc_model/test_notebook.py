"""What a notebook shows of a result."""

from xml.etree import ElementTree

import numpy as np

from posenc_model import encode
from posenc_model.notebook import result_html


def picture(html: str) -> ElementTree.Element:
    return ElementTree.fromstring(html[html.index("<svg") :])


def test_rows_columns_and_weights_are_those_of_the_matrix():
    weights = np.array([[0.0, 1.0], [0.25, 0.75]], dtype=np.float32)
    svg = picture(result_html(weights, ["<b>", "&amp;"], "title"))
    cells = svg.findall("{*}rect")
    assert [cell.get("fill-opacity") for cell in cells] == ["0.000", "1.000", "0.250", "0.750"]
    first, second, third, _ = cells
    assert float(second.get("x")) > float(first.get("x"))
    assert second.get("y") == first.get("y")
    assert float(third.get("y")) > float(first.get("y"))
    assert [cell[0].text for cell in cells][1] == "<b> → &amp;: 1.0000"
    assert [text.text for text in svg.findall("{*}text")] == ["<b>", "<b>", "&amp;", "&amp;"]


def test_a_result_shows_the_last_layers_mean_over_heads():
    result = encode("a b c", num_layers=2, num_heads=2, width=8, nlp_pipeline="whitespace")
    html = result._repr_html_()
    assert "t5 · layer 2 · mean over heads" in html
    shown = [float(cell.get("fill-opacity")) for cell in picture(html).findall("{*}rect")]
    np.testing.assert_allclose(shown, result.attentions[1].mean(0).ravel(), atol=5.1e-4)


def test_a_long_text_is_cut_and_that_is_said():
    text = " ".join(f"w{i}" for i in range(60))
    result = encode(text, num_layers=1, num_heads=1, width=8, nlp_pipeline="whitespace")
    html = result._repr_html_()
    assert "(the first 48 of 60 tokens)" in html
    assert len(picture(html).findall("{*}rect")) == 48 * 48
