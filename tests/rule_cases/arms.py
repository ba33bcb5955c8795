"""Arms for the cases of REP-199.

The arm of the examples has no fault. `edited` plants faults in its elements; `tree_text` of `arm_trees` makes arms of a
line a joint, with all axes along x and without shapes.
"""

import xml.etree.ElementTree as ET
from collections.abc import Callable
from math import pi, radians

from arm_trees import Text, in_words, tree_text
from kinetree.rules.examples import ARM
from kinetree.rules.rep199.groups import TWO_ARMS
from rule_cases.builders import arm, joint, link, robot
from rule_cases.case import Model

Fault = Callable[[Text], None]
FOOT = '<collision><origin xyz="0 0 0.1"/><geometry><box size="0.4 0.4 0.2"/></geometry></collision>'
LAST = '<origin xyz="0.08 0 0"/><geometry><box size="0.02 0.08 0.08"/></geometry>'
SEEN, FELT = f"<visual>{LAST}</visual>", f"<collision>{LAST}</collision>"
"""The shapes of the last link."""
QUARTER = pi / 2


def edited(*faults: Fault, text: str = ARM) -> str:
    """The arm with faults planted in it."""
    planted = Text(text)
    for fault in faults:
        fault(planted)
    return ET.tostring(planted.root, encoding="unicode")


def renamed(old: str, new: str) -> Fault:
    return lambda text: text.rename(old, new)


def placed(child: str, xyz: str | None = None, rpy: str | None = None) -> Fault:
    return lambda text: text.place(child, xyz=xyz, rpy=rpy)


def hung(child: str, parent: str) -> Fault:
    return lambda text: text.hang(child, parent)


def turning(child: str) -> Fault:
    return lambda text: text.turning(child)


def shaped(name: str) -> Fault:
    return lambda text: text.shape(name)


def added(name: str, parent: str, *, solid: bool = False) -> Fault:
    """A link on another, a body or a frame."""

    def fault(text: Text) -> None:
        text.add(name, parent)
        if solid:
            text.shape(name)

    return fault


def between(name: str, child: str) -> Fault:
    return lambda text: text.between(name, child)


def following(child: str, other: str) -> Fault:
    """A joint that follows another."""
    return lambda text: ET.SubElement(text.joint_of(child), "mimic").set("joint", other)


def axis(child: str, xyz: str) -> Fault:
    """Another axis of the joint that carries a link."""
    return lambda text: text.joint_of(child).find("axis").set("xyz", xyz)  # type: ignore[union-attr]


def kind(child: str, type_: str) -> Fault:
    return lambda text: text.joint_of(child).set("type", type_)


def foot(*shapes: str) -> str:
    """The arm with other shapes of base_link."""
    return arm((FOOT, "".join(shapes)))


def two(*edits: tuple[str, str]) -> str:
    """Two arms on one foot, without a fault, with texts of them replaced."""
    text = TWO_ARMS
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    return text


def leaning(degrees: float) -> Fault:
    angle = radians(degrees)
    return placed("link_1", rpy=f"{angle!r} 0 0")


def chained(n: int, *more: str) -> str:
    """A chain of n joints without names of REP-199."""
    return tree_text(*(f"j{i} *j{i + 1}" for i in range(n)), *more)


def fork(n: int) -> str:
    """A way of n joints to a body from which a chain of four joints and one of three go on."""
    way = [f"j{i} *j{i + 1}" for i in range(n)]
    sides = [f"{f'{side}{i}' if i else f'j{n}'} *{side}{i + 1}" for side, k in (("a", 4), ("b", 3)) for i in range(k)]
    return tree_text(*way, *sides)


def legs(n: int) -> str:
    return tree_text(*(f"{'body' if i == 0 else f'leg{k}_{i}'} *leg{k}_{i + 1}" for k in range(n) for i in range(5)))


def on_a_body(lean: float) -> str:
    """Two arms of one base_link and of no prefix, whose first axes lean."""
    sides = [
        text
        for side in ("l", "r")
        for i in range(6)
        for text in (
            link(f"{side}{i + 1}"),
            joint(
                f"{side}{i + 1}",
                f"{side}{i}" if i else "base_link",
                f"{side}{i + 1}",
                kind="continuous",
                xyz="0 0 0.1",
                rpy=f"{radians(lean) if i == 0 else 0!r} 0 0",
            ),
        )
    ]
    return robot(link("base_link"), *sides)


def standing(n: int, lean: float = 0, first: str = "continuous", reach: str = "0 0 0.1") -> str:
    """An arm of n joints on base_link, of which the first leans; each link is some way from the one before."""
    parts = [
        link(f"link_{i + 1}")
        + joint(
            f"joint_{i + 1}",
            f"link_{i}" if i else "base_link",
            f"link_{i + 1}",
            kind="continuous" if i else first,
            xyz=reach if i else "0 0 0",
            rpy=f"{radians(lean)!r} 0 0" if i == 0 else "0 0 0",
        )
        for i in range(n)
    ]
    return robot(link("base_link"), *parts, link("flange"), joint("end", f"link_{n}", "flange"))


def strict(text: str, **more: object) -> Model:
    """A model of which what is missing is an error."""
    return Model(text, profile="industrial-strict", **more)  # type: ignore[arg-type]


def of(controller: str, text: str, **more: object) -> Model:
    return Model(text, controller=controller, **more)  # type: ignore[arg-type]


OWN = (
    *("cover", "cap", "shell", "housing", "bumper", "skin", "cable", "hose", "dress", "dresspack", "guide", "camera"),
    *("sensor", "light", "led", "label", "logo", "counterweight", "motor", "brake", "gear", "encoder", "bearing"),
    *("seal", "screw", "bolt", "washer", "wrist_cover", "left-cover2", "cover_left", "covers"),
)
EMPTY = (
    *("frame", "link", "dummy", "tmp", "temp", "test", "mate", "new_frame", "newlink", "tool_frame", "tcp-frame"),
    *("tool", "tcp", "ee", "eef", "end_effector", "endeffector_", "Frame2", "dummy_12", "tool_0"),
)
IN_WORDS = tuple(renamed(f"link_{i}", in_words(f"link_{i}")) for i in range(1, 7))
"""Names of the maker's own for the links."""
CLEAN = arm()
JOINT_1 = '<joint name="joint_1" type="revolute">\n    <origin xyz="0 0 0.3"/>\n    <parent link="base_link"/>'
PLATE = (
    '<link name="plate"/><joint name="plate" type="{}"><parent link="{}"/><child link="{}"/><axis xyz="1 0 0"/></joint>'
)
TORCH = added("torch", "flange", solid=True)
