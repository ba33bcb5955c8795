"""A file of each XML format with every element and attribute that its reader reads, each with a value that differs from
its default; and which elements and attributes the reader reads, as it says itself."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import kinetree as kt
from kinetree.formats import fields, mjcf, sdf, srdf, urdf
from kinetree.model.robot import Robot
from kinetree.syntax.xml.reader import Element, Report, parse

URDF = """<robot name="rich" version="1.2">
  <material name="paint"><color rgba="0.1 0.2 0.3 0.4"/><texture filename="wood.png"/></material>
  <link name="base" type="odd">
    <inertial><origin xyz="0.1 0.2 0.3" quat_xyzw="0 0 0.6 0.8"/><mass value="2"/>
      <inertia ixx="0.5" ixy="0.01" ixz="0.02" iyy="0.6" iyz="0.03" izz="0.7"/></inertial>
    <visual name="v"><origin xyz="0.1 0 0" rpy="0.1 0.2 0.3"/><geometry><box size="0.1 0.2 0.3"/></geometry>
      <material name="own"><color rgba="0.5 0.6 0.7 0.8"/><texture filename="steel.png"/></material></visual>
    <visual name="w"><geometry><capsule radius="0.1" length="0.4"/></geometry><material name="paint"/></visual>
    <collision name="c"><geometry><cylinder radius="0.2" length="0.3"/></geometry><verbose value="1"/></collision>
    <collision name="d"><geometry><sphere radius="0.25"/></geometry></collision>
    <collision name="e"><geometry><mesh filename="a.stl" scale="1 2 3"/></geometry></collision>
  </link>
  <link name="arm"/><link name="hand"/><link name="tip"/>
  <joint name="turn" type="revolute"><origin xyz="0.1 0.2 0.3" rpy="0.3 0.2 0.1"/><parent link="base"/>
    <child link="arm"/><axis xyz="0 0.6 0.8"/>
    <limit lower="-1" upper="2" velocity="3" effort="4" acceleration="5" deceleration="6" jerk="7"/>
    <dynamics damping="0.1" friction="0.2"/><calibration rising="0.3" falling="0.4"/>
    <safety_controller soft_lower_limit="-0.5" soft_upper_limit="0.5" k_position="0.6" k_velocity="0.7"/></joint>
  <joint name="slide" type="prismatic"><parent link="arm"/><child link="hand"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="2" velocity="3" effort="4"/><mimic joint="turn" multiplier="2" offset="0.1"/></joint>
  <joint name="weld" type="fixed"><parent link="hand"/><child link="tip"/><axis xyz="0 0 1"/></joint>
  <sensor name="ft" type="force_torque" update_rate="10"><parent joint="turn"/><origin xyz="0 0 0.1" rpy="0 0 0.2"/>
    <force_torque><frame>parent</frame><measure_direction>parent_to_child</measure_direction></force_torque></sensor>
  <sensor name="imu" type="imu"><parent link="hand"/></sensor>
  <kinetree_coupled_limit name="both" lower="-1" upper="1"><joint name="turn" coefficient="2"/></kinetree_coupled_limit>
  <kinetree_carried of="group" name="arm">{"joints": ["turn"]}</kinetree_carried>
