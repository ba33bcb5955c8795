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
from peers import CHECKED

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
        """Pinocchio's forwardKinematics of the UR5, in a function without arguments."""
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
        if function is None or work["query"] not in known or work["size"] > peer.largest:
            return {"absent": True}
        if work["form"] == "two threads" and len(self.all_cores) == 1:
            return {"absent": True}
        stay_on(self.all_cores[-2:] if work["form"] == "two threads" else self.all_cores[-1:])
        answers = reordered(work["query"], known[work["query"]], peer)
        given = {x: np.ascontiguousarray(in_order_of(peer, known[x], x)) for x in peers.inputs(work["query"])}
        tolerance = peer.tolerance
        if work["form"] == "one":
            found = np.array([peers.stacked(function(*row)) for row in zip(*given.values(), strict=True)])
            self.spend = partial(seconds_of_call, function, [x[0] for x in given.values()])
        else:
            if work["form"] == "float32":
                given = {name: x.astype(np.float32) for name, x in given.items()}
                tolerance = max(tolerance, SINGLE_TOLERANCE)
            rows = np.r_[:CHECKED, work["n"] - CHECKED : work["n"]]  # the first and the last: the tail is special
            batches = [self._batch(peer, name, x, work["n"]) for name, x in given.items()]
            out = np.full((work["n"], *answers.shape[1:]), np.nan, batches[0].dtype)
            call = partial(function, *batches) if work["form"] == "batch" else partial(function, *batches, out)
            result = call()
            self.spend = lambda times: seconds_of(call, times=times)
            found = (peers.stacked(result) if work["form"] == "batch" else out)[rows]
            answers = np.concatenate([answers, answers])
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

    def _batch(self, peer: peers.Peer, name: str, known: Any, n: int) -> Any:
        """n random values of an input, configurations within the limits, with the known ones at both ends."""
        random = np.random.default_rng(5)
        values = peer.case.sample(random, n) if name == "q" else random.normal(size=(n, peer.case.nv))
        batch = np.ascontiguousarray(in_order_of(peer, values, name), dtype=known.dtype)
        batch[: len(known)] = batch[-len(known) :] = known
        return batch

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


def seconds_of_call(function: Callable[..., Any], given: list[Any], times: int) -> float:
    """How long a call takes, with nothing in between that would count where a call takes 0.1 µs."""
    if len(given) == 3:
        q, qd, x = given
        start = time.perf_counter()
        for _ in repeat(None, times):
            function(q, qd, x)
    else:
        (q,) = given
        start = time.perf_counter()
        for _ in repeat(None, times):
            function(q)
    return (time.perf_counter() - start) / times


def times(seconds: float, once: float) -> int:
    return max(1, round(seconds / once))


def in_order_of(peer: peers.Peer, values: Any, name: str = "q") -> Any:
    """An input (…, nq) or (…, nv), of which `name` says which it is, in the peer's order of the joints."""
    return values[..., order_of(peer, 7 if name == "q" else 6)]


def order_of(peer: peers.Peer, free: int) -> list[int]:
    """The place of each of the peer's coordinates among the case's. free: how many a floating joint has."""
    joints = peer.case.joints
    sizes = [free if name == peer.case.free else 1 for name in joints]
    places = dict(zip(joints, np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1]), strict=True))
    return [int(place) for name in peer.joints for place in places[name]]


def reordered(query: str, answers: Any, peer: peers.Peer) -> Any:
    """Known answers in the peer's order of the joints."""
    order = order_of(peer, 6)
    if query == "hessian":
        answers = answers[:, order]
    if query in ("crba", "rnea_derivatives", "aba_derivatives"):
        answers = answers[..., order, :]
    return answers[..., order] if query in ("jacobian", "hessian", *peers.INPUTS) else answers


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
