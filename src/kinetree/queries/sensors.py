"""What inertial and force/torque sensors read, and the contacts that their readings reveal.

`kinetree.dynamics` describes the options gravity, wrenches, parameters and loops.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Unpack

import numpy as np

from kinetree.algorithms import differential
from kinetree.algorithms.dynamics import sensing
from kinetree.arguments import as_names
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port
from kinetree.errors import UnknownNameError, fail, unknown_name
from kinetree.model.force_torque import CLOSE
from kinetree.model.placed import check_placed
from kinetree.model.robot import Robot, Sensor
from kinetree.model.tree import Tree
from kinetree.queries.force_sensors import FORCES, Meter, meter_of, of_link, parts_of
from kinetree.queries.forces import Loads, force_query, in_own_axes
from kinetree.queries.options import GRAVITY, Gravity, LoadOptions, LoopOptions, OriginOptions, robot_query
from kinetree.queries.query import frames_of, one_of, tree, velocities
from kinetree.queries.statics import WRENCH
from kinetree.spatial.se3 import IDENTITY, Array


@robot_query
def imu_reading(
    robot: Robot, frame: str, *, base: str | None = None, gravity: Gravity = GRAVITY, **options: Unpack[OriginOptions]
) -> Kernel:
    """Return the reading of an inertial sensor: a kernel from q (…, nq), qd and qdd (…, nv) to (…, 6).

    Angular velocity in rad/s, then proper acceleration (acceleration minus gravity) of the origin in m/s², so a sensor
    at rest reads 9.81 upwards; both in the axes of `frame`, which is a frame or a sensor of the robot.

    base: None for a root link at rest, or moved by a floating joint alone. "acceleration" adds the input
    base_acceleration (…, 6): linear, then angular, of a root link that has no velocity at this moment. "motion" adds
    base_velocity and base_acceleration (…, 6), as `velocity` and `acceleration` give them. All are in the root's axes,
    and so is gravity, which is the first input after qdd if it is None.

    Raises KinetreeError for unknown names, and for frames without a known place (`Frame.unplaced`).

    Examples:
        >>> import kinetree as kt
        >>> wheel = kt.chain("Rz(q1) tx(0.5)")
        >>> imu = kt.dynamics.imu_reading(wheel, "tip")
        >>> reading = imu([0], [2], [0])  # 2 rad/s, 0.5 m from a vertical axis
        >>> {name: round(x, 2) for name, x in zip(imu.output.labels, reading.tolist()) if x}
        {'wz': 2.0, 'ax': -2.0, 'az': 9.81}
    """
    name, origin = _place_of(robot, frame)
    inputs = _base_ports(base)

    def algorithm(model: Tree, given: Loads, q: Any, qd: Any, qdd: Any, *motion: Any) -> Any:
        body, T = model.frame(name)
        return sensing.felt_motion(model, q, qd, qdd, given.gravity, (body, T @ origin), _base_motion(motion))

    return force_query(
        robot,
        ("imu_reading", frame, name, base, *origin.ravel().tolist()),
        [velocities(robot), velocities(robot, "qdd")],
        Port("reading", (6,), ("wx", "wy", "wz", "ax", "ay", "az"), f"reading of {frame} in its axes; rad/s, m/s²"),
        algorithm,
        gravity=gravity,
        loops="ignore",
        frames=[name],
        needs=(),
        last=inputs,
    )


@robot_query
def sensor_reading(
    robot: Robot,
    sensor: str,
    wrenches: str | Sequence[str] = (),
    *,
    measures: str | None = None,
    at_rest: bool = False,
    gravity: Gravity = GRAVITY,
    **options: Unpack[LoopOptions],
) -> Kernel:
    """Return the reading of a force/torque sensor: a kernel from q (…, nq), qd and qdd (…, nv) to (…, 6), force first.

    It is the wrench through the sensor's joint, for the motion and the weight of all links that the joint carries and
    for wrenches from outside on them; N and N m.

    sensor: a name of the model, or of the iCub's convention (`kt.icub.sensor`).
    measures: "parent_on_child", the wrench that the joint's parent link exerts on its child link, or "child_on_parent",
        its opposite; by default the model's value. Axes and the point of the moment are those of the model
        (`ForceTorque`), or the sensor's own if the model does not give them.
    at_rest: True leaves out the inputs qd and qdd. With gravity=(0, 0, 0), too, masses do not count, and the reading is
        that of the contacts alone.

    Raises KinetreeError if `sensor` is not a force/torque sensor of a joint, if neither the model nor the caller gives
    `measures`, and if the place of the sensor is unknown (`Frame.unplaced`).

    Examples:
        >>> import kinetree as kt
        >>> text = '''<robot name="scales"><link name="rack"/><link name="hook"><inertial><mass value="2"/>
        ... <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        ... <joint name="cell" type="fixed"><parent link="rack"/><child link="hook"/></joint>
        ... <sensor name="ft" type="force_torque"><parent joint="cell"/><force_torque/></sensor></robot>'''
        >>> scales = kt.load(text, format="urdf")
        >>> reading = kt.dynamics.sensor_reading(scales, "ft", at_rest=True)
        >>> print(f"{reading([])[2]:.2f} N along z")  # the hook's 2 kg pull on the rack
        -19.62 N along z
    """
    one_of("at_rest", at_rest, (True, False))
    meter = meter_of(robot, sensor, measures)
    weightless = bool(at_rest and gravity is not None and not np.any(np.array(gravity)))

    def algorithm(model: Tree, given: Loads, q: Any, qd: Any = None, qdd: Any = None) -> Any:
        f = sensing.joint_wrench(model, q, qd, qdd, *given, model.joints.index(meter.joint))
        return meter.reading(model, q, f)

    return force_query(
        robot,
        ("sensor_reading", at_rest, *meter.key()),
        [] if at_rest else [velocities(robot), velocities(robot, "qdd")],
        Port("reading", (6,), WRENCH, f"reading of {meter.sensor}, {meter.measures}; N, N m"),
        algorithm,
        gravity=gravity,
        wrenches=wrenches,
        frames=meter.frames(),
        cuts=_cuts(robot, [meter]),
        keep=lambda model: [model.joints.index(meter.joint)],
        needs=() if weightless else ("mass", "weight") if at_rest else ("mass", "weight", "medium"),
        **options,
    )


@robot_query
def external_wrench(
    robot: Robot,
    sensors: str | Sequence[str],
    frame: str | Sequence[str],
    *,
    measures: str | None = None,
    base: str | None = None,
    **options: Unpack[LoadOptions],
) -> Kernel:
    """Return contact wrenches from the readings of force/torque sensors: a kernel from q (…, nq), qd and qdd (…, nv)
    and readings (…, s, 6) to (…, 6), or (…, k, 6) for a list of k frames.

    The wrench acts from outside on the link of the frame: force, then moment about the frame's origin, in its axes; N,
    N m. The s sensors cut the robot into parts. Motion and weight of a part need a wrench; what the sensors around it
    do not exert of it is its contact. So each part can have one frame; the contact of a part without a frame is not
    computed. The part of the root link can have a frame only if the root floats, or moves by `base` (see `imu_reading`)
    without support. Fumagalli et al., Force feedback exploiting tactile and proximal force/torque sensing, 2012.

    Raises KinetreeError for two frames on one part, for a frame on a part that is fixed to the world, and for sensors
    that `sensor_reading` refuses.

    Examples:
        >>> import kinetree as kt
        >>> text = '''<robot name="scales"><link name="rack"/><link name="hook"><inertial><mass value="2"/>
        ... <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        ... <joint name="cell" type="fixed"><parent link="rack"/><child link="hook"/></joint>
        ... <sensor name="ft" type="force_torque"><parent joint="cell"/><force_torque/></sensor></robot>'''
        >>> scales = kt.load(text, format="urdf")
        >>> contact = kt.dynamics.external_wrench(scales, "ft", "hook")
        >>> w = contact([], [], [], [[0, 0, -29.62, 0, 0, 0]])  # 19.62 N of them are the hook's weight
        >>> print(f"{w[2]:.2f} N along z")
        -10.00 N along z
    """
    meters = [meter_of(robot, name, measures) for name in as_names(sensors)]
    single = isinstance(frame, str)
    names = frames_of(robot, as_names(frame))
    cuts = _cuts(robot, meters)
    parts = parts_of(robot, tree(robot, cuts), meters, names, base)
    about = f"contact wrench from outside on {in_own_axes(names)}; N, N m"
    output = Port(
        "w" if single else "contacts", (6,) if single else (len(names), 6), WRENCH, about, () if single else names
    )
    inputs = _base_ports(base)

    def algorithm(model: Tree, given: Loads, q: Any, qd: Any, qdd: Any, readings: Any, *motion: Any) -> Any:
        felt = {
            model.joints.index(meter.joint): meter.wrench(model, q, reading)
            for meter, reading in zip(meters, readings, strict=True)
        }
        missing = sensing.missing_wrenches(model, q, qd, qdd, given.gravity, felt, _base_motion(motion))
        found = [
            differential.wrench(model, q, of_link(model, missing[model.frame(link)[0]], link), link, name)
            for link, name in zip(parts, names, strict=True)
        ]
        return found[0] if single else np.array(found)

    kinds = {joint.kind.nv for joint in robot.joints.values()}
    numbers = [number for meter in meters for number in meter.key()]
    return force_query(
        robot,
        ("external_wrench", names, single, base, *numbers),
        [velocities(robot), velocities(robot, "qdd"), _readings(meters)],
        output,
        algorithm,
        frames=[*names, *(name for meter in meters for name in meter.frames())],
        cuts=cuts,
        keep=lambda model: [model.joints.index(meter.joint) for meter in meters],
        needs=("mass", "weight", "medium", *(["passive"] if 6 in kinds else [])),
        last=inputs,
        **options,
    )


def _cuts(robot: Robot, meters: Iterable[Meter]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(meter.joint for meter in meters if not robot.joints[meter.joint].kind.nq))


def _readings(meters: Sequence[Meter]) -> Port:
    about = ", ".join(f"{meter.sensor} ({meter.measures})" for meter in meters)
    rows = tuple(meter.sensor for meter in meters)
    return Port("readings", (len(meters), 6), WRENCH, f"of {about}; N, N m", rows)


def _place_of(robot: Robot, name: str) -> tuple[str, Array]:
    """Return the frame and T_frame_sensor (4, 4) of an inertial sensor, given by the name of a frame or a sensor."""
    sensor = robot.sensors.get(name)
    if sensor is None or name in robot.frames:
        try:
            (frame,) = frames_of(robot, (name,))
        except UnknownNameError as error:
            if name in robot.joints:
                raise
            raise unknown_name("frame or sensor", name, [*robot.frames, *robot.sensors]) from error
        if sensor and sensor.type != "force_torque" and not _same_place(robot, name, sensor):
            message = f"is a frame and a sensor, which is elsewhere, on frame {sensor.frame!r}"
            raise fail("ambiguous", message, element=repr(name), fix="rename one of them with kt.edit.rename")
        origin, element = IDENTITY, f"frame {name!r}"
    else:
        frame, origin, element = sensor.frame, sensor.origin, f"sensor {name!r}"
        if sensor.type in FORCES:
            message = f"is of type {sensor.type!r}, whose reading kt.dynamics.sensor_reading gives"
            raise fail("sensor", message, element=element)
    check_placed(robot, frame, element)
    return frame, origin


def _same_place(robot: Robot, frame: str, sensor: Sensor) -> bool:
    body, T = tree(robot).frame(frame)
    on, T_on = tree(robot).frame(sensor.frame)
    return body == on and bool(np.abs(T - T_on @ sensor.origin).max() < CLOSE)


BASES = {None: (), "acceleration": ("base_acceleration",), "motion": ("base_velocity", "base_acceleration")}
_LABELS = {
    "base_velocity": (("vx", "vy", "vz", "wx", "wy", "wz"), "m/s, rad/s"),
    "base_acceleration": (("ax", "ay", "az", "alphax", "alphay", "alphaz"), "m/s², rad/s²"),
}


def _base_ports(base: str | None) -> list[Port]:
    one_of("base", base, BASES)
    labels = [(name, *_LABELS[name]) for name in BASES[base]]
    return [Port(name, (6,), words, f"of the root link in its axes; {units}") for name, words, units in labels]


def _base_motion(given: Sequence[Any]) -> sensing.Base:
    """Return the motion of the root link, angular first, from its velocity and acceleration, linear first. Its linear
    velocity is left out, because nothing in the robot feels it; so spatial and classical acceleration are the same."""
    if not given:
        return sensing.AT_REST
    *velocity, a = given
    omega = velocity[0][3:] if velocity else np.zeros(3)
    return np.array([*omega, 0.0, 0.0, 0.0]), np.array([*a[3:], *a[:3]])
