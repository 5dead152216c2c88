"""White space and nothing else."""

from posenc_model.tokenizers import Token
from posenc_model.tokenizers.whitespace import WhitespaceTokenizer


def test_punctuation_stays_with_its_word():
    tokens = WhitespaceTokenizer().tokenize(" Don't  stop,\n(now). ")
    assert tokens == (Token("Don't", 1, 6), Token("stop,", 8, 13), Token("(now).", 14, 20))
