"""`kinetree dh`: the Denavit-Hartenberg parameters of a chain."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import inf
from pathlib import Path
from typing import Any, Literal

import click
import numpy as np

from kinetree.algorithms.dh import PARALLEL, DHExtraction, extract_dh
from kinetree.algorithms.serial import SerialChain, serial_chain
from kinetree.cli._help import FILE, kinetree_command, option
from kinetree.cli._model import json_option, robot_or_printed
from kinetree.cli._output import check_new, force_option, print_json
from kinetree.cli._page import print_page
from kinetree.cli._say import say_text
from kinetree.errors import fail
from kinetree.files.output import write_whole
from kinetree.formats.dh.matlab import function_name, matlab_text
from kinetree.formats.dh.read import written_chain
from kinetree.formats.dh.write import Spelling, csv_text, toml_text
from kinetree.model.dh import CONVENTIONS, Convention, DHRow, DHTable
from kinetree.model.robot import Robot
from kinetree.spatial import Array, se3
from kinetree.viewing.section import Section

LENGTHS: tuple[Literal["m", "cm", "mm"], ...] = ("m", "cm", "mm")
ANGLES: tuple[Literal["rad", "deg"], ...] = ("rad", "deg")
SAMPLES = 50


@kinetree_command("Convert and write", "kinetree dh arm.urdf --tip tool0", hides=("srdf", "inertias"))
@robot_or_printed("matlab")
@option("--base FRAME", "First frame of the chain.  [default: the root link]")
@option("--tip FRAME", "Last frame of the chain.  [default: the end of a robot without branches]")
@option("--chain NAME", "Print this chain of a DH file as it is written there, to --tip.", "written")
@option("--convention", "Standard (dh) or modified (mdh) parameters.", type=[*CONVENTIONS], default="dh")
@option("--units", "Units of the table and of --output: m, cm or mm, and rad or deg.", default="mm,deg")
@option("--parallel RAD", "Largest angle between two axes that count as parallel, rad.", default=PARALLEL)
@option("-o, --output", "Write a .toml or .csv file, which Kinetree reads, or a MATLAB function, .m.", type=FILE)
@force_option
@json_option
def command(
    robot: Robot,
    base: str | None,
    tip: str | None,
    written: str | None,
    convention: Convention,
    units: str,
    parallel: float,
    output: Path | None,
    force: bool,
    printed: str | None,
    as_json: bool,
) -> None:
    """Print Denavit-Hartenberg parameters of a chain.

    The chain leads from one frame to another; the notes give the error of the parameters. If MODEL is a DH file or
    comes with the package, --chain prints one of its own chains, as published.
    With --format matlab, print a function for MATLAB and Octave that returns T(q)."""
    if printed and (as_json or output):
        raise click.UsageError("--format matlab prints MATLAB; leave out --json, and for a file write -o NAME.m alone")
    spelling = _spelling(units)
    if written and base:
        raise click.UsageError("--base does not go with --chain, which begins where the file has it")
    if written:
        chain, found = _written(robot, written, tip)
    else:
        chain = serial_chain(robot, base, tip)
        found = extract_dh(chain, convention, parallel=parallel, samples=SAMPLES)
    if output is not None:
        _write(DHTable(robot.name, chain.base, (found.chain,)), output, spelling, force)
    if printed:
        name = function_name(robot.name, chain.tip)
        say_text(_matlab(DHTable(robot.name, chain.base, (found.chain,)), spelling, name))
    elif as_json:
        print_json(_as_json(robot, chain, found))
    else:
        print_page(_page(chain, found, spelling))


def _written(robot: Robot, name: str, tip: str | None) -> tuple[SerialChain, DHExtraction]:
    """Return a chain of the robot's DH file, with the constant pose of the tip behind its last row as its tool."""
    own = written_chain(robot, name)
    last = own.tip or own.rows[-1].frame or f"{name}_dh_{len(own.rows)}"
    way = serial_chain(robot, own.on, tip or last)
    if [member.joint.name for member in way.joints] != [row.joint for row in own.joints]:
        raise fail("tip", f"chain {name!r} of the file is not the way from {way.base!r} to {way.tip!r}")
    zero = np.zeros(len(own.joints))
    tool = se3.inverse(replace(own, tool=se3.IDENTITY).transform(zero)) @ way.transform(zero)
    own = replace(own, tool=tool)
    Q = np.random.default_rng(0).uniform(-1.0, 1.0, (SAMPLES, len(zero)))
    residual = max(float(np.abs(own.transform(q) - way.transform(q)).max()) for q in Q)
    return way, DHExtraction(own, residual)


