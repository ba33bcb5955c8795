"""Compilation of an algorithm for a robot: look up names, trace the algorithm, and keep the kernel."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from math import prod
from typing import Any, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from kinetree.algorithms.differential import coordinate_rates
from kinetree.algorithms.gauge import gauged
from kinetree.compiler.cache import digest
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port, Tangent, flat_results
from kinetree.compiler.program import Program, objects, trace
from kinetree.errors import Finding, KinetreeError, UnknownNameError, fail, unknown_name, wrong_type
from kinetree.model.placed import check_placed
from kinetree.model.robot import Robot
from kinetree.model.tree import Tree, build_tree, with_standing
from kinetree.spatial.numbers import numbers
from kinetree.spatial.se3 import Array, homogeneous, rotation_from_vector

V = TypeVar("V")

_answers: WeakKeyDictionary[Robot, dict[Hashable, Any]] = WeakKeyDictionary()
"""Results per robot; they must not refer to the robot, or it would never be freed."""


def memoise(robot: Robot, key: Hashable, make: Callable[[], V]) -> V:
    """Return the result for a robot and key, made at the first call.

    Threads that make it at once all get the same one, of the first that is done: `setdefault` is one step for other
    threads, also in a Python without a global lock.
    """
    answers = _answers.setdefault(robot, {})
    if key not in answers:
        answers.setdefault(key, make())
    value: V = answers[key]
    return value


class FixedInput(NamedTuple):
    """Joints of a robot that stand where an input of its kernels says.

    robot: with all joints, the standing ones last. moving: how many joints move. columns: the numbers of the standing
    ones in the input. port: the input. at (nq,): the numbers of the input if they are constant; then there is none.
    """

    robot: Robot
    moving: int
    columns: Array
    port: Port
    at: Array | None = None


def fixed_input(robot: Robot) -> FixedInput | None:
    """Return the joints of a robot that stand where an input says, if it has such."""
    return memoise(robot, fixed_input, lambda: None)


def origin_input(robot: Robot) -> Port | None:
    """Return the input of the poses of joints and frames that are not those of the robot, if it has such."""
    return memoise(robot, origin_input, lambda: None)


def tree(robot: Robot, cuts: tuple[str, ...] = ()) -> Tree:
    """Return the robot as computed; the links of the fixed joints `cuts` are bodies of their own."""

    def make() -> Tree:
        if still := fixed_input(robot):
            return with_standing(build_tree(still.robot, cuts), robot.nq)
        return build_tree(robot, cuts)

    return memoise(robot, ("tree", cuts), make)


def query(
    robot: Robot,
    key: tuple[Hashable, ...],
    frames: Sequence[str],
    output: Port | tuple[Port, ...],
    algorithm: Callable[..., Any],
    more: Sequence[Port] = (),
    cuts: tuple[str, ...] = (),
) -> Kernel:
    """Return the kernel of an algorithm on (tree, q, *arrays), with the arrays after q described by `more`.

    key: the name of the query and all its arguments. frames: those that the algorithm uses. output: the port of its
    result, or those of all arrays that it returns. cuts: fixed joints whose links are bodies of their own in the tree.
    """

    def make() -> Kernel:
        model, still, free = tree(robot, cuts), fixed_input(robot), origin_input(robot)
        last = [*([free] if free else []), *([still.port] if still and still.at is None else [])]
        ports = (coordinates(robot), *more, *last)
        function = algorithm if isinstance(output, Port) else partial(flat_results, output, algorithm)
        if still:
            function = partial(_extended, function, still)
        if free:
            function = partial(_placed, function, robot, cuts, len(more))

        def traced() -> Program:
            given = model if free else gauged(model, frames)
            program = trace(partial(function, given), *[port.shape for port in ports])
            size = sum(prod(port.shape) for port in ([output] if isinstance(output, Port) else output))
            assert len(program.results) == size, "the result has the port's entries"
            return program

        where = still.columns.tolist() if still else []
        place = origin(robot, (key, [port.shape for port in ports], *where), cuts)
        return Kernel(str(key[0]), ports, output, traced, place, of=f"robot {robot.name!r}")

    return memoise(robot, key, make)


def _extended(algorithm: Callable[..., Any], still: FixedInput, model: Tree, q: Any, *arrays: Any) -> Any:
    """Return what an algorithm returns for the q of all joints, those that stand taken from the last array."""
    *given, at = arrays
    return algorithm(model, np.concatenate([q, at[still.columns]]), *given)


def _placed(
    algorithm: Callable[..., Any], robot: Robot, cuts: tuple[str, ...], count: int, _: Tree, q: Any, *arrays: Any
) -> Any:
    """Return what an algorithm returns for the tree with the poses in the array after the first `count`."""
    port, still, rows = origin_input(robot), fixed_input(robot), arrays[count]
    assert port
    poses = {name: homogeneous(rotation_from_vector(x[3:]), x[:3]) for name, x in zip(port.rows, rows, strict=True)}
    model = build_tree(still.robot if still else robot, cuts, poses)
    model = with_standing(model, robot.nq) if still else model
    at = [] if still is None or still.at is None else [objects([rows[0, 0].graph.constant(x) for x in still.at])]
    return algorithm(model, q, *arrays[:count], *arrays[count + 1 :], *at)


def origin(robot: Robot, key: Hashable, cuts: tuple[str, ...] = ()) -> str:
    """Return a hash of a robot as computed, and a key."""
    return digest(memoise(robot, ("digest", cuts), lambda: _digest(robot, cuts)), repr(key))


def _digest(robot: Robot, cuts: tuple[str, ...]) -> str:
    """Return a hash of all that kernels of a robot depend on."""
    whole, free, still = _contents(tree(robot, cuts)), origin_input(robot), fixed_input(robot)
    at = still.at if still else None
    if free is None:
        assert at is None, "joints stand at constant numbers of an input only with poses as an input"
        return whole
    joints = [robot.joints[name] for name in robot.placed]
    frames = [frame for frame in robot.frames.values() if frame.name not in robot.links]
    inertials = [(name, link.inertial) for name, link in robot.links.items() if link.inertial]
    poses = [T for one in joints for T in (one.origin, one.child_origin)] + [frame.origin for frame in frames]
    masses = [x for _, one in inertials for x in (np.array([one.mass]), one.origin, one.inertia)]
    words = (
        free.rows,
        [(joint.name, joint.parent, joint.child) for joint in joints],
        [(frame.name, frame.link) for frame in frames],
        [name for name, _ in inertials],
    )
    return digest(whole, repr(words), *(x.tobytes() for x in (*poses, *masses, *([] if at is None else [at]))))


def coordinates(robot: Robot) -> Port:
    """Return the port of q."""

    def make() -> Port:
        port = Port("q", (robot.nq,), robot.coordinate_names, "m, rad")
        return port if robot.nq == robot.nv else replace(port, tangent=_motions(robot))

    return memoise(robot, "coordinates", make)


def _motions(robot: Robot) -> Tangent:
    """Return the velocity coordinates as coordinates of motions of q."""
    model = build_tree(robot) if fixed_input(robot) else tree(robot)
    rates = trace(partial(coordinate_rates, model), (robot.nq,), (robot.nv,))
    return Tangent((robot.nv,), robot.velocity_names, rates)


UNITS = {"qd": "m/s, rad/s", "qdd": "m/s², rad/s²", "tau": "N, N m"}


def velocities(robot: Robot, name: str = "qd", what: str = "") -> Port:
    """Return the port of qd, or of qdd or tau, which have the same labels. what: a description to put before units."""
    about = f"{what}; {UNITS[name]}" if what else UNITS[name]
    return memoise(robot, ("velocities", name, what), lambda: Port(name, (robot.nv,), robot.velocity_names, about))


def _contents(model: Tree) -> str:
    """Return a hash of all numbers of a tree."""
    names, places = model.frames.keys(), model.frames.values()
    arrays = [np.concatenate([np.ravel(a) for a in (*model.axes, *model.T_tree, *model.inertia, model.base_inertia)])]
    arrays += [
        np.array(
            [*model.pitch, *model.multiplier, *model.offset, *(c for some in model.higher for c in (len(some), *some))]
        ),
        *(T for _, T in places),
    ]
    arrays += [np.concatenate(passive) for passive in model.passive]
    words = (model.joints, model.parent, [t.name for t in model.joint_type], model.q_slice, model.v_slice, list(names))
    return digest(repr((words, [body for body, _ in places])), *(array.tobytes() for array in arrays))


def frames_of(robot: Robot, names: Iterable[str | None]) -> tuple[str, ...]:
    """Return the checked names of frames, None as the root link; raise KinetreeError if one is not a frame, or has no
    known place."""
    if not isinstance(robot, Robot):
        message = f"a question is asked of a robot that `kinetree.load` gives, not of a {type(robot).__name__}"
        raise wrong_type("robot", message)
    known, found = tuple([robot.root if name is None else name for name in names]), robot.frames
    for name in known:
        if not isinstance(name, str):
            raise wrong_type("frame", f"frames are asked for by name, not by {name!r}")
        if (frame := found.get(name)) is None:
            raise _no_frame(robot, name)
        if frame.unplaced:
            check_placed(robot, name)
    return known


def _no_frame(robot: Robot, name: str) -> UnknownNameError:
    """Return the error for an unknown frame; for one of the iCub's page it has the name that the robot has for it."""
    from kinetree.robots.icub.naming import naming  # takes 3 ms and is rarely needed

    known = next((entry.known_as for entry in naming().frames if entry.correct.frame == name), ())
    if name in robot.joints:
        what = f"is a joint; the link that it moves is {robot.joints[name].child!r}"
    elif name in robot.sensors:
        what = f"is a sensor on frame {robot.sensors[name].frame!r}"
    elif other := next((own for own in known if own in robot.frames), None):
        what = f"is called {other!r} in this robot; kt.icub.frame finds such names"
    else:
        return unknown_name("frame", name, list(robot.frames))
    return UnknownNameError(Finding("unknown-name", "error", f"no frame {name!r}, which {what}"))


def one_of(option: str, value: object, legal: Iterable[object]) -> None:
    """Raise KinetreeError if the value of an option is not legal."""
    if value not in (names := tuple(legal)):
        raise fail(option.replace("_", "-"), f"{option} is {value!r}; expected one of {', '.join(map(repr, names))}")


def tolerance_of(given: Any) -> tuple[float, float]:
    """Return a tolerance in m and rad; raise KinetreeError if it is not two finite numbers above 0."""
    try:
        bounds = numbers(given, "tolerance", "tolerance is")
    except KinetreeError:
        bounds = np.zeros(0)
    if bounds.shape != (2,) or not ((bounds > 0) & np.isfinite(bounds)).all():
        raise fail("tolerance", f"tolerance is {given!r}; expected two finite numbers above 0, m and rad")
    return float(bounds[0]), float(bounds[1])
