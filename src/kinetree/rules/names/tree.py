"""Rules about names of joints and links that contradict the tree."""

import re
from collections.abc import Mapping

from kinetree.rules.blocks.gazebo import on_line, repeated
from kinetree.rules.quality import Quality, with_blocks
from kinetree.rules.rule import Element, Found, Joint, Robot, fact

NAMES = "http://wiki.ros.org/urdf/XML/joint"
BETWEEN = re.compile(r"-to-|_to_|__|-")
"""Text between the names of two links in that of a joint."""
JOINT = r"(?i)[_-](fixed[_-]?)?(joint|jnt|fixed)$"
"""Ends of the names of joints."""
SAYS_JOINT = r"(?i)(?:^|[_/-])(?:j|jnt|joint|to)(?=[_/-])"
"""Words by which a name that ends with a link's is that of a joint."""
SIDES = re.compile(r"left|right|Left|Right|LEFT|RIGHT")
OTHER_SIDE = {"left": "right", "Left": "Right", "LEFT": "RIGHT", "right": "left", "Right": "Left", "RIGHT": "LEFT"}
SIBLINGS = ("visual", "collision", "sensor", "light")
"""Parts of a link in SDF, which have one set of names."""
OF_LINK = r"(?:^|[a-z0-9_-])(?:_link|Link)([_-]?\d+)?$"
OF_JOINT = r"(?:^|[a-z0-9_-])(?:_joint|Joint)([_-]?\d+)?$"


class NamedLinks(Quality):
    """A joint that is named after two links joins them.

    `link_6-flange` is read as the joint from link_6 to flange. If it joins others, the name or the joint is left from
    an earlier version of the robot.
    """

    code = "NAM-008"
    evidence = "heuristic"
    clause = "names tell what things are"
    url = NAMES
    good = 'joint name="link_6-flange"'
    bad = 'joint name="link_4-link_5"'

    def check(self, robot: Robot, rigid: Mapping[str, tuple[str, ...]]) -> Found:
        """A name of two links or joints, of which neither is the parent, the child, or fixed to it on the way."""
        for joint in robot.joints.values():
            for one, other in ends_of(joint.name, robot):
                if not any(
                    a in rigid[joint.parent] and (b == joint.child or joint.child in rigid[b])
                    for a, b in ((one, other), (other, one))
                ):
                    message = f"the name says that it joins {one!r} and {other!r}"
                    yield self.finding(f"{message}, but it joins {joint.parent!r} and {joint.child!r}", joint)


class KindInName(Quality):
    """No joint is called a link, and no link a joint."""

    code = "NAM-009"
    evidence = "heuristic"
    clause = "names tell what things are"
    url = NAMES
    good = 'name="joint_4"'
    bad = 'name="upper_link"'

    def check(self, robot: Robot) -> Found:
        """A joint whose name ends with link, unless with a link that it joins or after a word such as j or to; a link
        whose name ends with joint."""
        for joint in robot.joints.values():
            if "ink" not in joint.name or joint.name.endswith((joint.parent, joint.child)):
                continue
            if re.search(OF_LINK, joint.name) and not re.search(SAYS_JOINT, joint.name):
                yield self.finding("is a joint, but its name says link; rename it", joint)
        for link in robot.links.values():
            if "oint" in link.name and re.search(OF_JOINT, link.name):
                yield self.finding("is a link, but its name says joint; rename it", link)


