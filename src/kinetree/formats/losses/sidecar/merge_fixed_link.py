"""Links and joints that only a format needs, taken out of the parts of a robot again; frames of joints moved back."""

from dataclasses import replace

import numpy as np

from kinetree.model.assemble import Parts
from kinetree.model.robot import Frame, Joint
from kinetree.spatial.se3 import IDENTITY, Array, frozen, inverse


def merge_fixed_link(parts: Parts, name: str) -> None:
    """Take a link out of the parts, in place, with the fixed joint that exists for it alone.

    It is the root, to which one joint fixes the true root, which gets its other joints; or the link behind a moving
    joint, whose one joint fixes the true child to it, which gets its frames and sensors; or it ends a fixed joint and
    becomes a frame. Raises ValueError for any other link.
    """
    link = next((link for link in parts.links if link.name == name), None)
    if link is None:
        raise ValueError(f"there is no link {name!r}")
    above = next((joint for joint in parts.joints if joint.child == name), None)
    below = [joint for joint in parts.joints if joint.parent == name]
    used = any(frame.link == name for frame in parts.frames) or any(s.frame == name for s in parts.sensors)
    if link.inertial or link.visuals or link.collisions or link.extensions or (used and above is None):
        raise ValueError(f"link {name!r} has a body or frames of its own now, so it stays")
    if above is None:
        below = [joint for joint in below if joint.type == "fixed" and _is_identity(joint.origin)]
    gone = _fixed(below[0] if below and len(below) == 1 else above if not below else None, name)
    if above is None and not _is_identity(gone.child_origin):
        raise ValueError(f"joint {gone.name!r} has an offset now, so link {name!r} stays")
    if above is None:
        parts.joints[:] = [
            replace(j, parent=gone.child) if j.parent == name and j is not gone else j for j in parts.joints
        ]
    elif above is gone:
        parts.frames.append(Frame(name, gone.parent, frozen(gone.origin @ gone.child_origin), link.source))
    else:
        T = frozen(above.child_origin @ gone.origin @ gone.child_origin)
        at = parts.joints.index(above)
        parts.joints[at] = replace(above, child=gone.child, child_origin=T)
        _hang(parts, name, gone)
    parts.links.remove(link)
    parts.joints.remove(gone)


def _hang(parts: Parts, link: str, joint: Joint) -> None:
    """Hang the frames and sensors of a link onto the child of its fixed joint, where they are."""
    T = inverse(joint.origin @ joint.child_origin)
    for i, frame in enumerate(parts.frames):
        if frame.link == link:
            parts.frames[i] = replace(frame, link=joint.child, origin=frozen(T @ frame.origin))
    for i, sensor in enumerate(parts.sensors):
        if sensor.frame == link:
            parts.sensors[i] = replace(sensor, frame=joint.child, origin=frozen(T @ sensor.origin))


def _fixed(joint: Joint | None, link: str) -> Joint:
    if joint is None or joint.type != "fixed":
        raise ValueError(f"link {link!r} has other joints now, so it stays")
    return joint


def _is_identity(T: object) -> bool:
    return np.array_equal(T, IDENTITY)  # type: ignore[arg-type]


CLOSE = 1e-9
"""Metres by which the axis of a joint may be beside its own frame."""


def fits_frame(joint: Joint, child_origin: Array) -> bool:
    """Return whether a joint moves as before if its frame is where T_joint_child is `child_origin`."""
    if joint.type == "fixed" or not joint.kind.by_axes or not joint.kind.turns:
        return joint.type == "fixed" or joint.kind.by_axes
    p = (joint.child_origin @ inverse(child_origin))[:3, 3]
    beside = np.cross(joint.axes[0], p) if joint.kind.single else p
    return bool(np.abs(beside).max() < CLOSE)


def with_frame(joint: Joint, child_origin: Array) -> Joint:
    """Return a joint that moves as before, its frame being where T_joint_child is `child_origin`.

    X = C' C⁻¹ maps coordinates in the old frame to coordinates in the new one. Raises ValueError if there is none.
    """
    if not fits_frame(joint, child_origin):
        raise ValueError("its axis does not go through the frame that is carried")
    X = child_origin @ inverse(joint.child_origin)
    axes = frozen(joint.axes @ X[:3, :3].T) if len(joint.axes) else joint.axes
    return replace(joint, origin=frozen(joint.origin @ inverse(X)), axes=axes, child_origin=frozen(child_origin))
