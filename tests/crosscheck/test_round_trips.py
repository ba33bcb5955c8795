"""Robots of every format as Kinetree writes them, against the library that reads what it wrote: mass, centre of mass,
poses of all links inside the limits, limits, and names of links and joints."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import kinetree as kt
from kinetree.formats import dh
from kinetree.formats.losses.losses import PARTS
from kinetree.model.joints import JOINT_TYPES
from kinetree.model.mimic import mimic_polynomial
from kinetree.model.reshape import SUFFIXES
from kinetree.robots.packaged import versions
from other_readers import READERS, ends_of
from sdf_corpus import Files, corpus_files, robots as robots_of_sdf
from support import SHARED, all_frames, at_length, example_robot_urdfs, icub_urdfs, sample, shared

pytestmark = pytest.mark.crosscheck

KEPT = ("inertial", "limit", "mimic", "frame", "order", "unknown_mass", "velocity_limit", "dynamics", "ball")
WITHOUT = tuple(part for part in PARTS if part not in KEPT)


def loaded(paths: Iterator[Path] | list[Path]) -> Iterator[tuple[str, kt.Robot]]:
    for path in paths:
        try:
            yield str(path), kt.load(path, without=("geometry", "extension"))
        except kt.KinetreeError:
            continue


def urdfs() -> Iterator[tuple[str, kt.Robot]]:
    yield from loaded(sample([*example_robot_urdfs(), *icub_urdfs()], 6))
    corpus = SHARED / "corpus"
    yield from loaded(sample(sorted(corpus.rglob("*.urdf")), 40))


def joint_of(kind: str) -> str:
    """SDF of a joint of a type, whose links stand away from it."""
    axis = {"ball": "", "fixed": ""}.get(kind, "<axis><xyz>1 0 2</xyz></axis>")
    axis += "<axis2><xyz>0 1 0</xyz></axis2>" if kind == "universal" else ""
    pitch = "<screw_thread_pitch>3</screw_thread_pitch>" if kind == "screw" else ""
    inertial = "<inertial><pose>0.1 0.2 0.3 0 0 0</pose><mass>{}</mass></inertial>"
    return f"""<sdf version="1.10"><model name="m"><pose>1 2 3 0.1 0.2 0.3</pose>
      <link name="a"><pose>0 1 0 0.4 0.5 0.6</pose>{inertial.format(2)}</link>
      <link name="b"><pose>1 0 0 0.7 0.8 0.9</pose>{inertial.format(3)}</link>
      <joint name="j" type="{kind}"><pose>0.1 0.2 0.3 1 1.1 1.2</pose><parent>a</parent><child>b</child>{axis}{pitch}
      </joint></model></sdf>"""


def sdfs() -> Iterator[tuple[str, kt.Robot]]:
    for kind in (row.sdf for row in JOINT_TYPES.values() if row.sdf):
        yield kind, kt.load(joint_of(kind), format="sdf")
    opener = Files(shared("corpus"))
    for path in corpus_files(8):
        for robot in robots_of_sdf(path, opener):
            yield f"{path}: {robot.name}", robot


def mjcfs() -> Iterator[tuple[str, kt.Robot]]:
    """The model of MuJoCo's package, cases that people reported, and real robots as MuJoCo writes them."""
    mujoco = pytest.importorskip("mujoco")
    yield from loaded([Path(mujoco.__file__).parent / "testdata" / "model.xml"])
    cases = [path for path in sorted(SHARED.glob("cases/**/*.xml")) if b"<mujoco" in path.read_bytes()]
    yield from loaded(cases)
    for name, robot in loaded(sample([*example_robot_urdfs(), *icub_urdfs()], 16)):
        spec = mujoco.MjSpec.from_string(kt.text(robot, "urdf", without=WITHOUT))
        spec.compiler.fusestatic = False
        try:
            spec.compile()
        except ValueError:  # inertias that MuJoCo refuses
            continue
        yield f"{name} by MuJoCo", kt.load(spec.to_xml(), format="mjcf")


