"""`kt.verify` by readings of sensors: faults that are planted in simulated logs are named, and none in clean ones.

Readings are those of poses by finite differences, or of MuJoCo in `crosscheck/test_verify_mujoco.py`.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.errors import KinetreeError, UnknownNameError
from kinetree.lab.identify.poses import way
from kinetree.spatial.exponential import log
from kinetree.spatial.se3 import quaternion_from_rotation, rotation_from_vector
from support import example_robot_urdfs, icub_urdfs
from test_verify_efforts import motion, named

UR5 = kt.load(next(path for path in example_robot_urdfs() if path.name == "ur5_robot.urdf"))
ICUB = kt.load("icub")
DOWN = np.array([0, 0, -9.81])
NOISE = np.repeat([0.005, 0.05], 3)


def read(robot, frame, q, qd, qdd, gravity=DOWN):
    """Return readings (n, 6) by differences of poses along q + qd t + qdd t²/2."""
    fk, h = kt.fk(robot, frame), 1e-3
    T = [fk(q + qd * t + qdd * t**2 / 2) for t in (-h, 0, h)]
    a = (T[0] - 2 * T[1] + T[2])[:, :3, 3] / h**2 - gravity
    R = T[1][:, :3, :3]
    w = [
        log(quaternion_from_rotation(A.T @ B)) / (2 * h) for A, B in zip(T[0][:, :3, :3], T[2][:, :3, :3], strict=True)
    ]
    return np.hstack([w, np.einsum("nij,ni->nj", R, a)])


def moving(robot, frame, off=0.0, seed=0, seconds=10.0, **options):
    """Return positions of joints and readings of a robot that moves."""
    rng = np.random.default_rng(seed)
    t, q, qd, qdd = motion(robot, rng, seconds)
    y = read(robot, frame, q + off, qd, qdd, **options)
    return {"q": q + rng.normal(0, 2e-5, q.shape), "t": t, "y": y + rng.normal(size=y.shape) * NOISE}


def standing(robot, frame, off=0.0, seed=0, n=40, **options):
    """Return positions of joints and readings of a robot that stands still in poses."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(*np.clip([robot.limits.lower, robot.limits.upper], -1.5, 1.5), (n, robot.nq))
    still = np.zeros_like(q)
    y = read(robot, frame, q + off, still, still, **options)
    return {"q": q, "qd": still, "qdd": still, "y": y + rng.normal(size=y.shape) * NOISE / 2}


def verify(robot, frame, log, *, rates=False):
    y = log.pop("y")
    return kt.verify(robot, imu={frame: y if rates else y[:, 3:]}, **log)


def at(robot, name, value):
    return value * np.eye(robot.nq)[robot.joint_names.index(name)]


def right(fault, value):
    """Whether a value is within three standard deviations, of numbers that the log determines."""
    known = np.isfinite(fault.std)
    return (np.abs(np.asarray(fault.value) - value)[known] < 3 * np.asarray(fault.std)[known]).all() and known.any()


def weighed(robot, joint, q, qd, qdd, change=None, gravity=DOWN):
    """Return wrenches (n, 6) on the child of a joint, by differences of momenta along q + qd t + qdd t²/2."""
    h, child = 1e-3, robot.joints[joint].child
    inertials = {
        name: (x.mass, x.origin[:3, 3], x.origin[:3, :3] @ x.inertia @ x.origin[:3, :3].T)
        for name, x in beyond(robot, joint)
    }
    inertials |= change or {}
    at = kt.fk(robot, child)(q)
    R, o, w = at[:, :3, :3], at[:, :3, 3], np.zeros((len(q), 2, 3))
    for name, (m, c, I) in inertials.items():
        fk = kt.fk(robot, name)
        T = [fk(q + qd * t + qdd * t**2 / 2) for t in h * np.arange(-2, 3)]
        p = [one[:, :3, :3] @ c + one[:, :3, 3] for one in T]
        f = m * ((p[1] - 2 * p[2] + p[3]) / h**2 - gravity)
        H = [spin(T[i][:, :3, :3], I, T[i - 1], T[i + 1], h) for i in (1, 3)]
        w += np.stack([f, np.cross(p[2] - o, f) + (H[1] - H[0]) / (2 * h)], axis=1)
    return (w @ R).reshape(-1, 6)


