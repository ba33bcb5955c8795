"""Faults of the robot and of single poses are named: zeros of joints, typing errors, columns, rounded displays."""

import re
from dataclasses import replace

import numpy as np
import pytest

import kinetree as kt
from kinetree.controllers import controllers
from kinetree.errors import KinetreeError, UnverifiedWarning
from kinetree.lab.calibrate.calibration import calibrate
from kinetree.lab.calibrate.text import change_text, pose_text
from kinetree.spatial import se3
from pendants import ARM, LINKS, changed, codes, load, shown, urdf
from support import example_robot_urdfs, shared, soon

pytestmark = pytest.mark.slow

TOLERANCE = np.array([5e-4, 1e-3])


def said(result):
    """All that is said, of every explanation."""
    return [sorted(str(fault) for fault in one.faults) for one in (result, *result.alternatives)]


class TestZeros:
    @pytest.mark.parametrize("offset", [90, -90, 180, 2, -37.5])
    @pytest.mark.parametrize("j", [1, 2, 3, 4])
    def test_of_one_joint(self, j, offset):
        """What is shown is less than the model's number by the offset."""
        joints, poses = shown("kuka", np.random.default_rng(j))
        joints[:, j] -= offset
        result = calibrate(ARM, "kuka", joints, poses)
        assert codes(result) == ["joint-zero"]
        assert result.alternatives == ()
        text, _, number = result.faults[0].message.partition(f"of the model = J{j + 1} ")
        assert text.startswith(f"the zero of joint 'joint_{j + 1}' is ")
        number = float(number.removesuffix(" deg").replace(" ", ""))
        assert abs((number - offset + 180) % 360 - 180) < 0.05

    def test_in_words(self):
        joints, poses = shown("kuka", np.random.default_rng(30), noise=0)
        joints[:, 1] = -(joints[:, 1] + 90)
        assert str(calibrate(ARM, "kuka", joints, poses)).splitlines()[1:3] == [
            "  joint 'joint_2' turns the other way in the model [joint-sign]",
            "  the zero of joint 'joint_2' is 90 deg off: 'joint_2' of the model = -J2 - 90 deg [joint-zero]",
        ]

    @pytest.mark.slow
    @pytest.mark.parametrize("k", [4, 10])
    def test_of_two_joints(self, k):
        joints, poses = shown("abb", np.random.default_rng(31), k=k)
        result = calibrate(ARM, "abb", joints - (0, -90, -90, 0, 0, 0), poses)
        assert codes(result) == ["joint-zero", "joint-zero"]
        assert "'joint_2' of the model = J2 - " in str(result)
        assert "'joint_3' of the model = J3 - " in str(result)

    @pytest.mark.slow
    def test_of_all_joints(self):
        joints, poses = shown("staubli", np.random.default_rng(32))
        result = calibrate(ARM, "staubli", joints - (2, -9, -5, 3, 0.6, 7), poses)
        assert codes(result) == ["joint-zero"] * 6

    def test_of_coupled_joints(self):
        joints, poses = shown("fanuc", np.random.default_rng(33), noise=0)
        result = calibrate(ARM, "fanuc", joints - (0, 0, 90, 0, 0, 0), poses)
        assert "'joint_3' of the model = J3 + J2 + 90 deg" in str(result)

    @pytest.mark.parametrize(("j", "frame"), [(0, "base"), (5, "tool0")])
    def test_of_the_first_or_last_joint_or_the_frame_behind_it(self, j, frame):
        """No pose tells the zero of the first joint from a base that is turned about its axis."""
        straight = load(urdf(base=("0 0 0.45", "0 0 0"), tool0="0 0 0"))
        joints, poses = shown("kuka", np.random.default_rng(34), robot=straight)
        joints[:, j] -= 20
        result = calibrate(straight, "kuka", joints, poses)
        assert codes(result) == ["joint-zero"]
        assert f"'joint_{j + 1}' is" in str(result)
        (other,) = result.alternatives
        assert codes(other) == [f"{frame}-frame"]
        assert f"is turned against the robot's '{frame}', by " in str(other)
        assert "only the marks of the zeros on the robot" in str(result)

    @pytest.mark.slow
    @pytest.mark.parametrize("more", ["pose-unit", "joint-sign", "base-frame", "tool0-frame"])
    def test_with_another_fault(self, more):
        rng = np.random.default_rng(35)
        T_tool = se3.translation((0, 0, 0.12)) if more == "tool0-frame" else None
        joints, poses = shown("kuka", rng, T_tool=T_tool, base="base_link" if more == "base-frame" else "base")
        joints = changed(joints, 4, -1) if more == "joint-sign" else joints
        poses = changed(poses, slice(3), 1e-3) if more == "pose-unit" else poses
        result = calibrate(ARM, "kuka", joints - (0, 0, -90, 0, 0, 0), poses)
        assert codes(result) == sorted(["joint-zero", more])
        assert result.alternatives == ()

    def test_that_slides(self):
        text = urdf(base=None).replace('<link name="base_link"/>', '<link name="rail"/><link name="base_link"/>')
        rail = (
            '<joint name="slide" type="prismatic"><parent link="rail"/><child link="base_link"/><axis xyz="1 0 0"/>'
            '<limit lower="-2" upper="2" velocity="1" effort="1"/></joint>'
        )
        robot = load(text.replace("</robot>", rail + "</robot>"))
        joints, poses = shown("kuka", np.random.default_rng(36), robot=robot, base="rail", noise=0)
        result = calibrate(robot, "kuka", joints - (-30, 0, 0, 0, 0, 0, 0), poses, base="rail", base_link="rail")
        assert "the zero of joint 'slide' is 30 mm off: 'slide' of the model = J1 - 30 mm" in str(result)
        assert [codes(one) for one in result.alternatives] == [["base-frame"]]

    def test_within_tolerance_is_none(self):
        joints, poses = shown("kuka", np.random.default_rng(37), noise=0)
        assert calibrate(ARM, "kuka", joints - (0, 0.01, 0.01, 0, 0, 0), poses).agrees


