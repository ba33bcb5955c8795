"""Errors of poses that a fit did not see, with a model as it is, with all zeros fitted, and with the named faults.

    python benchmarks/held_out.py [MODEL LOG FRAME] [--parts 6] [--quick]

LOG is a CSV as for `kinetree verify`, with poses or positions of FRAME; base and tool are not known. Of so many parts
each is left out once: `kt.verify` names faults by the others, and their sizes, the base and the tool are fitted to
these. Root mean squares over all parts. Without a log, one of a UR5 is simulated, with joint 3 off by 0.3 degrees and
1.5 mm, and a noise of 0.5 mm and 0.05 degrees.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

import kinetree as kt
from cases import ROBOTS
from kinetree.lab.hand_eye import displacements as small
from kinetree.lab.identify.poses import Poses
from kinetree.lab.identify.search import Cause, fitted
from kinetree.lab.identify.verification import _checked
from kinetree.logs import filled
from kinetree.logs.poses import read_log
from machine import describe

SETTING = ("base", "tool")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("given", nargs="*", metavar="MODEL LOG FRAME")
    parser.add_argument("--parts", type=int, default=6)
    parser.add_argument("--quick", action="store_true", help="two parts")
    options = parser.parse_args()
    parts = 2 if options.quick else options.parts
    robot, frame, q, T = given(*options.given) if options.given else simulated()
    print(describe("kinetree", "numpy"), f"{len(q)} samples of {frame}, {parts} parts", sep="\n", end="\n\n")
    errors: dict[str, list[np.ndarray]] = {"as it is": [], "all zeros": [], "named faults": []}
    order = np.random.default_rng(0).permutation(len(q))
    for part in range(parts):
        unseen = np.sort(order[part::parts])
        seen = np.setdiff1d(order, unseen)
        found = kt.verify(robot, q[seen], poses={frame: T[seen]}, unknown=SETTING)
        named = {(fault.kind, fault.element) for fault in found.faults}
        print(f"part {part + 1}: {', '.join(' of '.join(one) for one in named) or 'the model agrees'}")
        channel = replace(
            _checked(robot, q[seen], {frame: T[seen]}, SETTING, None).placed(), noise=tuple(found.noise / np.sqrt(3.0))
        )
        zeros = [cause for cause in channel.causes if cause.kind == "zero"]
        faults = [cause for cause in channel.causes if (cause.kind, cause.element) in named]
        for one, causes in zip(errors.values(), ([], zeros, faults), strict=True):
            one.append(unseen_errors(channel, causes, q[unseen], T[unseen]))
    for name, found in errors.items():
        rms = np.sqrt((np.concatenate(found) ** 2).mean(axis=0)) * [1e3, np.rad2deg(1)][: found[0].shape[1]]
        print(f"{name:<16}{', '.join(f'{x:.3g} {unit}' for x, unit in zip(rms, ('mm', 'deg'), strict=False))}")


def unseen_errors(channel: Poses, causes: Sequence[Cause], q: np.ndarray, T: np.ndarray) -> np.ndarray:
    """Return the distances (n, 2) or (n, 1) of poses from those of the model with causes that are fitted to others."""
    free = (*channel.unknown, *(place for cause in causes for place in cause.places))
    fit = fitted(channel, np.zeros(channel.size), free, np.arange(len(channel.q)))
    other = replace(_checked(channel.robot, q, {channel.frames[0]: T}, SETTING, None), X=channel.X, Y=channel.Y)
    r = other.residual(fit.x, np.arange(len(q)))
    return np.linalg.norm(r, axis=-1) * other.noise


def given(model: str, log: str, frame: str) -> tuple[kt.Robot, str, np.ndarray, np.ndarray]:
    robot = kt.load(model)
    motion, measured, _ = read_log(robot, Path(log))
    return robot, frame, filled(robot, motion, robot.q()), measured[frame].T


def simulated() -> tuple[kt.Robot, str, np.ndarray, np.ndarray]:
    robot, rng = kt.load(ROBOTS["UR5"].file()), np.random.default_rng(1)
    name = robot.joint_names[2]
    row = kt.kinematics.origins(robot)[name] + [0.001, 0.001, 0.0005, 0.0, 0.0, np.deg2rad(0.3)]
    q = np.clip(robot.limits.sample(60, seed=1), -1.5, 1.5)
    T = kt.fk(kt.edit.set_origins(robot, {name: row}), "tool0")(q)
    noise = np.repeat([5e-4, np.deg2rad(0.05)], 3)
    return robot, "tool0", q, T @ np.array([small(rng.normal(size=6) * noise) for _ in q])


if __name__ == "__main__":
    main()
