"""Rules about macros of xacro files: what is a leak, and what is another's name."""

import pytest

import kinetree as kt
from each import each
from kinetree.checker.files import without_parts
from kinetree.checker.job import Job, check_job
from kinetree.rules.examples import ARM
from kinetree.rules.xacro.prefixes import NAMING, PrefixLeak, leaks, parameters, prefix_of
from kinetree.syntax.xml.reader import Report, parse
from kinetree.xacro_text.package import _package
from support import ask, shared


def found(text, old, new):
    """Leaks of a xacro text in which something is replaced."""
    assert old in text
    return ask(kt.load(text.replace(old, new), format="xacro"), (PrefixLeak,))


def macro(inside, params="prefix"):
    """The attributes' texts that leak from a macro."""
    root = parse(f'<xacro:macro name="m" params="{params}">{inside}</xacro:macro>', "t", Report())
    prefix = prefix_of(root)
    return [element.get(NAMING[element.tag]) for element in leaks(root, prefix)] if prefix else []


class TestPrefix:
    def test_where_a_name_is_without_prefix(self):
        (finding,) = found(PrefixLeak.base, PrefixLeak.good, PrefixLeak.bad)
        assert str(finding.source) == "<text>:6:18"
        assert finding.element == "macro 'arm'"
        assert finding.message == "<joint name='joint_1'> lacks the prefix: it is the same in every call of the macro"

    def test_what_the_macro_makes_is_asked_for_without_prefix(self):
        text = PrefixLeak.base.replace('prefix="left_"', 'prefix=""')
        (finding,) = found(text, '<parent link="${prefix}base_link"/>', '<parent link="base_link"/>')
        assert "<parent link='base_link'>" in finding.message
        mimic = '<joint name="${tf_prefix}a"/><joint name="${tf_prefix}b"><mimic joint="a"/></joint>'
        assert macro(mimic, "tf_prefix") == ["a"]
        assert macro('<link name="${prefix}a"/><gazebo reference="a"><link name="a"/></gazebo>') == ["a"]
        assert macro('<xacro:if value="1"><link name="a"/></xacro:if>') == ["a"]

    @each("link", ["world", "table", "${parent}", "${prefix}base", "$(arg base)"])
    def test_what_the_macro_hangs_on_is_not_its_own(self, link):
        made = '<link name="${prefix}a"/><joint name="${prefix}j">'
        assert macro(f'{made}<parent link="{link}"/><child link="${{prefix}}a"/></joint>') == []

    def test_other_names(self):
        inner = '<xacro:macro name="n" params="x"><link name="a"/></xacro:macro>'
        assert macro(f'{inner}<material name="grey"/><sensor name="s"/><link/>') == []

    def test_macros_with_a_prefix_and_others(self):
        for name in ("tf_prefix", "joint_prefix"):
            assert found(PrefixLeak.base.replace("prefix", name), f'"${{{name}}}joint_1"', '"joint_1"')
        text = PrefixLeak.base.replace("prefix", "side")
        assert not found(text, 'name="${side}joint_1"', 'name="joint_1"')
        assert not ask(kt.load(ARM, format="urdf"), (PrefixLeak,))

    def test_a_parameter_before_nearly_all_names_is_a_prefix(self):
        made = "".join(f'<link name="${{name}}_{letter}"/>' for letter in "abcd")
        assert macro(f'{made}<link name="bare"/>', "name") == ["bare"]
        assert macro(f'{made}<link name="base_link"/><link name="world"/>', "name") == []
        assert macro(f'{made}<link name="bare"/><link name="other"/>', "name") == []
        assert macro(f'{made.replace("${name}_d", "${x}_d")}<link name="bare"/>', "name x") == []
        assert macro(f'{made}<link name="base_link"/>', "prefix name") == ["base_link"]

    @each(
        "properties, leaks",
        [
            ('<xacro:property name="jn" value="joint_x"/>', True),
            ('<xacro:property name="jn" value="${1 + 1}"/>', False),
            ('<xacro:property name="jn" value="a"/><xacro:property name="jn" value="b"/>', False),
        ],
    )
    def test_a_property_is_the_same_in_every_call(self, properties, leaks):
        text = PrefixLeak.base.replace("<xacro:macro", f"{properties}<xacro:macro", 1)
        assert bool(found(text, 'name="${prefix}joint_1"', 'name="${jn}"')) is leaks
        local = text.replace('"prefix">', '"prefix"><xacro:property name="jn" value="${prefix}x"/>')
        assert not found(local, 'name="${prefix}joint_1"', 'name="${jn}"')

    def test_the_name_of_one_call_is_that_of_no_other(self):
        (finding,) = found(PrefixLeak.base, '<parent link="${prefix}base_link"/>', '<parent link="left_base_link"/>')
        assert finding.message.startswith("<parent link='left_base_link'> lacks the prefix")
        other = '<link name="right_base_link"/><joint name="mount" type="fixed">'
        other += '<parent link="right_base_link"/><child link="left_base_link"/></joint>'
        arms = PrefixLeak.base.replace("<xacro:macro", f"{other}<xacro:macro", 1)
        assert not found(arms, '<parent link="${prefix}base_link"/>', '<parent link="right_base_link"/>')

    def test_macros_of_included_files_called_or_not(self, tmp_path):
        leaky = PrefixLeak.base.replace(PrefixLeak.good, PrefixLeak.bad).replace('<xacro:arm prefix="left_"/>', "")
        (tmp_path / "arm.xacro").write_text(leaky)
        main = tmp_path / "main.xacro"
        main.write_text(
            '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:include filename="arm.xacro"/>'
            '<link name="a"/></robot>'
        )
        robot = kt.load(main)
        assert set(robot.text.files) == {str(main), str(tmp_path / "arm.xacro")}
        (finding,) = ask(robot, (PrefixLeak,))
        assert str(finding.source) == f"{tmp_path / 'arm.xacro'}:6:18"

    def test_parameters(self):
        text = """<m params="a b:=1 c='x y' *origin **blocks d:=^|2 e:=$(arg f) g:=${h + 1} tf_prefix:=''"/>"""
        names = ["a", "b", "c", "origin", "blocks", "d", "e", "g", "tf_prefix"]
        assert parameters(parse(text, "t", Report())) == names


