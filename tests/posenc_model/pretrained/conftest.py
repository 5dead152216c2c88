"""Tiny models of many families, made with transformers and saved as anybody would save them."""

import logging
import os
import shutil
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import tokenizers
    import transformers
    from tokenizers import decoders, models, normalizers, pre_tokenizers, processors, trainers

TEXT = "The dogs weren’t barking, so nobody woke 😀 up"
CORPUS = [TEXT, "barking dogs wake nobody", "so so the walking woke the bark"] * 3


@dataclass(frozen=True)
class Kind:
    """How a tiny model of one family is made.

    Attributes:
        config: Name of its configuration class in transformers.
        sizes: What the configuration is made with.
        cut: How its tokenizer cuts.
        model: Name of its model class.
    """

    config: str
    model: str
    cut: str
    sizes: dict[str, Any]


_BERT = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 20,
    "max_position_embeddings": 40,
}
_T5 = {"d_model": 16, "d_kv": 3, "d_ff": 20, "num_layers": 2, "num_heads": 4}
_LLAMA = {**_BERT, "num_key_value_heads": 2}

KINDS = {
    "bert": Kind("BertConfig", "BertModel", "wordpiece", _BERT),
    "roberta": Kind("RobertaConfig", "RobertaModel", "bytes", _BERT),
    "distilbert": Kind(
        "DistilBertConfig",
        "DistilBertModel",
        "wordpiece",
        {"dim": 16, "n_layers": 2, "n_heads": 4, "hidden_dim": 20, "max_position_embeddings": 40},
    ),
    "mpnet": Kind("MPNetConfig", "MPNetModel", "wordpiece", _BERT),
    "t5": Kind("T5Config", "T5EncoderModel", "unigram", _T5),
    "t5-whole": Kind("T5Config", "T5Model", "unigram", {**_T5, "num_decoder_layers": 1}),
    "umt5": Kind("UMT5Config", "UMT5EncoderModel", "unigram", _T5),
    "roformer": Kind("RoFormerConfig", "RoFormerModel", "wordpiece", _BERT),
    "deberta": Kind(
        "DebertaConfig",
        "DebertaModel",
        "bytes",
        {**_BERT, "relative_attention": True, "pos_att_type": ["c2p", "p2c"]},
    ),
    "deberta-v2": Kind(
        "DebertaV2Config",
        "DebertaV2Model",
        "unigram",
        {**_BERT, "relative_attention": True, "pos_att_type": ["c2p", "p2c"]},
    ),
    "gpt2": Kind(
        "GPT2Config",
        "GPT2Model",
        "bytes",
        {"n_embd": 16, "n_layer": 2, "n_head": 4, "n_positions": 40},
    ),
    "albert": Kind("AlbertConfig", "AlbertModel", "unigram", {**_BERT, "embedding_size": 8}),
    "llama": Kind("LlamaConfig", "LlamaModel", "bytes", _LLAMA),
    "bart": Kind(
        "BartConfig",
        "BartModel",
        "bytes",
        {
            "d_model": 16,
            "encoder_layers": 2,
            "encoder_attention_heads": 4,
            "encoder_ffn_dim": 20,
            "decoder_layers": 1,
            "decoder_attention_heads": 2,
            "decoder_ffn_dim": 20,
            "max_position_embeddings": 40,
        },
    ),
}


