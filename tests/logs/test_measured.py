"""Efforts and poses in memory: what messages without some of them leave, and which topics and frames are meant."""

from __future__ import annotations

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.logs.ros.bag import Topic
from kinetree.logs.ros.base import Poses
from kinetree.logs.ros.joints import JOINT_STATE
from kinetree.logs.ros.measured import measured, tracked
from ros_bags import ARM, POINT, POSE, START, TF, TRANSFORM, arm, placed, states

S = START + np.arange(6) * 10**7
Q = np.arange(6.0)[:, None]


def joined(*topics: Topic, name: str = "/joint_states", type: str = JOINT_STATE) -> Topic:
    whole = Topic(name, type)
    for topic in topics:
        for row in zip(topic.data, topic.log_times, topic.publish_times, topic.places, strict=True):
            whole.add(*row)
            whole.count += 1
    return whole


def poses(parent="tracker", child="marker", stamps=S, name="/poses", type=POSE) -> Topic:
    """Poses whose x is the number of the sample."""
    n = len(stamps)
    quats = np.tile([0.0, 0.0, 1.0, 0.0], (n, 1))
    where = np.column_stack([np.arange(float(n)), np.zeros((n, 2))])
    return placed(Poses(name, parent, child, stamps, stamps, where, quats), type, name)


def by_name(*topics: Topic) -> dict[str, Topic]:
    return {topic.name: topic for topic in topics}


def said(call, *arguments) -> str:
    with pytest.raises(kt.KinetreeError) as error:
        call(*arguments)
    (finding,) = error.value.findings
    return finding.message


class TestEfforts:
    def test_of_every_message(self):
        found = measured(arm(), states(["c", "a"], np.hstack([Q, Q]), S, effort=np.hstack([2 * Q, 3 * Q])), "effort", S)
        assert [*found.values] == ["a", "c"]
        np.testing.assert_array_equal(found.values["a"], 3 * Q[:, 0])
        np.testing.assert_array_equal(found.values["c"], 2 * Q[:, 0])
        assert found.given.all()
        assert found.notes == []

    def test_between_messages_of_some_joints(self):
        """Joint b has messages of its own, between those of a, which alone have efforts."""
        of_a = states(["a"], Q[::2], S[::2], effort=10 * Q[::2])
        found = measured(arm(), joined(of_a, states(["b"], Q[1::2], S[1::2])), "effort", S)
        np.testing.assert_allclose(found.values["a"][:5], [0, 10, 20, 30, 40], rtol=0, atol=1e-6)
        assert np.isnan(found.values["a"][5])  # after the last
        assert found.given.tolist() == [True, False] * 3

    def test_none_across_a_gap(self):
        far = np.array([0, 1, 2, 100, 101]) * 10**7
        found = measured(arm(), states(["a"], Q[:5], far, effort=Q[:5]), "effort", np.r_[far, 5 * 10**8])
        np.testing.assert_array_equal(found.values["a"], [0, 1, 2, 3, 4, np.nan])

    def test_zeros_and_numbers_that_are_none(self):
        effort = np.hstack([Q, 0 * Q, np.nan * Q])
        effort[2, 0] = np.inf
        found = measured(arm(), states(["a", "b", "c"], np.hstack([Q] * 3), S, effort=effort), "effort", S)
        assert [*found.values] == ["a"]
        np.testing.assert_allclose(found.values["a"], Q[:, 0], rtol=0, atol=1e-9)  # the third between its neighbours
        assert [(note.severity, note.message) for note in found.notes] == [
            ("info", "efforts that are all zero or no numbers are taken as none: b, c"),
            ("info", "the effort of 1 sample is in a straight line between those of messages that have it: a"),
        ]
        still = measured(arm(), states(["a"], Q, S, velocity=0 * Q), "velocity", S)  # a joint at rest
        np.testing.assert_array_equal(still.values["a"], np.zeros(6))

    def test_as_many_as_names_or_none(self):
        odd = states(["a", "b"], np.hstack([Q, Q]), S, effort=Q)
        found = measured(arm(), joined(odd, states(["a", "b"], np.hstack([Q, Q]), S)), "effort", S)
        assert found.values == {}
        (note,) = found.notes
        assert note.message == "6 messages have other than one effort for each name, and are left out"

    def test_stamps_that_are_zero_are_those_of_the_log(self):
        topic = states(["a"], Q, 0 * S, effort=Q)
        topic.log_times[:] = S.tolist()
        np.testing.assert_array_equal(measured(arm(), topic, "effort", S).values["a"], Q[:, 0])

    def test_followers_have_none(self):
        assert measured(arm(), states(["f"], Q, S, effort=Q), "effort", S).values == {}


