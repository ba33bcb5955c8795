"""REP-120, the frames of humanoids: where each rule begins and ends."""

import kinetree as kt
from each import each
from kinetree.checker.check import check
from kinetree.rules.rep120 import HUMANOID, BaseLink, Footprint, Grippers, Hierarchy, Soles
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
            "the robot has no base_link; add it to the root body 'pelvis'",
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

    @each(
        "shape, height",
        [
            ('<box size="0.2 0.1 0.1"/>', 0.05),
            ('<sphere radius="0.05"/>', 0.05),
            ('<cylinder radius="0.02" length="0.1"/>', 0.05),
            ('<capsule radius="0.02" length="0.06"/>', 0.05),
        ],
    )
    def test_the_lowest_point_of_a_foot(self, shape, height):
        text = HUMANOID.replace('<box size="0.2 0.1 0.1"/>', shape)
        assert not found(Soles, text)
        findings = found(Soles, text.replace('xyz="0 0 -0.05"', f'xyz="0 0 {-height + 0.01}"'))
        assert [f.element for f in findings] == ["link 'l_sole'", "link 'r_sole'"]
        assert all("0.01 m below the XY plane" in f.message for f in findings)
        assert not found(Soles, text.replace('xyz="0 0 -0.05"', f'xyz="0 0 {-height + 0.004}"'))

    def test_a_sole_that_is_inclined_or_upside_down(self):
        for rpy, degrees in (("0.2 0 0", "11.5"), ("1.5707963267948966 0 0", "90"), ("3.141592653589793 0 0", "180")):
            turned = f'xyz="0 0 -0.05" rpy="{rpy}"'
            findings = found(Soles, HUMANOID, 'xyz="0 0 -0.05"', turned)
            assert len(findings) == 2
            said = f"its Z is {degrees} degrees off that of 'base_link'"
            assert all(said in finding.message for finding in findings)
            toe = '<link name="l_toe"/><joint name="l_toe" type="fixed"><origin xyz="0.1 0 0"/>'
            toe += '<parent link="l_sole"/><child link="l_toe"/></joint></robot>'
            with_toe = HUMANOID.replace("</robot>", toe)
            assert found(Soles, with_toe, 'xyz="0 0 -0.05"', turned) == findings  # the toe is in the sole's plane
            lifted = with_toe.replace('xyz="0.1 0 0"/><parent', 'xyz="0.1 0 0.02"/><parent')
            assert found(Soles, lifted)[0].element == "link 'l_toe'"

    def test_a_foot_of_a_mesh_is_not_known(self):
        box = '<collision><geometry><box size="0.2 0.1 0.1"/></geometry></collision>'
        mesh = '<collision><geometry><mesh filename="foot.stl"/></geometry></collision>'
        for foot in (mesh, box + mesh):
            assert not found(Soles, HUMANOID.replace(box, foot), 'xyz="0 0 -0.05"', 'xyz="0 0 5"')

    def test_fingers_along_y_of_the_gripper_either_way(self):
        assert not found(Grippers, HUMANOID.replace(Grippers.good, Grippers.good.replace("0 1 0", "0 -1 0")))
        turned = 'xyz="0.1 0 0" rpy="0 0 1.5707963267948966"'
        assert len(found(Grippers, HUMANOID, 'xyz="0.1 0 0"', turned)) == 0  # gripper and finger alike
        findings = found(
            Grippers,
            HUMANOID.replace('type="fixed">\n    <origin xyz="0.1 0 0"', f'type="fixed">\n    <origin {turned}'),
        )
        assert [f.element for f in findings] == ["link 'l_gripper'", "link 'r_gripper'"]
        assert "along 1 0 0 in" in findings[0].message
