"""Rules of REP-199 about robots with several arms, and whether there is an arm at all."""

from kinetree.robot_kinds.arms import NAMES
from kinetree.robot_kinds.kinds import GIVEN, Kinds
from kinetree.rules.examples import ARM, SMALL_ARM
from kinetree.rules.rep199.clause import WITH_ARMS, Arms, Rep199, joints_of
from kinetree.rules.rep199.fixes import add_prefixes
from kinetree.rules.rule import Bodies, Found, Link, Robot


class HasAnArm(Rep199):
    """A robot that has the frames of an arm, or is said to be one, has an arm.

    An arm is a flange or a tool0 behind two joints or more, four links or more called link_N behind a base_link or
    base, or a chain of four joints or more. Legged robots, humanoids, drones, mobile bases and hands are
    left out; `kinetree inspect` prints what the robot is taken for. `--kind`, the key kind of the settings or the
    comment `kinetree: kind arm` in the file decides otherwise.
    """

    code = "R199-001"
    level = "MUST"
    evidence = "heuristic"
    clause = "Coordinate Frames for Serial Industrial Manipulators"
    base = good = SMALL_ARM
    bad = SMALL_ARM.replace("continuous", "fixed")

    def check(self, robot: Robot, arms: Arms, kinds: Kinds) -> Found:
        """No arm was found."""
        if arms or kinds.kind not in (*WITH_ARMS, "object", "other"):
            return
        if kinds.reasons == (GIVEN,):
            if kinds.kind in WITH_ARMS:
                yield self.finding(f"no arm was found, although the kind is {kinds.kind}; {AN_ARM}", robot)
        elif kinds.kind == "object" and {"flange", "tool0"} <= robot.frames.keys():
            yield self.finding("there are flange and tool0, but no joint moves; expected an arm", robot)
        elif kinds.kind != "object":
            yield self.remark(f"no arm was found, so nothing was checked by REP-199; {AN_ARM}", robot)


AN_ARM = (
    "expected two moving joints before flange or tool0, link_N behind base_link or base, or four moving joints in a row"
)


TWO_ARMS = (
    """<robot name="dual"><link name="base_link"/>"""
    + "".join(
        ARM.partition('<robot name="arm">')[2]
        .replace("</robot>", "")
        .replace('name="', f'name="{side}_')
        .replace('link="', f'link="{side}_')
        + f'<joint name="{side}_mount" type="fixed"><origin xyz="0 {y} 0"/><parent link="base_link"/>'
        f'<child link="{side}_base_link"/></joint>'
        for side, y in (("left", 0.5), ("right", -0.5))
    )
    + "</robot>"
)
"""REP-199's symmetric example: two arms on one foot."""


class GroupPrefixes(Rep199):
    """If there are several arms, each has a prefix of its own before the names of all its links and joints.

    Names without prefixes clash as soon as an arm is added, and do not show which parts belong together.
    """

    code = "R199-701"
    clause = "prefixing joint and link names … to ensure uniqueness of all frames in the (combined) frame hierarchy"
    base = TWO_ARMS
    good = '<joint name="left_joint_3" type="revolute">'
    bad = '<joint name="elbow" type="revolute">'
    repair = staticmethod(add_prefixes)
    safe = False

    def check(self, robot: Robot, arms: Arms) -> Found:
        """Arms have the same prefix, or links or joints of an arm lack it."""
        for i, arm in enumerate(arms if len(arms) > 1 else ()):
            same = [other for other in arms[:i] if other.prefix == arm.prefix]
            if same:
                message = f"the arms that end with {same[0].end!r} and {arm.end!r} have no prefixes of their own"
                yield self.finding(message, robot)
                continue
            bare = [
                item
                for joint in joints_of(arm, robot)
                for item in (joint, robot.links[joint.child])
                if not item.name.startswith(arm.prefix) and not (isinstance(item, Link) and item.name in NAMES)
            ]
            for item in bare:
                wanted = f"{arm.prefix}{item.name}"
                yield self.finding(f"the name lacks the prefix of its arm; expected {wanted!r}", item)


class GroupFrames(Rep199):
    """If there are several arms, each has frames of its own with its prefix.

    The root of all arms may be called base_link, too.
    """

    code = "R199-702"
    clause = "Note the … prefixes on all frames"
    base = TWO_ARMS
    requires = ("R199-701",)
    good = """<link name="left_tool0"/>
  <joint name="left_flange-tool0" type="fixed">
    <origin xyz="0 0 0" rpy="0 1.5707963267948966 0"/>
    <parent link="left_flange"/>
    <child link="left_tool0"/>
  </joint>"""
    bad = good.replace('"left_tool0"', '"tool0"')

    def check(self, robot: Robot, arms: Arms, bodies: Bodies) -> Found:
        """A frame at the end of an arm is called flange or tool0 with another prefix than the arm's."""
        for arm in arms if len(arms) > 1 else ():
            for name in ("flange", "tool0"):
                if bodies.get(name) == arm.end and arm.prefix:
                    wanted = f"{arm.prefix}{name}"
                    yield self.finding(f"the name lacks the prefix of its arm; expected {wanted!r}", robot.frames[name])
