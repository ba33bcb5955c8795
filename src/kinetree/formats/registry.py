"""The table of formats, and the options with which a robot description is read."""

import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from kinetree.arguments import Arguments, as_names
from kinetree.confine import Confinement, confinement_of
from kinetree.errors import Doubt, Finding, KinetreeError, Source, fail, nearest_names
from kinetree.files.opener import Files, read_file
from kinetree.model.assemble import Parts, Reading, assemble_certain
from kinetree.model.robot import Link, Robot, Text
from kinetree.syntax.xml.reader import DerivedText


@dataclass(frozen=True)
class ReadOptions(Arguments):
    """How a robot description is read: the options of `kinetree.load`, under their names."""

    format: str | None = None
    args: Mapping[str, object] | None = None
    packages: Mapping[str, str | os.PathLike[str]] | None = None
    model: str | None = None
    srdf: str | os.PathLike[str] | None = None
    limits: str | os.PathLike[str] | None = None
    inertias: str | None = None
    confined: bool | Confinement = False
    expand: str | None = None
    without: Collection[str] = ()

    def __post_init__(self) -> None:
        for name in ("args", "packages"):
            if isinstance(given := getattr(self, name), Mapping):  # other mappings cannot all be sent to a process
                object.__setattr__(self, name, dict(given))
        object.__setattr__(self, "without", as_names(self.without))

    def with_defaults(self, names: Iterable[str]) -> "ReadOptions":
        """Return these options with the default of some of them."""
        defaults: dict[str, Any] = dict.fromkeys(names)  # all of None
        return replace(self, **defaults)

    def confined_to(self, source: object) -> "ReadOptions":
        """Return these options, where `confined=True` has become the workspace of a source."""
        return replace(self, confined=confinement_of(source, self.confined) or False)


NO_EFFECT = {
    "packages": "packages mean nothing to {format}, which refers to no files",
    "args": "arguments mean nothing to {format}; only xacro files have them, and variants of OpenUSD",
    "model": "model={value!r} means nothing to {format}; only SDF files hold several",
    "expand": "expand={value!r} means nothing to {format}; only MJCF files hold elements that make bodies",
}
"""Options that mean something to some formats alone, and the error for the others."""
EXPANDERS = ("mujoco",)
"""Values of expand=…: libraries that expand elements which make bodies."""


def _xacro_arguments(files: Files, options: ReadOptions) -> tuple[Any, ...]:
    given = (options.args or {}).items()
    values = {key: str(value).lower() if isinstance(value, bool) else str(value) for key, value in given}
    return files, values


@dataclass(frozen=True, slots=True)
class Format:
    """One format: the endings of its files and its module in `kinetree.formats`, imported when it is needed.

    arguments: what its reader takes besides the text and the name of the file.
    options: those of NO_EFFECT that mean something to it.
    writer: the name of its writer, or None where there is none.
    roots: the root elements by which it is recognised, where the ending .xml leaves it open.
    robot: whether its reader returns a robot, or the text of another format that is then read.
    carries: whether its writer keeps what the format lacks in elements of Kinetree, and remarks on it.
    remarks: whether its writer has other remarks.
    beside: whether its files belong to a model in another format.
    points: whether its files have the points of meshes, and refer to no files of meshes.
    """

    name: str
    suffixes: tuple[str, ...]
    module: str
    arguments: Callable[[Files, ReadOptions], tuple[object, ...]] = lambda files, options: ()
    options: tuple[str, ...] = ()
    writer: str | None = "write"
    roots: tuple[bytes, ...] = ()
    robot: bool = True
    carries: bool = False
    remarks: bool = False
    beside: bool = False
    points: bool = False

    def read(self, text: bytes | DerivedText, file: str, files: Files, options: ReadOptions) -> Reading:
        """Return the robot in a text, with doubts after errors, or None, and all findings."""
        module, arguments = import_module(f"kinetree.formats.{self.module}"), self.arguments(files, options)
        if hasattr(module, "read_certain"):  # which goes on after errors
            reading: Reading = module.read_certain(text, file, *arguments, without=options.without)
            return reading
        made, findings = module.read(text, file, *arguments)
        return (made, findings) if self.robot else _read_expanded(made, findings, files, options)

    def write(self, robot: Robot, without: Collection[str], notes: list[Finding] | None = None) -> str:
        """Return the robot as text. notes: a list that gets remarks on what other programs do not see."""
        assert self.writer is not None
        more = {"notes": notes} if self.carries or self.remarks else {}
        module = import_module(f"kinetree.formats.{self.module}.write")  # which those who only read save
        text: str = getattr(module, self.writer)(robot, as_names(without), **more)
        return text

    def check_options(self, options: ReadOptions) -> None:
        """Raise KinetreeError for an option that means nothing to this format."""
        if options.expand not in (None, *EXPANDERS):
            raise fail("option", f"expand={options.expand!r}; {nearest_names(options.expand or '', EXPANDERS)}")
        for name in without_effect(options, [self]):
            raise fail("option", NO_EFFECT[name].format(format=self.name, value=getattr(options, name)))

    def meant(self, options: ReadOptions) -> ReadOptions:
        """Return the options without those that mean nothing to this format."""
        return options.with_defaults(without_effect(options, [self]))


