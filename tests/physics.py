"""A robot with everything in it, and what must not change when a robot is edited."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinetree.model.assemble import Parts, build, parts_of
from kinetree.model.joints import JOINT_TYPES, JointType
from kinetree.model.mimic import resolve_mimic
from kinetree.model.robot import (
    CoupledLimit,
    Dynamics,
    Extension,
    Frame,
    Geometry,
    Inertial,
    Joint,
    Limit,
    Link,
    Material,
    Mimic,
    Robot,
    Sensor,
    Shape,
)
from kinetree.model.tree import build_tree
from kinetree.spatial import plucker, se3


def random_pose(rng: np.random.Generator) -> np.ndarray:
    quat = rng.normal(size=4)
    return se3.frozen(se3.homogeneous(se3.rotation_from_quaternion(quat), rng.uniform(-1, 1, 3)))


def random_axes(rng: np.random.Generator, type_name: str) -> np.ndarray:
    axes = rng.normal(size=(JOINT_TYPES[type_name].axes, 3))
    return se3.frozen(axes / np.linalg.norm(axes, axis=1, keepdims=True))


def random_inertial(rng: np.random.Generator) -> Inertial:
    a = rng.normal(size=(3, 3))
    second = a @ a.T  # second moments of mass, of which a body can have any
    return Inertial(float(rng.uniform(0.1, 5)), se3.frozen(np.trace(second) * np.eye(3) - second), random_pose(rng))


def random_joint(rng: np.random.Generator, name: str, type_name: str, parent: str, child: str) -> Joint:
    kind = JOINT_TYPES[type_name]
    return Joint(
        name,
        type_name,
        parent,
        child,
        random_pose(rng),
        random_axes(rng, type_name),
        random_pose(rng),
        pitch=0.3 if type_name == "screw" else 0.0,
        limits=(Limit(-1.0, 2.0, 3.0, 4.0),) * kind.nv if kind.nv else (),
        dynamics=(Dynamics(damping=0.1),) * kind.nv,
    )


def everything(seed: int = 0) -> Robot:
    """Every joint type, a follower of a follower, frames, sensors, groups, shapes, a coupled limit, extensions.

    A branch with the joints of several coordinates hangs on the root; one of the others is `trunk` to `tip`.
    """
    rng = np.random.default_rng(seed)
    chain = ("revolute", "fixed", "prismatic", "screw", "continuous", "fixed")
    joints = []
    parent = "base"
    for i, type_name in enumerate(chain):
        joints.append(random_joint(rng, f"{type_name}_{i}", type_name, parent, f"trunk{i}"))
        parent = f"trunk{i}"
    for i, type_name in enumerate(("planar", "fixed", "universal", "ball", "floating")):
        joints.append(
            random_joint(rng, f"{type_name}_b{i}", type_name, "base" if i == 0 else f"branch{i - 1}", f"branch{i}")
        )
    finger = random_joint(rng, "finger", "revolute", "trunk5", "finger_link")
    thumb = random_joint(rng, "thumb", "prismatic", "trunk2", "thumb_link")
    joints += [with_mimic(finger, "thumb", 2.0, 0.1), with_mimic(thumb, "revolute_0", -0.5, 0.2)]
    names = ["base", *(joint.child for joint in joints)]
    shape = Geometry(Shape("box", {"size": (0.1, 0.2, 0.3)}), random_pose(rng), material=Material("steel"))
    links = [
        Link(n, random_inertial(rng) if i % 4 != 3 else None, (shape,), (shape,), source=None)
        for i, n in enumerate(names)
    ]
    return build(
        Parts(
            "everything",
            links,
            joints,
            [Frame(f"on_{name}", name, random_pose(rng)) for name in ("base", "trunk1", "trunk5", "branch4")],
            [
                Sensor("imu", "imu", "on_trunk5", random_pose(rng)),
                Sensor("gyro", "imu", "trunk1", random_pose(rng)),
                Sensor("ft", "force_torque", "trunk5", random_pose(rng), joint="fixed_5"),
            ],
            [Material("steel", (0.5, 0.5, 0.5, 1.0))],
            [CoupledLimit("sum", {"revolute_0": 1.0, "screw_3": -2.0, "finger": 0.5}, -1.0, 3.0)],
            [Extension("urdf", "gazebo", '<gazebo reference="trunk2"><joint>thumb</joint></gazebo>')],
            {"arm": ("screw_3", "revolute_0", "continuous_4"), "all": tuple(j.name for j in joints)},
        )
    )


def with_mimic(joint: Joint, leader: str, multiplier: float, offset: float) -> Joint:
    return replace(joint, mimic=Mimic(leader, multiplier, offset))


def curved() -> Robot:
    """A chain of a joint, two followers by polynomials of it, and a joint, with a mass on every link."""
    rng = np.random.default_rng(6)
    kinds = ("revolute", "prismatic", "revolute", "revolute")
    joints = [random_joint(rng, f"j{i}", kind, f"l{i}", f"l{i + 1}") for i, kind in enumerate(kinds)]
    for i, higher in ((1, (0.3,)), (2, (-0.4, 0.2))):
        joints[i] = replace(joints[i], mimic=Mimic("j0", 0.5, 0.1, higher))
    return build(Parts("curved", [Link(f"l{i}", random_inertial(rng)) for i in range(5)], joints))


def random_tree(seed: int, n: int = 6) -> Robot:
    """A tree of n joints of random types, with a mass on every link; about every third single joint is a follower."""
    rng = np.random.default_rng(seed)
    joints: list[Joint] = []
    for i, kind in enumerate(rng.choice([*JOINT_TYPES], n)):
        joint = random_joint(rng, f"j{i}", str(kind), f"l{rng.integers(i + 1)}", f"l{i + 1}")
        leaders = [j.name for j in joints if j.kind.single]
        if joint.kind.single and leaders and rng.random() < 0.4:
            joint = with_mimic(joint, str(rng.choice(leaders)), rng.normal(), rng.normal())
        joints.append(joint)
    return build(Parts("random", [Link(f"l{i}", random_inertial(rng)) for i in range(n + 1)], joints))


def solid(robot: Robot, rng: np.random.Generator) -> Robot:
    """The robot with an inertia on every link, so that every joint moves a mass."""
    parts = parts_of(robot)
    parts.links = [replace(link, inertial=link.inertial or random_inertial(rng)) for link in parts.links]
    return build(parts)


def with_dynamics(robot: Robot, dynamics: Dynamics | None = None) -> Robot:
    """The robot with this passive behaviour at every velocity coordinate; without any, by default."""
    parts = parts_of(robot)
    parts.joints = [replace(j, dynamics=() if dynamics is None else (dynamics,) * j.kind.nv) for j in parts.joints]
    return build(parts)


def floated(robot: Robot) -> Robot:
    """The robot carried by a floating joint "root_joint", whose coordinates come first."""
    parts = parts_of(robot)
    parts.links.insert(0, Link("the world"))
    I = se3.IDENTITY
    parts.joints.insert(0, Joint("root_joint", "floating", "the world", robot.root, I, np.zeros((0, 3)), I))
    parts.joint_order = ("root_joint", *robot.joint_names)
    return build(parts)


def bodies(robot: Robot, q: np.ndarray) -> list[np.ndarray]:
    """T_root_body (4, 4) of every moving body, and of the base last."""
    tree = build_tree(robot)
    T = [np.eye(4)] * (len(tree.joints) + 1)
    for i, parent in enumerate(tree.parent):
        T[i] = T[parent] @ tree.joint_transform(i, q)
    return T


def total_inertia(robot: Robot, q: np.ndarray, frame: str) -> np.ndarray:
    """Spatial inertia (6, 6) of the whole robot at q, in `frame`."""
    tree, T = build_tree(robot), bodies(robot, q)
    body, T_body_frame = tree.frame(frame)
    T_frame_root = se3.inverse(T[body] @ T_body_frame)
    total = np.zeros((6, 6))
    for I, T_root_body in zip((*tree.inertia, tree.base_inertia), T, strict=True):
        X = plucker.motion_transform(se3.inverse(T_frame_root @ T_root_body))  # frame to body
        total += X.T @ I @ X
    return total


def kinetic_energy(robot: Robot, q: np.ndarray, qd: np.ndarray) -> float:
    """½ Σ vᵀ I v over the bodies, with the root at rest."""
    tree = build_tree(robot)
    v = [np.zeros(6)] * (len(tree.joints) + 1)
    energy = 0.0
    for i, parent in enumerate(tree.parent):
        Xup = plucker.motion_transform(se3.inverse(tree.joint_transform(i, q)))
        v[i] = Xup @ v[parent] + tree.motion_subspace(i, q) @ (tree.multiplier[i] * qd[tree.v_slice[i]])
        energy += 0.5 * float(v[i] @ tree.inertia[i] @ v[i])
    return energy


def step(row: JointType, q: np.ndarray, qd: np.ndarray, h: float) -> np.ndarray:
    """The coordinates after moving with velocity coordinates qd for a time h: numbers add up, but a quaternion is
    multiplied by the exponential of the child's angular velocity, and a floating position moves in the child's axes."""
    if row.name not in ("ball", "floating"):
        return q + h * qd
    w = qd[-3:] * h
    angle = float(np.linalg.norm(w))
    x, y, z = np.sin(angle / 2) * (w / angle if angle else w)
    quat = quaternion_product(q[-4:], np.array([x, y, z, np.cos(angle / 2)]))
    position = q[:-4] + se3.rotation_from_quaternion(q[-4:]) @ (h * qd[:-3]) if row.nq == 7 else q[:-4]
    return np.concatenate([position, quat])


def quaternion_product(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """p q, both xyzw."""
    v, w = p[:3], p[3]
    u, s = q[:3], q[3]
    return np.append(w * u + s * v + np.cross(v, u), w * s - v @ u)


def rates(robot: Robot, qd: np.ndarray) -> dict[str, np.ndarray]:
    """Rates of the velocity coordinates of every joint by its name, followers included."""
    own, at = {}, 0
    for name in robot.joint_names:
        nv = robot.joints[name].kind.nv
        own[name] = qd[at : at + nv]
        at += nv
    leaders = {name: resolve_mimic(robot, name) for name, joint in robot.joints.items() if joint.kind.nv}
    return {name: multiplier * own[leader] for name, (leader, multiplier, _) in leaders.items()}


def moved(robot: Robot, q: np.ndarray, qd: np.ndarray, h: float) -> np.ndarray:
    """The whole q after moving with qd for a time h."""
    result, at = q.copy(), 0
    for name, where in robot.q_slices.items():
        kind = robot.joints[name].kind
        result[where] = step(kind, q[where], qd[at : at + kind.nv], h)
        at += kind.nv
    return result
