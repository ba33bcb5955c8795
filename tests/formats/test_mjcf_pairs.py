"""Pairs of bodies that an <exclude> of MJCF names, as data of the robot and back."""

from dataclasses import replace

import kinetree as kt
from kinetree.model.semantic import CollisionPair, Semantic, UncheckedLink

BODIES = "".join(f"<body name='{name}'><freejoint/><geom size='.1'/></body>" for name in "abc")
CONTACT = "<contact><exclude name='x' body1='a' body2='b'/><exclude body1='c' body2='b'/></contact>"


def load(contact=CONTACT):
    return kt.load(f"<mujoco model='m'><worldbody>{BODIES}</worldbody>{contact}</mujoco>", format="mjcf")


def pairs(robot):
    return [(one.link1, one.link2) for one in robot.semantic.disabled_collisions] if robot.semantic else []


def excluded(robot, without=()):
    text = kt.text(robot, "mjcf", without=without)
    return [line.strip() for line in text.splitlines() if "<exclude" in line]


def test_pairs_are_read_and_written_once_and_follow_the_names_of_links():
    robot = kt.edit.rename(load(), links={"b": "B"})
    assert pairs(robot) == [("a", "B"), ("c", "B")]
    assert excluded(robot) == ['<exclude name="x" body1="a" body2="B"/>', '<exclude body1="c" body2="B"/>']
    assert pairs(kt.load(kt.text(robot, "mjcf"), format="mjcf")) == pairs(robot)
    assert 'link1="a" link2="B" reason="Exclude"' in kt.text(robot, "srdf")
    assert excluded(kt.edit.remove(robot, "c"), ("extension",)) == ['<exclude body1="a" body2="B"/>']
    assert load("").semantic is None
    assert load("<contact><exclude body1='a' body2='z'/></contact>").semantic is None  # MuJoCo refuses it


def test_two_sections_count_together():
    twice = load("<contact><exclude body1='a' body2='b'/></contact><contact><exclude body1='a' body2='c'/></contact>")
    assert pairs(twice) == [("a", "b"), ("a", "c")]


def test_what_a_description_disables_is_excluded_and_nothing_else():
    robot = kt.edit.rename(load(), links={"b": "B"})
    enabled = replace(robot.semantic, enabled_collisions=(CollisionPair("B", "a"),))
    assert excluded(replace(robot, semantic=enabled)) == ['<exclude body1="c" body2="B"/>']
    fewer = replace(robot.semantic, disabled_collisions=(CollisionPair("a", "c", "Never", "seen -- often"),))
    assert excluded(replace(robot, semantic=fewer)) == ['<exclude body1="a" body2="c"/> <!-- Never: seen - - often -->']
    unchecked = Semantic("m", unchecked_links=(UncheckedLink("a"),), disabled_collisions=(CollisionPair("B", "z"),))
    assert excluded(replace(robot, semantic=unchecked)) == [
        '<exclude name="x" body1="a" body2="B"/>',
        '<exclude body1="a" body2="c"/>',
    ]
    assert excluded(replace(robot, semantic=None)) == excluded(robot)  # as they stand in the file


def test_rules_about_srdf_are_not_about_an_mjcf(tmp_path):
    (tmp_path / "m.xml").write_text(kt.text(load(), "mjcf"))
    assert not [one for one in kt.check(tmp_path / "m.xml") if one.code.startswith("SRD")]


def test_an_srdf_adds_to_the_pairs_of_an_mjcf(tmp_path):
    srdf = "<robot name='m'><disable_collisions link1='a' link2='c' reason='Never'/></robot>"
    text = f"<mujoco model='m'><worldbody>{BODIES}</worldbody>{CONTACT}</mujoco>"
    robot = kt.load(text, format="mjcf", srdf=srdf)
    assert pairs(robot) == [("a", "c"), ("a", "b"), ("c", "b")]
    assert excluded(robot)[-1] == '<exclude body1="a" body2="c"/> <!-- Never -->'
    assert not kt.save(robot, tmp_path / "m.xml", format="mjcf")  # no remark: the pairs are written
    state = srdf.replace("<disable", "<group_state name='up' group='g'/><disable")
    (note,) = kt.save(kt.load(text, format="mjcf", srdf=state), tmp_path / "m.xml", format="mjcf")
    assert note.message.startswith(
        "what an SRDF says of it, besides postures of all joints and pairs of links without contact, is not written"
    )
