"""What is wrong with poses from a pendant is named: exactly that, from noisy numbers."""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation as Rotations

import kinetree as kt
from each import each
from kinetree.controllers import controllers
from kinetree.controllers.rotation import Rotation
from kinetree.lab.calibrate.calibration import Fault, calibrate
from kinetree.lab.calibrate.diagnose import _odd_numbers
from kinetree.spatial import se3
from pendants import ARM, LINKS, changed, codes, load, shown, urdf

MAKERS = ["abb", "kuka", "fanuc", "universal_robots", "staubli", "kawasaki"]


def written_as(who, formula, poses):
    """The same rotations by another formula, in the controller's numbers."""
    own = controllers[who].rotation
    other = Rotation(formula, own.names, own.unit, own.names[0])
    return np.concatenate([poses[:, :3], other.values(own.matrix(poses[:, 3:]))], axis=-1)


def orders(who):
    """Other orders of a controller's numbers."""
    if who == "abb":
        return []
    a, b, c = controllers[who].rotation.names
    every = [f"R{x}({a}) R{y}({b}) R{z}({c})" for x, y, z in ("xyz", "zyx", "zyz")]
    every += [f"R{x}({c}) R{y}({b}) R{z}({a})" for x, y, z in ("xyz", "zyx", "zyz")]
    return [formula for formula in every if formula != controllers[who].rotation.formula]


PLANTS = {
    "nothing": lambda who, j, p: (j, p),
    "pose-unit": lambda who, j, p: (j, changed(p, slice(3), 1e3 if controllers[who].position == "m" else 1e-3)),
    "joint-unit": lambda who, j, p: (np.deg2rad(j), p),
    "joint-sign": lambda who, j, p: (changed(j, 4, -1), p),
    "pose-angle-unit": lambda who, j, p: (
        j,
        changed(p, slice(3, 6), np.degrees(1) if controllers[who].rotation.unit == "rad" else np.radians(1)),
    ),
    "rotation-order": lambda who, j, p: (j, written_as(who, orders(who)[0], p)),
}


@pytest.mark.slow
@each(
    "who, planted",
    [
        *((who, "nothing") for who in MAKERS),
        *((who, "rotation-order") for who in MAKERS[1:]),
        *((who, planted) for who in ("kuka", "universal_robots") for planted in PLANTS),
    ],
)
def test_a_fault_of_the_numbers_is_named(who, planted):
    check(who, planted, seed=1)


def check(who, planted, seed):
    joints, poses = PLANTS[planted](who, *shown(who, np.random.default_rng(seed)))
    result = calibrate(ARM, who, joints, poses)
    assert codes(result) == ([] if planted == "nothing" else [planted]), str(result)
    assert result.agrees == (planted == "nothing")
    assert result.alternatives == ()
    assert (result.residual < (5e-4, 1e-3)).all()
    np.testing.assert_allclose(result.T_base_link_base, kt.fk(ARM, "base").interpret(ARM.q()), atol=1e-12)
    np.testing.assert_allclose(result.T_flange_tool0, kt.fk(ARM, "tool0", "flange").interpret(ARM.q()), atol=1e-12)


@pytest.mark.sampled
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("who", MAKERS)
def test_a_fault_of_the_numbers_is_named_whatever_the_poses(who, seed):
    for planted in PLANTS:
        if who != "abb" or planted not in ("pose-angle-unit", "rotation-order"):
            check(who, planted, seed)


@pytest.mark.slow
@pytest.mark.parametrize("who", MAKERS[1:])
def test_every_order_is_told_from_the_others(who):
    joints, poses = shown(who, np.random.default_rng(2))
    for formula in orders(who):
        result = calibrate(ARM, who, joints, written_as(who, formula, poses))
        assert codes(result) == ["rotation-order"]
        assert f"R = {formula}," in result.faults[0].message
        assert result.alternatives == ()


@pytest.mark.slow
def test_a_quaternion_whose_real_part_is_the_last():
    joints, poses = shown("abb", np.random.default_rng(3))
    result = calibrate(ARM, "abb", joints, poses[:, [0, 1, 2, 4, 5, 6, 3]])
    assert result.faults == (
        Fault(
            "rotation-order",
            "the rotation is R = quaternion(q4, q1, q2, q3), the real part is the last, not quaternion(q1, q2, q3, q4)",
        ),
    )


