"""Reach maps: areas in closed form, verdicts of inverse kinematics, symmetry, limits, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kinetree as kt
from kinetree.lab.reach import slabs
from kinetree.lab.reach.grid import Grid, sphere
from kinetree.lab.reach.run import _job
from kinetree.lab.reach.slabs import targets_at
from kinetree.solvers.ik.reachable import judged
from random_arms import on
from reach_arms import OPTIONS, chain, two_links, ur5

pytestmark = pytest.mark.slow  # longer than a quick test

SMALL = {"voxel": 0.3, "directions": 8, "rolls": 2}


@pytest.fixture(scope="module")
def arm():
    return ur5()


@pytest.fixture(scope="module")
def small(arm):
    return kt.reach_map(arm, "tool0", **SMALL)


def poses(reach, voxels):
    """Return the targets (n, k, 4, 4) at voxels (n, 3)."""
    T = np.zeros((len(voxels), reach.grid.orientations, 4, 4))
    for at, voxel in zip(T, map(tuple, voxels), strict=True):
        at[:, :3, :3], at[:, :3, 3], at[:, 3, 3] = reach.orientations_at(voxel), reach.grid.centers[voxel], 1.0
    return T


@pytest.mark.parametrize(
    ("shoulder", "elbow"),
    [
        (None, None),
        ((-1.0, 2.0), (0.3, 2.5)),
        pytest.param((-2.0, 2.0), (-2.9, -0.4), marks=pytest.mark.slow),
        pytest.param(None, (0.5, 1.0), marks=pytest.mark.slow),
    ],
)
def test_area_of_two_links(shoulder, elbow):
    """The elbow's angle is the radius: r² = a² + b² + 2 a b cos(elbow), and the shoulder turns it."""
    a, b = 0.6, 0.4
    voxel = 0.01 if shoulder else 0.005  # one slice is quick, but thin
    box = [(-1.05, -1.05, 0.0), (1.05, 1.05, 0.0)]
    reach = kt.reach_map(two_links(shoulder, elbow), "tool0", voxel=voxel, box=box, directions=0)
    low, high = elbow or (0.0, np.pi)
    squares = a * a + b * b + 2 * a * b * np.cos([low, high])
    turned = np.ptp(shoulder) if shoulder else 2 * np.pi
    assert reach.grid.unit == "m²"
    assert reach.volume == pytest.approx(turned / 2 * abs(squares[0] - squares[1]), rel=0.005)
    assert reach.dexterous_volume == reach.volume
    assert (reach.grid.axis is not None) == (shoulder is None)


def test_verdicts_are_those_of_inverse_kinematics(arm, small):
    rng = np.random.default_rng(0)
    voxels = np.stack([rng.integers(0, n, 60) for n in small.grid.shape], axis=-1)
    result = kt.ik(arm, "tool0")(poses(small, voxels))
    expected = small.reached[tuple(voxels.T)]
    np.testing.assert_array_equal(result.success, expected)
    assert 0.1 < expected.mean() < 0.9
    best = small.manipulability[tuple(voxels.T)]
    found = np.where(result.success, kt.manipulability(arm, "tool0")(result.q), -np.inf).max(axis=-1)
    assert (best >= found - 1e-7).all()  # of all solutions, not of one
    assert (best[expected.any(axis=-1)] <= found.max() * 2).all()


@pytest.mark.slow
def test_best_of_all_solutions(arm, small):
    """Of one voxel, from all solutions of each orientation."""
    voxel = small.voxel_at((0.5, 0.2, 0.3))
    ik, weight = kt.ik(arm, "tool0"), kt.manipulability(arm, "tool0")
    found = [ik.solutions(T).q for T in poses(small, [voxel])[0]]
    q = np.concatenate(found)
    assert small.manipulability[voxel] == pytest.approx(weight(q).max(), rel=1e-4)
    assert small.count[voxel] == sum(len(one) > 0 for one in found)
    turned = q - 2 * np.pi * np.round(q / (2 * np.pi))  # the widest of their whole turns
    ranges = np.array([2 * np.pi] * 5)
    ranges[1] = np.pi
    assert small.margin[voxel] == pytest.approx((ranges - np.abs(turned[:, 1:])).min(axis=1).max(), abs=1e-5)