def test_a_whole_turn_is_no_other_number():
    """Of a pose that stands at the half turn, and is written as its other end, the position alone is wrong."""
    q = ARM.limits.sample(6, seed=61) * 0.5
    joints, poses = shown("kuka", np.random.default_rng(61), q=q, noise=0)
    q[3, 0] += np.radians((180.0 - poses[3, 3] + 180.0) % 360.0 - 180.0)
    joints, poses = shown("kuka", np.random.default_rng(61), q=q, noise=0)
    assert abs(poses[3, 3]) == pytest.approx(180.0)
    right = poses[3, 0]
    poses[3, 0] += 20
    poses[3, 3] = -np.sign(poses[3, 3]) * 179.999
    (fault,) = calibrate(ARM, "kuka", joints, poses).faults
    assert fault.message.startswith("pose 4 does not fit the others: 20 mm and ")
    assert abs(float(fault.message.partition("X = ")[2].partition(" ")[0]) - right) < 0.1


@pytest.mark.slow
class TestOnePoseIsWrong:
    @pytest.mark.parametrize("k", [5, 10, pytest.param(40, marks=pytest.mark.slow)])
    @pytest.mark.sampled(2)
    def test_a_number_of_the_pose(self, k):
        joints, poses = shown("kuka", np.random.default_rng(16), k=k)
        poses[3, 0] += 20
        (fault,) = calibrate(ARM, "kuka", joints, poses).faults
        assert fault.code == "pose-wrong"
        assert fault.message.startswith("pose 4 does not fit the others: ")
        assert abs(float(fault.message.partition("X = ")[2].partition(" ")[0]) - poses[3, 0] + 20) < 1

    def test_a_number_of_a_joint(self):
        joints, poses = shown("abb", np.random.default_rng(38))
        joints[6, 2] += 10
        (fault,) = calibrate(ARM, "abb", joints, poses).faults
        assert fault.message.startswith("pose 7 does not fit the others: ")
        assert abs(float(fault.message.partition("J3 = ")[2].partition(" ")[0]) - joints[6, 2] + 10) < 0.1

    @pytest.mark.parametrize(("limit", "expected"), [(400, -160.0), (150, 120.0)])
    def test_a_number_of_a_joint_is_within_its_limits_and_nearest_to_what_was_typed(self, limit, expected):
        low, high = (-400, 400) if limit == 400 else (-150, 150)
        limits = f'lower="{np.radians(low)}" upper="{np.radians(high)}"'
        text, turn = urdf(), 200.0 if limit == 400 else 120.0
        at = text.index('lower="-3" upper="3"', text.index('"joint_6"'))
        robot = load(text[:at] + limits + text[at + len('lower="-3" upper="3"') :])
        q = ARM.limits.sample(8, seed=58)
        q[:, 5] *= 0.8
        q[3, 5] = np.radians(turn)
        joints, poses = shown("kuka", np.random.default_rng(58), robot=robot, q=q, noise=0)
        joints[3, 5] = -120 if limit == 400 else -200
        (fault,) = calibrate(robot, "kuka", joints, poses).faults
        assert abs(float(fault.message.partition("J6 = ")[2].partition(" ")[0]) - expected) < 0.1

    @pytest.mark.slow
    def test_and_the_others_have_a_fault(self):
        joints, poses = shown("kuka", np.random.default_rng(39), tool0="flange")
        poses[2, 1] -= 30
        assert codes(calibrate(ARM, "kuka", joints, changed(poses, slice(3), 1e-3))) == [
            "pose-unit",
            "pose-wrong",
            "tool0-frame",
        ]

    @pytest.mark.slow
    def test_of_four_poses_none_is_named(self):
        joints, poses = shown("kuka", np.random.default_rng(40), k=4)
        poses[2, 0] += 20
        assert codes(calibrate(ARM, "kuka", joints, poses)) == ["no-fit"]

    @pytest.mark.slow
    def test_all_poses_that_are_a_little_off_are_not_wrong(self):
        joints, poses = shown("kuka", np.random.default_rng(41), noise=3.0)
        assert "pose-wrong" not in str(calibrate(ARM, "kuka", joints, poses))


