"""Help of commands: arguments and options in groups, those that read a model last, and an example at the end."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from kinetree.syntax.numbers import PER_METRE, number

Function = Callable[..., Any]
Decorator = Callable[[Function], Function]
FILE = click.Path(path_type=Path)
_QUANTITY = re.compile(r"([+-]?[\d.]+(?:[eE][+-]?\d+)?) ?([a-z]+)?")
Row = tuple[str, str]

SECTIONS = ("Look at a robot", "Check and repair", "Compare", "Compute", "Convert and write")
"""Titles of groups of commands in `kinetree --help`; each command names its own."""
ARGUMENTS, OPTIONS, READING = "Arguments", "Options", "Reading the model"


class _Quantity(click.ParamType):  # type: ignore[type-arg]
    """A number that may have a unit. units: how many of each there are in the first one, which is the default."""

    def __init__(self, name: str, units: Mapping[str, float], example: str) -> None:
        self.name, self.units, self.example = name, units, example

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        match, default = _QUANTITY.fullmatch(str(value)), next(iter(self.units))
        found, unit = (number(match[1]), match[2] or default) if match else (None, default)
        if found is None or unit not in self.units:
            legal = f"expected {default}, or a number with its unit, such as {self.example}"
            self.fail(f"{value!r} is no {self.name}; {legal}", param, ctx)
        return found / self.units[unit]


LENGTH, TIME = _Quantity("length", PER_METRE, "5mm"), _Quantity("time", {"s": 1.0, "ms": 1000.0}, "10ms")


def argument(name: str, help: str, **attributes: Any) -> Decorator:
    """Return a decorator that adds an argument with a help text, which click has from 8.5 on."""
    return _marked(click.argument(name, **attributes), help=help)


def option(names: str, help: str, name: str | None = None, **attributes: Any) -> Decorator:
    """Return a decorator that adds an option.

    names: as the help shows them, such as "-o, --output FILE"; an option without a value, type or default is a flag.
    help: if it ends with "Repeatable.", the option is. name: of the argument, if it differs. type: a list of choices.
    """
    *others, last = names.split(", ")
    flag, _, metavar = last.partition(" ")
    given = [*others, flag, *([name] if name else [])]
    if not (metavar or attributes.keys() & {"type", "default"}):
        attributes["is_flag"] = True  # is_flag=False would let no value begin with a minus
    if isinstance(attributes.get("type"), list):
        attributes["type"] = click.Choice(attributes["type"])
    attributes |= {"metavar": metavar or None, "multiple": help.endswith("Repeatable.")}
    return click.option(*given, help=help, show_default=bool(attributes.get("default")), **attributes)


def titled(title: str, options: Iterable[Decorator]) -> list[Decorator]:
    """Return the options as options of a group in the help."""
    return [_marked(one, section=title) for one in options]


def decorated(function: Function, decorators: Sequence[Decorator]) -> Function:
    """Return a function with arguments and options in the order of its help."""
    for decorator in reversed(decorators):
        function = decorator(function)
    return function


def _marked(add: Decorator, **attributes: Any) -> Decorator:
    """Return a decorator that adds a parameter with more attributes."""

    def decorator(function: Function) -> Function:
        made = add(function)
        vars(made.__click_params__[-1]).update(attributes)  # type: ignore[attr-defined]
        return made

    return decorator


class Command(click.Command):
    """A command. example: a command line. section: one of `SECTIONS`. hides: options without effect on this command,
    which it takes but does not list."""

    def __init__(self, *args: Any, example: str, section: str = "", hides: Sequence[str] = (), **extra: Any) -> None:
        super().__init__(*args, **extra)
        self.section, self.epilog = section, f"Example: {example}"
        self.short_help = (self.help or "").partition("\n")[0]
        for param in self.params:
            if isinstance(param, click.Option) and param.name in hides:
                param.hidden = True

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the options by name, for errors that name arguments of Python."""
        ctx.meta["kinetree.flags"] = {one.name: max(one.opts, key=len) for one in self.params}
        return super().parse_args(ctx, args)

    def more(self) -> dict[str, list[Row]]:
        """Return other tables of the help by title."""
        return {}

    def format_arguments(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Leave the arguments to `format_options`."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write arguments and options by group."""
        groups: dict[str, list[Row]] = {ARGUMENTS: [], OPTIONS: []}
        for param in self.get_params(ctx):
            if isinstance(param, click.Argument):
                groups[ARGUMENTS].append((param.make_metavar(ctx), vars(param)["help"]))
            elif row := param.get_help_record(ctx):
                groups.setdefault(getattr(param, "section", OPTIONS), []).append(row)
        last = {READING: groups.pop(READING, [])}
        for title, rows in (groups | self.more() | last).items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl([(_broken(term, formatter.width - 4), text) for term, text in rows])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the example on one line, so that it can be copied."""
        formatter.write(f"\n{self.epilog}\n")


def kinetree_command(section: str, example: str, **extra: Any) -> Callable[[Function], Command]:
    """Return a decorator that makes a function a command, which its docstring describes, at first in one line."""
    made: Callable[[Function], Command] = click.command(**{"cls": Command, **extra}, section=section, example=example)
    return made


def _broken(term: str, width: int) -> str:
    """Return an option with its values, or a function with its arguments, in lines of this width."""
    lines = [""]
    for part in re.findall(r".+?(?:\||, |$)", term):
        if len(lines[-1] + part.rstrip()) > width:
            lines.append("      ")
        lines[-1] += part
    return "\n".join(map(str.rstrip, lines))


class Commands(click.Group):
    """Commands, which the help lists by section."""

    command_class = Command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a line for each command, by section."""
        found = {name: command for name in self.list_commands(ctx) if (command := self.get_command(ctx, name))}
        width = max(map(len, found))
        for title in ("", *SECTIONS):
            own = [name for name in found if getattr(found[name], "section", "") == title]
            if own:
                with formatter.section(title or "Commands"):
                    formatter.write_dl([(f"{name:{width}}", found[name].short_help or "") for name in own])
