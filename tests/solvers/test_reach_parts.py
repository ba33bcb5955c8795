"""Reach maps in small: counts, volumes, differences and words of maps made by hand, stores, threads and clusters."""

from __future__ import annotations

import json
import os
import sys
from concurrent.futures import Future
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree import progress
from kinetree.algorithms.inverse import DESCENT, GOING, HEAD
from kinetree.lab.reach import slabs
from kinetree.lab.reach.grid import Grid, sphere
from kinetree.lab.reach.make import grid_of
from kinetree.lab.reach.map import map_of
from kinetree.lab.reach.run import _job, cores
from kinetree.lab.reach.search import solved
from kinetree.lab.reach.store import Store
from reach_arms import two_links

ARGUMENTS = {
    "robot": "r",
    "frame": "tip",
    "base": "base",
    "lower": [0.0, 1.0, -1.0],
    "voxel": 0.5,
    "shape": [2, 1, 3],
    "flat": [False, False, False],
    "directions": 3,
    "rolls": 3,
    "axis": None,
}
BITS = [[[0b11100000, 0b0], [0b10010010, 0b0], [0, 0]], [[0b11111111, 0b10000000], [0, 0b10000000], [0b11110000, 0]]]
"""Of 9 orientations in two bytes, the rolls of the first direction first."""


def made(bits=BITS, **arguments):
    a = ARGUMENTS | arguments
    shape = a["shape"]
    best = np.arange(np.prod(shape), dtype=float).reshape(shape)
    return map_of(a, np.reshape(bits, (*shape, -1)), (best, -best))


def positions(bits, **arguments):
    """A map of positions alone, in a flat grid."""
    return made(bits, **{"directions": 0, "rolls": 0, "flat": [False, False, True]} | arguments)


def test_counts_and_volumes():
    reach = made()
    np.testing.assert_array_equal(reach.count, [[[3, 3, 0]], [[9, 1, 4]]])
    np.testing.assert_array_equal(reach.share, reach.count / 9)
    np.testing.assert_allclose(reach.index, np.array([[[1, 3, 0]], [[3, 1, 2]]]) / 3, rtol=1e-15)
    assert reach.reached.shape == (2, 1, 3, 9)
    np.testing.assert_array_equal(np.flatnonzero(reach.reached[0, 0, 1]), [0, 3, 6])
    assert (reach.volume, reach.dexterous_volume) == (0.625, 0.125)
    assert [reach.volume_at(n / 9) for n in (0, 1, 2, 3, 4, 5, 9)] == [n / 8 for n in (5, 5, 4, 4, 2, 1, 1)]
    assert repr(reach) == (
        "ReachMap of tip of r in base: reaches 0.625 m³, in all orientations 0.125 m³; 2 × 1 × 3 voxels of 0.5 m, "
        "3 directions with 3 rolls"
    )
    for array in (reach.bits, reach.share, reach.index, reach.manipulability, reach.margin):
        assert not array.flags.writeable
    for share in (-0.1, 1.1):
        with pytest.raises(kt.KinetreeError, match=f"share is {share}; expected numbers from 0 to 1"):
            reach.volume_at(share)
    flat = positions([[0x80], [0], [0x80]], shape=[1, 3, 1])
    assert repr(flat) == "ReachMap of tip of r in base: reaches 0.5 m²; 1 × 3 × 1 voxels of 0.5 m, positions alone"
    np.testing.assert_array_equal(flat.index, flat.share)
    line = made([[0x80], [0]], shape=[2, 1, 1], flat=[False, True, True], directions=1, rolls=0)
    assert "reaches 0.5 m; 2 × 1 × 1 voxels of 0.5 m, 1 direction with any roll" in repr(line)


def grid(shape=(2, 3, 4), flat=(False, False, False), directions=5, rolls=3, axis=None):
    return Grid(np.array([-1.0, 0.5, 0.0]), 0.5, shape, flat, sphere(directions), rolls, axis)


