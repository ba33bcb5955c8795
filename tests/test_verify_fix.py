"""Faults of a model written into its file: every kind in every format, in the form that the file has."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.errors import KinetreeError
from kinetree.fixer.number_edits import Writer
from kinetree.fixer.pose_text import set_sdf_pose, solved
from kinetree.fixer.rewritten import rewritten
from kinetree.formats.registry import ReadOptions
from kinetree.lab.identify.answer import ModelFault
from kinetree.lab.identify.correct import certain, corrected
from kinetree.model.assemble import build, parts_of
from kinetree.repairs.edit import applied, set_text
from kinetree.spatial.euler import rotation_from_euler
from kinetree.spatial.se3 import frozen, rotation_from_vector
from kinetree.syntax.xml.reader import Report, parse
from support import example_robot_urdfs, icub_urdfs

URDF = """<robot name="arm"><!-- as drawn -->
  <link name="base_link"/><link name="one"/><link name="tip"/>
  <link name="two">
    <inertial><origin xyz="0.200 0 0"/><mass value="2.0"/>
      <inertia ixx="0.020" ixy="0" ixz="0" iyy="0.030" iyz="0" izz="0.040"/></inertial>
  </link>
  <joint name="a" type="revolute"><parent link="base_link"/><child link="one"/>
    <axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
  <joint name="b" type="revolute"><parent link="one"/><child link="two"/>
    <origin xyz="0.500 0 0" rpy="0 0 0"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/>
    <dynamics damping="0.10" friction="0"/></joint>
  <joint name="end" type="fixed"><parent link="two"/><child link="tip"/><origin xyz="0.400 0 0"/></joint>
</robot>
"""
XACRO = URDF.replace(
    'name="arm">', 'name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:property name="l" value="0.5"/>'
)
SDF = """<sdf version="1.9"><model name="arm"><!-- as drawn -->
  <link name="base_link"/><link name="one"/>
  <link name="two">
    <pose relative_to="one" degrees="true">0.500 0 0  0 0 0</pose>
    <inertial><pose>0.200 0 0 0 0 0</pose><mass>2.0</mass>
      <inertia><ixx>0.020</ixx><iyy>0.030</iyy><izz>0.040</izz></inertia></inertial>
  </link>
  <frame name="tip" attached_to="two"><pose>0.4 0 0 0 0 0</pose></frame>
  <joint name="a" type="revolute"><parent>base_link</parent><child>one</child>
    <axis><xyz>0 0 1</xyz><limit><lower>-2</lower><upper>2</upper></limit></axis></joint>
  <joint name="b" type="revolute"><parent>one</parent><child>two</child>
    <axis><xyz>0 1 0</xyz><limit><lower>-2</lower><upper>2</upper></limit>
      <dynamics><damping>0.10</damping><friction>0</friction></dynamics></axis></joint>
</model></sdf>
"""
MJCF = """<mujoco model="arm"><!-- as drawn -->
  <compiler angle="degree" eulerseq="XYZ"/>
  <default><joint damping="0.10" range="-90 90"/></default>
  <worldbody>
    <body name="one"><joint name="a"/><geom size="0.1"/>
      <body name="two" pos="0.500 0 0" euler="0 0 0">
        <joint name="b" axis="0 1 0"/>
        <inertial pos="0.200 0 0" mass="2.0" diaginertia="0.020 0.030 0.040"/>
        <site name="tip" pos="0.4 0 0"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""
