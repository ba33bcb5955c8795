"""Groups of joints in SRDF (MoveIt's semantic description), for a robot that is already loaded."""

from collections import Counter
from collections.abc import Mapping

from kinetree.errors import Finding, nearest_names
from kinetree.formats.fields import check_attributes, name_of
from kinetree.formats.xml import Element, Report, parse
from kinetree.model.references import kind_of
from kinetree.model.robot import Robot

MAX_DEPTH = 100
MAX_MEMBERS = 1_000_000
"""Most joints of all groups together; those of nested groups are counted each time."""

Groups = Mapping[str, tuple[str, ...]]


def read_groups(text: bytes | str, file: str, robot: Robot) -> tuple[Groups, list[Finding]]:
    """Return the groups of an SRDF text as ordered names of joints with coordinates, and all findings. Never raises.

    A joint stands for itself, a link for its parent joint, a chain for the joints from its base to its tip, a group for
    its members; each joint counts once, where it first appears. Fixed joints and followers are left out.
    """
    report = Report()
    root = parse(text, file, report)
    if root is None:
        return {}, report.findings
    if root.tag != "robot":
        report.error("not-srdf", f"the root element is <{root.tag}>; legal is <robot>", root)
        return {}, report.findings
    if root.get("name") != robot.name:
        message = f"it is written for robot {root.get('name')!r}; this one is {robot.name!r}"
        report.warning("srdf-robot", message, root, attribute="name")
    return _Reader(report, robot, root).groups(), report.findings


class _Reader:
    def __init__(self, report: Report, robot: Robot, root: Element) -> None:
        self.report = report
        self.robot = robot
        self.root = root
        self.elements: dict[str, Element] = {}
        self.moving = set(robot.joint_names)
        self.done: dict[str, tuple[str, ...]] = {}
        self.members = 0

    def groups(self) -> Groups:
        for element in self.root.find_all("group"):
            name = name_of(self.report, element)
            if name in self.elements:
                line = self.elements[name].source.line
                self.report.error("duplicate-name", f"there is already a group of this name on line {line}", element)
            elif name:
                self.elements[name] = element
        self.unused()
        groups = {}
        for name in self.elements:
            if self.members <= MAX_MEMBERS:
                groups[name] = self.group(name, ())
        return groups

    def unused(self) -> None:
        """Warn once of each kind of element that has no place in the model."""
        others = Counter(child.tag for child in self.root.children if child.tag != "group")
        for tag, count in others.items():
            first = self.root.find(tag)
            assert first is not None
            message = f"{count} <{tag}> of the SRDF are not used, of which this is the first"
            self.report.warning("not-understood", message, first, owner=self.root)

    def group(self, name: str, within: tuple[str, ...]) -> tuple[str, ...]:
        if name in self.done:
            return self.done[name]
        element = self.elements[name]
        check_attributes(self.report, element, {"name"})
        joints: list[str] = []
        for child in element.children:
            found = self.member(child, element, (*within, name))
            self.members += len(found)
            if self.members > MAX_MEMBERS:
                message = f"the groups have more than {MAX_MEMBERS} members, the most that are read"
                self.report.error("srdf-size", message, child, owner=element)
                break
            joints += found
        self.done[name] = tuple(dict.fromkeys(joint for joint in joints if joint in self.moving))
        if not self.done[name]:
            self.report.warning("empty-group", "has no joint that moves by itself", element)
        return self.done[name]

    def member(self, child: Element, group: Element, within: tuple[str, ...]) -> list[str] | tuple[str, ...]:
        if child.tag == "joint":
            name = self.known(child, "name", group)
            return [name] if name else []
        if child.tag == "link":
            name = self.known(child, "name", group)
            joint = self.robot.parent_joint(name) if name else None
            return [joint.name] if joint else []
        if child.tag == "chain":
            return self.chain(child, group)
        if child.tag == "group":
            name = self.known(child, "name", group)
            if name in within:
                self.report.error("cycle", f"contains itself: {' -> '.join((*within, name))}", child, owner=group)
                return []
            if len(within) >= MAX_DEPTH:
                self.report.error("depth", f"groups nested more than {MAX_DEPTH} deep", child, owner=group)
                return []
            return self.group(name, within) if name else []
        legal = "<joint>, <link>, <chain>, <group>"
        self.report.warning("not-understood", f"<{child.tag}> has no effect; legal are {legal}", child, owner=group)
        return []

    def chain(self, element: Element, group: Element) -> list[str]:
        """Return the joints from base_link, which is left out itself, down to tip_link."""
        base = self.known(element, "base_link", group)
        tip = self.known(element, "tip_link", group)
        if not (base and tip):
            return []
        joints: list[str] = []
        link = tip
        while link != base and (joint := self.robot.parent_joint(link)):
            joints.append(joint.name)
            link = joint.parent
        if link != base:
            message = f"tip_link {tip!r} does not hang below base_link {base!r}; legal is a link on its sub-tree"
            self.report.error("chain", message, element, attribute="tip_link", owner=group)
            return []
        return joints[::-1]

    def known(self, element: Element, attribute: str, group: Element) -> str:
        """Return the name in an attribute, or "" with an error if it is missing or unknown."""
        kind = kind_of("srdf", element.tag, attribute) or "group"
        known = {"joint": self.robot.joints.keys(), "link": self.robot.links.keys(), "group": self.elements.keys()}
        name, names = name_of(self.report, element, attribute, owner=group), known[kind]
        if name and name not in names:
            message = f"there is no {kind} {name!r}; {nearest_names(name, list(names))}"
            self.report.error(f"unknown-{kind}", message, element, attribute=attribute, owner=group)
            return ""
        return name
