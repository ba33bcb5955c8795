"""Names, calls and includes of xacro files that are not evaluated."""

from dataclasses import replace
from pathlib import Path

from kinetree import rules
from rule_cases.case import Cases, Model

SPACE = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
ARM = '<xacro:macro name="arm" params="prefix length:=1 *at"><link name="${prefix}${length}"/><x>%s</x></xacro:macro>'
INSERTED = ARM % '<xacro:insert_block name="at"/>'


def text(inside: str, **more) -> Model:
    """A robot of one link, and elements of xacro."""
    return Model(f'<robot name="r" {SPACE}><link name="top"/>{inside}</robot>', format="xacro", **more)


def never(inside: str, before: str = "", **more) -> Model:
    """A robot with a branch that is not taken."""
    return text(f'{before}<xacro:if value="false">{inside}</xacro:if>', **more)


def macro(inside: str, params: str = "", before: str = "") -> Model:
    """A robot with a macro that is not called."""
    return text(f'{before}<xacro:macro name="m" params="{params}">{inside}</xacro:macro>')


def link(name: str) -> str:
    return f'<link name="{name}"/>'


def include(file: str) -> str:
    return f'<xacro:include filename="{file}"/>'


PACKAGES = {"packages": {"arm": Path(rules.__file__).parent / "arm"}}
OTHER = '<xacro:macro name="n" params="side"><xacro:m/><x y="${side}"/></xacro:macro>'
TWICE = (
    '<xacro:property name="gap" value="%s"/><xacro:macro name="one"><x>${gap}</x></xacro:macro>%s'
    '<xacro:property name="gap" value="%s"/><xacro:macro name="two"><y>${gap}</y></xacro:macro><xacro:two/>'
)
CALLED = '<xacro:macro name="n"><x y="1"/></xacro:macro>'
JOINED = '<joint name="j" type="fixed"><parent link="top"/><child link="b"/></joint>'

RED = '<material name="red"><color rgba="1 0 0 1"/></material>'
SEEN = '<visual><material name="%s"/></visual>'
NAMED = "<gazebo><plugin><parameters>{}</parameters></plugin></gazebo>"

