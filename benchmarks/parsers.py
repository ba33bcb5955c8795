"""Load every robot description of a folder with Kinetree and with other parsers, and say who loads what.

    python benchmarks/parsers.py [FOLDER…] [--format urdf] [--seconds 30] [--json FILE] [--out FILE]

The others are urdfdom's `check_urdf`, Pinocchio, Drake and MuJoCo, those that are installed and read the format; each
runs in a child process that is ended after some seconds and started anew after a crash. URDF parsers get what ROS's
xacro makes of a xacro file. A parser is not compared on files where it misses a mesh or a package, nor where it leaves
out bodies in silence. MJCF that makes bodies is loaded with `expand="mujoco"` if MuJoCo is installed. The report, in
Markdown, has the share of the files that at least one other parser loads and that Kinetree loads, and each file on
which they differ.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import selectors
import subprocess
import sys
import sysconfig
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

HERE = Path(__file__).resolve()
FORMATS = {
    "urdfdom": ("urdf", "xacro"),
    "pinocchio": ("urdf", "xacro", "mjcf"),
    "drake": ("urdf", "xacro", "sdf", "mjcf"),
    "mujoco": ("urdf", "xacro", "mjcf"),
}
"""Other parsers and the formats that they read; URDF is made of xacro before they get it."""
PACKAGES = {"urdfdom": "cmeel-urdfdom", "pinocchio": "pin", "drake": "drake", "mujoco": "mujoco"}
WITH_MESHES = ("drake", "mujoco")
"""Parsers that read meshes or look for packages."""
ABSENT = re.compile(
    r"(?i)error opening file|resource not found|no such file|unknown package|unable to resolve|unable to find uri"
    r"|could(n't| not) (find|open|be found|be read|be resolved)|not found in|does not exist|failed to (open|find|load)"
    r"|unsupported (mesh|file)|unknown (mesh|texture) file|mesh file|file '.*' not found|no decoder"
    r"|\.(dae|stl|obj|png)\b"
)
"""Words with which parsers say that a mesh, a texture or a package is missing or of a kind that they do not read."""

MAKERS = re.compile(rb"<(attach|composite|flexcomp|replicate)\b")
"""Elements of MJCF that make bodies; the other parsers leave these bodies out and say nothing."""


@dataclass(frozen=True)
class Row:
    """What became of a file. others: parser to "loaded", "empty" (taken, and there is no body in it), "refused",
    "not compared" or "crashed". reason: why Kinetree refuses the file, with its code first. words: those of the others.
    """

    file: str
    format: str
    ours: str
    reason: str = ""
    others: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)

    @property
    def elsewhere(self) -> list[str]:
        """The other parsers that load it."""
        return [name for name, result in self.others.items() if result == "loaded"]


# the child's side


def urdfdom() -> Callable[[str, str], str]:
    """The call of `check_urdf`, which fails by its exit status."""
    inside = Path(sysconfig.get_path("purelib")) / "cmeel.prefix" / "bin"  # the script outside starts Python each time
    places = (inside, Path(sys.executable).parent, *map(Path, os.environ["PATH"].split(os.pathsep)))
    libraries = {**os.environ, "LD_LIBRARY_PATH": str(inside.parent / "lib")}
    command = next(str(folder / "check_urdf") for folder in places if (folder / "check_urdf").exists())

    def load(path: str, folder: str) -> str:
        done = subprocess.run([command, path], env=libraries, capture_output=True, timeout=60, check=False)
        if done.returncode:
            raise ValueError(done.stderr.decode(errors="replace")[-300:] or f"exit status {done.returncode}")
        return "loaded"

    return load


def pinocchio() -> Callable[[str, str], str]:
    """The call of Pinocchio, which needs no meshes."""
    import pinocchio

    def load(path: str, folder: str) -> str:
        read = pinocchio.buildModelFromMJCF if path.endswith(".xml") else pinocchio.buildModelFromUrdf
        model = read(path)
        return "loaded" if model.nframes > 1 else "empty"

    return load


def drake() -> Callable[[str, str], str]:
    """The call of Drake without a scene, for which it reads no meshes of URDF; it knows the packages of the folder."""
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant

    def load(path: str, folder: str) -> str:
        plant = MultibodyPlant(0.0)
        parser = Parser(plant)
        with contextlib.suppress(RuntimeError):  # two packages of one name
            parser.package_map().PopulateFromFolder(folder)
        parser.AddModels(path)
        plant.Finalize()  # refuses what is no mechanism
        return "loaded" if plant.num_bodies() > 1 else "empty"

    return load


def mujoco() -> Callable[[str, str], str]:
    """The call of MuJoCo, which always reads meshes."""
    import mujoco

    def load(path: str, folder: str) -> str:
        model = mujoco.MjModel.from_xml_path(path)
        return "loaded" if model.nbody > 1 or model.ngeom else "empty"

    return load


def ros_xacro() -> Callable[[str, str], str]:
    """The call of ROS's xacro with our search for packages; it returns the text."""
    sys.path.insert(0, str(HERE.parents[1] / "tests"))
    from corpus import packages_of
    from kinetree.files.opener import Files
    from xacro_reference import reference

    def load(path: str, folder: str) -> str:
        packages = packages_of(Path(folder).parent, Path(path))
        text, words = reference(Path(path), Files(packages).package, {})
        if text is None:
            raise ValueError(words)
        return text

    return load


