"""The hook of pre-commit, the action of GitHub and the plugin of pytest, on a good and on a bad file."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from kinetree.cli import group
from kinetree.rules.examples import ARM
from unpacking import scene_of

pytestmark = pytest.mark.slow

pytest_plugins = ["pytester"]

ROOT = Path(__file__).resolve().parents[1]
GOOD = '<origin xyz="0.09 0 0" rpy="0 0 0"/>'
BAD_AS_ASKED = (
    '<xacro:arg name="off" default="0"/><origin xyz="0.09 0 0" rpy="0 ${1.5707963267948966 * $(arg off)} 0"/>'
)
BAD = ARM.replace(GOOD, '<origin xyz="0.09 0 0" rpy="0 1.5707963267948966 0"/>')


@pytest.fixture(params=[ARM, BAD], ids=["good", "bad"])
def faulty(request, tmp_path, monkeypatch):
    """Whether the one model of the working folder is."""
    monkeypatch.chdir(tmp_path)
    Path("arm.urdf").write_text(request.param)
    return request.param == BAD


def hook_of(name):
    """Return the words of a hook's command."""
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert [hook["id"] for hook in hooks] == ["kinetree-check", "kinetree-fix"]
    hook = next(hook for hook in hooks if hook["id"] == name)
    assert {"id", "name", "entry", "language"} <= set(hook)
    assert hook["pass_filenames"] is False
    changed = ("a/arm.urdf", "arm.urdf.xacro", "w.world", "limits.yaml", "kinetree.toml")
    assert all(re.search(hook["files"], name) for name in changed)
    assert not re.search(hook["files"], "arm.stl")
    program, *words = [*shlex.split(hook["entry"]), "--profile", "industrial"]
    assert program == "kinetree"
    return words


def test_the_hook_that_checks(faulty):
    result = CliRunner().invoke(group, hook_of("kinetree-check"))
    assert result.exit_code == int(faulty)
    assert ("arm.urdf" in result.stdout) == faulty


def test_the_hook_that_checks_takes_the_models_of_the_settings(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "vendor").mkdir()
    Path("arm.urdf").write_text(ARM)
    Path("vendor/bad.urdf").write_text(BAD)
    assert CliRunner().invoke(group, hook_of("kinetree-check")).exit_code == 1
    Path("kinetree.toml").write_text('[[models]]\nfile = "arm.urdf"\n')
    assert CliRunner().invoke(group, hook_of("kinetree-check")).exit_code == 0


def test_the_hook_that_repairs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("arm.urdf").write_text(BAD.replace('axis xyz="0 0 1"', 'axis xyz="0 0 2"'))
    result = CliRunner().invoke(group, hook_of("kinetree-fix"))
    assert result.exit_code == 0
    assert Path("arm.urdf").read_text() == BAD


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="the action is a script of bash")
@pytest.mark.parametrize("profile", ["industrial", ""])
def test_the_action(faulty, tmp_path, profile):
    settings = tmp_path / "kinetree.toml"
    settings.write_text(f'profile = "{"ros" if profile else "industrial"}"\n')
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    assert action["runs"]["using"] == "composite"
    install, check, _, _ = action["runs"]["steps"]
    assert install["run"] == 'python -m pip install --quiet "$GITHUB_ACTION_PATH"'
    given_by_default = {name: given["default"] for name, given in action["inputs"].items()}
    assert given_by_default == {
        "paths": "",
        "profile": "",
        "arguments": "",
        "before": "",
        "artifact": "kinetree-changes",
    }
    given = {"paths": "arm.urdf\n\n", "profile": profile, "arguments": "--ignore=not-understood\n--select=R199\n"}
    done = run_step(check, tmp_path, given)
    assert (done.returncode, done.stderr) == (int(faulty), "")
    assert done.stdout.startswith("::error file=arm.urdf,line=") == faulty


