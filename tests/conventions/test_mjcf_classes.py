"""Findings about values from classes of <default> in MJCF: at the class, once for all elements with the value."""

import pickle

import pytest

import kinetree as kt
from each import each
from kinetree.checker.check import check
from kinetree.errors import Source

BODIES = """<worldbody>
<body childclass="arm"><joint name="a"/><geom size="1"/>
<body><joint name="b"/><geom size="1"/>
<body><joint name="c" class="wrist"/><geom size="1"/>
<body><joint name="d" class="wrist" {own}/><geom size="1"/>
</body></body></body></body></worldbody>"""


def model(main="", arm="", wrist="", own=""):
    """Two joints of class arm and two of the class wrist in it, the last with attributes of its own."""
    nested = f'<default class="wrist">\n<joint {wrist}/></default>'
    classes = f'<default>\n<joint {main}/><default class="arm">\n<joint {arm}/>{nested}</default></default>'
    return f'<mujoco><compiler angle="radian"/>{classes}{BODIES.format(own=own)}</mujoco>'


def found(text, code):
    """Element, names in the message, line, and the text of the line from the column on, of each finding of a code."""
    lines = text.splitlines()
    findings = [finding for finding in check(text, format="mjcf") if finding.code == code]
    return [
        (f.element, f.message.partition(" (also ")[2], f.source.line, lines[f.source.line - 1][f.source.column - 1 :])
        for f in findings
    ]


NEGATIVE = 'damping="-1"'
EVERY = {
    "of all classes": (model(main=NEGATIVE), "joint 'a'", "'b', 'c', 'd')", 2),
    "of one that nests another": (model(arm=NEGATIVE), "joint 'a'", "'b', 'c', 'd')", 3),
    "of the nested one": (model(wrist=NEGATIVE), "joint 'c'", "'d')", 4),
    "over that of another": (model('damping="1"', wrist=NEGATIVE), "joint 'c'", "'d')", 4),
    "of the element": (model(own=NEGATIVE), "joint 'd'", "", 8),
    "of the element, over that of its class": (model(wrist='damping="1"', own=NEGATIVE), "joint 'd'", "", 8),
}


@each("case", EVERY)
def test_a_negative_damping_is_where_it_is_written(case):
    text, element, also, line = EVERY[case]
    [(about, names, place, at)] = found(text, "JNT-004")
    assert (about, names, place) == (element, also, line)
    assert at.startswith('<joint name="d"' if line == 8 else '-1"')


def test_classes_with_a_right_value_between_have_no_part_in_it():
    """Only those that keep the value of the outermost class are named."""
    [(about, names, line, _)] = found(model(NEGATIVE, wrist='damping="2"'), "JNT-004")
    assert (about, names, line) == ("joint 'a'", "'b')", 2)
    [first, second] = found(model(NEGATIVE, own='damping="-2"'), "JNT-004")
    assert first[:3] == ("joint 'a'", "'b', 'c')", 2)
    assert second[:3] == ("joint 'd'", "", 8)


ATTRIBUTES = {
    "JNT-002": ('axis="1 0 0.00001"', '1 0 0.00001"'),
    "JNT-003": ('range="-2000 2000"', '-2000 2000"'),
    "JNT-004": ('frictionloss="-3"', '-3"'),
    "LIM-003": ('range="1 2"', '1 2"'),
    "LIM-007": ('range="-1 1" actuatorfrcrange="-1e6 1e6"', '-1e6 1e6"'),
    "R103-002": ('range="-90 90"', '-90 90"'),
}


@each("code", ATTRIBUTES)
def test_a_rule_names_the_class(code):
    """A rule about a number of joints is at the class, and at the element once it has its own."""
    attributes, begins = ATTRIBUTES[code]
    [(about, names, line, at)] = found(model(wrist=attributes), code)
    assert (about, names, line) == ("joint 'c'", "'d')", 4)
    assert at.startswith(begins)
    [(about, names, line, _)] = found(model(own=attributes), code)
    assert (about, names, line) == ("joint 'd'", "", 8)


def test_many_turns_are_remarked_at_the_class():
    assert found(model(arm='range="-12.566370614359172 12.566370614359172"'), "JNT-003")[0][:3] == (
        *("joint 'a'", "'b', 'c', 'd')", 3),
    )


def test_a_slide_too_long_is_at_the_class():
    text = model(wrist='type="slide" range="0 900"').replace('size="1"', 'size="0.1"')
    assert [row[:3] for row in found(text, "R103-002")] == [("joint 'c'", "'d')", 4)]