def _tokenizer(cut: str) -> "transformers.PreTrainedTokenizerFast":
    special = {
        "wordpiece": ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"],
        "bytes": ["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
        "unigram": ["<pad>", "</s>", "<unk>"],
    }[cut]
    if cut == "wordpiece":
        made = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
        made.normalizer = normalizers.BertNormalizer(lowercase=True)
        made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        made.decoder = decoders.WordPiece()
        trainer: Any = trainers.WordPieceTrainer(
            vocab_size=60, special_tokens=special, show_progress=False
        )
        ends, unknown, padding = ("[CLS]", "[SEP]"), "[UNK]", "[PAD]"
    elif cut == "bytes":
        made = tokenizers.Tokenizer(models.BPE())
        made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        made.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=275,
            special_tokens=special,
            show_progress=False,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        )
        ends, unknown, padding = ("<s>", "</s>"), "<unk>", "<pad>"
    else:
        made = tokenizers.Tokenizer(models.Unigram())
        made.pre_tokenizer = pre_tokenizers.Metaspace()
        made.decoder = decoders.Metaspace()
        trainer = trainers.UnigramTrainer(
            vocab_size=60, special_tokens=special, show_progress=False, unk_token="<unk>"
        )
        ends, unknown, padding = ("", "</s>"), "<unk>", "<pad>"
    made.train_from_iterator(CORPUS, trainer)
    numbers = [(end, made.token_to_id(end)) for end in ends if end]
    made.post_processor = processors.TemplateProcessing(
        single=f"{ends[0]} $A {ends[1]}".strip(), special_tokens=numbers
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, unk_token=unknown, pad_token=padding
    )


@pytest.fixture(scope="session")
def make_model(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Saves a tiny model of a family, with weights large enough to show; remembers it."""
    made: dict[str, Path] = {}

    def make(name: str) -> Path:
        if name not in made:
            folder = tmp_path_factory.mktemp("models") / name
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                _save(KINDS[name], folder)
            made[name] = folder
        return made[name]

    return make


def _save(kind: Kind, folder: Path) -> None:
    tokenizer = _tokenizer(kind.cut)
    padding = {} if "GPT2" in kind.config or "Llama" in kind.config else {"pad_token_id": 1}
    config = getattr(transformers, kind.config)(
        **kind.sizes, vocab_size=len(tokenizer), **padding, bos_token_id=0, eos_token_id=2
    )
    torch.manual_seed(7)
    model = getattr(transformers, kind.model)(config)
    for parameter in model.parameters():
        if parameter.requires_grad:
            torch.nn.init.normal_(parameter, std=0.5)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


@dataclass(frozen=True)
class Reference:
    """What transformers gives when it is called as its documentation says."""

    tokens: list[str]
    attentions: torch.Tensor
    hidden_states: torch.Tensor


def _reference(folder: Path, family: str, text: str) -> Reference:
    logging.getLogger("transformers").setLevel(logging.ERROR)
    name = KINDS[family].model
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = getattr(transformers, name).from_pretrained(folder, attn_implementation="eager")
        found.float()  # half precision is a way to store them, not to compute
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        batch = tokenizer(text, return_tensors="pt")
        encoder = found.get_encoder() if name in ("BartModel", "T5Model") else found
        allowed = {name: batch[name] for name in ("input_ids", "attention_mask")}
        with torch.no_grad():
            output = encoder(**allowed, output_attentions=True, output_hidden_states=True)
    return Reference(
        tokenizer.convert_ids_to_tokens(batch["input_ids"][0]),
        torch.stack([one[0] for one in output.attentions]),
        torch.stack([one[0] for one in output.hidden_states]),
    )


@pytest.fixture(scope="session")
def reference() -> Callable[[Path, str, str], Reference]:
    """Runs transformers itself: takes a folder, the family and a text."""
    return _reference


@pytest.fixture(scope="session")
def text() -> str:
    """A text with a word of several pieces, a typographic apostrophe and an emoji."""
    return TEXT


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that takes a ``family`` is run for each of them."""
    if "family" in metafunc.fixturenames:
        metafunc.parametrize("family", KINDS)


@pytest.fixture
def copy_of(make_model: Callable[..., Path], tmp_path: Path) -> Callable[..., Path]:
    """Copies a tiny model, so that a test may spoil it."""

    def copy(name: str = "bert") -> Path:
        target = tmp_path / "model"
        shutil.copytree(make_model(name), target)
        return target

    return copy
