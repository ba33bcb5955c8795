"""Which joints of a robot with loops are given, which follow, and which stay; and whether that can be."""

from collections.abc import Iterable

import numpy as np

from kinetree.algorithms.differential import integrate
from kinetree.algorithms.loops import Roles, loop_jacobian
from kinetree.compiler.cache import digest
from kinetree.display import counted
from kinetree.errors import Finding, KinetreeError, fail
from kinetree.model.drawn import drawn_posture
from kinetree.model.robot import Robot, slices
from kinetree.model.tree import Tree
from kinetree.queries.joint_choice import Joints, chosen_names
from kinetree.queries.query import fixed_input, memoise, tree
from kinetree.spatial.se3 import Array

RANK = 1e-9
"""Singular values below this part of the largest count as zero."""


def loop_roles(robot: Robot, driven: Joints) -> Roles:
    """Return what each joint does. Raises KinetreeError if the loops leave joints undetermined, or restrict the driven
    ones, for robots without loops, and for loops whose demands are not known."""
    if not robot.loops:
        raise fail("loops", "the robot has no loops; expected joints of a file that close one", element="driven")
    for loop in robot.loops.values():
        if loop.kind.rows is None:
            message = f"a {loop.type} joint closes a loop; expected joints of other types"
            raise KinetreeError([Finding("loop", "error", message, loop.source, f"joint {loop.name!r}")])
    if driven is None:
        J = loop_jacobian(tree(robot), nearby(robot), tuple(robot.loops.values()))
        legal = ", ".join(_joints(robot, np.flatnonzero(J.any(axis=0))))
        message = "driven is missing; expected the joints whose positions are given, such as those with motors"
        raise fail("driven", message, fix=f"name them as driven=[…]; joints in loops are {legal}")
    assert fixed_input(robot) is None, "joints= and at= are refused before"
    names = chosen_names(robot, driven, "driven")
    return memoise(robot, ("loop_roles", names), lambda: _roles(robot, names))


def _roles(robot: Robot, names: tuple[str, ...]) -> Roles:
    model, loops = tree(robot), tuple(robot.loops.values())
    q, v = robot.q_slices, slices(robot, "nv")
    driven = [j for name in names for j in range(v[name].start, v[name].stop)]
    J = loop_jacobian(model, nearby(robot), loops).astype(float)
    others = [int(j) for j in np.flatnonzero(J.any(axis=0)) if j not in driven]
    drawn = loop_jacobian(model, drawn_posture(robot), loops).astype(float)
    idle = _idle(model, drawn, others)
    following = [j for j in others if j not in idle]
    free = _null(J[:, following])
    if free.shape[1]:
        left = _joints(robot, np.array(following)[np.abs(free).max(axis=1) > 1e-6])
        message = f"with {', '.join(map(repr, names))} alone, the loops leave {', '.join(map(repr, left))} free"
        raise fail("driven", message, fix=f"name {counted(free.shape[1], 'more driven joint')} of them")
    inside = [j for j in driven if J[:, j].any()]
    most = len(inside) + len(following) - rank(drawn[:, [*inside, *following]])
    if len(inside) > most:
        given = _joints(robot, np.array(inside))
        message = f"driven joints depend on each other through loops: {', '.join(map(repr, given))}"
        raise fail("driven", message, fix=f"name {len(inside) - most} fewer; the others then follow")
    columns = [j for name in names for j in range(q[name].start, q[name].stop)]
    held = sorted({*range(robot.nv)} - {*driven, *following})
    numbers = (array.tobytes() for loop in loops for array in (loop.origin, loop.axes, loop.child_origin))
    key = digest(repr([*names, *((loop.parent, loop.child, loop.type) for loop in loops)]), *numbers)
    return Roles(loops, names, tuple(driven), tuple(following), tuple(held), tuple(columns), key)


def nearby(robot: Robot) -> Array:
    """Return a configuration near that of the file with nothing special, such as parallel links."""
    v = np.random.default_rng(0).uniform(-0.3, 0.3, robot.nv)
    return integrate(tree(robot), drawn_posture(robot), v).astype(float)


def _idle(model: Tree, J: Array, columns: list[int]) -> set[int]:
    """Return coordinates along which balls turn freely, one for each that does, as a rod with a ball at each end does
    about its own axis."""
    found = set()
    for kind, where in zip(model.joint_type, model.v_slice, strict=True):
        own = [j for j in range(*where.indices(model.nv)) if j in columns]
        if kind.quaternion and len(own) == kind.nv:
            for turn in _null(J[:, own]).T[:1]:
                found.add(own[int(np.argmax(np.abs(turn)))])
    return found


def _null(J: Array, part: float = RANK) -> Array:
    """Return a basis (k, n) of the motions that J (m, k) maps to zero."""
    _, values, rows = np.linalg.svd(np.vstack([J, np.zeros((max(J.shape[1] - len(J), 0), J.shape[1]))]))
    return np.asarray(rows[values <= part * values.max(initial=1e-30)].T)


def rank(J: Array, part: float = RANK) -> int:
    """Return the number of directions that J (m, k) does not map to zero."""
    return int(J.shape[1] - _null(J, part).shape[1])


def _joints(robot: Robot, columns: Iterable[int]) -> list[str]:
    """Return the joints that have some of these velocity coordinates."""
    wanted = {int(j) for j in columns}
    return [name for name, where in slices(robot, "nv").items() if wanted & {*range(where.start, where.stop)}]
