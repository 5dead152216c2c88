"""Every kind of data file says how it was made, whatever its text is."""

import pytest

from posenc_model.exporters import DATA_EXPORTERS, Export
from posenc_model.exporters.files import only_used
from posenc_model.exporters.look import Look
from posenc_model.exporters.provenance import read_state
from posenc_model.exporters.spec import Spec
from posenc_model.run import encode

TEXTS = [
    'He said "no".\nShe said ""\tor \'yes\' \\ "',
    "她们 שלום مرحبا 😀 \u2028 é",
    "</script><!--provenance--> <b>a</b> &amp; &quot; ]]> %s {who}",
    '{"posenc_export": 1, "text": "another"}',
]


@pytest.mark.parametrize("suffix", sorted(DATA_EXPORTERS))
@pytest.mark.parametrize("text", TEXTS)
def test_a_file_says_how_it_was_made(text, suffix, tmp_path):
    settings = {"nlp_pipeline": "whitespace", "width": 16, "num_layers": 2, "num_heads": 2}
    result = encode(text, positional_encoding="rel", clip_distance=3, seed=7, **settings)
    spec = Spec(layers=(1,), heads=None, matrix="scores", tokens=(0,), table="long")
    path = tmp_path / f"out{suffix}"
    path.write_bytes(
        DATA_EXPORTERS[suffix].render(Export((result,), spec, Look(), path.name)).content
    )
    state = read_state(path)
    assert state.text == text
    assert state.settings == result.request.settings
    assert state.spec == only_used(path, spec)
