"""Kinetree: robot descriptions loaded right, or refused with the reason; any frame against any other."""

from kinetree.controllers import controllers as controllers
from kinetree.conventions.check import check as check
from kinetree.errors import Finding as Finding
from kinetree.errors import KinetreeError as KinetreeError
from kinetree.errors import Source as Source
from kinetree.errors import UnverifiedWarning as UnverifiedWarning
from kinetree.load import load as load
from kinetree.load import save as save
from kinetree.model import edit as edit
from kinetree.model.robot import Robot as Robot
from kinetree.queries import analytical_jacobian as analytical_jacobian
from kinetree.queries import contact_wrench as contact_wrench
from kinetree.queries import fk as fk
from kinetree.queries import hessian as hessian
from kinetree.queries import jacobian as jacobian
from kinetree.queries import jacobian_dot as jacobian_dot
from kinetree.queries import joint_torques as joint_torques
from kinetree.queries import manipulability as manipulability
from kinetree.queries import margin as margin
from kinetree.queries import point as point
from kinetree.queries import sensor_reading as sensor_reading
from kinetree.queries import velocity as velocity
from kinetree.queries import wrench as wrench
from kinetree.queries.controllers import controller_joints as controller_joints
from kinetree.queries.controllers import controller_pose as controller_pose
from kinetree.queries.controllers import limit_controller_joints as limit_controller_joints
from kinetree.queries.controllers import pose_from_controller as pose_from_controller
from kinetree.queries.controllers import q_from_controller as q_from_controller
from kinetree.robots.icub.boards import from_board as from_board
from kinetree.robots.icub.boards import to_board as to_board
from kinetree.solvers.calibrate import Calibration as Calibration
from kinetree.solvers.calibrate import calibrate as calibrate
from kinetree.solvers.compare import Comparison as Comparison
from kinetree.solvers.compare import compare as compare
from kinetree.solvers.guard import Guard as Guard
from kinetree.solvers.guard import GuardState as GuardState
from kinetree.solvers.guard import guard as guard
from kinetree.solvers.ik import ik as ik
from kinetree.solvers.ik_result import IKInterrupted as IKInterrupted
from kinetree.solvers.ik_result import IKResult as IKResult
from kinetree.solvers.ik_solver import IK as IK
from kinetree.solvers.widen import Widening as Widening
from kinetree.solvers.widen import widen as widen

__version__ = "0.1.0.dev0"
