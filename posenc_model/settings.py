"""The settings of a run, declared once: name, type, default, limits, prose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from posenc_model.config import NUM_HEADS, NUM_LAYERS, POSITIONAL_ENCODING, SEED, WIDTH
from posenc_model.embeddings import embedding_choices
from posenc_model.encodings import ENCODINGS
from posenc_model.errors import PosencError
from posenc_model.options import Choice, Option, Value, check_all
from posenc_model.tokenizers import tokenizer_choices
from posenc_model.vocabulary import FROM_TEXT, vocabulary_choices
from posenc_model.weight_sources import RANDOM, WeightSource, weight_choices, weight_source

MAX_SENTENCES = 64

NLP_PIPELINE = Option(
    name="nlp_pipeline",
    kind="choice",
    default="spacy",
    choices=tokenizer_choices,
    label="Tokenizer",
    help="How the text is cut into tokens.",
)
UNK_IGNORE = Option(
    name="unk_ignore",
    kind="bool",
    default=True,
    label="Ignore unknown words",
    help="On: a word outside the vocabulary becomes a zero vector and is marked. Off: an error.",
    needs=("embedding", "one-hot"),
)
EMBEDDING = Option(
    name="embedding",
    kind="choice",
    default="random",
    choices=embedding_choices,
    label="Word vectors",
    help="What stands for each word before the first layer.",
)
VOCABULARY = Option(
    name="vocabulary",
    kind="choice",
    default=FROM_TEXT,
    choices=vocabulary_choices,
    open_ended=True,
    label="Vocabulary",
    help="Which words one-hot vectors know: this text’s, the sample corpus’s, or a text file’s.",
    needs=("embedding", "one-hot"),
)

ATTENTION_MASK = Option(
    name="attention_mask",
    kind="choice",
    default="none",
    choices=lambda: (
        Choice("none", "none: all words are seen", "Each word may look at all words."),
        Choice("causal", "look-ahead mask", "Each word sees itself and those before it only."),
    ),
    label="Mask",
    help="Which words a word may look at.",
)
BATCH = Option(
    name="batch",
    kind="bool",
    default=False,
    label="Each line is a sentence",
    help="The lines of the text run together, as one batch filled up to the longest.",
)
SENTENCE = Option(
    name="sentence",
    kind="int",
    default=1,
    minimum=1,
    maximum=MAX_SENTENCES,
    label="Sentence shown",
    help="Which line of the batch is shown.",
    needs=("batch", True),
)
SHOW_PADDING = Option(
    name="show_padding",
    kind="bool",
    default=False,
    label="Show the padding",
    help="Shows what the sentence was filled up with; nothing looks at it.",
    needs=("batch", True),
)
WEIGHT_FILES = "Trained encoders and attention weights (*.safetensors *.npz *.json)"
WEIGHTS = Option(
    name="weights",
    kind="choice",
    default=RANDOM,
    choices=weight_choices,
    open_ended=True,
    file_kinds=WEIGHT_FILES,
    label="Weights",
    help="Where the encoder’s numbers come from; also a trained encoder (.safetensors), attention "
    "weights (.npz, .json) or the folder of a Hugging Face model.",
)
SPECIAL_TOKENS = Option(
    name="special_tokens",
    kind="choice",
    default="show",
    choices=lambda: (
        Choice("show", "show", "All tokens are shown, as the model sees them."),
        Choice("drop", "leave out", "Left out; the rows then add up to less than 1."),
        Choice("renormalise", "leave out and rescale", "Left out; rows are scaled to add up to 1."),
    ),
    label="Special tokens",
    help="What becomes of tokens such as [CLS] that a model from a folder adds to the text.",
)

SETTINGS: tuple[Option, ...] = (
    WEIGHTS,
    POSITIONAL_ENCODING,
    NUM_LAYERS,
    NUM_HEADS,
    NLP_PIPELINE,
    EMBEDDING,
    WIDTH,
    VOCABULARY,
    UNK_IGNORE,
    ATTENTION_MASK,
    BATCH,
    SENTENCE,
    SHOW_PADDING,
    SEED,
    SPECIAL_TOKENS,
)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the user has chosen, checked when it is made.

    The fields are those of :data:`SETTINGS`, by the same names, and ``encoding_options``: the
    positional encoding's own parameters as (name, value) pairs, complete, in declared order.

    Raises:
        PosencError: A value is not allowed.
    """

    nlp_pipeline: str = "spacy"
    unk_ignore: bool = True
    num_heads: int = 8
    num_layers: int = 12
    positional_encoding: str = "t5"
    embedding: str = "random"
    vocabulary: str = FROM_TEXT
    width: int = 512
    seed: int = 0
    attention_mask: str = "none"
    batch: bool = False
    sentence: int = 1
    show_padding: bool = False
    weights: str = RANDOM
    special_tokens: str = "show"
    encoding_options: tuple[tuple[str, Value], ...] = ()

    def __post_init__(self) -> None:
        for option in SETTINGS:
            option.check(getattr(self, option.name))
        info = ENCODINGS[self.positional_encoding]
        options = check_all(info.options, dict(self.encoding_options))
        info.check(options)
        object.__setattr__(self, "encoding_options", tuple(options.items()))
        flat = self.flat()
        for name, value in self.source.fixed.items():
            if flat.get(name, value) != value:
                raise _fixed(self.source, name, flat[name])

    @property
    def source(self) -> WeightSource:
        """Where the weights come from.

        Raises:
            PosencError: From nowhere any longer: their file is gone or damaged.
        """
        return weight_source(self.weights, self.positional_encoding)

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Settings:
        """Settings from a flat mapping that may hold the encoding's own parameters as well.

        What the weights determine may be left out.

        Raises:
            PosencError: A value or a name is not allowed.
        """
        names = {field.name for field in fields(cls)}
        values = _with_fixed(values)
        own = {name: value for name, value in values.items() if name in names}
        rest = {name: value for name, value in values.items() if name not in names}
        if rest:
            own["encoding_options"] = tuple(
                {**dict(own.get("encoding_options", ())), **rest}.items()
            )
        return cls(**own)

    def flat(self) -> dict[str, Value]:
        """All settings by name, the encoding's own parameters among them."""
        own = {option.name: getattr(self, option.name) for option in SETTINGS}
        return {**own, **dict(self.encoding_options)}


