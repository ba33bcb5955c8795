"""Kinematics: poses and velocities of frames, their derivatives, and inverse kinematics."""

from kinetree.compiler.kernel import Kernel as Kernel
from kinetree.queries.joints import XJ as XJ
from kinetree.queries.joints import XT as XT
from kinetree.queries.joints import Xup as Xup
from kinetree.queries.joints import joint_motion as joint_motion
from kinetree.queries.joints import joint_origin as joint_origin
from kinetree.queries.joints import joint_pose as joint_pose
from kinetree.queries.joints import motion_subspace as motion_subspace
from kinetree.queries.limits import loop_error as loop_error
from kinetree.queries.motion import analytical_jacobian as analytical_jacobian
from kinetree.queries.motion import fk as fk
from kinetree.queries.motion import hessian as hessian
from kinetree.queries.motion import jacobian as jacobian
from kinetree.queries.motion import jacobian_dot as jacobian_dot
from kinetree.queries.motion import manipulability as manipulability
from kinetree.queries.motion import velocity as velocity
from kinetree.queries.statics import point as point
from kinetree.solvers.ik.make import ik as ik
from kinetree.solvers.ik.solver import IK as IK
from kinetree.solvers.ik.solver import IKInterrupted as IKInterrupted
from kinetree.solvers.ik.solver import IKResult as IKResult

__all__ = [name for name in dir() if name[0].isalpha()]