@pytest.mark.slow
class TestNoiseIsNotExplained:
    @pytest.mark.parametrize("more", [0.25, 0.6, 1.0])
    def test_own_frames_must_fit_the_poses(self, more):
        """The base is within tolerance of the robot's own, with which one pose is beyond it."""
        joints, poses = shown("kuka", np.random.default_rng(52), noise=0)
        poses[:, 2] += 0.45
        assert calibrate(ARM, "kuka", joints, poses).agrees
        poses[3, 2] += more
        result = calibrate(ARM, "kuka", joints, poses)
        assert codes(result) in (["no-fit"], ["base-frame"])
        for one in (result, *result.alternatives):
            assert codes(one) == ["no-fit"] or (one.residual <= TOLERANCE).all()

    def test_a_transform_of_nothing_is_noise(self):
        joints, poses = shown("kuka", np.random.default_rng(53), noise=0)
        poses[7, 0] += 1
        result = calibrate(ARM, "kuka", joints, poses)
        assert codes(result) == ["no-fit"]
        assert "the poses are noisier than the tolerance, up to 2 times as much" in str(result)
        assert "nothing in" not in str(result)

    @pytest.mark.parametrize("seed", [0, 1])
    @pytest.mark.parametrize("noise", [4, 10])
    @pytest.mark.sampled(3)
    def test_a_tolerance_for_noise_is_named_and_fits(self, seed, noise):
        """Of 0.4 mm and 0.04 deg, and 1 mm and 0.1 deg."""
        joints, poses = shown("kuka", np.random.default_rng(seed), noise=noise)
        (fault,) = calibrate(ARM, "kuka", joints, poses).faults
        bounds = re.search(r"noisier than the tolerance, .* expected, say tolerance=\(([^,]+), ([^)]+)\)", str(fault))
        tolerance = tuple(map(float, bounds.groups()))
        assert tolerance < (noise * 5e-4, noise * 1e-3)
        assert calibrate(ARM, "kuka", joints, poses, tolerance=tolerance).agrees

    @pytest.mark.parametrize("seed", [54, 60])
    def test_a_frame_that_is_nothing_elsewhere_is_no_fault(self, seed):
        """Turned by less than the tolerance, which moves what is far away by more."""
        joints, poses = shown("kuka", np.random.default_rng(seed), noise=0)
        poses[:, 1] += 0.3
        poses[2, 2] += 0.4
        joints[:, 0] += 0.055
        result = calibrate(ARM, "kuka", joints, poses)
        assert not result.agrees
        assert "nothing" not in str(result).replace("nothing that is looked for", "")