def kinetree() -> Callable[[str, str], str]:
    """The call of Kinetree; what it refuses begins with the code."""
    from corpus import NO_ROBOT, packages_of
    from kinetree.errors import KinetreeError
    from kinetree.formats.registry import ReadOptions
    from kinetree.load import examine

    def load(path: str, folder: str) -> str:
        format = None if path.endswith((".xml", ".sdf", ".world", ".urdf", ".xacro")) else "urdf"
        packages = packages_of(Path(folder).parent, Path(path))
        try:
            expand = "mujoco" if path.endswith(".xml") and find_spec("mujoco") else None
            robot, findings = examine(Path(path), ReadOptions(format, packages=packages, expand=expand))
        except KinetreeError as error:
            robot, findings = None, list(error.findings)
        errors = [finding for finding in findings if finding.severity == "error"]
        if robot is not None and not errors:
            return "loaded"
        words = f"{errors[0].code}: {errors[0].message}" if errors else "neither a robot nor an error"
        raise ValueError(f"macros: {words}" if errors and errors[0].code in NO_ROBOT else words)

    return load


LOADERS = {"urdfdom": urdfdom, "pinocchio": pinocchio, "drake": drake, "mujoco": mujoco}
CHILDREN = {**LOADERS, "ros_xacro": ros_xacro, "kinetree": kinetree}


