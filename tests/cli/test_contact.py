"""`kinetree contact`: what it prints, its JSON and its exit status."""

import json

import numpy as np
import pytest

from support import put

BALL = "<collision><geometry><sphere radius='0.01'/></geometry></collision>"
HEAVY = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"


@pytest.fixture
def arm(tmp_path):
    """A file of a chain of four balls 0.03 m apart, and a heavy link without a shape."""
    links = "".join(f"<link name='{name}'>{BALL}</link>" for name in "abcd") + f"<link name='e'>{HEAVY}</link>"
    joints = [
        f"<joint name='j{b}' type='revolute'><parent link='{a}'/><child link='{b}'/><origin xyz='0.03 0 0'/>"
        "<axis xyz='0 0 1'/><limit lower='-3.1' upper='3.1' effort='1' velocity='1'/></joint>"
        for a, b in zip("abcd", "bcde", strict=True)
    ]
    return put(tmp_path / "arm.urdf", f"<robot name='arm'>{links}{''.join(joints)}</robot>")


APART = """No contact in 3 pairs  (the nearest pair)
  link  link   distance
  a     c     40.000 mm

Not tested
  link  link  because
  a     b     neighbours
  b     c     neighbours
  c     d     neighbours
"""


def test_covers(run, arm):
    """What stands for the shapes; each shape has its own in the JSON, in the axes of the link."""
    box = "<collision><origin xyz='0 0 1'/><geometry><box size='0.3 0.3 0.01'/></geometry></collision>"
    arm.write_text(arm.read_text().replace(f"<link name='b'>{BALL}", f"<link name='b'>{box}{BALL}"))
    found = json.loads(run("inspect", arm, "--cover", "--json").stdout)
    assert (found["schema"], found["robot"], list(found["links"])) == (1, "arm", ["a", "b", "c", "d"])
    plate, ball = found["links"]["b"]
    assert ball["outer"] == ball["inner"] == [[0, 0, 0, 0.01]]
    assert (ball["kind"], ball["sizes"], ball["slack"], plate["kind"]) == ("sphere", [0.01], 0.0, "box")
    corners = np.array([(x, y, z) for x in (-0.15, 0.15) for y in (-0.15, 0.15) for z in (0.995, 1.005)])
    outer, inner = np.array(plate["outer"]), np.array(plate["inner"])
    assert (np.linalg.norm(corners[:, None] - outer[:, :3], axis=2) <= outer[:, 3]).any(axis=1).all()
    assert (np.abs(inner[:, 2] - 1.0) + inner[:, 3]).max() <= 0.005
    lines = run("inspect", arm, "--cover", "--geometry", "hull").stdout.splitlines()
    assert [line.split() for line in lines[1:4]] == [
        ["link", "shapes", "spheres", "boxes", "inner", "slack", "mm"],
        ["a", "sphere", "1", "0", "1", "0.0"],
        ["b", "box,", "sphere", str(1 + len(outer)), "1", str(1 + len(inner)), f"{1e3 * plate['slack']:.1f}"],
    ]
    assert lines[-1].split() == ["total", str(4 + len(outer)), "1", str(4 + len(inner))]
    for wrong in (
        ("--cover", "--all"),
        ("--cover", "--joint-table"),
        ("--geometry", "hull"),
        ("--cover", "-o", "a.svg"),
    ):
        assert run("inspect", arm, *wrong).exit_code == 2


@pytest.mark.slow
def test_text(run, arm):
    result = run("contact", arm)
    assert (result.exit_code, result.stdout) == (0, APART)
    assert result.stderr == "note: link 'e' has a mass and no collision shape\n"


@pytest.mark.slow
def test_contact_has_exit_status_1(run, arm):
    result = run("contact", arm, "--q", "jc=177", "--deg", "--touch", "b", "--touch", "c", "--skip", "e")
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout.startswith("2 pairs of 3 pairs in contact\n  b  d\n") is False
    assert result.stdout.splitlines()[:2] == ["1 pair of 3 pairs in contact", "  b  d"]


def test_samples(run, arm):
    result = run("contact", arm, "--samples", "200")
    lines = result.stdout.splitlines()
    start = lines.index("In contact in 200 random configurations")
    assert lines[start + 1].split() == ["link", "link", "share"]
    assert {tuple(line.split()[:2]) for line in lines[start + 2 : start + 4]} == {("a", "c"), ("b", "d")}
    assert run("contact", arm, "--samples", "-1").exit_code == 2


def test_json(run, arm):
    found = json.loads(run("contact", arm, "--geometry", "hull", "--json").stdout)
    assert (found["schema"], found["robot"], found["geometry"], found["contact"]) == (1, "arm", "hull", [])
    assert found["pairs"] == [["a", "c"], ["a", "d"], ["b", "d"]]
    assert found["q"] == dict.fromkeys(("jb", "jc", "jd", "je"), 0)
    assert found["nearest"]["links"] == ["a", "c"]
    assert abs(found["nearest"]["distance"] - 0.04) < 1e-9
    assert len(found["nearest"]["points"]) == 2
    assert "shares" not in found
    assert found["left_out"][0] == {"link1": "a", "link2": "b", "reason": "neighbours"}
    assert found["notes"] == ["link 'e' has a mass and no collision shape"]
    touching = json.loads(run("contact", arm, "--q", "jc=3.1", "--samples", "10", "--json").stdout)
    assert touching["contact"] == [["b", "d"]]
    assert touching["nearest"]["points"] is None
    assert touching["nearest"]["distance"] == 0
    assert len(touching["shares"]) == 3


