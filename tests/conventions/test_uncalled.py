"""What is found in macros that nobody calls, and behind the error that stops an expansion."""

import pytest

import kinetree as kt
from kinetree.checker.corrected import corrected
from kinetree.checker.files import without_parts
from kinetree.checker.job import Job, check_job
from kinetree.rules.options import CheckOptions
from kinetree.xacro_text.package import _package

SPACE = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
CAMERA = """
<xacro:macro name="camera" params="parent name *origin">
  <joint name="${name}_joint" type="fixed">
    <xacro:insert_block name="origin"/><parent link="${parent}"/><child link="${name}_link"/>
  </joint>
  <link name="${name}_link">
    <inertial><mass value="0.1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
  </link>
  <gazebo reference="${name}_link"><material>Gazebo/Red</material></gazebo>
</xacro:macro>
"""
OUTER = (
    '<xacro:macro name="outer" params="parent"><xacro:camera parent="${parent}" name="c"><origin/></xacro:camera>'
    "</xacro:macro>"
)
TALL = CAMERA.replace("parent name", "parent name mass").replace('"0.1"', '"${mass}"')


@pytest.fixture
def found(tmp_path):
    """Function that returns the codes and elements of findings in a xacro file of a package, and of more files."""

    def check(inside, **more):
        (tmp_path / "package.xml").write_text("<package><name>mine</name></package>")
        for name, text in {"main": inside, **more}.items():
            (tmp_path / f"{name}.xacro").write_text(f'<robot name="r" {SPACE}>{text}</robot>')
        checked = check_job(Job(str(tmp_path / "main.xacro"), CheckOptions(profile="sim")))
        return {(finding.code, finding.element): finding for finding in checked.findings if finding.element}

    return check


class TestUncalled:
    def test_a_body(self, found):
        finding = found(CAMERA)["INR-006", "link '${name}_link'"]
        assert finding.source.line == 6

    def test_a_name_that_the_macro_does_not_make(self, found):
        finding = found(CAMERA.replace('reference="${name}_link"', 'reference="${name}_lnk"'))["XML-001", "<gazebo>"]
        assert "did you mean '${name}_link'?" in finding.message

    @pytest.mark.parametrize("other", ["${parent}_link", "base_link", "${prefix}link"])
    def test_a_name_that_others_may_make(self, found, other):
        text = CAMERA.replace('reference="${name}_link"', f'reference="{other}"').replace("parent ", "parent prefix ")
        assert ("XML-001", "<gazebo>") not in found(text)

    def test_what_depends_on_a_number_is_not_found(self, found):
        assert not any(code == "INR-006" for code, _ in found(TALL))
        assert ("INR-008", "link '${name}_link'") in found(TALL + CAMERA.replace('"camera"', '"other"'))

    def test_a_name_that_callers_define(self, found):
        codes = found(CAMERA.replace('xyz="0', 'xyz="${far} 0').replace("Gazebo/Red", "${colour}"))
        assert ("XAC-002", "<material>") in codes
        assert ("INR-006", "link '${name}_link'") in codes

    def test_one_that_is_called_in_the_package(self, found):
        call = '<link name="a"/><xacro:include filename="main.xacro"/><xacro:camera name="b" parent="a"><origin/>'
        assert found(CAMERA, robot=f"{call}</xacro:camera>") == {}

    def test_one_that_only_an_uncalled_macro_calls(self, found):
        outer = f'<xacro:include filename="main.xacro"/>{OUTER}'
        assert ("INR-006", "link '${name}_link'") in found(CAMERA, outer=outer)

    def test_a_block_of_a_macro_that_it_calls(self, found):
        block = '<xacro:macro name="block" params="id"><gazebo reference="${id}_lnk"/></xacro:macro>'
        call = '<xacro:include filename="block.xacro"/>' + CAMERA.replace(
            "</xacro:macro>", '<xacro:block id="${name}"/></xacro:macro>'
        )
        finding = found(call, block=block)["XML-001", "<gazebo>"]
        assert finding.source.file.endswith("block.xacro")

    def test_a_macro_of_another_package_that_gives_an_inertia(self, found):
        text = CAMERA.replace('reference="${name}_link"', 'reference="${name}_lnk"')
        text = text.replace("</inertial>", '</inertial><xacro:shape size="1"><origin/></xacro:shape>')
        assert ("XML-001", "<gazebo>") in found(text)

    def test_beside_a_robot(self, found):
        assert ("INR-006", "link '${name}_link'") in found(f'<link name="a"/>{CAMERA}')

    def test_without_a_finding(self, found):
        assert found(CAMERA.replace('="1"', '="0.0001"').replace('iyy="0.0001"', 'iyy="0.0002"')) == {}

    @pytest.mark.parametrize(("block", "is_called"), [("camera_pose", True), ("geometry", False)])
    def test_a_block_that_is_a_place(self, found, block, is_called):
        text = CAMERA.replace("*origin", f"*{block}").replace('block name="origin"', f'block name="{block}"')
        assert (("INR-006", "link '${name}_link'") in found(text)) is is_called

    def test_a_file_whose_root_is_called_root(self, found, tmp_path):
        found(CAMERA)
        path = tmp_path / "main.xacro"
        path.write_text(path.read_text().replace("<robot name", "<root name").replace("</robot>", "</root>"))
        assert "INR-006" in TestArguments.named(path)

    @pytest.mark.parametrize(
        ("folder", "name", "is_missed"),
        [("meshes", "none.stl", True), ("nowhere", "none.stl", False), ("meshes", "${name}.stl", False)],
    )
    def test_a_mesh_that_is_not_there(self, found, tmp_path, folder, name, is_missed):
        """Of a folder that is not there it is unknown, and so it is if an argument is in its name."""
        (tmp_path / "meshes").mkdir()
        mesh = f'<visual><geometry><mesh filename="package://mine/{folder}/{name}"/></geometry></visual>'
        codes = found(CAMERA.replace("<inertial>", f"{mesh}<inertial>"))
        assert any(code.startswith("MSH") for code, _ in codes) is is_missed