def without_effect(options: ReadOptions, rows: Iterable[Format | None]) -> list[str]:
    """Return the names of the given options that mean nothing to any of these formats. None: one that is not known."""
    known = {name for row in rows for name in (row.options if row else ("packages",))}
    return [name for name in NO_EFFECT if name not in known and getattr(options, name) not in (None, {})]


def _read_expanded(made: Any, findings: list[Finding], files: Files, options: ReadOptions) -> Reading:
    """Read what xacro makes: URDF as a rule, but any format whose root element says so. After errors the robot only has
    the texts of its files."""
    if made.text is None:
        name, text = Path(made.file).name, Text("xacro", "", files=made.files)
        parts = Parts(name, [Link(name)], text=text, source=Source(made.file), doubts=[Doubt("robot", name)])
        return assemble_certain(parts)[0] if made.files else None, findings
    row = format_of_text(Path(made.file), made.text.text.encode())
    robot, more = row.read(made.text, made.file, files, options)
    findings += more
    notes = tuple(finding for finding in findings if finding.severity != "error")
    if robot and robot.text:
        robot = replace(robot, text=replace(robot.text, files=made.files))
    return replace(robot, notes=notes) if robot else None, findings


FORMATS: dict[str, Format] = {
    row.name: row
    for row in (
        Format("urdf", (".urdf",), "urdf", options=("packages",), roots=(b"robot",), carries=True),
        Format("xacro", (".xacro",), "xacro", _xacro_arguments, tuple(NO_EFFECT), writer=None, robot=False),
        Format(
            "sdf",
            (".sdf", ".world"),
            "sdf",
            lambda files, given: (files, given.model, files.closed_mesh),
            ("packages", "model"),
            roots=(b"sdf",),
            carries=True,
        ),
        Format(
            "mjcf",
            (".mjcf", ".xml"),
            "mjcf",
            lambda files, options: (files, options.expand, files.confinement, files.mesh),
            ("packages", "expand"),
            roots=(b"mujoco", b"mujocoinclude"),
            carries=True,
        ),
        Format("dh", (".toml",), "dh"),
        Format("dh-csv", (".csv",), "dh", writer="write_csv"),
        Format("ets", (".ets",), "ets", remarks=True),
        Format(
            "usd",
            (".usd", ".usda", ".usdc", ".usdz"),
            "usd",
            lambda files, options: (files.confinement, _xacro_arguments(files, options)[1]),
            ("args",),
            remarks=True,
            points=True,
        ),
    )
}


SEMANTIC: dict[str, Format] = {
    row.name: row
    for row in (
        Format("srdf", (".srdf",), "srdf", remarks=True, beside=True),
        Format("xrdf", (".xrdf",), "xrdf", remarks=True, beside=True),
        Format("curobo", (), "xrdf", writer="write_curobo", remarks=True, beside=True),
    )
}
"""Semantic descriptions of a robot, which are read onto a robot of another format, and written beside it."""
WRITTEN: dict[str, Format] = {row.name: row for row in (*FORMATS.values(), *SEMANTIC.values()) if row.writer}
"""Formats that can be written."""


