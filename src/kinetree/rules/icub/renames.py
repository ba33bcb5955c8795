"""Repairs that give joints and links of an iCub the names of the page."""

import re
from collections.abc import Iterator

from kinetree.model.robot import Robot
from kinetree.repairs.edit import Repair
from kinetree.repairs.fixes import Elements
from kinetree.repairs.rename_references import rename_repairs
from kinetree.robots.icub.naming import naming

WORDS = {"left": "l", "right": "r", "waist": "torso"}
"""Words of older names, and those of the page."""


def rename_joints(robot: Robot, elements: Elements) -> Iterator[Repair]:
    """Rename joints whose older names have other words for the sides and the torso."""
    moving, fixed = ([entry.correct.joint for entry in table] for table in (naming().joints, naming().fixed_joints))
    page = moving + fixed
    wanted: dict[str, str] = {}
    for name in robot.joints:
        words = re.split(r"[_-]", name.lower())
        new = "_".join(WORDS.get(word, word) for word in words)
        new = new if new in page else new.removesuffix("_joint")
        if new in page and name not in page and new not in robot.joints:
            wanted[new] = "" if new in wanted else name  # of two candidates none
    names = {("joint", old): new for new, old in wanted.items() if old}
    yield from rename_repairs(robot, elements, names, [f"joint {new!r}" for new in names.values()])


def rename_links(robot: Robot, elements: Elements) -> Iterator[Repair]:
    """Rename links that a joint of the page carries between links of the page, and that have another name."""
    page = {entry.correct.link for entry in naming().links}
    frames = {name for entry in naming().frames for name in (entry.correct.frame, *entry.known_as)}
    names = {}
    for entry in naming().links:
        link, joint, _ = entry.correct
        if link not in robot.links and joint in robot.joints and robot.joints[joint].child not in page | frames:
            names["link", robot.joints[joint].child] = link
    yield from rename_repairs(robot, elements, names, [f"link {new!r}" for new in names.values()])
