"""Sequences, semantic descriptions, tables of limits, MATLAB functions and xacro files, in full."""

# ruff: noqa: E501

import os
from pathlib import Path

import pytest

import kinetree as kt
from kinetree.files.opener import Files
from kinetree.formats import dh, ets, limit_tables
from kinetree.formats.dh.matlab import function_name, matlab_text
from kinetree.formats.dh.read import written_chain
from kinetree.formats.dh.write import Spelling
from kinetree.formats.registry import FORMATS, WRITTEN, ReadOptions, format_of_text, holds_xacro, without_effect
from kinetree.formats.srdf import read_onto
from kinetree.formats.xacro import read as read_xacro
from kinetree.model.assemble import build, parts_of
from whole import one_line, reading, written

ETS = {
    "an arm": 'name = arm\nbase = "the base"\ntip = tool0\ntz(0.333) Rz(q1) # a comment\n* Ry(-90°) ⊕ tx(82.5 mm) @ ty(-5cm) Rx(-q2) tz(-"the slide")\nRz(pi/2) Rx(30 deg) Ry(0.5 rad)\n',
    "branches": "tz(1) Rz(a) tx(1) link(upper) mass(2, 0.1, 0, 0.2) ty(1) Ry(b) frame(hand) tx(2)\nfrom upper: tz(-1) fixed(weld) link(plate) mass(3, 1 cm, 2 mm, 0, 1, 0.1, 0.2, 2, 0.3, 3)\nfrom hand: tx(1) Rz(c) mass(1) tz(4)\n",
    "poses": "SE3(1, 2 cm, 3 mm, 90°, 0, pi) Rz(q) SE3(0, -1, 0, 1, 1, 0, 0, 2, 0, 0, 1, 3, 0, 0, 0, 1)",
    "a rounded pose": "SE3(1, 1e-6, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1) Rz(q)",
    "no pose": "SE3(1, 0.1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1) SE3(2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1) SE3(1, 2) SE3(1, 2, 3, 4, 5, 6 mm)",
    "settings": 'name = a\nname = b\ntip = "x\n\n# nothing else\n',
    "numbers": "Rz(7) Rz(-7) Rz(6.28) tx(1e3) tx(.5) Rz(+0.5) Rz(−1) Rz(1 mm) tx(1°) tx(1 deg) Rz() Rz(1 2) tx(pi) Rz(2pi) Rz(pi rad)",
    "joints": "Rz(q) Rz(q) Rz(m) Rz(pi) Rz('single') Rz(\"\") Rz(q+1) Rz(2*q) tz(-q1) Rz(- q2)",
    "words": "link(a) Rz(q) frame() fixed(w) mass() mass(1, 2) mass(x) mass(1, 2 rad, 3, 4) from(a) from nothing: Rz(p) mass(1) mass(2) foo(1) bar",
    "a mass twice": "Rz(q) mass(1) tx(1) mass(2)",
    "an end that is lost": "Rz(q)\nfrom base_link: Rz(p) tx(1)\nfrom p_link: tx(2) ty(3)\n",
    "names of frames": "Rz(q) link(tip) tx(1)\n",
}
ARM = """convention = "CONVENTION"
units = { length = "mm", angle = "deg" }
base = { matrix = [[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]] }
tool = { xyz = [0, 0, 5] }
rows = [
  { joint = "turn", a = 10, d = 20, alpha = 90, theta = "30 + (-40 -> 50)" }, { joint = "it's", type = "prismatic", a = 0, d = "0 -> 5", alpha = 0, theta = 15, flip = true },
  { type = "fixed", a = 1, d = 2, alpha = 3, theta = 4 }, { joint = "w\\u0007", a = 0, d = 0, alpha = -90, theta = 0, mimic = { joint = "turn" } },
]
"""
URDF = """<robot name="r"><link name="base"/><link name="a"/><link name="b"/><link name="c"/><joint name="ja" type="continuous"><parent link="base"/><child link="a"/><axis xyz="1 0 0"/></joint>
  <joint name="jb" type="continuous"><parent link="a"/><child link="b"/><axis xyz="1 0 0"/></joint><joint name="weld" type="fixed"><parent link="b"/><child link="c"/></joint></robot>"""