def answer(name: str) -> None:
    """Answer requests [path, folder], a line each, with [result, words], until there are no more."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints is no answer
    load = CHILDREN[name]()
    print(json.dumps("ready"), file=answers, flush=True)
    for line in sys.stdin:
        try:
            result = [load(*json.loads(line)), ""]
        except Exception as error:
            is_mistake = name == "kinetree" and not isinstance(error, ValueError)
            words = str(error) if name == "kinetree" and not is_mistake else f"{type(error).__name__}: {error}"
            result = ["crashed" if is_mistake else "refused", words]
        print(json.dumps(result), file=answers, flush=True)


# the parent's side


class Parser:
    """A parser in a child process, which is started anew after a crash or a file that takes too long."""

    def __init__(self, name: str, seconds: float) -> None:
        self.name, self.seconds = name, seconds
        self.child: subprocess.Popen[bytes] | None = None
        self.is_there = self._start()

    def load(self, path: str, folder: str) -> tuple[str, str]:
        """Return what became of a file, and the words of the parser."""
        if self.child is None and not self._start():
            return "crashed", "it does not start again"
        assert self.child is not None
        with contextlib.suppress(BrokenPipeError):  # it has crashed since, and gives no answer
            self._stream(self.child.stdin).write(json.dumps([path, folder]).encode() + b"\n")
        found = self._line(self.seconds)
        if found is None:
            self.end()
            return "crashed", f"it crashed, or took more than {self.seconds:g} s"
        return found[0], found[1]

    def end(self) -> None:
        """End the child."""
        if self.child is not None:
            self.child.kill()
            self.child.wait()
            self._stream(self.child.stdin).close()
            self._stream(self.child.stdout).close()
            self.child = None

    def _start(self) -> bool:
        command = [sys.executable, str(HERE), "--answer", self.name]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.child = subprocess.Popen(command, bufsize=0, **pipes)  # type: ignore[call-overload]
        if self._line(60) is None:
            self.end()
        return self.child is not None

    def _line(self, seconds: float) -> Any:
        """Return the next answer, or None if none comes in time."""
        assert self.child is not None
        stream, content = self._stream(self.child.stdout), b""
        with selectors.DefaultSelector() as selector:
            selector.register(stream, selectors.EVENT_READ)
            while not content.endswith(b"\n"):
                if not selector.select(seconds) or not (more := os.read(stream.fileno(), 1 << 16)):
                    return None
                content += more
        return json.loads(content)

    @staticmethod
    def _stream(stream: IO[bytes] | None) -> IO[bytes]:
        assert stream is not None
        return stream


Task = tuple[Path, Path, str, str]
"""The folder of all repositories, a file, its format, and the path that URDF parsers get."""


def load_all(name: str, tasks: Sequence[Task], seconds: float) -> list[tuple[str, str]] | None:
    """What a parser makes of each file, "" for a format that it does not read, and its words; None if it is not
    installed."""
    parser = Parser(name, seconds)
    if not parser.is_there:
        return None
    try:
        return [_outcome(parser, *task) for task in tasks]
    finally:
        parser.end()


def _outcome(parser: Parser, folder: Path, path: Path, format: str, given: str) -> tuple[str, str]:
    if format not in FORMATS[parser.name]:
        return "", ""
    if not given:
        return "not compared", "ROS's xacro does not expand it"
    if format == "mjcf" and parser.name != "mujoco" and MAKERS.search(path.read_bytes()):
        return "not compared", "it leaves out bodies that elements make"
    repository = folder / path.relative_to(folder).parts[0]
    result, words = parser.load(given, str(repository))
    is_absent = parser.name in WITH_MESHES and result == "refused" and ABSENT.search(words)
    return "not compared" if is_absent else result, without_folders(words, folder, Path(given).parent)


def expanded(tasks: Sequence[Task], made: Path, seconds: float) -> list[Task]:
    """The tasks, in which xacro files are replaced by what ROS's xacro makes of them, in a folder of their own."""
    parser, found = Parser("ros_xacro", seconds), []
    for i, (folder, path, format, given) in enumerate(tasks):
        if format == "xacro":
            text, words = parser.load(str(path), str(folder / path.relative_to(folder).parts[0]))
            given = "" if words or text == "crashed" else str(made / f"{i}.urdf")
            if given:
                Path(given).write_text(text, encoding="utf-8")
        found.append((folder, path, format, given))
    parser.end()
    return found


def compare(folders: Iterable[Path], formats: Iterable[str], seconds: float, every: int = 1) -> list[Row]:
    """Every file of the folders, or every n-th, with what Kinetree and the installed parsers make of it."""
    from corpus import files_of

    tasks: list[Task] = [
        (folder, path, format, str(path)) for folder in folders for path, format in files_of(folder, formats)
    ][::every]
    with tempfile.TemporaryDirectory() as made, ThreadPoolExecutor() as pool:
        own = pool.submit(_own, tasks, seconds)
        tasks = expanded(tasks, Path(made), seconds)
        others = dict(zip(LOADERS, pool.map(lambda name: load_all(name, tasks, seconds), LOADERS), strict=True))
    results = {name: found for name, found in others.items() if found is not None}
    return [
        Row(
            f"{folder.name}/{path.relative_to(folder)}",
            format,
            *ours,
            {name: found[i][0] for name, found in results.items() if found[i][0]},
            {name: found[i][1] for name, found in results.items() if found[i][1]},
        )
        for i, ((folder, path, format, _), ours) in enumerate(zip(tasks, own.result(), strict=True))
    ]


def _own(tasks: Sequence[Task], seconds: float) -> list[tuple[str, str]]:
    """What Kinetree makes of each file: "loaded", "refused", "macros" or "crashed", and why."""
    parser, found = Parser("kinetree", seconds), []
    for folder, path, _format, _ in tasks:
        result, words = parser.load(str(path), str(folder / path.relative_to(folder).parts[0]))
        if words.startswith("macros: "):
            result, words = "macros", words.removeprefix("macros: ")
        found.append((result, without_folders(words, folder)))
    parser.end()
    return found


def without_folders(words: str, *folders: Path) -> str:
    """The beginning of a message on one line, without the folders of this machine."""
    for folder in folders:
        words = words.replace(f"{folder}{os.sep}", "")
    return " ".join(words.split()).replace(" //", " ")[:200]


