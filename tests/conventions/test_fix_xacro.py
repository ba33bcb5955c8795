"""What `fix` adds to macros, and with which names."""

import re
import shutil

import pytest

import kinetree as kt
from kinetree.errors import KinetreeError
from kinetree.fixer.fix import fix, write
from kinetree.rules.examples import ARM
from repaired import repaired, without
from support import sample, shared

HEAD = """<robot name="arms" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="side" default="left"/>
  <xacro:arg name="angle" default="1.5707963267948966"/>
  <xacro:property name="half" value="${pi/2}"/>
"""
HANGS = """<origin xyz="0 0 0" rpy="0 1.5707963267948966 0"/>
    <parent link="flange"/>
    <child link="tool0"/>"""
ON_LINK_6 = HANGS.replace("0 0 0", "0.09 0 0").replace("flange", "link_6")
"""tool0 beside flange, R199-505."""


def arms(calls: list[str], prefix: str = "${prefix}", text: str = "") -> str:
    """A macro of an arm whose names have a prefix, and a call of it for each value of the parameter `prefix`."""
    body = text or without("base")
    body = body.partition('<robot name="arm">\n')[2].removesuffix("</robot>\n")
    body = re.sub(r'(<(?:link|joint) name|<(?:parent|child) link)="', lambda match: match[0] + prefix, body)
    stand = f'<joint name="{prefix}stand" type="fixed"><parent link="world"/><child link="{prefix}base_link"/></joint>'
    said = "".join(f'  <xacro:arm prefix="{call}"/>\n' for call in calls)
    macro = f'  <xacro:macro name="arm" params="prefix">\n{stand}\n{body}  </xacro:macro>\n'
    return f'{HEAD}  <link name="world"/>\n{macro}{said}</robot>\n'


@pytest.mark.slow
def test_a_frame_is_added_behind_the_link_that_carries_it(tmp_path):
    path = tmp_path / "arm.xacro"
    text = without("base")
    path.write_text(text)
    result = repaired(path, controller="abb")
    assert [finding.code for finding in result.repaired] == ["R199-208"]
    added = re.fullmatch(re.escape(text).replace(re.escape("</link>"), "</link>(.*)", 1), path.read_text(), re.DOTALL)[
        1
    ]
    assert added.splitlines()[1:] == [
        '  <link name="base"/>',
        '  <joint name="base_link-base" type="fixed">',
        '    <origin xyz="0 0 0" rpy="0 0 0"/>',
        '    <parent link="base_link"/>',
        '    <child link="base"/>',
        "  </joint>",
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("prefix", "calls", "made"),
    [
        ("${prefix}", ["left_", "right_"], ["left_", "right_"]),
        ("${prefix}", [""], [""]),
        ("${prefix}_", ["left", "right"], ["left_", "right_"]),
        ("$(arg side)_", ["left"], ["left_"]),
        ("${'left' if prefix == 'a' else 'right'}_", ["a", "b"], ["left_", "right_"]),
    ],
)
@pytest.mark.sampled
def test_names_have_the_prefix_of_the_macro(prefix, calls, made, tmp_path):
    path = tmp_path / "arms.xacro"
    path.write_text(arms(calls, prefix, without("base").replace(HANGS, ON_LINK_6)))
    before = kt.load(path)
    result = repaired(path, controller="abb")
    codes = sorted(finding.code for finding in result.repaired if finding.code != "NAM-008")
    assert codes == ["R199-208"] * len(calls) + ["R199-505"] * len(calls)
    assert set(kt.load(path).links) - set(before.links) == {f"{name}base" for name in made}
    lines = '<link name="{}base"/>', '<joint name="{}base_link-base" type="fixed">', '<parent link="{}flange"/>'
    assert [path.read_text().count(line.format(prefix)) for line in lines] == [1, 1, 1]


@pytest.mark.parametrize("written", ["${prefix}${'base_link'}", "${prefix}base_${'link'}", "${base}"])
def test_where_a_name_is_worked_out_whole_nothing_is_added(written, tmp_path):
    path = tmp_path / "arms.xacro"
    link = '<link name="${prefix}base_link">'
    text = arms(["left_"]).replace(link, f'<xacro:property name="base" value="left_base_link"/>{link}')
    path.write_text(text.replace(link, link.replace("${prefix}base_link", written)))
    result = fix(path, profile="industrial", controller="abb")
    ((finding, because),) = result.unrepaired
    assert (finding.code, result.after) == ("R199-208", {})
    assert f"name={written!r} is computed there, so the names of new elements are unknown" in because