SRDF = {
    "everything": """<virtual_joint name="v" type="planar" parent_frame="odom" child_link="base"/><group name="arm"><joint name="ja"/><chain base_link="a" tip_link="c"/></group><group name="all"><group name="arm"/><link name="b"/></group>
      <group_state name="home" group="arm"><joint name="ja" value="0.5"/><joint name="v" value="1 2 3"/></group_state><end_effector name="h" parent_link="c" group="all" parent_group="arm"/><passive_joint name="jb"/>
      <joint_property joint_name="ja" property_name="p" value="1"/><disable_default_collisions link="a"/><enable_collisions link1="a" link2="b"/><disable_collisions link1="a" link2="c" reason="Never"/>
      <link_sphere_approximation link="a"><sphere center="1 2 3" radius="4"/><sphere radius="1"/></link_sphere_approximation>""",
    "faults": """<virtual_joint name="v" type="ball" parent_frame="odom" child_link="base"/><virtual_joint/><group_state name="s"><odd/><joint value="1"/></group_state><group_state name="t" group="g" odd="1"><joint name="ja" value="x"/><joint name="ja" value="" odd="1"/></group_state>
      <end_effector name="h" odd="1"/><passive_joint name="none"><odd/></passive_joint><joint_property joint_name="none" property_name="p" value="1"/><disable_collisions link1="a"/><disable_collisions link1="x" link2="y" reason="r"/>
      <link_sphere_approximation link="none"><sphere center="1 2"/><odd/></link_sphere_approximation><group name="g"><odd/><joint name="ja" odd="1"/></group><odd/><odd/><other a="1"/>""",
    "nothing": "",
}
LIMITS = {
    "rows of A": '[[limits]]\nname = "shoulder"\nunit = "deg"\njoints = ["p", "q"]\nA = [[1, -1], [0, 2]]\nb = [90, 45]\nrows = ["one", "two"]\n',
    "rows of G": '[[limits]]\nunit = "rad"\njoints = { left = ["p", "q"], right = ["r", "s"] }\nG = [[1, 0]]\nh = [0.5]\nbox = true\n[[limits]]\nunit = "si"\njoints = ["x"]\nG = [[1]]\nh = [0]\n',
    "nothing": "odd = 1\n",
    "no tables": "limits = [1]\n",
    "keys": '[[limits]]\nodd = 1\nname = ""\n',
    "units": '[[limits]]\nunit = "grad"\njoints = ["x"]\nG = [[1]]\nh = [0]\n',
    "joints": "".join(
        f'[[limits]]\nunit = "rad"\njoints = {one}\nG = [[1]]\nh = [0]\n'
        for one in ("[]", '["a", "a"]', "3", '{ a = "b" }', '["a", "b"]')
    ),
    "matrices": "".join(
        f'[[limits]]\nunit = "rad"\njoints = ["a", "b"]\n{one}\n'
        for one in (
            "G = [[1, 2]]",
            "h = [1]",
            "G = [[1, 2]]\nh = [1]\nA = [[1, 2]]",
            "G = [[1, 2], [3]]\nh = [1, 2]",
            "G = [1, 2]\nh = [1]",
            "G = [[0, 0]]\nh = [1]",
            "G = [[1, 2], [0, 0]]\nh = [1, 2]",
            "G = [[1, 0], [0, 0]]\nh = [1, 2]",
            "G = [[1, nan]]\nh = [1]",
            "G = [[1, true]]\nh = [1]",
            'G = [["1", 2]]\nh = [1]',
            "G = []\nh = []",
            "G = [[1, 2]]\nh = [1, 2]",
            "G = [[1, 2]]\nh = 1",
        )
    ),
    "boxes": "".join(
        f'[[limits]]\nunit = "rad"\njoints = ["a", "b"]\nG = [[1, {two}]]\nh = [1]\nbox = {box}\nrows = {rows}\n'
        for two, box, rows in ((2, "true", '["x"]'), (0, "3", '["x", "y"]'), (0, "true", '[""]'), (0, "false", "[1]"))
    ),
    "no text": b"\xff\xfe",
}
NS = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
LINK = "<link name='a'/>"
XACRO_FILES = {
    "part.xacro": f"<robot {NS}><xacro:property name='x' value='3'/><xacro:macro name='m' params='n:=1 *b'><link name='${{n}}'/><xacro:insert_block name='b'/></xacro:macro></robot>",
    "data.yaml": b"a: 1\nb: {c: [1, 2], d: !degrees 180}\nbase: &x {p: 1}\ne: {<<: *x, q: 2}\n",
    "bad.yaml": b"a: [1\n",
    "me.xacro": f"<robot {NS}><xacro:include filename='me.xacro'/></robot>",
}
XACRO = {
    "arguments": "<xacro:arg name='p' default='4'/><link name='$(arg p)_${2*3}'/><link name='$(arg q)'/>",
    "an argument without a value": "<xacro:arg name='p' default='4'/><link name='$(arg none)$(arg other)'/>",
    "expressions": "<link name='a${1 + 2}' b='$${x}' c='${\"t\"}${4 / 2}' d='$(eval 1 + 1)' e='${[1, 2]}' f='${True}'/>",
    "expressions in texts": "<link name='a'>x ${1 + 1} y</link>",
    "an expression that is none": "<link name='${1 +}'/>",
    "a name of nothing": "<link name='${x}'/>",
    "an open bracket": "<link name='${1'/>",
    "conditions": "<xacro:if value='${1 == 1}'><link name='a'/></xacro:if><xacro:unless value='false'><link name='b'/></xacro:unless><xacro:if value='maybe'/>",
    "macros": f"<xacro:include filename='part.xacro'/>{LINK}<xacro:m n='b'><q/></xacro:m><xacro:m><q/></xacro:m><link name='v${{x}}'/>",
    "a macro of nothing": f"{LINK}<xacro:none/>",
    "a macro without its block": f"<xacro:include filename='part.xacro'/>{LINK}<xacro:m n='b'/>",
    "a macro that calls itself": f"<xacro:macro name='m'><xacro:m/></xacro:macro>{LINK}<xacro:m/>",
    "a fault in a macro": f"<xacro:macro name='m' params='n'><link name='${{n.x}}'/></xacro:macro>{LINK}<xacro:m n='b'/>",
    "only macros": "<xacro:macro name='m' params='n:=1 o *b **c'><link name='${n}'/></xacro:macro><xacro:macro name='k'><link name='k'/></xacro:macro>",
    "nothing": "<odd/>",
    **{f"{n} macros": "".join(f"<xacro:macro name='m{i}'/>" for i in range(n)) for n in (20, 21)},
    "calls inside calls": "".join(f"<xacro:macro name='m{i}'><xacro:m{i + 1}/></xacro:macro>" for i in range(8))
    + LINK
    + "<xacro:macro name='m8'><link name='${x}'/></xacro:macro><xacro:m0/>",
    "long words": f"{LINK}${{xacro.warning('{'w' * 500}')}}<q a=\"${{'%q' * 100 % 1}}\"/>",
    "a long format": f"{LINK}<q a=\"${{'{{x.y}}{'z' * 200}'.format(1)}}\"/>",
    "yaml": f"{LINK}<xacro:property name='d' value=\"${{xacro.load_yaml('data.yaml')}}\"/><link name='${{d.a}}' b='${{d.b.c[1]}}' c='${{d[\"e\"]}}' d='${{d.b.d}}'/>",
    "yaml that is none": f"{LINK}<q a=\"${{xacro.load_yaml('bad.yaml')}}\"/>",
    "yaml that is not there": f"{LINK}<q a=\"${{xacro.load_yaml('none.yaml')}}\"/>",
    "a key of yaml that is not there": f"{LINK}<q a=\"${{xacro.load_yaml('data.yaml').z}}\"/>",
    "includes": f"{LINK}<xacro:include filename='none.xacro' optional='true'/><xacro:include filename='part.xacro' ns='p'/><link name='b${{p.x}}'/>",
    "an include that is not there": f"{LINK}<xacro:include filename='none.xacro'/>",
    "an include of itself": f"{LINK}<xacro:include filename='me.xacro'/>",
    "words": f"{LINK}${{xacro.warning('gap', 3)}}${{xacro.message('m')}}<q a='${{sorted([2, 1])}}'/>",
    "a fatal word": f"{LINK}${{xacro.fatal('stop', 'here')}}",
    "scopes": f"<xacro:macro name='m' params='n'><xacro:property name='out' value='${{n}}' scope='parent'/></xacro:macro>{LINK}<xacro:m n='5'/><link name='b${{out}}'/>",
    "a scope of nothing": f"{LINK}<xacro:property name='out' value='1' scope='parent'/>",
    "names of properties": f"{LINK}<xacro:property name='a-b' value='1'/>",
    "comments": f"{LINK}<!-- ${{1}} --><!-- xacro:eval-comments --><!-- ${{1 + 1}} -->",
    "substitutions": f"{LINK}<q a='$(dirname)' b='$(optenv NONE x y)' c='$(eval [1][0])'/>",
    "a call in an eval": f"{LINK}<q a='$(eval len([1]))'/>",
    "substitutions that are none": f"{LINK}<q a='$(none x)'/>",
    "attributes of conditions": f"{LINK}<xacro:if/>",
    "elements of no name": f"{LINK}<xacro:macro params='x'/><xacro:property value='1'/>",
}


