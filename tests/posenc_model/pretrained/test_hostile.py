"""Folders that are damaged, wrong or malicious: one sentence each, and nothing of them is run."""

import json
import os
import pickle
import re
import shutil
import struct
import zipfile
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from posenc_model.errors import PosencError
from posenc_model.pretrained import model_info, open_model

WEIGHTS = "model.safetensors"


def refused(folder: Path, words: str) -> str:
    """Opens a folder that must be refused; gives the sentence."""
    with pytest.raises(PosencError, match=words) as error:
        open_model(folder).run("so woke")
    sentence = error.value.sentence
    assert error.value.setting == "weights"
    assert "\n" not in sentence
    assert sentence.endswith((".", '"'))
    assert len(sentence) < 500
    return sentence


def change(folder: Path, name: str = "config.json", **values: object) -> None:
    content = json.loads((folder / name).read_text())
    content.update(values)
    (folder / name).write_text(json.dumps(content))


def change_weights(folder: Path, **tensors: torch.Tensor | None) -> None:
    found = load_file(folder / WEIGHTS)
    for name, tensor in tensors.items():
        key = name.replace("__", ".")
        if tensor is None:
            del found[key]
        else:
            found[key] = tensor
    save_file(found, folder / WEIGHTS, {"format": "pt"})


def test_weights_that_are_missing_are_never_made_up(make_model, tmp_path, family):
    """Each tensor of each family in turn; only what no attention depends on may be missing."""
    source = make_model(family)
    tensors = load_file(source / WEIGHTS)
    folder = tmp_path / "model"
    shutil.copytree(source, folder)
    complete = open_model(folder).run("so woke nobody")
    for number, name in enumerate(sorted(tensors)):
        if name.startswith("decoder.layers.") or name.replace(".0.", ".1.", 1) in set(tensors) - {
            name
        }:
            continue  # a decoder that is not shown; the first layer, as the second is tried
        is_free = "pooler" in name or re.match(r"decoder\.", name)
        is_formula = family == "roformer" and "embed_positions" in name
        left = {key: tensor for key, tensor in tensors.items() if key != name}
        save_file(left, folder / WEIGHTS, {"format": "pt"})
        os.utime(folder / WEIGHTS, ns=(0, number))
        if is_formula:
            continue
        if is_free and family != "bart":
            output = open_model(folder).run("so woke nobody")
            assert (output.attentions == complete.attentions).all()
        else:
            assert name.split(".")[-1] in refused(folder, "are missing")


def test_a_table_that_is_a_formula_may_be_missing(copy_of):
    folder = copy_of("roformer")
    change_weights(folder, encoder__embed_positions__weight=None)
    output = open_model(folder).run("so woke")
    assert abs(output.attentions.sum(-1) - 1).max() < 1e-5


def test_more_layers_in_the_file_than_in_the_config_are_refused(copy_of):
    folder = copy_of("bert")
    change(folder, num_hidden_layers=1)
    refused(folder, "hold more than config.json describes")


def test_heads_that_are_no_part_of_the_encoder_may_be_there(copy_of):
    folder = copy_of("bert")
    before = open_model(folder).run("so woke").attentions
    change_weights(folder, cls__predictions__bias=torch.zeros(5))
    assert (open_model(folder).run("so woke").attentions == before).all()


def test_old_names_and_a_prefix_are_understood(copy_of):
    """BERT's first files say gamma and beta, and ``bert.`` before each name."""
    folder = copy_of("bert")
    before = open_model(folder).run("so woke").attentions
    old = {}
    for name, tensor in load_file(folder / WEIGHTS).items():
        name = name.replace("LayerNorm.weight", "LayerNorm.gamma")
        old["bert." + name.replace("LayerNorm.bias", "LayerNorm.beta")] = tensor
    save_file(old, folder / WEIGHTS, {"format": "pt"})
    assert (open_model(folder).run("so woke").attentions == before).all()


def test_wrong_shapes_are_named(copy_of):
    folder = copy_of("bert")
    change_weights(folder, encoder__layer__1__output__dense__weight=torch.zeros(3, 5))
    sentence = refused(folder, "shape")
    assert "“encoder.layer.1.output.dense.weight” have the shape 3 × 5" in sentence
    assert "16 × 20" in sentence


def test_weights_that_are_no_numbers_are_refused(copy_of):
    folder = copy_of("bert")
    name = "encoder.layer.0.attention.self.query.weight"
    change_weights(folder, **{name.replace(".", "__"): torch.full((16, 16), torch.nan)})
    refused(folder, "not finite")


