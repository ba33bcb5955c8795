"""Kinds of robots and of their chains, by structure, names and sizes, with the reasons."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import dist
from typing import NamedTuple

import numpy as np

from kinetree.display import number
from kinetree.model.robot import Geometry, Robot
from kinetree.robot_kinds import KINDS
from kinetree.robot_kinds.arms import Arm, NamedChains
from kinetree.robot_kinds.chains import AT_LEAST, Chains
from kinetree.spatial.se3 import Array

WORDS = {
    "leg": "leg hip thigh knee shin calf ankle foot shank tibia femur tarsus toe hfe haa kfe coxa",
    "wheel": "wheel caster castor tire tyre steer steering swivel",
    "rotor": "rotor prop propeller propellor",
    "finger": "finger fngr thumb knuckle jaw claw phalanx proximal distal index pinky gripper mcp pip dip",
    "head": "head neck eye eyelid gaze pan tilt camera lidar laser",
    "torso": "torso waist chest trunk spine lift column abdomen back lumbar",
    "arm": "arm shoulder elbow forearm upperarm lowerarm wrist humerus",
}
"""Words in names of links and joints, which a letter for the side may precede, by the kind of chain."""
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
FLYING = re.compile(r"(?i)(?<![a-z])(flying|drone|uav|[a-z]*copter|(quad|hexa|octo|multi)rotor)(?![a-z])")
"""Names of what flies."""
KIND_OF = {word: kind for kind, text in WORDS.items() for word in text.split()}
LONGEST = {"wheel": 3, "rotor": 2, "finger": 6, "head": 6, "torso": 6}
"""Largest number of joints of a chain of a kind."""
PELVIS = re.compile(r"(?i)(?<![a-z])pelvis(?![a-z])")
FINGER = 0.3
"""Largest length of a finger, m; longer chains are legs."""
FINGERS = 2
"""Least number of other fingers of a hand whose names say nothing."""
NECK = 2
"""Least number of joints of a neck on a humanoid without legs."""
GIVEN = "given"
SAID = re.compile(r"<!--\s*kinetree\s*:\s*kind\s+(.*?)\s*-->", re.IGNORECASE | re.DOTALL)
"""A comment that gives the kind of a robot."""


@dataclass(frozen=True)
class Chain:
    """A chain of links that joints move. kind: a key of WORDS, or "other". joints, links: names, from the robot's body
    outwards. reasons: why it is of its kind, in a few words."""

    kind: str
    joints: tuple[str, ...]
    links: tuple[str, ...]
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Kinds:
    """Kind of a robot, a key of KINDS, with the reasons in a few words, and its chains."""

    kind: str
    reasons: tuple[str, ...]
    chains: tuple[Chain, ...]


def kinds(
    robot: Robot,
    poses: Mapping[str, Array],
    named_chains: NamedChains,
    serial_chains: tuple[Arm, ...],
    kind: str | None,
) -> Kinds:
    """Return the kinds of a robot and of its chains. The kind that the caller or a comment in the file gives is not
    derived."""
    found = _chains(named_chains, poses, serial_chains)
    said = kind or said_in(robot)
    return Kinds(said, (GIVEN,), found) if said else Kinds(*_robot(robot, found), found)


def said_in(robot: Robot) -> str | None:
    """Return the kind that a comment in the robot's own file gives."""
    text = robot.text
    if text is None:
        return None
    own = text.files.get(robot.source.file, text.text) if robot.source else text.text
    match = SAID.search(own) if "kinetree" in own else None
    return match[1] if match and match[1] in KINDS else None


class _Row(NamedTuple):
    """A chain of bodies. joints: those that carry them. arm: the arm of REP-199 that ends on it. alike: number of such
    chains on the same body. poses: of all frames. behind: number of joints from the root to its first body. carries:
    whether long chains begin on it. fixed: names of links that are fixed to it. beside: number of other chains of
    several joints that begin on its bodies or beside it."""

    joints: tuple[str, ...]
    bodies: tuple[str, ...]
    arm: Arm | None
    alike: int
    poses: Mapping[str, Array]
    behind: int
    carries: bool
    fixed: tuple[str, ...]
    beside: int

    @property
    def reach(self) -> float:
        """Length, m."""
        return sum(dist(self.poses[a][:3, 3], self.poses[b][:3, 3]) for a, b in pairwise(self.bodies))

    def called(self, kind: str) -> list[str]:
        """Return the names, one for each joint and its link, with words of a kind."""
        named = ((a, b, kind in words(a)) for a, b in zip(self.bodies, self.joints, strict=True))
        return [body if is_said else joint for body, joint, is_said in named if is_said or kind in words(joint)]


