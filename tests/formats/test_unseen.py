"""What other programs do not see of a robot, in words for one and for several."""

from __future__ import annotations

from math import inf

import kinetree as kt
from each import each
from kinetree.formats.losses.sidecar.differences import Record
from kinetree.formats.losses.sidecar.unseen import unseen
from kinetree.formats.registry import FORMATS
from kinetree.model.actuator import Actuator
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import Sensor

ROBOT = kt.chain("Rz(q1) tx(1)")
TAGS = {"extensions.0": ["urdf", "transmission", "<transmission/>"], "extensions.1": ["x", "a::b/c", "<c/>"]}


@each("format, who", [("sdf", "Gazebo"), ("mjcf", "MuJoCo"), ("urdf", "ROS"), ("dh", "other programs")])
def test_those_who_read_a_format_are_named(format, who):
    records = [Record("joint", "j", {"limits.0.velocity": 1.0})]
    assert unseen(records, format, ROBOT) == f"{who} will not see: 1 limit of velocity"
    assert unseen([], format, ROBOT) == ""


@each(
    "kind, data, one, several",
    [
        ("joint", {"limits.0.effort": 1.0}, "limit of a joint", "limits of joints"),
        (
            "joint",
            {"dynamics.0.damping": 1.0},
            "joint's damping, friction or spring",
            "joints' damping, friction or springs",
        ),
        (
            "joint",
            {"dynamics.0.armature": 1.0},
            "joint's rotor inertia (armature)",
            "joints' rotor inertias (armatures)",
        ),
        ("joint", {"safety.k_velocity": 1.0}, "safety limit of a joint", "safety limits of joints"),
        ("joint", {"calibration.rising": 1.0}, "calibration of a joint", "calibrations of joints"),
        ("frame", {"unplaced": "x"}, "frame without a place", "frames without a place"),
        ("material", {"texture": "x"}, "texture", "textures"),
        ("group", {"joints": []}, "group of joints", "groups of joints"),
        ("sensor", {"new": True}, "sensor", "sensors"),
        ("sensor", {"update_rate": 1.0}, "sensor's settings", "sensors' settings"),
        ("coupled_limit", {"new": True}, "limit over several joints", "limits over several joints"),
        ("actuator", {"new": True, "kind": "motor"}, "actuator", "actuators"),
        ("actuator", {"kind": "motor"}, "actuator's kind", "actuators' kinds"),
        ("actuator", {"kp": 1.0}, "actuator's gains or limits", "actuators' gains or limits"),
        (
            "link",
            {"collisions.0.surface.mu": 1.0, "collisions.0.surface.mu2": 1.0},
            "shape's friction, restitution, stiffness or damping",
            "shapes' friction, restitution, stiffness or damping",
        ),
        ("link", {"extensions.0": TAGS["extensions.0"]}, "transmission", "transmissions"),
        ("link", {"extensions.0": TAGS["extensions.1"]}, "<c>", "<c>"),
        ("link", {"extensions.0": ["mjcf", "attributes", "x"]}, "settings of MJCF", "settings of MJCF"),
    ],
)
def test_of_one_and_of_several(kind, data, one, several):
    for count, words in ((1, one), (3, several)):
        records = [Record(kind, str(i), data) for i in range(count)]
        assert unseen(records, "sdf", ROBOT) == f"Gazebo will not see: {count} {words}"


@each(
    "kind, data",
    [
        ("group", {"gone": True}),
        ("sensor", {"gone": True}),
        ("actuator", {"kp": None}),
        ("actuator", {"control": [-inf, inf]}),
        ("link", {"visuals.0.name": "x"}),
        ("joint", {"name": "x"}),
    ],
)
def test_what_nobody_misses_is_not_counted(kind, data):
    assert unseen([Record(kind, "a", data)], "sdf", ROBOT) == ""


def test_all_that_a_record_says_is_counted_in_the_order_of_the_words():
    records = [Record("joint", "a", {"safety.k_velocity": 1.0, "limits.0.lower": 0.0, **TAGS}), Record("group", "g")]
    said = "1 <c>, 1 group of joints, 1 limit of a joint, 1 safety limit of a joint, 1 transmission"
    assert unseen(records, "sdf", ROBOT) == f"Gazebo will not see: {said}"


def test_a_sensor_that_is_called_after_its_link_has_no_other_name():
    parts = parts_of(ROBOT)
    parts.links = [*parts.links]
    parts.text = None
    link = parts.links[-1]
    for names, said in (([f"{link.name}::s"], 0), (["in::odd"], 0), (["s", f"{link.name}::s"], 1)):
        parts.sensors = [Sensor(name, "imu", link.name) for name in names]
        notes: list[kt.Finding] = []
        FORMATS["sdf"].write(build(parts), (), notes)
        assert sum("other programs see other names" in note.message for note in notes) == said, (names, notes)


@each("tag, word", [("transmission", "transmission"), ("ros2_control", "<ros2_control>")])
def test_blocks_of_actuators_are_seen_by_mujoco_where_it_has_actuators_of_their_joints(tag, word):
    record = Record("robot", "", {"extensions.0": ["urdf", tag, f'<{tag}><joint name="q1"/></{tag}>']})
    assert unseen([record], "mjcf", ROBOT) == f"MuJoCo will not see: 1 {word}"
    parts = parts_of(ROBOT)
    parts.actuators, parts.text = [Actuator("q1", "q1", "motor")], None
    assert unseen([record], "mjcf", build(parts)) == ""
