"""The Coriolis matrix, and the derivatives of torques and accelerations (Singh, Russell & Wensing, Efficient analytical
derivatives of rigid-body dynamics using spatial vector algebra, 2022).

`kinetree.dynamics` describes the options. Column k of a derivative with respect to q is the derivative along q ⊕ h e_k,
where ⊕ is `integrate`. Coulomb friction is constant wherever it has a derivative, so there is no option for it.
"""

from collections.abc import Sequence
from typing import Unpack

from kinetree.algorithms.dynamics import derivatives
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port
from kinetree.model.mimic import resolve_mimic
from kinetree.model.robot import Robot
from kinetree.queries.forces import ALL, WEIGHTLESS, force_query
from kinetree.queries.options import LoadOptions, LoopOptions, robot_query
from kinetree.queries.query import velocities


@robot_query
def coriolis_matrix(robot: Robot, **options: Unpack[LoopOptions]) -> Kernel:
    """Return the Coriolis matrix: a kernel from q (…, nq) and qd (…, nv) to C (…, nv, nv).

    C qd are the torques that velocities need, without gravity, damping and springs. dH/dt - 2 C is skew-symmetric,
    where H is the mass matrix. Echeandia & Wensing, Numerical methods to compute the Coriolis matrix and Christoffel
    symbols for rigid-body systems, 2021.

    Examples:
        >>> import kinetree as kt
        >>> slider = {"type": "prismatic", "axis": [1, 0, 0], "m": 3}
        >>> arm = kt.chain([{"axis": [0, 0, 1]}, slider])  # 3 kg slide along a beam that turns
        >>> C = kt.dynamics.coriolis_matrix(arm)([0, 0.5], [2, 1])
        >>> (C @ [2, 1]).round(6)  # 2 m r ω v = 6 N m at the beam, -m r ω² = -6 N at the slider
        array([ 6., -6.])
    """
    _refuse_polynomials(robot)
    return force_query(
        robot,
        ("coriolis_matrix",),
        [velocities(robot)],
        _matrix(robot, "C", "Coriolis matrix"),
        lambda tree, given, q, qd: derivatives.coriolis_matrix(tree, q, qd),
        gravity=WEIGHTLESS,
        needs=("mass", "armature"),
        **options,
    )


@robot_query
def inverse_dynamics_derivatives(
    robot: Robot, wrenches: str | Sequence[str] = (), **options: Unpack[LoadOptions]
) -> Kernel:
    """Return the derivatives of joint torques: a kernel from q (…, nq), qd and qdd (…, nv) to a named tuple of dtau_dq
    and dtau_dqd (…, nv, nv); the derivative with respect to qdd is the mass matrix.

    The column k of dtau_dq is the derivative along q ⊕ h e_k, row i that of tau[i]. Wrenches stay the same in the axes
    of their frames. `kinetree.dynamics` describes the options.

    Examples:
        >>> import numpy as np
        >>> import kinetree as kt
        >>> pendulum = kt.chain([{"axis": [0, -1, 0], "m": 2, "r": [0.5, 0, 0]}])  # tau = 9.81 cos(q) + 0.5 qdd
        >>> derivatives = kt.dynamics.inverse_dynamics_derivatives(pendulum)([np.pi / 2], [0], [0])
        >>> derivatives.dtau_dq.round(3)
        array([[-9.81]])
    """
    _refuse_polynomials(robot)
    return force_query(
        robot,
        ("inverse_dynamics_derivatives",),
        [velocities(robot), velocities(robot, "qdd")],
        tuple(_matrix(robot, f"dtau_d{x}", f"derivative of tau with respect to {x}") for x in ("q", "qd")),
        lambda tree, given, q, qd, qdd: derivatives.inverse_dynamics_derivatives(tree, q, qd, qdd, *given),
        wrenches=wrenches,
        **options,
    )


@robot_query
def forward_dynamics_derivatives(
    robot: Robot, wrenches: str | Sequence[str] = (), **options: Unpack[LoadOptions]
) -> Kernel:
    """Return the derivatives of accelerations: a kernel from q (…, nq), qd and tau (…, nv) to a named tuple of dqdd_dq,
    dqdd_dqd and dqdd_dtau (…, nv, nv); the last is the inverse of the mass matrix.

    Columns and wrenches are as in `inverse_dynamics_derivatives`. Raises KinetreeError, which names the joint, if no
    mass resists its acceleration.

    Examples:
        >>> import kinetree as kt
        >>> pendulum = kt.chain([{"axis": [0, -1, 0], "m": 2, "r": [0.5, 0, 0]}])  # qdd = (tau - 9.81 cos(q)) / 0.5
        >>> derivatives = kt.dynamics.forward_dynamics_derivatives(pendulum)([0], [0], [0])
        >>> derivatives.dqdd_dtau.round(6)
        array([[2.]])
    """
    _refuse_polynomials(robot)
    return force_query(
        robot,
        ("forward_dynamics_derivatives",),
        [velocities(robot), velocities(robot, "tau")],
        tuple(_matrix(robot, f"dqdd_d{x}", f"derivative of qdd with respect to {x}") for x in ("q", "qd", "tau")),
        lambda tree, given, q, qd, tau: derivatives.forward_dynamics_derivatives(tree, q, qd, tau, *given),
        wrenches=wrenches,
        needs=(*ALL, "resistance"),
        **options,
    )


def _refuse_polynomials(robot: Robot) -> None:
    """Raise KinetreeError for a joint that follows another by a polynomial, whose curvature is not differentiated."""
    for joint in robot.joints.values():
        resolve_mimic(robot, joint.name)


def _matrix(robot: Robot, name: str, what: str) -> Port:
    qd = velocities(robot)
    return Port(name, (*qd.shape, *qd.shape), qd.labels, f"{what}; kg, m, rad, s")