def test_symmetry_gives_what_every_voxel_gives(arm, small):
    """Voxels at the same distance from the axis are computed once; computed one by one, they are the same."""
    job, _ = _job(arm, "tool0", "base_link", 0.3, None, 8, 2, True, OPTIONS, None)
    centers = small.grid.centers.reshape(-1, 3)
    assert len(job.centers) < len(centers) / 4
    every = replace(job, centers=centers)
    parts = [every.computed(slab) for slab in range(every.slabs)]
    np.testing.assert_array_equal(np.concatenate([p.bits for p in parts]), small.bits.reshape(len(centers), -1))
    margin = np.concatenate([p.margin for p in parts])
    np.testing.assert_allclose(margin, small.margin.ravel(), atol=1e-5)
    np.testing.assert_allclose(
        np.concatenate([p.manipulability for p in parts]), small.manipulability.ravel(), atol=1e-6
    )


def test_symmetry_only_where_it_is_exact(arm):
    options = {"voxel": 0.5, "directions": 4, "rolls": 1}
    assert kt.reach_map(arm, "tool0", **options).grid.axis == pytest.approx([0, 0])
    assert kt.reach_map(arm, "tool0", symmetry=False, **options).grid.axis is None


@pytest.mark.slow
def test_axes_of_symmetry():
    assert kt.reach_map(ur5(pan=(-3.1, 3.1)), "tool0", voxel=0.5, directions=0).grid.axis is None  # not a whole turn
    lying = chain("lying", [("0 0 0", "0 1.2 0", "0 0 1", None), ("0.5 0 0", "0 0 0", "0 1 0", None)], "0.5 0 0")
    assert kt.reach_map(lying, "tool0", voxel=0.5, directions=0).grid.axis is None
    beside = chain("beside", [("0.3 -0.2 0", "0 0 0", "0 0 -1", None), ("0.5 0 0", "0 0 0", "0 1 0", None)], "0.5 0 0")
    assert kt.reach_map(beside, "tool0", voxel=0.5, directions=0).grid.axis == pytest.approx([0.3, -0.2])


def test_a_default_box_has_all_that_is_reached(arm):
    for robot in (arm, two_links((-1.0, 2.0), (0.3, 2.5))):
        reach = kt.reach_map(robot, "tool0", directions=0, voxel=0.4)
        p = kt.fk(robot, "tool0")(robot.limits.sample(20_000))[:, :3, 3]
        upper = reach.grid.lower + np.where(reach.grid.flat, 0.0, 0.4 * np.array(reach.grid.shape))
        assert ((p >= reach.grid.lower) & (p <= upper)).all()
        assert reach.grid.flat == (False, False, robot is not arm)  # two links are in a plane
        # and no layer more than the samples need
        assert (p.min(axis=0) - reach.grid.lower < 1.2 * 0.4).all()


def test_tendons_of_the_icub():
    """Every solution is inside the rows, which take a part of the reach away."""
    robot = kt.load("icub")
    arguments = ("l_hand", "chest", 0.08, None, 0, 0, True, OPTIONS, None)
    job, _ = _job(robot, *arguments)
    assert len(job.search.G) > 0
    q = judged(job.search.solver, targets_at(job.grid, job.centers))[1]
    q = q[~np.isnan(q).any(axis=1)]
    assert len(q) > 50
    assert robot.limits.contains(q).all()
    reach = kt.reach_map(robot, "l_hand", "chest", voxel=0.08, directions=0)
    assert reach.margin[reach.count > 0].min() >= 0
    limits = robot.limits
    free = replace(limits, G=limits.G[:0], h=limits.h[:0], row_names=())
    ik = kt.ik(robot, "l_hand", "chest", goal="position", limits=free, descents=16)
    more = np.flatnonzero(judged(ik, (job.centers,))[0])
    assert {*more.tolist()} > {*np.flatnonzero(reach.count > 0).tolist()}


