"""The examples of docs/command-line.md print what it says."""

import re
import shlex
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs" / "command-line.md"


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
    assert len(examples) == 12
    for arguments, output in examples:
        result = run(*shlex.split(arguments))
        printed = [line.rstrip() for line in (result.stdout + result.stderr).splitlines()]
        assert printed == output.splitlines()
