"""What all questions of dynamics share: their options, their inputs, and which robots they refuse."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Unpack

import numpy as np

from kinetree.algorithms.dynamics.lumping import lumped
from kinetree.algorithms.dynamics.mass_matrix import crba
from kinetree.algorithms.dynamics.parameters import NAMES, parameters_of, with_parameters
from kinetree.arguments import as_names, explain_type_errors
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port
from kinetree.errors import KinetreeError, fail
from kinetree.formats.uncomputed import static_links, uncomputed
from kinetree.model.inertias import check_inertias, check_weighed
from kinetree.model.robot import Robot
from kinetree.model.tree import Tree, spatial_inertia
from kinetree.queries.joint_choice import Joints
from kinetree.queries.options import GRAVITY, Gravity, OriginOptions, wants_closed
from kinetree.queries.query import frames_of, memoise, one_of, origin_input, query, tree
from kinetree.queries.statics import WRENCH
from kinetree.robots.icub.boards import is_icub
from kinetree.spatial.numbers import numbers
from kinetree.spatial.plucker import moved_wrench
from kinetree.spatial.se3 import IDENTITY, Array

WEIGHTLESS = (0.0, 0.0, 0.0)
LOOPS = ("refuse", "ignore", "closed")
"""What is done about loops."""
ALL = ("mass", "passive", "armature", "weight", "medium")


class Loads(NamedTuple):
    """What acts on a robot: gravity (3,), and the wrench (6,) on each body, moment first."""

    gravity: Any
    external: dict[int, Array]


def force_query(
    robot: Robot,
    key: tuple[Any, ...],
    motion: Sequence[Port],
    output: Port | tuple[Port, ...],
    algorithm: Callable[..., Any],
    *,
    gravity: Gravity = GRAVITY,
    wrenches: str | Sequence[str] = (),
    parameters: bool = False,
    friction: bool = False,
    loops: str = "refuse",
    driven: Joints = None,
    frames: Sequence[str] = (),
    cuts: tuple[str, ...] = (),
    keep: Callable[[Tree], Iterable[int]] = lambda tree: (),
    needs: Collection[str] = ALL,
    last: Sequence[Port] = (),
    **joints: Unpack[OriginOptions],
) -> Kernel:
    """Return the kernel of an algorithm on (tree, given, q, *motion, *last).

    gravity to driven: see `kinetree.dynamics`. keep: the bodies of a tree whose inertia must stay where it is. needs:
    whether the answer depends on masses, passive forces of joints, armature, weight and the drag of a medium, and is
    infinite without resistance. last: inputs that follow all others. joints: nothing, because `robot_query` has applied
    these options. Otherwise see `query`. Raises KinetreeError for options that are not legal, and for robots that they
    do not fit.
    """
    assert not joints, "the query has the decorator `robot_query`"
    closer = None
    if wants_closed(driven, loops, LOOPS):
        from kinetree.queries.closed import closed, closed_dynamics  # seldom wanted

        closer, motion, output, algorithm = closed_dynamics(robot, driven, key[0], output, friction)
        key, loops = (*key, closer.roles.key), "closed"
    falls = _checked_gravity(gravity)
    on = as_names(wrenches)

    def made() -> Kernel:
        _check_options(robot, on, parameters=parameters, friction=friction, loops=loops)
        _check_robot(robot, needs, falls, parameters=parameters, friction=friction)
        links, held = links_with_mass(robot), static_links(robot) if "weight" in needs else frozenset()
        inputs = [
            *([Port("gravity", (3,), ("x", "y", "z"), "in the root's axes; m/s²")] if falls is None else []),
            *([Port("w", (len(on), 6), WRENCH, f"from outside on {in_own_axes(on)}; N, N m", on)] if on else []),
            *([parameter_port(robot)] if parameters else []),
        ]

        def traced(model: Tree, q: Any, *arrays: Any) -> Any:
            rest = list(arrays[len(motion) :])
            now = rest.pop(0) if falls is None else np.array(falls)
            external = _external(model, on, rest.pop(0)) if on else {}
            if parameters:
                model = with_parameters(model, links, rest.pop(0))
            elif not origin_input(robot):  # where inertias move to depends on the poses
                model = lumped(model, set(keep(model)))
            model = _held(robot, model, held)
            return algorithm(model, Loads(now, external), q, *arrays[: len(motion)], *rest)

        fixed = [f"gravity {' '.join(f'{x:g}' for x in falls)} m/s²"] if falls and any(falls) else []
        fixed += ["with Coulomb friction"] * friction
        fixed += [f"loops {'closed' if closer else 'ignored'}"] * bool(robot.loops)
        outputs = (output,) if isinstance(output, Port) else output
        ports = tuple(replace(port, about="; ".join([port.about, *fixed])) for port in outputs)
        answer = ports if len(ports) > 1 else ports[0]
        whole = (*key, falls, on, links if parameters else (), friction, *sorted(held))
        return query(robot, whole, [*frames, *on], answer, traced, [*motion, *inputs, *last], cuts)

    kernel = memoise(robot, (*key, falls, on, parameters, friction, loops), made)
    return closed(closer, kernel) if closer else kernel


def _checked_gravity(gravity: Gravity) -> tuple[float, ...] | None:
    if gravity is None or gravity is GRAVITY:
        return gravity
    values = numbers(gravity, "gravity", "gravity is")
    if values.shape != (3,) or not np.isfinite(values).all():
        raise fail("gravity", f"gravity is {gravity}; expected three finite numbers, or None for an input")
    return tuple(values.tolist())


def _check_options(robot: Robot, wrenches: Sequence[str], *, parameters: bool, friction: bool, loops: str) -> None:
    frames_of(robot, wrenches)
    for option, value in (("parameters", parameters), ("friction", friction)):
        one_of(option, value, (True, False))
    if robot.loops and loops == "refuse":
        message = f"joints close loops, whose forces are not known: {', '.join(robot.loops)}"
        fix = "loops='ignore' (--loops ignore) computes the tree without them; with driven=[…], the joints that are "
        fix += "given, inverse_dynamics and forward_dynamics know them"
        raise fail("loops", message, fix=fix)
    if parameters and not links_with_mass(robot):
        raise fail("no-mass", "no link of the robot has an inertial, so there are no parameters", fix=GIVE)


def _check_robot(
    robot: Robot, needs: Collection[str], gravity: tuple[float, ...] | None, *, parameters: bool, friction: bool
) -> None:
    """Raise KinetreeError for a robot without what the answer needs, or with forces that are not computed."""
    if "mass" in needs and not parameters:
        check_masses(robot)
    if "resistance" in needs and not parameters:
        _check_resistance(robot)
    if "passive" in needs:
        _check_passive(robot, friction=friction)
    _refuse_uncomputed(
        robot, {*needs, *(["friction"] if friction else [])} - {"weight" if gravity == (0, 0, 0) else ""}
    )


def check_masses(robot: Robot) -> None:
    """Raise KinetreeError for a robot without masses, or with ones that no body can have."""
    check_weighed(robot)
    if not any(link.inertial and link.inertial.mass for link in robot.links.values()):
        take = 'inertias="iCubGazeboV2_5" (--inertias iCubGazeboV2_5) takes masses from the package icub-models'
        message = "no link of the robot has a mass, which this needs"
        raise fail("no-mass", message, fix=take if is_icub(robot) else GIVE)
    memoise(robot, "inertias", lambda: check_inertias(robot))


def _refuse_uncomputed(robot: Robot, counted: Collection[str]) -> None:
    """Raise KinetreeError for a force of the file that is not computed and on which the answer depends."""
    for counts, found in uncomputed(robot.links.values(), robot.joints.values(), robot.extensions):
        if not {*counted}.isdisjoint(counts.split()):
            raise KinetreeError(replace(found, severity="error", fix="remove it, if it shall not count"))


def _held(robot: Robot, model: Tree, held: Collection[str]) -> Tree:
    """Return the tree without the inertias of bodies that the world holds: static links weigh on no joint."""
    none = np.zeros((6, 6))
    inertia = [none if robot.joints[j].child in held else I for j, I in zip(model.joints, model.inertia, strict=True)]
    return replace(model, inertia=tuple(inertia)) if held else model


def _external(model: Tree, frames: Sequence[str], w: Any) -> dict[int, Array]:
    """Return the sum of the wrenches (k, 6) on each body, in its axes, moment first."""
    sums: dict[int, Array] = {}
    for frame, one in zip(frames, w, strict=True):
        body, T = model.frame(frame)
        moved = moved_wrench(T, one)
        body = body % (len(model.parent) + 1)  # the base is last
        sums[body] = sums.get(body, np.zeros(6)) + np.array([*moved[3:], *moved[:3]])
    return sums


def in_own_axes(names: Sequence[str]) -> str:
    """Return the names of frames, and that their own axes and origins are meant."""
    own = "its axes about its origin" if len(names) == 1 else "their axes about their origins"
    return f"{', '.join(names)}, in {own}"


def links_with_mass(robot: Robot) -> tuple[str, ...]:
    """Return the links that have an inertial, in the order of the robot."""
    return tuple(name for name, link in robot.links.items() if link.inertial)


def parameter_port(robot: Robot) -> Port:
    """Return the port of inertial parameters (n, 10)."""
    links = links_with_mass(robot)
    return Port("parameters", (len(links), 10), NAMES, f"of {in_own_axes(links)}; kg, kg m, kg m²", links)


@explain_type_errors
def inertial_parameters(robot: Robot) -> dict[str, Array]:
    """Return the inertial parameters (10,) of every link with an inertial, by the name of the link.

    The ten are mass m, first moments mcx mcy mcz, and Ixx Ixy Iyy Ixz Iyz Izz about the origin of the link's frame, in
    its axes; kg, kg m, kg m². Kernels with `parameters=True` take this mapping.

    Examples:
        >>> import kinetree as kt
        >>> pendulum = kt.chain([{"axis": [0, -1, 0], "m": 2, "r": [0.5, 0, 0]}])
        >>> parameters = kt.dynamics.inertial_parameters(pendulum)["q1_link"]
        >>> parameters.tolist()  # 2 kg, 2 kg * 0.5 m, Iyy and Izz = 2 kg * (0.5 m)²
        [2.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.5]
    """
    check_weighed(robot)
    return {
        name: parameters_of(spatial_inertia(link.inertial, IDENTITY))
        for name, link in robot.links.items()
        if link.inertial
    }


def _check_passive(robot: Robot, *, friction: bool) -> None:
    """Raise KinetreeError where passive forces are not known, or are no function of position and velocity."""
    is_constraint = robot.text is not None and robot.text.format == "mjcf"
    for joint in robot.joints.values():
        message = fix = ""
        if any(row.stiffness for row in joint.dynamics) and any(e.tag == "initial" for e in joint.extensions):
            message = "its spring pulls to where its body is drawn; only springs to pos='0 0 0' are known"
            fix = "draw the body there without rotation"
        elif friction and is_constraint and any(row.friction for row in joint.dynamics):
            message = "frictionloss is a constraint that MuJoCo solves, no function of position and velocity"
            fix = "ask without friction=True (--friction)"
        if message:
            raise fail("passive", message, element=f"joint {joint.name!r}", fix=fix)


def _check_resistance(robot: Robot) -> None:
    """Raise KinetreeError, which names the joints, if accelerations would be infinite because no mass resists them."""
    if names := memoise(robot, "weightless", lambda: _weightless(_held(robot, tree(robot), static_links(robot)))):
        message = f"no mass resists the motion of {', '.join(map(repr, names))}, so accelerations would be infinite"
        fix = f"fix the joints with kt.edit.lock(robot, {dict.fromkeys(names, 0.0)}), or give their links inertias"
        raise fail("no-mass", message, element=f"robot {robot.name!r}", fix=fix)


GIVE = "give links an <inertial>, or rows of kt.chain and of DH tables m=, r= and I="
"""How links get masses."""
NOTHING = 1e-13
"""Part of a diagonal entry of the mass matrix below which what elimination leaves of it is rounding error."""


def _weightless(model: Tree) -> list[str]:
    """Return the joints along which no inertia resists, at a configuration with nothing special."""
    H = crba(model, np.random.default_rng(0).normal(size=model.nq)).astype(float)
    before, found = H.diagonal().copy(), []
    for k in reversed(range(model.nv)):
        if H[k, k] > NOTHING * before[k]:
            H[:k, :k] -= np.outer(H[k, :k], H[k, :k]) / H[k, k]
        else:
            found += [n for n, own in zip(model.joints, model.v_slice, strict=True) if own.start <= k < own.stop][:1]
    return list(dict.fromkeys(reversed(found)))
