"""Repositories of makers' arms are made conformant by one command."""

from __future__ import annotations

import os

import numpy as np
import pytest
import vendor_shapes as shapes
from click.testing import CliRunner

import kinetree as kt
from kinetree.checker.jobs import jobs
from kinetree.checker.settings import read_settings
from kinetree.cli import group
from support import all_frames, random_q

MAKERS = (shapes.kawasaki, shapes.motoman, shapes.techman, shapes.mitsubishi)


def robots(folder) -> list[kt.Robot]:
    """The models of the settings."""
    found = jobs(None, read_settings(str(folder / "kinetree.toml")))
    return [kt.load(job.file, xacro_args=job.options.read.xacro_args) for job in found]


def run(folder, *arguments: str):
    before = os.getcwd()
    os.chdir(folder)
    try:
        return CliRunner().invoke(group, arguments)
    finally:
        os.chdir(before)


@pytest.mark.slow
@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.__name__)
def test_one_run_makes_all_arms_conformant(maker, tmp_path):
    folder = maker(tmp_path)
    before = robots(folder)
    result = run(folder, "fix", "--profile", "industrial", "--unsafe")
    assert result.exit_code == 0, result.output
    assert "not repaired" not in result.output
    after = robots(folder)
    rng = np.random.default_rng(0)
    for old, new in zip(before, after, strict=True):
        assert {"base_link", "base", "flange", "tool0", *(f"link_{i}" for i in range(1, 7))} <= {
            name.removeprefix(f"{old.name}_") for name in new.links
        }
        for q in (old.q(), random_q(old, rng)):
            left = list(all_frames(new, q).values())
            for name, T in all_frames(old, q).items():  # names change, places stay
                off = [np.abs(T - other).max() for other in left]
                assert min(off) < 1e-9, name
                del left[int(np.argmin(off))]
    checked = run(folder, "check", "--profile", "industrial", "--select", "R199")
    assert checked.exit_code == 0, checked.output
    texts = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    again = run(folder, "fix", "--profile", "industrial", "--unsafe")
    assert again.exit_code == 0, again.output
    assert all(path.read_bytes() == text for path, text in texts.items())
