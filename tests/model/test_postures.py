"""robot.zero, where no joint has moved, and robot.q(), inside the limits."""

import numpy as np
import pytest

import kinetree as kt
from kinetree.robots.packaged import versions
from kinetree.viewing.scene.loops import start

LINK = '<link name="{0}"/>'


def robot(*joints, coupled=(), axes=("0 0 1",) * 9):
    """A chain of revolute joints with (lower, upper), and further attributes as text."""
    text = '<robot name="r"><link name="l0"/>'
    for i, ((lower, upper, *more), axis) in enumerate(zip(joints, axes, strict=False), 1):
        kind = "continuous" if lower is None else "revolute"
        limit = "" if lower is None else f'<limit lower="{lower}" upper="{upper}" velocity="1" effort="1"/>'
        text += (
            f'<link name="l{i}"/><joint name="j{i}" type="{kind}"><parent link="l{i - 1}"/><child link="l{i}"/>'
            f'<axis xyz="{axis}"/><origin xyz="0.1 0 0"/>{limit}{"".join(more)}</joint>'
        )
    made = kt.load(text + "</robot>", format="urdf")
    return kt.edit.add_limits(made, coupled) if coupled else made


def test_zero_where_it_is_inside_else_the_middle():
    """As joint_state_publisher: (lower + upper) / 2 if lower > 0 or upper < 0, else 0."""
    one = robot((-1, 2), (0.5, 1.5), (-3, -1), (None, None), (0, 1), (-2, 0))
    assert one.q().tolist() == [0, 1, -2, 0, 0, 0]
    assert one.zero.tolist() == [0] * 6
    assert one.limits.contains(one.q())
    assert one.q(j1=0.5).tolist() == [0.5, 1, -2, 0, 0, 0]
    assert one.q(j1=0.5, at=one.zero).tolist() == [0.5, 0, 0, 0, 0, 0]


def test_an_open_end_leaves_the_other():
    arm = kt.chain([{"joint": "a", "axis": [0, 0, 1], "qlim": [0.5, np.inf]}, {"joint": "b", "axis": [0, 0, 1]}])
    assert arm.q().tolist() == [0.5, 0]


def test_coupled_rows_by_projection():
    """a + b >= 1 with both at zero: the nearest is 0.5, 0.5. A follower's limits count, too."""
    rows = kt.limits.LinearLimits("sum", ("j1", "j2"), np.array([[-1.0, -1.0]]), np.array([-1.0]), ("least",))
    both = robot((-2, 2), (-2, 2), (0.2, 0.4), coupled=[rows])
    np.testing.assert_allclose(both.q(), [0.5, 0.5, 0.3], atol=1e-9)
    assert both.limits.contains(both.q())
    follower = robot((-2, 2), (0.5, 1.5, '<mimic joint="j1" multiplier="2"/>'))
    np.testing.assert_allclose(follower.q(), [0.25], atol=1e-9)
    assert follower.limits.contains(follower.q())


def test_without_a_configuration_inside_it_is_zero():
    rows = kt.limits.LinearLimits("sum", ("j1",), np.array([[-1.0]]), np.array([-3.0]), ("least",))
    try:
        none = robot((1, 2), (1, 2), coupled=[rows])
    except kt.KinetreeError:  # refused already
        none = robot((2, 1), (1, 2))
    assert none.q().tolist() == none.zero.tolist() == [0, 0]


def test_they_are_computed_once_and_cannot_be_spoilt():
    one = robot((0.5, 1.5), (-1, 1))
    q = one.q()
    q[:] = 9
    assert one.q().tolist() == [1, 0]
    assert one.zero is one.zero
    with pytest.raises(ValueError, match="read-only"):
        one.zero[0] = 1


def test_quaternions_are_the_identity():
    text = """<sdf version="1.9"><model name="m"><link name="a"/><link name="b"/><joint name="j" type="ball">
      <parent>a</parent><child>b</child></joint></model></sdf>"""
    free = kt.load(text, format="sdf")
    assert dict(zip(free.coordinate_names, free.zero.tolist(), strict=True))["j.qw"] == 1
    assert free.zero.tolist() == free.q().tolist()
    assert (free.zero != 0).sum() == sum(joint.kind.nq in (4, 7) for joint in free.joints.values())


@pytest.mark.slow
def test_the_whole_q_of_an_icub_is_inside_after_ik_of_an_arm():
    icub = kt.load("icub")
    assert icub.limits.contains(icub.q())
    assert not icub.limits.contains(icub.zero)
    ik = kt.ik(icub, "l_hand", joints="left_arm")
    T = kt.fk(icub, "l_hand", joints="left_arm")(ik(kt.fk(icub, "l_hand")(icub.q())).q)
    result = ik(T)
    assert result.success
    whole = icub.q(dict(zip(icub.groups["left_arm"], result.q, strict=True)))
    assert icub.limits.contains(whole)
    np.testing.assert_allclose(kt.fk(icub, "l_hand")(whole), T, atol=2e-6)
    np.testing.assert_array_equal(start(icub, None), icub.q())  # the page
    np.testing.assert_array_equal(
        kt.ik(icub, "l_hand")._inside.neutral[icub.q_slices["r_elbow"]], icub.q()[icub.q_slices["r_elbow"]]
    )


@pytest.mark.slow
@pytest.mark.parametrize("version", list(versions("icub")))
def test_every_version_of_the_icub_is_inside(version):
    one = kt.load(f"icub:{version}")
    assert one.limits.contains(one.q())


def test_tables_axes_and_comparisons_are_at_zero():
    """A joint whose range begins above zero turns nothing in them."""
    axes = ("0 0 1", "1 0 0")
    plain, shifted = robot((-3, 3), (-3, 3), axes=axes), robot((1, 3), (-3, 3), axes=axes)
    a, b = (kt.kinematics.joint_table(one) for one in (plain, shifted))
    for one, other in zip(a, b, strict=True):
        np.testing.assert_array_equal(one.axis, other.axis)
    tip = kt.edit.add_frame(plain, "tip", "l2"), kt.edit.add_frame(shifted, "tip", "l2", np.eye(4))
    moved = kt.edit.add_frame(shifted, "tip", "l1", kt.fk(plain, "l2", "l1")(plain.zero))
    assert kt.compare(tip[0], tip[1]).frames["tip"].at_zero == (0, 0)
    assert max(kt.compare(tip[0], moved).frames["tip"].at_zero) < 1e-12