def test_whole_numbers_as_weights_are_refused(copy_of):
    folder = copy_of("bert")
    name = "encoder.layer.0.attention.self.query.weight"
    change_weights(folder, **{name.replace(".", "__"): torch.zeros((16, 16), dtype=torch.int8)})
    refused(folder, "no floating-point numbers")


@pytest.mark.parametrize("share", [0.0, 0.001, 0.5, 0.99])
def test_a_file_that_is_cut_off_is_refused(copy_of, share):
    path = copy_of("bert") / WEIGHTS
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])
    refused(path.parent, "cut off or damaged")


def test_a_header_that_claims_more_than_the_file_is_refused(copy_of):
    path = copy_of("bert") / WEIGHTS
    path.write_bytes(struct.pack("<Q", 2**62) + b"{}")
    refused(path.parent, "cut off or damaged")


def test_no_weights_no_config_no_tokenizer(copy_of):
    folder = copy_of("bert")
    for pattern, words in (
        ("tokenizer*", "no tokenizer"),
        (WEIGHTS, "There are no weights|no tokenizer"),
        ("config.json", "no config.json"),
    ):
        for path in folder.glob(pattern):
            path.unlink()
        refused(folder, words)


def test_weights_for_other_libraries_are_named(copy_of):
    folder = copy_of("bert")
    (folder / WEIGHTS).rename(folder / "tf_model.h5")
    refused(folder, "TensorFlow only")


def test_a_folder_above_the_model_names_the_one_inside(copy_of):
    folder = copy_of("bert")
    refused(folder.parent, "there is one in “model” inside it")


def test_a_pickled_file_is_read_as_tensors(copy_of):
    folder = copy_of("bert")
    before = open_model(folder).run("so woke").attentions
    torch.save(load_file(folder / WEIGHTS), folder / "pytorch_model.bin")
    (folder / WEIGHTS).unlink()
    assert (open_model(folder).run("so woke").attentions == before).all()


