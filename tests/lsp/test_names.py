"""Tags and names of texts, whole and broken."""

from collections import OrderedDict

import pytest

from each import each
from kinetree.lsp import model
from kinetree.lsp.names import fits, name_at, names_in
from kinetree.lsp.scan import outline, scan
from kinetree.lsp.text import Text
from kinetree.syntax.xml.reader import Report, parse
from support import soon

XACRO = """<robot xmlns:xacro="http://ros.org/wiki/xacro" name="r">
  <xacro:include filename="$(find arm_description)/urdf/arm.xacro"/>
  <xacro:arg name="side" default="left"/>
  <xacro:property name="size" value="0.1"/>
  <xacro:macro name="finger" params="prefix size:=1 *origin">
    <link name="${prefix}tip"/>
    <joint name="${prefix}bend" type="revolute">
      <parent link="${parent}"/> <child link="${prefix}tip"/>
      <axis xyz="${size} 0 '${size}'"/>
    </joint>
  </xacro:macro>
  <xacro:finger prefix="$(arg side)_" size="${2 * size}"><origin/></xacro:finger>
</robot>"""


def named(text, file="r.xacro"):
    return names_in(scan(Text(text), file))


def test_tags_are_those_of_the_parser():
    tags = scan(Text(XACRO), "r.xacro").tags
    elements = list(parse(XACRO, "r.xacro", Report()).walk())
    data = XACRO.encode()
    assert [tag.name for tag in tags] == [e.tag for e in elements]
    assert [(t.start, t.stop, t.end) for t in tags] == [(e.start, e.tag_stop, e.stop) for e in elements]
    assert [{a.name: a.value for a in t.attributes} for t in tags] == [e.attributes for e in elements]
    assert data.isascii()


@each("cut", range(0, len(XACRO), 29))
def test_a_text_that_is_being_typed_keeps_the_tags_before_the_place(cut):
    whole = scan(Text(XACRO), "r.xacro").tags
    part = scan(Text(XACRO[:cut]), "r.xacro").tags
    before = [tag for tag in whole if tag.stop <= cut]
    assert [(t.name, t.start, t.stop) for t in part[: len(before)]] == [(t.name, t.start, t.stop) for t in before]


def test_elements_that_are_open_at_the_end_hold_the_place_there():
    """What is typed there is typed in them; `at` gives the innermost, `above` those around it."""
    for text, open_there in (
        ("<a><b>", "ba"),
        ("<a><b><c/>", "ba"),
        ("<a><b></b>", "a"),
        ("<a><b></b> ", "a"),
        ("<a/>", ""),
        ("<a></a>", ""),
        ("<a><b></a>", ""),
        ("<a><b><c></b>", "a"),
        ("<a><b> text", "ba"),
    ):
        found = scan(Text(text), "r.urdf")
        number = found.at(len(text))
        names = [found.tags[number], *found.above(number)] if number >= 0 else []
        assert "".join(tag.name for tag in names) == open_there, text
        assert found.tags[0].end == len(text) + (found.tags[0] in names) - (text[-1] == " " and not names), text


def test_an_open_quote_ends_with_its_line():
    tags = scan(Text('<robot>\n<link name="a>\n<link name="b"/>\n</robot>'), "r.urdf").tags
    assert [tag.name for tag in tags] == ["robot", "link", "link"]
    assert tags[2].get("name") == "b"