DH = """name = "arm"  # as drawn
convention = "mdh"
units = { length = "mm", angle = "deg" }
rows = [
  { joint = "a", a = 0,     d = 0, alpha = 0,  theta = 0, limits = [-90, 90], link = "one" },
  { joint = "b", a = 500.0, d = 0, alpha = 90, theta = "0 + (-90 -> 90)", damping = 0.10, link = "two" },
]
tool = { xyz = [400, 0, 0] }
"""
TEXTS = {"urdf": URDF, "xacro": XACRO, "sdf": SDF, "xml": MJCF, "toml": DH}
STD = 1e-9
SIX = np.full(6, STD)
FAULTS = {
    "zero": ModelFault("zero", "b", 0.01, STD),
    "length": ModelFault("length", "b", 0.002, STD),
    "joint pose": ModelFault("joint pose", "b", np.array([0.0, 0.003, 0.0, 0.0, 0.0, 0.02]), SIX),
    "sign": ModelFault("sign", "b"),
    "mass": ModelFault("mass", "two", 0.5, STD),
    "centre": ModelFault("centre", "two", np.array([0.0, 0.0, 0.01]), np.full(3, STD)),
    "inertia": ModelFault("inertia", "two", np.array([0.001, 0.0, 0.0, 0.0, 0.0, 0.002]), SIX),
    "viscous friction": ModelFault("viscous friction", "b", 0.05, STD),
    "Coulomb friction": ModelFault("Coulomb friction", "b", 0.02, STD),
    "armature": ModelFault("armature", "b", 0.003, STD),
}
ORIGIN, DYNAMICS = '<origin xyz="0.500 0 0" rpy="0 0 0"/>', '<dynamics damping="0.10" friction="0"/>'
MOMENTS = 'ixx="0.020" ixy="0" ixz="0" iyy="0.030" iyz="0" izz="0.040"'
IN_URDF = {
    "zero": (ORIGIN, '<origin xyz="0.500 0 0" rpy="0 0.01 0"/>'),
    "length": (ORIGIN, '<origin xyz="0.502 0 0" rpy="0 0 0"/>'),
    "joint pose": (ORIGIN, '<origin xyz="0.5 0.003 0" rpy="0 0 0.02"/>'),
    "sign": ('"0 1 0"', '"0 -1 0"'),
    "mass": (
        '"2.0"/>\n      <inertia ' + MOMENTS,
        '"2.5"/>\n      <inertia ixx="0.025" ixy="0" ixz="0" iyy="0.0375" iyz="0" izz="0.05"',
    ),
    "centre": ("0.200 0 0", "0.200 0 0.01"),
    "inertia": (MOMENTS, 'ixx="0.021" ixy="0" ixz="0" iyy="0.030" iyz="0" izz="0.042"'),
    "viscous friction": (DYNAMICS, '<dynamics damping="0.15" friction="0"/>'),
    "Coulomb friction": (DYNAMICS, '<dynamics damping="0.10" friction="0.02"/>'),
    "armature": "URDF has no armature of joints",
}
DEG = "0.57295779513"  # 0.01 rad
TABLE = {
    "urdf": IN_URDF,
    "xacro": IN_URDF,
    "sdf": {
        "zero": ("0.500 0 0  0 0 0<", f"0.500 0 0  0 {DEG} 0<"),
        "length": ("0.500 0 0  0 0 0<", "0.502 0 0  0 0 0<"),
        "joint pose": ("0.500 0 0  0 0 0<", "0.500 0.003 0  0 0 1.14591559026<"),
        "sign": ("<xyz>0 1 0<", "<xyz>0 -1 0<"),
        "mass": (
            "2.0</mass>\n      <inertia><ixx>0.020</ixx><iyy>0.030</iyy><izz>0.040<",
            "2.5</mass>\n      <inertia><ixx>0.025</ixx><iyy>0.0375</iyy><izz>0.05<",
        ),
        "centre": ("0.200 0 0 0 0 0", "0.200 0 0.01 0 0 0"),
        "inertia": ("0.020</ixx><iyy>0.030</iyy><izz>0.040<", "0.021</ixx><iyy>0.030</iyy><izz>0.042<"),
        "viscous friction": ("<damping>0.10<", "<damping>0.15<"),
        "Coulomb friction": ("<friction>0<", "<friction>0.02<"),
        "armature": "SDF has no armature of joints",
    },
    "xml": {
        "zero": ('"0.500 0 0" euler="0 0 0"', f'"0.500 0 0" euler="0 {DEG} 0"'),
        "length": ("0.500 0 0", "0.502 0 0"),
        "joint pose": ('"0.500 0 0" euler="0 0 0"', '"0.500 0.003 0" euler="0 0 1.14591559026"'),
        "sign": ("0 1 0", "0 -1 0"),
        "mass": ('"2.0" diaginertia="0.020 0.030 0.040"', '"2.5" diaginertia="0.025 0.0375 0.05"'),
        "centre": ("0.200 0 0", "0.200 0 0.01"),
        "inertia": ("0.020 0.030 0.040", "0.021 0.030 0.042"),
        "viscous friction": ('"0 1 0"/>', '"0 1 0" damping="0.15"/>'),
        "Coulomb friction": ('"0 1 0"/>', '"0 1 0" frictionloss="0.02"/>'),
        "armature": ('"0 1 0"/>', '"0 1 0" armature="0.003"/>'),
    },
    "toml": {
        "zero": ('"0 + (-90', '"0.5729577951 + (-90'),
        "length": ("500.0", "502"),
        "joint pose": (
            'd = 0, alpha = 0,  theta = 0, limits = [-90, 90], link = "one" },\n'
            '  { joint = "b", a = 500.0, d = 0, alpha = 90, theta = "0',
            'd = -0.00011711, alpha = 0,  theta = 0.7295068535, limits = [-90, 90], link = "one" },\n'
            '  { joint = "b", a = 499.99766856, d = 3.36621942, alpha = 89.9980067108, theta = "0.7295068535',
        ),
        "sign": ('0.10, link = "two"', '0.10, link = "two", flip = true'),
        **dict.fromkeys(("mass", "centre", "inertia"), "only rows of a DH file are corrected"),
        "viscous friction": ("damping = 0.10", "damping = 0.15"),
        "Coulomb friction": ('link = "two"', 'link = "two", friction = 0.02'),
        "armature": ('link = "two"', 'link = "two", armature = 0.003'),
    },
}
ROWS = [(ending, kind) for ending in TEXTS for kind in FAULTS]


def fix(file, *faults):
    return rewritten(str(file), ReadOptions(), lambda one: corrected(one, faults)[0])


def differences(wanted, file):
    """Return what differs between a robot and that of a file; frames of links are those of the convention in DH."""
    found = kt.load(file)
    assert [joint.dynamics for joint in found.joints.values()] == [joint.dynamics for joint in wanted.joints.values()]
    rows = [name for name in wanted.frames if name in wanted.links or "dh_" in name] if file.suffix == ".toml" else []
    links = [f"frame {name!r}" for name in rows]
    every = kt.compare(wanted, found, tolerance=1e-9, relative=1e-9).differences
    return [str(one) for one in every if one.counts and one.element not in links]