def in_full(things) -> str:
    """Return a line for each, with the lines of the file that findings underline."""
    return "".join(f"{one}\n" for one in things)


def open_xacro(name: str, _asking: str):
    content = XACRO_FILES.get(name.rpartition("/")[2])
    return None if content is None else (content if isinstance(content, bytes) else content.encode(), name)


class Opened(Files):
    """Files in memory."""

    def open_or_refuse(self, name: str, asking: str):
        return open_xacro(name, asking)


def expanded(text: str, arguments: dict[str, str]) -> str:
    made, findings = read_xacro(text, "/w/r.xacro", Opened({}), arguments)
    said = in_full(findings)
    places = (
        "" if made.text is None else " ".join(f"{one.line}:{one.column}" if one else "-" for one in made.text.origins)
    )
    return said + ("" if made.text is None else f"{made.text.text}{places}\n")


def test_sequences(golden):
    said = []
    for name, text in ETS.items():
        robot, findings = ets.read(text, "a.ets")
        said.append(f"# {name}\n{in_full(findings)}{reading(robot, [])}")
    said += [
        f"# {name}, written\n{written(build(parts_of(kt.load(text, format='ets'))), 'ets', parts)}"
        for name, text in ETS.items()
        if ets.read(text, "a")[0]
        for parts in ((), ("frame",))
    ]
    golden("whole_ets.txt", "\n".join(said))