@pytest.mark.parametrize("flood", ["<", '<a b="', "<!--", "</a>", "<a>", '<a b="c" ', "${", "<a b='${" + "(" * 20])
@pytest.mark.slow
def test_time_is_proportional_to_the_text(flood):
    soon(2, lambda: named("<robot>" + flood * (40_000 // len(flood))))


def test_names_of_xacro_have_scopes():
    found = {(next(iter(n.kinds)), n.text, n.scope, n.defines) for n in named(XACRO)}
    assert {
        ("property", "size", "", True),
        ("property", "size", "finger", True),
        ("property", "size", "finger", False),
        ("property", "size", "", False),
        ("property", "prefix", "finger", True),
        ("property", "parent", "", False),
        ("macro", "finger", "", True),
        ("macro", "finger", "", False),
        ("arg", "side", "", True),
        ("arg", "side", "", False),
        ("package", "arm_description", "", False),
    } <= found


def test_every_name_stands_where_it_says():
    for name in named(XACRO):
        assert XACRO[name.start : name.stop] == name.text


def test_the_name_at_a_place_is_the_innermost():
    names = named(XACRO)
    assert name_at(names, XACRO.index("prefix}tip") + 2).text == "prefix"
    assert name_at(names, XACRO.index("}tip") + 2).text == "${prefix}tip"
    assert name_at(names, XACRO.index("<joint")) is None


@each(
    "file, text, links, joints",
    [
        ("a.urdf", '<robot><link name="a"/><gazebo reference="a"/><mimic joint="j"/></robot>', 2, 2),
        ("a.urdf", '<robot><transmission><joint name="j"/></transmission></robot>', 0, 1),
        ("a.srdf", '<robot><group name="g"><chain base_link="a" tip_link="b"/></group></robot>', 2, 0),
        (
            "a.sdf",
            '<sdf><model name="m"><link name="a"/><joint name="j"><parent>a</parent></joint></model></sdf>',
            2,
            2,
        ),
    ],
)
def test_references_are_those_of_the_table(file, text, links, joints):
    names = named(text, file)
    assert sum("frames" in name.kinds for name in names) == links
    assert sum("joints" in name.kinds for name in names) == joints


def test_an_empty_element_has_no_name():
    for text in ("<uri></uri>", "<uri/>", "<uri> \n </uri>", "<uri><a/></uri>", "<parent></parent>", "<child/>"):
        inside = text if "uri" in text else f'<joint name="j" type="fixed">{text}</joint>'
        names = named(f'<sdf><model name="m">{inside}</model></sdf>', "a.sdf")
        assert [name.text for name in names if name.text not in ("m", "j")] == [], text
    (uri,) = [name for name in named("<sdf><uri> a.dae </uri></sdf>", "a.sdf") if name.kinds == {"file"}]
    assert (uri.text, uri.start, uri.stop) == ("a.dae", 11, 16)


def test_mjcf_has_name_spaces_of_its_own():
    names = named(
        '<mujoco><body name="a"><geom name="a"/></body><actuator><motor joint="j"/></actuator></mujoco>', "a.xml"
    )
    assert [(sorted(n.kinds), n.text) for n in names] == [(["body"], "a"), (["geom"], "a"), (["joint"], "j")]


def test_an_outline_nests_as_the_text_does():
    (robot,) = outline(scan(Text(XACRO), "r.xacro"))
    assert [(s.kind, s.name) for s in robot.children] == [
        ("include", "$(find arm_description)/urdf/arm.xacro"),
        ("arg", "side"),
        ("property", "size"),
        ("macro", "finger"),
        ("call", "<xacro:finger>"),
    ]
    macro = robot.children[3]
    assert macro.detail == "prefix size:=1 *origin"
    assert [(s.kind, s.detail) for s in macro.children] == [
        ("link", ""),
        ("joint", "revolute: ${parent} → ${prefix}tip"),
    ]


def test_a_broken_text_has_an_outline():
    (robot,) = outline(scan(Text(XACRO[: XACRO.index("<axis")]), "r.xacro"))
    assert [s.kind for s in robot.children[-1].children] == ["link", "joint"]


def test_defaults_of_parameters_are_worked_out_outside_of_the_macro():
    text = (
        '<robot><xacro:property name="x"/><xacro:macro name="m" params="x:=${x} y"><a b="${x}"/></xacro:macro></robot>'
    )
    assert [n.scope for n in named(text) if n.text == "x"] == ["", "m", "", "m"]


def test_the_end_of_a_call_and_its_blocks_have_names():
    text = '<xacro:m><a/></xacro:m ><xacro:m/><xacro:macro name="m" params="*b">'
    text += '<xacro:insert_block name="b"/></xacro:macro>'
    names = named(f"<robot>{text}</robot>")
    assert [n.text for n in names].count("m") == 4
    assert [(n.scope, n.defines) for n in names if n.text == "b"] == [("m", True), ("m", False)]
    assert all(f"<robot>{text}"[n.start : n.stop] == n.text for n in names)


def test_names_of_an_sdf_belong_to_their_model():
    text = '<sdf><model name="a"><link name="l"/><model name="b"><link name="l"/></model></model></sdf>'
    assert [n.scope for n in named(text, "a.sdf") if n.text == "l"] == ["a", "a::b"]


@each(
    "text, name, fitting",
    [
        ("left_tip", "${p}tip", True),
        ("left_tips", "${p}tip", False),
        ("a", "a", True),
        ("ab", "a", False),
        ("aa", "a${p}aa", False),
        ("a_b_c", "a${p}_b$(arg x)c", True),
        ("a_c_b", "a${p}_b$(arg x)c", False),
        ("a" * 2000, "${p}a" * 300 + "b", False),
    ],
)
def test_a_name_with_expressions_fits_in_little_time(text, name, fitting):
    assert fits(text, name) is fitting


def test_numbers_are_names_only_where_a_name_must_stand():
    text = '<robot><link name="1"/><parent link="1"/><odd a="1" b="0 0 ${x}" c="${x}" d="1 e" e="-.5e3 2"/></robot>'
    found = [(name.text, name.start) for name in names_in(scan(Text(text), "a.urdf")) if "frames" in name.kinds]
    assert found == [("1", 19), ("1", 37), ("${x}", text.index('"${x}') + 1), ("1 e", text.index("1 e"))]


def test_of_many_files_the_latest_are_kept(monkeypatch):
    """Each once, with its latest content; those that are asked for again are late."""
    monkeypatch.setattr(model, "_files", OrderedDict())
    first = model._file_of("0", b"<a/>", "utf-8")
    for i in range(1, model.MOST_FILES):
        model._file_of(f"{i}", b"<a/>", "utf-8")
    assert model._file_of("0", b"<a/>", "utf-8") is first
    last = model._file_of("new", b"<a/>", "utf-8")
    assert [*model._files] == [*(f"{i}" for i in range(2, model.MOST_FILES)), "0", "new"]
    for content, encoding in ((b"<b/>", "utf-8"), (b"<a/>", "utf-16")):
        again = model._file_of("new", content, encoding)
        assert again is not last
        assert (again.content, again.encoding) == (content, encoding)
    assert len(model._files) == model.MOST_FILES
    assert [name.text for name in model.File("r.urdf", b'<robot><link name="a"/></robot>', "utf-8").names] == ["a"]