def run_step(step, tmp_path, given, **more):
    """Run the script of a step as GitHub does, in the working folder."""
    assert "${{" not in step["run"]
    environment = {
        name: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda match: given[match[1]], value)
        for name, value in step["env"].items()
    }
    command = tmp_path / "bin" / "kinetree"
    command.parent.mkdir(exist_ok=True)
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m kinetree "$@"\n')
    command.chmod(0o755)
    path = {"PATH": f"{command.parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT / "src"), **more}
    script = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    return subprocess.run(script, capture_output=True, text=True, env={**os.environ, **path, **environment})


XACRO = '<robot xmlns:xacro="http://ros.org/wiki/xacro" '
BEFORE = {
    "arm.urdf": ARM,
    "same.urdf": ARM,
    "deep/shape.urdf": ARM,
    "broken.urdf": "<robot",
    "part.xacro": f'{XACRO}><xacro:property name="far" value="0.09"/></robot>',
    "whole.urdf.xacro": ARM.replace("<robot ", XACRO).replace(
        GOOD, '<xacro:include filename="part.xacro"/><origin xyz="${far} 0 0"/>'
    ),
}
"""Files of a repository before a change."""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix" or not shutil.which("git"), reason="the action is a script of bash with git")
class TestChanges:
    """The step of the action that shows the models of a pull request before and after."""

    @pytest.fixture
    def step(self):
        changes, attach = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"][2:]
        assert re.fullmatch(r"actions/upload-artifact@[0-9a-f]{40}", attach["uses"])
        assert attach["with"] == {
            "name": "${{ inputs.artifact }}",
            "path": f"${{{{ steps.{changes['id']}.outputs.folder }}}}",
        }
        assert f"steps.{changes['id']}.outputs.folder != ''" in attach["if"]
        assert "github.event_name == 'pull_request'" in changes["if"]
        return changes

    @pytest.fixture
    def repository(self, tmp_path, monkeypatch):
        """A checkout of a pull request's merge commit; a function that makes it, with changed files."""
        monkeypatch.chdir(tmp_path)
        who = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "init.defaultBranch=main"]

        def git(*words):
            subprocess.run(["git", *who, *words], check=True, capture_output=True)

        def write(files):
            for name, text in files.items():
                Path(name).parent.mkdir(parents=True, exist_ok=True)
                Path(name).write_text(text)
            git("add", "-A")
            git("commit", "-qm", "files", "--allow-empty")

        def make(changed, merge=True):
            Path("work").mkdir()
            monkeypatch.chdir("work")
            git("init", "-q")
            write(BEFORE)
            git("checkout", "-qb", "change")
            write(changed)
            git("checkout", "-q", "main")
            if merge:
                git("merge", "-q", "--no-ff", "change")

        return make

    def run(self, step, tmp_path, **given):
        paths = {"GITHUB_OUTPUT": tmp_path / "output", "GITHUB_STEP_SUMMARY": tmp_path / "summary"}
        for path in paths.values():
            path.write_text("")
        inputs = {"paths": ".", "profile": "industrial", "arguments": "", "before": "", **given}
        done = run_step(step, tmp_path, inputs, RUNNER_TEMP=str(tmp_path), **{k: str(v) for k, v in paths.items()})
        assert done.returncode == 0, done.stderr
        assert subprocess.run(["git", "status", "--short"], capture_output=True).stdout == b""
        output = paths["GITHUB_OUTPUT"].read_text()
        folder = Path(output.removeprefix("folder=").strip()) if output else None
        files = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()) if folder else []
        return folder, files, paths["GITHUB_STEP_SUMMARY"].read_text(), done

    @pytest.mark.nightly
    def test_changed_and_new_models_have_pages_and_new_findings_are_listed(self, step, repository, tmp_path):
        new = "new robot's $(touch x) `model`.urdf"
        repository({"arm.urdf": BAD, new: ARM, "same.urdf": ARM.replace("<link", "\n<link", 1)})
        folder, files, summary, _ = self.run(step, tmp_path)
        page = "new_robot_s___touch_x___model_.urdf.html"
        assert files == ["arm.urdf.html", "changes.txt", "new-findings.txt", page]
        changes = (folder / "changes.txt").read_text()
        assert changes.startswith("arm.urdf\nnot the same robot, but the same mechanism\n")
        assert f"{new}\na new model\n" in changes
        assert "same.urdf" not in changes
        findings = (folder / "new-findings.txt").read_text()
        assert "link 'flange': its x axis is 90 degrees off" in findings
        assert "broken.urdf" in findings  # errors of readers are never known
        assert "    arm.urdf\n    not the same robot, but the same mechanism\n" in summary
        page = (folder / "arm.urdf.html").read_text()
        scene = scene_of(page)
        assert scene["comparison"]["verdict"].startswith("not the same robot")
        assert str(tmp_path) not in page + json.dumps(scene)

    def test_a_part_changes_the_models_that_include_it(self, step, repository, tmp_path):
        repository({"part.xacro": BEFORE["part.xacro"].replace("0.09", "0.1")})
        _, files, _, _ = self.run(step, tmp_path)
        assert files == ["changes.txt", "new-findings.txt", "whole.urdf.xacro.html"]

    @pytest.mark.nightly
    def test_a_shape_counts(self, step, repository, tmp_path):
        name = "deep/shape.urdf"
        shape = '<link name="tool0"><visual><geometry><box size="1 2 3"/></geometry></visual></link>'
        repository({name: BEFORE[name].replace('<link name="tool0"/>', shape)})
        folder, files, _, _ = self.run(step, tmp_path)
        assert files == ["changes.txt", "deep/shape.urdf.html", "new-findings.txt"]
        assert "has no visual shapes, in the second robot 1 visual shape" in (folder / "changes.txt").read_text()

    @pytest.mark.nightly
    def test_nothing_is_attached_without_a_change(self, step, repository, tmp_path):
        repository({"readme.md": "words"})
        folder, _, summary, _ = self.run(step, tmp_path)
        assert (folder, summary) == (None, "")

    @pytest.mark.nightly
    def test_a_checkout_without_the_commit_before_is_named(self, step, repository, tmp_path):
        repository({"arm.urdf": BAD}, merge=False)
        folder, _, _, done = self.run(step, tmp_path)
        assert folder is None
        assert "fetch-depth" in done.stdout
        folder, files, _, _ = self.run(step, tmp_path, before="change", paths="arm.urdf\nmissing.urdf\n")
        assert "arm.urdf.html" in files


