"""xacro: expanded without ROS, every fault with its place, nothing without end."""

import contextlib
import io
from pathlib import Path

import numpy as np
import pytest

import kinetree as kt
from kinetree.formats.registry import ReadOptions
from kinetree.formats.xacro import engine
from kinetree.load import examine
from support import all_frames, sample, shared
from xacro_reference import compare, xacro_files

NS = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'

ARM = f"""<robot name="arm" {NS}>
  <xacro:arg name="length" default="0.5"/>
  <xacro:arg name="prefix" default=""/>
  <xacro:include filename="$(find arm_parts)/urdf/parts.xacro"/>
  <link name="$(arg prefix)base"/>
  <xacro:segment name="$(arg prefix)upper" parent="$(arg prefix)base" length="$(arg length)"/>
  <xacro:segment name="$(arg prefix)lower" parent="$(arg prefix)upper" length="${{2 * $(arg length)}}"/>
</robot>"""

PARTS = f"""<robot {NS}>
  <xacro:macro name="segment" params="name parent length:=1">
    <link name="${{name}}"/>
    <joint name="${{name}}_joint" type="continuous">
      <parent link="${{parent}}"/>
      <child link="${{name}}"/>
      <origin xyz="0 0 ${{length}}" rpy="0 ${{pi/2}} 0"/>
      <axis xyz="0 1 0"/>
    </joint>
  </xacro:macro>
</robot>"""


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Two packages side by side; the folder of one has not its name."""
    for folder, package in (("arm", "arm_description"), ("some_folder", "arm_parts")):
        (tmp_path / folder / "urdf").mkdir(parents=True)
        (tmp_path / folder / "package.xml").write_text(f"<package><name>{package}</name></package>")
    (tmp_path / "arm/urdf/arm.urdf.xacro").write_text(ARM)
    (tmp_path / "some_folder/urdf/parts.xacro").write_text(PARTS)
    return tmp_path


def one(tmp_path: Path, body: str, **options: object) -> kt.Robot:
    path = tmp_path / "robot.xacro"
    path.write_text(f'<robot name="r" {NS}>\n{body}\n</robot>')
    return kt.load(path, **options)


def refusal(tmp_path: Path, body: str, **options: object) -> kt.Finding:
    with pytest.raises(kt.KinetreeError) as caught:
        one(tmp_path, body, **options)
    return caught.value.findings[0]


LINK = '<link name="a"/>'


class TestExpansion:
    def test_arguments_packages_and_macros(self, workspace):
        robot = kt.load(workspace / "arm/urdf/arm.urdf.xacro", args={"length": 0.25, "prefix": "left_"})
        assert list(robot.links) == ["left_base", "left_upper", "left_lower"]
        # up 0.25, then x points down and z forward; 0.5 along that z
        expected = np.array([[-1, 0, 0, 0.5], [0, 1, 0, 0], [0, 0, -1, 0.25], [0, 0, 0, 1]])
        np.testing.assert_allclose(all_frames(robot, np.zeros(2))["left_lower"], expected, atol=1e-12)

    def test_the_caller_says_where_a_package_is(self, workspace, tmp_path):
        other = tmp_path / "elsewhere" / "urdf"
        other.mkdir(parents=True)
        (other / "parts.xacro").write_text(PARTS.replace("0 1 0", "1 0 0"))
        robot = kt.load(workspace / "arm/urdf/arm.urdf.xacro", packages={"arm_parts": other.parent})
        np.testing.assert_array_equal(robot.joints["upper_joint"].axes, [[1, 0, 0]])

    @pytest.mark.parametrize(("variable", "inner"), [("ROS_PACKAGE_PATH", ""), ("AMENT_PREFIX_PATH", "share/tool")])
    def test_packages_from_the_environment(self, tmp_path, monkeypatch, variable, inner):
        package = tmp_path / "far" / "away" / "prefix" / (inner or "folder")
        package.mkdir(parents=True)
        (package / "package.xml").write_text("<package><name>tool</name></package>")
        (package / "tool.xacro").write_text(f"<robot {NS}>{LINK}</robot>")
        monkeypatch.setenv(variable, str(tmp_path / "far/away/prefix"))
        text = f'<robot name="r" {NS}><xacro:include filename="$(find tool)/tool.xacro"/></robot>'
        assert list(kt.load(text, format="xacro").links) == ["a"]

    @pytest.mark.slow
    def test_a_folder_without_package_xml_answers_to_its_name(self, tmp_path):
        (tmp_path / "gripper_v2").mkdir()
        (tmp_path / "gripper_v2" / "g.xacro").write_text(f"<robot {NS}>{LINK}</robot>")
        robot = one(tmp_path, '<xacro:include filename="$(find gripper_v2)/g.xacro"/>')
        assert list(robot.links) == ["a"]

    def test_environment_folder_and_yaml(self, tmp_path, monkeypatch):
        monkeypatch.setenv("KINETREE_TEST_NAME", "from_environment")
        (tmp_path / "config.yaml").write_text("arm:\n  mass: 2.5\n  tilt: !degrees 180\n")
        body = """
          <xacro:property name="config" value="${xacro.load_yaml('$(dirname)/config.yaml')}"/>
          <xacro:property name="near" value="${xacro.load_yaml('config.yaml')}"/>
          <link name="$(env KINETREE_TEST_NAME)"><inertial>
            <mass value="${config['arm']['mass'] + near.arm.mass}"/>
            <origin rpy="0 0 ${near.arm.tilt}"/>
            <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
          <xacro:if value="$(optenv KINETREE_TEST_UNSET false)"><link name="b"/></xacro:if>"""
        robot = one(tmp_path, body)
        assert list(robot.links) == ["from_environment"]
        inertial = robot.links["from_environment"].inertial
        assert inertial.mass == 5.0
        np.testing.assert_allclose(inertial.origin[0, 0], -1, atol=1e-12)

    def test_optional_includes_and_wildcards(self, tmp_path):
        for name in ("p1", "p2"):
            (tmp_path / f"{name}.part.xacro").write_text(f'<robot {NS}><link name="{name}"/></robot>')
        body = f"""<xacro:include filename="missing.xacro" optional="true"/>
          {LINK}<xacro:include filename="*.part.xacro"/>
          <joint name="j" type="fixed"><parent link="a"/><child link="p1"/></joint>
          <joint name="k" type="fixed"><parent link="a"/><child link="p2"/></joint>"""
        assert list(one(tmp_path, body).links) == ["a", "p1", "p2"]

    def test_the_robot_keeps_the_expanded_text(self, workspace, tmp_path):
        robot = kt.load(workspace / "arm/urdf/arm.urdf.xacro")
        kt.save(robot, tmp_path / "arm.urdf")
        again = kt.load(tmp_path / "arm.urdf")
        assert robot.text.format == "urdf"
        assert (tmp_path / "arm.urdf").read_text() == robot.text.text
        assert list(again.joints) == list(robot.joints)

    def test_nothing_is_printed_and_warnings_become_notes(self, tmp_path):
        out = io.StringIO()
        with contextlib.redirect_stderr(out), contextlib.redirect_stdout(out):
            robot = one(tmp_path, f"""{LINK}${{xacro.warning('mind the gap')}}<link_x mass="${{sorted([1])[0]}}"/>""")
        assert out.getvalue() == ""
        assert {"mind the gap", "Using sorted() directly is deprecated. Use python.sorted() instead."} <= {
            note.message for note in robot.notes
        }
        assert "not-understood" in {note.code for note in robot.notes}  # of the URDF reader

    def test_the_package_of_other_users_is_left_alone(self, tmp_path):
        import xacro
        import yaml

        before, constructors = dict(vars(xacro)), dict(yaml.SafeLoader.yaml_constructors)
        one(tmp_path, LINK)
        refusal(tmp_path, "<xacro:nothing/>")
        assert vars(xacro) == before
        assert yaml.SafeLoader.yaml_constructors == constructors


class TestPlaces:
    def test_a_bad_expression_names_file_line_and_macro(self, workspace):
        parts = workspace / "some_folder/urdf/parts.xacro"
        parts.write_text(PARTS.replace("${length}", "${lenght}"))
        with pytest.raises(kt.KinetreeError) as caught:
            kt.load(workspace / "arm/urdf/arm.urdf.xacro")
        finding = caught.value.findings[0]
        assert finding.code == "xacro-expression"
        assert (finding.source.file, finding.source.line) == (str(parts), 7)
        assert "'lenght' is not defined" in finding.message
        assert f"macro 'segment', called at {workspace / 'arm/urdf/arm.urdf.xacro'}:6:3" in finding.message

    def test_a_fault_of_the_expanded_text_names_the_line_that_made_it(self, workspace):
        parts = workspace / "some_folder/urdf/parts.xacro"
        parts.write_text(PARTS.replace("0 1 0", "0 0 0"))
        with pytest.raises(kt.KinetreeError) as caught:
            kt.load(workspace / "arm/urdf/arm.urdf.xacro")
        assert [f.code for f in caught.value.findings] == ["zero-axis", "zero-axis"]
        finding = caught.value.findings[0]
        assert str(finding.source) == f"{parts}:8:7"
        assert finding.source.made.file.endswith("arm.urdf.xacro (expanded)")
        assert finding.excerpt.startswith('<axis xyz="0 0 0"/>\n')

    def test_a_fault_of_the_structure_names_the_line_that_made_it(self, tmp_path):
        finding = refusal(tmp_path, '<link name="a"/>\n<link name="b"/>\n<link name="${1}"/>')
        assert finding.code == "several-roots"
        assert str(finding.source) == f"{tmp_path / 'robot.xacro'}:3:1"
        assert finding.excerpt.startswith('<link name="b"/>\n')

    def test_the_parts_of_the_robot_know_the_line_that_made_them(self, workspace):
        robot = kt.load(workspace / "arm/urdf/arm.urdf.xacro")
        parts = workspace / "some_folder/urdf/parts.xacro"
        upper = robot.joints["upper_joint"].source
        assert (upper.file, upper.line) == (str(parts), 4)
        assert upper.made.file.endswith("arm.urdf.xacro (expanded)")

    @pytest.mark.parametrize(
        ("body", "code", "words"),
        [
            ('<xacro:include filename="gone.xacro"/>', "xacro-include", "gone.xacro: there is no such file"),
            ('<xacro:property name="x" value="${1/0}"/>\n<link name="${x}"/>', "xacro-expression", "division by zero"),
            ("<xacro:if value='perhaps'/>", "xacro", "not a boolean"),
            ("<xacro:arm/>", "xacro-macro", "unknown macro name: xacro:arm"),
            ("<link name='$(env KINETREE_TEST_UNSET)'/>", "xacro-substitution", "KINETREE_TEST_UNSET"),
            ("<link name='$(beg x)'/>", "xacro-substitution", "beg"),
            ("<link name='${xacro.load_yaml(\"n.yaml\")}'/>", "xacro-include", "n.yaml"),
            ("<link name='${xacro.load_yaml(\"\")}'/>", "xacro-include", "called with an empty name"),
        ],
    )
    def test_faults(self, tmp_path, body, code, words):
        finding = refusal(tmp_path, body)
        assert finding.code == code
        assert words in finding.message
        assert finding.source.line == 2 + body.count("\n")

    def test_left_over_expressions_are_refused(self, tmp_path):
        finding = refusal(tmp_path, '<link name="$${name}"/>')
        assert finding.code == "left-over-xacro"
        assert finding.source.line == 2

    def test_bad_yaml(self, tmp_path):
        (tmp_path / "c.yaml").write_text("a: 1\nb: [1, 2\n")
        finding = refusal(tmp_path, "<link name=\"${xacro.load_yaml('c.yaml')}\"/>")
        assert finding.code == "xacro-yaml"
        assert "c.yaml:3:1" in finding.message


class TestArguments:
    def test_unknown_ones_are_refused_with_the_list(self, workspace):
        with pytest.raises(kt.KinetreeError) as caught:
            kt.load(workspace / "arm/urdf/arm.urdf.xacro", args={"lenght": 1})
        finding = caught.value.findings[0]
        assert finding.code == "xacro-argument"
        assert "length (default '0.5'), prefix (default '')" in finding.message
        assert finding.fix == "did you mean 'length'?"

    def test_missing_ones_are_named_together(self, tmp_path):
        finding = refusal(tmp_path, '<link name="$(arg first)"/>\n<link name="${xacro.arg(\'second\')}"/>')
        assert finding.code == "xacro-argument"
        assert finding.source.line == 2
        assert "'first'" in finding.message
        assert "'second'" in finding.message
        assert finding.fix == ("pass args={'first': …, 'second': …}, or to the command --arg first=… --arg second=…")

    def test_one_that_is_used_before_its_default(self, tmp_path):
        body = '<link name="$(arg n)"/>\n<xacro:arg name="n" default="a"/>'
        assert "'n', which is used before the <xacro:arg> with its default" in refusal(tmp_path, body).message
        assert list(one(tmp_path, body, args={"n": "b"}).links) == ["b"]

    def test_an_argument_without_default_and_declaration_may_be_given(self, tmp_path):
        robot = one(tmp_path, '<link name="$(arg first)"/>', args={"first": True})
        assert list(robot.links) == ["true"]


class TestFiles:
    def test_a_file_of_macros_says_so_and_how_to_call_them(self, workspace):
        parts = workspace / "some_folder/urdf/parts.xacro"
        with pytest.raises(kt.KinetreeError) as caught:
            kt.load(parts)
        finding = caught.value.findings[0]
        assert finding.code == "xacro-macros-only"
        assert "segment(name parent length:=1)" in finding.message
        assert f'<xacro:include filename="{parts}"/><xacro:segment name="…" parent="…"/>' in finding.fix

    def test_the_call_it_shows_works(self, tmp_path):
        inner = tmp_path / "m.xacro"
        inner.write_text(f'<robot {NS}><xacro:macro name="m" params="n"><link name="${{n}}"/></xacro:macro></robot>')
        with pytest.raises(kt.KinetreeError) as caught:
            kt.load(inner)
        text = caught.value.findings[0].fix.split(": ", 1)[1]
        assert list(kt.load(text.replace("…", "x"), format="xacro").links) == ["x"]

    @pytest.mark.slow
    def test_a_missing_package_says_where_it_was_looked_for(self, tmp_path, monkeypatch):
        monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path / "ros"))
        finding = refusal(tmp_path, '<xacro:include filename="$(find no_such_package_here)/x.xacro"/>')
        assert finding.code == "package"
        assert finding.source.line == 2
        assert str(tmp_path) in finding.message
        assert f"{tmp_path / 'ros'} (ROS_PACKAGE_PATH)" in finding.message
        assert "packages={'no_such_package_here': FOLDER}" in finding.fix

    def test_two_packages_of_one_name_are_not_guessed_between(self, workspace):
        (workspace / "copy").mkdir()
        (workspace / "copy" / "package.xml").write_text("<package><name>arm_parts</name></package>")
        with pytest.raises(kt.KinetreeError) as caught:
            kt.load(workspace / "arm/urdf/arm.urdf.xacro")
        assert caught.value.findings[0].code == "package-ambiguous"
        assert str(workspace / "copy") in caught.value.findings[0].message

    @pytest.mark.parametrize(
        ("text", "code"),
        [
            ('<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/hostname">]><robot>&x;</robot>', "xml-doctype"),
            ("<robot>\n<link></robot>", "xml-syntax"),
            ("<robot><xacro:property name='x' value='1'/></robot>", "xml-syntax"),  # no name space
        ],
    )
    def test_includes_pass_the_xml_layer(self, tmp_path, text, code):
        (tmp_path / "inner.xacro").write_text(text)
        finding = refusal(tmp_path, f'<xacro:include filename="inner.xacro"/>{LINK}')
        assert finding.code == code
        assert finding.source.file == str(tmp_path / "inner.xacro")

    def test_a_text_has_no_folder(self):
        text = f'<robot name="r" {NS}><xacro:include filename="x.xacro"/></robot>'
        _, findings = examine(text, ReadOptions("xacro"))
        assert findings[0].code == "xacro-include"
        assert "a text has none" in findings[0].message


def doubling(last: str, start: str = "ab", step: str = "${p%d}${p%d}") -> str:
    lines = [f'<xacro:property name="p0" value="{start}"/>']
    lines += [f'<xacro:property name="p{i + 1}" value="{step % (i, i)}"/>' for i in range(60)]
    return "\n".join([*lines, last])


BOMBS = {
    "a macro that calls itself": '<xacro:macro name="m"><xacro:m/></xacro:macro><xacro:m/>',
    "a file that includes itself": '<xacro:include filename="robot.xacro"/>',
    "macros that multiply": "".join(
        f'<xacro:macro name="m{i + 1}">{f"<xacro:m{i}/>" * 20}</xacro:macro>' for i in range(9)
    )
    + '<xacro:macro name="m0"><link name="x"/></xacro:macro><xacro:m9/>',
    "texts that double": doubling('<link name="${p60}"/>'),
    "lists that double": doubling('<link name="${p60}"/>', "${[1, 2]}", "${[p%d, p%d]}"),
    "a power": '<link name="${9**9**9**9}"/>',
    "a shift": '<link name="${1 &lt;&lt; 10**12}"/>',
    "a repetition": "<link name=\"${'a' * 10**12}\"/>",
    "a range": '<link name="${list(range(10**12))}"/>',
    "loops in loops": '<link name="${[1 for a in range(9999) for b in range(9999) for c in range(9999)]}"/>',
    "a function that calls itself twice": '<link name="${(lambda f: f(f, 99))(lambda f, n: f(f, n-1) + f(f, n-1))}"/>',
    "a factorial": '<link name="${math.factorial(10**9)}"/>',
    "a width": "<link name=\"${'%1000000000d' % 1}\"/>",
    "a width of format": "<link name=\"${'{:1000000000}'.format(1)}\"/>",
    "padding": "<link name=\"${'a'.ljust(10**10)}\"/>",
    "nesting": f'<link name="${{{"-" * 9000}1}}"/>',
    "a sum of many": f'<link name="${{{"+".join("1" * 9000)}}}"/>',
    "an unclosed quote": f'<xacro:macro name="m" params="a:={"b" * 60}\'"/>',
    "many comments": "<!---->" * 30_000 + LINK,
    "many parameters": f'<xacro:macro name="m" params="{"a " * 30_000}"/>',
    "many expressions": f'<link name="{"$a" * 30_000}"/>',
    "texts that multiply": f'<xacro:macro name="m"><x>{"a" * 900_000}</x></xacro:macro>' + "<xacro:m/>" * 90,
    "comments that multiply": f'<xacro:macro name="m"><x>{"<!---->" * 19_000}</x></xacro:macro>' + "<xacro:m/>" * 90,
    "attributes that multiply": '<xacro:macro name="m"><x '
    + " ".join(f'a{i}="1"' for i in range(900))
    + "/></xacro:macro>"
    + "<xacro:m/>" * 900,
    "values that multiply": f'<xacro:property name="p" value="{"b" * 900_000}"/><x y="{"${p}" * 4000}"/>',
    "long expressions again and again": f'<xacro:macro name="m"><x y="${{{"1 + " * 200}1}}"/></xacro:macro>'
    + "<xacro:m/>" * 5000,
    "a device": '<xacro:include filename="/dev/zero"/>',
    "a way into the interpreter": '<link name="${[x.__class__ for x in [1]]}"/>',
    "a way through a frame": '<link name="${(x for x in [1]).gi_frame.f_back}"/>',
    "a wildcard over the disk": '<xacro:include filename="/*/*/*/*/*/*/*.no_such"/>',
}


SLOW = {"comments that multiply", "long expressions again and again", "attributes that multiply"}


@pytest.mark.slow
@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.slow) if n in SLOW else n for n in BOMBS])
def test_nothing_goes_on_without_end(tmp_path, monkeypatch, name):
    monkeypatch.setattr(engine, "MAX_WORK", 10_000)  # to be quick
    finding = refusal(tmp_path, BOMBS[name])
    assert finding.severity == "error"
    assert finding.code.startswith("xacro")


def test_yaml_that_multiplies(tmp_path):
    levels = "\n".join(f"a{i + 1}: &a{i + 1} [{', '.join([f'*a{i}'] * 10)}]" for i in range(12))
    (tmp_path / "bomb.yaml").write_text(f"a0: &a0 [1]\n{levels}\n")
    merges = "\n".join(f"b{i + 1}: &b{i + 1} {{<<: [{', '.join([f'*b{i}'] * 10)}]}}" for i in range(12))
    (tmp_path / "merge.yaml").write_text(f"b0: &b0 {{x: 1, y: 2}}\n{merges}\n")
    (tmp_path / "self.yaml").write_text("a: &a [*a]\n")
    for name in ("bomb", "self"):
        finding = refusal(tmp_path, f"<link name=\"${{xacro.load_yaml('{name}.yaml')}}\"/>")
        assert finding.code == "xacro-size"
    assert list(one(tmp_path, "<link name=\"r${xacro.load_yaml('merge.yaml')['b12']['y']}\"/>").links) == ["r2"]


@pytest.mark.parametrize(
    ("merge", "length"),
    [
        ("{<<: [*long, *short]}", 2),  # the first of a list, whatever PyYAML does (6.0.4 takes the last)
        ("{<<: [*short, *long]}", 1),
        ("{<<: *long, length: 3}", 3),
        ("{length: 3, <<: *long}", 3),
        ("{<<: [*long, {<<: *short, length: 4}]}", 2),
        ("&c {<<: [*c, *long]}", 2),
    ],
)
def test_merge_keys_of_yaml(tmp_path, merge, length):
    (tmp_path / "sizes.yaml").write_text(f"a: &long {{length: 2}}\nb: &short {{length: 1, k: 0}}\nsize: {merge}\n")
    body = "<link name=\"l${xacro.load_yaml('sizes.yaml')['size']['length']}\"/>"
    assert list(one(tmp_path, body).links) == [f"l{length}"]


@pytest.mark.parametrize("merge", ["3", "[3]", "[[]]"])
def test_what_cannot_be_merged(tmp_path, merge):
    (tmp_path / "sizes.yaml").write_text(f"size: {{<<: {merge}}}\n")
    assert refusal(tmp_path, "<link name=\"${xacro.load_yaml('sizes.yaml')}\"/>").code == "xacro-yaml"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "refused"),
    [
        pytest.param(f"[{'1,' * 29_998}1]", False, marks=pytest.mark.slow),  # 30,000 values
        pytest.param(f"[{'1,' * 29_999}1]", True, marks=pytest.mark.slow),
        ("".join(f"{i * (2**61 - 1)}: 0\n" for i in range(1000)), False),
        ("".join(f"{i * (2**61 - 1)}: 0\n" for i in range(1001)), True),
        ("".join(f"k{i}: 0\n" for i in range(1001)), False),
        pytest.param("# " + "x" * 999_998, False, marks=pytest.mark.slow),
        ("# " + "x" * 999_999, True),
    ],
    ids=["values", "too many values", "numbers", "too many numbers", "texts", "bytes", "too many bytes"],
)
@pytest.mark.sampled
def test_the_most_that_is_read_of_yaml(tmp_path, text, refused):
    (tmp_path / "many.yaml").write_text(text)
    body = "<xacro:property name='data' value=\"${xacro.load_yaml('many.yaml')}\"/><link name=\"${data is None}\"/>"
    if refused:
        assert refusal(tmp_path, body).code == "xacro-size"
    else:
        assert one(tmp_path, body).links


@pytest.mark.parametrize(
    ("name", "text", "body"),
    [
        ("base.yaml", "a: " + ":".join("1" * 1001), "<link name=\"${xacro.load_yaml('base.yaml')}\"/>"),
        ("long.yaml", "# \n" * 200_000, "<link name=\"${[xacro.load_yaml('long.yaml') for i in range(99)]}\"/>"),
        ("part.xacro", f"<robot>{'<a/>' * 30_000}</robot>", '<xacro:include filename="part.xacro"/>' * 4),
        (
            "part.xacro",
            f"<robot>{'<!---->' * 4}{' ' * 3_900_000}</robot>",
            '<xacro:include filename="part.xacro"/>' * 20,
        ),
    ],
    ids=["base", "yaml again", "elements again", "bytes again"],
)
@pytest.mark.slow
def test_what_files_multiply(tmp_path, name, text, body):
    (tmp_path / name).write_text(text)
    assert refusal(tmp_path, body).code in ("xacro-size", "xml-size")


@pytest.mark.slow
def test_threads_do_not_meet(workspace):
    from concurrent.futures import ThreadPoolExecutor

    def links(i: int) -> list[str]:
        return list(kt.load(workspace / "arm/urdf/arm.urdf.xacro", args={"prefix": f"p{i}_"}).links)

    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(links, range(24)))
    assert made == [[f"p{i}_base", f"p{i}_upper", f"p{i}_lower"] for i in range(24)]


FILLER = ["", "${", "$(", "}", "xacro:", '"', "<", "/>", "${1/0}", "$(arg x)", "*", "name", "\x00", "=", ":=^"]


@pytest.mark.slow
def test_damaged_files_are_refused_or_load(workspace):
    rng = np.random.default_rng(7)
    path, parts = workspace / "arm/urdf/arm.urdf.xacro", workspace / "some_folder/urdf/parts.xacro"
    outcomes = []
    for i in range(150):
        path.write_text(ARM)
        parts.write_text(PARTS)
        target, text = ((path, ARM), (parts, PARTS))[i % 2]
        start, length = rng.integers(len(text)), rng.integers(3)
        target.write_text(text[:start] + FILLER[rng.integers(len(FILLER))] + text[start + length :])
        robot, findings = examine(path)  # raises nothing
        assert (robot is None) == any(finding.severity == "error" for finding in findings)
        outcomes.append(robot is not None)
    assert {True, False} == set(outcomes)


@pytest.mark.slow
def test_the_corpus_expands_as_with_the_package_itself():
    verdicts = {path: compare(path) for path in sample(xacro_files(shared("corpus")), 6)}
    assert sum(verdict == "same" for verdict, _ in verdicts.values()) > 150
    assert {path: said for path, said in verdicts.items() if said[0] not in ("same", "both refuse")} == {}


def test_truth_values_of_eval_and_what_is_no_mapping(tmp_path):
    for expression, value in {"True": "True", "true": "True", "False": "False", "false": "False"}.items():
        assert one(tmp_path, f'<link name="a_$(eval {expression})"/>').root == f"a_{value}"
    for value in ("True", "False"):
        assert one(tmp_path, f'<link name="a_${{{value}}}_${{python[{value!r}]}}"/>').root == f"a_{value}_{value}"
    said = refusal(tmp_path, '<link name="${dict(**5)}"/>').message
    assert said == "expected several values, not an integer when evaluating expression 'dict(**5)'"