def _spelling(units: str) -> Spelling:
    words = [word.strip() for word in units.split(",")]
    length = next((unit for unit in LENGTHS if unit in words), None)
    angle = next((unit for unit in ANGLES if unit in words), None)
    if length is None or angle is None or len(words) != 2:
        raise fail("unit", f"--units is {units!r}; expected a length and an angle, such as mm,deg or m,rad")
    return Spelling(length, angle)


def _matlab(table: DHTable, spelling: Spelling, name: str) -> str:
    (chain,) = table.chains
    return matlab_text(chain, name, f"Pose of {chain.tip} in {table.root} of {table.name}.", spelling)


def _write(table: DHTable, output: Path, spelling: Spelling, force: bool) -> None:
    writers: dict[str, Callable[[DHTable, Spelling], str]]
    writers = {".toml": toml_text, ".csv": csv_text, ".m": partial(_matlab, name=output.stem)}
    if output.suffix.lower() not in writers:
        raise fail("format", f"cannot write a DH table to {output.name!r}; legal endings are .toml, .csv and .m")
    check_new(output, force)
    write_whole(output, writers[output.suffix.lower()](table, spelling))


def _as_json(robot: Robot, chain: SerialChain, found: DHExtraction) -> dict[str, Any]:
    return {
        "robot": robot.name,
        "base": chain.base,
        "tip": chain.tip,
        "convention": found.chain.convention,
        "T_base": found.chain.base,
        "rows": [_row_json(row) for row in found.chain.rows],
        "T_tool": found.chain.tool,
        "residual": found.residual,
    }


def _row_json(row: DHRow) -> dict[str, Any]:
    limit = row.limits[0] if row.limits else None
    lower, upper = (limit.lower, limit.upper) if limit else (-inf, inf)
    numbers = {"a": row.a, "d": row.d, "alpha": row.alpha, "theta": row.theta}
    return {"joint": row.joint or None, "type": row.type, **numbers, "lower": lower, "upper": upper}


def _page(chain: SerialChain, found: DHExtraction, spelling: Spelling) -> list[Section]:
    kind = "standard" if found.chain.convention == "dh" else "modified"
    length, angle = spelling.length, spelling.angle
    columns = ["<", "joint", ">a", ">d", ">alpha", ">theta", ">range of q"]
    rows = [_cells(i, row, spelling) for i, row in enumerate(found.chain.rows, 1)]
    return [
        Section(f"DH parameters, {kind}: {chain.base} to {chain.tip}", columns, rows, f"{length}, {angle}"),
        _pose_section("Base: before the first row", found.chain.base, spelling),
        _pose_section("Tool: behind the last row", found.chain.tool, spelling),
        Section("Notes", ["", ""], _notes(chain, found)),
    ]


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


def _pose_section(title: str, T: Array, spelling: Spelling) -> Section:
    rows = [[*(_short(str(x)) for x in T[i, :3]), _short(spelling.length_of(T[i, 3]))] for i in range(3)]
    return Section(title, [">"] * 4, [*rows, ["0", "0", "0", "1"]], f"T, {spelling.length}")


def _notes(chain: SerialChain, found: DHExtraction) -> list[list[str]]:
    deviation = f"{found.residual:.1e} (rad, m), the largest over {SAMPLES} random configurations"
    notes = [["deviation", deviation]]
    names = {row.joint for row in found.chain.rows}
    for joint in (member.joint for member in chain.joints if member.joint.mimic):
        assert joint.mimic is not None
        outside = "" if joint.mimic.joint in names else ", which is not in the chain"
        notes.append([joint.name, f"follows {joint.mimic.joint}{outside}; its q is its own number"])
    if found.constant_rows:
        rows = ", ".join(map(str, found.constant_rows))
        notes.append([f"row {rows}", "constant, between axes that are nearly parallel; see --parallel"])
    return notes


def _short(number: str) -> str:
    """Return a number to six digits; files and --json have all."""
    value = float(number)
    return "0" if abs(value) < 1e-9 else f"{value:.6g}"