@pytest.mark.slow
class TestFaultsOfTheNumbersWhereNothingFits:
    @pytest.mark.nightly
    def test_that_are_not_decisive_are_not_said(self):
        joints, poses = shown("kuka", np.random.default_rng(55))
        for columns in ([0, 2, 1, 3, 4, 5], [5, 4, 3, 2, 1, 0]):
            assert codes(calibrate(ARM, "kuka", joints[:, columns], poses)) == ["no-fit"]

    def test_that_help_are_said_as_a_guess(self):
        longer = load(urdf([*LINKS[:2], ("0 0 0.9", "0 1 0"), *LINKS[3:]]))
        joints, poses = shown("kuka", np.random.default_rng(56))
        poses[:, 3] += np.random.default_rng(1).normal(0, 3, len(poses))
        result = calibrate(longer, "kuka", changed(joints, 3, -1), poses)
        assert codes(result) == ["no-fit"]
        assert "; perhaps joint 'joint_4' turns the other way in the model; " in str(result)

    def test_that_are_decisive_are_faults(self):
        longer = load(urdf([*LINKS[:2], ("0 0 0.65", "0 1 0"), *LINKS[3:]]))
        joints, poses = shown("kuka", np.random.default_rng(56))
        result = calibrate(longer, "kuka", changed(joints, 3, -1), poses)
        assert codes(result) == ["joint-sign", "no-fit"]
        assert "perhaps" not in str(result)
        assert "by -50" in str(result)


class TestColumns:
    @pytest.mark.parametrize("places", [(0, 1), (1, 2), (0, 2)])
    def test_of_positions(self, places):
        joints, poses = shown("fanuc", np.random.default_rng(42))
        i, j = places
        poses[:, [i, j]] = poses[:, [j, i]]
        (fault,) = calibrate(ARM, "fanuc", joints, poses).faults
        assert fault.code == "pose-columns"
        assert f"{'XYZ'[i]} and {'XYZ'[j]} of the positions stand in each other's place" in fault.message

    @pytest.mark.slow
    @pytest.mark.parametrize("who", ["kuka", "universal_robots", "staubli", "kawasaki"])
    @pytest.mark.parametrize("places", [(3, 4), (4, 5), (3, 5)])
    def test_of_angles(self, who, places):
        joints, poses = shown(who, np.random.default_rng(43))
        i, j = places
        poses[:, [i, j]] = poses[:, [j, i]]
        (fault,) = calibrate(ARM, who, joints, poses).faults
        assert fault.code == "rotation-order"
        names = controllers[who].components
        assert f"{names[i]} and {names[j]} in each other's place" in fault.message


class TestRoundedDisplays:
    @pytest.mark.sampled(3)
    @pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 20))])
    def test_of_whole_degrees_are_a_hint_that_helps(self, seed):
        """So coarse that no arm agrees by chance."""
        joints, poses = shown("kuka", np.random.default_rng(seed), noise=0)
        joints, poses = joints.round(), poses.round(1)
        result = calibrate(ARM, "kuka", joints, poses)
        assert (result.agrees, codes(result)) == (False, ["no-fit"])
        hint = "the rounding of joints to 1, positions to 0.1, angles to 0.1: if so, say tolerance=("
        assert hint in str(result)
        bounds = str(result).partition("tolerance=(")[2].partition(")")[0].split(", ")
        assert calibrate(ARM, "kuka", joints, poses, tolerance=tuple(map(float, bounds))).agrees

    def test_a_wrong_length_is_named_though_the_arm_was_driven_to_whole_degrees(self):
        rng = np.random.default_rng(45)
        joints, poses = shown("kuka", rng, noise=0, q=np.deg2rad(rng.integers(-60, 60, (8, 6))))
        joints, poses = joints.round(), poses.round(2)
        assert calibrate(ARM, "kuka", joints, poses).agrees
        longer = load(urdf([*LINKS[:2], ("0 0 0.65", "0 1 0"), *LINKS[3:]]))
        text = str(calibrate(longer, "kuka", joints, poses))
        assert "rounding" not in text
        assert "another transform would correct it, between 'joint_2' and 'joint_3', by -50 mm along z" in text

    def test_of_many_digits_are_no_fault(self):
        joints, poses = shown("kuka", np.random.default_rng(0), noise=0)
        result = calibrate(ARM, "kuka", joints.round(3), poses.round(3))
        assert result.agrees
        assert not result.faults

    @pytest.mark.slow
    @pytest.mark.nightly
    def test_frames_within_tolerance_of_the_robots_own_are_these(self):
        """Here a pose is now and then just over the tolerance, which another frame or zero would correct."""
        for seed in range(20):
            joints, poses = shown("kuka", np.random.default_rng(seed), noise=0, k=6)
            result = calibrate(ARM, "kuka", joints.round(1), poses, tolerance=(9e-4, 1.8e-3))
            assert not {"base-frame", "tool0-frame", "joint-zero"} & set(codes(result))

    @pytest.mark.slow
    def test_a_wrong_length_is_not_rounding(self):
        longer = load(urdf([*LINKS[:2], ("0 0 0.65", "0 1 0"), *LINKS[3:]]))
        joints, poses = shown("kuka", np.random.default_rng(44), noise=0)
        assert "rounding" not in str(calibrate(longer, "kuka", joints.round(1), poses.round(1)))


