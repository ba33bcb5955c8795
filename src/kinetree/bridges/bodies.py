"""The bodies and joints that bridges build of a robot in another library."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from kinetree.errors import Finding, KinetreeError, fail
from kinetree.model.inertias import check_weighed
from kinetree.model.mimic import resolve_mimic
from kinetree.model.reshape import free_name
from kinetree.model.robot import UNLIMITED, Joint, Limit, Robot
from kinetree.model.tree import Passive, Tree
from kinetree.queries.query import frames_of, tree
from kinetree.spatial import Array, se3
from kinetree.spatial.plucker import about_com

_Z = se3.frozen((0.0, 0.0, 1.0))


class Body(NamedTuple):
    """A body and the joint that moves it, of a type that libraries know; a joint of several axes in a row, such as a
    planar one, is several bodies, all but the last without inertia.

    name: of the joint; joint: the one here. parent: index of the body that carries it, -1 for the base. T: pose (4, 4)
    of the joint in the frame of that body. kind, axis (3,), pitch in m/rad: how it moves. q, v: its numbers in those of
    the robot, which for a follower are those of its leader, times `multiplier`, plus `offset`. leader: the joint with
    numbers of its own that it follows, or None. limit, passive: of its coordinates. inertia: mass, centre of mass (3,)
    and inertia (3, 3) about it, or None.
    """

    name: str
    joint: Joint
    parent: int
    T: Array
    kind: str
    axis: Array
    pitch: float
    q: slice
    v: slice
    multiplier: float
    offset: float
    leader: str | None
    limit: Limit
    passive: Passive
    inertia: tuple[float, Array, Array] | None


def bodies_of(
    robot: Robot,
    library: str,
    kinds: Collection[str],
    springs: bool = False,
    loops: Collection[str] = (),
    weighed: bool = True,
) -> tuple[list[Body], dict[str, tuple[int, Array]]]:
    """Return the bodies of a robot, depth first, and for each frame its body and pose in it, as in `Tree`.

    kinds: types of joints that the library has. springs: whether it has springs of joints. loops: types of joints that
    may close loops. weighed: whether the masses must be known. Raises KinetreeError for everything of the robot that
    the library does not have.
    """
    frames_of(robot, [])
    model, bodies = tree(robot), list[Body]()
    last = {-1: -1}
    lost = [
        refused(library, loop, f"is a {loop.type} joint that closes a loop", "load the robot with without=['loop']")
        for loop in robot.loops.values()
        if loop.type not in loops
    ]
    if weighed:
        check_weighed(robot)
    for i in _depth_first(model.parent):
        bodies += _row(robot, model, i, last[model.parent[i]], len(bodies))
        last[i] = len(bodies) - 1
    for body in bodies:
        if body.kind not in kinds:
            lost.append(refused(library, body.joint, f"is a {body.kind} joint", f"expected one of {', '.join(kinds)}"))
        if body.passive.stiffness.any() and not springs:
            lost.append(refused(library, body.joint, "has a spring", "load the robot with without=['dynamics']"))
    if lost:
        raise KinetreeError(lost)
    return bodies, {name: (last[i], T) for name, (i, T) in model.frames.items() if not robot.frames[name].unplaced}


def _row(robot: Robot, model: Tree, i: int, carrier: int, first: int) -> Iterator[Body]:
    """Yield the bodies of joint i of a tree, the first of index `first`, on the body `carrier`."""
    name, kind, joint = model.joints[i], model.joint_type[i], robot.joints[model.joints[i]]
    singles = kind.singles(model.axes[i]) if kind.singles else [(kind.name, *model.axes[i][:1])]
    for k, (single, *axis) in enumerate(singles):
        at = slice(k, k + 1) if kind.singles else slice(0, None)
        yield Body(
            f"{name}.{kind.coordinates[k]}" if kind.singles else name,
            joint,
            first + k - 1 if k else carrier,
            se3.IDENTITY if k else model.T_tree[i],
            single,
            axis[0] if axis else np.zeros(3),
            model.pitch[i],
            _part(model.q_slice[i], at),
            _part(model.v_slice[i], at),
            model.multiplier[i],
            model.offset[i],
            resolve_mimic(robot, name)[0] if joint.mimic else None,
            joint.limits[k] if joint.limits else UNLIMITED,
            Passive._make([numbers[at] for numbers in model.passive[i]]),
            about_com(model.inertia[i]) if k == len(singles) - 1 else None,
        )


def _depth_first(parent: Sequence[int]) -> list[int]:
    paths: dict[int, tuple[int, ...]] = {-1: ()}
    for i, carrier in enumerate(parent):
        paths[i] = (*paths[carrier], i)
    return sorted(range(len(parent)), key=paths.__getitem__)


def link_names(bodies: Sequence[Body], frames: Mapping[str, tuple[int, Array]], reserved: str = "") -> list[str]:
    """Return a name for each body: that of the link that its joint moves, if the frames of both are one and the library
    has not reserved it, else a free one."""
    taken, names = {*frames}, []
    for i, body in enumerate(bodies):
        at, T = frames[body.joint.child]
        own = at == i and np.array_equal(T, se3.IDENTITY) and body.joint.child != reserved
        names.append(body.joint.child if own else free_name(f"{body.name}_body", taken))
    return names


def along_coordinate(axis: Array) -> tuple[Array, Array]:
    """Return a pose T (4, 4) that turns, and the axis (3,) in its axes, where it is x, y or z, or zero as before."""
    if np.count_nonzero(axis) == (axis > 0).sum() < 2:
        return se3.IDENTITY, axis
    return se3.homogeneous(se3.rotation_between(_Z, axis), (0.0, 0.0, 0.0)), _Z


def along_coordinates(
    bodies: Sequence[Body], frames: Mapping[str, tuple[int, Array]], kinds: Collection[str]
) -> tuple[list[Body], dict[str, tuple[int, Array]]]:
    """Return the bodies and frames with those bodies turned whose joints are of some kinds, so that each axis is x, y
    or z."""
    turned: list[Body] = []
    turns = {-1: se3.IDENTITY}  # from the new frame of a body to the old one
    for i, body in enumerate(bodies):
        turns[i], axis = along_coordinate(body.axis) if body.kind in kinds else (se3.IDENTITY, body.axis)
        body = body._replace(T=turns[body.parent].T @ body.T @ turns[i], axis=axis)  # a turn is orthogonal
        if body.inertia:
            mass, com, I = body.inertia
            R = turns[i][:3, :3]
            body = body._replace(inertia=(mass, R.T @ com, R.T @ I @ R))
        turned.append(body)
    return turned, {name: (i, turns[i].T @ T) for name, (i, T) in frames.items()}


def refused(library: str, joint: Joint, why: str, fix: str | None = None) -> Finding:
    """Return the finding for a joint that a library does not take."""
    message = f"it {why}, which {library} does not take"
    return Finding("bridge", "error", message, joint.source, f"joint {joint.name!r}", fix)


def library(module: str, extra: str) -> Any:
    """Return an imported module. Raises KinetreeError that names the extra if it is not installed."""
    try:
        return import_module(module)
    except ModuleNotFoundError:
        message = f"this bridge needs {module.partition('.')[0]}, which is not installed"
        raise fail("bridge", message, fix=f"pip install 'kinetree[{extra}]'") from None


@contextmanager
def refusals(library: str) -> Iterator[None]:
    """Raise what a library raises of a model as KinetreeError."""
    try:
        yield
    except (ValueError, RuntimeError, TypeError) as error:
        if isinstance(error, KinetreeError):
            raise
        raise fail("bridge", f"{library} does not take this robot: {' '.join(str(error).split())}") from error


def _part(whole: slice, part: slice) -> slice:
    stop = whole.stop if part.stop is None else whole.start + part.stop
    return slice(whole.start + part.start, stop)
