"""SDF against Drake: the pose of every link and frame, limits and inertias, at random configurations."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pytest

from kinetree.formats import sdf
from kinetree.model.assemble import build, parts_of
from kinetree.model.joints import JOINT_TYPES
from kinetree.model.mimic import resolve_mimic
from kinetree.model.robot import Robot
from kinetree.spatial import se3
from sdf_corpus import Files, corpus_files, robots
from support import all_frames, random_q, shared

pytestmark = pytest.mark.crosscheck

NOT_UNIT = {"rotations_in_quaternions.sdf"}
"""Files whose quaternion is of length 1 only to 1e-6: we normalise it, Drake's reader scales positions by it."""
NO_MASS = {"inertial_invalid.sdf"}
"""Files with a negative mass, which Drake replaces by its own."""
ACCEPTED_BY_DRAKE_ALONE = {"no-model", "no-links"}
"""Causes of refusal of files that Drake, which needs no robot, has no reason to refuse."""


class Drake:
    """A plant, with bodies and joints by the names that we give them."""

    def __init__(self, opener: Files | None, path: Path | None = None, text: str = "") -> None:
        logging.getLogger("drake").setLevel(logging.CRITICAL)
        parsing = pytest.importorskip("pydrake.multibody.parsing")
        plant = self.plant = pytest.importorskip("pydrake.multibody.plant").MultibodyPlant(0.0)
        parser = parsing.Parser(plant)
        for name, folder in opener.models.items() if opener else ():
            parser.package_map().Add(name, str(folder))
        if path:
            parser.AddModels(str(path))
        else:
            parser.AddModelsFromString(text, "sdf")
        plant.Finalize()
        self.context = plant.CreateDefaultContext()

    def bind(self, robot: Robot) -> None:
        """Take the names of the robot, whose model is one instance among those of the plant."""
        plant = self.plant
        self.prefix = f"{robot.name}::" if plant.HasModelInstanceNamed(robot.name) else ""
        instances = [plant.get_joint(i).child_body().model_instance() for i in plant.GetJointIndices()]
        bodies = {b for i in {*instances} for b in plant.GetBodyIndices(i)}
        self.bodies = {self.name(plant.get_body(b)): plant.get_body(b) for b in bodies}
        self.bodies["world"] = plant.world_body()
        joints = [plant.get_joint(i) for i in plant.GetJointIndices()]
        ends = [(self.name(j.parent_body()), self.name(j.child_body())) for j in joints]
        reversed_ends = zip([end[::-1] for end in ends], joints, strict=True)  # a joint that is reversed here
        self.joints = {**dict(reversed_ends), **dict(zip(ends, joints, strict=True))}

    def name(self, body) -> str:
        if body is self.plant.world_body() or body.index() == 0:
            return "world"
        return f"{self.plant.GetModelInstanceName(body.model_instance())}::{body.name()}".removeprefix(self.prefix)

    def move(self, robot: Robot, q: np.ndarray) -> bool:
        """Set the joints by name; False where Drake holds one still because its model is static."""
        for joint in robot.joints.values():
            if joint.type == "floating":
                T = joint.origin @ joint.kind.transform(joint.axes, 0.0, q[robot.q_slices[joint.name]])
                self.plant.SetFreeBodyPose(self.context, self.bodies[joint.child], self.rigid(T))
        positions = self.plant.GetPositions(self.context).copy()
        for joint in robot.joints.values():
            if joint.kind.nq and joint.type != "floating":
                leader, multiplier, offset = resolve_mimic(robot, joint.name)
                values = multiplier * q[robot.q_slices[leader]] + offset
                if joint.type == "ball":
                    values = se3.rpy_from_rotation(se3.rotation_from_quaternion(values))
                other = self.joints[joint.parent, joint.child]
                if other.num_positions() == 0:
                    return False
                positions[other.position_start() : other.position_start() + other.num_positions()] = values
        self.plant.SetPositions(self.context, positions)
        return True

    @staticmethod
    def rigid(T: np.ndarray):
        from pydrake.math import RigidTransform, RotationMatrix

        return RigidTransform(RotationMatrix.ProjectToRotationMatrix(T[:3, :3]), T[:3, 3])

    def T_world(self, robot: Robot, name: str) -> np.ndarray | None:
        """T_world_frame; None for a frame that Drake does not know by a name of its own."""
        if name in robot.links:
            return self.plant.EvalBodyPoseInWorld(self.context, self.bodies[name]).GetAsMatrix4()
        scope, _, local = f"{self.prefix}{name}".rpartition("::")
        return self.place(scope, local)

    def place(self, scope: str, name: str) -> np.ndarray | None:
        """T_world_frame of a frame of a model by its full name, at the poses of the file; None where it has none."""
        if not self.plant.HasModelInstanceNamed(scope):
            return None
        instance = self.plant.GetModelInstanceByName(scope)
        if not self.plant.HasFrameNamed(name, instance):
            return None
        return self.plant.GetFrameByName(name, instance).CalcPoseInWorld(self.context).GetAsMatrix4()


