"""What edits say they lose, what they refuse, and what becomes of materials and of bodies that are merged."""

from dataclasses import replace

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.model.assemble import build, parts_of
from kinetree.model.limits import LinearLimits
from kinetree.model.robot import CoupledLimit, Extension, ForceTorque, Joint, Limit, Link, Sensor
from kinetree.spatial import se3
from support import in_words

TEXT = """<robot name="r"><material name="red"><color rgba="{red}"/></material>
  <link name="{p}a"/><link name="{p}b"/><link name="{p}c"/><link name="{p}d"/>
  <joint name="{p}j" type="revolute"><parent link="{p}a"/><child link="{p}b"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" velocity="2" effort="3"/><dynamics damping="1" friction="2"/>
    <safety_controller k_velocity="1"/><calibration rising="0.5"/></joint>
  <joint name="{p}k" type="prismatic"><parent link="{p}b"/><child link="{p}c"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" velocity="2" effort="3"/></joint>
  <joint name="{p}m" type="continuous"><parent link="{p}b"/><child link="{p}d"/><axis xyz="1 0 0"/>
    <mimic joint="{p}k" multiplier="2" offset="0.5"/></joint>
  <sensor name="{p}s" type="imu"><parent link="{p}c"/></sensor></robot>"""


def robot(prefix="", red="1 0 0 1"):
    parts = parts_of(kt.load(TEXT.format(p=prefix, red=red), format="urdf"))
    parts.groups = {f"{prefix}all": (f"{prefix}k", f"{prefix}j"), f"{prefix}one": (f"{prefix}j",)}
    parts.coupled_limits.append(CoupledLimit(f"{prefix}sum", {f"{prefix}j": 1.0, f"{prefix}k": 2.0}, -1.5, 1.25))
    return build(parts)


def looped():
    """With a loop from c to d, a joint of three coordinates, and sensors of forces that read in the axes of a link."""
    parts, z = parts_of(robot()), se3.frozen([(0.0, 0.0, 1.0)])
    parts.links.append(Link("e"))
    parts.joints.append(Joint("ball", "ball", "a", "e"))
    parts.loops.append(Joint("loop", "revolute", "c", "d", axes=z))
    for name, axes, point in (("ft1", "child", "frame"), ("ft2", "parent", "joint"), ("ft3", "sensor", "joint")):
        reading = ForceTorque("parent_on_child", axes, point)
        parts.sensors.append(Sensor(name, "force_torque", "c", joint="k", force_torque=reading))
    turned = ForceTorque("child_on_parent", "parent", "joint")
    parts.sensors.append(Sensor("ft4", "force_torque", "b", joint="j", force_torque=turned))
    return build(parts)


def rows(joints, G, h, names="pq", **options):
    return LinearLimits(
        "set", tuple(joints), np.array(G, dtype=float), np.array(h, dtype=float), tuple(names), **options
    )


