"""Settings of a project for its checks: `kinetree.toml`, or `[tool.kinetree]` of a `pyproject.toml`."""

import os
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from kinetree.checker.per_file import Pattern, PerFile
from kinetree.errors import KinetreeError, Source
from kinetree.files.opener import read_file
from kinetree.formats.registry import ReadOptions
from kinetree.robot_kinds import KINDS
from kinetree.rules.options import CheckOptions
from kinetree.rules.profiles import PROFILES, codes_of, nearest_codes, unknown_codes
from kinetree.rules.rep199.places import CARRIERS, places
from kinetree.syntax.text import TextReport, decode, read_toml
from kinetree.syntax.toml import Places, TomlTable, is_text, is_texts, shown

OWN, SHARED = "kinetree.toml", "pyproject.toml"
KEYS = (
    *("profile", "select", "ignore", "controller", "baseline", "exclude", "per-file-ignores", "models", "folders"),
    *("environment", "contact"),
)
MAX_FAULTS = 100  # of one file
FRAMES = tuple(CARRIERS)
MODEL_KEYS = ("file", "args", "model", "name", "profile", "packages", "controller", "kind", "also", *FRAMES)
RENAMED = {"vendor": "controller"}


@dataclass(frozen=True)
class Model:
    """A file from which a robot is made, such as a xacro file with more than macros.

    file: absolute. options: its profile, xacro arguments, packages with absolute folders, and model, as far as given.
    name: name of the variant, by default its arguments and model; "" if the file has one variant and no name.
    source: its row in the settings.
    """

    file: str
    options: CheckOptions
    name: str
    source: Source | None = None


