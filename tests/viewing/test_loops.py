"""Robots with closed loops in a page and in pictures: where they begin, which joints are driven, and open loops."""

import json
import re

import numpy as np
import pytest

import kinetree as kt
from kinetree.viewing.picture import picture
from kinetree.viewing.scene.loops import closer_of, described_loops, determining_joints, open_loops, start
from linkages import cassie_leg, delta, fourbar, gripper
from support import all_frames
from unpacking import parts

pytestmark = pytest.mark.usefixtures("opened")

ARMS = ["arm0", "arm1", "arm2"]


def loaded(text):
    return kt.load(text, format="mjcf")


def lift():
    return kt.chain([{"joint": "lift", "d": 0.1}], convention="dh")


@pytest.mark.parametrize(
    ("text", "driven"),
    [
        (fourbar(), ["crank"]),
        (gripper(), ["right_drive"]),
        (delta(), ARMS),
        (cassie_leg(), ["knee", "shin", "tarsus", "crank"]),
    ],
    ids=["four-bar", "gripper", "delta", "leg of Cassie"],
)
def test_the_first_joints_that_determine_the_others_are_driven(text, driven):
    assert determining_joints(loaded(text)) == driven


@pytest.mark.parametrize(
    ("motors", "driven"),
    [
        ('<position name="m" joint="coupler"/>', "coupler"),
        ('<motor name="m" jointinparent="rocker"/>', "rocker"),
        ('<motor name="m" joint="rocker"/><motor name="n" joint="coupler"/>', "coupler"),  # the first of two
        ('<motor name="m" site="tip"/><general name="n" joint="nobody"/>', "crank"),
    ],
)
def test_joints_with_motors_come_first(motors, driven):
    text = fourbar().replace("</mujoco>", f"<actuator>{motors}</actuator></mujoco>")
    assert determining_joints(loaded(text)) == [driven]


@pytest.mark.slow
def test_a_robot_begins_where_its_loops_are_closed(monkeypatch):
    monkeypatch.setattr("kinetree.viewing.picture.written", texts)
    robot = loaded(delta())
    gap = kt.kinematics.loop_error(robot)
    assert gap(robot.q()).max() > 0.3
    first = start(robot, None)
    assert gap(first).max() < 1e-9
    np.testing.assert_array_equal(first, kt.kinematics.close(robot, ARMS).start)
    np.testing.assert_array_equal(kt.show(robot, browser=False).q, first)
    assert picture(robot)[0][0] == []
    assert len(picture(robot, robot.q())[0][0]) == 6


def test_a_robot_begins_at_its_neutral_configuration_if_loops_are_closed_there_or_never():
    bars = loaded(fourbar())
    np.testing.assert_array_equal(start(bars, None), bars.q())
    np.testing.assert_array_equal(start(bars, {"crank": 0.3}), bars.q(crank=0.3))  # as given
    text = '<mujoco><worldbody><body name="a" pos="0 0 1"><joint name="j" axis="0 0 1"/><geom size="0.1"/></body>'
    text += '<body name="b"><joint name="k" axis="0 0 1"/><geom size="0.1"/></body></worldbody>'
    text += '<equality><weld name="pin" body1="a" body2="b" relpose="0.5 0 0 1 0 0 0"/></equality></mujoco>'
    never = loaded(text)
    np.testing.assert_array_equal(start(never, None), never.q())
    assert kt.kinematics.loop_error(never)(never.q()).max() > 0.1


@pytest.mark.parametrize(
    ("robot", "driven", "message"),
    [
        (lift, ["lift"], "the robot has no loops"),
        (lambda: loaded(fourbar()), ["nobody"], "nobody"),
        (lambda: loaded(gripper()), ["left_bar", "left_wrist"], "depend on each other"),
    ],
)
def test_wrong_driven_joints_are_refused(robot, driven, message):
    with pytest.raises(kt.KinetreeError, match=message):
        kt.show(robot(), driven=driven, findings=[], browser=False)


def test_loops_of_screws_are_shown_with_the_reason_why_they_are_not_closed():
    joint = '<joint name="{}" type="{}"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>'.format
    links = '<link name="a"/><link name="b"/>' + joint("slide", "prismatic") + joint("thread", "screw")
    press = kt.load(f'<sdf version="1.9"><model name="press">{links}</model></sdf>', format="sdf")
    described, functions = described_loops(press, None)
    assert described["closer"] is None
    one, other = described["loops"][0]["ends"]
    assert one == other  # of a joint that slides
    assert described["why"].startswith("a screw joint closes a loop")
    assert [name for name, _ in functions] == ["loop_gap"]
    assert start(press, None).tolist() == [0.0]


def test_the_page_has_the_loops_and_their_joints():
    view = kt.show(loaded(fourbar()), driven=["rocker"], findings=[], browser=False)
    content = parts(view.html)[0]["robots"][0]
    joints, links = ([one["name"] for one in content[kind]] for kind in ("joints", "links"))
    closer = content["loops"]["closer"]
    assert [joints[i] for i in closer["driven"]] == ["rocker"]
    assert [joints[i] for i in closer["following"]] == ["crank", "coupler"]
    assert closer["columns"] == [2]
    (loop,) = content["loops"]["loops"]
    assert [links[end] for end, _ in loop["ends"]] == ["coupler", "rocker"]
    assert re.search(r"\bfunction loop_step\(", view.html)
    arm = kt.show(lift(), findings=[], browser=False)
    assert "loops" not in parts(arm.html)[0]["robots"][0]
    assert "loop_step" not in arm.html


def texts(figure, _):
    return [text.get_text() for text in figure.axes[0].texts], [line.get_color() for line in figure.axes[0].lines]


def test_open_loops_are_drawn_with_their_gap(monkeypatch):
    monkeypatch.setattr("kinetree.viewing.picture.written", texts)
    bars = loaded(fourbar())
    q = bars.q(crank=0.4)
    gap = kt.kinematics.loop_error(bars)(q)[0, 0]
    ((points, text),) = open_loops(bars, q, all_frames(bars, q))
    assert np.linalg.norm(points[0] - points[1]) == pytest.approx(gap)
    assert text == f"pin is open by {1e3 * gap:.3g} mm"
    words, colours = picture(bars, q)[0]
    assert words == [text]
    assert "#d50000" in colours
    words, colours = picture(bars)[0]
    assert words == []
    assert colours.count("#5c6b7a") == 5  # three links from joint to joint, and two to the pin
    assert [*open_loops(bars, bars.q(), all_frames(bars, bars.q()))] == []
    (nothing,) = open_loops(bars, np.full(3, np.nan), dict.fromkeys(bars.links, np.eye(4)))
    assert "nan" in nothing[1]


def test_the_gap_of_a_loop_of_fixed_links_has_an_angle():
    start = fourbar().index("<connect")
    weld = '<weld name="pin" body1="coupler" body2="rocker" relpose="0.1 0 0 1 0 0 0"/></equality></mujoco>'
    robot = loaded(fourbar()[:start] + weld)
    q = robot.q(rocker=0.2)
    ((_, text),) = open_loops(robot, q, all_frames(robot, q))
    far, turned = kt.kinematics.loop_error(robot)(q)[0]
    assert turned == pytest.approx(0.2)
    assert text == f"pin is open by {1e3 * far:.3g} mm and {np.degrees(turned):.3g}°"


def test_given_driven_joints_are_those_of_the_closer():
    closer, why = closer_of(loaded(fourbar()), ["rocker"])
    assert (closer.driven, why) == (("rocker",), "")
    json.dumps(described_loops(loaded(fourbar()), ["rocker"])[0], allow_nan=False)
