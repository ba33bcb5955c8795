"""What several tests share: real robots, random configurations, comparison of all frames."""

from __future__ import annotations

import errno
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest

import kinetree as kt
from kinetree.algorithms.kinematics import forward_kinematics
from kinetree.checker.after_error import findings_by_rule
from kinetree.errors import Finding, KinetreeError
from kinetree.model.limits import Limits
from kinetree.model.robot import Robot
from kinetree.model.tree import build_tree
from kinetree.rules.options import CheckOptions
from kinetree.rules.profiles import rule_of
from kinetree.rules.rule import Rule

T = TypeVar("T")
SHARED = Path(__file__).resolve().parents[2] / "shared"
"""Reference data that is not part of the project; tests that want it skip without it."""


REFUSED = {"ur3.urdf": ("no-links", 6), "alex_psyonic_hands.urdf": ("mimic", 1030)}
"""Files of example-robot-data that are wrong, with code and line: ur3 has no link, and alex's fingers mimic
joints that do not exist."""


def shared(*parts: str) -> Path:
    """A file or folder of the reference data, or a skipped test."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"no reference data {'/'.join(parts)}")
    return path


def unstyled(text: str) -> str:
    """A text of a terminal without colours and links."""
    return re.sub(r"\x1b(\[\d+m|\]8;;[^\x1b]*\x1b\\)", "", text)


def put(path: Path, text: str) -> Path:
    """Write a text to a file whose folder need not be there yet."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def at_length(short: T, long: T) -> T:
    """The first, or the second if the variable KINETREE_ALL is set, as in `.ci/nightly`."""
    return long if os.environ.get("KINETREE_ALL") else short


def sample(items: Iterable[T], every: int, keep: Iterable[str] = ()) -> list[T]:
    """Every so many of some items, and those whose text has one of the words of `keep`; in `.ci/nightly` all."""
    every = at_length(every, 1)
    return [item for i, item in enumerate(items) if i % every == 0 or any(word in str(item) for word in keep)]


def soon(seconds: float, work: Callable[[], T]) -> T:
    """What some work returns, which must take fewer seconds of the processor than these in one of five tries.

    Other programs, and the garbage of earlier tests that is collected now, only ever add to a time.
    """
    took = []
    for _ in range(5):
        start = time.process_time()
        result = work()
        took.append(time.process_time() - start)
        if took[-1] < seconds:
            return result
    raise AssertionError(f"takes {min(took):.3g} s of the processor at least; {seconds:g} s were promised")


@contextmanager
def full_disk(*files: Path) -> Iterator[None]:
    """While this lasts, nothing can take the place of these files."""
    real = os.replace

    def refused(source: str | Path, target: str | Path) -> None:
        if Path(target) in files:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(source, target)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "replace", refused)
        yield


def placed_frames(robot: kt.Robot) -> list[str]:
    """The frames whose place is known, and that have poses."""
    return [name for name, frame in robot.frames.items() if not frame.unplaced]


def icub_urdfs() -> list[Path]:
    """Every URDF of the package icub-models."""
    icub_models = pytest.importorskip("icub_models")
    return sorted(Path(icub_models.get_models_path()).rglob("*.urdf"))


def example_robot_urdfs() -> list[Path]:
    """Every URDF of the package example-robot-data."""
    for root in map(Path, sys.path):
        folder = root / "cmeel.prefix" / "share" / "example-robot-data" / "robots"
        if folder.is_dir():
            return sorted(folder.rglob("*.urdf"))
    pytest.skip("example-robot-data is not installed", allow_module_level=True)


def random_q(robot: Robot, rng: np.random.Generator) -> np.ndarray:
    """A configuration (nq,) with every number in [-2, 2] and unit quaternions; limits are not looked at."""
    q = rng.uniform(-2, 2, robot.nq)
    for name, where in robot.q_slices.items():
        if quaternion := robot.joints[name].kind.quaternion:
            q[where][quaternion] /= np.linalg.norm(q[where][quaternion])
    return q


def all_frames(robot: Robot, q: np.ndarray) -> dict[str, np.ndarray]:
    """T_root_frame (4, 4) of every frame."""
    poses = forward_kinematics(build_tree(robot), q, robot.frames)
    return dict(zip(robot.frames, poses, strict=True))


def frames_differ_by(a: Robot, b: Robot, q: np.ndarray) -> float:
    """The largest entry by which the poses of the frames of `a` differ in `b`, at the same q."""
    poses_a, poses_b = all_frames(a, q), all_frames(b, q)
    T_ba = np.linalg.inv(poses_b[a.root])  # b may have another root, such as a world link
    return max(float(np.abs(T_ba @ poses_b[name] - T).max()) for name, T in poses_a.items())


def reachable(robot: kt.Robot, frame: str, base: str | None, n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Configurations inside all limits, no joint beyond half a turn, and where they bring the frame."""
    limits = robot.limits
    wide = np.clip(limits.lower, -np.pi, None), np.clip(limits.upper, None, np.pi)
    q = Limits(limits.coordinate_names, *wide, limits.G, limits.h, limits.row_names).sample(n, seed)
    return q, kt.fk(robot, frame, base)(q)


def in_words(findings) -> str:
    """Everything that findings say, but for the lines of the file that they underline."""
    lines = [str(replace(finding, excerpt=None)) for finding in findings]
    return "".join(f"{line}\n" for line in lines) or "nothing\n"


def loss_of(write, robot: Robot, without: tuple[str, ...] = ()) -> str:
    """What a writer says that its format cannot say."""
    try:
        write(robot, without)
    except KinetreeError as error:
        return in_words(error.findings)
    return "nothing\n"


def ask(robot: Robot, rules: Iterable[type[Rule]], options: CheckOptions = CheckOptions()) -> list[Finding]:
    """Return the findings of rules, in their order."""
    rules = tuple(rules)
    for rule in rules:
        rule_of(rule.code)  # which loads the facts of its family
    return list(chain.from_iterable(findings_by_rule(robot, rules, options).values()))


def contact_reading(robot: Robot, sensor: str, frame: str, measures: str | None = None):
    """What a force/torque sensor reads of a wrench on a frame alone, a function of q and w (…, 6), and its kernel."""
    kernel = kt.dynamics.sensor_reading(robot, sensor, frame, measures=measures, at_rest=True, gravity=(0, 0, 0))

    def read(q, w):
        return kernel(q, np.asarray(w, float)[..., None, :])

    read.kernel = kernel
    return read
