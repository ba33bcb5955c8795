"""`kinetree dh`: the Denavit-Hartenberg parameters of a chain."""

from __future__ import annotations

import json
import sys
from math import inf
from pathlib import Path
from typing import Any, Literal

import click

from kinetree.algorithms.dh import PARALLEL, DHExtraction, extract_dh
from kinetree.algorithms.serial import SerialChain, serial_chain
from kinetree.errors import fail
from kinetree.formats.dh.format import Spelling, csv_text, toml_text
from kinetree.load import load, write_text
from kinetree.model.dh import CONVENTIONS, Convention, DHRow, DHTable

LENGTHS: tuple[Literal["m", "cm", "mm"], ...] = ("m", "cm", "mm")
ANGLES: tuple[Literal["rad", "deg"], ...] = ("rad", "deg")


@click.command("dh")
@click.argument("model")
@click.option("--base", help="Frame where the chain starts; by default the root link.")
@click.option("--tip", help="Frame where it ends; by default the end of a robot that does not branch.")
@click.option("--convention", type=click.Choice(CONVENTIONS), default="dh", help="Standard or modified.")
@click.option("--units", default="mm,deg", help="Of the table: m, cm or mm, and rad or deg.", show_default=True)
@click.option("--parallel", default=PARALLEL, help="Axes up to this many radians apart count as parallel.")
@click.option("--json", "as_json", is_flag=True, help="For machines: metres and radians.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write the table to this .toml or .csv file.")
def command(
    model: str,
    base: str | None,
    tip: str | None,
    convention: Convention,
    units: str,
    parallel: float,
    as_json: bool,
    output: Path | None,
) -> None:
    """Denavit-Hartenberg parameters of the chain between two frames of MODEL, and how exact they are."""
    spelling = _spelling(units)
    robot = load(model)
    chain = serial_chain(robot, base, tip)
    found = extract_dh(chain, convention, parallel=parallel)
    if output is not None:
        _write(DHTable(robot.name, chain.base, (found.chain,)), output, spelling)
    if as_json:
        click.echo(json.dumps(_as_json(robot.name, chain, found), indent=2))
    elif output is None:
        _print(chain, found, spelling, parallel)
    else:
        click.echo(f"{output}: {len(found.chain.rows)} rows; {_residual(found)}")


def _spelling(units: str) -> Spelling:
    words = [word.strip() for word in units.split(",")]
    length = next((unit for unit in LENGTHS if unit in words), None)
    angle = next((unit for unit in ANGLES if unit in words), None)
    if length is None or angle is None or len(words) != 2:
        raise fail("unit", f"--units is {units!r}; legal is a length and an angle, such as mm,deg or m,rad")
    return Spelling(length, angle)


def _write(table: DHTable, output: Path, spelling: Spelling) -> None:
    writers = {".toml": toml_text, ".csv": csv_text}
    if output.suffix.lower() not in writers:
        raise fail("format", f"cannot write a DH table to {output.name!r}; legal endings are .toml and .csv")
    write_text(output, writers[output.suffix.lower()](table, spelling))


def _residual(found: DHExtraction) -> str:
    return f"largest deviation over 50 random configurations: {found.residual:.1e} (rad, m)"


def _as_json(name: str, chain: SerialChain, found: DHExtraction) -> dict[str, Any]:
    return {
        "robot": name,
        "base": chain.base,
        "tip": chain.tip,
        "convention": found.chain.convention,
        "units": {"length": "m", "angle": "rad"},
        "T_base": found.chain.base.tolist(),
        "rows": [_row_json(row) for row in found.chain.rows],
        "T_tool": found.chain.tool.tolist(),
        "residual": found.residual,
    }


def _row_json(row: DHRow) -> dict[str, Any]:
    limit = row.limits[0] if row.limits else None
    lower, upper = (limit.lower, limit.upper) if limit else (-inf, inf)
    numbers = {"a": row.a, "d": row.d, "alpha": row.alpha, "theta": row.theta}
    bounds = {"lower": None if lower == -inf else lower, "upper": None if upper == inf else upper}
    return {"joint": row.joint or None, "type": row.type, **numbers, **bounds}


def _print(chain: SerialChain, found: DHExtraction, spelling: Spelling, parallel: float) -> None:
    what = "Denavit-Hartenberg" if found.chain.convention == "dh" else "modified Denavit-Hartenberg"
    click.echo(f"{what} parameters from {chain.base} to {chain.tip}")
    length, angle = spelling.length, spelling.angle
    heading = ["", "joint", f"a {length}", f"d {length}", f"alpha {angle}", f"theta {angle}", "range"]
    rows = [_cells(i, row, spelling) for i, row in enumerate(found.chain.rows, 1)]
    _table(heading, rows)
    for name, T in (("base", found.chain.base), ("tool", found.chain.tool)):
        click.echo(f"{name}, lengths in {length}")
        numbers = [
            [_short(spelling.length_of(T[i, 3]) if j == 3 else str(T[i, j])) for j in range(4)] for i in range(3)
        ]
        for line in [*numbers, ["0", "0", "0", "1"]]:
            click.echo("  " + " ".join(number.rjust(10) for number in line))
    click.echo(_residual(found))
    names = {row.joint for row in found.chain.rows}
    for joint in chain.joints:
        if joint.joint.mimic:
            also = "" if joint.joint.mimic.joint in names else ", which is not in the chain"
            click.echo(f"{joint.joint.name} follows {joint.joint.mimic.joint}{also}; its row counts by its own number")
    if found.constant_rows:
        click.echo(
            f"constant rows: {', '.join(map(str, found.constant_rows))}; the axes around them are nearly, but not to "
            f"--parallel {parallel:g}, parallel"
        )


def _cells(i: int, row: DHRow, spelling: Spelling) -> list[str]:
    variable = "d" if row.type == "prismatic" else "theta"
    numbers = {"a": spelling.length_of(row.a), "d": spelling.length_of(row.d)}
    numbers |= {"alpha": spelling.angle_of(row.alpha), "theta": spelling.angle_of(row.theta)}
    numbers = {key: _short(text) for key, text in numbers.items()}
    if row.type != "fixed":
        numbers[variable] = "q" if numbers[variable] == "0" else f"{numbers[variable]} + q"
    limit = row.limits[0] if row.limits else None
    bounds = ""
    if limit and (limit.lower > -inf or limit.upper < inf):
        bounds = " to ".join(_short(spelling.variable(row.type, x)) for x in (limit.lower, limit.upper))
    return [str(i), row.joint or "(constant)", *numbers.values(), bounds]


def _short(number: str) -> str:
    """To seven digits, for people; files and --json keep all."""
    value = float(number)
    return "0" if abs(value) < 1e-9 else f"{value:.7g}"


def _table(heading: list[str], rows: list[list[str]]) -> None:
    """In a terminal as rich draws it, else as plain columns."""
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.table import Table

        table = Table(*(heading[:2]))
        for name in heading[2:]:
            table.add_column(name, justify="right")
        for row in rows:
            table.add_row(*row)
        Console().print(table)
        return
    widths = [max(len(row[i]) for row in [heading, *rows]) for i in range(len(heading))]
    for row in [heading, *rows]:
        cells = [cell.ljust(w) if i < 2 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))]
        click.echo("  ".join(cells).rstrip())