@pytest.mark.slow
@pytest.mark.parametrize("j", range(6))
def test_every_joint_that_turns_the_other_way(j):
    joints, poses = shown("kuka", np.random.default_rng(j))
    result = calibrate(ARM, "kuka", changed(joints, j, -1), poses)
    assert [fault.code for fault in result.faults] == ["joint-sign"]
    assert f"'joint_{j + 1}'" in result.faults[0].message


@pytest.mark.slow
@pytest.mark.parametrize(
    ("frames", "expected"),
    [
        ({"base": "base_link"}, ["base-frame"]),
        ({"tool0": "flange"}, ["tool0-frame"]),
        ({"base": "base_link", "tool0": "flange"}, ["base-frame", "tool0-frame"]),
    ],
)
@pytest.mark.parametrize("who", MAKERS)
def test_another_frame_of_the_robot(who, frames, expected):
    result = calibrate(ARM, who, *shown(who, np.random.default_rng(4), **frames))
    assert codes(result) == expected
    assert result.alternatives == ()
    for fault in result.faults:
        wanted = fault.code.removesuffix("-frame")
        assert f"{frames[wanted]} for {wanted}: " in fault.message
    if "base" in frames:
        np.testing.assert_array_equal(result.T_base_link_base, np.eye(4))
    if "tool0" in frames:
        np.testing.assert_array_equal(result.T_flange_tool0, np.eye(4))


def test_frames_in_one_place_are_no_fault():
    robot = load(urdf(base=("0 0 0", "0 0 0"), tool0="0 0 0"))
    result = calibrate(robot, "kuka", *shown("kuka", np.random.default_rng(27), robot=robot))
    assert result.agrees
    assert result.alternatives == ()


@pytest.mark.slow
@pytest.mark.parametrize("who", MAKERS)
@pytest.mark.sampled
def test_two_faults_at_once(who):
    rng = np.random.default_rng(5)
    joints, poses = PLANTS["pose-unit"](who, *shown(who, rng, tool0="flange"))
    assert codes(calibrate(ARM, who, joints, poses)) == ["pose-unit", "tool0-frame"]
    joints, poses = PLANTS["joint-sign"](who, *PLANTS["joint-unit"](who, *shown(who, rng)))
    assert codes(calibrate(ARM, who, joints, poses)) == ["joint-sign", "joint-unit"]
    if who != "abb":
        joints, poses = PLANTS["rotation-order"](who, *PLANTS["pose-unit"](who, *shown(who, rng)))
        assert codes(calibrate(ARM, who, joints, poses)) == ["pose-unit", "rotation-order"]


@pytest.mark.slow
def test_degrees_of_another_order_where_a_rotation_vector_belongs():
    joints, poses = shown("universal_robots", np.random.default_rng(6))
    poses = changed(written_as("universal_robots", "Rz(RZ) Ry(RY) Rx(RX)", poses), slice(3, 6), np.degrees(1))
    assert codes(calibrate(ARM, "ur", joints, poses)) == ["pose-angle-unit", "rotation-order"]


class TestCoupling:
    """FANUC measures the third joint against the horizontal: J3 of the model is J3 + J2."""

    def test_not_applied(self):
        _, poses = shown("fanuc", np.random.default_rng(7))
        joints = np.rad2deg(ARM.limits.sample(10, seed=np.random.default_rng(7)))
        result = calibrate(ARM, "fanuc", joints, poses)
        assert codes(result) == ["coupling"]
        assert "are not coupled" in result.faults[0].message

    def test_applied_where_there_is_none(self):
        joints, poses = shown("kuka", np.random.default_rng(8))
        joints[:, 2] -= joints[:, 1]
        result = calibrate(ARM, "kuka", joints, poses)
        assert codes(result) == ["coupling"]
        assert "joint 3 of the model = J3 + J2" in result.faults[0].message

    def test_of_the_model_that_is_said(self):
        joints, poses = shown("abb", np.random.default_rng(9))
        assert not calibrate(ARM, "abb", joints, poses, "irb2400").agrees
        joints[:, 2] += joints[:, 1]
        assert calibrate(ARM, "abb", joints, poses, "irb2400").agrees

    @pytest.mark.parametrize("side", ["model", "shown"])
    def test_a_joint_that_others_follow_turns_the_other_way(self, side):
        joints, poses = shown("fanuc", np.random.default_rng(10))
        model = joints.copy()
        model[:, 2] += model[:, 1]
        if side == "shown":
            joints[:, 1] *= -1
        else:
            joints[:, 1] = -model[:, 1]
            joints[:, 2] = model[:, 2] + model[:, 1]
        result = calibrate(ARM, "fanuc", joints, poses)
        assert codes(result) == ["joint-sign"]
        assert ("numbers of J2" if side == "shown" else "'joint_2'") in result.faults[0].message