def _every_name() -> set[str]:
    """All settings and the encodings' own parameters."""
    own = {option.name for info in ENCODINGS.values() for option in info.options}
    return own | {option.name for option in SETTINGS}


def _fixed(source: WeightSource, name: str, value: Value) -> PosencError:
    return PosencError(
        f"{name} is {value}, but has to be {source.fixed[name]} with {source.title}; "
        f"leave it out, or set weights to {RANDOM}.",
        name,
    )


def _with_fixed(values: Mapping[str, Any]) -> dict[str, Any]:
    """Adds what the weights determine.

    Raises:
        PosencError: A value is given that has no effect on these weights.
    """
    weights = str(WEIGHTS.check(values.get(WEIGHTS.name, WEIGHTS.default)))
    encoding = POSITIONAL_ENCODING.check(
        values.get(POSITIONAL_ENCODING.name, POSITIONAL_ENCODING.default)
    )
    source = weight_source(weights, str(encoding))
    for name, value in values.items():
        if name not in _every_name():
            continue  # what there is not is said later
        if source.fixed.get(name, value) != value:
            raise _fixed(source, name, value)
        if name != WEIGHTS.name and not source.matters(name):
            raise PosencError(
                f"{name} has no effect with {source.title}; leave it out, or set weights to "
                f"{RANDOM}.",
                name,
            )
    return {**source.fixed, **values}
