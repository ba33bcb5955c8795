"""The robot as written: which joint carries a link, and which joints the link carries."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.errors import UnknownNameError
from kinetree.model.robot import Robot
from physics import everything
from support import all_frames, icub_urdfs, random_q


@pytest.fixture(scope="module", params=["everything", "icub"])
def robot(request) -> Robot:
    return everything() if request.param == "everything" else kt.load(icub_urdfs()[0])


class TestTree:
    def test_each_link_is_carried_by_the_joint_whose_child_it_is(self, robot):
        carried = {link: robot.parent_joint(link) for link in robot.links}
        assert [link for link, joint in carried.items() if joint is None] == [robot.root]
        assert {joint.child: joint for joint in robot.joints.values()} | {robot.root: None} == carried

    def test_child_joints_stand_in_the_order_of_the_file(self, robot):
        for link in robot.links:
            below = [joint for joint in robot.joints.values() if joint.parent == link]
            assert list(robot.child_joints(link)) == below

    def test_joints_lead_from_the_root_to_a_link(self, robot):
        assert robot.joints_to(robot.root) == ()
        for link in robot.links:
            at = robot.root
            for joint in robot.joints_to(link):
                assert joint.parent == at
                at = joint.child
            assert at == link

    @each("ask", ["parent_joint", "child_joints", "joints_to"])
    @each("name", ["trunk55", "on_trunk5", "revolute_0"])
    def test_only_links_have_such_joints(self, ask, name):
        with pytest.raises(UnknownNameError, match="no link"):
            getattr(everything(), ask)(name)

    def test_a_frame_is_a_links_own_or_fixed_to_one(self, robot):
        """Links and frames are two things: every link has a frame of its name, and a link may carry others."""
        own = [name for name in robot.frames if name in robot.links]
        assert own == list(robot.links)
        extra = {name: frame.link for name, frame in robot.frames.items() if name not in robot.links}
        assert set(extra.values()) <= set(robot.links)
        at, moved = (all_frames(robot, random_q(robot, np.random.default_rng(seed))) for seed in (0, 1))
        for name, link in extra.items():
            poses = [np.linalg.inv(T[link]) @ T[name] for T in (at, moved)]
            assert np.abs(poses[0] - poses[1]).max() < 1e-12, name

    def test_edits_make_a_new_tree(self):
        robot = everything()
        assert robot.parent_joint("trunk5")
        moved = kt.edit.reroot(robot, "trunk5")
        assert moved.parent_joint("trunk5") is None
        assert [joint.child for joint in moved.joints_to("base")][-1] == "base"


def test_what_has_been_worked_out_is_neither_copied_nor_pickled():
    robot = everything()
    before = pickle.dumps(robot)
    assert robot.limits is not None
    assert robot.parent_joint("trunk5") in robot.child_joints("trunk4")
    assert pickle.dumps(robot) == before
    for again in (pickle.loads(before), copy.copy(robot)):
        assert again.parent_joint("trunk5").name == robot.parent_joint("trunk5").name
        assert again != robot


def test_joints_without_a_name_stand_where_a_full_q_has_them():
    icub = kt.load("icub")
    rest = icub.limits.sample(1, seed=3)[0]
    before = rest.copy()
    q = icub.q({"l_elbow": 90}, r_elbow=45, unit="deg", at=rest)
    moved = [icub.joint_names.index(name) for name in ("l_elbow", "r_elbow")]
    np.testing.assert_allclose(q[moved], [np.pi / 2, np.pi / 4], rtol=1e-15)
    np.testing.assert_array_equal(np.delete(q, moved), np.delete(rest, moved))
    np.testing.assert_array_equal(rest, before)
    by_name = dict(reversed([*zip(icub.coordinate_names, rest, strict=True)]))
    np.testing.assert_array_equal(icub.q(at=by_name), rest)
    for wrong in (rest[:-1], np.full(35, np.nan), rest[None]):
        with pytest.raises(kt.KinetreeError, match="expected the 35 finite numbers of a full q"):
            icub.q(l_elbow=1.0, at=wrong)
    with pytest.raises(kt.KinetreeError, match="at lacks"):
        icub.q(at={"l_elbow": 1.0})


def test_degrees_without_their_unit_give_a_warning():
    icub = kt.load("icub")
    said = 'l_elbow = 40 rad is 2290 deg, outside its limits, .*and 1 more.; robot.q takes degrees with unit="deg"'
    with pytest.warns(UserWarning, match=said):
        assert icub.q({"l_elbow": 40, "r_elbow": 50}).max() == 50  # the values are taken as given
    icub.q(l_elbow=3.0)  # outside of its limits, but less than a turn
    icub.q(l_elbow=400, unit="deg")
    kt.chain([{"d": 0.1}], convention="dh").q(q1=40)  # without limits
    slide = kt.chain([{"type": "prismatic", "qlim": [0, 1]}], convention="dh")
    slide.q(q1=40)


def test_repr_counts_q_of_free_joints_with_their_quaternions():
    joints = "".join(
        f'<link name="{kind}"/><joint name="{kind}" type="{kind}"><parent link="a"/><child link="{kind}"/></joint>'
        for kind in ("floating", "prismatic")
    )
    robot = kt.load(f'<robot name="r"><link name="a"/>{joints}</robot>', format="urdf")
    assert (robot.nq, robot.nv) == (8, 7)
    assert repr(robot) == "Robot('r', 3 links, 2 joints, 3 frames, nq=8)"
