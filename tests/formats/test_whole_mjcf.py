"""MJCF files as robots, in full: everything that is read, said and written of small files."""

# ruff: noqa: E501

import re

import numpy as np
import pytest

import kinetree as kt
from kinetree.formats import mjcf
from kinetree.formats.mjcf.attached_options import merge_options
from kinetree.formats.mjcf.context import free
from kinetree.formats.mjcf.read import read_certain
from kinetree.formats.mjcf.write_bodies import rounded_moments
from kinetree.model.assemble import build, parts_of
from kinetree.syntax.xml.reader import Report, parse
from kinetree.syntax.xml.writer import element_text
from sdf_texts import opener
from whole import reading, written


def model(inside: str, head: str = "", tail: str = "") -> str:
    return f"<mujoco model='m'>{head}<worldbody>{inside}</worldbody>{tail}</mujoco>"


def body(inside: str, head: str = "", tail: str = "") -> str:
    return model(f"<body name='a'>{inside}</body>", head, tail)


def geoms(*attributes: str, head: str = "", assets: str = "") -> str:
    """A body for each geom."""
    bodies = "".join(f"<body name='b{i}'><geom {one}/></body>" for i, one in enumerate(attributes))
    return model(bodies, head + (f"<asset>{assets}</asset>" if assets else ""))


ROBOT = """<mujoco model="arm">
  <compiler angle="radian" meshdir="meshes" texturedir="looks" autolimits="true" eulerseq="XYz"/>
  <option timestep="0.001"><flag contact="disable"/></option>
  <default>
    <joint damping="0.5" armature="0.01"/>
    <geom contype="0" conaffinity="0" group="1"/>
    <default class="soft"><joint stiffness="3" springref="0.2" frictionloss="0.4"/><geom rgba="1 0 0 0.5"/><motor gear="2"/></default>
  </default>
  <asset>
    <texture name="wood" type="2d" file="wood.png"/><texture file="sky.png"/>
    <material name="red" rgba="1 0 0 1"/><material name="oak" texture="wood" shininess="0.3"/>
    <mesh name="hand" file="hand.stl" scale="0.5 0.5 0.5" refpos="1 0 0" refquat="0.8 0 0 0.6"/>
    <mesh name="tetra" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
    <hfield name="hill" size="1 2 0.5 0.1" nrow="2" ncol="2"/>
  </asset>
  <worldbody>
    <light name="sun" pos="0 0 3" dir="0 1 -1"/>
    <geom name="floor" type="plane" size="1 2 0.1" contype="1"/>
    <geom type="hfield" hfield="hill" pos="3 0 0"/>
    <site name="home" pos="0 0 1"/>
    <body name="base" pos="0 0 0.5" euler="0.1 0.2 0.3" gravcomp="1">
      <freejoint name="fly"/>
      <inertial pos="0.1 0 0" mass="2" diaginertia="1 2 2.5"/>
      <geom name="ball" type="sphere" size="0.1" material="oak" friction="0.5" priority="2"/>
      <frame pos="0 0 0.2" axisangle="0 0 1 0.5" childclass="soft">
        <body name="upper" pos="0.3 0 0">
          <joint name="turn" axis="0 0 2" range="-1 2" ref="0.25" pos="0 0.1 0" actuatorfrcrange="-5 5"/>
          <joint name="slide" type="slide" axis="1 0 0" ref="0.125" range="-0.1 0.3" damping="1 2"/>
          <geom name="bar" type="capsule" fromto="0 0 0 0 0 1" size="0.05" mass="1.5"/>
          <geom name="box" type="box" size="0.1 0.2 0.3" pos="0 0.5 0" quat="0.8 0 0.6 0" density="100" rgba="0 1 0 1"/>
          <camera name="eye" pos="0 0 1" xyaxes="0 1 0 0 0 1" fovy="60"/>
          <site name="grip" type="box" size="0.01 0.02 0.03" zaxis="1 0 0" rgba="0 0 1 1"/>
          <site name="rod" type="cylinder" fromto="0 0 0 0 0 0.5" size="0.02"/>
          <body name="wrist" pos="0 0 1" mocap="false">
            <joint name="ball" type="ball" range="0 1.5"/>
            <geom type="mesh" mesh="hand" mass="0.5"/>
            <geom type="mesh" mesh="tetra" density="10"/>
            <body name="finger"><joint name="follow"/><geom type="cylinder" size="0.1 0.2" solref="0.01 1"/></body>
            <body name="thumb"><joint name="curl"/><geom type="ellipsoid" size="0.1 0.2 0.3" group="4" contype="1"/></body>
          </body>
        </body>
      </frame>
    </body>
    <camera name="view" mode="targetbody" target="base" pos="1 0 0" quat="0 1 0 0"/>
  </worldbody>
  <equality>
    <joint joint1="follow" joint2="turn" polycoef="0.1 2 0 0 0"/>
    <joint joint1="curl" joint2="turn" polycoef="0 1 0.5"/>
    <weld name="tie" body1="finger" body2="thumb" relpose="0 0 0.1 0.8 0 0 0.6" anchor="0 1 0" solref="0.02 1"/>
    <connect site1="grip" site2="rod"/>
  </equality>
  <tendon>
    <fixed name="sum" range="-1 1e10" stiffness="2"><joint joint="turn" coef="1"/><joint joint="slide" coef="-2"/></fixed>
    <spatial name="rope" width="0.01"><site site="grip"/><site site="home"/></spatial>
  </tendon>
  <actuator><motor name="m" joint="turn" class="soft"/></actuator>
  <sensor>
    <gyro name="g" site="grip" noise="0.1"/><force name="f" site="grip"/><torque site="rod"/><jointpos name="p" joint="turn"/>
  </sensor>
  <keyframe><key name="up" qpos="0 0 0.5 1 0 0 0 0.25 0.125 1 0 0 0 0.6 0"/></keyframe>
</mujoco>"""
CORNERS = "vertex='" + " ".join(f"{x} {y} {z}" for x in (0, 1) for y in (0, 2) for z in (0, 3)) + "'"
FACES = ("0 1 3", "0 3 2", "4 6 7", "4 7 5", "0 4 5", "0 5 1", "2 3 7", "2 7 6", "0 2 6", "0 6 4", "1 5 7", "1 7 3")
BRICK = f"{CORNERS} face='{' '.join(FACES)}'"
TURNED = re.compile(r"\[-?1 0 0 0\.5, 0 -?1 0 1, 0 0 -?1 1\.5\]")
"""A pose at the middle of the brick, with any signs of its principal axes."""
SENSED = "noise cutoff nsample interp delay interval user data"
AT_SITES = "accelerometer velocimeter gyro force torque magnetometer touch rangefinder"
OF_GEOMS = "size friction surfacevel fluidcoef solref solimp"
OF_JOINTS = "stiffness damping solreflimit solimplimit solreffriction solimpfriction"


