"""The texts that cases are made from: some of our own, and the files of a folder where one is named."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import kinetree as kt
from kinetree.formats.registry import FORMATS
from kinetree.rules.examples import ARM
from kinetree.rules.profiles import FAMILIES, family

LARGEST = 40_000
"""Bytes of a file that cases are made from; larger ones only take longer."""


@dataclass(frozen=True)
class Text:
    """A text, and the file that it is said to stand in, for what it includes to be found."""

    content: bytes
    file: str = "<text>"


XACRO = """<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="length" default="0.5"/> <xacro:property name="half" value="${length / 2}"/>
  <xacro:property name="length" value="$(arg length)"/>
  <xacro:macro name="segment" params="name parent:=base *origin">
    <link name="${name}"><visual><geometry><box size="${half} 1 ${[1, 2][0]}"/></geometry></visual></link>
    <joint name="${name}_joint" type="continuous"><xacro:insert_block name="origin"/><axis xyz="0 0 1"/>
      <parent link="${parent}"/><child link="${name}"/></joint>
  </xacro:macro>
  <link name="base"/>
  <xacro:segment name="one"><origin xyz="0 0 ${length}"/></xacro:segment>
  <xacro:if value="${half > 0}"><xacro:segment name="two" parent="one"><origin xyz="0 0 1"/></xacro:segment></xacro:if>
</robot>
"""
DAE = """<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit meter="0.001"/><up_axis>Z_UP</up_axis></asset>
  <library_geometries><geometry id="g"><mesh>
    <source id="p"><float_array id="pa" count="9">0 0 0 1 0 0 0 1 0</float_array><technique_common>
      <accessor source="#pa" count="3" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
        <param name="Z" type="float"/></accessor></technique_common></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
    <triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
  </mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="s"><node id="n"><rotate>0 0 1 90</rotate>
    <instance_geometry url="#g"/></node><node><instance_node url="#n"/></node></visual_scene></library_visual_scenes>
  <scene><instance_visual_scene url="#s"/></scene>
</COLLADA>
"""
OBJ = "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1//1 2/1 -1\n"
STL = """solid x
facet normal 0 0 1
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 1e-3 0
endloop
endfacet
endsolid x
"""
GLTF = """{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0, "children": []}],
 "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
 "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
 "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 36}],
 "buffers": [{"uri": "data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA", "byteLength": 36}]}
"""
SRDF = """<robot name="arm">
  <group name="arm"><joint name="joint_1"/><link name="link_3"/><chain base_link="link_3" tip_link="tool0"/></group>
  <group name="all"><group name="arm"/></group>
  <end_effector name="hand" parent_link="tool0" group="arm"/>
  <disable_collisions link1="link_1" link2="link_2" reason="Adjacent"/>
</robot>
"""
YAML = """arm_controller:
  ros__parameters:
    joints: [joint_1, joint_2]
    state_interfaces: &all [position, velocity]
    command_interfaces: *all
    constraints: {joint_1: {goal: 0.01}}
    text: "joint_1/position"
"""
TAXELS = """name l_forearm
spatial_sampling taxel
taxel2Repr (1 1 -2)  // a comment
[calibration]
 0.030 -0.060 0.012 0.8 0.0 0.6
 0.032 -0.065 0.010 1.0 0.0 0.0
 0.000 -0.000 0.000 0.0 0.0 0.0
"""

CONTACTS = """((7 3 4 2) (0.01 0.02 0.03) (0 1.0 5) (0 0 0.1) (0 0 0.04) (0 0 1) (3 4) 12.5)
((8 5 -1) (0 0 0.1) (1 0 0) (0 0 0))
"""

LIMITS = """[[limits]]
name = "shoulder"
unit = "deg"
joints = ["joint_1", "joint_2"]
A = [[1, 1], [-1, -1.5]]
b = [90, 120]
rows = ["upper", "lower"]

[[limits]]
unit = "si"
joints = { left = ["joint_3"], right = ["joint_4"] }
G = [[1.0]]
h = [2.5]
box = true
"""
SETTINGS = """profile = "industrial"
select = ["TRE", "INR"]
ignore = ["INR-002"]
controller = "fanuc"
baseline = "known.json"
exclude = ["legacy/**"]

[per-file-ignores]
"arm/*.urdf" = ["LIM"]

