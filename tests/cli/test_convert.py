"""`kinetree convert`: what is written, and when nothing is."""

import pytest

import kinetree as kt
from support import put

GROUND = "<robot name='r'><link name='a'/></robot>"


def test_a_file_is_written(run, mixed, tmp_path):
    out = tmp_path / "out.urdf"
    result = run("convert", mixed, out)
    assert result.exit_code == 0
    assert result.stdout == ""
    assert f"wrote {out}" in result.stderr
    assert "notes on what was read: 1;" in result.stderr
    assert out.read_text() == mixed.read_text()


def test_to_the_standard_output(run, tmp_path):
    path = tmp_path / "r.urdf"
    path.write_bytes(b"<robot name='r'>\r\n<link name='\xc3\xa9'/></robot>")  # to the letter, line ends too
    result = run("convert", path, "-", "--to", "urdf")
    assert result.exit_code == 0
    assert result.stdout_bytes == path.read_bytes()
    assert result.stderr == ""


def test_the_ending_may_be_anything_with_to(run, mixed, tmp_path):
    out = tmp_path / "out.robot"
    assert run("convert", mixed, out, "--to", "urdf").exit_code == 0
    assert kt.load(out, format="urdf").name == "mixed"


def test_a_part_may_be_left_out(run, mixed, tmp_path):
    out = tmp_path / "out.urdf"
    assert run("convert", mixed, out, "--without", "sensor", "--without", "extension").exit_code == 0
    robot = kt.load(out)
    assert not robot.sensors
    assert not robot.extensions
    assert list(robot.joints) == list(kt.load(mixed).joints)


def test_nothing_is_overwritten_unless_forced(run, mixed, tmp_path):
    out = tmp_path / "out.urdf"
    out.write_text("precious")
    result = run("convert", mixed, out)
    assert result.exit_code == 2
    assert "exists already" in result.stderr
    assert out.read_text() == "precious"
    assert run("convert", mixed, out, "--force").exit_code == 0
    assert out.read_text() == mixed.read_text()


