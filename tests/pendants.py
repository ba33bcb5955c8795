"""An arm, and what pendants show of it and of others."""

import numpy as np
from scipy.spatial.transform import Rotation as Rotations

import kinetree as kt
from kinetree.controllers import controllers
from kinetree.queries import controllers as asked

LINKS = [  # origin and axis of each joint, in the style of REP-199
    ("0 0 0.2", "0 0 1"),
    ("0.15 0 0.25", "0 1 0"),
    ("0 0 0.6", "0 1 0"),
    ("0.1 0 0.12", "1 0 0"),
    ("0.55 0 0", "0 1 0"),
    ("0.09 0 0", "1 0 0"),
]
KNOWN = "irb120 kr10 gp7 rs007l rx160 m10ia"
"""A name in the lists of coupled and serial arms of several makers."""


def urdf(
    links=LINKS, base=("0.01 0.02 0.45", "0 0 1.5707963267948966"), tool0="0 1.5707963267948966 0", more="", name=KNOWN
):
    """An arm of six joints; base and tool0 are left out where they are None."""
    parts = [f'<robot name="{name}"><link name="base_link"/><link name="flange"/>']
    for i, (xyz, axis) in enumerate(links, 1):
        parent = f"link_{i - 1}" if i > 1 else "base_link"
        parts.append(
            f'<link name="link_{i}"/><joint name="joint_{i}" type="revolute"><parent link="{parent}"/>'
            f'<child link="link_{i}"/><origin xyz="{xyz}"/><axis xyz="{axis}"/>'
            '<limit lower="-3" upper="3" velocity="1" effort="1"/></joint>'
        )
    parts.append(joint("link_6", "flange", "0.01 0 0", "0 0 0"))
    if base:
        parts.append('<link name="base"/>' + joint("base_link", "base", *base))
    if tool0:
        parts.append('<link name="tool0"/>' + joint("flange", "tool0", "0 0 0", tool0))
    return "".join([*parts, more, "</robot>"])


def load(text):
    return kt.load(text, format="urdf")


def joint(parent, child, xyz, rpy):
    return (
        f'<joint name="{parent}-{child}" type="fixed"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}" rpy="{rpy}"/></joint>'
    )


ARM = load(urdf())


def shown(who, rng, robot=ARM, k=10, base="base", tool0="tool0", noise=1.0, T_base=None, T_tool=None, q=None):
    """joints (k, n) and poses (k, 6 or 7), as the pendant shows them, with noise of 0.1 mm and 0.01 deg; T_base and
    T_tool (4, 4) go between."""
    q = robot.limits.sample(k, seed=rng) if q is None else q
    T = kt.fk(robot, tool0, base).interpret(q)
    T = (np.eye(4) if T_base is None else T_base) @ T @ (np.eye(4) if T_tool is None else T_tool)
    T[:, :3, 3] += rng.normal(0, 1e-4 * noise, (len(q), 3))
    T[:, :3, :3] = (
        T[:, :3, :3] @ Rotations.from_rotvec(rng.normal(0, np.radians(0.01) * noise, (len(q), 3))).as_matrix()
    )
    first, last = ("base" if "base" in robot.frames else base), ("tool0" if "tool0" in robot.frames else tool0)
    return asked.joints(robot, who, q, base=first, tool0=last), controllers[who].from_pose(T)


def codes(result):
    return sorted(fault.code for fault in result.faults)


def changed(array, columns, factor):
    array = array.copy()
    array[:, columns] *= factor
    return array