def beyond(robot, joint):
    """Return the links with mass that a joint carries."""
    for name, link in robot.links.items():
        if link.inertial and joint in way(robot, name):
            yield name, link.inertial


def spin(R, I, before, after, h):
    """Return angular momenta (n, 3)."""
    A, B = before[:, :3, :3], after[:, :3, :3]
    body = [log(quaternion_from_rotation(a.T @ b)) / (2 * h) for a, b in zip(A, B, strict=True)]
    return np.einsum("nij,nj->ni", R, body @ I.T)


class TestImu:
    @each("make", [standing, moving])
    def test_clean_logs(self, make):
        for seed in range(3):
            found = verify(UR5, "tool0", make(UR5, "tool0", seed=seed), rates=seed == 1)
            assert named(found) == []
            assert found.agrees
            assert found.together == ((("zero", "shoulder_pan_joint"),),)  # it turns about gravity
            assert "does not show the zero of shoulder_pan_joint" in str(found)
            errors, left, noise = found.readings["imu"][:, 0]
            assert np.isnan(errors[:3]).all() == (seed != 1)
            np.testing.assert_allclose(left[3:], noise[3:], rtol=0.2 if make is moving else 0.5)
        residuals = found.residuals["imu"]
        assert residuals.shape == (2, len(found.residuals["times of imu"]), 1, 6)
        np.testing.assert_allclose(np.sqrt((residuals[1, :, 0, 3:] ** 2).mean(axis=0)), left[3:])

    def test_zeros(self):
        (fault,) = verify(UR5, "tool0", moving(UR5, "tool0", at(UR5, "elbow_joint", 0.02))).faults
        assert (fault.kind, fault.element, fault.unit) == ("zero", "elbow_joint", "rad")
        assert right(fault, 0.02)
        for seed in range(4):
            found = verify(UR5, "tool0", standing(UR5, "tool0", at(UR5, "elbow_joint", 0.05), seed=seed))
            (fault,) = found.faults  # the axes of three joints are parallel, so that gravity cannot tell them apart
            parallel = {("zero", name) for name in ("shoulder_lift_joint", "elbow_joint", "wrist_1_joint")}
            assert parallel <= {(fault.kind, fault.element), *fault.alike}
            assert right(fault, 0.05)

    def test_two_zeros_are_no_joint_pose(self):
        for elbow, wrist in ((0.03, 0.03), (0.05, 0.1)):
            off = at(UR5, "elbow_joint", elbow) + at(UR5, "wrist_2_joint", wrist)
            found = verify(UR5, "tool0", standing(UR5, "tool0", off))
            assert [fault.kind for fault in found.faults] == ["zero", "zero"]

    def test_outliers_and_times_of_poses(self):
        """Steps of time longer than those by which rates are found do not matter for a robot that stands still."""
        log = standing(UR5, "tool0", at(UR5, "wrist_2_joint", 0.03), seed=2)
        log["y"][7, 3:] += 3.0
        for t in (None, 5.0 * np.arange(40)):
            found = verify(UR5, "tool0", dict(log, t=t))
            assert named(found) == [("zero", "wrist_2_joint")]
            assert found.outliers == (7,)
            assert found.gaps == ()

    @pytest.mark.slow
    @each("make", [standing, moving])
    @pytest.mark.nightly
    def test_poses_of_joints_of_the_icub(self, make):
        change = np.array([0.01, 0, -0.01, 0.02, -0.03, 0])
        rows = kt.kinematics.origins(ICUB, ["neck_yaw"])
        robot = kt.edit.set_origins(ICUB, {"neck_yaw": rows["neck_yaw"] + change})
        found = verify(ICUB, "imu_frame", make(robot, "imu_frame"))
        (fault,) = found.faults
        assert (fault.kind, fault.element) == ("joint pose", "neck_yaw")
        assert right(fault, change)
        assert np.isfinite(fault.std[:3]).all() == (make is moving)  # places do not matter at rest
        assert ("mm and" in str(found)) == (make is moving)

    @pytest.mark.slow
    @each("turn", [[0.05, -0.03, 0.02], [0, 2.0, 1.0]])
    @each("make", [standing, moving])
    @pytest.mark.nightly
    def test_poses_of_sensors(self, make, turn):
        log = make(UR5, "tool0")
        log["y"] = (log["y"].reshape(-1, 2, 3) @ rotation_from_vector(np.array(turn))).reshape(-1, 6)
        (fault,) = verify(UR5, "tool0", log, rates=True).faults
        assert (fault.kind, fault.element) == ("sensor pose", "tool0")
        assert right(fault, [0, 0, 0, *turn])

    @pytest.mark.slow
    @pytest.mark.nightly
    def test_the_place_of_a_sensor(self):
        T = np.eye(4)
        T[:3, 3] = [0.05, -0.02, 0.03]
        robot = kt.edit.add_frame(UR5, "board", on="tool0", origin=T)
        (fault,) = verify(UR5, "tool0", moving(robot, "board")).faults
        assert (fault.kind, fault.element) == ("sensor pose", "tool0")
        assert right(fault, [0.05, -0.02, 0.03, 0, 0, 0])

    @pytest.mark.slow
    @pytest.mark.nightly
    def test_gravity(self):
        wall = [9.81, 0, 0]
        (fault,) = verify(UR5, "tool0", moving(UR5, "tool0", gravity=np.array(wall))).faults
        assert (fault.kind, fault.element, fault.unit) == ("gravity", "world", "m/s²")
        assert right(fault, wall - DOWN)

    @pytest.mark.slow
    @each("make", [standing, moving])
    @pytest.mark.nightly
    def test_signs_and_units(self, make):
        log = make(UR5, "tool0")
        log["q"][:, 3] *= -1
        assert named(verify(UR5, "tool0", log)) == [("sign", "wrist_1_joint")]
        log = make(UR5, "tool0")
        log["y"][:, 3:] *= -1
        found = verify(UR5, "tool0", log)
        assert named(found) == [("imu sign", "tool0")]
        assert found.faults[0].alike == ((("gravity", "world"),) if make is standing else ())
        assert "Accelerations of tool0 have the other sign." in str(found)
        log = make(UR5, "tool0")
        log["y"][:, 3:] /= 9.80665
        found = verify(UR5, "tool0", log)
        assert named(found) == [("imu unit", "tool0")]
        assert "Accelerations of tool0 are in g." in str(found)

    @each("first, then", [(2, 3), (1, 5)])
    def test_two_signs(self, first, then):
        """Neither alone halves the error, because axes are parallel or gravity turns about another one."""
        log = standing(UR5, "tool0")
        log["q"][:, [first, then]] *= -1
        assert named(verify(UR5, "tool0", log)) == [("sign", UR5.joint_names[i]) for i in (first, then)]

    @pytest.mark.slow
    @each("kind", ["imu unit", "unit"])
    def test_a_sign_and_a_unit(self, kind):
        log = standing(UR5, "tool0")
        log["q"][:, 5] *= -1
        if kind == "unit":
            log["q"] = np.rad2deg(log["q"])
        else:
            log["y"][:, 3:] /= 9.80665
        element = "q" if kind == "unit" else "tool0"
        assert {*named(verify(UR5, "tool0", log))} == {("sign", "wrist_3_joint"), (kind, element)}

    @pytest.mark.slow
    @pytest.mark.nightly
    def test_degrees_a_second(self):
        log = moving(UR5, "tool0")
        log["y"][:, :3] = np.rad2deg(log["y"][:, :3])
        found = verify(UR5, "tool0", log, rates=True)
        assert named(found) == [("imu unit", "tool0")]
        assert "Angular velocities of tool0 are in deg/s." in str(found)

    @pytest.mark.slow
    @pytest.mark.nightly
    def test_a_delay_and_a_constant_offset(self):
        log = moving(UR5, "tool0", seed=1)
        log["y"] = np.column_stack([np.interp(log["t"] - 0.03, log["t"], x) for x in log["y"].T])
        log["y"] += [0, 0, 0, 0.1, -0.2, 0.15]
        found = verify(UR5, "tool0", log)
        (fault,) = found.faults
        assert (fault.kind, fault.element, fault.unit) == ("imu delay", "tool0", "s")
        assert right(fault, 0.03)
        assert re.search("Readings of tool0 are (29.|30).* ms later than q", str(found))
        np.testing.assert_allclose(found.sensor_offsets["imu"]["tool0"][3:], [0.1, -0.2, 0.15], atol=0.01)

    @pytest.mark.slow
    def test_two_sensors(self):
        off = at(UR5, "wrist_1_joint", 0.02)
        one, other = (moving(UR5, frame, off) for frame in ("forearm_link", "tool0"))
        found = kt.verify(UR5, one["q"], t=one["t"], imu={"forearm_link": one["y"][:, 3:], "tool0": other["y"]})
        assert named(found) == [("zero", "wrist_1_joint")]
        assert right(found.faults[0], 0.02)
        assert found.readings["imu"].shape == (3, 2, 6)

    @pytest.mark.slow
    def test_torques_are_compared_with_zeros_corrected(self):
        off = at(UR5, "wrist_1_joint", 0.1)
        rng = np.random.default_rng(0)
        t, q, qd, qdd = motion(UR5, rng, 10.0)
        tau = kt.inverse_dynamics(UR5)(q + off, qd, qdd)
        tau += rng.normal(size=tau.shape) * 0.02 * np.sqrt((tau**2).mean(axis=0))
        found = kt.verify(UR5, q, t=t, effort=tau, imu={"tool0": moving(UR5, "tool0", off)["y"]})
        assert named(found) == [("zero", "wrist_1_joint")]
        assert set(found.residuals) == {"imu", "times of imu", "torques", "times"}

    def test_what_such_a_log_cannot_show(self):
        log = standing(UR5, "tool0")
        log["q"][:] = log["q"][0]
        found = kt.verify(UR5, log["q"], qd=log["qd"], qdd=log["qdd"], imu={"tool0": log["y"][:1, 3:].repeat(40, 0)})
        assert found.blind == ("imu",)
        assert not found.agrees
        noise = np.random.default_rng(0).normal(size=(40, 3)) * 9
        log = standing(UR5, "tool0")
        found = kt.verify(UR5, log["q"], qd=log["qd"], qdd=log["qdd"], imu={"tool0": noise})
        assert not found.explained

    def test_illegal_logs(self):
        log = standing(UR5, "tool0")
        q, y, rest = log["q"], log["y"], {"qd": log["qd"], "qdd": log["qdd"]}
        with pytest.raises(UnknownNameError, match="'tool1'"):
            kt.verify(UR5, q, imu={"tool1": y}, **rest)
        for imu, why in (
            ({}, "imu is not a mapping of frames; expected {frame: a (n, 3)}"),
            ({"tool0": y[:5]}, "imu of tool0 has shape (5, 6); expected (40, 3) of accelerations, or (40, 6)"),
            ({"tool0": y[:, ::-1]}, "expected angular velocities, rad/s, first, then accelerations, m/s²"),
            ({"base_link": y}, "no joint moves 'base_link'; expected a sensor below a joint that moves"),
        ):
            with pytest.raises(KinetreeError, match=re.escape(why)):
                kt.verify(UR5, q, imu=imu, **rest)
        with pytest.raises(KinetreeError, match="imu is without t; expected times, or qd and qdd, which are zeros"):
            kt.verify(UR5, q, imu={"tool0": y})


