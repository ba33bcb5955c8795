"""Elements of other tools keep the name spaces of their prefixes, wherever these are declared."""

from xml.etree import ElementTree

import pytest

import kinetree as kt
from kinetree.model.assemble import build, parts_of
from kinetree.syntax.xml.reader import Report, parse


def tags(text: str) -> list[str]:
    """Return the tags with their name spaces, {uri}tag."""
    return [element.tag for element in ElementTree.fromstring(text).iter()]


def edited(text: str, format: str, to: str = "") -> str:
    return kt.text(build(parts_of(kt.load(text, format=format))), to or format)


SDF = """<sdf version="1.9"{root}><model name="m"{model}><link name="a"{link}><inertial><mass>1</mass></inertial>
  <in:y v="1"/></link><in:z/></model></sdf>"""


@pytest.mark.parametrize("place", ["root", "model"])
def test_a_declaration_above_the_element(place):
    where = dict.fromkeys(("root", "model", "link"), "") | {place: ' xmlns:in="u&amp;1"'}
    found = tags(edited(SDF.format(**where), "sdf"))
    assert {"{u&1}y", "{u&1}z"} <= {*found}


def test_the_nearest_declaration_counts():
    text = SDF.format(root=' xmlns:in="a"', model=' xmlns:in="b" xmlns:no="x"', link=' xmlns:in="c"')
    again = edited(text, "sdf")
    assert {"{c}y", "{b}z"} <= {*tags(again)}
    assert "xmlns:no" not in again


def test_an_element_with_its_own_declaration_stays_as_it_is():
    own = '<in:y xmlns:in="own" in:v="1"/>'
    text = SDF.format(root="", model=' xmlns:in="m"', link="").replace('<in:y v="1"/>', own)
    assert own in edited(text, "sdf")


def test_a_declaration_beside_the_element_has_no_effect_on_it():
    text = """<robot name="r" xmlns:k="u"><link name="a" xmlns:k="v"><k:p/></link><link name="b"><k:q/></link>
      <link name="c" xmlns:k="w"/><joint name="i" type="fixed" xmlns:k="x"><parent link="a"/><child link="b"/></joint>
      <joint name="j" type="fixed"><parent link="a"/><child link="c"/></joint><gazebo><k:s/></gazebo></robot>"""
    assert {"{v}p", "{u}q", "{u}s"} <= {*tags(edited(text, "urdf"))}


def test_includes_declare_for_themselves(tmp_path):
    inner = '<sdf version="1.9" xmlns:in="b"><model name="i"><link name="l"><in:y/></link><in:z/></model></sdf>'
    (tmp_path / "i.sdf").write_text(inner)
    joint = '<joint name="j" type="fixed"><parent>a</parent><child>i::l</child></joint>'
    include = "<link name='a'/><in:x/><include><uri>i.sdf</uri><name>i</name></include>"
    text = f'<sdf version="1.9" xmlns:in="a"><model name="m">{include}{joint}</model></sdf>'
    (tmp_path / "m.sdf").write_text(text)
    found = tags(kt.text(build(parts_of(kt.load(tmp_path / "m.sdf"))), "sdf"))
    assert {"{a}x", "{b}y", "{b}z"} <= {*found}


URDF = """<robot name="r" xmlns:k="{}" xmlns:{}="n"><link name="a"/><link name="b"><k:q/></link>
  <joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint><gazebo><k:s/></gazebo></robot>"""


def test_two_robots_that_mean_different_things_by_one_prefix():
    one, other = (kt.load(URDF.format(uri, more), format="urdf") for uri, more in (("u1", "m"), ("u2", "n")))
    text = kt.text(kt.edit.attach(one, other, "b", prefix="p_"), "urdf")
    found = tags(text)
    assert {"{u1}q", "{u2}q", "{u1}s", "{u2}s"} <= {*found}
    assert text.count("xmlns:k=") == 3
    assert text.count('xmlns:n="n"') == 1
    same = kt.text(kt.edit.attach(one, one, "b", prefix="p_"), "urdf")
    assert same.count("xmlns:k=") == 1


def test_declarations_are_carried_for_elements_of_links():
    plain = URDF.replace("<gazebo><k:s/></gazebo>", "").format("u1", "m")
    sdf = edited(plain, "urdf", "sdf")
    assert "{u1}q" in tags(edited(sdf, "sdf", "urdf"))
    assert "xmlns:m" not in sdf


def test_the_semantic_description_keeps_its_name_spaces(tmp_path):
    (tmp_path / "r.urdf").write_text(URDF.format("u1", "m"))
    (tmp_path / "r.srdf").write_text(
        '<robot name="r" xmlns:s="v"><s:x/><group name="g"><joint name="j"/></group></robot>'
    )
    robot = kt.load(tmp_path / "r.urdf", srdf=tmp_path / "r.srdf")
    assert [extension.text for extension in robot.semantic.extensions] == ['<s:x xmlns:s="v"/>']


def test_many_declarations_take_no_longer_than_their_number():
    many = "".join(f'<link name="l{i}" xmlns:k="u{i}"><k:q/></link>' for i in range(300))
    root = parse(f"<robot>{many}</robot>", "", Report())
    assert [link.children[0].kept for link in root.children] == [f'<k:q xmlns:k="u{i}"/>' for i in range(300)]
