"""Arms whose reach is mapped in tests."""

from math import pi

import kinetree as kt

OPTIONS = {"tolerance": (1e-6, 1e-6), "descents": 128, "loops": "refuse"}
"""Of `kt.ik`, as a reach map passes them on by default."""
JOINT = """<link name="l{i}"/><joint name="j{i}" type="{kind}"><parent link="{parent}"/><child link="l{i}"/>
<origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="{axis}"/>{limit}</joint>"""


def chain(name, joints, tip):
    """Return an arm of joints (xyz, rpy, axis, lower and upper limit or None), and a frame tool0 at a tip."""
    parts, parent = [], "base_link"
    for i, (xyz, rpy, axis, ends) in enumerate(joints, 1):
        limit = f'<limit lower="{ends[0]}" upper="{ends[1]}" velocity="1" effort="1"/>' if ends else ""
        kind = "revolute" if ends else "continuous"
        parts.append(JOINT.format(i=i, kind=kind, parent=parent, xyz=xyz, rpy=rpy, axis=axis, limit=limit))
        parent = f"l{i}"
    last = f'<link name="tool0"/><joint name="tip" type="fixed"><parent link="{parent}"/><child link="tool0"/>'
    text = f'<robot name="{name}"><link name="base_link"/>{"".join(parts)}{last}<origin xyz="{tip}"/></joint></robot>'
    return kt.load(text, format="urdf")


def two_links(shoulder=None, elbow=None, lengths=(0.6, 0.4)):
    """Return an arm of two links in the plane."""
    a, b = lengths
    return chain("2r", [("0 0 0", "0 0 0", "0 0 1", shoulder), (f"{a} 0 0", "0 0 0", "0 0 1", elbow)], f"{b} 0 0")


def ur5(pan=(-2 * pi, 2 * pi), tool="0 0.0823 0"):
    """Return an arm with the lengths of a UR5, from its maker's table of DH parameters."""
    turns, quarter = (-2 * pi, 2 * pi), f"0 {pi / 2} 0"
    joints = [
        ("0 0 0.089159", "0 0 0", "0 0 1", pan),
        ("0 0.13585 0", quarter, "0 1 0", turns),
        ("0 -0.1197 0.425", "0 0 0", "0 1 0", (-pi, pi)),
        ("0 0 0.39225", quarter, "0 1 0", turns),
        ("0 0.093 0", "0 0 0", "0 0 1", turns),
        ("0 0 0.09465", "0 0 0", "0 1 0", turns),
    ]
    return chain("ur5", joints, tool)
