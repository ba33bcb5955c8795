"""Who chooses the cases: Hypothesis by lot, or Atheris by what the code has done with those before."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from typing import Any

One = Callable[[random.Random], None]
"""Tries one case, made from these random numbers."""


def by_hypothesis(one: One, seed: int, cases: int) -> None:
    """Try so many cases; the same for the same seed."""
    import hypothesis
    from hypothesis import strategies as st

    settings = hypothesis.settings(
        max_examples=cases,
        deadline=None,
        database=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    given = hypothesis.given(st.randoms(use_true_random=False))
    hypothesis.seed(seed)(settings(given(lambda rng: one(rng))))()


class FromBytes(random.Random):
    """Random numbers from the bytes that Atheris gives, then zeros."""

    def __new__(cls, data: bytes) -> FromBytes:
        """Seed nothing: the bytes are all there is."""
        return super().__new__(cls)

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0
        super().__init__()

    def getrandbits(self, k: int, /) -> int:
        """Return k bits of the next bytes."""
        count = (k + 7) // 8
        piece = self.data[self.at : self.at + count]
        self.at += count
        return int.from_bytes(piece, "little") & ((1 << k) - 1)

    def random(self) -> float:
        """Return a number in [0, 1)."""
        return self.getrandbits(16) / 65536


def by_atheris(one: One, seed: int, cases: int) -> None:
    """Try so many cases and end the process; `instrument` must have come before the imports of what is tested."""
    import atheris

    arguments = [sys.argv[0], f"-runs={cases}", f"-seed={seed + 1}", "-rss_limit_mb=0", "-verbosity=0", "-max_len=4096"]
    atheris.Setup(arguments, lambda data: one(FromBytes(data)))
    atheris.Fuzz()


def instrument() -> Any:
    """Return the context in which imports of the package are made such that Atheris sees what they do."""
    import atheris

    return atheris.instrument_imports(include=["kinetree"])
