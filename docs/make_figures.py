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

import numpy as np
from click.testing import CliRunner

import kinetree as kt
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
    """Draw a picture into a folder, which gets the files that the command reads, and return its path there."""
    if not figure.arguments:
        (folder / figure.file.name).write_bytes(left_behind(figure.page)[figure.file.name])
        return folder / figure.file.name
    inputs(folder)
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


def inputs(folder: Path) -> None:
    """Write the files that commands of the pages read: arm.urdf of the command line, six.urdf and poses.csv of
    calibration, and docs/wave.csv, a motion."""
    (folder / "docs").mkdir()
    shutil.copyfile(ROOT / "docs" / "wave.csv", folder / "docs" / "wave.csv")
    page = (ROOT / "docs" / "reference" / "command-line.md").read_text(encoding="utf-8")
    (arm,) = re.findall(r'```xml title="arm.urdf"\n(.*?)```', page, re.DOTALL)
    (folder / "arm.urdf").write_text(arm, encoding="utf-8")
    page = (ROOT / "docs" / "how-to" / "calibration.md").read_text(encoding="utf-8")
    names: dict[str, object] = {"print": lambda *_: None}
    exec(re.findall(r"```python\n(.*?)```", page, re.DOTALL)[0], names)
    robot, joints = names["robot"], np.array(names["joints"], dtype=float)
    assert isinstance(robot, kt.Robot)
    kt.save(robot, folder / "six.urdf")
    poses = kt.controllers.pose(robot, "kuka", np.deg2rad(joints)).round(3)
    joints[:, 1] -= 90.0  # the zero of joint 2
    joints[3, 4] += 10.0  # a number that was mistyped
    rows = [", ".join(f"{value:g}" for value in (*q, *pose)) for q, pose in zip(joints, poses, strict=True)]
    head = ", ".join([*(f"J{i + 1}" for i in range(6)), "X", "Y", "Z", "A", "B", "C"])
    (folder / CSV).write_text("\n".join([head, *rows, ""]), encoding="utf-8")


def main() -> None:
    """Draw all pictures into the places where the pages look for them."""
    for figure in figures():
        with TemporaryDirectory() as folder:
            shutil.copyfile(draw(figure, Path(folder)), figure.file)
        print(figure.file.relative_to(ROOT), file=sys.stderr)


if __name__ == "__main__":
    main()
