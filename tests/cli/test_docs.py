"""The examples of docs/reference/command-line.md print what it says."""

import re
import shlex
from pathlib import Path

import pytest

from kinetree.conventions.profiles import family

pytestmark = pytest.mark.slow

DOCS = Path(__file__).resolve().parents[2] / "docs" / "reference" / "command-line.md"


def test_the_examples_are_real(run, monkeypatch, tmp_path):
    text = DOCS.read_text(encoding="utf-8")
    arm = re.search(r"```xml\n(.*?)```", text, re.DOTALL)[1]
    broken = arm.replace('name="elbow" type="revolute"', 'name="elbow" type="bent"')
    broken = broken.replace('<link name="tool0"/>', '<link name="tool"/>')
    monkeypatch.chdir(tmp_path)
    Path("arm.urdf").write_text(arm)
    Path("broken.urdf").write_text(broken)
    Path("motion.csv").write_text("time, elbow\n0, 10\n0.1, 140\n0.2, 150\n0.3, 170\n")
    examples = re.findall(r"```console\n\$ kinetree (.*?)\n(.*?)```", text, re.DOTALL)
    assert len(examples) == 17
    for arguments, output in examples:
        result = run(*shlex.split(arguments))
        printed = [line.rstrip() for line in (result.stdout + result.stderr).splitlines()]
        assert printed == output.splitlines()


def test_the_page_of_settings_is_real(run, monkeypatch, tmp_path):
    """Files are the blocks under a line that ends with their name; the comment of the page goes into the arm."""
    text = DOCS.with_name("checking-settings.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for name, content in re.findall(r"`([\w.]+)`:\n\n```(?:xml|toml)\n(.*?)```", text, re.DOTALL):
        Path(name).write_text(content, encoding="utf-8")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["arm.urdf.xacro", "kinetree.toml", "misspelt.toml"]
    comment = re.search(r"```xml\n( *<!--.*?)```", text, re.DOTALL)[1]
    excused = Path("arm.urdf.xacro").read_text().replace('  <link name="flange"/>\n', comment)
    examples = re.findall(r"```console\n\$ kinetree (.*?)\n(.*?)```", text, re.DOTALL)
    assert len(examples) == 5
    for arguments, output in sorted(examples, key=lambda example: "--justifications" in example[0]):
        if "--justifications" in arguments:
            Path("arm.urdf.xacro").write_text(excused)
        result = run(*shlex.split(arguments))
        assert (result.stdout + result.stderr).splitlines() == output.splitlines()


def test_the_page_of_settings_has_every_rule_of_suppressions():
    text = DOCS.with_name("checking-settings.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (SUP-\d{3}) \| (\w+) \| (.*) \|$", text, re.MULTILINE)
    assert rows == [(rule.code, rule.level, rule.title()) for rule in family("SUP")]
