"""<attach> and <replicate>: bodies of other models and copies, with all that refers to them."""

import importlib
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import kinetree as kt
from kinetree.model.assemble import build, parts_of
from support import soon

CHILD = """<mujoco model="cc"><compiler angle="radian" eulerseq="ZYX" meshdir="shapes"/>
<default><geom size=".2"/><joint damping="3"/><motor gear="5"/><default class="k"><geom size=".3"/></default>
      </default>
<asset><mesh file="m.stl"/></asset>
<worldbody>
  <geom name="floor" type="plane" size="1 1 1"/>
  <frame pos="0 0 1" name="fr" childclass="k"><body name="b" pos="1 0 0" euler=".1 .2 .3"><joint name="j"/><geom/>
    <site name="s"/><camera name="c" mode="targetbody" target="b"/></body></frame>
  <body name="p" pos="5 0 0" childclass="k"><geom class="main"/>
    <body name="q" pos="1 0 0"><joint name="jq" range="-1 1"/><geom/></body></body>
</worldbody>
<contact><exclude body1="world" body2="q"/></contact>
<equality><joint joint1="jq" joint2="j" polycoef="0.5 2 0 0 0"/></equality>
<tendon><fixed name="t" range="0 1"><joint joint="j" coef="1"/></fixed></tendon>
<actuator><motor name="m" joint="j"/><motor name="mt" tendon="t"/><motor name="mq" joint="jq" class="k"/></actuator>
<sensor><gyro name="g" site="s"/><actuatorfrc name="f" actuator="mt"/>
      <framepos name="w" objtype="body" objname="q"/></sensor>
</mujoco>"""
TEXT = """<mujoco><asset><model name="c" file="sub/c.xml"/></asset><default><geom size=".05"/></default>
<worldbody>{body}</worldbody>{more}</mujoco>"""


def load(folder: Path, body: str, more: str = "", **files: str) -> kt.Robot:
    (folder / "sub").mkdir(exist_ok=True)
    for name, text in ({"c": CHILD} | files).items():
        (folder / "sub" / f"{name}.xml").write_text(text)
    file = folder / "m.xml"
    file.write_text(TEXT.format(body=body, more=more))
    return kt.load(file)


def masses(robot: kt.Robot) -> dict[str, float]:
    return {
        name: round(link.inertial.mass / 4000 * 3 / np.pi, 9) for name, link in robot.links.items() if link.inertial
    }


def kept(robot: kt.Robot) -> str:
    return "".join(extension.text for extension in robot.extensions)


def test_a_body_brings_its_class_its_compiler_and_what_refers_to_it_alone(tmp_path):
    robot = load(tmp_path, '<frame pos="0 0 7"><attach model="c" body="b" prefix="x_"/></frame>')
    assert list(robot.links) == ["world", "x_b"]
    joint = robot.joints["x_j"]
    assert_allclose(joint.origin[:3, 3], [1, 0, 7], atol=1e-15)  # without the frame around the body in its model
    R = kt.load(CHILD, format="mjcf").joints["j"].origin[:3, :3]
    assert_allclose(joint.origin[:3, :3], R)
    assert joint.dynamics[0].damping == 3
    assert masses(robot) == {"x_b": 0.027}  # the class of the frame around it
    assert [limit.name for limit in robot.coupled_limits] == ["x_t"]
    assert list(robot.sensors) == ["x_g"]
    assert [name in kept(robot) for name in ('"x_m"', '"x_mt"', '"x_f"', "mq", '"x_w"')] == [
        True,
        True,
        True,
        False,
        False,
    ]
    assert '<default class="x_main">' in kept(robot)
    assert 'class="x_main"' in kept(robot).partition("<actuator")[2]


def test_the_world_of_another_model_as_a_body(tmp_path):
    body = '<body name="z" pos="1 2 3"><geom/><attach model="c" body="world" prefix="x_"/></body>'
    world = load(tmp_path, body)
    assert list(world.links) == ["world", "z", "x_world", "x_b", "x_p", "x_q"]
    joint = next(joint for joint in world.joints.values() if joint.child == "x_world")
    assert (joint.parent, joint.type) == ("z", "fixed")
    assert [shape.name for shape in world.links["x_world"].collisions] == ["x_floor"]
    assert world.joints["x_j"].parent == "x_world"
    assert 'body1="x_world" body2="x_q"' in kept(world)
    both = load(tmp_path, body.replace("<geom/>", '<geom/><attach model="c" body="b" prefix="y_"/>'))
    assert {"y_b", "x_world"} <= {*both.links}
    assert both.joints["y_j"].parent == "z"
    weld = '<equality><weld body1="q" body2="world"/></equality><contact>'
    fixed = load(tmp_path, body, c=CHILD.replace("<contact>", weld))
    assert "world" in {end for loop in fixed.loops.values() for end in (loop.parent, loop.child)}
    with pytest.raises(kt.KinetreeError, match="expected a prefix"):
        load(tmp_path, '<attach model="c" body="world" prefix=""/>')
    with pytest.raises(kt.KinetreeError, match="body 'world' does not exist in the model"):
        load(tmp_path, '<attach body="world" prefix="x_"/>')


