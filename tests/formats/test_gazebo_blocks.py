"""Blocks of <gazebo> whose parts have no word of URDF, or say what the robot has otherwise."""

from __future__ import annotations

from dataclasses import replace

import pytest

import kinetree as kt
from each import each
from kinetree.formats import gazebo
from kinetree.formats.gazebo import leaves
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import Dynamics, Surface
from kinetree.syntax.xml.reader import Report, parse

HEAVY = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
BOX = "<geometry><box size='1 1 1'/></geometry>"
ROBOT = f"""<robot name="r"><link name="a">{HEAVY}<visual>{BOX}</visual><collision>{BOX}</collision></link>
<link name="b">{HEAVY}</link><link name="cam"/>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
  <limit lower="-1" upper="1" effort="5" velocity="2"/></joint>
<joint name="f" type="fixed"><parent link="b"/><child link="cam"/></joint>%s</robot>"""
REFERENCES = {"collision": ' reference="a"', "visual": ' reference="a"', "link": ' reference="a"', "model": ""}
REFERENCES["joint"] = ' reference="j"'


def load(blocks: str) -> kt.Robot:
    return kt.load(ROBOT % blocks, format="urdf")


@each(
    "text, expected",
    [
        ("<a/>", ["a"]),
        ("<a x='1'/>", ["a"]),
        ("<a><b/><c><d/><e/></c></a>", ["a/b", "a/c/d", "a/c/e"]),
        ("<a> <b x='1'>2</b> </a>", ["a/b"]),
        ("<a x='1'><b/></a>", None),
        ("<a>text<b/></a>", None),
        ("<a><b/><b/></a>", None),
        ("<a><b/><c><d/><d/></c></a>", None),
        ("<a><b/><c x='1'><d/></c></a>", None),
    ],
)
def test_innermost_elements_by_path(text, expected):
    found = leaves(parse(text, "<text>", Report()))
    assert (found if found is None else [*found]) == expected
    assert found is None or [element.tag for element in found.values()] == [path[-1] for path in expected]


@each("value", ["1 x", "1 2", ""])
def test_values_that_are_no_numbers_stay_in_their_blocks(value):
    """Of every word that has a number, or three, all in one robot."""
    tags = [
        (place, tag)
        for place, table in gazebo.WORDS.items()
        for tag, word in table.items()
        if word.kind in ("number", "size", "vector")
    ]
    blocks = [f"<gazebo{REFERENCES[place]}><{tag}>{value}</{tag}></gazebo>" for place, tag in tags]
    again = kt.load(kt.text(load("".join(blocks)), "sdf"), format="sdf")
    assert len(blocks) == 13
    assert sorted(one.text for one in again.extensions) == sorted(blocks)


class TestASurfaceThatWasEdited:
    BLOCK = (
        '<gazebo reference="a"><collision><surface><friction><ode><mu>0.5</mu><slip1>0.1</slip1></ode></friction>'
        "</surface></collision><mu2>0.6</mu2><maxVel>3</maxVel><odd/></gazebo>"
    )

    def edited(self, surface):
        parts = parts_of(load(self.BLOCK))
        (shape,) = parts.links[0].collisions
        assert shape.surface == Surface(0.5, 0.6)
        parts.links[0] = replace(parts.links[0], collisions=(replace(shape, surface=surface),))
        return build(parts)

    def test_is_not_said_otherwise_by_its_block(self):
        text = kt.text(self.edited(Surface(0.9, 0.8)), "urdf")
        assert "<ode><slip1>0.1</slip1></ode>" in text
        assert "<maxVel>3</maxVel><odd/>" in text
        assert (text.count("mu2>"), text.count("mu>"), text.count("mu1>")) == (2, 0, 2)
        (shape,) = kt.load(text, format="urdf").links["a"].collisions
        assert shape.surface == Surface(0.9, 0.8)

    def test_of_the_same_numbers_leaves_the_block_as_it_is(self):
        assert self.BLOCK in kt.text(self.edited(Surface(0.5, 0.6)), "urdf")

    def test_of_nothing_else_leaves_no_block(self):
        block = '<gazebo reference="a"><mu1>0.5</mu1></gazebo>'
        parts = parts_of(load(block))
        (shape,) = parts.links[0].collisions
        parts.links[0] = replace(parts.links[0], collisions=(replace(shape, surface=None),))
        assert "gazebo" not in kt.text(build(parts), "urdf")


def test_a_spring_that_was_edited_leaves_the_rest_of_its_block():
    parts = parts_of(load('<gazebo reference="j"><springStiffness>2</springStiffness><stopCfm>1</stopCfm></gazebo>'))
    assert parts.joints[0].dynamics[0].stiffness == 2.0
    parts.joints[0] = replace(parts.joints[0], dynamics=(Dynamics(stiffness=3.0, reference=0.5),))
    text = kt.text(build(parts), "urdf")
    assert '<gazebo reference="j"><stopCfm>1</stopCfm></gazebo>' in text
    (row,) = kt.load(text, format="urdf").joints["j"].dynamics
    assert (row.stiffness, row.reference) == (3.0, 0.5)


