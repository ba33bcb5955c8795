"""What a call costs besides the computing: single calls beside Pinocchio's, and fresh results beside `out=`.

    python benchmarks/calls.py [--quick]

The calls of a row take turns, on one core, and the shortest time of each counts. See docs/reference/kernels.md.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

import cases
import kinetree as kt
from machine import cores, describe, seconds_of, stay_on

SINGLE = ("UR5", "Panda", "iCub")
LARGE = ("UR5", "iCub")
IN_CACHE = 4096
"""Poses of a batch whose results stay in the cache."""
GOALS = {"fk": 0.25, "Jacobian": 0.3}


Call = Callable[[Any], Any]


def pinocchio_calls(robot: kt.Robot, frame: str, folder: Path) -> tuple[Call, Call, list[int]]:
    """Pinocchio's pose and Jacobian of a frame, and where its joints stand in our q."""
    urdf = folder / "robot.urdf"
    kt.save(robot, urdf, without=("frame", "extension", "sensor", "geometry", "material", "group"))
    model = pin.buildModelFromUrdf(str(urdf))
    data, forward, place, axes = (
        model.createData(),
        pin.forwardKinematics,
        pin.updateFramePlacement,
        pin.LOCAL_WORLD_ALIGNED,
    )
    compute, number = pin.computeFrameJacobian, model.getFrameId(frame)

    def pose(q):
        forward(model, data, q)
        return place(model, data, number).homogeneous

    return (
        pose,
        lambda q: compute(model, data, q, number, axes),
        [robot.joint_names.index(joint) for joint in [*model.names][1:]],
    )


def interleaved(calls: dict[str, Callable[[], object]], rounds: int, times: int) -> dict[str, float]:
    """The shortest time of each call, on average over `times` in a row."""
    shortest = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            shortest[name] = min(shortest[name], seconds_of(call, times))
    return shortest


def single(rounds: int, times: int) -> Iterator[str]:
    """Rows of single calls, ns, and their ratio to Pinocchio's."""
    for name in SINGLE:
        source = cases.ROBOTS[name]
        robot, frame = source.load(), source.frames[0]
        with tempfile.TemporaryDirectory() as folder:
            pose, jacobian, order = pinocchio_calls(robot, frame, Path(folder))
        q = np.linspace(-1, 1, robot.nq)
        ours, theirs, qp = kt.fk(robot, frame), pose, q[order]
        np.testing.assert_allclose(ours(q), theirs(qp), atol=1e-9)
        yield compared(name, "fk", partial(ours, q), partial(theirs, qp), rounds, times)
        ours, theirs = kt.jacobian(robot, frame), jacobian
        np.testing.assert_allclose(ours(q)[:, order], theirs(qp), atol=1e-9)
        yield compared(name, "Jacobian", partial(ours, q), partial(theirs, qp), rounds, times)


def compared(name: str, row: str, ours: Callable[[], Any], theirs: Callable[[], Any], rounds: int, times: int) -> str:
    found = interleaved({"ours": ours, "theirs": theirs}, rounds, times)
    a, b = found["ours"], found["theirs"]
    return f"| {name}, {row}, one call | {a * 1e9:.0f} ns | {b * 1e9:.0f} ns | {a / b:.3f} | {GOALS[row]} |"


def large(poses: int, rounds: int) -> Iterator[str]:
    """Rows of large batches: ns a pose, fresh and into `out=`, in the cache, and as memory alone allows."""
    for name in LARGE:
        source = cases.ROBOTS[name]
        robot, frames = source.load(), [*source.frames]
        for some in [frames[:1], frames] if len(frames) > 1 else [frames]:
            fk, n = kt.fk(robot, some), poses // len(some)
            q = np.random.default_rng(0).uniform(-1, 1, (n, robot.nq))
            part, kept = q[: IN_CACHE // len(some)], []
            out, small = fk(q), fk(part)

            def fresh(fk=fk, q=q, kept=kept):
                kept[:] = [fk(q)]

            found = interleaved(
                {
                    "out": lambda fk=fk, q=q, out=out: fk(q, out=out),
                    "fresh": fresh,
                    "filled": lambda out=out: out.fill(1.0),
                },
                rounds,
                1,
            )
            cached = interleaved({"": lambda fk=fk, q=part, out=small: fk(q, out=out)}, rounds, max(1, n // len(part)))
            each = {way: found[way] / (n * len(some)) * 1e9 for way in found}
            each["cached"] = cached[""] / (len(part) * len(some)) * 1e9
            ratio = found["fresh"] / found["out"]
            yield (
                f"| {name}, {n:,} × {len(some)} | {each['fresh']:.1f} | {each['out']:.1f} | {ratio:.2f} "
                f"| {each['cached']:.1f} | {each['filled']:.1f} |"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few calls: does it run?")
    quick = parser.parse_args().quick
    stay_on(cores()[-1:])
    print(describe("kinetree", "pin", "numpy", "llvmlite"))
    print("\n| | Kinetree | Pinocchio | ratio | at most |\n|---|---|---|---|---|")
    for row in single(3 if quick else 100, 100 if quick else 2000):
        print(row, flush=True)
    print("\n| ns a pose | `fk(Q)` | `out=` | ratio (at most 1.25) | in the cache | memory written by NumPy |")
    print("|---|---|---|---|---|---|")
    for row in large(20_000 if quick else 1_000_000, 2 if quick else 15):
        print(row, flush=True)


if __name__ == "__main__":
    main()
