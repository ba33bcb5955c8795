"""Xacro files as they are written: definitions, calls and names of a robot and of its package."""

import os
from pathlib import Path

import pytest

import kinetree as kt
from each import each
from kinetree.xacro_text import package as packages
from kinetree.xacro_text.calls import attached_at, program, xacro_roots
from kinetree.xacro_text.known_packages import is_missing
from kinetree.xacro_text.names import misfits, near, used_in
from kinetree.xacro_text.package import _package, is_called_around, is_defined_around, is_included_around, package_of
from support import put

XMLNS = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
TWICE = '<xacro:property name="gap" value="{1}"/><xacro:macro name="{0}"><x>${{gap}}</x></xacro:macro>'
FILES = {
    "package.xml": "<package><name>arm</name></package>",
    "urdf/arm.xacro": f"""<robot {XMLNS}>
  <xacro:property name="reach" value="1"/>
  <xacro:macro name="arm" params="side parent:=world *tip">
    <xacro:property name="own" value="2"/>
    <link name="${{side}}link"/>
    <joint name="${{side}}j" type="fixed"><parent link="${{parent}}"/><child link="${{side}}link"/></joint>
    <xacro:part name="${{side}}"/>
  </xacro:macro>
  <xacro:macro name="part" params="name"><!-- nothing --></xacro:macro>
  <xacro:macro name="idle" params=""><xacro:deep/></xacro:macro>
  <xacro:macro name="deep" params=""/>
</robot>""",
    "urdf/two.xacro": f"""<robot {XMLNS}>
  <xacro:macro name="two" params="on"><xacro:arm side="a_" parent="${{on}}"><x/></xacro:arm></xacro:macro></robot>""",
    "robots/r.urdf.xacro": f"""<robot name="r" {XMLNS}>
  <xacro:include filename="$(find arm)/urdf/arm.xacro"/>
  <xacro:include filename="../urdf/two.xacro" ns="n"/>
  <xacro:include filename="../urdf/two.xacro"/>
  <xacro:if value="0"><xacro:include filename="nowhere.xacro"/></xacro:if>
  <xacro:arg name="size" default="1"/>
  <link name="world"/>
  <xacro:two on="world"/>
</robot>""",
    "other/lone.urdf": f"<robot {XMLNS}><xacro:lone/></robot>",
    "other/lone.xml": f'<robot {XMLNS}><include filename="a.xacro" /></robot>',
    "other/lone.txt": f"<robot {XMLNS}><xacro:unread/></robot>",
}


@pytest.fixture
def arm(tmp_path):
    _package.cache_clear()
    packages._folder_of.cache_clear()
    folder = tmp_path / "arm"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_the_package_of_a_file(arm):
    found = package_of(arm / "robots" / "r.urdf.xacro")
    assert (found.folder, found.whole) == (arm, True)
    assert sorted(path.name for path in found.texts) == [
        "arm.xacro",
        "lone.urdf",
        "lone.xml",
        "package.xml",
        "r.urdf.xacro",
        "two.xacro",
    ]
    assert sorted((file.name, name) for file, name in found.includes) == [
        ("lone.xml", "a.xacro"),
        ("r.urdf.xacro", "$(find arm)/urdf/arm.xacro"),
        ("r.urdf.xacro", "../urdf/two.xacro"),
        ("r.urdf.xacro", "../urdf/two.xacro"),
        ("r.urdf.xacro", "nowhere.xacro"),
    ]
    assert found.macros == {"arm", "part", "idle", "deep", "two"}
    known = {
        "reach",
        "own",
        "side",
        "parent",
        "world",
        "tip",
        "on",
        "name",
        "n",
        "arm.xacro",
        "two.xacro",
        "nowhere.xacro",
        "a.xacro",
    }
    assert known <= found.words == found.defined
    assert "link" not in found.words
    reached, by_file = found.called
    assert {"two", "arm", "part", "lone"} <= reached
    assert not {"idle", "deep", "unread"} & reached
    assert {"part", "deep", "property"} <= by_file["arm.xacro"]
    assert package_of("<text>") is None
    assert package_of(arm.parent / "a.xacro") is None


