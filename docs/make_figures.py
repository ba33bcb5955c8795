"""Write the pictures of the pages with the commands that stand on these pages: `python docs/make_figures.py`."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from contextlib import chdir
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from click.testing import CliRunner

from kinetree.cli import group

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests"))

from pages import blocks, run_page  # noqa: E402

SHOWN = re.compile(r"(?<!`)!\[[^\]]*\]\(([^)\s]+)\)|<(?:img|source)\b[^>]*?\bsrc(?:set)?=\"([^\"\s]+)\"")
"""A picture in Markdown or HTML, which is not an example in backticks."""
COMMAND = r"kinetree ((?:[^`\n]|\\\n)*? (?:-o|--output|--plot) {})(?=[`\s]|$)"
"""A command that writes a file, on one line or on several that end with a backslash."""
CSV = "poses.csv"


class Figure(NamedTuple):
    """A picture of the pages, the page that shows it, and the arguments of the command there that draws it; none if the
    whole page runs, because the picture needs its files or is drawn by its Python."""

    file: Path
    page: Path
    arguments: tuple[str, ...]


def figures() -> list[Figure]:
    """Return all pictures of the README and the pages. Raises ValueError if a page shows a picture that it does not
    draw."""
    found: dict[Path, Figure] = {}
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))):
        text = page.read_text(encoding="utf-8")
        for names in SHOWN.findall(text):
            file = (page.parent / next(filter(None, names))).resolve()
            command = re.search(COMMAND.format(re.escape(file.name)), text)
            parts = blocks(page)
            drawn = {block.language for block in parts if re.search(rf"\b{re.escape(file.name)}\b", block.text)}
            if "python" in drawn or (command and (drawn & {"console", "sh"} or any(block.title for block in parts))):
                found[file] = Figure(file, page, ())
            elif command:
                words = shlex.split(command[1].replace("\\\n", " "), comments=False)
                found[file] = Figure(file, page, tuple(words))
            elif file not in found:
                raise ValueError(f"{page} shows {file.name}, but has no command `kinetree … -o {file.name}`")
    return list(found.values())


def draw(figure: Figure, folder: Path) -> Path:
    """Draw a picture into a folder and return its path there."""
    if not figure.arguments:
        (folder / figure.file.name).write_bytes(left_behind(figure.page)[figure.file.name])
        return folder / figure.file.name
    (folder / "docs").mkdir(exist_ok=True)
    shutil.copyfile(ROOT / "docs" / "wave.csv", folder / "docs" / "wave.csv")  # the motion of the README
    with chdir(folder):
        result = CliRunner().invoke(group, figure.arguments)
    if result.exit_code not in (0, 1) or not (folder / figure.file.name).is_file():  # 1: `calibrate` has found a fault
        raise ValueError(f"kinetree {shlex.join(figure.arguments)}: {result.output}")
    return folder / figure.file.name


@cache
def left_behind(page: Path) -> dict[str, bytes]:
    """Return the files that the examples of a page leave behind, by name."""
    with TemporaryDirectory() as folder, chdir(folder):
        run_page(page)
        return {file.name: file.read_bytes() for file in Path().iterdir() if file.is_file()}


def main() -> None:
    """Draw all pictures into the places where the pages look for them."""
    for figure in figures():
        with TemporaryDirectory() as folder:
            shutil.copyfile(draw(figure, Path(folder)), figure.file)
        print(figure.file.relative_to(ROOT), file=sys.stderr)


if __name__ == "__main__":
    main()
