"""The command `check`."""

import json
import os
import re
from pathlib import Path

import pytest

from kinetree.rules.examples import ARM
from support import icub_urdfs


def test_remarks_alone_are_no_fault(run):
    result = run("check", "icub", "--profile", "icub", "--select", "ICUB-302", "--show-all")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[-1] == "5 remarks"
    assert sum("[ICUB-302]" in line for line in lines) == 5


def test_faults_are_counted_and_make_it_fail(run):
    path = next(path for path in icub_urdfs() if path.parent.name == "iCubGazeboV2_7")
    result = run("check", path, "--profile", "icub", "--ignore", "ICUB-5", "--show-all")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0].startswith(f"{path}:1:1: warning: frame 'l_upper_arm_dh_frame'")
    assert lines[-1].startswith("2 warnings, ")
    place = next(line for line in lines if "joint 'torso_roll'" in line).removeprefix(f"{path}:").split(":")[:2]
    text = path.read_text().splitlines()
    assert '<joint name="torso_roll"' in text[int(place[0]) - 1][int(place[1]) - 1 :]


def test_json_has_every_field(run):
    result = run("check", "icub:1", "--profile", "icub", "--json")
    assert result.exit_code == 0
    findings = json.loads(result.stdout)["findings"]
    codes = [finding["code"] for finding in findings]
    places = [(finding["severity"] == "info", finding["source"]["line"] or 0) for finding in findings]
    assert places == sorted(places)
    assert {"unplaced", "ICUB-501"} <= set(codes)
    roll = next(f for f in findings if f["code"] == "ICUB-302")
    assert roll["element"] == "joint 'torso_roll'"
    assert roll["severity"] == "info"
    assert roll["source"]["file"] == "icub-1.0.toml"
    assert roll["source"]["line"] > 0


