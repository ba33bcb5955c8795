"""URDF files as robots, in full: everything that is read, said and written of small files, and what they carry."""

# ruff: noqa: E501

from dataclasses import replace

import numpy as np
import pytest

import kinetree as kt
from carried_robots import everything
from kinetree.formats import urdf
from kinetree.formats.losses.sidecar.merge_fixed_link import fits_frame, with_frame
from kinetree.formats.urdf.read import read_certain
from kinetree.model.assemble import build, parts_of
from kinetree.model.joints import JOINT_TYPES
from kinetree.model.robot import Dynamics, Joint, Limit
from kinetree.spatial import se3
from kinetree.spatial.se3 import frozen
from whole import one_line, reading, written

ENDS = '<parent link="a"/><child link="b"/>'
TWO = '<link name="a"/><link name="b"/>'
BOX = '<geometry><box size="1 2 3"/></geometry>'


def robot(inside: str, attributes: str = 'name="r"') -> str:
    return f"<robot {attributes}>{inside}</robot>"


def joints(*inside: str, kind: str = "revolute", version: str = "1.0") -> str:
    """A joint between the first link and another for each text."""
    made = (
        f'<link name="b{i}"/><joint name="j{i}" type="{kind}"><parent link="a"/><child link="b{i}"/>{one}</joint>'
        for i, one in enumerate(inside)
    )
    return robot('<link name="a"/>' + "".join(made), f'name="r" version="{version}"')


def shapes(*inside: str, tag: str = "visual", version: str = "1.0") -> str:
    return robot(
        f'<link name="a">{"".join(f"<{tag}>{one}</{tag}>" for one in inside)}</link>', f'name="r" version="{version}"'
    )


def carried(*records: str, robot_: str = "") -> str:
    """A robot, and records of Kinetree about it."""
    made = "".join(
        f"<kinetree_carried {one.partition('>')[0]}>{one.partition('>')[2]}</kinetree_carried>" for one in records
    )
    return robot((robot_ or CARRYING) + made)


AXIS = '<axis xyz="0 0 1"/>'


def fixed(name: str, parent: str, child: str, origin: str = "", kind: str = "fixed") -> str:
    axis = AXIS if kind != "fixed" else ""
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{origin}{axis}</joint>'


AT, TURNED = '<origin xyz="1 0 0"/>', '<origin xyz="0 1 0" rpy="0 0 1.5707963267948966"/>'
LINKS = "".join(f'<link name="{name}"/>' for name in "wabc")

CARRYING = f"""<link name="a"><visual>{BOX}</visual></link><link name="b"><inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="c"/><link name="d"/><joint name="j" type="revolute">{ENDS}{AXIS}<limit lower="-1" upper="1" velocity="2" effort="3"/></joint>
  <joint name="k" type="fixed"><parent link="b"/><child link="c"/><origin xyz="1 0 0"/></joint><joint name="l" type="fixed"><parent link="a"/><child link="d"/></joint>
  <sensor name="s" type="imu"><parent link="c"/></sensor><material name="red"><color rgba="1 0 0 1"/></material>"""
