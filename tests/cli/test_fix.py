"""The command `fix`."""

import json
import re
import shlex
from pathlib import Path

import pytest

from kinetree.conventions.check import rules_of
from kinetree.conventions.examples import ARM
from kinetree.conventions.rep199.base import BaseParent

HUNG = ARM.replace(BaseParent.good, BaseParent.bad)
STUCK = ARM.replace('"base"', '"controller"')


@pytest.fixture
def model(tmp_path):
    def model(text, name="arm.urdf"):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return model


def test_it_mends_in_place_and_then_has_nothing_to_do(run, model):
    path = model(HUNG)
    result = run("fix", path, "--profile", "industrial")
    assert (result.exit_code, result.stderr) == (0, "")
    first, last = result.stdout.splitlines()
    assert first.startswith(f"{path}:")
    assert first.endswith("[R199-205]")
    assert "link 'base': hangs on 'mount', not on 'base_link'; mended" in first
    assert last == f"{path}: 1 mended"
    assert path.read_text() != HUNG
    result = run("fix", path, "--profile", "industrial")
    assert (result.exit_code, result.stdout) == (0, f"{path}: 0 mended\n")


def test_diff_shows_and_writes_nothing(run, model, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    path = model(HUNG)
    result = run("fix", "arm.urdf", "--profile", "industrial", "--diff")
    assert result.exit_code == 1
    assert result.stdout.startswith("--- arm.urdf\n+++ arm.urdf\n@@ ")
    changed = [line for line in result.stdout.splitlines()[2:] if line[0] in "+-"]
    assert changed == ['-    <parent link="mount"/>', '+    <parent link="base_link"/>']
    assert result.stderr == "arm.urdf: 1 would be mended\n"
    assert path.read_text() == HUNG
    assert run("fix", model(ARM), "--profile", "industrial", "--diff").exit_code == 0


def test_what_is_left_is_said(run, model):
    path = model(STUCK)
    result = run("fix", path, "--profile", "industrial")
    assert result.exit_code == 1
    assert "[R199-208]" in result.stderr
    assert "not mended: nothing says whose controller it is; --vendor does" in result.stderr
    assert result.stdout == f"{path}: 0 mended, 1 left\n"
    assert run("fix", path, "--profile", "industrial", "--vendor", "abb").exit_code == 0


def test_one_bad_file_does_not_keep_the_others(run, model, tmp_path):
    bad, good = model("<robot>", "bad.urdf"), model(HUNG)
    missing = run("fix", good, tmp_path / "nowhere.urdf", "--profile", "industrial")
    assert (missing.exit_code, missing.stdout, good.read_text()) == (2, "", HUNG)
    assert "nowhere.urdf: error: cannot be read" in missing.stderr
    result = run("fix", bad, good, "--profile", "industrial")
    assert result.exit_code == 2
    assert result.stdout.endswith(f"{good}: 1 mended\n")
    assert f"{bad}:1:8: error: this is not well-formed XML" in result.stderr
    assert good.read_text() != HUNG


def test_json(run, model):
    result = run("fix", model(HUNG), model(STUCK, "stuck.urdf"), "--profile", "industrial", "--diff", "--json")
    assert result.exit_code == 1
    hung, stuck = json.loads(result.stdout)["files"]
    assert [f["code"] for f in hung["mended"]] == ["R199-205"]
    assert '+    <parent link="base_link"/>\n' in hung["diff"]
    assert [(u["finding"]["code"], u["because"]) for u in stuck["unmended"]] == [
        ("R199-208", "nothing says whose controller it is; --vendor does")
    ]
    assert (hung["unmended"], stuck["diff"], hung["unsafe"]) == ([], "", [])


def test_a_wrong_code_is_said_first(run, model):
    path = model(HUNG)
    assert run("fix", path, "--profile", "industrial", "--select", "R19-2").exit_code == 2
    assert path.read_text() == HUNG


def test_the_examples_of_the_page_are_real(run, monkeypatch, tmp_path):
    text = (Path(__file__).resolve().parents[2] / "docs" / "fixing.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    Path("arm.urdf").write_text(re.search(r"```xml\n(.*?)```", text, re.DOTALL)[1])
    examples = re.findall(r"```console\n\$ kinetree (.*?)\n(.*?)```", text, re.DOTALL)
    assert len(examples) == 2
    for arguments, output in examples:
        result = run(*shlex.split(arguments))
        printed = [line.rstrip() for line in (result.stdout + result.stderr).splitlines()]
        assert printed == [line.rstrip() for line in output.splitlines()]


def test_the_page_has_every_code_that_can_be_mended():
    text = (Path(__file__).resolve().parents[2] / "docs" / "fixing.md").read_text(encoding="utf-8")
    said = {code for row in re.findall(r"^\| ([A-Z]+\d*-\d.*?) \|", text, re.MULTILINE) for code in row.split(", ")}
    assert said == {rule.code for rule in rules_of("industrial") if rule.mend}
