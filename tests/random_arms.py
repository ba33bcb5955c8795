"""Arms at random, for tests."""

from itertools import pairwise

import numpy as np
from scipy.spatial.transform import Rotation

import kinetree as kt
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import Joint, Link

ENDS = ["from the base", "from the frame"]
"""Where the axes of a closed form are counted from."""


def random_arm(n: int, seed: int = 0, kinds: str = "", limit: float = 2.5) -> kt.Robot:
    """n joints with axes and offsets at random. kinds: r, c, p or m (follows the one before), again and again."""
    rng = np.random.default_rng(seed)
    text = '<robot name="arm"><link name="l0"/>'
    for i in range(n):
        kind = kinds[i % len(kinds)] if kinds else "r"
        axis = Rotation.random(random_state=rng).as_matrix()[0]
        xyz = rng.uniform(-0.3, 0.3, 3)
        type_ = {"r": "revolute", "c": "continuous", "p": "prismatic", "m": "revolute"}[kind]
        ends = (-0.2, 0.3) if kind == "p" else (-limit, limit)
        limits = f'<limit lower="{ends[0]}" upper="{ends[1]}" velocity="1" effort="1"/>' if kind != "c" else ""
        mimic = f'<mimic joint="j{i - 1}" multiplier="-0.5" offset="0.1"/>' if kind == "m" else ""
        text += (
            f'<link name="l{i + 1}"/><joint name="j{i}" type="{type_}"><parent link="l{i}"/><child link="l{i + 1}"/>'
        )
        text += (
            f'<origin xyz="{" ".join(map(str, xyz))}"/><axis xyz="{" ".join(map(str, axis))}"/>{limits}{mimic}</joint>'
        )
    return kt.load(f"{text}</robot>", format="urdf")


def lines(family: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Directions and points of six axes at random, of a family."""
    rng = np.random.default_rng(seed)
    h = Rotation.random(6, random_state=rng).as_matrix()[:, 0]
    a = rng.uniform(-0.4, 0.4, (6, 3))
    same = {"wrist": [1, 2], "parallel": [1, 2, 3]}[family]
    meeting = {"wrist": [3, 4, 5], "parallel": [4, 5]}[family]
    h[same] = np.array([1.0, -1.0, (-1.0) ** (seed + 1)])[: len(same), None] * h[1]
    a[meeting] = a[5] + rng.uniform(-0.3, 0.3, (len(meeting), 1)) * h[meeting]
    return h, a


def closed_form_arm(
    family: str, end: str = ENDS[0], seed: int = 0, limit: float = 3.0, kind: str = "revolute"
) -> kt.Robot:
    """As a chain whose frames are parallel to the base at zero, or turned round."""
    h, a = lines(family, seed)
    tip = np.random.default_rng(seed + 100).uniform(-0.2, 0.2, 3)
    points = [np.zeros(3), *a, a[5] + tip]
    if end == ENDS[1]:
        h, points = h[::-1], [p - points[-1] for p in points[::-1]]
    ends = f'<limit lower="{-limit}" upper="{limit}" velocity="1" effort="1"/>' if kind == "revolute" else ""
    text = '<robot name="arm"><link name="l0"/>'
    for i, (before, here) in enumerate(pairwise(points)):
        xyz = " ".join(map(str, here - before))
        axis = f'<axis xyz="{" ".join(map(str, h[i]))}"/>{ends}' if i < 6 else ""
        text += f'<link name="l{i + 1}"/><joint name="j{i}" type="{kind if i < 6 else "fixed"}">'
        text += f'<parent link="l{i}"/><child link="l{i + 1}"/><origin xyz="{xyz}"/>{axis}</joint>'
    return kt.load(f"{text}</robot>", format="urdf")


def on(robot: kt.Robot, kind: str, name: str = "base_joint", **options) -> kt.Robot:
    """The robot on a joint of this kind."""
    parts = parts_of(robot)
    parts.joints.insert(0, Joint(name, kind, "world", robot.root, **options))
    parts.links.insert(0, Link("world"))
    parts.joint_order = None
    return build(parts)
