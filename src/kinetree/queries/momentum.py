"""Masses, the centre of mass, momentum and energy of a whole robot."""

from collections.abc import Callable, Sequence
from typing import Any, Unpack

from kinetree.algorithms.differential import coordinate_rates
from kinetree.algorithms.dynamics import momentum
from kinetree.arguments import explain_type_errors
from kinetree.compiler.expr import rate
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port
from kinetree.model.inertias import check_weighed
from kinetree.model.robot import Robot
from kinetree.model.tree import Tree
from kinetree.queries.forces import WEIGHTLESS, force_query
from kinetree.queries.options import GRAVITY, Gravity, MassOptions, robot_query
from kinetree.queries.query import velocities


@explain_type_errors
def mass(robot: Robot) -> float:
    """Return the mass of all links together, in kg. Raises KinetreeError if the mass of a link is unknown.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain([{"axis": [0, 1, 0], "m": 2}, {"axis": [0, 1, 0], "xyz": [0.4, 0, 0], "m": 1.5}])
        >>> kt.dynamics.mass(arm)
        3.5
    """
    check_weighed(robot)
    return sum(link.inertial.mass for link in robot.links.values() if link.inertial)


@robot_query
def center_of_mass(robot: Robot, **options: Unpack[MassOptions]) -> Kernel:
    """Return the centre of mass of all links: a kernel from q (…, nq) to (…, 3), in the root link's frame, m.

    The mass of the root link counts, too. Raises KinetreeError if the links have no mass.

    Examples:
        >>> import kinetree as kt
        >>> link = {"axis": [0, 0, 1], "m": 2.0, "r": [0.5, 0, 0]}
        >>> arm = kt.chain([link, {**link, "xyz": [1, 0, 0]}])
        >>> kt.center_of_mass(arm)([0.0, 0.0]).round(3) + 0.0  # m
        array([1., 0., 0.])
    """
    output = Port("c", (3,), ("x", "y", "z"), f"centre of mass in {robot.root}; m")
    return _of_masses(robot, momentum.center_of_mass, output, **options)


@robot_query
def center_of_mass_jacobian(robot: Robot, **options: Unpack[MassOptions]) -> Kernel:
    """Return the Jacobian J of the centre of mass of all links: a kernel from q (…, nq) to (…, 3, nv).

    J qd is the velocity of the centre of mass in the root's axes, m/s. Raises KinetreeError if the links have no mass.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain([{"axis": [0, 0, 1], "m": 2, "r": [0.5, 0, 0]}])  # 2 kg, 0.5 m from its axis
        >>> J = kt.dynamics.center_of_mass_jacobian(arm)([0])
        >>> (J @ [3]).round(6) + 0.0  # 3 rad/s move the centre at 0.5 m with 1.5 m/s along y
        array([0. , 1.5, 0. ])
    """
    qd = velocities(robot)
    output = Port("J", (3, *qd.shape), qd.labels, "Jacobian of the centre of mass in the root's axes; m, rad")
    return _of_masses(robot, momentum.center_of_mass_jacobian, output, **options)


@robot_query
def centroidal_momentum_matrix(robot: Robot, **options: Unpack[MassOptions]) -> Kernel:
    """Return the centroidal momentum matrix A: a kernel from q (…, nq) to (…, 6, nv).

    A qd is the linear momentum, then the angular momentum about the centre of mass, in the root's axes; kg m/s,
    kg m²/s. The centre of mass is that of all links, the base included. Orin, Goswami & Lee, Centroidal dynamics of a
    humanoid robot, 2013. Raises KinetreeError if the links have no mass.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain([{"axis": [0, 0, 1], "m": 2, "r": [0.5, 0, 0], "I": [0, 0, 0.1]}])
        >>> A = kt.dynamics.centroidal_momentum_matrix(arm)([0])
        >>> (A @ [3]).round(6) + 0.0  # at 3 rad/s: 2 kg * 1.5 m/s along y, and 0.1 kg m² * 3 rad/s about z
        array([0. , 3. , 0. , 0. , 0. , 0.3])
    """
    qd = velocities(robot)
    output = Port(
        "A", (6, *qd.shape), qd.labels, "linear, then angular momentum of qd, in the root's axes; kg m, kg m²"
    )
    return _of_masses(robot, momentum.centroidal_momentum_matrix, output, **options)


@robot_query
def centroidal_momentum_matrix_dot(robot: Robot, **options: Unpack[MassOptions]) -> Kernel:
    """Return the rate of `centroidal_momentum_matrix`: a kernel from q (…, nq) and qd (…, nv) to dA/dt (…, 6, nv).

    The rate of the momentum A qd is A qdd + dA/dt qd: the force, then the moment about the centre of mass, of all that
    acts on the robot from outside; N, N m. Raises KinetreeError if the links have no mass.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain([{"axis": [0, 0, 1], "m": 2, "r": [0.5, 0, 0]}])
        >>> qd = [3]
        >>> A_dot = kt.dynamics.centroidal_momentum_matrix_dot(arm)([0], qd)
        >>> (A_dot @ qd).round(6) + 0.0  # centripetal: 2 kg * 0.5 m * (3 rad/s)²
        array([-9.,  0.,  0.,  0.,  0.,  0.])
    """
    qd = velocities(robot)
    output = Port("Ad", (6, *qd.shape), qd.labels, "rate of the centroidal momentum matrix; kg m, kg m², s")

    def algorithm(model: Tree, q: Any, rates: Any) -> Any:
        return rate(momentum.centroidal_momentum_matrix(model, q), q, coordinate_rates(model, q, rates))

    return _of_masses(robot, algorithm, output, "centroidal_momentum_matrix_dot", [qd], **options)


@robot_query
def energy(robot: Robot, *, gravity: Gravity = GRAVITY, **options: Unpack[MassOptions]) -> Kernel:
    """Return kinetic and potential energy: a kernel from q (…, nq) and qd (…, nv) to (…, 2), J.

    Kinetic energy includes armature, potential energy includes springs. Weight has no potential energy at the root's
    origin.

    Examples:
        >>> import numpy as np
        >>> import kinetree as kt
        >>> pendulum = kt.chain([{"axis": [0, -1, 0], "m": 2, "r": [0.5, 0, 0]}])  # 2 kg, level at q = 0
        >>> kinetic, potential = kt.dynamics.energy(pendulum)([np.pi / 2], [2])  # upright, with 1 m/s
        >>> print(f"{kinetic:.2f} J, {potential:.2f} J")
        1.00 J, 9.81 J
    """
    return force_query(
        robot,
        ("energy",),
        [velocities(robot)],
        Port("E", (2,), ("kinetic", "potential"), "energy; J"),
        lambda tree, given, q, qd: momentum.energy(tree, q, qd, given.gravity),
        gravity=gravity,
        loops="ignore",
        **options,
    )


def _of_masses(
    robot: Robot,
    algorithm: Callable[..., Any],
    output: Port,
    name: str = "",
    more: Sequence[Port] = (),
    **options: Unpack[MassOptions],
) -> Kernel:
    """Return the kernel of an algorithm on (tree, q, …) that depends on masses alone. more: inputs after q."""
    return force_query(
        robot,
        (name or algorithm.__name__,),
        [*more],
        output,
        lambda tree, given, *inputs: algorithm(tree, *inputs),
        gravity=WEIGHTLESS,
        loops="ignore",
        needs=("mass",),
        **options,
    )