def report(rows: Sequence[Row]) -> str:
    """All of it as Markdown."""
    from machine import describe

    names = [name for name in LOADERS if any(name in row.others for row in rows)]
    parts = [
        "# Which files Kinetree and other parsers load",
        describe("kinetree", "xacro").replace("\n", ". ") + ", " + ", ".join(map(_version, names)) + ".",
        _table(rows, names),
        "## Loaded elsewhere, refused here",
        _listed(row for row in rows if row.elsewhere and row.ours != "loaded"),
        "## Loaded here alone",
        _listed(row for row in rows if row.ours == "loaded" and _is_compared(row) and not row.elsewhere),
    ]
    return "\n\n".join(parts) + "\n"


def _version(name: str) -> str:
    try:
        return f"{PACKAGES[name]} {version(PACKAGES[name])}"
    except PackageNotFoundError:
        return name


def _is_compared(row: Row) -> bool:
    return any(result in ("loaded", "empty", "refused") for result in row.others.values())


def share(rows: Iterable[Row]) -> tuple[int, int]:
    """How many files at least one other parser loads, and how many of these Kinetree loads."""
    elsewhere = [row for row in rows if row.elsewhere]
    return len(elsewhere), sum(row.ours == "loaded" for row in elsewhere)


def _table(rows: Sequence[Row], names: Sequence[str]) -> str:
    """A row a format: how many files each loads of those on which it can be compared."""
    head = ["", "files", "kinetree", *names, "loaded elsewhere", "of these here"]
    lines = [" | ".join(head), " | ".join(["---", *["---:"] * (len(head) - 1)])]
    for format in dict.fromkeys(row.format for row in rows):
        some = [row for row in rows if row.format == format]
        cells = [format, str(len(some)), str(sum(row.ours == "loaded" for row in some))]
        for name in names:
            results = Counter(row.others.get(name, "") for row in some)
            compared = sum(results[result] for result in ("loaded", "empty", "refused", "crashed"))
            cells.append(f"{results['loaded']} of {compared}" if compared else "–")
        lines.append(" | ".join([*cells, *_share(some)]))
    lines.append(
        " | ".join(["all", str(len(rows)), str(sum(row.ours == "loaded" for row in rows)), *[""] * len(names)])
    )
    lines[-1] += " | " + " | ".join(_share(rows))
    return "\n".join(f"| {line} |" for line in lines)


def _share(rows: Iterable[Row]) -> tuple[str, str]:
    elsewhere, here = share(rows)
    return str(elsewhere), f"{here} ({100 * here / elsewhere:.1f} %)" if elsewhere else "–"


def _listed(rows: Iterable[Row]) -> str:
    """Files by the code of the reason."""
    causes: dict[str, list[Row]] = {}
    for row in rows:
        causes.setdefault(row.reason.partition(":")[0], []).append(row)
    lines = []
    for cause, some in sorted(causes.items(), key=lambda pair: -len(pair[1])):
        lines.append(f"- {f'**{cause}**' if cause else 'Files'} ({len(some)})")
        for row in some:
            who = f" ({', '.join(row.elsewhere)})" if row.elsewhere else ""
            theirs = next((f"{name}: {words}" for name, words in row.words.items() if words), "")
            words = (row.reason.partition(": ")[2] or theirs).replace("|", "\\|").replace("<", "&lt;")
            lines.append(f"    - {row.file}{who}{': ' if words else ''}{words}")
    return "\n".join(lines) or "None."


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, help="each holds one folder a repository")
    parser.add_argument("--format", action="append", choices=["urdf", "xacro", "sdf", "mjcf"])
    parser.add_argument("--seconds", type=float, default=30, help="for one file")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every row there")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the report there")
    parser.add_argument("--quick", action="store_true", help="only every 199th file")
    parser.add_argument("--answer", choices=list(CHILDREN), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.answer:
        answer(options.answer)
        return 0
    from corpus import DEFAULT

    folders = [folder.resolve() for folder in options.folders or [DEFAULT]]
    if missing := [folder.name for folder in folders if not folder.is_dir()]:
        print(f"no folder {', '.join(missing)}: nothing to load")
        return 0
    formats = options.format or ["urdf", "xacro", "sdf", "mjcf"]
    rows = compare(folders, formats, options.seconds, 199 if options.quick else 1)
    if options.json:
        options.json.write_text(json.dumps([vars(row) for row in rows], indent=1))
    text = report(rows)
    if options.out:
        options.out.write_text(text, encoding="utf-8")
    print(text)
    return 1 if any(row.ours == "crashed" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
