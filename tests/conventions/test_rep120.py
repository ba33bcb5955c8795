"""REP-120, the frames of humanoids: where each rule begins and ends."""

import kinetree as kt
from kinetree.checker.check import check
from kinetree.rules.rep120 import HUMANOID, BaseLink, Footprint, Hierarchy
from support import ask


def found(rule, text, old="", new=""):
    """What a rule finds in a text, in which something is replaced."""
    assert old in text
    return ask(kt.load(text.replace(old, new) if old else text, format="urdf"), (rule,))


class TestRep120:
    def test_the_humanoid_is_beyond_reproach(self):  # nor has its reader anything to say
        assert check(kt.load(HUMANOID, format="urdf"), profile="humanoid") == []

    def test_a_body_that_floats_in_a_world_is_the_root_body(self):
        world = """<link name="world"/><joint name="float" type="floating"><parent link="world"/>
  <child link="pelvis"/></joint><link name="pelvis"/>"""
        assert not found(BaseLink, HUMANOID, '<link name="pelvis"/>', world)

    def test_base_link_missing_or_moving_and_a_waist_behind_a_joint(self):
        (missing,) = found(BaseLink, HUMANOID.replace("base_link", "hub"))
        assert (missing.severity, missing.message) == (
            "warning",
            "the robot has no base_link; add it to root body 'pelvis'",
        )
        (moving,) = found(BaseLink, HUMANOID, BaseLink.good, BaseLink.bad)
        assert moving.severity == "error"
        assert "the joint 'base_link_joint' moves base_link relative to the root body 'pelvis'" in moving.message
        (waist,) = found(BaseLink, HUMANOID.replace("torso", "waist_link"))
        assert (waist.severity, waist.element) == ("info", "link 'waist_link'")

    def test_a_footprint_that_moves_freely(self):
        moves = Footprint.bad.replace('type="fixed"', 'type="floating"')
        assert not found(Footprint, HUMANOID, Footprint.good, moves)

    def test_missing_frames_are_one_finding(self):
        (finding,) = found(Hierarchy, HUMANOID.replace('"gaze"', '"head"').replace("l_sole", "foot"))
        assert finding.message == "the robot has no frames l_sole, gaze"
        assert finding.element == "robot 'humanoid'"

    def test_frames_of_one_body_may_hang_either_way(self):
        text = HUMANOID.replace("l_gripper", "SWAP").replace("l_wrist", "l_gripper").replace("SWAP", "l_wrist")
        assert not found(Hierarchy, text)

    def test_behind_the_wrong_body(self):
        findings = found(Hierarchy, HUMANOID, '<parent link="l_wrist"/>', '<parent link="gaze"/>')
        assert [(f.element, f.message) for f in findings] == [
            ("link 'l_gripper'", "the frame is not carried by 'l_wrist'; attach it behind 'l_wrist'")
        ]

    def test_torso_is_the_last_body_before_arms_and_head_part(self):
        spine = """<link name="torso"/><joint name="spine" type="revolute"><parent link="pelvis"/><child link="torso"/>
  <axis xyz="0 0 1"/><limit lower="-1" upper="1" velocity="1" effort="1"/></joint>"""
        text = HUMANOID.replace('"torso"', '"chest"')
        hung = '<parent link="pelvis"/>\n    <child link="chest"/>'
        (finding,) = found(
            Hierarchy, text.replace("</robot>", f"{spine}</robot>"), hung, hung.replace("pelvis", "torso")
        )
        assert finding.message.startswith("the frame is on the body of 'torso'; expected 'chest', the last")