def moving(tmp_path, text):
    return put(tmp_path / "motion.csv", text)


def test_a_motion(run, arm, tmp_path):
    file = moving(tmp_path, "time,jc,jb\n0,0,0\n0.5,177,0\n1,177,0\n9,0,177\n")
    result = run("contact", arm, "--motion", file, "--deg", "--skip", "e")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0].startswith("2 pairs of 3 pairs in contact in 4 samples  (the least distances, and when)")
    assert [line.split() for line in lines[2:4]] == [
        ["b", "d", "0.000", "1", "0.5", "2", "samples"],
        ["a", "c", "0.000", "3", "9", "1", "sample"],
    ]
    assert lines[4].split()[:2] == ["a", "d"]
    assert lines[6] == "Not tested"
    assert result.stderr == f"{file}: without a column, and staying as they are: jd, je\n"
    found = json.loads(run("contact", arm, "--motion", file, "--deg", "--q", "jd=1", "--json").stdout)
    assert (found["contact"], found["motion"]["samples"]) == ([["b", "d"], ["a", "c"]], 4)
    assert found["q"]["jd"] == pytest.approx(np.radians(1))
    first, second, third = found["motion"]["pairs"]
    assert first == {"links": ["b", "d"], "distance": 0, "sample": 1, "touching": [1, 2], "time": 0.5}
    assert (second["sample"], second["time"], third["touching"]) == (3, 9, [])
    assert third["distance"] > 0
    assert "nearest" not in found
    assert len(found["left_out"]) == 3


@pytest.mark.slow
def test_a_motion_without_contact_or_times(run, arm, tmp_path):
    file = moving(tmp_path, "jc\n0.1\n0\n0.2\n")
    result = run("contact", arm, "--motion", file)
    assert (result.exit_code, result.stdout.splitlines()[0]) == (
        0,
        "None of 3 pairs in contact in 3 samples  (the least distances, and when)",
    )
    assert json.loads(run("contact", arm, "--motion", file, "--json").stdout)["motion"]["pairs"][0]["time"] is None
    for wrong in ("other\n1\n", "jc\n", "jc\nmuch\n"):
        assert run("contact", arm, "--motion", moving(tmp_path, wrong)).exit_code == 2
    assert run("contact", arm, "--motion", tmp_path / "gone.csv").exit_code == 2


def test_only_the_nearest_pairs_of_a_motion_are_printed(run, arm, tmp_path, monkeypatch):
    monkeypatch.setattr("kinetree.cli.contact.MOST_ROWS", 1)
    result = run("contact", arm, "--motion", moving(tmp_path, "jc\n0\n"))
    assert "2 more pairs with --json" in " ".join(result.stdout.split())
    assert [line.split()[:3] for line in result.stdout.splitlines() if " 40.000 " in line] == [["a", "c", "40.000"]]
    result = run("contact", arm, "--motion", moving(tmp_path, "jc,jd,jb\n3.1,0,0\n0,0,3.1\n"))
    assert [line.split()[:2] for line in result.stdout.splitlines() if "  0.000  " in line] == [["b", "d"], ["a", "c"]]


def test_in_a_motion_pairs_in_contact_are_first(run, arm, tmp_path):
    """Links a and c are always within 40.01 mm, and count only if they touch."""
    file = moving(tmp_path, "jb,jc\n1,1.2\n")
    lines = run("contact", arm, "--motion", file, "--margin", "0.04001").stdout.splitlines()
    assert lines[0].startswith("1 pair of 3 pairs within 40.01 mm in 1 sample ")
    rows = [line.split() for line in lines[2:5]]
    assert [row[:2] for row in rows] == [["a", "d"], ["b", "d"], ["a", "c"]]
    assert float(rows[0][2]) > float(rows[1][2])


@pytest.mark.slow
def test_a_margin(run, arm):
    """The links a and c are 32.66 mm apart here, and others 40 mm or more."""
    near, far = (run("contact", arm, "--q", "jb=1", "--margin", margin) for margin in ("0.033", "0.0325"))
    assert (near.exit_code, near.stdout.splitlines()[:2]) == (1, ["1 pair of 3 pairs within 33 mm", "  a  c"])
    assert (far.exit_code, far.stdout.splitlines()[0]) == (0, "None of 3 pairs within 32.5 mm  (the nearest pair)")
    found = json.loads(run("contact", arm, "--q", "jb=1", "--margin", "0.033", "--json").stdout)
    assert (found["margin"], found["contact"]) == (0.033, [["a", "c"]])
    assert len(found["nearest"]["points"]) == 2  # within the margin, and apart
    turned = run("contact", arm, "--q", "jb=1", "--q", "jc=1.2", "--margin", "0.04001", "--json")
    assert json.loads(turned.stdout)["contact"] == [["a", "d"]]  # others are always as near
    lines = run("contact", arm, "--margin", "0.2").stdout.splitlines()
    assert lines[0].startswith("None of 0 pairs within 200 mm, and no contact of 3 that always are ")
    assert "Within 33 mm in 5 random" in run("contact", arm, "--margin", "0.033", "--samples", "5").stdout
    for wrong in ("-1", "nan", "inf"):
        assert run("contact", arm, "--margin", wrong).exit_code == 2
