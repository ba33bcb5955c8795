"""`kinetree codegen`: questions about a robot as C."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import click

from kinetree import __version__, queries
from kinetree.algorithms.differential import Axes
from kinetree.cli._json import print_json
from kinetree.cli._model import assignments, json_option, robot_argument
from kinetree.compiler.c import write_c
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port
from kinetree.errors import fail, unknown_name
from kinetree.load import write_texts
from kinetree.model.robot import Robot


@dataclass(frozen=True, slots=True)
class _Query:
    """A question that can be asked of a frame.

    gives: what the function gives. ask: its kernel for (robot, frame, base, **axes). axes: whether `expressed_in` means
    something to it.
    """

    gives: str
    ask: Callable[..., Kernel]
    axes: bool = True


QUERIES = {
    "fk": _Query("pose, 4x4,", queries.fk, axes=False),
    "jacobian": _Query("Jacobian, 6 x nv,", queries.jacobian),
    "jacobian_dot": _Query("rate of the Jacobian, 6 x nv,", queries.jacobian_dot),
    "hessian": _Query("derivatives of the Jacobian, nv x 6 x nv,", queries.hessian),
    "velocity": _Query("velocity, linear then angular,", queries.velocity),
}
"""One row an option of that name."""


@dataclass(frozen=True, slots=True)
class _Function:
    name: str
    query: str
    frame: str
    kernel: Kernel


def _flag(query: str) -> str:
    return f"--{query.replace('_', '-')}"


def _frames(function: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a command an option for each query, repeatable."""
    for name, query in reversed(QUERIES.items()):
        help = f"A function that gives the {query.gives} of this frame. Repeatable."
        function = click.option(_flag(name), metavar="FRAME", multiple=True, help=help)(function)
    return function


@click.command()
@robot_argument
@_frames
@click.option("--base", metavar="FRAME", help="The frame in which answers are expressed; by default the root link.")
@click.option(
    "--expressed-in",
    type=click.Choice(get_args(Axes)),
    help="The axes of all but poses: those of the base, which is the default, or of the frame itself.",
)
@click.option("--float", "single", is_flag=True, help="Single precision: float instead of double.")
@assignments("--name", "names", "NAME=OTHER", "Call the function OTHER that would be called NAME.")
@click.option("-o", "--output", "out", metavar="FILE.c", required=True, help="The source; the header lies beside it.")
@click.option("--force", is_flag=True, help="Overwrite the files.")
@json_option
def command(
    robot: Robot, names: dict[str, str], single: bool, out: str, force: bool, as_json: bool, **options: Any
) -> None:
    """Write C99 functions that answer for MODEL: FILE.c, and the header FILE.h that declares them.

    They need no library but math.h, no memory but the stack, and are called NAME = robot_query_frame.
    """
    source = Path(out)
    if source.suffix != ".c":
        raise fail("c-file", f"cannot write {out!r}; legal is a file that ends in .c, and its header lies beside it")
    header = source.with_suffix(".h")
    for path in (source, header):
        if path.exists() and not force:
            raise fail("exists", f"{path} exists already", fix="pass --force to overwrite it")
    functions = _functions(robot, options, names)
    origin = Path(robot.source.file).name if robot.source else "memory"
    about = f"Robot {robot.name}, from {origin}; by Kinetree {__version__}."
    dtype = "float32" if single else "float64"
    text = write_c([(f.name, f.kernel) for f in functions], header.name, about=about, dtype=dtype)
    write_texts({header: text.header, source: text.source})
    if as_json:
        numbers = "float" if single else "double"
        described = [_described(function) for function in functions]
        print_json({"source": str(source), "header": str(header), "numbers": numbers, "functions": described})
        return
    for function in functions:
        print(f"{function.name}: {function.kernel.output.about}", file=sys.stderr)
    print(f"wrote {source} and {header}", file=sys.stderr)


def _functions(robot: Robot, options: Mapping[str, Any], names: dict[str, str]) -> list[_Function]:
    """What was asked for, under its own names or those that `names` gives instead."""
    axes = {"expressed_in": options["expressed_in"]} if options["expressed_in"] else {}
    if axes and not any(options[query] for query, row in QUERIES.items() if row.axes):
        raise fail("option", "--expressed-in means nothing to a pose; it is expressed in --base")
    functions: dict[str, _Function] = {}
    for query, row in QUERIES.items():
        for frame in options[query]:
            kernel = row.ask(robot, frame, options["base"], **(axes if row.axes else {}))
            name = _name(robot.name, query, frame, options["base"], axes.get("expressed_in", "") if row.axes else "")
            if any((f.query, f.frame) == (query, frame) for f in functions.values()):
                raise fail("option", f"{_flag(query)} {frame} is given twice")
            unique, n = name, 1
            while unique in functions:
                unique, n = f"{name}_{n + 1}", n + 1
            functions[unique] = _Function(names.get(unique, unique), query, frame, kernel)
    if not functions:
        legal = ", ".join(f"{_flag(query)} FRAME" for query in QUERIES)
        raise fail("option", f"there is nothing to write; legal are {legal}")
    for name in names:
        if name not in functions:
            raise unknown_name("function", name, list(functions))
    return list(functions.values())


def _name(robot: str, query: str, frame: str, base: str | None, axes: str) -> str:
    """A legal name in C: what is no ASCII letter or digit is one underscore."""
    where = [*(["in", base] if base is not None else []), *(["own_axes"] if axes == "frame" else [])]
    text = "_".join([robot, query, frame, *where])
    legal = re.sub("[^A-Za-z0-9]+", "_", text).strip("_")
    return legal if legal[0].isalpha() else f"robot_{legal}"


def _described(function: _Function) -> dict[str, Any]:
    kernel = function.kernel
    return {
        "name": function.name,
        "query": function.query,
        "frame": function.frame,
        "inputs": [_port(port) for port in kernel.inputs],
        "output": _port(kernel.output),
        "operations": kernel.operations,
    }


def _port(port: Port) -> Mapping[str, str | Sequence[Any]]:
    return {"name": port.name, "shape": port.shape, "labels": port.labels, "about": port.about}
