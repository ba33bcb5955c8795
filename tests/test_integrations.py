"""The hook of pre-commit, the action of GitHub and the plugin of pytest, on a good and on a bad file."""

import os
import re
import shlex
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from kinetree.cli import group
from kinetree.conventions.examples import ARM

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


def test_the_hook(faulty):
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert {"id", "name", "entry", "language"} <= set(hook)
    assert hook["pass_filenames"] is False
    changed = ("a/arm.urdf", "arm.urdf.xacro", "w.world", "limits.yaml", "kinetree.toml")
    assert all(re.search(hook["files"], name) for name in changed)
    assert not re.search(hook["files"], "arm.stl")
    program, *words = [*shlex.split(hook["entry"]), "--profile", "industrial"]
    assert program == "kinetree"
    result = CliRunner().invoke(group, words)
    assert result.exit_code == int(faulty)
    assert ("arm.urdf" in result.stdout) == faulty


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="the action is a script of bash")
@pytest.mark.parametrize("profile", ["industrial", ""])
def test_the_action(faulty, tmp_path, profile):
    settings = tmp_path / "kinetree.toml"
    settings.write_text(f'profile = "{"ros" if profile else "industrial"}"\n')
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    assert action["runs"]["using"] == "composite"
    install, check = action["runs"]["steps"]
    assert install["run"] == 'python -m pip install --quiet "$GITHUB_ACTION_PATH"'
    assert "${{" not in check["run"]
    given_by_default = {name: given["default"] for name, given in action["inputs"].items()}
    assert given_by_default == {"paths": ".", "profile": "", "arguments": ""}
    given = {"paths": "arm.urdf\n\n", "profile": profile, "arguments": "--ignore=not-understood\n--select=R199\n"}
    environment = {
        name: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda match: given[match[1]], value)
        for name, value in check["env"].items()
    }
    command = tmp_path / "bin" / "kinetree"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m kinetree "$@"\n')
    command.chmod(0o755)
    path = {"PATH": f"{command.parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT / "src")}
    script = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", check["run"]]
    done = subprocess.run(script, capture_output=True, text=True, env={**os.environ, **path, **environment})
    assert (done.returncode, done.stderr) == (int(faulty), "")
    assert done.stdout.startswith("::error file=arm.urdf,line=") == faulty


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
        plugin = () if installed else ("-p", "kinetree.pytest_plugin")
        return lambda *words: pytester.runpytest(*plugin, *words)

    def test_it_is_off_unless_asked(self, run):
        run().assert_outcomes(passed=1)

    def test_a_model_is_a_test_that_fails_with_its_findings(self, run):
        result = run("--kinetree")
        result.assert_outcomes(passed=3, failed=1)
        result.stdout.fnmatch_lines(["*bad.urdf:*: error: link 'flange': its X+ is 90 degrees off*", "*^"])
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
        result.stdout.fnmatch_lines("*'profil' means nothing here; did you mean 'profile'*")
        result.stdout.no_fnmatch_line("*Traceback*")


def test_the_plugin_is_declared():
    text = (ROOT / "pyproject.toml").read_text()
    assert '[project.entry-points.pytest11]\nkinetree = "kinetree.pytest_plugin"\n' in text