class TestArguments:
    """Macros that nobody calls are called with the arguments that the package shows."""

    SENSOR = """
<xacro:macro name="eye" params="parent xyz rpy name:=eye">
  <joint name="${name}_joint" type="fixed">
    <origin xyz="${xyz}" rpy="${rpy}"/><parent link="${parent}"/><child link="${name}_link"/>
  </joint>
  <link name="${name}_link"/>
  <link name="${name}_optical_frame"/>
  <joint name="${name}_optical_joint" type="fixed">
    <parent link="${name}_link"/><child link="${name}_optical_frame"/>
  </joint>
</xacro:macro>
"""
    BROKEN = '<xacro:macro name="bad" params="n"><link name="b"/><link name="b"/></xacro:macro>'

    @staticmethod
    def named(file, profile="sim"):
        return {f.code: f for f in check_job(Job(str(file), CheckOptions(profile=profile))).findings}

    def test_tuples_where_these_are_used_and_all_families_of_rules(self, found, tmp_path):
        assert ("R103-004", "link 'eye_optical_frame'") in found(self.SENSOR)
        codes = self.named(tmp_path / "main.xacro")
        assert "xacro-macros-only" not in codes
        said = codes["macro-not-called"]
        assert (said.severity, said.element, said.source.line) == ("info", None, 1)
        assert said.message == (
            "contains only macros, which no robot of the package calls; "
            'checked as <xacro:eye parent="${parent}" xyz="0 0 0" rpy="0 0 0"/>'
        )

    @pytest.mark.slow
    @pytest.mark.parametrize("file", ["README.md", "launch/show.launch", "test/test_it.py", "../README.rst"])
    def test_numbers_that_another_file_shows(self, found, tmp_path, file):
        package = tmp_path / "package"
        (package / file).parent.mkdir(parents=True, exist_ok=True)
        for mass, there in (("0.1", True), ("${m}", False), ("…", False)):
            _package.cache_clear()
            (package / file).write_text(f"Call <xacro:camera name='it' mass=\"{mass}\"> in yours", "utf-8")
            (package / "package.xml").write_text("<package><name>mine</name></package>")
            (package / "main.xacro").write_text(f'<robot name="r" {SPACE}>{TALL}</robot>')
            codes = self.named(package / "main.xacro")
            assert ("INR-006" in codes) is there
            assert ('mass="0.1"' in codes["macro-not-called"].message) is there

    def test_a_macro_that_cannot_be_called_hides_no_other(self, found, tmp_path):
        codes = found(self.BROKEN + self.SENSOR)
        assert ("R103-004", "link 'eye_optical_frame'") in codes
        message = self.named(tmp_path / "main.xacro")["macro-not-called"].message
        assert "<xacro:bad" not in message
        assert message.endswith("; not checked, as no arguments were found with which they make a robot: bad")
        found(self.BROKEN)
        assert self.named(tmp_path / "main.xacro")["xacro-macros-only"].severity == "error"

    def test_it_is_said_once_and_in_a_folder_beside_findings_alone(self, found, tmp_path):
        for text, said in ((self.SENSOR, 1), (self.SENSOR.replace("_optical", "_other"), 0)):
            found(text)
            result = check_job(Job(str(tmp_path / "main.xacro"), CheckOptions(profile="sim")))
            kept = [f.code for f in without_parts(result, [str(tmp_path / "main.xacro")]).findings]
            assert kept.count("macro-not-called") == said
            assert "xacro-macros-only" not in kept

    def test_beside_a_robot_it_is_said_if_something_is_found(self, found, tmp_path):
        for text, said in ((self.SENSOR, "robot 'r'"), (self.SENSOR.replace("_optical", "_other"), None)):
            found(f'<link name="a"/>{text}')
            finding = self.named(tmp_path / "main.xacro").get("macro-not-called")
            assert (finding and finding.element) == said

    def test_a_mesh_of_a_package_that_an_argument_names(self, found):
        mesh = '<visual><geometry><mesh filename="package://${where}/a.stl"/></geometry></visual>'
        text = CAMERA.replace("parent name", "parent name where").replace("<inertial>", f"{mesh}<inertial>")
        assert not {code for code, _ in found(text) if code.startswith("MSH")}

    def test_what_depends_on_a_block_is_not_found(self, found):
        text = self.SENSOR.replace("rpy name", "rpy *origin name").replace(
            '<parent link="${name}_link"/>', '<xacro:insert_block name="origin"/><parent link="${name}_link"/>'
        )
        assert not {code for code, _ in found(text) if code.startswith("R103")}

    def test_what_a_macro_compares_with_and_what_is_true_or_false(self, found, tmp_path):
        inside = self.SENSOR.partition("rpy name:=eye")[2].partition("</xacro:macro>")[0].partition(">")[2]
        for condition, call in (("model == 'small'", 'model="small"'), ("model", 'model="true"')):
            text = (
                f'<xacro:macro name="eye" params="parent xyz rpy model name:=eye"><xacro:if value="${{{condition}}}">'
            )
            assert ("R103-004", "link 'eye_optical_frame'") in found(
                text + inside.replace("${xyz}", "0 0 0").replace("${rpy}", "0 0 0") + "</xacro:if></xacro:macro>"
            )
            assert f" {call}" in self.named(tmp_path / "main.xacro")["macro-not-called"].message

    def test_one_of_several_numbers(self, found):
        text = self.SENSOR.replace('"${xyz}"', '"${xyz} 0 0.1"')
        assert ("R103-004", "link 'eye_optical_frame'") in found(text)

    def test_rules_about_a_whole_robot_are_not_run(self, found, tmp_path):
        found(self.SENSOR.replace("${name}_optical_frame", "odom"))
        assert not self.named(tmp_path / "main.xacro").keys() & {"R105-002", "TRE-001"}

    def test_most_calls_in_a_message(self, found, tmp_path):
        found("".join(f'<xacro:macro name="m{i}"><link name="l{i}"/></xacro:macro>' for i in range(5)))
        message = self.named(tmp_path / "main.xacro")["macro-not-called"].message
        assert message.endswith("checked as <xacro:m0/>; <xacro:m1/>; <xacro:m2/> and 2 more")