def ones(names: str, value: str = "1") -> str:
    """Return attributes of one value."""
    return " ".join(f"{name}='{value}'" for name in names.split())


FILES = {
    "hand.xml": """<mujoco model="hand"><compiler angle="radian" meshdir="m"/><option timestep="0.005" gravity="0 0 -1"/>
      <default><geom rgba="0 1 0 1"/><default class="soft"><joint damping="7"/></default></default>
      <asset><mesh file="f.stl"/><material name="skin" rgba="1 0 0 1"/></asset>
      <worldbody><body name="palm" childclass="soft" euler="0.5 0 0"><joint name="j"/><geom type="mesh" mesh="f" mass="1"/><site name="s"/>
        <replicate count="2" offset="0 0 1"><body name="tip"><joint name="k"/><geom size="0.1" material="skin"/></body></replicate></body>
        <body name="other"><geom size="0.1"/></body></worldbody>
      <equality><joint joint1="k0" joint2="j"/></equality><sensor><gyro name="g" site="s"/></sensor><actuator><motor joint="j"/></actuator><custom><numeric name="n"/></custom></mujoco>""",
    "me.xml": "<mujoco><asset><model name='x' file='me.xml'/></asset><worldbody><attach model='x' prefix='p'/></worldbody></mujoco>",
    "part.xml": "<mujocoinclude><body name='inc'><geom size='1'/></body></mujocoinclude>",
    "urdf.xml": "<robot/>",
    "twice.xml": "<m><body/></m>",
}
ASSET = "<asset><model name='hand' file='hand.xml'/></asset>"
LIMITS = (
    "range='0 1'",
    "range='0 1' limited='false'",
    "limited='true'",
    "range='1 0' limited='auto'",
    "type='slide' range='-1 1'",
    "actuatorfrcrange='-1 2'",
    "actuatorfrcrange='-3 3'",
    "actuatorfrcrange='-3 3' actuatorfrclimited='false'",
    "range='-90 90' ref='30' springref='45'",
    "type='slide' ref='30' springref='45'",
)