class TestFramesThatAreFound:
    X = se3.pose_from_xyz_rpy((0.3, -0.2, 0.7), (0.2, -0.4, 1.9))
    Y = se3.pose_from_xyz_rpy((0.02, -0.1, 0.15), (1.2, 0.3, -2.0))

    @pytest.mark.slow
    @each("who, which", [("abb", "base"), ("abb", "tool0"), ("fanuc", "both"), ("universal_robots", "both")])
    def test_to_a_millimetre(self, who, which):
        X = self.X if which != "tool0" else None
        Y = self.Y if which != "base" else None
        result = calibrate(ARM, who, *shown(who, np.random.default_rng(11), T_base=X, T_tool=Y))
        assert codes(result) == [f"{frame}-frame" for frame in ("base", "tool0") if which in (frame, "both")]
        T_base = kt.fk(ARM, "base").interpret(ARM.q()) @ (np.eye(4) if X is None else se3.inverse(X))
        T_tool = kt.fk(ARM, "tool0", "flange").interpret(ARM.q()) @ (np.eye(4) if Y is None else Y)
        np.testing.assert_allclose(result.T_base_link_base, T_base, atol=1e-3)
        np.testing.assert_allclose(result.T_flange_tool0, T_tool, atol=1e-3)

    @pytest.mark.slow
    def test_with_a_fault_of_the_numbers(self):
        joints, poses = shown("kuka", np.random.default_rng(12), T_base=self.X)
        result = calibrate(ARM, "kuka", joints, changed(poses, slice(3), 1e-3))
        assert codes(result) == ["base-frame", "pose-unit"]
        assert "the controller's '$ROBROOT' is elsewhere than the robot's 'base', by xyz " in str(result)

    def test_that_the_robot_does_not_have(self):
        bare = load(urdf(base=None, tool0=None))
        result = calibrate(bare, "abb", *shown("abb", np.random.default_rng(13)))
        assert codes(result) == ["base-frame", "tool0-frame"]
        assert "the robot has no 'base', which must be where the controller's 'Base' is" in str(result)
        np.testing.assert_allclose(result.T_base_link_base, kt.fk(ARM, "base").interpret(ARM.q()), atol=1e-3)
        np.testing.assert_allclose(result.T_flange_tool0, kt.fk(ARM, "tool0", "flange").interpret(ARM.q()), atol=1e-3)

    def test_with_other_names(self):
        joints, poses = shown("abb", np.random.default_rng(14))
        renamed = load(urdf().replace('"base"', '"foot"').replace('"tool0"', '"hand"'))
        assert calibrate(renamed, "abb", joints, poses, base="foot", tool0="hand").agrees


class TestNothingFits:
    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("who", "T_tool"), [("abb", None), pytest.param("fanuc", TestFramesThatAreFound.Y, marks=pytest.mark.slow)]
    )
    def test_a_length_is_wrong(self, who, T_tool):
        """With frames that the robot has, and with others."""
        longer = load(urdf([*LINKS[:2], ("0 0 0.65", "0 1 0"), *LINKS[3:]]))
        result = calibrate(longer, who, *shown(who, np.random.default_rng(15), T_tool=T_tool))
        assert codes(result) == ["no-fit"]
        assert not result.agrees
        assert result.residual.max() > 1e-3
        (fault,) = result.faults
        said = r"would correct it, between 'joint_2' and 'joint_3', by -(49.9\d*|50|50.0\d*) mm along z in 'link_2'"
        assert re.search(said, fault.message)
        assert ("(the smallest of several)" in fault.message) == (T_tool is not None)
        worst = int(np.argmax((result.residual / (5e-4, 1e-3)).max(axis=-1)))
        assert f"pose {worst + 1} is the worst" in fault.message

    @pytest.mark.slow
    def test_what_is_wrong_with_the_numbers_is_said_too(self):
        longer = load(urdf([*LINKS[:2], ("0 0 0.65", "0 1 0"), *LINKS[3:]]))
        joints, poses = shown("kuka", np.random.default_rng(15))
        assert codes(calibrate(longer, "kuka", joints, changed(poses, slice(3), 1e-3))) == ["no-fit", "pose-unit"]

    @pytest.mark.slow
    def test_three_poses_do_not_say_which_joint(self):
        joints, poses = shown("kuka", np.random.default_rng(17), k=3)
        poses[2, 0] += 20
        assert "too few poses to say which joint" in str(calibrate(ARM, "kuka", joints, poses))


