"""A peer's own process: it answers lines of JSON with lines of JSON.

    python -m peers NAME FOLDER

FOLDER holds the cases. The first line says which versions these are. {"prepare": …} gets ready for one work, checks the
result; {"time": …} times that work and, right before and after it, the unit.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import Any, TextIO

import numpy as np

import peers
from machine import cores, seconds_of, stay_on, versions

UNIT = "pinocchio"
STAND_IN = "stand-in"
NUMBERS = tuple(float(i) for i in range(64))
SINGLE_TOLERANCE = 1e-5


class Bench:
    """One peer and the work that it has in hand."""

    def __init__(self, name: str, folder: Path) -> None:
        self.folder = folder
        self.all_cores = cores()
        stay_on(self.all_cores[-1:])
        self.type = peers.peer(name)
        self.units = {STAND_IN: lambda: sum(NUMBERS)}
        self._find_unit()
        self.ready: dict[str, tuple[peers.Peer, peers.Functions, dict[str, Any]]] = {}
        self.spend: Callable[[int], float] = seconds_of_nothing
        self.once = 0.0  # seconds of one call, roughly
        self.work: dict[str, Any] = {}

    def _find_unit(self) -> None:
        """Pinocchio's forwardKinematics of the UR5, in a function without arguments: the constants of
        `works.CPP_LOOP` are multiples of that."""
        try:
            import pinocchio
        except ImportError:
            return
        model = pinocchio.buildModelFromUrdf(str(self.folder / "UR5.urdf"))
        data, q, forward = model.createData(), np.linspace(0.1, 0.6, model.nq), pinocchio.forwardKinematics
        self.units[UNIT] = lambda: forward(model, data, q)

    def hello(self) -> dict[str, Any]:
        return {
            "versions": versions(*self.type.packages),
            "about": self.type.about,
            "python": sys.version.split()[0],
            "unit": UNIT if UNIT in self.units else STAND_IN,
        }

    def prepare(self, work: dict[str, Any]) -> dict[str, Any]:
        """Whether it has the work at all; how far its answers are from the known ones."""
        self.spend, self.work = seconds_of_nothing, work  # frees the last work's arrays
        peer, functions, known = self._robot(work["robot"])
        function = functions.get(f"{work['query']} {work['form']}")
        if function is None or work["size"] > peer.largest:
            return {"absent": True}
        if work["form"] == "two threads" and len(self.all_cores) == 1:
            return {"absent": True}
        stay_on(self.all_cores[-2:] if work["form"] == "two threads" else self.all_cores[-1:])
        answers = reordered(work["query"], known[work["query"]], peer)
        q = np.ascontiguousarray(in_order_of(peer, known["q"]))
        tolerance = peer.tolerance
        if work["form"] == "one":
            found = np.array([np.array(function(x)) for x in q])
            self.spend = partial(seconds_of_call, function, q[0])
        else:
            if work["form"] == "float32":
                q, tolerance = q.astype(np.float32), max(tolerance, SINGLE_TOLERANCE)
            rows = np.r_[: len(q), work["n"] - len(q) : work["n"]]  # the first and the last: the tail is special
            Q = self._batch(peer, q, work["n"])
            out = np.full((work["n"], *answers.shape[1:]), np.nan, q.dtype)
            call = partial(function, Q) if work["form"] == "batch" else partial(function, Q, out)
            result = call()
            self.spend = lambda times: seconds_of(call, times=times)
            found, answers = (result if work["form"] == "batch" else out)[rows], np.concatenate([answers, answers])
        difference = float(np.abs(found - answers).max() / max(1.0, np.abs(answers).max()))
        self.once = self.spend(1)
        if self.once < 1e-4:
            self.once = self.spend(100)
        return {"difference": difference, "agrees": difference <= tolerance}

    def _robot(self, name: str) -> tuple[peers.Peer, peers.Functions, dict[str, Any]]:
        if name not in self.ready:
            case = peers.Case.read(self.folder / f"{name}.json")
            known = dict(np.load(self.folder / f"{name}.npz"))
            peer = self.type(case, known)
            self.ready[name] = peer, peer.functions(), known
        return self.ready[name]

    def _batch(self, peer: peers.Peer, q: Any, n: int) -> Any:
        """n configurations within the limits, known ones at both ends."""
        random = np.random.default_rng(5).uniform(peer.case.lower, peer.case.upper, (n, len(peer.case.joints)))
        Q = np.ascontiguousarray(in_order_of(peer, random), dtype=q.dtype)
        Q[: len(q)] = Q[-len(q) :] = q
        return Q

    def time(self, seconds: float) -> dict[str, float]:
        """Seconds a configuration, and seconds a unit right before and after."""
        unit = self.units[UNIT if UNIT in self.units else STAND_IN]
        gc.disable()
        try:
            before = seconds_of(unit, times=times(seconds / 4, 4e-7))
            spent = self.spend(times(seconds, self.once)) / self.work["n"]
            after = seconds_of(unit, times=times(seconds / 4, 4e-7))
        finally:
            gc.enable()
        return {"work": spent, "unit": min(before, after)}

    def compare_units(self, seconds: float) -> dict[str, float]:
        """How long each unit takes, where both are here."""
        return {name: seconds_of(unit, times=times(seconds, 4e-7)) for name, unit in self.units.items()}


def seconds_of_nothing(times: int) -> float:
    return 0.0


def seconds_of_call(function: Callable[[Any], Any], q: Any, times: int) -> float:
    """How long a call takes, with nothing in between that would count where a call takes 0.1 µs."""
    start = time.perf_counter()
    for _ in repeat(None, times):
        function(q)
    return (time.perf_counter() - start) / times


def times(seconds: float, once: float) -> int:
    return max(1, round(seconds / once))


def in_order_of(peer: peers.Peer, q: Any) -> Any:
    """Configurations (…, nq) in the peer's order of the joints."""
    return q[..., [peer.case.joints.index(name) for name in peer.joints]]


def reordered(query: str, answers: Any, peer: peers.Peer) -> Any:
    """Known answers in the peer's order of the joints."""
    order = [peer.case.joints.index(name) for name in peer.joints]
    if query == "hessian":
        answers = answers[:, order]
    return answers[..., order] if query in ("jacobian", "hessian") else answers


def serve(bench: Bench, questions: TextIO, answer: Any) -> None:
    answer(bench.hello())
    for line in questions:
        ((what, argument),) = json.loads(line).items()
        try:
            answer(getattr(bench, what)(argument))
        except Exception as error:
            answer({"error": f"{type(error).__name__}: {str(error)[:300]}"})


def main() -> None:
    name, folder = sys.argv[1:]
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever a peer prints must not get between the answers

    def answer(reply: dict[str, Any]) -> None:
        print(json.dumps(reply), file=channel, flush=True)

    try:
        bench = Bench(name, Path(folder))
    except ImportError as error:
        answer({"missing": str(error)})
        return
    serve(bench, sys.stdin, answer)


if __name__ == "__main__":
    main()