TEXTS = {
    "a robot": ROBOT,
    "no model": "<mujoco><body name='x'/><joint/></mujoco>",
    "a part": "<mujocoinclude/>",
    "names": model(
        "<body><joint/><geom size='1'/><body><joint/><geom size='1'/></body></body><body name='body_1'><geom size='1'/></body>"
        "<site/><site name='body_1'/><camera/><camera name='c'/><body name='b'><freejoint/><geom size='1'/></body>",
        tail="<sensor><gyro name='c' site='body_1'/></sensor>",
    ),
    "several joints": body(
        "<joint name='x' type='slide' axis='1 0 0' ref='0.1'/><joint name='t' pos='1 0 0' ref='90'/>"
        "<joint name='u' axis='1 0 0' pos='0 1 0'/><joint name='b' type='ball' pos='0 0 1'/><geom size='1'/>"
    ),
    "limits": body(
        "".join(f"<body><joint name='j{i}' {one}/><geom size='1'/></body>" for i, one in enumerate(LIMITS) if i != 2)
    ),
    "a limit without a range": body(f"<joint name='j' {LIMITS[2]}/><geom size='1'/>"),
    "limits without autolimits": body(
        "<joint range='0 1'/><joint range='0 1' limited='true'/><geom size='1'/>", "<compiler autolimits='false'/>"
    ),
    "joints of the world": model("<joint/><freejoint/><inertial pos='0 0 0' mass='1'/><geom size='1'/>"),
    "free joints": model(
        "<body name='a'><freejoint align='true'/><geom size='1'/></body>"
        "<body pos='1 0 0'><joint name='f' type='free' damping='1' stiffness='2' range='0 1'/><geom size='1'/></body>"
    ),
    "free joints that are none": model("<body><freejoint/><joint/><body><freejoint/></body></body>"),
    "a free joint that counts": body(
        "<freejoint name='f'/><geom size='1'/>",
        '<custom><text name="kinetree:counted" data="[&quot;f&quot;]"/></custom>',
    ).replace("<body name='a'>", "<body name='a' pos='1 2 3'>"),
    "texts of Kinetree": body(
        "<geom size='1'/>",
        '<custom><text name="kinetree:counted" data="1"/><text name="kinetree:odd" data="x"/><text name="mine" data="y"/></custom>',
    ),
    "dynamics": body(
        "".join(
            f"<body><joint name='j{i}' {one}/><geom size='1'/></body>"
            for i, one in enumerate(
                (
                    "damping='1 2 3' stiffness='0 0'",
                    "damping='1 2 3 4'",
                    "stiffness=''",
                    "stiffness='1 2' armature='2' frictionloss='3'",
                    "type='ball' damping='2' springref='3'",
                )
            )
        )
    ),
    "classes": body(
        "<geom/><geom class='c'/><geom class='c' size='2'/><body childclass='c'><geom/><geom class='d' euler='1 0 0'/><frame childclass='d'><geom/></frame></body>",
        "<default class='main'><geom size='1 2' quat='0 1 0 0'/><default class='c'><geom type='capsule' size='3'/><default class='d'><geom type='box' size='4 5 6'/></default></default></default>",
    ),
    "classes that are none": body(
        "<geom size='1' class='x'/><joint class='x'/>",
        "<default class='other'/><default><default/><default class='a'/><default class='a'/></default>",
        "<actuator><motor class='x' joint='a_joint'/></actuator>",
    ),
    "shapes": geoms(
        "size='.1'",
        "type='box' size='1 2 3'",
        "type='capsule' size='1 2'",
        "type='cylinder' size='1 2'",
        "type='ellipsoid' size='1 2 3'",
        "type='cylinder' fromto='0 0 0 1 0 0' size='0.5'",
        "type='box' fromto='0 0 0 0 0 2' size='0.5'",
        "type='ellipsoid' fromto='0 0 1 0 0 -1' size='0.5'",
        "type='capsule' fromto='1 0 0 0 0 0' size='1' pos='0 0 0'",
    ),
    "shells": geoms(
        *(
            f"{one} shellinertia='true'"
            for one in (
                "size='.1'",
                "type='box' size='1 2 3'",
                "type='capsule' size='1 2'",
                "type='cylinder' size='1 2'",
                "type='ellipsoid' size='1 2 3' mass='3'",
            )
        )
    ),
    "masses": geoms(
        "size='1' mass='0'",
        "size='1' density='0'",
        "size='1' mass='2' density='0'",
        "size='1' density='3'",
        "size='1' group='3' mass='1'",
        "size='1' group='6' mass='1'",
    ),
    "masses of some groups": geoms(
        "size='1' group='1' mass='1'",
        "size='1' group='2' mass='1'",
        "size='1' group='3' mass='1'",
        head="<compiler inertiagrouprange='2 2'/>",
    ),
    "masses that add": body(
        "<geom size='.1' mass='1' pos='1 0 0'/><geom type='box' size='.1 .2 .3' mass='2' pos='0 1 0' euler='90 0 0'/><geom type='plane' size='1 1 1'/>"
    ),
    "masses of a shape alone": body(
        "<inertial pos='0 0 0' mass='3' diaginertia='1 1 1'/><geom size='1'/>", "<compiler inertiafromgeom='true'/>"
    ),
    "no masses of shapes": body("<geom size='1'/>", "<compiler inertiafromgeom='false'/>"),
    "bounds of masses": model(
        "<body name='a'><joint/><geom size='.01' mass='0.001'/></body><body name='b' pos='1 0 0'><joint/></body><body name='c'><inertial pos='0 0 0' mass='1' diaginertia='1 1 3'/></body>",
        "<compiler boundmass='0.5' boundinertia='0.25' balanceinertia='true'/>",
    ),
    "bounds that stand in": body("<joint/>", "<compiler boundmass='1e-6' boundinertia='1e-9'/>"),
    "a total mass": model(
        "<body name='a'><geom size='1' mass='1'/></body><body name='b'><geom size='1' mass='3'/></body>",
        "<compiler settotalmass='8'/>",
    ),
    "a total mass of nothing": body("<joint/>", "<compiler settotalmass='8'/>"),
    "inertials": model(
        "".join(
            f"<body><inertial pos='1 0 0' mass='1' {one}/></body>"
            for one in (
                "fullinertia='1 2 3 0.1 0.2 0.3'",
                "diaginertia='1 2 3' euler='90 0 0'",
                "diaginertia='1 2 3' quat='0 1 0 0'",
            )
        )
    ),
    "inertials that are none": body("<inertial mass='1'/><inertial pos='0 0 0'/>"),
    "meshes": geoms(
        "type='mesh' mesh='t'",
        "type='mesh' mesh='t' mass='2'",
        "type='mesh' mesh='v' density='1'",
        "type='mesh' mesh='s' density='1'",
        "type='mesh' mesh='e'",
        "type='mesh' mesh='m'",
        "type='sdf' mesh='t' mass='1'",
        "type='mesh' mesh='t' shellinertia='true'",
        "mesh='t'",
        "type='box' mesh='t' fitscale='2'",
        "type='capsule' mesh='t'",
        "type='cylinder' mesh='t' mass='1'",
        "type='ellipsoid' mesh='t'",
        "type='plane' mesh='t'",
        "type='sphere' mesh='none'",
        assets=f"<mesh name='t' {BRICK} inertia='exact'/><mesh name='v' {CORNERS} inertia='convex' scale='-1 1 1'/>"
        f"<mesh name='s' {BRICK} inertia='shell'/><mesh name='e' builtin='sphere'/><mesh name='m' vertex='0 0 0 1 0 0' face='0 1 5'/>",
    ),
    "meshes fitted to bounds": geoms(
        "mesh='t'",
        "type='box' mesh='t'",
        "type='capsule' mesh='t'",
        "type='cylinder' mesh='t'",
        "type='ellipsoid' mesh='t'",
        head="<compiler fitaabb='true'/>",
        assets=f"<mesh name='t' {BRICK} inertia='exact'/>",
    ),
    "meshes that MuJoCo refuses": geoms(
        *(f"type='mesh' mesh='m{i}'" for i in range(6)),
        assets="".join(
            f"<mesh name='m{i}' {one}/>"
            for i, one in enumerate(
                (
                    "vertex='0 0 0 1 0 0 0 1 0'",
                    "vertex='0 0 0 1 0 0 0 1 0 1 1 0'",
                    f"{BRICK} inertia='odd'",
                    f"{BRICK} maxhullvert='x'",
                    "vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1 2 0 1 3 0 3 2 1 2 3' inertia='exact'",
                    "vertex='0 0 0 0 0 0 0 0 0 0 0 0' face='0 1 2'",
                )
            )
        ),
    ),
    "assets": geoms(
        "type='mesh' mesh='a' material='m'",
        "type='mesh' mesh='turned'",
        "size='1' material='l'",
        "size='1' material='odd'",
        "size='1' material='m' rgba='0.5 0.5 0.5 1'",
        head="<compiler assetdir='d' strippath='true'/>",
        assets="<mesh file='x/a.stl' scale='1 2 3'/><mesh name='turned' file='b.obj' refquat='0 1 0 0' refpos='1 2 3' scale='2 2 2' material='m'/><mesh name='sheared' file='b.obj' refquat='0.8 0 0 0.6' scale='1 2 3'/>"
        "<texture file='y\\\\t.png'/><material name='m' texture='t' rgba='1 1 0 1'/><material name='l'><layer role='orm' texture='t'/><layer texture='t'/></material><material/><material name='odd' texture='u'/>",
    ),
    "height fields": model(
        "<geom type='hfield' hfield='h'/><geom type='hfield'/><body><geom type='hfield' hfield='h' mass='1'/></body><body><geom type='hfield' hfield='g'/></body>",
        "<asset><hfield name='h' size='1 2 3 4'/><hfield file='g.png' size='1'/></asset>",
    ),
    "looks and contact": body(
        "".join(
            f"<geom name='g{i}' size='.1' {one}/>"
            for i, one in enumerate(
                (
                    "",
                    "group='3'",
                    "contype='0'",
                    "contype='0' conaffinity='0'",
                    "contype='0' conaffinity='0' group='3'",
                    "contype='2' conaffinity='5'",
                    "contype='x'",
                )
            )
        )
        + "<geom name='g0' size='.1'/>"
    ),
    "orientations": body(
        "".join(
            f"<site {one}/>"
            for one in (
                "euler='90 0 0'",
                "axisangle='0 0 2 90'",
                "xyaxes='0 1 0 -1 1 0'",
                "zaxis='0 0 -1'",
                "zaxis='1 0 0'",
                "quat='0 2 0 0'",
                "zaxis='0 0 1'",
                "type='capsule' fromto='0 0 0 0 2 0'",
                "type='box' fromto='0 0 0 0 0 2' size='1'",
                "fromto='0 0 0 0 0 1'",
            )
        )
    ),
    "an order of angles": body("<site euler='10 20 30'/>", "<compiler eulerseq='zYx'/>"),
    "settings of other models": body(
        "<geom size='1'/>",
        "<compiler coordinate='global' alignfree='true' fusestatic='true' inertiafromgeom='x' inertiagrouprange='1 x' boundmass='x'/>",
    ),
    "lights and cameras": body(
        "<frame pos='1 0 0' euler='0 0 90'><light dir='1 0 0'/><light pos='1 2 3'/><camera mode='track' zaxis='1 0 0'/><camera mode='odd'/><camera name='c' fovy='3' odd='1'/></frame><plugin/><odd/>"
    ),
    "bodies that are moved": model(
        "<body name='m' mocap='true'><geom size='1'/></body><body name='a'><geom size='1'/></body>",
        tail="<equality><weld body1='m' body2='a'/><connect body1='a' anchor='1 0 0'/></equality>",
    ),
    "followers": model(
        "".join(f"<body><joint name='{one}' ref='{i}'/><geom size='1'/></body>" for i, one in enumerate("abcdef")),
        "<compiler angle='radian'/>",
        "<equality>"
        "<joint joint1='b' joint2='a' polycoef='1 2'/><joint joint1='c' joint2='a' polycoef='1 2 3 4 5'/><joint joint1='d' joint2='b'/><joint joint1='e' polycoef='0.5'/>"
        "<joint joint1='f' joint2='a' active='false'/><tendon tendon1='x'/></equality>",
    ),
    "followers that contradict": model(
        "".join(f"<body><joint name='{one}'/><geom size='1'/></body>" for one in "abcd"),
        "",
        "<equality>"
        "<joint joint1='b' joint2='a'/><joint joint1='b' joint2='c'/><joint joint1='b' joint2='d' polycoef='0 0'/><joint joint1='c' polycoef='1'/><joint joint1='c' polycoef='2'/><joint joint1='d' polycoef='1 2 3 4 5 6'/></equality>",
    ),
    "held joints": model(
        "".join(f"<body><joint name='{one}'/><geom size='1'/></body>" for one in "abc"),
        "",
        "<equality><joint joint1='b' joint2='a' polycoef='1 2'/><joint joint1='b' polycoef='2'/><joint joint1='c' polycoef='1'/></equality>",
    ),
    "a held joint that cannot be": model(
        "".join(f"<body><joint name='{one}'/><geom size='1'/></body>" for one in "ab"),
        "",
        "<equality><joint joint1='b' joint2='a' polycoef='1 0'/><joint joint1='b' polycoef='2'/></equality>",
    ),
    "loops": model(
        "<body name='a'><geom size='1'/><site name='s'/></body><body name='b' pos='1 0 0'><geom size='1'/><site name='t'/></body>",
        "",
        "<equality><connect body1='a' body2='b' anchor='0 0 1'/>"
        "<weld body1='a' body2='b'/><weld name='w' body1='a'/><connect site1='s' site2='t'/><connect site1='s' site2='s'/><weld site1='s' site2='x'/><weld body1='a' body2='b' active='false'/><connect body1='z'/></equality>",
    ),
    "a hinge between bodies": model(
        "<body name='a'><geom size='1'/><site name='kinetree:loop:1:h'/><site name='kinetree:loop:3:h' pos='0 2 0'/></body><body name='b'><geom size='1'/><site name='kinetree:loop:2:h'/><site name='kinetree:loop:4:h'/></body>",
        "",
        "<equality><connect name='h' site1='kinetree:loop:1:h' site2='kinetree:loop:2:h'/><connect site1='kinetree:loop:3:h' site2='kinetree:loop:4:h'/></equality>",
    ),
    "tendons": body(
        "<joint name='j'/><joint name='k' type='slide'/><site name='s'/><geom size='1'/>",
        "<default><tendon width='1' range='0 1'/></default>",
        "<tendon><fixed><joint joint='j' coef='1'/></fixed><fixed name='f' range='-1e10 2' margin='1'><joint joint='j' coef='1'/><joint joint='k' coef='2'/></fixed>"
        "<fixed name='g' limited='false'><joint joint='j' coef='1'/></fixed><spatial range='0 1'><site site='s'/></spatial></tendon>",
    ),
    "tendons that are none": body(
        "<joint name='j'/><site name='s'/>",
        "",
        "<tendon><fixed range='0 1'><joint joint='j' coef='1'/><joint joint='j' coef='2'/><site site='s'/></fixed><fixed/></tendon>",
    ),
    "a curved tendon": body(
        "<joint name='j'/><joint name='k'/><geom size='1'/>",
        "",
        "<equality><joint joint1='k' joint2='j' polycoef='0 1 1'/></equality><tendon><fixed range='0 1'><joint joint='k' coef='1'/></fixed></tendon>",
    ),
    "replicas": body(
        "<replicate count='3' sep='_' offset='1 0 0' euler='0 0 90' childclass='main'><body name='r'><joint name='q'/><geom size='1'/><site name='s'/></body></replicate>"
        "<replicate count='11'><site name='t'/></replicate><replicate count='2'><joint/></replicate>",
        "",
        "<sensor><gyro name='g' site='s'/></sensor><actuator><motor name='m' joint='q'/></actuator>",
    ),
    "replicas of bodies": body(
        "<replicate count='2' offset='1 0 0' euler='0 0 90'><replicate count='2' offset='0 1 0'><body name='r'><joint name='q'/><geom size='1'/></body></replicate></replicate>",
        "",
        "<actuator><motor name='m' joint='q'/></actuator>",
    ),
    "an attached body": model(
        "<body name='a'><geom size='1'/><frame pos='1 0 0'><attach model='hand' body='palm' prefix='l_'/></frame></body>",
        ASSET,
    ),
    "an attached world": model("<attach model='hand' prefix='r_'/>", "<compiler conflict='merge'/>" + ASSET),
    "an attached body of the model": model(
        "<body name='a' childclass='c'><body name='b'><joint name='j'/><geom size='1'/></body></body><frame pos='1 0 0'><attach body='b' prefix='p_'/></frame>",
        "<default><default class='c'/></default>",
        "<actuator><motor name='m' joint='j'/></actuator>",
    ),
    "attachments that fail": model(
        "<attach model='hand' body='plam' prefix='x'/><attach model='hand' frame='f' prefix='x'/><attach model='hnd' prefix='x'/><attach prefix='x'/><attach model='hand'/><attach body='a' frame='b' prefix='x'/>"
        "<attach model='gone' prefix='x'/><attach model='urdf' prefix='x'/><attach model='me' prefix='y'/>",
        ASSET
        + "<asset><model name='gone' file='g.xml'/><model name='urdf' file='urdf.xml'/><model name='me' file='me.xml'/></asset>",
    ),
    "options that conflict": model(
        "<attach model='hand' prefix='r_'/>", "<compiler conflict='error'/><option timestep='0.001'/>" + ASSET
    ),
    "options of no policy": model("<attach model='hand' prefix='r_'/>", "<compiler conflict='odd'/>" + ASSET),
    "includes": "<mujoco><worldbody><include file='part.xml'/></worldbody><include file='gone.xml'/><include/><include file='urdf.xml'/><include file='twice.xml'/><include file='twice.xml'/></mujoco>",
    "sections": body(
        "<geom size='1'/>",
        "<option timestep='1'/><size njmax='1'/><visual/><statistic extent='1'/><extension/><custom><numeric name='n' data='1'/></custom><odd><a/></odd>",
        "<contact><exclude body1='a' body2='world'/></contact><deformable/><keyframe/><keyframe time='1'><key/></keyframe>",
    ),
    "sensors": body(
        "<joint name='j'/><geom name='g' size='1'/><site name='s'/><site name='a'/><camera name='c'/>",
        "",
        "<sensor><accelerometer site='s'/><force site='s'/><touch name='t' site='a'/><rangefinder site='s' cutoff='3'/><framepos objtype='site' objname='s'/>"
        "<camprojection camera='c' site='s'/><velocimeter name='v' site='x'/><magnetometer/><force name='w' site='s' odd='1'/></sensor>",
    ),
    "words of the simulation": model(
        f"<body name='a' {ones('gravcomp sleep simple user fuse')}><joint name='j' {ones('group springdamper solreflimit solimplimit solreffriction solimpfriction actuatorgravcomp margin springyield user')}/>"
        f"<geom name='g' size='1' {ones('condim priority friction solmix solref solimp margin gap surfacevel adhesion fluidshape fluidcoef castshadow user')}/>"
        f"<site name='s' type='box' size='1 1 1' {ones('group material user')}/><camera name='c' {ones('projection fovy ipd resolution output focal focalpixel principal principalpixel sensorsize user')}/>"
        f"<light name='l' {ones('type directional castshadow active attenuation cutoff exponent bulbradius intensity range softness ambient diffuse specular')}/>"
        f"<geom type='mesh' mesh='m' mass='1'/></body><body name='b'><joint name='k'/><geom size='1'/></body><body name='d' mocap='true'><geom size='1'/></body>",
        f"<compiler {ones('discardvisual usethread fusestatic saveinertial conflict passthrough savecanonical savecompiled alignfree', 'true')}/>"
        f"<asset><material name='1' {ones('texrepeat texuniform emission specular shininess reflectance metallic roughness')}/><mesh name='m' file='m.stl' {ones('content_type inertia maxhullvert smoothnormal normal texcoord')}/></asset>"
        f"<default><tendon {ones('width material rgba group')}/><joint {ones('solreflimit margin')}/></default>",
        f"<equality><weld body1='a' body2='b' {ones('solref solimp torquescale')}/><joint joint1='k' joint2='j' {ones('solref solimp')}/></equality><tendon><fixed name='t' range='0 1' {ones('group actuatorfrclimited actuatorfrcrange solreflimit solimplimit solreffriction margin solimpfriction frictionloss springlength springyield stiffness damping armature user')}><joint joint='j' coef='1'/></fixed></tendon>"
        "<sensor>" + "".join(f"<{one} site='s' {ones(SENSED)}/>" for one in AT_SITES.split()) + "</sensor>",
    ),
    "names that stand twice": body(
        "<geom name='g' size='1'/><geom name='g' size='1'/><site name='s'/><site name='s'/>",
        "<asset><material name='m'/><material name='m' rgba='1 0 0 1'/><mesh name='m' file='a.stl'/><mesh name='m' file='b.stl'/></asset>",
        "<equality><weld/><connect site1='s'/><weld body1='a' body2='a'/><joint joint1='x'/></equality><worldbody><include file='part.xml'><body/></include></worldbody>",
    ),
    "a robot of planes": model(
        "<geom type='plane' size='0 2 1' pos='0 0 1'/><geom type='plane' size='1 0 1' euler='90 0 0'/><body name='a'><joint name='j'/><geom size='1'/></body>"
    ),
    "a mesh below the file": body(
        "<attach model='hand' prefix='h_'/>",
        "<asset><model name='other' file='gone.xml'/><model file='hand.xml'/></asset>",
    ),
    "names of sections that stand twice": body(
        "<joint name='j'/><geom size='1'/><site name='s'/>",
        "",
        "<actuator><motor name='m' joint='j'/><motor name='m' joint='j'/></actuator><sensor><gyro name='g' site='s'/><gyro name='g' site='s'/></sensor>"
        "<tendon><fixed name='t'><joint joint='j' coef='1'/></fixed><fixed name='t'><joint joint='j' coef='1'/></fixed></tendon><keyframe><key name='k'/><key name='k'/></keyframe>",
    ),
    "bodies beside the world": "<mujoco><worldbody><geom size='1'/></worldbody><geom size='1'/><body/></mujoco>",
    "what is of no element": body(
        "<joint name='j'><odd/><odd/></joint><geom size='1'><odd/></geom><geom type='mesh' mesh='none' mass='1'/><geom size='1e60'/><site><odd/></site><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'><odd/></inertial>"
    ),
    "ranges that are split": body(
        "<joint name='j' range='-180 180'/><geom size='1'/><body><joint name='k' range='0.5 5'/><geom size='1'/></body>",
        "<compiler angle='radian'/>",
        "<equality><joint joint1='k' joint2='j' polycoef='0 0 1'/></equality>",
    ),
    "held joints in a circle": model(
        "".join(f"<body><joint name='{name}'/><geom size='1'/></body>" for name in "jkl"),
        "",
        "<equality><joint joint1='j' joint2='k'/><joint joint1='k' joint2='j'/><joint joint1='l' polycoef='1'/><joint joint1='j' polycoef='1'/></equality><tendon><fixed name='t' range='0 1'><joint joint='j' coef='1'/></fixed></tendon>",
    ),
    "the world of another model": model(
        "<attach model='hand' body='world' prefix='w_'/>", ASSET + "<compiler conflict='merge'/>"
    ),
    "the world of another model without a prefix": model("<attach model='hand' body='world' prefix=''/>", ASSET),
    "joints that differ": model(
        "<body name='a'><joint name='j' type='ball' damping='1' range='0 1'/><geom size='1' rgba='1 0 0 1' material='m'/><geom size='1' material='m'/></body>"
        "<body name='b' pos='1 0 0'><joint name='k' actuatorfrcrange='-1 1'/><geom type='box' size='1 2 1' mass='1'/><geom type='plane' size='1 1 1'/></body>",
        "<asset><texture name='t' type='2d' file='t.png'/><material name='m' texture='t'/></asset>",
        "<keyframe><key qpos='1 0 0 0 0.5'/><key qvel='1'/><key qpos='1 2 3'/><key mpos='1 2 3'/></keyframe>",
    ),
    "names that come later": model(
        "<body name='a'><joint/><geom size='1'/><site/><camera/></body><body name='b'><joint name='a_joint'/><freejoint/><geom size='1'/><site name='a_site'/><camera name='a_camera'/></body>"
        "<body name='body_2'><geom size='1'/></body><body name='c'><freejoint name='d_joint'/><geom size='1'/></body><body name='d'><joint/><geom size='1'/></body>",
        "",
        "<sensor><gyro name='c' site='a_site'/><gyro site='a_site'/></sensor>",
    ),
    "long texts": body(f"{'s' * 41}<geom size='1' solref='{'x' * 50}'/>"),
    **{
        f"{flag} of {joint or 'nothing'} switched off": body(
            f"<joint name='j' {joint}/><geom size='1'/>", f"<option><flag {flag}='disable'/></option>"
        )
        for flag in ("spring", "damper", "passive")
        for joint in ("", "stiffness='1'", "damping='1'")
    },
    **{
        f"forces of {name}": body("<joint name='j'/><geom size='1'/>", head, tail)
        for name, head, tail in (
            ("a medium", "<option density='1'/>", ""),
            ("a viscous medium", "<option viscosity='1' density='0'/>", ""),
            ("no medium", "<option viscosity='0' density='0 0'/>", ""),
            ("gravity", "<option gravity='0 0 -9.8'/>", ""),
            ("gravity as by default", "<option gravity='0 0 -9.81'/>", ""),
            ("no gravity", "<option><flag gravity='disable'/></option>", ""),
            ("tendons", "", "<tendon><fixed name='t' stiffness='1'><joint joint='j' coef='1'/></fixed></tendon>"),
            ("damped tendons", "", "<tendon><fixed name='t' damping='1'><joint joint='j' coef='1'/></fixed></tendon>"),
            (
                "dry tendons",
                "",
                "<tendon><fixed name='t' frictionloss='1'><joint joint='j' coef='1'/></fixed></tendon>",
            ),
            ("heavy tendons", "", "<tendon><fixed name='t' armature='1'><joint joint='j' coef='1'/></fixed></tendon>"),
            ("damped actuators", "", "<actuator><motor joint='j' damping='1'/></actuator>"),
            ("heavy actuators", "", "<actuator><motor joint='j' armature='1'/></actuator>"),
            ("heavy classes", "<default><motor armature='1'/></default>", ""),
            ("damped classes", "<default><motor damping='1'/></default>", ""),
        )
    },
    "many names": body("".join("<geom name='g' size='1'/><site/>" if i < 3 else "<site/>" for i in range(6))),
    "parts of vectors": model(
        "".join(
            f"<body name='b{i}'><joint {ones(OF_JOINTS, one)}/><geom {ones(OF_GEOMS, one)}/></body>"
            for i, one in enumerate(("3", "3 4"))
        ),
        f"<default><geom type='box' {ones(OF_GEOMS, '5 6 7')}/><joint {ones(OF_JOINTS, '5 6 7')}/></default>",
    ),
    "texts": "<mujoco>stray<worldbody>stray<body>stray<geom size='1'>stray</geom></body></worldbody><custom><text name='t' data='d'>stray</text></custom></mujoco>",
}


