"""Places that limits over several joints leave to a frame, of a gantry whose places are known."""

import numpy as np
import pytest

import kinetree as kt
from kinetree.formats.limit_tables import read
from kinetree.model.edit import add_limits
from kinetree.solvers.limits.places import places


def gantry():
    """Three slides of one metre along x, y and z; x + z is at most 1 m."""
    text = '<robot name="gantry"><link name="l0"/>'
    for i, axis in enumerate(("1 0 0", "0 1 0", "0 0 1")):
        text += f"""<link name="l{i + 1}"/><joint name="{"xyz"[i]}" type="prismatic"><parent link="l{i}"/>
        <child link="l{i + 1}"/><axis xyz="{axis}"/><limit lower="0" upper="1" velocity="1" effort="1"/></joint>"""
    rows = '[[limits]]\nname="sum"\nunit="si"\njoints=["x", "z"]\nG=[[1, 1]]\nh=[1]'
    return add_limits(kt.load(text + "</robot>", format="urdf"), read(rows, "rows.toml")[0])


@pytest.mark.slow
def test_a_gantry_keeps_half_and_its_safe_box_a_quarter():
    """Of one cubic metre the row leaves the half, and of that the largest box with half a metre on both sides."""
    found = places(gantry(), "l3", samples=100_000, cell=0.05)
    cells = 1 / 0.05
    assert found.volumes[0] == pytest.approx(1.0, abs=4 / cells)
    assert found.volumes[1] == pytest.approx(0.5, abs=4 / cells)
    assert found.volumes[2] == pytest.approx(0.25, abs=4 / cells)
    ends, bands = found.by_height()
    for z, band in zip(ends, bands.T, strict=True):
        if 0 <= z < 0.95:
            assert band[0] == pytest.approx(0.1, abs=0.03)
            assert band[1] == pytest.approx(0.1 * (0.95 - z), abs=0.03)
            assert band[2] == pytest.approx(0.05 * (z < 0.45), abs=0.03)
    assert found.joints == ("x", "y", "z")


@pytest.mark.slow
def test_a_frame_that_no_such_limit_is_on_the_way_to():
    with pytest.raises(kt.KinetreeError, match="no limit over several joints is on the way to frame 'l_foot'"):
        places(kt.load("icub", limits="tendons"), "l_foot")


@pytest.mark.slow
def test_everything_that_is_reached_is_really_reached():
    """Cubes of the smaller set belong to the larger one, and the middle of each has a configuration near it."""
    found = places(gantry(), "l3", samples=20_000, cell=0.1)
    assert (found.reached[2] <= found.reached[1]).all()
    assert (found.reached[1] <= found.reached[0]).all()
    inside = found.centers[found.reached[1]]
    assert (inside[:, 0] + inside[:, 2] <= 1 + 2 * np.sqrt(3) / 2 * 0.1).all()