class TestAmbiguousPoses:
    def test_all_explanations_are_said(self):
        """With C zero everywhere R = Ry(B) Rz(A) is two orders' at once."""
        rng = np.random.default_rng(18)
        q = rng.uniform(-1, 1, (10, 6))
        R = Rotations.from_euler("YZ", rng.uniform(-1, 1, (10, 2)))  # of tool0 in base
        arm = Rotations.from_euler("ZY", np.stack([q[:, 0], q[:, 1] + q[:, 2]], axis=-1))
        quarter = Rotations.from_euler("z", 90, degrees=True), Rotations.from_euler("y", -90, degrees=True)
        q[:, 3:] = (arm.inv() * quarter[0] * R * quarter[1]).as_euler("XYX")
        joints, poses = shown("kuka", rng, q=q, noise=0)
        result = calibrate(ARM, "kuka", joints, written_as("kuka", "Rx(C) Ry(B) Rz(A)", poses))
        every = {fault.message for one in (result, *result.alternatives) for fault in one.faults}
        assert not result.agrees
        assert len(every) == 1 + len(result.alternatives) == 2
        assert all("rotation-order" in codes(one) for one in result.alternatives)
        assert "have 2 explanations, all as simple" in str(result)

    def test_joints_that_do_not_move_are_said(self):
        rng = np.random.default_rng(19)
        q = ARM.limits.sample(10, seed=rng)
        q[:, 3] = 0.3
        result = calibrate(ARM, "kuka", *shown("kuka", rng, q=q))
        assert result.agrees
        assert result.still == ("joint_4",)
        assert "joint 'joint_4' did not move" in str(result)

    @each(
        "still, value, said",
        [
            ([3], 0.3, ["joint 'joint_4' did not move, so that its sign does not show apart from its zero"]),
            ([3], 0.0, ["joint 'joint_4' did not move, so that its sign does not show, for it was held at zero"]),
            ([5], 0.3, ["joint 'joint_6' did not move, so that its zero and sign do not show apart from 'tool0'"]),
            (
                [0, 1],
                0.3,
                [
                    f"joint 'joint_{i}' did not move, so that its zero and sign do not show apart from 'base'"
                    for i in (1, 2)
                ],
            ),
        ],
    )
    def test_what_does_not_show_of_joints_that_do_not_move(self, still, value, said):
        rng = np.random.default_rng(28)
        q = ARM.limits.sample(10, seed=rng)
        q[:, still] = value
        result = calibrate(ARM, "kuka", *shown("kuka", rng, q=q))
        assert result.agrees
        assert list(result.remarks) == said
        assert [line.removeprefix("  remark: ") for line in str(result).splitlines()[2:]] == said

    def test_a_still_first_joint_and_another_base(self):
        """Where the first joint stands still, its sign and the base are one."""
        rng = np.random.default_rng(20)
        q = ARM.limits.sample(10, seed=rng)
        q[:, 0] = 0.0
        X = TestFramesThatAreFound.X
        result = calibrate(ARM, "kuka", *shown("kuka", rng, q=q, T_base=X))
        assert codes(result) == ["base-frame"]
        assert result.still == ("joint_1",)


GOOD = shown("kuka", np.random.default_rng(21), k=4)


def with_nan(array):
    array = array.copy()
    array[2, 1] = np.nan
    return array


@each(
    "joints, poses, said",
    [
        (GOOD[0][:, :5], GOOD[1], r"joints has shape \(4, 5\); expected \(k, 6\)"),
        (GOOD[0], GOOD[1][0], r"poses has shape \(6,\); expected \(k, 6\)"),
        (GOOD[0], GOOD[1][:3], "4 rows of joints and 3 poses"),
        (GOOD[0], "here", "poses has shape|no array of numbers"),
        (with_nan(GOOD[0]), GOOD[1], "row 3 of joints has a number that is not finite"),
        (GOOD[0], with_nan(GOOD[1]), "row 3 of poses has a number that is not finite, or above 1e\\+09"),
        (GOOD[0], GOOD[1] * 1e3, "beyond ±180"),
        (GOOD[0][[0, 1, 0]], GOOD[1][[0, 1, 0]], "there are 2 different rows of joints; expected 3"),
        (GOOD[0][[0, 0, 0, 0]], GOOD[1], "there is 1 different row of joints"),
        (GOOD[0] * (1, 0, 0, 0, 0, 0), GOOD[1], "about one axis alone"),
        (GOOD[0] * (0, 1, 1, 0, 0, 0), GOOD[1], "about one axis alone"),
    ],
)
def test_what_cannot_be_used_is_refused(joints, poses, said):
    with pytest.raises(kt.KinetreeError, match=said):
        calibrate(ARM, "kuka", joints, poses)