WEIGHT = '<inertial><mass value="{}"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
TEXTS = {
    "no robot": "<urdf/>",
    "no name": robot('<link name="a"/>', ""),
    "an empty name": robot('<link name="a"/>', 'name=" " version=" "'),
    "a name of xacro": robot('<link name="a"/>', 'name="${n}" version="2"'),
    "attributes of the root": robot(
        'stray<link name="a" type="x" odd="1"/>', 'name="r" version="1.1" odd="1" xmlns:x="u" x:y="1" xacro:z="1"'
    ),
    "others": robot(
        '<link name="a"><odd a="1">text</odd><gazebo/></link><gazebo reference="a"/><transmission/><ros2_control/><odd/><xacro:macro/><kinetree_carried/>'
    ),
    "instructions of xacro": robot(
        '<link name="a"><inertial><xacro:x/><odd/><mass value="1"/></inertial><visual><geometry><xacro:y/></geometry></visual></link>'
    ),
    "origins": joints(
        '<origin/><axis xyz="1 0 0"/><limit lower="0" upper="1" velocity="1" effort="1"/>',
        '<origin xyz="1 2" rpy="0 0"/>',
        '<origin xyz="1 2 3" rpy="0 0 0" quat_xyzw="0 0 0 1"/>',
        '<origin quat_xyzw="0 0 3 4"/>',
        '<origin quat_xyzw="0 0 0 0"/>',
        '<origin xyz="1 2 3" odd="1">text<odd/></origin>',
        '<origin xyz="${x} 0 0"/>',
        kind="fixed",
    ),
    "turned origins": joints(
        '<origin xyz="1 0 0" quat_xyzw="0 0 3 4"/>', '<origin rpy="0 0 1"/>', kind="fixed", version="1.1"
    ),
    "axes": joints(
        "",
        "<axis/>",
        '<axis xyz="0 0 0"/>',
        '<axis xyz="0 3 4"/>',
        '<axis xyz="1"/>',
        '<axis xyz="1e-300 0 0"/>',
        '<axis xyz="0 0 1" odd="1"/>',
        kind="continuous",
    ),
    "axes of joints without": joints('<axis xyz="1"/>', '<axis xyz="0 0 2"/>', "", kind="floating"),
    "axes of planes": joints("", '<axis xyz="0 0 2"/>', kind="planar"),
    "limits": joints(
        *(
            AXIS + one
            for one in (
                "",
                "<limit/>",
                '<limit lower="-1"/>',
                '<limit upper="1" velocity="2"/>',
                '<limit lower="-1" upper="1" effort="0"/>',
                '<limit lower="x" upper="1" velocity="1" effort="1"/>',
                '<limit lower="-1" upper="1" velocity="1" effort="1" jerk="2" odd="1"/>',
                '<limit lower="-1.7976931348623157e308" upper="1.7976931348623157e308" velocity="1.7976931348623157e308" effort="-1"/>',
            )
        )
    ),
    "limits of slides": joints(AXIS, AXIS + '<limit lower="-1" upper="1" velocity="1" effort="1"/>', kind="prismatic"),
    "limits of wheels": joints(
        *(
            AXIS + one
            for one in (
                "",
                "<limit/>",
                '<limit lower="-1" upper="1" velocity="2" effort="3"/>',
                '<limit lower="0" velocity="2" effort="3"/>',
            )
        ),
        kind="continuous",
    ),
    "limits of others": joints(
        '<limit lower="-1" upper="1" velocity="2" effort="3"/>',
        '<limit effort="0" velocity="0"/>',
        "<limit/>",
        kind="fixed",
    ),
    "limits of 1.2": joints(
        *(
            AXIS + one
            for one in (
                "<limit/>",
                '<limit lower="-1" upper="1" acceleration="2"/>',
                '<limit lower="-1" upper="1" acceleration="2" deceleration="3" jerk="4"/>',
            )
        ),
        version="1.2",
    ),
    "wheels of 1.2": joints(
        *(AXIS + one for one in ("<limit/>", '<limit lower="-1" velocity="2" deceleration="3"/>')),
        kind="continuous",
        version="1.2",
    ),
    "joints": robot(
        TWO
        + '<joint/><joint name="j" type="gear"><axis/><limit/></joint><joint name="k" type="fixed" odd="1"><parent/><child link="b" odd="1"/></joint><joint name="m" type="${t}"/>'
        '<joint name="l" type="fixed"><parent link="a"/><parent link="b"/><child link="b"/><child link="b"/></joint>'
    ),
    "followers": joints(
        AXIS, AXIS + '<mimic joint="j0" multiplier="2" offset="0.5"/>', AXIS + '<mimic joint="j0"/>', kind="continuous"
    ),
    "followers that are none": joints(
        AXIS + "<mimic/>",
        AXIS + '<mimic joint="j0" multiplier="x" odd="1"/>',
        AXIS + '<mimic joint="none"/>',
        kind="continuous",
    ),
    "followers of others": joints('<mimic joint="j0"/>', kind="fixed"),
    "dynamics": joints(
        *(
            AXIS + one
            for one in (
                '<dynamics damping="1"/>',
                '<dynamics friction="2"/>',
                "<dynamics/>",
                '<dynamics damping="x" odd="1"/>',
            )
        ),
        kind="continuous",
    ),
    "safety and switches": joints(
        *(
            AXIS + one
            for one in (
                '<safety_controller k_velocity="1"/>',
                '<safety_controller k_velocity="1" k_position="2" soft_lower_limit="-1" soft_upper_limit="1"/>',
                '<safety_controller k_position="2"/>',
                '<calibration rising="1"/>',
                '<calibration falling="2" odd="1"/>',
                "<calibration/>",
                '<calibration rising="x"/>',
            )
        ),
        kind="continuous",
    ),
    "inertias": robot(
        '<link name="a"><inertial/></link>'
        + "".join(
            f'<link name="b{i}">{one}</link><joint name="j{i}" type="fixed"><parent link="a"/><child link="b{i}"/></joint>'
            for i, one in enumerate(
                (
                    '<inertial><origin xyz="1 2 3" rpy="0 0 1"/><mass value="2"/><inertia ixx="1" ixy="0.1" ixz="0.2" iyy="2" iyz="0.3" izz="3"/></inertial>',
                    '<inertial odd="1"><mass/><inertia ixx="1"/><odd/></inertial>',
                    '<inertial><mass value="x"/><mass value="1"/></inertial>',
                    WEIGHT.format(1) + WEIGHT.format(1) + WEIGHT.format(2),
                )
            )
        )
    ),
    "shapes": shapes(
        BOX,
        '<geometry><cylinder radius="1" length="2"/></geometry>',
        '<geometry><sphere radius="1"/></geometry>',
        '<geometry><capsule radius="1" length="2"/></geometry>',
        '<geometry><mesh filename="m.stl" scale="1 2 3"/></geometry>',
        '<origin xyz="1 0 0"/><geometry><mesh filename="m.stl"/></geometry>',
        "<geometry><box/></geometry>",
        '<geometry><box size="1"/></geometry>',
        "<geometry><sphere/></geometry>",
        "<geometry><cylinder radius='1'/></geometry>",
        "<geometry><mesh/></geometry>",
        "<geometry/>",
        "",
        "<geometry><cone/></geometry>",
        '<geometry><sphere radius="1" odd="1"/><box size="1 1 1"/><odd/></geometry>',
        '<geometry><mesh filename="m" scale="2"/></geometry>',
    ),
    "a capsule of 1.1": shapes('<geometry><capsule radius="1" length="2"/></geometry>', version="1.1"),
    "collisions": shapes(
        BOX + '<verbose value="1"/><material name="unknown"/><odd/>',
        '<geometry><box size="${s}"/></geometry>',
        tag="collision",
    ),
    "materials": robot(f"""<link name="a"><visual name="v">{BOX}<material name="red"/></visual><visual name="${{v}}">{BOX}<material name="blue"><color rgba="0 0 1 1"/></material></visual>
      <visual>{BOX}<material name="blue"/></visual><visual>{BOX}<material><color rgba="1 1 1 1"/></material></visual><visual>{BOX}<material name="red"><color rgba="0 1 0 1"/></material></visual>
      <visual>{BOX}<material name="none"/></visual><visual>{BOX}<material name="wood"><texture filename="w.png"/></material><material name="red"/></visual><visual>{BOX}<material name="odd"><color/><texture/><odd/></material></visual>
      <visual>{BOX}<material name="bad"><color rgba="1 0"/></material></visual></link><material name="red"><color rgba="1 0 0 1"/></material><material/><material name="red"><color rgba="0 0 0 1"/></material><material name="bare"/>"""),
    "sensors": robot(
        TWO
        + f'<joint name="j" type="fixed">{ENDS}</joint>'
        + "".join(
            f"<sensor {one}</sensor>"
            for one in (
                'name="s0" type="imu"><parent link="a"/><origin xyz="1 0 0"/>',
                'name="s1"><parent joint="j"/><camera/>',
                'name="s2" type="imu">',
                'name="s3" type="imu"><parent link="a" joint="j" odd="1"/>',
                'name="s4" update_rate="30" odd="1"><parent link="a"/><ray/><imu/>',
                'type="imu"><parent link="a"/>',
                'name="s6" type="imu" update_rate="x"><parent link="a"/>',
                'name="s7" type="force_torque"><parent joint="j"/><force_torque><frame>sensor</frame><measure_direction>parent_to_child</measure_direction><odd/></force_torque>',
                'name="s8" type="imu"><parent link="none"/>',
                'name="s9" type="imu"><parent joint="none"/>',
            )
        )
    ),
    "coupled limits": robot(
        TWO
        + f'<joint name="j" type="continuous">{ENDS}{AXIS}</joint>'
        + '<kinetree_coupled_limit name="both" lower="-1"><joint name="j" coefficient="2"/></kinetree_coupled_limit>'
    ),
    "coupled limits that are none": robot(
        TWO
        + f'<joint name="j" type="continuous">{ENDS}{AXIS}</joint>'
        + '<kinetree_coupled_limit><odd/></kinetree_coupled_limit><kinetree_coupled_limit name="n" upper="x"><joint name="j" coefficient="1"/><joint name="j" coefficient="1"/></kinetree_coupled_limit>'
    ),
    "two parents": robot(
        TWO
        + f'<link name="c"/><joint name="j" type="fixed">{ENDS}</joint><joint name="k" type="fixed"><parent link="c"/><child link="b"/></joint>'
    ),
    "a circle": robot(
        TWO
        + f'<joint name="j" type="fixed">{ENDS}</joint><joint name="k" type="fixed"><parent link="b"/><child link="a"/></joint>'
    ),
    "names that stand twice": robot(TWO + '<link name="a"/>' + f'<joint name="j" type="fixed">{ENDS}</joint>' * 2),
    "no links": robot(""),
    "trees that joints close": robot(
        LINKS
        + fixed("j", "w", "a")
        + fixed("k", "w", "b")
        + fixed("l", "a", "b", AT)
        + fixed("m", "b", "c")
        + fixed("n", "c", "a")
    ),
    "two trees that joints close": robot(
        LINKS + fixed("j", "w", "a") + fixed("k", "b", "a") + fixed("l", "b", "c") + fixed("m", "c", "b")
    ),
    "materials of one name": robot(
        '<link name="a">'
        + "".join(
            f'<visual>{BOX}<material name="m"><color rgba="{one} 0 0 1"/></material></visual>' for one in (0, 1, 1, 0.5)
        )
        + '</link><material name="m_"/>'
    ),
    "joints of 1.2": robot(TWO + f'<joint name="j" type="revolute">{ENDS}{AXIS}</joint>', 'name="r" version="1.2"'),
}
RECORDS = {
    "of everything": (
        'of="joint" name="j">{"type": "continuous", "file": {"type": "revolute"}, "limits.0.acceleration": 4, "dynamics.0.stiffness": 2, "safety.k_velocity": 3}',
        'of="link" name="c">{"gone": true}',
        'of="frame" name="f">{"new": true, "link": "b", "origin": [[1,0,0,1],[0,1,0,2],[0,0,1,3],[0,0,0,1]]}',
        'of="sensor" name="t">{"new": true, "type": "gyro", "frame": "a", "update_rate": 5}',
        'of="material" name="blue">{"new": true, "rgba": [0, 0, 1, 1], "texture": "t.png"}',
        'of="coupled_limit" name="both">{"new": true, "coefficients": {"j": 2}, "lower": -1}',
        'of="group" name="arm">{"joints": ["j"]}',
        'of="robot">{"name": "own", "joint_order": ["j"], "header": {"xmlns:x": "u"}, "extensions.0": ["sdf", "odd", "&lt;odd/>"]}',
        'of="link" name="a">{"name": "base", "visuals.0.name": "v", "visuals.0.material.name": "red"}',
    ),
    "of other kinds": (
        'of="lnk" name="a">{}',
        ">{}",
        'of="link" name="a">[]',
        'of="link" name="a">{',
        'of="joint" name="j">{"file": 3}',
        'of="link">{"name": "x"}',
        'of="sensor">{"new": true, "name": "x"}',
    ),
    "of nothing": tuple(
        f'of="{kind}" name="none">{{"source": 1}}'
        for kind in ("link", "joint", "frame", "sensor", "material", "coupled_limit", "loop")
    ),
    "that a file has changed": (
        'of="joint" name="j">{"limits.0.upper": 3, "file": {"limits.0.upper": 2}}',
        'of="link" name="b">{"inertial": null, "file": {"inertial.mass": 1}}',
        'of="link" name="b">{"inertial": null, "file": {"inertial.mass": 2}}',
        'of="sensor" name="s">{"gone": true, "file": {"type": "gyro"}}',
        'of="joint" name="j">{"type": "prismatic", "file": {"type": "revolute"}}',
        'of="joint" name="j">{"origin": [[1]]}',
    ),
    "of what is not carried": (
        'of="link" name="a">{"name": ""}',
        'of="link" name="a">{"name": 3}',
        'of="link" name="a">{"parent": "x", "odd": 1}',
        'of="joint" name="j">{"odd": 1}',
        'of="joint" name="j">{"limits.0.odd": 1}',
        'of="joint" name="j">{"limits.200.upper": 1}',
        'of="joint" name="j">{"limits.-1.upper": 1}',
        'of="joint" name="j">{"limits.x.upper": 1}',
        'of="joint" name="j">{"dynamics.0.damping": "x"}',
        'of="joint" name="j">{"dynamics.0.damping": true}',
        'of="joint" name="j">{"mimic.joint": "none"}',
        'of="link" name="c">{"inertial.mass": 3}',
        'of="frame" name="j">{"origin": 3}',
        'of="frame" name="a">{"unplaced": "why"}',
        'of="joint" name="j">{"child_origin": [[0,-1,0,1],[1,0,0,0],[0,0,1,0],[0,0,0,1]]}',
        'of="joint" name="j">{"child_origin": [[2,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]}',
    ),
    "of the robot": (
        'of="robot">{"joint_order": ["none"]}',
        'of="robot">{"joint_order": ["j", "j"]}',
        'of="robot">{"joint_order": 3}',
        'of="robot">{"odd": 1}',
        'of="robot">{"header": {"name": "x"}}',
        'of="robot">{"extensions.9": ["sdf", "odd", "&lt;odd/>"]}',
        'of="robot">{"extensions.0": ["sdf", "odd"]}',
        'of="group" name="g">{"joints": ["none"]}',
        'of="group" name="g">{}',
    ),
    "of new things": (
        'of="sensor" name="t">{"new": true, "type": "gyro", "frame": "none"}',
        'of="sensor" name="t">{"new": true, "type": "gyro", "frame": "a", "joint": "none"}',
        'of="frame" name="f">{"new": true, "link": "none"}',
        'of="frame" name="a">{"new": true, "link": "a"}',
        'of="coupled_limit" name="n">{"new": true, "coefficients": {"none": 1}}',
        'of="coupled_limit" name="n">{"new": true, "coefficients": {"j": 0}}',
        'of="sensor" name="s">{"new": true, "type": "imu", "frame": "a"}',
        'of="group" name="n">{"new": true}',
        'of="loop" name="n">{"new": true}',
    ),
    "of long texts": (
        f'of="joint" name="j">{{"dynamics.0.damping": "{"x" * 50}"}}',
        f'of="link" name="{"n" * 190}">{{"name": "x"}}',
        f'of="link" name="a">{{"{"p" * 250}": 1}}',
    ),
    "of links that are gone": (
        'of="link" name="a">{"gone": true}',
        'of="link" name="b">{"gone": true}',
        'of="link" name="d">{"gone": true}',
        'of="link" name="none">{"gone": true}',
    ),
    "of links that are frames": (
        'of="link" name="x">{"new": true}',
        'of="joint" name="x">{"new": true, "parent": "a", "child": "x"}',
        'of="joint" name="j">{"parent": "d"}',
        'of="joint" name="j">{"child": "none"}',
        'of="frame" name="s">{"on": "a"}',
        'of="joint" name="j">{"child": "a"}',
    ),
}
SDF = """<sdf version="1.10" xmlns:kinetree="urn:kinetree"><model name="m"><link name="a"/><link name="b"/><frame name="e" attached_to="b"><pose>1 0 0 0 0 0.5</pose></frame><frame name="g" attached_to="b"><pose>1 2 0 0 0 0.5</pose></frame>
  <joint name="j" type="revolute"><parent>a</parent><child>b</child><axis/></joint>{}<model name="n"><link name="c"/><joint name="i" type="fixed"><parent>c</parent><child>d</child></joint><link name="d"/>
  <kinetree:carried of="joint" kinetree:name="i">{{"name": "own", "calibration.rising": 1}}</kinetree:carried><kinetree:carried of="group" kinetree:name="h">{{"joints": ["i"]}}</kinetree:carried>
  <kinetree:carried of="robot">{{"name": "x", "extensions.0": ["urdf", "odd", "&lt;odd/&gt;"]}}</kinetree:carried></model><joint name="k" type="fixed"><parent>b</parent><child>n::c</child></joint></model></sdf>"""
