"""The pages are true: their Python runs, and prints what stands below it."""

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

ROOT = Path(__file__).resolve().parents[1]


def blocks(page: str) -> list[tuple[str, str]]:
    """(language, text) of every fenced block."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"^```(\w+)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "docs/reference/model.md",
        "docs/how-to/models.md",
        "docs/how-to/building.md",
        "docs/reference/kinematics.md",
        "docs/reference/sensors.md",
        "docs/reference/dynamics.md",
        "docs/reference/kernels.md",
        "docs/reference/gradients.md",
        "docs/how-to/notebooks.md",
        "docs/how-to/code-generation.md",
        "docs/reference/icub.md",
        "docs/reference/icub-boards.md",
        "docs/how-to/checking.md",
        "docs/reference/limits.md",
        "docs/how-to/guard.md",
        "docs/reference/inverse-kinematics.md",
        "docs/how-to/reach.md",
        "docs/reference/controllers.md",
        "docs/how-to/calibration.md",
        "docs/how-to/transforms.md",
    ],
)
@pytest.mark.slow
def test_python_prints_the_text_below_it(page, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    variables: dict[str, object] = {}
    compared = 0
    parts = blocks(page)
    for (language, code), (below, expected) in zip(parts, [*parts[1:], ("", "")], strict=True):
        if language == "python":
            exec(compile(code, page, "exec"), variables)
            printed = capsys.readouterr().out
            assert printed == (expected if below == "text" else "")
            compared += bool(printed)
    assert compared


def test_the_readme_shows_the_real_icub():
    shown = next(text for language, text in blocks("README.md") if language == "text")
    printed = CliRunner().invoke(group, ["inspect", "icub"]).output
    assert printed.startswith(shown)


def test_the_firmware_of_the_page_on_c_prints_what_it_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    compilers("cc")
    parts = blocks("docs/how-to/code-generation.md")
    for command in (text for language, text in parts if language == "sh"):
        assert CliRunner().invoke(group, shlex.split(command)[1:]).exit_code == 0
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
    T = kt.fk(icub, "l_hand", "imu_frame")(icub.q())
    assert printed[0] == "{:.3f} {:.3f} {:.3f} m\n".format(*T[:3, 3])


@pytest.mark.parametrize("page", ["docs/how-to/editing.md", "docs/how-to/compare.md"])
def test_a_page_prints_what_its_comments_say(page, capsys):
    code = "\n".join(text for language, text in blocks(page) if language == "python")
    assert code
    exec(compile(code, page, "exec"), {})
    said = re.findall(r"(?:^|  )# ?(.*)$", code, re.MULTILINE)
    assert capsys.readouterr().out.splitlines() == said


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


def test_links_between_pages_lead_somewhere():
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    for page in pages:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