@dataclass(frozen=True)
class Settings:
    """The settings of a project.

    file: the file of the settings, None for the defaults. baseline: absolute. exclude: files of folders that are
    checked only if they are named. folders: absolute folders outside of the workspace that models may read.
    environment: variables that they may see. For the rest see `kinetree.checker.job.Job`.
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
    """Return the settings of the nearest folder around a file, or around the working folder, that has some. Raises
    KinetreeError with every fault of the settings, and if a folder has two files of them."""
    folder = Path(os.path.abspath(file)).parent if file is not None else Path.cwd()
    for above in (folder, *folder.parents):
        said = [path for path in (above / OWN, above / SHARED) if _says_something(path)]
        if len(said) > 1:
            report = TextReport(str(said[0]), "")
            report.error("settings", f"there are settings in {said[1]} too; expected one of the two")
            raise KinetreeError(report.findings)
        if said:
            return read_settings(str(said[0]))
    return Settings()


def _says_something(path: Path) -> bool:
    """Return whether a file has settings or faults; a pyproject.toml without the word kinetree has none."""
    if path.name == OWN or not os.path.isfile(path):
        return os.path.isfile(path)
    report = TextReport(str(path), "")
    return b"kinetree" in read_file(path) and (_table(path, report) is not None or report.failed)


def _table(path: Path, report: TextReport) -> dict[str, Any] | None:
    """Return the table of settings in a file, or None if there is none or the report gets an error."""
    text, faults = decode(read_file(path), report.file)
    report.findings += faults
    report.lines = text.split("\n")
    data = None if faults else read_toml(text, report)
    if data is None or path.name != SHARED:
        return data
    tools = data.get("tool")
    return tools.get("kinetree") if isinstance(tools, dict) else None


def read_settings(file: str) -> Settings:
    """Return the settings in a file. Raises KinetreeError with every illegal key, code, profile and type, each with its
    line."""
    try:
        status = os.stat(file)
    except (OSError, ValueError):
        read_file(Path(file))  # raises with the reason
        raise
    return _read(file, os.getcwd(), status.st_mtime_ns, status.st_size)


@lru_cache(32)
def _read(file: str, _here: str, _changed: int, _size: int) -> Settings:
    report = TextReport(file, "", MAX_FAULTS)
    data = _table(Path(file), report)
    if data is None and not report.failed:
        report.error("settings", f"there is no [tool.kinetree] in it; expected one, or a {OWN}")
    settings = Settings()
    if data is not None:
        where = ("tool.kinetree", 0) if Path(file).name == SHARED else None
        settings = _Reader(TomlTable(data, report, Places(report.lines), where, code="settings")).settings()
    if report.failed:
        raise KinetreeError(report.findings)
    return settings


class _Reader:
    """Reader of the table of a file; faults go to its report."""

    def __init__(self, table: TomlTable) -> None:
        self.table, self.report = table, table.report
        self.folder = os.path.dirname(os.path.abspath(self.report.file))

    def settings(self) -> Settings:
        table = self.table
        if not _is_table(table, KEYS):
            return Settings()
        baseline = _text(table, "baseline")
        return Settings(
            self.report.file,
            CheckOptions(
                _one_of(table, "profile", PROFILES),
                self.codes(table.data.get("select", []), "select"),
                self.codes(table.data.get("ignore", []), "ignore"),
                self.controller(table),
                contact=table.value("contact", False, lambda said: isinstance(said, bool), "expected true or false"),
            ),
            baseline and os.path.normpath(os.path.join(self.folder, baseline)),
            self.exclude(table),
            self.per_file(table.data.get("per-file-ignores", {})),
            self.models(table.data.get("models", [])),
            tuple(os.path.join(self.folder, os.path.expanduser(f)) for f in _names(table, "folders", "../macros")),
            _names(table, "environment", "ROBOT_NAME"),
        )

    def models(self, said: object) -> tuple[Model, ...]:
        if not isinstance(said, list):
            self.error("models is no list of tables; expected [[models]], once for each", "models")
            return ()
        models: dict[tuple[str, str], Model] = {}
        for k, data in enumerate(said):
            row = self.table.inner("models", k, data, f"models {k + 1}")
            if _is_table(row, MODEL_KEYS):
                model = self.model(row)
                read = model.options.read
                args = [f"{key}={value}" for key, value in (read.args or {}).items()]
                name = model.name or ", ".join([*args, *([read.model] if read.model else [])])
                if models.setdefault((os.path.realpath(model.file), name), model) is not model:
                    row.error("", "its file stands there already; each row of a file needs a name of its own")
        rows = Counter(file for file, _ in models)
        return tuple(m if rows[file] == 1 else replace(m, name=name) for (file, name), m in models.items())

    def model(self, row: TomlTable) -> Model:
        file = _text(row, "file")
        if "file" not in row.data:
            row.error("", "there is no file; expected one for each of the models")
        args = _texts(row, "args", (str, int, float))
        packages = _texts(row, "packages", (str,))
        folders = {name: os.path.join(self.folder, os.path.expanduser(folder)) for name, folder in packages.items()}
        model, name = _text(row, "model"), _text(row, "name") or ""
        read = ReadOptions(args=args or None, packages=folders or None, model=model)
        options = CheckOptions(
            _one_of(row, "profile", PROFILES),
            controller=self.controller(row),
            kind=_one_of(row, "kind", KINDS),
            frames=_frames(row),
            also=tuple(os.path.join(self.folder, file) for file in _names(row, "also", "config/arm.srdf")),
            read=read,
        )
        return Model(os.path.join(self.folder, file or ""), options, name, row.source)

    def exclude(self, table: TomlTable) -> tuple[Pattern, ...]:
        legal, says = 'expected for example ["legacy/**"]', "{}: {} is no list of patterns"
        globs = table.value("exclude", [], lambda said: is_texts(said) and all(said), legal, says=says)
        return tuple(Pattern(glob, self.folder) for glob in globs)

    def per_file(self, said: object) -> tuple[PerFile, ...]:
        if not isinstance(said, dict):
            self.error('per-file-ignores is no table; expected { "legacy/**" = ["R199-505"] }', "per-file-ignores")
            return ()
        if "" in said:
            self.error("per-file-ignores has an empty pattern; expected for example 'legacy/**'", "per-file-ignores")
        table, key = self.table.inner("per-file-ignores", 0, said), "per-file-ignores"
        rows = ((Pattern(glob, self.folder), self.codes(codes, key, table, glob)) for glob, codes in said.items())
        return tuple(PerFile(pattern, codes) for pattern, codes in rows)

    def codes(self, said: Any, key: str, table: TomlTable | None = None, at: str = "") -> tuple[str, ...]:
        table, at = table or self.table, at or key
        if not is_texts(said) or not all(said):
            message = f'{key}: {shown(said)} is no list of codes; expected for example ["R199-505", "ICUB-3"]'
            table.error("", message, at)
            return ()
        known = codes_of() if said else []
        for code in unknown_codes(said, known)[:MAX_FAULTS]:
            message = f"{key}: no rule's code begins with {shown(code)}; {nearest_codes(code[:100], known)}"
            table.error("", message, at)
        return tuple(said)

    def controller(self, table: TomlTable) -> str | None:
        said = _text(table, "controller")
        if said is None:
            return None
        from kinetree.controllers import controllers  # takes longer than all else here

        if said in controllers:
            return controllers[said].key
        table.error("", f"controller is {shown(said)}; expected one of {', '.join(controllers)}", "controller")
        return None

    def error(self, message: str, key: str) -> None:
        self.table.error("", message, key)


def _is_table(table: TomlTable, keys: tuple[str, ...]) -> bool:
    """Return whether the data are a table, and report illegal keys."""
    if not isinstance(table.data, dict):
        table.error("", f"{shown(table.data)} is no table; expected one of {', '.join(keys)}")
        return False
    table.check_keys(keys, RENAMED)
    return True


def _is_plain(said: Any) -> bool:
    return is_text(said) and said != "" and "\0" not in said


def _text(table: TomlTable, key: str) -> str | None:
    text: str | None = table.value(key, None, _is_plain, "expected a text that is not empty")
    return text


def _one_of(table: TomlTable, key: str, legal: Collection[str]) -> str | None:
    said = _text(table, key)
    if said is not None and said not in legal:
        table.error("", f"{key} is {shown(said)}; expected one of {', '.join(legal)}", key)
    return said


def _frames(row: TomlTable) -> dict[str, str]:
    """Return the places of base, flange and tool0 as they are written. Other texts are errors of the report."""
    found = {frame: place for frame in FRAMES if (place := _text(row, frame))}
    for frame, place in found.items():
        try:
            places(frame, place)
        except KinetreeError as error:
            row.error("", error.findings[0].message, frame)
    return found


def _names(table: TomlTable, key: str, example: str) -> tuple[str, ...]:
    legal = f'expected a list of texts such as ["{example}"]'
    return tuple(table.value(key, [], lambda said: is_texts(said) and all(map(_is_plain, said)), legal))


def _texts(row: TomlTable, key: str, types: tuple[type, ...]) -> dict[str, str]:
    def fits(said: object) -> bool:
        return isinstance(said, dict) and all(isinstance(value, types) for value in said.values())

    kinds = "texts" if types == (str,) else "texts, numbers, true or false"
    said = row.value(key, {}, fits, f"expected a table of {kinds}")
    return {name: str(v).lower() if isinstance(v, bool) else str(v) for name, v in said.items()}
