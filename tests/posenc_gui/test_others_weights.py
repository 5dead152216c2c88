"""The window with a model or attention of somebody else's."""

import numpy as np
import pytest

from posenc_gui.main_window import MainWindow

WORDS = ["<s>", "x < y", "c"]


@pytest.fixture
def npz(tmp_path):
    weights = np.random.default_rng(0).dirichlet(np.ones(3), (2, 3, 3)).astype(np.float32)
    path = tmp_path / "other.npz"
    np.savez(path, weights=weights, tokens=np.array(WORDS))
    return path, weights


def rows_in_view(window):
    return {name for name, row in window.settings_panel.rows.items() if row.isVisible()}


def test_attention_from_a_file(open_window, shown, do, monkeypatch, npz):
    path, weights = npz
    monkeypatch.setattr("posenc_gui.opening.ask_open", lambda *args: path)
    window = open_window("one two three four")
    do(window, "Open weights or attention…")
    shown(window, weights=str(path))
    np.testing.assert_array_equal(window.attention_view.figure().matrix, weights[0, 0])
    assert list(window.attention_view.figure().query_words) == WORDS
    assert [token.text for token in window.text_panel.chips.tokens] == WORDS
    assert rows_in_view(window) == {"weights"}
    note = window.settings_panel.rows["weights"].note
    assert "the text above is not used" in note.text()
    assert "other.npz, attention, 2 × 3" in window.status.label.text()


def test_the_sizes_are_back_with_random_weights(open_window, shown, npz):
    window = open_window("one two three four")
    window.settings_panel.choose_weights(str(npz[0]))
    shown(window, weights=str(npz[0]))
    window.settings_panel.choose_weights("random")
    shown(window, weights="random", num_layers=2, width=16)
    assert "num_layers" in rows_in_view(window)


def test_a_broken_file_says_so_beside_the_field(qtbot, open_window, tmp_path):
    path = tmp_path / "broken.npz"
    path.write_bytes(b"PK nonsense")
    window = open_window("one two")
    window.settings_panel.choose_weights(str(path))
    message = window.settings_panel.rows["weights"].message
    qtbot.waitUntil(message.isVisible)
    assert "broken.npz" in message.text()
    assert not window.attention_view.has_result()


def test_a_file_that_is_gone_at_the_next_start(qtbot, folder, npz, shown):
    window = MainWindow(folder, {"weights": str(npz[0])})
    qtbot.addWidget(window)
    window.show()
    shown(window, weights=str(npz[0]))
    window.close()
    npz[0].unlink()
    again = MainWindow(folder)
    qtbot.addWidget(again)
    again.show()
    message = again.settings_panel.rows["weights"].message
    qtbot.waitUntil(message.isVisible, timeout=30_000)
    assert "other.npz" in message.text()


def test_a_model_from_a_folder(open_window, shown, do, monkeypatch, bert):
    monkeypatch.setattr("posenc_gui.opening.ask_folder", lambda *args: bert)
    window = open_window("The program shows it.")
    do(window, "Open model folder…")
    shown(window, weights=str(bert))
    view = window.attention_view
    assert (view.layer_box.maximum(), view.head_box.maximum()) == (6, 12)
    words = ["[CLS]", "the", "program", "shows", "it", ".", "[SEP]"]
    assert list(view.figure().query_words) == words
    assert rows_in_view(window) == {"weights", "special_tokens"}
    assert "BERT, 6 × 12; learned absolute positions" in (
        window.settings_panel.rows["weights"].note.text()
    )
    whole = view.result.attentions
    window.settings_panel.rows["special_tokens"].field.set_value("drop")
    shown(window, special_tokens="drop")
    np.testing.assert_allclose(view.figure().matrix, whole[0, 0, 1:-1, 1:-1], atol=1e-6)
    assert "do not sum to 1" in window.notice.label.text()