def dhs() -> Iterator[tuple[str, kt.Robot]]:
    for version in sample(versions("icub"), 3):
        yield f"icub:{version}", kt.load(f"icub:{version}")
    for i, (name, robot) in enumerate(loaded(sample([*example_robot_urdfs(), *icub_urdfs()], 16))):
        text = dh.write(robot, WITHOUT, convention=("dh", "mdh")[i % 2])
        yield f"{name} as DH", kt.load(text, format="dh")


SOURCES = {"urdf": urdfs, "sdf": sdfs, "mjcf": mjcfs, "dh": dhs}
LEAST = {"urdf": (10, 75), "sdf": (20, 250), "mjcf": (5, 60), "dh": (6, 80)}
"""How many robots of a format are compared at least with every library: in the sample, and of all."""

REFUSED = {
    "cannot-say-joint": "planar joints and the like in URDF, screws in MJCF",
    "cannot-say-mimic": "followers by a polynomial",
    "cannot-say-limit": "lower above upper",
    "cannot-say-unknown_mass": "of a mesh that is missing",
}
"""Why a writer may refuse a robot without its shapes."""

EXACT = {"urdf": 1e-11, "sdf": 1e-9, "mjcf": 1e-11}
"""Largest deviation of a pose, m and in rotations: Drake takes an axis 1e-10 off x, y or z for that axis."""

EXCUSED = {
    "Only fixed joints are permitted in world joints": "Drake has no joints that move between the models of a world",
    "Some components of min_effort are": "the file has a negative effort, which Pinocchio refuses in the original too",
    "already contains a frame named": "Drake has a frame of a model under the model of the link that carries it",
}
"""Texts of errors of other libraries about files that are right, and the reason."""


def coordinates(robot: kt.Robot, rng: np.random.Generator) -> np.ndarray:
    """A configuration (nq,) inside the limits of each joint, none more than 2 from zero if it can."""
    q = rng.uniform(-2.0, 2.0, robot.nq)
    for name, where in robot.q_slices.items():
        joint = robot.joints[name]
        if quaternion := joint.kind.quaternion:
            q[where][quaternion] /= np.linalg.norm(q[where][quaternion])
        for i, limit in zip(range(where.start, where.stop), () if quaternion else joint.limits, strict=False):
            low, high = max(limit.lower, min(-2.0, limit.upper)), min(limit.upper, max(2.0, limit.lower))
            q[i] = rng.uniform(low, high) if low < high else low
    return q


def values_of(robot: kt.Robot, q: np.ndarray) -> dict[str, np.ndarray]:
    """The numbers of every joint that moves, followers included."""
    found = {}
    for joint in robot.joints.values():
        if joint.kind.nq:
            leader, coefficients = mimic_polynomial(robot, joint.name)
            found[joint.name] = np.polynomial.Polynomial(coefficients)(q[robot.q_slices[leader]])
    return found


def spread(robot: kt.Robot, values: dict[str, np.ndarray], known: set[str]) -> dict[str, np.ndarray]:
    """The numbers by the names in the file: of a joint that is written as a row of others, one for each of them."""
    found = {}
    for name, value in values.items():
        kind = robot.joints[name].kind
        if name in known or not any(f"{name}_{end}" in known for end in SUFFIXES.values()):
            found[name] = value
            continue
        for i, coordinate in enumerate(kind.coordinates[: 3 if kind.quaternion else None]):
            found[f"{name}_{SUFFIXES[coordinate]}"] = value[i : i + 1]
        if kind.quaternion:
            found[f"{name}_R"] = value[-4:]
    return found


def own_names(robot: kt.Robot, format: str) -> kt.Robot:
    """The robot with other names for joints that have the name of a frame, which SDF has not: links, joints and frames
    share one name space there, and the writer renames them with a remark."""
    taken = [name for name in (*robot.joints, *robot.loops) if name in robot.frames] if format == "sdf" else []
    return kt.edit.rename(robot, joints={name: f"{name}_own_joint" for name in taken}) if taken else robot


