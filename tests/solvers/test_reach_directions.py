"""Orientations of reach maps: those that a robot can have, "down" and vectors; shares of boxes; figures."""

import re
import sys

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.lab.reach.run import _job
from kinetree.viewing.reach_figure import figure_of
from reach_arms import OPTIONS, ur5

A, B, C = 0.5, 0.3, 0.1
DH = kt.chain([{"a": A}, {"a": B}, {"a": C}], convention="dh")
IN_PLANE = kt.chain(f"Ry(q1) tz({A}) Ry(q2) tz({B}) Ry(q3) tz({C})")
LEANING = kt.chain(f"Rx(0.3) Rz(q1) tx({A}) Rz(q2) tx({B}) Rz(q3) tx({C}) Ry(0.4)")
SCARA = kt.chain(
    [{"a": A}, {"a": B, "alpha": "pi"}, {"type": "prismatic", "limits": [0, 0.2]}, {}], convention="dh", name="scara"
)
FIVE = kt.chain("Rz(q1) tx(0.1) Ry(q2) tz(0.4) Ry(q3) tz(0.3) Rz(q4) Ry(q5) tz(0.1)")
IN_A_PLANE_THAT_TURNS = kt.chain("Rz(q1) tx(0.1) Ry(q2) tz(0.4) Ry(q3) tz(0.3) Ry(q4) Rz(q5) tz(0.1)")
BOX = [(0.3, 0.3, 0.0), (0.5, 0.5, 0.2)]
TWO = kt.chain([{"a": A}, {"a": B}], convention="dh")


@pytest.mark.slow
@each(
    "robot, directions, rolls",
    [
        (DH, 1, 36),
        (IN_PLANE, 36, 0),
        (LEANING, 36, 0),
        (SCARA, 1, 36),
        (TWO, 0, 0),
        (FIVE, 50, 0),
        (IN_A_PLANE_THAT_TURNS, 0, 0),
    ],
)
def test_orientations_that_a_robot_can_have(robot, directions, rolls):
    """Its z-axes at random configurations lie among the directions: near one of them, at most half a step away."""
    job, arguments = _job(robot, "tip", robot.root, 0.2, BOX, None, None, True, OPTIONS, None)
    grid = job.grid
    assert (len(grid.directions), grid.rolls, arguments["rolls"]) == (directions, rolls, rolls)
    np.testing.assert_allclose(np.linalg.norm(grid.directions, axis=1), 1.0, rtol=0, atol=1e-12)
    if directions in (1, 36):
        z = kt.fk(robot, "tip").interpret(np.random.default_rng(1).uniform(-3, 3, (50, robot.nq)))[:, :3, 2]
        nearest = (z @ grid.directions.T).max(axis=1)
        assert nearest.min() > np.cos(np.deg2rad(5.001 if directions > 1 else 1e-6))


def test_orientations_of_six_joints():
    job, _ = _job(ur5(), "tool0", "base_link", 0.2, BOX, None, None, True, OPTIONS, None)
    assert (len(job.grid.directions), job.grid.rolls) == (50, 4)
    robots = ((ur5(), "tool0"), (FIVE, "tip"))
    one, two = (_job(arm, frame, arm.root, 0.2, BOX, 7, None, True, OPTIONS, None)[1] for arm, frame in robots)
    assert (one["directions"], one["rolls"], two["directions"], two["rolls"]) == (7, 4, 7, 0)


@pytest.mark.slow
@each("robot, z, last", [(DH, 0.0, C), (SCARA, -0.1, 0.0)])
def test_areas_of_arms_in_a_plane(robot, z, last):
    """In each orientation the last joint is in a ring, a - b to a + b from the first: 4 π a b; summed over all."""
    box = [(-1.0, -1.0, z), (1.0, 1.0, z)]
    reach = kt.reach_map(robot, "tip", voxel=0.05, box=box, descents=16)
    assert reach.share.sum() * reach.grid.content == pytest.approx(4 * np.pi * A * B, rel=0.02)
    assert reach.volume == pytest.approx(np.pi * ((A + B + last) ** 2 - (A - B - last) ** 2), rel=0.03)


