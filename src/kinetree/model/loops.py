"""Loops: joints that a tree has no place for, because their child link has a parent joint already."""

from collections.abc import Iterable, Mapping, Sequence

from kinetree.errors import Finding
from kinetree.model.assemble import Parts
from kinetree.model.robot import Joint


def take_loops(parts: Parts) -> list[Finding]:
    """Move the joints that close a loop from `parts.joints` to `parts.loops`; return a warning for each.

    Of two joints of one child link the later one in the file closes the loop, unless the earlier one leads from a
    circle that nothing else reaches. A circle that nothing reaches is cut at its last joint.
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
        return []
    parts.loops += [joint for joint in parts.joints if joint.name in closing]
    parts.joints = [joint for joint in parts.joints if joint.name not in closing]
    return [_note(joint, parent_joint.get(joint.child)) for joint in parts.loops]


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
    done: set[str] = set()
    last = []
    for link in sorted(unreached):
        path: dict[str, None] = {}
        while link not in path and link not in done:
            path[link] = None
            link = parent_joint[link].parent
        if link in path:
            around = [*path][[*path].index(link) :]
            last.append(max((parent_joint[member] for member in around), key=lambda joint: place[joint.name]))
        done.update(path)
    return last


def _note(joint: Joint, other: Joint | None) -> Finding:
    why = f"is the child of joint {other.name!r} already" if other else "is the first link of a circle"
    message = f"closes a loop: link {joint.child!r} {why}; it is one of the robot's loops, and no part of the tree"
    return Finding("loop", "warning", message, joint.source, f"joint {joint.name!r}")