class Evil:
    """Writes a file when it is unpickled by a reader that trusts it."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (str(self.marker),)


@pytest.mark.parametrize("writes", ["torch", "pickle", "old"])
def test_a_pickled_file_with_code_is_refused_and_not_run(copy_of, tmp_path, writes):
    folder, marker = copy_of("bert"), tmp_path / "was-here"
    (folder / WEIGHTS).unlink()
    path = folder / "pytorch_model.bin"
    if writes == "pickle":
        path.write_bytes(pickle.dumps({"a": Evil(marker)}))
    else:
        torch.save({"a": Evil(marker)}, path, _use_new_zipfile_serialization=writes == "torch")
    refused(folder, "nothing of it was used")
    assert not marker.exists()
    # The file does what it is meant to where it is trusted, or this test would show nothing.
    if writes == "pickle":
        pickle.loads(path.read_bytes())
    else:
        torch.load(path, weights_only=False)
    assert marker.exists()


def test_a_tensor_that_repeats_one_number_billions_of_times_is_refused(copy_of):
    folder = copy_of("bert")
    (folder / WEIGHTS).unlink()
    torch.save({"a": torch.zeros(1).expand(2**20, 2**20)}, folder / "pytorch_model.bin")
    refused(folder, "too large")


def test_a_packed_bomb_is_refused_before_it_is_unpacked(copy_of):
    folder = copy_of("bert")
    (folder / WEIGHTS).unlink()
    with zipfile.ZipFile(folder / "pytorch_model.bin", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/data.pkl", b"")
        entry = zipfile.ZipInfo("archive/data/0")
        archive.writestr(entry, b"")
        archive.infolist()[-1].file_size = 2**36  # what a directory can claim
    refused(folder, "too large|nothing of it was used")


@pytest.mark.parametrize("ending", [".safetensors", ".bin"])
def test_weights_in_several_files_are_read_through_their_index(copy_of, ending):
    folder = copy_of("bert")
    before = open_model(folder).run("so woke").attentions
    tensors = load_file(folder / WEIGHTS)
    names = sorted(tensors)
    (folder / WEIGHTS).unlink()
    stem = "model" if ending == ".safetensors" else "pytorch_model"
    weight_map = {}
    for number, part in enumerate((names[::2], names[1::2])):
        name = f"{stem}-{number}{ending}"
        content = {key: tensors[key] for key in part}
        if ending == ".bin":
            torch.save(content, folder / name)
        else:
            save_file(content, folder / name, {"format": "pt"})
        weight_map |= dict.fromkeys(part, name)
    index = folder / f"{stem}{ending}.index.json"
    index.write_text(json.dumps({"weight_map": weight_map}))
    assert (open_model(folder).run("so woke").attentions == before).all()
    for wrong, words in (
        ({}, "does not say which file"),
        ({"a": f"../x{ending}"}, "no .* file in its folder"),
        ({"a": f"/etc/x{ending}"}, "no .* file in its folder"),
        ({"a": f"gone{ending}"}, "which is not in"),
        ({"a": "config.json"}, "no .* file in its folder"),
    ):
        index.write_text(json.dumps({"weight_map": wrong}))
        refused(folder, words)


CODE = "from pathlib import Path\nPath({!r}).mkdir()\n"


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("config.json", {"auto_map": {"AutoModel": "evil.Evil", "AutoConfig": "evil.Config"}}),
        ("tokenizer_config.json", {"auto_map": {"AutoTokenizer": ["evil.Evil", None]}}),
        ("tokenizer_config.json", {"auto_map": ["evil.Evil", None]}),
        ("tokenizer_config.json", {"tokenizer_class": "EvilTokenizer"}),
        ("tokenizer_config.json", {"tokenizer_class": ["evil"]}),
    ],
)
def test_code_in_the_folder_is_never_run(copy_of, tmp_path, name, values):
    folder, marker = copy_of("bert"), tmp_path / "was-here"
    for module in ("evil.py", "modeling_evil.py", "tokenization_evil.py", "__init__.py"):
        (folder / module).write_text(CODE.format(str(marker)))
    change(folder, name, **values)
    refused(folder, "which PosEnc never runs|does not know")
    assert not marker.exists()


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"num_hidden_layers": 10**9}, "num_hidden_layers as 1000000000, .* from 1 to 512"),
        ({"num_hidden_layers": 0}, "from 1 to 512"),
        ({"num_hidden_layers": -3}, "from 1 to 512"),
        ({"num_hidden_layers": 2.0}, "from 1 to 512"),
        ({"num_hidden_layers": True}, "from 1 to 512"),
        ({"num_hidden_layers": "many" * 100}, "from 1 to 512"),
        ({"num_hidden_layers": None}, "does not say how many layers"),
        ({"num_attention_heads": 5}, "."),
        ({"num_attention_heads": 10**6}, "num_attention_heads as 1000000"),
        ({"hidden_size": 10**12}, "hidden_size as 1000000000000"),
        ({"hidden_size": 65536}, "but its files hold"),
        ({"vocab_size": 10**10}, "vocab_size as 10000000000"),
        ({"vocab_size": 2**24}, "but its files hold|shape"),
        ({"intermediate_size": 2**24}, "but its files hold"),
        ({"intermediate_size": -1}, "."),
        ({"max_position_embeddings": 10**9}, "max_position_embeddings as 1000000000"),
        ({"max_position_embeddings": 2**20}, "but its files hold|shape"),
        ({"vocab_size": "30"}, "."),
        ({"hidden_act": "no-such"}, "could not be opened"),
        ({"hidden_act": ["gelu"]}, "could not be (opened|run)"),
        ({"model_type": "no-such"}, "no model for text"),
        ({"model_type": "vit"}, "no model for text"),
        ({"model_type": ["bert"]}, "what kind of model"),
        ({"model_type": ""}, "what kind of model"),
        ({"position_embedding_type": "relative_key"}, "'absolute' positions only"),
        ({"quantization_config": {"load_in_8bit": True}}, "quantised"),
        ({"model_type": "gpt2"}, "."),
    ],
)
def test_a_config_that_cannot_be(copy_of, values, words):
    folder = copy_of("bert")
    change(folder, **values)
    refused(folder, words)


def test_what_a_config_says_of_how_to_run_is_ignored(copy_of):
    folder = copy_of("bert")
    before = open_model(folder).run("so woke").attentions
    change(
        folder,
        attn_implementation="sdpa",
        _attn_implementation="flash_attention_2",
        dtype="float16",
        torch_dtype="bfloat16",
        output_attentions=False,
        return_dict=False,
        use_cache=True,
        transformers_weights="../elsewhere.safetensors",
        name_or_path="somebody/else",
        _name_or_path="mistralai/Mistral-7B",
    )
    assert (open_model(folder).run("so woke").attentions == before).all()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not valid JSON"),
        (b"{", "not valid JSON"),
        (b"[]", "holds a JSON list"),
        (b'"text"', "holds a JSON string"),
        (b"null", "holds a JSON value"),
        (b'{"model_type": "b\xffrt"}', "not text in UTF-8"),
        ("{}".encode("utf-16"), "not text in UTF-8"),
        (b"[" * 100_000, "not valid JSON"),
        (b'{"num_layers": ' + b"9" * 5000 + b"}", "not valid JSON"),
        (b"{}", "what kind of model"),
    ],
)
@pytest.mark.parametrize("opens", [open_model, model_info])
def test_a_config_that_is_no_config(copy_of, content, words, opens):
    folder = copy_of("bert")
    (folder / "config.json").write_bytes(content)
    with pytest.raises(PosencError, match=words) as error:
        opens(folder)
    assert error.value.setting == "weights"


def test_a_config_of_100_mb_is_not_read(copy_of):
    folder = copy_of("bert")
    with (folder / "config.json").open("r+b") as file:
        file.truncate(100 * 2**20)
    refused(folder, "“config.json” has 100.0 MB; 1 MB is the most")
    with pytest.raises(PosencError, match=r"has 100\.0 MB"):
        model_info(folder)


def test_a_tokenizer_that_is_huge_or_broken_is_refused(copy_of):
    folder = copy_of("bert")
    path = folder / "tokenizer.json"
    content = path.read_bytes()
    for broken in (
        b"{}",
        b"{",
        content[:-100],
        b"\xff\xfe",
        content.replace(b"WordPiece", b"Evil"),
    ):
        path.write_bytes(broken)
        refused(folder, "tokenizer")
    with path.open("r+b") as file:
        file.truncate(2**28)
    refused(folder, "256 MB; 128 MB is the most")


def test_a_tokenizer_of_another_model_is_refused(copy_of, make_model):
    folder = copy_of("bert")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(make_model("gpt2") / name, folder / name)
    refused(folder, "do not belong together")


def test_places_that_are_no_folder(tmp_path):
    file = tmp_path / "file"
    file.touch()
    refused(file, "“file” is a file")
    refused(tmp_path / "gone", "There is no folder")
    refused(tmp_path / "a\0b", "could not be opened")
    refused(tmp_path / ("x" * 300), "could not be opened")
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    refused(tmp_path / "a", "could not be opened")


@pytest.mark.parametrize("name", ["config.json", WEIGHTS, "tokenizer.json"])
def test_files_that_are_no_files(copy_of, name):
    folder = copy_of("bert")
    path = folder / name
    path.unlink()
    path.symlink_to(path)  # a link to itself
    refused(folder, "could not be read")
    path.unlink()
    os.mkfifo(path)  # reading would wait for ever
    refused(folder, "not an ordinary file")
    path.unlink()
    path.mkdir()
    refused(folder, "not an ordinary file")


def test_links_as_in_the_hub_s_cache_are_followed(copy_of, tmp_path):
    folder = copy_of("bert")
    snapshot = tmp_path / "snapshot"
    snapshot.mkdir()
    for path in folder.iterdir():
        (snapshot / path.name).symlink_to(path)
    output = open_model(snapshot).run("so woke")
    assert (output.attentions == open_model(folder).run("so woke").attentions).all()


def test_an_adapter_is_no_model(tmp_path):
    (tmp_path / "adapter_config.json").write_text('{"base_model_name_or_path": "a/b"}')
    refused(tmp_path, "an adapter")


def test_an_adapter_beside_a_model_is_not_followed(copy_of):
    folder = copy_of("bert")
    before = open_model(folder).run("so woke").attentions
    (folder / "adapter_config.json").write_text('{"base_model_name_or_path": "a/b"}')
    assert (open_model(folder).run("so woke").attentions == before).all()


def test_a_model_without_weights_for_each_pair_is_refused(tmp_path, copy_of):
    import transformers

    folder = copy_of("bert")
    config = transformers.FNetConfig(
        hidden_size=16, num_hidden_layers=2, intermediate_size=20, vocab_size=60
    )
    config.num_attention_heads = 4
    for name in ("config.json", WEIGHTS):
        (folder / name).unlink()
    transformers.FNetModel(config).save_pretrained(folder)
    refused(folder, "nothing to show|could not be run")


def test_a_folder_of_thousands_of_files_is_refused(copy_of):
    folder = copy_of("bert")
    for number in range(2001):
        (folder / str(number)).touch()
    refused(folder, "more than 2,000 files")
