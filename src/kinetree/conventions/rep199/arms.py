"""The arms of a robot as a person would find them: by the frames that REP-199 names, and by chains of joints."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from kinetree.conventions.subject import fact
from kinetree.model.robot import Joint, Robot

NAMES = ("base_link", "base", "flange", "tool0")
"""The frames of REP-199; the links of the chain are link_1, link_2, …"""
FRAME = re.compile(r"(?P<prefix>|.*[_/-])(?<!link_)(?P<name>base_link|base|flange|tool0|link_\d+)")
AT_LEAST = 4
"""Moving joints of a chain that is an arm though no frame says so."""
LIMBS = 2
"""Chains without such frames; if there are more, they are the legs and arms of something that walks."""
JAW = re.compile(r"finger|fngr|jaw|claw|thumb")
GRIPPER = re.compile(rf"{JAW.pattern}|gripper")
"""What names say of a joint that closes a gripper; a link so called may be all of the gripper, on the last joint."""
FINGER = 2
"""Joints of a finger, at most."""


@dataclass(frozen=True, eq=False)
class Arm:
    """prefix: of the names of its frames. base_link, base, flange, tool0: those that it has, else None.

    moving: names of the joints from base_link to the end, or, without base_link, from where the robot branches.
    foot: the body that carries the first of them, end: the one that the last of them moves.
    """

    prefix: str
    base_link: str | None
    base: str | None
    flange: str | None
    tool0: str | None
    moving: tuple[str, ...]
    foot: str
    end: str

    def __str__(self) -> str:
        return f"arm {self.prefix!r}" if self.prefix else "arm"


@fact
def arms(robot: Robot, above: Mapping[str, Joint], bodies: Mapping[str, str]) -> tuple[Arm, ...]:
    """All arms, in the order of their last links in the file."""
    chains = _Chains(robot, above, bodies)
    ends = chains.named_ends()
    taken = {chains.prefix(end) for end in ends}  # other chains under such a name are linkages
    ends += [
        end
        for end in chains.long_ends()
        if chains.prefix(end) not in taken and not any(chains.on_one_way(end, other) for other in ends)
    ]
    prefixes = chains.prefixes(ends)
    return tuple(chains.arm(link, prefixes[link], ends) for link in robot.links if link in ends)


class _Chains:
    """The bodies of a robot, and ways through them.

    carried: body to the moving joint that carries it. behind: body to those that its moving joints carry. depth: how
    many joints are behind one another from that which carries a body. named: body to (prefix, name) of the frames on
    it that are called as REP-199 calls them.
    """

    def __init__(self, robot: Robot, above: Mapping[str, Joint], bodies: Mapping[str, str]) -> None:
        self.robot, self.bodies = robot, bodies
        self.carried = {link: joint for link, joint in above.items() if joint.kind.nv}
        self.behind: dict[str, list[str]] = {body: [] for body in set(bodies.values())}
        self.depth = dict.fromkeys(self.behind, 1)
        for name in reversed(robot.placed):  # children before parents
            joint = robot.joints[name]
            if joint.child in self.carried:
                before = bodies[joint.parent]
                self.behind[before].append(joint.child)
                self.depth[before] = max(self.depth[before], self.depth[joint.child] + 1)
        self.named: dict[str, list[tuple[str, str]]] = {body: [] for body in self.behind}
        for frame, body in bodies.items():
            if match := FRAME.fullmatch(frame):
                self.named[body].append((match["prefix"], match["name"]))

    def way(self, body: str) -> list[str]:
        """The bodies that joints move, from the root to a body."""
        way: list[str] = []
        while body in self.carried:
            way.append(body)
            body = self.bodies[self.carried[body].parent]
        return way[::-1]

    def on_one_way(self, a: str, b: str) -> bool:
        """Whether one body is on the way from the root to the other."""
        return a in self.way(b) or b in self.way(a)

    def named_ends(self) -> list[str]:
        """The bodies with a flange or a tool0 that more than one joint moves."""
        with_such = [end for end in self.carried if any(name in ("flange", "tool0") for _, name in self.named[end])]
        ends = {e: p for e in with_such if len(self.moving(e, p := self.prefix(e), with_such)) > 1}
        return [  # a tool0 that moves against its flange makes no second arm
            end
            for end, prefix in ends.items()
            if not any(ends.get(other) == prefix for other in self.way(end) if other != end)
        ]

    def long_ends(self) -> list[str]:
        """The last bodies of chains that are long enough to be arms, without fingers."""
        last = [self._without_gripper(body) for body in self.carried if self._next(body) is None]
        ends = [body for body in dict.fromkeys(last) if self._length(body) >= AT_LEAST]
        return ends if len(ends) <= LIMBS else []

    def _without_gripper(self, body: str) -> str:
        """The last body of a chain that is none of a gripper's or a hand's, by their names."""
        while body in self.carried:
            joint = self.carried[body]
            if not JAW.search(body.lower()) and not GRIPPER.search(joint.name.lower()):
                break
            body = self.bodies[joint.parent]
        return body

    def _next(self, body: str) -> str | None:
        """The body that a chain goes on with: the only one behind, or that with the most joints, unless a finger."""
        deepest = max((self.depth[other] for other in self.behind[body]), default=0)
        along = [other for other in self.behind[body] if self.depth[other] == deepest]
        fingers = len(self.behind[body]) > 1 and deepest <= FINGER
        return along[0] if len(along) == 1 and not fingers else None

    def _length(self, body: str) -> int:
        """How many joints of one coordinate lead to a body in one chain."""
        count = 0
        while body in self.carried and self.carried[body].kind.nv == 1:
            before = self.bodies[self.carried[body].parent]
            count += 1
            if self._next(before) != body:
                break
            body = before
        return count

    def prefix(self, end: str) -> str:
        """The prefix of an arm's frames: that of its flange or tool0, or of what else is called so on the way to it.

        A flange whose prefix nothing else has is no flange of the arm: `fanuc_flange`, `hand_flange`.
        """
        links = self.way(end)
        feet = {(p, name) for p, name in self.named[self.robot.root] if name in ("base_link", "base")}
        known = feet.union(*(self.named[link] for link in links))
        last = {p for p, name in self.named[end] if name in ("flange", "tool0")}

        def near(p: str) -> tuple[int, int, int]:
            alike = sum(link.startswith(p) and not FRAME.fullmatch(link) for link in links) if p else 0
            return sum(q == p for q, _ in known), alike, -len(p)

        true = {p for p in last if not p or near(p) > (1, 0, 0)}
        others = {
            p for p in {p for p, _ in known} if 2 * sum(link.startswith(p) for link in links) >= len(links)
        } - last
        return max(sorted(true or others), key=near, default=_common(links[-AT_LEAST:]))

    def prefixes(self, ends: Sequence[str]) -> dict[str, str]:
        """The prefix of each arm; of arms that would have the same, because they share a base_link, that of its last
        links, if these differ."""
        found = {end: self.prefix(end) for end in ends}
        for prefix, count in Counter(found.values()).items():
            alike = {end: _common(self.way(end)[-AT_LEAST:]) for end in ends if found[end] == prefix}
            if len({name for name in alike.values() if name}) == count > 1:
                found.update(alike)
        return found

    def moving(self, end: str, prefix: str, ends: Sequence[str]) -> list[str]:
        """The bodies of an arm: behind its base_link, or behind what it has in common with other arms."""
        way = self.way(end)
        foot = self.bodies.get(f"{prefix}base_link")
        if foot in (self.robot.root, *way):
            return way[way.index(foot) + 1 :] if foot in way else way
        others = [self.way(other) for other in ends if end not in self.way(other)]
        return way[max((len(_alike(way, other)) for other in others), default=0) :]

    def arm(self, end: str, prefix: str, ends: Sequence[str]) -> Arm:
        """The arm that ends with a body."""
        joints = [self.carried[body] for body in self.moving(end, prefix, ends)]
        base_link, base, flange, tool0 = (
            f"{prefix}{name}" if f"{prefix}{name}" in self.robot.frames else None for name in NAMES
        )
        foot = self.bodies[joints[0].parent]
        link = self.robot.links.get(base or "")
        if link and not base_link and (link.visuals or link.collisions or base in self.carried):
            base = None  # the first body of the arm under a name of its own, not the controller's frame
        return Arm(prefix, base_link, base, flange, tool0, tuple(joint.name for joint in joints), foot, end)


def _alike(a: Sequence[str], b: Sequence[str]) -> list[str]:
    """How two sequences begin alike."""
    return [x for x, _ in takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False))]


def _common(links: Sequence[str]) -> str:
    """What the names of all links begin with, up to a separator."""
    alike = "".join(_alike(list(min(links)), list(max(links))))
    return re.sub(r"(?i:link_?)?[^_/-]*$", "", alike)
