"""`kinetree motion check`: what it prints, its exit status and its JSON."""

import json
import math

import pytest

BALLS = """<robot name="arm"><link name="a">{ball}</link><link name="b">{ball}</link><link name="c">{ball}</link>
<joint name="j1" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0.3 0 0"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3" velocity="2" effort="9"/></joint>
<joint name="j2" type="revolute"><parent link="b"/><child link="c"/><origin xyz="0.3 0 0"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3" velocity="2" effort="9"/></joint></robot>"""
BALL = "<collision><origin xyz='{0} 0 0'/><geometry><sphere radius='0.05'/></geometry></collision>"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ball = BALL.format(0) + BALL.format(0.15)
    (tmp_path / "arm.urdf").write_text(BALLS.replace("{ball}", ball), encoding="utf-8")

    def motion(*rows):
        text = "\n".join(["time,j1,j2", *(",".join(map(str, row)) for row in rows)])
        (tmp_path / "motion.csv").write_text(text, encoding="utf-8")

    return motion


@pytest.mark.slow
def test_a_clean_motion(run, folder):
    folder((0, 0, 0), (1, 0.5, 1), (2, 0.5, 1.5))
    result = run("motion", "check", "arm.urdf", "motion.csv")
    assert result.exit_code == 0
    assert "error" not in result.stdout
    assert "warning" not in result.stdout
    assert result.stdout.splitlines()[-1] == "2 remarks"


@pytest.mark.slow
def test_each_finding_has_its_joint_and_time(run, folder):
    folder((0, 2.5, 0), (1, 2.5, 1), (1.1, 2.5, 3.1))
    result = run("motion", "check", "arm.urdf", "motion.csv")
    assert result.exit_code == 1
    errors = [line for line in result.stdout.splitlines() if ": error: " in line]
    assert errors[:2] == [
        "motion.csv: error: joint 'j2': is 0.1 rad above its limit 3 at t = 1.1 s; outside from t = 1.1 s "
        "[motion-limit]",
        "motion.csv: error: joint 'j2': the velocity is 21 rad/s at t = 1.05 s, above its limit 2 rad/s "
        "[motion-velocity]",
    ]
    assert errors[2:] == ["motion.csv: error: links 'a' and 'c': are in contact at t = 1.1 s [motion-contact]"]


@pytest.mark.slow
def test_options(run, folder):
    folder((0, 0, 0), (1, 10, 20), (2, 20, 30), (3, 30, 30))
    found = json.loads(run("motion", "check", "arm.urdf", "motion.csv", "--deg", "--json").stdout)
    assert found["schema"] == 1
    assert {one["severity"] for one in found["findings"]} == {"info"}
    slow = run("motion", "check", "arm.urdf", "motion.csv", "--deg", "--acceleration", str(math.degrees(0.1)))
    assert slow.exit_code == 1
    assert "joint 'j2': the acceleration is 0.1745 rad/s² at t = 1 s, above its limit 0.1 rad/s²" in slow.stdout
    assert run("motion", "check", "arm.urdf", "motion.csv").exit_code == 1  # degrees as radians
    near = run("motion", "check", "arm.urdf", "motion.csv", "--deg", "--clearance", "0.345")
    assert near.exit_code == 1
    assert "warning: links 'a' and 'c': are" in near.stdout
    assert "mm apart, below the clearance of 345 mm, at t = " in near.stdout
    for more in (("--touch", "a", "--touch", "c"), ("--ignore", "motion-c")):
        left = run("motion", "check", "arm.urdf", "motion.csv", "--deg", "--clearance", "0.345", *more)
        assert "links" not in left.stdout or "no two links" in left.stdout + left.stderr
    for wrong in (("--acceleration", "0"), ("--json", "--output-format", "sarif")):
        assert run("motion", "check", "arm.urdf", "motion.csv", *wrong).exit_code == 2


@pytest.mark.slow
def test_limits_by_number_and_by_joint(run, folder):
    folder((0, 0, 0), (1, 1, 0.5), (2, 2, 1), (3, 3, 1.5), (4, 2, 2))

    def found(*options):
        result = run("motion", "check", "arm.urdf", "motion.csv", "--ignore", "motion-contact", "--json", *options)
        assert result.exit_code in (0, 1), result.stderr
        return [one["element"] for one in json.loads(result.stdout)["findings"] if one["code"] == "motion-velocity"]

    assert found() == found("--velocity", "model") == found("--velocity", "none") == []
    assert found("--velocity", "0.7") == ["joint 'j1'"]
    assert found("--velocity", "j2=0.4") == ["joint 'j2'"]
    assert found("--velocity", "j1=0.9", "--velocity", "j2=0.4") == ["joint 'j1'", "joint 'j2'"]
    folder((0, 0, 0), (0.5, 1.5, 0), (1, 0, 0))
    assert found() == found("--velocity", "model") == ["joint 'j1'"]
    assert found("--velocity", "none") == []
    for wrong, message in (
        (("--velocity", "1", "--velocity", "2"), "'1' is not of the form JOINT=NUMBER"),
        (("--velocity", "j1=-1"), "'-1' is no number above 0"),
        (("--acceleration", "fast"), "'fast' is no number above 0"),
        (("--torque", "j3=1"), "torque has a number for 'j3'"),
        (("--payload", "b"), "'b' is not of the form FRAME=KG"),
        (("--payload", "b=1,2"), "'1,2' is no mass; expected kg from 0"),
        (("--payload", "x=1"), "no frame 'x'"),
    ):
        result = run("motion", "check", "arm.urdf", "motion.csv", *wrong)
        assert result.exit_code == 2
        assert message in result.stderr