class TestBehind:
    BODY = (
        '<link name="a"><inertial><mass value="1"/><inertia ixx="{0}" iyy="{0}" izz="{0}" ixy="0" ixz="0" iyz="0"/>'
        "</inertial></link>"
    )

    def test_a_property_without_prefix(self, found):
        codes = found('<property name="size" value="1"/>\n' + self.BODY.format("${size}"))
        assert {("XAC-011", "property 'size'"), ("INR-006", "link 'a'")} <= codes.keys()

    def test_a_reserved_name(self, found):
        codes = found('<xacro:property name="__size" value="1"/>' + self.BODY.format("${__size}"))
        assert ("INR-006", "link 'a'") in codes

    def test_files_that_are_included_without_prefix(self, found):
        part = '<property name="size" value="1"/>'
        body = '<include filename="part.xacro"/>' + self.BODY.format("${size}")
        assert ("INR-006", "link 'a'") in found(body, part=part)

    WHEEL = (
        '<xacro:macro name="wheel" params="side r"><link name="{0}_wheel">'
        '<collision><geometry><cylinder radius="${{r}}" length="0.03"/></geometry></collision></link>'
        '<joint name="{0}_joint" type="continuous"><origin rpy="-1.5707963267948966 0 0"/>'
        '<parent link="base"/><child link="{0}_wheel"/></joint></xacro:macro>'
    ).format("${side}")
    CALLS = '<wheel side="left" r="0.1"/><wheel side="right" r="0.11"/>'

    def test_a_file_of_calls_without_prefix(self, found):
        body = '<xacro:macro name="body"><link name="base"/>' + self.CALLS + "</xacro:macro>"
        codes = found('<xacro:include filename="part.xacro"/><body/>', part=self.WHEEL + body)
        assert {("XAC-011", "<body>"), ("XAC-011", "<wheel>"), ("NAM-010", "link 'right_wheel'")} <= codes.keys()
        assert "xacro-macros-only" not in {code for code, _ in codes}

    def test_calls_without_prefix_beside_links(self, found):
        blocks = '<gazebo reference="left_wheel"/><gazebo reference="lft_wheel"/>'
        codes = found(self.WHEEL + '<link name="base"/>' + self.CALLS + blocks)
        assert {("XAC-011", "<wheel>"), ("NAM-010", "link 'right_wheel'")} <= codes.keys()
        assert "'lft_wheel'" in codes["XML-001", "<gazebo>"].message  # and not the link that a macro makes
        assert not {key for key in codes if "${" in key[1] and key[0] != "XAC-011"}

    def test_a_macro_that_is_called_so_is_called(self, found):
        codes = found(f'<link name="a"/>{CAMERA}<camera parent="a" name="b"><origin/></camera>')
        assert [element for code, element in codes if code == "INR-006"] == ["link 'b_link'"]

    def test_what_is_in_a_block_of_another_program_is_no_call(self):
        for around in ("gazebo", "plugin", "transmission"):
            data = f"<robot {SPACE}><{around}><x><wheel/></x></{around}></robot>".encode()
            assert corrected(data, frozenset({"wheel"})) is data
        data = f"<sdf {SPACE}><wheel/></sdf>".encode()
        assert corrected(data, frozenset({"wheel"})) is data
        data = f"<robot {SPACE}><x><my-wheel/></x></robot>".encode()
        assert corrected(data, frozenset({"my-wheel"})) == data.replace(b"my-", b"xacro:my-")

    def test_the_robot_that_is_loaded_is_that_of_xacro(self, tmp_path):
        (tmp_path / "r.xacro").write_text(
            f'<robot name="r" {SPACE}>{self.WHEEL}<link name="base"/>{self.CALLS}</robot>'
        )
        robot = kt.load(tmp_path / "r.xacro")
        assert ([*robot.links], [e.tag for e in robot.extensions]) == (["base"], ["wheel", "wheel"])
        assert {note.severity for note in robot.notes} == {"warning"}

    def test_a_file_that_an_include_without_prefix_brings(self, found):
        text = '<include filename="part.xacro"/><link name="base"/>' + self.CALLS
        assert ("NAM-010", "link 'right_wheel'") in found(text, part=self.WHEEL)

    def test_an_error_in_what_is_called_without_prefix(self, found):
        text = self.WHEEL + '<xacro:macro name="all">' + self.CALLS + "</xacro:macro><all/>"
        assert found(text)["unknown-root", "joint 'left_joint'"].severity == "error"
