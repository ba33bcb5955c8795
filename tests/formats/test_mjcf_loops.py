"""MJCF: equalities that close loops, and free bodies."""

from dataclasses import replace

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.errors import KinetreeError
from kinetree.formats import mjcf
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import Limit
from kinetree.spatial import se3
from support import all_frames

BODIES = """<worldbody>
  <body name="a" pos="0.1 0.2 0.3" euler="10 20 30"><joint name="j"/><geom size=".1"/><site name="s" pos="0 0 1"/>
    <body name="c" pos="0 0 0.5"><joint name="k" type="slide" ref="0.2"/><geom size=".1"/></body></body>
  <body name="b" pos="1 0.5 -0.2" euler="40 -20 70"><freejoint name="f"/><geom size=".1"/>
    <site name="t" pos="0 1 0"/></body>
</worldbody>"""


def model(equality, bodies=BODIES):
    return f"<mujoco>{bodies}<equality>{equality}</equality></mujoco>"


def read(text):
    robot, findings = mjcf.read(text, "m.xml")
    assert robot is not None, findings
    return robot


EQUALITIES = {
    "connect": '<connect name="e" body1="a" body2="b" anchor="0.3 0.1 0.2" solref="0.01 1"/>',
    "connect to the world": '<connect body1="b" anchor="0.3 0.1 0.2"/>',
    "connect sites": '<connect site1="s" site2="t"/>',
    "weld": '<weld body1="c" body2="b"/>',
    "weld at a point": '<weld body1="c" body2="b" anchor="0.3 0.1 0.2"/>',
    "weld at a pose": '<weld body1="a" body2="b" anchor="0.3 0.1 0.2" relpose="0.5 0.6 0.7 0.8 0.2 0.4 0.1"/>',
    "weld sites": '<weld site1="s" site2="t" torquescale="2"/>',
}


@pytest.mark.slow
@pytest.mark.parametrize("equality", EQUALITIES.values(), ids=EQUALITIES)
def test_equalities_are_loops_and_come_back(equality):
    robot = read(model(equality))
    (loop,) = robot.loops.values()
    assert loop.type == ("ball" if "connect" in equality else "fixed")
    assert "loop" in [note.code for note in robot.notes]
    assert not any(extension.tag == "equality" for extension in robot.extensions)
    again = read(mjcf.write(build(parts_of(robot))))
    (back,) = again.loops.values()
    assert (back.name, back.type, back.parent, back.child) == (loop.name, loop.type, loop.parent, loop.child)
    kept = [[e.text for e in one.extensions if e.tag != "drawn"] for one in (back, loop)]
    assert kept[0] == kept[1]
    q = np.random.default_rng(0).normal(size=(20, robot.nq))
    np.testing.assert_allclose(kt.kinematics.loop_error(again)(q), kt.kinematics.loop_error(robot)(q), atol=1e-14)


def test_what_is_not_active_or_pulls_at_a_mocap_body_is_kept():
    hand = '<body name="m" mocap="true"/>'
    text = model('<weld body1="m" body2="b"/>', BODIES.replace("</worldbody>", f"{hand}</worldbody>"))
    for robot in (read(text), read(model('<connect body1="a" body2="b" anchor="0 0 0" active="false"/>'))):
        assert not robot.loops
        assert any(extension.tag == "equality" for extension in robot.extensions)


def test_a_ball_that_is_open_where_the_bodies_are_drawn_gets_sites_of_its_own():
    robot = kt.edit.lock(read(model(EQUALITIES["connect"])), {"j": 0.3})
    again = read(mjcf.write(robot))
    assert [*again.frames] == [*robot.frames]
    q = np.random.default_rng(0).normal(size=(20, robot.nq))
    assert kt.kinematics.loop_error(again)(q).min(axis=0)[0, 0] > 0.01
    np.testing.assert_allclose(kt.kinematics.loop_error(again)(q), kt.kinematics.loop_error(robot)(q), atol=1e-14)
    assert "connect" not in mjcf.write(robot, without=("loop",))


@pytest.mark.slow
@each("kind", ["revolute", "continuous"])
@each("drawn", [True, False])
def test_a_hinge_is_two_points_of_its_axis_and_comes_back(kind, drawn):
    parts = parts_of(read(model(EQUALITIES["weld sites" if drawn else "weld"])))
    axis = np.array([(0.36, 0.48, 0.8)])
    parts.loops = [replace(parts.loops[0], type=kind, axes=axis, limits=(Limit(-1.0, 2.0),), extensions=())]
    robot = build(parts)
    again = read(mjcf.write(robot))
    assert [*again.frames] == [*robot.frames]
    assert [note.code for note in again.notes].count("loop") == 1
    (loop,), (back,) = robot.loops.values(), again.loops.values()
    assert (back.name, back.type, back.parent, back.child) == (loop.name, kind, loop.parent, loop.child)
    assert back.limits == loop.limits
    for name in ("origin", "axes", "child_origin"):
        np.testing.assert_allclose(getattr(back, name), getattr(loop, name), atol=1e-15)
    assert kt.compare(robot, again).same


def test_other_loops_are_refused():
    robot = read(model(EQUALITIES["weld"]))
    parts = parts_of(robot)
    parts.loops = [replace(parts.loops[0], type="prismatic", axes=np.array([(0.0, 0.0, 1.0)]))]
    with pytest.raises(KinetreeError, match="a prismatic joint that closes a loop"):
        mjcf.write(build(parts))


def test_free_bodies_that_count_from_their_place_come_back():
    sdf = """<sdf version="1.10"><world name="w">
      <model name="box"><pose>1 2 3 0.1 0.2 0.3</pose><link name="l"/></model>
      <model name="ball"><link name="l"/></model></world></sdf>"""
    robot = kt.load(sdf, format="sdf")
    text = mjcf.write(robot)
    assert 'pos="1 2 3"' in text
    again = read(text)
    assert again.joint_names == robot.joint_names
    q = np.random.default_rng(1).normal(size=robot.nq)
    here, there = all_frames(robot, q), all_frames(again, q)
    assert here.keys() == there.keys()
    assert max(np.abs(here[name] - there[name]).max() for name in here) < 1e-15
    assert np.array_equal(again.joints["box"].origin[:3, 3], (1, 2, 3))


def test_a_free_body_with_another_frame_at_its_joint_is_written_as_single_joints():
    robot = kt.edit.move_frame(read(model("")), "b", se3.translation((1.0, 0.0, 0.0)))
    notes = []
    again = read(mjcf.write(robot, (), notes))
    assert [note.code for note in notes] == ["single-joints"]
    turn = se3.quaternion_from_rotation(se3.pose_from_xyz_rpy((0, 0, 0), (0.3, -0.2, 0.5))[:3, :3])
    here = all_frames(robot, robot.q(f=(0.1, 0.2, 0.3, *turn)))
    there = all_frames(again, again.q(f_TX=0.1, f_TY=0.2, f_TZ=0.3, f_R=turn))
    assert max(np.abs(here[name] - there[name]).max() for name in here) < 1e-15
