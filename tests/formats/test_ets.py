"""Elementary transform sequences: text, objects, robots, and Featherstone's quantities."""

import json
from dataclasses import replace
from math import pi, radians

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kinetree as kt
from each import each
from kinetree.algorithms.serial import serial_chain
from kinetree.formats import dh, ets
from kinetree.formats.ets import ETS, SE3, Rx, Ry, Rz, robot_of, tx, tz
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import Source
from kinetree.model.tree import build_tree
from kinetree.spatial import plucker, se3
from support import all_frames, frames_differ_by, in_words, random_q, shared

PANDA = """\
tz(0.333) Rz(q1) Rx(-90°) Rz(q2) Rx(90°) tz(0.316) Rz(q3) tx(82.5 mm) Rx(pi/2) Rz(q4)
tx(-0.0825) Rx(-90 deg) tz(0.384) Rz(q5) Rx(90°) Rz(q6) tx(0.088) Rx(90°) tz(0.107) Rz(q7)  # the flange
tz(0.103) Rz(-45°)
"""
Q = [1.4, 0.2, 1.8, 0.7, 0.1, 3.1, 2.9]
PANDA_Q = [  # computed once with Robotics Toolbox 1.5.0
    [-0.5082790745547148, -0.5790458900582099, 0.6374623436537238, 0.44682294674945083],
    [0.8301455343400033, -0.5263946235856761, 0.18375824355779202, 0.16168395691676277],
    [0.22915229474118984, 0.6225869878714059, 0.7482477319364603, 0.9679811337108226],
    [0.0, 0.0, 0.0, 1.0],
]


def test_text_gives_the_reference_pose():
    sequence = ets.parse(PANDA)
    assert sequence.joints == tuple(f"q{i}" for i in range(1, 8))
    assert np.abs(sequence.A(Q) - PANDA_Q).max() < 1e-12
    assert np.abs(sequence.compile().A(Q) - PANDA_Q).max() < 1e-12
    assert np.abs(ets.parse(str(sequence)).A(Q) - sequence.A(Q)).max() == 0


def test_the_reference_sequence():
    data = json.loads(shared("facts", "truth", "rtb_cases.json").read_text())
    sequence = ets.parse(data["robots"]["panda_ets"]["ets"])
    robot = ets.robot_of(sequence)
    (case,) = (c for c in data["cases"] if c["robot"] == "panda_ets" and c["kind"] == "fkine")
    assert np.abs(sequence.A(case["inputs"]["q"]) - case["value"]).max() < 1e-12
    assert np.abs(all_frames(robot, np.array(case["inputs"]["q"]))["tip"] - case["value"]).max() < 1e-12


def test_compile_multiplies_runs_of_constants():
    sequence = tz(1.0) * Rx(0.5) * tz(-1.0) * Rz("a") * tx(1.0) * tx(-1.0) * Ry("b", flip=True) * tx(0.2) * tx(0.3)
    compiled = sequence.compile()
    assert [term.kind for term in compiled] == ["SE3", "Rz", "Ry", "SE3"]
    assert np.abs(compiled.A([0.3, 0.4]) - sequence.A([0.3, 0.4])).max() < 1e-15


def test_a_link_is_constants_then_one_joint():
    first, second, rest = (tz(0.5) * Rx(0.3) * Rz("a") * tx(0.4) * tx("b") * tz(0.1)).links()
    assert np.abs(first.Ts - (tz(0.5) * Rx(0.3)).A()).max() < 1e-15
    assert first.v is not None
    assert np.abs(first.A(0.7) - first.Ts @ first.v.T(0.7)).max() == 0
    assert second.v is not None
    assert (first.v.joint, second.v.joint, rest.v) == ("a", "b", None)