@each("ending, kind", ROWS)
def test_every_kind_in_every_format(tmp_path, ending, kind):
    file, text, row = tmp_path / f"arm.{ending}", TEXTS[ending], TABLE[ending][kind]
    file.write_text(text)
    _, left = corrected(kt.load(file), [FAULTS[kind]])
    if isinstance(row, str):
        ((_, why),) = left
        assert row in why
        assert fix(file, FAULTS[kind]).after == {}
        return
    assert not left
    ((_, after),) = fix(file, FAULTS[kind]).after.items()
    assert text.count(row[0]) == 1
    assert after.decode() == text.replace(*row)


@pytest.mark.slow
@each("ending, kind", [row for row in ROWS if not isinstance(TABLE[row[0]][row[1]], str)])
def test_that_nothing_else_changed(tmp_path, ending, kind):
    written(tmp_path / f"arm.{ending}", TEXTS[ending], FAULTS[kind])


TURNED = np.array([0.001, -0.002, 0.003, 0.004, -0.005, 0.006])


def pose_of_b(name="b", change=TURNED):
    return ModelFault("joint pose", name, change, SIX)


def written(file, text, *faults):
    """Write a text, correct its faults in it, and return the text after that; the robot must be the corrected one."""
    file.write_text(text)
    wanted, left = corrected(kt.load(file), faults)
    assert not left
    ((_, after),) = fix(file, *faults).after.items()
    file.write_bytes(after)
    assert differences(wanted, file) == []
    return after.decode()


def changed_lines(text, after):
    return [b.strip() for a, b in zip(text.splitlines(), after.splitlines(), strict=True) if a != b]


IN_MODEL = """<sdf version="1.9"><model name="arm">
  <link name="base_link"/>
  <link name="one"/>
  <link name="two"><pose>0.5 0 0 0 0 0</pose></link>
  <link name="three"><pose>0.9 0 0.1 0 1.5707963267948966 0</pose></link>
  <link name="four"><pose relative_to="d"/></link>
  <frame name="tip" attached_to="four"><pose>0 0 0.1 0 0 0</pose></frame>
  <frame name="camera" attached_to="two"><pose relative_to="__model__">0.6 0 0 0 0 0</pose></frame>
  <joint name="a" type="revolute"><parent>base_link</parent><child>one</child><axis><xyz>0 0 1</xyz></axis></joint>
  <joint name="b" type="revolute"><parent>one</parent><child>two</child><axis><xyz>0 1 0</xyz></axis></joint>
  <joint name="c" type="revolute"><pose>0 0 0.05 0 0 0</pose><parent>two</parent><child>three</child>
    <axis><xyz expressed_in="__model__">0 1 0</xyz></axis></joint>
  <joint name="d" type="revolute"><pose relative_to="three" rotation_format="quat_xyzw">0 0 0.2 0 0 0 1</pose>
    <parent>three</parent><child>four</child><axis><xyz>0 2 0</xyz></axis></joint>
</model></sdf>
"""


