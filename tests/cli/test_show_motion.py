"""`kinetree show --motion`."""

import json
import re

import numpy as np
import pytest

from kinetree.viewing import show


@pytest.fixture
def page(monkeypatch):
    """The viewer need not be there."""
    monkeypatch.setattr(show, "viewer", lambda: "")
    monkeypatch.setattr("kinetree.viewing.page.viewer", lambda: "")


@pytest.mark.usefixtures("page")
def test_a_motion_is_in_the_page_and_still_joints_are_listed(run, arm, tmp_path):
    motion, out = tmp_path / "motion.csv", tmp_path / "arm.html"
    motion.write_text("axis_2, time, axis_1\n90, 0, 10\n45, 0.1, 20\n")
    result = run("show", arm, "--motion", motion, "--deg", "-o", out)
    assert result.exit_code == 0
    still = "axis_3, axis_4, axis_5, axis_6"
    assert f"motion.csv: without a column, and staying as they are: {still}" in result.stderr
    text = re.search(r'id="kinetree-scene">(.*?)</script>', out.read_text())[1]
    (robot,) = json.loads(text)["robots"]
    assert robot["q"] == pytest.approx([np.deg2rad(10), np.pi / 2, 0, 0, 0, 0])
    assert robot["motion"]["samples"] == 2
    assert [column["coordinate"] for column in robot["motion"]["columns"]] == [0, 1]


@pytest.mark.usefixtures("page")
def test_a_wrong_motion_writes_nothing(run, arm, tmp_path):
    motion, out = tmp_path / "motion.csv", tmp_path / "arm.html"
    motion.write_text("time, axis1\n0, 1\n")
    result = run("show", arm, "--motion", motion, "-o", out)
    assert (result.exit_code, out.exists()) == (2, False)
    assert "motion.csv:1: error: column 'axis1' is not a joint that moves; did you mean 'axis_1'" in result.stderr