CASES = {
    "XAC-002": Cases(
        found={
            "in a branch": never(link("${a}"), says="the name 'a' is not defined"),
            "in a macro": macro(link("${a}")),
            "in the text of an element": never("<x>${a}</x>"),
            "one letter off": macro(link("${prefx}"), "prefix", ""),
            "behind a function": never(link("${sin(a)}")),
            "a parameter of a macro that does not call it": text(
                f'<xacro:macro name="m">{link("${side}")}</xacro:macro><xacro:macro name="n" params="side"/>'
            ),
            "a block": never('<xacro:insert_block name="a"/>'),
            "an argument": never(link("$(arg a)")),
        },
        silent={
            "a property": never(link("${a}"), '<xacro:property name="a" value="1"/>'),
            "a property of another branch": never('<xacro:property name="a" value="1"/>' + link("${a}")),
            "a parameter": macro(link("${a}"), "a"),
            "a parameter of its caller": macro(link("${side}"), "", OTHER),
            "a block that is a parameter": macro('<xacro:insert_block name="a"/>', "*a"),
            "a variable of a comprehension": never(link("${[i for i in range(2)]}")),
            "a variable of a lambda": never(link("${(lambda i: i)(2)}")),
            "functions and constants": never(link("${round(pi, 2)} ${radians(2)} ${python.len('a')} ${True}")),
            "a word in a text": never(link("${'a' + 'b'}")),
            "with dollars for braces": never(link("$${a}")),
            "an argument with a default": never(link("$(arg a)"), '<xacro:arg name="a" default="1"/>'),
            "beside a property whose name is computed": never(
                link("${a}"), "<xacro:property name=\"${'b' + 'c'}\" value=\"1\"/>"
            ),
            "a file that depends on an argument": never('<xacro:include filename="$(arg f)"/>' + link("${a}")),
        },
    ),
    "XAC-003": Cases(
        found={
            "two operators": never(link("${2 * * 3}")),
            "an open brace": never(link("${a")),
            "two words": never(link("${arg reach}")),
            "an unknown command": never(link("$(prefix)_a"), says="begins with none of"),
        },
        silent={
            "an argument within": never(link("${'$(arg a)' == 'b'}"), '<xacro:arg name="a" default="1"/>'),
            "find": never(link("$(find a)/b")),
        },
    ),
    "XAC-004": Cases(
        found={
            "like another": never("<xacro:armm/>", INSERTED, says="did you mean 'arm'?"),
            "with attributes": never('<xacro:other x="1"/>'),
        },
        silent={
            "a macro": never('<xacro:arm prefix=""><a/></xacro:arm>', INSERTED),
            "a macro of a name space": never('<xacro:ns.arm prefix=""><a/></xacro:ns.arm>', INSERTED),
            "that stops the expansion on purpose": never("<xacro:no_such_camera/>"),
            "a name that is computed": never('<xacro:call macro="${1}" x="1"/>'),
        },
    ),
    "XAC-005": Cases(
        found={
            "a parameter that is none": never('<xacro:arm prefix="" x="1"><a/></xacro:arm>', INSERTED),
            "a parameter too few": never("<xacro:arm><a/></xacro:arm>", INSERTED, says="'prefix' must be given"),
            "a block too few": never('<xacro:arm prefix=""/>', INSERTED),
            "a block too many": never('<xacro:arm prefix=""><a/><b/></xacro:arm>', INSERTED),
        },
        silent={
            "a default": never('<xacro:arm prefix=""><a/></xacro:arm>', INSERTED),
            "all of them": never('<xacro:arm prefix="" length="2"><a/></xacro:arm>', INSERTED),
            "a block that may be there": never(
                '<xacro:arm prefix=""><xacro:if value="1"><a/></xacro:if></xacro:arm>', INSERTED
            ),
            "one of two macros of the name": never(
                "<xacro:arm/>", f'{INSERTED}<xacro:if value="0"><xacro:macro name="arm"/></xacro:if>'
            ),
        },
    ),
    "XAC-006": Cases(
        found={
            "a parameter": macro(link("{prefix}a"), "prefix"),
            "a property": text('<xacro:property name="a" value="1"/>' + '<x y="b{a}"/>'),
            "a whole text": macro("<x>{prefix}</x>", "prefix"),
            "an expression of numbers": macro("<x> {-2*pi} </x>"),
            "without braces": macro(link("$prefix"), "prefix"),
        },
        silent={
            "with it": macro(link("${prefix}a"), "prefix"),
            "another name": macro(link("{prefix}a"), "length"),
            "a text for format": macro(link("${'{prefix}a'.format(prefix=prefix)}"), "prefix"),
            "two dollars": macro(link("$${prefix}a"), "prefix"),
            "a part of a text": macro("<x>a: {prefix}</x>", "prefix"),
            "JSON": macro('<x>{"prefix": 1}</x><x>{}</x><x>{1}</x>', "prefix"),
        },
    ),
    "XAC-007": Cases(
        found={
            "a prefix": macro(link("a"), "prefix"),
            "a block": macro(link("a"), "*at"),
        },
        remarked={"another": macro(link("a"), "length")},
        silent={
            "used": macro(link("${prefix}"), "prefix"),
            "used by a macro that it calls": macro(
                "<xacro:n/>", "prefix", '<xacro:macro name="n"><x y="${prefix}"/></xacro:macro>'
            ),
            "forwarded to a macro": macro(
                "<xacro:n/>", "prefix", '<xacro:macro name="n" params="prefix:=^"><x y="${prefix}"/></xacro:macro>'
            ),
            "with an unknown macro": macro("<xacro:n/>", "prefix"),
            "with an include": macro('<xacro:include filename="a"/>', "prefix"),
            "as a default of a property": macro('<xacro:property name="a" value="${prefix}"/>', "prefix"),
        },
    ),
    "XAC-008": Cases(
        found={
            "an argument": text('<xacro:arg name="a" default="1"/>'),
            "with another comment": text('<!-- the reach --><xacro:arg name="a" default="1"/>'),
            "behind an old one": text('<!-- deprecated --><x/><xacro:arg name="a" default="1"/>'),
            "with a comment behind that of an old one": text(
                '<!-- deprecated: the one before --><!-- the reach --><xacro:arg name="a" default="1"/>'
            ),
        },
        silent={
            "that the comment before it calls old": text(
                '<!-- the reach --><!--\n DEPRECATED \n-->\n  <xacro:arg name="a" default="1"/>'
            ),
            "that has no effect any more": text('<!-- no longer used --><xacro:arg name="a" default="1"/>'),
            "used": text('<xacro:arg name="a" default="1"/><x y="$(arg a)"/>'),
            "used in an expression": text('<xacro:arg name="a" default="1"/><x y="${xacro.arg(\'a\')}"/>'),
            "used in eval": text('<xacro:arg name="a" default="1"/><x y="$(eval a + 1)"/>'),
            "used in a branch": never('<x y="$(arg a)"/>', '<xacro:arg name="a" default="1"/>'),
        },
    ),
    "XAC-010": Cases(
        found={
            "a file": never(include("$(find arm)/missing.xacro"), options=PACKAGES),
            "of a plug-in": never(NAMED.format("$(find arm)/missing.yaml"), options=PACKAGES, says="missing.yaml"),
            "in an expression": never("<x>${load_yaml('$(find arm)/missing.yaml')}</x>", options=PACKAGES),
        },
        silent={
            "a file that is there": never(include("$(find arm)/meshes/link_4.stl"), options=PACKAGES),
            "a file of a plug-in": never(NAMED.format("$(find arm)/meshes/link_4.stl"), options=PACKAGES),
            "a mesh where there are none": never(NAMED.format("$(find arm)/no.stl"), options=PACKAGES),
            "a file that may be there": never(
                '<xacro:include filename="$(find arm)/missing.xacro" optional="true"/>', options=PACKAGES
            ),
            "an unknown package": never(include("$(find legs)/missing.xacro"), options=PACKAGES),
            "a name with an argument": never(include("$(find arm)/$(arg a).xacro"), options=PACKAGES),
        },
    ),
    "XAC-013": Cases(
        found={
            "another address": never(
                include("$(find arm)/old_address.xacro"), options=PACKAGES, says="'http://ros.org/wiki/xacro' in old_ad"
            ),
        },
        silent={
            "the same": replace(
                never(include("$(find arm)/old_address.xacro"), options=PACKAGES),
                text=never(include("$(find arm)/old_address.xacro")).text.replace("//www.", "//"),
            ),
            "alone": never(""),
        },
    ),
    "XAC-011": Cases(
        found={
            "a property": text('<property name="a" value="1"/>'),
            "a block": macro('<insert_block name="at"/>', "*at"),
            "two of a kind": text(
                '<property name="a" value="1"/><property name="b" value="1"/>', says="1 other place;"
            ),
            "a call": text(f"{CALLED}<n/>", says="so the robot lacks what the macro 'n' makes; write <xacro:n>"),
            "a call before the macro": text(f"<n/>{CALLED}"),
            "a call in a link": text(f'{CALLED}<link name="b"><n/></link>{JOINED}'),
            "a call in a macro": macro("<n/>", before=CALLED),
        },
        silent={
            "with it": text('<xacro:property name="a" value="1"/>'),
            "a setting of a plug-in": text('<gazebo><plugin><property name="a" value="1"/></plugin></gazebo>'),
            "another element": text('<property name="a"/>'),
            "a call with it": text(f"{CALLED}<xacro:n/>"),
            "an element that is no macro": text(f"{CALLED}<m/>"),
            "an element of a plug-in": text(f"{CALLED}<gazebo><plugin><n/></plugin></gazebo>"),
            "an element of SDF": replace(
                text(CALLED),
                text=f'<sdf version="1.9" {SPACE}><model name="m"><link name="a"/>{CALLED}<n/></model></sdf>',
            ),
            "an element of a transmission": text(f"{CALLED}<transmission><x><n/></x></transmission>"),
            "an element of URDF": text(CALLED.replace('"n"', '"material"') + '<material name="red"/>'),
        },
    ),
    "XAC-012": Cases(
        found={
            "hardly another number": text(TWICE % ("1", "", "1.0102")),
            "before any use": text(TWICE % ("0.1", "", "0.3"), says="the value '0.3' replaces '0.1' of line 1"),
            "words": text(TWICE % ("a", "", "b")),
        },
        silent={
            "nearly the same number": text(TWICE % ("1", "", "1.01")),
            "after a call": text(TWICE % ("0.1", "<xacro:one/>", "0.3")),
            "the same number": text(TWICE % ("0.1", "", "0.10")),
            "an expression": text(TWICE % ("${1/2}", "", "0.3")),
            "only the first is used in a macro": text((TWICE % ("0.1", "", "0.3")).replace("<y>${gap}", "<y>1")),
            "only the second is used in a macro": text((TWICE % ("0.1", "", "0.3")).replace("<x>${gap}", "<x>1")),
            "in a branch": text(
                TWICE.replace("<xacro:property", '<xacro:if value="1"><xacro:property', 1).replace(
                    "/>", "/></xacro:if>", 1
                )
                % ("0.1", "", "0.3")
            ),
        },
    ),
    "XAC-014": Cases(
        found={
            "in a macro": replace(macro("` " + link("b")), says="the text '`'"),
            "in a link of a macro": macro('<link name="b">--></link>'),
            "in a transmission": macro("<transmission> a <type>b</type></transmission>"),
            "in a joint, beside elements": macro('<joint name="j"> a <parent link="a"/></joint>'),
        },
        silent={
            "in a macro that is called, of which the reader warns": text(
                '<xacro:macro name="m">`</xacro:macro><xacro:m/>'
            ),
            "in the robot, of which the reader warns": text("`"),
            "blanks": macro(" \n " + link("b")),
            "an expression": macro("${a}", "a"),
            "of a plug-in": macro("<gazebo> a <plugin>b</plugin></gazebo>"),
            "of a transmission": macro("<transmission><type>a</type></transmission>"),
        },
    ),
    "XAC-015": Cases(
        found={
            "a capital letter": macro(SEEN % "Red", before=RED),
            "two": replace(macro(SEEN % "RED" + SEEN % "Red", before=RED), count=2, says="did you mean 'red'?"),
        },
        silent={
            "the same": macro(SEEN % "red", before=RED),
            "another": macro(SEEN % "blue", before=RED),
            "both": macro(SEEN % "Red", before=RED + RED.replace("red", "Red")),
            "with a colour": macro(SEEN.replace("/></v", "><color/></material></v") % "Red", before=RED),
        },
    ),
}
