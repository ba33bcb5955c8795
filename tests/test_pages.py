"""The pages are true: their Python runs, and prints what stands below it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from kinetree.cli import group

ROOT = Path(__file__).resolve().parents[1]


def blocks(page: str) -> list[tuple[str, str]]:
    """(language, text) of every fenced block."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"^```(\w+)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", ["README.md", "docs/model.md", "docs/kinematics.md"])
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


@pytest.mark.parametrize("page", ["docs/editing.md", "docs/compare.md"])
def test_a_page_prints_what_its_comments_say(page, capsys):
    code = "\n".join(text for language, text in blocks(page) if language == "python")
    assert code
    exec(compile(code, page, "exec"), {})
    said = re.findall(r"(?:^|  )# ?(.*)$", code, re.MULTILINE)
    assert capsys.readouterr().out.splitlines() == said


def test_links_between_pages_lead_somewhere():
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    for page in pages:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