def read(text: str) -> str:
    return TURNED.sub("[at 0.5 1 1.5]", reading(*read_certain(text, "m.xml", opener(FILES))))


def test_what_is_read_and_said(golden):
    golden("whole_mjcf.txt", "\n".join(f"# {name}\n{read(text)}" for name, text in TEXTS.items()))


WEIGHED = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><joint name="ball"'
TEXTS["a robot whose masses are known"] = ROBOT.replace('<joint name="ball"', WEIGHED)
TEXTS["loops of things that exist"] = (
    TEXTS["loops"].replace("<weld site1='s' site2='x'/>", "").replace("<connect body1='z'/>", "")
)
TEXTS["seven joints in a row"] = model(
    "".join(f"<body name='{'b' if i == 7 else f'j{i}_link'}'><joint name='j{i}'/>" for i in range(1, 8))
    + "<geom size='1'/>"
    + "</body>" * 7
)
LOST = ("extension", "limit", "frame", "loop", "mimic", "coupled_limit", "sensor")
WRITTEN = {
    **dict.fromkeys(
        ("a robot whose masses are known", "loops of things that exist", "tendons", "sections"), ((), LOST)
    ),
    **dict.fromkeys(
        (
            "a robot",
            "several joints",
            "seven joints in a row",
            "free joints",
            "a hinge between bodies",
            "looks and contact",
        ),
        ((),),
    ),
    **dict.fromkeys(("shapes", "meshes", "lights and cameras", "replicas of bodies"), ((),)),
    "words of the simulation": (("unknown_mass",),),
    "parts of vectors": ((),),
    "joints that differ": ((), ("ball", "plane")),
    "a robot of planes": ((), ("plane",)),
    "ranges that are split": ((),),
    "meshes fitted to bounds": (("material", "extension"),),
}
OPTIONS = (
    "timestep impratio tolerance ls_tolerance noslip_tolerance ccd_tolerance sleep_tolerance density viscosity o_margin iterations "
    "ls_iterations noslip_iterations ccd_iterations sdf_iterations sdf_initpoints gravity wind magnetic integrator cone jacobian "
    "solver actuatorgroupdisable"
)
FLAGS = (
    "constraint equality frictionloss limit contact spring damper gravity clampctrl warmstart filterparent actuation refsafe sensor "
    "midphase eulerdamp autoreset nativeccd island override energy fwdinv invdiscrete multiccd sleep"
)
AS_BY_DEFAULT = (
    "timestep='2e-3' impratio='1' gravity='0 0 -9.81' wind='0 0 0' magnetic='0 -0.5 0' density='0' viscosity='0' tolerance='1e-8' "
    "ls_tolerance='.01' noslip_tolerance='1e-6' ccd_tolerance='1e-6' sleep_tolerance='1e-3' iterations='100' ls_iterations='50' "
    "noslip_iterations='0' ccd_iterations='35' sdf_iterations='10' sdf_initpoints='40' integrator='Euler' cone='pyramidal' "
    "jacobian='auto' solver='Newton' o_margin='0'"
)


