"""`kinetree fix PATH…`: repair robot descriptions in place."""

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

import click

from kinetree.checker.check import is_error_of_reader
from kinetree.checker.files import is_part, is_unread
from kinetree.checker.in_child import examine_alone
from kinetree.checker.job import Examination, Job
from kinetree.checker.plan import jobs_of
from kinetree.checker.pool import check_all, needs_children
from kinetree.checker.report._paths import as_shown, relative
from kinetree.checker.report.pretty import pretty
from kinetree.cli._controllers import print_notes, read
from kinetree.cli._diff import diff_lines, print_diff
from kinetree.cli._findings import print_findings, print_more, terminal_width, write_lines
from kinetree.cli._help import kinetree_command, option
from kinetree.cli._model import assignments, check_options, json_option, paths_argument, reading_texts
from kinetree.cli._output import print_json
from kinetree.cli._say import say
from kinetree.errors import Finding, KinetreeError, Source, fail
from kinetree.files.opener import snapshot
from kinetree.fixer.fix import FixResult, check_also, fix_examined, write
from kinetree.fixer.related_files import outside
from kinetree.fixer.state import State
from kinetree.formats.registry import FORMATS, ReadOptions
from kinetree.load import format_of
from kinetree.progress import tracked
from kinetree.robots.packaged import is_packaged
from kinetree.rules.options import CheckOptions
from kinetree.rules.rep199.places import CARRIERS, places
from kinetree.spatial.se3 import Array

TEXTS = ("urdf", "xacro")
"""Formats whose texts are repaired."""
LEGAL = "expected URDF and xacro files, and folders that have such"
PLACE = "X Y Z R P Y"


