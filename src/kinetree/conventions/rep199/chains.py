"""The bodies of a robot in chains of joints, and which chains could be arms by their lengths."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kinetree.model.robot import Robot

AT_LEAST = 4
"""Moving joints of a chain that is an arm though no frame says so."""
LIMBS = 2
"""Chains without such frames; if there are more, they are the legs and arms of something that walks."""
JAW = re.compile(r"finger|fngr|jaw|claw|thumb")
GRIPPER = re.compile(rf"{JAW.pattern}|gripper")
"""What names say of a joint that closes a gripper; a link so called may be all of the gripper, on the last joint."""
FINGER = 2
"""Joints of a finger, at most."""


class Chains:
    """The bodies of a robot, and ways through them.

    carried: body to the moving joint that carries it. behind: body to those that its moving joints carry. depth: how
    many joints are behind one another from that which carries a body. front: how many from the root to a body.
    moved: those that joints carry, parents first. span: body to the range of the numbers that it and all behind it
    have, in an order from the root on.
    """

    def __init__(self, robot: Robot, bodies: Mapping[str, str]) -> None:
        self.robot, self.bodies = robot, bodies
        self.carried = {joint.child: joint for joint in robot.joints.values() if joint.kind.nv}
        self.behind: dict[str, list[str]] = {body: [] for body in set(bodies.values())}
        self.front = dict.fromkeys(self.behind, 0)
        moved = [link for name in robot.placed if (link := robot.joints[name].child) in self.carried]
        for body in moved:  # parents before children
            before = self.before(body)
            self.behind[before].append(body)
            self.front[body] = self.front[before] + 1
        self.depth = dict.fromkeys(self.behind, 1)
        for body in reversed(moved):
            before = self.before(body)
            self.depth[before] = max(self.depth[before], self.depth[body] + 1)
        self.moved = moved
        self.span = self._spans()
        self._palms = {body for body in self.behind if self._is_palm(body)}
        self._nexts = {body: self._following_one(body) for body in self.behind}

    def _spans(self) -> dict[str, tuple[int, int]]:
        order: list[str] = []
        waiting = [self.bodies[self.robot.root]]
        while waiting:
            order.append(waiting.pop())
            waiting += self.behind[order[-1]]
        count = dict.fromkeys(order, 1)
        for body in reversed(order):
            if body in self.carried:
                count[self.before(body)] += count[body]
        return {body: (i, i + count[body]) for i, body in enumerate(order)}

    def links_between(self, foot: str, body: str) -> list[str]:
        """Return the links from a body that a joint moves to the joint of another that it carries."""
        links = [joint.child for joint in self.robot.joints_to(self.carried[body].parent)]
        return links[links.index(foot) :]

    def before(self, body: str) -> str:
        """Return the body that carries another with a joint that moves."""
        return self.bodies[self.carried[body].parent]

    def way(self, body: str) -> list[str]:
        """Return the bodies that joints move, from the root to a body."""
        way: list[str] = []
        while body in self.carried:
            way.append(body)
            body = self.before(body)
        return way[::-1]

    def leads(self, a: str, b: str) -> bool:
        """Return whether the first body is on the way from the root to the second, or is it."""
        start, end = self.span[a]
        return start <= self.span[b][0] < end

    def on_one_way(self, a: str, b: str) -> bool:
        """Return whether one body is on the way from the root to the other."""
        return self.leads(a, b) or self.leads(b, a)

    def long_ends(self) -> list[str]:
        """Return the last bodies of chains that are long enough to be arms, without fingers."""
        fingers: set[str] = set()
        for body in self.moved:
            if self.before(body) in fingers or self.before(body) in self._palms:
                fingers.add(body)
        last = [self.without_gripper(body) for body in self.moved if body not in fingers and self.next(body) is None]
        ends = [body for body in dict.fromkeys(last) if self._length(body) >= AT_LEAST]
        ends = [body for body in ends if not any(self.leads(body, other) for other in ends if other != body)]
        return ends if len(ends) <= LIMBS else []

    def without_gripper(self, body: str) -> str:
        """Return the last body of a chain that is not of a gripper or a hand, by their names."""
        while body in self.carried:
            joint = self.carried[body]
            if not JAW.search(body.lower()) and not GRIPPER.search(joint.name.lower()):
                break
            body = self.before(body)
        return body

    def next(self, body: str) -> str | None:
        """Return the body that a chain goes on with: the only one behind, or that with most joints, but no finger."""
        return self._nexts[body]

    def _following_one(self, body: str) -> str | None:
        deepest = max((self.depth[other] for other in self.behind[body]), default=0)
        along = [other for other in self.behind[body] if self.depth[other] == deepest]
        fingers = len(self.behind[body]) > 1 and deepest <= FINGER
        return along[0] if len(along) == 1 and not fingers and body not in self._palms else None

    def _is_palm(self, body: str) -> bool:
        """Return whether several chains longer than a gripper's fingers begin on a body, and all are shorter than the
        way to it: it is a palm. Arms on a torso are longer than the torso."""
        chains = [self.depth[other] for other in self.behind[body] if self.depth[other] > FINGER]
        return len(chains) > 1 and max(AT_LEAST - 1, *chains) < self.front[body]

    def _length(self, body: str) -> int:
        """Return how many joints of one coordinate lead to a body in one chain."""
        count = 0
        while body in self.carried and self.carried[body].kind.nv == 1:
            before = self.before(body)
            count += 1
            if self.next(before) != body:
                break
            body = before
        return count