@pytest.mark.slow
def test_macros_of_the_corpus_that_leak():
    leaky = set()
    for path in sorted(shared("corpus").rglob("*.xacro")):
        root = parse(path.read_bytes(), str(path), Report())
        macros = [e for e in root.walk() if e.tag == "xacro:macro"] if root else []
        if any(leaks(m, prefix) for m in macros if (prefix := prefix_of(m))):
            leaky.add(path.name)
    assert len([name for name in leaky if name.startswith(("rv", "rh"))]) == 9  # Mitsubishi's
    assert {"irb5400_macro.xacro", "sia10d_macro.xacro", "omy_l100_arm.urdf.xacro"} <= leaky
    assert not {"08-macroed.urdf.xacro", "wheel.urdf.xacro", "leg.urdf.xacro"} & leaky  # put on what is not theirs


class TestFilesThatMakeNoRobot:
    """Rules about the text are asked of files of macros alone, and of files that cannot be expanded."""

    MACROS = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro">{}</robot>'
    LEG = '<xacro:macro name="leg" params="prefix *origin"><link name="${prefx}a"/></xacro:macro>'

    def codes(self, folder, text):
        (folder / "leg.xacro").write_text(self.MACROS.format(text), "utf-8")
        result = check_job(Job(str(folder / "leg.xacro")))
        return {f.code for f in result.findings}, {f.code for f in without_parts(result).findings}

    def test_a_file_of_macros(self, tmp_path):
        named, found = self.codes(tmp_path, self.LEG)
        assert found == {"XAC-002", "XAC-007"}
        assert named == found | {"xacro-macros-only"}

    def test_a_property_for_the_file_that_includes_it(self, tmp_path):
        (tmp_path / "package.xml").write_text("<package><name>legs</name></package>", "utf-8")
        for include, is_found in (("", True), ('<xacro:include filename="leg.xacro" ns="l"/>', False)):
            (tmp_path / "robot.xacro").write_text(self.MACROS.format(include), "utf-8")
            _package.cache_clear()
            named, found = self.codes(tmp_path, '<xacro:property name="a" scope="parent" value="1"/>')
            assert "xacro-scope" in named
            assert ("xacro-scope" in found) == is_found

    def test_what_others_may_define(self, tmp_path):
        text = (
            '<xacro:macro name="leg" params="prefix"><xacro:foot a="1"/><link name="${prefix}${side}"/></xacro:macro>'
        )
        assert self.codes(tmp_path, text)[1] == set()

    def test_a_file_with_an_error(self, tmp_path):
        named, _ = self.codes(tmp_path, f'<link name="${{a}}"/>\n{self.LEG}')
        assert named == {"xacro-expression", "XAC-002", "XAC-007"}

    def test_the_error_of_a_line_is_not_repeated(self, tmp_path):
        text = f'{self.LEG}<xacro:leg prefix="" side="1"><origin/></xacro:leg>'
        assert "XAC-005" not in self.codes(tmp_path, text)[0]
        assert "XAC-005" in self.codes(tmp_path, f"<xacro:if value='a'/>\n{text}")[0]

    def test_no_comment_is_idle_there(self, tmp_path):
        comment = "<!-- kinetree: ignore XAC-001, no-texture because it is so -->"
        assert self.codes(tmp_path, f"{comment}{self.LEG}")[1] == {"XAC-002", "XAC-007"}

    def test_names_of_a_package(self, tmp_path):
        (tmp_path / "package.xml").write_text("<package><name>legs</name></package>")
        robot = self.MACROS.format('<xacro:include filename="leg.xacro"/>{}<link name="a"/>')
        text = '<xacro:macro name="leg"><link name="${side}"/></xacro:macro>'
        for more, expected in (
            ("", {"XAC-002"}),
            ('<xacro:property name="side" value="1"/>', set()),
            ('<xacro:include filename="$(find others)/a.xacro"/>', set()),
        ):
            (tmp_path / "robot.xacro").write_text(robot.format(more))
            _package.cache_clear()
            assert self.codes(tmp_path, text)[1] == expected
        (tmp_path / "robot.xacro").unlink()
        _package.cache_clear()
        assert self.codes(tmp_path, text)[1] == {"XAC-002"}  # a remark: files of other packages may define it


def test_an_argument_in_a_macro_of_another_file_belongs_to_the_robots_that_call_it(tmp_path):
    never = '<xacro:if value="false"><link name="$(arg a)"/></xacro:if>'
    space = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
    (tmp_path / "m.xacro").write_text(f'<robot {space}><xacro:macro name="m">{never}</xacro:macro></robot>')
    codes = []
    for call in ("", "<xacro:m/>"):
        text = f'<robot name="r" {space}><xacro:include filename="m.xacro"/><link name="top"/>{call}</robot>'
        (tmp_path / "r.xacro").write_text(text)
        codes.append([finding.code for finding in check_job(Job(str(tmp_path / "r.xacro"))).findings])
    assert codes == [[], ["XAC-002"]]
