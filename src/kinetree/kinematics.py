"""Kinematics: poses and velocities of frames, their derivatives, inverse kinematics, and reach maps.

The shared options, also of dynamics, `kt.margin` and `kt.ik`:

joints: names of the joints that move, in the order of q, or the name of a group; q, qd, tau and results are of these
    alone. Followers move with their leaders. None means all joints.
at: where all other joints stand: a full q (nq,), compiled in, by default neutral, inside the limits; or
    "input", which makes it the last input of the kernel, `at` (…, nq), and the option `at=` of calls of `kt.ik`. Limits
    that couple joints of both kinds limit those that move; limits of standing joints alone do not count.
driven: names of the joints whose positions are given where joints close loops (`robot.loops`), such as ["crank"]; the
    loops determine the others. The query then takes x (…, n) of these joints, in this order, instead of q, and `q0=`, a
    start whose branch is followed, by default the posture in the file. Rates, torques and columns are of these joints
    too. Where the loops cannot be closed the answer is NaN; `close` says by how much and why. In `fk`, `jacobian`,
    `ik`, `transforms`, `inverse_dynamics`, `forward_dynamics` and `loop_wrenches`.
origins: True makes the poses of all joints and frames an input (…, n, 6), one row x y z rx ry rz for each name of
    `origins(robot)`; names make those of some joints and frames an input. It is the last input but `at`.
loops: "closed", the default with driven=. "ignore" computes the tree without the joints that close loops, which any q
    may open (`loop_error`); "refuse" raises KinetreeError.
"""

from kinetree.bridges.orders import joint_maps as joint_maps, joint_order as joint_order
from kinetree.compiler.kernel import Kernel as Kernel
from kinetree.lab.reach.grid import Grid as Grid
from kinetree.lab.reach.map import (
    ReachDifference as ReachDifference,
    ReachMap as ReachMap,
    reach_difference as reach_difference,
    read_reach as read_reach,
)
from kinetree.lab.reach.run import reach_map as reach_map
from kinetree.queries.closed import ClosedQuery as ClosedQuery
from kinetree.queries.closing import ClosedLoops as ClosedLoops, LoopCloser as LoopCloser, close as close
from kinetree.queries.joint_table import JointTableRow as JointTableRow, joint_table as joint_table
from kinetree.queries.joints import (
    XJ as XJ,
    XT as XT,
    Xup as Xup,
    joint_motion as joint_motion,
    joint_origin as joint_origin,
    joint_pose as joint_pose,
    motion_subspace as motion_subspace,
)
from kinetree.queries.margin import loop_error as loop_error
from kinetree.queries.motion import (
    analytical_jacobian as analytical_jacobian,
    fk as fk,
    hessian as hessian,
    jacobian as jacobian,
    jacobian_dot as jacobian_dot,
    manipulability as manipulability,
    velocity as velocity,
)
from kinetree.queries.origins import origins as origins
from kinetree.queries.statics import point as point
from kinetree.solvers.ik.closed import ClosedIK as ClosedIK, ClosedIKResult as ClosedIKResult
from kinetree.solvers.ik.follow import IKPath as IKPath
from kinetree.solvers.ik.make import ik as ik
from kinetree.solvers.ik.result import IKInterrupted as IKInterrupted, IKResult as IKResult
from kinetree.solvers.ik.several import IKSolutions as IKSolutions
from kinetree.solvers.ik.solver import IK as IK
from kinetree.solvers.ik.step import IKStep as IKStep

__all__ = [name for name in dir() if name[0].isalpha()]
