"""Inputs of reports about numbers: each finds its kind, and its clean variant does not."""

import re

import kinetree as kt
from each import each
from support import shared

SAME = "recall/01/"
MIRROR = "formats/F1"
VELOCITY = "formats/F09-velocity-units-07"
THIRD = (
    '"3.9"(/><inertia) ixx="[0-9.]+" iyy="[0-9.]+" izz="[0-9.]+"',
    r'"1.3"\1 ixx="0.0013" iyy="0.00143" izz="0.00156"',
)
RADIANS = ('velocity="[0-9.]+"', 'velocity="3"')

CASES = {
    f"{SAME}hands.urdf": ("NAM-010", "link 'right_hand'", THIRD),
    f"{SAME}same_with_wrist.urdf": ("NAM-010", "link 'right_wrist'", THIRD),
    f"{SAME}four_legs_FR_FL.urdf": ("NAM-010", "link 'FR_hip'", ('"0.241"', '"1.095"')),
    f"{MIRROR}1-effort-one-side/m.urdf": ("NAM-010", "joint 'right_knee'", ('effort="4"', 'effort="40"')),
    f"{MIRROR}1-velocity-one-side/m.urdf": ("NAM-010", "joint 'right_knee'", ('velocity="0.6"', 'velocity="6"')),
    f"{MIRROR}3-limit-copied/m.urdf": (
        "NAM-010",
        "joint 'right_ankle_roll'",
        (r'(name="right_ankle_roll".*?)lower="-0.3" upper="0.5"', r'\1lower="-0.5" upper="0.3"'),
    ),
    "recall/03/sensor.urdf": ("INR-009", "link 'lidar'", ('"1e-6"', '"1e-9"')),
    "recall/05/free_body.sdf": ("INR-003", "link 'l'", ("(<i[xyz]{2}>)0(?=<)", r"\g<1>0.0005")),
    "recall/09/left_wheel_right.urdf": ("NAM-013", "joint 'left_wheel_joint'", ('"0 1 0"', '"0 -1 0"')),
    "files/small.urdf": ("INR-018", "link 'upper'", ('i(xx|yy)="[0-9.]+"', r'i\1="0.055"')),
    "files/wheel.sdf": ("INR-018", "link 'a'", ("<mass>0.5<", "<mass>0.25<")),
    "files/eff.urdf": ("LIM-011", "joint 'j'", ('velocity="20"', 'velocity="3"')),
    "formats/F15-mass-zero/m.urdf": ("INR-019", "link 'a'", ('mass value="0"', 'mass value="1"')),
    f"{VELOCITY}-velocity-deg-per-s/m.urdf": ("LIM-013", "joint 'A6'", RADIANS),
    f"{VELOCITY}b/m.urdf": ("LIM-013", "joint 'A7'", RADIANS),
    f"{VELOCITY}g/m.urdf": ("LIM-013", "joint 'joint_6'", RADIANS),
    f"{VELOCITY}h/m.urdf": ("LIM-013", "joint 'joint_6'", RADIANS),
    f"{VELOCITY}i/m.urdf": ("LIM-013", "joint 'joint_4'", RADIANS),
    f"{VELOCITY}j/m.urdf": ("LIM-013", "joint 'joint_1'", RADIANS),
}
"""Code and element of the finding, and a pattern with the text that makes the model right."""


def found(text: str, format: str, code: str) -> list[str | None]:
    robot = kt.load(text, format=format)
    return [one.element for one in kt.check(robot, select=[code]) if one.severity == "warning"]


@each("name", CASES)
def test_a_reported_case_is_found_and_its_clean_variant_is_not(name):
    code, element, right = CASES[name]
    text = shared("cases", *name.split("/")).read_text("utf-8")
    assert element in found(text, name[-4:].lstrip("."), code)
    clean = re.sub(*right, text, flags=re.DOTALL)
    assert clean != text
    assert found(clean, name[-4:].lstrip("."), code) == []


def test_a_robot_that_is_mirrored_is_silent():
    text = shared("cases", "formats", "F11-mirror-ok", "m.urdf").read_text("utf-8")
    for code in ("NAM-010", "NAM-013"):
        assert found(text, "urdf", code) == []
