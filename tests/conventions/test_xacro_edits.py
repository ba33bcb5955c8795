"""Where edits of an expanded text are made in xacro files, and why others are not made."""

from pathlib import Path
from types import MappingProxyType

import kinetree as kt
from each import each
from kinetree.fixer import xacro_edits
from kinetree.fixer.xacro_edits import in_source_files
from kinetree.repairs.edit import New, Repair, insert_after, insert_inside, on_disk, set_attribute
from kinetree.rules.facts import Subject
from kinetree.rules.options import CheckOptions

ROBOT = """<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="at" default="tool0"/>
  <xacro:property name="where" value="tool0"/>
  <link name="world"/><link name="tool0"/><link name="flange"/>
  <joint name="t" type="fixed"><origin xyz="0 0 0" rpy="0 0 0"/><parent link="world"/><child link="tool0"/></joint>
  <joint name="f" type="fixed"><parent link="world"/><child link="flange"/></joint>
"""
HAND = """  <xacro:macro name="hand" params="{params}">
    <link name="{link}"/>
    <joint name="{link}_joint" type="fixed">
      <origin xyz="0 0 0" rpy="{rpy}"/><parent link="{parent}"/><child link="{link}"/>
    </joint>
  </xacro:macro>
"""


def hand(calls, params="name parent", link="${name}", parent="${parent}", rpy="0 0 0"):
    """A robot with a macro of a link on another, and calls of it."""
    return ROBOT + HAND.format(params=params, link=link, parent=parent, rpy=rpy) + f"  {calls}\n</robot>\n"


def edited(path, repairs, only=None):
    """The contents after repairs, which a function makes of the expanded elements, and why others are refused."""
    robot = kt.load(path)
    elements = Subject(robot, CheckOptions()).facts(lambda elements: None)["elements"]
    names = robot.text.files
    contents = {Path(name).resolve(): Path(name).read_bytes() for name in names}
    made = [Repair(str(i), tuple(edits), "", renamed) for i, (edits, renamed) in enumerate(repairs(elements))]
    kept, refused = in_source_files(made, elements.root, contents, only, names)
    edits = [edit for repair in kept for edit in repair.edits]
    for file in {Path(edit.file).resolve() for edit in edits}:
        contents[file] = on_disk(contents[file], [one for one in edits if Path(one.file).resolve() == file])
    return {file.name: content.decode() for file, content in contents.items()}, refused


def hangs(*joints, on="flange", renamed=MappingProxyType({})):
    """Repairs that hang joints on another link, together."""
    return lambda elements: [([set_attribute(elements.joints[j].find("parent"), "link", on) for j in joints], renamed)]


RENAMED = {("link", "tool0"): "flange"}
CALL = '<xacro:hand name="a" parent="tool0"/>'


@each(
    "text, old, new, renamed",
    [
        # in the call, the default, a property or an argument, through as many calls as there are
        (hand(CALL), 'parent="tool0"/>', 'parent="flange"/>', {}),
        (hand('<xacro:hand name="a"/>', "name parent:=tool0"), "parent:=tool0", "parent:=flange", {}),
        (hand('<xacro:hand name="a" parent="${where}"/>'), 'value="tool0"', 'value="flange"', {}),
        (hand('<xacro:hand name="a" parent="$(arg at)"/>'), 'default="tool0"', 'default="flange"', {}),
        (hand('<xacro:hand name="a"/>', "name", parent="${where}"), 'value="tool0"', 'value="flange"', {}),
        (hand('<xacro:hand name="a"/>', "name", parent="$(arg at)"), 'default="tool0"', 'default="flange"', {}),
        (
            hand('<xacro:hand name="a" pre="" parent="tool0"/>', "name pre parent", parent="${pre}${parent}"),
            'parent="tool0"/>',
            'parent="flange"/>',
            {},
        ),
        (hand('<xacro:hand name="a" pre=""/>', "name pre", parent="${pre}tool0"), "${pre}tool0", "${pre}flange", {}),
        (
            hand('<xacro:hand name="a" parent="tool0"/>', "name parent:=tool0"),
            'parent="tool0"/>',
            'parent="flange"/>',
            {},
        ),
        (
            hand(
                '<xacro:macro name="two" params="on"><xacro:hand name="a" parent="${on}"/></xacro:macro>'
                '<xacro:two on="tool0"/>'
            ),
            'on="tool0"',
            'on="flange"',
            {},
        ),
        (
            hand("", "name", "${name}", "tool0").replace("  \n</robot>", '<xacro:hand name="a"/></robot>'),
            'link="tool0"/><child link="${',
            'link="flange"/><child link="${',
            {},
        ),
    ],
)
def test_a_name_is_edited_where_it_gets_its_value(text, old, new, renamed, tmp_path):
    path = tmp_path / "r.xacro"
    path.write_text(text)
    after, refused = edited(path, hangs("a_joint", renamed=renamed))
    assert refused == {}
    assert text.count(old) == 1
    assert after == {"r.xacro": text.replace(old, new)}
    path.write_text(after["r.xacro"])
    assert kt.load(path).joints["a_joint"].parent == "flange"


