"""Macros of xacro files."""

from dataclasses import replace

from rule_cases.case import Cases, Model

SPACE = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'


def macro(inside: str, params: str = "prefix", count: int | None = None) -> Model:
    """A robot with a macro that nobody calls."""
    made = f'<xacro:macro name="m" params="{params}">{inside}</xacro:macro>'
    return Model(f'<robot name="r" {SPACE}>{made}<link name="top"/></robot>', format="xacro", count=count)


def links(*names: str) -> str:
    return "".join(f'<link name="{name}"/>' for name in names)


def called(parent: str) -> Model:
    """A macro that hangs what it makes on a link, called with the prefix left_, and the links left_a and right_a."""
    joint = f'<joint name="${{prefix}}j" type="fixed"><parent link="{parent}"/><child link="${{prefix}}a"/></joint>'
    made = f'<xacro:macro name="m" params="prefix">{links("${prefix}a")}{joint}</xacro:macro>'
    others = (
        links("left_a", "right_a")
        + '<joint name="k" type="fixed"><parent link="left_a"/><child link="right_a"/></joint>'
    )
    never = '<xacro:if value="0"><xacro:m prefix="left_"/></xacro:if>'
    return Model(f'<robot name="r" {SPACE}>{made}{others}{never}</robot>', format="xacro")


OWN = tuple(f"${{p}}_{letter}" for letter in "abcdef")
"""Names with a parameter p in front."""

FIXED = (
    '<xacro:macro name="m" params="side"><link name="${{side}}_a"/></xacro:macro><xacro:macro name="n" params="side">'
    '<gazebo reference="{}"/></xacro:macro><link name="top"/><xacro:if value="0"><xacro:m side="left"/></xacro:if>'
)


def fixed(name: str) -> Model:
    """A macro that names a link in a block of Gazebo, and another that makes left_a."""
    return Model(f'<robot name="r" {SPACE}>{FIXED.format(name)}</robot>', format="xacro")


CASES = {
    "XAC-001": Cases(
        found={
            "a child that the macro makes": macro(
                links("${prefix}a") + '<joint name="${prefix}j"><child link="a"/></joint>'
            ),
            "a joint that is followed": macro(
                '<joint name="${prefix}j"/><joint name="${prefix}k"><mimic joint="j"/></joint>'
            ),
            "a link": macro(links("${prefix}a", "b")),
            "a joint": macro('<joint name="j"/>'),
            "a reference of Gazebo": fixed("left_a"),
            "by a parameter called like it": macro(links("b"), "tf_prefix x"),
            "a parent that the macro makes": macro(
                links("${prefix}a") + '<joint name="${prefix}j"><parent link="a"/></joint>'
            ),
            "a link, not what names it again": macro(
                links("${prefix}a", "b") + '<joint name="${prefix}j"><parent link="b"/></joint>', count=1
            ),
            "settings of a simulator": macro(links("${prefix}a") + '<gazebo reference="a"/>'),
            "by a parameter before four of five names": macro(links(*OWN[:4], "b"), "p"),
            "by a parameter before six of eight": macro(links(*OWN, "x", "y"), "p", count=2),
            "with base_link, where the parameter is a prefix by its name": macro(links("base_link")),
            "the prefix of a call": called("left_a"),
            "a prefix that no name has, once": replace(
                macro(links("a", "b")), says="the macro puts 'prefix' before none of its names"
            ),
        },
        silent={
            "by a parameter before 14 of 19": macro(links(*(f"${{p}}_{i}" for i in range(14)), *"vwxyz"), "p"),
            "a reference with the parameter": fixed("${side}_a"),
            "a reference to another link": fixed("top"),
            "with its prefix": macro(links("${prefix}a")),
            "without a prefix among its parameters": macro(links("a"), "x"),
            "by a parameter before three names only": macro(links(*OWN[:3], "b"), "p"),
            "by a parameter before four of six": macro(links(*OWN[:4], "x", "y"), "p"),
            "with base_link, where the parameter is no prefix by its name": macro(links(*OWN[:4], "base_link"), "p"),
            "with base_footprint there": macro(links(*OWN[:4], "base_footprint"), "p"),
            "with world": macro(links("${prefix}a", "world")),
            "with map and odom": macro(links("${prefix}a", "map", "odom")),
            "a parent that it does not make": macro('<joint name="${prefix}j"><parent link="table"/></joint>'),
            "the prefix of no call": called("right_a"),
            "in a macro within": macro(f'<xacro:macro name="n" params="x">{links("a")}</xacro:macro>'),
            "inside of a simulator's settings": macro('<gazebo><link name="a"/></gazebo>'),
            "a URDF": "<robot name='r'><link name='a'/></robot>",
        },
    ),
}
