"""Closed loops for the page: how far they are open, and the functions that close them."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from kinetree.algorithms.closing import following_rates
from kinetree.algorithms.differential import coordinate_rates
from kinetree.algorithms.loops import loop_jacobian
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port
from kinetree.errors import KinetreeError
from kinetree.model.edit.extensions import kept_elements
from kinetree.model.references import kind_of
from kinetree.model.robot import Joint, Robot, slices
from kinetree.model.tree import Tree
from kinetree.queries.closing import DEAD, TOLERANCE, LoopCloser, close
from kinetree.queries.joint_choice import Joints
from kinetree.queries.loop_roles import nearby, rank
from kinetree.queries.margin import loop_error
from kinetree.queries.query import query, tree
from kinetree.spatial.se3 import Array, inverse
from kinetree.viewing.scene.robot import configuration, flat


def start(robot: Robot, q: Any, driven: Joints = None) -> Array:
    """Return the first configuration (nq,): q, or if that is None the neutral one; or if loops are open there, the
    start of `closer_of(robot, driven)`, if they are closed there.

    Raises KinetreeError for a wrong q, see `configuration`.
    """
    if q is not None:
        return configuration(robot, q)
    closer = None if _is_closed(robot, robot.q()) else closer_of(robot, driven)[0]
    return closer.start if closer and _is_closed(robot, closer.start) else robot.q()


def _is_closed(robot: Robot, q: Array) -> bool:
    return not robot.loops or bool((loop_error(robot).interpret(q) <= TOLERANCE).all())


def closer_of(robot: Robot, driven: Joints = None) -> tuple[LoopCloser | None, str]:
    """Return what closes the loops of a robot, or None and the reason.

    driven: as for `kt.kinematics.close`, by default `determining_joints`. Raises KinetreeError for wrong given ones.
    """
    try:
        return close(robot, determining_joints(robot) if driven is None else driven), ""
    except KinetreeError as error:
        if driven is not None:
            raise
        return None, error.findings[0].message


def determining_joints(robot: Robot) -> list[str]:
    """Return joints in loops that determine all others there, in the order of q.

    Joints with an actuator come first, then others in the order of q, joints of several coordinates
    last; each is taken unless those before determine it.
    """
    loops = tuple(loop for loop in robot.loops.values() if loop.kind.rows)
    J = loop_jacobian(tree(robot), nearby(robot), loops).astype(float)
    kept = kept_elements(robot.extensions, "mjcf", "actuator")
    motors = {one.joint for one in robot.actuators.values()}
    for part in (part for _, own in kept for part in own.children):
        motors |= {name for key, name in part.attributes.items() if kind_of("mjcf", part.tag, key) == "joint"}
    names, parts, follow, driven = robot.joint_names, slices(robot, "nv"), J[:, :0], set[str]()
    for name in sorted(names, key=lambda one: (one in motors, robot.joints[one].kind.nv == 1, -parts[one].start)):
        more = np.hstack([follow, own := J[:, parts[name]]])
        if rank(more, DEAD) == rank(follow, DEAD) + rank(own, DEAD):
            follow = more
        else:
            driven.add(name)
    return [name for name in names if name in driven]


def loop_ends(loop: Joint) -> tuple[tuple[str, Array], tuple[str, Array]]:
    """Return the links of a joint that closes a loop, and its pose in each; twice the child's if the joint slides."""
    child = loop.child, inverse(loop.child_origin)
    return ((loop.parent, loop.origin) if all(loop.kind.velocity_angular) and not loop.pitch else child), child


def open_loops(robot: Robot, q: Array, T: Mapping[str, Array]) -> Iterator[tuple[Array, str]]:
    """Yield the points (2, 3), m, where the ends of each open loop are, and its gap in words. T: poses of the links."""
    for (name, loop), gap in zip(robot.loops.items(), loop_error(robot).interpret(q), strict=True):
        if not (gap <= TOLERANCE).all():
            points = np.array([T[end] @ P for end, P in loop_ends(loop)])[:, :3, 3]
            turned = f" and {np.degrees(gap[1]):.3g}°" if gap[1] > TOLERANCE[1] else ""
            yield points, f"{name} is open by {1e3 * gap[0]:.3g} mm{turned}"


def described_loops(robot: Robot, driven: Joints) -> tuple[dict[str, Any], list[tuple[str, Kernel]]]:
    """Return the loops of a robot and its joints in them, and the functions of gaps, and if loops can be closed, of
    `algorithms/closing.py`, with the rates (n, nq) of all coordinates for those of the driven ones."""
    links, joints = ({name: i for i, name in enumerate(names)} for names in (robot.links, robot.placed))
    ends = {name: [[links[end], flat(P)] for end, P in loop_ends(loop)] for name, loop in robot.loops.items()}
    closer, why = closer_of(robot, driven)
    loops = [{"name": name, "ends": both} for name, both in ends.items()]
    described: dict[str, Any] = {"loops": loops, "tolerance": TOLERANCE, "why": why, "closer": None}
    if closer is None:
        return described, [("loop_gap", loop_error(robot))]
    roles, walk, moving = closer.roles, closer._walk, {*closer.roles.following}
    described["closer"] = {
        "driven": [joints[name] for name in roles.joints],
        "following": [joints[n] for n, at in slices(robot, "nv").items() if moving & {*range(robot.nv)[at]}],
        "columns": list(roles.columns),
        "sizes": [port.shape[0] for port in walk.inputs],
    }

    def rates(model: Tree, q: Any) -> Array:
        return np.array([coordinate_rates(model, q, qd) for qd in following_rates(model, roles, q).T])

    D, following = Port("D", (len(roles.driven), robot.nq)), Port("next", walk.output.shape)
    rates_kernel = query(robot, ("closed_coordinate_rates", roles.key), roles.ends, D, rates)
    one_step = Kernel("close_step", walk.inputs, following, lambda: replace(walk.program, repeated=False))
    named = {"loop_gap": loop_error(robot), "loop_begin": closer._begin, "loop_step": one_step}
    return described, [*named.items(), ("loop_rates", rates_kernel)]
