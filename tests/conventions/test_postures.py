"""Postures that a model names, in which links may touch: of keyframes of MJCF and of states of an SRDF."""

import numpy as np

import kinetree as kt
from each import each
from kinetree.rules.contact.rules import postures

BODY = '<geom size="0.1"/><joint name="j" range="-1 1"/>'
MJCF = (
    '<mujoco model="m"><compiler angle="radian"/><worldbody><body name="base"><freejoint name="f"/><geom size="0.1"/>'
    f'<body name="a">{BODY}<body name="b"><geom size="0.1"/><joint name="k" range="-2 2"/></body></body></body>'
    '</worldbody><keyframe><key name="home" qpos="{}"/></keyframe></mujoco>'
)
NEUTRAL = [0, 0, 0, 0, 0, 0, 1, 0, 0]


@each(
    "qpos, q, columns",
    [
        ("1 2 3 0.1 0.7 -0.5 0.5 0.25 1.5", [1, 2, 3, 0.7, -0.5, 0.5, 0.1, 0.25, 1.5], set(range(9))),
        ("0 0 0 1 0 0 0 -1 2", [0, 0, 0, 0, 0, 0, 1, -1, 2], set(range(9))),
        ("0 0 0 1 0 0 0 -1 2.01", None, set()),
        ("0 0 0 1 0 0 0 -1", NEUTRAL, set()),
        ("0 0 0 1 0 0 0 x 2", NEUTRAL, set()),
    ],
)
def test_keyframes_set_all_joints_within_their_limits(qpos, q, columns):
    """Their quaternions begin with w; those of other lengths set none."""
    neutral, *others = postures(kt.load(MJCF.format(qpos), format="mjcf"))
    assert (neutral.q.tolist(), neutral.element, neutral.columns) == (NEUTRAL, "robot 'm'", set(range(9)))
    if q is None:
        assert others == []
        return
    (one,) = others
    assert (one.q.tolist(), one.element, one.columns) == (q, "keyframe 'home'", columns)
    assert one.source.line == 1


@each("value, q", [("0.5", [0, 0.5]), ("1", [0, 1]), ("1.5", None), ("0.1 0.2", [0, 0])])
def test_states_of_groups_set_their_own_joints(value, q):
    limit = '<limit lower="-1" upper="1" velocity="1" effort="1"/>'
    joint = '<joint name="{0}" type="revolute"><parent link="{1}"/><child link="{0}l"/><axis xyz="0 0 1"/>{2}</joint>'
    links = '<link name="a"/><link name="jl"/><link name="kl"/>'
    text = f'<robot name="r">{links}{joint.format("j", "a", limit)}{joint.format("k", "jl", limit)}</robot>'
    group = '<group name="g"><joint name="k"/></group>'
    state = f'<group_state name="up" group="g"><joint name="k" value="{value}"/></group_state>'
    robot = kt.load(text, format="urdf", srdf=f'<robot name="r">{group}{state}</robot>')
    _, *found = postures(robot)
    assert [(one.q.tolist(), one.element) for one in found] == ([] if q is None else [(q, "group_state 'up'")])
    assert all(one.columns == ({1} if np.any(one.q) else set()) for one in found)