def test_a_frame_and_a_whole_world(tmp_path):
    frame = load(tmp_path, '<body name="z"><geom/><attach model="c" frame="fr" prefix="x_"/></body>')
    assert_allclose(frame.joints["x_j"].origin[:3, 3], [1, 0, 1], atol=1e-15)
    assert frame.joints["x_j"].parent == "z"
    assert masses(frame) == {"z": round(0.05**3, 9), "x_b": 0.027}
    world = load(tmp_path, '<attach model="c" prefix="x_"/>')
    assert list(world.links) == ["world", "x_b", "x_p", "x_q"]
    assert masses(world) == {"x_b": 0.027, "x_p": 0.008, "x_q": 0.027}
    assert world.joints["x_jq"].mimic == kt.load(CHILD, format="mjcf").joints["jq"].mimic.__class__("x_j", 2.0, 0.5)
    assert world.joints["x_jq"].limit.upper == 1
    assert [shape.name for shape in world.links["world"].collisions] == ["x_floor"]
    assert 'body1="world" body2="x_q"' in kept(world)
    assert '"x_b"' in world.links["x_b"].extensions[-1].text  # the target of the camera


def test_files_of_an_attached_model_are_beside_it(tmp_path):
    child = """<mujoco><compiler meshdir="shapes"/><asset><mesh file="m.stl"/></asset><worldbody>
      <body name="b"><geom type="mesh" mesh="m"/></body></worldbody></mujoco>"""
    robot = load(tmp_path, '<attach model="c" prefix="x_"/>', c=child)
    assert robot.links["x_b"].collisions[0].shape.parameters["filename"] == "sub/shapes/m.stl"


def test_a_model_of_this_file_is_attached_with_what_refers_to_it(tmp_path):
    body = '<body name="z" pos="0 1 0"><joint name="jz"/><geom/></body><attach body="z" prefix="y_"/>'
    more = """<tendon><fixed name="t" range="0 1"><joint joint="jz" coef="1"/></fixed></tendon><actuator>
      <motor name="m" tendon="t"/></actuator>"""
    robot = load(tmp_path, body, more)
    assert list(robot.links) == ["world", "z", "y_z"]
    assert [(limit.name, *limit.coefficients) for limit in robot.coupled_limits] == [("t", "jz"), ("y_t", "y_jz")]
    assert 'name="y_m" tendon="y_t"' in kept(robot)


def test_models_within_models_may_have_no_prefix(tmp_path):
    """The case p.xml of public reports: both have a class of one name."""
    inner = """<mujoco><default><default class="v"><geom size=".07"/></default></default><worldbody>
      <body name="tip"><joint name="t"/><geom class="v"/></body></worldbody></mujoco>"""
    middle = """<mujoco><default><default class="v"><geom size=".05"/></default></default><asset>
      <model name="h" file="h.xml"/></asset>
      <worldbody><body name="hand"><joint name="f"/><geom class="v"/><frame pos="1 0 0">
      <attach model="h" prefix=""/></frame></body></worldbody></mujoco>"""
    robot = load(tmp_path, '<frame><attach model="c" prefix=""/></frame>', c=middle, h=inner)
    assert masses(robot) == {"hand": round(0.05**3, 9), "tip": round(0.07**3, 9)}
    assert robot.joint_names == ("f", "t")
    again = kt.load(kt.text(kt.edit.rename(robot, links={"tip": "end"}), "mjcf"), format="mjcf")
    assert masses(again) == {"hand": round(0.05**3, 9), "end": round(0.07**3, 9)}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('<attach model="c" body="b"/>', "prefix=… is missing"),
        ('<attach prefix="x_"/>', "expected body=… or frame=…"),
        ('<attach model="c" body="b" frame="fr" prefix=""/>', "expected body=… or frame=…"),
        ('<attach model="d" prefix=""/>', "model 'd' is not in <asset>; there is only 'c'"),
        ('<attach model="c" body="bb" prefix=""/>', "body 'bb' does not exist in the model; did you mean 'b'"),
        ('<attach model="c" frame="b" prefix=""/>', "frame 'b' does not exist in the model"),
    ],
)
def test_what_cannot_be_attached_is_an_error(body, said, tmp_path):
    with pytest.raises(kt.KinetreeError) as error:
        load(tmp_path, body)
    (finding,) = error.value.findings
    assert finding.code == "attach"
    assert said in finding.message