@pytest.mark.slow
@pytest.mark.parametrize(
    ("angle", "is_repaired"),
    [("${pi/2}", True), ("${radians(90)}", True), ("${0.5e0*pi}", True), ("${half}", False), ("$(arg angle)", False)],
)
def test_angles_of_pi_alone_are_written_anew(angle, is_repaired, tmp_path):
    """What a property or an argument says may be meant for other places, too, and change."""
    path = tmp_path / "arms.xacro"
    turned = ON_LINK_6.replace("1.5707963267948966", angle).replace("0.09 0 0", "0 0 0.09")
    flange = ARM.replace(
        '<origin xyz="0.09 0 0" rpy="0 0 0"/>', '<origin xyz="0 0 0.09" rpy="0 -1.5707963267948966 0"/>'
    )
    path.write_text(arms(["left_"], text=flange.replace(HANGS, turned)))
    result = fix(path, profile="industrial", controller="abb", select="R199-505")
    assert bool(result.repaired) == is_repaired
    assert is_repaired or f"{angle} 0' is computed there" in result.unrepaired[0][1]


BRANCH = '<xacro:if value="$(arg flanged)">'
FLANGE = '  <link name="${prefix}flange"/>'
TOOL0 = '  <link name="${prefix}tool0"/>'


@pytest.mark.slow
@pytest.mark.parametrize("is_together", [False, True])
def test_nothing_is_hung_on_what_may_not_be_there(is_together, tmp_path):
    """With other arguments xacro makes tool0, but not flange, unless both stand in one branch."""
    path = tmp_path / "arms.xacro"
    text = arms(["left_"], text=ARM.replace(HANGS, ON_LINK_6))
    text = text.replace(HEAD, f'{HEAD}<xacro:arg name="flanged" default="true"/>')
    head, flange, rest = text.partition(FLANGE)
    other, tool0, rest = rest.partition(TOOL0)
    end, tail = rest.split("</joint>", 1) if is_together else ("", tool0 + rest)
    inside = f"{tool0}{end}</joint>" if is_together else ""
    path.write_text(f"{head}{BRANCH}{flange}{other}{inside}</xacro:if>{tail}")
    for flanged in ("true", "false"):
        assert not [f for f in kt.load(path, args={"flanged": flanged}).notes if f.severity == "error"]
    result = fix(path, profile="industrial", controller="abb", select="R199-505")
    if is_together:
        assert ({finding.code for finding in result.repaired}, result.unrepaired) == ({"R199-505", "NAM-008"}, ())
    else:
        ((_, because),) = result.unrepaired
        assert re.search(r"'left_flange' is made in the <xacro:if> at .*arms.xacro:\d+:1 alone", because)
    write(result)
    assert kt.load(path, args={"flanged": "false"})


def test_nothing_is_added_to_one_of_two_branches(tmp_path):
    path = tmp_path / "arms.xacro"
    text = arms(["left_"])
    link = re.search(r'  <link name="\$\{prefix\}base_link">.*?</link>', text, re.DOTALL)[0]
    path.write_text(
        text.replace(link, f'<xacro:if value="1">{link}</xacro:if><xacro:unless value="1">{link}</xacro:unless>')
    )
    result = fix(path, profile="industrial", controller="abb", select="R199-208")
    ((_, because),) = result.unrepaired
    assert re.search(r"it is written at .*arms.xacro:\d+:\d+, too, and one of the two is made", because)


@pytest.mark.parametrize("xyz", ["0.09 0 0", "0 0 0"])
def test_tool0_is_not_added_to_a_flange_that_points_elsewhere(xyz, tmp_path):
    """Nor where only the axis of the last joint is known, and not which way along it is out."""
    path = tmp_path / "arm.urdf"
    turned = without("tool0").replace('<origin xyz="0.09 0 0" rpy="0 0 0"/>', f'<origin xyz="{xyz}" rpy="0 1.5 0"/>')
    path.write_text(turned if xyz != "0 0 0" else turned.replace('<origin xyz="0.02 0 0"/>', '<origin xyz="0 0 0"/>'))
    assert "R199-403" in {finding.code for finding in kt.check(path, profile="industrial")}
    result = fix(path, profile="industrial", controller="abb", select="R199-501")
    ((_, because),) = result.unrepaired
    assert because == "X of 'flange' does not point outwards (R199-403), so tool0 would not either"


@pytest.mark.slow
def test_a_second_model_of_the_macro_is_repaired_by_the_first(tmp_path):
    """With --unsafe also in the file that both include; each has its own prefix."""
    call = '<robot name="{0}" xmlns:xacro="http://ros.org/xacro"><xacro:include filename="arm.xacro"/>{1}</robot>'
    head, _, body = arms([]).partition('  <link name="world"/>\n')
    (tmp_path / "arm.xacro").write_text(head + body)
    one, two = (tmp_path / f"{name}.urdf.xacro" for name in ("one", "two"))
    for path, prefix in ((one, ""), (two, "two_")):
        path.write_text(call.format(path.stem[:3], f'<link name="world"/><xacro:arm prefix="{prefix}"/>'))
    asked = {"profile": "industrial", "controller": "abb", "select": "R199-208"}
    assert "which other models may include" in fix(one, **asked).unrepaired[0][1]
    write(fix(one, **asked, unsafe=True))
    result = fix(two, **asked, unsafe=True)
    assert (result.repaired, result.unrepaired) == ((), ())
    assert "two_base" in kt.load(two).links