@pytest.mark.slow
def test_position_direction_and_pose(arm):
    pose, direction, position = (
        kt.reach_map(arm, "tool0", voxel=0.4, directions=d, rolls=r) for d, r in ((6, 3), (6, 0), (0, 0))
    )
    assert (direction.reached >= pose.reached.reshape(*pose.grid.shape, 6, 3).any(axis=-1)).all()
    assert ((position.count > 0) >= (direction.count > 0)).all()
    np.testing.assert_allclose(pose.index, pose.reached.reshape(*pose.grid.shape, 6, 3).any(axis=-1).mean(axis=-1))
    np.testing.assert_allclose(direction.index, direction.share)
    z = pose.orientations_at((0, 0, 0))[::3, :, 2]
    np.testing.assert_allclose(z, direction.orientations_at((0, 0, 0))[:, :, 2], atol=1e-15)
    assert "6 directions with any roll" in repr(direction)
    assert "6 directions with 3 rolls" in repr(pose)
    assert "positions alone" in repr(position)


def test_orientations_are_even_rotations(small):
    R = small.orientations_at((1, 2, 3))
    np.testing.assert_allclose(R @ np.swapaxes(R, -1, -2), np.broadcast_to(np.eye(3), R.shape), atol=1e-14)
    np.testing.assert_allclose(np.linalg.det(R), 1.0)
    directions = sphere(400)
    np.testing.assert_allclose(directions.mean(axis=0), 0.0, atol=0.01)
    between = np.arccos(np.clip(directions @ directions.T, -1, 1)) + 10 * np.eye(400)
    assert np.ptp(between.min(axis=1)) < 0.5 * between.min(axis=1).max()


def test_volumes_and_places(small):
    assert small.volume == pytest.approx((small.count > 0).sum() * 0.027)
    assert small.volume_at(0.5) == pytest.approx((small.count >= 8).sum() * 0.027)
    assert small.dexterous_volume == pytest.approx((small.count == 16).sum() * 0.027)
    voxel = (2, 3, 1)
    assert small.voxel_at(small.grid.centers[voxel]) == voxel
    with pytest.raises(kt.KinetreeError, match="outside of the grid"):
        small.voxel_at((9.0, 0.0, 0.0))
    with pytest.raises(kt.KinetreeError, match="from 0 to 1"):
        small.volume_at(1.5)
    assert np.isneginf(small.margin[small.count == 0]).all()
    assert not small.bits.flags.writeable


def test_difference_of_two_ranges():
    """The shoulder turns the same slice further, whose area is half its turn times the difference of r²."""
    box = [(-1.05, -1.05, 0.0), (1.05, 1.05, 0.0)]
    wide, narrow = (
        kt.reach_map(two_links((-turn, turn), (0.3, 2.5)), "tool0", voxel=0.02, box=box, directions=0)
        for turn in (1.2, 1.0)
    )
    squares = 0.6**2 + 0.4**2 + 2 * 0.6 * 0.4 * np.cos([0.3, 2.5])
    change = kt.kinematics.reach_difference(wide, narrow)
    assert change.gained_volume == pytest.approx(0.4 / 2 * (squares[0] - squares[1]), rel=0.05)
    assert change.lost_volume == 0
    back = kt.kinematics.reach_difference(narrow, wide)
    assert (back.gained_volume, back.lost_volume) == (0, change.gained_volume)


