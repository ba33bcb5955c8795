"""Kinematics: poses and velocities of frames, their derivatives, inverse kinematics, and reach maps.

The shared options, also of dynamics, `kt.margin` and `kt.ik`:

joints: names of the joints that move, in the order of q, or the name of a group; q, qd, tau and results are of these
    alone. Followers move with their leaders. None means all joints.
at: where all other joints stand: a full q (nq,), compiled in, by default neutral, inside the limits; or
    "input", which makes it the last input of the kernel, `at` (…, nq). Limits that couple joints of both kinds limit
    those that move; limits of standing joints alone do not count.
"""

from kinetree.compiler.kernel import Kernel as Kernel
from kinetree.lab.reach.grid import Grid as Grid
from kinetree.lab.reach.map import ReachDifference as ReachDifference
from kinetree.lab.reach.map import ReachMap as ReachMap
from kinetree.lab.reach.map import reach_difference as reach_difference
from kinetree.lab.reach.map import read_reach as read_reach
from kinetree.lab.reach.run import reach_map as reach_map
from kinetree.queries.joints import XJ as XJ
from kinetree.queries.joints import XT as XT
from kinetree.queries.joints import JointTableRow as JointTableRow
from kinetree.queries.joints import Xup as Xup
from kinetree.queries.joints import joint_motion as joint_motion
from kinetree.queries.joints import joint_origin as joint_origin
from kinetree.queries.joints import joint_pose as joint_pose
from kinetree.queries.joints import joint_table as joint_table
from kinetree.queries.joints import motion_subspace as motion_subspace
from kinetree.queries.margin import loop_error as loop_error
from kinetree.queries.motion import analytical_jacobian as analytical_jacobian
from kinetree.queries.motion import fk as fk
from kinetree.queries.motion import hessian as hessian
from kinetree.queries.motion import jacobian as jacobian
from kinetree.queries.motion import jacobian_dot as jacobian_dot
from kinetree.queries.motion import manipulability as manipulability
from kinetree.queries.motion import velocity as velocity
from kinetree.queries.statics import point as point
from kinetree.solvers.ik.make import ik as ik
from kinetree.solvers.ik.several import IKSolutions as IKSolutions
from kinetree.solvers.ik.solver import IK as IK
from kinetree.solvers.ik.solver import IKInterrupted as IKInterrupted
from kinetree.solvers.ik.solver import IKResult as IKResult
from kinetree.solvers.ik.step import IKStep as IKStep

__all__ = [name for name in dir() if name[0].isalpha()]
