"""Faults that `kt.verify` names, of those that are planted in simulated logs of robots.

    python benchmarks/faults.py [--robots N] [--faults N] [--seed S] [--two] [--quick]

Every log has one fault of a kind that `kt.verify` knows, or none; with --two it has two, drawn by lot. Logs of poses
have 45 poses, those of delays and of torques 20 s of a motion of five harmonics. Torques are those of MuJoCo where it
is installed and no joint follows another, otherwise the model's own, with friction as in a textbook and a constant
offset each. Logs have noise, rounded positions, lost samples and outliers. Inertias and zeros change some torque by
4 % at least. An answer is right if it names the faults and nothing else, or sets with them. The spread of errors of
values is in their standard deviations, so that 1 is right.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import norm

import kinetree as kt
from cases import ROBOTS, _example
from kinetree.lab.hand_eye import displacements as small
from kinetree.lab.identify.columns import carriers, ends
from kinetree.lab.identify.efforts import about_centre, inertia_of, payload
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import UNLIMITED, Mimic
from machine import describe

POSES = ("none", "zero", "length", "joint pose", "base pose", "tool pose", "sign", "order", "unit", "delay")
TORQUES = (
    *("none", "mass", "centre", "inertia", "payload", "viscous friction", "Coulomb friction", "armature", "gravity"),
    *("zero", "delay", "effort scale", "effort sign", "effort order", "effort unit"),
)
KINDS = [(of, kind) for of, kinds in (("poses", POSES), ("torques", TORQUES)) for kind in kinds]
LAST = [*dict.fromkeys(("delay", *(kind for kind in POSES if kind not in {"sign", "order"}), *POSES, *TORQUES))]
"""Kinds in the order in which they are planted: those of a log come after those of a model, but its delay and its unit
before signs and orders, which are those of what is logged."""
DOWN = np.array([0.0, 0.0, -9.81])
SEEN = 0.04
"""Least part of a torque that another inertia has to change: that of other links may be less than the noise."""
LINK = {"m": 3.0, "r": [0.2, 0.03, 0.02], "I": [0.02, 0.06, 0.05, 0.003, -0.002, 0.004]}


class Fault(NamedTuple):
    """What an answer should name."""

    kind: str
    element: str
    value: Any = None


@dataclass(frozen=True)
class Planted:
    """Faults in a log: the arguments of `kt.verify` beside the robot, and what it should name."""

    arguments: dict[str, Any]
    faults: tuple[Fault, ...]


@dataclass(frozen=True)
class Outcome:
    """Whether the answer about a log is right, whether it named the fault itself, and the error of its value in
    standard deviations: the largest, and the root of the mean of the squares of its numbers, or nan."""

    right: bool
    named: bool
    deviations: float
    spread: float
    text: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robots", type=int, default=12)
    parser.add_argument("--faults", type=int, default=len(KINDS), help="of each robot, in the order of the kinds")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--two", action="store_true", help="two faults in each log")
    parser.add_argument("--quick", action="store_true", help="one robot, four faults")
    parser.add_argument("--wrong", action="store_true", help="print wrong answers")
    options = parser.parse_args()
    robots, faults = (1, 4) if options.quick else (options.robots, options.faults)
    print(describe("kinetree", "numpy"), f"{robots} robots, {faults} logs each", sep="\n", end="\n\n")
    found, begun = defaultdict[tuple[str, str], list[Outcome]](list), time.perf_counter()
    for name, kind, outcome in outcomes(robots, faults, options.seed, options.two):
        found[kind if not options.two else (kind[0], "two faults")].append(outcome)
        print(".", end="", file=sys.stderr, flush=True)
        if options.wrong and not (outcome.right and not outcome.deviations > 3):
            print(f"-- {name}, {' '.join(kind)}: {outcome.deviations:.3g} deviations\n{outcome.text}\n", flush=True)
    print(f"{'kind':<28}{'logs':>6}{'right':>7}{'itself':>8}{'in 3 deviations':>17}{'spread':>8}")
    every = {**found, ("all", ""): [one for some in found.values() for one in some]}
    for kind, of in every.items():
        sized = [one.deviations for one in of if np.isfinite(one.deviations)]
        row = f"{' '.join(kind):<28}{len(of):>6}{sum(one.right for one in of):>7}{sum(one.named for one in of):>8}"
        spread = np.sqrt(np.mean([one.spread**2 for one in of if np.isfinite(one.spread)])) if sized else np.nan
        print(f"{row}{f'{sum(x < 3 for x in sized)} of {len(sized)}':>17}{spread:>8.2f}")
    clean = [one for kind, of in found.items() if kind[1] == "none" for one in of]
    print(f"\nclean logs blamed: {sum(not one.right for one in clean)} of {len(clean)}")
    print(f"{time.perf_counter() - begun:.0f} s")


def outcomes(robots: int, faults: int, seed: int, two: bool = False) -> Iterator[tuple[str, tuple[str, str], Outcome]]:
    """Yield the outcomes of logs, with the robot and the kind of each."""
    for at, (name, (robot, frame)) in enumerate(list(machines().items())[:robots]):
        kinds = [KINDS[(i + (at * faults if faults < len(KINDS) else 0)) % len(KINDS)] for i in range(faults)]
        if two:
            kinds = pairs(faults, np.random.default_rng([seed, at, 2]))
        for kind, outcome in of_robot(robot, frame, kinds, [seed, at]):
            yield name, kind, outcome


def pairs(count: int, rng: np.random.Generator) -> list[tuple[str, str]]:
    """Return pairs of kinds of faults by lot, as "kind+kind"."""
    found = []
    for i in range(count):
        of, kinds = (("poses", POSES), ("torques", TORQUES))[i % 2]
        found.append((of, "+".join(rng.choice(kinds[1:], 2, replace=False))))
    return found


def of_robot(
    robot: kt.Robot, frame: str, kinds: Sequence[tuple[str, str]], seed: Sequence[int]
) -> Iterator[tuple[tuple[str, str], Outcome]]:
    """Yield the outcomes of logs of a robot with faults of some kinds."""
    for i, (of, kind) in enumerate(kinds):
        if of == "poses" or moved(robot):  # else its links have no masses
            make, rng = of_poses if of == "poses" else of_torques, np.random.default_rng([*seed, i])
            planted = make(robot, frame, sorted(kind.split("+"), key=LAST.index), rng)
            yield (of, kind), judged(kt.verify(robot, **planted.arguments), planted)


def machines() -> dict[str, tuple[kt.Robot, str]]:
    """Return robots of joints that move, with the frame that is measured."""
    icub = kt.load("icub")

    def only(robot: kt.Robot, names: tuple[str, ...]) -> kt.Robot:
        return kt.edit.lock(robot, {name: 0.0 for name in robot.joint_names if name not in names})

    def part(path: str, *begin: str) -> kt.Robot:
        parts = parts_of(kt.load(_example(path)()))  # without friction, which MuJoCo takes for a constraint
        robot = build(replace(parts, joints=[replace(joint, dynamics=()) for joint in parts.joints]))
        return only(robot, tuple(name for name in robot.joint_names if name.startswith(begin)))

    link = [{**LINK, "axis": axis, "xyz": xyz} for axis, xyz in AXES]
    parts = parts_of(kt.chain(link))
    parts.joints[3] = replace(parts.joints[3], mimic=Mimic("q3", -1.0))  # the wrist stays level
    return {
        "UR5": (kt.load(ROBOTS["UR5"].file()), "tool0"),
        "Panda": (part("panda_description/urdf/panda.urdf", "panda_joint"), "panda_hand"),
        "iCub's arm": (only(icub, icub.groups["left_arm"][:7]), "l_hand"),
        "iCub's head": (only(icub, icub.groups["head"][:3]), "head"),
        "HyQ's leg": (part("hyq_description/robots/hyq_no_sensors.urdf", "lf"), "lf_foot"),
        "coupled arm": (build(parts), "q5_link"),
        "Talos's arm": (part("talos_data/robots/talos_reduced.urdf", "arm_left"), "arm_left_7_link"),
        "TIAGo's torso and arm": (part("tiago_description/robots/tiago.urdf", "torso", "arm"), "arm_tool_link"),
        "ANYmal's leg": (part("anymal_c_simple_description/urdf/anymal.urdf", "LF"), "LF_FOOT"),
        "xArm7": (part("xarm_description/urdf/xarm7.urdf", "joint"), "link7"),
        "Z1": (
            part("z1_description/urdf/z1.urdf", "joint1", "joint2", "joint3", "joint4", "joint5", "joint6"),
            "link06",
        ),
        "Kinova": (kt.load(_example("kinova_description/robots/kinova.urdf")()), "j2s6s200_end_effector"),
    }


AXES = (
    ([0, 0, 1], [0, 0, 0.2]),
    ([0, 1, 0], [0.1, 0, 0.3]),
    ([0, 1, 0], [0.5, 0, 0]),
    ([0, 1, 0], [0.4, 0, 0.05]),
    ([1, 0, 0], [0.1, 0, 0]),
)


def of_poses(robot: kt.Robot, frame: str, kinds: Sequence[str], rng: np.random.Generator) -> Planted:
    """Return a log of poses with faults."""
    names, moving = robot.joint_names, above(robot, frame)
    joints = [name for name in moving if robot.joints[name].kind.nq and not robot.joints[name].mimic]
    joints = [str(name) for name in rng.permutation(joints)]
    n, noise = 45, rng.uniform(0.5, 5) * 1e-4
    known = {"base pose", "tool pose"} & {*kinds}
    free = () if known else [(), ("base",), ("tool",), ("base", "tool")][rng.integers(4)]
    t = None
    if "delay" in kinds:
        t, q, _, _ = motion(robot, seed := int(rng.integers(1e9)), rate=20.0)
    else:
        lower, upper = ends_of(robot)
        q = rng.uniform(lower, upper, (n, robot.nq))
    logged, true, model, X, Y, planted = q.copy(), q.copy(), robot, np.eye(4), np.eye(4), list[Fault]()
    rows, fixed = kt.kinematics.origins(robot), moving[1:]
    for k, kind in enumerate(kinds):
        joint = joints[k % len(joints)]
        j, element, value = names.index(joint), joint, None
        if kind == "zero":
            value = rng.choice([-1, 1]) * rng.uniform(0.005, 0.08)
            true[:, j] += value
        elif kind in ("length", "joint pose"):
            long = [one for one in fixed if (np.abs(rows[one][:3]) > 1e-6).sum() == 1]
            kind = kind if long else "joint pose"
            element = str(rng.choice(long if kind == "length" else fixed))
            fixed = [one for one in fixed if one != element]
            value = small_row(rng)
            if kind == "length":
                place = int(np.abs(rows[element][:3]).argmax())
                value = np.where(np.arange(6) == place, rng.choice([-1, 1]) * rng.uniform(0.002, 0.02), 0.0)
            model = kt.edit.set_origins(model, {element: rows[element] + value})
            value = value[value != 0][0] if kind == "length" else value
        elif kind in ("base pose", "tool pose"):
            element, value = {"base pose": robot.root, "tool pose": frame}[kind], small_row(rng)
            X, Y = (small(value), Y) if kind == "base pose" else (X, small(value))
        elif kind == "sign":
            logged[:, j] *= -1
        elif kind == "order":
            i, j = sorted(rng.choice(len(names), 2, replace=False))
            logged[:, [i, j]] = logged[:, [j, i]]
            element = f"{names[i]}, {names[j]}"
        elif kind == "unit":
            element = "q"
            logged = np.where([robot.joints[name].kind.angular[0] for name in names], np.rad2deg(logged), logged)
        elif kind == "delay":
            value, element = rng.choice([-1, 1]) * rng.uniform(0.02, 0.15), frame
            logged += motion(robot, seed, 20.0, value)[1] - q
        planted.append(Fault(kind, element, value))
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
    return Planted(arguments, tuple(planted))


def of_torques(robot: kt.Robot, frame: str, kinds: Sequence[str], rng: np.random.Generator) -> Planted:
    """Return a log of torques with faults."""
    names, order, links = robot.joint_names, rng.permutation(robot.nv), rng.permutation(moved(robot))
    t, q, qd, qdd = motion(robot, seed := int(rng.integers(1e9)))
    model, shift, gravity, planted, late = robot, np.zeros(robot.nv), DOWN, list[Fault](), 0.0
    for k, kind in enumerate(kinds):
        link, j = str(links[k % len(links)]), int(order[k % robot.nv])
        row, u = np.array(kt.dynamics.inertial_parameters(robot)[link]), np.zeros(10)
        element, value = names[j], None
        if kind == "mass":
            u[0] = rng.choice([-1, 1]) * rng.uniform(0.15, 0.4)
        elif kind == "centre":
            u[1:4] = rng.uniform(0.02, 0.06, 3) * rng.choice([-1, 1], 3)
        elif kind == "inertia":
            u[4:] = rng.uniform(0.7, 1.5) * np.array([1, 0, 1, 0, 0, 1.0]) + 0.1 * rng.normal(size=6)
        elif kind == "gravity":
            value, element = rng.normal(size=3) * [1.0, 1.0, 0.3], robot.root
            gravity = DOWN + value
        elif kind == "zero":
            value = rng.choice([-1, 1]) * rng.uniform(0.03, 0.1)
            shows = [i for i in range(robot.nv) if change(robot, robot, q, qd, qdd, value * np.eye(robot.nv)[i]) > SEEN]
            j = int(rng.choice([i for i in shows if not shift[i]]))
            shift[j], element = value, names[j]
        elif kind == "delay":
            late = value = rng.uniform(0.01, 0.08)
            element = "effort"
        elif kind == "payload":
            element = kt_end(robot)
            value = np.r_[rng.uniform(0.15, 0.6) * max(row[0], 0.3), rng.uniform(-0.1, 0.1, 3)]
            model = with_payload(model, element, value)
        if u.any():
            element, other = link, with_row(model, link, inertia_of(row, u))
            while change(model, other, q, qd, qdd) < SEEN and np.abs(u).max() < 5.0:
                u *= 1.3
                other = with_row(model, link, inertia_of(row, u))
            model, inertia = other, about_centre(inertia_of(row, u)) - about_centre(row)
            value = {"mass": row[0] * (np.exp(u[0]) - 1), "centre": u[1:4]}.get(kind, inertia)
        planted.append(Fault(kind, element, value))
    _, true, qd, qdd = motion(robot, seed, later=-late)
    tau = torques(model, true + shift, qd, qdd, gravity)
    size = np.sqrt((tau**2).mean(axis=0))
    rates = {"viscous friction": qd, "Coulomb friction": np.sign(qd), "armature": qdd}
    for k, (kind, element, value) in enumerate(planted):
        j = int(order[k % robot.nv])
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
        planted[k] = Fault(kind, element, value)
    tau += size * (0.02 * rng.normal(size=tau.shape) + rng.uniform(-0.2, 0.2, robot.nv))
    tau += (rng.random(tau.shape) < 0.002) * size * rng.normal(size=tau.shape)  # outliers
    kept = rng.random(len(t)) > 0.02
    return Planted({"q": np.round(q, 5)[kept], "t": t[kept], "effort": tau[kept]}, tuple(planted))


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
    """Return t, and q, qd and qdd at t + later, of 20 s: periods of 10 s and five harmonics, inside the limits,
    at twice the legal speed at most."""
    t, w = np.arange(0, 20, 1 / rate), 2 * np.pi * 0.1 * np.arange(1, 6)
    a, b = np.random.default_rng(seed).uniform(-1, 1, (2, 5, robot.nq))
    phase = np.outer(t + later, w)
    s, c = np.sin(phase), np.cos(phase)
    lower, upper = ends_of(robot)
    q, qd, qdd = s @ a + c @ b, c * w @ a - s * w @ b, -(s * w**2) @ a - c * w**2 @ b
    size = np.minimum(0.49 * (upper - lower), 2.0) / np.hypot(a, b).sum(axis=0)
    speeds = [limit.velocity for name in robot.joint_names for limit in robot.joints[name].limits or (UNLIMITED,)]
    size = np.minimum(size, 2.0 * np.array(speeds) / (np.hypot(a, b) * w[:, None]).sum(axis=0))
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


def change(
    robot: kt.Robot, other: kt.Robot, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, shift: np.ndarray | float = 0.0
) -> float:
    """Return by how much a robot has other torques than another, shifted by some zeros, in parts of them, where it is
    most."""
    one, two = kt.inverse_dynamics(robot)(q, qd, qdd), kt.inverse_dynamics(other)(q + shift, qd, qdd)
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
    named = {(fault.kind, fault.element): fault for fault in found.faults}
    text = "\n".join(
        [*(f"planted {kind} of {element}: {value}" for kind, element, value in planted.faults), str(found)]
    )
    true = {(kind, element): value for kind, element, value in planted.faults if kind != "none"}
    itself, apart = {*named} == {*true}, {one for group in found.together for one in group}
    covered = {key for key in true if key in named or key in apart} | {
        other for fault in found.faults for other in fault.alike if other in true
    }
    excused = all(key in true or {*fault.alike} & {*true} for key, fault in named.items())
    deviations, squares = np.nan, list[float]()
    for key in {*named} & {*true} if itself else ():
        fault, value = named[key], true[key]
        if value is not None and np.all(np.asarray(fault.std, dtype=float) > 0):
            off = np.abs(np.asarray(fault.value) - value) / np.asarray(fault.std)
            squares += [*np.square(off).ravel()]
            deviations = np.fmax(deviations, np.max(off) / (1.0 if off.ndim == 0 else np.sqrt(chi(off.size) / 9.0)))
    right = found.explained and covered == {*true} and excused and len(named) <= len(true)
    spread = float(np.sqrt(np.mean(squares))) if squares else np.nan
    return Outcome(bool(right), itself, float(deviations), spread, text)


def chi(numbers: int) -> float:
    """Return the square of the largest of some numbers with standard deviation 1 that as many logs exceed as exceed 3
    standard deviations of one number, 0.27 %."""
    return float(norm.isf(0.0027 / 2 / numbers) ** 2)


if __name__ == "__main__":
    main()
