"""`kinetree models`: the models that can be loaded by name."""

import shutil
import textwrap
from collections.abc import Sequence

from kinetree.cli._help import kinetree_command, option
from kinetree.cli._model import json_option
from kinetree.cli._output import print_json
from kinetree.cli._say import remark, say
from kinetree.robots.installed import PACKAGES, Model, fetch, is_there
from kinetree.robots.packaged import names, versions


@kinetree_command("Look at a robot", "kinetree models")
@option("--fetch NAME", "Clone a model first, such as robot_descriptions:ur5e_description. Repeatable.", "wanted")
@json_option
def command(wanted: Sequence[str], as_json: bool) -> None:
    """List the models that you can load by name.

    They are the models of Kinetree and of installed packages; those of robot_descriptions if their repositories are on
    this machine. Only --fetch downloads something: robot_descriptions then clones the repository of a model."""
    for name in wanted:
        remark(f"{name} is {fetch(name)}")
    own = [f"{name}:{version}" if version else name for name in names() for version in versions(name)]
    models = {package: models() for package, models in PACKAGES.items()}
    if as_json:
        files = {package: {name: _file(model) for name, model in found.items()} for package, found in models.items()}
        print_json({"kinetree": own, **files})
        return
    _print("Kinetree", own)
    for package, found in models.items():
        if here := [name for name, model in found.items() if _file(model)]:
            _print(f"{package}:NAME", here)
    if missing := [package for package, found in models.items() if not found]:
        say(f"not installed: pip install {' '.join(missing)}")
    away = sum(_file(model) is None for model in models["robot_descriptions"].values())
    say(f"not fetched: {away} of robot_descriptions; --json lists them, --fetch robot_descriptions:NAME clones one")


def _file(model: Model) -> str | None:
    return str(model.file) if is_there(model.file) else None


def _print(title: str, names: Sequence[str]) -> None:
    width = max(20, min(shutil.get_terminal_size().columns, 120)) - 2
    text = textwrap.fill("  ".join(names), width, break_long_words=False, break_on_hyphens=False)
    say(title, *textwrap.indent(text, "  ").split("\n"), "")
