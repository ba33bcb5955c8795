"""What inertial and force/torque sensors read in motion, and contacts from their readings."""

from __future__ import annotations

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import Dynamics, Joint, Link, Robot, Sensor
from kinetree.spatial import plucker, se3
from physics import everything, random_pose
from support import icub_urdfs, random_q

G = np.array((0.0, 0.0, -9.81))
H = 4e-3
FIRST = np.array((1, -8, 0, 8, -1)) / (12 * H)
SECOND = np.array((-1, 16, -30, 16, -1)) / (12 * H * H)


def sensing(seed: int = 0) -> Robot:
    """Every joint type, with a sensor of every joint, in a place of its own."""
    parts, rng = parts_of(everything(seed)), np.random.default_rng(seed)
    for joint in parts.joints:
        sensor = Sensor(f"ft_{joint.name}", "force_torque", joint.child, random_pose(rng), joint=joint.name)
        parts.sensors.append(sensor)
    return build(parts)


def floating(robot: Robot, dynamics: Dynamics | None = None) -> Robot:
    """The robot on a floating joint, whose link has the frame of the joint."""
    parts = parts_of(robot)
    parts.links.append(Link("world"))
    rows = (dynamics,) * 6 if dynamics else ()
    parts.joints.append(Joint("free", "floating", "world", robot.root, dynamics=rows))
    free = build(parts)
    assert free.joint_names == (*robot.joint_names, "free")
    return free


ROBOT = sensing()
FLOATING = floating(ROBOT)


