"""Dynamics: wrenches in any frame, joint torques, readings of force/torque sensors, and masses."""

from kinetree.queries.configuration import difference as difference
from kinetree.queries.configuration import integrate as integrate
from kinetree.queries.statics import center_of_mass as center_of_mass
from kinetree.queries.statics import contact_wrench as contact_wrench
from kinetree.queries.statics import joint_torques as joint_torques
from kinetree.queries.statics import mass as mass
from kinetree.queries.statics import sensor_reading as sensor_reading
from kinetree.queries.statics import wrench as wrench

__all__ = [
    "center_of_mass",
    "contact_wrench",
    "difference",
    "integrate",
    "joint_torques",
    "mass",
    "sensor_reading",
    "wrench",
]
