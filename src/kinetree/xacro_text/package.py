"""Package of a file: its xacro files, with what they include, define and call. Every package is read once for all
rules, the checker and the fixer, and cached for REMEMBERED seconds."""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from os.path import basename
from pathlib import Path
from time import monotonic

from kinetree.confine import is_in, real
from kinetree.errors import KinetreeError
from kinetree.files.opener import files_below, read_file, unrecorded
from kinetree.xacro_text.known_packages import MANIFESTS, REMEMBERED

ENDINGS = (".xacro", ".urdf", ".xml")
"""Endings of files that may have instructions of xacro."""
SHOWING = (".md", ".rst", ".txt", ".launch", ".py", ".sh", ".yaml")
"""Endings of other files that show how macros are called."""
MOST = 500
"""Most files of a package that are searched."""
INCLUDED = re.compile(r"<(?:xacro:)?include\s[^<>]*?filename\s*=\s*[\"']([^\"']*)")
DEFINITION = re.compile(
    r"<(?:xacro:)?property\s[^<>]*?name\s*=\s*[\"'][^\"']*|params\s*=\s*(?:\"[^\"]*|'[^']*)|\sns\s*=\s*\S+"
)
"""What names properties, parameters and name spaces."""
CALL = re.compile(r"<(?:xacro:)?(?:call\s[^<>]*macro\s*=\s*[\"'])?([\w.]+)")
"""Call of a macro, also without `xacro:`, or another element."""
MACRO = re.compile(
    r"""<(?:xacro:)?macro\s[^<>]*?\bname\s*=\s*["'](?:xacro:)?([\w.]+)[^>]*(?:(?<=/)>|(?<!/)>(.*?)</(?:xacro:)?macro>)""",
    re.S,
)
"""Definition of a macro, and what is in it."""
FIND = re.compile(r"\$\(find\s+([^)\s]+)")
BEGINNING = re.compile(r"^(\$\((find [^()]*|dirname)\)|\.\.?)(/\.\.)*/")
"""Folder that the name of an included file begins with."""
COMPUTED = re.compile(r"\$\([^()]*\)|\$\{[^{}]*\}")
WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True)
class Package:
    """A package. texts: those of its files that may be xacro. whole: whether these are all, and could be read."""

    folder: Path
    texts: Mapping[Path, str]
    whole: bool

    @cached_property
    def includes(self) -> tuple[tuple[Path, str], ...]:
        """Files and the names of files that they include, as written."""
        return tuple((path, name) for path, text in self.texts.items() for name in INCLUDED.findall(text))

    @cached_property
    def words(self) -> frozenset[str] | None:
        """Words in definitions, and the names of included files, without their folders. None if that is not known: if
        names of properties are computed."""
        definitions = [definition for text in self.texts.values() for definition in DEFINITION.findall(text)]
        if not self.whole or any("$" in one and "property" in one for one in definitions):
            return None
        included = (basename(name) for _, name in self.includes)
        return frozenset(word for one in definitions for word in WORD.findall(one)).union(included)

    @cached_property
    def defined(self) -> frozenset[str] | None:
        """`words`, None also if files of other packages are included."""
        finds = (FIND.match(name) for _, name in self.includes)
        return None if any(match and match[1] != self.folder.name for match in finds) else self.words

    @cached_property
    def macros(self) -> frozenset[str]:
        """Names of the macros that its files define."""
        return frozenset(name for text in self.texts.values() for name, _ in MACRO.findall(text))

    @cached_property
    def called(self) -> tuple[set[str], Mapping[str, set[str]]]:
        """Macros that the robots of the package call, and those that macros call, by the names of files."""
        inside: dict[str, set[str]] = {}
        by_file: dict[str, set[str]] = {}
        queue: list[str] = []
        for path, text in self.texts.items():
            for name, body in MACRO.findall(text):
                calls = set(CALL.findall(body))
                inside.setdefault(name, set()).update(calls)
                by_file.setdefault(path.name, set()).update(calls)
            queue += CALL.findall(MACRO.sub("", text))
        reached = set()
        while queue:
            if (name := queue.pop()) not in reached:
                reached.add(name)
                queue += inside.get(name, ())
        return reached, by_file


def package_of(file: str | Path) -> Package | None:
    """Return the package that contains a file; None if there is none, and for a text."""
    time = int(monotonic() // REMEMBERED)
    folder = None if str(file).startswith("<") else _folder_of(os.path.dirname(os.path.abspath(file)), time)
    return _package(folder, time) if folder else None


def is_defined_around(name: str, file: str) -> bool:
    """Return whether a file of the package defines a name, as a property or a parameter. True if that is not known: if
    no file of the package includes this one, or any includes those of other packages."""
    package = package_of(file)
    words = package.defined if package else None
    return words is None or name in words or basename(file) not in words


def is_called_around(name: str, file: str) -> bool:
    """Return whether a robot of the package calls a macro, itself or in other macros, or a macro of the same file does.
    True if that is not known."""
    package = package_of(file)
    if package is None or not package.whole:
        return True
    return name in package.called[0] or name in package.called[1].get(basename(file), ())


def texts_around(file: str) -> Iterator[str]:
    """Yield the texts of the package of a file that may show calls of macros: its xacro files, then launch files, tests
    and pages, and the pages beside the package."""
    package = package_of(file)
    if package is None:
        return
    yield from package.texts.values()
    named = [*islice(files_below(package.folder, lambda name: name.lower().endswith(SHOWING)), MOST)]
    with unrecorded():
        for path in (*named, *package.folder.parent.glob("README*")):
            with suppress(KinetreeError, OSError):
                yield read_file(path).decode(errors="replace")


def is_included_around(file: str) -> bool:
    """Return whether another xacro file of the package, or without one of its folder, includes a file."""
    path = Path(os.path.abspath(file))
    package = package_of(path) or _package(path.parent, int(monotonic() // REMEMBERED), alone=True)
    includes = (name for other, name in package.includes if other.suffix == ".xacro" and other != path)
    return any(_pattern(name).fullmatch(path.as_posix()) for name in includes)


@lru_cache(maxsize=1000)
def _pattern(name: str) -> re.Pattern[str]:
    """Return the pattern of the paths that the name of an included file may mean."""
    return re.compile(".*/" + "[^/]*".join(map(re.escape, COMPUTED.split(BEGINNING.sub("", name)))))


@lru_cache(maxsize=1000)
def _folder_of(folder: str, time: int) -> Path | None:
    """Return the folder of the package that contains a folder."""
    if any(os.path.isfile(os.path.join(folder, mark)) for mark in MANIFESTS):
        return Path(folder)
    above = os.path.dirname(folder)
    return _folder_of(above, time) if above != folder else None


@lru_cache(maxsize=4)
def _package(folder: Path, _time: int, alone: bool = False) -> Package:
    """Read the package in a folder, without what links outside of it lead to. No model is made of these files. alone:
    read only what lies in the folder itself."""
    below = folder.glob("*.xacro") if alone else files_below(folder, lambda name: name.endswith(ENDINGS))
    texts, paths = {}, list(islice(below, MOST))
    inside = (Path(real(folder)),)
    with unrecorded():
        for path in paths:
            with suppress(KinetreeError):
                if is_in(real(path), inside):
                    texts[path] = read_file(path).decode(errors="replace")
    return Package(folder, texts, len(texts) == len(paths) < MOST)