class Motion:
    """A motion with velocity qd and acceleration qdd in the middle, at five times H apart."""

    def __init__(self, robot: Robot, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.q, self.qd = random_q(robot, rng), rng.uniform(-1, 1, robot.nv)
        self.qdd = rng.uniform(-2, 2, robot.nv)
        times = H * np.arange(-2, 3)[:, None]
        self.path = kt.dynamics.integrate(robot).interpret(self.q, times * self.qd + times**2 / 2 * self.qdd)

    @property
    def state(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.q, self.qd, self.qdd


def expected_imu(poses: np.ndarray, gravity: np.ndarray) -> np.ndarray:
    """Angular velocity and proper acceleration from five poses (5, 4, 4)."""
    rotations, places = poses[:, :3, :3], poses[:, :3, 3]
    R = rotations[2]
    S = R.T @ np.einsum("t,tij->ij", FIRST, rotations)
    return np.array([S[2, 1], S[0, 2], S[1, 0], *(R.T @ (SECOND @ places - gravity))])


@pytest.mark.slow
@each("name", ["base", "on_trunk5", "thumb_link", "finger_link", "branch4", "imu", "gyro"])
def test_an_imu_against_finite_differences_of_poses(name):
    motion, sensor = Motion(ROBOT, 1), ROBOT.sensors.get(name)
    poses = kt.fk(ROBOT, sensor.frame if sensor else name).interpret(motion.path)
    expected = expected_imu(poses @ sensor.origin if sensor else poses, G)
    reading = kt.dynamics.imu_reading(ROBOT, name).interpret(*motion.state)
    np.testing.assert_allclose(reading, expected, rtol=0, atol=1e-6)
    assert np.abs(reading).max() > 5


@pytest.mark.slow
def test_an_imu_on_a_moving_base():
    """The same robot on a floating joint, whose frame is that of the root link."""
    motion = Motion(FLOATING, 2)
    expected = kt.dynamics.imu_reading(FLOATING, "imu").interpret(*motion.state)
    state = motion.q[:-7], motion.qd[:-6], motion.qdd[:-6]
    turn = kt.fk(FLOATING, "base").interpret(motion.q)[:3, :3].T
    in_root = np.kron(np.eye(2), turn)
    velocity = in_root @ kt.velocity(FLOATING, "base").interpret(motion.q, motion.qd)
    acceleration = in_root @ kt.dynamics.acceleration(FLOATING, "base").interpret(*motion.state)
    kernel = kt.dynamics.imu_reading(ROBOT, "imu", base="motion", gravity=None)
    assert [port.name for port in kernel.inputs][3:] == ["gravity", "base_velocity", "base_acceleration"]
    reading = kernel.interpret(*state, turn @ G, velocity, acceleration)
    np.testing.assert_allclose(reading, expected, rtol=0, atol=1e-12)
    at_rest = kt.dynamics.imu_reading(ROBOT, "imu", base="acceleration").interpret(*state, acceleration)
    without = kt.dynamics.imu_reading(ROBOT, "imu", base="motion").interpret(*state, 0 * velocity, acceleration)
    np.testing.assert_allclose(at_rest, without, rtol=0, atol=1e-13)
    assert np.abs(at_rest - reading).max() > 0.1


@pytest.mark.slow
@pytest.mark.parametrize("version", ["2.0", pytest.param("2.10", marks=pytest.mark.slow)])  # 2.10: on followers
def test_the_inertial_sensor_of_the_icub_at_rest_and_in_motion(version):
    icub = kt.load(f"icub:{version}")
    kernel, motion = kt.dynamics.imu_reading(icub, "head_imu"), Motion(icub, 3)
    still = kernel.interpret(motion.q, 0 * motion.qd, 0 * motion.qdd)
    R = kt.fk(icub, "imu_frame").interpret(motion.q)[:3, :3]
    np.testing.assert_allclose(still, [0, 0, 0, *(R.T @ (0, 0, 9.81))], rtol=0, atol=1e-13)
    expected = expected_imu(kt.fk(icub, "imu_frame").interpret(motion.path), G)
    np.testing.assert_allclose(kernel.interpret(*motion.state), expected, rtol=0, atol=1e-6)


def point_masses(robot: Robot, link: str) -> tuple[np.ndarray, np.ndarray]:
    """Masses (7,), which may be negative, and places (7, 4) on a link that move as it does."""
    inertial = robot.links[link].inertial
    sums, axes = np.linalg.eigh(np.trace(inertial.inertia) / 2 * np.eye(3) - inertial.inertia)
    places = inertial.origin @ np.vstack([np.hstack([0 * axes, axes, -axes])[:, 2:], np.ones(7)])
    return np.array([inertial.mass - sums.sum(), *sums / 2, *sums / 2]), places.T


def felt(robot: Robot, joint: str, motion: Motion, gravity: np.ndarray, frames=(), w=()) -> np.ndarray:
    """The wrench that carries all links behind a joint, in the root's frame: d'Alembert's principle for point masses,
    accelerated as finite differences of their places say."""
    behind = {link for link in robot.links if robot.joints[joint] in robot.joints_to(link)}
    total = np.zeros(6)
    for link in behind:
        if robot.links[link].inertial is None:
            continue
        masses, on_link = point_masses(robot, link)
        places = np.einsum("tij,kj->tki", kt.fk(robot, link).interpret(motion.path), on_link)[..., :3]
        for m, p, a in zip(masses, places[2], np.einsum("t,tki->ki", SECOND, places), strict=True):
            total += kt.dynamics.contact_wrench(p, m * (a - gravity))
    for frame, one in zip(frames, w, strict=True):
        if robot.frames[frame].link in behind:
            total -= kt.dynamics.wrench(robot, frame).interpret(motion.q, one)
    return total


@pytest.mark.slow
@pytest.mark.parametrize(
    "joint",
    [pytest.param(name, marks=[] if name in ("fixed_1", "screw_3") else pytest.mark.slow) for name in ROBOT.joints],
)
def test_the_wrench_through_every_type_of_joint(joint):
    """With followers behind it, a contact on both sides, and gravity as an input."""
    motion, frames = Motion(ROBOT, 4), ["on_trunk5", "on_base", "on_branch4"]
    w, g = np.random.default_rng(5).normal(size=(3, 6)), np.array((1.0, -2.0, 5.0))
    kernel = kt.dynamics.sensor_reading(ROBOT, f"ft_{joint}", frames, measures="child_on_parent", gravity=None)
    sensor = ROBOT.sensors[f"ft_{joint}"]
    T = kt.fk(ROBOT, sensor.frame).interpret(motion.q) @ sensor.origin
    expected = -plucker.moved_wrench(se3.inverse(T), felt(ROBOT, joint, motion, g, frames, w))
    reading = kernel.interpret(*motion.state, g, w)
    np.testing.assert_allclose(reading, expected, rtol=1e-6, atol=1e-5)
    still = kt.dynamics.sensor_reading(ROBOT, f"ft_{joint}", frames, measures="parent_on_child", at_rest=True)
    moving = kt.dynamics.sensor_reading(ROBOT, f"ft_{joint}", frames, measures="parent_on_child")
    same = moving.interpret(motion.q, 0 * motion.qd, 0 * motion.qdd, w)
    np.testing.assert_allclose(still.interpret(motion.q, w), same, rtol=1e-12, atol=1e-12)


@pytest.mark.slow
def test_inertial_parameters_as_an_input():
    motion = Motion(ROBOT, 6)
    masses = np.array(list(kt.dynamics.inertial_parameters(ROBOT).values()))
    for ask, given in (
        (kt.dynamics.sensor_reading, ("ft_fixed_1", ())),
        (kt.dynamics.external_wrench, (["ft_fixed_1"], "trunk5")),
    ):
        plain, free = (ask(ROBOT, *given, measures="child_on_parent", parameters=on) for on in (False, True))
        more = [np.arange(6.0)[None]] if ask is kt.dynamics.external_wrench else []
        np.testing.assert_allclose(
            free.interpret(*motion.state, *more, masses), plain.interpret(*motion.state, *more), rtol=1e-11, atol=1e-11
        )


SENSORS = ["ft_fixed_1", "ft_continuous_4", "ft_universal_b2"]


@pytest.mark.slow
def test_contacts_from_readings():
    """Three sensors and four contacts: between sensors, behind the last, and the one that moves a link that floats."""
    motion, frames = Motion(ROBOT, 7), ["on_trunk1", "on_trunk5", "branch3", "branch4"]
    w = np.random.default_rng(8).normal(size=(4, 6))
    own = [name.startswith("floating_b4") for name in ROBOT.velocity_names]
    J = kt.jacobian(ROBOT, "branch4", base="branch3", expressed_in="frame").interpret(motion.q)[:, own]
    w[3] = np.linalg.solve(J.T, kt.inverse_dynamics(ROBOT).interpret(*motion.state)[own])
    readings = [
        kt.dynamics.sensor_reading(ROBOT, name, frames, measures="parent_on_child").interpret(*motion.state, w)
        for name in SENSORS
    ]
    kernel = kt.dynamics.external_wrench(ROBOT, SENSORS, frames, measures="parent_on_child")
    found = kernel.interpret(*motion.state, np.array(readings))
    np.testing.assert_allclose(found, w, rtol=0, atol=1e-11)
    one = kt.dynamics.external_wrench(ROBOT, SENSORS[2], "branch3", measures="parent_on_child")
    assert one.output.shape == (6,)
    np.testing.assert_allclose(one.interpret(*motion.state, np.array(readings[2:])), w[2], rtol=0, atol=1e-11)


def test_the_support_of_a_base_that_moves():
    """What a floating joint would have to exert on the root link is what supports it."""
    robot = floating(ROBOT, Dynamics(damping=0.3, armature=0.2, stiffness=0.0))
    motion = Motion(robot, 9)
    readings = [
        kt.dynamics.sensor_reading(robot, name, measures="child_on_parent").interpret(*motion.state) for name in SENSORS
    ]
    tau = kt.inverse_dynamics(robot).interpret(*motion.state)[-6:]
    kernel = kt.dynamics.external_wrench(robot, SENSORS, "base", measures="child_on_parent")
    np.testing.assert_allclose(kernel.interpret(*motion.state, np.array(readings)), tau, rtol=0, atol=1e-11)

    tau = kt.inverse_dynamics(FLOATING).interpret(*motion.state)[-6:]
    turn = kt.fk(robot, "base").interpret(motion.q)[:3, :3].T
    velocity = kt.velocity(robot, "base", expressed_in="frame").interpret(motion.q, motion.qd)
    acceleration = np.kron(np.eye(2), turn) @ kt.dynamics.acceleration(robot, "base").interpret(*motion.state)
    kernel = kt.dynamics.external_wrench(
        ROBOT, SENSORS, "base", measures="child_on_parent", base="motion", gravity=None
    )
    state = motion.q[:-7], motion.qd[:-6], motion.qdd[:-6]
    found = kernel.interpret(*state, np.array(readings), turn @ G, velocity, acceleration)
    np.testing.assert_allclose(found, tau, rtol=0, atol=1e-11)


@each(
    "sensors, frame, message",
    [
        ([], "trunk5", "no sensor is given"),
        (["ft"], "trunk5", r"does not say what it measures; pass measures="),
        (["ft_fixed_1"], "base", r"frame 'base': is on the part of the root link, whose support is unknown"),
        (["ft_fixed_1"], ["trunk2", "trunk5"], r"no sensor lies between 'trunk2' and 'trunk5'"),
        (["ft_fixed_5", "ft"], "trunk5", r"'ft_fixed_5' and 'ft' both measure joint 'fixed_5'"),
        (["gyro"], "trunk5", r"sensor 'gyro': is of type 'imu'; expected force_torque sensors of joints: 'ft'"),
        (["ft_fixed_2"], "trunk5", r"no sensor 'ft_fixed_2'; did you mean 'ft_fixed_"),
        (["ft_fixed_1"], "trunk9", r"no frame 'trunk9'; did you mean"),
    ],
)
def test_contacts_that_cannot_be_found(sensors, frame, message):
    measures = None if sensors == ["ft"] else "child_on_parent"
    with pytest.raises(kt.KinetreeError, match=message):
        kt.dynamics.external_wrench(ROBOT, sensors, frame, measures=measures)


def test_places_that_are_not_known():
    icub = kt.load("icub")
    for ask in (
        lambda: kt.dynamics.external_wrench(icub, "l_arm_ft", "l_hand"),
        lambda: kt.dynamics.imu_reading(icub, "l_arm_ft_frame"),
    ):
        with pytest.raises(
            kt.KinetreeError, match=r"'l_arm_ft(_frame)?': has no known place, so it has no pose and no reading"
        ):
            ask()
    with pytest.raises(
        kt.KinetreeError, match=r"'l_arm_ft': is of type 'force_torque', whose reading kt.dynamics.sensor"
    ):
        kt.dynamics.imu_reading(icub, "l_arm_ft")
    with pytest.raises(kt.KinetreeError, match=r"no frame or sensor 'head_emu'; did you mean 'head_imu'"):
        kt.dynamics.imu_reading(icub, "head_emu")
    with pytest.raises(kt.KinetreeError, match=r"base is 'free'; expected one of None, 'acceleration', 'motion'"):
        kt.dynamics.imu_reading(icub, "head_imu", base="free")


def test_a_sensor_that_has_the_name_of_a_frame():
    parts = parts_of(ROBOT)
    parts.sensors.append(Sensor("trunk1", "imu", "trunk2"))
    with pytest.raises(kt.KinetreeError, match="'trunk1': is a frame and a sensor, which is elsewhere"):
        kt.dynamics.imu_reading(build(parts), "trunk1")
    parts.sensors[-1] = Sensor("trunk1", "imu", "trunk1")
    assert kt.dynamics.imu_reading(build(parts), "trunk1").output.shape == (6,)


def test_robots_without_masses():
    """Contacts alone need none; a weight does."""
    text = """<robot name="r"><link name="a"/><link name="b"/>
      <joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>
      <sensor name="ft" type="force_torque"><parent joint="j"/></sensor></robot>"""
    robot = kt.load(text, format="urdf")
    with pytest.raises(kt.KinetreeError, match="no link of the robot has a mass"):
        kt.dynamics.sensor_reading(robot, "ft", "b", measures="child_on_parent", at_rest=True)


MJCF = """<mujoco><worldbody><body name="a"><geom size="0.1" mass="1"/><joint name="j" type="hinge"/>
  <body name="b" pos="1 0 0"><geom size="0.1" mass="1"/><joint name="k" type="hinge" axis="0 1 0"/><site name="s"/>
  </body></body></worldbody><equality><connect body1="b" body2="world" anchor="0 0 0"/></equality>
  <sensor><force name="f" site="s"/></sensor></mujoco>"""


def test_loops_are_named():
    robot = kt.load(MJCF, format="mjcf")
    assert len(robot.loops) == 1
    for ask in (
        lambda **options: kt.dynamics.sensor_reading(robot, "f", **options),
        lambda **options: kt.dynamics.external_wrench(robot, "f", "b", **options),
    ):
        with pytest.raises(kt.KinetreeError, match=f"joints close loops.*: {next(iter(robot.loops))}"):
            ask()
        assert ask(loops="ignore").output.shape == (6,)


def by_hand(robot: Robot, sensor: str, state, contact: str, w: np.ndarray) -> np.ndarray:
    """The reading of a sensor in the frame of its name: the robot behind its joint, cut off, is a robot of its own on a
    floating joint, and the joint's torque is what it takes to move it so."""
    q, qd, qdd = state
    link = robot.joints[robot.sensors[sensor].joint].child
    rest = kt.edit.cut(robot, link)
    own = [robot.joint_names.index(name) for name in rest.joint_names]
    free = floating(rest)
    T = kt.fk(robot, link).interpret(q)
    R = T[:3, :3]
    w4 = np.sqrt(1 + np.trace(R)) / 2
    quat = [*(np.array((R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1])) / (4 * w4)), w4]
    twist = kt.velocity(robot, link, expressed_in="frame").interpret(q, qd)
    rate = kt.dynamics.acceleration(robot, link, expressed_in="frame").interpret(q, qd, qdd)
    tau = kt.inverse_dynamics(free, [contact]).interpret(
        [*q[own], *T[:3, 3], *quat], [*qd[own], *twist], [*qdd[own], *rate], w[None]
    )
    return -kt.dynamics.wrench(robot, link, base=sensor).interpret(q, tau[-6:])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sensor", "contact"),
    [
        ("l_foot_ft", "l_sole"),
        *(
            pytest.param(f"{side}_{part}_ft", f"{side}_{tip}", marks=pytest.mark.slow)
            for side in "lr"
            for part, tip in (("arm", "hand"), ("leg", "foot"), ("foot", "foot"))
        ),
    ],
)
def test_a_published_icub_in_motion(sensor, contact):
    icub = kt.load(next(path for path in icub_urdfs() if path.parent.name == "iCubGazeboV2_5"))
    rng = np.random.default_rng(11)
    state, w = (rng.uniform(-1, 1, icub.nq), *rng.uniform(-3, 3, (2, icub.nv))), rng.normal(size=6)
    reading = kt.dynamics.sensor_reading(icub, sensor, contact).interpret(*state, w[None])
    np.testing.assert_allclose(reading, by_hand(icub, sensor, state, contact, w), rtol=0, atol=1e-11)