def test_orientations_of_voxels():
    """Rotations with the directions as z, in rolls about it; they turn with the voxel about an axis."""
    directions = sphere(50)
    np.testing.assert_allclose(np.linalg.norm(directions, axis=1), 1.0, rtol=0, atol=1e-15)
    np.testing.assert_allclose(directions.mean(axis=0), 0.0, rtol=0, atol=0.01)
    np.testing.assert_allclose(directions[:, 2], 1 - (2 * np.arange(50) + 1) / 50, rtol=0, atol=1e-15)
    cosines = directions @ directions.T - 2 * np.eye(50)
    assert 0.35 < np.arccos(cosines.max(axis=1)).min() < np.arccos(cosines.max(axis=1)).max() < 0.55
    for directions, rolls, tried in ((50, 4, "50 directions with 4 rolls"), (7, 0, "7 directions with any roll")):
        here = grid(directions=directions, rolls=rolls)
        R = here.rotations(np.zeros(3)).reshape(directions, max(rolls, 1), 3, 3)
        assert (here.orientations, here.tried) == (directions * max(rolls, 1), tried)
        np.testing.assert_allclose(R @ np.swapaxes(R, -1, -2), np.broadcast_to(np.eye(3), R.shape), rtol=0, atol=1e-15)
        np.testing.assert_allclose(np.linalg.det(R), 1.0, rtol=0, atol=1e-15)
        np.testing.assert_allclose(R[..., 2], np.repeat(sphere(directions)[:, None], max(rolls, 1), 1), atol=1e-15)
        if rolls:
            turn = np.swapaxes(R[:, :-1], -1, -2) @ R[:, 1:]  # a quarter turn about z
            expected = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
            np.testing.assert_allclose(turn, np.broadcast_to(expected, turn.shape), rtol=0, atol=1e-15)
    alone = grid(directions=0, rolls=0)
    assert (alone.orientations, alone.tried) == (1, "positions alone")
    np.testing.assert_array_equal(alone.rotations(np.ones((2, 3))), np.ones((2, 1, 1, 1)) * np.eye(3))
    turned = grid(axis=np.array([0.25, -0.5]))
    points = np.array([[0.25 + 2 * np.cos(a), -0.5 + 2 * np.sin(a), 7.0] for a in (0.0, 0.3, -2.0)])
    np.testing.assert_allclose(turned.turned(points), [0.0, 0.3, -2.0], rtol=0, atol=1e-15)
    assert not grid().turned(points).any()
    about = turned.rotations(points) @ np.swapaxes(grid().rotations(points), -1, -2)
    for found, a in zip(about, (0.0, 0.3, -2.0), strict=True):
        expected = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])
        np.testing.assert_allclose(found, np.broadcast_to(expected, found.shape), rtol=0, atol=1e-15)


def test_centres_and_contents_of_voxels():
    for flat, content, unit in (
        ((False, False, False), 0.125, "m³"),
        ((False, False, True), 0.25, "m²"),
        ((True, False, True), 0.5, "m"),
        ((True, True, True), 1.0, "points"),
    ):
        here = grid(tuple(1 if f else n for f, n in zip(flat, (2, 3, 4), strict=True)), flat)
        assert (here.content, here.unit) == (content, unit)
        first = [low + (0.0 if f else 0.25) for low, f in zip((-1.0, 0.5, 0.0), flat, strict=True)]
        np.testing.assert_allclose(here.centers[0, 0, 0], first, rtol=0, atol=1e-15)
        last = [x if f else x + 0.5 * (n - 1) for x, f, n in zip(first, flat, (2, 3, 4), strict=True)]
        np.testing.assert_allclose(here.centers[-1, -1, -1], last, rtol=0, atol=1e-15)
    assert repr(grid()) == "Grid of 2 × 3 × 4 voxels of 0.5 m, 5 directions with 3 rolls"


def test_voxels_as_far_from_the_axis_have_one_result():
    """Each is computed once, at the first of them in the order of the voxels."""
    here = grid((4, 4, 2), axis=np.array([0.0, 1.5]))  # in the middle of the grid
    first, place = here.cells
    centers = here.centers.reshape(-1, 3)
    keys = [(round(float(np.hypot(x, y - 1.5)), 9), float(z)) for x, y, z in centers]
    assert len(first) == len({*keys}) == 6
    assert [keys[i] for i in first] == [*dict.fromkeys(keys)]
    assert [keys[first[k]] for k in place] == keys
    assert [keys.index(keys[i]) for i in first] == first.tolist()
    every, same = grid((4, 4, 2)).cells
    assert every.tolist() == same.tolist() == [*range(32)]