def test_a_file_that_cannot_be_read_is_found_faulty(run, tmp_path):
    path = tmp_path / "bad.urdf"
    path.write_text('<robot name="r">\n<link name="a"/><joint name="j"/></robot>')
    result = run("check", path, "--profile", "icub")
    assert (result.exit_code, result.stderr) == (1, "")
    lines = [line for line in result.stdout.splitlines() if line.startswith(str(path))]
    assert lines[0].startswith(f"{path}:2:17: error: joint 'j'")
    assert lines[-1].startswith(f"{path}:1:1: info: robot 'r': rules say nothing yet about joint 'j' and the robot as")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nowhere", "--profile", "icub"), "no robot 'nowhere' comes with the package"),
        (("icub:2.4", "--profile", "icub"), "the versions are 1.0, 1.7"),
        (("icub", "--profile", "icub", "--select", "ICUB-9"), "no rule of profile 'icub' begins with 'ICUB-9'"),
        (("icub", "--profile", "ikub"), "'ikub' is not"),
        (("arm.urdf", "--profile", "icub", "--version", "2.5"), "--version goes with the bare name"),
    ],
)
def test_what_cannot_be_done_is_said_on_the_other_stream(run, words, said):
    result = run("check", *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr


@pytest.mark.slow
def test_a_version_is_an_option_of_every_command_on_one_robot(run):
    same = run("fk", "icub", "imu_frame", "--version", "2.6", "--json")
    assert same.exit_code == 0
    assert same.stdout == run("fk", "icub:2.6", "imu_frame", "--json").stdout
    assert same.stdout != run("fk", "icub", "imu_frame", "--json").stdout
    assert "icub-2.5.toml (dh)" in run("inspect", "icub", "--version", "2.5").stdout


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a good arm, one whose flange points down, macros, and a file that is broken."""
    monkeypatch.chdir(tmp_path)
    good = '<origin xyz="0.09 0 0" rpy="0 0 0"/>'
    for name in ("models", "models/sub", "empty"):
        Path(name).mkdir()
    Path("models/good.urdf").write_text(ARM)
    Path("models/sub/bad.urdf").write_text(ARM.replace(good, '<origin xyz="0.09 0 0" rpy="0 1.5707963267948966 0"/>'))
    Path("models/macros.xacro").write_text(
        '<robot xmlns:xacro="http://ros.org/wiki/xacro"><xacro:macro name="m"/></robot>'
    )
    return tmp_path


class TestManyFiles:
    @pytest.mark.slow
    def test_folders_are_searched_and_parts_passed_over(self, run, folder):
        result = run("check", "models", "--profile", "industrial")
        assert (result.exit_code, result.stderr) == (1, "")
        first, *_, last = result.stdout.splitlines()
        assert first.startswith(str(Path("models/sub/bad.urdf:")))
        assert last == "1 error in 1 of 3 files"

    @pytest.mark.slow
    def test_a_part_that_is_named_is_a_fault(self, run, folder):
        result = run("check", "models", "models/macros.xacro", "--profile", "industrial", "--output-format", "concise")
        assert result.exit_code == 1
        assert [line.rpartition(" ")[2] for line in result.stdout.splitlines()] == ["[xacro-macros-only]", "[R199-403]"]

    @pytest.mark.slow
    def test_the_order_is_that_of_the_paths_and_none_is_checked_twice(self, run, folder):
        paths = ("models/sub/bad.urdf", "models", "icub")
        said = json.loads(run("check", *paths, "--profile", "industrial", "--json").stdout)
        names = ["sub/bad.urdf", "good.urdf", "macros.xacro"]
        assert [file["file"] for file in said["files"]] == [*(str(Path("models", name)) for name in names), "icub"]

    @pytest.mark.slow
    def test_one_broken_file_does_not_hide_the_others(self, run, folder):
        Path("models/a.urdf").write_text("<robot")
        Path("models/b.sdf").write_bytes(b"\xff\xfe\x00")
        result = run("check", "models", "--profile", "industrial", "--output-format", "concise")
        assert result.exit_code == 1
        assert {"[xml-syntax]", "[R199-403]"} <= {line.rpartition(" ")[2] for line in result.stdout.splitlines()}

    @pytest.mark.parametrize(
        ("paths", "said"),
        [
            (("empty",), "no robot descriptions in this folder"),
            (("models/good.urdf", "--arg", "a=1"), "--arg means something to usd and xacro alone"),
            (("models", "--model", "m", "--ignore", "R199-403x"), "begins with"),
            (("models", "--json", "--output-format", "sarif"), "two forms"),
            (("models", "--controller", "kuuka"), "did you mean 'kuka'"),
        ],
    )
    def test_nothing_to_read_is_2(self, run, folder, paths, said):
        result = run("check", *paths, "--profile", "industrial", "--exit-zero")
        assert (result.exit_code, result.stdout) == (2, "")
        assert said in result.stderr

    @pytest.mark.parametrize("command", [("check", "--output-format", "concise"), ("fix", "--diff")])
    def test_an_empty_folder_hides_no_other_path(self, run, folder, command):
        result = run(*command, "empty", "models/sub/bad.urdf", "--profile", "industrial")
        assert result.exit_code == 2
        assert "empty: error: there are no robot descriptions in this folder [no-models]" in result.output
        assert "models/sub/bad.urdf" in result.output

    @pytest.mark.parametrize(
        "named",
        [
            "nowhere.urdf",
            *(
                pytest.param(n, marks=pytest.mark.slow)
                for n in ("notes.txt", "link.urdf", "pipe.urdf", "models/../gone.sdf")
            ),
        ],
    )
    @pytest.mark.slow
    @pytest.mark.sampled(2)
    def test_what_cannot_be_read_is_2_and_the_others_are_checked(self, run, folder, named):
        Path("notes.txt").write_text("not a robot")
        Path("link.urdf").symlink_to("away.urdf")
        if hasattr(os, "mkfifo"):
            os.mkfifo("pipe.urdf")
        result = run("check", "models", named, "--profile", "industrial", "--output-format", "concise", "--exit-zero")
        assert (result.exit_code, result.stderr) == (2, "")
        first, *others = result.stdout.splitlines()
        assert first.startswith(f"{named}: error: ")
        assert (
            others
            == run("check", "models", "--profile", "industrial", "--output-format", "concise").stdout.splitlines()
        )

    def test_a_row_of_the_settings_that_is_not_there_is_2_as_well(self, run, folder):
        Path("kinetree.toml").write_text('[[models]]\nfile = "models/good.urdf"\n[[models]]\nfile = "gone.urdf"\n')
        result = run("check")
        assert (result.exit_code, result.stdout.count("gone.urdf: error: cannot be read")) == (2, 1)

    @pytest.mark.slow
    def test_what_the_settings_exclude_is_left_out_of_folders(self, run, folder):
        Path("kinetree.toml").write_text('profile = "industrial"\nexclude = ["models/sub/"]\n')
        assert run("check", ".").stdout == "nothing found in 2 files\n"
        assert run("check", "models/sub/bad.urdf").exit_code == 1

    @pytest.mark.slow
    def test_a_file_that_is_named_twice_is_checked_once(self, run, folder):
        result = run("check", "models/good.urdf", "./models/good.urdf", "models", Path("models").absolute(), "--json")
        files = [row["file"] for row in json.loads(result.stdout)["files"]]
        assert len(files) == len({os.path.abspath(file) for file in files})
        assert files[0] == "models/good.urdf"

    @pytest.mark.slow
    def test_options_of_a_format_are_for_its_files(self, run, folder):
        root = '<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro">'
        text = f'{root}<xacro:arg name="x" default="a b"/><link name="$(arg x)"/></robot>'
        Path("models/main.xacro").write_text(text)
        result = run("check", "models", "--profile", "industrial", "--select", "R199", "--arg", "x=foot", "--json")
        assert {finding["code"] for finding in json.loads(result.stdout)["findings"]} <= {"R199-001", "R199-403"}

    @pytest.mark.slow
    def test_a_xacro_file_finds_its_packages_and_shows_the_line_that_it_is_about(self, run, folder):
        package = Path("ws/arm_description")
        package.mkdir(parents=True)
        (package / "package.xml").write_text("<package><name>arm_description</name></package>")
        (package / "part.xacro").write_text(Path("models/sub/bad.urdf").read_text())
        root = '<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro">'
        include = '<xacro:include filename="$(find arm_description)/part.xacro"/>'
        (package / "main.urdf.xacro").write_text(f"{root}\n{include}\n</robot>")
        result = run("check", package / "main.urdf.xacro", "--profile", "industrial")
        assert result.exit_code == 1
        place, line, marks, more, _ = result.stdout.splitlines()
        assert more == "More about R199-403: https://kinetree.github.io/kinetree/latest/e/R199-403"
        assert re.match(r".*part\.xacro:\d+:3: error: link 'flange': its x axis is 90 degrees", place)
        assert (line, marks[-1]) == ('    <link name="flange"/>', "^")

    @pytest.mark.slow
    def test_the_report_goes_to_a_file(self, run, folder):
        words = ("check", "models", "--profile", "industrial", "--output-format", "junit", "--output-file", "out.xml")
        result = run(*words, "--exit-zero")
        assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
        assert Path("out.xml").read_text().startswith('<?xml version="1.0"?>\n<testsuites')
        assert run(*words).exit_code == 1


class TestSettings:
    ROBOT = '<robot name="r"><link name="a"/><odd/></robot>'

    @pytest.fixture(autouse=True)
    def project(self, tmp_path, monkeypatch):
        (tmp_path / "r.urdf").write_text(self.ROBOT)
        (tmp_path / "kinetree.toml").write_text('profile = "industrial"\n[[models]]\nfile = "r.urdf"\n')
        monkeypatch.chdir(tmp_path)

    def test_without_a_path_the_models_are_checked(self, run):
        result = run("check", "--ignore", "R199")
        assert (result.exit_code, result.stderr) == (1, "")
        assert "r.urdf:1:33: warning: <odd>" in result.stdout
        assert run("check", "r.urdf", "--ignore", "R199").stdout == result.stdout

    def test_settings_can_be_named(self, run, tmp_path):
        (tmp_path / "other.toml").write_text('profile = "industrial"\nignore = ["not-understood", "R199"]')
        assert run("check", "r.urdf", "--config", "other.toml").stdout == "nothing found\n"
        result = run("check", "r.urdf", "--config", "nowhere.toml")
        assert (result.exit_code, result.stdout) == (2, "")
        assert "nowhere.toml: error: cannot be read" in result.stderr

    def test_what_is_in_a_baseline_is_known(self, run):
        written = run("check", "--select", "not", "--write-baseline", "known.json")
        assert (written.exit_code, written.stdout) == (0, "nothing found, 1 known\n")
        assert written.stderr == "1 finding written to known.json\n"
        known = run("check", "--select", "not", "--baseline", "known.json")
        assert (known.exit_code, known.stdout) == (0, "nothing found, 1 known\n")

    def test_a_file_that_is_not_understood_is_never_known(self, run, tmp_path):
        (tmp_path / "r.urdf").write_text("<robot>")
        written = run("check", "--write-baseline", "known.json")
        assert (written.exit_code, written.stderr) == (1, "0 findings written to known.json\n")
        assert "[xml-syntax]" in written.stdout

    @pytest.mark.parametrize(
        "old",
        [
            None,
            '{\n "kinetree-baseline": 1,\n "findings": [\n<<<<<<< HEAD\n',
            '<<<<<<< HEAD\n{\n "kinetree-baseline": 1,',
            "",
        ],
    )
    def test_a_baseline_is_written_whatever_the_old_one_is(self, run, old):
        with Path("kinetree.toml").open("r+") as settings:
            text = settings.read()
            settings.seek(0)
            settings.write(f'baseline = "known.json"\n{text}')
        if old is not None:
            Path("known.json").write_text(old)
        assert (run("check", "--select", "not").exit_code, run("check").stdout) == (2, "")
        written = run("check", "--select", "not", "--write-baseline", "known.json")
        assert (written.exit_code, written.stderr) == (0, "1 finding written to known.json\n")
        assert run("check", "--select", "not").stdout == "nothing found, 1 known\n"

    @pytest.mark.parametrize("option", ["--write-baseline", "--output-file", "--baseline", "--config"])
    def test_an_empty_name_is_none(self, run, option):
        result = run("check", "r.urdf", option, "")
        assert (result.exit_code, result.stdout) == (2, "")
        assert "the name of a file is empty" in result.stderr

    @pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
    def test_a_pipe_is_no_baseline(self, run):
        os.mkfifo("pipe.json")
        result = run("check", "r.urdf", "--write-baseline", "pipe.json")
        assert (result.exit_code, result.stdout) == (2, "")
        assert "pipe.json: error: is no file, and cannot be a baseline" in result.stderr

    @pytest.mark.parametrize("option", ["--write-baseline", "--output-file"])
    @pytest.mark.parametrize("target", ["r.urdf", "./r.urdf", "link.json", "empty.urdf", "kinetree.toml"])
    def test_what_is_checked_is_not_replaced(self, run, option, target):
        Path("link.json").symlink_to("r.urdf")
        Path("empty.urdf").touch()
        result = run("check", "r.urdf", "empty.urdf", option, target)
        assert (result.exit_code, result.stdout) == (2, "")
        assert f"{target} is read by this command, so it is not replaced" in result.stderr
        assert (Path("r.urdf").read_text(), Path("empty.urdf").read_text()) == (self.ROBOT, "")

    def test_nor_are_settings_nor_baselines_by_a_report_nor_other_files_by_a_baseline(self, run):
        assert run("check", "--write-baseline", "known.json").exit_code == 0
        Path("other.xacro").write_text(self.ROBOT)
        for words in (
            ("--baseline", "known.json", "--output-file", "known.json"),
            ("--write-baseline", "new.json", "--output-file", "./new.json"),
            ("--config", "kinetree.toml", "--output-file", "kinetree.toml"),
            ("--write-baseline", "other.xacro"),
            ("--write-baseline", "kinetree.toml"),
        ):
            before = {path: path.read_text() for path in Path().iterdir()}
            result = run("check", "r.urdf", *words)
            assert (result.exit_code, result.stdout) == (2, "")
            assert "replaced" in result.stderr
            assert {path: path.read_text() for path in Path().iterdir()} == before

    def test_a_report_goes_with_a_new_baseline(self, run):
        words = ("check", "--select", "not", "--write-baseline", "known.json")
        assert run(*words, "--output-format", "junit", "--output-file", "j.xml").exit_code == 0
        assert "<testsuites" in Path("j.xml").read_text()
        assert json.loads(run(*words, "--json").stdout)["findings"] == []
        assert run(*words, "--justifications").stdout == "Nothing is excused.\n"

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            (("--justifications", "--json"), "--justifications is a table in Markdown"),
            (("--justifications", "--output-format", "sarif"), "--justifications is a table in Markdown"),
            (("--write-baseline", "-"), "--write-baseline - is no file"),
            (("--write-baseline", "a.json", "--baseline", "b.json"), "expected either it or --baseline"),
        ],
    )
    def test_what_does_not_go_together_is_refused(self, run, words, said):
        result = run("check", *words)
        assert (result.exit_code, result.stdout) == (2, "")
        assert said in result.stderr
        assert sorted(path.name for path in Path().iterdir()) == ["kinetree.toml", "r.urdf"]

    def test_a_report_may_go_to_the_standard_output(self, run):
        assert run("check", "--output-file", "-").stdout == run("check").stdout != ""
        assert not Path("-").exists()

    def test_what_is_gone_is_said_of_files_and_variants(self, run):
        row = '[[models]]\nfile = "s.urdf"\nname = "{}"\n'
        Path("kinetree.toml").write_text('[[models]]\nfile = "r.urdf"\n' + row.format("long") + row.format("short"))
        Path("s.urdf").write_text(self.ROBOT)
        known = ("--select", "not", "--select", "baseline")
        assert run("check", *known, "--write-baseline", "known.json").exit_code == 0
        Path("kinetree.toml").write_text(row.format("long"))
        Path("r.urdf").unlink()
        result = run("check", *known, "--baseline", "known.json", "--output-format", "concise")
        assert result.exit_code == 0
        assert result.stdout.splitlines() == [
            "known.json: info: model 'r.urdf': 1 in the baseline are gone with their file: not-understood <odd> "
            "[baseline-gone]",
            "known.json: info: model 's.urdf' (short): 1 in the baseline are gone with their variant: not-understood "
            "<odd> [baseline-gone]",
        ]

    @pytest.mark.slow
    def test_other_arguments_of_the_only_row_of_a_file_are_no_news(self, run):
        Path("r.urdf.xacro").write_text(
            '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="a" default=""/>'
            '<link name="l$(arg a)"/><odd/></robot>'
        )
        row = '[[models]]\nfile = "r.urdf.xacro"\nargs = { a = "%s" }\n'
        Path("kinetree.toml").write_text(row % "one")
        assert run("check", "--select", "not", "--write-baseline", "known.json").exit_code == 0
        Path("kinetree.toml").write_text(row % "two")
        assert run("check", "--baseline", "known.json").stdout == "nothing found, 1 known\n"

    def test_justifications_are_a_table(self, run, tmp_path):
        excused = "<!-- kinetree: ignore not-understood because | -->".replace("|", "of a | b")
        (tmp_path / "r.urdf").write_text(self.ROBOT.replace("<odd/>", f"{excused}<odd/>"))
        result = run("check", "--justifications")
        assert result.stdout.splitlines()[-1].endswith("| of a \\| b |")
        assert run("check").stdout.endswith("1 excused\n")


def test_pairs_of_an_srdf_that_are_not_tested_are_named(run, tmp_path):
    arm, srdf = tmp_path / "arm.urdf", tmp_path / "arm.srdf"
    arm.write_text('<robot name="arm"><link name="base_link"/></robot>')
    hint = "--contact tests them"
    srdf.write_text('<robot name="arm"/>')
    assert hint not in run("check", arm, srdf).stderr
    srdf.write_text('<robot name="arm"><disable_collisions link1="a" link2="b"/></robot>')
    assert hint in run("check", arm, srdf).stderr
    for more in (["--contact"], ["--select", "CON"], ["--ignore", "CON"], ["--select", "LIM"]):
        assert hint not in run("check", arm, srdf, *more).stderr
    assert hint not in run("check", arm).stderr
