"""Functions on a robot: kinematics, statics, limits and controllers, with the algorithms compiled for the robot.

Most return a callable on arrays. It is made once per robot and arguments and kept as long as the robot lives, so that
`fk(robot, "tool0")(q)` in a loop prepares nothing twice.
"""

from kinetree.queries.limits import margin as margin
from kinetree.queries.motion import SingularValues as SingularValues
from kinetree.queries.motion import analytical_jacobian as analytical_jacobian
from kinetree.queries.motion import fk as fk
from kinetree.queries.motion import hessian as hessian
from kinetree.queries.motion import jacobian as jacobian
from kinetree.queries.motion import jacobian_dot as jacobian_dot
from kinetree.queries.motion import manipulability as manipulability
from kinetree.queries.motion import velocity as velocity
from kinetree.queries.query import tree as tree
from kinetree.queries.statics import center_of_mass as center_of_mass
from kinetree.queries.statics import contact_wrench as contact_wrench
from kinetree.queries.statics import joint_torques as joint_torques
from kinetree.queries.statics import mass as mass
from kinetree.queries.statics import point as point
from kinetree.queries.statics import sensor_reading as sensor_reading
from kinetree.queries.statics import wrench as wrench