def test_voxels_of_points():
    reach = made()
    for point, voxel in (((0, 1, -1), (0, 0, 0)), ((0.99, 1.4, 0.49), (1, 0, 2)), ((0.5, 1.0, -0.5), (1, 0, 1))):
        assert reach.voxel_at(point) == voxel
    for voxel in np.ndindex(2, 1, 3):
        assert reach.voxel_at(reach.grid.centers[voxel]) == voxel
    for point in ((-0.01, 1, -1), (1.0, 1, -1), (0, 0.9, -1), (0, 1.5, -1), (0, 1, 0.5)):
        with pytest.raises(
            kt.KinetreeError, match=r"is outside of the grid, Grid of 2 × 1 × 3 voxels of 0.5 m, 3 direc"
        ):
            reach.voxel_at(point)
    flat = positions([[0x80], [0], [0x80]], shape=[1, 3, 1])
    assert flat.voxel_at((0, 1.6, -0.76)) == flat.voxel_at((0, 1.6, -1.24)) == (0, 1, 0)  # half a voxel off the plane
    for z in (-1.26, -0.74):
        with pytest.raises(kt.KinetreeError, match="outside"):
            flat.voxel_at((0, 1.6, z))
    R = reach.orientations_at((1, 0, 2))
    np.testing.assert_array_equal(R, made().grid.rotations(reach.grid.centers[1, 0, 2]))
    assert R.shape == (9, 3, 3)


def test_a_difference_of_grids_beside_each_other():
    """One begins a voxel further along x and ends two further along y."""
    a = positions([[0x80], [0x80], [0]], shape=[1, 3, 1], lower=[0.5, 1.5, -1.0], robot="a")
    b = positions([[0x80], [0x80], [0x80], [0]], shape=[2, 2, 1], robot="b")
    one, two = a - b, b - a
    assert one.grid.shape == two.grid.shape == (2, 4, 1)
    np.testing.assert_array_equal(one.grid.lower, [0.0, 1.0, -1.0])
    np.testing.assert_array_equal(one.after[..., 0], [[0, 0, 0, 0], [0, 1, 1, 0]])
    np.testing.assert_array_equal(one.before[..., 0], [[1, 1, 0, 0], [1, 0, 0, 0]])
    np.testing.assert_array_equal(one.change, one.after - one.before)
    np.testing.assert_array_equal(two.change, -one.change)
    np.testing.assert_array_equal(one.gained, two.lost)
    assert (one.gained_volume, one.lost_volume) == (0.5, 0.75)
    assert repr(one) == (
        "ReachDifference of tip of a from tip of b: 0.5 m² gained, 0.75 m² lost; more orientations in 0.5 m², "
        "fewer in 0.75 m²"
    )
    with pytest.raises(TypeError):
        a - 1.0


DIRECTED = {"shape": [1, 1, 1], "directions": 1, "rolls": 1}


@each(
    "one, two, message",
    [
        (
            {},
            {"voxel": 0.25},
            "the voxels of the maps do not coincide: Grid of 1 × 1 × 1 voxels of 0.5 m, 1 direction with 1 roll",
        ),
        ({}, {"lower": [0.1, 1.0, -1.0]}, "do not coincide"),
        ({}, {"flat": [False, False, True]}, "do not coincide"),
        ({}, {"directions": 2}, "have other orientations, 1 direction with 1 roll and 2 directions with 1 roll"),
        ({"rolls": 2}, {}, "have other orientations, 1 direction with 2 rolls and 1 direction with 1 roll"),
        ({}, {"axis": [0.0, 0.0]}, "the orientations of the maps differ: those of a symmetric map turn with its axis"),
        ({"axis": [0.0, 0.1]}, {"axis": [0.0, 0.0]}, "the orientations of the maps differ"),
        (
            {"boxed": True},
            {"lower": [0.5, 1.0, -1.0]},
            "the map of tip of r is of a box=, and the other one is of another",
        ),
        (
            {"robot": "s"},
            {"shape": [1, 1, 2], "boxed": True, "frame": "f"},
            "the map of f of r is of a box=, and the oth",
        ),
    ],
)
def test_maps_that_are_not_comparable(one, two, message):
    def filled(more):
        a = ARGUMENTS | DIRECTED | more
        return made(np.zeros((*a["shape"], 1)), **DIRECTED | more)

    with pytest.raises(kt.KinetreeError) as error:
        filled(one) - filled(two)
    assert message in str(error.value)


