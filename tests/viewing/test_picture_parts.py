"""Parts of pictures by themselves: triangles of meshes, reach maps and the bar of their colours, and stick figures."""

import numpy as np
import pytest

import kinetree as kt
from kinetree.lab.reach.grid import Grid, sphere
from kinetree.lab.reach.map import ReachMap
from kinetree.shapes import Mesh
from kinetree.viewing.picture import legend, picture
from kinetree.viewing.stick_figure import MOST_LINKS, stick_figure
from kinetree.viewing.surfaces import Soups, triangles_of
from kinetree.viewing.voxels import coloured


def test_triangles_of_a_mesh_are_scaled():
    soups = Soups()
    for size in (1.0, 2.0):
        vertices = size * np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
        number = soups.add(Mesh(vertices, np.array([[0, 1, 2], [1, 2, 3]])))
    assert number == 1
    found = triangles_of({"kind": "mesh", "mesh": 1, "scale": [1.0, 10.0, 100.0]}, soups)
    assert found.tolist() == [[[0, 0, 0], [2, 0, 0], [0, 20, 0]], [[2, 0, 0], [0, 20, 0], [0, 0, 200]]]
    assert np.asarray(soups.bounds[1]).tolist() == [[0, 0, 0], [2, 2, 2]]


def test_colours_of_a_map_are_explained():
    figure = pytest.importorskip("matplotlib.figure").Figure()
    legend(figure)
    (bar,) = figure.axes
    assert [label.get_text() for label in bar.get_xticklabels()] == ["few", "all"]
    assert (bar.get_title(), bar.get_xticks().tolist()) == ("orientations reached", [0, 1])
    colours = np.asarray(bar.get_images()[0].get_array())
    np.testing.assert_array_equal(colours[0, [0, -1]], coloured(np.array([0.0, 1.0])))


def test_a_map_is_drawn_and_explained_if_it_has_orientations():
    """Its voxels are far from the robot, so that they alone decide where the camera stands."""
    robot = kt.chain("Rz(q1) tx(0.4)")
    drawn = {}
    for directions in (2, 0):
        grid = Grid(np.array([5.0, 5, 5]), 0.5, (2, 2, 2), (False,) * 3, sphere(directions), directions, None)
        bits = np.full((2, 2, 2, 1), 0xF0 if directions else 0x80, dtype=np.uint8)
        reach = ReachMap("robot", "tip", "base_link", grid, bits, *np.ones((2, 2, 2, 2)), {})
        drawn[directions] = picture(robot, suffix=".svg", size=(80, 60), reach=reach)[0].decode()
    assert "orientations reached" in drawn[2]
    assert "orientations reached" not in drawn[0]
    assert drawn[2].count("<image") == 2  # the voxels and the bar
    assert drawn[0].count("<image") == 1


def test_a_stick_figure_without_finite_poses_or_of_too_many_links_is_empty():
    robot = kt.chain("tx(q1) tx(q2)")
    assert stick_figure(robot, [1e308, 1e308]) == ""
    assert stick_figure(robot, [1.0, 1.0]).startswith("<svg")
    links = "".join(f'<link name="l{i}"/>' for i in range(MOST_LINKS + 1))
    joints = "".join(
        f'<joint name="j{i}" type="fixed"><parent link="l0"/><child link="l{i}"/></joint>' for i in range(1, MOST_LINKS)
    )
    last = f'<joint name="last" type="fixed"><parent link="l0"/><child link="l{MOST_LINKS}"/></joint>'
    assert stick_figure(kt.load(f'<robot name="r">{links}{joints}{last}</robot>', format="urdf")) == ""
