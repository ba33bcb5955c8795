"""Faults that `kt.verify` names, of those that are planted in simulated logs of robots.

    python benchmarks/faults.py [--robots N] [--faults N] [--seed S] [--quick]

Every log has one fault of a kind that `kt.verify` knows, or none. Logs of poses have 45 poses, those of delays and of
torques 20 s of a motion of five harmonics. Torques are those of MuJoCo where it is installed and no joint follows
another, otherwise the model's own, with friction as in a textbook and a constant offset each. Logs have noise, rounded
positions, lost samples and outliers. An answer is right if it names the fault and nothing else, or a set with it.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.stats import norm

import kinetree as kt
from cases import ROBOTS, _example
from kinetree.lab.hand_eye import displacements as small
from kinetree.lab.identify.columns import carriers, ends
from kinetree.lab.identify.efforts import about_centre, inertia_of, payload
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import Mimic
from machine import describe

POSES = ("none", "zero", "length", "joint pose", "base pose", "tool pose", "sign", "order", "unit", "delay")
TORQUES = (
    *("none", "mass", "centre", "inertia", "payload", "viscous friction", "Coulomb friction", "armature", "gravity"),
    *("zero", "delay", "effort scale", "effort sign", "effort order", "effort unit"),
)
KINDS = [(of, kind) for of, kinds in (("poses", POSES), ("torques", TORQUES)) for kind in kinds]
DOWN = np.array([0.0, 0.0, -9.81])
SEEN = 0.04
"""Least part of a torque that another inertia has to change: that of other links may be less than the noise."""
LINK = {"m": 3.0, "r": [0.2, 0.03, 0.02], "I": [0.02, 0.06, 0.05, 0.003, -0.002, 0.004]}


@dataclass(frozen=True)
class Planted:
    """A fault in a log: the arguments of `kt.verify` beside the robot, and what it should name."""

    arguments: dict[str, Any]
    kind: str
    element: str
    value: Any = None


@dataclass(frozen=True)
class Outcome:
    """Whether the answer about a log is right, whether it named the fault itself, and the error of its value in
    standard deviations, the largest, or nan."""

    right: bool
    named: bool
    deviations: float
    text: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robots", type=int, default=6)
    parser.add_argument("--faults", type=int, default=len(KINDS), help="of each robot, in the order of the kinds")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="one robot, four faults")
    parser.add_argument("--wrong", action="store_true", help="print wrong answers")
    options = parser.parse_args()
    robots, faults = (1, 4) if options.quick else (options.robots, options.faults)
    print(describe("kinetree", "numpy"), f"{robots} robots, {faults} logs each", sep="\n", end="\n\n")
    found, begun = defaultdict[tuple[str, str], list[Outcome]](list), time.perf_counter()
    for name, kind, outcome in outcomes(robots, faults, options.seed):
        found[kind].append(outcome)
        print(".", end="", file=sys.stderr, flush=True)
        if options.wrong and not (outcome.right and not outcome.deviations > 3):
            print(f"-- {name}, {' '.join(kind)}: {outcome.deviations:.3g} deviations\n{outcome.text}\n", flush=True)
    print(f"{'kind':<28}{'logs':>6}{'right':>7}{'itself':>8}{'in 3 deviations':>17}")
    every = {**found, ("all", ""): [one for some in found.values() for one in some]}
    for kind, of in every.items():
        sized = [one.deviations for one in of if np.isfinite(one.deviations)]
        row = f"{' '.join(kind):<28}{len(of):>6}{sum(one.right for one in of):>7}{sum(one.named for one in of):>8}"
        print(f"{row}{f'{sum(x < 3 for x in sized)} of {len(sized)}':>17}")
    clean = [one for kind, of in found.items() if kind[1] == "none" for one in of]
    print(f"\nclean logs blamed: {sum(not one.right for one in clean)} of {len(clean)}")
    print(f"{time.perf_counter() - begun:.0f} s")


def outcomes(robots: int, faults: int, seed: int) -> Iterator[tuple[str, tuple[str, str], Outcome]]:
    """Yield the outcomes of logs, with the robot and the kind of each."""
    for at, (name, (robot, frame)) in enumerate(list(machines().items())[:robots]):
        kinds = [KINDS[(i + (at * faults if faults < len(KINDS) else 0)) % len(KINDS)] for i in range(faults)]
        for kind, outcome in of_robot(robot, frame, kinds, [seed, at]):
            yield name, kind, outcome


def of_robot(
    robot: kt.Robot, frame: str, kinds: Sequence[tuple[str, str]], seed: Sequence[int]
) -> Iterator[tuple[tuple[str, str], Outcome]]:
    """Yield the outcomes of logs of a robot with faults of some kinds."""
    for i, (of, kind) in enumerate(kinds):
        if of == "poses" or moved(robot):  # else its links have no masses
            planted = (of_poses if of == "poses" else of_torques)(robot, frame, kind, np.random.default_rng([*seed, i]))
            yield (of, kind), judged(kt.verify(robot, **planted.arguments), planted)


def machines() -> dict[str, tuple[kt.Robot, str]]:
    """Return robots of joints that move, with the frame that is measured."""
    panda = kt.load(ROBOTS["Panda"].file())
    panda = kt.edit.lock(panda, {name: 0.0 for name in panda.joint_names if "finger" in name})
    icub, hyq = kt.load("icub"), kt.load(_example("hyq_description/robots/hyq_no_sensors.urdf")())

    def only(robot: kt.Robot, names: tuple[str, ...]) -> kt.Robot:
        return kt.edit.lock(robot, {name: 0.0 for name in robot.joint_names if name not in names})

    link = [{**LINK, "axis": axis, "xyz": xyz} for axis, xyz in AXES]
    parts = parts_of(kt.chain(link))
    parts.joints[3] = replace(parts.joints[3], mimic=Mimic("q3", -1.0))  # the wrist stays level
    return {
        "UR5": (kt.load(ROBOTS["UR5"].file()), "tool0"),
        "Panda": (panda, "panda_hand"),
        "iCub's arm": (only(icub, icub.groups["left_arm"][:7]), "l_hand"),
        "iCub's head": (only(icub, icub.groups["head"][:3]), "head"),
        "HyQ's leg": (only(hyq, tuple(name for name in hyq.joint_names if name.startswith("lf"))), "lf_foot"),
        "coupled arm": (build(parts), "q5_link"),
    }


AXES = (
    ([0, 0, 1], [0, 0, 0.2]),
    ([0, 1, 0], [0.1, 0, 0.3]),
    ([0, 1, 0], [0.5, 0, 0]),
    ([0, 1, 0], [0.4, 0, 0.05]),
    ([1, 0, 0], [0.1, 0, 0]),
)


def of_poses(robot: kt.Robot, frame: str, kind: str, rng: np.random.Generator) -> Planted:
    """Return a log of poses with a fault."""
    names, moving = robot.joint_names, above(robot, frame)
    joint = str(rng.choice([name for name in moving if robot.joints[name].kind.nq and not robot.joints[name].mimic]))
    j, n, noise = names.index(joint), 45, rng.uniform(0.5, 5) * 1e-4
    free = (
        () if "pose" in kind and kind != "joint pose" else [(), ("base",), ("tool",), ("base", "tool")][rng.integers(4)]
    )
    t = None
    if kind == "delay":
        t, q, _, _ = motion(robot, seed := int(rng.integers(1e9)), rate=20.0)
    else:
        lower, upper = ends_of(robot)
        q = rng.uniform(lower, upper, (n, robot.nq))
    logged, true, model, X, Y = q.copy(), q.copy(), robot, np.eye(4), np.eye(4)
    element, value = {"base pose": robot.root, "tool pose": frame, "unit": "q"}.get(kind, joint), None
    if kind == "zero":
        value = rng.choice([-1, 1]) * rng.uniform(0.005, 0.08)
        true[:, j] += value
    elif kind in ("length", "joint pose"):
        rows = kt.kinematics.origins(robot)
        long = [one for one in moving[1:] if (np.abs(rows[one][:3]) > 1e-6).sum() == 1]
        element = str(rng.choice(long if kind == "length" and long else moving[1:]))
        value = small_row(rng)
        if kind == "length":
            place = int(np.abs(rows[element][:3]).argmax())
            value = np.where(np.arange(6) == place, rng.choice([-1, 1]) * rng.uniform(0.002, 0.02), 0.0)
        model = kt.edit.set_origins(robot, {element: rows[element] + value})
        value = value[value != 0][0] if kind == "length" else value
    elif kind in ("base pose", "tool pose"):
        value = small_row(rng)
        X, Y = (small(value), Y) if kind == "base pose" else (X, small(value))
    elif kind == "sign":
        logged[:, j] *= -1
    elif kind == "order":
        i, j = sorted(rng.choice(len(names), 2, replace=False))
        logged[:, [i, j]] = logged[:, [j, i]]
        element = f"{names[i]}, {names[j]}"
    elif kind == "unit":
        logged = np.where([robot.joints[name].kind.angular[0] for name in names], np.rad2deg(logged), logged)
    elif kind == "delay":
        value, element = rng.choice([-1, 1]) * rng.uniform(0.02, 0.15), frame
        logged = motion(robot, seed, 20.0, value)[1]
    X = small(rng.normal(size=6)) @ X if "base" in free else X
    Y = Y @ small(0.2 * rng.normal(size=6)) if "tool" in free else Y
    T = X @ kt.fk(model, frame)(true) @ Y
    T[:, :3, 3] += rng.normal(size=(len(T), 3)) * noise
    T = T @ np.array([small(np.r_[0, 0, 0, x]) for x in rng.normal(size=(len(T), 3)) * noise])
    T[rng.choice(len(T), 2, replace=False), :3, 3] += 0.05  # outliers
    logged = np.round(logged, 5)
    arguments = {"q": logged, "poses": {frame: T}, "unknown": free, "t": t}
    if t is not None:
        inside = (t > 0.2) & (t < t[-1] - 0.2) & (rng.random(len(t)) > 0.05)
        arguments |= {"q": logged[inside], "poses": {frame: T[inside]}, "t": t[inside]}
    return Planted(arguments, kind, element, value)


def of_torques(robot: kt.Robot, frame: str, kind: str, rng: np.random.Generator) -> Planted:
    """Return a log of torques with a fault."""
    names = robot.joint_names
    j = int(rng.integers(robot.nv))
    link = str(rng.choice(moved(robot)))
    t, q, qd, qdd = motion(robot, seed := int(rng.integers(1e9)))
    model, true, gravity, element, value = robot, q.copy(), DOWN, names[j], None
    row = np.array(kt.dynamics.inertial_parameters(robot)[link])
    u = np.zeros(10)
    if kind == "mass":
        u[0] = rng.choice([-1, 1]) * rng.uniform(0.15, 0.4)
    elif kind == "centre":
        u[1:4] = rng.uniform(0.02, 0.06, 3) * rng.choice([-1, 1], 3)
    elif kind == "inertia":
        u[4:] = rng.uniform(0.7, 1.5) * np.array([1, 0, 1, 0, 0, 1.0]) + 0.1 * rng.normal(size=6)
    elif kind == "gravity":
        value = rng.normal(size=3) * [1.0, 1.0, 0.3]
        gravity, element = DOWN + value, robot.root
    elif kind == "zero":
        value = rng.choice([-1, 1]) * rng.uniform(0.03, 0.1)
        true[:, j] += value
    if u.any():
        model, element = with_row(robot, link, inertia_of(row, u)), link
        while change(robot, model, q, qd, qdd) < SEEN:
            u *= 1.3
            model = with_row(robot, link, inertia_of(row, u))
        inertia = about_centre(inertia_of(row, u)) - about_centre(row)
        value = {"mass": row[0] * (np.exp(u[0]) - 1), "centre": u[1:4]}.get(kind, inertia)
    if kind == "delay":
        value, element = rng.uniform(0.01, 0.08), "effort"
        _, true, qd, qdd = motion(robot, seed, later=-value)
    if kind == "payload":
        element = kt_end(robot)
        value = np.r_[rng.uniform(0.15, 0.6) * max(row[0], 0.3), rng.uniform(-0.1, 0.1, 3)]
        model = with_payload(robot, element, value)
    tau = torques(model, true, qd, qdd, gravity)
    size = np.sqrt((tau**2).mean(axis=0))
    rates = {"viscous friction": qd, "Coulomb friction": np.sign(qd), "armature": qdd}
    if kind in rates:
        value = rng.uniform(0.1, 0.3) * max(size[j], 0.1) / np.abs(rates[kind][:, j]).mean()
        tau[:, j] += value * rates[kind][:, j]
    elif kind == "effort scale":
        value = rng.choice([0.7, 0.85, 1.2, 1.4])
        tau[:, j] *= value
    elif kind == "effort sign":
        tau[:, j] *= -1
    elif kind == "effort order":
        i, j = sorted(rng.choice(robot.nv, 2, replace=False))
        tau[:, [i, j]], size[[i, j]] = tau[:, [j, i]], size[[j, i]]
        element = f"{names[i]}, {names[j]}"
    elif kind == "effort unit":
        tau, size, value, element = 1000 * tau, 1000 * size, 1000.0, "effort"
    tau += size * (0.02 * rng.normal(size=tau.shape) + rng.uniform(-0.2, 0.2, robot.nv))
    tau += (rng.random(tau.shape) < 0.002) * size * rng.normal(size=tau.shape)  # outliers
    kept = rng.random(len(t)) > 0.02
    return Planted({"q": np.round(q, 5)[kept], "t": t[kept], "effort": tau[kept]}, kind, element, value)


def torques(robot: kt.Robot, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, gravity: np.ndarray) -> np.ndarray:
    """Return the torques of a motion, by MuJoCo if it is installed and no joint follows another."""
    try:
        import mujoco
    except ImportError:
        mujoco = None
    if mujoco is None or any(joint.mimic for joint in robot.joints.values()):
        return np.asarray(kt.inverse_dynamics(robot, gravity=tuple(gravity.tolist()))(q, qd, qdd))
    text = kt.text(
        kt.edit.merge_fixed(robot), "mjcf", without=("limit", "geometry", "material", "sensor", "group", "frame")
    )
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.gravity[:] = gravity
    order = [model.joint(name).dofadr[0] for name in robot.joint_names]
    data, tau = mujoco.MjData(model), np.empty_like(q)
    for row in range(len(q)):
        data.qpos[order], data.qvel[order], data.qacc[order] = q[row], qd[row], qdd[row]
        mujoco.mj_inverse(model, data)
        tau[row] = data.qfrc_inverse[order]
    return tau


def motion(robot: kt.Robot, seed: int, rate: float = 100.0, later: float = 0.0) -> tuple[np.ndarray, ...]:
    """Return t, and q, qd and qdd at t + later, of 20 s: periods of 10 s and five harmonics, inside the limits."""
    t, w = np.arange(0, 20, 1 / rate), 2 * np.pi * 0.1 * np.arange(1, 6)
    a, b = np.random.default_rng(seed).uniform(-1, 1, (2, 5, robot.nq))
    phase = np.outer(t + later, w)
    s, c = np.sin(phase), np.cos(phase)
    lower, upper = ends_of(robot)
    q, qd, qdd = s @ a + c @ b, c * w @ a - s * w @ b, -(s * w**2) @ a - c * w**2 @ b
    size = np.minimum(0.49 * (upper - lower), 2.0) / np.hypot(a, b).sum(axis=0)
    return t, q * size + (lower + upper) / 2, qd * size, qdd * size


def ends_of(robot: kt.Robot) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of what joints move in, at most 2 rad from zero."""
    return np.clip(robot.limits.lower, -2, 2), np.clip(robot.limits.upper, -2, 2)


