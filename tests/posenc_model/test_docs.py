"""The examples that people copy: docstrings and the README's Python block."""

import doctest
import re
from pathlib import Path

import numpy as np
import pytest

import posenc_model.probe
import posenc_model.run

README = Path(__file__).parents[2] / "README.md"


@pytest.mark.parametrize("module", [posenc_model.run, posenc_model.probe])
def test_examples_in_docstrings(module):
    result = doctest.testmod(module)
    assert result.attempted >= 2
    assert result.failed == 0


def test_the_readmes_python_example():
    (block,) = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    names: dict[str, object] = {}
    exec(block, names)
    result = names["result"]
    assert isinstance(result, posenc_model.RunResult)
    assert result.attentions.shape == (2, 8, 3, 3)
    assert result.hidden_states.shape == (3, 3, 512)
    parts = result.score_parts(0, 3)
    assert set(parts) == {"content", "position"}
    np.testing.assert_allclose(sum(parts.values()), result.scores(0, 3), atol=1e-5)