[[models]]
file = "arm.xacro"
args = { name = "ur", safe = true, length = 0.5 }
packages = { other = "../other" }
profile = "ros"
"""
BASELINE = """{"kinetree-baseline": 1, "findings": [
  {"model": "arm.urdf", "variant": "", "file": "arm.urdf", "code": "INR-002", "element": "link 'a'", "message": "x",
   "count": 2}
]}
"""
SDF = """<sdf version="1.9"><world name="w"><model name="m">
<frame name="f" attached_to="a"><pose>1 0 0 0 0 1</pose></frame>
<link name="a"><inertial><mass>1</mass></inertial><sensor name="s" type="imu"><pose>0 0 1 0 0 0</pose></sensor></link>
<link name="b"><pose relative_to="f">0 1 0 0 0.5 0</pose>
<collision name="c"><geometry><box><size>1 1 1</size></box></geometry></collision></link>
<joint name="j" type="universal"><parent>a</parent><child>b</child>
<axis><xyz expressed_in="f">0 1 0</xyz><limit><lower>-1</lower><upper>1</upper></limit></axis>
<axis2><xyz>1 0 0</xyz></axis2></joint></model></world></sdf>
"""
MJCF = """<mujoco model="m"><compiler angle="degree" eulerseq="XYZ" autolimits="true"/>
<default><default class="c"><joint axis="0 1 0" damping="1"/><geom type="capsule" size="0.1 0.2"/></default></default>
<worldbody><body name="a" childclass="c"><freejoint name="free"/><geom/>
<body name="b" pos="1 0 0" euler="10 20 30"><joint name="j" range="-30 30" ref="5"/><geom fromto="0 0 0 1 0 0"/>
<site name="s" zaxis="1 1 0"/>
<body name="d"><joint name="k" type="slide" range="0 1"/><geom type="box" size="1 1 1"/></body></body></body>
<replicate count="2" offset="0 1 0"><body name="e"><geom type="sphere" size="1"/></body></replicate></worldbody>
<tendon><fixed name="t" range="-1 1"><joint joint="j" coef="2"/></fixed></tendon>
<equality><joint joint1="j" joint2="k" polycoef="0 1 0 0 0"/></equality>
<keyframe><key qpos="0 0 0 1 0 0 0 0 0"/></keyframe></mujoco>
"""
DH = """name = "a"
convention = "mdh"
units = { length = "mm", angle = "deg" }
rows = [{ joint = "q1", a = 1, d = 0, alpha = 90, theta = "-90 + (-39 -> 39)" }]
[[inertial]]
on = "dh_1"
mass = 1.5
xyz = [10, 0, 0]
rpy = [0, 90, 0]
inertia = [0.1, 0, 0, 0.2, 0, 0.3]
"""
ETS = """name = two_arms
base = pedestal
tip = chest
tz(0.5) Rz(waist) Ry(90°) link(trunk) mass(5, 0, 0, 100 mm) SE3(1, 2, 3, 0, 0, pi)
from chest: ty(0.2) Rx(-l_elbow) mass(1, 0, 0, 0, 0.1, 0, 0, 0.2, 0, 0.3) tz(-0.25) frame(l_hand)
from "chest": fixed(f) link("r arm") tx("r_slide")  # the right one
"""


USD = """#usda 1.0
(
    defaultPrim = "r"
    metersPerUnit = 0.01
    kilogramsPerUnit = 0.001
    upAxis = "Y"
)
def Xform "r" (prepend apiSchemas = ["PhysicsArticulationRootAPI"] doc = "a { robot")
{
    def Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "NewtonMassAPI"] displayName = "a a")
    {
        float physics:mass = 2000
        point3f physics:centerOfMass = (1, 2, -inf)
        float3 physics:diagonalInertia = (1e5, 2e5, 2.5e5)
        quatf physics:principalAxes = (0.5, 0.5, -0.5, 0.5)
        double[] newton:inertia = [1e5, 2e5, 2.5e5, 1, 2, 3]
        matrix4d xformOp:transform = ( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (10, 0, 0, 1) )
        uniform token[] xformOpOrder = ["!resetXformStack!", "xformOp:transform"]
        def Mesh "m" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMassAPI"])
        {
            point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
            int[] faceVertexCounts = [3, 4, 3]
            int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 2, 1, 2, 3]
            uniform token physics:approximation = "convexHull"
            float physics:density = 2.5
            rel material:binding = </r/red>
        }
    }
    def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])
    {
        float3 xformOp:rotateXYZ = (10, 20, 30)
        double3 xformOp:translate:pivot = (1, 2, 3)
        float3 xformOp:scale = (1, 1, 2)
        uniform token[] xformOpOrder = ["xformOp:translate:pivot", "xformOp:rotateXYZ",
            "!invert!xformOp:translate:pivot"]
        def Capsule "c" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { uniform token axis = "X"; double radius = 0.1 }
        def Xform "tip" { }
    }
    def Xform "c" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) { def Cube "d" { } }
    def Material "red" { def Shader "s" { color3f inputs:diffuseColor = (1, 0, 0) } }
    def PhysicsRevoluteJoint "j" (prepend apiSchemas = ["PhysicsDriveAPI:angular"])
    {
        rel physics:body0 = </r/a>
        rel physics:body1 = </r/b>
        point3f physics:localPos0 = (0, 0, 10)
        quatf physics:localRot1 = (0.7, 0, 0, 0.7)
        uniform token physics:axis = "Z"
        float physics:lowerLimit = -90
        float physics:upperLimit = 45
        float drive:angular:physics:maxForce = 4e8
        float drive:angular:physics:damping = 12
        float newton:friction = 2e6
    }
    def PhysicsJoint "k" (prepend apiSchemas = ["PhysicsLimitAPI:transX", "NewtonMimicAPI"])
    {
        rel physics:body0 = </r/c>
        rel physics:body1 = </r/b>
        float limit:transX:physics:low = 1
        float limit:transX:physics:high = -1
        float limit:transY:physics:low = 1
        float limit:transY:physics:high = -1
        float limit:transZ:physics:low = 1
        float limit:transZ:physics:high = -1
        float limit:rotY:physics:low = 1
        float limit:rotY:physics:high = -1
        float limit:rotZ:physics:low = 1
        float limit:rotZ:physics:high = -1
        float limit:rotX:physics:low = -10
        rel newton:mimicJoint = </r/j>
        uniform bool physics:excludeFromArticulation = false
    }
}
"""


@cache
def own(format: str) -> tuple[Text, ...]:
    """Return the texts of ours in a format: the iCub, an arm, and short ones that use much of the format."""
    icub = kt.load("icub")
    arm = kt.edit.cut(kt.load("icub", limits="dh"), "l_shoulder_1")
    left_out = ("extension", "group", "sensor", "velocity_limit")
    chain = ("frame", "geometry", "group", "limit", "sensor")
    short = {
        "urdf": [ARM, *_examples()],
        "xacro": [XACRO],
        "sdf": [SDF],
        "mjcf": [MJCF],
        "dh": [DH],
        "ets": [ETS],
        "usd": [USD],
    }
    texts = list(short.get(format, []))
    if FORMATS[format].writer is not None:
        row = FORMATS[format]
        more = {
            "dh-csv": (arm, chain),
            "ets": (icub, (*chain[1:], "coupled_limit")),
            "usd": (icub, (*left_out, "coupled_limit")),
        }
        texts.append(row.write(*more.get(format, (icub, left_out))))
    return tuple(Text(text.encode()) for text in texts)


def _examples() -> Iterator[str]:
    """Yield the bad examples of all rules that stand in a URDF text or are one."""
    for letters in FAMILIES:
        for rule in family(letters):
            if rule.base_format == "urdf" and (rule.base is None or rule.base.startswith("<")):
                yield rule.bad if rule.base is None else rule.base.replace(rule.good, rule.bad)


def in_folder(folder: Path, suffixes: Sequence[str], roots: Sequence[bytes] = ()) -> tuple[Text, ...]:
    """Return the files of a folder by their endings, and with other endings those that `roots` tells."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and 0 < path.stat().st_size <= LARGEST]
    found = []
    for path in paths:
        if path.name.lower().endswith(tuple(suffixes)) and path.suffix.lower() != ".xml":
            found.append(Text(path.read_bytes(), str(path)))
        elif path.suffix.lower() == ".xml" and roots:
            content = path.read_bytes()
            if any(b"<" + root in content for root in roots):
                found.append(Text(content, str(path)))
    return tuple(found)
