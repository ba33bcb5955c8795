"""The examples of a page: its files, Python and commands, which run from top to bottom in an empty folder.

- A block with `title="arm.urdf"` is written as that file.
- ```python runs, in one namespace a page; the ```text below it, if any, is what it prints.
- ```console has commands behind "$ ", each with what it prints; ```sh has commands without what they print. `kinetree`
  runs here, `pip`, `pipx`, `git` and `code` do not run, anything else runs in a shell.
- A line "…" in what is printed stands for any number of lines.
- ```py and all other languages do not run here.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from click.testing import CliRunner

from kinetree.cli import group

ROOT = Path(__file__).resolve().parents[1]
FENCE = re.compile(r"^( *)```(\w+)([^\n]*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
NOT_RUN = ("pip", "pipx", "git", "code", "docker")
ANY_LINES = "…"


class Block(NamedTuple):
    """A fenced block of a page. title: the file that it is, or "". line: its first line in the page, from 1."""

    language: str
    title: str
    text: str
    line: int


def pages() -> list[Path]:
    """Return README.md and all pages of the documentation."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page, without the indentation that they have in lists and tabs."""
    text = page.read_text(encoding="utf-8")
    found = []
    for match in FENCE.finditer(text):
        indent, language, rest, content = match.groups()
        title = re.search(r'title="([^"]+)"', rest)
        lines = (line.removeprefix(indent) for line in content.splitlines(keepends=True))
        at = text.count("\n", 0, match.start(4)) + 1
        found.append(Block(language, title[1] if title else "", "".join(lines), at))
    return found


def runs(page: Path) -> bool:
    """Whether a page has a block that runs here."""
    return any(block.language in ("python", "console", "sh") and not block.title for block in blocks(page))


def run_page(page: Path) -> int:
    """Run the examples of a page in the current folder and return how many printed what the page says.

    Raises AssertionError with the place of the first example that prints something else.
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    compared = 0
    parts = blocks(page)
    for block, below in zip(parts, [*parts[1:], Block("", "", "", 0)], strict=True):
        place = f"{page.relative_to(ROOT)}:{block.line}"
        if block.title:
            Path(block.title).parent.mkdir(parents=True, exist_ok=True)
            Path(block.title).write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            printed = run_python(block, page, names)
            expected = below.text if below.language == "text" and not below.title else ""
            assert_printed(printed, expected, place)
            compared += bool(expected)
        elif block.language in ("console", "sh"):
            for command, expected in commands(block):
                printed, status = run_command(command)
                if block.language == "console":
                    assert_printed(printed, expected, f"{place}: {command}")
                    compared += 1
                else:
                    assert status in (0, 1), f"{place}: {command}: {printed}"  # 1: there are findings
    return compared


def run_python(block: Block, page: Path, names: dict[str, Any]) -> str:
    """Return what a block prints; tracebacks have the lines of the page."""
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile("\n" * (block.line - 1) + block.text, str(page), "exec"), names)
    return printed.getvalue()


def commands(block: Block) -> Iterator[tuple[str, str]]:
    """Yield the commands of a block, and what each prints."""
    if block.language == "sh":
        for line in block.text.replace("\\\n", "").splitlines():
            if line.partition("#")[0].strip():
                yield line, ""
        return
    for begins, text in re.findall(r"^\$ ((?:[^\n]*\\\n)*[^\n]*)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE):
        yield begins.replace("\\\n", ""), text


def run_command(command: str) -> tuple[str, int]:
    """Run a command in the current folder, and return what it prints on both streams, and its exit status."""
    words = shlex.split(command, comments=True)
    if words[0] in NOT_RUN:
        return "", 0
    if words[0] == "kinetree" and not {"|", ">", "<", "&&"} & set(words):
        result = CliRunner().invoke(group, words[1:])
        return result.output, result.exit_code
    here = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{here}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(command, shell=True, capture_output=True, text=True, env=environment, timeout=300)
    return done.stdout + done.stderr, done.returncode


def assert_printed(printed: str, expected: str, place: str) -> None:
    """Raise AssertionError if a text is not what a page says; spaces at the ends of lines do not count."""
    got = [line.rstrip() for line in printed.splitlines()]
    rest = got
    parts = [list(lines) for _, lines in groupby(expected.splitlines(), lambda line: line.strip() == ANY_LINES)]
    fixed = [[line.rstrip() for line in part] for part in parts]
    if not any(line.strip() == ANY_LINES for line in expected.splitlines()):
        assert got == (fixed[0] if fixed else []), f"{place} prints\n{printed}"
        return
    for i, part in enumerate(fixed):
        if part[0].strip() == ANY_LINES:
            continue
        last = i == len(fixed) - 1
        starts = [len(rest) - len(part)] if last else [0] if i == 0 else range(len(rest))
        at = next((k for k in starts if k >= 0 and rest[k : k + len(part)] == part), None)
        assert at is not None, f"{place} does not print\n" + "\n".join(part) + f"\nbut\n{printed}"
        rest = rest[at + len(part) :]
