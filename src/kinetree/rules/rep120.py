"""REP-120, the frames of humanoid robots, as rules. They assume that the robot is a humanoid."""

from collections.abc import Iterator
from typing import ClassVar

from kinetree.rules.rule import Bodies, Found, Robot, Rule

NAMES = (*(f"{side}_{part}" for part in ("wrist", "gripper", "ankle", "sole") for side in "lr"), "torso", "gaze")
"""Frames of every humanoid; l_toe and r_toe are for feet with toes."""
WAISTS = ("waist", "pelvis", "hip", "hips")


def _on(parent: str, name: str, kind: str, origin: str, axis: str = "0 1 0") -> str:
    """Return the text of a link on another, and of the joint between them, named after it."""
    limit = "" if kind == "fixed" else '<limit lower="0" upper="0.04" velocity="1.5" effort="12"/>'
    return f"""  <link name="{name}"></link>
  <joint name="{name}_joint" type="{kind}">
    <origin xyz="{origin}"/>
    <parent link="{parent}"/>
    <child link="{name}"/>
    <axis xyz="{axis}"/>{limit}
  </joint>
"""


def _limbs(side: str, y: float) -> str:
    return "".join(
        (
            _on("pelvis", f"{side}_ankle", "revolute", f"0 {y} -0.8"),
            _on(f"{side}_ankle", f"{side}_sole", "fixed", "0 0 -0.05"),
            _on("torso", f"{side}_wrist", "revolute", f"0 {2 * y} 0"),
            _on(f"{side}_wrist", f"{side}_gripper", "fixed", "0.1 0 0"),
        )
    )


HUMANOID = f"""<robot name="humanoid">
  <link name="pelvis"/>
{_on("pelvis", "base_link", "fixed", "0 0 0")}\
{_on("pelvis", "torso", "revolute", "0 0 0.4", "0 0 1")}\
{_on("torso", "gaze", "revolute", "0 0 0.3", "0 0 1")}\
{_limbs("l", 0.1)}{_limbs("r", -0.1)}</robot>
"""
"""A humanoid without findings."""


class Rep120(Rule):
    """A clause of REP-120; its examples are pieces of a small humanoid."""

    url: ClassVar[str] = "https://www.ros.org/reps/rep-0120.html"
    base: ClassVar[str | None] = HUMANOID
    of_robot: ClassVar[bool] = True


class BaseLink(Rep120):
    """The frame base_link is rigidly attached to the root body, preferably the waist.

    Balance and walking are planned for base_link as the floating body. Behind a moving joint it is another body.
    """

    code = "R120-001"
    level = "MUST"
    clause = "base_link is rigidly attached to the robot root body"
    good = '<joint name="base_link_joint" type="fixed">'
    bad = '<joint name="base_link_joint" type="continuous">'

    def check(self, robot: Robot, bodies: Bodies) -> Found:
        """A base_link that is missing, or behind a joint; and a remark on a waist behind one."""
        root = root_body(robot, bodies)
        if "base_link" not in robot.frames:
            yield self.finding(f"the robot has no base_link; add it to root body {root!r}", robot, severity="warning")
        elif bodies["base_link"] != root:
            joint = robot.joints_to(bodies["base_link"])[-1]
            message = f"the joint {joint.name!r} moves base_link relative to the root body {root!r}; attach it rigidly"
            yield self.finding(message, robot.frames["base_link"])
        for name in robot.frames:
            if name.lower().removesuffix("_link") in WAISTS and bodies[name] != root:
                message = f"the root body is {root!r}, but REP-120 recommends the waist"
                yield self.remark(message, robot.frames[name])


class Footprint(Rep120):
    """The frame base_footprint is not fixed to base_link.

    On a walking robot base_footprint stays on the floor while base_link moves. A node broadcasts it; if the model has
    it too, it gets a second parent.
    """

    code = "R120-002"
    level = "MUST"
    evidence = "heuristic"
    clause = "the transformation from base_link to base_footprint is not rigid on humanoid robots"
    good = '<link name="base_link"></link>'
    bad = """<link name="base_link"></link><link name="base_footprint"/>
  <joint name="footprint" type="fixed"><parent link="base_link"/><child link="base_footprint"/></joint>"""

    def check(self, robot: Robot, bodies: Bodies) -> Found:
        """Both frames on one body."""
        if "base_footprint" in robot.frames and bodies["base_footprint"] == bodies.get("base_link"):
            message = "the frame is fixed to base_link, but on a walking robot a node broadcasts it; remove it"
            yield self.finding(message, robot.frames["base_footprint"])


class Hierarchy(Rep120):
    """The frames of hands, feet, torso and head exist, in the order of the body.

    base_link carries the torso, and the ankle, sole and toe of each leg. The torso carries gaze, and the wrist and
    gripper of each arm. It is on the last body that carries both grippers and gaze.
    """

    code = "R120-003"
    clause = "torso is attached to the lowest body of the model which is a parent of l_gripper, r_gripper and gaze"
    good = '<parent link="l_wrist"/>\n    <child link="l_gripper"/>'
    bad = '<parent link="base_link"/>\n    <child link="l_gripper"/>'

    def check(self, robot: Robot, bodies: Bodies) -> Found:
        """Frames that are missing, and bodies that do not carry those that they should."""
        missing = [name for name in NAMES if name not in robot.frames]
        if missing:
            yield self.finding(f"the robot has no frames {', '.join(missing)}", robot)
        carrying = {name: carriers(bodies[name], bodies, robot) for name in robot.frames}
        for outer, inner in _order():
            if {outer, inner} <= set(robot.frames) and bodies[inner] not in carrying[outer]:
                message = f"the frame is not carried by {inner!r}; attach it behind {inner!r}"
                yield self.finding(message, robot.frames[outer])
        ends = [name for name in ("l_gripper", "r_gripper", "gaze") if name in robot.frames]
        if len(ends) == 3 and "torso" in robot.frames:
            common = next(body for body in carrying[ends[0]] if all(body in carrying[end] for end in ends))
            if common != bodies["torso"]:
                message = (
                    f"the frame is on the body of {bodies['torso']!r}; expected {common!r}, the last body that carries "
                    f"{', '.join(ends)}"
                )
                yield self.finding(message, robot.frames["torso"])


def root_body(robot: Robot, bodies: Bodies) -> str:
    """Return the root body, which is behind a joint by which it only floats or drives in a world."""
    body = bodies[robot.root]
    while True:
        joints = [joint for joint in robot.joints.values() if joint.kind.nv and bodies[joint.parent] == body]
        if len(joints) != 1 or joints[0].kind.name not in ("floating", "planar"):
            return body
        body = joints[0].child


def carriers(body: str, bodies: Bodies, robot: Robot) -> list[str]:
    """Return a body and its ancestors, up to the root."""
    found = [body]
    while joint := robot.parent_joint(found[-1]):
        found.append(bodies[joint.parent])
    return found


def _order() -> Iterator[tuple[str, str]]:
    """Yield frames, each with the one that it is behind."""
    yield "torso", "base_link"
    yield "gaze", "torso"
    for side in "lr":
        leg, arm = ("base_link", "ankle", "sole", "toe"), ("torso", "wrist", "gripper")
        for first, *others in (leg, arm):
            names = [first, *(f"{side}_{part}" for part in others)]
            yield from zip(names[1:], names, strict=False)