def test_orientations_turn_with_the_axis():
    directions = np.array([[0.6, 0.0, 0.8], [0.0, 0.0, 1.0]])
    grid = Grid(np.zeros(3), 0.1, (1, 1, 1), (False, False, False), directions, 3, np.array([1.0, 2.0]))
    centers = np.array([[2.0, 2.0, 5.0], [1.0, 2.5, 0.0], [0.0, 1.0, 0.0]])  # ahead, to the left, behind on the right
    assert grid.turned(centers) == pytest.approx([0.0, np.pi / 2, -0.75 * np.pi])
    first, *others = grid.rotations(centers)
    np.testing.assert_allclose(first[:, :, 2], np.repeat(directions, 3, axis=0), atol=1e-15)
    turn = Rotation.from_matrix(first[0].T @ first[1]).as_rotvec()  # the next roll, about the frame's own z
    np.testing.assert_allclose(turn, [0, 0, 2 * np.pi / 3], atol=1e-15)
    for angle, R in zip((np.pi / 2, -0.75 * np.pi), others, strict=True):
        np.testing.assert_allclose(R, Rotation.from_euler("z", angle).as_matrix() @ first, atol=1e-15)
    assert not replace(grid, axis=None).turned(centers).any()


@pytest.mark.slow
def test_difference_of_two_tools(arm):
    positions = {"voxel": 0.3, "directions": 0}
    small = kt.reach_map(arm, "tool0", **positions)
    longer = kt.reach_map(
        kt.edit.add_frame(arm, "tip", "tool0", [[1, 0, 0, 0], [0, 1, 0, 0.15], [0, 0, 1, 0], [0, 0, 0, 1]]),
        "tip",
        **positions,
    )
    change = longer - small
    assert change.gained_volume > 0
    assert longer.volume - small.volume == pytest.approx(change.gained_volume - change.lost_volume)
    assert change.change.sum() == pytest.approx(longer.share.sum() - small.share.sum())
    for reach, values in ((longer, change.after), (small, change.before)):
        i = np.argwhere(reach.count == reach.count.max())[0]
        at = np.floor((reach.grid.centers[tuple(i)] - change.grid.lower) / 0.3).astype(int)
        assert values[tuple(at)] == reach.share.max()
    assert repr(small - small).startswith("ReachDifference of tool0 of ur5 from tool0 of ur5: 0 m³ gained, 0 m³ lost")
    for other in ({"voxel": 0.2}, {"directions": 9}):
        with pytest.raises(kt.KinetreeError, match=r"coincide|orientations"):
            small - kt.reach_map(arm, "tool0", **{**positions, **other, "box": [(-0.3, -0.3, 0), (0, 0, 0.3)]})


@pytest.mark.slow
def test_joints_that_stand(arm):
    reach = kt.reach_map(arm, "tool0", voxel=0.2, directions=0, joints=["j1", "j2", "j3"])
    assert 0 < reach.volume < kt.reach_map(arm, "tool0", voxel=0.2, directions=0).volume


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"voxel": 0.0}, "voxel is 0.0"),
        ({"directions": -1}, "directions is -1"),
        ({"rolls": 2.5}, "rolls is 2.5"),
        ({"box": [(0, 0, 0), (1, 1, -1)]}, "lower one first"),
        ({"box": [(0, 0), (1, 1)]}, "two corners of 3"),
        ({"workers": 0}, "workers is 0"),
        ({"voxel": 1e-4}, "larger voxels"),
        ({"at": "input", "joints": ["j1"]}, "not 'input'"),
    ],
)
def test_wrong_arguments(arm, options, message):
    with pytest.raises(kt.KinetreeError, match=message):
        kt.reach_map(arm, "tool0", **options)


def test_progress_and_threads(arm, small, monkeypatch):
    monkeypatch.setattr(slabs, "SLAB", 256)
    seen = []
    again = kt.reach_map(arm, "tool0", **SMALL, workers=3, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(i + 1, len(seen)) for i in range(len(seen))]
    assert len(seen) > 2
    np.testing.assert_array_equal(again.bits, small.bits)
    np.testing.assert_array_equal(again.margin, small.margin)


COARSE = {"voxel": 0.25, "directions": 10, "rolls": 2}


