"""Reach maps in Zarr stores: the same bytes however they are computed, continued, and what is refused."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import kinetree as kt
from kinetree.lab.reach import slabs
from kinetree.lab.reach.run import _job
from kinetree.lab.reach.store import WORK
from reach_arms import OPTIONS, ur5

pytest.importorskip("zarr")

pytestmark = pytest.mark.slow
SMALL = {"voxel": 0.3, "directions": 8, "rolls": 2}


@pytest.fixture(scope="module")
def arm():
    return ur5()


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}


def test_a_store_has_the_map(arm, tmp_path):
    plain = kt.reach_map(arm, "tool0", **SMALL)
    stored = kt.reach_map(arm, "tool0", **SMALL, store=tmp_path / "a.zarr")
    plain.save(tmp_path / "b.zarr")
    assert contents(tmp_path / "a.zarr") == contents(tmp_path / "b.zarr")
    read = kt.kinematics.read_reach(tmp_path / "a.zarr")
    for one in (stored, read):
        assert repr(one) == repr(plain)
        for name in ("bits", "count", "manipulability", "margin"):
            np.testing.assert_array_equal(getattr(one, name), getattr(plain, name))
    import zarr

    group = zarr.open_group(tmp_path / "a.zarr", mode="r")
    assert sorted(group) == ["bits", "count", "manipulability", "margin"]
    assert group["count"].metadata.dimension_names == ("x", "y", "z")


def test_an_interrupted_map_is_continued(arm, tmp_path, monkeypatch):
    monkeypatch.setattr(slabs, "SLAB", 256)
    whole, parts = tmp_path / "whole.zarr", tmp_path / "parts.zarr"
    kt.reach_map(arm, "tool0", **SMALL, store=whole)

    def stop(done, total):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kt.reach_map(arm, "tool0", **SMALL, store=parts, progress=stop)
    with pytest.raises(kt.KinetreeError, match="not complete"):
        kt.kinematics.read_reach(parts)
    written = len([*(parts / WORK / "done" / "c").glob("*")])
    assert 1 <= written <= 2
    left = []
    kt.reach_map(arm, "tool0", **SMALL, store=parts, progress=lambda done, total: left.append(total))
    job, _ = _job(arm, "tool0", "base_link", 0.3, None, 8, 2, True, OPTIONS, None)
    assert left[0] == job.slabs - written
    assert contents(parts) == contents(whole)
    assert not (parts / WORK).exists()
    left.clear()
    kt.reach_map(arm, "tool0", **SMALL, store=parts, progress=lambda done, total: left.append(total))
    assert not left  # nothing is computed again
    half = tmp_path / "half.zarr"
    with pytest.raises(KeyboardInterrupt):
        kt.reach_map(arm, "tool0", **SMALL, store=half, progress=stop)
    kt.kinematics.read_reach(whole).save(half)
    assert contents(half) == contents(whole)


def test_stores_of_something_else_are_refused(arm, tmp_path):
    path = tmp_path / "a.zarr"
    kt.reach_map(arm, "tool0", **SMALL, store=path)
    before = contents(path)
    for options, message in (
        ({"voxel": 0.4}, r"voxel is 0.3 there, not 0.4"),
        ({"directions": 9}, r"directions is 8 there, not 9"),
    ):
        with pytest.raises(kt.KinetreeError, match=message):
            kt.reach_map(arm, "tool0", **{**SMALL, **options}, store=path)
    with pytest.raises(kt.KinetreeError, match="model is"):
        kt.reach_map(ur5(tool="0 0.0824 0"), "tool0", **SMALL, box=[(-1.2, -1.2, -0.9), (1.2, 1.2, 1.2)], store=path)
    assert contents(path) == before
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("mine")
    for place in ("other", "other/notes.txt"):
        with pytest.raises(kt.KinetreeError, match="no reach map"):
            kt.reach_map(arm, "tool0", **SMALL, store=tmp_path / place)
    with pytest.raises(kt.KinetreeError, match="no reach map"):
        kt.kinematics.read_reach(tmp_path / "nothing")


def test_without_zarr(arm, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "zarr", None)
    with pytest.raises(kt.KinetreeError, match=r"zarr, which is not installed"):
        kt.reach_map(arm, "tool0", **SMALL, store=tmp_path / "a.zarr")


FINE = {"voxel": 0.1, "directions": 40, "rolls": 2, "symmetry": False}
PROGRAM = """
import sys
import kinetree as kt
from reach_arms import ur5
kt.reach_map(ur5(), "tool0", **{options}, workers=1, store=sys.argv[1])
"""


def test_a_killed_map_is_continued(arm, tmp_path):
    whole, parts = tmp_path / "whole.zarr", tmp_path / "parts.zarr"
    kt.reach_map(arm, "tool0", **FINE, store=whole)
    program = PROGRAM.format(options=FINE)
    paths = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
    child = subprocess.Popen([sys.executable, "-c", program, parts], env={**os.environ, "PYTHONPATH": paths})
    half = 6
    end = time.monotonic() + 120
    while len([*(parts / WORK / "done" / "c").glob("*")]) < half and time.monotonic() < end:
        time.sleep(0.01)
    child.send_signal(signal.SIGKILL)
    child.wait()
    assert len([*(parts / WORK / "done" / "c").glob("*")]) >= half
    left = []
    kt.reach_map(arm, "tool0", **FINE, store=parts, progress=lambda done, total: left.append(total))
    assert left
    assert contents(parts) == contents(whole)


@pytest.mark.filterwarnings("default")
@pytest.mark.nightly
def test_a_cluster_writes_the_same_bytes(arm, tmp_path):
    distributed = pytest.importorskip("distributed")
    here, there = tmp_path / "here.zarr", tmp_path / "there.zarr"
    kt.reach_map(arm, "tool0", **FINE, store=here)
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        kt.reach_map(arm, "tool0", **FINE, store=there, client=client)
    assert contents(there) == contents(here)