@each(
    "one, two",
    [
        ({}, {"lower": [0.5 + 4e-7, 1.0, -1.0]}),
        ({"axis": [1e-7, 0.0]}, {"axis": [0.0, 0.0]}),
        ({"boxed": True}, {"boxed": True}),
    ],
)
def test_maps_that_are_comparable(one, two):
    a, b = (made([[[[0x80]]]], **DIRECTED | more) for more in (one, two))
    assert (a - b).before.sum() == (a - b).after.sum() == 1


def test_axes_of_positions_do_not_matter():
    assert (positions([0x80], shape=[1, 1, 1], axis=[0.0, 0.0]) - positions([0x80], shape=[1, 1, 1])).gained_volume == 0


def test_a_map_is_saved_and_read(tmp_path):
    zarr = pytest.importorskip("zarr")
    reach, path = made(), tmp_path / "a.zarr"
    reach.save(path)
    reach.save(path)  # the same again
    read = kt.kinematics.read_reach(path)
    assert repr(read) == repr(reach)
    for name in ("bits", "count", "manipulability", "margin"):
        np.testing.assert_array_equal(getattr(read, name), getattr(reach, name))
    group = zarr.open_group(path, mode="r")
    assert sorted(group) == ["bits", "count", "manipulability", "margin"]
    assert [group[name].metadata.dimension_names for name in ("bits", "count")] == [(*"xyz", "byte"), (*"xyz",)]
    assert (group["bits"].chunks, group["margin"].dtype) == ((1, 1, 3, 2), np.float32)
    assert json.loads((path / "zarr.json").read_text())["attributes"] == {"kinetree_reach": ARGUMENTS, "complete": True}
    with pytest.raises(kt.KinetreeError) as error:
        made(np.zeros(6), voxel=0.25, directions=2).save(path)
    assert error.value.findings[0].message == (
        f"{path} has another map: voxel is 0.5 there, not 0.25; directions is 3 there, not 2"
    )
    assert error.value.findings[0].fix == "give another path, or remove the folder"
    zarr.open_group(tmp_path / "b.zarr", mode="w", attributes={"a": 1})
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "notes.txt").write_text("mine")
    for name, message in (
        ("b.zarr", "no reach map, but other arrays"),
        ("c", "no reach map: "),
        ("c/notes.txt", "no r"),
    ):
        with pytest.raises(kt.KinetreeError, match=message):
            reach.save(tmp_path / name)
    with pytest.raises(kt.KinetreeError, match="no reach map: "):
        kt.kinematics.read_reach(tmp_path / "nothing")
    assert (tmp_path / "c" / "notes.txt").read_text() == "mine"


def test_slabs_of_a_store(tmp_path):
    """Five cells in three slabs of two, the last of one."""
    pytest.importorskip("zarr")
    path = tmp_path / "a.zarr"
    store = Store(path, ARGUMENTS)
    store.begin(5, 2, 2)
    store.begin(5, 2, 2)
    assert store.done == set()
    store.write(
        1, slice(2, 4), slabs.Slab(np.array([[1, 2], [3, 4]], "u1"), np.array([1.5, 2.5]), np.array([3.5, 4.5]))
    )
    again = Store(path, ARGUMENTS)
    assert not again.complete
    again.begin(5, 2, 2)
    assert again.done == {1}
    whole = again.read()
    np.testing.assert_array_equal(whole.bits, [[0, 0], [0, 0], [1, 2], [3, 4], [0, 0]])
    np.testing.assert_array_equal(whole.manipulability, [0, 0, 1.5, 2.5, 0])
    np.testing.assert_array_equal(whole.margin, [0, 0, 3.5, 4.5, 0])
    assert sorted(p.name for p in (path / "slabs" / "bits" / "c").iterdir()) == ["1"]
    with pytest.raises(kt.KinetreeError) as error:
        kt.kinematics.read_reach(path)
    assert str(error.value.findings[0].message) == (
        f"{path} is not complete; call reach_map with the same arguments and store= to continue"
    )
    made().save(path)
    assert not (path / "slabs").exists()
    assert repr(kt.kinematics.read_reach(path)) == repr(made())


def test_without_zarr(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "zarr", None)
    for use in (made().save, kt.kinematics.read_reach):
        with pytest.raises(kt.KinetreeError) as error:
            use(tmp_path / "a.zarr")
        assert error.value.findings[0].message == "a reach map is stored with zarr, which is not installed"
        assert error.value.findings[0].fix == "pip install 'kinetree[reach]'"


