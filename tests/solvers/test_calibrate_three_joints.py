"""All that is printed of poses of an arm of three joints that nothing explains, or but for one pose."""

from itertools import product

import numpy as np
import pytest

from each import each
from kinetree.lab.calibrate import calibration
from kinetree.lab.calibrate.calibration import calibrate
from kinetree.lab.calibrate.search import _grid
from kinetree.spatial import se3
from pendants import changed, load, shown, urdf

LINKS = [("0 0 0.2", "0 0 1"), ("0.15 0 0.25", "0 1 0"), ("0 0 0.6", "1 0 0")]
BASE = se3.pose_from_xyz_rpy((0.3, -0.2, 0.7), (0.2, -0.4, 1.9))
TOOL = se3.pose_from_xyz_rpy((0.02, -0.1, 0.15), (1.2, 0.3, -2.0))


def arm(*links):
    return load(urdf(links, name="three").replace('<parent link="link_6"/>', '<parent link="link_3"/>'))


ARM, LONGER = arm(*LINKS), arm(*LINKS[:2], ("0 0.03 0.65", "1 0 0"))
TWO_WRONG = arm(LINKS[0], ("0.2 0.03 0.25", "0 1 0"), ("0 0.03 0.65", "1 0 0"))


def given(k=6, seed=1, **options):
    return shown("kuka", np.random.default_rng(seed), **{"robot": ARM, "k": k, "noise": 0} | options)


def off(array, at, by):
    array = array.copy()
    array[at] += by
    return array


JOINTS, POSES = given()
WHOLE = given(q=np.deg2rad(np.random.default_rng(45).integers(-60, 60, (6, 3))))
"""Poses at joints of whole degrees."""
LAST = f" [no-fit]\n  {len(POSES)} poses, up to "


@pytest.fixture
def at_once(monkeypatch):
    """Without the search for explanations of all poses, which finds none."""
    monkeypatch.setattr(calibration, "simplest", lambda data: [])


def printed(robot, joints, poses):
    first, *rest = str(calibrate(robot, "kuka", joints, poses)).splitlines()
    assert first == "the model and the controller of KUKA do not agree"
    return "\n".join(line.removeprefix("  ") for line in rest)


@each(
    "joints, poses, expected",
    [
        (
            off(JOINTS, (2, 1), 7),
            POSES,
            "pose 3 does not fit the others: 73.3 mm and 7 deg off; J2 = -31.215 would fit",
        ),
        (
            off(JOINTS, (2, 1), 350),
            POSES,
            "pose 3 does not fit the others: 105 mm and 10 deg off; J2 = -31.215 would fit",
        ),
        (JOINTS, off(POSES, (3, 4), 10), "pose 4 does not fit the others: 0 mm and 10 deg off; B = 2.7743 would fit"),
        (JOINTS, off(POSES, (3, [0, 2]), 20), "pose 4 does not fit the others: 28.3 mm and 0 deg off"),
    ],
)
def test_one_pose(at_once, joints, poses, expected):
    lines = printed(ARM, joints, poses).splitlines()
    assert lines[0] == f"{expected} [pose-wrong]"
    assert len(lines) == 2


def test_one_pose_of_many(at_once):
    """Of more than twelve, thirds are compared."""
    joints, poses = given(13, 3)
    assert printed(ARM, joints, off(poses, (7, 0), 20)) == (
        f"pose 8 does not fit the others: 20 mm and 0 deg off; X = {poses[7, 0]:.5g} would fit [pose-wrong]\n"
        "13 poses, up to 20.000 mm and 0.0000 deg off"
    )


