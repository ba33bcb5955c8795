"""Motors of the iCub that move several joints together, against the matrices that others publish."""

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.icub import couplings, from_motors, to_motors
from support import icub_urdfs

R, r, T = 0.04, 0.022, 0.615
WHOLE_BODY_TORSO = np.array([[0.5, -0.5, 0], [0.5, 0.5, 0], [r / (2 * R), r / (2 * R), r / R]])
"""Of whole-body-controllers: torso_pitch, _roll, _yaw for the motors of pitch, roll and yaw."""
WHOLE_BODY_SHOULDER = np.array([[1, 0, 0], [1, T, 0], [0, -T, T]])
INVERSES = {  # matrixJ2M of experimentalSetups/iCubGenova02-VelCtrl of robots-configuration
    "torso": [[1, -1, 0], [1, 1, 0], [-1, 0, 1.81818]],
    "left_shoulder": [[1, 0, 0], [-1.625, 1.625, 0], [-1.625, 1.625, 1.625]],
    "right_shoulder": [[1, 0, 0], [-1.625, 1.625, 0], [-1.625, 1.625, 1.625]],
    "neck": [[1, 1], [-1, 1]],  # of every robot
}


def by_name(version="2.5"):
    return {coupling.name: coupling for coupling in couplings(version)}


@pytest.fixture(scope="module")
def icub():
    return kt.load("icub:2.5")


def test_matrices_are_those_of_the_robots_files_to_their_digits():
    for coupling in by_name().values():
        assert np.abs(coupling.matrix - coupling.printed).max() < 5e-4, coupling.name
        assert np.array_equal(np.round(coupling.matrix, 3), coupling.printed)


def test_they_show_themselves_on_a_line():
    neck = repr(by_name("3.0")["neck"])
    assert neck.startswith("Coupling(name='neck', joints=('neck_pitch', 'neck_roll'")
    assert "matrix=array (" in neck
    assert "\n" not in neck


def test_the_inverses_are_the_published_ones():
    rows = by_name()
    assert set(rows) == set(INVERSES)
    for name, inverse in INVERSES.items():
        assert np.allclose(np.linalg.inv(rows[name].matrix), inverse, rtol=0, atol=5e-6), name


def test_the_whole_body_controllers_have_the_same_matrices():
    """They list the joints pitch, roll, yaw with the motor of each, and the opposite sign for the left shoulder."""
    rows = by_name()
    torso = rows["torso"]
    order = [torso.joints.index(f"torso_{name}") for name in ("pitch", "roll", "yaw")]
    assert np.allclose(torso.matrix[np.ix_(order, order)], WHOLE_BODY_TORSO, rtol=0, atol=1e-15)
    for side in ("left", "right"):
        assert np.allclose(rows[f"{side}_shoulder"].matrix, WHOLE_BODY_SHOULDER, rtol=0, atol=5e-4)


def test_which_version_has_which():
    assert set(by_name("1.0")) == set(by_name("2.0")) == {"torso", "left_shoulder", "right_shoulder", "neck"}
    assert set(by_name("2.10")) == {"torso", "left_shoulder", "right_shoulder"}
    assert set(by_name("3.0")) == {"neck"}
    with pytest.raises(kt.KinetreeError, match=r"no version '4'"):
        couplings("4")


@each("quantity", ["position", "velocity", "torque"])
def test_there_and_back(icub, quantity):
    values = np.random.default_rng(0).normal(size=(4, 5, icub.nq))
    motors = to_motors(icub, values, quantity=quantity, version="2.5")
    assert motors.shape == values.shape
    assert np.allclose(from_motors(icub, motors, quantity=quantity, version="2.5"), values, rtol=0, atol=1e-14)
    coupled = {joint for coupling in couplings("2.5") for joint in coupling.joints}
    changed = {name for i, name in enumerate(icub.joint_names) if not np.array_equal(motors[..., i], values[..., i])}
    assert changed <= coupled
    assert len(coupled) - len(changed) <= 2  # the motor of a shoulder's pitch is that joint