IN_SDF = (
    'of="link" kinetree:name="e">{"new": true, "at": 1, "extensions.0": ["urdf", "odd", "&lt;odd/>"]}',
    'of="joint" kinetree:name="f">{"new": true, "at": 1, "parent": "b", "child": "e", "calibration.rising": 2}',
    'of="frame" kinetree:name="g">{"on": "e"}',
    'of="joint" kinetree:name="k">{"parent": "e"}',
)


def read(text: str) -> str:
    return reading(*read_certain(text, "r.urdf"))


def test_what_is_read_and_said(golden):
    said = [f"# {name}\n{read(text)}" for name, text in TEXTS.items()]
    said += [
        f"# xacro that others wrote: {name}\n{reading(*urdf.read(TEXTS[name], 'r.urdf', foreign=True))}"
        for name in ("others", "instructions of xacro")
    ]
    golden("whole_urdf.txt", "\n".join(said))


CHAINS = {  # robots with links that only another format may have needed
    "below the root": LINKS + fixed("j", "w", "a") + fixed("k", "w", "b", AT, "continuous") + fixed("l", "a", "c", AT),
    "at another place than the root": LINKS + fixed("j", "w", "a", AT) + fixed("k", "a", "b") + fixed("l", "b", "c"),
    "two below the root": LINKS + fixed("j", "w", "a") + fixed("k", "w", "b") + fixed("l", "w", "c", AT),
    "sensors": LINKS
    + fixed("j", "w", "a", AT, "continuous")
    + fixed("k", "a", "b", TURNED)
    + fixed("l", "b", "c", AT, "continuous")
    + "".join(f'<sensor name="s{n}" type="imu"><parent link="{n}"/>{AT}</sensor>' for n in "wabc"),
    "two below another": LINKS + fixed("j", "w", "a", AT, "continuous") + fixed("k", "a", "b") + fixed("l", "a", "c"),
    "moving": LINKS
    + "".join(fixed(f"j{child}", parent, child, AT, "continuous") for parent, child in ("wa", "ab", "bc")),
    "bodies": LINKS.replace('<link name="a"/>', f'<link name="a"><visual>{BOX}</visual></link>')
    + fixed("j", "w", "a")
    + fixed("k", "a", "b", AT, "continuous")
    + fixed("l", "b", "c"),
}
MOVED = (
    ("none", (0, 0, 0), 0.0), ("along", (0, 0, 1), 0.0), ("beside", (1, 0, 0), 0.0), ("little", (0.9e-9, 0, 0), 0.0),
    ("turned", (0, 0, 0), 1.0), ("far and turned", (0, 2, 0), 1.0),
)  # fmt: skip


