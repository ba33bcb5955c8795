"""Robots as models of MuJoCo: `export`."""

from typing import Any

import numpy as np

from kinetree.bridges.bodies import Body, bodies_of, library, link_names, refusals, refused
from kinetree.bridges.maps import FIRST_W, Maps, Place, maps_of, mujoco_chart
from kinetree.errors import KinetreeError
from kinetree.formats.mjcf.write_bodies import rounded_moments
from kinetree.formats.mjcf.writing import range_of
from kinetree.model.reshape import free_name
from kinetree.model.robot import Joint, Robot
from kinetree.spatial import Array, se3

mj = library("mujoco", "mujoco")

LEAST = 1e-12
"""Least mass in kg and moment of inertia in kg m² of a moving body, because MuJoCo moves none without."""
_JOINTS = {
    "revolute": mj.mjtJoint.mjJNT_HINGE,
    "continuous": mj.mjtJoint.mjJNT_HINGE,
    "prismatic": mj.mjtJoint.mjJNT_SLIDE,
    "ball": mj.mjtJoint.mjJNT_BALL,
    "floating": mj.mjtJoint.mjJNT_FREE,
}
_LOOPS = {"fixed": mj.mjtEq.mjEQ_WELD, **dict.fromkeys(("ball", "revolute", "continuous"), mj.mjtEq.mjEQ_CONNECT)}


def export(robot: Robot) -> tuple[Any, Maps]:
    """Return a `mujoco.MjModel` of a robot and the maps between the two.

    Every frame of the robot is a site of its name (`maps.frames`: their numbers); there are inertias, limits of
    position and effort, damping, friction, springs and armature, and no shapes. The joints of a planar or universal
    joint are called like its coordinates. Followers have coordinates of their own, which equality constraints pull
    along; others close loops of fixed, ball and hinge joints. A moving body without mass or moment of inertia gets
    1e-12 kg or kg m².

    Raises KinetreeError for what MuJoCo does not take: other joints that close loops, screw joints, floating joints
    behind moving ones, and inertias that no rigid body has.

    Examples:
        >>> import mujoco as mj
        >>> import kinetree as kt
        >>> from kinetree.bridges import mujoco
        >>> model, maps = mujoco.export(kt.chain([{"axis": [0, -1, 0], "m": 2, "r": [0.5, 0, 0]}]))
        >>> data = mj.MjData(model)
        >>> data.qpos[:] = maps.q([0])
        >>> mj.mj_forward(model, data)
        >>> data.qfrc_bias.round(2)  # N m, the weight of 2 kg at 0.5 m
        array([9.81])
    """
    bodies, frames = bodies_of(robot, "MuJoCo", _JOINTS, springs=True, loops=_LOOPS)
    spec = mj.MjSpec()
    spec.modelname, spec.compiler.degree = robot.name, False
    made, names = {-1: spec.worldbody}, link_names(bodies, frames, reserved="world")
    with refusals("MuJoCo"):
        for i, body in enumerate(bodies):
            carrier = made[body.parent]
            if body.parent < 0 or bodies[body.parent].inertia:
                at = {"pos": body.T[:3, 3], "quat": _quat(body.T)}
                carrier = carrier.add_body(name=names[i], explicitinertial=True, **at)
            made[i] = carrier
            _add_joint(spec, carrier, body)
            if body.inertia:
                _set_inertia(carrier, *body.inertia)
        for name, (i, T) in frames.items():
            made[i].add_site(name=name, pos=T[:3, 3], quat=_quat(T))
        taken = {*frames}
        for loop in robot.loops.values():
            _close(spec, made, frames, loop, taken)
        model = spec.compile()
    model.site_sameframe[:] = model.body_sameframe[:] = mj.mjtSameFrame.mjSAMEFRAME_NONE  # drops turns of 1e-11 rad
    places = []
    for body in bodies:
        number = model.joint(body.name).id
        q, v = int(model.jnt_qposadr[number]), int(model.jnt_dofadr[number])
        nq, nv = {"ball": (4, 3), "floating": (7, 6)}.get(body.kind, (1, 1))
        places.append(Place(body, mujoco_chart(body), slice(q, q + nq), slice(v, v + nv)))
    return model, maps_of(robot, places, {name: int(model.site(name).id) for name in frames})


def _quat(T: Array) -> Array:
    return np.asarray(se3.quaternion_from_rotation(T[:3, :3])[[*FIRST_W]])


def _add_joint(spec: Any, carrier: Any, body: Body) -> None:
    if body.kind == "floating" and body.parent != -1:
        raise KinetreeError(refused("MuJoCo", body.joint, "floats behind a joint that moves"))
    passive: dict[str, Any] = {}
    for name, values in zip(("armature", "damping", "frictionloss", "stiffness"), body.passive, strict=False):
        if np.ptp(values):
            raise KinetreeError(refused("MuJoCo", body.joint, f"has a different {name} in each coordinate"))
        passive[name] = values[0] if name in ("armature", "frictionloss") else [values[0], 0.0, 0.0]
    joint = carrier.add_joint(name=body.name, type=_JOINTS[body.kind], **passive)
    limit = body.limit
    if body.axis.any():
        joint.axis, joint.springref = body.axis, body.passive.reference[0]
        if limit.lower > -np.inf or limit.upper < np.inf:
            joint.range, joint.limited = range_of(limit), mj.mjtLimited.mjLIMITED_TRUE
        if 0 < limit.effort < np.inf:
            joint.actfrcrange = (-limit.effort, limit.effort)
    if body.leader is not None:
        kinds = {"type": mj.mjtEq.mjEQ_JOINT, "objtype": mj.mjtObj.mjOBJ_JOINT}
        equality = spec.add_equality(name1=body.name, name2=body.leader, **kinds)
        equality.data[:5] = body.offset, body.multiplier, 0.0, 0.0, 0.0


def _close(spec: Any, made: dict[int, Any], frames: dict[str, tuple[int, Array]], loop: Joint, taken: set[str]) -> None:
    """Add the equality constraint that closes a loop, between two sites; for a hinge at two points of its axis."""
    for point in (se3.IDENTITY, *map(se3.translation, loop.axes)):
        sites = []
        for link, T_link in ((loop.parent, loop.origin), (loop.child, se3.inverse(loop.child_origin))):
            i, T = frames[link][0], frames[link][1] @ T_link @ point
            sites.append(free_name(f"{loop.name}_site", taken))
            made[i].add_site(name=sites[-1], pos=T[:3, 3], quat=_quat(T))
        kinds = {"type": _LOOPS[loop.type], "objtype": mj.mjtObj.mjOBJ_SITE}
        spec.add_equality(name1=sites[0], name2=sites[1], **kinds)


def _set_inertia(link: Any, mass: float, com: Array, inertia: Array) -> None:
    values, axes = np.linalg.eigh(inertia)
    axes[:, 2] *= np.sign(np.linalg.det(axes))
    numbers = np.array([mass, *rounded_moments(values)])
    link.mass, *moments = np.where(np.abs(numbers) < LEAST, LEAST, numbers)
    link.inertia, link.ipos, link.iquat = moments, com, _quat(axes)
