import json

from posenc_gui.training.plan import SavedTraining
from posenc_model.training.settings import TrainingSettings


def save(folder, *encodings, steps=7):
    runs = []
    for name in encodings:
        (folder / f"{name}-step-{steps:08d}.safetensors").write_bytes(b"")
        flat = TrainingSettings.of({"positional_encoding": name}).flat()
        runs.append({"settings": flat, "steps": steps, "last": None})
    (folder / "results.json").write_text(json.dumps(runs), encoding="utf-8")


def test_a_folder_without_checkpoints_holds_no_training(tmp_path):
    assert SavedTraining.find(tmp_path) is None
    assert SavedTraining.find(tmp_path / "missing") is None


def test_what_a_folder_holds_is_read(tmp_path):
    save(tmp_path, "t5", "abs")
    saved = SavedTraining.find(tmp_path)
    assert [one.positional_encoding for one in saved.settings] == ["t5", "abs"]
    assert saved.steps == 7
    assert "recall with t5, abs, 7 of 1,000 steps" in saved.sentence


def test_checkpoints_whose_results_are_missing_or_damaged_are_offered_all_the_same(tmp_path):
    save(tmp_path, "t5")
    for content in ("{", "[{}]", '[{"settings": {"task": "nothing"}, "steps": 1}]'):
        (tmp_path / "results.json").write_text(content, encoding="utf-8")
        assert SavedTraining.find(tmp_path) == SavedTraining((), 0)
    (tmp_path / "results.json").unlink()
    assert "settings above" in SavedTraining.find(tmp_path).sentence
