"""Answers about documents, without a server: hover, names, completions, repairs and marks."""

import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.checker.plan import jobs
from kinetree.errors import Finding, Source
from kinetree.fixer.fix import fix
from kinetree.lsp import child, diagnostics
from kinetree.lsp.answers import Look, Refusal, actions
from kinetree.lsp.diagnostics import mark_of
from kinetree.lsp.session import look_of
from kinetree.lsp.text import Text
from kinetree.xacro_text.package import _package
from lsp_texts import ARM, MACRO, MADE, SRDF


class Editor:
    """Open documents, and questions about places in them by the text before."""

    def __init__(self, folder):
        self.folder, self.texts = folder, {}

    def put(self, name, text, *, on_disk=True):
        path = self.folder / name
        if on_disk:
            path.write_bytes(text.encode())
        self.texts[path] = text
        return path

    def ask(self, question, path, *arguments):
        opened = {path: text.encode() for path, text in self.texts.items()}
        return child.answer(question, str(path), jobs([str(path)]), opened, "utf-16", *arguments)

    def at(self, question, path, text, after=0, *more):
        content = Text(self.texts[path])
        return self.ask(question, path, content.position(content.content.index(text) + after), *more)

    def after(self, changes):
        found = {}
        for file, edits in changes.items():
            text = Text(self.texts[Path(file)])
            for change in sorted(edits, reverse=True):
                text = text.changed(change.span, change.new)
            found[Path(file)] = text.content
        return found


@pytest.fixture
def editor(tmp_path):
    child._models.clear()
    return Editor(Path(os.path.realpath(tmp_path)))


@pytest.fixture
def made(editor):
    macro, path = editor.put("segment.xacro", MACRO), editor.put("made.urdf.xacro", MADE)
    editor.ask("check", path)
    return editor, macro, path


def marks(look, path):
    return {mark.code: mark for mark in look.marks.get(str(path), ())}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_marks_are_where_the_element_is(editor, end):
    path = editor.put("arm.urdf", ARM.replace("\n", end))
    found = marks(editor.ask("check", path), path)
    line = ARM.split("\n")[4]
    start = line.index("<joint") + 2  # two characters before are two units each
    assert found["NAM-003"].span == ((4, start), (4, start + len('<joint name="schulter_ü" type="revolute">')))
    assert found["JNT-001"].span[0] == (8, 4)
    assert (found["NAM-003"].repair, found["JNT-001"].repair) == ("", "safe")


def test_a_joint_has_its_limits_in_degrees_and_its_pose(editor):
    path = editor.put("arm.urdf", ARM)
    about = editor.at("hover", path, "<limit", 2).markdown
    assert "from -90° to 180° (-1.571 to 3.142 rad)" in about
    assert "57.3°/s, 10 N m" in about
    T = kt.fk(kt.load(path), "oberarm").interpret(np.zeros(1))
    assert T[:3, 3].tolist() == [0, 0, 0.5]
    assert "at 0, 0, 0.5 m" in about


def test_a_finding_has_the_page_of_its_rule(editor):
    path = editor.put("arm.urdf", ARM)
    about = editor.at("hover", path, 'name="schulter', 8).markdown
    assert "**NAM-003**" in about
    assert "[more](https://kinetree.github.io/kinetree/latest/e/NAM-003)" in about


def test_names_of_a_file_are_plain_text(editor):
    path = editor.put("arm.urdf", ARM.replace("oberarm", "a`[x](y)"))
    assert "`a'[x](y)`" in editor.at("hover", path, '<child link="', 14).markdown


def test_a_broken_text_keeps_the_robot_of_before(editor):
    path = editor.put("arm.urdf", ARM)
    editor.ask("check", path)
    editor.put("arm.urdf", ARM.replace('<child link="oberarm"/>', '<child link="'), on_disk=False)
    assert "xml-syntax" in marks(editor.ask("check", path), path)
    assert [item.label for item in editor.at("completions", path, '<child link="', 13)] == ["base_link", "oberarm"]
    assert "revolute" in editor.at("hover", path, "schulter").markdown