def test_featherstones_transforms_are_the_inverses():
    """Link k of a robot in the notation of its ETS: A(q) = Ts v(q). Featherstone's XJ, XT and Xup = XJ XT are Plücker
    transforms from parent coordinates to child coordinates, hence of the inverses of v, Ts and A(q). A page that says
    so in formulas has also been found to say that they go from child to parent: that is A(q)'s own sense."""
    link = (tx(0.2) * Ry(0.3) * tz(0.5) * Rz("q")).links()[0]
    assert link.v is not None
    q, qd = 0.7, 1.3
    XJ = plucker.motion_transform(se3.inverse(link.v.T(q)))
    XT = plucker.motion_transform(se3.inverse(link.Ts))
    Xup = XJ @ XT
    X_of_A = plucker.motion_transform(link.A(q))
    assert np.abs(XJ - np.linalg.inv(plucker.motion_transform(link.v.T(q)))).max() < 1e-14
    assert np.abs(XT - np.linalg.inv(plucker.motion_transform(link.Ts))).max() < 1e-14
    assert np.abs(Xup - np.linalg.inv(X_of_A)).max() < 1e-14
    tree = build_tree(ets.robot_of(ETS((tx(0.2), Ry(0.3), tz(0.5), Rz("q")))))
    assert np.abs(plucker.motion_transform(se3.inverse(tree.T_tree[0])) - XT).max() < 1e-14

    # a body that turns about the parent's z axis, away from the child's origin: its motion vector, angular first, in
    # parent coordinates (0 0 w, 0 0 0), becomes that in child coordinates by Xup and not by its inverse
    w = np.array([0.0, 0.0, qd])
    in_parent = np.concatenate([w, np.zeros(3)])
    R, p = link.A(q)[:3, :3], link.A(q)[:3, 3]
    velocity_of_child_origin = np.cross(w, p)
    in_child = np.concatenate([R.T @ w, R.T @ velocity_of_child_origin])
    assert np.abs(Xup @ in_parent - in_child).max() < 1e-14
    assert np.abs(X_of_A @ in_parent - in_child).max() > 0.1
    assert np.abs(X_of_A @ in_child - in_parent).max() < 1e-14


def test_signs_units_and_poses():
    text = 'Rz(-turn) * ty(5cm) ⊕ tx("my slide") @ SE3(1, 2 mm, 0, 0, 90°, 0) Rx(-3pi/4) Ry(0.5 rad)'
    sequence = ets.parse(text)
    assert sequence.joints == ("turn", "my slide")
    expected = (
        Rz(-0.3)
        * ets.ty(0.05)
        * tx(0.2)
        * SE3(se3.pose_from_xyz_rpy((1, 0.002, 0), (0, radians(90), 0)))
        * Rx(-3 * pi / 4)
        * Ry(0.5)
    )
    assert np.abs(sequence.A([0.3, 0.2]) - expected.A()).max() < 1e-15
    assert np.abs(ets.parse(str(sequence)).A([0.3, 0.2]) - expected.A()).max() < 1e-15


BAD = [
    ("tz(0.3) Rw(q1)", "ets-term", "Rw"),
    ("tz(0.3) Rx(90 dog)", "ets-argument", "90 dog"),
    ("tz(90°)", "ets-argument", "90°"),
    ("Rx(5 mm)", "ets-argument", "5 mm"),
    ("Rx(2*q1)", "ets-argument", "2*q1"),
    ("Rx(pi/0)", "ets-argument", "pi/0"),
    ("Rx()", "ets-argument", "Rx()"),
    ("Rx(q1) Rz(q1)", "ets-joint", "q1"),
    ("Rx(q1) $ tz(1)", "ets-syntax", "$"),
    ("Rx(q1", "ets-syntax", "Rx(q1"),
    ("SE3(1, 2, 3)", "ets-argument", "1, 2, 3"),
    ("SE3(2,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1)", "not-a-rotation", "2,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1"),
    ("tz(nan1.5)", "ets-argument", "nan1.5"),
    ("# nothing", "ets-empty", None),
    ("base = a", "ets-empty", None),
    ("tz(deg)", "ets-argument", "deg"),
    ("Rx(-m)", "ets-argument", "-m"),
    ("base = a\nbase = b\ntx(1)", "setting-twice", "base"),
    ('tip = "\\x"\ntx(1)', "text", '"\\x"'),
    ("tx(1)\nbase = a", "ets-syntax", "base"),
    ("Rz(q1)\nfrom q2_link: tx(1)", "unknown-frame", "from q2_link:"),
    ("from tip: tx(1)", "unknown-frame", "from tip:"),
    ("from base_link tx(1)", "ets-syntax", "from"),
    ("from(base_link) tx(1)", "ets-syntax", "from(base_link)"),
    ("tx(1) link(a)", "ets-link", "link(a)"),
    ("Rz(q1) link(a) from q1_link: Rz(q2)", "unknown-frame", "from q1_link:"),
    ("Rz(q1) link(a) link(b)", "ets-link", "link(b)"),
    ("Rz(q1) frame(a) link(b)", "ets-link", "link(b)"),
    ("Rz(q1) Rz(q2) from q1_link: link(b)", "ets-link", "link(b)"),
    ("Rz(q1) link(a b)", "ets-argument", "a b"),
    ('Rz(q1) frame("")', "ets-argument", '""'),
    ("Rz(q1) fixed(q1)", "ets-joint", "q1"),
    ("Rz(q1) mass(1) tx(1) mass(2)", "ets-mass", "mass(2)"),
    ("Rz(q1) mass(1, 2)", "ets-argument", "1, 2"),
    ("Rz(q1) mass(1 kg)", "ets-argument", "1 kg"),
    ("Rz(q1) mass(1, 2, 3, 90°)", "ets-argument", "1, 2, 3, 90°"),
    ("Rz(q1) masss(1)", "ets-term", "masss"),
    ("Rz(2*q1) link(a)", "ets-argument", "2*q1"),
]


