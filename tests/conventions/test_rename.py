"""The repairs that are not safe: other names, followed to where the old ones are used."""

import re
from pathlib import Path

import pytest

import kinetree as kt
from kinetree.checker.check import check
from kinetree.fixer.fix import fix, write
from kinetree.rules.examples import ARM
from kinetree.rules.rep199.groups import GroupPrefixes
from support import full_disk

LINKS = ["shoulder", "upper_arm", "elbow", "forearm", "wrist", "hand"]
NAMED = ARM
for _i, _name in enumerate(LINKS, 1):
    NAMED = NAMED.replace(f'"link_{_i}"', f'"{_name}"').replace(f'"joint_{_i}"', f'"{_name}_joint"')
BLOCKS = """
  <!-- the elbow is the third link -->
  <gazebo reference="elbow"><material>Gazebo/Grey</material></gazebo>
  <gazebo reference="elbow_joint"><provideFeedback>true</provideFeedback></gazebo>
  <gazebo>
    <plugin name="elbow" filename="elbow.so"><bodyName> elbow </bodyName><jointName>elbow_joint</jointName></plugin>
  </gazebo>
  <transmission name="elbow"><joint name="elbow_joint"/><actuator name="elbow"/></transmission>
  <ros2_control name="arm" type="system">
    <joint name="elbow_joint"><param name="mimic">wrist_joint</param></joint>
    <sensor name="force"><param name="frame_id">hand</param></sensor>
  </ros2_control>
  <sensor name="imu" type="imu"><parent link="hand"/></sensor>
</robot>"""
SRDF = """<robot name="arm"><!-- elbow -->
  <group name="elbow"><chain base_link="base_link" tip_link="hand"/></group>
  <disable_collisions link1="elbow" link2='forearm' reason="elbow"/>
  <group_state name="home" group="elbow"><joint name="elbow_joint" value="0"/></group_state>
</robot>"""
YAML = """# the elbow
frames: [hand, "elbow", 'wrist']   # elbow
elbow:
  parent: upper_arm
elbow_link: {of: elbow}
"""


def renamed(text: str) -> str:
    """With the names that the REP wants, wherever a whole word is in quotes or between tags."""
    for i, name in enumerate(LINKS, 1):
        text = re.sub(rf'((?:reference|link|<link name)="){name}"', rf'\1link_{i}"', text)
    return text.replace("> elbow <", "> link_3 <").replace(">hand<", ">link_6<")


@pytest.fixture
def model(tmp_path):
    """Write files; the first one is the model."""

    def model(*texts: str) -> list[Path]:
        paths = [tmp_path / name for name in ("arm.urdf", "arm.srdf", "arm.yaml")[: len(texts)]]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text)
        return paths

    return model