class TestSdf:
    def test_everything_that_is_relative_to_the_model(self, tmp_path):
        """A longer arm moves what is behind, and nothing else."""
        after = written(tmp_path / "a.sdf", IN_MODEL, ModelFault("length", "b", 0.002, STD))
        assert changed_lines(IN_MODEL, after) == [
            '<link name="two"><pose>0.502 0 0 0 0 0</pose></link>',
            '<link name="three"><pose>0.902 0 0.1 0 1.5707963267948966 0</pose></link>',
            '<frame name="camera" attached_to="two"><pose relative_to="__model__">0.602 0 0 0 0 0</pose></frame>',
        ]

    @each("name", "abcd")
    def test_any_joint(self, tmp_path, name):
        """At gimbal lock, in the frame of another link, and with the axis in the model's frame, too."""
        after = written(tmp_path / "a.sdf", IN_MODEL, pose_of_b(name))
        assert after.count('relative_to="three"') == after.count('relative_to="d"') == 1
        for numbers in re.findall(r'quat_xyzw">[^<]* (\S+ \S+ \S+ \S+)</pose>', after):
            assert abs(np.linalg.norm(np.array(numbers.split(), float)) - 1) < 1e-10
        if name == "d":  # carries its own pose, by which the link is placed
            (line,) = changed_lines(IN_MODEL, after)
            assert line.startswith(
                '<joint name="d" type="revolute"><pose relative_to="three" rotation_format="quat_xyzw">'
            )

    @each("pose", ['<pose rotation_format="quat_xyzw" relative_to="one"/>', '<pose relative_to="one"/>', ""])
    def test_a_pose_that_is_not_written(self, tmp_path, pose):
        text = IN_MODEL.replace("<pose>0.5 0 0 0 0 0</pose>", pose).replace(
            "<pose>0.6 0", '<pose relative_to="__model__">0.6 0'
        )
        after = written(tmp_path / "a.sdf", text, ModelFault("zero", "b", 0.2, STD))
        assert "0 0 0 0 0.2 0</pose>" in after or "0 0 0 0 0.09983341665 0 0.99500416528</pose>" in after

    def test_several_faults(self, tmp_path):
        """Of one chain, with an inertial and dynamics that the file does not have."""
        link = [
            ModelFault("mass", "two", 0.5, STD),
            ModelFault("centre", "two", np.array([0.1, 0, 0]), np.full(3, STD)),
        ]
        rubs = [ModelFault(kind, "b", 0.1, STD) for kind in ("viscous friction", "Coulomb friction")]
        faults = [pose_of_b("a"), ModelFault("zero", "b", 0.01, STD), ModelFault("sign", "d"), *link, *rubs]
        after = written(tmp_path / "a.sdf", IN_MODEL, *faults)
        assert "<mass>1.5</mass>" in after
        assert after.count("<inertial>") == after.count("<dynamics>") == after.count("<inertia>") == 1
        assert "<dynamics><damping>0.1</damping><friction>0.1</friction></dynamics>" in after
        assert "<xyz>0 -2 0</xyz>" in after

    def test_a_link_that_is_a_frame(self, tmp_path):
        robot = kt.load(URDF, format="urdf")
        kt.save(robot, tmp_path / "a.sdf")
        text = (tmp_path / "a.sdf").read_text()
        after = written(tmp_path / "a.sdf", text, ModelFault("length", "end", 0.002, STD))
        assert changed_lines(text, after) == ["<pose>0.402 0 0 0 0 0</pose>"]

    def test_a_model_that_is_included_twice(self, tmp_path):
        (tmp_path / "m.sdf").write_text(SDF)
        include = "<include><uri>m.sdf</uri><name>{}</name><pose>{} 0 0 0 0 0</pose></include>"
        both = include.format("l", 0) + include.format("r", 1)
        joint = '<joint name="{0}{1}" type="fixed"><parent>{0}</parent><child>{1}::base_link</child></joint>'
        joints = joint.format("w", "l") + joint.format("w", "r")
        (tmp_path / "w.sdf").write_text(
            f'<sdf version="1.9"><model name="m"><link name="w"/>{both}{joints}</model></sdf>'
        )
        fault = ModelFault("zero", "l::b", 0.01, STD)
        with pytest.raises(KinetreeError, match=r"m.sdf:11:3 is the place of l::b, r::b, of which one is to change"):
            fix(tmp_path / "w.sdf", fault)

    def test_an_inertia_of_shapes(self, tmp_path):
        box = '<collision name="c"><geometry><box><size>1 1 1</size></box></geometry></collision>'
        inertial = '<inertial auto="true"/>'
        text = IN_MODEL.replace('<link name="one"/>', f'<link name="one">{inertial}{box}</link>').replace("1.9", "1.11")
        (tmp_path / "a.sdf").write_text(text)
        with pytest.raises(KinetreeError, match=r"a.sdf:3:20: the inertia follows from shapes"):
            fix(tmp_path / "a.sdf", ModelFault("mass", "one", 0.1, STD))


BODIES = """<mujoco>
  <compiler angle="{unit}" eulerseq="{sequence}"/>
  <default><joint axis="0 1 0" range="-90 90"/></default>
  <worldbody><frame pos="0 0 0.1" euler="0 0.2 0">
    <body name="one"><joint name="a" axis="0 0 1"/><geom size="0.1"/><frame pos="0.1 0 0" quat="0.9 0.1 0 0">
      <body name="two" pos="0.5 0 0" {turn}><joint name="b" pos="0.1 0 0" ref="0.1"/><geom size="0.1"/>
        <site name="tip" pos="0.4 0 0"/></body></frame></body></frame>
  </worldbody>
</mujoco>
"""
JOINT = '<frame euler="90 0 0"><joint name="b" pos="0.1 0 0" ref="0"/></frame>'
TURNS = {
    "quat": "0.9 0.1 0 0.2",
    "axisangle": "0 0 1 0.3",
    "xyaxes": "0 1 0 -1 0 0",
    "euler": "0.1 0.2 0.3",
    "zaxis": "1 0 0",
    "": "",
}