@pytest.mark.slow
def test_torques_with_a_payload(run, folder):
    """2 kg held 0.3 m beside an axis that lies: 5.886 N m, and the limit of the model is 9."""
    text = BALLS.replace('xyz="0 0 1"', 'xyz="0 1 0"').replace("{ball}", "")
    inertia = '<inertial><mass value="1e-9"/><inertia ixx="1e-9" iyy="1e-9" izz="1e-9" ixy="0" ixz="0" iyz="0"/>'
    text = text.replace('<link name="c">', f'<link name="c">{inertia}</inertial>')
    with open("arm.urdf", "w", encoding="utf-8") as file:
        file.write(text)
    folder(*((t, 0.0, -1.5707963267948966) for t in range(5)))
    go = ("motion", "check", "arm.urdf", "motion.csv", "--acceleration", "1", "--payload", "c=2", "--json")
    for options, torques in (((), []), (("--torque", "5.8"), ["joint 'j1'"]), (("--torque", "none"), [])):
        findings = json.loads(run(*go, *options).stdout)["findings"]
        assert [one["element"] for one in findings if one["code"] == "motion-torque"] == torques
    assert "the torque is 5.886 N m" in run(*go[:-1], "--torque", "j1=5.8").stdout


def test_codes_that_do_not_exist(run, folder):
    folder((0, 0, 0), (1, 0.5, 1), (2, 0.5, 1.5))
    go = ("motion", "check", "arm.urdf", "motion.csv")
    for wrong in ("nope", "motion-velocities"):
        result = run(*go, "--ignore", "motion-torque", "--ignore", wrong)
        assert result.exit_code == 2
        assert f"error: no code {wrong!r}; " in result.stderr
        assert "'motion-velocity'" in result.stderr
    for right in ("motion-loop", "motion-c", "motion"):
        assert run(*go, "--ignore", right).exit_code == 0


@pytest.mark.slow
def test_how_long_it_takes_is_printed(run, folder):
    """Times in ms are thousand times longer, and ask for a look where no joint is ever fast."""
    slow = "warning: the motion takes {} s, in which no joint is faster than 0.1% of its limit"
    go = ("motion", "check", "arm.urdf", "motion.csv")
    for factor, span, is_slow in ((1, "6.5", False), (1e3, "6500", True), (1e9, "6,500,000,000", True)):
        folder((0, 0, 0), (2e0 * factor, 0.5, 1), (4.5 * factor, 0.5, 1.5), (6.5 * factor, 0.4, 1.5))
        result = run(*go)
        assert f"motion.csv: 4 samples, {span}" in result.stderr
        assert (slow.format(span) in result.stdout) == is_slow
        assert result.exit_code == is_slow
    assert "times in s, if these are in ms or ns" in result.stdout
    assert "samples," not in run(*go, "--json").stderr
    for rows in ([(0, 0, 0), (3500, 0.5, 1)], [(0, 0, 0), (3700, 0, 0)], [(0, 0, 0), (3590, 0, 0), (3700, 1, 1)]):
        folder(*rows)
        assert "ms or ns" not in run(*go).stdout


def test_a_motion_in_another_format(run, folder, tmp_path):
    """A bag as a table, in degrees if asked, and back."""
    pytest.importorskip("mcap")
    folder((0, 0, 30), (1, 45, 60), (2, 90, 90))
    result = run("motion", "convert", "arm.urdf", "motion.csv", "--deg", "-o", "run.mcap")
    assert (result.exit_code, result.stderr) == (0, "wrote run.mcap: 3 samples\n")
    for given, angles in (((), [0.0, math.pi / 4, math.pi / 2]), (("--deg",), [0.0, 45.0, 90.0])):
        result = run("motion", "convert", "arm.urdf", "run.mcap", "-o", "again.csv", "--force", *given)
        assert result.exit_code == 0
        assert result.stderr == "wrote again.csv: 3 samples\n"
        head, *rows = (tmp_path / "again.csv").read_text(encoding="utf-8").splitlines()
        assert head == "time,j1,j2"
        assert [[float(x) for x in row.split(",")][:2] for row in rows] == [
            pytest.approx(pair) for pair in zip((0.0, 1.0, 2.0), angles, strict=True)
        ]
    for target, code in (("again.csv", "exists"), ("run.mcap", "output"), ("arm.urdf", "output"), ("a.bag", "format")):
        more = ("--force",) if code == "output" else ()
        refused = run("motion", "convert", "arm.urdf", "run.mcap", "-o", target, *more)
        assert refused.exit_code == 2
        assert f"[{code}]" in refused.stderr
