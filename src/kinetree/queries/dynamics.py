"""Torques, accelerations, the mass matrix (Featherstone, Rigid Body Dynamics Algorithms, ch. 5 to 7), and q ⊕ v.

q, qd, qdd and tau are in the order of `robot.joint_names` and `robot.velocity_names`; SI. Armature, damping and springs
of joints count, as URDF, SDF and MJCF define them: damping opposes tau with damping * qd, a spring with stiffness *
(q - reference), armature with armature * qdd. `kinetree.dynamics` describes the options and the order of inputs.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from kinetree.algorithms import differential
from kinetree.algorithms.differential import step as step_of
from kinetree.algorithms.dynamics.forward import forward_dynamics as accelerations
from kinetree.algorithms.dynamics.inverse import rnea
from kinetree.algorithms.dynamics.mass_matrix import crba
from kinetree.algorithms.dynamics.parameters import NAMES, inertial_regressor as regressor
from kinetree.arguments import explain_type_errors
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port
from kinetree.errors import fail
from kinetree.model.robot import Robot
from kinetree.model.tree import Tree
from kinetree.queries.forces import ALL, WEIGHTLESS, Loads, force_query, links_with_mass
from kinetree.queries.options import GRAVITY, Gravity, LoadOptions, LoopOptions, OriginOptions, robot_query
from kinetree.queries.query import coordinates, frames_of, one_of, query, velocities
from kinetree.queries.statics import WRENCH


@robot_query
def inverse_dynamics(
    robot: Robot, wrenches: str | Sequence[str] = (), *, friction: bool = False, **options: Unpack[LoadOptions]
) -> Kernel:
    """Return the joint torques of a motion: a kernel from q (…, nq), qd and qdd (…, nv) to tau (…, nv), N or N m.

    Featherstone, table 5.1. `kinetree.dynamics` describes the options. tau is what actuators must exert; for a
    floating joint it is the wrench that would have to act on its body, in the body's axes, force first.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain([{"axis": [0, -1, 0], "m": 2.0, "r": [0.5, 0, 0]}])  # 2 kg on a rod of 0.5 m
        >>> tau = kt.inverse_dynamics(arm)
        >>> tau([0.0], [0.0], [0.0]).round(2)  # bears the weight, N m
        array([9.81])
        >>> tau([0.0], [0.0], [1.0]).round(2)  # lifts it with 1 rad/s²
        array([10.31])
    """
    motion = [velocities(robot), velocities(robot, "qdd")]
    return force_query(
        robot,
        ("inverse_dynamics",),
        motion,
        velocities(robot, "tau", "joint torques of a motion"),
        lambda tree, given, q, qd, qdd: rnea(tree, q, qd, qdd, *given, friction=friction),
        wrenches=wrenches,
        friction=friction,
        **options,
    )


@robot_query
def forward_dynamics(
    robot: Robot, wrenches: str | Sequence[str] = (), *, friction: bool = False, **options: Unpack[LoadOptions]
) -> Kernel:
    """Return the accelerations that torques cause: a kernel from q (…, nq), qd and tau (…, nv) to qdd (…, nv).

    Featherstone, table 7.1; with followers (mimic), section 6.1. `kinetree.dynamics` describes the options. Raises
    KinetreeError, which names the joint, where no mass resists an acceleration.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain([{"axis": [0, -1, 0], "m": 2.0, "r": [0.5, 0, 0]}])  # 2 kg on a rod of 0.5 m
        >>> qdd = kt.forward_dynamics(arm)
        >>> qdd([0.0], [0.0], [0.0]).round(2)  # falls, rad/s²
        array([-19.62])
        >>> qdd([0.0], [0.0], [10.31]).round(2)  # rises: 9.81 N m bear the weight, 0.5 N m accelerate 0.5 kg m²
        array([1.])
    """
    return force_query(
        robot,
        ("forward_dynamics",),
        [velocities(robot), velocities(robot, "tau")],
        velocities(robot, "qdd", "joint accelerations that torques cause"),
        lambda tree, given, q, qd, tau: accelerations(tree, q, qd, tau, *given, friction=friction),
        wrenches=wrenches,
        friction=friction,
        needs=(*ALL, "resistance"),
        **options,
    )


@robot_query
def mass_matrix(robot: Robot, *, packed: bool = False, **options: Unpack[LoopOptions]) -> Kernel:
    """Return the mass matrix: a kernel from q (…, nq) to H (…, nv, nv), with armature; kg, kg m, kg m².

    packed: the lower triangle row by row, (…, nv (nv + 1) / 2): H[i, j] at i (i + 1) / 2 + j. Featherstone, table 6.2.

    Examples:
        >>> import kinetree as kt
        >>> link = {"axis": [0, 0, 1], "m": 2.0, "r": [0.5, 0, 0]}
        >>> arm = kt.chain([link, {**link, "xyz": [1, 0, 0]}])
        >>> kt.mass_matrix(arm)([0.0, 0.0]).round(3)  # kg m²
        array([[5. , 1.5],
               [1.5, 0.5]])
    """
    one_of("packed", packed, (True, False))
    (nv,), names = (qd := velocities(robot)).shape, qd.labels
    size = (nv * (nv + 1) // 2,) if packed else (nv, nv)
    rows = ", lower triangle row by row" if packed else ""
    output = Port("H", size, () if packed else names, f"mass matrix{rows}; kg, kg m, kg m²")
    return force_query(
        robot,
        ("mass_matrix", packed),
        [],
        output,
        lambda tree, given, q: crba(tree, q)[np.tril_indices(nv)] if packed else crba(tree, q),
        gravity=WEIGHTLESS,
        needs=("mass", "armature"),
        **options,
    )


@robot_query
def loop_wrenches(
    robot: Robot, wrenches: str | Sequence[str] = (), *, friction: bool = False, **options: Unpack[LoadOptions]
) -> Kernel:
    """Return the wrenches of the loops of a robot: from x of the driven joints, xd and xdd (…, n) to (…, k, 6).

    Of each of `robot.loops`, the force and moment of its parent on its child, in the axes of the joint's frame in the
    parent, about its origin; N, N m. They follow from the motion, since only driven joints have torques. Where loops
    restrict some motion twice, as those of planar mechanisms do, they are the smallest that fit. driven= is needed;
    `kinetree.dynamics` describes the options.

    Examples:
        >>> import kinetree as kt
        >>> link = '<body name="{0}" pos="{1} 0 0"><joint name="{0}"/><geom size="0.1" pos="1 0 0" mass="2"/>'.format
        >>> links = f'{link("crank", 0)}{link("coupler", 1)}</body></body>{link("rocker", 3)}</body>'
        >>> pin = '<equality><connect body1="coupler" body2="rocker" anchor="0.5 1 0"/></equality>'
        >>> bars = kt.load(f"<mujoco><worldbody>{links}</worldbody>{pin}</mujoco>", format="mjcf")
        >>> W = kt.dynamics.loop_wrenches(bars, driven="crank", gravity=(0, -9.81, 0))([0], [0], [0])
        >>> W[0, :3].round(2) + 0.0  # of the coupler on the rocker at rest, N
        array([  9.81, -19.62,   0.  ])
    """
    names = tuple(robot.loops)
    output = Port("W", (len(names), 6), WRENCH, "of each loop's parent on its child; N, N m", names)
    options.setdefault("loops", "closed")
    one_of("loops", options["loops"], ("closed",))

    def never(*arguments: Any) -> Any:
        raise AssertionError("forces of loops are of closed loops")

    return force_query(robot, ("loop_wrenches",), [], output, never, wrenches=wrenches, friction=friction, **options)


@robot_query
def gravity_torques(robot: Robot, **options: Unpack[LoadOptions]) -> Kernel:
    """Return the torques that balance weight at rest, without springs: a kernel from q (…, nq) to tau (…, nv).

    Examples:
        >>> import kinetree as kt
        >>> link = {"axis": [0, -1, 0], "m": 2.0, "r": [0.5, 0, 0]}
        >>> arm = kt.chain([link, {**link, "xyz": [1, 0, 0]}])
        >>> kt.gravity_torques(arm)([0.0, 0.0]).round(2)  # 19.62 N at 0.5 m and 1.5 m, N m
        array([39.24,  9.81])
    """
    return force_query(
        robot,
        ("gravity_torques",),
        [],
        velocities(robot, "tau", "joint torques that balance weight"),
        lambda tree, given, q: rnea(tree.relaxed(), q, None, None, *given),
        needs=("mass", "weight"),
        **options,
    )


@robot_query
def bias_torques(
    robot: Robot, wrenches: str | Sequence[str] = (), *, friction: bool = False, **options: Unpack[LoadOptions]
) -> Kernel:
    """Return the joint torques of a motion without acceleration: a kernel from q (…, nq) and qd (…, nv) to (…, nv).

    N or N m: the C of tau = H qdd + C (Featherstone, eq. 6.1), from weight, Coriolis and centrifugal forces, damping,
    springs and wrenches. `kinetree.dynamics` describes the options.

    Examples:
        >>> import kinetree as kt
        >>> slider = {"type": "prismatic", "axis": [1, 0, 0], "m": 3}
        >>> arm = kt.chain([{"axis": [0, -1, 0]}, slider])  # 3 kg slide along a beam that turns
        >>> kernel = kt.dynamics.bias_torques(arm)
        >>> kernel([0, 0.5], [0, 0]).round(3) + 0.0  # weight at 0.5 m
        array([14.715,  0.   ])
        >>> kernel([0, 0.5], [2, 1]).round(3)  # and 2 m r ω v = 6 N m at the beam, -m r ω² = -6 N at the slider
        array([20.715, -6.   ])
    """
    return force_query(
        robot,
        ("bias_torques",),
        [velocities(robot)],
        velocities(robot, "tau", "joint torques without acceleration"),
        lambda tree, given, q, qd: rnea(tree, q, qd, None, *given, friction=friction),
        wrenches=wrenches,
        friction=friction,
        **options,
    )


@robot_query
def step(
    robot: Robot,
    dt: float,
    wrenches: str | Sequence[str] = (),
    *,
    friction: bool = False,
    **options: Unpack[LoadOptions],
) -> Kernel:
    """Return a step of simulation without contacts: a kernel from q (…, nq), qd and tau (…, nv) to a named tuple of q
    (…, nq) and qd (…, nv) after the time dt, s.

    Semi-implicit Euler: qd + dt qdd, then q ⊕ dt qd with the new qd; the origin of a floating joint moves along the
    axes of its parent. Raises KinetreeError unless dt is finite and above 0.

    Examples:
        >>> import kinetree as kt
        >>> pendulum = kt.chain([{"axis": [0, -1, 0], "m": 2, "r": [0.5, 0, 0]}])  # 2 kg, level at q = 0
        >>> step = kt.dynamics.step(pendulum, 0.01)
        >>> q, qd = step([0], [0], [0])  # it falls with 9.81 / 0.5 rad/s²
        >>> q.round(6), qd.round(4)
        (array([-0.001962]), array([-0.1962]))
    """
    if not 0 < dt < np.inf:
        raise fail("dt", f"dt is {dt}; expected a finite time above 0, in seconds")

    def stepped(tree: Tree, given: Loads, q: Any, qd: Any, tau: Any) -> Any:
        after, new = step_of(tree, q, qd, accelerations(tree, q, qd, tau, *given, friction=friction), float(dt))
        return after[: robot.nq], new

    return force_query(
        robot,
        ("step", float(dt)),
        [velocities(robot), velocities(robot, "tau")],
        (replace(coordinates(robot), about=f"after {dt:g} s; m, rad"), velocities(robot, "qd", f"after {dt:g} s")),
        stepped,
        wrenches=wrenches,
        friction=friction,
        needs=(*ALL, "resistance"),
        **options,
    )


@robot_query
def inertial_regressor(
    robot: Robot, *, gravity: Gravity = GRAVITY, loops: str = "refuse", **options: Unpack[OriginOptions]
) -> Kernel:
    """Return the regressor Y of the inertial parameters: a kernel from q (…, nq), qd and qdd (…, nv) to (…, nv, 10 n).

    Y times the parameters of all n links, one after the other, is the torque of `inverse_dynamics` without armature,
    damping and springs. Columns: the ten parameters of each link in `inertial_parameters`; `output.labels` names them.
    Atkeson, An & Hollerbach, Estimation of inertial parameters of manipulator loads and links, 1986.

    Examples:
        >>> import kinetree as kt
        >>> pendulum = kt.chain([{"axis": [0, -1, 0], "m": 2, "r": [0.5, 0, 0]}])  # 2 kg, level at q = 0
        >>> regressor = kt.dynamics.inertial_regressor(pendulum)
        >>> Y = regressor([0], [0], [0])
        >>> Y.shape, regressor.output.labels[1]
        ((1, 10), 'q1_link.mcx')
        >>> (Y @ kt.dynamics.inertial_parameters(pendulum)["q1_link"]).round(2)
        array([9.81])
    """
    links = links_with_mass(robot)
    labels = tuple(f"{link}.{name}" for link in links for name in NAMES)
    nv = velocities(robot).shape[0]
    return force_query(
        robot,
        ("inertial_regressor", links),
        [velocities(robot), velocities(robot, "qdd")],
        Port("Y", (nv, 10 * len(links)), labels, "torque for a unit of each parameter"),
        lambda tree, given, q, qd, qdd: regressor(tree, q, qd, qdd, given.gravity, links),
        gravity=gravity,
        loops=loops,
        needs=("mass", "weight", "medium"),
    )


@explain_type_errors
def integrate(robot: Robot) -> Kernel:
    """Return q ⊕ v: a kernel from q (…, nq) and v (…, nv) to the q (…, nq) after unit time at the constant velocity v.

    It is q + v, except that ball and floating joints turn and move in the child's axes: T(q ⊕ v) = T(q) exp(v). Their
    quaternions may have any length but zero; those of the result have length 1. Metres and radians; for a time step dt
    pass v = qd dt.

    Examples:
        >>> import numpy as np
        >>> import kinetree as kt
        >>> text = '<mujoco><worldbody><body><joint type="ball"/><geom size="1"/></body></worldbody></mujoco>'
        >>> ball = kt.load(text, format="mjcf")
        >>> q = kt.dynamics.integrate(ball)([0, 0, 0, 1], [0, 0, np.pi / 2])  # a quarter turn about z
        >>> q.round(4) + 0.0  # x y z w
        array([0.    , 0.    , 0.7071, 0.7071])
    """
    frames_of(robot, [])
    v = replace(velocities(robot), name="v", about="m, rad")
    q2 = replace(coordinates(robot), name="q2", about="q moved by v; m, rad")

    def moved(model: Tree, q: Any, v: Any) -> Any:
        return differential.integrate(model, q, v)[: robot.nq]  # without the joints that stand as an input

    return query(robot, ("integrate",), [], q2, moved, [v])


@explain_type_errors
def difference(robot: Robot) -> Kernel:
    """Return q2 ⊖ q: a kernel from q (…, nq) and q2 (…, nq) to the v (…, nv) with q ⊕ v = q2, as `integrate` has it.

    Ball and floating joints turn the shorter way, by at most pi; at half a turn, where there are two ways, v is one of
    them. Quaternions may have any length but zero and either sign. Metres and radians.

    Examples:
        >>> import kinetree as kt
        >>> text = '<mujoco><worldbody><body><joint type="ball"/><geom size="1"/></body></worldbody></mujoco>'
        >>> ball = kt.load(text, format="mjcf")
        >>> v = kt.dynamics.difference(ball)([0, 0, 0, 1], [0, 0, 1, 1])  # q2 of any length: a quarter turn about z
        >>> v.round(4) + 0.0
        array([0.    , 0.    , 1.5708])
    """
    frames_of(robot, [])
    v = replace(velocities(robot), name="v", about="from q to q2; m, rad")
    return query(robot, ("difference",), [], v, differential.difference, [replace(coordinates(robot), name="q2")])
