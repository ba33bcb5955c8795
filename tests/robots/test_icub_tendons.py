"""The tendons of the iCub's shoulders, against the published numbers."""

import json
import re

import numpy as np
import pytest
from scipy.optimize import linprog

import kinetree as kt
from each import each
from kinetree.formats.limit_tables import read
from kinetree.model.edit import add_limits
from kinetree.robots.icub.tendons import text
from kinetree.robots.packaged import versions
from kinetree.spatial import polytope
from support import shared

SHOULDERS = {
    side: [f"{side[0]}_shoulder_{part}" for part in ("pitch", "roll", "yaw")] for side in ("left_arm", "right_arm")
}


@pytest.fixture(scope="module")
def tables():
    sets, findings = read(text(), "tendons.toml")
    assert not findings
    return {table.name: table for table in sets}


def in_degrees(table) -> tuple[np.ndarray, np.ndarray]:
    return table.G, np.rad2deg(table.h)


def test_the_rows_are_those_of_the_page(tables):
    page = shared("seeds", "icub-shoulder-range-of-movements.txt").read_text()
    c = float(re.search(r"with c = ([\d.]+)\.", page)[1])
    number = {"c": c, "-c": -c}
    rows = re.findall(r"^(?:A =|) *\|(.*?)\| *(?:b =)? *\|(.*?)\|$", page, re.MULTILINE)
    A = [[number.get(x.strip()) or float(x) for x in row.split(",")] for row, _ in rows]
    b = [float(x) for _, x in rows]
    assert len(rows) == 14
    limits = [re.search(rf"^ *([-\d.]+) < theta{i} < *([-\d.]+)$", page, re.MULTILINE).groups() for i in range(3)]
    for side, joints in SHOULDERS.items():
        table = tables[f"{side} tendons"]
        assert list(table.joints) == joints
        assert np.array_equal(-table.G, A)
        assert np.rad2deg(table.h) == pytest.approx(b, rel=1e-15)
        box = tables[f"{side} firmware"]
        upper, lower = np.rad2deg(box.h[:3]), -np.rad2deg(box.h[3:])
        assert np.c_[lower, upper] == pytest.approx(np.array(limits, dtype=float))


C = 1.7105
PRINTED = [  # a row of A and its number of b, typed from the page
    ((C, -C, 0), 404.0),
    ((-1, 1, 0), 54.3),
    ((-C, C, 0), 46.0),
    ((1, -1, 0), 305.7),
    ((0, -1, 0), 215.7),
    ((0, 1, 0), 150.0),
    ((0, 1, 0), 54.3),
    ((0, -1, 0), 210.0),
    ((C, -C, -C), 431.0),
    ((-1, 1, 1), 101.7),
    ((-C, C, C), 109.0),
    ((1, -1, -1), 258.3),
    ((0, 1, 1), 71.7),
    ((0, -1, -1), 228.3),
]


@pytest.mark.slow
@each("i", range(14))
def test_each_row_of_the_built_in_robot_is_a_q_plus_b(i):
    """In degrees, whatever the joints."""
    robot, (row, b) = kt.load("icub"), PRINTED[i]
    rng = np.random.default_rng(i)
    for side, joints in SHOULDERS.items():
        at = robot.limits.names.index(f"{side} tendons {i + 1} lower")
        for degrees in rng.uniform(-180, 180, (20, 3)):
            q = robot.q(dict(zip(joints, degrees, strict=True)), unit="deg")
            assert np.rad2deg(robot.limits.margin(q)[at]) == pytest.approx(row @ degrees + b, abs=1e-9)


def test_a_configuration_at_the_very_end_is_inside_where_the_page_has_it_outside():
    """The page writes > and <, Kinetree >= and <=: a set has a nearest point only if its ends belong to it."""
    robot = kt.load("icub")
    limits, roll = robot.limits, robot.q_slices["l_shoulder_roll"]
    row = limits.row_names.index("left_arm tendons 7 lower")  # theta1 + 54.3 > 0
    q = robot.q()
    q[roll] = -limits.h[row]
    assert limits.margin(q)[limits.names.index("left_arm tendons 7 lower")] == 0
    inside = limits.project(robot.q())
    inside[roll] = 0.0  # 0.0 < theta1
    assert limits.contains(inside)
    inside[roll] = np.nextafter(0.0, -1.0)
    assert not limits.contains(inside)
    outside = robot.q({"l_shoulder_pitch": -95.5, "l_shoulder_roll": 160.8, "l_shoulder_yaw": 80}, unit="deg")
    nearest = limits.project(outside)  # as near as numbers can be to a row, and inside
    assert 0 <= limits.margin(nearest)[limits.names.index("left_arm tendons 9 lower")] < 1e-9
    assert limits.contains(nearest)