@each("text, code, bad", BAD)
def test_a_bad_token_is_underlined(text, code, bad):
    robot, findings = ets.read(text, "a.ets")
    assert robot is None
    assert findings[0].code == code, findings
    if bad is not None:
        line, marks = (findings[0].excerpt or "").split("\n")
        start = len(marks) - len(marks.lstrip())
        assert line[start : len(marks)] == bad


def test_robots_to_text_and_back(tmp_path):
    robot = kt.load("icub")
    for base, tip in ((None, "l_hand_dh_frame"), ("l_hand_dh_frame", "imu_frame"), ("r_foot_dh_frame", "l_eye_frame")):
        chain = serial_chain(robot, base, tip)
        again = ets.parse(str(ets.ets_of(chain)))
        q = np.random.default_rng(4).uniform(-2, 2, len(chain.joints))
        assert np.abs(again.A(q) - chain.transform(q)).max() < 1e-12
    arm = kt.load(PANDA, format="ets")
    assert arm.joint_names == tuple(f"q{i}" for i in range(1, 8))
    kt.save(arm, tmp_path / "arm.ets")
    assert (tmp_path / "arm.ets").read_text() == PANDA
    kt.save(build(parts_of(arm)), tmp_path / "arm.ets", without=("frame",))
    q = random_q(arm, np.random.default_rng(1))
    again = kt.load(tmp_path / "arm.ets")
    assert np.abs(all_frames(again, q)["tip"] - all_frames(arm, q)["tip"]).max() < 1e-12
    kt.save(robot, tmp_path / "icub.ets", without=("geometry", "limit", "coupled_limit", "group", "sensor"))
    again, q = kt.load(tmp_path / "icub.ets"), random_q(robot, np.random.default_rng(2))
    assert frames_differ_by(robot, again, q) < 1e-12


def test_names_are_quoted_only_where_they_must_be():
    arm = kt.load('name = arm-2.b/c\ntip = "the hand"\nRz(q1) tx(1)\n', format="ets")
    edited = build(parts_of(arm))
    assert ets.write(edited, ("frame",)).splitlines()[:2] == ["name = arm-2.b/c", 'tip = "the hand"']


def test_axes_that_are_none_of_x_y_z_are_turned():
    text = (
        '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="continuous"><parent link="a"/>'
        '<child link="b"/><origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><axis xyz="1 2 -1"/></joint></robot>'
    )
    robot = kt.load(text, format="urdf")
    again = kt.load(ets.write(robot, ("frame",)), format="ets")
    q = robot.q(j=0.8)
    assert np.abs(all_frames(again, q)["b"] - all_frames(robot, q)["b"]).max() < 1e-12


@pytest.mark.parametrize("tip", ["tool0", "the tool", 'a "b" c', "µ)"])
@pytest.mark.parametrize("file", ["arm.ets", "arm.csv"])
def test_names_come_back(tip, file, tmp_path):
    robot = kt.load("tx(1) Rz(q1) tx(0.5)", format="ets")
    parts = parts_of(robot)
    parts.name, parts.frames = "my arm;", [replace(parts.frames[0], name=tip)]
    parts.links[0] = replace(parts.links[0], name="pedestal")
    parts.joints[0] = replace(parts.joints[0], name="a (b)", parent="pedestal")
    robot = build(parts)
    kt.save(robot, tmp_path / file, without=("frame",))
    again = kt.load(tmp_path / file)
    assert (again.name, again.root, again.joint_names) == ("my arm;", "pedestal", ("a (b)",))
    q = np.array([0.3])
    assert np.abs(all_frames(again, q)[tip] - all_frames(robot, q)[tip]).max() < 1e-15


def test_an_end_called_as_the_reader_calls_a_link_is_lost_aloud():
    text = (
        '<robot name="r"><link name="a"/><link name="j_link"/><joint name="j" type="continuous"><parent link="a"/>'
        '<child link="j_link"/><axis xyz="0 0 1"/></joint></robot>'
    )
    robot = kt.load(text, format="urdf")
    with pytest.raises(kt.KinetreeError, match="an end called 'j_link'") as caught:
        dh.write_csv(robot)
    assert {finding.code for finding in caught.value.findings} == {"cannot-say-frame"}
    again = kt.load(dh.write_csv(robot, ("frame",)), format="dh")
    assert again.root == "a"
    assert "tip" in again.frames
    assert [*kt.load(ets.write(robot), format="ets").frames] == ["a", "j_link"]