@each(
    "robot, joints, poses, expected",
    [
        (
            LONGER,
            JOINTS,
            POSES,
            "at best pose 1 is the worst, 63.3 mm and 0.267 deg off; another transform would correct it, between "
            f"'joint_2' and 'joint_3', by xyz 0 -30 -50 mm in 'link_2'{LAST}63.344 mm and 0.3964 deg off",
        ),
        (
            LONGER,
            WHOLE[0].round(),
            WHOLE[1].round(2),
            "at best pose 6 is the worst, 19.3 mm and 0.415 deg off; another transform would correct it, between "
            f"'joint_2' and 'joint_3', by xyz 0 -30 -50 mm in 'link_2'{LAST}19.280 mm and 0.4148 deg off",
        ),
        (
            LONGER,
            *given(T_tool=TOOL),
            "at best pose 1 is the worst, 62.5 mm and 0.393 deg off; another transform would correct it, between "
            "'joint_2' and 'joint_3', by xyz 0 -11.72 -50.58 mm and turned by 1.611 deg about x in 'link_2' "
            f"(the smallest of several){LAST}62.505 mm and 0.5487 deg off",
        ),
        (
            TWO_WRONG,
            JOINTS,
            POSES,
            "at best pose 1 is the worst, 108 mm and 1.48 deg off; another transform would help most, and not enough, "
            "between 'joint_1' and 'joint_2', by xyz -54.54 -65.29 -2.58 mm and turned by 0.427 deg about "
            f"(0.475 0.189 0.86) in 'link_1'{LAST}107.574 mm and 2.1934 deg off",
        ),
        (
            ARM,
            JOINTS[:3],
            off(POSES[:3], (2, 0), 20),
            "at best pose 3 is the worst, 3.89 mm and 0.0105 deg off; too few poses to say which joint is wrong "
            "[no-fit]\n  3 poses, up to 3.890 mm and 0.0377 deg off",
        ),
        (
            ARM,
            *given(seed=4, noise=4),
            "at best pose 4 is the worst, 0.97 mm and 0.0258 deg off; the poses are noisier than the tolerance, up to "
            "1.94 times as much; if that is expected, say tolerance=(0.0015, 0.0023)"
            f"{LAST}0.970 mm and 0.0856 deg off",
        ),
        (
            ARM,
            JOINTS.round(),
            POSES.round(1),
            "at best pose 5 is the worst, 5.38 mm and 0.222 deg off; that may be the rounding of joints to 1, "
            f"positions to 0.1, angles to 0.1: if so, say tolerance=(0.0119, 0.0277){LAST}5.382 mm and 0.4437 deg off",
        ),
        (
            ARM,
            JOINTS.round(),
            POSES,
            "at best pose 5 is the worst, 5.4 mm and 0.196 deg off; that may be the rounding of joints to 1: if so, "
            f"say tolerance=(0.0119, 0.0262){LAST}5.401 mm and 0.4707 deg off",
        ),
        (
            ARM,
            JOINTS,
            POSES.round(),
            "at best pose 2 is the worst, 1.63 mm and 0.63 deg off; another transform would help most, and not enough, "
            "between 'joint_1' and 'joint_2', by xyz -0.7 0.99 0 mm and turned by 0.183 deg about x in 'link_1', or "
            "the poses are noisier than the tolerance, up to 11 times as much; if that is expected, say "
            f"tolerance=(0.005, 0.0165){LAST}3.311 mm and 0.6296 deg off",
        ),
    ],
)
def test_nothing_fits(at_once, monkeypatch, robot, joints, poses, expected):
    monkeypatch.setattr(calibration, "odd_poses", lambda data: [])
    assert printed(robot, joints, poses) == f"nothing that is looked for explains the poses; {expected}".replace(
        "\n  ", "\n"
    )


@each(
    "length, seed, poses_wrong, expected",
    [
        (0.65, 1, 0, ["joint 'joint_3' turns the other way in the model [joint-sign]", "nothing that is looked for "]),
        (
            0.9,
            2,
            5,
            ["nothing that is looked for ", "3 is the worst, ", "perhaps joint 'joint_3' turns the other way in "],
        ),
        (3.0, 1, 5, ["nothing that is looked for ", "1 is the worst, ", "another transform would help most, and not "]),
    ],
)
def test_a_fault_of_the_numbers_where_nothing_fits(at_once, monkeypatch, length, seed, poses_wrong, expected):
    """It is a fault where it helps decisively, a guess where it helps much, else not said."""
    monkeypatch.setattr(calibration, "odd_poses", lambda data: [])
    joints, poses = given(seed=seed)
    poses[:, 3] += np.random.default_rng(1).normal(0, poses_wrong, len(poses))
    text = printed(arm(*LINKS[:2], (f"0 0.03 {length}", "1 0 0")), changed(joints, 2, -1), poses)
    parts = text.replace(";", "\n").replace("at best pose ", "").splitlines()
    assert [part.strip()[: len(said)] for part, said in zip(parts, expected, strict=False)] == expected