def _place_option(which: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the option `--base`, `--flange` or `--tool0`."""
    help = f"Pose of {which} in {CARRIERS[which]} (m, rad), or a frame at its place; for one of several arms: left_=…"
    return option(f'--{which} "{PLACE}"', f"{help} Repeatable.")


@kinetree_command("Check and repair", "kinetree fix arm.urdf --profile ros --diff")
@paths_argument
@check_options(
    "Repair only codes that begin with CODE, such as LIM.", "Leave codes that begin with CODE, such as LIM-003."
)
@option("--diff", "Print the changes, and write nothing.")
@option("--unsafe", "Also rename links and joints, and turn flanges.")
@option("--config FILE", "Settings file.  [default: the nearest kinetree.toml above each PATH]")
@_place_option("base")
@_place_option("flange")
@_place_option("tool0")
@option("--turn-tools", "Turn the links on a flange with it, if --unsafe turns the flange.")
@option("--also FILE", "Rename in this file too: SRDF, YAML or other text of one model. Repeatable.")
@assignments("--add-tool", "tools", "NAME=CONTROLLER:POSE", "Add the frame of a tool, such as tcp=kuka:0,0,120,0,0,0.")
@option("--exit-zero", "Exit with status 0, also if something could not be repaired.")
@json_option
@reading_texts
def command(
    paths: Sequence[str],
    options: CheckOptions,
    config: str | None,
    unsafe: bool,
    turn_tools: bool,
    tools: Mapping[str, str],
    diff: bool,
    exit_zero: bool,
    as_json: bool,
    **frames: tuple[str, ...],
) -> None:
    """Repair findings of `check` in URDF and xacro files.

    In a folder, all such files are repaired. Either all files are written, or none. Findings that the file or the
    settings excuse are left.

    A repair never moves a frame or changes a limit or a mass, with two exceptions. Angles close to fractions of π
    become exact (R103-007), which turns the links behind by a few milliradians; --ignore R103-007 leaves them. With
    --unsafe, a flange whose X axis does not point outwards is turned.

    --base, --flange and --tool0 are the frames of the controller; [[models]] in the settings has the same keys.
    --flange "0 0 0.1 0 -pi/2 0" is a pose in the last link. --flange left_=tool_frame is the place of a frame, for the
    arm whose names begin with left_.

    --add-tool gripper_tcp="kuka:0, 0, 120, 0, 0, 90" adds a frame beside tool0 (REP-199), in the numbers of the
    pendant, or as ros:x y z qx qy qz qw.

    Exit status 0 if everything is repaired that can be, 1 if something could not be or if --diff shows changes, 2 if a
    file could not be read or written."""
    if config == "":
        raise click.UsageError("the name of a file is empty; expected a name, or no option")
    given = {which: ";".join(texts) for which, texts in frames.items() if texts}
    for which, text in given.items():
        places(which, text)
    check_also(options, unsafe)
    options = replace(options, frames=given)
    made, files = jobs_of(paths, config, options, choose=lambda files: _repairable(files, options.read), srdf=False)
    asked = [replace(job, baseline=None) for job in made]  # known findings are repaired too
    if options.also and len({job.file for job in asked}) > 1:
        raise click.UsageError(
            f"--also is for one model, and these are {len(asked)}; the key also of [[models]] is for several"
        )
    if tools and len(asked) > 1:
        raise click.UsageError(f"--add-tool is for one model, and these are {len(asked)}")
    poses = {name: _tool(name, text) for name, text in tools.items()}
    results, faults, read_files = _all_fixed(asked, files, unsafe=unsafe, turn_tools=turn_tools, tools=poses)
    others = list(outside({path for fixed in results for path in fixed.after}, read_files))
    try:
        if not diff:
            write(*results)
    except KinetreeError as error:
        results, faults = [], [*faults, *error.findings]
    if as_json:
        print_json({"files": [_plain(fixed) for fixed in results], "findings": [*others, *faults]})
    else:
        shown: set[str] = set()
        for fixed in results:
            _print(fixed, diff, shown)
        print_findings([*others, *faults])
        print_more([*faults, *(finding for fixed in results for finding, _ in fixed.unrepaired)])
    left = any(fixed.unrepaired or (diff and fixed.after) for fixed in results)
    sys.exit(2 if faults else int(left and not exit_zero))


def _tool(name: str, text: str) -> Array:
    """Return T_tool0_tool (4, 4) of a text CONTROLLER:POSE."""
    controller, colon, pose = text.partition(":")
    if not colon:
        raise fail("tool", f"{text!r} is not of the form CONTROLLER:POSE, such as kuka:0,0,120,0,0,90", element=name)
    T, remarks, _ = read(controller, pose)
    print_notes(remarks)
    return T


def _repairable(files: Mapping[str, bool], options: ReadOptions) -> list[str]:
    """Return the named files and texts found in folders. Raises KinetreeError if none is left. files: whether named."""
    for file in files:
        if is_packaged(file, options.format):
            raise fail("file", f"robot {file!r} comes with the package; only files and folders can be repaired")
    found = [file for file, named in files.items() if named or _is_text(file)]
    if not found:
        raise fail("no-models", f"there is nothing here to repair; {LEGAL}")
    return found


def _is_text(file: str) -> bool:
    """Return whether a file found in a folder is repaired; also True for an unreadable folder."""
    endings = [suffix for name in TEXTS for suffix in FORMATS[name].suffixes]
    by_root = file.lower().endswith(".xml")
    return file.lower().endswith(tuple(endings)) or os.path.isdir(file) or (by_root and format_of(file).name in TEXTS)


def _all_fixed(
    asked: Sequence[Job], files: Mapping[str, bool], **options: Any
) -> tuple[list[FixResult], list[Finding], set[Path]]:
    """Return the repairs of all models, errors of the others, and all files that were read. files: whether they were
    named. Each model starts from the contents that those before it leave. Each file is read and checked once here, and
    repaired from that. If a child process is needed, it checks the file first, within its limits."""
    contents: dict[Path, bytes] = {}
    known: dict[int, tuple[Examination, Mapping[Path, bytes]]] = {}
    results: list[FixResult] = []
    faults: list[Finding] = []
    seen: set[Path] = set()
    limited = list(check_all(asked)) if needs_children(asked) else []

    def look(number: int) -> tuple[Examination, Mapping[Path, bytes]]:
        if number not in known:
            with snapshot(contents) as held:
                bad = Examination(limited[number]) if limited else None
                known[number] = bad if bad and _errors(bad) else examine_alone(asked[number]), held
            seen.update(held)
        return known[number]

    for number, job in enumerate(tracked(asked, "repairing", len(asked))):
        examined, held = look(number)
        try:
            others = [(other, *look(i)) for i, other in enumerate(asked) if i != number]
            variants = [
                (o.file, o.options, State(h, e.robot, e.findings))
                for o, e, h in others
                if e.robot and not _errors(e) and h.keys() & held.keys()
            ]
            fixed = _fixed(job, examined, held, variants=variants, **options)
            results.append(fixed)
            contents |= fixed.after
            known = {i: one for i, one in known.items() if not one[1].keys() & fixed.after.keys()}
        except KinetreeError as error:
            if files.get(job.file, True) or not is_part(examined.checked):
                faults += [replace(f, source=f.source or Source(job.file)) for f in error.findings]
    return results, list(dict.fromkeys(faults)), seen  # a fault of all variants of a file is printed once


def _errors(examined: Examination) -> list[Finding]:
    return list(filter(is_error_of_reader, examined.checked.findings))


def _fixed(job: Job, examined: Examination, held: Mapping[Path, bytes], **options: Any) -> FixResult:
    """Return the repairs of a file. Raises KinetreeError if it could not be read. held: contents of all files read."""
    errors = _errors(examined)
    if is_unread(examined.checked):
        raise KinetreeError(errors)
    if not job.options.read.format and (name := format_of(job.file).name) not in TEXTS:
        raise KinetreeError(Finding("format", "error", f"is {name}, which is not repaired; {LEGAL}", Source(job.file)))
    return fix_examined(job, examined, held, **options)


def _plain(fixed: FixResult) -> Mapping[str, Any]:
    return {
        "file": fixed.file,
        "name": fixed.name,
        "changed": [as_shown(path) for path in fixed.after],
        "repaired": fixed.repaired,
        "unrepaired": [{"finding": finding, "because": why} for finding, why in fixed.unrepaired],
        "unsafe": fixed.unsafe,
        "by_name": fixed.by_name,
        "added": fixed.added,
        "diff": "".join(diff_lines(fixed)),
    }


def _print(fixed: FixResult, diff: bool, shown: set[str]) -> None:
    """Print the difference or the repairs, and to stderr what is left, once for all variants. shown: printed before."""
    if diff:
        print_diff(fixed)
    else:
        _write((_with(finding, "repaired") for finding in fixed.repaired), sys.stdout)
    left_over = [_with(finding, f"not repaired: {why}") for finding, why in fixed.unrepaired]
    _write((finding for finding in left_over if str(finding) not in shown), sys.stderr)
    shown |= set(map(str, left_over))
    added = f"{', '.join(fixed.added)} {'would be ' if diff else ''}added, " if fixed.added else ""
    count = f"{added}{len(fixed.repaired)} {'would be ' if diff else ''}repaired"
    left = f", {len(fixed.unrepaired)} left" if fixed.unrepaired else ""
    counts = Counter([*("" for _ in fixed.unsafe), *(f" --select {one.code}" for one in fixed.by_name)])
    unsafe = "".join(f", {count} more that --unsafe{select} may repair" for select, count in counts.items())
    name = f" ({fixed.name})" if fixed.name else ""
    say(f"{fixed.file}{name}: {count}{left}{unsafe}", file=sys.stderr if diff else sys.stdout)
    for path in () if diff else [path for path in fixed.after if path != Path(fixed.file).resolve()]:
        say(f"{as_shown(path)}: changed with it")


def _write(findings: Iterator[Finding], stream: TextIO) -> None:
    write_lines((pretty(finding, terminal_width(stream)) for finding in findings), stream)


def _with(finding: Finding, what: str) -> Finding:
    source = finding.source and replace(finding.source, file=relative(finding.source.file, upwards=False))
    return Finding(finding.code, finding.severity, f"{finding.message}; {what}", source, finding.element)
