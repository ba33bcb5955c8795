"""Poses of all links and frames in their parents."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kinetree as kt
from physics import everything
from support import random_q

ROBOT = everything()
"""Every joint type, followers and frames."""


def many(n: int = 7) -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.array([random_q(ROBOT, rng) for _ in range(n)])


@pytest.mark.slow
def test_every_frame_is_in_its_parent_as_fk_says():
    q = many()
    found = kt.transforms(ROBOT, q)
    assert sorted(found.names) == sorted(set(ROBOT.frames) - {ROBOT.root})
    for i, (name, parent) in enumerate(zip(found.names, found.parents, strict=True)):
        T = kt.fk(ROBOT, name, base=parent)(q)
        np.testing.assert_allclose(found.T[:, i], T, rtol=0, atol=2e-15)
        assert found.static[i] == (np.ptp(T, axis=0).max() < 1e-12), name
    np.testing.assert_array_equal(found.positions, found.T[..., :3, 3])
    R = Rotation.from_quat(found.quat_xyzw.reshape(-1, 4)).as_matrix()
    np.testing.assert_allclose(R, found.T[..., :3, :3].reshape(-1, 3, 3), rtol=0, atol=2e-15)
    assert (found.quat_xyzw[..., 3] >= 0).all()


@pytest.mark.slow
def test_moving_and_static_ones_are_the_parts_of_all():
    q = many()
    whole, moving, static = (kt.transforms(ROBOT, q, which=which) for which in ("all", "moving", "static"))
    for part, places in ((moving, ~whole.static), (static, whole.static)):
        assert part.names == tuple(np.array(whole.names)[places])
        assert part.parents == tuple(np.array(whole.parents)[places])
        for numbers in ("T", "quat_xyzw", "positions"):
            wanted = getattr(whole, numbers)[:, places]
            np.testing.assert_array_equal(np.broadcast_to(getattr(part, numbers), wanted.shape), wanted)
    assert static.T.shape == (static.static.sum(), 4, 4)


@pytest.mark.slow
def test_a_batch_has_any_axes_and_neutral_is_the_default():
    q = many(6).reshape(2, 3, -1)
    assert kt.transforms(ROBOT, q).T.shape == (2, 3, len(ROBOT.frames) - 1, 4, 4)
    np.testing.assert_array_equal(kt.transforms(ROBOT).T, kt.transforms(ROBOT, ROBOT.q()).T)


def test_a_robot_that_does_not_move():
    plate = kt.load(
        '<robot name="plate"><link name="a"/><link name="b"/><joint name="j" type="fixed"><parent link="a"/>'
        '<child link="b"/><origin xyz="1 2 3" rpy="0 0 3.141592653589793"/></joint></robot>',
        format="urdf",
    )
    found = kt.transforms(plate)
    assert (found.names, found.parents, found.static.tolist()) == (("b",), ("a",), [True])
    np.testing.assert_allclose(found.quat_xyzw, [[0, 0, 1, 0]], rtol=0, atol=1e-15)
    assert kt.transforms(plate, which="moving").T.shape == (0, 4, 4)
    batch = kt.transforms(plate, np.zeros((2, 3, 0)))
    assert (batch.T.shape, batch.quat_xyzw.shape) == ((2, 3, 1, 4, 4), (2, 3, 1, 4))
    np.testing.assert_array_equal(batch.T[1, 2], found.T)
    assert kt.transforms(plate, np.zeros((5, 0)), which="moving").T.shape == (5, 0, 4, 4)
    for robot, which in ((plate, "all"), (ROBOT, "static")):
        with pytest.raises(kt.KinetreeError, match=r"q has shape \(3,\); expected real numbers of shape"):
            kt.transforms(robot, np.zeros(3), which=which)
    alone = kt.transforms(kt.load('<robot name="r"><link name="a"/></robot>', format="urdf"))
    assert (alone.names, alone.T.shape, alone.quat_xyzw.shape) == ((), (0, 4, 4), (0, 4))


def test_models_of_a_world_hang_on_it():
    text = """<sdf version="1.9"><world name="w">
      <model name="a"><pose>1 0 0 0 0 0</pose><link name="l"/></model>
      <model name="b"><static>1</static><link name="l"/></model></world></sdf>"""
    found = kt.transforms(kt.load(text, format="sdf"))
    of = dict(zip(found.names, zip(found.parents, found.static.tolist(), strict=True), strict=True))
    assert (of["a::l"], of["b::l"]) == (("world", False), ("world", True))


def test_frames_of_unknown_place_are_left_out():
    icub = kt.load("icub")
    unplaced = {frame.name for frame in icub.frames.values() if frame.unplaced}
    assert unplaced
    assert not unplaced & {*kt.transforms(icub, which="static").names}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.0],), "q has shape"),
        ((None, "which"), "which is 'which'; expected one of 'all', 'moving', 'static'"),
    ],
)
def test_faults(arguments, message):
    q, *which = arguments
    with pytest.raises(kt.KinetreeError, match=message):
        kt.transforms(ROBOT, q, **dict.fromkeys(which, *which))
    with pytest.raises(kt.KinetreeError, match="robot"):
        kt.transforms("robot.urdf")
