"""Help of commands: arguments and options in groups, those that read a model last, and an example at the end."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import click

Function = Callable[..., Any]
Row = tuple[str, str]

SECTIONS = ("Look at a robot", "Check and repair", "Compare", "Compute", "Convert and write")
"""Titles of groups of commands in `kinetree --help`; each command names its own."""
ARGUMENTS, OPTIONS, READING = "Arguments", "Options", "Reading the model"


class Argument(click.Argument):
    """An argument with a help text, which click has from 8.5 on."""

    def __init__(self, *names: Any, help: str, **attributes: Any) -> None:
        super().__init__(*names, **attributes)
        self.help = help

    def get_help_record(self, ctx: click.Context) -> Row:
        """Return its name and its help text."""
        return self.make_metavar(ctx), self.help or ""


def argument(name: str, help: str, **attributes: Any) -> Callable[[Function], Function]:
    """Return a decorator that adds an argument with a help text."""
    return click.argument(name, cls=Argument, help=help, **attributes)


def titled(title: str, options: Iterable[Callable[[Function], Function]]) -> list[Callable[[Function], Function]]:
    """Return the options as options of a group in the help."""

    def one(option: Callable[[Function], Function]) -> Callable[[Function], Function]:
        def decorator(function: Function) -> Function:
            made = option(function)
            made.__click_params__[-1].section = title  # type: ignore[attr-defined]
            return made

        return decorator

    return [one(option) for option in options]


class Command(click.Command):
    """A command. section: one of `SECTIONS`. example: a command line. hides: options without effect on this command,
    which it takes but does not list."""

    def __init__(self, *args: Any, section: str = "", example: str, hides: Sequence[str] = (), **extra: Any) -> None:
        super().__init__(*args, **extra)
        self.section, self.epilog = section, f"Example: {example}"
        for param in self.params:
            if isinstance(param, click.Option) and param.name in hides:
                param.hidden = True

    def more(self) -> dict[str, list[Row]]:
        """Return other tables of the help by title."""
        return {}

    def format_arguments(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Leave the arguments to `format_options`."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write arguments and options by group."""
        groups: dict[str, list[Row]] = {ARGUMENTS: [], OPTIONS: []}
        for param in self.get_params(ctx):
            title = ARGUMENTS if isinstance(param, click.Argument) else getattr(param, "section", OPTIONS)
            row = param.get_help_record(ctx)
            groups.setdefault(title, []).extend([row] if row else [])
        last = {READING: groups.pop(READING, [])}
        for title, rows in (groups | self.more() | last).items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl([(_broken(term, formatter.width - 4), text) for term, text in rows])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the example on one line, so that it can be copied."""
        formatter.write(f"\n{self.epilog}\n")


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
            rows = [(f"{name:{width}}", c.short_help or "") for name, c in found.items() if _section(c) == title]
            if rows:
                with formatter.section(title or "Commands"):
                    formatter.write_dl(rows)


def _section(command: click.Command) -> str:
    return getattr(command, "section", "")