def test_links_that_only_a_format_needs(golden):
    """What becomes of them, and of frames of joints that are moved."""
    said = []
    for name, link in ((name, link) for name in CHAINS for link in "wabc"):
        record = f'of="link" name="{link}">{{"gone": true}}'
        said.append(f"# {name} without {link}\n{read(carried(record, robot_=CHAINS[name]))}")
    for kind, joint_type in JOINT_TYPES.items():
        axes = np.eye(3)[::-1][: joint_type.axes]
        joint = Joint(
            "j", kind, "a", "b", frozen(se3.translation((1, 2, 3))), frozen(axes), pitch=0.5 * (kind == "screw")
        )
        for name, p, angle in MOVED:
            C = frozen(se3.pose_from_xyz_rpy(p, (0, angle, 0)))
            if fits_frame(joint, C):
                made = with_frame(joint, C)
                assert np.allclose(made.origin @ made.child_origin, joint.origin, atol=1e-12)
                said.append(f"{kind} {name}: {one_line(made)}")
            else:
                with pytest.raises(ValueError, match="its axis does not go through the frame"):
                    with_frame(joint, C)
                said.append(f"{kind} {name}: stays")
    golden("links_of_formats.txt", "\n".join(said) + "\n")


def test_what_files_carry(golden):
    said = [f"# {name}\n{read(carried(*records))}" for name, records in RECORDS.items()]
    records = "".join(f"<kinetree:carried {one}</kinetree:carried>" for one in IN_SDF)
    said += [
        f"# in SDF\n{reading(kt.load(one, format='sdf'), list(kt.load(one, format='sdf').notes))}"
        for one in (SDF.format(records), SDF.format(records).replace('attached_to="b"', 'attached_to="a"'))
    ]
    golden("whole_carried.txt", "\n".join(said))


