"""Load, save, load again, in every format that can be written: the same robot comes back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import kinetree as kt
from kinetree.formats.losses.losses import PARTS, leave_out
from kinetree.formats.registry import FORMATS
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import Dynamics
from physics import kinetic_energy, total_inertia
from support import REFUSED, all_frames, example_robot_urdfs, icub_urdfs, random_q, sample

WITHOUT = {
    "urdf": (),
    "sdf": (),
    "mjcf": ("geometry",),
    "dh": ("extension", "safety", "calibration", "geometry", "material", "sensor"),
    "ets": tuple(part for part in PARTS if part not in ("frame", "inertial")),
    "usd": ("extension", "safety", "calibration", "geometry", "sensor", "group", "coupled_limit", "order"),
}
"""What each format cannot say of the robots below, in their own words; kinematics are never left out."""

SERIAL = ("dh-csv",)  # one chain only: tested with the arms of test_dh_conversions.py


def test_every_format_is_here():
    assert {*WITHOUT, *SERIAL} == {name for name, row in FORMATS.items() if row.writer}


def fresh(robot: kt.Robot) -> kt.Robot:
    """The robot without its text, so that it is written anew."""
    return build(parts_of(robot))


def came_back(robot: kt.Robot, format: str, without: tuple[str, ...], folder: Path) -> kt.Robot:
    path = folder / f"robot.{format}"
    kt.save(fresh(robot), path, format=format, without=without, assets="keep")
    again = kt.load(path, format=format)
    return again.order(robot.joint_names)  # MJCF nests bodies, so that its order is depth first


def sayable(robot: kt.Robot, format: str) -> tuple[kt.Robot, tuple[str, ...]]:
    """The robot and what must be left out of it, so that the format can say the rest."""
    if "mimic" in WITHOUT[format]:
        robot = build(leave_out(parts_of(robot), WITHOUT[format]))
    try:
        FORMATS[format].write(fresh(robot), WITHOUT[format])
    except kt.KinetreeError as error:
        parts = {finding.code.removeprefix("cannot-say-") for finding in error.findings}
        assert parts <= {"inertial", "limit"}, error
        return robot, (*WITHOUT[format], *parts)
    return robot, WITHOUT[format]


def same_mass(robot: kt.Robot, again: kt.Robot, q: np.ndarray, qd: np.ndarray) -> bool:
    """Whether mass, centre and inertia of the whole are the same at q, and the kinetic energy at qd."""
    one, other = total_inertia(robot, q, robot.root), total_inertia(again, q, robot.root)
    energies = kinetic_energy(robot, q, qd), kinetic_energy(again, q, qd)
    return np.abs(one - other).max() <= 1e-12 * np.abs(one).max() and energies[1] == pytest.approx(
        energies[0], rel=1e-12
    )


def differences(robot: kt.Robot, again: kt.Robot, without: tuple[str, ...], rng: np.random.Generator) -> Iterator[str]:
    q = random_q(robot, rng)
    before, after = all_frames(robot, q), all_frames(again, q)
    T_ba = np.linalg.inv(after[robot.root])
    for name, T in before.items():
        if not np.abs(T_ba @ after[name] - T).max() < 1e-12:
            yield f"frame {name}"
    followers = {name: joint.mimic for name, joint in robot.joints.items() if joint.mimic}
    if followers != {name: joint.mimic for name, joint in again.joints.items() if joint.mimic}:
        yield "mimics"
    for name in robot.joint_names if "limit" not in without else ():
        if not same_limits(robot.joints[name].limit, again.joints[name].limit, "velocity_limit" not in without):
            yield f"limits of {name}"
    for name in robot.joint_names if "dynamics" not in without else ():
        if (robot.joints[name].dynamics or (Dynamics(),)) != (again.joints[name].dynamics or (Dynamics(),)):
            yield f"dynamics of {name}"
    if "inertial" not in without and not same_mass(robot, again, q, rng.normal(size=robot.nv)):
        yield "mass"
    whole = again.links.keys() >= robot.links.keys()  # in a DH table links on fixed joints become frames
    for name, link in robot.links.items() if "inertial" not in without and whole else ():
        if not same_inertial(link.inertial, again.links[name].inertial):
            yield f"inertial of {name}"


def same_limits(one, other, velocity: bool) -> bool:
    pairs = [(one.lower, other.lower), (one.upper, other.upper), (one.effort, other.effort)]
    pairs += [(one.velocity, other.velocity)] if velocity else []
    return all(a == pytest.approx(b, rel=1e-14, abs=1e-15) for a, b in pairs)


def same_inertial(one, other) -> bool:
    if one is None or other is None:
        return one is other
    return (
        one.mass == other.mass
        and np.allclose(one.origin[:3, 3], other.origin[:3, 3], rtol=0, atol=1e-14)
        and np.allclose(in_link(one), in_link(other), rtol=1e-12, atol=1e-15)
    )


def in_link(inertial) -> np.ndarray:
    """The inertia about the centre of mass in the axes of the link."""
    R = inertial.origin[:3, :3]
    return R @ inertial.inertia @ R.T


@pytest.mark.slow
@pytest.mark.parametrize("format", WITHOUT)
@pytest.mark.sampled(2)
def test_icubs_come_back(format, tmp_path):
    rng = np.random.default_rng(3)
    for path in icub_urdfs()[::4]:
        robot, without = sayable(kt.load(path), format)
        assert list(differences(robot, came_back(robot, format, without, tmp_path), without, rng)) == [], path


@pytest.mark.crosscheck
@pytest.mark.parametrize(("format", "in_part"), [("urdf", 0), ("sdf", 0), ("mjcf", 0), ("dh", 0), ("ets", 0)])
@pytest.mark.sampled(1)
def test_many_robots_come_back(format, in_part, tmp_path):
    """`in_part`: of how many more must be left out."""
    rng = np.random.default_rng(4)
    paths = [path for path in [*icub_urdfs(), *example_robot_urdfs()] if path.name not in REFUSED]
    assert len(paths) == 83
    count = 0
    for path in sample(paths, 4):
        robot, without = sayable(kt.load(path), format)
        count += without != WITHOUT[format]
        assert list(differences(robot, came_back(robot, format, without, tmp_path), without, rng)) == [], path
    assert count == in_part