class TestMjcf:
    @pytest.mark.parametrize(
        "form",
        ["zaxis", *(pytest.param(one, marks=pytest.mark.slow) for one in TURNS if one != "zaxis")],
    )
    def test_every_form_of_a_rotation(self, tmp_path, form):
        turn = f'{form}="{TURNS[form]}"' if form else ""
        text = BODIES.format(unit="radian", sequence="xyz", turn=turn)
        after = written(tmp_path / "a.xml", text, pose_of_b())
        (line,) = changed_lines(text, after)
        kept = {"zaxis": "quat", "": "quat"}.get(form, form)
        assert line.startswith('<body name="two" pos="')
        assert f'{kept}="' in line
        assert "zaxis" not in line
        if kept == "quat":
            assert abs(np.linalg.norm(np.array(re.findall(r'quat="(.*?)"', line)[0].split(), float)) - 1) < 1e-10
        again = written(tmp_path / "b.xml", text, pose_of_b("b", np.array([0, 0, 0.001, 0, 0, 0])))
        assert turn in again  # a move keeps the rotation as it is written

    @pytest.mark.slow
    @each(
        "unit, sequence, euler",
        [
            ("degree", "zyx", "10 20 30"),
            ("degree", "ZYX", "10 90 30"),
            ("degree", "xYz", "10 20 30"),
            ("radian", "zxz", "0 0 0"),
        ],
    )
    def test_angles_in_the_unit_and_sequence_of_the_compiler(self, tmp_path, unit, sequence, euler):
        text = BODIES.format(unit=unit, sequence=sequence, turn=f'euler="{euler}"')
        (line,) = changed_lines(text, written(tmp_path / "a.xml", text, pose_of_b()))
        assert "euler=" in line

    def test_settings_of_an_included_file(self, tmp_path):
        (tmp_path / "c.xml").write_text('<mujocoinclude><compiler angle="radian"/></mujocoinclude>')
        text = MJCF.replace('<compiler angle="degree" eulerseq="XYZ"/>', '<include file="c.xml"/>').replace(
            "-90 90", "-1 1"
        )
        after = written(tmp_path / "a.xml", text, FAULTS["zero"])
        assert 'euler="0 0.01 0"' in after

    def test_an_axis_and_damping_of_a_class(self, tmp_path):
        """The element gets its own; the class, and other joints, stay."""
        text = BODIES.format(unit="degree", sequence="xyz", turn="")
        after = written(
            tmp_path / "a.xml", text, ModelFault("sign", "b"), ModelFault("viscous friction", "b", 0.1, STD)
        )
        (joint,) = [line for line in changed_lines(text, after) if 'name="b"' in line]
        assert 'axis="0 -1 0" damping="0.1"/>' in joint

    def test_an_axis_of_a_class_in_a_frame(self, tmp_path):
        text = BODIES.format(unit="degree", sequence="xyz", turn="").replace(
            '<joint name="b" pos="0.1 0 0" ref="0.1"/>', JOINT
        )
        after = written(tmp_path / "a.xml", text, ModelFault("sign", "b"))
        assert after == text.replace('"0.1 0 0" ref="0"/>', '"0.1 0 0" ref="0" axis="0 -1 0"/>')

    def test_moments_that_are_not_principal(self, tmp_path):
        change = np.array([0.001, 0.002, 0.0, -0.001, 0.003, 0.0])
        for before, form in (('quat="0.9 0 0 0.1" diaginertia=', "quat"), ("diaginertia=", "quat")):
            text = MJCF.replace("diaginertia=", before)
            after = written(tmp_path / "a.xml", text, ModelFault("inertia", "two", change, SIX))
            assert f"{form}=" in changed_lines(text, after)[0]
        full = MJCF.replace('diaginertia="0.020 0.030 0.040"', 'fullinertia="0.020 0.030 0.040 0 0 0"')
        after = written(tmp_path / "a.xml", full, ModelFault("inertia", "two", change, SIX))
        assert 'fullinertia="0.021 0.030 0.040 0.002 -0.001 0.003"' in after

    def test_a_mass_of_geoms(self, tmp_path):
        """The body gets an inertial of its own, unless the compiler takes that of geoms in any case."""
        text = BODIES.format(unit="degree", sequence="xyz", turn="")
        after = written(tmp_path / "a.xml", text, ModelFault("mass", "two", 0.5, STD))
        assert '<inertial pos="0 0 0" mass="4.68879020479" fullinertia="' in after
        text = text.replace("<compiler", '<compiler inertiafromgeom="true"')
        (tmp_path / "a.xml").write_text(text)
        with pytest.raises(KinetreeError, match=r"a.xml:6:7: its inertia follows from its geoms"):
            fix(tmp_path / "a.xml", ModelFault("mass", "two", 0.5, STD))

    @each("kind", ["mass", "inertia"])
    def test_masses_that_are_scaled(self, tmp_path, kind):
        """What settotalmass does to the numbers shows when the text is read again."""
        (tmp_path / "a.xml").write_text(MJCF.replace("<compiler", '<compiler settotalmass="5"'))
        with pytest.raises(
            KinetreeError, match=r"would be another robot: link '(one|two)' has another mass or inertia"
        ):
            fix(tmp_path / "a.xml", FAULTS[kind])

    def test_the_second_joint_of_a_body(self, tmp_path):
        text = MJCF.replace('axis="0 1 0"/>', 'axis="0 1 0"/><joint name="c" axis="1 0 0"/>')
        written(tmp_path / "a.xml", text, pose_of_b())
        (tmp_path / "a.xml").write_text(text)
        with pytest.raises(KinetreeError, match=r"a.xml:7:39: only the first joint of a body has a pose in MJCF"):
            fix(tmp_path / "a.xml", ModelFault("zero", "c", 0.01, STD))

    def test_bodies_of_one_element(self, tmp_path):
        text = MJCF.replace('<body name="one">', '<replicate count="2" offset="1 0 0"><body name="one">')
        text = text.replace("</body>\n  </worldbody>", "</body></replicate>\n  </worldbody>")
        (tmp_path / "a.xml").write_text(text)
        name = next(name for name in kt.load(tmp_path / "a.xml").joints if name.startswith("b"))
        with pytest.raises(KinetreeError, match=r"is the place of .*, of which one is to change"):
            fix(tmp_path / "a.xml", ModelFault("zero", name, 0.01, STD))