LIMITS = {
    "over two joints": rows("jk", [[1, 2], [-1, 2]], [1, 1], angular=False),
    "from below": rows("jk", [[1, 2]], [0.5], "p", angular=False, from_below=True),
    "a box": rows("jk", [[2, 0], [0, -1]], [1, 0.5], angular=False, box=True),
    "a box of both": rows("jk", [[2, 0], [1, -1]], [1, 0.5], angular=False, box=True),
    "angles": rows("jk", [[1, 2], [-1, 2]], [1, 1], angular=True),
    "shapes": rows("jk", [[1, 2]], [1, 1], angular=False),
    "names": rows("jk", [[1, 2], [1, 1]], [1, 1], "p", angular=False),
    "zero": rows("jk", [[0, 0], [1, 1]], [1, 1], angular=False),
    "not finite": rows("jk", [[1, 2], [1, 1]], [1, np.inf], angular=False),
    "unknown": rows("jz", [[1, 2], [1, 1]], [1, 1], angular=False),
    "a ball": rows(["j", "ball"], [[1, 2], [1, 1]], [1, 1], angular=False),
    "twice": rows("jk", [[1, 2], [1, 1]], [1, 1], "pp", angular=False),
    "a name that is taken": rows("jk", [[1, 2]], [1], ["sum"], angular=False),
    "nothing left": rows("jk", [[1, 2]], [-3.5], "p", angular=False),
    "nothing left of a range": rows("jk", [[1, 0], [-1, 0]], [-0.5, -0.5], angular=False, box=True),
}
LOOPED = {
    **{f"add limits: {name}": lambda r, one=one: kt.edit.add_limits(r, [one]) for name, one in LIMITS.items()},
    "clear limits": lambda r: kt.edit.clear_limits(r, ["j", "k"]),
    "clear limits of one": lambda r: kt.edit.clear_limits(r, "m"),
    "clear limits of a ball": lambda r: kt.edit.clear_limits(r, ["j", "ball"]),
    "clear limits of nobody": lambda r: kt.edit.clear_limits(r, ["j", "y"]),
    "remove limits": lambda r: kt.edit.remove_limits(r, ["sum", "z"]),
    "cut a loop": lambda r: kt.edit.cut(r, "c"),
    "remove an end of a loop": lambda r: kt.edit.remove(kt.edit.lock(r, {"j": 0.0}), "d"),
    "lock a ball": lambda r: kt.edit.lock(r, {"ball": [0, 0, 0, 1]}),
    "lock a ball at too few": lambda r: kt.edit.lock(r, {"ball": [0, 0, 0]}),
    "reroot sensors": lambda r: kt.edit.reroot(r, "c"),
    "reroot to a ball": lambda r: kt.edit.reroot(r, "e"),
    "move a frame whose axes sensors read in": lambda r: kt.edit.move_frame(r, "b", se3.translation((1, 0, 0))),
    "turn a frame that sensors read in": lambda r: kt.edit.move_frame(r, "b", se3.turn((1.0, 0.0, 0.0), 0.1)),
    "move a frame about which sensors read": lambda r: kt.edit.move_frame(r, "c", se3.translation((0, 0, 1e-6))),
    "move a frame by nothing": lambda r: kt.edit.move_frame(r, "c", se3.translation((0, 0, 1e-12))),
    "move a frame there": lambda r: kt.edit.move_frame(r, "c", se3.IDENTITY, relative_to="d"),
    "move a frame by several": lambda r: kt.edit.move_frame(r, "c", np.eye(4)[None]),
    "add a frame": lambda r: kt.edit.add_frame(r, "f", "d", se3.translation((1, 0, 0))),
    "add a frame that is there": lambda r: kt.edit.add_frame(r, "a", "d"),
    "add a tool": lambda r: kt.edit.add_tool(r, "t", se3.IDENTITY, tool0="d"),
    "add a tool on nothing": lambda r: kt.edit.add_tool(r, "t", se3.IDENTITY),
    "group": lambda r: kt.edit.group(r, "both", ["m", "k"]),
    "group nobody": lambda r: kt.edit.group(r, "both", ["m", "kk"]),
    "set groups": lambda r: kt.edit.set_groups(r, {"two": ["j"], "three": []}),
    "prefix": lambda r: kt.edit.prefix(r, "x_"),
    "merge": lambda r: kt.edit.merge_fixed(kt.edit.lock(r, {"j": 0.5, "k": 0.0})),
}
EDITS = {
    "lock": lambda r: kt.edit.lock(r, {"j": 0.5}),
    "lock outside": lambda r: kt.edit.lock(r, {"j": 1.5}),
    "lock at the end": lambda r: kt.edit.lock(r, {"j": 1.0, "k": -1.0}),
    "lock a follower": lambda r: kt.edit.lock(r, {"m": 0.5}),
    "lock nobody": lambda r: kt.edit.lock(r, {"z": 0.5}),
    "lock at no number": lambda r: kt.edit.lock(r, {"j": np.nan}),
    "lock in another unit": lambda r: kt.edit.lock(r, {"j": 0.5}, unit="grad"),
    "cut": lambda r: kt.edit.cut(r, "c"),
    "cut at the root": lambda r: kt.edit.cut(r, "a"),
    "remove": lambda r: kt.edit.remove(r, "c"),
    "remove what is followed and measured": lambda r: kt.edit.remove(kt.edit.lock(r, {"k": 0}), "c"),
    "reroot": lambda r: kt.edit.reroot(r, "c"),
    "rename": lambda r: kt.edit.rename(r, {"a": "base", "j": "turn"}),
    "rename to a name that is taken": lambda r: kt.edit.rename(r, {"a": "b"}),
    "attach": lambda r: kt.edit.attach(r, robot("x_"), "d"),
    "attach what has the same names": lambda r: kt.edit.attach(r, robot(), "d"),
    "attach by a screw without pitch": lambda r: kt.edit.attach(r, robot("x_"), "d", type="screw", axes=[[0, 0, 1]]),
    "attach by two axes": lambda r: kt.edit.attach(r, robot("x_"), "d", type="revolute", axes=np.eye(3)[:2]),
    "attach another red": lambda r: kt.edit.attach(r, robot("x_", "0 1 0 1"), "d"),
    "merge": lambda r: kt.edit.merge_fixed(kt.edit.lock(r, {"j": 0.5})),
    "merge but keep": lambda r: kt.edit.merge_fixed(kt.edit.lock(r, {"j": 0.5}), keep=["b"]),
    "merge and keep nobody": lambda r: kt.edit.merge_fixed(r, keep=["z"]),
}


