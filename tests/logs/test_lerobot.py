"""Data sets of LeRobot, written in the form of versions 2.1 and 3.0."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest
from click.testing import CliRunner

from each import each
from kinetree.cli import group
from kinetree.errors import KinetreeError
from kinetree.logs import read_motion
from kinetree.logs.read import is_bag
from ros_bags import ARM, arm

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

FILES = {"v2.1": "data/chunk-000/episode_{:06d}.parquet", "v3.0": "data/chunk-000/file-000.parquet"}
NAMES = ["b.pos", "c.pos", "gripper.pos", "a.pos"]
Q = np.array(
    [[[1.0, 0.1, 50, -2.0], [1.5, 0.2, 60, 0.5], [2, 0.3, 70, 1]], [[3, 0.4, 80, 1.5], [2, 0.5, 90, -1], [1] * 4]]
)
"""Two episodes of three frames."""
FPS = 50


def saved(folder, version="v2.1", names=NAMES, q=Q):
    """A data set with episodes q (e, n, k)."""
    feature = {"dtype": "float32", "shape": [q.shape[2]], "names": names}
    info = {"codebase_version": version, "fps": FPS, "features": {"observation.state": feature}}
    (folder / "meta").mkdir(parents=True)
    (folder / "meta/info.json").write_text(json.dumps(info))
    (folder / "data/chunk-000").mkdir(parents=True)
    tables = []
    for i, episode in enumerate(q):
        state = pyarrow.array(list(episode.astype(np.float32)), pyarrow.list_(pyarrow.float32(), q.shape[2]))
        t = pyarrow.array(np.arange(len(episode), dtype=np.float32) / FPS)
        columns = {"observation.state": state, "action": state, "timestamp": t, "episode_index": [i] * len(episode)}
        tables.append(pyarrow.table(columns))
    several = version == "v3.0"
    for i, table in enumerate([pyarrow.concat_tables(tables)] if several else tables):
        parquet.write_table(table, folder / FILES[version].format(i))
    return folder


@each("version, names", [("v2.1", NAMES), ("v3.0", NAMES), ("v2.1", {"motors": NAMES})])
def test_episodes_one_after_another(tmp_path, version, names):
    folder = saved(tmp_path / f"{version}{len(names)}", version, names)
    assert not is_bag(folder)
    found = read_motion(arm(), folder)
    assert found.names == ("a", "b", "c")
    np.testing.assert_allclose(found.q, np.concatenate(Q)[:, [3, 0, 1]], rtol=1e-6)
    np.testing.assert_allclose(found.times, [0, 0.02, 0.04, 1.04, 1.06, 1.08], rtol=0, atol=1e-6)
    assert [(note.severity, note.message) for note in found.notes] == [
        (
            "warning",
            "angles are taken as rad; meta/info.json has no units; "
            "LeRobot writes rad, deg, or -100 to 100, and 0 to 100 of a gripper",
        ),
        ("warning", "2 episodes one after another, each 1 s after the one before"),
        ("warning", "no joints of the robot that turn or slide, and left out: gripper"),
    ]


def test_one_episode(tmp_path):
    folder = saved(tmp_path / "set")
    found = read_motion(arm(), folder / FILES["v2.1"].format(1), unit="deg")
    np.testing.assert_allclose(found.q, Q[1][:, [3, 0, 1]] * [np.pi / 180, np.pi / 180, 1], rtol=1e-6)
    np.testing.assert_allclose(found.times, [0, 0.02, 0.04], rtol=0, atol=1e-7)
    assert len(found.notes) == 2


def test_what_is_no_angle_in_rad(tmp_path):
    folder = saved(tmp_path / "set", q=Q * [1, 1, 1, 10])
    with pytest.raises(KinetreeError) as error:
        read_motion(arm(), folder)
    (finding,) = error.value.findings
    assert finding.message.startswith("'a' is up to 20, which is no angle in rad; meta/info.json has no units; LeRobot")
    assert finding.fix == "if these are degrees, pass unit='deg', --deg or --unit deg"
    np.testing.assert_allclose(read_motion(arm(), folder, unit="deg").q[0, 0], np.deg2rad(-20), rtol=1e-6)


@each(
    "names, message",
    [
        (None, "info.json: error: has no names of 'observation.state'; expected features: observation.state: names"),
        ([0, 1, 2, 3], "info.json: error: has no names of 'observation.state'"),
        ({"x": NAMES, "y": NAMES}, "info.json: error: has no names of 'observation.state'"),
        (
            NAMES[:3],
            r"episode_000000.parquet: error: cannot be read: cannot reshape .*; expected columns obs.* of 3 nu",
        ),
        (list("wxyz"), "no joints of the robot that turn or slide, and left out: w, x, y, z; expected some of a, b, c"),
        (["b", "c", "c.pos", "a"], "column 'c' occurs twice"),
    ],
)
def test_what_is_refused(tmp_path, names, message):
    folder = saved(tmp_path / str(abs(hash(str(names)))), names=names)
    with pytest.raises(KinetreeError, match=message):
        read_motion(arm(), folder)


def test_damaged_and_missing_files(tmp_path):
    folder = saved(tmp_path / "set")
    file = folder / FILES["v2.1"].format(1)
    file.write_bytes(file.read_bytes()[:-8])
    with pytest.raises(KinetreeError, match=r"episode_000001.parquet: error: cannot be read: "):
        read_motion(arm(), folder)
    parquet.write_table(pyarrow.table({"timestamp": [0.0]}), file)
    with pytest.raises(KinetreeError, match=r"episode_000001.parquet: error: cannot be read: 'observation.state'; exp"):
        read_motion(arm(), folder)
    for one in (folder / "data/chunk-000").iterdir():
        one.unlink()
    with pytest.raises(KinetreeError, match="the data set has no samples; expected data"):
        read_motion(arm(), folder)


def test_without_pyarrow(tmp_path, monkeypatch):
    folder = saved(tmp_path / "set")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(KinetreeError, match="need the package `pyarrow`") as error:
        read_motion(arm(), folder)
    assert error.value.findings[0].fix == "pip install 'kinetree[lerobot]'"


def test_commands_about_motions(tmp_path):
    folder = saved(tmp_path / "set")
    (tmp_path / "arm.urdf").write_text(ARM)
    model = str(tmp_path / "arm.urdf")
    result = CliRunner().invoke(group, ["limits", "check", model, str(folder), "--unit", "rad"])
    assert result.exit_code == 1
    assert "t = 0: outside of a lower, by 1 rad at t = 0\n" in result.stdout
    assert "warning: angles are taken as rad" in result.stderr
    table = tmp_path / "set.csv"
    assert CliRunner().invoke(group, ["motion", "convert", model, str(folder), "-o", str(table)]).exit_code == 0
    np.testing.assert_allclose(read_motion(arm(), table).q, read_motion(arm(), folder).q)