class TestPytest:
    @pytest.fixture
    def run(self, pytester):
        """Run pytest in a folder with a good and a bad model, and one of macros."""
        pytester.makefile(".urdf", good=ARM, bad=BAD)
        pytester.makefile(
            ".xacro", part='<robot xmlns:xacro="http://ros.org/wiki/xacro"><xacro:macro name="m"/></robot>'
        )
        pytester.makeini("[pytest]\nkinetree_profile = industrial\n")
        pytester.makepyfile("def test_nothing(): pass")
        installed = any(point.value == "kinetree.pytest_plugin" for point in entry_points(group="pytest11"))
        plugin = ("-p", "no:zarr", *(() if installed else ("-p", "kinetree.pytest_plugin")))
        return lambda *words: pytester.runpytest_subprocess(*plugin, *words)

    def test_it_is_off_unless_asked(self, run):
        run().assert_outcomes(passed=1)

    @pytest.mark.nightly
    def test_a_model_is_a_test_that_fails_with_its_findings(self, run):
        result = run("--kinetree")
        result.assert_outcomes(passed=3, failed=1)
        result.stdout.fnmatch_lines(["*bad.urdf:*: error: link 'flange': its x axis is 90 degrees off*", "*^"])
        result.stdout.no_fnmatch_line("*Traceback*")
        result.stdout.fnmatch_lines("FAILED bad.urdf::kinetree*")

    def test_settings_are_those_of_the_command(self, run, pytester):
        pytester.makeini("[pytest]\nkinetree_profile = industrial-strict\nkinetree_ignore = R199-4\n")
        run("--kinetree").assert_outcomes(passed=4)

    def test_a_wrong_setting_is_said(self, run, pytester):
        pytester.makeini("[pytest]\nkinetree_profile = industry\n")
        result = run("--kinetree", "good.urdf")
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines("ERROR: kinetree_*no profile 'industry'; did you mean 'industrial'*")

    @pytest.mark.nightly
    def test_models_have_their_settings(self, run, pytester):
        pytester.makeini("[pytest]\n")
        arm = ARM.replace("<robot ", '<robot xmlns:xacro="http://ros.org/wiki/xacro" ').replace(GOOD, BAD_AS_ASKED)
        pytester.makefile(".xacro", arm=arm)
        rows = "".join(f'[[models]]\nfile = "arm.xacro"\nname = "{n}"\nargs = {{ off = {n} }}\n' for n in (0, 1))
        pytester.makefile(".toml", kinetree=f'profile = "industrial"\nignore = ["R199-6"]\n{rows}')
        result = run("--kinetree", "arm.xacro", "-v")
        result.assert_outcomes(passed=1, failed=1)
        result.stdout.fnmatch_lines(["arm.xacro::kinetree[[]0[]] PASSED*", "arm.xacro::kinetree[[]1[]] FAILED*"])
        pytester.makefile(".toml", kinetree='baseline = "nowhere.json"\n')
        result = run("--kinetree", "arm.xacro")
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines("*nowhere.json*there is no such file*")
        result.stdout.no_fnmatch_line("*CallInfo*")
        pytester.makefile(".toml", kinetree='profil = "ros"\n')
        result = run("--kinetree", "arm.xacro")
        result.assert_outcomes(errors=1)
        result.stdout.fnmatch_lines("*the key 'profil' is unknown; did you mean 'profile'*")
        result.stdout.no_fnmatch_line("*Traceback*")


def test_the_plugin_is_declared():
    text = (ROOT / "pyproject.toml").read_text()
    assert '[project.entry-points.pytest11]\nkinetree = "kinetree.pytest_plugin"\n' in text