COMPUTED = "is computed there, and no single value can be changed; edit it by hand"
TWICE = '<xacro:hand name="a" parent="tool0"/><xacro:hand name="b" parent="tool0"/>'


def test_all_elements_of_one_place_need_the_same_edit(tmp_path):
    path = tmp_path / "r.xacro"
    fixed = hand('<xacro:hand name="a"/><xacro:hand name="b"/>', "name", parent="tool0")
    path.write_text(fixed)
    why = f"{path}:10:40 is not changed: not all 2 elements that are made of it need the same change"
    same = fixed.replace('link="tool0"/><child link="${', 'link="flange"/><child link="${')
    assert edited(path, hangs("a_joint", "b_joint")) == ({"r.xacro": same}, {})
    assert edited(path, hangs("a_joint")) == ({"r.xacro": fixed}, {"0": why})
    both = lambda elements: [*hangs("a_joint")(elements), *hangs("b_joint", on="world")(elements)]  # noqa: E731
    assert edited(path, both) == ({"r.xacro": fixed}, {"0": why, "1": why})
    path.write_text(hand(TWICE))  # at the calls each is its own
    two = hand(TWICE.replace("tool0", "flange"))
    assert edited(path, hangs("a_joint", "b_joint")) == ({"r.xacro": two}, {})


@each(
    "text, repairs, why",
    [
        (
            hand('<xacro:hand name="a" parent="tool0"/>', parent="${parent[:4]}0"),
            hangs("a_joint"),
            "10:40 is not changed: link='${parent[:4]}0' {computed}",
        ),
        (
            hand('<xacro:hand name="a" parent="${where[:5]}"/>'),
            hangs("a_joint"),
            "10:40 is not changed: link='${parent}' {computed}",
        ),
        (
            hand(CALL, rpy="${1 + 0.5} 0 0"),
            lambda elements: [([set_attribute(elements.joints["a_joint"].find("origin"), "rpy", "1 0 0")], {})],
            None,
        ),
        (
            hand(CALL, rpy="${offset} 0 0").replace(
                '<link name="world', '<xacro:property name="offset" value="1"/><link name="world'
            ),
            lambda elements: [([set_attribute(elements.joints["a_joint"].find("origin"), "rpy", "1 0 0")], {})],
            "10:7 is not changed: rpy='${offset} 0 0' {computed}",
        ),
        (
            hand(
                '<xacro:if value="1"><link name="on"/><joint name="o" type="fixed"><parent link="world"/>'
                '<child link="on"/></joint></xacro:if>'
            ).replace('world"/><child link="fl', 'tool0"/><child link="fl'),
            hangs("f", on="on"),
            "6:32 is not changed: 'on' is made in the <xacro:if> at {}:13:3 alone, and may not be there",
        ),
        (
            hand(CALL),
            lambda elements: [([insert_after(elements.links["a"], "<odd/>")], {})],
            "a change of this kind is not made in xacro files; edit them by hand",
        ),
    ],
)
def test_what_is_not_changed_has_a_reason(text, repairs, why, tmp_path):
    path = tmp_path / "r.xacro"
    path.write_text(text)
    after, refused = edited(path, repairs)
    if why is None:
        assert (after["r.xacro"], refused) == (text.replace("${1 + 0.5} 0 0", "1 0 0"), {})
    else:
        where = f"{path}:" if why[0].isdigit() else ""
        assert (after["r.xacro"], refused) == (
            text,
            {"0": where + why.replace("{}", str(path)).replace("{computed}", COMPUTED)},
        )


def test_new_elements_are_named_as_that_beside_them(tmp_path):
    """With the prefix of the macro, fractions of pi as the file has them, and once for all calls."""
    path = tmp_path / "r.xacro"
    text = hand(TWICE, link="${name}_x", rpy="${pi/2} 0 0")
    path.write_text(text)

    def add(elements, names=("a", "b"), rpy="0 1.5707963267948966 -1.5707963267948966"):
        for name in names:
            parts = (
                New("origin", {"xyz": "0 0 1", "rpy": rpy}),
                New("parent", {"link": f"{name}_x"}),
                New("child", {"link": f"{name}_tip"}),
            )
            new = (
                New("link", {"name": f"{name}_tip"}),
                New("joint", {"name": f"{name}_x-tip", "type": "fixed"}, parts),
            )
            yield [insert_after(elements.links[f"{name}_x"], *new)], {}

    after, refused = edited(path, add)
    lines = """
    <link name="${name}_tip"/>
    <joint name="${name}_x-tip" type="fixed">
      <origin xyz="0 0 1" rpy="0 ${pi/2} ${-pi/2}"/>
      <parent link="${name}_x"/>
      <child link="${name}_tip"/>
    </joint>"""
    link = '<link name="${name}_x"/>'
    assert (after["r.xacro"], refused) == (text.replace(link, link + lines), {})
    _, refused = edited(path, lambda elements: add(elements, "a"))
    assert refused == {"0": f"{path}:8:5 is not changed: not all 2 elements that are made of it need the same change"}
    for own, shown in (("", "${pi/2}"), ('<xacro:property name="pi" value="3"/>', "1.5707963267948966")):
        path.write_text(hand(CALL, rpy="${3*pi/4} 0 0").replace('<link name="world', f'{own}<link name="world'))

        def turn(elements):
            return [([set_attribute(elements.joints["a_joint"].find("origin"), "rpy", "1.5707963267948966 0 0")], {})]

        after, refused = edited(path, turn)
        assert (f'rpy="{shown} 0 0"' in after["r.xacro"], refused) == (True, {})
    path.write_text(hand('<xacro:hand name="a_x" parent="tool0"/>', link="${name}"))
    after, _ = edited(path, lambda elements: add(elements, "a", "0 0 0"))
    assert after["r.xacro"].index('<link name="a_tip"/>') > after["r.xacro"].index("<xacro:hand")  # beside the call


