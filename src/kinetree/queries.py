"""Questions that a robot answers: where robot and algorithms meet.

An answer is a callable on arrays, made once for a robot and its arguments and then remembered for as long as the robot
lives: `fk(robot, "tool0")(q)` in a loop prepares nothing twice.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import partial
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from kinetree.algorithms.kinematics import forward_kinematics
from kinetree.compiler.cache import digest
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port
from kinetree.compiler.program import trace
from kinetree.errors import fail, unknown_name
from kinetree.model.robot import Robot
from kinetree.model.tree import Tree, build_tree
from kinetree.spatial.se3 import Array

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


def _query(
    robot: Robot, key: tuple[Hashable, ...], output: Port, algorithm: Callable[..., Any], *, rates: bool = False
) -> Kernel:
    """The kernel of an algorithm on (tree, q), or on (tree, q, qd) where `rates` are asked for; `key` is the name of
    the query and all its arguments."""

    def make() -> Kernel:
        model = tree(robot)
        ports = [Port("q", (model.nq,), robot.coordinate_names, "m, rad")]
        if rates:
            ports.append(Port("qd", (model.nv,), robot.velocity_names, "m/s, rad/s"))
        shapes = [port.shape for port in ports]
        origin = digest(_remember(robot, "digest", lambda: _contents(model)), repr(key))
        return Kernel(str(key[0]), tuple(ports), output, lambda: trace(partial(algorithm, model), *shapes), origin)

    return _remember(robot, key, make)


def _contents(model: Tree) -> str:
    """Stands for all numbers of a tree."""
    names, places = model.frames.keys(), model.frames.values()
    numbers = [np.concatenate([np.ravel(a) for a in (*model.axes, *model.T_tree, *model.inertia, model.base_inertia)])]
    numbers += [np.array([*model.pitch, *model.multiplier, *model.offset]), *(T for _, T in places)]
    words = (model.parent, [t.name for t in model.joint_type], model.q_slice, model.v_slice, list(names))
    return digest(repr((words, [body for body, _ in places])), *(array.tobytes() for array in numbers))


def _known_frames(robot: Robot, names: Iterable[str]) -> None:
    for name in names:
        if name not in robot.frames:
            raise unknown_name("frame", name, list(robot.frames))


def fk(robot: Robot, frames: str | Sequence[str], base: str | None = None) -> Kernel:
    """Forward kinematics: a kernel from q (…, nq) to T_base_frame (…, 4, 4).

    frames: a name of `robot.frames`, or a list of k names, which gives (…, k, 4, 4). base: the frame in which the poses
    are expressed, the root link by default. A frame against itself is exactly the identity. Metres and radians; the
    order of q is `robot.joint_names`.

    Raises KinetreeError for a name that is not a frame.
    """
    single = isinstance(frames, str)
    names = (frames,) if isinstance(frames, str) else tuple(frames)
    _known_frames(robot, (*names, *(() if base is None else (base,))))
    output = Port("T", (4, 4) if single else (len(names), 4, 4), about=f"poses of {', '.join(names)} in {base}; m")

    def poses(model: Tree, q: Any) -> Any:
        T = forward_kinematics(model, q, names, base)
        return T[0] if single else np.array(T).reshape(output.shape)

    return _query(robot, ("fk", frames if single else names, base), output, poses)


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
    T = fk(robot, [name for name, _ in bodies]).interpret(q)  # (…, k, 4, 4)
    p = np.array([inertial.origin[:, 3] for _, inertial in bodies])  # (k, 4)
    weights = np.array([inertial.mass for _, inertial in bodies]) / total
    return np.asarray(np.einsum("k,...kij,kj->...i", weights, T, p)[..., :3])
