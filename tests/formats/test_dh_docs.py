"""The examples of docs/reference/formats/dh.md and ets.md run."""

import re
from pathlib import Path

import pytest

import kinetree as kt
from kinetree.formats import dh

DOCS = Path(__file__).resolve().parents[2] / "docs" / "reference" / "formats"


@pytest.mark.parametrize("page", ["dh.md", "ets.md"])
def test_the_examples_run(page, tmp_path, monkeypatch):
    text = (DOCS / page).read_text(encoding="utf-8")
    tables = [table for table in re.findall(r"```toml\n(.*?)```", text, re.DOTALL) if "convention" in table]
    assert len(tables) == (3 if page == "dh.md" else 0)
    monkeypatch.chdir(tmp_path)
    for table, name in zip(tables, ("sensor.toml", "arms.toml", "puma.toml"), strict=False):
        Path(name).write_text(table, encoding="utf-8")
        assert not kt.load(name).notes
    names: dict[str, object] = {}
    examples = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(examples) >= 2
    for example in examples:
        exec(example, names)


def test_the_csv_example():
    (table,) = re.findall(r"```csv\n(.*?)```", (DOCS / "dh.md").read_text(encoding="utf-8"), re.DOTALL)
    robot, findings = dh.read(table, "sensor.csv")
    assert robot is not None, findings
    assert robot.joint_names == ("torso_pitch", "torso_roll")
    assert "imu_frame" in robot.frames