GRIPPER = kt.chain(
    [
        {"type": "fixed", "joint": "flange", "m": 0.9, "r": [0.01, 0, 0.05], "I": [2e-3, 2e-3, 1e-3, 0, 0, 0]},
        {
            "axis": [1, 0, 0],
            "xyz": [0, 0, 0.1],
            "joint": "finger",
            "m": 0.3,
            "r": [0, 0.02, 0.06],
            "I": [4e-4, 3e-4, 2e-4, 0, 0, 0],
        },
    ]
)
ARM = kt.edit.attach(UR5, GRIPPER, "tool0", prefix="g_")
PALM, FINGER = ARM.joints["g_flange"].child, ARM.joints["g_finger"].child
ROUGH = np.repeat([0.2, 0.01], 3)


def wrenches(make, off=0.0, seed=0, turn=None, **options):
    """Return a log of the joint of a gripper, which has no <sensor>; a force/torque sensor is never at zero."""
    rng = np.random.default_rng(seed)
    if make is moving:
        t, q, qd, qdd = motion(ARM, rng, 10.0)
        log = {"q": q + rng.normal(0, 2e-5, q.shape), "t": t}
    else:
        q = rng.uniform(*np.clip([ARM.limits.lower, ARM.limits.upper], -1.5, 1.5), (60, ARM.nq))
        qd = qdd = np.zeros_like(q)
        log = {"q": q, "qd": qd, "qdd": qdd}
    y = weighed(ARM, "g_flange", q + off, qd, qdd, **options)
    if turn is not None:
        y = (y.reshape(-1, 2, 3) @ rotation_from_vector(np.array(turn))).reshape(-1, 6)
    return log | {"y": y + OFFSET + rng.normal(size=y.shape) * ROUGH}