def _chains(tree: Chains, poses: Mapping[str, Array], arms: Sequence[Arm]) -> tuple[Chain, ...]:
    robot, ends, rows = tree.robot, {arm.end: arm for arm in arms}, _rows(tree)
    alike = Counter((len(row), tree.before(row[0])) for row in rows)
    starts = Counter(tree.before(row[0]) for row in rows if len(row) > 1)
    carrying = {tree.before(row[0]) for row in rows if len(row) >= AT_LEAST - 1}
    fixed: dict[str, list[str]] = {body: [] for body in tree.behind}
    found = []
    for name, body in tree.bodies.items():
        fixed[body].append(name)
    for bodies_of in rows:
        first = bodies_of[0]
        row = _Row(
            tuple(tree.carried[body].name for body in bodies_of),
            tuple(bodies_of),
            next((ends[body] for body in bodies_of if body in ends), None),
            alike[len(bodies_of), tree.before(first)],
            poses,
            tree.front[first],
            not carrying.isdisjoint(bodies_of),
            tuple(name for body in bodies_of for name in fixed[body]),
            sum(starts[body] for body in (*bodies_of, tree.before(first))) - 1,
        )
        kind, why = _kind(robot, row)
        found.append(Chain(kind, row.joints, row.bodies, (_in_a_row(robot, row.joints), *why)))
    return tuple(found)


def _rows(tree: Chains) -> list[list[str]]:
    """Return the bodies that joints move, in chains from the robot's body outwards. A floating joint carries a body."""
    free = {body for body in tree.moved if tree.carried[body].kind.nv > AT_LEAST - 1}
    rows = []
    for first in tree.moved:
        before = tree.before(first)
        if first in free or (before not in free and before in tree.carried and tree.next(before) == first):
            continue
        row = [first]
        while (following := tree.next(row[-1])) and following not in free:
            row.append(following)
        rows.append(row)
    return rows


def _kind(robot: Robot, row: _Row) -> tuple[str, tuple[str, ...]]:
    """Return the kind of a chain and the reasons besides its joints."""
    n, arm = len(row.bodies), row.arm
    names = {kind: some for kind in WORDS if (some := row.called(kind))}
    votes = Counter({kind: len(some) for kind, some in names.items()})
    last = words(row.joints[-1]) | words(row.bodies[-1])
    top = max(votes, key=lambda kind: (votes[kind], kind in last and kind != "arm"), default="")
    small = n <= LONGEST.get(top, 0) and 2 * votes[top] >= n
    in_hand = row.beside >= FINGERS and row.reach < FINGER and not {"arm", "leg"} & votes.keys()
    kind = "other"
    if n > 1 and not row.carries and votes["leg"] >= max(1, votes["arm"]) and _has_a_foot(row, votes["leg"]):
        kind = "leg"
    elif "head" in last and votes["head"] > 1 and not votes["arm"] and n <= LONGEST["head"]:
        kind = "head"
    elif arm and in_hand and not (arm.flange or arm.tool0):
        return "finger", (f"{number(row.reach, 2)} m long, with {row.beside} more beside it",)
    elif arm and not (small and n < AT_LEAST):
        return "arm", tuple(frame for frame in (arm.base_link, arm.flange, arm.tool0) if frame)
    elif small:
        kind = top
    elif votes["arm"] > 1 and n >= AT_LEAST - 1:
        kind = "arm"
    if kind != "other":
        return kind, (f"called {', '.join(map(repr, names[kind][:3]))}{' …' * (votes[kind] > 3)}",)
    if n == 1 and _is_wheel(robot, row.joints[0], row.bodies[0]):
        return "wheel", ("round about its axis",)
    if row.alike > 2 and n > 1:
        kind = "finger" if row.reach < FINGER or row.behind > n else "leg"
        return kind, (f"one of {row.alike} such chains, {number(row.reach, 2)} m long",)
    if n >= AT_LEAST and not row.carries:
        return ("arm", ()) if row.reach > FINGER else ("finger", (f"{number(row.reach, 2)} m long",))
    return kind, ()


def _has_a_foot(row: _Row, votes: int) -> bool:
    """Return whether enough names of a chain are those of a leg. votes: number of its joints with such names."""
    return votes > 1 or 2 * votes >= len(row.bodies) or sum("leg" in words(name) for name in row.fixed) > 1