def differ_by(robot: Robot, drake: Drake, q: np.ndarray) -> float:
    """The largest entry by which the poses relative to the root differ."""
    T_root = np.linalg.inv(drake.T_world(robot, robot.root))
    differences = [0.0]
    for name, T in all_frames(robot, q).items():
        T_world = drake.T_world(robot, name)
        if T_world is not None:
            differences.append(float(np.abs(T_root @ T_world - T).max()))
    return max(differences)


def check_limits(robot: Robot, drake: Drake) -> None:
    for joint in robot.joints.values():  # Drake drops those of a screw
        if joint.kind.nq and joint.type not in ("ball", "screw", "floating") and not joint.mimic:
            other = drake.joints[joint.parent, joint.child]
            limits = joint.limits or (joint.limit,) * joint.kind.nv
            bounds = [(limit.lower, limit.upper, limit.velocity) for limit in limits]
            theirs = np.transpose(
                (other.position_lower_limits(), other.position_upper_limits(), other.velocity_upper_limits())
            )
            assert np.array_equal(bounds, np.where(np.abs(theirs) < 1e16, theirs, np.copysign(np.inf, theirs)))


def check_inertias(robot: Robot, drake: Drake) -> None:
    for link in robot.links.values():
        is_unknown = any(extension.tag == "inertial" for extension in link.extensions)
        assert link.inertial or link.name == "world" or is_unknown, link.name
        if link.inertial:
            theirs = drake.bodies[link.name].default_spatial_inertia()
            R, p = link.inertial.origin[:3, :3], link.inertial.origin[:3, 3]
            about_link = R @ link.inertial.inertia @ R.T + link.inertial.mass * (p @ p * np.eye(3) - np.outer(p, p))
            scale = max(1.0, float(np.abs(about_link).max()))
            assert theirs.get_mass() == pytest.approx(link.inertial.mass, rel=1e-14)
            assert np.abs(theirs.get_com() - p).max() < 1e-14
            assert np.abs(theirs.CalcRotationalInertia().CopyToFullMatrix3() - about_link).max() < 1e-12 * scale


def test_the_corpus_agrees_with_drake():
    rng = np.random.default_rng(0)
    opener = Files(shared("corpus"))
    compared, refused = 0, {}
    for path in corpus_files():
        try:
            drake = Drake(opener, path)
        except (RuntimeError, MemoryError):
            continue
        robot, findings = sdf.read(path.read_bytes(), str(path), opener)
        if robot is None:
            refused[path.name] = {finding.code for finding in findings if finding.severity == "error"}
        for robot in robots(path, opener):
            drake.bind(robot)
            for _ in range(3):
                q = random_q(robot, rng)
                if drake.move(robot, q) and path.name not in NOT_UNIT:
                    assert differ_by(robot, drake, q) < 1e-12, path
                    compared += 1
            check_limits(robot, drake)
            if path.name not in NO_MASS:
                check_inertias(robot, drake)
    assert compared > 100
    assert {name: codes for name, codes in refused.items() if not codes <= ACCEPTED_BY_DRAKE_ALONE} == {}


