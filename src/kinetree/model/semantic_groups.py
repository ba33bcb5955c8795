"""Groups of a semantic description as joints of a robot, and the names that do not exist."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from kinetree.errors import Finding, nearest_names
from kinetree.model.robot import Robot
from kinetree.model.semantic import Group, Member, Reference, Semantic, joint_members

MAX_DEPTH = 100
MAX_MEMBERS = 1_000_000
"""Most joints of all groups together; those of nested groups are counted each time."""
MAX_FAULTS = 1000
"""Most errors of groups; looking for the nearest names takes a while."""

Groups = Mapping[str, tuple[str, ...]]
FLOATING = 7
"""Numbers of the pose of a floating base, a joint that other programs add to the robot."""


def known_names(semantic: Semantic, robot: Robot) -> dict[str, Collection[str]]:
    """Return the names that exist, by kind: those of the robot, and those that the description itself defines. A joint
    with the numbers of a pose in a state is a floating base, which other programs than MoveIt add."""
    floats = (one.name for state in semantic.group_states for one in state.joints if len(one.value) == FLOATING)
    joints = dict.fromkeys((*robot.joints, *robot.loops, *(joint.name for joint in semantic.virtual_joints), *floats))
    groups = dict.fromkeys(group.name for group in semantic.groups)
    return {"link": robot.frames.keys(), "joint": joints.keys(), "group": groups.keys()}


def unknown(semantic: Semantic, robot: Robot) -> Iterator[Reference]:
    """Yield the names that do not exist. Groups are judged only if there are any: other programs than MoveIt need
    none."""
    known = known_names(semantic, robot)
    for reference in semantic.references():
        kind = reference.kind
        if reference.name not in known[kind] and (kind != "group" or known["group"]):
            yield reference


def unknown_name(kind: str, name: str, known: Mapping[str, Collection[str]]) -> str:
    """Return the message about a name that is not among the known ones of its kind."""
    return f"the {kind} {name!r} does not exist; {nearest_names(name, list(known[kind]))}"


def chain(robot: Robot, member: Member) -> list[str] | None:
    """Return the joints from the base of a chain down to its tip, both of which exist; None if the tip is not below."""
    base, link = robot.frames[member.name].link, robot.frames[member.tip_link].link
    joints: list[str] = []
    while link != base and (joint := robot.parent_joint(link)):
        joints.append(joint.name)
        link = joint.parent
    return joints[::-1] if link == base else None


def groups_of(semantic: Semantic, robot: Robot) -> tuple[Groups, list[Finding]]:
    """Return the groups as ordered names of joints with coordinates, and errors about what they name.

    A joint stands for itself, a link for its parent joint, a chain for the joints from its base to its tip, a group for
    its members; each joint counts once, where it first appears. Left out are fixed and virtual joints, and followers.
    """
    return _Resolver(semantic, robot).groups()


def of_all_types(semantic: Semantic, robot: Robot) -> Groups:
    """Return the groups likewise, with joints of all types and virtual joints."""
    return _Resolver(semantic, robot).all_groups()


class _Resolver:
    def __init__(self, semantic: Semantic, robot: Robot) -> None:
        self.robot, self.semantic = robot, semantic
        self.known = known_names(semantic, robot)
        self.by_name = {group.name: group for group in semantic.groups}
        self.done: dict[str, tuple[str, ...]] = {}
        self.members = 0
        self.findings: list[Finding] = []

    def groups(self) -> tuple[Groups, list[Finding]]:
        moving = set(self.robot.joint_names)
        found = {name: tuple(j for j in joints if j in moving) for name, joints in self.all_groups().items()}
        return found, self.findings

    def all_groups(self) -> Groups:
        for name in self.by_name:
            if self.members <= MAX_MEMBERS:
                self.group(name, ())
        return {name: self.done[name] for name in self.by_name if name in self.done}

    def error(self, code: str, message: str, member: Member, group: Group) -> None:
        if len(self.findings) > MAX_FAULTS:
            return
        if len(self.findings) == MAX_FAULTS:
            code, message = "too-many", f"there are {MAX_FAULTS} faults already; the rest is left out"
        self.findings.append(Finding(code, "error", message, member.source, Semantic.label(group, "groups")))

    def group(self, name: str, within: tuple[str, ...]) -> tuple[str, ...]:
        if name in self.done:
            return self.done[name]
        group = self.by_name[name]
        joints: list[str] = []
        for member in group.members:
            found = self.member(member, group, (*within, name))
            self.members += len(found)
            if self.members > MAX_MEMBERS:
                message = f"the groups have more than {MAX_MEMBERS} members, the most that are read"
                self.error("srdf-size", message, member, group)
                break
            joints += found
        self.done[name] = tuple(dict.fromkeys(joints))
        return self.done[name]

    def member(self, member: Member, group: Group, within: tuple[str, ...]) -> list[str] | tuple[str, ...]:
        name, kind = member.name, member.kind if member.kind != "chain" else "link"
        names = (name, member.tip_link) if member.kind == "chain" else (name,)
        missing = [one for one in names if one not in self.known[kind]]
        for one in missing:
            if len(self.findings) <= MAX_FAULTS:
                self.error(f"unknown-{kind}", unknown_name(kind, one, self.known), member, group)
        if missing:
            return []
        if kind == "joint":
            return [name]
        if kind == "group":
            return self.nested(member, group, within)
        if member.kind == "chain":
            return self.chain(member, group)
        joint = self.robot.parent_joint(name) if name in self.robot.links else None
        return [joint.name] if joint else []

    def nested(self, member: Member, group: Group, within: tuple[str, ...]) -> tuple[str, ...]:
        if member.name in within:
            message = f"contains itself: {' -> '.join((*within, member.name))}"
            self.error("cycle", message, member, group)
            return ()
        if len(within) >= MAX_DEPTH:
            self.error("depth", f"groups nested more than {MAX_DEPTH} deep", member, group)
            return ()
        return self.group(member.name, within)

    def chain(self, member: Member, group: Group) -> list[str]:
        joints = chain(self.robot, member)
        if joints is None:
            message = f"the tip_link {member.tip_link!r} is not below the base_link {member.name!r}"
            self.error("chain", f"{message}; expected a link on its sub-tree", member, group)
        return joints or []


def semantic_of(robot: Robot) -> Semantic:
    """Return the semantic description of a robot, in which its groups have the joints that they have in the robot."""
    semantic = robot.semantic or Semantic(robot.name)
    derived = groups_of(semantic, robot)[0]
    written = {group.name: group for group in semantic.groups}
    groups = tuple(
        written[name] if derived.get(name) == joints else joint_members(name, joints)
        for name, joints in robot.groups.items()
    )
    return replace(semantic, name=robot.name, groups=groups)
