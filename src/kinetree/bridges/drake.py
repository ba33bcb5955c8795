"""Robots as plants of Drake: `export`."""

from collections.abc import Callable
from math import tau
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from kinetree.bridges.bodies import Body, along_coordinate, bodies_of, library, link_names, refusals, refused
from kinetree.bridges.maps import FIRST_W, LAST_W, SAME, Chart, Maps, Place, maps_of, unit
from kinetree.errors import KinetreeError
from kinetree.model.reshape import free_name
from kinetree.model.robot import Robot
from kinetree.spatial import Array, se3
from kinetree.spatial.plucker import rigid_body_inertia

math = library("pydrake.math", "drake")
multibody = library("pydrake.multibody.tree", "drake")
MultibodyPlant = library("pydrake.multibody.plant", "drake").MultibodyPlant

LEAST = 1e-12
"""Mass in kg of a body that has a moment of inertia alone."""


def _rpy(quat: Array) -> Array:
    R = se3.rotations_from_quaternions(quat)
    return np.array([se3.rpy_from_rotation(each) for each in R.reshape(-1, 3, 3)]).reshape(*R.shape[:-2], 3)


def _from_rpy(rpy: Array) -> Array:
    return np.asarray(Rotation.from_euler("xyz", rpy.reshape(-1, 3)).as_quat()).reshape(*rpy.shape[:-1], 4)


def _free_rates(q: Array) -> Array:
    """Return E for angular velocities first, both in the axes of the parent."""
    E, R = np.zeros((*q.shape[:-1], 6, 6)), se3.rotations_from_quaternions(q[..., 3:])
    E[..., :3, 3:] = E[..., 3:, :3] = R
    return E


_BALL = Chart(_rpy, _from_rpy, se3.rotations_from_quaternions)
_FREE = Chart(
    lambda q: np.concatenate([unit(q[..., 3:])[..., FIRST_W], q[..., :3]], axis=-1),
    lambda there: np.concatenate([there[..., 4:], unit(there[..., LAST_W])], axis=-1),
    _free_rates,
)
_JOINTS: dict[str, tuple[Callable[..., Any], Chart]] = {
    "revolute": (lambda body, *ends: multibody.RevoluteJoint(*ends, body.axis, _damping(body)), SAME),
    "continuous": (lambda body, *ends: multibody.RevoluteJoint(*ends, body.axis, _damping(body)), SAME),
    "prismatic": (lambda body, *ends: multibody.PrismaticJoint(*ends, body.axis, damping=_damping(body)), SAME),
    "screw": (lambda body, *ends: multibody.ScrewJoint(*ends, body.axis, tau * body.pitch, _damping(body)), SAME),
    "ball": (lambda body, *ends: multibody.BallRpyJoint(*ends, _damping(body)), _BALL),
    "floating": (
        lambda body, *ends: multibody.QuaternionFloatingJoint(*ends, *(_damping(body, part) for part in (3, 0))),
        _FREE,
    ),
}


def export(robot: Robot) -> tuple[Any, Maps]:
    """Return a robot as a finalized, continuous `MultibodyPlant` of Drake, on its world, and the maps between the two.

    It has the frames of the robot (`maps.frames`: Drake's frames), inertias, limits of position and velocity, damping,
    and an actuator for each joint with armature; no friction and no shapes. A ball joint has the angles roll, pitch and
    yaw in q. A planar joint is three joints and a universal joint two, called like their coordinates. Followers have
    coordinates of their own. A body with moments of inertia and no mass gets 1e-12 kg.

    Raises KinetreeError for what Drake does not take: joints that close loops, springs, armature of joints of several
    coordinates, and inertias that no rigid body has.

    Examples:
        >>> import kinetree as kt
        >>> from kinetree.bridges import drake
        >>> plant, maps = drake.export(kt.chain([{"axis": [0, -1, 0], "m": 2, "r": [0.5, 0, 0]}]))
        >>> context = plant.CreateDefaultContext()
        >>> plant.SetPositions(context, maps.q([0]))
        >>> plant.CalcGravityGeneralizedForces(context).round(2)  # N m that the weight of 2 kg at 0.5 m exerts
        array([-9.81])
    """
    bodies, frames = bodies_of(robot, "Drake", _JOINTS)
    plant, taken, names = MultibodyPlant(0.0), {*frames}, link_names(bodies, frames)
    instance, links = multibody.default_model_instance(), {-1: plant.world_body()}
    joints = []
    with refusals("Drake"):
        for i, body in enumerate(bodies):
            link = links[i] = plant.AddRigidBody(names[i], instance, _inertia(body))
            turn, axis = along_coordinate(body.axis)  # Drake rounds an axis that is almost x, y or z
            before = _frame(free_name(f"{body.name}_before", taken), links[body.parent], body.T @ turn)
            after = _frame(free_name(f"{body.name}_after", taken), link, turn)
            ends = (body.name, plant.AddFrame(before), plant.AddFrame(after))
            make, _ = _JOINTS[body.kind]
            joints.append(plant.AddJoint(make(body._replace(axis=axis), *ends)))
            _set_limits(plant, joints[-1], body)
        known = {}
        for name, (i, T) in frames.items():
            own = i >= 0 and names[i] == name
            known[name] = links[i].body_frame() if own else plant.AddFrame(_frame(name, links[i], T))
        plant.Finalize()
    places = []
    for body, joint in zip(bodies, joints, strict=True):
        q, v = joint.position_start(), joint.velocity_start()
        at = slice(q, q + joint.num_positions()), slice(v, v + joint.num_velocities())
        places.append(Place(body, _JOINTS[body.kind][1], *at))
    return plant, maps_of(robot, places, known)


def _frame(name: str, link: Any, T: Array) -> Any:
    R = math.RotationMatrix.ProjectToRotationMatrix(T[:3, :3])
    pose = math.RigidTransform(R, T[:3, 3])
    return multibody.FixedOffsetFrame(name, link.body_frame(), pose, multibody.default_model_instance())


def _inertia(body: Body) -> Any:
    mass, com, inertia = body.inertia or (0.0, np.zeros(3), np.zeros((3, 3)))
    if mass == 0.0 and not inertia.any():
        return multibody.SpatialInertia.Zero()
    mass = mass or LEAST
    G = rigid_body_inertia(mass, com, inertia)[:3, :3] / mass
    unit_inertia = multibody.UnitInertia(G[0, 0], G[1, 1], G[2, 2], G[0, 1], G[0, 2], G[1, 2])
    return multibody.SpatialInertia(mass, com, unit_inertia, skip_validity_check=True)


def _damping(body: Body, first: int = 0) -> float:
    """Return the damping of a joint, equal along the three coordinates from `first` on."""
    values = body.passive.damping[first : first + 3]
    if np.ptp(values):
        raise KinetreeError(refused("Drake", body.joint, "has a different damping in each coordinate"))
    return float(values[0])


def _set_limits(plant: Any, joint: Any, body: Body) -> None:
    if body.axis.any():
        limit = body.limit
        if limit.lower > limit.upper or limit.velocity < 0:  # at which Drake would end the process
            raise KinetreeError(refused("Drake", body.joint, "has limits that nothing is inside"))
        joint.set_position_limits([limit.lower], [limit.upper])
        joint.set_velocity_limits([-limit.velocity], [limit.velocity])
    if body.passive.armature.any():
        if not body.axis.any():
            raise KinetreeError(refused("Drake", body.joint, "has armature in several coordinates"))
        actuator = plant.AddJointActuator(body.name, joint)
        actuator.set_default_rotor_inertia(float(body.passive.armature[0]))
        actuator.set_default_gear_ratio(1.0)