class TestPoses:
    @each(
        "type, asked",
        [(POSE, None), (POSE, "/poses"), (POSE, "poses"), (TRANSFORM, "/poses"), (POINT, None), (TF, "marker")],
    )
    def test_every_type(self, type, asked):
        own = poses("base", "upper", name="/tf", type=TF) if type != TF else poses("base", "upper", name="/other")
        found, is_point = tracked(arm(), by_name(poses(type=type), own) if type != POSE else by_name(poses()), asked)
        assert (found.topic, found.parent, is_point) == ("/poses", "tracker", type == POINT)
        np.testing.assert_array_equal(found.positions[:, 0], np.arange(6))
        np.testing.assert_array_equal(found.quat_xyzw[0], [0, 0, 0, 1] if type == POINT else [0, 0, 1, 0])

    def test_in_the_order_of_stamps(self):
        found, _ = tracked(arm(), by_name(poses(stamps=S[[1, 0, 2, 2]])), None)
        np.testing.assert_array_equal(found.stamps, S[:3])
        np.testing.assert_array_equal(found.positions[:, 0], [1, 0, 2])

    def test_in_a_frame_that_is_fixed_to_the_root(self):
        stand = '<link name="stand"/><joint name="s" type="fixed"><parent link="base"/><child link="stand"/>'
        text = ARM.replace("</robot>", f'{stand}<origin xyz="0 0 2" rpy="0 0 3.14159265358979"/></joint></robot>')
        found, _ = tracked(arm(text), by_name(poses("stand")), None)
        assert found.parent == "base"
        np.testing.assert_allclose(found.positions[3], [-3, 0, 2], rtol=0, atol=1e-12)
        np.testing.assert_allclose(np.abs(found.quat_xyzw[3]), [0, 0, 0, 1], rtol=0, atol=1e-12)

    @each(
        "topics, asked, message",
        [
            ([], None, "the bag has 0 topics of measured poses; it has no topics of poses"),
            ([], "/x", "the bag has no topic or frame '/x' of measured poses; it has no topics of poses"),
            (
                [poses(), poses(name="/more"), poses(name="/tf", type=TF)],
                None,
                "the bag has 2 topics of measured poses; "
                "legal for --pose FRAME=NAME are /poses, /more, marker (in tracker, /tf)",
            ),
            (
                [poses("base", "upper", name="/tf", type=TF), poses(name="/tf_static", type=TF)],
                "upper",  # that of robot_state_publisher
                "the bag has no topic or frame 'upper' of measured poses; it has no topics of poses",
            ),
            ([poses("upper")], None, "topic /poses has poses in 'upper', which moves; expected the root link"),
        ],
    )
    def test_what_is_refused(self, topics, asked, message):
        assert said(tracked, arm(), by_name(*topics), asked) == message

    def test_of_several_frames(self):
        two = joined(poses("a", type=TF), poses("b", type=TF), name="/tf", type=TF)
        message = "topic /tf has poses of marker in 'a', marker in 'b'; expected those of one frame in one"
        assert said(tracked, arm(), by_name(two), "marker") == message