class Client:
    """A cluster that computes at once, with the methods of a client of dask.distributed that are used. log: 1 for a
    slab that is given to it, -1 for a result that is taken."""

    def __init__(self):
        self.log = []

    def scatter(self, job, broadcast, hash):
        assert broadcast
        assert not hash
        return job

    def scheduler_info(self):
        return {"workers": {}}

    @contextmanager
    def get_executor(self, pure):
        assert not pure
        yield self

    def submit(self, function, job, slab):
        self.log.append(1)
        future = Result()
        future.log = self.log
        future.set_result(function(job, slab))
        return future


class Result(Future):
    def result(self):
        self.log.append(-1)
        return super().result()


class Bar:
    """A bar of progress that keeps what it shows."""

    shown: list

    def show(self, *step):
        self.shown.append(step)

    def end(self):
        pass


@each(
    "orientations, centers, cells, count",
    [
        (1, 2**16, 2**16, 1),
        (1, 2**16 + 1, 2**16, 2),
        (9, 7282, 7281, 2),
        (9, 3 * 7281, 7281, 3),
        (2**16, 3, 1, 3),
        (2**16 + 1, 3, 1, 3),
        (100, 1, 655, 1),
    ],
)
def test_slabs_have_about_2_16_targets(orientations, centers, cells, count):
    job = slabs.Job(SimpleNamespace(orientations=orientations), None, np.zeros((centers, 3)))
    assert (job.cells, job.slabs) == (cells, count)
    places = [job.where(slab) for slab in range(count)]
    assert [(place.start, place.stop) for place in places] == [
        (i * cells, min((i + 1) * cells, centers)) for i in range(count)
    ]


class Solver:
    """A solver of two joints with two closed forms; inside the limits are angles below 10."""

    _problem, _more, contact = SimpleNamespace(columns=[0, 1], descents=5, nq=2), (), None
    _inside = SimpleNamespace(template=np.zeros(HEAD + 4), neutral=np.zeros(2))

    def __init__(self):
        self.searched = []
        # by target; a negative angle is no solution
        self.forms = {1.0: [(1.0, 1.5), (99.0, 0.0)], 2.0: [(2.0, 2.5)], 4.0: [], 5.0: [(5.0, -1.0), (5.5, 0.5)]}

    def _forms(self, q, targets):
        found = np.full((len(targets), 8, 7), np.nan)
        for row, target in zip(found, targets, strict=True):
            for k, form in enumerate(self.forms[target]):
                row[2 * k + 1, :3] = *form, 1.0  # and a number that is finite
        return found

    def _kernel(self, states, targets):
        assert (states[:, DESCENT] == 4).all()
        assert (np.floor(states[:, HEAD]) == np.where(states[:, HEAD] == 99.0, 99.0, targets)).all()
        states[:, GOING] = np.where(states[:, HEAD + 1] < 0, -1.0, 0.0)
        return states

    def _answer(self, found, neutral):
        q = found[:, HEAD : HEAD + 2]
        return np.column_stack([q, np.zeros(len(q)), np.zeros(len(q)), np.where(q[:, 0] < 10, 0.0, 1.0)])

    def __call__(self, targets):
        self.searched += targets.tolist()
        return SimpleNamespace(success=targets < 5, q=np.column_stack([targets, targets]))


def test_all_solutions_of_a_target_count():
    """Of the search, of all closed forms inside the limits, and of a second search where there is neither."""
    targets, success = np.array([1.0, 2.0, 3.0, 4.0, 5.0]), np.array([True, True, False, True, True])
    q = np.array([[0.1, 0.2], [np.nan, np.nan], [7.0, 7.0], [np.nan, np.nan], [5.0, 0.0]])
    solver = Solver()

    def found():
        for owner, rows in solved(solver, [targets], success, q):
            yield from ((int(i), *row) for i, row in zip(owner, rows, strict=True))

    assert [*found()] == [(0, 0.1, 0.2), (4, 5.0, 0.0), (0, 1.0, 1.5), (1, 2.0, 2.5), (4, 5.5, 0.5), (3, 4.0, 4.0)]
    assert solver.searched == [4.0]
    solver._forms = None
    assert [*found()] == [(0, 0.1, 0.2), (4, 5.0, 0.0), (1, 2.0, 2.0), (3, 4.0, 4.0)]
    assert [len(owner) for owner, _ in solved(Solver(), [targets], success & False, q)] == [0]