def is_between_joints(robot: kt.Robot, link: str) -> bool:
    """Whether a link only stands between two joints of one body of MJCF, where it has no name."""
    above = robot.parent_joint(link)
    return above is not None and link == f"{above.name}_link" and robot.links[link].inertial is None


def deviations(robot: kt.Robot, format: str, text: str, rng: np.random.Generator) -> Iterator[str]:
    """Yield what differs between a robot and what the library of a format makes of its text."""
    there = READERS[format](text, robot)
    between = {link for link in robot.links if format == "mjcf" and is_between_joints(robot, link)}
    yield from (f"name of link {name}" for name in {*robot.links} - there.links - between)
    moving = values_of(robot, robot.q())
    named = spread(robot, moving, there.joints)
    free = {robot.joints[name].child: name for name in moving if robot.joints[name].type == "floating"}
    placed = {name for link, name in free.items() if link in there.free}
    fixed = {*robot.joints} - {*moving} if format == "urdf" else set[str]()  # other libraries merge what is fixed
    yield from (f"name of joint {name}" for name in ({*named} | fixed) - there.joints - placed)
    for name, joint in robot.joints.items():
        if name in there.limits and joint.kind.single:
            expected = ends_of(joint.limit.lower, joint.limit.upper)
            if not np.allclose(there.limits[name], expected, rtol=1e-15, atol=1e-15):
                yield f"limits of {name}: {there.limits[name]} for {expected}"
    masses = {name: link.inertial.mass for name, link in robot.links.items() if link.inertial}
    mass = sum(masses.values())
    if abs(there.mass - mass) > 1e-9 * mass + there.dust:
        yield f"mass: {there.mass} for {mass}"
    for _ in range(3):
        q = coordinates(robot, rng)
        values, T = values_of(robot, q), all_frames(robot, q)
        for link, name in free.items():
            if name in placed:
                there.place(link, T[link])
        still = there.move({k: v for k, v in spread(robot, values, there.joints).items() if k not in placed})
        if still:
            yield f"{sorted(still)} do not move"
            return
        T_root = np.linalg.inv(there.T(robot.root))
        off = {name: float(np.abs(T_root @ there.T(name) - T[name]).max()) for name in there.links & {*robot.links}}
        if off and max(off.values()) > EXACT[format]:
            yield f"pose of {max(off, key=off.__getitem__)}: {max(off.values()):.2g}"
        if mass > 1e-3:
            center = (T_root @ np.r_[there.center, 1.0])[:3]
            parts = [m * (T[link] @ robot.links[link].inertial.origin)[:3, 3] for link, m in masses.items()]
            size = max(1.0, *(float(np.abs(pose[:3, 3]).max()) for pose in T.values()))
            if np.abs(center - sum(parts) / mass).max() > (EXACT[format] + 2 * there.dust / mass) * size:
                yield f"centre of mass: {center} for {sum(parts) / mass}"


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("format", READERS)
def test_every_writer_against_another_reader(format, source):
    rng, compared, refused, wrong = np.random.default_rng(4), 0, set(), []
    for name, robot in SOURCES[source]():
        if any(link.inertial and link.inertial.mass < 0 for link in robot.links.values()):
            continue  # Drake puts masses of its own in their place
        try:
            robot = own_names(robot, format)
            text = kt.text(robot, format, without=WITHOUT)
        except kt.KinetreeError as error:
            refused |= {finding.code for finding in error.findings}
            continue
        try:
            found = [*deviations(robot, format, text, rng)]
        except (RuntimeError, ValueError) as error:
            if any(text in str(error) for text in EXCUSED):
                continue
            found = [f"{type(error).__name__}: {str(error)[:300]}"]
        wrong += [f"{name}: {one}" for one in found]
        compared += not found
    assert not wrong, "\n".join(wrong)
    assert refused <= {*REFUSED}
    assert compared >= at_length(*LEAST[source])
