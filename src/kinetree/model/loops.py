"""Loops: joints that a tree has no place for, because their child link has a parent joint already."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from kinetree.errors import Finding
from kinetree.model.assemble import Parts
from kinetree.model.complete import circles_of
from kinetree.model.edit.motion import reversed_joint
from kinetree.model.robot import Joint, Robot
from kinetree.spatial.se3 import IDENTITY, Array

CLOSED = 1e-9
"""Metres, and entries of a rotation, up to which a loop is closed."""


def zero_poses(joints: Iterable[Joint]) -> dict[str, Array]:
    """Return T_root_link (4, 4) of the links of a tree with all joints at zero; those that no root reaches are left
    out."""
    below: dict[str, list[Joint]] = {}
    for joint in joints:
        below.setdefault(joint.parent, []).append(joint)
    children = {joint.child for row in below.values() for joint in row}
    T = {link: IDENTITY for link in below if link not in children}
    waiting = [*T]  # grows
    for link in waiting:
        for joint in (joint for joint in below.get(link, ()) if joint.child not in T):
            T[joint.child] = T[link] @ joint.origin @ joint.child_origin
            waiting.append(joint.child)
    return T


def open_loops(robot: Robot) -> list[Joint]:
    """Return the loops that are open with all joints at zero."""
    T = zero_poses(robot.joints.values())
    ends = ((loop, T[loop.parent] @ loop.origin @ loop.child_origin) for loop in robot.loops.values())
    return [loop for loop, end in ends if not np.allclose(end, T[loop.child], rtol=0, atol=CLOSED)]


def take_loops(parts: Parts, is_held: Callable[[str], bool]) -> tuple[list[Finding], set[str]]:
    """Move the joints that close a loop from `parts.joints` to `parts.loops`; return notes, and the joints reversed.

    Of two joints of one child link the later one in the file closes the loop, unless the earlier one leads from a
    circle that nothing else reaches. A circle that nothing reaches is cut at its last joint. A joint between two trees
    closes no loop: joints are reversed for one tree to hang on the other, on that with a held root or else the first.

    is_held: whether a root stands still, so that all such trees are one.
    """
    parent_joint: dict[str, Joint] = {}
    closing: dict[str, Joint] = {}
    joints = [joint for joint in parts.joints if joint.parent and joint.child]  # others could not be read
    for joint in joints:
        if parent_joint.setdefault(joint.child, joint) is not joint:
            closing[joint.name] = joint
    while circle := _unreached(joints, parent_joint):
        entries = [joint for joint in closing.values() if joint.child in circle and joint.parent not in circle]
        for entry in {joint.child: joint for joint in reversed(entries)}.values():
            cut, parent_joint[entry.child] = parent_joint[entry.child], closing.pop(entry.name)
            closing[cut.name] = cut
        for cut in _last_of_circles(joints, parent_joint, circle) if not entries else ():
            closing[cut.name] = parent_joint.pop(cut.child)
    if not closing:
        return [], set()
    forest = _Forest(parts, parent_joint, closing, is_held)
    forest.join()
    turned = forest.turned
    parts.loops += [joint for joint in parts.joints if joint.name in closing]
    parts.joints = [turned.get(joint.name, joint) for joint in parts.joints if joint.name not in closing]
    notes = [_note(joint, parent_joint.get(joint.child), forest.apart(joint)) for joint in parts.loops]
    return notes + [_turned_note(joint) for joint in parts.joints if joint.name in turned], {*turned}


class _Forest:
    """Trees of links, which joints connect that are the second ones of their child link.

    parent_joint: the joint that carries a link. closing: joints that none of the trees has. Both are changed.
    """

    def __init__(
        self, parts: Parts, parent_joint: dict[str, Joint], closing: dict[str, Joint], is_held: Callable[[str], bool]
    ) -> None:
        self.parent_joint, self.closing = parent_joint, closing
        self.number = {link.name: i for i, link in enumerate(parts.links)}
        self.turned: dict[str, Joint] = {}
        self.tree: dict[str, str] = {}  # by link, called by its root; all held ones are called ""
        self.free: dict[str, bool] = {}  # whether all joints above a link can be reversed
        self.start: dict[str, str] = {}  # the tree on which a tree hangs in the end, or itself
        for link in {**self.number, **{joint.parent: 0 for joint in parts.joints}}:
            path = []
            while link in parent_joint and link not in self.tree:
                path.append(link)
                link = parent_joint[link].parent
            root = self.tree.setdefault(link, "" if is_held(link) else link)
            free = self.free.setdefault(link, bool(root))
            for below in reversed(path):
                free = free and parent_joint[below].kind.reversible
                self.tree[below], self.free[below] = root, free

    def join(self) -> None:
        """Hang trees on others by the joints between them."""
        between: dict[str, list[Joint]] = {}
        for joint in self.closing.values():
            ends = self.tree.get(joint.parent), self.tree.get(joint.child)
            for tree in ends if None not in ends and ends[0] != ends[1] else ():
                between.setdefault(str(tree), []).append(joint)
        for start in sorted(between, key=lambda tree: self.number.get(tree, -1)):
            waiting = [start] if start not in self.start else []  # grows
            self.start.setdefault(start, start)
            for here in waiting:
                for joint in between[here]:
                    forward = self.tree[joint.parent] == here
                    link = joint.child if forward else joint.parent
                    if self.tree[link] not in self.start and self.free[link] and (forward or joint.kind.reversible):
                        self.start[self.tree[link]] = start
                        waiting.append(self.tree[link])
                        self.hang(link, joint, forward)

    def hang(self, link: str, joint: Joint, forward: bool) -> None:
        """Hang the tree of a link on another by a joint to that link, or from there."""
        above: Joint | None = self.closing.pop(joint.name)
        if not forward:
            above = self.turned[joint.name] = reversed_joint(joint)
        while above is not None:
            below, above = above, self.parent_joint.get(link)
            self.parent_joint[link] = below
            if above is not None:
                link = above.parent
                above = self.turned[above.name] = reversed_joint(above)

    def apart(self, joint: Joint) -> bool:
        """Return whether a joint connects two trees of which none could hang on the other."""
        ends = [self.tree.get(link) for link in (joint.parent, joint.child)]
        return len({self.start.get(tree, tree) for tree in ends if tree is not None}) == 2


def _unreached(joints: Iterable[Joint], parent_joint: Mapping[str, Joint]) -> set[str]:
    """Return the links from which the way up goes in a circle."""
    reached: dict[str, bool] = {}
    for joint in joints:
        path: dict[str, None] = {}
        link = joint.child
        while link in parent_joint and link not in reached and link not in path:
            path[link] = None
            link = parent_joint[link].parent
        reached.update(dict.fromkeys(path, reached.get(link, link not in path)))
    return {link for link, is_reached in reached.items() if not is_reached}


def _last_of_circles(joints: Sequence[Joint], parent_joint: Mapping[str, Joint], unreached: set[str]) -> list[Joint]:
    """Return the last joint of the file in every circle above these links."""
    place = {joint.name: i for i, joint in enumerate(joints)}
    circles = circles_of({link: parent_joint[link].parent for link in sorted(unreached)})
    return [max((parent_joint[link] for link in circle), key=lambda joint: place[joint.name]) for circle in circles]


def _turned_note(joint: Joint) -> Finding:
    message = f"its child link {joint.parent!r} hangs on another joint, so the joint is reversed and carries "
    message += f"{joint.child!r} here; its axis is the opposite one, and each value means the same pose"
    return Finding("reversed-joint", "info", message, joint.source, f"joint {joint.name!r}")


def _note(joint: Joint, other: Joint | None, apart: bool) -> Finding:
    why = f"is the child of joint {other.name!r} already" if other else "is the first link of a circle"
    message = f"closes a loop: link {joint.child!r} {why}; it is kept as a loop of the robot"
    if apart:
        message += "; it connects two trees, and joints that cannot be reversed keep one from hanging on the other"
    return Finding("loop", "warning" if apart else "info", message, joint.source, f"joint {joint.name!r}")
