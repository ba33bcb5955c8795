"""Proofs of what is wrong in the documents that Kinetree follows, where no other test is about it.

The page docs/explanation/errata.md lists them.
"""

import re
from itertools import product

import numpy as np
import pytest

import kinetree as kt
from kinetree.formats.ets import Rz, parse, tx
from support import shared

REP199 = "rep-0199-coordinate-frames-industrial-manipulators.txt"


def test_an_elementwise_product_of_three_numbers_is_no_number():
    """The page on the shoulder writes `.*`, which is Matlab's elementwise product, and c for the bound."""
    row, q = np.array([1.7105, -1.7105, 0.0]), np.array([-95.5, 160.8, -37.0])
    assert (row * q).shape == (3,)  # compared with a number these are three answers, one for each product
    assert ((row * q) > -404.0).tolist() == [True, True, True]
    assert row @ q + 404.0 == pytest.approx(-34.401, abs=1e-3)  # what the matrices below it mean: outside


def test_with_one_letter_for_two_numbers_the_row_would_forbid_the_zero():
    """c is 1.7105 below: taken for the bound too, [a1 a2 a3] q > c would forbid all joints at zero, which is inside."""
    assert not np.zeros(3) @ [1.7105, -1.7105, 0.0] > 1.7105
    robot = kt.load("icub")
    assert (robot.limits.margin(robot.q())[2 * robot.nq :] > 0).all()


def test_c_is_65_38ths_to_five_digits():
    """The ratio of the pulleys from which the numbers are computed; the page prints four decimals of it."""
    assert round(65 / 38, 4) == 1.7105
    assert abs(65 / 38 - 1.7105) < 3e-5
    assert round(706 / 13, 1) == 54.3
    assert [round(x, 1) for x in (3974 / 13, 2804 / 13, 6608 / 65, 16792 / 65, 4658 / 65, 14842 / 65)] == [
        *(305.7, 215.7, 101.7),
        *(258.3, 71.7, 228.3),
    ]


def test_a_non_negative_integer_may_be_zero_and_one_of_z_plus_may_not():
    """REP-199 asks for both in one sentence; Kinetree begins with 1, as its examples do, and remarks upon 0."""
    page = shared("seeds", REP199).read_text("utf-8").splitlines()
    assert "non-negative integer" in page[28]
    assert "ℤ⁺" in page[28]
    printed = set(re.findall(r"\blink_(\d)", "\n".join(page)))
    assert "0" not in printed
    assert "1" in printed


def test_the_frame_that_two_robots_share_has_no_prefix():
    """REP-199 says "all frames" below the tree; `world` belongs to neither robot."""
    page = shared("seeds", REP199).read_text("utf-8").splitlines()
    words = re.findall(r"\w+", page[65])
    assert [word for word in words if not word.startswith(("robot_", "positioner_"))] == ["world"]
    assert "all frames" in page[66]


def test_rep_199_has_lost_its_headings():
    """The text refers to its sections, and no line is only the name of one."""
    page = shared("seeds", REP199).read_text("utf-8")
    assert "(see base)" in page
    assert "tool0 section" in page
    assert "Application-Specific Tool Frames" in page
    names = ["Abstract", "base", "tool0", "flange", "Application-Specific Tool Frames", "References", "Copyright"]
    assert not {*names} & {line.strip() for line in page.splitlines()}


def test_references_of_rep_199_that_its_text_does_not_cite():
    """RFC 2119 is among them: that shall, should and may are meant as there is said nowhere."""
    page = shared("seeds", REP199).read_text("utf-8").splitlines()
    text, listed = "\n".join(page[:71]), [int(re.match(r"\[(\d+)\]", line)[1]) for line in page[71:92]]
    assert sorted(listed) == list(range(1, 22))
    cited = {int(number) for number in re.findall(r"\[(\d+)\]", text)}
    assert cited == {1, 2, 3, 10}
    assert "RFC" not in text


def test_a_rigid_link_has_no_variable_transform():
    """The page on link frames gives every link one; a link on a fixed joint has constants only."""
    *_, tool = parse("Rz(q1) tx(1) Rz(q2) tx(0.5)").links()
    assert tool.v is None
    assert np.array_equal(tool.A(), tool.Ts)
    robot = kt.load(str(Rz("q1") * tx(1.0)), format="ets")
    assert robot.frames["tip"].link == robot.joints["q1"].child


def test_xup_needs_both_factors_of_one_joint():
    """The page writes Xj(i) XT(I): with another joint's XT the product is not the inverse of A(q)."""
    links = parse("tx(0.2) Rz(a) ty(0.3) Ry(b)").links()
    q = 0.7
    for i, j in product(range(2), repeat=2):
        found = np.linalg.inv(links[i].v.T(q)) @ np.linalg.inv(links[j].Ts)
        assert np.allclose(found, np.linalg.inv(links[i].A(q)), atol=1e-12) == (i == j)


def test_later_robots_have_more_than_six_force_torque_sensors():
    """The naming page has up to six; a foot of an ergoCub, as of an iCub 3, is in two parts with a sensor each."""
    models = shared("corpus", "icub-tech-iit+ergocub-software") / "urdf" / "ergoCub" / "robots"
    robot = kt.load(models / "ergoCubSN002" / "model.urdf")
    sensors = [sensor.name for sensor in robot.sensors.values() if sensor.type == "force_torque"]
    assert len(sensors) == 8
    assert {f"{side}_foot_{part}_ft" for side in "lr" for part in ("front", "rear")} < set(sensors)