</robot>"""

SDF = """<sdf version="1.11" xmlns:kinetree="urn:kinetree" xmlns:gz="http://gazebosim.org/schema">
<model name="rich" canonical_link="arm" placement_frame="hand">
  <pose>0.1 0.2 0.3 0 0 0</pose>
  <link name="base">
    <inertial auto="false"><pose>0.1 0 0 0.1 0.2 0.3</pose><mass>2</mass><inertia><ixx>0.5</ixx><ixy>0.01</ixy>
      <ixz>0.02</ixz><iyy>0.6</iyy><iyz>0.03</iyz><izz>0.7</izz></inertia></inertial>
    <visual name="v1"><pose>0.1 0 0 0 0 0</pose><geometry><box><size>0.1 0.2 0.3</size></box></geometry>
      <material kinetree:name="own"><diffuse>0.5 0.6 0.7 0.8</diffuse></material></visual>
    <visual name="v2"><geometry><plane><normal>0 0.6 0.8</normal><size>2 3</size></plane></geometry></visual>
    <visual name="v3"><geometry><cone><radius>0.1</radius><length>0.2</length></cone></geometry></visual>
    <collision name="c1"><geometry><cylinder><radius>0.1</radius><length>0.2</length></cylinder></geometry>
      <kinetree:material kinetree:name="shared"><diffuse>1 0 0 1</diffuse></kinetree:material></collision>
    <collision name="c2"><geometry><capsule><radius>0.1</radius><length>0.2</length></capsule></geometry></collision>
    <collision name="c3"><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>
    <collision name="c4"><geometry><ellipsoid><radii>0.1 0.2 0.3</radii></ellipsoid></geometry></collision>
    <collision name="c5"><geometry><mesh><uri>a.stl</uri><scale>1 2 3</scale>
      <submesh><name>part</name><center>true</center></submesh></mesh></geometry></collision>
    <sensor name="imu" type="imu"><pose relative_to="mark">0.1 0 0 0 0 0</pose><update_rate>10</update_rate></sensor>
    <sensor name="nose" type="custom" gz:type="sniffer"/>
  </link>
  <link name="arm"><pose relative_to="turn" rotation_format="quat_xyzw">0.1 0 0 0 0 0.6 0.8</pose></link>
  <link name="hand"><pose degrees="true" rotation_format="euler_rpy">0.1 0.2 0.3 10 20 30</pose></link>
  <link name="tip"/><link name="end"/>
  <joint name="turn" type="revolute"><pose relative_to="base">0.1 0.2 0.3 0.1 0.2 0.3</pose><parent>base</parent>
    <child>arm</child><axis><xyz expressed_in="base">0 0.6 0.8</xyz>
      <limit><lower>-1</lower><upper>2</upper><velocity>3</velocity><effort>4</effort></limit>
      <dynamics><damping>0.1</damping><friction>0.2</friction><spring_stiffness>0.3</spring_stiffness>
        <spring_reference>0.4</spring_reference></dynamics></axis>
    <sensor name="ft" type="force_torque"><force_torque><frame>parent</frame>
      <measure_direction>parent_to_child</measure_direction></force_torque></sensor></joint>
  <joint name="bolt" type="screw"><parent>arm</parent><child>hand</child><axis><xyz>0 1 0</xyz></axis>
    <screw_thread_pitch>0.5</screw_thread_pitch></joint>
  <joint name="follow" type="prismatic"><parent>hand</parent><child>tip</child><axis><xyz>0 1 0</xyz>
    <mimic joint="turn" axis="axis"><multiplier>2</multiplier><offset>0.1</offset><reference>0.2</reference></mimic>
    </axis></joint>
  <joint name="cross" type="universal"><parent>tip</parent><child>end</child><axis><xyz>0 1 0</xyz></axis>
    <axis2><xyz>1 0 0</xyz><limit><lower>-2</lower><upper>1</upper></limit></axis2></joint>
  <frame name="spot" attached_to="hand"><pose relative_to="base">0.1 0.2 0.3 0.1 0.2 0.3</pose></frame>
  <frame name="mark" attached_to="base"><pose>0.3 0.2 0.1 0.1 0.2 0.3</pose></frame>
  <kinetree:material kinetree:name="alone"><diffuse>0 0 1 1</diffuse></kinetree:material>
  <kinetree:coupled_limit name="both" lower="-1" upper="1"><joint name="turn" coefficient="2"/></kinetree:coupled_limit>
  <kinetree:free joint="turn" link="arm"/>
  <kinetree:carried of="group" kinetree:name="arm">{"joints": ["turn"]}</kinetree:carried>