@pytest.mark.slow
def test_contacts_of_a_published_icub():
    icub = kt.load(next(path for path in icub_urdfs() if path.parent.name == "iCubGazeboV2_5"))
    rng = np.random.default_rng(12)
    state = (rng.uniform(-1, 1, (4, icub.nq)), *rng.uniform(-3, 3, (2, 4, icub.nv)))
    sensors, frames = ["l_arm_ft", "r_leg_ft", "r_foot_ft"], ["l_hand", "r_lower_leg", "r_sole"]
    w = rng.normal(size=(4, 3, 6))
    readings = [kt.dynamics.sensor_reading(icub, name, frames)(*state, w) for name in sensors]
    found = kt.dynamics.external_wrench(icub, sensors, frames)(*state, np.stack(readings, axis=1))
    np.testing.assert_allclose(found, w, rtol=0, atol=1e-11)


def test_what_is_no_inertial_sensor_is_said_with_what_it_is():
    for name, message in (
        ("screw_3", "no frame 'screw_3', which is a joint; the link that it moves is 'trunk3'"),
        ("gyra", "no frame or sensor 'gyra'; did you mean 'gyro'"),
    ):
        with pytest.raises(kt.KinetreeError, match=message):
            kt.dynamics.imu_reading(everything(), name)
    with pytest.raises(kt.KinetreeError, match="no frame 'gyro', which is a sensor on frame 'trunk1'"):
        kt.fk(everything(), "gyro")
