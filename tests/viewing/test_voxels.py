"""Reach maps in pictures and in the page: which cubes are drawn, their colours, and the section of the page."""

import zlib
from base64 import b64decode

import numpy as np
import pytest

import kinetree as kt
from browser import wait
from kinetree.lab.reach.map import map_of
from kinetree.viewing.picture import picture
from kinetree.viewing.show import view_of
from kinetree.viewing.voxels import COLOURS, coloured, cubes, cut_of, described_reach, drawn
from reach_arms import ur5

ARM = ur5()


@pytest.fixture(scope="module")
def reach():
    """A ball of 1 m with fewer orientations towards its rim, as `reach_map` would find it with 16 of them."""
    lower, shape = [-1.2, -1.2, -0.9], (8, 8, 7)
    centers = np.stack(
        np.meshgrid(*(a + 0.3 * (np.arange(n) + 0.5) for a, n in zip(lower, shape, strict=True)), indexing="ij"), -1
    )
    counts = np.clip(np.rint(20 * (1.0 - np.linalg.norm(centers, axis=-1))), 0, 16)
    bits = np.packbits(np.arange(16) < counts[..., None], axis=-1)
    of_map = {"robot": "ur5", "frame": "tool0", "base": "base_link", "directions": 8, "rolls": 2, "axis": None}
    grid = {"lower": lower, "voxel": 0.3, "shape": list(shape), "flat": [False, False, False]}
    return map_of(of_map | grid, bits, (counts, counts))


def test_the_page_has_the_share_of_every_voxel(reach):
    told = described_reach(reach, np.eye(4))
    values = np.frombuffer(zlib.decompress(b64decode(told["data"])), np.uint8).reshape(told["shape"])
    np.testing.assert_array_equal(values > 0, reach.count > 0)
    np.testing.assert_array_equal(values == 255, reach.share == 1)
    assert np.abs(values / 255 - reach.share).max() <= 1 / 255
    np.testing.assert_allclose(told["first"], reach.grid.lower + 0.15)


def test_a_cut_opens_the_map_towards_the_camera(reach):
    T = np.eye(4)
    for direction in ((1.0, 0.1, 0.5), (-1.0, 0.2, 0.5), (0.1, 1.0, 0.5), (0.2, -1.0, 0.5)):
        seen = drawn(reach, cut_of(T, direction))
        kept, gone = reach.grid.centers[seen], reach.grid.centers[(reach.count > 0) & ~seen]
        assert (gone @ direction).mean() > (kept @ direction).mean()
        assert 0.4 < seen.sum() / (reach.count > 0).sum() < 0.7


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


def test_maps_of_other_robots_are_refused(reach):
    other = kt.chain("Rz(q1) tx(0.4)")
    for show in (lambda: picture(other, reach=reach), lambda: view_of(other, reach=reach)):
        with pytest.raises(kt.KinetreeError, match="has no frame 'tool0'"):
            show()


@pytest.mark.slow
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
