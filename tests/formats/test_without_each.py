"""What goes with each part that is left out of a robot, of second elements and loops too, and what stays as it is."""

from __future__ import annotations

from dataclasses import fields, replace
from math import inf

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.formats.losses.losses import leave_out
from kinetree.formats.losses.parts import PARTS
from kinetree.model.actuator import Actuator
from kinetree.model.assemble import Parts, parts_of
from kinetree.model.robot import (
    Calibration,
    CoupledLimit,
    Dynamics,
    Extension,
    ForceTorque,
    Frame,
    Geometry,
    Inertial,
    Joint,
    Limit,
    Link,
    Material,
    Mimic,
    Safety,
    Sensor,
    Shape,
    Surface,
)
from kinetree.spatial import se3

T = se3.homogeneous(se3.rotation((1, 0, 0), 0.5), np.array((1.0, 2.0, 3.0)))
PLANE = Shape("plane", {"normal": (0.0, 2.0, 0.0), "size": (3.0, 0.0)})
FULL = {
    "limits": (Limit(-1.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0),),
    "dynamics": (Dynamics(1.0, 2.0, 3.0, 4.0, 5.0),),
    "safety": Safety(1.0),
    "calibration": Calibration(1.0, 2.0),
}


def full() -> Parts:
    """Return parts with two of everything, the second as full as the first."""
    parts = parts_of(kt.chain("Rz(q1)"))
    red = Material("red", (1.0, 0.0, 0.0, 1.0))
    shapes = tuple(Geometry(shape, T, material=red, surface=Surface(0.5)) for shape in (PLANE, PLANE))
    mass = Inertial(1.0, np.eye(3))
    parts.links = [Link(name, mass, shapes, shapes, unweighed="Why") for name in "abcde"]
    mimic = {"mimic": Mimic("q")}
    parts.joints = [Joint("q", "revolute", "a", "b", **FULL)]
    parts.joints += [Joint(name, "revolute", name, "cd"[i], **FULL, **mimic) for i, name in enumerate("ab")]
    parts.joints.append(Joint("ball", "ball", "a", "e", axes=np.zeros((0, 3))))
    parts.loops = [Joint(name, "revolute", "c", "d", **FULL, **mimic) for name in ("l", "m")]
    parts.frames = [Frame("f", "b", T), Frame("g", "c", T)]
    reading = ForceTorque("parent_on_child", "child", "joint")
    parts.sensors = [Sensor(name, "x", on, T, force_torque=reading) for name, on in (("s", "f"), ("t", "g"))]
    parts.materials = [red, replace(red, name="blue")]
    parts.coupled_limits = [CoupledLimit("k", {"q": 1.0}, upper=1.0)]
    parts.actuators = [Actuator("q", "q", "motor")]
    parts.groups, parts.joint_order = {"arm": ("q",)}, ("ball", "q")
    parts.extensions = [Extension("urdf", "x", "<x/>"), Extension("urdf", "transmission", "<transmission/>")]
    return parts


LISTS = ("links", "joints", "loops", "frames", "sensors", "materials", "coupled_limits", "actuators", "extensions")


def same(one, other) -> bool:
    return np.array_equal(one, other) if isinstance(one, np.ndarray) else one == other


def changed(before: Parts, after: Parts) -> set[str]:
    """Return what differs: "joints.limits" if it does in all joints that had any, "joints" if their number differs."""
    found = {name for name in ("groups", "joint_order") if getattr(before, name) != getattr(after, name)}
    for name in LISTS:
        old, new = getattr(before, name), getattr(after, name)
        if len(old) != len(new):
            found.add(name)
            continue
        for field in fields(old[0]):
            pairs = [(getattr(a, field.name), getattr(b, field.name)) for a, b in zip(old, new, strict=True)]
            differ = [not same(a, b) for a, b in pairs]
            alike = [a for a, b in pairs if same(a, b)]
            if any(differ):
                assert not any(isinstance(a, tuple | Mimic | Safety) and a for a in alike), (name, field.name, alike)
                found.add(f"{name}.{field.name}")
    return found


def gone(*without: str) -> set[str]:
    parts = full()
    return changed(parts, leave_out(parts, without))