@pytest.mark.parametrize("convention", ["dh", "mdh"])
def test_functions_of_matlab(convention, golden):
    chain = written_chain(kt.load(ARM.replace("CONVENTION", convention), format="dh"), "")
    said = [
        matlab_text(chain, "arm", "the tool, seen from the base\x07", Spelling(*units))
        for units in (("m", "rad"), ("mm", "deg"))
    ]
    golden(f"matlab_{convention}.txt", "\n".join(said))


def test_names_of_functions_of_matlab():
    assert [function_name(*one) for one in (("arm", "left"), ("3-d", "µ"), ("_x",), ("a" * 70,), ("",))] == [
        "arm_left",
        "chain_3_d__",
        "chain__x",
        "a" * 63,
        "chain_",
    ]
    chain = written_chain(
        kt.load('convention = "dh"\nrows = []\nunits = { length = "m", angle = "rad" }\n', format="dh"), ""
    )
    assert "table = zeros(0, 6);" in matlab_text(chain, "a" * 63, "x", Spelling())
    for name in ("a" * 64, "end", "1a", "a-b", ""):
        with pytest.raises(kt.KinetreeError, match="a MATLAB function cannot be called"):
            matlab_text(chain, name, "x", Spelling())
    with pytest.raises(kt.KinetreeError) as error:
        written_chain(kt.load(URDF, format="urdf"), "x")
    assert str(error.value).startswith("error: robot 'r' is of no DH file, whose chains could be printed as written")
    with pytest.raises(kt.KinetreeError, match="'x'"):
        written_chain(
            kt.load('convention = "dh"\nrows = []\nunits = { length = "m", angle = "rad" }\n', format="dh"), "x"
        )


def test_semantic_descriptions(golden):
    robot = kt.load(URDF, format="urdf")
    said = []
    for name, body in SRDF.items():
        for head, names in (('name="r"', True), ('name="other"', True), ("", False)):
            semantic, groups, findings = read_onto(
                robot, f"<robot {head} odd='1'>{body}</robot>", "r.srdf", names=names
            )
            said.append(f"# {name} {head}\n{reading(None, findings)}{groups}\n{one_line(semantic)}\n")
    said += [
        f"# written without {', '.join(parts)}\n{written(semantic_robot(), 'srdf', parts)}"
        for parts in ((), ("group",), ("extension",))
    ]
    golden("whole_srdf.txt", "\n".join(said))


