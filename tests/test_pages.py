"""The pages are true: their examples run, and print what the pages say."""

from __future__ import annotations

import inspect
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

import kinetree as kt
from c_compiler import compilers
from kinetree.cli import group
from pages import ROOT, blocks, pages, run_page, runs

OWN = {"serving": "tests/serving/test_server.py"}
"""Pages whose examples need something beside them, such as a server, and the test that runs them."""


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, id=page.stem) for page in pages() if runs(page) and page.stem not in OWN],
)
@pytest.mark.slow
def test_examples_print_what_the_page_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_page(page)


def test_examples_with_a_test_of_their_own_have_it():
    for page, test in OWN.items():
        (found,) = [path for path in pages() if path.stem == page]
        assert runs(found)
        assert found.name in (ROOT / test).read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_firmware_of_the_page_on_c_prints_what_it_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    compilers("cc")
    parts = [(block.language, block.text) for block in blocks(ROOT / "docs/how-to/code-generation.md")]
    for command in (text for language, text in parts if language == "sh"):
        assert CliRunner().invoke(group, shlex.split(command.replace("\\\n", " "))[1:]).exit_code == 0
    comment, declaration, main, names, reach = (text for language, text in parts if language == "c")
    for text in (comment, declaration, names, "#define HAND_POSE_Q_TORSO_PITCH_LOWER (-0.38397244f)\n"):
        assert text in Path("hand.h").read_text()
    Path("main.c").write_text(main)
    Path("reach.c").write_text(reach)
    page = (ROOT / "docs/how-to/code-generation.md").read_text(encoding="utf-8")
    printed = []
    for command in re.findall(r"`(cc .*?)`", page):
        done = subprocess.run(shlex.split(command), capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        printed.append(subprocess.run([tmp_path / "a.out"], capture_output=True, text=True, check=True).stdout)
    assert printed == [text for language, text in parts if language == "text"][:2]
    icub = kt.load("icub")
    T = kt.fk(icub, "l_hand", "imu_frame")(icub.zero)
    assert printed[0] == "{:.3f} {:.3f} {:.3f} m\n".format(*T[:3, 3])


def test_the_options_of_dynamics_are_those_of_the_functions():
    lines = (ROOT / "docs" / "reference" / "dynamics.md").read_text(encoding="utf-8").splitlines()
    at = lines.index("| functions | gravity | wrenches | parameters | friction | loops |")
    options = [cell.strip() for cell in lines[at].split("|")[2:-1]]
    for line in lines[at + 2 : lines.index("", at)]:
        names, *cells = [cell.strip() for cell in line.split("|")[1:-1]]
        taken = {option for option, cell in zip(options, cells, strict=True) if cell}
        for name in re.findall(r"`(\w+)`", names):
            parameters = inspect.signature(getattr(kt.dynamics, name)).parameters
            assert taken == parameters.keys() & set(options), name


MADE = ("e/", "reference/api/", "gallery")
"""Pages that are made when the site is built."""


def test_links_between_pages_lead_somewhere():
    for page in [*ROOT.glob("*.md"), *pages()]:
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            found = (page.parent / target).resolve()
            made = found.is_relative_to(ROOT / "docs") and found.relative_to(ROOT / "docs").as_posix().startswith(MADE)
            assert found.exists() or made, f"{page.name}: {target}"
