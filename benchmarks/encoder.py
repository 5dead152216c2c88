"""The encoder against a stack of ``torch.nn`` blocks of the same sizes.

``python -m benchmarks.encoder [--tokens 16 128 512 1024] [--rounds 7] [--memory]``

Both give the weights of every layer and head. The reference is ``nn.MultiheadAttention`` with
``need_weights=True, average_attn_weights=False`` in post-norm blocks, without any position. Ratios
below 1 mean that this encoder is faster.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.timing import in_turns
from posenc_model.config import EncoderConfig
from posenc_model.encoder import TransformerEncoder
from posenc_model.encodings import ENCODINGS

WIDTH, HEADS, LAYERS, INNER = 512, 8, 12, 2048
BARS = {"none": (1.0, 1.0), "abs": (1.0, 1.0), "t5": (1.1, 1.1), "rel": (1.25, 1.5)}
REFERENCE = "nn.MultiheadAttention"


class ReferenceBlock(nn.Module):
    """A post-norm block from torch's own parts."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
        self.first_norm, self.second_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.inner, self.outer = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        attended, weights = self.attention(x, x, x, need_weights=True, average_attn_weights=False)
        x = self.first_norm(x + attended)
        return self.second_norm(x + self.outer(F.relu(self.inner(x)))), weights


class Reference(nn.Module):
    """The stack; gives the hidden states and the weights of every layer."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(ReferenceBlock() for _ in range(LAYERS))
        self.eval()

    def forward(self, x: Tensor) -> tuple[list[Tensor], list[Tensor]]:
        hidden, all_weights = [x], []
        for block in self.blocks:
            x, weights = block(x)
            hidden.append(x)
            all_weights.append(weights)
        return hidden, all_weights


def make_encoder(name: str) -> TransformerEncoder:
    return TransformerEncoder(
        EncoderConfig(
            width=WIDTH,
            num_heads=HEADS,
            num_layers=LAYERS,
            inner_width=INNER,
            positional_encoding=name,
        )
    )


def operations(tokens: int) -> float:
    """Floating-point operations of the matrix products of one pass, counting 2 a multiply-add."""
    projections = 4 * WIDTH * WIDTH + 2 * WIDTH * INNER
    return 2.0 * LAYERS * (tokens * projections + 2 * tokens * tokens * WIDTH)


def matmul_rate() -> float:
    """Operations per second of ``torch.mm`` of 1024 × 512 × 2048."""
    a, b = torch.randn(1024, 512), torch.randn(512, 2048)
    timing = in_turns({"mm": lambda: torch.mm(a, b)}, rounds=30, warm_up=5)["mm"]
    return 2 * 1024 * 512 * 2048 / timing.best


def compare_speed(token_counts: list[int], rounds: int) -> bool:
    """Prints the table; returns whether every bar is met by the ratio of the minima."""
    reference = Reference()
    encoders = {name: make_encoder(name) for name in ENCODINGS}
    rate = matmul_rate()
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads, {rounds} rounds")
    print(f"torch.mm of 1024×512×2048: {rate / 1e9:.0f} GFLOP/s")
    print(
        f"{'tokens':>6} {'what':>22} {'ms':>9} {'minima':>7} {'median':>7} {'bar':>5} {'of mm':>6}"
    )
    all_met = True
    for tokens in token_counts:
        x = torch.randn(1, tokens, WIDTH)

        def candidate(model: nn.Module, x: Tensor = x) -> Callable[[], object]:
            return lambda: model(x)

        candidates = {REFERENCE: candidate(reference)}
        candidates |= {name: candidate(model) for name, model in encoders.items()}
        with torch.inference_mode():
            timings = in_turns(candidates, rounds, warm_up=2)
        base = timings[REFERENCE]
        for name, timing in timings.items():
            share = operations(tokens) / timing.best / rate
            line = f"{tokens:>6} {name:>22} {1000 * timing.best:>9.1f} "
            if name in BARS:
                bar = BARS[name][tokens > 512]
                ratio = timing.ratio_of_minima(base)
                all_met &= ratio <= bar
                sign = " " if ratio <= bar else "!"
                line += f"{ratio:>7.2f} {timing.median_ratio(base):>7.2f} {bar:>5.2f}{sign}"
            else:
                line += f"{'':>7} {'':>7} {'':>6}"
            print(f"{line}{share:>6.2f}")
    return all_met


def peak_memory(what: str, tokens: int) -> float:
    """Extra peak memory of one pass in MB, measured in a process of its own."""
    code = f"from benchmarks.encoder import print_peak; print_peak({what!r}, {tokens})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout)


def high_water_mark() -> float:
    """The largest memory this process has taken so far, in MB (Linux).

    Not ``getrusage``: that starts with what the parent process had taken.
    """
    status = Path("/proc/self/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) / 1024


def print_peak(what: str, tokens: int) -> None:
    """For :func:`peak_memory`: how much one pass adds to the process's peak, in MB."""
    model: nn.Module = Reference() if what == REFERENCE else make_encoder(what)
    with torch.inference_mode():
        model(torch.randn(1, 16, WIDTH))
        before = high_water_mark()
        kept = model(torch.randn(1, tokens, WIDTH))
        after = high_water_mark()
    del kept
    print(after - before)


def compare_memory(tokens: int = 1024) -> None:
    weights = 4 * LAYERS * HEADS * tokens * tokens / 2**20
    print(
        f"\nExtra peak memory at {tokens} tokens; the weights alone are {weights:.0f} MB (bar 1.25)"
    )
    for what in (REFERENCE, *ENCODINGS):
        extra = peak_memory(what, tokens)
        print(f"{what:>22} {extra:>6.0f} MB {extra / weights:>6.2f}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tokens", type=int, nargs="+", default=[16, 128, 512, 1024])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--memory", action="store_true", help="measure peak memory as well")
    arguments = parser.parse_args()
    all_met = compare_speed(arguments.tokens, max(7, arguments.rounds))
    if arguments.memory:
        compare_memory()
    return 0 if all_met else 1


if __name__ == "__main__":
    sys.exit(main())