def srdf_text(
    options: ReadOptions, folders: Mapping[str, Path]
) -> tuple[bytes | DerivedText | None, str, list[Finding]]:
    """Return the text of the SRDF of some options, expanded if it is xacro, its name in messages, and findings. The
    text is None after errors. Raises KinetreeError if the file cannot be read."""
    assert options.srdf is not None
    if isinstance(options.srdf, str) and (options.srdf.lstrip().startswith("<") or "\n" in options.srdf):
        name = "<srdf>" if options.srdf.lstrip().startswith("<") else "<text>.xrdf"
        return options.srdf.encode("utf-8", "surrogatepass"), name, []
    path = Path(options.srdf)
    text = read_file(path)
    if not path.name.lower().endswith(FORMATS["xacro"].suffixes):
        return text, str(path), []
    from kinetree.formats.xacro import read

    files = Files(folders, confinement_of(path, options.confined))
    complete = False
    made, findings = read(text, str(path), *[*_xacro_arguments(files, options), complete])
    return made.text, made.file, findings


def holds_xacro(text: bytes) -> bool:
    """Return whether a text may hold instructions or expressions of xacro, if only in a comment."""
    return (b"$" in text and (b"${" in text or b"$(" in text)) or b"<xacro:" in text


def format_by_ending(path: str | os.PathLike[str], rows: Mapping[str, Format] = FORMATS) -> Format | None:
    """Return the format of the ending of a file, or None."""
    name = os.path.basename(path).lower()
    return next((row for row in rows.values() if name.endswith(row.suffixes)), None)


def format_of_text(path: Path, text: bytes) -> Format:
    """Return the format of a file: that of its ending, or for .xml that of its root element. Raises KinetreeError for
    one that is not known."""
    row, root = format_by_ending(path), None
    if path.name.lower().endswith((".srdf", ".srdf.xacro")):
        message = "an SRDF describes the groups and states of a robot, and no model is known to which it belongs"
        fix = f"name its model: kinetree check ROBOT.urdf --also {path.name}, or kt.load('ROBOT.urdf', srdf=…)"
        raise KinetreeError(Finding("srdf-alone", "error", message, Source(str(path)), fix=fix))
    if path.name.lower().endswith(SEMANTIC["xrdf"].suffixes):
        message = "an XRDF describes spheres and limits of a robot, and no model is known to which it belongs"
        fix = f"name its model: kinetree inspect ROBOT.urdf --srdf {path.name}, or kt.load('ROBOT.urdf', srdf=…)"
        raise KinetreeError(Finding("srdf-alone", "error", message, Source(str(path)), fix=fix))
    if path.suffix.lower() in (".yaml", ".yml"):
        message = "a YAML file makes no robot; it is checked together with a model"
        fix = f"name its model: kinetree check ROBOT.urdf --also {path.name}"
        raise KinetreeError(Finding("format", "error", message, Source(str(path)), fix=fix))
    if path.suffix.lower() == ".xml" or row is None:
        root = re.match(rb"(?:\xef\xbb\xbf)?(?:\s|<\?.*?\?>|<!--.*?-->)*+<([A-Za-z_:][^\s/>]*)", text, re.DOTALL)
        row = next((other for other in FORMATS.values() if root and root[1] in other.roots), None)
    if row is None:
        endings = ", ".join(s for f in FORMATS.values() for s in f.suffixes)
        message = f"its format is not known; legal endings are {endings}, or say format=…"
        if not text.strip():
            message = "the file is empty"
        elif root:
            legal = ", ".join(f"<{tag.decode()}>" for other in FORMATS.values() for tag in other.roots)
            message = f"its root element is <{root[1].decode(errors='replace')}>; expected {legal}, or say format=…"
        raise KinetreeError(Finding("format", "error", message, Source(str(path))))
    return row
