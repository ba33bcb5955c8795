"""The command `fix`."""

import json
import os
import re
import signal
from collections import Counter
from pathlib import Path

import pytest

from each import each
from kinetree.checker import check, job
from kinetree.cli import fix as fix_command
from kinetree.fixer import state
from kinetree.fixer.apply import MOST_TRIES
from kinetree.load import examine
from kinetree.rules.examples import ARM
from kinetree.rules.profiles import rules_of
from kinetree.rules.rep199.base import BaseParent
from kinetree.rules.rep199.links import LinkOrientation
from support import full_disk

HUNG = ARM.replace(BaseParent.good, BaseParent.bad)
STUCK = ARM.replace('"base"', '"controller"').replace("base_link-base", "mount")


@pytest.fixture
def model(tmp_path):
    def model(text, name="arm.urdf"):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return model


@each("more, mentioned", [((), True), (("--unsafe",), True), (("--unsafe", "--select", "R199-303"), False)])
def test_what_a_code_must_be_selected_for_is_mentioned(run, model, more, mentioned):
    path = model(ARM.replace(LinkOrientation.good, LinkOrientation.bad))
    result = run("fix", path, "--profile", "industrial", "--diff", *more)
    assert ("1 more that --unsafe --select R199-303 may repair" in result.stderr) is mentioned


def test_it_repairs_in_place_and_then_has_nothing_to_do(run, model):
    path = model(HUNG)
    result = run("fix", path, "--profile", "industrial")
    assert (result.exit_code, result.stderr) == (0, "")
    first, last = result.stdout.splitlines()
    assert first.startswith(f"{path}:")
    assert first.endswith("[R199-205]")
    assert "link 'base': is attached to 'mount'; expected 'base_link'; repaired" in first
    assert last == f"{path}: 1 repaired"
    assert path.read_text() != HUNG
    result = run("fix", path, "--profile", "industrial")
    assert (result.exit_code, result.stdout) == (0, f"{path}: 0 repaired\n")


class TestCost:
    """A repair costs one load and one check of what is there, and one of what becomes of it."""

    @pytest.fixture
    def counts(self, monkeypatch) -> Counter[str]:
        """How many files were loaded, and how many robots checked, in this process."""
        counts: Counter[str] = Counter()

        def counted(what, function):
            def call(*arguments):
                counts[what] += 1
                return function(*arguments)

            return call

        load = counted("loads", examine)
        for module in (check, job, state):
            monkeypatch.setattr(module, "examine", load)
        monkeypatch.setattr(check, "ask", counted("checks", check.ask))
        return counts

    @pytest.mark.slow
    @pytest.mark.parametrize("name", ["arm.urdf", "arm.urdf.xacro"])
    def test_one_repair(self, name, run, model, counts):
        """What is expanded is checked by a child process, too, before it is read here; that is not counted."""
        path = model(HUNG, name)
        assert run("fix", path, "--profile", "industrial").stdout.endswith(f"{path}: 1 repaired\n")
        assert counts == {"loads": 2, "checks": 2}

    @pytest.mark.slow
    def test_many_repairs_by_one_rule(self, run, model, counts):
        links = "".join(f'<link name="l{i}"/>' for i in range(501))
        joint = '<joint name="j{}" type="fixed"><origin rpy="1.57 0 0"/><parent link="l0"/><child link="l{}"/></joint>'
        path = model(f'<robot name="r">{links}{"".join(joint.format(i, i) for i in range(1, 501))}</robot>')
        assert run("fix", path).stdout.endswith(f"{path}: 500 repaired\n")
        assert counts == {"loads": 2, "checks": 2}

    def test_what_a_child_process_could_not_check_is_not_read_here(self, run, model, counts, monkeypatch):
        refused = job.fault("arm.xacro", "check-timeout", "takes more than 30 s")
        monkeypatch.setattr(fix_command, "check_all", lambda jobs: iter([refused]))
        result = run("fix", model(HUNG, "arm.xacro"))
        assert (result.exit_code, "takes more than 30 s" in result.stderr, counts) == (2, True, {})

    def test_nothing_to_repair(self, run, model, counts):
        assert run("fix", model(ARM), "--profile", "industrial").exit_code == 0
        assert counts == {"loads": 1, "checks": 1}