ROWS_OF_LINES = """name = "arm"  # größer
[[chain]]
convention = "dh"
units = { a = "m", d = "cm", alpha = "deg", theta = "rad" }
[[chain.rows]]
joint = "a"
a = 0.3
d = 0
alpha = 90
theta = "pi/2"
[[chain.rows]]
joint = "b"
a = 0.2
d = 0
alpha = -90
theta = "-1 -> 1"
[[chain.rows]]
joint = "c"
type = "prismatic"
flip = true
a = 0
d = 12
offset = 1
alpha = 0
theta = 0
"""


class TestDh:
    @pytest.mark.slow
    @each(
        "fault, lines",
        [
            (ModelFault("zero", "a", 0.01, STD), ["theta = 1.5807963268"]),
            (ModelFault("zero", "b", 0.01, STD), ['theta = "0.01 + (-1 -> 1)"']),
            (ModelFault("zero", "c", 0.01, STD), ["offset = 0"]),
            (ModelFault("sign", "c"), ["flip = false"]),
            (ModelFault("length", "b", 0.01, STD), ["a = 0.31"]),
        ],
    )
    def test_rows_of_lines(self, tmp_path, fault, lines):
        after = written(tmp_path / "a.toml", ROWS_OF_LINES, fault)
        assert changed_lines(ROWS_OF_LINES, after) == lines

    @pytest.mark.slow
    @each("head", ["[[chain.rows]]", "[[rows]]"])
    def test_numbers_in_comments(self, tmp_path, head):
        text = ROWS_OF_LINES.replace("a = 0.3", "# é: a = 0.1 until {2020}\na = 0.3  # a = 0.2")
        if head == "[[rows]]":
            text = text.replace("[[chain]]\n", "").replace("[[chain.rows]]", head)
        after = written(tmp_path / "a.toml", text, ModelFault("length", "b", 0.01, STD))
        assert after == text.replace("a = 0.3", "a = 0.31")

    def test_rows_without_lines(self, tmp_path):
        inline = re.search(r"rows = (.*)\ntool", DH.replace("\n  ", " ").replace(",\n]", "]"), re.DOTALL)
        units = 'units = { length = "mm", angle = "deg" }'
        (tmp_path / "a.toml").write_text(f'chain = [{{ convention = "mdh", {units}, rows = {inline[1]} }}]\n')
        with pytest.raises(KinetreeError, match="the line of row 2 is not known; edit it by hand"):
            fix(tmp_path / "a.toml", FAULTS["length"])

    def test_a_key_that_a_row_does_not_have(self, tmp_path):
        after = written(tmp_path / "a.toml", ROWS_OF_LINES, ModelFault("sign", "b"))
        assert after == ROWS_OF_LINES.replace('joint = "b"\n', 'flip = true\njoint = "b"\n')

    @pytest.mark.slow
    def test_two_rows_of_a_line_and_a_constant_row(self, tmp_path):
        text = DH.replace("] ,", "],").replace(
            ' },\n  { joint = "b"', ' }, { type = "fixed", a = 100, d = 0, alpha = 0, theta = 0 },\n  { joint = "b"'
        )
        after = written(tmp_path / "a.toml", text, pose_of_b())
        assert 'joint = "a", a = 0,     d = 0, alpha = 0,  theta = 0, ' in after
        assert 'type = "fixed", a = 100, d = 0' not in after

    @pytest.mark.slow
    def test_a_pose_that_rows_cannot_have(self, tmp_path):
        """A first row of the standard convention has nothing before it but theta and d."""
        (tmp_path / "a.toml").write_text(ROWS_OF_LINES)
        with pytest.raises(
            KinetreeError, match="joint 'a': the numbers of its row and of the one before it do not give"
        ):
            fix(tmp_path / "a.toml", pose_of_b("a"))


@each(
    "written, after",
    [
        ("<mass>2.0<!-- kg --></mass>", "<mass>2.5<!-- kg --></mass>"),
        ("<mass><!-- a --> 2.0 <!-- é --> </mass>", "<mass><!-- a --> 2.5 <!-- é --> </mass>"),
        ("<mass>2.<!-- 1 -->0<!-- 2 --></mass>", "<mass>2.5 <!-- 1 --><!-- 2 --></mass>"),
    ],
)
def test_comments_in_a_text(tmp_path, written, after):
    file, text = tmp_path / "a.sdf", SDF.replace("<mass>2.0</mass>", written)
    file.write_text(text)
    ((_, found),) = fix(file, FAULTS["mass"], ModelFault("inertia", "two", np.zeros(6), SIX)).after.items()
    assert found.decode() == text.replace(written, after)


@each("written, after", [("", "2.5"), ("<!-- kg -->", "<!-- kg -->2.5"), (" \n", " \n2.5")])
def test_a_text_without_words(written, after):
    element = parse(f"<mass>{written}</mass>", "a.sdf", Report())
    assert applied(f"<mass>{written}</mass>".encode(), [set_text(element, "2.5")]) == f"<mass>{after}</mass>".encode()