def options_of(options: str, flags: str = "", more: str = "") -> str:
    return f"<option {options}><flag {flags}/></option>{more}"


PAIRS = {  # options of a model, and of one that is attached
    "more": (options_of(ones(OPTIONS), ones(FLAGS, "enable")), options_of(ones(OPTIONS, "2"), ones(FLAGS, "disable"))),
    "less": (options_of(ones(OPTIONS, "2"), ones(FLAGS, "disable")), options_of(ones(OPTIONS), ones(FLAGS, "enable"))),
    "the same": (options_of(ones(OPTIONS, "1.0")), options_of(ones(OPTIONS))),
    "none": (
        "",
        options_of(
            ones(OPTIONS), ones(FLAGS, "disable"), "<size/><size njmax='1'/><visual><map/></visual><statistic/>"
        ),
    ),
    "defaults": ("<option/><option/>", options_of(AS_BY_DEFAULT, ones(FLAGS, "enable"))),
}


def test_names_that_are_free():
    for count in (0, 1, 2, 98, 99, 100, 101, 102, 199, 200, 201, 399, 400, 401, 500):
        taken = {"a", *(f"a_{i}" for i in range(2, count + 1))} if count else set()
        assert free("a", taken) == (f"a_{count + 1}" if count else "a"), count
        assert len(taken) == count + 1


