"""What tinyxml2 reads though XML forbids it: the robot is the same, and the place of each warning is exact."""

import re

import pytest

import kinetree as kt
from each import each
from kinetree.errors import Source
from kinetree.model.assemble import build, parts_of
from kinetree.syntax.xml.lenient import MAX_MARKUP, Places, changes_of, well_formed
from kinetree.syntax.xml.reader import Report, parse

PROPER = """<?xml version="1.0"?>
<robot name="arm">
  <!-- é ok -->
  <link name="base"><custom a="1"/></link>
  <link name="tool"/>
  <joint name="turn" type="continuous">
    <parent link="base"/><child link="tool"/><origin xyz="1 2 3" rpy="0 0 1"/><axis xyz="0 0 1"/>
  </joint>
</robot>
"""
CASES = {  # name: (what is replaced, what it becomes, the line and column of the warning, underlined)
    "dashes": ("<!-- é ok -->", "<!-- é -- ok --->", (3, 7), "é"),
    "blank line": ("<?xml", "\n <?xml", (1, 1), ""),
    "text before": ("<?xml", "so\n<?xml", (1, 1), "so"),
    "no version": (' version="1.0"', ' encoding="utf-8"', (1, 1), "<?xml"),
    "second end": ("</robot>", "</robot>\n </robot>", (10, 2), "</robot>"),
    "second root": ("</robot>", "</robot>\n<robot name='b'><link/></robot>", (10, 1), "<robot name='b'>"),
    "text behind": ("</robot>", "</robot> more", (9, 10), "m"),
    "ampersand": ('a="1"', 'a="é & b"', (4, 34), "&"),
    "less": ('a="1"', 'a="1 < 2"', (4, 34), "<"),
    "no blank": ('name="turn" type', 'name="turn"type', (6, 21), "t"),
    "brackets": ("<custom", "]]><custom", (4, 21), "]]>"),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_the_robot_is_the_same_and_the_place_exact(case, tmp_path):
    old, new, place, underlined = CASES[case]
    text = PROPER.replace(old, new)
    assert text != PROPER
    (tmp_path / "arm.urdf").write_text(text)
    robot = kt.load(tmp_path / "arm.urdf")
    (note,) = (n for n in robot.notes if n.code == "xml-lenient")
    assert (note.severity, note.source.line, note.source.column) == ("warning", *place)
    assert underlined in note.excerpt
    proper = kt.load(PROPER, format="urdf")
    assert (kt.fk(robot, "tool")([0.3]) == kt.fk(proper, "tool")([0.3])).all()
    assert robot.text.text == text
    assert robot.links["tool"].source.line == proper.links["tool"].source.line + new.count("\n") * (place[0] < 4)
    assert kt.text(robot, "urdf") == text
    again = kt.load(kt.text(build(parts_of(robot)), "urdf"), format="urdf")  # what is written anew is well-formed
    assert [n for n in again.notes if n.code == "xml-lenient"] == []


def test_xacro_is_strict_as_python_is():
    text = PROPER.replace("<!-- é ok -->", "<!-- é -- ok -->")
    with pytest.raises(kt.KinetreeError, match="xml-syntax"):
        kt.load(text, format="xacro")


def test_entities_and_document_types_are_refused():
    for text in (PROPER.replace('a="1"', 'a="&xxe;"'), "<!-- -- --><!DOCTYPE robot>" + PROPER):
        with pytest.raises(kt.KinetreeError, match="xml-"):
            kt.load(text, format="urdf")


def test_the_error_behind_a_change_has_its_place():
    text = PROPER.replace("<!-- é ok -->", "<!-- é -- ok -->").replace('a="1"', 'a="& &"').replace("</joint>", "</jo>")
    with pytest.raises(kt.KinetreeError) as caught:
        kt.load(text, format="urdf")
    (finding,) = caught.value.findings
    assert (finding.code, finding.source.line, finding.source.column) == ("xml-syntax", 8, 5)


def test_places_go_back():
    data = b'<a x="1&2"y="<"><!-- -- -->]]></a>'
    changes = changes_of(data)
    made = well_formed(data, changes)
    places = Places(changes)
    for mark in (b"2", b"y", b"<!--", b"</a>", b"<a"):
        assert places(made.index(mark)) == data.index(mark)
    assert changes_of(made) == []


@pytest.mark.slow
def test_time_is_in_proportion_and_memory_bounded():
    for text in (b"<!-- -", b"<a x='", b"&", b"<a>", b"]]>", b"<!-- -- -->", b"<![CDATA["):
        assert len(changes_of(b"<r>" + text * 1_000_000)) <= MAX_MARKUP


def test_an_element_that_is_kept_is_well_formed():
    root = parse('<a><b x="1"y="2 & 3"/><!-- -- --></a>', "f", Report())
    assert root.children[0].raw == '<b x="1" y="2 &amp; 3"/>'
    assert parse(root.raw, "f", Report(), strict=True) is not None
    assert re.fullmatch(r'<a><b x="1" y="2 &amp; 3"/><!-- +--></a>', root.raw)


@each("text", ["<a>\n<b/>\n</a>", "<a>é\n<b c='é€'/>ü\n</a>", "<a>" + "é" * 3000 + "</a>"])
def test_a_place_is_that_of_its_byte_and_the_other_way_round(text):
    """Up to the end of the text, and where characters have several bytes."""
    document = parse(text.encode(), "a.xml", Report()).document
    lines = text.split("\n")
    for line, content in enumerate(lines, 1):
        for column in sorted({1, 2, len(content), len(content) + 1}):
            before = "\n".join([*lines[: line - 1], content[: column - 1]])
            assert document.byte(Source("a.xml", line, column)) == len(before.encode())