class OneSide(Quality):
    """A left part is attached to a left part or to the middle, never to a right one.

    A copy in which one name was not changed puts both arms on one side.
    """

    code = "NAM-011"
    evidence = "heuristic"
    clause = "names tell what things are"
    url = NAMES
    base = """<robot name="arms">
  <link name="base_link"/>
  <link name="left_link_1"/>
  <link name="right_link_1"/>
  <link name="right_link_2"/>
  <joint name="left_joint_1" type="fixed"><parent link="base_link"/><child link="left_link_1"/></joint>
  <joint name="right_joint_1" type="fixed"><parent link="base_link"/><child link="right_link_1"/></joint>
  <joint name="right_joint_2" type="fixed"><parent link="right_link_1"/><child link="right_link_2"/></joint>
</robot>
"""
    good = '<parent link="right_link_1"/>'
    bad = '<parent link="left_link_1"/>'

    def check(self, robot: Robot) -> Found:
        """A joint between links of which one has the word left and the other right, if the parent's name with the other
        side is a link, too; names with both words are of hands and pairs."""
        for joint in robot.joints.values():
            sides = [{side.lower() for side in SIDES.findall(name)} for name in (joint.parent, joint.child)]
            if sides[0] | sides[1] == {"left", "right"} and not sides[0] & sides[1]:
                meant = SIDES.sub(lambda match: OTHER_SIDE[match[0]], joint.parent)
                if meant in robot.links and meant != joint.child:
                    yield self.finding(f"attaches {joint.child!r} to {joint.parent!r}; expected {meant!r}", joint)


class Siblings(Quality):
    """The links and joints of a model, and the parts of a link, have different names in Gazebo.

    SDF has one set of names for all of them. Gazebo changes the name of one, or refuses the model.
    """

    code = "NAM-012"
    clause = "sibling elements have unique names"
    url = "http://sdformat.org/tutorials?tut=composition_proposal"
    base = with_blocks('  <gazebo reference="link_4"><mu1>0.5</mu1></gazebo>')
    good = 'joint name="joint_4"'
    bad = 'joint name="link_4"'

    def check(self, robot: Robot, siblings: tuple[list[Element], ...]) -> Found:
        """A joint with the name of a link, in URDF one that moves; in SDF, where it is a remark, also two parts of a
        link. From SDF 1.7 on, the reader refuses a joint with the name of a link."""
        kind = robot.text.format if robot.text else ""
        if kind in ("urdf", "sdf"):
            both = [joint for name, joint in robot.joints.items() if name in robot.links]
            for joint in (joint for joint in both if joint.kind.nv or kind == "sdf"):
                make, what = (self.finding, "refuses") if kind == "urdf" else (self.remark, "changes")
                yield make(f"a link has this name, too, which Gazebo {what}; rename one", joint)
        for parts in siblings:
            for first, later in repeated(parts, lambda part: part.get("name")):
                if first.tag != later.tag:
                    message = f"a <{first.tag}> of this link has the same name{on_line(first, later)}; rename one"
                    yield self.finding(message, later, severity="info")


@fact
def siblings(sdf_document: Element | None) -> tuple[list[Element], ...]:
    """Return the shapes and sensors of each link of an SDF file."""
    links = (element for element in sdf_document.walk() if element.tag == "link") if sdf_document else ()
    return tuple([part for part in link.children if part.tag in SIBLINGS and part.get("name")] for link in links)


def ends_of(name: str, robot: Robot) -> list[tuple[str, str]]:
    """Return the two links that the name of a joint names, if it does."""
    if not BETWEEN.search(name):
        return []
    bare = re.sub(JOINT, "", name)
    for text in dict.fromkeys((name, bare)):
        for match in BETWEEN.finditer(text):
            one = _link(text[: match.start()], robot)
            start = text[: match.start()]
            prefixes = ["", *(start[: m.end()] for m in re.finditer(r"[_/]", start))]
            other = next((found for p in prefixes if (found := _link(p + text[match.end() :], robot))), None)
            if one and other and one != other:
                return [(one, other)]
    return []


def _link(name: str, robot: Robot) -> str | None:
    """Return the link of a name, or that behind the joint of the name."""
    joint: Joint | None = robot.joints.get(name)
    return name if name in robot.links else joint.child if joint else None


@fact
def rigid(robot: Robot) -> Mapping[str, tuple[str, ...]]:
    """Return each link and those above it up to the next joint that moves."""
    found = {robot.root: (robot.root,)}
    for name in robot.placed:
        joint = robot.joints[name]
        found[joint.child] = (joint.child, *(found[joint.parent] if not joint.kind.nv else ()))
    return found
