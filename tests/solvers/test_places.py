"""Places that limits over several joints leave to a frame, of a gantry whose places are known."""

from dataclasses import replace

import numpy as np
import pytest

import kinetree as kt
from kinetree.formats.limit_tables import read
from kinetree.model.edit import add_limits
from kinetree.solvers.limits.places import places
from kinetree.solvers.limits.reach import Reach, configurations, cubes_of, middles


def gantry(mount=""):
    """Three slides of one metre along x, y and z; x + z is at most 1 m."""
    text = f'<robot name="gantry"><link name="l0"/>{mount}'
    for i, axis in enumerate(("1 0 0", "0 1 0", "0 0 1")):
        text += f"""<link name="l{i + 1}"/><joint name="{"xyz"[i]}" type="prismatic"><parent link="l{i}"/>
        <child link="l{i + 1}"/><axis xyz="{axis}"/><limit lower="0" upper="1" velocity="1" effort="1"/></joint>"""
    rows = '[[limits]]\nname="sum"\nunit="si"\njoints=["x", "z"]\nG=[[1, 1]]\nh=[1]'
    return add_limits(kt.load(text + "</robot>", format="urdf"), read(rows, "rows.toml")[0])


MOUNT = """<link name="world"/><joint name="mount" type="fixed"><parent link="world"/><child link="l0"/>
  <origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/></joint>"""
"""A quarter turn about z: x of the gantry points along y of the world, and y against x."""


def test_cubes_of_a_gantry_that_is_mounted_turned():
    """Of 4 x 4 x 4 cubes. A cube counts if a place is within its half diagonal, 0.217 m, of its middle: so do those in
    columns i and k along x and z with i + k <= 4, and in the safe box, 0.5 m wide, with both <= 2."""
    found = places(gantry(MOUNT), "l3", samples=2000, cell=0.25)
    assert (found.frame, found.base, found.joints, found.cell) == ("l3", "l0", ("x", "y", "z"), 0.25)
    np.testing.assert_allclose(found.volumes, np.array([16, 13, 9]) * 4 / 64, rtol=0, atol=0)
    middles = np.arange(0.125, 1, 0.25)
    i, j, k = found.centers[:, 1] - 2, 1 - found.centers[:, 0], found.centers[:, 2] - 3
    for values in (i, j, k):
        np.testing.assert_allclose(np.unique(np.round(values, 9)), middles, atol=1e-9)
    np.testing.assert_array_equal(found.reached[1], i + k < 1.3)
    np.testing.assert_array_equal(found.reached[2], (i < 0.7) & (k < 0.7))
    ends, bands = found.by_height()
    np.testing.assert_allclose(ends, np.arange(3.1, 3.85, 0.1), atol=1e-12)
    np.testing.assert_array_equal(bands[:, [1, 3, 4, 6]], 0)
    np.testing.assert_array_equal(bands[:, [0, 2, 5, 7]] * 16, [[4, 4, 4, 4], [4, 4, 3, 2], [3, 3, 3, 0]])


def test_cubes_that_a_row_moved_out_wins():
    """Of the three columns that x + z <= 1 leaves out, a place of the last wants at least half a metre more."""
    robot, row, most = gantry(), np.array([0]), np.array([0.5])
    reach = Reach(robot, robot.limits, row, most, "l3", None, 2000, 0.25)
    assert [reach.value(np.array([x])) for x in (0.0, 0.5)] == [52 / 64, 60 / 64]
    assert reach.gains(np.array([0.0]), most) == [0.0]  # over 0.05 m
    least = reach.least(most)
    assert 0.25 < least[0] < 0.45
    assert reach.value(least) == 60 / 64
    assert reach.value(least - 1e-9) < 60 / 64
    assert reach.least(least) == least
    assert reach.gains(least, most) == pytest.approx([(60 / 64 - reach.value(least - 0.05)) / 0.05])
    assert reach.best(most, 0.3) == (pytest.approx([0.3]), np.inf)
    assert Reach(robot, robot.limits, row, np.zeros(1), "l3", None, 500, 0.25).best(most, 0.3) == ([0.0], 0.0)
    plan = kt.limits.widen(robot, {"sum 1": 0.5}, reach="l3", samples=2000, cell=0.25)
    assert (plan.before, plan.after, plan.gap) == (52 / 64, 60 / 64, 0.0)
    assert plan.by == pytest.approx(least)
    assert plan.worth == pytest.approx([8 / 52])
    for options, message in (
        ({"samples": 0}, "samples is 0; expected a whole number from 1"),
        ({"samples": 1.5}, "samples is 1.5; expected a whole number from 1"),
        ({"cell": 0.0}, "cell is 0.0; expected a length above 0, in m"),
        ({"cell": np.inf}, "cell is inf; expected a length above 0, in m"),
    ):
        with pytest.raises(kt.KinetreeError, match=message):
            kt.limits.widen(robot, {"sum 1": 0.5}, reach="l3", **options)


