"""SRDF files on the command line and in folders: which model they belong to, and what is found in them."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from each import each
from kinetree.checker.job import Job, check_job
from kinetree.checker.plan import _noted, _robot_name, _yaml, jobs, jobs_of
from kinetree.checker.pool import check_all
from kinetree.cli.check import command
from kinetree.errors import KinetreeError
from kinetree.rules.options import CheckOptions
from kinetree.rules.srdf.contents import ROBOT, SRDF

WRONG = SRDF.replace('parent_link="flange"', 'parent_link="flnage"')


@pytest.fixture
def package(tmp_path):
    """A package with two robots and an SRDF, which belongs to one of them."""

    def made(robots: tuple[str, ...] = ("arm", "other"), srdf: str = WRONG, file: str = "config/cell.srdf") -> Path:
        for name in robots:
            (tmp_path / "urdf").mkdir(exist_ok=True)
            (tmp_path / f"urdf/{name}.urdf").write_text(ROBOT.replace('<robot name="arm">', f'<robot name="{name}">'))
        (tmp_path / "package.xml").write_text("<package><name>cell</name></package>")
        path = tmp_path / file
        path.parent.mkdir(exist_ok=True)
        path.write_text(srdf)
        return path

    return made


def of(asked: list[Job]) -> list[tuple[str, str | None]]:
    """The model and the SRDF of each job, by their names."""
    return [(Path(job.file).name, job.options.read.srdf and Path(str(job.options.read.srdf)).name) for job in asked]


def test_a_named_srdf_belongs_to_the_robot_of_its_name_in_the_package(package):
    asked = jobs([str(package())])
    assert of(asked) == [("arm.urdf", "cell.srdf")]
    (found,) = [finding for finding in check_job(asked[0]).findings if finding.code.startswith("SRD")]
    assert found.element == "end_effector 'hand'"
    assert found.message.startswith("the link 'flnage' does not exist; did you mean 'flange'")
    assert (Path(found.source.file).name, found.source.line) == ("cell.srdf", 18)


def test_a_version_in_a_name_is_a_part_of_it(package, tmp_path):
    path = package(("arm", "arm.1"), file="config/arm.1.srdf")
    models = [str(tmp_path / "urdf/arm.urdf"), str(tmp_path / "urdf/arm.1.urdf")]
    assert of(jobs([*models, str(path)])) == [("arm.urdf", None), ("arm.1.urdf", "arm.1.srdf")]
    path = path.rename(path.with_name("arm.1.srdf.xacro"))
    assert of(jobs([*models, str(path)])) == [("arm.urdf", None), ("arm.1.urdf", "arm.1.srdf.xacro")]


def test_the_only_model_of_the_run_is_its_model(package, tmp_path):
    path = package()
    assert of(jobs([str(path), str(tmp_path / "urdf/other.urdf")])) == [("other.urdf", "cell.srdf")]
    assert of(jobs([str(tmp_path / "urdf/arm.urdf"), str(tmp_path / "urdf/other.urdf"), str(path)])) == [
        ("arm.urdf", "cell.srdf"),
        ("other.urdf", None),
    ]


def test_of_variants_the_one_of_its_file_name(package, tmp_path):
    path = package(("arm",), file="config/arm.srdf")
    (tmp_path / "urdf/arm_long.urdf").write_text(ROBOT)
    assert of(jobs([str(path)])) == [("arm.urdf", "arm.srdf")]
    path.rename(path.with_name("cell.srdf"))
    (job,) = jobs([str(path.with_name("cell.srdf"))])
    (alone,) = next(iter(check_all([job]))).findings
    assert (alone.code, alone.severity) == ("srdf-alone", "error")
    assert "kinetree check ROBOT.urdf --also cell.srdf" in alone.fix


def test_a_copy_that_kept_the_name_of_the_robot_belongs_to_the_model_of_its_file_name(package, tmp_path):
    path = package(file="config/other.srdf")
    (job,) = jobs([str(path)])
    assert of([job]) == [("other.urdf", "other.srdf")]
    assert "srdf-robot" in {finding.code for finding in check_job(job).findings}


def test_a_model_that_cannot_be_read_has_no_name_to_compare(package, tmp_path):
    path = package(file="config/arm.srdf")
    (tmp_path / "urdf/arm.urdf").unlink()
    broken = (
        '<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:include filename="none.xacro"/></robot>'
    )
    (tmp_path / "urdf/arm.urdf.xacro").write_text(broken)
    codes = {
        finding.code
        for job in jobs([str(tmp_path / "urdf/arm.urdf.xacro"), str(path)])
        for finding in check_job(job).findings
    }
    assert "srdf-robot" not in codes
    assert codes


@pytest.mark.parametrize("upper", [False, True])
def test_the_setup_assistant_names_it(package, tmp_path, upper):
    path = package()
    urdf, srdf = ("URDF", "SRDF") if upper else ("urdf", "srdf")
    (tmp_path / ".setup_assistant").write_text(
        f"moveit_setup_assistant_config:\n  {urdf}:\n    package: cell\n    relative_path: urdf/other.urdf\n"
        f"  {srdf}:\n    relative_path: config/cell.srdf\n"
    )
    assert of(jobs([str(path)])) == [("other.urdf", "cell.srdf")]
    (tmp_path / ".setup_assistant").write_text("moveit_setup_assistant_config: [")
    assert of(jobs([str(path)])) == [("arm.urdf", "cell.srdf")]


def test_a_setup_assistant_is_looked_for_four_folders_up(tmp_path):
    (tmp_path / "a.urdf").write_text("<robot/>")
    for deep, found in (("a/b/c", True), ("a/b/c/d", False)):
        srdf = tmp_path / deep / "cell.srdf"
        srdf.parent.mkdir(parents=True, exist_ok=True)
        srdf.write_text("<robot/>")
        (tmp_path / ".setup_assistant").write_text(
            "moveit_setup_assistant_config:\n  urdf:\n    relative_path: a.urdf\n"
            f"  srdf:\n    relative_path: {deep}/cell.srdf\n"
        )
        assert _noted(srdf, {}) == (str(tmp_path / "a.urdf") if found else None)


def test_a_setup_assistant_of_another_srdf_or_of_a_package_that_is_not_there_names_none(tmp_path):
    (tmp_path / "a.urdf").write_text("<robot/>")
    (tmp_path / "cell.srdf").write_text("<robot/>")
    for package, srdf, found in (("", "cell", True), ("", "other", False), ("nowhere", "cell", False)):
        (tmp_path / ".setup_assistant").write_text(
            f"moveit_setup_assistant_config:\n  urdf:\n    package: {package}\n    relative_path: a.urdf\n"
            f"  srdf:\n    relative_path: {srdf}.srdf\n"
        )
        assert _noted(tmp_path / "cell.srdf", {}) == (str(tmp_path / "a.urdf") if found else None)


@each(
    "text, name",
    [
        ('<robot name="arm">', b"arm"),
        ("<robot name='arm'>", b"arm"),
        ("<robot>", b""),
        ('<robot name="$(arg n)">', b""),
        ('<robot name="arm"><group name="g"/>', None),
        (None, None),
    ],
)
def test_the_name_of_the_robot_of_a_file(tmp_path, text, name):
    """An SRDF is no file of a robot, but where it may be one; nor is what cannot be read."""
    file = tmp_path / "a.urdf"
    file.unlink(missing_ok=True)
    if text is not None:
        file.write_text(text)
    assert _robot_name(str(file)) == name
    assert _robot_name(str(file), semantic=True) == (b"arm" if text and "group" in text else name)


def test_a_setup_assistant_of_more_than_100000_bytes_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr("yaml.safe_load", len)
    for size, read in ((0, 0), (100_000, 100_000), (100_001, None)):
        (tmp_path / ".setup_assistant").write_bytes(b" " * size)
        assert _yaml(tmp_path / ".setup_assistant") == read


def test_the_settings_name_it(package, tmp_path):
    path = package()
    (tmp_path / "kinetree.toml").write_text('[[models]]\nfile = "urdf/other.urdf"\nalso = ["config/cell.srdf"]\n')
    assert of(jobs([str(path)])) == [("other.urdf", "cell.srdf")]
    assert of(jobs([str(tmp_path / "urdf/other.urdf")])) == [("other.urdf", "cell.srdf")]


def test_the_models_of_the_settings_with_and_without_their_srdf(package, tmp_path, monkeypatch):
    package()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kinetree.toml").write_text('[[models]]\nfile = "urdf/arm.urdf"\nalso = ["config/cell.srdf"]\n')
    for paths in ([], [str(tmp_path / "urdf/arm.urdf")]):
        for config in (None, str(tmp_path / "kinetree.toml")):
            for srdf, name in ((True, "cell.srdf"), (False, None)):
                assert of(jobs_of(paths, config, CheckOptions(), srdf=srdf)[0]) == [("arm.urdf", name)]


def test_without_paths_and_settings_the_working_folder_is_checked(package, tmp_path, monkeypatch):
    package()
    monkeypatch.chdir(tmp_path)
    asked, files = jobs_of([], None, CheckOptions())
    assert of(asked) == [("arm.urdf", "cell.srdf"), ("other.urdf", None)]
    assert [*files.values()] == [False] * 3


def test_one_that_is_excluded_is_read_only_where_it_is_named(package, tmp_path):
    path = package()
    (tmp_path / "kinetree.toml").write_text('exclude = ["config/**"]\n')
    assert of(jobs_of([str(tmp_path)], None, CheckOptions())[0]) == [("arm.urdf", None), ("other.urdf", None)]
    assert of(jobs_of([str(path)], None, CheckOptions())[0]) == [("arm.urdf", "cell.srdf")]


def test_those_of_a_folder_are_found(package, tmp_path):
    package()
    package((), SRDF.replace('name="arm"', 'name="third"'), "config/third.srdf")
    asked, files = jobs_of([str(tmp_path)], None, CheckOptions())
    assert of(asked) == [("arm.urdf", "cell.srdf"), ("other.urdf", None), ("third.srdf", None)]
    assert files[str(tmp_path / "config/third.srdf")] is False
    asked, files = jobs_of([str(tmp_path)], None, CheckOptions(), srdf=False)
    assert of(asked) == [("arm.urdf", None), ("other.urdf", None)]


def test_the_command_names_it(package, tmp_path):
    path = package()
    options = [str(tmp_path / "urdf/other.urdf"), "--also", str(path), "--json", "--select", "SRD"]
    result = CliRunner().invoke(command, options)
    assert result.exit_code == 1
    assert "the link 'flnage' does not exist" in result.stdout


@pytest.mark.slow
def test_one_that_is_xacro_is_expanded(package):
    text = WRONG.replace('<robot name="arm">', '<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">')
    text = text.replace("<virtual_joint", '<xacro:property name="tip" value="flnage"/>\n<virtual_joint')
    path = package(("arm",), text.replace('parent_link="flnage"', 'parent_link="${tip}"'), "config/cell.srdf.xacro")
    (job,) = jobs([str(path)])
    (result,) = check_all([job])
    (found,) = [finding for finding in result.findings if finding.code.startswith("SRD")]
    assert found.message.startswith("the link 'flnage' does not exist")
    assert (Path(found.source.file).name, found.source.line) == ("cell.srdf.xacro", 19)


def test_one_that_cannot_be_read_is_an_error(package):
    (job,) = jobs([str(package(srdf="<robot name='arm'><group"))])
    assert [finding.code for finding in check_job(job).findings if finding.severity == "error"] == ["xml-syntax"]
    (job,) = jobs([str(package(srdf=SRDF.replace("<group ", "<group name='gripper'/><group ", 1)))])
    assert [finding.code for finding in check_job(job).findings if finding.severity == "error"] == ["duplicate-name"]


def test_an_srdf_is_no_robot(package):
    with pytest.raises(KinetreeError, match="describes the groups and states of a robot"):
        check_job(Job(str(package())))


def test_xml_beside_a_robot_is_not_read_as_yaml(tmp_path):
    from kinetree.rules.parameters.files import ros_files

    (tmp_path / "arm.srdf").write_text('\ufeff \n<robot name="arm"/>', encoding="utf-8")
    (tmp_path / "odd.yaml").write_text("a: <b")
    assert ros_files((str(tmp_path / "arm.srdf"),)) is None
    assert ros_files((str(tmp_path / "odd.yaml"),)) is not None
