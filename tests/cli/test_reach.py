"""The command `reach`, and `show --reach`."""

import json
import re

import pytest

import kinetree as kt
from reach_arms import ur5

pytestmark = pytest.mark.slow  # longer than a quick test

SMALL = ("--frame", "tool0", "--voxel", "0.4", "--directions", "4", "--rolls", "2")


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("arm") / "arm.urdf"
    kt.save(ur5(), path)
    return str(path)


def test_volumes_are_printed(run, file):
    result = run("reach", file, *SMALL)
    assert result.exit_code == 0
    found = kt.reach_map(kt.load(file), "tool0", voxel=0.4, directions=4, rolls=2)
    first, *shares, grid, axis = result.stdout.splitlines()
    assert first == f"tool0 in base_link reaches {found.volume:.3g} m³"
    assert [line.split(" %")[0].strip() for line in shares] == ["in 25", "in 50", "in 75", "in 100"]
    assert shares[-1].endswith(f"of 8 orientations {found.dexterous_volume:.3g} m³")
    assert re.fullmatch(r"\d+ x \d+ x \d+ voxels of 0.4 m from .*", grid)
    assert axis == "symmetric about the line at x 0, y 0"
    told = json.loads(run("reach", file, *SMALL, "--json").stdout)
    assert told["volume"] == pytest.approx(found.volume)
    assert told["shape"] == list(found.grid.shape)


def test_options(run, file):
    box = ("--box", "0", "0", "0.3", "0.4", "0.8", "0.3")
    result = run("reach", file, *SMALL, *box, "--no-symmetry", "--joints", "j1,j2,j3,j4,j5,j6", "--json")
    told = json.loads(result.stdout)
    assert (told["shape"], told["unit"], told["axis"]) == ([1, 2, 1], "m²", None)
    assert run("reach", file, *SMALL, "--voxel", "-1").exit_code == 2
    down = ("--frame", "tool0", "--voxel", 0.2, "--directions", "down", "--box", 0.2, -0.4, 0, 1.2, 0.4, 0.4)
    told = json.loads(run("reach", file, *down, "--json").stdout)
    line = run("reach", file, *down).stdout.splitlines()[0]
    assert 0.1 < told["box_share"] < 0.99
    assert told["volume"] == pytest.approx(told["box_share"] * 1.0 * 0.8 * 0.4)
    assert line == f"tool0 in base_link reaches {told['volume']:.3g} m³, {100 * told['box_share']:.3g} % of the box"
    assert "'flat' is neither a number nor 'down'" in run("reach", file, *SMALL, "--directions", "flat").stderr
    assert "no joint or group" in (wrong := run("reach", file, *SMALL, "--joints", "x").stderr) or "'x'" in wrong


def test_a_map_is_written_continued_and_shown(run, file, tmp_path):
    pytest.importorskip("zarr")
    store = tmp_path / "map.zarr"
    for _ in range(2):
        result = run("reach", file, *SMALL, "-o", str(store))
        assert (result.exit_code, result.stderr) == (0, f"wrote {store}\n")
    other = ("reach", file, *SMALL[:-1], "3", "-o", str(store))
    refused = run(*other)
    assert refused.exit_code == 2
    assert "rolls is 2 there, not 3" in refused.stderr
    assert run(*other, "--force").exit_code == 0
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("")
    assert run("reach", file, *SMALL, "-o", str(tmp_path / "mine"), "--force").exit_code == 2
    assert (tmp_path / "mine" / "thesis.txt").exists()
    for name, start in (("a.png", b"\x89PNG"), ("a.html", b"<!doctype html>")):
        shown = run("show", file, "--reach", str(store), "-o", str(tmp_path / name))
        assert shown.exit_code == 0, shown.stderr
        assert (tmp_path / name).read_bytes().startswith(start)
    wrong = run("show", "icub", "--reach", str(store), "-o", str(tmp_path / "b.png"))
    assert wrong.exit_code == 2
    assert "has no frame 'tool0'" in wrong.stderr