def test_power_is_conserved_and_velocities_are_rates_of_positions(icub):
    rng = np.random.default_rng(1)
    q, qd, tau = rng.normal(size=(3, 100, icub.nv))
    motor_velocity = to_motors(icub, qd, quantity="velocity", version="2.5")
    motor_torque = to_motors(icub, tau, quantity="torque", version="2.5")
    assert np.allclose((motor_torque * motor_velocity).sum(-1), (tau * qd).sum(-1), rtol=1e-13, atol=1e-12)
    moved = [to_motors(icub, q + sign * 1e-3 * qd, quantity="position", version="2.5") for sign in (1, -1)]
    assert np.allclose((moved[0] - moved[1]) / 2e-3, motor_velocity, rtol=0, atol=1e-10)
    shoulder, at = (
        by_name()["left_shoulder"],
        [icub.joint_names.index(f"l_shoulder_{a}") for a in ("pitch", "roll", "yaw")],
    )
    assert np.allclose(motor_torque[:, at], tau[:, at] @ shoulder.matrix, rtol=0, atol=1e-14)  # T' tau, as the firmware


def test_one_motor_of_the_torso_bends_and_turns_it(icub):
    """The first motor alone, by the published row: half its angle in roll, minus half in pitch, 22/80 of it in yaw."""
    motors = np.zeros(icub.nq)
    motors[icub.joint_names.index("torso_roll")] = 1.0
    q = from_motors(icub, motors, quantity="position", version="2.5")
    assert {name: x for name, x in zip(icub.joint_names, q, strict=True) if x} == {
        "torso_roll": 0.5,
        "torso_pitch": -0.5,
        "torso_yaw": 0.275,
    }


def test_published_models_whatever_their_order(icub):
    path = next(path for path in icub_urdfs() if path.parent.name == "iCubGazeboV2_5")
    model = kt.load(path)
    q = np.random.default_rng(2).normal(size=icub.nq)
    angles = dict(zip(icub.joint_names, q, strict=True))
    there = to_motors(model, [angles[name] for name in model.joint_names], quantity="position", version="2.5")
    here = dict(zip(icub.joint_names, to_motors(icub, q, quantity="position", version="2.5"), strict=True))
    assert np.allclose(there, [here[name] for name in model.joint_names], rtol=0, atol=1e-15)


def test_what_is_refused(icub):
    q = icub.q()
    with pytest.raises(kt.KinetreeError, match=r"is of the family icub, and version 3\.0 is of icub3"):
        to_motors(icub, q, quantity="position", version="3.0")
    with pytest.raises(kt.KinetreeError, match="expected one of 'position', 'velocity', 'torque'"):
        to_motors(icub, q, quantity="speed", version="2.5")
    with pytest.raises(kt.KinetreeError, match=r"expected \(…, 35\)"):
        to_motors(icub, q[:3], quantity="velocity", version="2.5")
    with pytest.raises(kt.KinetreeError, match="no coordinate for torso_yaw, which is coupled with torso_roll"):
        to_motors(kt.edit.lock(icub, {"torso_yaw": 0.0}), q[:-1], quantity="position", version="2.5")


def test_a_floating_root_has_more_positions_than_velocities(icub):
    """Its quaternion comes before the joints, so that a column of q is another one of qd."""
    ground = kt.load('<robot name="ground"><link name="ground"/></robot>', format="urdf")
    free = kt.edit.attach(ground, icub, "ground", type="floating")
    assert free.nq - free.nv == 1
    rng = np.random.default_rng(3)
    for quantity, n, names in (
        ("position", free.nq, free.coordinate_names),
        ("velocity", free.nv, free.velocity_names),
        ("torque", free.nv, free.velocity_names),
    ):
        values = rng.normal(size=n)
        own = [names.index(name) for name in icub.joint_names]
        for function in (to_motors, from_motors):
            moved = function(free, values, quantity=quantity, version="2.5")
            expected = values.copy()
            expected[own] = function(icub, values[own], quantity=quantity, version="2.5")
            np.testing.assert_array_equal(moved, expected)