OFFSET = np.array([5, -3, 8, 0.2, 0.1, -0.3])


def weigh(log):
    return kt.verify(ARM, wrenches={"g_flange": log.pop("y")}, **log)


@pytest.mark.slow
def test_the_arm_of_the_icub():
    """Its sensor is in the shoulder, and the elbow and the wrist move what it carries."""
    file = next(path for path in icub_urdfs() if path.parent.name == "iCubGazeboV2_5")
    icub = kt.load(file)
    rng, joint = np.random.default_rng(0), "l_arm_ft_sensor"
    q = rng.uniform(*np.clip([icub.limits.lower, icub.limits.upper], -1.5, 1.5), (60, icub.nq))
    still, inertial = np.zeros_like(q), icub.links["l_forearm"].inertial
    m, R = inertial.mass, inertial.origin[:3, :3]
    heavier = {"l_forearm": (1.3 * m, inertial.origin[:3, 3], 1.3 * R @ inertial.inertia @ R.T)}
    y = OFFSET - weighed(icub, joint, q, still, still, change=heavier) + rng.normal(size=(60, 6)) * ROUGH
    found = kt.verify(icub, q, qd=still, qdd=still, wrenches={"l_arm_ft": y})  # which is of the child on the parent
    (fault,) = found.faults
    assert (fault.kind, fault.element) == ("mass", "l_forearm")
    assert right(fault, 0.3 * m)