def test_configurations_move_what_they_should():
    """Columns and blocks move, an endless joint by a turn, all others stand where they may."""
    text = """<robot name="r"><link name="a"/><link name="b"/><link name="c"/><link name="d"/><link name="e"/>
    <joint name="turn" type="continuous"><parent link="a"/><child link="b"/></joint>
    <joint name="still" type="prismatic"><parent link="b"/><child link="c"/>
      <limit lower="1" upper="2" velocity="1" effort="1"/></joint>
    <joint name="x" type="prismatic"><parent link="c"/><child link="d"/>
      <limit lower="0" upper="1" velocity="1" effort="1"/></joint>
    <joint name="z" type="prismatic"><parent link="d"/><child link="e"/>
      <limit lower="0" upper="1" velocity="1" effort="1"/></joint></robot>"""
    rows = '[[limits]]\nname="sum"\nunit="si"\njoints=["x", "z"]\nG=[[1, 1]]\nh=[1]'
    robot = add_limits(kt.load(text, format="urdf"), read(rows, "rows.toml")[0])
    (q,) = configurations(robot, robot.limits, np.array([0]), 1000)
    turn, still, x, z = q.T
    assert (turn.min(), turn.max()) == (pytest.approx(-np.pi, abs=0.02), pytest.approx(np.pi, abs=0.02))
    assert {*still} == {robot.q()[1]} == {1.5}
    assert 0.99 < (x + z).max() <= 1
    (q,) = configurations(robot, robot.limits, np.array([1]), 1000)
    assert {*q[:, 0]} == {0.0}
    assert np.ptp(q[:, 1]) > 0.99
    assert [len(q) for q in configurations(robot, robot.limits, np.array([1]), 100_001)] == [100_000, 1]


def test_cubes_and_their_middles():
    points = np.array([[0.0, 0.0, 0.0], [-0.01, 0.24, 0.26], [-1e5, 1e5, 7.4]])
    cubes = cubes_of(points, 0.25)
    np.testing.assert_allclose(middles(cubes, 0.25), np.floor(points / 0.25) * 0.25 + 0.125, rtol=0, atol=0)
    assert len({*cubes}) == 3


@pytest.mark.slow
def test_a_gantry_keeps_half_and_its_safe_box_a_quarter():
    """Of one cubic metre the row leaves the half, and of that the largest box with half a metre on both sides."""
    found = places(gantry(), "l3", samples=100_000, cell=0.05)
    cells = 1 / 0.05
    assert found.volumes[0] == pytest.approx(1.0, abs=4 / cells)
    assert found.volumes[1] == pytest.approx(0.5, abs=4 / cells)
    assert found.volumes[2] == pytest.approx(0.25, abs=4 / cells)
    ends, bands = found.by_height()
    for z, band in zip(ends, bands.T, strict=True):
        if 0 <= z < 0.95:
            assert band[0] == pytest.approx(0.1, abs=0.03)
            assert band[1] == pytest.approx(0.1 * (0.95 - z), abs=0.03)
            assert band[2] == pytest.approx(0.05 * (z < 0.45), abs=0.03)
    assert found.joints == ("x", "y", "z")


def test_a_frame_that_no_such_limit_is_on_the_way_to():
    robot = gantry('<link name="aside"/><joint name="to" type="fixed"><parent link="l0"/><child link="aside"/></joint>')
    for one, frame in ((robot, "aside"), (robot, "l0"), (replace(robot, coupled_limits=()), "l3")):
        with pytest.raises(kt.KinetreeError, match=f"no limit over several joints is on the way to frame '{frame}'"):
            places(one, frame)


@pytest.mark.slow
def test_everything_that_is_reached_is_really_reached():
    """Cubes of the smaller set belong to the larger one, and the middle of each has a configuration near it."""
    found = places(gantry(), "l3", samples=20_000, cell=0.1)
    assert (found.reached[2] <= found.reached[1]).all()
    assert (found.reached[1] <= found.reached[0]).all()
    inside = found.centers[found.reached[1]]
    assert (inside[:, 0] + inside[:, 2] <= 1 + 2 * np.sqrt(3) / 2 * 0.1).all()