SDF = """<sdf version="1.10"><model name="r"><link name="a"><inertial><mass>1</mass></inertial>{}</link>
<link name="b"/><joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis>{}
</joint>
</model></sdf>"""
VISUAL = "<visual name='v{}'><geometry><sphere><radius>1</radius></sphere></geometry>{}</visual>"
COLLISION = VISUAL.replace("visual", "collision")
MATERIAL = "<material><ambient>0 1 0 1</ambient><diffuse>{} 0 0 1</diffuse></material>"
PLUGIN = "<plugin name='{}' filename='x.so'/>"


def through_urdf(in_link: str, in_joint: str = "") -> tuple[str, kt.Robot, kt.Robot]:
    """Return the URDF of a robot of SDF, that robot, and what comes back."""
    robot = kt.load(SDF.format(in_link, in_joint), format="sdf")
    text = kt.text(robot, "urdf")
    return text, robot, kt.load(text, format="urdf")


class TestWhatShapesHaveInCommon:
    @each(
        "inside, block",
        [
            (VISUAL.format(1, PLUGIN.format("p")), "<visual><plugin name='p' filename='x.so'/></visual>"),
            (VISUAL.format(1, PLUGIN.format("p") + PLUGIN.format("q")), ""),
            (
                VISUAL.format(1, MATERIAL.format(0.5)) + VISUAL.format(2, MATERIAL.format(0.5)),
                "<visual><material><ambient>0 1 0 1</ambient><diffuse>0.5 0 0 1</diffuse></material></visual>",
            ),
            (VISUAL.format(1, MATERIAL.format(0.5)) + VISUAL.format(2, MATERIAL.format(0.25)), ""),
            (
                VISUAL.format(1, "<material><ambient>0 1 0 1</ambient></material>"),
                "<visual><material><ambient>0 1 0 1</ambient></material></visual>",
            ),
            (VISUAL.format(1, PLUGIN.format("p")) + VISUAL.format(2, PLUGIN.format("q")), ""),
            (VISUAL.format(1, PLUGIN.format("p")) + VISUAL.format(2, ""), ""),
            (COLLISION.format(1, "<laser_retro>5</laser_retro>"), "<laserRetro>5</laserRetro>"),
            (
                COLLISION.format(1, "<laser_retro x='1'>5</laser_retro>"),
                "<collision><laser_retro x='1'>5</laser_retro></collision>",
            ),
            (
                VISUAL.format(
                    1, f"<material><script><uri>{gazebo.SCRIPTS}</uri><name>A&amp;B</name></script></material>"
                ),
                "<material>A&amp;B</material>",
            ),
        ],
    )
    def test_is_in_a_block(self, inside, block):
        text, robot, again = through_urdf(inside)
        assert text.count("<gazebo") == bool(block)
        assert not block or f'<gazebo reference="a">{block}</gazebo>' in text
        assert kt.text(again, "sdf").count("plugin name") == inside.count("plugin name")
        assert kt.compare(robot, again).same


class TestPhysicsOfAJoint:
    @each(
        "inside, block",
        [
            ("<ode><limit><cfm>1</cfm><erp>2</erp></limit></ode>", "<stopCfm>1</stopCfm><stopErp>2</stopErp>"),
            ("<ode><limit><cfm>much</cfm></limit></ode>", ""),
            ("<ode><fudge_factor>1</fudge_factor><odd>1</odd></ode>", ""),
            (
                "<ode><implicit_spring_damper>true</implicit_spring_damper><cfm_damping>true</cfm_damping></ode>",
                "<implicitSpringDamper>true</implicitSpringDamper>",
            ),
            ("<ode><implicit_spring_damper>true</implicit_spring_damper><cfm_damping>false</cfm_damping></ode>", ""),
            ("<ode><limit x='1'><cfm>1</cfm></limit></ode>", ""),
        ],
    )
    def test_is_in_words_if_all_has_one(self, inside, block):
        text, _, again = through_urdf("", f"<physics>{inside}</physics>")
        assert text.count("<gazebo") == bool(block)
        assert not block or f'<gazebo reference="j">{block}</gazebo>' in text
        sdf = kt.text(again, "sdf")
        assert "<physics>" in sdf


@each("heavy, placed", [(False, False), (True, True)])
def test_words_of_a_joint_that_only_holds_a_frame_stay_in_their_block(heavy, placed):
    block = '<gazebo reference="f"><stopCfm>0.1</stopCfm></gazebo>'
    text = ROBOT % block
    text = text.replace('<link name="cam"/>', f'<link name="cam">{HEAVY}</link>') if heavy else text
    sdf = kt.text(kt.load(text, format="urdf"), "sdf")
    assert ("<cfm>0.1</cfm>" in sdf) == placed
    assert [one.text for one in kt.load(sdf, format="sdf").extensions] == ([] if placed else [block])


@pytest.mark.parametrize("without", [(), ("sensor",)])
def test_a_sensor_of_a_joint_in_a_block_is_one_unless_sensors_are_left_out(without):
    block = '<gazebo reference="j"><sensor name="s" type="force_torque"/></gazebo>'
    text = kt.text(load(block), "sdf", without=without)
    assert ('<sensor name="s" type="force_torque">' in text) == (not without)
