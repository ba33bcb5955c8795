"""Questions that a robot answers: where robot and algorithms meet.

An answer is a callable on arrays, made once for a robot and its arguments and then remembered for as long as the robot
lives: `fk(robot, "tool0")(q)` in a loop prepares nothing twice.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from kinetree.algorithms.kinematics import forward_kinematics
from kinetree.errors import fail, unknown_name
from kinetree.model.robot import Robot
from kinetree.model.tree import Tree, build_tree
from kinetree.spatial.se3 import Array

Kernel = Callable[[Any], Array]
"""q (…, nq) to the answer (…, …)."""

V = TypeVar("V")

_remembered: WeakKeyDictionary[Robot, dict[Hashable, Any]] = WeakKeyDictionary()
"""Per robot; what is remembered must not refer to the robot, or it would live for ever."""


def _remember(robot: Robot, key: Hashable, make: Callable[[], V]) -> V:
    answers = _remembered.setdefault(robot, {})
    if key not in answers:
        answers[key] = make()
    value: V = answers[key]
    return value


def tree(robot: Robot) -> Tree:
    """The robot as computed."""
    return _remember(robot, "tree", lambda: build_tree(robot))


def fk(robot: Robot, frames: str | Sequence[str], base: str | None = None) -> Kernel:
    """Forward kinematics: a callable from q (…, nq) to T_base_frame (…, 4, 4).

    frames: a name of `robot.frames`, or a list of k names, which gives (…, k, 4, 4). base: the frame in which the poses
    are expressed, the root link by default. A frame against itself is exactly the identity. Metres and radians; the
    order of q is `robot.joint_names`.

    Raises KinetreeError for a name that is not a frame, and when called for a q of another shape, with a number that
    is not finite, or with a quaternion of length zero.
    """
    names = (frames,) if isinstance(frames, str) else tuple(frames)
    for name in (*names, *(() if base is None else (base,))):
        if name not in robot.frames:
            raise unknown_name("frame", name, list(robot.frames))
    key = ("fk", frames if isinstance(frames, str) else names, base)
    return _remember(robot, key, lambda: _poses(robot, names, base, single=isinstance(frames, str)))


def _poses(robot: Robot, names: tuple[str, ...], base: str | None, *, single: bool) -> Kernel:
    model, read_q = tree(robot), _reader_of_q(robot)
    shape = (4, 4) if single else (len(names), 4, 4)

    def kernel(q: Any) -> Array:
        q = read_q(q)
        poses = [forward_kinematics(model, q[at], names, base) for at in np.ndindex(q.shape[:-1])]
        return np.array(poses, dtype=float).reshape(*q.shape[:-1], *shape)

    return kernel


def _reader_of_q(robot: Robot) -> Callable[[Any], Array]:
    """A check that an argument is a q (…, nq) of this robot."""
    names = robot.coordinate_names
    quaternions = [
        slice(where.start + quaternion.start, where.start + quaternion.stop)
        for joint, where in robot.q_slices.items()
        if (quaternion := robot.joints[joint].kind.quaternion)
    ]

    def read(q: Any) -> Array:
        numbers = _as_floats(q, names)
        if numbers.ndim == 0 or numbers.shape[-1] != len(names):
            raise fail("q-shape", f"q has shape {numbers.shape}; {_legal(names)}")
        if not np.isfinite(numbers).all():
            bad = tuple(int(i) for i in np.argwhere(~np.isfinite(numbers))[0])
            raise fail(
                "q-number", f"q{list(bad)}, coordinate {names[bad[-1]]!r}, is {numbers[bad]}; legal are finite numbers"
            )
        for where in quaternions:
            length = np.max(np.abs(numbers[..., where]), axis=-1)
            if not ((length > 1e-100) & (length < 1e100)).all():
                message = f"the quaternion of {names[where]} has no direction; it may have any length but zero"
                raise fail("q-quaternion", message)
        return numbers

    return read


def _as_floats(q: Any, names: tuple[str, ...]) -> Array:
    try:
        values: Array = np.asarray(q)
    except ValueError:  # rows of different lengths
        raise fail("q-shape", f"q is not an array of numbers; {_legal(names)}") from None
    if values.dtype.kind not in "fiu":
        raise fail("q-number", f"q has entries of type {values.dtype}; {_legal(names)}")
    return np.array(values, dtype=float)


def _legal(names: tuple[str, ...]) -> str:
    order = ", ".join(names) if names else "no joint moves"
    return f"legal are real numbers of shape (…, {len(names)}), in this order: {order}"


def mass(robot: Robot) -> float:
    """The mass of all links together, in kg."""
    return sum(link.inertial.mass for link in robot.links.values() if link.inertial)


def center_of_mass(robot: Robot, q: Any) -> Array:
    """Of all links together, (…, 3) in metres in the root link's frame, at q (…, nq).

    Raises KinetreeError where the links have no mass together.
    """
    total = mass(robot)
    if not total > 0:
        raise fail("no-mass", f"the links have {total} kg together, so there is no centre of mass")
    bodies = [(link.name, link.inertial) for link in robot.links.values() if link.inertial]
    T = fk(robot, [name for name, _ in bodies])(q)  # (…, k, 4, 4)
    p = np.array([inertial.origin[:, 3] for _, inertial in bodies])  # (k, 4)
    weights = np.array([inertial.mass for _, inertial in bodies]) / total
    return np.asarray(np.einsum("k,...kij,kj->...i", weights, T, p)[..., :3])