class TestWrenches:
    @pytest.mark.slow
    @each("make", [standing, moving])
    def test_clean_logs(self, make):
        for seed in range(2):
            found = weigh(wrenches(make, seed=seed))
            assert named(found) == []
            assert found.agrees
            np.testing.assert_allclose(found.sensor_offsets["wrenches"]["g_flange"], OFFSET, rtol=0, atol=0.3)
            assert found.readings["wrenches"].shape == (3, 1, 6)
        assert "wrenches 0." in str(found)

    @pytest.mark.slow
    @each("make", [standing, moving])
    @pytest.mark.nightly
    def test_masses_and_centres(self, make):
        inertial = ARM.links[FINGER].inertial
        heavier = {FINGER: (0.5, inertial.origin[:3, 3], inertial.inertia / 0.3 * 0.5)}
        (fault,) = weigh(wrenches(make, change=heavier)).faults
        assert (fault.kind, fault.element, fault.unit) == ("mass", FINGER, "kg")
        assert right(fault, 0.2)
        inertial = ARM.links[PALM].inertial
        (fault,) = weigh(wrenches(make, change={PALM: (0.9, [0.03, -0.01, 0.08], inertial.inertia)})).faults
        assert (fault.kind, fault.element, fault.unit) == ("centre", PALM, "m")
        assert right(fault, [0.02, -0.01, 0.03])

    @pytest.mark.slow
    @each("make", [standing, moving])
    @pytest.mark.nightly
    def test_much_heavier_links(self, make):
        inertial = ARM.links[PALM].inertial
        for factor in (0.2, 5.0):
            changed = {PALM: (0.9 * factor, inertial.origin[:3, 3], inertial.inertia * factor)}
            (fault,) = weigh(wrenches(make, change=changed)).faults
            assert (fault.kind, fault.element) == ("mass", PALM)
            assert right(fault, 0.9 * (factor - 1))

    @pytest.mark.slow
    @each("make", [standing, moving])
    @pytest.mark.nightly
    def test_signs_and_turns(self, make):
        log = wrenches(make)
        log["y"] *= -1
        found = weigh(log)
        assert named(found) == [("wrench sign", "g_flange")]
        assert found.faults[0].alike == ((("gravity", "world"),) if make is standing else ())
        for turn in ([0, 0.05, 0.1], [0, 0, np.pi / 2]):
            (fault,) = weigh(wrenches(make, turn=turn)).faults
            assert (fault.kind, fault.element, fault.unit) == ("sensor turn", "g_flange", "rad")
            assert right(fault, turn)

    @pytest.mark.slow
    @each("make", [standing, moving])
    def test_zeros(self, make):
        (fault,) = weigh(wrenches(make, at(ARM, "g_finger", 0.2))).faults
        assert ("zero", "g_finger") in {(fault.kind, fault.element), *fault.alike}
        assert fault.kind != "zero" or right(fault, 0.2)