def test_numbers_that_may_be_zero():
    std = np.array([0.1, 0.1, 0.1])
    fault = ModelFault("centre", "two", np.array([0.29, -0.31, 0.0]), std, 0.5, (("zero", "b"),), "m")
    sure = certain(fault)
    assert sure.value.tolist() == [0.0, -0.31, 0.0]
    assert (sure.kind, sure.element, sure.explains, sure.alike, sure.unit) == ("centre", "two", 0.5, fault.alike, "m")
    for one in (ModelFault("sign", "b"), ModelFault("zero", "b", 0.01, 0.1), replace(fault, value=np.full(3, 0.31))):
        assert certain(one) is one


def test_an_included_file(tmp_path):
    """It is changed only if its includers may change, too."""
    part = XACRO.replace('<link name="base_link"/>', "")
    (tmp_path / "part.xacro").write_text(part)
    file = tmp_path / "a.xacro"
    begin = XACRO.partition("<!--")[0]
    file.write_text(f'{begin}<link name="base_link"/><xacro:include filename="part.xacro"/></robot>')
    why = r"part.xacro, which other models may include; edit it there, as --diff shows"
    with pytest.raises(KinetreeError, match=why):
        fix(file, FAULTS["length"])
    change = lambda one: corrected(one, [FAULTS["length"]])[0]  # noqa: E731
    ((path, after),) = rewritten(str(file), ReadOptions(), change, included=True).after.items()
    assert (path.name, after.decode()) == ("part.xacro", part.replace("0.500 0 0", "0.502 0 0"))


def test_parts_that_no_text_has_as_they_are(tmp_path):
    file = tmp_path / "a.sdf"
    file.write_text(SDF)
    robot = kt.load(file)
    writer = Writer(robot, "sdf", {file.resolve(): SDF.encode()})
    assert [one.tag for one in writer.path(robot.joints["b"], "joint")] == ["sdf", "model", "joint"]
    for one, tag, contents, why in (
        (robot.joints["b"], "joint", {}, "joint 'b' is written in no file as it is; edit it by hand"),
        (
            robot.joints["b"],
            "link",
            writer.contents,
            "a.sdf:11:3 has no element of joint 'b', which follows",
        ),
        (replace(robot.links["two"], source=None), "link", writer.contents, "link 'two' is written in no file"),
    ):
        with pytest.raises(KinetreeError, match=why):
            replace(writer, contents=contents).path(one, tag)


@each(
    "xyz, axis, after",
    [
        ("<xyz>0 1 0.0</xyz>", (0.6, 0, 0.8), "<xyz>0.6 0 0.8</xyz>"),
        ('<xyz expressed_in="__model__">0 0 1</xyz>', (0, 1, 0), '<xyz expressed_in="__model__">0 1 0</xyz>'),
        ('<xyz expressed_in="two">0 0 1</xyz>', (0, 1, 0), None),
    ],
)
def test_an_axis_in_the_coordinates_of_other_frames(tmp_path, xyz, axis, after):
    """Of a joint whose frame is turned by 90 degrees about y against the model, and by 45 against link two."""
    text = IN_MODEL.replace('<xyz expressed_in="__model__">0 1 0</xyz>', xyz).replace(
        '"two"><pose>0.5 0 0 0 0 0<', '"two"><pose>0.5 0 0 0 0.7853981633974483 0<'
    )
    (tmp_path / "a.sdf").write_text(text)

    def turned(robot):
        parts = parts_of(robot)
        R = rotation_from_vector(np.array([0, np.pi / 2, 0])) if "model" in xyz else np.eye(3)
        axes = frozen([R.T @ np.array(axis, float)])
        parts.joints = [replace(one, axes=axes) if one.name == "c" else one for one in parts.joints]
        return build(parts)

    change = lambda: rewritten(str(tmp_path / "a.sdf"), ReadOptions(), turned).after  # noqa: E731
    if after is None:
        with pytest.raises(KinetreeError, match="the axis is in the coordinates of another frame; edit it by hand"):
            change()
        return
    ((_, found),) = change().items()
    assert found.decode() == text.replace(xyz, after)


def test_an_inertial_in_a_frame_of_mjcf(tmp_path):
    inertial = '<inertial pos="0.200 0 0" mass="2.0" diaginertia="0.020 0.030 0.040"/>'
    text = MJCF.replace(inertial, f'<frame pos="0 0 0.5">{inertial}</frame>')
    after = written(tmp_path / "a.xml", text, FAULTS["mass"])
    assert after == text.replace('"2.0" diaginertia="0.020 0.030 0.040"', '"2.5" diaginertia="0.025 0.0375 0.05"')


def test_a_pose_without_numbers_is_refused():
    link = parse('<link name="a"><pose>1 2 3 0 0 0</pose></link>', "a.sdf", Report())
    with pytest.raises(KinetreeError, match=r"a.sdf:1:1: no numbers of its <pose> are found; edit it by hand"):
        set_sdf_pose(link, np.diag([2.0, 1.0, 1.0, 1.0]))


def test_what_belongs_to_no_text(tmp_path):
    table = tmp_path / "a.csv"
    table.write_text("# convention: dh\njoint,a (m),d (m),alpha (rad),theta (rad)\nb,0.1,0,0,0\n")
    with pytest.raises(KinetreeError, match=r"a.csv cannot be edited; expected a file of URDF"):
        fix(table, ModelFault("zero", "b", 0.01, STD))


