"""The iCub that comes with the package, which follows its conventions, with texts of it replaced.

It has remarks of its own, so most cases count only what is found about one element.
"""

import re
from math import cos, radians, sin

import kinetree as kt
from kinetree.formats.registry import FORMATS
from rule_cases.builders import inertial, joint, link, robot
from rule_cases.case import Model

ICUB = FORMATS["urdf"].write(kt.load("icub"), ("geometry", "group", "coupled_limit"))
ON_BOARDS = FORMATS["urdf"].write(kt.load("icub", limits="iCubGenova02"), ("geometry", "group", "coupled_limit"))
"""The same with the limits of the boards of iCubGenova02."""


def icub(*edits: tuple[str, str], about: str | None = None, text: str = ICUB, **more: object) -> Model:
    """The robot with texts of it replaced, wherever they stand."""
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    return Model(text, about=about, **more)  # type: ignore[arg-type]


def more(*parts: str) -> tuple[str, str]:
    """More links and joints."""
    return "</robot>", f"{''.join(parts)}</robot>"


def of_type(name: str, kind: str, new: str) -> tuple[str, str]:
    return f'<joint name="{name}" type="{kind}">', f'<joint name="{name}" type="{new}">'


def renamed(old: str, new: str) -> tuple[str, str]:
    return f'"{old}"', f'"{new}"'


def first_foot(*edits: tuple[str, str], about: str | None = None, **more: object) -> Model:
    """The robot with a left foot of version 1: without a sensor, moved by the ankle's roll itself."""
    text = re.sub(r'  <joint name="l_foot_ft_sensor".*?</joint>\n', "", ICUB, flags=re.DOTALL)
    text = re.sub(r'  <sensor name="l_foot_ft".*?</sensor>\n', "", text, flags=re.DOTALL)
    text = text.replace('  <link name="l_ankle_2"/>\n', "").replace('"l_ankle_2"', '"l_foot"')
    return icub(*edits, about=about, text=text, **more)


def text_of(name: str, text: str = ICUB) -> str:
    """The element of a joint."""
    found = re.search(rf'<joint name="{name}".*?</joint>', text, re.DOTALL)
    assert found
    return found[0]


def about(name: str, xyz: str) -> tuple[str, str]:
    """Another axis of a joint, in its own frame."""
    return text_of(name), text_of(name).replace('<axis xyz="0 0 1"/>', f'<axis xyz="{xyz}"/>')


def leaning(degrees: float) -> tuple[str, str]:
    return about("l_elbow", f"{sin(radians(degrees))!r} 0 {cos(radians(degrees))!r}")


def limited(name: str, lower: float, upper: float, text: str = ICUB) -> tuple[str, str]:
    """Other limits of a joint, in degrees."""
    numbers = f'lower="{radians(lower)!r}" upper="{radians(upper)!r}"'
    return text_of(name, text), re.sub(r'lower="[^"]*" upper="[^"]*"', numbers, text_of(name, text))


def hung(child: str, old: str, new: str) -> tuple[str, str]:
    """A link on another parent."""
    tail = f'"/>\n    <child link="{child}"/>'
    return f'<parent link="{old}{tail}', f'<parent link="{new}{tail}'


def within(lower: float, upper: float = 0.0, **more: object) -> Model:
    """The robot with limits of the left knee, whose board keeps it from -100 to 0 degrees; the others are those of the
    boards but for the right elbow, so that they are not those of one robot."""
    edits = limited("l_knee", lower, upper, ON_BOARDS), limited("r_elbow", 30, 60, ON_BOARDS)
    return icub(*edits, text=ON_BOARDS, about="joint 'l_knee'", **more)


def torso(*order: str) -> Model:
    """The robot with the joints of the torso in another order: their names are exchanged."""
    names = ("torso_pitch", "torso_roll", "torso_yaw")
    marks = [(f'name="{name}"', f'name="{i}"') for i, name in enumerate(names)]
    return icub(*marks, *((f'name="{i}"', f'name="{name}"') for i, name in enumerate(order)), about="torso")


def half(n: int, prefix: str = "", says: str = "") -> Model:
    """A robot of n joints of the page."""
    names = re.findall(r'<joint name="((?:[lr]|torso|neck)_\w+)" type="revolute">', ICUB)
    joints = [joint(prefix + name, "root_link", name, kind="continuous") for name in names[:n]]
    return Model(robot(link("root_link"), *map(link, names[:n]), *joints), about="robot 'r'", says=says)


SENSOR = '<sensor name="l_arm_ft" type="force_torque">\n    <parent joint="l_arm_ft_sensor"/>'
SITS = re.findall(r'<parent link="(\w+)"/>\s*<child link="l_leg_ft_frame"/>', ICUB)[0]
HEAVY = inertial(1, 1, 1, 1.5)
