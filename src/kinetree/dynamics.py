"""Dynamics: torques, accelerations, masses, momentum, wrenches, simulation, and readings of sensors.

inverse_dynamics, bias_torques, gravity_torques   joint torques: of a motion, without acceleration, of weight
forward_dynamics, step, simulate                  accelerations that torques cause, a step and a whole motion
mass_matrix, coriolis_matrix                      H and C in tau = H qdd + C qd + …
…_derivatives                                     of inverse_dynamics and forward_dynamics
inertial_regressor, inertial_parameters           matrix and parameters whose product is tau
energy, mass, center_of_mass, centroidal_…        the robot as a whole
loop_wrenches                                     forces and moments of the joints that close loops
imu_reading, sensor_reading, external_wrench      readings of sensors, and contacts from them
joint_torques, wrench, contact_wrench             wrenches in statics
integrate, difference, acceleration               q ⊕ v, q2 ⊖ q; acceleration of a frame

q, qd, qdd and tau are in the order of `robot.joint_names` and `robot.velocity_names`; SI. The shared options:

gravity: acceleration of free fall in the root's axes, m/s²; None makes it an input (…, 3).
wrenches: names of k frames; w (…, k, 6) is then an input: force, then moment about the frame's origin, from outside on
    the link of the frame, in the frame's axes; N, N m.
parameters: True makes the inertial parameters an input (…, n, 10), one row for each link of `inertial_parameters`.
friction: True adds Coulomb friction, friction * sign(qd), which is zero at rest.
driven: names of the joints whose positions are given where joints close loops; q, qd, qdd and tau are then of these
    joints alone, and no other joint has a motor. See `kinetree.kinematics`.
loops: "closed", the default with driven=; "ignore" computes the tree without the joints that close loops; "refuse",
    the default, raises KinetreeError for a robot with loops.
origins: True, or names, makes poses of joints and frames an input (…, n, 6), as in `kinetree.kinematics`.
joints, at: the joints that move, and where the others stand, as in `kinetree.kinematics`.

Inputs follow in this order: q, qd, qdd or tau; then gravity, w, parameters, origins, at. Functions raise KinetreeError
for unknown frames, loops, and masses and inertias that no body can have.
"""

from kinetree.queries.derivatives import (
    coriolis_matrix as coriolis_matrix,
    forward_dynamics_derivatives as forward_dynamics_derivatives,
    inverse_dynamics_derivatives as inverse_dynamics_derivatives,
)
from kinetree.queries.dynamics import (
    bias_torques as bias_torques,
    difference as difference,
    forward_dynamics as forward_dynamics,
    gravity_torques as gravity_torques,
    inertial_regressor as inertial_regressor,
    integrate as integrate,
    inverse_dynamics as inverse_dynamics,
    loop_wrenches as loop_wrenches,
    mass_matrix as mass_matrix,
    step as step,
)
from kinetree.queries.forces import inertial_parameters as inertial_parameters
from kinetree.queries.momentum import (
    center_of_mass as center_of_mass,
    center_of_mass_jacobian as center_of_mass_jacobian,
    centroidal_momentum_matrix as centroidal_momentum_matrix,
    centroidal_momentum_matrix_dot as centroidal_momentum_matrix_dot,
    energy as energy,
    mass as mass,
)
from kinetree.queries.motion import acceleration as acceleration
from kinetree.queries.sensors import (
    external_wrench as external_wrench,
    imu_reading as imu_reading,
    sensor_reading as sensor_reading,
)
from kinetree.queries.statics import contact_wrench as contact_wrench, joint_torques as joint_torques, wrench as wrench
from kinetree.trajectories.simulate import simulate as simulate

__all__ = [name for name in dir() if name[0].isalpha()]
