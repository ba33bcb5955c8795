"""What is found in xacro files that make no robot, from what their package has."""

from pathlib import Path
from tempfile import mkdtemp

import kinetree as kt
from each import each
from kinetree.xacro_text import package as packages

HEAD = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
WHEEL = f'{HEAD}<xacro:macro name="wheel" params="on"><link name="${{on}}"/></xacro:macro></robot>'


def found(folder: Path, inside: str, **files: str) -> list[tuple[str, str, str]]:
    """What rules of xacro find in a file beside other files of a package: code, severity and message."""
    packages._package.cache_clear()
    packages._folder_of.cache_clear()
    texts = {"package.xml": "<package><name>arm</name></package>", "wheel.xacro": WHEEL, **files}
    folder = Path(mkdtemp(dir=folder), "arm")
    (folder / "urdf").mkdir(parents=True)
    for name, text in texts.items():
        (folder / name).write_text(text)
    (file := folder / "urdf" / "part.xacro").write_text(f"{HEAD}{inside}</robot>")
    return [(f.code, f.severity, f.message) for f in kt.check(file) if f.code.startswith("XAC")]


@each(
    "inside, code, words",
    [
        ('<wheel on="a"/>', "XAC-011", "xacro ignores <wheel> without its prefix, so the robot lacks"),
        ("<wheel><a/></wheel>", "XAC-011", "xacro ignores <wheel>"),
        ("<wheel/>", "", ""),  # an element of that name, as it may be
        ('<gazebo><wheel on="a"/></gazebo>', "", ""),
        ('<leg on="a"/>', "", ""),
        (
            '<xacro:include filename="$(find arm)/urdf/no.gazebo"/>',
            "XAC-010",
            "there is no file '$(find arm)/urdf/no.g",
        ),
        ('<xacro:include filename="$(find legs)/urdf/no.gazebo"/>', "", ""),
        ('<xacro:include filename="no.gazebo"/>', "", ""),  # it may be beside the file that includes this one
        ('<xacro:include filename="$(find arm)/wheel.xacro"/>', "", ""),
    ],
)
def test_what_the_package_of_a_fragment_shows(inside: str, code: str, words: str, tmp_path: Path) -> None:
    there = found(tmp_path, f'<xacro:macro name="m">{inside}</xacro:macro>')
    assert [one[0] for one in there if one[1] != "info"] == [code] * bool(code)
    assert all(words in message for _, severity, message in there if severity != "info")


def test_a_robot_may_have_elements_with_the_names_of_macros_that_it_does_not_include(tmp_path: Path) -> None:
    assert found(tmp_path, '<link name="a"/><wheel on="a"/>') == []


@each(
    "value, before, is_found",
    [
        ("${kind == big}", "", True),
        ("${kind != big and x}", "", True),
        ("${(kind == big)}", "", True),
        ("${kind == 'big'}", "", False),
        ("${kind == other}", "", False),  # nothing in the file has the word
        ("${kind + big}", "", False),
        ("${kind == big + 1}", "", False),
        ("${kind == big}", '<xacro:property name="big" value="1"/>', False),
        ("${kind == size}", "", False),  # another file defines it
    ],
)
def test_a_text_without_quotation_marks(value: str, before: str, is_found: bool, tmp_path: Path) -> None:
    other = {"size.xacro": f'{HEAD}<xacro:property name="size" value="1"/></robot>'}
    kind = '<xacro:property name="kind" value="a"/><!-- big or small --><link name="size"/>'
    missing = '<xacro:include filename="$(find legs)/a.xacro"/>'
    there = found(tmp_path, f'{missing}\n{kind}{before}<xacro:if value="{value}"/>', **other)
    assert [one for one in there if one[0] == "XAC-002"] == [
        ("XAC-002", "warning", "the name 'big' is not defined; a text needs quotation marks")
    ] * is_found


@each("inside, code", [('` <link name="a"/>', "XAC-014"), ('<material name="Red"/>', "XAC-015")])
def test_what_readers_say_of_robots(inside: str, code: str, tmp_path: Path) -> None:
    red = '<material name="red"><color rgba="1 0 0 1"/></material>'
    there = found(tmp_path, f'{red}<xacro:macro name="m">{inside}</xacro:macro>')
    assert [one[0] for one in there] == [code]