FIRMWARE = [("pitch", -95.5, 10.0), ("roll", 0.0, 160.8), ("yaw", -37.0, 80.0)]


@pytest.mark.parametrize(("part", "low", "high"), FIRMWARE)
def test_each_range_of_the_firmware(part, low, high):
    robot = kt.load("icub", limits="firmware")
    for side in "lr":
        limit = robot.joints[f"{side}_shoulder_{part}"].limit
        assert np.rad2deg([limit.lower, limit.upper]) == pytest.approx([low, high], abs=1e-12)


def test_theta0_to_theta2_are_the_first_joints_of_both_arms_boards():
    robot = kt.load("icub")
    for side, joints in SHOULDERS.items():
        assert list(kt.icub.board_joints(robot, side)[:3]) == joints
        rows = [name for name in robot.limits.row_names if name.startswith(f"{side} tendons")]
        columns = {robot.coordinate_names[i] for name in rows for i in np.flatnonzero(row_of(robot, name))}
        assert columns == set(joints)


def row_of(robot: kt.Robot, name: str) -> np.ndarray:
    return robot.limits.G[robot.limits.row_names.index(name)]


def test_no_box_of_ranges_is_the_tendons_set(tables):
    """The largest box inside is less than the set, and each range of the set makes a box that is more: no ranges do."""
    A, b = in_degrees(tables["left_arm tendons"])
    corners = polytope.vertices(A, b)
    around = np.prod(corners.max(axis=0) - corners.min(axis=0))
    inside = polytope.largest_box(A, b)
    assert np.prod(inside.upper - inside.lower) < 0.9 * polytope.volume(A, b) < 0.9 * 0.9 * around


@pytest.mark.slow
@pytest.mark.parametrize("side", SHOULDERS)
def test_the_published_numbers(tables, side):
    A, b = in_degrees(tables[f"{side} tendons"])
    box = in_degrees(tables[f"{side} firmware"])
    both = np.vstack([A, box[0]]), np.r_[b, box[1]]
    assert polytope.volume(*box) == pytest.approx(1_984_834.8)
    assert polytope.volume(*both) == pytest.approx(1_873_268.370, abs=1e-3)
    assert 1 - polytope.volume(*both) / polytope.volume(*box) == pytest.approx(0.0562094, abs=5e-8)
    assert [i + 1 for i in polytope.redundant_rows(A, b)] == [2, 4, 5, 6, 10, 12]
    assert [i + 1 for i in polytope.rows_that_matter(A, b, *box)] == [1, 9, 14]
    assert len(polytope.vertices(*both)) == 14
    assert polytope.volume(A, b) == pytest.approx(15_246_844.4, abs=0.1)
    assert polytope.chebyshev_ball(*both).radius == pytest.approx(52.75)
    assert polytope.chebyshev_ball(A, b).radius == pytest.approx(91.134, abs=5e-4)
    largest = polytope.largest_box(*both)
    assert largest.lower == pytest.approx([-89.6577, 0, -37], abs=1e-4)
    assert largest.upper == pytest.approx([10, 99.6577, 62.6577], abs=1e-4)
    share = np.prod(largest.upper - largest.lower) / polytope.volume(*box)
    assert share == pytest.approx(0.4987, abs=5e-5)


@pytest.mark.parametrize("side", SHOULDERS)
def test_the_share_that_ikins_five_rows_forbid(tables, side):
    box, rows = in_degrees(tables[f"{side} firmware"]), in_degrees(tables[f"{side} ikin"])
    both = np.vstack([rows[0], box[0]]), np.r_[rows[1], box[1]]
    assert 1 - polytope.volume(*both) / polytope.volume(*box) == pytest.approx(0.1746, abs=5e-5)
    more = [tables[f"{side} ikin torso"], tables[f"{side} ikin abduction"]]
    G = np.vstack([both[0], [[0.0, *more[0].G[0]], [0.0, 1.0, 0.0]]])
    h = np.r_[both[1], np.rad2deg(more[0].h), np.rad2deg(more[1].h)]
    assert 1 - polytope.volume(G, h) / polytope.volume(*box) == pytest.approx(0.5558747, abs=1e-6)


@pytest.mark.parametrize("side", SHOULDERS)
def test_how_far_each_of_ikins_five_rows_reaches(tables, side):
    """The least margin of a row where the box and the other rows hold, as another program has it; it is positive for a
    row that takes nothing."""
    facts = json.loads(shared("facts", "icub", "shoulder_tendons.json").read_text())["ikin_cable_5"]
    (G, h), box = in_degrees(tables[f"{side} ikin"]), in_degrees(tables[f"{side} firmware"])
    assert [row for row, *_ in facts["redundant_given_box"]] == [1, 2, 3, 4, 5]
    for row, is_redundant, least in facts["redundant_given_box"]:
        others = np.delete(np.arange(5), row - 1)
        A, b = np.vstack([G[others], box[0]]), np.r_[h[others], box[1]]
        margin = h[row - 1] + linprog(-G[row - 1], A, b, bounds=(None, None)).fun
        assert margin == pytest.approx(least, abs=1e-9)
        assert (margin > 0) == is_redundant