</model></sdf>"""
SDF_OLD = """<sdf version="1.4"><model name="old"><pose>1 0 0 0 0 0</pose><link name="a"/>
  <link name="c"><pose>0 1 0 0 0 0</pose></link>
  <link name="b"><pose frame="c">0 0 1 0 0 0.5</pose></link>
  <joint name="j" type="screw"><parent>a</parent><child>b</child><thread_pitch>2</thread_pitch>
    <axis><xyz>0 0.6 0.8</xyz><use_parent_model_frame>false</use_parent_model_frame></axis></joint></model></sdf>"""

MJCF = """<mujoco model="rich">
  <compiler angle="radian" eulerseq="zyx" autolimits="false" inertiafromgeom="auto" inertiagrouprange="0 4"
    settotalmass="9" boundmass="0.1" boundinertia="0.01" balanceinertia="true" fitaabb="true" strippath="true"
    assetdir="parts" meshdir="parts/meshes" texturedir="parts/textures" coordinate="local" discardvisual="false"
    usethread="false" fusestatic="false" saveinertial="true" conflict="merge" alignfree="false"/>
  <default><geom friction="2 0.1 0.1"/><equality solref="0.03 1"/><tendon width="0.01"/><joint armature="0.3"/>
    <site group="2"/><camera fovy="30"/><light cutoff="30"/><mesh maxhullvert="20"/><material shininess="0.3"/>
    <default class="soft"><geom solimp="0.8 0.9 0.01"/></default></default>
  <asset><mesh name="s" file="a.stl" scale="1 2 3" material="paint" inertia="exact" maxhullvert="30"
      smoothnormal="true" content_type="model/stl"/>
    <mesh name="in" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 2 1 0 3 2 0 1 3 1 2 3" refpos="0 0 1" refquat="0 1 0 0"
      texcoord="0 0 1 0 0 1 1 1" normal="0 0 1 0 0 1 0 0 1 0 0 1"/>
    <texture name="wood" type="2d" file="wood.png"/>
    <texture name="sky" type="skybox" builtin="gradient" rgb1="1 1 1" rgb2="0 0 0" width="8" height="8"/>
    <hfield name="hills" nrow="2" ncol="2" size="1 1 1 1" elevation="0 1 0 1"/>
    <material name="paint" rgba="0.1 0.2 0.3 1" texture="wood" texrepeat="2 2" emission="0.1"/>
    <material name="layers" rgba="0.5 1 1 1"><layer texture="wood" role="rgb"/></material></asset>
  <worldbody>
    <light name="lamp" pos="0 0 1" dir="0 0.6 -0.8" diffuse="0.5 0.5 0.5" castshadow="false"/>
    <geom name="floor" type="plane" size="1 1 0.1"/><geom name="hills" type="hfield" hfield="hills"/>
    <body name="b" pos="0.1 0.2 0.3" quat="0.8 0 0 0.6" childclass="soft" gravcomp="0.5" user="1">
      <inertial pos="0.1 0 0" quat="0.6 0.8 0 0" mass="2" diaginertia="0.4 0.5 0.6"/>
      <joint name="j" pos="0 0.1 0" axis="0 0.6 0.8" range="-1 2" limited="true" ref="0.1" damping="0.1"
        stiffness="0.2" springref="0.3" armature="0.4" frictionloss="0.5" actuatorfrcrange="-3 3"
        actuatorfrclimited="true" group="2" margin="0.01" solreflimit="0.03 1" user="1"/>
      <geom name="g" class="soft" type="box" size="0.1 0.2 0.3" pos="0.1 0 0" axisangle="0 0 1 0.5" mass="1"
        rgba="0.5 0.6 0.7 1" group="1" contype="2" conaffinity="3" condim="4" friction="0.5 0.1 0.1" margin="0.01"/>
      <geom name="h" type="capsule" fromto="0 0 0 0 0 1" size="0.1" density="500" shellinertia="true"
        material="paint"/>
      <geom name="m" type="mesh" mesh="s"/><geom name="n" type="mesh" mesh="in"/>
      <site name="spot" pos="0.1 0.2 0.3" euler="0.1 0.2 0.3" type="box" size="0.1 0.1 0.1" rgba="1 0 0 1"
        material="paint"/>
      <camera name="eye" pos="0 0 1" xyaxes="1 0 0 0 0.6 0.8" fovy="50" resolution="3 4"/>
      <frame name="f" pos="0.1 0 0" zaxis="0 0.6 0.8"><body name="c" pos="0 0 0.5">
        <inertial pos="0 0.1 0" mass="1" fullinertia="0.4 0.5 0.6 0.01 0.02 0.03"/>
        <joint name="k" type="slide" axis="1 0 0"/><geom type="sphere" size="0.1"/>
        <body name="d"><joint name="l"/><geom type="sphere" size="0.1"/></body></body></frame>
    </body>
    <body name="loose"><freejoint name="free" group="1"/><geom type="ellipsoid" size="0.1 0.2 0.3"/></body>
    <replicate count="2" offset="0 1 0" euler="0 0 0.1" sep="-"><body name="r"><geom size="0.1"/></body></replicate>
  </worldbody>
  <tendon><fixed name="t" range="-1 1" limited="true" stiffness="2"><joint joint="j" coef="2"/></fixed>
    <spatial name="rope" width="0.02"><site site="spot"/><site site="spot"/></spatial></tendon>
  <equality><joint name="e" joint1="k" joint2="j" polycoef="0.1 2" solref="0.05 1"/>
    <weld name="w" body1="c" body2="loose" relpose="0 0 1 1 0 0 0" torquescale="2"/>
    <connect name="p" body1="b" body2="loose" anchor="0 0 1" active="true"/></equality>
  <sensor><gyro name="turn" site="spot" noise="0.1"/><jointpos name="read" joint="j"/></sensor>
