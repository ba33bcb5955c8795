"""Reach maps in pictures and in the page: which cubes are drawn, their colours, and the section of the page."""

import zlib
from base64 import b64decode
from types import SimpleNamespace

import numpy as np
import pytest

import kinetree as kt
from browser import wait
from kinetree.lab.reach.grid import Grid, sphere
from kinetree.lab.reach.map import ReachMap
from kinetree.viewing.picture import picture
from kinetree.viewing.show import view_of
from kinetree.viewing.voxels import COLOURS, CutPlane, coloured, cubes, cut_of, described_reach, drawn
from reach_arms import ur5

ARM = ur5()


@pytest.fixture(scope="module")
def reach():
    """A map of an ellipsoid, with 1 to 12 of 12 orientations in each of its voxels."""
    shape, rng = (6, 7, 5), np.random.default_rng(0)
    grid = Grid(np.array([-0.9, -1.05, -0.75]), 0.3, shape, (False,) * 3, sphere(4), 3, None)
    inside = np.linalg.norm(grid.centers / (0.9, 1.05, 0.75), axis=-1) < 1
    count = np.where(inside, rng.permuted(np.arange(210) % 12 + 1).reshape(shape), 0)
    bits = np.packbits(np.arange(12) < count[..., None], axis=-1)
    return ReachMap("ur5", "tool0", "base_link", grid, bits, np.ones(shape), np.ones(shape), {})


def test_the_page_has_the_share_of_every_voxel(reach):
    told = described_reach(reach, np.eye(4))
    values = np.frombuffer(zlib.decompress(b64decode(told["data"])), np.uint8).reshape(told["shape"])
    assert {*np.unique(reach.count)} == {*range(13)}
    np.testing.assert_array_equal(values, -(-255 * reach.count.astype(int) // 12))  # rounded up: reached is not zero
    np.testing.assert_allclose(told["first"], (-0.75, -0.9, -0.6))
    shown = {name: told[name] for name in ("frame", "base", "voxel", "shape", "flat", "several", "cut", "about")}
    assert shown == {
        "frame": "tool0",
        "base": "base_link",
        "voxel": 0.3,
        "shape": [6, 7, 5],
        "flat": [False] * 3,
        "several": True,
        "cut": {"axis": 1, "sides": [-1, 1, -1]},
        "about": repr(reach),
    }


def test_a_cut_opens_the_map_towards_the_camera(reach):
    T = np.eye(4)
    for direction in ((1.0, 0.1, 0.5), (-1.0, 0.2, 0.5), (0.1, 1.0, 0.5), (0.2, -1.0, 0.5)):
        seen = drawn(reach, cut_of(T, direction))
        kept, gone = reach.grid.centers[seen], reach.grid.centers[(reach.count > 0) & ~seen]
        assert (gone @ direction).mean() > (kept @ direction).mean()
        assert 0.4 < seen.sum() / (reach.count > 0).sum() < 0.7


def test_half_of_the_voxels_is_cut_away():
    """Those that are reached in one orientation are drawn; one layer is never cut; the middle layer of three stays."""
    for n, sides, expected in (
        (4, 1, [False, False, True, True]),
        (4, -1, [True, True, False, False]),
        (3, 1, [False, True, True]),
        (3, -1, [True, True, False]),
        (1, 1, [True]),
        (1, -1, [True]),
    ):
        for axis in range(3):
            shape = [n if k == axis else 1 for k in range(3)]
            reach = SimpleNamespace(count=np.ones(shape, np.uint8), grid=SimpleNamespace(shape=tuple(shape)))
            cut = CutPlane(axis, tuple(sides if k == axis else -sides for k in range(3)))
            assert drawn(reach, cut).ravel().tolist() == expected
            assert drawn(reach, None).all()
            reach.count[:] = 0
            assert not drawn(reach, None).any()


def test_only_faces_that_are_seen_are_drawn(reach):
    seen = np.pad(drawn(reach, cut_of(np.eye(4))), 1)
    faces = sum(np.sum(seen != np.roll(seen, 1, axis)) for axis in range(3))
    triangles, colours = cubes(reach, np.eye(4))
    assert len(triangles) == len(colours) == 2 * faces
    moved, _ = cubes(reach, np.array([[1, 0, 0, 5.0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]))
    np.testing.assert_allclose(moved - triangles, np.broadcast_to((5.0, 0, 0), triangles.shape))
    np.testing.assert_allclose(coloured(np.array([0.0, 1.0])), (COLOURS[0], COLOURS[-1]))


@pytest.mark.slow
def test_a_picture_has_the_colours(reach):
    image = pytest.importorskip("PIL.Image")
    import io

    plain, full = (
        np.asarray(image.open(io.BytesIO(picture(ARM, reach=one)[0])).convert("RGB")).astype(int)
        for one in (None, reach)
    )
    blue = [(p[..., 2] > p[..., 0] + 60).sum() for p in (plain, full)]
    assert blue[1] > blue[0] + 2000


def test_maps_of_other_robots_are_refused(reach, monkeypatch):
    monkeypatch.setattr("kinetree.viewing.show.viewer", lambda: "")  # which may not be built
    other = kt.edit.rename(ARM, {"tool0": "tool"})
    said = "the map is of 'tool0' in 'base_link'; robot 'ur5' has no frame 'tool0'"
    for show in (lambda: picture(other, reach=reach), lambda: view_of(other, reach=reach)):
        with pytest.raises(kt.KinetreeError, match=said):
            show()


@pytest.mark.slow
@pytest.mark.nightly
def test_the_section_of_the_page(open_page, tmp_path, reach):
    view_of(ARM, findings=[], reach=reach).save(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html")

    def shown():
        """The number of voxels in the panel."""
        return int(page.get_by_text(" voxels", exact=False).last.inner_text().split()[0])

    assert shown() == drawn(reach, cut_of(np.eye(4))).sum()
    page.get_by_label("Cut across").select_option("")
    assert shown() == (reach.count > 0).sum()
    page.get_by_label("Least share of orientations").fill("50")
    assert shown() == (reach.share >= 0.5).sum()
    page.get_by_label("Cut across").select_option("2")
    n = reach.grid.shape[2]
    place = -(-(n - 1) // 2)
    assert shown() == (reach.share >= 0.5)[:, :, : place + 1].sum()
    page.get_by_label("Other side of the cut").check()
    assert shown() == (reach.share >= 0.5)[:, :, place:].sum()
    page.get_by_label("Place of the cut").fill("0")
    assert shown() == (reach.share >= 0.5).sum()
    page.get_by_label("Cubes").uncheck()
    wait(page, "kinetree.view.app.voxels.root.visible === false")