@pytest.mark.slow
def test_blocks_of_others_have_links_of_their_own(tmp_path):
    """In a plug-in of Gazebo <link> holds a name and has none."""
    path = tmp_path / "arms.xacro"
    block = "<gazebo><plugin name='p' filename='p'><link>left_flange</link></plugin></gazebo>"
    text = arms(["left_"], text=ARM.replace(HANGS, ON_LINK_6))
    path.write_text(text.replace('  <link name="world"/>', f'  <link name="world"/>{block}'))
    result = fix(path, profile="industrial", controller="abb", select="R199-505")
    assert {finding.code for finding in result.repaired} == {"R199-505", "NAM-008"}


GRIPPER = """  <xacro:macro name="gripper" params="{params}">
    <link name="hand"><visual><geometry><box size="0.1 0.1 0.1"/></geometry></visual></link>
    <joint name="mount" type="fixed">
      <parent link="{parent}"/>
      <child link="hand"/>
    </joint>
  </xacro:macro>
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("params", "parent", "before", "call", "expected"),
    [
        ("parent", "${parent}", "", 'parent="tool0"', 'parent="flange"'),
        ("parent:=tool0", "${parent}", "", "", "parent:=flange"),
        ("parent", "${parent}", "", 'parent="${where}"', '<xacro:property name="where" value="flange"/>'),
        ("parent", "${parent}", "", 'parent="$(arg at)"', '<xacro:arg name="at" default="flange"/>'),
        ("prefix parent", "${prefix}${parent}", "", 'prefix="" parent="tool0"', 'parent="flange"'),
        ("prefix", "${prefix}tool0", "", 'prefix=""', "${prefix}flange"),
        ("a", "${b}", '<xacro:property name="b" value="tool0"/>', 'a="1"', '<xacro:property name="b" value="flange"/>'),
    ],
)
def test_the_name_is_edited_where_it_is_written(params, parent, before, call, expected, tmp_path):
    path = tmp_path / "arm.xacro"
    names = '<xacro:property name="where" value="tool0"/><xacro:arg name="at" default="tool0"/>'
    macro = GRIPPER.format(params=params, parent=parent)
    path.write_text(
        ARM.replace('<robot name="arm">', HEAD + names + before + macro).replace(
            "</robot>", f"<xacro:gripper {call}/></robot>"
        )
    )
    result = repaired(path, controller="abb", unsafe=True)
    assert result.unrepaired == ()
    assert expected in path.read_text()
    assert kt.load(path).joints["mount"].parent == "flange"


@pytest.mark.slow
@pytest.mark.parametrize("calls", [[""], ["left_", "right_"]])
def test_links_behind_a_prefix_are_renamed(calls, tmp_path):
    """In every macro, and in a branch that is not taken."""
    path = tmp_path / "arms.xacro"
    more = '<xacro:if value="0"><link name="${prefix}cap"/><joint name="${prefix}c" type="fixed">'
    more += '<parent link="${prefix}elbow"/><child link="${prefix}cap"/></joint></xacro:if>  </xacro:macro>'
    path.write_text(arms(calls, text=ARM.replace('"link_3"', '"elbow"')).replace("  </xacro:macro>", more))
    result = fix(path, profile="industrial", controller="abb", unsafe=True)
    write(result)
    assert [finding.code for finding in result.repaired] == ["R199-301"] * len(calls)
    assert path.read_text().count('"${prefix}link_3"') == 4
    assert "elbow" not in path.read_text()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("repository", "every", "at_least"),
    [
        ("ros-industrial+abb", 2, 2),
        ("ros-industrial+motoman", 6, 2),
        ("ros-industrial+kuka_experimental", 1, 1),
        ("ros-industrial+fanuc", 3, 1),
        ("Yaskawa-Global+motoman_ros2_support_packages", 1, 2),
    ],
)
def test_frames_in_the_macros_of_makers(repository, every, at_least, tmp_path):
    """Each model is repaired in its macro, and afterwards as good as `repaired` asks for; no other model of the
    repository has anything new."""
    folder = tmp_path / repository
    shutil.copytree(shared("corpus", repository), folder, ignore=shutil.ignore_patterns("meshes"))
    models = sample([path for path in sorted(folder.rglob("*.xacro")) if robot_of(path)], every)
    before = {path: found(path) for path in models}
    count = 0
    for path in models:
        for code in ("R199-208", "R199-401", "R199-501", "R199-505"):
            if fix(path, profile="industrial", select=code, unsafe=True).repaired:
                count += len(repaired(path, select=code, unsafe=True).repaired)
    assert count >= at_least
    assert all(found(path) <= before[path] for path in models)


def robot_of(path):
    try:
        return kt.load(path)
    except KinetreeError:
        return None


def found(path):
    return {(finding.code, finding.element) for finding in kt.check(robot_of(path), profile="industrial")}