def test_a_repair_is_that_of_fix(editor):
    text = ARM.replace("\n", "\r\n")
    path = editor.put("arm.urdf", text)
    look = editor.ask("check", path)
    (one, fix_all) = actions({str(path): look}, str(path), marks(look, path)["JNT-001"].span, None)
    assert one.title == "Fix JNT-001 of joint 'schulter_ü'"
    assert fix_all.kind == "source.fixAll.kinetree"
    after = editor.after(editor.ask("fixes", path, one.code, one.element, one.unsafe))
    expected = fix(path, profile="ros", select=["JNT-001"]).after
    assert {file: text.encode() for file, text in after.items()} == expected
    assert path.read_bytes() == text.encode()


def test_a_mark_is_below_what_the_excerpt_underlines():
    """Else it is below the tag or the rest of the line; lines and columns of spans count from 0."""
    text = Text('<a>\n\t<link name="ü"/> <b/>\n  key: value  \n\n<open')
    excerpt = ' <link name="ü"/> <b/>\n' + " " * 13 + "~^"
    for source, shown, span in (
        (None, None, ((0, 0), (0, 0))),
        (Source("a.urdf"), None, ((0, 0), (0, 0))),
        (Source("a.urdf", 1), None, ((0, 0), (0, 3))),
        (Source("a.urdf", 2), None, ((1, 0), (1, 22))),  # no tag begins there
        (Source("a.urdf", 2, 2), None, ((1, 1), (1, 17))),
        (Source("a.urdf", 2, 19), None, ((1, 18), (1, 22))),
        (Source("a.urdf", 3), None, ((2, 0), (2, 12))),
        (Source("a.urdf", 3, 8), None, ((2, 7), (2, 12))),
        (Source("a.urdf", 4), None, ((3, 0), (4, 0))),  # an empty line: one character
        (Source("a.urdf", 5), None, ((4, 0), (4, 5))),
        (Source("a.urdf", 9), None, ((4, 5), (4, 5))),
        (Source("a.urdf", 2, 2), excerpt, ((1, 13), (1, 15))),
        (Source("a.urdf", 2, 2), excerpt.replace("ü", "u"), ((1, 1), (1, 17))),  # of another text
        (Source("a.urdf", 2, 2), excerpt + "!", ((1, 1), (1, 17))),  # nothing is underlined
        (Source("a.urdf", 3, 8), "key: value\n     ~~~~~", ((2, 7), (2, 12))),
        (Source("a.urdf", 3, 3), "key: value\n     ~~~~~", ((2, 7), (2, 12))),
    ):
        finding = Finding("JNT-001", "error", "is wrong", source, "joint 'j'", fix="turn it", excerpt=shown)
        mark = mark_of(finding, text, True)
        assert mark.span == span, (source, shown)
        assert mark_of(finding, None, True).span == ((0, 0), (0, 0))
        assert (mark.severity, mark.code, mark.element, mark.repair) == ("error", "JNT-001", "joint 'j'", "safe")
        assert mark.message == "joint 'j': is wrong\nTo correct it: turn it"
    plain = mark_of(Finding("no-rule", "info", "is so"), text, True)
    assert (plain.message, plain.element, plain.repair, plain.severity) == ("is so", "", "", "info")


def test_an_unsafe_repair_says_so():
    finding = Finding("R199-301", "error", "its name", element="link 'shoulder'")
    assert mark_of(finding, None, False).repair == ""
    mark = mark_of(finding, None, True)
    assert mark.repair == "unsafe"
    (one,) = actions({"/a": Look({"/a": (mark,)}, ())}, "/a", mark.span, None)
    assert "unsafe" in one.title
    assert one.unsafe
    assert not one.preferred