def test_options_that_are_not_legal_are_refused():
    with pytest.raises(kt.KinetreeError, match="no controller 'kuak'; did you mean 'kuka'"):
        calibrate(ARM, "kuak", *GOOD)
    for tolerance in ((1e-3,), (0, 1), (np.nan, 1), "small"):
        with pytest.raises(kt.KinetreeError, match="two finite numbers above 0"):
            calibrate(ARM, "kuka", *GOOD, tolerance=tolerance)
    for tolerance in ((0.11, 1e-3), (1e-3, 0.21)):
        with pytest.raises(kt.KinetreeError, match=r"anything would agree; expected at most 0.1 m and 0.2 rad"):
            calibrate(ARM, "kuka", *GOOD, tolerance=tolerance)
    for role, wrong in {"base": "bas", "tool0": "tol0", "base_link": "base_lnk", "flange": "flage"}.items():
        with pytest.raises(kt.KinetreeError, match=f"no frame '{wrong}'; did you mean .*'{role}'"):
            calibrate(ARM, "kuka", *GOOD, **{role: wrong})
    with pytest.raises(kt.KinetreeError, match="neither frame 'tool0' nor 'flange'"):
        calibrate(load(urdf(tool0=None).replace('"flange"', '"end"')), "kuka", *GOOD)
    with pytest.raises(kt.KinetreeError, match="'base_link' moves as seen from 'link_1': joint_1 are between"):
        calibrate(ARM, "kuka", *GOOD, base="link_1")
    with pytest.raises(kt.KinetreeError, match="no joint is between"):
        calibrate(ARM, "kuka", *GOOD, flange="base")
    mimic = urdf().replace("</joint>", '<mimic joint="joint_2"/></joint>', 1)
    with pytest.raises(kt.KinetreeError, match="joint 'joint_1': has not one coordinate of its own"):
        calibrate(load(mimic), "kuka", *GOOD)


def test_quaternions_of_another_length_are_refused():
    joints, poses = shown("abb", np.random.default_rng(22))
    with pytest.raises(kt.KinetreeError, match="length is 2"):
        calibrate(ARM, "abb", joints, changed(poses, slice(3, 7), 2.0))


@pytest.mark.slow
def test_a_joint_that_slides_is_in_mm():
    """On a rail that belongs to the arm, and in m by mistake."""
    text = urdf(base=None).replace('<link name="base_link"/>', '<link name="rail"/><link name="base_link"/>')
    rail = (
        '<joint name="slide" type="prismatic"><parent link="rail"/><child link="base_link"/><axis xyz="1 0 0"/>'
        '<limit lower="-2" upper="2" velocity="1" effort="1"/></joint>'
    )
    robot = load(text.replace("</robot>", rail + "</robot>"))
    joints, poses = shown("kuka", np.random.default_rng(23), robot=robot, base="rail")
    names = {"base": "rail", "base_link": "rail"}
    assert np.abs(joints[:, 0]).max() > 500
    assert calibrate(robot, "kuka", joints, poses, **names).agrees
    result = calibrate(robot, "kuka", changed(joints, 0, 1e-3), poses, **names)
    assert result.faults == (Fault("joint-unit", "the sliding joints are in m, not in mm"),)


@pytest.mark.slow
def test_a_left_handed_controller():
    """Poses of a mirrored system are read in the right-handed one."""
    left = replace(controllers["kuka"], mirrored="y")
    joints, poses = shown("kuka", np.random.default_rng(24))
    assert calibrate(ARM, left, joints, left.from_pose(controllers["kuka"].to_pose(poses))).agrees
    assert not calibrate(ARM, left, joints, poses).agrees


@pytest.mark.slow
def test_many_poses_are_used_all():
    joints, poses = shown("staubli", np.random.default_rng(25), k=300)
    result = calibrate(ARM, "staubli", joints, poses, tolerance=(1e-3, 2e-3))
    assert result.agrees
    assert result.residual.shape == (300, 2)


@each("rotation, position", [("ZYX", None), (None, "mm"), ("ZYX", "mm")])
def test_no_number_of_a_pose_is_named_where_its_format_is_wrong(rotation, position):
    fit = SimpleNamespace(explanation=SimpleNamespace(rotation=rotation, position=position))
    assert _odd_numbers(None, None, fit, 0, None) == []