def test_a_value_of_a_macro(tmp_path):
    text = XACRO.replace('<mass value="2.0"/>', '<mass value="${4 * l}"/>')
    (tmp_path / "a.xacro").write_text(text)
    with pytest.raises(KinetreeError, match=r"a.xacro:4:40 is not changed: value='\${4 \* l}' is computed there"):
        fix(tmp_path / "a.xacro", FAULTS["mass"])


def test_several_faults_of_a_link():
    """A mass scales the moments, unless they are known themselves, which they are about the new mass."""
    robot = kt.load(URDF, format="urdf")
    found, _ = corrected(robot, [FAULTS["mass"], FAULTS["inertia"], FAULTS["centre"]])
    np.testing.assert_allclose(found.links["two"].inertial.inertia, np.diag([0.021, 0.03, 0.042]), rtol=0, atol=1e-15)
    assert found.links["two"].inertial.mass == 2.5
    unknown = ModelFault("centre", "two", np.zeros(3), np.array([0.1, np.inf, 0.1]))
    same, ((_, why),) = corrected(robot, [unknown])
    assert same is robot
    assert why == "the log does not determine all of it"


def test_friction_is_not_negative():
    found, _ = corrected(kt.load(URDF, format="urdf"), [ModelFault("viscous friction", "b", -0.2, STD)])
    assert found.joints["b"].dynamics[0].damping == 0.0


@pytest.mark.slow
def test_inertias_in_turned_axes():
    """Values are in the axes of the link, whatever those of the inertial are."""
    text = URDF.replace('<origin xyz="0.200 0 0"/>', '<origin xyz="0.200 0 0" rpy="0.1 0.2 0.3"/>')
    robot = kt.load(text, format="urdf")
    found, _ = corrected(robot, [ModelFault("inertia", "two", np.array([1, 2, 3, 4, 5, 6]) * 1e-3, SIX)])
    before, after = (kt.dynamics.inertial_parameters(one)["two"] for one in (robot, found))
    np.testing.assert_allclose(after - before, [0, 0, 0, 0, *np.array([1, 2, 3, 4, 5, 6]) * 1e-3], rtol=0, atol=1e-12)


@pytest.mark.slow
class TestRobots:
    """Robots of others in each format: every kind, at joints and links drawn at random."""

    @each(
        "name, ending", [(name, ending) for name in ("ur5_robot", "panda", "icub") for ending in ("urdf", "sdf", "xml")]
    )
    @pytest.mark.nightly
    def test_converted(self, tmp_path, name, ending):
        files = icub_urdfs() if name == "icub" else [one for one in example_robot_urdfs() if one.stem == name]
        file = tmp_path / f"robot.{ending}"
        kt.save(kt.load(files[0]), file, format={"xml": "mjcf"}.get(ending, ending), without=("geometry",))
        robot, text, rng = kt.load(file), file.read_text(), np.random.default_rng(5)
        joint = rng.choice([one for one in robot.joint_names if robot.joints[one].kind.nq == 1])
        link = rng.choice([one.name for one in robot.links.values() if one.inertial and one.inertial.mass > 0.01])
        for kind, fault in FAULTS.items():
            on = link if kind in ("mass", "centre", "inertia") else joint
            found = replace(fault, element=str(on))
            if corrected(robot, [found])[1]:  # a sign of limits that are not symmetric, or an armature of URDF
                continue
            after = written(file, text, found)
            assert after != text

    def test_a_joint_of_several_chains(self, tmp_path):
        """What rows of a joint say must be the same in all of its chains."""
        row = '{ joint = "%s", a = 0.2, d = 0, alpha = 0, theta = 0 }'
        rows = f"rows = [{row % 'a'}, {row}]"
        head = 'convention = "dh"\nunits = { length = "m", angle = "rad" }\n'
        text = head + "".join(f'[[chain]]\nname = "{name}"\n{rows % name}\n' for name in ("left", "right"))
        for fault in (ModelFault("sign", "a"), ModelFault("zero", "a", 0.01, STD)):
            assert len(changed_lines(text, written(tmp_path / "a.toml", text, fault))) == 2

    def test_the_icub_of_tables(self, tmp_path):
        file = tmp_path / "icub.toml"
        kt.save(kt.load("icub"), file)
        text = file.read_text()
        for name in ("l_elbow", "torso_roll"):  # the torso is in the chains of both arms and of the head
            after = written(file, text, ModelFault("zero", name, 0.01, STD))
            lines = changed_lines(text, after)
            assert len(lines) == sum(f'"{name}"' in line and "theta" in line for line in text.splitlines())
            assert all(f'"{name}"' in line for line in lines)


@each("pitch", [np.pi / 2, 1.5708, 1.5707963, -1.57])
def test_near_gimbal_lock(pitch):
    """A small turn is found without angles of many turns."""
    start = np.array([0.3, pitch, 0.5])
    R = rotation_from_euler(start[::-1], "zyx") @ rotation_from_vector(np.array([0.002, -0.001, 0.003]))
    found = solved(lambda x: (rotation_from_euler(x[::-1], "zyx") - R).ravel(), start)
    np.testing.assert_allclose(rotation_from_euler(found[::-1], "zyx"), R, rtol=0, atol=1e-10)
    assert np.abs(found).max() < 10