def test_however_it_is_computed_it_is_the_same(tmp_path, monkeypatch):
    """At once, in slabs by threads, by a cluster, and in a store that is continued."""
    pytest.importorskip("zarr")
    arm, options = two_links((-1.0, 2.0), (0.3, 2.5)), {"voxel": 0.25, "directions": 0}
    whole = kt.reach_map(arm, "tool0", **options)
    assert repr(whole) == (
        "ReachMap of tool0 of 2r in base_link: reaches 1.38 m²; 7 × 8 × 1 voxels of 0.25 m, positions alone"
    )
    monkeypatch.setattr(slabs, "SLAB", 10)
    client, seen = Client(), []
    stop = {"store": tmp_path / "a.zarr", "workers": 1, "progress": lambda done, total: 1 / (2 - done)}
    with pytest.raises(ZeroDivisionError):
        kt.reach_map(arm, "tool0", **options, **stop)
    monkeypatch.setattr(progress, "_Bar", Bar)
    for more in ({"workers": 2}, {"client": client}, {"store": tmp_path / "a.zarr", "workers": np.int64(1)}):
        Bar.shown = []
        again = kt.reach_map(arm, "tool0", **options, **more, progress=True)
        assert {what for what, *_ in Bar.shown} == {"mapping"}
        seen.append([step for _, *step in Bar.shown])
        for name in ("bits", "manipulability", "margin"):
            np.testing.assert_array_equal(getattr(again, name), getattr(whole, name))
    steps = [[i + 1, 6] for i in range(6)]
    assert seen[:2] == [steps, steps]
    assert np.cumsum(client.log).max() == 4
    assert seen[2] in ([[i + 1, 4] for i in range(4)], [[i + 1, 5] for i in range(5)])
    kt.reach_map(arm, "tool0", **options, store=tmp_path / "a.zarr", progress=lambda *step: seen[2].clear())
    assert seen[2]  # nothing is computed again


@each(
    "options, message",
    [
        ({"voxel": 0.0}, "voxel is 0.0; expected a finite length above 0, m"),
        ({"voxel": np.inf}, "voxel is inf; expected a finite length above 0, m"),
        ({"directions": -1}, "directions is -1; expected whole numbers from 0 to 10000"),
        ({"directions": 10_001}, "directions is 10001; expected whole numbers from 0 to 10000"),
        ({"directions": "up"}, "directions is 'up'; expected a number of directions, 'down', or vectors (d, 3)"),
        ({"directions": [[0, 0, 0]]}, "or vectors (d, 3) along which z points"),
        ({"directions": [1, 0, 0]}, "or vectors (d, 3) along which z points"),
        ({"directions": [[1, 0]]}, "or vectors (d, 3) along which z points"),
        ({"directions": [[1, 0, np.inf]]}, "or vectors (d, 3) along which z points"),
        ({"directions": 2.0}, "directions is 2.0; expected whole numbers from 0 to 10000"),
        ({"rolls": 2.5}, "rolls is 2.5; expected whole numbers from 0 to 360"),
        ({"rolls": 361}, "rolls is 361; expected whole numbers from 0 to 360"),
        ({"rolls": True}, "rolls is True; expected whole numbers from 0 to 360"),
        ({"box": [(0, 0, 0), (1, 1, -1)]}, "expected two corners of 3 finite numbers, m, the lower one first"),
        ({"box": [(0, 0), (1, 1)]}, "expected two corners of 3 finite numbers"),
        ({"box": [(0, 0, 0), (1, np.inf, 1)]}, "expected two corners of 3 finite numbers"),
        ({"workers": 0}, "workers is 0; expected whole numbers from 1 to 10000"),
        (
            {"voxel": 1e-5, "box": [(0, 0, 0), (1, 1, 0)]},
            "1e+10 voxels of 1e-05 m with 1 orientations are more than 4294",
        ),
        (
            {"at": "input", "joints": ["j1"]},
            "a reach map has the joints that stand compiled in; expected a full q, not",
        ),
    ],
)
def test_wrong_arguments(options, message):
    with pytest.raises(kt.KinetreeError) as error:
        kt.reach_map(two_links((-1.0, 2.0), (0.3, 2.5)), "tool0", **{"directions": 0} | options)
    assert message in str(error.value)