def test_moments_that_are_rounded():
    for values, expected in (
        ((1, 2, 3 + 1e-15), (1, 2, 3)),
        ((3 + 1e-15, 1, 2), (3, 1, 2)),
        ((1, 2, 3.5), (1, 2, 3.5)),
        ((1, 2, 2.5), (1, 2, 2.5)),
        ((-1e-20, 1, 1), (0, 1, 1)),
        ((-0.5, 1, 1), (-0.5, 1, 1)),
        ((0, 0, 0), (0, 0, 0)),
    ):
        assert rounded_moments(np.array(values, dtype=float)).tolist() == list(expected)


def test_options_of_an_attached_model(golden):
    said = []
    several = {"": [*PAIRS], "merge": [*PAIRS], "error": ["less", "none"], "warning": ["none"], "odd": ["none"]}
    for policy, name in ((policy, name) for policy, names in several.items() for name in names):
        report = Report()
        head = f"<compiler conflict='{policy}'/>" if policy else ""
        roots = [parse(f"<mujoco>{head}{text}</mujoco>", "m.xml", report) for text in PAIRS[name]]
        merge_options(report, *roots, roots[0])
        said += [f"# {policy} {name}", *(f"{one.severity} {one.message}" for one in report.findings)]
        said += [element_text(roots[0])] if policy == "merge" else []
    golden("mjcf_options.txt", "\n".join(said))


@pytest.mark.parametrize("format", ["mjcf", "urdf", "sdf"])
def test_what_is_written(format, golden):
    robots = {name: build(parts_of(mjcf.read(TEXTS[name], "m.xml", opener(FILES))[0])) for name in WRITTEN}
    golden(
        f"written_mjcf_to_{format}.txt",
        "\n".join(
            f"# {name} without {', '.join(parts)}\n{written(robots[name], format, parts)}"
            for name, several in WRITTEN.items()
            for parts in several
        ),
    )


def test_a_text_that_was_not_changed_is_written_as_it_was():
    for text in (ROBOT, TEXTS["loops"]):
        assert kt.text(kt.load(text, format="mjcf"), "mjcf") == text