J2 = "the zero of joint 'joint_2' is 30 deg off: 'joint_2' of the model = J2 - 30 deg [joint-zero]"
OTHER_BASE = (
    "the controller's '$ROBROOT' is elsewhere than the robot's 'base', by xyz -8.94 64.63 -784.69 mm and turned by "
    "113.114 deg about (-0.261 0.042 -0.964); was another user frame active? [base-frame]"
)
OTHER_TOOL = (
    "the controller's '$NULLFRAME' is elsewhere than the robot's 'tool0', by xyz 20 -100 150 mm and turned by "
    "136.579 deg about (0.436 -0.434 -0.788); was another tool active? [tool0-frame]"
)


@pytest.mark.slow
@each(
    "zero, options, unit, expected",
    [
        (30, {}, 1, [J2]),
        (200, {}, 1, [J2.replace("30 deg off", "160 deg off").replace("- 30", "+ 160")]),
        (-180, {}, 1, [J2.replace("30 deg off", "180 deg off").replace("- 30", "+ 180")]),
        (30, {}, 1e-3, ["the positions are in m, not in mm [pose-unit]", J2]),
        (30, {"T_base": BASE}, 1, [J2, OTHER_BASE]),
        (30, {"T_tool": TOOL}, 1, [J2, OTHER_TOOL]),
    ],
)
def test_a_zero_in_full(zero, options, unit, expected):
    """With the whole search."""
    joints, poses = given(**options)
    joints[:, 1] += zero
    *lines, last = printed(ARM, joints, changed(poses, slice(3), unit)).splitlines()
    assert lines == expected
    assert last == "6 poses, up to 0.000 mm and 0.0000 deg off"


def test_explanations_that_are_as_simple():
    """The zero of the first joint is the base turned, that of the last the tool."""
    zeros = [
        f"  the zero of joint 'joint_{i}' is {n} deg off: 'joint_{i}' of the model = J{i} {sign} {n} deg [joint-zero]"
        for i, sign, n in ((1, "-", 10), (2, "+", 20), (3, "-", 30))
    ]
    base = (
        "  the controller's '$ROBROOT' is elsewhere than the robot's 'base', by xyz 1.43 3.62 0 mm and turned by 10 "
        "deg about z; was another user frame active? [base-frame]"
    )
    tool = (
        "  the controller's '$NULLFRAME' is turned against the robot's 'tool0', by -30 deg about z; was another tool "
        "active? [tool0-frame]"
    )
    ways = [zeros, [*zeros[:2], tool], [*zeros[1:], base], [zeros[1], base, tool]]
    lines = ["the poses of KUKA have 4 explanations, all as simple:"]
    for i, way in enumerate(ways, 1):
        lines += [f"explanation {i}", *way, "  6 poses, up to 0.000 mm and 0.0000 deg off"]
    result = calibrate(ARM, "kuka", off(JOINTS, slice(None), (10, -20, 30)), POSES)
    assert str(result).splitlines() == [*lines, calibration.APART]
    assert repr(result) == (
        "Calibration: the model and the controller of KUKA do not agree; joint-zero, joint-zero, joint-zero, or 3 "
        "other explanations; 6 poses, up to 0.000 mm and 0.0000 deg off"
    )


def test_zeros_are_searched_from_quarter_turns_of_up_to_three_joints_and_15_degrees_of_one():
    turning = [True, False, True, True, True]
    rows = np.round(np.degrees(_grid(turning)))
    quarters = {row for row in product((0, 90, 180, -90), repeat=5) if row[1] == 0 and np.count_nonzero(row) <= 3}
    fine = {tuple(angle * (j == i) for j in range(5)) for i in (0, 2, 3, 4) for angle in range(-180, 180, 15)}
    assert {*map(tuple, rows)} == quarters | fine
    assert len(rows) == len(quarters) + 4 * 24
    assert not rows[0].any()