@pytest.mark.slow
def test_share_of_a_box_with_the_tool_down():
    """A quarter of the ring that a SCARA reaches, in a square; upwards it reaches nothing."""
    box = [(0.0, 0.0, -0.1), (0.8, 0.8, -0.1)]
    down = kt.reach_map(SCARA, "tip", voxel=0.02, box=box, directions="down")
    assert down.box_share() == pytest.approx(np.pi / 4 * ((A + B) ** 2 - (A - B) ** 2) / 0.8**2, rel=0.02)
    assert down.box_share(1.0) == down.box_share() == pytest.approx(down.volume / 0.64)
    assert f"{100 * down.box_share():.3g} % of the box; 40 × 40 × 1 voxels of 0.02 m, 1 direction with any" in repr(
        down
    )
    up = kt.reach_map(SCARA, "tip", voxel=0.1, box=box, directions=[(0, 0, 2.0)])
    assert up.box_share() == 0.0
    np.testing.assert_array_equal(up.grid.directions, [[0, 0, 1]])


@pytest.mark.slow
def test_given_directions_stay_as_they_are(tmp_path):
    """They do not turn with an axis of symmetry, unless they are along it, and a map has them in its file."""
    box, given = [(0.3, 0.2, 0.0), (0.5, 0.5, 0.0)], [(1.0, 0.0, 0.0), (0.0, 0.6, -0.8)]
    reach = kt.reach_map(FIVE, "tip", voxel=0.1, box=box, directions=given)
    assert reach.grid.axis is None
    np.testing.assert_allclose(reach.orientations_at((1, 2, 0))[:, :, 2], given, rtol=0, atol=1e-15)
    assert kt.reach_map(FIVE, "tip", voxel=0.1, box=box, directions="down").grid.axis is not None
    pytest.importorskip("zarr")
    reach.save(tmp_path / "a.zarr")
    again = kt.kinematics.read_reach(tmp_path / "a.zarr")
    np.testing.assert_array_equal(again.grid.directions, given)
    assert (again - reach).gained_volume == 0
    with pytest.raises(kt.KinetreeError, match="2 directions with any roll and 1 direction with any roll"):
        _ = reach - kt.reach_map(FIVE, "tip", voxel=0.1, box=box, directions=given[:1])


@pytest.mark.slow
@pytest.mark.nightly
def test_figures(tmp_path, monkeypatch):
    """A colour for the best share along each line of sight, in a notebook too, if matplotlib is there."""
    pytest.importorskip("matplotlib")
    box = [(0.0, 0.3, -0.2), (0.9, 0.9, 0.2)]
    whole = kt.reach_map(FIVE, "tip", voxel=0.3, box=box, directions=4, rolls=0)
    flat = kt.reach_map(DH, "tip", voxel=0.2, box=[(0.0, 0.0, 0.0), (0.4, 0.8, 0.0)], directions=0)
    for reach, views in ((whole, (2, 1, 0)), (flat, (2,))):
        axes = [axis for axis in figure_of(reach, ".svg").axes if axis.get_xlabel()]
        assert len(axes) == len(views)
        for axis, along in zip(axes, views, strict=True):
            across, up = (i for i in range(3) if i != along)
            drawn = axis.collections[0].get_array()
            np.testing.assert_array_equal(drawn.filled(0.0), reach.share.max(axis=along).T)
            ends = reach.grid.centers[-1, -1, -1] + reach.grid.voxel / 2
            np.testing.assert_allclose([axis.get_xlim()[1], axis.get_ylim()[1]], ends[[across, up]], atol=1e-12)
            assert (axis.get_xlabel(), axis.get_ylabel()) == (f"{'xyz'[across]}, m", f"{'xyz'[up]}, m")
    whole.plot().save(tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text()
    assert "tip of robot in base_link" in text
    assert "share of orientations" in text
    assert repr(whole.plot()) == f"ReachPlot of {whole!r}"
    assert whole.plot()._repr_html_() in whole._repr_html_()
    assert re.match('<img src="data:image/png;base64,iVBOR', whole.plot()._repr_html_())
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert "<img" not in whole._repr_html_()
    assert "Volumes" in whole._repr_html_()
    with pytest.raises(kt.KinetreeError, match=r"figures need matplotlib"):
        whole.plot().save(tmp_path / "b.svg")