def test_a_repair_of_one_of_several(editor):
    text = ARM.replace(
        "</robot>",
        '<joint name="k" type="continuous"><parent link="oberarm"/><child link="c"/>'
        '<axis xyz="0 3 0"/></joint><link name="c"/></robot>',
    )
    path = editor.put("arm.urdf", text)
    after = editor.after(editor.ask("fixes", path, "JNT-001", "joint 'k'", False))
    assert after == {path: text.replace("0 3 0", "0 1 0")}


def test_an_impossible_repair_has_a_reason(editor):
    path = editor.put("arm.urdf", ARM.replace("0 0 2", "0 0 0"))
    refused = editor.ask("fixes", path, "JNT-001", "", False)
    assert isinstance(refused, Refusal)
    assert "axis" in refused.why


def test_a_name_leads_to_where_it_is_made_and_used(editor):
    path = editor.put("arm.urdf", ARM)
    (place,) = editor.at("definition", path, '<child link="', 15)
    assert place == (str(path), ((11, 14), (11, 21)))
    assert len(editor.at("references", path, '<link name="oberarm', 14, False)) == 2
    assert len(editor.at("references", path, '<link name="oberarm', 14, True)) == 3


def test_a_new_name_goes_into_the_srdf(editor):
    editor.put("package.xml", "<package><name>arm_description</name></package>")
    path, srdf = editor.put("arm.urdf", ARM), editor.put("arm.srdf", SRDF)
    editor.ask("check", srdf)
    after = editor.after(editor.at("rename", path, '<child link="', 15, "unterarm"))
    assert after == {one: text.replace('"oberarm"', '"unterarm"') for one, text in ((path, ARM), (srdf, SRDF))}


@pytest.mark.parametrize(
    ("new", "why"), [("base_link", "exists already"), ("a b", "not a legal name"), ('"', "not a legal name")]
)
def test_a_wrong_new_name_is_refused(editor, new, why):
    path = editor.put("arm.urdf", ARM)
    refused = editor.at("rename", path, '<child link="', 15, new)
    assert isinstance(refused, Refusal)
    assert why in refused.why


def test_no_name_is_no_name(editor):
    path = editor.put("arm.urdf", ARM)
    assert isinstance(editor.at("renamable", path, "revolute"), Refusal)
    assert editor.at("definition", path, "revolute") == ()


def test_macros_properties_and_files(made):
    editor, macro, path = made
    (place,) = editor.at("definition", path, "<xacro:segment", 9)
    assert (place.file, place.span[0][0]) == (str(macro), 1)
    (place,) = editor.at("definition", path, "segment.xacro")
    assert place.file == str(macro)
    assert editor.after(editor.at("rename", path, "<xacro:segment", 9, "part")) == {
        path: MADE.replace("xacro:segment", "xacro:part"),
        macro: MACRO.replace('"segment"', '"part"'),
    }
    assert editor.after(editor.at("rename", macro, "{length}", 2, "far")) == {
        path: MADE.replace(" length=", " far="),
        macro: MACRO.replace("length:", "far:").replace("{length}", "{far}"),
    }
    assert editor.after(editor.at("rename", macro, '"${prefix}link', 11, "${prefix}part")) == {
        macro: MACRO.replace("${prefix}link", "${prefix}part")
    }


def test_what_a_macro_makes(made):
    editor, macro, _ = made
    about = editor.at("hover", macro, '<link name="${prefix}', 22).markdown
    assert "`left_link`" in about
    assert "at 0, 0, 0.7 m" in about
    assert "parameter" in editor.at("hover", macro, "{length}", 2).markdown


def test_a_name_that_breaks_the_robot_is_refused(made):
    editor, macro, _ = made
    refused = editor.at("rename", macro, '"${prefix}link', 11, "base_link")
    assert isinstance(refused, Refusal)


