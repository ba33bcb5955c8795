"""The argument MODEL and the options that say how it is read, the same for every command."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from kinetree.load import FORMATS, load

Command = Callable[..., Any]


def _by_name(ctx: click.Context, param: click.Parameter, texts: tuple[str, ...]) -> dict[str, str]:
    """The values of several `name=value`; a name that is given twice is refused, for which one is meant?"""
    values: dict[str, str] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not (name and sign):
            raise click.BadParameter(f"{text!r} is not of the form name=value", ctx, param)
        if name in values:
            raise click.BadParameter(f"{name!r} is given twice", ctx, param)
        values[name] = value
    return values


def assignments(flag: str, name: str, metavar: str, help: str) -> Callable[[Command], Command]:
    """A repeatable option `--flag name=value`, which becomes a dictionary."""
    return click.option(flag, name, metavar=metavar, multiple=True, callback=_by_name, help=f"{help} Repeatable.")


def _wants_json(ctx: click.Context, param: click.Parameter, value: bool) -> bool:
    ctx.meta["kinetree.json"] = value  # errors are printed in the same form
    return value


json_option = click.option(
    "--json", "as_json", is_flag=True, callback=_wants_json, is_eager=True, help="Print JSON, in SI units."
)

_OPTIONS = (
    click.argument("source", metavar="MODEL"),
    click.option("--format", type=click.Choice(list(FORMATS)), help="Of MODEL; by default its ending and root say."),
    assignments("--arg", "xacro_args", "NAME=VALUE", "An argument of a xacro file."),
    assignments("--package", "packages", "NAME=FOLDER", "The folder of a ROS package."),
    click.option("--model", metavar="NAME", help="Which model of an SDF file that has several."),
)


def robot_argument(function: Command) -> Command:
    """Gives a command MODEL, a path or the bare name of a robot that comes with the package, as argument `robot`."""

    @wraps(function)
    def command(
        *,
        source: str,
        format: str | None,
        xacro_args: dict[str, str],
        packages: dict[str, str],
        model: str | None,
        **others: Any,
    ) -> Any:
        file = Path(source) if format else source  # a str together with a format would be the text itself
        robot = load(file, format=format, xacro_args=xacro_args, packages=packages, model=model)
        return function(robot, **others)

    decorated: Command = command
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated
