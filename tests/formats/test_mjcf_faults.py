"""MJCF, refused: every fault with its code and its place."""

import pytest

import kinetree as kt
from each import each
from kinetree.formats.mjcf import read
from support import in_words

FAULTS = {
    "not-mjcf": "<robot/>",
    "no-model": "<mujoco><body name='b'/></mujoco>",
    "xml-doctype": "<!DOCTYPE mujoco><mujoco/>",
    "coordinate": "<mujoco><compiler coordinate='global'/><worldbody/></mujoco>",
    "eulerseq": "<mujoco><compiler eulerseq='xyq'/><worldbody/></mujoco>",
    "keyword": "<mujoco><compiler angle='grad'/><worldbody/></mujoco>",
    "include-not-found": "<mujoco><include file='missing.xml'/></mujoco>",
    "default-class": "<mujoco><default><default><joint/></default></default><worldbody/></mujoco>",
    "unknown-class": "<mujoco><worldbody><body name='a' childclass='nobody'/></worldbody></mujoco>",
    "duplicate-name": "<mujoco><worldbody><body name='a'/><body name='a'/></worldbody></mujoco>",
    "number": "<mujoco><worldbody><body name='a' pos='0 nan 0'/></worldbody></mujoco>",
    "zero-quaternion": "<mujoco><worldbody><body name='a' quat='0 0 0 0'/></worldbody></mujoco>",
    "two-rotations": "<mujoco><worldbody><body name='a' quat='1 0 0 0' euler='1 0 0'/></worldbody></mujoco>",
    "zero-axis": "<mujoco><worldbody><body name='a'><joint axis='0 0 0'/></body></worldbody></mujoco>",
    "zero-vector": "<mujoco><worldbody>"
    "<body><geom type='box' size='1' fromto='0 0 0 0 0 0'/></body></worldbody></mujoco>",
    "fromto": "<mujoco><worldbody>"
    "<body><geom type='sphere' size='1' fromto='0 0 0 1 1 1'/></body></worldbody></mujoco>",
    "size": "<mujoco><worldbody><body><geom type='box' size='1 1'/></body></worldbody></mujoco>",
    "world": "<mujoco><worldbody><joint/></worldbody></mujoco>",
    "joint-order": "<mujoco><worldbody><body><body><freejoint/></body></body></worldbody></mujoco>",
    "range": "<mujoco><worldbody><body><joint range='2 1' limited='true'/></body></worldbody></mujoco>",
    "autolimits": "<mujoco><compiler autolimits='false'/>"
    "<worldbody><body><joint range='1 2'/></body></worldbody></mujoco>",
    "unknown-joint": "<mujoco><worldbody><body name='a'/></worldbody><equality><joint joint1='x'/></equality></mujoco>",
    "not-supported": "<mujoco><worldbody><composite type='cable'/></worldbody></mujoco>",
    "xml-size": "<mujoco><worldbody><replicate count='1e9'><body/></replicate></worldbody></mujoco>",
    "missing-attribute": "<mujoco><worldbody><body><inertial mass='1'/></body></worldbody></mujoco>",
    "negative-mass": "<mujoco><worldbody><body><geom size='1' mass='-1'/></body></worldbody></mujoco>",
}


@each("code", FAULTS)
def test_a_fault_is_refused_with_its_place(code):
    robot, findings = read(FAULTS[code], "bad.xml")
    assert robot is None
    fault = next(f for f in findings if f.severity == "error")
    assert fault.code == code
    assert fault.source.file == "bad.xml"
    assert fault.source.line == 1
    assert fault.source.column is not None
    assert "~" in fault.excerpt or "^" in fault.excerpt


def test_all_faults_are_named_at_once():
    text = "<mujoco>\n<worldbody>\n<body quat='0 0 0 0'/>\n<body pos='1'/>\n</worldbody>\n</mujoco>"
    _, findings = read(text, "bad.xml")
    assert [(f.code, f.source.line) for f in findings if f.severity == "error"] == [
        ("zero-quaternion", 3),
        ("number", 4),
    ]


TWO = """<mujoco><worldbody><body><joint name='a'/><joint name='b'/><joint name='c' type='ball'/></body></worldbody>
%s</mujoco>"""


@each(
    "inner, code",
    [
        ("<equality><joint joint1='a' joint2='a'/></equality>", "mimic"),
        ("<equality><joint joint1='a' joint2='c'/></equality>", "joint-type"),
        ("<equality><joint joint1='a' joint2='z'/></equality>", "unknown-joint"),
        (
            "<worldbody><body><joint name='a' ref='1' type='ball'/><joint name='a' type='free'/></body></worldbody>",
            "joint-order",
        ),
        ("<tendon><fixed range='0 1'><joint joint='z' coef='1'/></fixed></tendon>", "unknown-joint"),
        ("<tendon><fixed range='0 1'><joint joint='a'/></fixed></tendon>", "missing-attribute"),
    ],
)
def test_what_ties_joints_wrongly_is_refused(inner, code):
    robot, findings = read(TWO % inner, "bad.xml")
    assert robot is None
    assert code in [f.code for f in findings if f.severity == "error"]


def test_a_sensor_on_a_replica_is_replicated():
    text = "<mujoco><worldbody><replicate count='2'><site name='s'/></replicate></worldbody>"
    robot, _ = read(f"{text}<sensor><gyro name='g' site='s'/></sensor></mujoco>", "good.xml")
    assert {name: sensor.frame for name, sensor in robot.sensors.items()} == {"g0": "s0", "g1": "s1"}


def test_a_sensor_beside_replicas_is_taken():
    text = "<mujoco><worldbody><site name='s'/><replicate count='2'><site name='t'/></replicate></worldbody>"
    robot, findings = read(f"{text}<sensor><gyro name='g' site='s'/></sensor></mujoco>", "good.xml")
    assert "g" in robot.sensors
    assert [f for f in findings if f.severity == "error"] == []


def test_an_attribute_that_a_replicate_does_not_have_is_noted():
    text = "<mujoco><worldbody><replicate count='2' turns='3'><site name='s'/></replicate></worldbody></mujoco>"
    (finding,) = (f for f in read(text, "bad.xml")[1] if "turns" in f.message)
    assert finding.source.line == 1


def test_a_file_that_is_included_twice_or_by_itself_is_refused():
    robot, findings = read(
        "<mujoco><include file='a.xml'/></mujoco>", "main.xml", lambda *_: (b"<m><include file='a.xml'/></m>", "a.xml")
    )
    assert robot is None
    assert "include-twice" in [f.code for f in findings]


def test_elements_and_attributes_that_are_not_understood_are_noted():
    text = "<mujoco><worldbody><body name='a' colour='red'/><thing/></worldbody><extra/></mujoco>"
    robot, _ = read(text, "odd.xml")
    assert [n.code for n in robot.notes] == ["not-understood"] * 3
    assert robot.links["world"].extensions[0].text == "<thing/>"
    assert [n.source.column for n in robot.notes] == [49, 43, 69]


NAMES_OF_NOTHING = [
    "<actuator><motor joint='z'/></actuator>",
    "<actuator><motor jointinparent='z'/></actuator>",
    "<actuator><motor tendon='z'/></actuator>",
    "<actuator><motor site='z'/></actuator>",
    "<contact><exclude body1='z' body2='world'/></contact>",
    "<contact><pair geom1='z' geom2='z'/></contact>",
    "<sensor><actuatorpos actuator='z'/></sensor>",
    "<sensor><framepos objtype='xbody' objname='z'/></sensor>",
    "<equality><weld body1='z'/></equality>",
    "<tendon><spatial><site site='z'/></spatial></tendon>",
    "<worldbody><light target='z'/></worldbody>",
    "<worldbody><site name='s' material='z'/></worldbody>",
]


@each("inner", [*NAMES_OF_NOTHING, "<sensor><gyro site='z'/></sensor>"])
def test_a_name_of_nothing_is_kept_with_a_warning(inner):
    """How the bodies move does not depend on it."""
    robot, findings = read(TWO % inner, "bad.xml")
    assert {f.code for f in findings if "'z' does not exist" in f.message} == {"unknown-name"}
    kept = [e.text for e in (*robot.extensions, *robot.links["world"].extensions)]
    assert any("'z'" in text.replace('"', "'") for text in kept)


WEIGHED = "<mujoco>%s<worldbody><body name='a'>%s<geom name='g' size='.1'/>%s</body></worldbody></mujoco>"
SHAPES = {  # in a body that has its own inertial: what is left out
    "<geom type='box' size='1'/>": "<geom>",
    "<geom name='x' type='cube' size='1'/>": "geom 'x'",
    "<geom size='1' pos='1 2'/>": "<geom>",
    "<geom type='mesh' mesh='z'/>": "<geom>",
    "<geom type='mesh'/>": "<geom>",
    "<geom type='hfield' hfield='z'/>": "<geom>",
    "<geom size='1' mass='x'/>": "<geom>",
    "<camera name='c' pos='x'/>": "camera 'c'",
    "<light pos='x'/>": "<light>",
}


@each("shape", SHAPES)
def test_a_shape_that_no_mass_follows_from_is_left_out(shape):
    inertial = "<inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/>"
    robot, _ = read(WEIGHED % ("", inertial, shape), "m.xml")
    (note,) = (n for n in robot.notes if n.code == "left-out")
    assert note.element == "body 'a'"
    assert note.message.endswith(f"{SHAPES[shape]} is left out")
    assert [g.name for g in robot.links["a"].collisions] == ["g"]
    assert robot.links["a"].inertial.mass == 2


@each("shape", [s for s in SHAPES if s.startswith("<geom") and ("size" in s)])
def test_a_shape_that_a_mass_follows_from_is_an_error(shape):
    robot, findings = read(WEIGHED % ("", "", shape), "m.xml")
    assert robot is None
    assert "left-out" not in {f.code for f in findings}
    assert "error" in {f.severity for f in findings}
    read_, _ = read(WEIGHED % ("", "", shape.replace("<geom", "<geom density='0'")), "m.xml")
    assert (read_ is None) == ("mass" in shape)


def test_assets_that_cannot_be_read_are_left_out():
    assets = (
        "<asset><mesh name='m' file='m.stl' scale='1'/><mesh/><mesh name='n' file='n'/><mesh name='n' file='o'/>"
        "<material name='r' rgba='x'/><material name='t' texture='z' rgba='1 0 0 1'/></asset>"
    )
    shapes = "<geom name='h' size='.1' material='r'/><geom name='g' size='.1' material='t' contype='x'/>"
    robot, findings = read(WEIGHED % (assets, "", shapes), "m.xml")
    assert [f.severity for f in findings if f.severity == "error"] == []
    assert [n.code for n in robot.notes].count("left-out") == 7
    assert list(robot.materials) == ["t"]
    assert [(g.name, g.material and g.material.name) for g in robot.links["a"].collisions] == [
        *(("g", None), ("h", None)),
        (None, "t"),
    ]
    assert robot.links["a"].inertial.mass == pytest.approx(3 * 1000 * 4 / 3 * 3.141592653589793 * 1e-3)


def test_a_ball_joint_may_inherit_that_it_is_limited():
    """As in MuJoCo, which needs no range for a ball joint."""
    head = "<default><joint limited='true'/></default>"
    robot, _ = read(
        f"<mujoco>{head}<worldbody><body name='a'><joint name='j' type='ball'/></body></worldbody></mujoco>", "m"
    )
    assert robot.joints["j"].type == "ball"
    assert "limited=" in robot.joints["j"].extensions[0].text


def test_a_range_that_is_not_in_force_is_noted():
    text = "<mujoco><worldbody><body name='a'><joint name='j' range='0 1' limited='false'/></body></worldbody></mujoco>"
    robot, _ = read(text, "odd.xml")
    assert [(n.code, n.severity) for n in robot.notes] == [("range", "info")]
    assert robot.joints["j"].type == "continuous"


SECTIONS = [
    '<actuator><motor name="p" joint="j"/>\n<position name="p" joint="j"/></actuator>',
    '<sensor><jointpos name="p" joint="j"/>\n<jointvel name="p" joint="j"/></sensor>',
    '<keyframe><key name="p"/>\n<key name="p"/></keyframe>',
    '<tendon><fixed name="p"><joint joint="j" coef="1"/></fixed>\n'
    '<fixed name="p"><joint joint="j" coef="2"/></fixed></tendon>',
]


@each("other", ["diaginertia", "quat", "axisangle", "xyaxes", "zaxis", "euler"])
def test_moments_about_other_axes_than_those_of_a_full_inertia(other):
    inertial = f"<inertial pos='0 0 0' mass='1' fullinertia='1 1 1 0 0 0' {other}='1 0 0 0 1 0'/>"
    _, findings = read(body(inertial), "m.xml")
    assert f"there are fullinertia and {other}; expected fullinertia alone" in "".join(map(str, findings))


@each("section", SECTIONS)
def test_names_that_stand_twice_in_a_section(section):
    """An error of tendons alone, which limit joints."""
    body = '<body name="a"><joint name="j"/><geom size=".1"/></body>'
    robot, findings = read(f"<mujoco><worldbody>{body}</worldbody>{section}</mujoco>", "m.xml")
    tendon = section == SECTIONS[-1]
    assert (robot is None) == tendon
    code = "duplicate-name" if tendon else "left-out"
    assert {(f.code, f.source.line) for f in findings if f.source.line == 2} == {(code, 2)}


def body(inner, head=""):
    return f"<mujoco model='m'>{head}<worldbody><body name='a'>{inner}</body></worldbody></mujoco>"


REMARKS = {
    "settings of the compiler": "<mujoco><compiler odd='1' eulerseq='xy' angle='degree' autolimits='maybe' "
    "settotalmass='x' inertiagrouprange='1' balanceinertia='true' boundmass='1'/><worldbody/></mujoco>",
    "two angles": body("", "<compiler angle='radian'/><compiler angle='degree'/>"),
    "inertials": body("<inertial pos='0 0 0' mass='1' fullinertia='1 1 1 0 0 0' quat='1 0 0 0' euler='1 0 0'/>"),
    "an inertial without numbers": body("<inertial odd='1'/><inertial pos='1' mass='x' diaginertia='1 1'/>"),
    "geoms": body(
        "<geom type='cube'/><geom type='box'/><geom size='-1'/><geom type='capsule' size='1' fromto='0 0 0 0 0 1' "
        "pos='1 0 0'/><geom type='cylinder' size='1' fromto='0 0 0 1'/><geom size='1' odd='1'><x/></geom>"
        "<geom type='ellipsoid' size='1 2'/><geom size='1' density='-1'/><geom size='1' rgba='1 0'/>"
        "<geom type='plane' size='1 1 1' shellinertia='true' mass='1'/><geom type='mesh'/><geom type='hfield'/>"
    ),
    "joints": body(
        "<joint type='gear'/><joint axis='1 0'/><joint limited='perhaps'/><joint limited='true'/>"
        "<joint range='1'/><joint type='ball' range='1 2' limited='true'/><joint armature='-1' damping='x' odd='1'/>"
    ),
    "a free joint among others": body("<freejoint/><joint/>"),
    "seven degrees of freedom": body("<joint/>" * 7),
    "a hinge after a ball": body("<joint type='ball'/><joint type='slide'/><joint/>"),
    "a ball after a hinge": body("<joint/><joint type='ball'/><joint type='ball'/>"),
    "orientations": body(
        "<body axisangle='0 0 0 1'/><body xyaxes='1 0 0 2 0 0'/><body zaxis='0 0 0'/><body quat='1'/>"
    ),
    "more orientations": body(
        "<body euler='1 2' pos='a b c'/><body xyaxes='1 0 0'/><body zaxis='1 0'/><site/><camera/>"
    ),
    "classes": body(
        "<geom class='c' size='1'/><geom class='d'/>",
        "<default><joint range='0 1'/><default class='c'><geom type='box' odd='1'/></default>"
        "<default class='c'/><odd/></default>",
    ),
    "assets": body(
        "<geom type='mesh' mesh='m'/><geom type='mesh' mesh='n' size='1'/><geom size='1' material='red'/>",
        "<asset><mesh name='m' file='m.stl' scale='1 2'/><mesh file='n.obj' odd='1' refpos='1 0 0'/><mesh/>"
        "<mesh name='m' file='x.stl'/><material name='red' rgba='2 0 0 x'/><texture name='t'/><odd/></asset>",
    ),
    "equalities": body("<joint name='j'/><joint name='k'/>").replace(
        "</mujoco>",
        "<equality><connect body1='a' anchor='0 0 0'/><weld body1='a'/><joint joint1='j' joint2='k' polycoef='1 2 x'/>"
        "<joint joint1='j' joint2='k' active='false'/><joint/><tendon tendon1='t'/><odd/></equality></mujoco>",
    ),
    "tendons": body("<joint name='j'/><joint name='k' type='ball'/><site name='s'/>").replace(
        "</mujoco>",
        "<tendon><fixed name='f' range='1 0' limited='true'><joint joint='j' coef='1'/></fixed>"
        "<fixed name='g' range='0 1'><joint joint='k' coef='1'/></fixed><fixed name='h' range='0 1'/>"
        "<spatial name='p' range='0 1'><site site='s'/></spatial><odd/></tendon></mujoco>",
    ),
    "sensors": body("<site name='s'/>").replace(
        "</mujoco>",
        "<sensor><gyro site='s' odd='1'/><force/><touch site='s'/><odd/><framepos objtype='thing' objname='s'/>"
        "</sensor></mujoco>",
    ),
    "replicas": body("<replicate count='x'><geom size='1'/></replicate><replicate count='2' euler='0 0 0 0' odd='1'/>"),
    "no replicas": body("<replicate/><replicate count='-1'/><replicate count='0'><body/></replicate>"),
    "frames": body("<frame pos='1 0' odd='1'><geom size='1'/><joint/></frame><attach/><flexcomp/>"),
}


def test_every_word_that_is_said(golden):
    """In full: severity, place, element, cause and cure. Read the difference before you update the file."""
    texts = FAULTS | {inner: TWO % inner for inner in NAMES_OF_NOTHING} | REMARKS
    golden("mjcf_findings.txt", "\n".join(f"# {name}\n{in_words(read(t, 'm.xml')[1])}" for name, t in texts.items()))


def test_a_body_outside_of_the_worldbody_is_an_error_and_not_ignored():
    """MuJoCo 4.0 ignores it in silence."""
    robot, (fault,) = read("<mujoco><body name='b'/><worldbody/></mujoco>", "m.xml")
    assert robot is None
    assert (fault.code, fault.element) == ("world", "body 'b'")
    assert "stands directly in <mujoco>" in fault.message


RANGED = """<mujoco><default><default class='c'><joint limited='true' range='1 -1'/></default></default>
  <worldbody><body name='b'><joint name='j' {}/></body></worldbody></mujoco>"""


@each(
    "attributes, severity, at",
    [
        ("range='1 -1'", "warning", "range="),
        ("limited='true' range='1 -1'", "error", "'1 -1'"),
        ("limited='true' range='1 1'", "error", "'1 1'"),
        ("limited='true' range='0 0'", "error", "<joint name"),  # zeros are no range that was chosen
        ("limited='true'", "error", "<joint name"),
        ("class='c'", "error", None),
        ("limited='false' range='1 -1'", "info", "range="),
        ("limited='true' range='-1 1'", None, None),
        ("range='0 0'", None, None),
        ("", None, None),
    ],
)
def test_where_and_how_badly_a_range_is_wrong(attributes, severity, at):
    text = RANGED.format(attributes)
    try:
        found = kt.load(text, format="mjcf").notes
    except kt.KinetreeError as error:
        found = error.findings
    said = [finding for finding in found if finding.code == "range"]
    assert [finding.severity for finding in said] == [severity] * bool(severity)
    if at and severity == "error":
        line = text.splitlines()[1]
        assert said[0].source.line == 2
        assert line[said[0].source.column - 1 :].startswith(at.strip("'") if at.startswith("'") else at)


REFS = {
    'ref="31"': True,
    'ref="30.04"': False,  # rounded, 1e-3 rad
    'ref="30.1"': True,
    'ref="-31"': True,
    'ref="-30"': False,
    'ref="31" limited="false"': False,
    'type="slide" ref="30.002"': True,
    "": False,
}


@each("attributes", REFS)
def test_a_ref_outside_of_the_range_is_a_warning(attributes):
    joint = f'<joint range="-30 30" {attributes}/><geom size="1"/>'
    robot, findings = read(f"<mujoco><worldbody><body>{joint}</body></worldbody></mujoco>", "a.xml")
    assert robot is not None
    said = [f.message for f in findings if f.code == "range" and f.severity == "warning"]
    assert bool(said) is REFS[attributes]
    assert all("but the model starts there" in one for one in said)