</mujoco>"""

SRDF = """<robot name="r" version="1.0"><group name="arm"><joint name="turn"/><link name="a"/>
    <chain base_link="a" tip_link="b"/></group>
  <group name="all"><group name="arm"/></group>
  <group_state name="home" group="arm"><joint name="turn" value="0.5"/></group_state>
  <end_effector name="grip" parent_link="b" group="arm" parent_group="all"/>
  <virtual_joint name="v" type="fixed" parent_frame="world" child_link="a"/>
  <passive_joint name="turn"/><disable_collisions link1="a" link2="b" reason="Adjacent"/>
  <enable_collisions link1="a" link2="b" reason="Never"/><disable_default_collisions link="b"/>
  <link_sphere_approximation link="a"><sphere center="0.1 0 0" radius="0.2"/></link_sphere_approximation>
  <joint_property joint_name="turn" property_name="weight" value="2"/>
</robot>"""
SRDF_ROBOT = """<robot name="r"><link name="a"/><link name="b"/><joint name="turn" type="continuous"><parent link="a"/>
  <child link="b"/><axis xyz="0 0 1"/></joint></robot>"""
RICH = {"urdf": URDF, "sdf": SDF, "mjcf": MJCF, "srdf": SRDF}


READERS = {"urdf": urdf, "sdf": sdf, "mjcf": mjcf, "srdf": srdf}


def elements_of(text: str) -> list[tuple[str, Element]]:
    """Return each element of a text with the tag of the one around it, in the order of the file."""
    root = parse(text, "<text>", Report())
    assert root is not None
    found, stack = [], [("", root)]
    while stack:
        outer, element = stack.pop()
        found.append((outer, element))
        stack += [(element.tag, child) for child in reversed(element.children)]
    return found


def edited(text: str, edits: Iterable[tuple[int, int, str]]) -> str:
    """Return a text in which bytes from an index on, so many of them, are other ones."""
    data = bytearray(text.encode())
    for start, count, new in sorted(edits, reverse=True):
        data[start : start + count] = new.encode()
    return data.decode()


def inside(element: Element, attributes: str = "", content: str = "") -> list[tuple[int, int, str]]:
    """Return the edits that put more attributes, and content at its end, into an element."""
    stop = element.tag_stop
    if element.empty:
        end = f"</{element.tag}>" if content else ""
        return [(stop - 2, 2, f"{attributes}{'' if content else '/'}>{content}{end}")]
    return [(stop - 1, 0, attributes), (element.end, 0, content)]


def read(text: str, format: str) -> Robot:
    """Return the robot in a text; of SRDF that of a URDF with the text."""
    return kt.load(SRDF_ROBOT, format="urdf", srdf=text) if format == "srdf" else kt.load(text, format=format)


def findings(text: str, format: str) -> list[kt.Finding]:
    """Return all that the reader says, also beside errors."""
    return [*READERS[format].read(text, "<text>")[1]]


@contextmanager
def asked() -> Iterator[set[tuple[str, str]]]:
    """While this lasts, collect (tag, name) of all attributes, and (tag, <name>) of children, that readers know."""
    seen: set[tuple[str, str]] = set()
    single = fields.single_children

    def checked(check: Any) -> Any:
        def run(report: Report, element: Element, known: Collection[str] = (), *more: Any) -> None:
            seen.update((element.tag, name) for name in known)
            check(report, element, known, *more)

        return run

    def children(report: Report, element: Element, known: Collection[str], *more: Any, **named: Any) -> Any:
        seen.update((element.tag, f"<{name}>") for name in known)
        return single(report, element, known, *more, **named)

    new = {
        name: checked(getattr(fields, name)) for name in ("check_attributes", "check_outer", "check_leaf", "check_text")
    }
    new["single_children"] = children
    with pytest.MonkeyPatch.context() as patch:
        for module in [module for name, module in sys.modules.items() if name.startswith("kinetree.formats")]:
            for name in (name for name in new if hasattr(module, name)):
                patch.setattr(module, name, new[name])
        yield seen