def test_a_log_of_one_pose_does_not_weigh():
    log = wrenches(standing)
    log["q"][:] = log["q"][0]
    noise = np.random.default_rng(0).normal(size=(60, 6)) * ROUGH
    found = weigh(log | {"y": log["y"][0] + noise})
    assert found.blind == ("wrenches",)
    assert (("mass", PALM), ("sensor offset", "g_flange")) in found.together


def test_illegal_wrenches():
    log = wrenches(standing)
    y, rest = log.pop("y"), log
    with pytest.raises(UnknownNameError, match="'g_flagne'"):
        kt.verify(ARM, wrenches={"g_flagne": y}, **rest)
    for given, why in (
        ([y], "wrenches is not a mapping of sensors; expected {sensor: w (n, 6)}"),
        ({"g_flange": y[:, :3]}, "wrenches of g_flange have shape (60, 3); expected (60, 6), forces, then moments"),
    ):
        with pytest.raises(KinetreeError, match=re.escape(why)):
            kt.verify(ARM, wrenches=given, **rest)
    with pytest.raises(KinetreeError, match="no link beyond 'q2' has a mass; expected one that the sensor weighs"):
        kt.verify(
            kt.chain("Rz(q1) tx(1) Ry(q2)"),
            log["q"][:, :2],
            wrenches={"q2": y},
            qd=log["qd"][:, :2],
            qdd=log["qd"][:, :2],
        )
