"""Limits moved out for the most room, against areas that are known and against trying everything."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.optimize

import kinetree as kt
from kinetree.model.edit import add_limits
from kinetree.model.limits import LinearLimits
from kinetree.solvers.limits.widen import Reach, _highest, widenable
from kinetree.spatial import polytope

PLANAR = """<robot name="planar"><link name="base"/><link name="upper"/><link name="lower"/><link name="tip"/>
<joint name="q1" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
  <limit lower="0" upper="1.5" velocity="1" effort="1"/></joint>
<joint name="q2" type="revolute"><parent link="upper"/><child link="lower"/><axis xyz="0 0 1"/>
  <origin xyz="1 0 0"/><limit lower="0" upper="1.5" velocity="1" effort="1"/></joint>
<joint name="end" type="fixed"><parent link="lower"/><child link="tip"/><origin xyz="1 0 0"/></joint></robot>"""
MORE = """<joint name="slide" type="prismatic"><parent link="tip"/><child link="slider"/><axis xyz="0 0 1"/>
  <limit lower="0" upper="1" velocity="1" effort="1"/></joint><link name="slider"/>
<joint name="spin" type="continuous"><parent link="slider"/><child link="spinner"/><axis xyz="0 0 1"/></joint>
<link name="spinner"/></robot>"""


def planar(rows: dict[str, tuple[float, float, float]], text: str = PLANAR) -> kt.Robot:
    """Two joints from 0 to 1.5 and links of 1 m, with a q1 + b q2 <= c for every row."""
    G = np.array([row[:2] for row in rows.values()])
    h = np.array([row[2] for row in rows.values()])
    return add_limits(kt.load(text, format="urdf"), [LinearLimits("set", ("q1", "q2"), G, h, tuple(rows))])


@pytest.fixture(scope="module")
def corners() -> kt.Robot:
    """The square of side 1.5 without two of its corners, triangles with sides 1 and 0.5."""
    return planar({"far": (1, 1, 2.0), "near": (-1, -1, -0.5)})


def area(x: float, y: float) -> float:
    return 1.5**2 - (1.0 - x) ** 2 / 2 - (0.5 - y) ** 2 / 2


@pytest.mark.parametrize(
    ("total", "by"), [(0.3, (0.3, 0.0)), (0.5, (0.5, 0.0)), (0.9, (0.7, 0.2)), (1.5, (1.0, 0.5)), (None, (1.0, 0.5))]
)
@pytest.mark.slow
def test_two_corners(corners, total, by):
    """All goes into the longer side until both are as long."""
    plan = kt.limits.widen(corners, {"far": 2.0, "near": 2.0}, total=total)
    assert plan.rows == ("far upper", "near upper")
    assert plan.by == pytest.approx(by, abs=2e-3)
    assert plan.before == pytest.approx(area(0, 0))
    assert plan.after == pytest.approx(area(*by), rel=1e-6)
    assert plan.gap < 1e-6
    assert plan.first * plan.before == pytest.approx([1.0, 0.5], abs=1e-5)  # how the area grows with its sides
    assert plan.last * plan.before == pytest.approx([1.0 - by[0], 0.5 - by[1]], abs=2e-3)
    assert plan.worth * plan.before == pytest.approx(
        [plan.after - area(0, by[1]), plan.after - area(by[0], 0)], abs=1e-3
    )
    assert plan.robot.limits.volume() == pytest.approx(plan.after)
    assert plan.robot.limits.h == pytest.approx(np.array([2.0, -0.5]) + plan.by)


@pytest.mark.slow
def test_limits_of_single_joints():
    """A rectangle of 0.5 by 0.8 grows along the side that gains more, by the length of the other one."""
    plan = kt.limits.widen(planar({"x": (1, 0, 0.5), "y": (0, 1, 0.8)}), {"x": 0.9, "y": 0.8}, total=0.2)
    assert (plan.rows, plan.most.tolist()) == (("x upper", "y upper"), [0.9, 0.8])
    assert (plan.by, plan.before, plan.after) == (
        pytest.approx([0.2, 0.0], abs=1e-9),
        pytest.approx(0.4),
        pytest.approx(0.56),
    )
    assert 0 <= plan.gap < 1e-6
    assert plan.first * plan.before == pytest.approx([0.8, 0.5])
    assert plan.last * plan.before == pytest.approx([0.8, 0.7])
    assert plan.worth * plan.before == pytest.approx([0.16, 0.0])
    assert plan.robot.limits.h == pytest.approx([0.7, 0.8])


@pytest.mark.slow
def test_tendons_of_the_icub_against_trying_everything():
    icub = kt.load("icub")
    rows = [f"left_arm tendons {i} lower" for i in range(1, 15)]
    total, most = np.radians(30), np.radians(20)
    plan = kt.limits.widen(icub, dict.fromkeys(rows, most), total=total)
    assert plan.gap < 1e-6
    assert plan.by.sum() <= total + 1e-12
    assert plan.by.min() >= 0
    assert plan.by.max() <= most
    block = icub.limits.blocks[0]
    matter = [0, 8, 11, 13]  # rows 1, 9, 12 and 14 forbid something of the box; those beyond are never met

    def volume(by):
        b = block.b.copy()
        b[matter] += by
        return polytope.volume(block.A, b)

    steps = np.linspace(0, most, 5)
    tried = [volume(by) for by in product(steps, repeat=4) if sum(by) <= total]
    assert len(tried) > 80
    assert max(tried) <= plan.after
    assert max(tried) > plan.before + 0.8 * (plan.after - plan.before)
    assert volume(plan.by[matter]) == pytest.approx(plan.after, rel=1e-9)
    step = 1e-5
    for i, row in enumerate(matter):
        beside = np.eye(4)[i] * (step if plan.by[row] == 0 else -step)
        slope = (volume(plan.by[matter] + beside) - volume(plan.by[matter])) / beside[i]
        assert plan.last[row] * plan.before == pytest.approx(slope, abs=1e-4)
    # rows 9 and 12 are parallel: they are moved until one lies upon the other, where both are worth the same area
    assert plan.last[11] == pytest.approx(1.7105 * plan.last[8], rel=1e-4)
    assert not np.delete(plan.by, matter).any()
    # the other arm's are as before
    assert plan.robot.limits.h[14:] == pytest.approx(icub.limits.h[14:], abs=0)


@pytest.mark.slow
def test_useless_rows_are_spared_and_rows_one_upon_the_other_are_moved_together():
    twice = planar({"one": (1, 1, 2.0), "same": (2, 2, 4.0), "idle": (1, 0, 1.6)})
    plan = kt.limits.widen(twice, {"one": 0.5, "same": 0.5, "idle": 0.5})
    assert plan.by == pytest.approx([0.25, 0.5, 0.0], abs=1e-9)
    plan = kt.limits.widen(twice, {"one": 0.5, "same": 0.5, "idle": 0.5}, total=0.3)
    assert plan.by == pytest.approx([0.1, 0.2, 0.0], abs=2e-3)
    assert plan.after == pytest.approx(1.5**2 - 0.9**2 / 2, rel=1e-6)


@pytest.mark.slow
def test_what_a_hand_reaches():
    """The area is the integral of |det J| = sin(q2), as no place is reached twice."""
    plan = kt.limits.widen(planar({"sum": (1, 1, 1.2)}), {"sum": 0.9}, reach="tip", cell=0.01)

    def reached(bound):
        return np.trapezoid(*(f(np.linspace(0, 1.5, 20_001), bound) for f in (inner, lambda q2, _: q2)))

    def inner(q2, bound):
        return np.sin(q2) * np.clip(bound - q2, 0, 1.5)

    border = 0.01 * 5  # cubes at the border count whole, and it is about 5 m long
    assert plan.by == pytest.approx([0.9], abs=2e-3)  # a bit less, where no sample needs all
    assert reached(1.2) < plan.before / 0.01 < reached(1.2) + border
    assert reached(2.1) < plan.after / 0.01 < reached(2.1) + border
    assert plan.worth == pytest.approx((plan.after - plan.before) / plan.before)
    assert np.isinf(
        kt.limits.widen(planar({"sum": (1, 1, 1.2)}), {"sum": 0.9}, total=0.3, reach="tip", samples=1000).gap
    )


@pytest.mark.slow
def test_places_of_the_icubs_hand_against_trying_everything():
    icub = kt.load("icub")
    rows = [f"left_arm tendons {i} lower" for i in (1, 9, 12, 14)]
    total, most = np.radians(30), np.radians(20)
    where = {"reach": "l_hand", "base": "chest", "samples": 200_000}
    plan = kt.limits.widen(icub, dict.fromkeys(rows, most), total=total, **where)
    places = Reach(icub, icub.limits, np.array([0, 8, 11, 13]), np.full(4, most), "l_hand", "chest", 200_000, 0.02)
    tried = {by: places.value(np.array(by)) for by in product(np.linspace(0, most, 9), repeat=4) if sum(by) <= total}
    assert max(tried.values()) <= plan.after
    assert plan.by.sum() <= total + 1e-12
    assert plan.before == places.value(np.zeros(4))
    assert plan.after == places.value(plan.by)
    assert plan.by[0] == plan.by.max() > 0  # tendon 1, though 9 forbids four times as much of the box
    # every cube counted is one that some allowed configuration reaches
    hand = kt.fk(icub, "l_hand", base="chest")
    q = plan.robot.limits.sample(200_000, seed=5)
    cubes = np.unique(np.floor(hand(q)[:, :3, 3] / 0.02).astype(int), axis=0)
    assert len(cubes) * 0.02**3 == pytest.approx(plan.after, rel=0.02)


@pytest.mark.slow
def test_the_widened_robot_is_kept_in_files(corners, tmp_path):
    plan = kt.limits.widen(corners, {"far": 0.5})
    kt.save(plan.robot, tmp_path / "wide.urdf")
    again = kt.load(tmp_path / "wide.urdf")
    assert again.limits.h == pytest.approx([2.5, -0.5])
    assert again.limits.row_names == corners.limits.row_names


@pytest.mark.parametrize(
    ("most", "options", "said"),
    [
        ({"fra": 1.0}, {}, "no row 'fra'; did you mean 'far'"),
        ({}, {}, "expected one or more different rows"),
        ({"far": 1.0, "far upper": 1.0}, {}, "one or more different rows"),
        ({"far": -1.0}, {}, "'far upper': may be moved by -1; expected a finite amount"),
        ({"far": np.nan}, {}, "may be moved by nan"),
        ({"far": 1.0}, {"total": -1.0}, "total is -1;"),
        ({"far": 1.0}, {"reach": "tipp"}, "did you mean 'tip'"),
        ({"far": 1.0}, {"reach": "tip", "samples": 0}, "samples is 0"),
        ({"far": 1.0}, {"reach": "tip", "samples": 2.5}, r"samples is 2\.5; expected a whole number from 1"),
        ({"far": 1.0}, {"reach": "tip", "samples": 1, "cell": 0.0}, r"cell is 0\.0; expected a length above 0, in m"),
        ({"far": 1.0}, {"reach": "tip", "cell": np.inf}, "cell is inf; expected a length above 0, in m"),
    ],
)
def test_errors(corners, most, options, said):
    with pytest.raises(kt.KinetreeError, match=said):
        kt.limits.widen(corners, most, **options)


@pytest.mark.slow
def test_what_has_no_room_or_no_measure():
    flat = planar({"a": (1, 1, 1.0), "b": (-1, -1, -1.0)})
    with pytest.raises(kt.KinetreeError, match="nothing is inside"):
        kt.limits.widen(flat, {"a": 1.0})
    text = PLANAR.replace("</robot>", MORE)
    mixed = add_limits(
        planar({"turn": (1, 1, 2.0)}, text),
        [LinearLimits("slid", ("slide",), np.ones((1, 1)), np.array([0.5]), ("slid",), angular=False)],
    )
    with pytest.raises(kt.KinetreeError, match="rows of angles and rows of lengths"):
        kt.limits.widen(mixed, {"turn": 1.0, "slid": 0.1}, total=0.5)
    assert kt.limits.widen(mixed, {"turn": 1.0, "slid": 0.1}).by == pytest.approx([1.0, 0.1])
    # joints without end turn once around, and those that do not move the frame stay
    plan = kt.limits.widen(mixed, {"turn": 1.0}, reach="spinner", samples=2000)
    assert plan.after > plan.before


def test_a_row_with_the_name_of_a_joint():
    """The ends of joint q1 are "q1 lower" and "q1 upper", so that those of the row have another name."""
    robot = planar({"q1": (1, 1, 2.0), "q2 upper": (-1, -1, -0.5)})
    assert robot.limits.row_names == ("limit q1 upper", "q2 upper upper")
    assert widenable(robot) == {"q1": 0, "limit q1 upper": 0, "q2 upper": 1, "q2 upper upper": 1}
    assert widenable(kt.load(PLANAR, format="urdf")) == {}


@pytest.mark.slow
def test_names_that_overlap_and_faces_that_are_edges():
    both = planar({"x": (1, 1, 2.0), "x upper": (1, 2, 3.5)})
    assert kt.limits.widen(both, {"x upper": 0.1}).rows == ("x upper",)
    text = PLANAR.replace("</robot>", MORE.replace("slide", "q3").replace("prismatic", "revolute")).replace(
        "spin", "q4"
    )
    text = text.replace('type="continuous"', 'type="revolute"').replace(
        '<axis xyz="0 0 1"/></joint>\n<link name="q4ner"/>',
        '<axis xyz="0 0 1"/><limit lower="0" upper="1" velocity="1" effort="1"/></joint>\n<link name="q4ner"/>',
    )
    four = kt.load(text, format="urdf")
    G = np.array([[1.0, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]])
    limited = add_limits(
        four, [LinearLimits("p", ("q1", "q2", "q3", "q4"), G, np.array([1.5, 1.5, 1.0]), ("p 1", "p 2", "p 3"))]
    )
    plan = kt.limits.widen(limited, {"p 1": 0.1})
    assert plan.after == pytest.approx(plan.robot.limits.volume())
    assert plan.after > plan.before


def test_what_has_no_room_or_too_many_coordinates_is_said():
    flat = planar({"far": (1, 1, 1.0), "near": (-1, -1, -1.0)})
    long = kt.chain([{"a": 0.1, "qlim": [-1, 1]}] * 7, convention="dh")
    row = LinearLimits("set", long.coordinate_names, np.ones((1, 7)), np.ones(1), ("sum",))
    for robot, most, options, code, message in (
        (flat, {"far": 1.0}, {"base": "base"}, "widen", "base means nothing without a frame to reach"),
        (flat, {"far": 1.0}, {}, "empty", "nothing is inside these limits, or next to nothing; there is no room"),
        (add_limits(long, [row]), {"sum": 1.0}, {}, "widen", "q7 are coupled; the room of more than 6 together is not"),
    ):
        with pytest.raises(kt.KinetreeError, match=message) as caught:
            kt.limits.widen(robot, most, **options)
        assert caught.value.findings[0].code == code


def test_a_programme_that_is_not_solved_is_said(monkeypatch):
    given_up = SimpleNamespace(success=False, message="numbers are bad")
    monkeypatch.setattr(scipy.optimize, "linprog", lambda *_, **__: given_up)
    with pytest.raises(kt.KinetreeError, match="the linear programme was not solved: numbers are bad"):
        _highest(np.ones((1, 2)), np.zeros(1), np.ones(2), 1.0)