def test_all_losses_are_listed_and_nothing_is_written(run, monkeypatch, mixed, tmp_path):
    from kinetree.errors import Finding, KinetreeError

    words = [letter * 3 for letter in "abcdefghijklmnopqrstuvwxyz"]

    def refuse(robot, path, **_):
        raise KinetreeError([Finding("cannot-say-frame", "error", f"a loss of the {word}") for word in words])

    monkeypatch.setattr("kinetree.cli.convert.save", refuse)
    result = run("convert", mixed, tmp_path / "out.urdf")
    assert result.exit_code == 2
    *losses, more = result.stderr.splitlines()
    assert losses == [f"error: a loss of the {word} [cannot-say-frame]" for word in words]
    assert more == "More about cannot-say-frame: https://kinetree.github.io/kinetree/latest/e/cannot-say-frame"
    assert not (tmp_path / "out.urdf").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-",), "pass --to FORMAT"),
        (("out.abc",), "cannot write 'out.abc'"),
        (("out.urdf", "--to", "abc"), "Invalid value for '--to'"),
        (("out.urdf", "--without", "joint"), "Invalid value for '--without'"),
        (("nowhere/out.urdf",), "the folder nowhere does not exist"),
    ],
)
def test_what_is_wrong_is_said(run, mixed, monkeypatch, tmp_path, arguments, said):
    monkeypatch.chdir(tmp_path)
    result = run("convert", mixed, *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert said in result.stderr
    assert list(tmp_path.iterdir()) == [mixed]


def test_what_is_written_has_the_limits_asked_for(run, tmp_path):
    leg, out = tmp_path / "leg.urdf", tmp_path / "out.urdf"
    leg.write_text(
        "<robot name='leg'><link name='a'/><link name='b'/><joint name='l_knee' type='revolute'><parent link='a'/>"
        "<child link='b'/><axis xyz='0 1 0'/><limit lower='-2' upper='0' velocity='1' effort='9'/></joint></robot>"
    )
    assert run("convert", leg, out, "--limits", "iCubGenova02").exit_code == 0
    limit = kt.load(out).joints["l_knee"].limit
    assert (limit.lower, limit.upper, limit.effort) == (pytest.approx(-100 * 3.141592653589793 / 180), 0, 9)


@pytest.mark.slow
def test_a_note_names_its_element(run, tmp_path):
    result = run("convert", "icub", tmp_path / "icub.xml")
    assert "note: sensor 'l_arm_ft': measures what the child link exerts" in result.stderr


ROW = """<robot name='row'><link name='a'>{0}</link><link name='b'>{0}</link><link name='c'>{0}</link>
<joint name='ab' type='continuous'><parent link='a'/><child link='b'/>{1}</joint>
<joint name='bc' type='continuous'><parent link='b'/><child link='c'/>{1}</joint>
</robot>""".format(
    "<collision><geometry><box size='0.1 0.02 0.02'/></geometry></collision>",
    "<origin xyz='0.15 0 0'/><axis xyz='0 0 1'/>",
)


@pytest.fixture
def row(tmp_path):
    (tmp_path / "row.urdf").write_text(ROW)
    return tmp_path / "row.urdf"


@pytest.mark.slow
def test_planners_get_spheres_and_their_evidence_is_printed(run, row, tmp_path):
    result = run("convert", row, tmp_path / "row.xrdf")
    assert result.exit_code == 0
    assert "beyond them (proved)." in result.stderr
    assert "are false alarms." in result.stderr
    read = kt.load(row, srdf=tmp_path / "row.xrdf").semantic
    assert [one.link for one in read.sphere_approximations] == ["a", "b", "c"]
    assert [(one.link1, one.link2) for one in read.disabled_collisions] == [("a", "b"), ("b", "c")]
    finer = run("convert", row, "-", "--to", "curobo", "--slack", "4mm")
    assert finer.stdout.count("center") > sum(len(one.spheres) for one in read.sphere_approximations)
    other = run("convert", row, tmp_path / "other.xrdf", "--srdf", tmp_path / "row.xrdf")
    assert "proved" not in other.stderr  # its own spheres stay
    assert kt.load(row, srdf=tmp_path / "other.xrdf").semantic == read


def test_a_urdf_of_spheres(run, row, tmp_path):
    assert run("convert", row, tmp_path / "balls.urdf", "--slack", "2cm").exit_code == 0
    shapes = [one.shape.kind for link in kt.load(tmp_path / "balls.urdf").links.values() for one in link.collisions]
    assert {*shapes} == {"sphere"}
    assert run("convert", row, tmp_path / "same.urdf").exit_code == 0
    assert "sphere" not in (tmp_path / "same.urdf").read_text()


def test_pairs_that_touch_are_excluded_on_request(run, row, tmp_path):
    assert run("convert", row, tmp_path / "row.xml", "--exclude").exit_code == 0
    assert (tmp_path / "row.xml").read_text().count("<exclude") == 2
    assert run("convert", row, tmp_path / "bare.xml").exit_code == 0
    assert "<exclude" not in (tmp_path / "bare.xml").read_text()


def test_actuators_are_given_on_request_and_their_gains_are_printed(run, drone, tmp_path):
    result = run("convert", drone, tmp_path / "arm.xml", "--actuators", "position")
    saved = kt.load(tmp_path / "arm.xml")
    assert {one.kind for one in saved.actuators.values()} == {"position"}
    head, *lines = result.stderr.partition("actuator ")[2].splitlines()
    assert head.split()[:5] == ["kind", "kp", "kv", "force", "sag"]
    for one, line in zip(saved.actuators.values(), lines, strict=False):
        name, kind, kp, kv, *_ = line.split()
        assert (name, kind) == (one.name, "position")
        assert float(kp.replace(",", "")) == pytest.approx(one.kp, rel=5e-3)
        assert float(kv.replace(",", "")) == pytest.approx(one.kv, rel=5e-3)
    assert "<actuator>" in run("convert", drone, "-", "--to", "mjcf", "--actuators", "motor").stdout
    refused = run("convert", drone, tmp_path / "arm.sdf", "--actuators", "motor")
    assert (refused.exit_code, "only MJCF has actuators" in refused.stderr) == (2, True)


def test_options_of_spheres_that_mean_nothing(run, row, tmp_path):
    result = run("convert", row, tmp_path / "row.sdf", "--exclude")
    assert (result.exit_code, "only MJCF has pairs that are excluded" in result.stderr) == (2, True)
    for slack in ("5 km", "1.2.3mm", "mm", "5ms", "5MM"):
        result = run("convert", row, tmp_path / "row.xrdf", f"--slack={slack}")
        assert result.exit_code == 2
        assert f"'{slack}' is no length; expected m, or a number with its unit" in result.stderr
    for slack in ("0mm", "-5mm"):
        assert "expected a distance above 0, m" in run("convert", row, tmp_path / "row.xrdf", f"--slack={slack}").stderr


WEAK = """<robot name="r"><link name="a"/><link name="b"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1.6" effort="{}" velocity="1"/></joint></robot>"""
HOME = """<robot name="r"><group name="g"><joint name="j"/></group>
<group_state name="home" group="g"><joint name="j" value="{}"/></group_state></robot>"""


@pytest.mark.parametrize(
    ("effort", "home", "sag"), [(0.5, 0.0, "too weak to hold"), (9, 0.0, "0.00248"), (0.5, 1.5707963267948966, "")]
)
def test_the_sag_is_that_at_home_and_of_a_servo_that_is_strong_enough(run, tmp_path, effort, home, sag):
    """1 kg at 0.2 m: 1.962 N m when level; kp = (2 pi 20 Hz)² 0.05 kg m²."""
    put(tmp_path / "r.urdf", WEAK.format(effort))
    put(tmp_path / "r.srdf", HOME.format(home))
    more = ("--actuators", "position", "--srdf", tmp_path / "r.srdf")
    result = run("convert", tmp_path / "r.urdf", tmp_path / "r.xml", *more)
    line = next(line for line in result.stderr.splitlines() if line.startswith("j "))
    assert line.endswith(sag) if sag else float(line.split()[-1]) < 1e-8


def test_a_robot_without_shapes_has_no_pairs_to_exclude(run, tmp_path):
    put(tmp_path / "r.urdf", WEAK.format(9))
    result = run("convert", tmp_path / "r.urdf", tmp_path / "r.xml", "--exclude")
    assert result.exit_code == 0
    assert "no link has a collision shape, so that no pairs are excluded" in result.stderr


STACK = """<robot name="stack">{}
  <joint name="ab" type="continuous"><parent link="a"/><child link="b"/></joint>
  <joint name="bc" type="continuous"><parent link="b"/><child link="c"/><origin xyz="0 0 {}"/></joint></robot>"""
BLOCK = """<link name="{}"><inertial><mass value="1"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><box size="1 1 1"/></geometry></collision></link>"""


@pytest.mark.slow
def test_links_that_touch_at_home_are_a_reason_to_exclude(run, tmp_path):
    hint = "note: links touch at home and push each other away in MuJoCo; --exclude excludes them: a and c"
    for up, options, is_said in ((0.5, (), True), (2.5, (), False), (0.5, ("--exclude",), False)):
        text = STACK.format("".join(map(BLOCK.format, "abc")), up)
        file = put(tmp_path / "stack.urdf", text)
        result = run("convert", file, tmp_path / "s.xml", "--actuators", "position", "--force", *options)
        assert result.exit_code == 0
        assert (hint in result.stderr.replace("\n", " ")) == is_said, result.stderr