def _is_wheel(robot: Robot, joint: str, link: str) -> bool:
    """Return whether a link turns without limits about the axis of a cylinder or about the center of a sphere."""
    axis = robot.joints[joint].axis
    if axis is None or robot.joints[joint].type != "continuous":
        return False
    shapes = robot.links[link].collisions or robot.links[link].visuals

    def fits(shape: Geometry) -> bool:
        lies = shape.shape.kind == "cylinder" and abs(float(shape.origin[:3, 2] @ axis)) > 1 - 1e-3
        round_ = lies or shape.shape.kind == "sphere"
        return round_ and float(np.linalg.norm(np.cross(shape.origin[:3, 3], axis))) < 1e-3

    return bool(shapes) and all(map(fits, shapes))


def _robot(robot: Robot, chains: tuple[Chain, ...]) -> tuple[str, tuple[str, ...]]:
    """Return the kind of a robot and the reasons."""
    by_kind = {kind: [chain for chain in chains if chain.kind == kind] for kind in (*WORDS, "other")}
    n = {kind: len(some) for kind, some in by_kind.items()}

    def of(kind: str, *names: str) -> tuple[str, tuple[str, ...]]:
        return kind, tuple(text for name in names for text in _grouped(name, by_kind[name]))

    flying = [name for name in (robot.name, *robot.links) if FLYING.search(name)]
    if n["rotor"] > 1 or flying[:1] == [robot.name] or len(flying) > 1:
        kind, why = of("drone", "rotor", "arm")
        return kind, ((f"called {flying[0]!r}",) if flying else ()) + why
    if not chains:
        return "object", ("no joint moves",)
    if n["leg"] in (1, 2) and n["arm"] > 1:
        return of("humanoid", "leg", "arm")
    if n["leg"]:
        return of("legged", "leg", "arm")
    wheels = [link for link in robot.links if "wheel" in words(link)]
    if n["wheel"] > 1 or len(wheels) > 1:
        kind, why = of("mobile-manipulator" if n["arm"] else "mobile-base", "wheel", "arm")
        return kind, why if n["wheel"] else (f"links such as {wheels[0]!r} and {wheels[1]!r}", *why)
    if n["arm"] > 1 and (why := _upright(robot, by_kind)):
        kind, more = of("humanoid", "arm", "head")
        return kind, (*more, *why)
    if n["arm"] == 1:
        return "arm", by_kind["arm"][0].reasons
    for name, kind in (("arm", "arm"), ("finger", "hand"), ("head", "head")):
        if n[name]:
            return of(kind, name)
    return of("other", *by_kind)


def _upright(robot: Robot, by_kind: Mapping[str, Sequence[Chain]]) -> tuple[str, ...]:
    """Return the reasons why a robot with arms and without legs is the upper half of a humanoid."""
    if pelvis := next((link for link in robot.links if PELVIS.search(link)), None):
        return (f"link {pelvis!r}",)
    trunk = [name for kind in ("torso", "other") for chain in by_kind[kind] for name in chain.joints]
    lifts = any(robot.joints[name].type == "prismatic" for name in trunk)
    neck = any(len(chain.joints) >= NECK for chain in by_kind["head"])
    return ("a neck",) if neck and not lifts else ()


def _grouped(kind: str, chains: Sequence[Chain]) -> list[str]:
    """Return a text for the chains of a kind with as many joints."""
    found = []
    for count in dict.fromkeys(len(chain.joints) for chain in chains):
        ends = [chain.links[-1] for chain in chains if len(chain.joints) == count]
        listed = ", ".join(map(repr, ends[:4])) + (" …" if len(ends) > 4 else "")
        what = (kind if kind != "other" else "chain") + "s" * (len(ends) > 1)
        joints = f"{count} joint{'s' * (count > 1)}"
        found.append(f"{len(ends)} {what} of {joints} that end{'s' * (len(ends) == 1)} in {listed}")
    return found


def _in_a_row(robot: Robot, joints: Sequence[str]) -> str:
    types = Counter(robot.joints[name].type for name in joints)
    text = " and ".join(f"{count} {type_}" for type_, count in types.items())
    return f"{text} joint{'s' * (len(joints) > 1)}" + (" in a row" if len(joints) > 1 else "")


@cache
def words(name: str) -> frozenset[str]:
    """Return the kinds of chains that the words of a name belong to."""
    return frozenset().union(*map(_kinds_of, words_in(name)))


@cache
def words_in(name: str) -> tuple[str, ...]:
    """Return the words of a name in lower case; those of one spelling once."""
    return tuple(map(str.lower, dict.fromkeys(WORD.findall(name))))


@cache
def _kinds_of(word: str) -> frozenset[str]:
    forms = [word, word.removesuffix("s")] + ([word[1:]] if word[0] in "lr" and len(word) > 3 else [])
    forms += [known for known in KIND_OF if len(known) > 4 and (word.startswith(known) or word.endswith(known))]
    return frozenset(KIND_OF[form] for form in forms if form in KIND_OF)
