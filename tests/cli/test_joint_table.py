"""`kinetree inspect --joint-table`: the naming page's table of joints, for any robot."""

import json
from math import degrees

import numpy as np
import pytest

import kinetree as kt
from kinetree.kinematics import joint_table
from kinetree.robots.icub.naming import corrected
from physics import everything
from support import icub_urdfs

pytestmark = pytest.mark.slow


def printed(text):
    """Joint to the cells of its row, of a plain page; the names of links may be wrapped."""
    lines = [line.split() for line in text.splitlines()]
    rows, last = {}, ""
    for cells in lines[next(i for i, cells in enumerate(lines) if cells[0] == "joint") + 1 :]:
        if len(cells) > 1:
            rows[last := cells[0]] = cells[1:]
        else:
            rows[last] += cells
    return rows


def test_the_rows_of_the_page_as_they_should_read(run):
    """naming.toml has the page's rows, with its errors corrected, and the true axes where the arms lean."""
    naming = kt.icub.naming()
    rows = printed(run("inspect", "icub", "--joint-table").stdout)
    links = {row.joint: (row.parent, row.link) for row in corrected(naming.links) if row.joint}
    robot = kt.load("icub")
    compared = 0
    for row in corrected(naming.axes):
        cells = rows[row.joint]
        assert cells[0] == row.type.lower()
        assert (cells[-2].rstrip(","), cells[-1]) == links[row.joint]
        if row.axis is None:
            assert cells[1:6] == ["-"] * 5
            continue
        axis = naming.leaning.get(row.joint, row.axis)
        assert np.allclose([float(x) for x in cells[1:4]], axis, rtol=0, atol=6e-4), row.joint
        limit = robot.joints[row.joint].limit
        assert np.allclose([float(x) for x in cells[4:6]], [degrees(limit.lower), degrees(limit.upper)], atol=0.05)
        assert cells[6] == "deg"
        compared += 1
    assert compared == 32
    assert rows["torso_pitch"][4:6] == ["-22", "84"]  # of the page of the inertial sensor
    assert "l_arm_ft_sensor" in rows


def test_ranges_of_the_robot_that_the_page_names():
    """The page leaves the range to the files of iCubGenova02."""
    limits = kt.icub.board_limits("iCubGenova02")
    robot = kt.icub.with_board_limits(kt.load("icub"), "iCubGenova02")
    rows = {row.joint: row for row in joint_table(robot)}
    assert (rows["torso_pitch"].lower, rows["torso_pitch"].upper) == limits["torso_pitch"]
    assert rows["l_arm_ft_sensor"].lower is None


@pytest.mark.parametrize("robot", [kt.load("icub:3.0"), everything(), everything(3)], ids=["icub3", "every type", "3"])
@pytest.mark.sampled(2)
def test_axes_are_those_of_the_jacobian(robot):
    """In the columns of J at the child's origin: the angular part of what turns, the linear part of what slides."""
    coordinated = {name for name in robot.joint_names if robot.joints[name].kind.quaternion is None}
    q, rows = robot.zero, joint_table(robot)
    start = 0
    for name in robot.joint_names:
        own = [row for row in rows if row.joint == name]
        if name in coordinated:
            J = kt.jacobian(robot, robot.joints[name].child)(q)[:, start : start + len(own)]
            for row, column in zip(own, J.T, strict=True):
                part = column[3:] if row.unit == "rad" else column[:3]
                assert np.allclose(row.axis, part, rtol=0, atol=1e-12), name
        start += len(own)
    assert start == robot.nv
    assert {row.joint for row in rows} == set(robot.joints)


def test_json_has_every_joint_in_radians_and_metres(run, mixed):
    answer = json.loads(run("inspect", mixed, "--joint-table", "--json").stdout)
    rows = answer["joints"]
    assert (answer["schema"], answer["robot"], answer["root"]) == (1, "mixed", "world")
    assert [row["joint"] for row in rows] == ["drive"] * 3 + ["lift", "spin", "grip", "flange_joint", "tool_joint"]
    assert [row["unit"] for row in rows] == ["m", "m", "rad", "m", "rad", "rad", None, None]
    lift = rows[3]
    assert np.allclose(lift["axis"], [0, 0.5**0.5, 0.5**0.5], rtol=0, atol=1e-15)
    assert (lift["lower"], lift["upper"], lift["parent"], lift["child"]) == (-0.1, 0.25, "cart", "mast")
    assert rows[4]["lower"] is None  # without a limit
    assert rows[6]["axis"] is None


def test_fixed_joints_that_no_sensor_measures_need_all(run, mixed):
    assert "flange_joint" not in printed(run("inspect", mixed, "--joint-table").stdout)
    assert printed(run("inspect", mixed, "--joint-table", "--all").stdout)["flange_joint"][0] == "fixed"
    assert "--all adds 2 fixed" in run("inspect", mixed, "--joint-table").stdout
    assert printed(run("inspect", mixed, "--joint-table").stdout)["lift"][3:7] == ["0.707", "-0.1", "0.25", "m"]


def test_published_models_fit_80_columns(run):
    path = next(path for path in icub_urdfs() if path.parent.name == "iCubGazeboV2_5")
    lines = run("inspect", path, "--joint-table").stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert printed("\n".join(lines))["l_hip_roll"][:4] == ["revolute", "-1", "0", "0"]