def test_an_unsaved_include_counts_and_so_does_one_that_is_nowhere(editor):
    path = editor.put("made.urdf.xacro", MADE)
    assert "xacro-include" in marks(editor.ask("check", path), path)
    macro = editor.put("segment.xacro", MACRO.replace('upper="1"', 'upper="-2"'), on_disk=False)
    found = marks(editor.ask("check", path), macro)
    (error,) = [mark for mark in found.values() if mark.severity == "error"]
    assert "left_joint" in error.message
    assert error.span[0][0] in (3, 6)


def test_a_file_of_macros_alone_is_no_error(editor):
    macro = editor.put("segment.xacro", MACRO)
    assert not marks(editor.ask("check", macro), macro)


def test_a_file_of_macros_alone_says_what_to_open(editor):
    macro = editor.put("segment.xacro", MACRO)
    assert "open a file" in editor.at("hover", macro, '<link name="${prefix}', 22).markdown


def test_completions_of_xacro(made):
    editor, _, path = made
    text = MADE.replace("</robot>", '<joint name="j" type=""><parent link=""/><child /></joint><xacro:</robot>')
    editor.put("made.urdf.xacro", text, on_disk=False)

    def labels(before):
        return [item.label for item in editor.at("completions", path, before, len(before))]

    assert {"base_link", "left_link"} <= set(labels('<joint name="j" type=""><parent link="'))
    assert labels("<child ") == ["link"]
    assert "fixed" in labels('<joint name="j" type="')
    assert "xacro:segment" in labels("</joint><xacro:")
    assert labels('length="${') == ["reach"]
    assert labels('prefix="$(arg ') == ["side"]


@pytest.mark.parametrize(
    ("name", "text", "before", "expected"),
    [
        ("a.srdf", '<robot name="r"><group name="g"/><group_state group=""/></robot>', 'group="', ["g"]),
        (
            "a.sdf",
            '<sdf version="1.9"><model name="m"><link name="a"/><frame name="b" attached_to=""/>',
            'to="',
            ["a", "b"],
        ),
        ("a.xml", '<mujoco><worldbody><body name="a"/></worldbody><sensor><x body=""/>', '<x body="', ["a"]),
        ("a.urdf", '<robot name="r"><link name="a"><gazebo reference="', 'reference="', ["a"]),
    ],
)
def test_completions_of_other_formats(editor, name, text, before, expected):
    path = editor.put(name, text)
    assert [item.label for item in editor.at("completions", path, before, len(before))] == expected


@each(
    "text, after, expected",
    [
        ("<robot/>", "", []),  # before all elements
        ("<robot/> ", "<robot/> ", []),  # and behind them
        ('<robot><link name="', '<robot><link name="', []),  # a name of its own
        ('<robot xmlns:xacro="x"><link name="$(', "$(", ["arg", "find", "dirname", "env", "optenv"]),
        ('<robot xmlns:xacro="x"><link name="$(find ', "$(find ", []),
        ("<robot><link>a <", "<link>a ", []),
        ("<robot><joint ", "<joint ", ["name", "type"]),
        ("<robot><joint name='j' ", "name='j' ", ["type"]),
        ("<robot><joint type='", "type='", ["revolute", "continuous", "prismatic", "fixed", "floating", "planar"]),
        ("<robot><link name='a'><inertial><", "<inertial><", ["origin", "mass", "inertia"]),
    ],
)
def test_completions_of_what_is_typed(tmp_path, text, after, expected):
    child._models.clear()
    editor = Editor(Path(os.path.realpath(tmp_path)))
    path = editor.put("a.urdf", text)
    assert [item.label for item in editor.at("completions", path, after, len(after))] == expected


