"""Files that commands write; none is overwritten without --force."""

import os
from collections.abc import Iterable
from pathlib import Path

from kinetree.cli._help import option
from kinetree.errors import fail
from kinetree.formats.losses.parts import PARTS

without_option = option("--without", "Leave out this part of the model, and errors in it. Repeatable.", type=[*PARTS])
assets_option = option("--assets", "Copy meshes beside OUT, or refer to them.", type=["bring", "keep"], default="bring")
force_option = option("--force", "Overwrite an existing file.")


def check_new(path: Path, force: bool) -> None:
    """Raise KinetreeError if a file exists already."""
    if path.exists() and not force:
        raise fail("exists", f"{path} exists already", fix="pass --force to overwrite it")


def check_no_input(target: str, inputs: Iterable[str]) -> None:
    """Raise KinetreeError for a file that the command reads, by whatever path, because writing follows links."""
    for file in inputs:
        if os.path.realpath(file) == os.path.realpath(target) or _is_same(file, target):
            raise fail("output", f"{target} is read by this command, so it is not replaced; expected another file")


def _is_same(one: str, other: str) -> bool:
    """Return whether two names are of one file, also on disks that ignore case."""
    return os.path.exists(one) and os.path.exists(other) and os.path.samefile(one, other)