def test_what_a_package_is_asked(arm):
    file, two = str(arm / "urdf" / "arm.xacro"), str(arm / "urdf" / "two.xacro")
    assert [is_defined_around(name, file) for name in ("reach", "own", "on", "nobody")] == [True, True, True, False]
    assert is_defined_around("nobody", str(arm / "robots" / "r.urdf.xacro"))  # no file includes it
    assert is_defined_around("nobody", "/a.xacro")
    assert [is_called_around(name, two) for name in ("two", "part", "deep", "arm", "nobody")] == [
        True,
        True,
        False,
        True,
        False,
    ]
    assert is_called_around("deep", file)  # a macro of the same file calls it
    assert is_called_around("nobody", "/a.xacro")
    assert [is_included_around(one) for one in (file, two)] == [True, True]
    assert not is_included_around(str(arm / "robots" / "r.urdf.xacro"))
    assert not is_included_around("/a.xacro")
    for path in (arm.parent / "a.xacro", arm.parent / "b.xacro", arm.parent / "below" / "c.xacro"):  # in no package
        put(path, '<robot><xacro:include filename="a.xacro"/></robot>' if path.stem == "b" else "<robot/>")
    parts = (arm.parent / "a.xacro", arm.parent / "b.xacro", arm.parent / "below" / "c.xacro")
    assert [is_included_around(str(part)) for part in parts] == [True, False, False]
    (arm / "urdf" / "two.xacro").write_text('<include filename="$(find other)/a.xacro"/><property name="${x}"/>')
    _package.cache_clear()
    assert package_of(file).defined is None
    assert package_of(file).words is None
    assert is_defined_around("nobody", file)


@each(
    "name, path, fits",
    [
        ("$(find arm)/urdf/a.xacro", "/x/urdf/a.xacro", True),
        ("$(dirname)/a.xacro", "/x/a.xacro", True),
        ("../../a.xacro", "/x/a.xacro", True),
        ("./a.xacro", "/x/a.xacro", True),
        ("$(find arm)/../b/a.xacro", "/x/b/a.xacro", True),
        ("urdf/${name}.xacro", "/x/urdf/ur5.xacro", True),
        ("urdf/$(arg name)_macro.xacro", "/x/urdf/ur5_macro.xacro", True),
        ("urdf/${name}.xacro", "/x/urdf/a/ur5.xacro", False),
        ("urdf/a.xacro", "/x/other/a.xacro", False),
        ("a.xacro", "/x/ba.xacro", False),
        ("a.xacro", "/x/aXxacro", False),
    ],
)
def test_paths_that_the_name_of_an_include_may_mean(name, path, fits):
    assert bool(packages._pattern(name).fullmatch(path)) == fits


def test_the_program_of_a_robot(arm):
    robot = kt.load(arm / "robots" / "r.urdf.xacro")
    made = program(robot, xacro_roots(robot), {})
    assert [os.path.basename(root.document.file) for root in made.roots] == ["r.urdf.xacro", "arm.xacro", "two.xacro"]
    assert (made.whole, made.complete) == (True, False)  # a file is missing
    assert [(macro.name, macro.always) for macro in made.macros] == [
        ("arm", True),
        ("part", True),
        ("idle", True),
        ("deep", True),
        ("two", False),
    ]
    assert [(p.name, p.plain, p.required, p.block) for p in made.macros[0].parameters] == [
        ("side", "side", True, False),
        ("parent", "parent", False, False),
        ("*tip", "tip", True, True),
    ]
    assert [(call.name, call.place.always, [m.name for m in call.place.macros]) for call in made.calls] == [
        ("two", True, []),
        ("part", False, ["arm"]),
        ("deep", False, ["idle"]),
        ("arm", False, ["two"]),
    ]
    assert [one.get("name") for one in made.arguments] == ["size"]
    assert made.properties >= {"reach", "n"}
    assert made.local[id(made.macros[0].element)] == {"side", "parent", "tip", "own"}
    assert [os.path.basename(path) for _, path in made.missing] == ["nowhere.xacro"]
    shown = {
        one.get("filename"): os.path.basename(made.included[id(one)].document.file)
        for one, _ in made.includes
        if id(one) in made.included
    }
    assert shown == {"$(find arm)/urdf/arm.xacro": "arm.xacro", "../urdf/two.xacro": "two.xacro"}
    assert made.includes[1][0].get("ns") == "n"
    assert id(made.includes[1][0]) not in made.included  # whose names are others
    assert made.reached == {"two", "arm", "part"}
    place = attached_at(made)(robot.joints["a_j"])
    assert (os.path.basename(place.file), place.line, place.column) == ("r.urdf.xacro", 8, 18)
    assert program(robot, None, {}) is None
    assert xacro_roots(kt.load('<robot name="r"><link name="a"/></robot>', format="urdf")) is None