class TestLinks:
    def test_are_numbered_and_followed(self, model):
        text = NAMED.replace("\n</robot>", BLOCKS)
        path, srdf, yaml = model(text, SRDF, YAML)
        before = kt.load(path)
        result = fix(path, profile="industrial", unsafe=True, also=[srdf, yaml])
        assert [f.code for f in result.repaired] == ["R199-301"]
        write(result)
        assert path.read_text() == renamed(text)
        after = kt.load(path)
        assert after.joint_names == before.joint_names
        assert "elbow" not in after.links
        expected = SRDF.replace('"hand"', '"link_6"').replace('link1="elbow" link2=\'forearm\'',
                                                              'link1="link_3" link2=\'link_4\'')  # fmt: skip
        assert srdf.read_text() == expected
        assert yaml.read_text() == (
            "# the elbow\nframes: [link_6, \"link_3\", 'link_5']   # elbow\nlink_3:\n"
            "  parent: link_2\nelbow_link: {of: link_3}\n"
        )
        assert [f for f in check(path, profile="industrial") if f.code.startswith("R199-3")] == []
        assert fix(path, profile="industrial", unsafe=True, also=[srdf, yaml]).after == {}

    def test_all_files_are_written_or_none(self, model):
        """The second of two cannot be put in its place."""
        path, srdf = model(NAMED, SRDF)
        result = fix(path, profile="industrial", unsafe=True, also=[srdf])
        assert len(result.after) == 2
        with full_disk(srdf), pytest.raises(kt.KinetreeError, match="cannot be written"):
            write(result)
        assert (path.read_text(), srdf.read_text()) == (NAMED, SRDF)

    def test_only_with_unsafe(self, model):
        (path,) = model(NAMED)
        result = fix(path, profile="industrial")
        assert (result.after, result.unrepaired) == ({}, ())
        assert [finding.code for finding in result.unsafe] == ["R199-301"]

    def test_what_was_found_before_may_be_found_under_the_new_name(self, model):
        """A link that is turned is so whatever it is called."""
        turned = NAMED.replace('<origin xyz="0 0 0.6"/>', '<origin xyz="0 0 0.6" rpy="1 0 0"/>')
        (path,) = model(turned)
        assert "link 'elbow'" in [f.element for f in check(path, profile="industrial") if f.code == "R199-303"]
        write(fix(path, profile="industrial", unsafe=True))
        assert "link 'link_3'" in [f.element for f in check(path, profile="industrial") if f.code == "R199-303"]

    def test_a_wrong_number_is_repaired_though_others_have_to_change_places(self, model):
        swapped = ARM.replace('"link_2"', '"x"').replace('"link_3"', '"link_2"').replace('"x"', '"link_3"')
        (path,) = model(swapped)
        result = fix(path, profile="industrial", unsafe=True)
        write(result)
        assert path.read_text() == ARM

    @pytest.mark.parametrize(
        ("block", "why"),
        [
            ('<link name="link_3"/><joint name="x" type="fixed"><parent link="hand"/><child link="link_3"/></joint>',
             "there is a link 'link_3' already"),
            ('<gazebo><plugin><topic>arm/elbow/torque</topic></plugin></gazebo>', "has the name 'elbow' in it"),
        ],
    )  # fmt: skip
    def test_what_is_not_plain_is_left(self, model, block, why):
        (path,) = model(NAMED.replace("</robot>", f"{block}</robot>"))
        result = fix(path, profile="industrial", unsafe=True)
        assert [why in because for finding, because in result.unrepaired if finding.code == "R199-301"] == [True]
        assert result.after == {}

    @pytest.mark.slow
    @pytest.mark.parametrize(
        "block",
        [
            "<link_names>\nelbow hand, wrist</link_names>",
            "<link_group>elbow wrist</link_group>",
            "<joint_tip>elbow hand</joint_tip>",
            "<jointName>elbow</jointName>",  # which is no joint
            "<plug>elbow<x/></plug>",
            "<plug><x/>, elbow</plug>",
            "<bodyName>el<!-- bow -->bow</bodyName>",
            "<bodyName><![CDATA[elbow]]></bodyName>",
            "<topic>elbow_collision</topic>",
            "<topic>arm::elbow::elbow_visual_1</topic>",
            "<topic>base_link_fixed_joint_lump__elbow_collision_2</topic>",
            '<x link="arm::elbow"/>',
            '<x joint="elbow, hand"/>',
            '<x link="${side}_elbow"/>',
            "<x>link_3</x>",
        ],
    )
    @pytest.mark.parametrize("name", ["elbow", "el-bow"])
    def test_what_is_not_exactly_a_name_is_left_and_its_place_is_said(self, model, block, name):
        block = block.replace("el<!-- bow -->bow", f"el<!-- -->{name[2:]}").replace("elbow", name)
        text = NAMED.replace("elbow", name).replace("</robot>", f"<gazebo><plugin>\n{block}</plugin></gazebo></robot>")
        (path,) = model(text)
        result = fix(path, profile="industrial", unsafe=True, select="R199-301")
        line = 1 + text[: text.index(block)].count("\n")
        ((_, why),) = result.unrepaired
        assert result.after == {}
        assert why.startswith(f"{path}:{line}:1: ")
        assert why.endswith("and it is not plain what is meant there")

    def test_what_only_looks_alike_is_no_name(self, model):
        """Parts of longer words, and names of what is renamed by nobody."""
        block = "<a>elbow2 myelbow elbow_collisions x_elbow_collision</a><linkName>base_link</linkName><b c='tool0'/>"
        (path,) = model(NAMED.replace("</robot>", f"<gazebo>{block}</gazebo></robot>"))
        result = fix(path, profile="industrial", unsafe=True, select="R199-301")
        assert result.unrepaired == ()
        assert block.encode() in result.after[path]

    def test_references_are_read_before_names_are_compared(self, model):
        text = NAMED.replace('"elbow"', '"el&amp;3"').replace('"hand"', '"ha&#110;d"')
        block = (
            "<gazebo><bodyName> el&#38;3 </bodyName><bodyName>&#104;and</bodyName><b x='el&amp;3'/></gazebo></robot>"
        )
        (path,) = model(text.replace("</robot>", block))
        result = fix(path, profile="industrial", unsafe=True, select="R199-301")
        assert result.unrepaired == ()
        followed = "<gazebo><bodyName> link_3 </bodyName><bodyName>link_6</bodyName><b x='link_3'/></gazebo></robot>"
        assert result.after[path].decode() == renamed(NAMED).replace("</robot>", followed)

    def test_a_word_that_is_a_link_and_a_joint_is_ambiguous(self, model):
        text = NAMED.replace('"elbow_joint"', '"elbow"')
        path, _, yaml = model(text, SRDF, "name: elbow\n")
        result = fix(path, profile="industrial", unsafe=True, also=[yaml])
        ((_, why),) = result.unrepaired
        assert f"{yaml}:1: 'elbow' is a link and a joint" in why
        assert fix(path, profile="industrial", unsafe=True).unrepaired == ()


