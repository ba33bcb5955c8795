"""Chains of moving bodies of a robot, and paths through them."""

import re
from collections.abc import Mapping

from kinetree.model.robot import Robot

AT_LEAST = 4
"""Least number of moving joints of a chain that is an arm without named frames."""
LIMBS = 2
"""Largest number of such chains; more of them are the legs and arms of a walking robot."""
JAW = re.compile(r"finger|fngr|jaw|claw|thumb")
GRIPPER = re.compile(rf"{JAW.pattern}|gripper")
"""Names of joints that close a gripper; a link with such a name may be the whole gripper, on the last joint."""
FINGER = 2
"""Largest number of joints of a finger."""


class Chains:
    """Bodies of a robot, and paths through them.

    carried: moving joint that carries a body. behind: bodies that its moving joints carry. depth: length of the longest
    chain that begins with the joint of a body. front: number of joints from the root. moved: bodies that joints carry,
    parents first. span: range of the numbers of a body and all behind it, in depth-first order.
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
        """Return the links from the top of a body to the joint of another that it carries."""
        links = [joint.child for joint in self.robot.joints_to(self.carried[body].parent)]
        return links[links.index(foot) :]

    def before(self, body: str) -> str:
        """Return the parent body."""
        return self.bodies[self.carried[body].parent]

    def path_to(self, body: str) -> list[str]:
        """Return the bodies that joints move, from the root to a body."""
        path: list[str] = []
        while body in self.carried:
            path.append(body)
            body = self.before(body)
        return path[::-1]

    def leads(self, a: str, b: str) -> bool:
        """Return whether the first body is on the path from the root to the second, or is it."""
        start, end = self.span[a]
        return start <= self.span[b][0] < end

    def on_one_path(self, a: str, b: str) -> bool:
        """Return whether one body is on the path from the root to the other."""
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
        """Return the body that continues a chain: the only one behind, or that with most joints, but not a finger."""
        return self._nexts[body]

    def _following_one(self, body: str) -> str | None:
        deepest = max((self.depth[other] for other in self.behind[body]), default=0)
        along = [other for other in self.behind[body] if self.depth[other] == deepest]
        fingers = len(self.behind[body]) > 1 and deepest <= FINGER
        return along[0] if len(along) == 1 and not fingers and body not in self._palms else None

    def _is_palm(self, body: str) -> bool:
        """Return whether a body is a palm: several chains longer than a gripper's fingers begin on it, and all are
        shorter than the path to it. Arms on a torso are longer than the torso."""
        chains = [self.depth[other] for other in self.behind[body] if self.depth[other] > FINGER]
        return len(chains) > 1 and max(AT_LEAST - 1, *chains) < self.front[body]

    def _length(self, body: str) -> int:
        """Return the number of joints of one coordinate, with a range, that lead to a body in one chain."""
        count = 0
        while body in self.carried and self.carried[body].kind.nv == 1:
            before = self.before(body)
            count += self.carried[body].limit.lower < self.carried[body].limit.upper
            if self.next(before) != body:
                break
            body = before
        return count