AGAIN = (
    '<mujoco><asset><model name="c" file="{}"/></asset><worldbody><attach model="c" prefix=""/></worldbody></mujoco>'
)


@pytest.mark.parametrize(
    ("child", "code", "said"),
    [
        ("<robot/>", "attach", "its root element is not <mujoco>"),
        (AGAIN.format("c.xml"), "attach", "attaches itself"),
        (AGAIN.format("d.xml"), "include-not-found", "'d.xml'"),
    ],
)
def test_a_model_that_cannot_be_opened_is_an_error(child, code, said, tmp_path):
    with pytest.raises(kt.KinetreeError) as error:
        load(tmp_path, '<attach model="c" prefix="x_"/>', c=child)
    assert (error.value.findings[0].code, said in error.value.findings[0].message) == (code, True)


def test_sections_without_a_place_are_left_out_with_a_warning(tmp_path):
    child = """<mujoco model="own"><worldbody><body name="b"><geom size="1"/></body></worldbody><keyframe>
      <key/></keyframe></mujoco>"""
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "c.xml").write_text(child)
    text = """<mujoco><asset><model file="sub/c.xml"/></asset><worldbody><attach model="own" prefix=""/>
      </worldbody></mujoco>"""
    (tmp_path / "m.xml").write_text(text)  # the model has the name that its own file says
    (note,) = kt.load(tmp_path / "m.xml").notes
    assert (note.code, note.message) == ("left-out", "sections of the attached model are left out: <keyframe>")


def test_a_model_with_a_name_in_asset_is_not_found_by_the_name_in_its_file(tmp_path):
    """As in MuJoCo: the name of the file counts only without another."""
    for file, body in (("d", "wrong"), ("c", "right")):
        text = f'<mujoco model="c"><worldbody><body name="{body}"><geom size="1"/></body></worldbody></mujoco>'
        (tmp_path / f"{file}.xml").write_text(text)
    text = """<mujoco><asset><model name="d" file="d.xml"/><model name="c" file="c.xml"/></asset><worldbody>
      <attach model="c" prefix=""/></worldbody></mujoco>"""
    (tmp_path / "m.xml").write_text(text)
    assert list(kt.load(tmp_path / "m.xml").links) == ["world", "right"]


def test_everything_that_names_a_replicated_part_is_replicated(tmp_path):
    body = """<site name="top"/><replicate count="2" sep="-" offset="1 0 0"><body name="z"><joint name="j"/>
      <geom/><site name="s"/>
      <replicate count="2"><body name="y"><joint name="k"/><geom/></body></replicate></body></replicate>"""
    more = """<tendon><spatial name="rope"><site site="top"/><site site="s"/></spatial>
      <fixed name="t" range="0 1"><joint joint="k" coef="2"/></fixed></tendon>
      <equality><joint joint1="k" joint2="j"/></equality><contact><exclude body1="z" body2="y"/></contact>
      <actuator><motor name="m" tendon="rope"/></actuator><sensor><actuatorfrc name="f" actuator="m"/></sensor>"""
    robot = load(tmp_path, body, more)
    assert robot.joint_names == ("j-0", "j-1")
    assert {name: joint.mimic.joint for name, joint in robot.joints.items() if joint.mimic} == {
        f"k{inner}-{outer}": f"j-{outer}" for inner in (0, 1) for outer in (0, 1)
    }
    assert [limit.name for limit in robot.coupled_limits] == ["t0-0", "t0-1", "t1-0", "t1-1"]
    for part in (
        'site="top"',
        'site="s-0"',
        'name="rope-1"',
        'name="m-1" tendon="rope-1"',
        'actuator="m-0"',
        'body1="z-1" body2="y0-1"',
    ):
        assert part in kept(robot)


def test_no_replica_takes_along_what_refers_to_it(tmp_path):
    for count in ("0", "-1"):
        inside = '<body name="b"><joint name="j"/><geom/></body>'
        body = f'<body name="o"><geom/></body><replicate count="{count}">{inside}</replicate>'
        robot = load(tmp_path, body, '<actuator><motor joint="j"/></actuator>')
        assert [*robot.links] == ["world", "o"]
        assert "motor" not in kept(robot)
    with pytest.raises(kt.KinetreeError, match="needs count=…, a whole number"):
        load(tmp_path, body.replace('"-1"', '"1.5"'))


def test_a_joint_alone_cannot_be_replicated(tmp_path):
    with pytest.raises(kt.KinetreeError, match=r"<joint> cannot be replicated; expected a <body> around it"):
        load(tmp_path, '<body name="b"><geom/><replicate count="2"><joint name="j"/></replicate></body>')


@pytest.mark.slow
def test_a_file_that_attaches_itself_again_and_again_is_refused(tmp_path):
    body = '<body name="a0"><geom/></body>' + "".join(
        f'<body name="a{i}"><geom/><attach body="a{i - 1}" prefix="l_"/><attach body="a{i - 1}" prefix="r_"/></body>'
        for i in range(1, 40)
    )
    with pytest.raises(kt.KinetreeError) as error:
        load(tmp_path, body)
    assert {finding.code for finding in error.value.findings} == {"xml-size"}
    chain = {f"m{i}": AGAIN.format(f"m{i + 1}.xml") for i in range(60)}
    with pytest.raises(kt.KinetreeError, match="nested too deep"):
        load(tmp_path, '<attach model="c" prefix=""/>', c=AGAIN.format("m0.xml"), **chain)


@pytest.mark.slow
@pytest.mark.nightly
def test_many_replicas_with_users_take_seconds(tmp_path):
    body = "".join(
        f'<replicate count="2"><body name="b{i}"><joint name="j{i}"/><geom/></body></replicate>' for i in range(3000)
    )
    more = "".join(f'<motor joint="j{i}"/>' for i in range(3000))
    assert soon(20, lambda: load(tmp_path, body, f"<actuator>{more}</actuator>")).nq == 6000


def options_of(folder, own, theirs, conflict=""):
    """Return the <option> of a model that attaches one with options, and the notes about it."""
    (folder / "c.xml").write_text(f'<mujoco model="c">{theirs}<worldbody><body name="b"/></worldbody></mujoco>')
    policy = f'<compiler conflict="{conflict}"/>' if conflict else ""
    (folder / "m.xml").write_text(
        f'<mujoco>{policy}{own}<asset><model name="c" file="c.xml"/></asset><worldbody>'
        '<attach model="c" prefix="x_"/><attach model="c" prefix="y_"/></worldbody></mujoco>'
    )
    robot = kt.load(folder / "m.xml")
    return kept(robot), [note.message for note in robot.notes if note.code == "left-out"]


GRAVITY, OTHER = '<option gravity="0 0 -1"/>', '<option gravity="0 0 -2"/>'