MJCF = """<mujoco><worldbody><body name="a" pos="0 0 1"><joint name="j" range="-90 90"/><geom name="g" size="1"/>
<site name="s"/></body></worldbody><actuator><motor joint="j"/></actuator>
<sensor><framepos objtype="site" objname="s"/></sensor></mujoco>
"""
SDF = """<sdf version="1.9"><model name="m"><link name="a"/><link name="b"/><frame name="f" attached_to="a"/>
<joint name="j" type="revolute"><pose relative_to="f"/><parent>a</parent><child>b</child>
<axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>1</upper></limit></axis></joint></model></sdf>
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "text", "at", "old"),
    [
        ("a.xml", MJCF, 'joint="j', '"j"'),
        ("a.xml", MJCF, 'objname="s', '"s"'),
        ("a.xml", MJCF, 'body name="a', '"a"'),
        ("a.xml", MJCF, 'geom name="g', '"g"'),
        ("a.sdf", SDF, 'relative_to="f', '"f"'),
        ("a.sdf", SDF, 'joint name="j', '"j"'),
    ],
)
def test_new_names_in_other_formats(editor, name, text, at, old):
    path = editor.put(name, text)
    after = editor.after(editor.at("rename", path, at, len(at), "new"))
    assert after == {path: text.replace(old, '"new"')}
    robot = kt.load(path)
    renamed = kt.load(after[path], format=robot.text.format if robot.text else "mjcf")
    assert len(renamed.frames) == len(robot.frames)
    assert "new" in {*renamed.frames, *renamed.joints} or old == '"g"'


def test_a_new_name_of_a_text_element(editor):
    path = editor.put("a.sdf", SDF)
    (after,) = editor.after(editor.at("rename", path, "<parent>a", 9, "new")).values()
    assert after == SDF.replace('"a"', '"new"').replace(">a<", ">new<")


XMLNS = 'xmlns:xacro="http://ros.org/wiki/xacro"'
FOOT = '<robot name="{0}"><link name="base"/><link name="foot"/><joint name="j" type="fixed"><parent link="base"/>{1}'
FOOT += '<child link="foot"/></joint></robot>'


@pytest.mark.parametrize("first", ["check", "rename"])
def test_other_robots_of_the_package_are_other_robots(editor, first):
    _package.cache_clear()
    editor.put("package.xml", "<package><name>a</name></package>")
    uncalled = '<xacro:macro name="p" params="q"><link name="${q}"/></xacro:macro>'
    texts = [FOOT.format(name, uncalled).replace("<robot", f"<robot {XMLNS}") for name in ("one", "two")]
    one, two = (editor.put(f"{name}.urdf.xacro", text) for name, text in zip(("one", "two"), texts, strict=True))
    for _ in ("cold", "warm"):
        child._models.clear()
        if first == "check":
            editor.ask("check", two)
            editor.ask("check", one)
        assert editor.after(editor.at("rename", one, '"foot', 2, "toe")).keys() == {one}
        assert {place.file for place in editor.at("references", one, '"foot', 2, True)} == {str(one)}
        assert {place.file for place in editor.at("definition", one, '<child link="foot', 14)} == {str(one)}


def test_a_call_with_a_block_gets_a_new_name(editor):
    text = f"""<robot name="r" {XMLNS}><xacro:macro name="m" params="name *block"><link name="${{name}}">
    <inertial><xacro:insert_block name="block"/></inertial></link></xacro:macro>
    <xacro:m name="a"><mass value="1"/></xacro:m></robot>"""
    text = text.replace('<mass value="1"/>', '<xacro:if value="1"><mass value="1"/></xacro:if>')
    path = editor.put("r.urdf.xacro", text)
    assert editor.after(editor.at("rename", path, "xacro:m name", 6, "part")) == {
        path: text.replace("xacro:m ", "xacro:part ").replace("xacro:m>", "xacro:part>").replace('"m"', '"part"')
    }
    assert editor.after(editor.at("rename", path, "*block", 2, "body")) == {
        path: text.replace("block", "body").replace("insert_body", "insert_block")
    }
    assert editor.at("rename", path, "*block", 2, "block") == {}


def test_a_robot_with_errors_gets_no_new_names(editor):
    path = editor.put("arm.urdf", ARM.replace('<axis xyz="0 0 2"/>', '<axis xyz="0 0 0 0"/>'))
    refused = editor.at("rename", path, '<child link="', 15, "unterarm")
    assert "errors; correct them first" in refused.why


def test_a_file_of_macros_alone_gets_no_new_names(editor):
    macro = editor.put("segment.xacro", MACRO)
    assert "open one that includes it" in editor.at("rename", macro, "{length}", 2, "far").why


def test_no_other_name_changes(editor):
    text = f"""<robot name="r" {XMLNS}><xacro:property name="a" value="1"/>
    <xacro:property name="d" value="${{dict(a=2)}}"/>
    <link name="l${{list(d.keys())[0]}}"/></robot>"""
    path = editor.put("r.urdf.xacro", text)
    refused = editor.at("rename", path, 'name="a', 6, "b")
    assert isinstance(refused, Refusal), editor.after(refused)
    assert "'la' would be 'lb'" in refused.why


def test_unnamed_parts_of_a_body_follow_it(editor):
    text = MJCF.replace('joint name="j" ', "joint ").replace('<motor joint="j"/>', "")
    path = editor.put("a.xml", text)
    assert editor.after(editor.at("rename", path, 'body name="a', 11, "new")) == {path: text.replace('"a"', '"new"')}


def test_a_part_of_another_model_keeps_its_name(editor):
    other = SDF[SDF.index("<model") : SDF.index("</sdf>")].replace('"m"', '"n"')
    text = f'<sdf version="1.9"><model name="o">{SDF[SDF.index("<model") : SDF.index("</sdf>")]}{other}</model></sdf>'
    path = editor.put("a.sdf", text)
    assert len(editor.at("references", path, 'link name="a', 11, True)) == 3
    after = editor.at("rename", path, 'link name="a', 11, "new")
    assert editor.after(after) == {
        path: text.replace('"a"', '"new"', 1).replace('to="a"', 'to="new"', 1).replace(">a<", ">new<", 1)
    }


def test_wrong_settings_are_marked_in_the_document_too():
    finding = Finding("settings", "error", "wrong", Source("/a/kinetree.toml", 3))
    look = look_of([finding], "/a/r.urdf", everywhere=True)
    assert look.marks["/a/kinetree.toml"][0].message == "wrong"
    assert look.marks["/a/r.urdf"][0].message == "this file is not checked: /a/kinetree.toml, line 3: wrong"
    assert look.marks["/a/r.urdf"][0].span[0] == (0, 0)


def test_a_macro_of_another_package_gets_a_new_name(editor):
    for name in ("arm", "robot"):
        (editor.folder / name).mkdir()
        editor.put(f"{name}/package.xml", f"<package><name>{name}</name></package>")
    macro = editor.put("arm/segment.xacro", MACRO)
    path = editor.put("robot/made.urdf.xacro", MADE.replace('"segment.xacro', '"$(find arm)/segment.xacro'))
    assert editor.after(editor.at("rename", path, "<xacro:segment", 9, "part")).keys() == {macro, path}
    (editor.folder / "secret.xacro").write_text(MACRO)
    (editor.folder / "robot/link.xacro").symlink_to("../secret.xacro")
    path = editor.put("robot/made.urdf.xacro", MADE.replace("segment.xacro", "link.xacro"))
    assert isinstance(editor.at("rename", path, "<xacro:segment", 9, "part"), Refusal)


def test_a_name_that_a_macro_makes_leads_to_the_macro(made):
    """Also the other way about: from a name that is worked out to the parts that are made of it."""
    editor, macro, path = made
    hung = '<joint name="x" type="fixed"><parent link="left_link"/><child link="y"/></joint><link name="y"/></robot>'
    editor.put("made.urdf.xacro", MADE.replace("</robot>", hung))
    editor.ask("check", path)
    places = editor.at("definition", path, 'link="left_link', 7)
    assert {(place.file, place.span[0]) for place in places} == {(str(macro), (2, 4))}


@each(
    "at, after, new, why",
    [
        ("<xacro:segment", 9, "if", "made.urdf.xacro could not be read with it: "),
        ("<xacro:segment", 9, "a-b", "'a-b' is not a legal name; expected letters, digits and _"),
        ('name="reach', 7, "2", "'2' is not a legal name; expected letters, digits and _"),
        ('link name="base', 12, "a b", "'a b' is not a legal name; expected a name without spaces, quotes and < > &"),
        (
            'link name="base',
            12,
            "left_link",
            "made.urdf.xacro could not be read with it: there is already a link of this name at ",
        ),
        (
            'version="1',
            0,
            "x",
            "there is no name here that can be changed; expected names of parts, macros and properties",
        ),
        (
            '"segment.xacro',
            2,
            "x",
            "there is no name here that can be changed; expected names of parts, macros and properties",
        ),
    ],
)
def test_why_a_name_is_not_changed(at, after, new, why, tmp_path):
    child._models.clear()
    editor = Editor(Path(os.path.realpath(tmp_path)))
    editor.put("segment.xacro", MACRO)
    text = '<?xml version="1.0"?>\n' + MADE.replace("<xacro:include", "<odd/><xacro:include")  # a warning is no reason
    path = editor.put("made.urdf.xacro", text)
    refused = editor.at("rename", path, at, after, new)
    assert isinstance(refused, Refusal)
    assert refused.why.startswith(why)


@each(
    "format, failed, file, repair",
    [
        ("urdf", False, "/a", "safe"),
        ("urdf", True, "/a", ""),  # by errors of the reader
        ("urdf", False, "/b", ""),  # `kinetree fix` changes other files with --unsafe alone
        ("sdf", False, "/a", ""),
        ("mjcf", False, "/a", ""),
        (None, False, "/a", ""),
    ],
)
def test_texts_that_are_repaired(format, failed, file, repair, monkeypatch):
    """That of a URDF, or what xacro made of it, if it can be read."""
    finding = Finding("JNT-001", "error", "is not of length one", Source(file, 1, 1), "joint 'j'")
    monkeypatch.setattr(diagnostics, "reported", lambda model: [SimpleNamespace(findings=(finding,))])
    robot = SimpleNamespace(text=SimpleNamespace(format=format) if format else None)
    model = SimpleNamespace(failed=failed, robot=robot, file="/a", read={"/a"}, text=lambda file: Text("<a/>"))
    (mark,) = diagnostics.look(model).marks[file]
    assert mark.repair == repair


@each(
    "tag, expected",
    [
        ("joint", "name type"),
        ("origin", "xyz rpy"),
        ("parent", "link"),
        ("child", "link"),
        ("axis", "xyz"),
        ("limit", "lower upper effort velocity"),
        ("mimic", "joint multiplier offset"),
        ("dynamics", "damping friction"),
        ("safety_controller", "soft_lower_limit soft_upper_limit k_position k_velocity"),
        ("calibration", "rising falling"),
        ("mass", "value"),
        ("inertia", "ixx ixy ixz iyy iyz izz"),
        ("box", "size"),
        ("sphere", "radius"),
        ("cylinder", "radius length"),
        ("mesh", "filename scale"),
        ("color", "rgba"),
        ("texture", "filename"),
    ],
)
def test_attributes_of_urdf_are_those_of_its_specification(editor, tag, expected):
    """http://wiki.ros.org/urdf/XML"""
    path = editor.put("a.urdf", f'<robot name="r"><joint name="j"><{tag} /></joint></robot>')
    found = editor.at("completions", path, f'<joint name="j"><{tag} ', len(f'<joint name="j"><{tag} '))
    assert sorted(item.label for item in found) == sorted(expected.split())