def test_differences_of_maps_that_cannot_be_compared_are_refused(arm):
    box = [[0, 0, 0], [1, 1, 1]]
    whole, part = (kt.reach_map(arm, "tool0", **COARSE, **more) for more in ({}, {"box": box}))
    with pytest.raises(kt.KinetreeError, match="the same box="):
        whole - part
    with pytest.raises(kt.KinetreeError, match="symmetry=False"):
        whole - kt.reach_map(arm, "tool0", symmetry=False, **COARSE)


def test_a_slide_without_ends_in_a_box():
    text = """<mujoco><worldbody><body name="a"><joint name="j" type="slide" axis="1 0 0"/><geom size="0.1"/>
      <site name="b"/></body></worldbody></mujoco>"""
    robot = kt.load(text, format="mjcf")
    found = kt.reach_map(robot, "b", directions=0, voxel=0.5, box=[[-1, 0, 0], [1, 0, 0]])
    assert found.volume == 2.0


def test_joints_with_quaternions_are_refused():
    with pytest.raises(kt.KinetreeError, match="'base_joint' has a quaternion"):
        kt.reach_map(on(two_links(), "floating"), "tool0", "world", directions=0, voxel=0.2)


def edges(robot, columns, n, rng):
    """Return configurations (n, nq) at corners and edges of the limits, and a hair beyond what they reach."""
    low, high = robot.limits.lower[columns], robot.limits.upper[columns]
    low, high = np.where(np.isfinite(low), low, -np.pi), np.where(np.isfinite(high), high, np.pi)
    q = np.tile(robot.q(), (n, 1))
    ends = np.where(rng.random((n, len(columns))) < 0.5, low, high)
    inner = low + (high - low) * rng.random((n, len(columns)))
    q[:, columns] = np.where(rng.random((n, len(columns))) < 0.8, ends, inner)
    return robot.limits.project(q)


@pytest.mark.parametrize("kind", ["pose", "direction", "position"])
@pytest.mark.parametrize("name", ["icub", "icub tendons", "ur5", "narrow ur5", "plane"])
def test_a_map_never_contradicts_reachable(name, kind):
    """At corners and edges of the limits and of the reach, where searches and closed forms are in doubt."""
    if name == "plane" and kind != "position":
        pytest.skip("an arm in the plane reaches no orientation of a sphere")
    robot, frame, base = {
        "icub": lambda: (kt.load("icub"), "l_hand", "chest"),
        "icub tendons": lambda: (kt.load("icub", limits="tendons"), "l_hand", "chest"),
        "ur5": lambda: (ur5(), "tool0", "base_link"),
        "narrow ur5": lambda: (ur5(pan=(-0.4, 0.3)), "tool0", "base_link"),
        "plane": lambda: (two_links((-1.0, 1.0), (0.0, 2.0)), "tool0", "base_link"),
    }[name]()
    directions, rolls = {"pose": (8, 2), "direction": (8, 0), "position": (0, 0)}[kind]
    job, _ = _job(robot, frame, base, 0.5, None, directions, rolls, False, OPTIONS, None)
    ik, rng = job.search.solver, np.random.default_rng(5)
    q = edges(robot, ik._problem.columns, 150, rng)
    T = np.asarray(kt.fk(robot, frame, base)(q))
    p, z = T[:, :3, 3], T[:, :3, 2]
    beyond = 1.0 + np.repeat((0.0, 3e-7, 1e-5), 50)[:, None] * np.sign(rng.normal(size=(150, 1)))
    T[:, :3, 3] = p = p * beyond
    targets = {"pose": (T,), "direction": (p, p + z), "position": (p,)}[kind]
    found, expected = job.search(targets), ik.reachable(*targets)
    assert np.array_equal(found.success, expected)
    assert expected[:50].all()
    assert np.isfinite(found.manipulability[expected]).all()
    assert (found.margin[expected] >= -1e-12).all()
    assert (found.margin[~expected] == -np.inf).all()
    assert not (expected & ~job.search.may_reach(p)).any()