@pytest.mark.slow
def test_boxes_and_what_a_map_depends_on():
    arm = two_links((-1.0, 2.0), (0.3, 2.5))
    common = (0, 0, True, {"tolerance": (1e-6, 1e-5), "descents": 7, "loops": "refuse"}, None)
    (job, arguments) = _job(arm, "tool0", "base_link", 0.25, [(0, 0, 0), (0.5, 0.6, 0)], *common)
    assert {name: value for name, value in arguments.items() if name not in ("model", "limits", "kinetree")} == {
        "robot": "2r",
        "frame": "tool0",
        "base": "base_link",
        "lower": [0.0, 0.0, 0.0],
        "voxel": 0.25,
        "shape": [2, 3, 1],
        "flat": [False, False, True],
        "directions": 0,
        "rolls": 0,
        "axis": None,
        "boxed": True,
        "tolerance": [1e-6, 1e-5],
        "descents": 7,
    }
    assert (job.slabs, job.where(0)) == (1, slice(0, 6))
    own = _job(arm, "tool0", "base_link", None, None, *common)[1]
    assert (own["voxel"], own["boxed"], own["flat"]) == (0.05, False, [False, False, True])
    # x from 0.6 cos 2 - 0.4 = -0.65, y from -0.6 sin 1 - 0.4 sin 0.7 = -0.76, both to 0.99
    assert own["lower"] == pytest.approx([-0.7, -0.8, 0.0], abs=1e-15)
    assert own["shape"] == [34, 36, 1]


def test_only_default_boxes_need_ends_of_slides():
    robot = kt.load(
        """<mujoco><worldbody><body name="a"><joint name="j" type="slide" axis="1 0 0"/><geom size="0.1"/>
        <site name="b"/></body></worldbody></mujoco>""",
        format="mjcf",
    )
    position = SimpleNamespace(_problem=SimpleNamespace(columns=np.array([0]), turns=np.array([False])))
    made = grid_of(robot, "b", robot.root, position, 0.5, [[-1, 0, 0], [1, 0, 0]], sphere(0), 0, None)
    assert (made.shape, made.flat, made.lower.tolist()) == ((4, 1, 1), (False, True, True), [-1, 0, 0])
    with pytest.raises(kt.KinetreeError, match=r"the range of 'j' has no end.*\n.*give box="):
        grid_of(robot, "b", robot.root, position, 0.5, None, sphere(0), 0, None)


def test_as_many_threads_as_the_process_may_use(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 2, 5}, raising=False)
    assert cores() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    assert cores() == 7
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert cores() == 1


@each("directions, rolls, kinds", [(0, 0, 1), (5, 0, 2), (5, 3, 1)])
def test_targets_at_voxels(directions, rolls, kinds):
    """Points alone, points and points ahead of them, or whole poses, one of each orientation at each centre."""
    centers = np.array([[1.0, 0.5, 0.2], [0.3, -0.4, 0.1]])
    axes = sphere(directions) if directions else np.zeros((0, 3))
    grid = Grid(np.zeros(3), 0.1, (10, 10, 5), (False, False, False), axes, rolls, None)
    found = slabs.targets_at(grid, centers)
    assert len(found) == kinds
    if not directions:
        np.testing.assert_array_equal(found[0], centers)
        return
    k = directions * max(rolls, 1)
    points = np.repeat(centers, k, axis=0)
    ahead = np.tile(np.repeat(axes, max(rolls, 1), axis=0), (2, 1))
    if not rolls:
        np.testing.assert_array_equal(found[0], points)
        np.testing.assert_allclose(found[1] - found[0], ahead, atol=1e-15)
        return
    (T,) = found
    np.testing.assert_array_equal(T[:, :3, 3], points)
    np.testing.assert_array_equal(T[:, 3], np.tile([0, 0, 0, 1], (2 * k, 1)))
    np.testing.assert_allclose(T[:, :3, 2], ahead, atol=1e-15)
    np.testing.assert_allclose(np.linalg.det(T[:, :3, :3]), 1.0, atol=1e-12)
    np.testing.assert_array_equal(T[:, :3, :3], grid.rotations(centers).reshape(-1, 3, 3))