def test_a_joint_called_as_a_unit_stands_in_quotes():
    assert str(Rz("m") * tz("deg")) == 'Rz("m") tz("deg")'
    assert ets.parse('Rz("m") tz("deg")').joints == ("m", "deg")


def test_a_robot_without_joints():
    robot = kt.load('<robot name="r"><link name="base"/></robot>', format="urdf")
    with pytest.raises(kt.KinetreeError, match="there is no term"):
        ets.write(robot)
    assert kt.load(dh.write_csv(robot), format="dh").root == "base"
    fixed = '<joint name="f" type="fixed"><parent link="base"/><child link="end"/><origin xyz="1 2 3"/></joint>'
    robot = kt.load(f'<robot name="r"><link name="base"/><link name="end"/>{fixed}</robot>', format="urdf")
    again = kt.load(ets.write(robot), format="ets")
    assert np.abs(all_frames(again, ())["end"] - all_frames(robot, ())["end"]).max() == 0


REMARKS = [
    "Rx(pi*2) Rx(pi/4) Rx(-pi) Rx(2*pi/q)",
    "tz(1 + x) Rz(q1/2)",
    "SE3(1, 2, 3, x) tz(1)",
    "Rz(q1)\nbase = a\nbase = b",
    "name = x\nodd = y\nRz(q1)",
    "Rz(-q1) Rz(-q1)",
    'Rz("") tz(1)',
    "tz(1e400)",
    "Rz(q1) tx(1)\nfrom base_link: Rz(q2) frame(a) tz(2) tx(3)",
    "Rz(q1) link(a) Rz(q2) link(a)",
    "Rz(q1) frame(base_link)",
    "Rz(q1) mass(1e40)",
]


def test_every_word_that_is_said(golden):
    """In full: severity, place, element, cause and cure. Read the difference before you update the file."""
    texts = [*(text for text, *_ in BAD), *REMARKS]
    golden("ets_findings.txt", "\n".join(f"# {text}\n{in_words(ets.read(text, 'a.ets')[1])}" for text in texts))


@each("axis", [*np.eye(3), *-np.eye(3)])
@each("kind", ["continuous", "prismatic"])
def test_axes_along_x_y_and_z_are_terms_of_their_own(axis, kind):
    text = f"""<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="{kind}"><parent link="a"/>
      <child link="b"/><origin xyz="1 2 3"/><axis xyz="{" ".join(map(str, axis))}"/>
      <limit lower="-9" upper="9" velocity="1" effort="1"/></joint></robot>"""
    written = ets.write(kt.load(text, format="urdf"), ("limit",))
    letter = "xyz"[int(np.argmax(np.abs(axis)))]
    sign = "-" if axis.sum() < 0 else ""
    assert f"{'t' if kind == 'prismatic' else 'R'}{letter}({sign}j)" in written
    assert "SE3" not in written


@pytest.mark.parametrize("text", ["Ry(45) Rz(q1)", "Rz(q1) Ry(-90)"])
def test_an_angle_that_may_be_in_degrees_is_a_warning(text):
    robot = kt.load(text, format="ets")
    (note,) = robot.notes
    assert note.code == "ets-angle"
    assert "whole turns" in note.message
    assert "°) is" not in note.message
    assert note.fix.startswith("if degrees are meant, write Ry(")
    number = float(text[text.index("Ry(") + 3 : text.index(")", text.index("Ry("))])
    R = Rotation.from_euler("y", number).as_matrix()  # rad, as everywhere
    assert np.allclose(kt.fk(robot, "tip")([0.0])[:3, :3], R, rtol=0, atol=1e-12)


def test_an_angle_that_is_no_doubt():
    for text in ("Ry(6.28) Rz(q1)", "Ry(45°) Rz(q1)", "Ry(45 rad) Rz(q1)", "Ry(4pi) Rz(q1)", "tx(45) Rz(q1)"):
        assert kt.load(text, format="ets").notes == ()


@pytest.mark.parametrize(
    "given", [Rz("a") * tx(1), {"x": ("base", Rz("a")), "hand": ("x", tx(1)), "y": ("base", Rz("b") * tx(1))}]
)
def test_each_joint_and_frame_has_the_source_that_is_given(given):
    source = Source("arm.py", 7)
    robot = robot_of(given, source=source)
    assert robot.source == source
    assert {joint.source for joint in robot.joints.values()} == {source}
    assert all(robot.frames[name].source == source for name in ("tip", "x", "hand") if name in robot.frames)