@pytest.mark.parametrize("version", [f"1.{minor}" for minor in range(2, 13)])
@pytest.mark.parametrize("kind", [row.sdf for row in JOINT_TYPES.values() if row.sdf])
def test_every_joint_type_in_every_version_agrees_with_drake(kind, version):
    flag = "<use_parent_model_frame>1</use_parent_model_frame>" if version in ("1.5", "1.6") else ""
    pitch = "<thread_pitch>3</thread_pitch>" if kind == "screw" else ""
    axes = f"<axis><xyz>1 0 0</xyz>{flag}</axis>" if kind not in ("ball", "fixed") else ""
    axes += f"<axis2><xyz>0 1 0</xyz>{flag}</axis2>" if kind == "universal" else ""
    text = f"""<sdf version="{version}"><model name="m"><pose>1 2 3 0.1 0.2 0.3</pose>
      <link name="a"><pose>0 1 0 0.4 0.5 0.6</pose></link><link name="b"><pose>1 0 0 0.7 0.8 0.9</pose></link>
      <joint name="j" type="{kind}"><pose>0.1 0.2 0.3 1 1.1 1.2</pose><parent>a</parent><child>b</child>
      {axes}{pitch}</joint></model></sdf>"""
    robot, findings = sdf.read(text, "file.sdf")
    assert robot is not None, findings
    drake = Drake(None, text=text)
    drake.bind(robot)
    q = random_q(robot, np.random.default_rng(2))
    assert drake.move(robot, q)
    assert differ_by(robot, drake, q) < 1e-12


def chain(kinds: tuple[str, ...]) -> str:
    """A model of links l0, l1, … and joints between them, a side branch, and a pose for everything."""
    links = "".join(f'<link name="l{i}"><pose>{i} 0.2 0.{i} 0.{i} 0.4 -0.{i}</pose></link>' for i in range(5))
    joints = "".join(
        f'<joint name="j{i}" type="{kind}"><pose>0.1 0.{i} 0.3 0.7 0.{i} 1.2</pose><parent>l{i}</parent>'
        f"<child>l{i + 1}</child>{'' if kind == 'fixed' else f'<axis><xyz>1 {i} 2</xyz></axis>'}"
        "</joint>"
        for i, kind in enumerate(kinds)
    )
    side = (
        '<joint name="side" type="revolute"><parent>l1</parent><child>l4</child><axis><xyz>0 1 0</xyz></axis></joint>'
    )
    return f"<pose>1 2 3 0.1 0.2 0.3</pose>{links}{joints}{side}"


HOLD = """<joint name="{}" type="{}"><pose>0.3 0.1 0 0.3 0 0.2</pose><parent>{}</parent><child>{}</child>
  <axis><xyz>3 1 2</xyz></axis></joint>"""
CHAINS = [  # Drake cannot reverse a screw
    ("revolute", "prismatic", "fixed"),
    ("fixed", "continuous", "prismatic"),
    ("prismatic", "fixed", "revolute"),
]


@pytest.mark.parametrize("hold", ["fixed", "revolute", "prismatic"])
@pytest.mark.parametrize("kinds", CHAINS)
@pytest.mark.parametrize("place", ["model", "world", "between", "to a held tree", "to a static"])
def test_trees_that_hang_on_a_link_below_their_root_agree_with_drake(kinds, hold, place):
    one = f'<model name="one">{chain(kinds)}{HOLD.format("hold", hold, "world", "l3")}</model>'
    free = f'<model name="free"><pose>0 1 0 0 1 0</pose>{chain(kinds)}</model>'
    static = '<model name="still"><static>1</static><pose>0 1 0 0 1 0</pose><link name="l"/></model>'
    text = {
        "model": one,
        "world": f'<world name="w">{one}</world>',
        "between": f'<world name="w">{one}{free}{HOLD.format("tie", "fixed", "one::l2", "free::l3")}</world>',
        "to a held tree": f'<world name="w">{free}{one}{HOLD.format("tie", "fixed", "free::l3", "one::l3")}</world>',
        "to a static": f'<world name="w">{free}{static}{HOLD.format("tie", "fixed", "free::l2", "still::l")}</world>',
    }[place]
    robot, findings = sdf.read(f'<sdf version="1.10">{text}</sdf>', "file.sdf")
    assert robot is not None, findings
    assert not robot.loops
    drake = Drake(None, text=f'<sdf version="1.10">{text}</sdf>')
    drake.bind(robot)
    assert drake.plant.num_positions() == robot.nq
    rng = np.random.default_rng(3)
    for _ in range(5):
        q = random_q(robot, rng)
        assert drake.move(robot, q)
        assert differ_by(robot, drake, q) < 1e-12
    again, _ = sdf.read(sdf.write(build(parts_of(robot))), "file.sdf")
    assert again is not None
    assert again.joint_names == robot.joint_names
    other, frames = all_frames(again, q), all_frames(robot, q)
    assert max(np.abs(other[name] - T).max() for name, T in frames.items()) < 1e-12