def test_extensions_follow_the_names_of_every_part():
    """Also of a joint that closes a loop, and of a coupled limit; the world keeps its name."""
    named = {"a": "body", "e": "body", "j": "joint", "ball": "joint", "loop": "joint", "sum": "tendon", "world": "body"}
    text = "".join(f'<x {kind}="{name}"/>' for name, kind in named.items())
    parts = parts_of(looped())
    parts.extensions.append(Extension("mjcf", "x", f'<x>{text}<x objtype="camera" objname="s"/></x>'))
    (made,) = kt.edit.prefix(build(parts), "p_").extensions
    expected = "".join(f'<x {kind}="{"p_" * (name != "world")}{name}"/>' for name, kind in named.items())
    assert made.text == f'<x>{expected}<x objtype="camera" objname="p_s"/></x>'


def shown(made):
    """All that edits change but for poses."""
    joints = (
        f"{j.name} {j.type} {j.parent}-{j.child} {[(x.lower, x.upper) for x in j.limits]}" for j in made.joints.values()
    )
    sensors = (f"{s.name} on {s.frame} of {s.joint} {s.force_torque}" for s in made.sensors.values())
    limits = (f"{x.name}: {x.lower:.6g} <= {dict(x.coefficients)} <= {x.upper:.6g}" for x in made.coupled_limits)
    return "\n".join([*joints, *sensors, *limits, f"loops: {list(made.loops)}; frames: {', '.join(made.frames)}"])


def test_every_word_that_is_said(golden):
    """Read the difference before you update the file."""
    for file, one, edits in (("edits.txt", robot(), EDITS), ("edits_of_more.txt", looped(), LOOPED)):
        said = []
        for name, edit in edits.items():
            try:
                made = edit(one)
                text = f"{made!r} q: {', '.join(made.joint_names)} groups: {dict(made.groups)}\n{in_words(made.notes)}"
                text += f"{shown(made)}\n" if edits is LOOPED else ""
            except kt.KinetreeError as error:
                text = in_words(error.findings)
            said.append(f"# {name}\n{text}")
        golden(file, "\n".join(said))


def test_what_holds_a_locked_joint_holds_the_rest():
    made = kt.edit.lock(robot(), {"j": 0.5})
    (left,) = made.coupled_limits
    assert (dict(left.coefficients), left.lower, left.upper) == ({"k": 2.0}, -2.0, 0.75)


def body(mass, inertia, xyz):
    return (
        f'<inertial><origin xyz="{xyz}"/><mass value="{mass}"/><inertia ixx="{inertia}" ixy="0" ixz="0" '
        f'iyy="{inertia}" iyz="0" izz="{inertia}"/></inertial>'
    )


@each(
    "first, second, expected",
    [
        (None, None, None),
        ((2, 1, "1 0 0"), None, (2, [1, 0, 0], [1, 1, 1])),
        ((0, 0, "1 0 0"), (2, 1, "0 0 1"), (2, [0, 0, 2], [1, 1, 1])),
        ((0, 1, "0 0 0"), (2, 1, "0 0 0"), (2, [0, 0, 1], [2, 2, 2])),
        ((2, 1, "0 0 0"), (2, 1, "0 0 1"), (4, [0, 0, 1], [6, 6, 2])),
        ((1, 0, "0 0 0"), (1, 0, "0 0 0"), (2, [0, 0, 0.5], [0.5, 0.5, 0])),
    ],
)
def test_bodies_on_fixed_joints_become_one(first, second, expected):
    """The second stands a metre above the first; masses add up, and moments by Steiner."""
    bodies = [body(*one) if one else "" for one in (first, second)]
    text = f"""<robot name="r"><link name="a">{bodies[0]}</link><link name="b">{bodies[1]}</link>
      <joint name="f" type="fixed"><origin xyz="0 0 1"/><parent link="a"/><child link="b"/></joint></robot>"""
    merged = kt.edit.merge_fixed(kt.load(text, format="urdf")).links["a"].inertial
    if expected is None:
        assert merged is None
        return
    mass, com, moments = expected
    assert merged.mass == mass
    assert merged.origin[:3, 3] == pytest.approx(com)
    assert merged.inertia == pytest.approx(np.diag(moments))


@pytest.mark.parametrize("velocity", [np.inf, 3.0])
def test_limits_of_an_attachment_are_kept(velocity):
    limit = Limit(-1.0, 2.0, velocity)
    made = kt.edit.attach(robot(), robot("x_"), "d", type="revolute", axes=[[0, 3, 4]], limits=[limit])
    joint = made.joints["x_a_attachment"]
    assert (joint.parent, joint.child, joint.limits) == ("d", "x_a", (limit,))
    assert joint.axes == pytest.approx(np.array([[0, 0.6, 0.8]]))
    assert made.joint_names == ("j", "k", "x_a_attachment", "x_j", "x_k")
    assert replace(made.materials["red"], source=None) == replace(robot().materials["red"], source=None)