def above(robot: kt.Robot, frame: str) -> list[str]:
    """Return the joints between the root and a frame, from the first that moves."""
    link, found = robot.frames[frame].link, list[str]()
    while joint := robot.parent_joint(link):
        found, link = [joint.name, *found], joint.parent
    while not robot.joints[found[0]].kind.nq:
        found = found[1:]
    return found


def change(robot: kt.Robot, other: kt.Robot, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> float:
    """Return by how much a robot has other torques than another, in parts of them, where it is most."""
    one, two = (kt.inverse_dynamics(some)(q, qd, qdd) for some in (robot, other))
    return float((np.sqrt(((one - two) ** 2).mean(axis=0)) / np.sqrt((two**2).mean(axis=0)).clip(1e-3)).max())


def moved(robot: kt.Robot) -> list[str]:
    """Return the heaviest link of each body that moves."""
    return list(carriers(robot))


def kt_end(robot: kt.Robot) -> str:
    """Return the frame where a payload may be."""
    return next(iter(ends(robot)))


def with_row(robot: kt.Robot, link: str, row: np.ndarray) -> kt.Robot:
    """Return the robot with other inertial parameters of a link."""
    return kt.edit.set_inertial_parameters(robot, {link: row})


def with_payload(robot: kt.Robot, frame: str, value: np.ndarray) -> kt.Robot:
    """Return the robot that carries a small sphere, of 1 mm, at a place in a frame."""
    body, T = ends(robot)[frame]
    link = moved(robot)[body]
    row = kt.dynamics.inertial_parameters(robot)[link] + payload(value, T)
    return with_row(robot, link, row)


def small_row(rng: np.random.Generator) -> np.ndarray:
    """Return six numbers of a pose that is wrong by millimetres and about a degree."""
    return rng.choice([-1, 1], 6) * np.r_[rng.uniform(0.002, 0.01, 3), rng.uniform(0.005, 0.03, 3)]


def judged(found: Any, planted: Planted) -> Outcome:
    """Return the outcome of an answer about a log."""
    named = [(fault.kind, fault.element) for fault in found.faults]
    true, text = (
        (planted.kind, planted.element),
        f"planted {planted.kind} of {planted.element}: {planted.value}\n{found}",
    )
    if planted.kind == "none":
        return Outcome(found.explained and not named, not named, np.nan, text)
    itself = named == [true]
    alike = len(found.faults) == 1 and true in found.faults[0].alike
    together = not named and any(true in group for group in found.together)
    deviations = np.nan
    if itself and planted.value is not None and np.all(np.asarray(found.faults[0].std, dtype=float) > 0):
        off = np.abs(np.asarray(found.faults[0].value) - planted.value) / np.asarray(found.faults[0].std)
        deviations = float(np.max(off) / (1.0 if off.ndim == 0 else np.sqrt(chi(off.size) / 9.0)))
    return Outcome(found.explained and (itself or alike or together), itself, deviations, text)


def chi(numbers: int) -> float:
    """Return the square of the largest of some numbers with standard deviation 1 that as many logs exceed as exceed 3
    standard deviations of one number, 0.27 %."""
    return float(norm.isf(0.0027 / 2 / numbers) ** 2)


if __name__ == "__main__":
    main()