GEOMS = """<mujoco><default><default class="big">
<geom {attributes}/></default></default><worldbody><body name="a"><joint/>
<geom class="big"/><geom class="big" pos="0 0 1"/></body></worldbody></mujoco>"""


def test_sizes_and_colours_of_geoms_are_at_the_class():
    """Both geoms belong to one link, so it is named once."""
    [(about, names, line, at)] = found(GEOMS.format(attributes='type="capsule" size="200 300"'), "GEO-003")[:1]
    assert (about, names, line, at[:4]) == ("link 'a'", "", 2, "200 ")
    [(about, names, line, at)] = found(GEOMS.format(attributes='size="1" rgba="2 0 0 1"'), "GEO-004")
    assert (about, names, line, at[:3]) == ("link 'a'", "", 2, "2 0")


def test_errors_of_the_reader_are_at_the_class():
    """Each element is in doubt, but the error is said once; the size of a geom without a name has no other name."""
    [(about, names, line, at)] = found(model(wrist='stiffness="much"'), "number")
    assert (about, names, line, at[:5]) == ("joint 'c'", "'d')", 4, 'much"')
    [(about, names, line, at)] = found(GEOMS.format(attributes='size="x"'), "number")
    assert (about, names, line, at[:2]) == ("<geom>", "", 2, 'x"')
    with pytest.raises(kt.KinetreeError) as caught:
        kt.load(model(wrist='stiffness="much"'), format="mjcf")
    assert [f.element for f in caught.value.findings] == ["joint 'c'", "joint 'd'"]
    assert {f.source.line for f in caught.value.findings} == {4}
    assert caught.value.findings[0].excerpt.startswith('<joint stiffness="much"/>')


def test_a_range_in_the_wrong_order_is_said_once():
    """The reader says it of the elements, so the rule about the text of the class is silent."""
    text = model(wrist='range="2 1"')
    assert [row[:3] for row in found(text, "range")] == [("joint 'c'", "'d')", 4)]
    assert found(text, "XML-015") == []
    unused = text.replace('class="wrist"/>', "/>").replace('class="wrist" />', "/>")
    assert found(unused, "range") == []
    assert [row[:3] for row in found(unused, "XML-015")] == [("<joint>", "", 4)]


def test_a_range_without_effect_is_where_it_is_switched_off():
    text = model(wrist='range="0 1"', own='limited="false"')
    [(about, _, line, at)] = found(text, "range")
    assert (about, line, at[:5]) == ("joint 'd'", 8, "false")


def test_classes_in_another_file(tmp_path):
    """A class that an included file has is there, for the reader and for rules."""
    text = model(wrist=f'{NEGATIVE} range="2 1"')
    classes = text[text.index("<default>") : text.index("<worldbody>")]
    (tmp_path / "classes.xml").write_text(f"<mujocoinclude>{classes}</mujocoinclude>")
    (tmp_path / "arm.xml").write_text(text.replace(classes, '<include file="classes.xml"/>'))
    by_code = {one.code: one for one in check(tmp_path / "arm.xml")}
    assert by_code["range"].source.file == str(tmp_path / "classes.xml")
    assert by_code["range"].excerpt.startswith('<joint damping="-1" range="2 1"/>')
    finding = by_code["JNT-004"]
    assert finding.source.file == str(tmp_path / "classes.xml")
    assert (finding.source.line, finding.element) == (4, "joint 'c'")
    assert "damping" in (tmp_path / "classes.xml").read_text().splitlines()[3][: finding.source.column]


def test_a_source_knows_the_places_of_inherited_attributes():
    """They are no part of its identity, and go through a pipe."""
    robot = kt.load(model(arm='damping="1" armature="2"', own='armature="3"'), format="mjcf")
    source = robot.joints["d"].source
    assert source.line == source.of("armature").line == source.of("range").line == 8
    assert source.of("damping") == Source("<text>", 3, 17)
    assert source == Source("<text>", source.line, source.column)
    assert hash(source) == hash(Source("<text>", source.line, source.column))
    assert pickle.loads(pickle.dumps(source)).of("damping") == source.of("damping")
    assert robot.links["body_1"].source.inherited is None
    nested = kt.load(model(arm='damping="1"', wrist='range="-1 1"'), format="mjcf").joints
    assert nested["c"].source.of("range").line == 4
    assert nested["a"].source.of("range") == nested["a"].source
    plain = kt.load(model(), format="mjcf").joints["a"].source
    assert plain.inherited is None