def test_included_files_are_edited_if_all_may_change(tmp_path):
    macro = ROBOT[: ROBOT.index("  <xacro:arg")] + HAND.format(
        params="name", link="${name}", rpy="0 0 0", parent="tool0"
    )
    (tmp_path / "hand.xacro").write_text(f"{macro}</robot>\n")
    path = tmp_path / "r.xacro"
    path.write_text(f'{ROBOT}<xacro:include filename="hand.xacro"/><xacro:hand name="a"/></robot>\n')
    after, refused = edited(path, hangs("a_joint"))
    assert (after["hand.xacro"], refused) == (macro.replace('"tool0"', '"flange"') + "</robot>\n", {})
    assert after["r.xacro"] == path.read_text()
    _, refused = edited(path, hangs("a_joint"), only=path)
    why = f"it is written in {tmp_path / 'hand.xacro'}, which other models may include; --unsafe repairs it there"
    assert refused == {"0": why}


def test_new_names_go_where_nothing_is_made(tmp_path):
    """Into branches that are not taken and macros that are not called, if the text there is the renamed one."""
    path = tmp_path / "r.xacro"
    unmade = '<xacro:unless value="1"><link name="tool0"/><joint name="x" type="fixed"><parent link="tool0"/>'
    unmade += '<child link="y"/></joint></xacro:unless>'
    text = hand(unmade, parent="tool0")
    path.write_text(text)

    def rename(elements):
        edits = [set_attribute(elements.links["tool0"], "name", "tip")]
        edits.append(set_attribute(elements.joints["t"].find("child"), "link", "tip"))
        return [(edits, {("link", "tool0"): "tip"})]

    after, refused = edited(path, rename)
    expected = text.replace('link name="tool0"', 'link name="tip"').replace('link="tool0"', 'link="tip"')
    assert (after["r.xacro"], refused) == (expected, {})
    assert 'default="tool0"' in after["r.xacro"]


def test_a_file_is_read_once_for_many_edits(tmp_path, monkeypatch):
    path, read = tmp_path / "robot.xacro", []
    path.write_text(hand(CALL))
    root_of = xacro_edits.root_of
    monkeypatch.setattr(xacro_edits, "root_of", lambda *arguments: read.append(arguments[-1]) or root_of(*arguments))
    files, refused = edited(path, lambda elements: [*hangs("t")(elements), *hangs("f", on="tool0")(elements)])
    assert refused == {}
    assert files["robot.xacro"] != hand(CALL)
    assert read == [str(path)]


def test_what_is_written_nowhere_is_written_at_its_element(tmp_path):
    path = tmp_path / "r.xacro"
    path.write_text(hand(CALL))

    def new(elements):
        return [
            ([set_attribute(elements.joints["a_joint"].find("origin"), "quat_xyzw", "0 0 0 1")], {}),
            ([insert_inside(elements.joints["f"], New("origin", {"xyz": "0 0 1"}), first=True)], {}),
        ]

    after, refused = edited(path, new)
    assert refused == {}
    origin, joint = '<origin xyz="0 0 0" rpy="0 0 0"', '<joint name="f" type="fixed">'
    text = hand(CALL).replace(f'{origin}/><parent link="${{', f'{origin} quat_xyzw="0 0 0 1"/><parent link="${{')
    before, _, behind = text.partition(joint)
    assert after["r.xacro"].startswith(before + joint)
    assert after["r.xacro"].endswith(behind)
    assert '<origin xyz="0 0 1"/>' in after["r.xacro"]


def test_a_file_that_has_changed_is_not_edited(tmp_path):
    path = tmp_path / "r.xacro"
    path.write_text(hand(CALL))
    robot = kt.load(path)
    elements = Subject(robot, CheckOptions()).facts(lambda elements: None)["elements"]
    joint = elements.joints["f"]
    now = hand(CALL).replace("<joint name", "<!-- --><joint name")
    repair = Repair("f", (set_attribute(joint.find("parent"), "link", "tool0"),))
    kept, refused = in_source_files([repair], elements.root, {path.resolve(): now.encode()}, None, robot.text.files)
    assert kept == []
    assert refused == {"f": f"{path}:6:32 is not changed: the element there is another"}