def test_what_is_wrong_with_a_call(arm):
    robot = kt.load(arm / "robots" / "r.urdf.xacro")
    made = program(robot, xacro_roots(robot), {})
    (call,) = [call for call in made.calls if call.name == "arm"]
    by_name = {name: macros[0] for name, macros in made.by_name.items()}
    assert list(misfits(call.element, by_name["arm"])) == []
    assert list(misfits(call.element, by_name["two"])) == [
        "there is no parameter 'side'",
        "there is no parameter 'parent'",
        "'on' must be given",
        "1 blocks are given, and 0 expected",
    ]
    assert near("parnt", ["parent", "side"]) == "; did you mean 'parent'?"
    assert near("x", ["parent"]) == ""


def test_names_that_macros_use_which_call_each_other():
    text = f"""<robot name="r" {XMLNS}><link name="l"/>
      <xacro:macro name="a" params="x y"><xacro:b z="${{x}}"/></xacro:macro>
      <xacro:macro name="b" params="z"><xacro:if value="${{z}}"><xacro:b z="0"/><xacro:c/></xacro:if></xacro:macro>
      <xacro:macro name="c" params="w:=^"><xacro:a x="1" y="2"/></xacro:macro></robot>"""
    robot = kt.load(text, format="xacro")
    made = program(robot, xacro_roots(robot), {})
    assert used_in(made.by_name["a"][0], made) >= {"x", "z", "w"}
    assert "y" not in used_in(made.by_name["a"][0], made)
    assert used_in(made.by_name["c"][0], made) >= {"x", "z", "w"}


@each(
    "name, missing",
    [
        ("urdf/arm.xacro", False),
        ("urdf/gone.xacro", True),
        ("nowhere/gone.xacro", True),
        ("nowhere/gone.stl", False),  # a folder that is kept elsewhere
        ("urdf/gone.stl", False),  # without any mesh
        ("meshes/gone.stl", True),
        ("meshes/gone.DAE", True),
        ("meshes/gone.png", False),
        ("meshes/gone.launch", False),
        *((f"meshes/gone{ending}", True) for ending in (".yaml", ".yml", ".xacro", ".urdf", ".srdf", ".sdf")),
        ("three.xacro", True),
        ("deep.xacro", False),  # install brings it up from a deeper folder
    ],
)
def test_files_that_a_package_lacks(name, missing, arm):
    for there in ("meshes/a.stl", "src/deep.xacro"):
        (arm / there).parent.mkdir(exist_ok=True)
        (arm / there).write_text("")
    assert is_missing(str(arm / name)) == missing


@each(
    "inside, complete, absent",
    [
        ("", True, []),
        ('<xacro:property name="n" value="part"/><xacro:include filename="${n}.xacro"/>', True, []),
        ('<xacro:if value="0"><xacro:include filename="part.xacro"/></xacro:if>', True, []),
        ('<xacro:if value="0"><xacro:include filename="${n}.xacro"/></xacro:if>', False, []),
        ('<xacro:if value="1"><xacro:include filename="$(arg n).xacro"/></xacro:if>', False, []),
        ('<xacro:unless value="1"><xacro:include filename="$(find nowhere)/a.xacro"/></xacro:unless>', False, []),
        ('<xacro:if value="0"><xacro:include filename="gone.xacro"/></xacro:if>', False, []),
        ("<xacro:property name=\"${'a' + 'b'}\" value=\"1\"/>", False, []),
        ('<xacro:arg name="f" default="$(find arm)/urdf/gone.yaml"/>', True, ["$(find arm)/urdf/gone.yaml"]),
        ('<a f="$(find arm)/b/one.yaml"/><a f="$(find arm)/b/two.yaml"/>', True, ["/b/one.yaml", "/b/two.yaml"]),
        ('<a f="$(find arm)/urdf/arm.xacro"/>', True, []),
        ('<xacro:if value="0"><a f="$(find nowhere)/urdf/gone.yaml"/></xacro:if>', True, []),
    ],
)
def test_what_is_known_of_a_program(inside, complete, absent, arm):
    """Whether every definition is known, and which files of known packages do not exist."""
    (arm / "urdf" / "part.xacro").write_text(f"<robot {XMLNS}/>")
    file = arm / "urdf" / "one.xacro"
    file.write_text(f'<robot name="r" {XMLNS}><xacro:arg name="n" default="part"/><link name="l"/>{inside}</robot>')
    robot = kt.load(file)
    made = program(robot, xacro_roots(robot), {})
    assert (made.whole, made.complete) == (True, complete)
    assert [len(made.absent), *(any(n.endswith(name) for n in made.absent) for name in absent)] == [
        len(absent),
        *[True] * len(absent),
    ]


