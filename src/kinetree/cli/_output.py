"""Files that commands write: none is overwritten unless somebody says so."""

from __future__ import annotations

from pathlib import Path

import click

from kinetree.errors import fail
from kinetree.formats.losses import PARTS

without_option = click.option(
    "--without", type=click.Choice(PARTS), multiple=True, help="What is left out, as it cannot all be said. Repeatable."
)
force_option = click.option("--force", is_flag=True, help="Overwrite what is there.")


def check_new(path: Path, force: bool) -> None:
    """Refuses a file that exists already."""
    if path.exists() and not force:
        raise fail("exists", f"{path} exists already", fix="pass --force to overwrite it")
