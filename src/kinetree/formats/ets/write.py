"""A robot to sequences of elementary transforms, and a serial chain to one."""

import re
from collections.abc import Collection, Iterable, Iterator

import numpy as np

from kinetree.algorithms.serial import SerialChain
from kinetree.algorithms.vectors import decimal, right_angle
from kinetree.errors import Finding
from kinetree.formats.ets.elements import ET, ETS, MASSES, NAMES, numbers_of
from kinetree.formats.kinematic import quoted
from kinetree.formats.losses.losses import Losses
from kinetree.formats.losses.sidecar.write import guessed_places
from kinetree.model.robot import Joint, Link, Robot
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array
from kinetree.syntax.numbers import format_number


def write(robot: Robot, without: Collection[str] = (), notes: list[Finding] | None = None) -> str:
    """Return the robot as sequences, one joint a line; a line that does not continue the one above begins with "from".

    Every link and frame keeps its name and place; without "frame", frames are kept that end a branch. A robot that was
    read from ETS and not edited gives the same text. notes: a list that gets a remark on frames without a known place.
    Raises KinetreeError for a part that sequences cannot represent and that `without` does not name.
    """
    losses = Losses("ets", without)
    if robot.text and robot.text.format == "ets" and not without:
        return robot.text.text
    losses.find(robot)
    losses.check()
    robot = losses.without_parts(robot)
    frames = [frame for frame in robot.frames.values() if frame.name not in robot.links]
    if "frame" in losses.without:
        frames = [*{frame.link: frame for frame in frames if not robot.child_joints(frame.link)}.values()]
    here, joints = robot.root, [robot.joints[name] for name in robot.placed]
    mass = _mass(robot.links[here])
    lines = [_line(mass, "" if joints or frames or not mass else here)]
    for joint in joints:
        words = [*_joint(joint, named=not frames), *_mass(robot.links[joint.child])]
        lines.append(_line(words, joint.parent if joint.parent != here else ""))
        here = joint.child
    names = {"name": robot.name, "base": robot.root}
    straight = not any(line.startswith("from") for line in lines)
    if straight and [frame.link for frame in frames] == [here]:
        end = constants(frames[0].origin)
        lines[-1] = _line([lines[-1], *map(str, end)])
        names |= {"tip": frames[0].name} if end or frames[0].name != NAMES["tip"] else {}
    rest = frames if "tip" not in names else ()
    lines += [_line([*map(str, constants(f.origin)), f"frame({_name(f.name)})"], f.link) for f in rest]
    if not any(lines):
        what = f"a robot without joints whose end {here!r} stands where its root does: there is no term"
        losses.note_loss("link", f"robot {robot.name!r}", what, robot.source)
    losses.check()
    if notes is not None:
        notes += guessed_places(robot)
    heads = [f"{key} = {_name(name)}" for key, name in names.items() if name != NAMES[key]]
    return "\n".join([*heads, *filter(None, lines), ""])


def _line(words: Iterable[str], start: str = "") -> str:
    return " ".join((*([f"from {_name(start)}:"] if start else ()), *filter(None, words)))


def _name(name: str) -> str:
    return name if re.fullmatch(r"[\w./-]+", name) else quoted(name)


def _joint(joint: Joint, named: bool) -> Iterator[str]:
    """Yield the words of a joint and of its link, whose name may be left out unless `named`."""
    if joint.type == "fixed":
        T, T_link, term = joint.origin @ joint.child_origin, se3.IDENTITY, f"fixed({_name(joint.name)})"
    else:
        T_turned, moves = _aligned(joint, joint.axes[0])
        T, T_link, term = joint.origin @ T_turned, se3.inverse(T_turned) @ joint.child_origin, str(moves)
    behind = constants(T_link)
    yield from (*map(str, constants(T)), term, *map(str, behind))
    if named or behind or joint.child != f"{joint.name}_link":
        yield f"link({_name(joint.child)})"


def _mass(link: Link) -> list[str]:
    """Return the mass of a link without zeros at its end, or nothing."""
    if link.inertial is None:
        return []
    numbers = numbers_of(link.inertial)
    count = next(count for count in MASSES if not any(numbers[count:]))
    return [f"mass({', '.join(map(format_number, numbers[:count]))})"]


def ets_of(chain: SerialChain) -> ETS:
    """Return the sequence of a serial chain: constants as translations and rotations, without identities."""
    terms: list[ET] = []
    T_before = se3.IDENTITY
    for joint in chain.joints:
        T_turned, moves = _aligned(joint.joint, joint.axis)
        T = joint.T @ T_turned
        terms += [*constants(se3.inverse(T_before) @ T), moves]
        T_before = T
    return ETS((*terms, *constants(se3.inverse(T_before) @ chain.T_tip)))


def constants(T: Array) -> list[ET]:
    """Return T as tx ty tz Rz Ry Rx, without identities."""
    roll, pitch, yaw = se3.rpy_from_rotation(T[:3, :3])
    shifts = [ET(kind, decimal(float(x))) for kind, x in zip(("tx", "ty", "tz"), T[:3, 3], strict=True)]
    turns = [ET(kind, right_angle(x)) for kind, x in (("Rz", yaw), ("Ry", pitch), ("Rx", roll))]
    return [term for term in (*shifts, *turns) if term.value]


def _aligned(joint: Joint, axis: Array) -> tuple[Array, ET]:
    """Return the frame in which the joint moves about or along x, y or z, in the joint's own, and its term."""
    letter = "t" if joint.type == "prismatic" else "R"
    along = int(np.argmax(np.abs(axis)))
    sign = float(axis[along])
    if np.abs(axis).sum() - abs(sign) < 1e-15:  # an axis 1e-8 off x has 1.0 there, too
        return se3.IDENTITY, ET(letter + "xyz"[along], joint=joint.name, flip=sign < 0)
    turned = se3.homogeneous(se3.rotation_between((0.0, 0.0, 1.0), axis), (0.0, 0.0, 0.0))
    return turned, ET(f"{letter}z", joint=joint.name)