class TestPrefixes:
    def test_joints_are_followed(self, model):
        text = GroupPrefixes.base.replace(GroupPrefixes.good, GroupPrefixes.bad)
        block = '<transmission name="t"><joint name="elbow"/><flexJoint name="elbow"/></transmission></robot>'
        path, _, yaml = model(text.replace("</robot>", block), SRDF, "claims: [elbow/position]\nelbow: 1\n")
        result = fix(path, profile="industrial", unsafe=True, also=[yaml], select="R199-701")
        assert {f.code for f in result.repaired} == {"R199-701"}
        write(result)
        assert path.read_text() == GroupPrefixes.base.replace("</robot>", block).replace(
            '"left_joint_3"', '"left_elbow"'
        ).replace('oint name="elbow"/>', 'oint name="left_elbow"/>')
        assert yaml.read_text() == "claims: [left_elbow/position]\nleft_elbow: 1\n"


def test_names_in_branches_that_are_not_taken_are_changed_too(tmp_path):
    """With other arguments the old name would lead nowhere."""
    branch = (
        '<xacro:arg name="camera" default="0"/><xacro:if value="$(arg camera)"><link name="camera"/>'
        '<joint name="c" type="fixed"><parent link="elbow"/><child link="camera"/></joint></xacro:if></robot>'
    )
    text = NAMED.replace("<robot ", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" ').replace("</robot>", branch)
    path = tmp_path / "arm.urdf.xacro"
    path.write_text(text)
    fixed = fix(path, profile="industrial", select="R199-301", unsafe=True)
    assert fixed.unrepaired == ()
    write(fixed)
    assert not {"elbow", "shoulder"} & kt.load(path, args={"camera": 1}).links.keys()
    assert check(path, profile="industrial", select="R199-301") == []


@pytest.mark.parametrize("block", ["<links>hand, elbow</links>", '<x link="arm::elbow"/>', "<x>elbow<y/></x>"])
def test_nor_is_what_holds_an_old_name_there(block, tmp_path):
    path = tmp_path / "arm.xacro"
    branch = f'<xacro:if value="0"><gazebo>{block}</gazebo></xacro:if></robot>'
    text = NAMED.replace("<robot ", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" ').replace("</robot>", branch)
    path.write_text(text)
    ((_, why),) = fix(path, profile="industrial", select="R199-301", unsafe=True).unrepaired
    assert "is in a part of which nothing is made with these arguments" in why
