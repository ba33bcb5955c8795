"""Motions between configurations, over joints of every type: q ⊕ v and q₂ ⊖ q₁."""

from dataclasses import replace
from typing import Any

from kinetree.algorithms import differential
from kinetree.arguments import explain_type_errors
from kinetree.compiler.kernel import Kernel
from kinetree.model.robot import Robot
from kinetree.model.tree import Tree
from kinetree.queries.query import coordinates, frames_of, query, velocities


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