class TestFramesInWords:
    def test_a_tool_that_was_active(self):
        """Relative to tool0, whose own numbers are at the lock of the gimbal."""
        T = se3.pose_from_xyz_rpy((0, 0, 0.12), (0, 0, np.radians(2)))
        result = calibrate(ARM, "kuka", *shown("kuka", np.random.default_rng(45), T_tool=T, noise=0))
        assert result.faults[0].message == (
            "the controller's '$NULLFRAME' is elsewhere than the robot's 'tool0', "
            "by 120 mm along z and turned by 2 deg about z; was another tool active?"
        )
        assert len(str(result).splitlines()) == 3

    def test_of_a_robot_without_a_flange(self):
        robot = load(urdf().replace('"flange"', '"end"'))
        T = se3.translation((0, 0, 0.12))
        result = calibrate(robot, "abb", *shown("abb", np.random.default_rng(46), robot=robot, T_tool=T, noise=0))
        assert "tool0' is elsewhere than the robot's 'tool0', by 120 mm along z; was" in str(result)
        np.testing.assert_allclose(result.T_flange_tool0, T, atol=1e-9)
        assert result.flange == "tool0"

    @pytest.mark.parametrize(
        ("xyz", "rpy", "text"),
        [
            ((0, 0, 0), (0, 0, 0), "nothing"),
            ((1e-4, 0, -0.05), (0, 0, 0), "-50 mm along z"),
            ((0.01, 0.02, 0), (0, -0.5, 0), "xyz 10 20 0 mm and turned by -28.648 deg about y"),
            ((0, 0, 0), (np.pi, 0, 0), "turned by 180 deg about x"),
        ],
    )
    def test_a_change(self, xyz, rpy, text):
        assert change_text(se3.pose_from_xyz_rpy(xyz, rpy), TOLERANCE) == text

    def test_a_tool0_that_is_turned(self):
        T = se3.pose_from_xyz_rpy((0, 0, 0), (0, np.pi / 2, 0))
        result = calibrate(ARM, "kuka", *shown("kuka", np.random.default_rng(48), T_tool=T, noise=0))
        assert result.faults[0].message == (
            "the controller's '$NULLFRAME' is turned against the robot's 'tool0', by 90 deg about y; "
            "was another tool active?"
        )

    @pytest.mark.parametrize(
        ("rpy", "text"),
        [
            ((1.5, np.pi / 2 - 4e-5, 1.5), "0 90 0"),  # roll and yaw of noise: only their difference is certain
            ((1.5, 4e-5 - np.pi / 2, 1.5), "85.944 -89.998 85.944"),
            ((-0.5, 4e-5 - np.pi / 2, 0.5 + np.pi / 6), "30 -90 0"),
            ((2e-5, 0.3, 0), "0.001 17.189 0"),
            ((2e-5, -2e-5, np.pi / 3), "0 0 60"),
        ],
    )
    def test_a_pose(self, rpy, text):
        T = se3.pose_from_xyz_rpy((0, 0, 0.45), rpy)
        assert pose_text(T, TOLERANCE) == f"xyz 0 0 450 mm, rpy {text} deg"

    def test_a_frame_that_is_not_named(self):
        robot = load(urdf().replace('"flange"', '"end"').replace('"tool0"', '"tip"'))
        with pytest.raises(KinetreeError, match="neither frame 'tool0' nor 'flange'") as error:
            calibrate(robot, "kuka", *shown("kuka", np.random.default_rng(49), noise=0))
        assert error.value.findings[0].fix == "name one of them with tool0= or flange= (--tool0 or --flange)"

    def test_no_number_is_minus_zero(self):
        result = calibrate(ARM, "kuka", *shown("kuka", np.random.default_rng(47), base="base_link"))
        for T in (result.T_base_link_base, result.T_flange_tool0):
            assert not np.signbit(T[T == 0]).any()


def test_a_controller_that_nobody_has_verified_warns():
    joints, poses = shown("kuka", np.random.default_rng(48))
    with pytest.warns(UnverifiedWarning, match="KUKA: the order"):
        calibrate(ARM, replace(controllers["kuka"], confidence="low", unverified=("the order",)), joints, poses)