SHAPES = {"links.visuals", "links.collisions"}
CHANGED = {
    "extension": {"extensions", "actuators", *SHAPES},
    "geometry": SHAPES,
    "plane": SHAPES,
    "ball": {"links", "joints", "joint_order"},
    "material": {"materials", *SHAPES},
    "inertial": {"links.inertial", "links.unweighed"},
    "unknown_mass": {"links.unweighed"},
    "sensor": {"sensors"},
    "actuator": {"actuators", "extensions"},
    "force_torque": {"sensors.force_torque"},
    "limit": {"joints.limits", "loops.limits"},
    "velocity_limit": {"joints.limits", "loops.limits"},
    "coupled_limit": {"coupled_limits"},
    "dynamics": {"joints.dynamics", "loops.dynamics"},
    "safety": {"joints.safety", "loops.safety"},
    "calibration": {"joints.calibration", "loops.calibration"},
    "frame": {"frames", "sensors.frame", "sensors.origin"},
    "group": {"groups"},
    "order": {"joint_order"},
    "mimic": {"joints.mimic", "loops.mimic", "joint_order"},
    "loop": {"loops"},
}


@each("part", PARTS)
def test_with_a_part_goes_what_belongs_to_it_alone(part):
    assert gone(part) == CHANGED[part]


def test_without_nothing_all_stays():
    assert gone() == set()


def test_without_several_parts_each_goes():
    wanted = {"joints.limits", "joints.dynamics", "loops.limits", "loops.dynamics", "groups"}
    assert gone("limit", "dynamics", "group") == wanted


def test_what_stands_in_for_parts():
    limits = {
        (limit.velocity, limit.effort) for one in leave_out(full(), ("velocity_limit",)).loops for limit in one.limits
    }
    assert limits == {(inf, 3.0)}
    assert leave_out(full(), ("mimic",)).joint_order == ("ball", "q", "a", "b")
    sensors = leave_out(full(), ("frame",)).sensors
    assert [sensor.frame for sensor in sensors] == ["b", "c"]
    assert np.abs(sensors[1].origin - T @ T).max() < 1e-15
    shapes = leave_out(full(), ("extension",)).links[1].collisions
    assert [shape.surface for shape in shapes] == [None, None]
    assert shapes[1].material.name == "red"


def test_a_box_has_its_upper_face_in_the_plane():
    """The plane's normal is y of its shape; a side of 0 is without end, which is 100 m."""
    shape = leave_out(full(), ("plane",)).links[1].visuals[1]
    assert shape.shape == Shape("box", {"size": (3.0, 100.0, 0.01)})
    z = shape.origin[:3, 2]
    assert z == pytest.approx(T[:3, 1])
    assert shape.origin[:3, 3] == pytest.approx(T[:3, 3] - 0.005 * z)


def test_three_joints_turn_as_a_ball():
    parts = leave_out(full(), ("ball",))
    names = ["ball_x", "ball_y", "ball_z"]
    assert parts.joint_order == (*names, "q")
    made = {joint.name: joint for joint in parts.joints if joint.name in names}
    assert [(one.parent, one.child) for one in made.values()] == [
        ("a", "ball_x_link"),
        ("ball_x_link", "ball_y_link"),
        ("ball_y_link", "e"),
    ]
    assert [one.axes.tolist() for one in made.values()] == [[[1, 0, 0]], [[0, 1, 0]], [[0, 0, 1]]]
    assert {one.type for one in made.values()} == {"continuous"}


@each("order, said", [('["slide", "turn"]', ["robot 'r'"]), ('["turn", "slide"]', [])])
def test_an_order_of_q_is_named_only_where_it_differs_from_that_of_the_joints(order, said):
    joints = "".join(
        f'<joint name="{name}" type="continuous"><parent link="{a}"/><child link="{b}"/></joint>'
        for name, a, b in (("turn", "a", "b"), ("slide", "b", "c"))
    )
    carried = f"<kinetree_carried of='robot'>{{\"joint_order\": {order}}}</kinetree_carried>"
    links = "".join(f'<link name="{name}"/>' for name in "abc")
    text = f'<robot name="r">{links}{joints}{carried}</robot>'
    robot = kt.load(text, format="urdf", without=("order",))
    assert robot.joint_names == ("turn", "slide")
    messages = [note.message for note in robot.notes if note.code == "without"]
    assert [message.partition("its own: ")[2].partition(";")[0] for message in messages] == said
