"""Dynamics: torques, accelerations, masses, momentum, wrenches, and what sensors feel.

`queries.dynamics` describes the options that the functions share.
"""

from kinetree.queries.configuration import difference as difference
from kinetree.queries.configuration import integrate as integrate
from kinetree.queries.derivatives import coriolis_matrix as coriolis_matrix
from kinetree.queries.derivatives import forward_dynamics_derivatives as forward_dynamics_derivatives
from kinetree.queries.derivatives import inverse_dynamics_derivatives as inverse_dynamics_derivatives
from kinetree.queries.dynamics import bias_torques as bias_torques
from kinetree.queries.dynamics import forward_dynamics as forward_dynamics
from kinetree.queries.dynamics import gravity_torques as gravity_torques
from kinetree.queries.dynamics import inertial_regressor as inertial_regressor
from kinetree.queries.dynamics import inverse_dynamics as inverse_dynamics
from kinetree.queries.dynamics import mass_matrix as mass_matrix
from kinetree.queries.dynamics import step as step
from kinetree.queries.forces import inertial_parameters as inertial_parameters
from kinetree.queries.momentum import center_of_mass as center_of_mass
from kinetree.queries.momentum import center_of_mass_jacobian as center_of_mass_jacobian
from kinetree.queries.momentum import centroidal_momentum_matrix as centroidal_momentum_matrix
from kinetree.queries.momentum import energy as energy
from kinetree.queries.momentum import mass as mass
from kinetree.queries.motion import acceleration as acceleration
from kinetree.queries.sensors import external_wrench as external_wrench
from kinetree.queries.sensors import imu_reading as imu_reading
from kinetree.queries.sensors import sensor_reading as sensor_reading
from kinetree.queries.statics import contact_wrench as contact_wrench
from kinetree.queries.statics import joint_torques as joint_torques
from kinetree.queries.statics import wrench as wrench

__all__ = [name for name in dir() if name[0].isalpha()]