def semantic_robot() -> kt.Robot:
    return kt.load(URDF, format="urdf", srdf=f'<robot name="r">{SRDF["everything"]}<odd/></robot>')


def test_tables_of_limits(golden):
    said = []
    for name, text in LIMITS.items():
        sets, findings = limit_tables.read(text, "limits.toml")
        said.append(f"# {name}\n{in_full([*findings, *map(one_line, sets)])}")
    golden("whole_limits.txt", "\n".join(said))


@pytest.mark.skipif(os.sep != "/", reason="the paths in messages are those of POSIX")
def test_xacro(golden):
    texts = {name: (f'<robot name="r" {NS}>{body}</robot>', {}) for name, body in XACRO.items()}
    texts["arguments"] = (texts["arguments"][0], {"q": "given"})
    texts["an argument of nothing"] = (
        texts["nothing"][0].replace("<odd/>", LINK + "<xacro:arg name='p' default='1'/>"),
        {"pp": "1"},
    )
    texts |= {"no XML": ("<robot><link></robot>", {}), "no name space": ('<robot><xacro:if value="1"/></robot>', {})}
    golden("whole_xacro.txt", "\n".join(f"# {name}\n{expanded(*one)}" for name, one in texts.items()))


def test_dh_of_a_chain_is_read_once():
    """Names of chains, and the numbers as they are published."""
    robot = kt.load(ARM.replace("CONVENTION", "dh"), format="dh")
    assert [row.a for row in written_chain(robot, "").rows] == [0.01, 0.0, 0.001, 0.0]
    assert dh.read(ARM.replace("CONVENTION", "dh"), "x.TOML")[0] is not None


FILE_NAMES = [
    "r.urdf",
    "R.URDF",
    "r.urdf.xacro",
    "r.sdf",
    "r.world",
    "r.mjcf",
    "r.xml",
    "r.toml",
    "r.csv",
    "r.ets",
    "r.srdf",
    "R.SRDF",
    "r.srdf.xacro",
    "r.yaml",
    "r.YML",
    "r.txt",
    "r",
    "urdf",
    ".urdf",
    "r.urdf.bak",
]
ROOTS = (
    *(
        b"",
        b" \n",
        b"<robot/>",
        b"<sdf>",
        b"<mujoco a='1'/>",
        b"<mujocoinclude/>",
        b"<robots/>",
        b"<xacro:m/>",
        b"text",
    ),
    *(b"\xef\xbb\xbf <?xml version='1.0'?><!-- <sdf/> -->\n<robot>", b"<!DOCTYPE a><robot/>", b"<\xff/>", b"<robot\n>"),
)
OPTIONS = (
    {"packages": {"p": "/p"}},
    {"args": {"a": 1}},
    {"model": "m"},
    {"expand": "mujoco"},
    {"expand": "mojoco"},
)


def test_formats_of_files(golden):
    """The format of each ending and root element, and options that mean nothing to a format."""

    def outcome(call, *arguments):
        try:
            return call(*arguments)
        except kt.KinetreeError as error:
            return "; ".join(map(str, error.findings))

    said = [f"{name}: {getattr(one := outcome(format_of_text, Path(name), b''), 'name', one)}" for name in FILE_NAMES]
    said += [f"{text!r}: {getattr(one := outcome(format_of_text, Path('r.xml'), text), 'name', one)}" for text in ROOTS]
    for row in (*FORMATS.values(), WRITTEN["srdf"]):
        for given in OPTIONS:
            options = ReadOptions(**given)
            left = [name for name in given if getattr(row.meant(options), name) is not None]
            said.append(f"{row.name} {given}: {outcome(row.check_options, options)}, left {left}")
        said.append(f"{row.name}: {without_effect(ReadOptions(model='m', packages={'p': 'p'}), [row, None])}")
    said += [f"{text}: {holds_xacro(text)}" for text in (b"$", b"${", b"$(", b"<xacro:", b"xacro:", b"{ $ (", b"")]
    golden("formats_of_files.txt", "\n".join(said) + "\n")
    empty = ReadOptions(args={}, packages={}, without="mimic")
    assert (empty.without, without_effect(empty, [WRITTEN["srdf"]])) == (("mimic",), [])