def test_the_corners_of_the_firmwares_box():
    facts = json.loads(shared("facts", "icub", "shoulder_tendons.json").read_text())
    corners = next(value for value in _dicts(facts) if value.get("c") == 1.7105)["corners"]
    assert len(corners) == 8
    robot = kt.load("icub", limits="tendons")
    names = robot.limits.names
    for side, joints in SHOULDERS.items():
        for corner in corners:
            q = robot.q(dict(zip(joints, corner["q"], strict=True)), unit="deg")
            margins = dict(zip(names, np.rad2deg(robot.limits.margin(q)), strict=True))
            rows = {i: margins[f"{side} tendons {i} lower"] for i in range(1, 15)}
            assert [i for i, margin in rows.items() if margin < 0] == corner["violated_rows_1based"]
            for row, margin in corner["margins"].items():
                assert rows[int(row)] == pytest.approx(margin, abs=1e-4)  # printed with four digits
            assert min(rows.values()) == pytest.approx(corner["min_margin"], abs=1e-4)


def _dicts(value):
    if isinstance(value, dict):
        yield value
        for item in value.values():
            yield from _dicts(item)


@pytest.mark.slow
def test_the_sets_of_the_built_in_robot():
    firmware, with_tendons, ikin = (kt.load("icub", limits=name) for name in ("firmware", "tendons", "ikin"))
    yaw = firmware.joints["l_shoulder_yaw"].limit
    assert np.rad2deg([yaw.lower, yaw.upper]) == pytest.approx([-37, 80])
    assert not firmware.coupled_limits
    assert firmware.joints["l_elbow"].limit == kt.load("icub").joints["l_elbow"].limit
    assert len(with_tendons.coupled_limits) == 28
    assert 1 - with_tendons.limits.forbidden_share() == pytest.approx((1 - 0.0562094) ** 2, abs=1e-6)
    assert np.rad2deg(ikin.joints["l_shoulder_roll"].limit.upper) == pytest.approx(100)
    inside = ikin.limits.sample(2000, seed=0)
    assert with_tendons.limits.contains(inside).all()  # iKin's set is the smaller one


@pytest.mark.slow
@pytest.mark.parametrize("version", versions("icub"))
def test_before_version_3_the_built_in_robot_has_them(version):
    robot, printed = kt.load(f"icub:{version}"), kt.load(f"icub:{version}", limits="dh")
    assert not printed.coupled_limits
    if version == "3.0":
        assert not robot.coupled_limits
        assert np.array_equal(robot.limits.lower, printed.limits.lower)
        return
    chosen = kt.load(f"icub:{version}", limits="tendons")
    assert robot.limits.names == chosen.limits.names
    assert robot.notes == chosen.notes == printed.notes
    for part in ("lower", "upper", "G", "h"):
        assert np.array_equal(getattr(robot.limits, part), getattr(chosen.limits, part)), part
    assert sum(robot.limits.upper != printed.limits.upper) == 4  # roll stays as it is printed


def test_what_they_are_not_for():
    with pytest.raises(kt.KinetreeError, match="'tendons' is of the shoulders of iCub 1 and 2"):
        kt.load("icub:3", limits="tendons")
    rows = kt.load("icub:3", limits="ikin").limits.row_names
    kinds = {name.partition(" ")[2].removesuffix(" upper").removesuffix(" lower") for name in rows}
    assert kinds == {"ikin torso 1", "ikin forearm 1", "ikin forearm 2"}
    with pytest.raises(kt.KinetreeError, match="did you mean 'tendons'"):
        kt.load("icub", limits="tendon")
    with pytest.raises(kt.KinetreeError, match="stands twice"):
        add_limits(kt.load("icub", limits="tendons"), [t for t in read(text(), "")[0] if "tendons" in t.name])


@pytest.mark.slow
def test_inverse_kinematics_never_goes_behind_a_tendon():
    """Poses of configurations that the firmware allows and the tendons do not: what is found for them is inside."""
    box, icub = kt.load("icub", limits="firmware"), kt.load("icub", limits="tendons")
    q = box.limits.sample(4000, seed=1)
    behind = q[~icub.limits.contains(q)]
    assert len(behind) > 100
    solver = kt.ik(icub, "l_hand", base="chest")
    result = solver(kt.fk(icub, "l_hand", base="chest")(behind))
    assert icub.limits.contains(result.q).all()
    assert 0.2 < result.success.mean() < 1.0  # many are reached in another way, not all
