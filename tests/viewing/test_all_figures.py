"""All that is drawn and shown of a few robots, to the letter: figures, tables of notebooks, contents of the page."""

import json
import re

import numpy as np

import kinetree as kt
from kinetree.viewing.frame_figure import frame_figure
from kinetree.viewing.joint_figure import joint_figure
from kinetree.viewing.show import view_of
from kinetree.viewing.stick_figure import stick_figure
from kinetree.viewing.tree_figure import tree_figure

INERTIAL = """<inertial><origin xyz="0.1 0 0.2" rpy="0 0 0.5"/><mass value="4"/>
<inertia ixx="0.06" iyy="0.05" izz="0.04" ixy="0.01" ixz="0" iyz="-0.01"/></inertial>"""
MANY = f"""<robot name="many"><link name="world"/>
  <link name="hull">{INERTIAL}<visual name="v"><origin xyz="0 0 0.1" rpy="0 0.5 0"/>
    <geometry><box size="1 2 3"/></geometry><material name="red"><color rgba="1 0 0 0.5"/></material></visual>
    <collision><geometry><cylinder radius="0.2" length="0.4"/></geometry></collision></link>
  <link name="arm">{INERTIAL}<visual><geometry><sphere radius="0.2"/></geometry><material name="red"/></visual></link>
  <link name="hand"><collision><geometry><capsule radius="0.05" length="0.3"/></geometry></collision></link>
  <link name="finger"/><link name="wheel"/><link name="cart"/><link name="tip"/>
  <joint name="free" type="floating"><parent link="world"/><child link="hull"/></joint>
  <joint name="shoulder" type="revolute"><parent link="hull"/><child link="arm"/><origin xyz="0 0 0.3" rpy="1 0 0"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="1" velocity="3" effort="80"/></joint>
  <joint name="slide" type="prismatic"><parent link="arm"/><child link="hand"/><origin xyz="0 0 0.4" rpy="0 1 0"/>
    <axis xyz="1 0 0"/><limit lower="-0.1" upper="0.3" velocity="3" effort="80"/></joint>
  <joint name="grip" type="revolute"><parent link="hand"/><child link="finger"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" velocity="3" effort="80"/><mimic joint="slide" multiplier="2" offset="0.1"/></joint>
  <joint name="roll" type="continuous"><parent link="hull"/><child link="wheel"/><axis xyz="0 0.6 0.8"/></joint>
  <joint name="drive" type="planar"><parent link="hull"/><child link="cart"/><axis xyz="0 0 1"/></joint>
  <joint name="mount" type="fixed"><parent link="finger"/><child link="tip"/><origin xyz="0.2 0 0"/></joint>
  <sensor name="imu" type="imu" update_rate="50"><parent link="hand"/><origin xyz="0 0 0.1" rpy="0 0 1"/></sensor>
</robot>"""
SDF = """<sdf version="1.9"><model name="two"><link name="a"/>
<link name="b"><pose>0 0 0.5 0 0 0</pose></link><frame name="f" attached_to="b">
<pose>0 0 1 0 0 1.5</pose></frame>
<joint name="turn" type="universal"><parent>a</parent><child>b</child>
<axis><xyz>1 0 0</xyz><limit><lower>-1</lower><upper>1</upper></limit></axis>
<axis2><xyz>0 1 0</xyz></axis2></joint></model></sdf>"""


SHOWN = ("robots", "meshes", "comparison", "reach")
"""What the contents of a page have of robots."""


def whole(text):
    """A text with whole numbers, as rounding differs between machines; styles that repeat are left out."""
    text = re.sub(r"-?\d+\.\d+", lambda match: f"{float(match[0]) + 1e-3:.0f}", text)
    text = text.replace(' stroke="white" stroke-width="4" paint-order="stroke"', "")
    text = re.sub(r' (?:style|stroke-linecap|stroke-linejoin|xmlns)="[^"]*"', "", text)
    return re.sub(r"(?<=>)\s*(?=<(?:g|path|poly|text|circle|tr|details|title|line|rect)\b)", "\n", text)


def rounded(value):
    if isinstance(value, float):
        return round(value, 6) + 0.0
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    return [rounded(one) for one in value] if isinstance(value, list | tuple) else value


def test_all_figures_and_pages_of_two_robots(golden, monkeypatch):
    """Read the difference before you update the file, and look at the figures."""
    monkeypatch.setattr("kinetree.viewing.show.viewer", lambda: "")  # which may not be built
    many, two = kt.load(MANY, format="urdf"), kt.load(SDF, format="sdf")
    q = many.q() + 0.1 * np.arange(many.nq)
    q[:7] = 0.1, 0.2, 0.3, 0.6, 0.0, 0.0, 0.8
    figures = {
        "html": many._repr_html_(),
        "limits": many.limits._repr_html_(),
        "stick": stick_figure(two),
        "tree": tree_figure(many),
        "whole tree": tree_figure(two, everything=True),
        "frame": frame_figure(many, "tip", q),
        **{f"joint {name}": joint_figure(many, name, q) for name in ("free", "slide", "grip", "drive")},
        "joint alone": joint_figure(many, "shoulder"),
        "universal": joint_figure(two, "turn", np.array([0.3, 0.2])),
    }
    lines = [f"== {key}\n{whole(text)}" for key, text in figures.items()]
    for robot, at in ((many, q), (two, None)):
        content = rounded(view_of(robot, at, findings=robot.notes).scene.content)
        lines += [
            f"{robot.name} {key}: {json.dumps(one, ensure_ascii=False)}" for key, one in content.items() if key in SHOWN
        ]
    golden("figures.txt", "\n".join(lines) + "\n")