def test_diff_shows_and_writes_nothing(run, model, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    path = model(HUNG)
    result = run("fix", "arm.urdf", "--profile", "industrial", "--diff")
    assert result.exit_code == 1
    assert result.stdout.startswith("--- arm.urdf\n+++ arm.urdf\n@@ ")
    changed = [line for line in result.stdout.splitlines()[2:] if line[0] in "+-"]
    assert changed == ['-    <parent link="mount"/>', '+    <parent link="base_link"/>']
    assert result.stderr == "arm.urdf: 1 would be repaired\n"
    assert path.read_text() == HUNG
    assert run("fix", model(ARM), "--profile", "industrial", "--diff").exit_code == 0


def test_what_is_left_is_said(run, model):
    path = model(STUCK)
    result = run("fix", path, "--profile", "industrial")
    assert result.exit_code == 1
    assert "[R199-208]" in result.stderr
    assert "not repaired: the controller is unknown; give its pose in" in result.stderr
    assert result.stdout == f"{path}: 0 repaired, 1 left\n"
    assert run("fix", path, "--profile", "industrial", "--controller", "abb").exit_code == 0


def test_one_bad_file_does_not_keep_the_others(run, model, tmp_path):
    bad, good = model("<robot>", "bad.urdf"), model(HUNG)
    result = run("fix", bad, good, "--profile", "industrial")
    assert result.exit_code == 2
    assert result.stdout.endswith(f"{good}: 1 repaired\n")
    assert f"{bad}:1:8: error: this is not well-formed XML" in result.stderr
    assert good.read_text() != HUNG


def test_what_cannot_be_read_in_a_folder_does_not_keep_the_others(run, model, tmp_path):
    good = model(HUNG)
    (tmp_path / "z.urdf").symlink_to("nowhere")
    result = run("fix", tmp_path, "--profile", "industrial")
    assert result.exit_code == 2
    assert result.stdout.endswith(f"{good}: 1 repaired\n")
    assert result.stderr.splitlines() == [
        f"{tmp_path / 'z.urdf'}: error: cannot be read: No such file or directory [file]",
        "More about file: https://kinetree.github.io/kinetree/latest/e/file",
    ]
    assert good.read_text() != HUNG


SDF = '<sdf version="1.9"><model name="m"><link name="a"/></model></sdf>'


def test_other_formats_are_passed_over_in_a_folder_and_refused_by_name(run, model):
    good, sdf = model(HUNG), model(SDF, "m.sdf")
    result = run("fix", good.parent, "--profile", "industrial", "--diff")
    assert (result.exit_code, result.stderr) == (1, f"{good}: 1 would be repaired\n")
    result = run("fix", sdf, good, "--profile", "industrial")
    assert result.exit_code == 2
    assert "m.sdf: error: is sdf, which is not repaired; expected URDF and xacro files" in result.stderr
    assert result.stdout.endswith(f"{good}: 1 repaired\n")
    assert sdf.read_text() == SDF


def test_what_the_settings_exclude_of_a_folder_is_not_repaired(run, model):
    good, old = model(HUNG), model(HUNG, "old.urdf")
    model('profile = "industrial"\nexclude = ["old.urdf"]\n', "kinetree.toml")
    result = run("fix", good.parent)
    assert (result.exit_code, good.read_text() == HUNG, old.read_text() == HUNG) == (0, False, True)
    assert run("fix", old).exit_code == 0
    assert old.read_text() != HUNG


@pytest.mark.parametrize("settings", ["", '[[models]]\nfile = "mine.urdf"\n'])
def test_nothing_is_repaired_that_nobody_named(settings, run, model, monkeypatch, tmp_path):
    """A folder without texts stands for itself, and not for the models of the settings."""
    monkeypatch.chdir(tmp_path)
    mine = model(HUNG, "mine.urdf")
    model(f'profile = "industrial"\n{settings}', "kinetree.toml")
    (tmp_path / "sdfs").mkdir()
    model(SDF, "sdfs/m.sdf")
    result = run("fix", "sdfs")
    assert (result.exit_code, result.stdout, mine.read_text()) == (2, "", HUNG)
    assert "there is nothing here to repair; expected URDF and xacro files" in result.stderr


def test_an_empty_name_of_settings_is_none(run, model):
    result = run("fix", model(HUNG), "--config", "")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "the name of a file is empty" in result.stderr


def test_json(run, model):
    result = run("fix", model(HUNG), model(STUCK, "stuck.urdf"), "--profile", "industrial", "--diff", "--json")
    assert result.exit_code == 1
    hung, stuck = json.loads(result.stdout)["files"]
    assert [f["code"] for f in hung["repaired"]] == ["R199-205"]
    assert '+    <parent link="base_link"/>\n' in hung["diff"]
    assert [(u["finding"]["code"], u["because"]) for u in stuck["unrepaired"]] == [
        (
            "R199-208",
            "the controller is unknown; give its pose in 'base_link' with --base \"X Y Z R P Y\" (m, rad), or as base "
            "in [[models]], or name the controller with --controller",
        )
    ]
    assert (hung["unrepaired"], stuck["diff"], hung["unsafe"]) == ([], "", [])


def test_a_wrong_code_is_said_first(run, model):
    path = model(HUNG)
    assert run("fix", path, "--profile", "industrial", "--select", "R19-2").exit_code == 2
    assert path.read_text() == HUNG


@pytest.mark.parametrize(("option", "repaired"), [("--select", ["R199-205", "R199-508"]), ("--ignore", ["R103-007"])])
def test_several_codes_are_repaired_alone_or_left(option, repaired, run, model):
    angle = '<origin rpy="0 0 3.14"/><parent link="base_link"/><child link="x"/>'
    joints = f"""<link name="x"/><joint name="x" type="fixed">{angle}</joint><link name="gripper_body"/>
      <joint name="g" type="fixed"><parent link="tool0"/><child link="gripper_body"/></joint>"""
    path = model(HUNG.replace("</robot>", f"{joints}</robot>"))
    codes = (option, "R199-205", option, "R199-508")
    said = run("fix", path, "--profile", "industrial", *codes).stdout
    assert sorted(re.findall(r"; repaired \[(.*)\]", said)) == repaired


def test_the_page_has_every_code_that_can_be_repaired():
    text = (Path(__file__).resolve().parents[2] / "docs" / "how-to" / "fixing.md").read_text(encoding="utf-8")
    said = {code for row in re.findall(r"^\| ([A-Z]+\d*-\d.*?) \|", text, re.MULTILINE) for code in row.split(", ")}
    assert said == {rule.code for rule in rules_of("industrial") if rule.repair}


def test_the_page_says_how_many_repairs_are_tried():
    text = (Path(__file__).resolve().parents[2] / "docs" / "how-to" / "fixing.md").read_text(encoding="utf-8")
    assert f"at most {MOST_TRIES} of one rule" in text


ELBOW = ARM.replace('"link_3"', '"elbow"')
UNSAFE = ("--profile", "industrial", "--unsafe")


def test_every_file_that_is_written_is_said(run, model, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    model(ELBOW)
    yaml = model("a: elbow\n", "arm.yaml")
    model("b: 1\n", "other.yaml")
    command = ("fix", "arm.urdf", *UNSAFE, "--also", "arm.yaml", "--also", "other.yaml")
    planned = json.loads(run(*command, "--diff", "--json").stdout)
    assert planned["files"][0]["changed"] == ["arm.urdf", "arm.yaml"]
    result = run(*command)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-2:] == ["arm.urdf: 1 repaired", "arm.yaml: changed with it"]
    assert yaml.read_text() == "a: link_3\n"


def test_a_related_file_that_cannot_be_used_is_said_first(run, model, tmp_path):
    path = model(ELBOW)
    broken = model("a: 1\nb: [", "arm.yaml")
    said = {str(broken): f"{broken}:2:5: error: this is not well-formed YAML", "no.yaml": "no.yaml: error: cannot"}
    for also, start in said.items():
        result = run("fix", path, *UNSAFE, "--also", also)
        assert (result.exit_code, result.stdout, path.read_text()) == (2, "", ELBOW)
        assert result.stderr.startswith(start)


def test_related_files_go_with_new_names_of_one_model(run, model):
    first, second, yaml = model(ELBOW), model(ELBOW, "other.urdf"), model("a: elbow\n", "arm.yaml")
    result = run("fix", first, second, *UNSAFE, "--also", yaml)
    assert (result.exit_code, "--also is for one model, and these are 2" in result.stderr) == (2, True)
    result = run("fix", first, "--profile", "industrial", "--also", yaml)
    assert (result.exit_code, "only --unsafe renames" in result.stderr) == (2, True)
    assert (first.read_text(), second.read_text(), yaml.read_text()) == (ELBOW, ELBOW, "a: elbow\n")


@pytest.mark.parametrize("command", ["fix", "check"])
def test_an_empty_path_is_not_the_working_folder(command, run, model, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    path = model(HUNG)
    result = run(command, "", "--profile", "industrial")
    assert (result.exit_code, result.stdout, path.read_text()) == (2, "", HUNG)
    assert "an empty path names no file" in result.stderr


def test_an_excuse_is_for_one_of_two(run, model):
    """Both are of one rule and one link; the other is left, and that is said."""
    shape = '<visual><origin rpy="0 0 1.57"/><geometry><box size="1 1 1"/></geometry></visual>'
    excuse = "<!-- kinetree: ignore R103-007 because measured -->"
    path = model(f'<robot name="r">\n<link name="a">\n{excuse}\n{shape}\n{shape}\n</link>\n</robot>')
    result = run("fix", path)
    assert result.exit_code == 1
    assert re.match(rf"{re.escape(str(path))}:5:\d+: .*not repaired: another finding .* is excused", result.stderr)
    assert result.stdout == f"{path}: 0 repaired, 1 left\n"


def test_an_excused_angle_is_not_worked_into_another(run, model):
    """Then its excuse would be for nothing, and nobody could find the angle any more."""
    gripper = """<link name="gripper_body"/>
      <!-- kinetree: ignore R103-007 because it is so -->
      <joint name="g" type="fixed"><origin rpy="0 0 3.14"/><parent link="tool0"/><child link="gripper_body"/></joint>
    </robot>"""
    text = ARM.replace("</robot>", gripper)
    path = model(text)
    result = run("fix", path, "--profile", "industrial", "--controller", "abb")
    assert (result.exit_code, path.read_text()) == (1, text)
    assert "not repaired: rpy 3.14 of joint 'g' is inexact, meant to be 3.141592653589793" in result.stderr


def test_a_broken_baseline_keeps_nothing_from_being_repaired(run, model):
    path = model(HUNG)
    model("<<<<<<< ours", "known.json")
    model('profile = "industrial"\nbaseline = "known.json"\n', "kinetree.toml")
    result = run("fix", path)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.endswith(f"{path}: 1 repaired\n")


def test_a_robot_of_the_package_is_not_repaired(run):
    result = run("fix", "icub")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "robot 'icub' comes with the package; only files and folders can be repaired" in result.stderr


@pytest.mark.slow
def test_a_file_with_several_rows_is_repaired_once(run, model, tmp_path):
    path = model(HUNG, "arm.urdf.xacro")
    rows = "".join(f'[[models]]\nfile = "arm.urdf.xacro"\nname = "{name}"\n' for name in ("short", "long"))
    model(f'profile = "industrial"\n{rows}', "kinetree.toml")
    result = run("fix", path)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-2:] == [f"{path} (short): 1 repaired", f"{path} (long): 0 repaired"]
    assert path.read_text() != HUNG


ROOT = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
ANGLE = '<joint name="{}" type="fixed"><origin rpy="1.57 0 0"/><parent link="a"/><child link="{}"/></joint>'
EXCUSE = "<!-- kinetree: ignore R103-007 because measured -->"
EXACT = "1.5707963267948966"
LINKS = '<link name="a"/><link name="b"/><link name="c"/>'


def patched(old: str, diff: str) -> str:
    """What `patch` makes of a text."""
    lines = old.splitlines(keepends=True)
    for hunks in re.split(r"^--- .*\n\+\+\+ .*\n", diff, flags=re.MULTILINE)[1:]:
        shift = 0
        for head, body in re.findall(r"^@@ -(\d+).*\n((?:[ +-].*\n)+)", hunks, re.MULTILINE):
            before, after = ([x[1:] for x in body.splitlines(keepends=True) if x[0] in signs] for signs in (" -", " +"))
            start = int(head) - 1 + shift
            assert lines[start : start + len(before)] == before
            lines[start : start + len(before)] = after
            shift += len(after) - len(before)
    return "".join(lines)


@pytest.fixture
def two(model, tmp_path) -> dict[Path, str]:
    """Two models, both of which are repaired, one by its part in another folder."""
    part = f"{ROOT}\n{LINKS}{ANGLE.format('j1', 'b')}{ANGLE.format('j2', 'c')}\n</robot>\n"
    for folder in ("robots", "parts", ".git"):  # the last makes one workspace of them
        (tmp_path / folder).mkdir()
    model(f'{ROOT}<xacro:include filename="../parts/part.xacro"/></robot>', "robots/one.urdf.xacro")
    return {model(part, name): part for name in ("parts/part.xacro", "robots/two.urdf.xacro")}


def exact(files: dict[Path, str]) -> dict[Path, str]:
    return {path: text.replace("1.57", EXACT) for path, text in files.items()}


def contents(files: dict[Path, str]) -> dict[Path, str]:
    return {path: path.read_text() for path in files}


class TestSeveralModels:
    """One run repairs them one after the other; each starts from what those before it have left."""

    @pytest.fixture
    def models(self, model, monkeypatch, tmp_path):
        """Two models that include one file, in the working folder."""
        monkeypatch.chdir(tmp_path)

        def models(common: str) -> list[str]:
            model(f"{ROOT}\n{common}\n</robot>\n", "common.xacro")
            include = f'{ROOT}<xacro:include filename="common.xacro"/></robot>'
            return [model(include, f"m{i}.urdf.xacro").name for i in (1, 2)]

        return models

    @pytest.mark.parametrize("variants", [True, pytest.param(False, marks=pytest.mark.slow)])
    @pytest.mark.slow
    def test_what_is_excused_stays_though_its_place_has_moved(self, variants, run, models, model):
        """The first repair moves what stands behind it on its line."""
        line = f"{LINKS}{ANGLE.format('j1', 'b')}{EXCUSE}{ANGLE.format('j2', 'c')}"
        names = models(line)
        if variants:
            model("".join(f'[[models]]\nfile = "m1.urdf.xacro"\nname = "{i}"\n' for i in "ab"), "kinetree.toml")
            names = names[:1]
        shown = run("fix", "--unsafe", "--diff", *names)
        common = Path("common.xacro")
        expected = common.read_text().replace("1.57", EXACT, 1)
        assert patched(common.read_text(), shown.stdout) == expected
        assert [row.partition(": ")[2] for row in shown.stderr.splitlines()] == [
            "1 would be repaired",
            "0 would be repaired",
        ]
        result = run("fix", "--unsafe", *names)
        assert (result.exit_code, common.read_text()) == (0, expected)
        assert [row.partition(": ")[2] for row in result.stdout.splitlines()[1:]] == [
            "1 repaired",
            "changed with it",
            "0 repaired",
        ]

    @pytest.mark.slow
    def test_the_difference_is_what_is_written(self, run, models, model):
        """The second repairs what only it has of the shared file, behind what the first has."""
        more = f'<xacro:if value="$(arg more)">\n<link name="d"/>{ANGLE.format("j3", "d")}\n</xacro:if>'
        (name, _) = models(f'<xacro:arg name="more" default="0"/>\n{LINKS}\n{ANGLE.format("j1", "b")}\n{more}\n'
                           + ANGLE.format("j2", "c").replace("1.57", "0"))  # fmt: skip
        rows = "".join(f'[[models]]\nfile = "{name}"\nname = "{i}"\nargs = {{ more = {i} }}\n' for i in (0, 1))
        model(rows, "kinetree.toml")
        common = Path("common.xacro")
        old = common.read_text()
        shown = run("fix", "--unsafe", "--diff", name)
        assert shown.stdout.count("--- common.xacro") == 2
        assert common.read_text() == old
        assert run("fix", "--unsafe", name).exit_code == 0
        assert common.read_text() == patched(old, shown.stdout) == old.replace("1.57", EXACT)

    @pytest.mark.slow
    @pytest.mark.parametrize("failing", [0, 1])
    def test_where_one_cannot_be_written_none_is(self, failing, run, two, tmp_path):
        before = sorted(tmp_path.rglob("*"))
        with full_disk(list(two)[failing]):
            result = run("fix", "--unsafe", tmp_path / "robots")
        assert (result.exit_code, result.stdout) == (2, "")
        assert "cannot be written: No space left" in result.stderr
        assert contents(two) == two
        assert sorted(tmp_path.rglob("*")) == before
        assert run("fix", "--unsafe", tmp_path / "robots").exit_code == 0
        assert contents(two) == exact(two)

    @pytest.mark.slow
    def test_where_one_has_changed_meanwhile_none_is_written(self, run, two, monkeypatch, tmp_path):
        write, changed = fix_command.write, next(iter(two))
        mine = changed.read_text() + "<!-- mine -->"

        def edited_before(*results):
            changed.write_text(mine)
            return write(*results)

        monkeypatch.setattr(fix_command, "write", edited_before)
        result = run("fix", "--unsafe", tmp_path / "robots")
        assert (result.exit_code, result.stdout) == (2, "")
        assert f"{changed}: error: has changed since it was read" in result.stderr
        assert contents(two) == {**two, changed: mine}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork")
class TestAfterARunThatWasKilled:
    """Between two files."""

    @pytest.fixture
    def killed(self, run, two, tmp_path) -> list[Path]:
        """The files in the folders before; one file is new by now, and one is old."""
        before = sorted(tmp_path.rglob("*"))
        child = os.fork()
        if not child:
            replace, calls = os.replace, []

            def kills(*paths):
                replace(*paths)
                calls.append(paths)
                os.kill(os.getpid(), signal.SIGKILL)

            os.replace = kills
            run("fix", "--unsafe", tmp_path / "robots")
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
        assert sum(path.read_text() != text for path, text in two.items()) == 1
        return before

    @pytest.mark.slow
    def test_each_file_is_whole_and_the_next_run_changes_the_rest(self, run, two, killed, tmp_path):
        assert sum(contents(two)[path] == exact(two)[path] for path in two) == 1
        again = run("fix", "--unsafe", tmp_path / "robots")
        assert (again.exit_code, again.stderr) == (0, "")
        assert contents(two) == exact(two)


def test_lines_end_where_patch_says_they_do(run, model):
    """And not at other characters that Python counts as ends, which would cut a line of the difference in two."""
    odd = "<!-- \u2028 \x85 -->"
    path = model(HUNG.replace('<link name="base"/>', f'{odd}<link name="base"/>'))
    lines = run("fix", path, "--profile", "industrial", "--diff").stdout.split("\n")
    assert any(line.startswith(f" {odd}") or odd in line for line in lines)
    assert not any(line.startswith("\\") for line in lines)
