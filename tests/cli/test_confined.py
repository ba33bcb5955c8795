"""Check and fix of folders, which read in the workspace alone."""

import json

import pytest

from support import put

pytestmark = pytest.mark.slow

XACRO = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">{}<link name="base"/></robot>'
YAML = '<xacro:property name="p" value="${xacro.load_yaml(\'../secret.yaml\')}"/><xacro:if value="${p}"/>'
PACKAGE = "<package><name>{}</name></package>"


@pytest.fixture
def world(tmp_path, monkeypatch):
    """The working folder, a workspace, and beside it what is none of its business."""
    ws = tmp_path / "home/ws"
    put(ws / "kinetree.toml", "")
    put(ws.parent / "secret.yaml", "base: 1")
    monkeypatch.chdir(ws)
    return ws


def test_check_and_fix_of_a_folder(world, run):
    put(world / "a.xacro", XACRO.format(YAML))
    for command in (["check", "."], ["fix", "--diff", "."]):
        out = run(*command, "--json")
        findings = json.loads(out.stdout)["findings"]
        assert [finding["code"] for finding in findings] == ["confined"]
        assert out.exit_code in (1, 2)
    put(world / "kinetree.toml", 'folders = [".."]')
    assert json.loads(run("check", ".", "--json").stdout)["findings"] == []


def test_fix_changes_nothing_outside(world, run):
    put(world / "package.xml", PACKAGE.format("mine"))
    put(world.parent / "other/package.xml", PACKAGE.format("other"))
    ends = '<parent link="base"/><child link="b"/><axis xyz="0 0 2"/>'
    macro = f'<link name="b"/><joint name="j" type="continuous">{ends}</joint>'
    part = put(world.parent / "other/part.xacro", f"<robot>{macro}</robot>")
    put(world / "a.xacro", XACRO.format('<xacro:include filename="$(find other)/part.xacro"/>'))
    before = part.read_text()
    out = run("fix", "--unsafe", "a.xacro")
    assert part.read_text() == before
    assert "outside of the workspace" in out.stdout + out.stderr


def test_protection(run):
    result = run("check", "--protection")
    assert result.exit_code == 0
    assert [line.split(":")[0] for line in result.stdout.splitlines()][:3] == ["memory", "time", "writing files"]
