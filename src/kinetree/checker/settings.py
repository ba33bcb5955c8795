"""What a project says about its checks: `kinetree.toml`, or `[tool.kinetree]` of a `pyproject.toml`."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from kinetree.checker.per_file import Pattern, PerFile
from kinetree.conventions.options import CheckOptions
from kinetree.conventions.profiles import PROFILES, codes_of, nearest_codes, unknown_codes
from kinetree.errors import KinetreeError, nearest_names
from kinetree.formats.opener import read_file
from kinetree.formats.places import Places, Where
from kinetree.formats.registry import ReadOptions
from kinetree.formats.text import TextReport, decode, read_toml

OWN, SHARED = "kinetree.toml", "pyproject.toml"
KEYS = (
    "profile",
    "select",
    "ignore",
    "vendor",
    "baseline",
    "exclude",
    "per-file-ignores",
    "models",
    "folders",
    "environment",
)
MAX_FAULTS = 100  # said of one file
MODEL_KEYS = ("file", "args", "model", "name", "profile", "packages")


@dataclass(frozen=True)
class Model:
    """A file that makes a robot, such as a xacro file that is no mere collection of macros.

    file: absolute. options: its profile, xacro arguments, packages with absolute folders, and model, as far as they are
    given. name: which of several variants of the file it is, by default its arguments and model; "" where there is one
    and nobody has named it.
    """

    file: str
    options: CheckOptions
    name: str


@dataclass(frozen=True)
class Settings:
    """The settings of a project.

    file: where they are written, or None for the defaults. baseline: absolute. exclude: files of folders that are not
    checked unless they are named. folders: absolute, outside of the workspace, that models may read. environment:
    variables that they may see. For the rest see `kinetree.checker.checked.Job`.
    """

    file: str | None = None
    options: CheckOptions = CheckOptions()
    baseline: str | None = None
    exclude: tuple[Pattern, ...] = ()
    per_file: tuple[PerFile, ...] = ()
    models: tuple[Model, ...] = ()
    folders: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()


def find_settings(file: str | None = None) -> Settings:
    """The settings for a file, or for the working folder: those of the nearest folder around it that has some.

    Raises KinetreeError with every fault of the settings, and where a folder has two.
    """
    folder = Path(os.path.abspath(file)).parent if file is not None else Path.cwd()
    for above in (folder, *folder.parents):
        said = [path for path in (above / OWN, above / SHARED) if _says_something(path)]
        if len(said) > 1:
            report = TextReport(str(said[0]), "")
            report.error("settings", f"there are settings in {said[1]} too; legal is one of the two")
            raise KinetreeError(report.findings)
        if said:
            return read_settings(str(said[0]))
    return Settings()


def _says_something(path: Path) -> bool:
    """Whether a file has settings of ours, or faults; a pyproject.toml that does not name us need not even be TOML."""
    if path.name == OWN or not os.path.isfile(path):
        return os.path.isfile(path)
    report = TextReport(str(path), "")
    return b"kinetree" in read_file(path) and (_table(path, report) is not None or report.failed)


def _table(path: Path, report: TextReport) -> dict[str, Any] | None:
    """The table of settings in a file, or None where there is none, or with an error in the report."""
    text, faults = decode(read_file(path), report.file)
    report.findings += faults
    report.lines = text.split("\n")
    data = None if faults else read_toml(text, report)
    if data is None or path.name != SHARED:
        return data
    tools = data.get("tool")
    return tools.get("kinetree") if isinstance(tools, dict) else None


def read_settings(file: str) -> Settings:
    """The settings in a file. Raises KinetreeError with every fault: a key, a code, a profile or a type that is not
    legal, each with the line of its key."""
    try:
        status = os.stat(file)
    except (OSError, ValueError):
        read_file(Path(file))  # says why
        raise
    return _read(file, os.getcwd(), status.st_mtime_ns, status.st_size)


@lru_cache(32)
def _read(file: str, _here: str, _changed: int, _size: int) -> Settings:
    report = TextReport(file, "")
    table = _table(Path(file), report)
    if table is None and not report.failed:
        report.error("settings", f"there is no [tool.kinetree] in it; legal is one, or a {OWN}")
    settings = _Reader(table, report).settings() if table is not None else Settings()
    if report.failed:
        raise KinetreeError(report.findings)
    return settings


class _Reader:
    """Reads the table of a file; faults go to the report."""

    def __init__(self, table: Any, report: TextReport) -> None:
        self.table, self.report = table, report
        self.places = Places(report.lines)
        self.within = "tool.kinetree" if Path(report.file).name == SHARED else ""
        self.folder = os.path.dirname(os.path.abspath(report.file))

    def settings(self) -> Settings:
        table = self.table
        if not self.is_table(table, KEYS):
            return Settings()
        baseline = self.text(table, "baseline")
        return Settings(
            self.report.file,
            CheckOptions(
                self.profile(table),
                self.codes(table.get("select", []), "select"),
                self.codes(table.get("ignore", []), "ignore"),
                self.vendor(table),
            ),
            baseline and os.path.normpath(os.path.join(self.folder, baseline)),
            self.exclude(table.get("exclude", [])),
            self.per_file(table.get("per-file-ignores", {})),
            self.models(table.get("models", [])),
            tuple(os.path.join(self.folder, os.path.expanduser(f)) for f in self.names(table, "folders", "../macros")),
            self.names(table, "environment", "ROBOT_NAME"),
        )

    def names(self, table: Mapping[str, Any], key: str, example: str) -> tuple[str, ...]:
        """Texts that are not empty."""
        said = table.get(key, [])
        if isinstance(said, list) and all(isinstance(one, str) and one and "\0" not in one for one in said):
            return tuple(said)
        self.error(f'{key} is {_short(said)}; legal is a list of texts such as ["{example}"]', key)
        return ()

    def models(self, said: object) -> tuple[Model, ...]:
        if not isinstance(said, list):
            self.error("models is no list of tables; legal is [[models]], once for each", "models")
            return ()
        models: dict[tuple[str, str], Model] = {}
        for k, row in enumerate(said):
            if self.is_table(row, MODEL_KEYS, k):
                model = self.model(row, k)
                read = model.options.read
                args = [f"{key}={value}" for key, value in (read.xacro_args or {}).items()]
                name = model.name or ", ".join([*args, *([read.model] if read.model else [])])
                if models.setdefault((os.path.realpath(model.file), name), model) is not model:
                    self.error("its file stands there already; each row of a file needs a name of its own", "", k)
        rows = Counter(file for file, _ in models)
        return tuple(m if rows[file] == 1 else replace(m, name=name) for (file, name), m in models.items())

    def model(self, row: Mapping[str, Any], k: int) -> Model:
        file = self.text(row, "file", k)
        if "file" not in row:
            self.error("there is no file; legal is one for each of the models", "", k)
        args = self.texts(row, "args", (str, int, float), k)
        packages = self.texts(row, "packages", (str,), k)
        folders = {name: os.path.join(self.folder, os.path.expanduser(folder)) for name, folder in packages.items()}
        model, name = self.text(row, "model", k), self.text(row, "name", k) or ""
        read = ReadOptions(xacro_args=args or None, packages=folders or None, model=model)
        return Model(os.path.join(self.folder, file or ""), CheckOptions(self.profile(row, k), read=read), name)

    def exclude(self, said: object) -> tuple[Pattern, ...]:
        if not isinstance(said, list) or not all(isinstance(glob, str) and glob for glob in said):
            self.error(f'exclude: {_short(said)} is no list of patterns; legal is such as ["legacy/**"]', "exclude")
            return ()
        return tuple(Pattern(glob, self.folder) for glob in said)

    def per_file(self, said: object) -> tuple[PerFile, ...]:
        if not isinstance(said, dict):
            self.error('per-file-ignores is no table; legal is { "legacy/**" = ["R199-505"] }', "per-file-ignores")
            return ()
        if "" in said:
            self.error("per-file-ignores has an empty pattern; legal is such as 'legacy/**'", "per-file-ignores")
        rows = ((Pattern(glob, self.folder), self.codes(codes, "per-file-ignores")) for glob, codes in said.items())
        return tuple(PerFile(pattern, codes) for pattern, codes in rows)

    def codes(self, said: object, key: str) -> tuple[str, ...]:
        """Codes, or how they begin."""
        if not isinstance(said, list) or not all(isinstance(code, str) and code for code in said):
            self.error(f'{key}: {_short(said)} is no list of codes; legal is such as ["R199-505", "ICUB-3"]', key)
            return ()
        known = codes_of() if said else []
        for code in unknown_codes(said, known)[:MAX_FAULTS]:
            self.error(f"{key}: no rule's code begins with {_short(code)}; {nearest_codes(code[:100], known)}", key)
        return tuple(said)

    def vendor(self, table: Mapping[str, Any]) -> str | None:
        said = self.text(table, "vendor")
        if said is None:
            return None
        from kinetree.controllers import controllers  # takes longer than all else here

        if said in controllers:
            return controllers[said].key
        self.error(f"vendor is {_short(said)}; legal are {', '.join(controllers)}", "vendor")
        return None

    def profile(self, table: Mapping[str, Any], k: int | None = None) -> str | None:
        said = self.text(table, "profile", k)
        if said is not None and said not in PROFILES:
            self.error(f"profile is {_short(said)}; legal are {', '.join(PROFILES)}", "profile", k)
        return said

    def text(self, table: Mapping[str, Any], key: str, k: int | None = None) -> str | None:
        said = table.get(key)
        if said is None or (isinstance(said, str) and said and "\0" not in said):
            return said
        self.error(f"{key} is {_short(said)}; legal is a text that is not empty", key, k)
        return None

    def texts(self, row: Mapping[str, Any], key: str, types: tuple[type, ...], k: int) -> dict[str, str]:
        said = row.get(key, {})
        if not isinstance(said, dict) or not all(isinstance(value, types) for value in said.values()):
            kinds = "texts" if types == (str,) else "texts, numbers, true or false"
            self.error(f"{key} is {_short(said)}; legal is a table of {kinds}", key, k)
            return {}
        return {name: str(v).lower() if isinstance(v, bool) else str(v) for name, v in said.items()}

    def is_table(self, said: object, keys: tuple[str, ...], k: int | None = None) -> bool:
        """Whether it is a table; says which of its keys are not legal."""
        if not isinstance(said, dict):
            self.error(f"{_short(said)} is no table; legal is one of {', '.join(keys)}", "", k)
            return False
        for key in [key for key in said if key not in keys][:MAX_FAULTS]:
            self.error(f"{_short(key)} means nothing here; {nearest_names(key, keys)}", key, k)
        return True

    def error(self, message: str, key: str, k: int | None = None) -> None:
        """Note a fault of a key, of the table or of one of its models."""
        if len(self.report.findings) >= MAX_FAULTS:
            return
        dot = "." if self.within else ""
        table: Where = (self.within, 0) if self.within else None
        where: Where = table if k is None else (f"{self.within}{dot}models", k)
        places = self.places
        line = (places.key(key, where) if key else None) or places.start(where)
        line = line or (None if k is None else places.key("models", table)) or places.start(table)
        self.report.error("settings", message, line, element=None if k is None else f"models {k + 1}")


def _short(said: object) -> str:
    text = repr(said)
    return text if len(text) <= 100 else f"{text[:97]}…"