WRITTEN = (
    "limits",
    "limits of 1.2",
    "wheels of 1.2",
    "limits of wheels",
    "inertias",
    "shapes",
    "a capsule of 1.1",
    "materials",
    "sensors",
    "safety and switches",
    "followers",
    "turned origins",
)
LOST = (
    "extension",
    "limit",
    "material",
    "safety",
    "calibration",
    "sensor",
    "coupled_limit",
    "mimic",
    "dynamics",
    "frame",
)


@pytest.mark.parametrize("format", ["urdf", "sdf", "mjcf", "ets"])
def test_what_is_written(format, golden):
    read_ = {
        name: urdf.read(TEXTS[name].replace('lower="x"', 'lower="0"').replace('value="x"', 'value="1"'), "r.urdf")[0]
        for name in WRITTEN
    }
    robots = {"everything": everything(), **{name: build(parts_of(one)) for name, one in read_.items() if one}}
    rows = [
        (name, parts)
        for name in robots
        for parts in ((), LOST)
        if name == "everything" or (format == "urdf" and not parts)
    ]
    golden(
        f"written_urdf_to_{format}.txt",
        "\n".join(
            f"# {name} without {', '.join(parts)}\n{written(robots[name], format, parts)}" for name, parts in rows
        ),
    )


def test_each_part_alone_is_left_out(golden):
    """The robot with something of every part, in the form of each format without one of them."""
    one, whole_ = (
        everything(),
        {format: written(everything(), format).splitlines() for format in ("urdf", "sdf", "mjcf")},
    )
    said = []
    for part in LOST:
        for format, lines in whole_.items():
            left = written(one, format, (part,)).splitlines()
            said += [
                f"# {format} without {part}",
                *(f"- {line.strip()}" for line in lines if line not in left),
                *(f"+ {line.strip()}" for line in left if line not in lines),
            ]
    golden("written_without.txt", "\n".join(said) + "\n")