def test_a_coupling_of_five_axes():
    """Of FANUC's five-axis arms J3 is coupled as of six."""
    arm = urdf().replace('<joint name="joint_6" type="revolute">', '<joint name="joint_6" type="fixed">')
    robot = load(arm.replace('name="arm"', 'name="five"'))
    joints, poses = shown("fanuc", np.random.default_rng(49), robot=robot)
    assert joints.shape[1] == 5
    assert calibrate(robot, "fanuc", joints, poses).agrees
    joints[:, 2] += joints[:, 1]
    assert codes(calibrate(robot, "fanuc", joints, poses)) == ["coupling"]


REAL = {
    "ur5_robot.urdf": "universal_robots",
    "ur10_robot.urdf": "universal_robots",
    "ros-industrial+abb/abb_irb6640_support/urdf/irb6640_185_280.urdf": "abb",
    "ros-industrial+kuka_experimental/kuka_kr6_support/urdf/kr6r900sixx.xacro": "kuka",
    "ros-industrial+staubli/staubli_rx160_support/urdf/rx160.xacro": "staubli",
    "ros-industrial+motoman/motoman_sia5d_support/urdf/sia5d.urdf": "kawasaki",
    "ros-industrial+fanuc/fanuc_m10ia_support/urdf/m10ia.xacro": "fanuc",
}


def real(name):
    """A robot of example-robot-data or of the reference data."""
    if "/" in name:
        return kt.load(shared("corpus", *name.split("/")))
    return kt.load(next(path for path in example_robot_urdfs() if path.name == name))


@pytest.mark.slow
@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.slow) if "/" in n else n for n in REAL])
def test_real_robots(name):
    robot, who, rng = real(name), REAL[name], np.random.default_rng(50)
    names = list(robot.joint_names)
    joints, poses = shown(who, rng, robot=robot)
    assert calibrate(robot, who, joints, poses).agrees
    off = joints.copy()
    off[:, 3] += 90
    result = calibrate(robot, who, off, poses)
    assert codes(result) == ["joint-zero"]
    assert (
        f"'{names[3]}' is 90 deg off" in str(result)
        or "'" + names[3] + "' is 89.9" in str(result)
        or "90.0" in str(result)
    )
    result = calibrate(robot, who, changed(joints, 3, -1), poses)
    assert ["joint-sign"] in [codes(one) for one in (result, *result.alternatives)]
    assert codes(calibrate(robot, who, joints, changed(poses, slice(3), 1e3 if "ur" in name[:2] else 1e-3))) == [
        "pose-unit"
    ]
    result = calibrate(robot, who, *shown(who, rng, robot=robot, T_tool=se3.translation((0, 0.03, 0.12))))
    assert codes(result) == ["tool0-frame"]
    if not np.allclose(kt.fk(robot, "base", "base_link").interpret(robot.q()), np.eye(4)):
        result = calibrate(robot, who, *shown(who, rng, robot=robot, base="base_link"))
        assert codes(result) == ["base-frame"]
        assert "base_link for base" in str(result)


@pytest.mark.slow
def test_it_takes_seconds_for_hundreds_of_poses():
    joints, poses = shown("kuka", np.random.default_rng(51), k=300)
    joints[17, 0] += 20
    result = soon(10, lambda: calibrate(ARM, "kuka", joints, poses, tolerance=(1e-3, 2e-3)))
    assert codes(result) == ["pose-wrong"]


@pytest.mark.sampled
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_no_wrong_zero_is_named(seed):
    """Of one or two joints, with three poses and more: what was planted is among what is said."""
    rng = np.random.default_rng(1000 + seed)
    links = [(" ".join(map(str, rng.uniform((0, -0.1, 0.05), (0.3, 0.1, 0.5)))), axis) for _, axis in LINKS]
    robot = load(urdf(links))
    joints, poses = shown("kuka", rng, robot=robot, k=int(rng.integers(3, 12)))
    planted = rng.choice(6, int(rng.integers(1, 3)), replace=False)
    joints[:, planted] += rng.choice([90, -90, 180, 2, -33], len(planted))
    expected = {f"'joint_{j + 1}' is" for j in planted}
    assert any(
        len(one) == len(planted) and all(any(text in line for line in one) for text in expected)
        for one in said(calibrate(robot, "kuka", joints, poses))
    )
