"""Arms for the rules of REP-199: trees of links and joints in a line each, and texts that faults are planted in."""

import re
import xml.etree.ElementTree as ET
from collections import Counter
from itertools import pairwise

import kinetree as kt
from kinetree.robot_kinds.arms import Arm
from kinetree.rules.facts import Subject
from kinetree.rules.options import CheckOptions
from kinetree.rules.profiles import rules_of
from support import ask

RULES = [rule for rule in rules_of("industrial") if rule.code.startswith("R199")]


def arms(robot: kt.Robot) -> tuple[Arm, ...]:
    return Subject(robot).facts(lambda arms: None)["arms"]


def found(robot: kt.Robot, *, remarks: bool = False, **options: object) -> Counter[str]:
    """How often each rule has something to say."""
    return Counter(f.code for f in ask(robot, RULES, CheckOptions(**options)) if remarks or f.severity != "info")


def tree(*lines: str) -> kt.Robot:
    """The robot of `tree_text`."""
    return kt.load(tree_text(*lines), format="urdf")


def tree_text(*lines: str) -> str:
    """A robot of lines `parent child`, where a joint turns if a star is before the child."""
    links = dict.fromkeys(word.strip("*") for line in lines for word in line.split())
    parts = [f'<link name="{name}"/>' for name in links]
    for line in lines:
        parent, child = line.split()
        kind = "continuous" if child.startswith("*") else "fixed"
        x = 0.1 if kind == "continuous" else 0.0
        parts.append(
            f'<joint name="{child.strip("*")}_joint" type="{kind}"><parent link="{parent.strip("*")}"/>'
            f'<child link="{child.strip("*")}"/><origin xyz="{x} 0 0"/><axis xyz="1 0 0"/></joint>'
        )
    return f'<robot name="r">{"".join(parts)}</robot>'


def chain(prefix: str, foot: str, n: int = 6) -> list[str]:
    links = [f"{prefix}{foot}", *(f"*{prefix}link_{i + 1}" for i in range(n))]
    return [f"{a.strip('*')} {b}" for a, b in pairwise(links)]


def single(prefix: str = "", n: int = 6) -> list[str]:
    """The REP's example of a single manipulator."""
    return [
        f"{prefix}base_link {prefix}base",
        *chain(prefix, "base_link", n),
        f"{prefix}link_{n} {prefix}flange",
        f"{prefix}flange {prefix}tool0",
    ]


UNABLE = ("R199-105", "R199-306")
"""What a tree without shapes and with all axes along x cannot follow."""
WORDS = {1: "shoulder_link", 2: "upper_arm_link", 3: "forearm_link", 4: "wrist_1_link", 5: "wrist_2_link"}


def in_words(line: str) -> str:
    """A line with the links link_N by a maker's own names."""
    return re.sub(r"link_(\d)", lambda match: WORDS.get(int(match[1]), "wrist_3_link"), line)


def name_of(element: ET.Element) -> str:
    return element.get("name", "")


class Text:
    """A URDF text that faults are planted in."""

    def __init__(self, text: str) -> None:
        self.root = ET.fromstring(text)

    def joint_of(self, child: str) -> ET.Element:
        return next(
            j for j in self.root.iter("joint") if j.find("child") is not None and j.find("child").get("link") == child
        )

    def rename(self, old: str, new: str) -> None:
        for element in self.root.iter():
            for key, value in element.attrib.items():
                if value == old and (key != "name" or element.tag == "link"):
                    element.set(key, new)

    def place(self, child: str, *, xyz: str | None = None, rpy: str | None = None) -> None:
        joint = self.joint_of(child)
        origin = joint.find("origin")
        origin = ET.SubElement(joint, "origin") if origin is None else origin
        for key, value in (("xyz", xyz), ("rpy", rpy)):
            if value is not None:
                origin.set(key, value)

    def hang(self, child: str, parent: str) -> None:
        self.joint_of(child).find("parent").set("link", parent)

    def turning(self, child: str) -> None:
        joint = self.joint_of(child)
        joint.set("type", "continuous")
        ET.SubElement(joint, "axis", xyz="1 0 0")

    def shape(self, link: str) -> None:
        element = next(e for e in self.root.findall("link") if name_of(e) == link)
        ET.SubElement(ET.SubElement(ET.SubElement(element, "visual"), "geometry"), "sphere", radius="0.01")

    def add(self, link: str, parent: str) -> None:
        ET.SubElement(self.root, "link", name=link)
        joint = ET.SubElement(self.root, "joint", name=f"{link}_mount", type="fixed")
        ET.SubElement(joint, "parent", link=parent)
        ET.SubElement(joint, "child", link=link)

    def between(self, link: str, child: str) -> None:
        """A link between a child and its parent."""
        self.add(link, self.joint_of(child).find("parent").get("link"))
        self.hang(child, link)