KINDS = {"ball": 0, "floating": 0, "planar": 1, "universal": 2, "fixed": 0, "continuous": 1, "screw": 1}
"""Types of joints, and how many axes they have."""


def test_limits_and_dynamics_of_each_type_of_joint(golden):
    """What each format says of them, or what is read again."""
    said = []
    for kind, axes in KINDS.items():
        for limit, dynamics in (
            (Limit(effort=2.0), ()),
            (Limit(-1.0, 1.0, velocity=3.0), ()),
            (Limit(1.0, -1.0), ()),
            (None, (Dynamics(1.0),)),
            (None, (Dynamics(1.0), Dynamics(2.0))),
        ):
            parts = parts_of(urdf.read(robot(TWO + f'<joint name="j" type="fixed">{ENDS}</joint>'), "r")[0])
            (fixed,) = parts.joints
            parts.joints = [
                replace(
                    fixed,
                    type=kind,
                    axes=np.eye(3)[:axes],
                    limits=(limit,) * JOINT_TYPES[kind].nv if limit else (),
                    dynamics=dynamics,
                    pitch=1.0 * (kind == "screw"),
                )
            ]
            said.append(f"# {kind} {one_line(parts.joints[0].limits[:1])} {one_line(dynamics)}")
            for format in ("urdf", "sdf", "mjcf", "dh", "ets"):
                try:
                    again = kt.load(kt.text(build(parts), format), format=format)
                except kt.KinetreeError as error:
                    said.append(f"{format}: {error.findings[0]}")
                    continue
                found = [joint for name, joint in again.joints.items() if name.startswith("j")]
                said += [
                    f"{format}: {joint.type} {one_line(joint.limits)} {one_line(joint.dynamics)}" for joint in found
                ]
    golden("limits_of_joints.txt", "\n".join(said) + "\n")