def test_the_argument_that_attaches_a_joint_is_looked_for_in_calls_of_calls(tmp_path):
    """Not in expressions, and not in a call with another value."""
    macro = (
        '<xacro:macro name="in" params="p"><link name="${p}_a"/><joint name="${p}_j" type="fixed">'
        '<parent link="%s"/><child link="${p}_a"/></joint></xacro:macro>'
    )
    outer = '<xacro:macro name="out" params="q"><xacro:in p="${q}"/></xacro:macro>'
    for parent, call, place in (
        ("${p}", '<xacro:in p="w"/>', (5, 14)),
        ("${p}", '<xacro:out q="w"/>', (5, 15)),
        ("${p}", "<xacro:out q=\"${'w'}\"/>", None),
        ("${p[:1]}", '<xacro:in p="w"/>', None),
        ("w", '<xacro:in p="w"/>', None),
    ):
        path = tmp_path / "r.xacro"
        path.write_text(f'<robot name="r" {XMLNS}>\n{macro % parent}\n{outer}\n<link name="w"/>\n{call}</robot>')
        robot = kt.load(path)
        found = attached_at(program(robot, xacro_roots(robot), {}))(robot.joints["w_j"])
        assert (found and (found.line, found.column)) == place, (parent, call)


def test_what_the_parameters_of_a_macro_use_and_what_lies_around_no_package(tmp_path):
    path = tmp_path / "r.xacro"
    path.write_text(
        f'<robot name="r" {XMLNS}><xacro:property name="d" value="1"/>'
        '<xacro:macro name="m" params="a:=${d}"><link name="l${a}"/></xacro:macro><xacro:macro name="n" params="b"/>'
        "<xacro:m/></robot>"
    )
    robot = kt.load(path)
    made = program(robot, xacro_roots(robot), {})
    (use,) = (one for one in made.uses if one.attribute == "params")
    assert (use.element.get("name"), use.place.lazy) == ("m", True)
    assert list(packages.texts_around(str(path))) == []
    (tmp_path / "package.xml").write_text("<package><name>p</name></package>")
    packages._folder_of.cache_clear()
    assert any("xacro:macro" in text for text in packages.texts_around(str(path)))


def test_a_property_that_another_file_sets_again(tmp_path):
    """A file that includes another may mean to set its property; two files that one includes do not know each other."""
    one, two = (
        f"<robot {XMLNS}>{inside}</robot>" for inside in (TWICE.format("one", "0.1"), TWICE.format("two", "0.3"))
    )
    include = '<xacro:include filename="{}.xacro"/>'
    (tmp_path / "one.xacro").write_text(one)
    (tmp_path / "two.xacro").write_text(two)
    path = tmp_path / "r.xacro"
    for second, is_found in ((include.format("two"), True), (TWICE.format("two", "0.3"), False)):
        inside = include.format("one") + second
        path.write_text(f'<robot name="r" {XMLNS}><link name="a"/>{inside}</robot>')
        found = [(Path(one.source.file).name, one.message) for one in kt.check(path, select=["XAC-012"])]
        first = f"the value '0.3' replaces '0.1' of {tmp_path / 'one.xacro'}, line 1, also for the macros there; "
        assert [(file, first in said + "; ") for file, said in found] == [("two.xacro", True)] * is_found