class TestOptionsOfAttachedModels:
    """As in MuJoCo 4; tests/crosscheck compares with its compiled model."""

    def test_they_have_no_effect_by_default_with_a_note(self, tmp_path):
        made, notes = options_of(tmp_path, "", GRAVITY)
        assert "gravity" not in made
        default = "this model has MuJoCo's default, '0 0 -9.81', which MuJoCo keeps"
        assert notes == [f"gravity='0 0 -1' of <option> in the attached model has no effect: {default}"]
        made, notes = options_of(tmp_path, OTHER, GRAVITY, "warning")
        assert 'gravity="0 0 -2"' in made
        assert notes[0].endswith("this model has '0 0 -2', which MuJoCo keeps")
        assert options_of(tmp_path, GRAVITY, '<option gravity="0  0 -1.0"/>')[1] == []
        assert options_of(tmp_path, "", '<option gravity="0 0 -9.81"/>')[1] == []
        made, notes = options_of(tmp_path, "", '<option><flag contact="disable" energy="disable"/></option>')
        assert "contact" not in made
        assert len(notes) == 1

    def test_merged(self, tmp_path):
        made, notes = options_of(tmp_path, "", GRAVITY, "merge")
        assert ('gravity="0 0 -1"' in made, notes) == (True, [])
        least = '<option timestep="0.003" iterations="9"/>', '<option timestep="0.001" iterations="10"/>'
        for own, theirs in (least, least[::-1]):
            made, _ = options_of(tmp_path, own, theirs, "merge")
            assert 'timestep="0.001"' in made
            assert 'iterations="10"' in made
        flags = (
            '<option><flag contact="disable"/></option>',
            '<option><flag contact="enable" energy="enable"/></option>',
        )
        for own, theirs in (flags, flags[::-1]):
            made, _ = options_of(tmp_path, own, theirs, "merge")
            assert 'contact="disable"' in made
            assert 'energy="enable"' in made
        made, _ = options_of(tmp_path, least[0], '<option><flag contact="disable"/></option>', "merge")
        assert ('timestep="0.003"' in made, 'contact="disable"' in made) == (True, True)
        made, _ = options_of(tmp_path, '<option density="1"/><option timestep="0.003"/>', least[1], "merge")
        assert made.count('timestep="0.001"') == 1
        assert "0.003" not in made
        groups = '<option actuatorgroupdisable="1 3"/>', '<option actuatorgroupdisable="1 2"/>'
        assert 'actuatorgroupdisable="1 3 2"' in options_of(tmp_path, *groups, "merge")[0]

    @pytest.mark.parametrize("conflict", ["error", "merge"])
    def test_two_different_ones_are_refused(self, tmp_path, conflict):
        message = f"has gravity='0 0 -1', this one has '0 0 -2'; conflict='{conflict}' refuses"
        with pytest.raises(kt.KinetreeError, match=message):
            options_of(tmp_path, OTHER, GRAVITY, conflict)
        assert options_of(tmp_path, OTHER, OTHER, conflict)[1] == []

    @pytest.mark.parametrize("own", ["", '<option gravity="0 0 -1"/>'])
    def test_a_file_with_errors_is_refused_after_a_merge(self, tmp_path, own):
        theirs = '<option gravity="0 0 -1"><flag contact="disable"/></option>'
        with pytest.raises(kt.KinetreeError, match="joint 'gone' does not exist"):
            options_of(
                tmp_path, f'{own}<tendon><fixed><joint joint="gone" coef="1"/></fixed></tendon>', theirs, "merge"
            )

    def test_error_refuses_only_what_both_have(self, tmp_path):
        assert len(options_of(tmp_path, "", GRAVITY, "error")[1]) == 1

    def test_other_sections_and_unknown_policies(self, tmp_path):
        notes = options_of(tmp_path, "", '<size nkey="3"/><visual><map znear="1"/></visual><statistic/>')[1]
        assert notes == ["<size>, <visual> of the attached model has no effect on this one"]
        with pytest.raises(kt.KinetreeError, match="conflict='child'; expected warning, merge, error"):
            options_of(tmp_path, "", GRAVITY, "child")


def test_a_file_without_anything_to_expand_is_read_once(tmp_path, monkeypatch):
    read = importlib.import_module("kinetree.formats.mjcf.read")
    calls = []
    monkeypatch.setattr(read, "read_bodies", lambda *a, own=read.read_bodies: (calls.append(1), own(*a)))
    (tmp_path / "c.xml").write_text('<mujoco><option wrong="1"/><worldbody><body name="b"/></worldbody></mujoco>')
    robot = kt.load(tmp_path / "c.xml", expand="mujoco")
    assert (len(calls), list(robot.links)) == (1, ["world", "b"])
    assert [n.message for n in robot.notes] == [n.message for n in kt.load(tmp_path / "c.xml").notes]


def test_only_elements_that_have_classes_get_that_of_their_model(tmp_path):
    """MuJoCo refuses a class on these. <exclude> has none either, as sensors have none."""
    more = """<asset><texture name="t" type="2d" builtin="flat" width="8" height="8"/>
      <hfield name="h" nrow="2" ncol="2" size="1 1 1 1" elevation="0 0 0 1"/><material name="m" texture="t"/></asset>
      <contact><exclude body1="b" body2="q"/><pair geom1="floor" geom2="g2"/></contact></mujoco>"""
    child = CHILD.replace('<geom class="main"/>', '<geom class="main" name="g2"/>').replace("</mujoco>", more)
    robot = load(tmp_path, '<attach model="c" prefix="x_"/>', c=child)
    written = ET.fromstring(kt.text(build(parts_of(robot)), "mjcf"))
    for tag in ("texture", "hfield", "exclude"):
        assert {"class" in one.attrib for one in written.iter(tag)} == {False}
    assert [one.get("class") for one in written.iter("pair")] == ["x_main"]
    assert not [one.tag for one in written.find("sensor") if "class" in one.attrib]
