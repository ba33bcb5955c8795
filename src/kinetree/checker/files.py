"""Choice of the files of a folder that are checked."""

import os
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from kinetree.checker.check import is_error_of_reader
from kinetree.checker.deduplicate import Key, key_of
from kinetree.checker.job import CheckReport
from kinetree.checker.parameters import ENDINGS, words_of
from kinetree.errors import Finding, KinetreeError, Severity, Source, fail
from kinetree.files.opener import files_below, read_file
from kinetree.formats.registry import FORMATS, format_of_text
from kinetree.load import format_of
from kinetree.robots.packaged import is_packaged

CHECKED = ("urdf", "xacro", "sdf", "mjcf", "usd")
"""Formats that are searched for. A table of joints is checked only if it is named, because any .csv may be found."""
USD = FORMATS["usd"].suffixes
SRDFS = (".srdf", ".srdf.xacro")
"""Endings of semantic descriptions, which belong to a model."""
NO_ROBOT = ("xacro-macros-only", "xacro-empty", "no-model", "no-links", "usd-body")
"""Codes of errors of a file that is a part of others; left out for files that were found in a folder."""
OF_WHOLE = (
    *("xacro-argument", "xacro-expression", "xacro-macro", "xacro-substitution"),
    *("unknown-parent", "unknown-child", "several-roots", "xacro-scope"),
)
"""Codes of errors that a part of others may have because it is read without them."""
NOT_BUILT = {"model-not-built", "missing-model", "unknown-parent", "unknown-child"}
"""Codes of errors that a model has because another one, of which it consists, was not built."""
OF_OTHERS = {"include-not-found", "missing-model", "not-supported", "unknown-root", "usd-core"}
"""Codes of errors of files that their own programs read, or that belong to others."""
CERTAIN = rb"\{%|<%|(?<!\$)\{\{.*?\}\}|\$\((?:find-pkg-\w+|var) "
"""Places of Jinja, ERB and launch files in a file without xacro, at which a program inserts a text."""
TEMPLATE = re.compile(CERTAIN + rb"|(?<![$\w])\{[A-Za-z_]\w*\}|\$\{[A-Za-z_]\w*\}|[\s'\">/]@\w+@")
"""These places, and others at which a program may do so, as those of Python, CMake and shells; or xacro lost a $."""
OF_REST = ("no-name", "unknown-material")
"""Codes of warnings about what a part of others lacks, and the rest may have."""
INCLUDED = re.compile(r"<include\s[^<>]*?file\s*=\s*[\"']([^\"']+)")
"""Name of a file that an MJCF file includes."""
MISSED = re.compile(r"not exist|neither a |not defined|no file of the package|no macro ")
"""Messages about names that the files which include a part may define."""
QUOTED = re.compile(r"'([^']+)'")
MOST_NESTED = 4
"""Most files around a file that are looked at for the folder from which it names others."""
COMMENTS, ROOT = re.compile(rb"<!--.*?-->", re.DOTALL), re.compile(rb"<([A-Za-z_][\w:.-]*)")
UNREAD = ("file", "file-size", "format", "no-models", "srdf-alone")
"""Codes of errors of files that could not be read."""


def files_of(paths: Sequence[str], srdf: bool = False) -> dict[str, bool]:
    """Return all files, each once, and whether they were named; unreadable ones and folders without models too, because
    the check reports why. srdf: whether SRDF and YAML files are returned, too. Raises KinetreeError if there are only
    folders without models, and for unknown bare names of robots."""
    seen: dict[str, str] = {}
    files: dict[str, bool] = {}
    empty: list[Finding] = []
    for path in paths:
        if not path:
            raise fail("file", "an empty path names no file; expected files and folders, such as . for this one")
        if not os.path.isdir(path):
            if by_name := is_packaged(path, None):
                format_of(path)
            files[path if by_name else seen.setdefault(os.path.abspath(path), path)] = True
            continue
        models = [str(model) for model in models_in(Path(path), srdf)]
        if not models:
            files[os.path.join(path, "")] = True  # no bare name of a robot
            empty.append(no_models(path))
        for model in models:
            files.setdefault(seen.setdefault(os.path.abspath(model), model), False)
    if empty and len(files) == len({finding.source for finding in empty}):
        raise KinetreeError(empty)
    return files


def no_models(folder: str) -> Finding:
    """Return the error of a folder without models."""
    message = "there are no robot descriptions in this folder"
    return Finding("no-models", "error", message, Source(os.path.normpath(folder)))


def folders_of(paths: Sequence[str]) -> list[str]:
    """Return the paths that are folders, also those with the name of a robot."""
    return list(filter(os.path.isdir, paths))


def models_in(folder: Path, srdf: bool = False) -> Iterator[Path]:
    """Yield the robot descriptions in a folder and below, without hidden ones, in order; and folders that cannot be
    read. srdf: also semantic descriptions, and YAML files of parameters."""
    more = (*SRDFS, *ENDINGS) if srdf else ()
    endings = (".xml", *(ending for name in CHECKED for ending in FORMATS[name].suffixes), *more)
    for path in files_below(folder, lambda name: name.lower().endswith(endings) and (srdf or not is_srdf(name))):
        if path.suffix.lower() not in (".xml", *ENDINGS) or words_of(str(path)) is not None or is_model(path):
            yield path


def is_model(path: Path, text: str | None = None) -> bool:
    """Return whether a file is a robot description, by its ending, or for .xml by its root element. text: its content,
    if that is not what is on the disk."""
    if is_srdf(path.name):
        return False
    if path.suffix.lower() != ".xml":
        return path.name.lower().endswith(tuple(s for name in CHECKED for s in FORMATS[name].suffixes))
    try:
        format = format_of(path) if text is None else format_of_text(path, text.encode("utf-8", "replace"))
        return format.name in CHECKED
    except KinetreeError:  # not one of ours
        return False


def is_srdf(file: str) -> bool:
    """Return whether a file is a semantic description, by its ending."""
    return file.lower().endswith(SRDFS)


def is_unread(result: CheckReport) -> bool:
    """Return whether the file could not be read."""
    return any(finding.code in UNREAD and finding.severity == "error" for finding in result.findings)


def is_part(result: CheckReport, files: Collection[str] = ()) -> bool:
    """Return whether a file is a part of others: it makes no robot, or fails alone and another file includes it; also a
    file of OpenUSD that another one, in its folder or above, composes. files: those that are checked with it."""
    codes = {finding.code for finding in result.findings if is_error_of_reader(finding)}
    if codes and result.file.lower().endswith((".xml", ".mjcf")):
        included = os.path.abspath(result.file) in _included(tuple(files))
        return included or not codes.isdisjoint(NO_ROBOT) or _root_of(result.file) == b"mujocoinclude"
    codes = {finding.code for finding in result.findings if finding.severity == "error"}
    if result.file.lower().endswith(USD):
        from kinetree.formats.usd.source import parts_of  # not needed to check other files

        if os.path.abspath(result.file) in parts_of(tuple(file for file in files if file.lower().endswith(USD))):
            return True
    if codes.isdisjoint(NO_ROBOT) and result.file.endswith(".xacro") and not codes.isdisjoint(OF_WHOLE):
        return _root_of(result.file) not in (b"", b"robot") or _is_included(result.file)
    return not codes.isdisjoint(NO_ROBOT)


def _is_included(file: str) -> bool:
    from kinetree.xacro_text.package import is_included_around  # takes 3 ms and is rarely needed

    return is_included_around(file)


@lru_cache(maxsize=1)
def _included(files: tuple[str, ...]) -> frozenset[str]:
    """Return the paths that MJCF files include, seen from their own folder and from those of the files around them."""
    names: dict[str, list[str]] = {}
    for file in files:
        if file.lower().endswith((".xml", ".mjcf")):
            with suppress(KinetreeError):
                names[os.path.abspath(file)] = INCLUDED.findall(read_file(Path(file)).decode(errors="replace"))
    folders = {file: {os.path.dirname(file)} for file in names}
    found: set[str] = set()
    for _ in range(MOST_NESTED):
        for file, wanted in names.items():
            paths = {os.path.normpath(os.path.join(folder, name)) for folder in folders[file] for name in wanted}
            found |= paths
            for path in paths & folders.keys():
                folders[path] |= folders[file]
    return frozenset(found)


def _root_of(file: str) -> bytes:
    """Return the tag of the root element of a file, or b"" if it is unknown."""
    root = ROOT.search(_text_of(file))
    return root[1] if root else b""


def _text_of(file: str) -> bytes:
    """Return the text of a file without its comments, on the same lines, or b"" if it cannot be read."""
    with suppress(KinetreeError):
        return COMMENTS.sub(lambda comment: b"\n" * comment[0].count(b"\n"), read_file(Path(file)))
    return b""


def without_parts(result: CheckReport, files: Collection[str] = ()) -> CheckReport:
    """Return the result of a file from a folder, with only the findings of rules if the file is a part of others, by
    `is_part`."""
    if alone := [finding for finding in result.findings if finding.code == "srdf-alone"]:  # a remark, if it is no xacro
        remarks = [replace(f, severity="info") for f in alone if not result.file.lower().endswith(".xacro")]
        return replace(result, findings=tuple(remarks))
    if result.findings and (hole := _template(result.file)):
        template, is_certain = hole
        if is_certain or any(map(is_error_of_reader, result.findings)):
            return replace(result, findings=(template,))
        result = replace(result, findings=(*result.findings, template))
    rest = tuple(finding for finding in result.findings if finding.code not in OF_REST)
    if len(rest) < len(result.findings) and result.file.endswith(".xacro") and _is_included(result.file):
        result = replace(result, findings=rest)
    errors = {finding.code for finding in result.findings if is_error_of_reader(finding)}
    if set() < errors <= OF_OTHERS or "model-not-built" in errors <= NOT_BUILT or _is_elsewhere(result, errors, files):
        # such as a world of models that only the simulator can find, a gripper without its arm, and what a build makes
        mild: dict[str, Severity] = {"include-not-found": "warning"}
        found = [replace(f, severity=mild.get(f.code, "info")) if is_error_of_reader(f) else f for f in result.findings]
        left = ("not-asked", "unknown-root" in errors and "no-name")
        return replace(result, findings=tuple(f for f in found if f.code not in left))
    rules = tuple(finding for finding in result.findings if not finding.code.islower())
    if called := [f for f in result.findings if f.code == "macro-not-called" and f.element is None]:
        inside = any(not rule.code.startswith("XAC") for rule in rules)
        return replace(result, findings=(*rules, *called) if inside else rules)
    kept = () if result.file.lower().endswith(USD) else rules
    return replace(result, findings=kept) if is_part(result, files) else result


def _template(file: str) -> tuple[Finding, bool] | None:
    """Return the remark about a file of which a program makes models, and whether it certainly does, or None for any
    other file."""
    text = _text_of(file) if file.endswith((".urdf", ".sdf", ".world", ".xml", ".mjcf")) else b""
    if b"xacro" in text or (hole := TEMPLATE.search(text)) is None:
        return None
    message = f"is a template: a program replaces {hole[0].decode(errors='replace').strip()!r}; check what it makes"
    remark = Finding("template", "info", message, Source(file, text.count(b"\n", 0, hole.start()) + 1))
    return remark, re.match(CERTAIN, hole[0]) is not None


def _is_elsewhere(result: CheckReport, errors: Collection[str], files: Collection[str]) -> bool:
    """Return whether launch files of the package, or of those beside it, give all missing arguments of xacro, or its
    package.xml names all packages that are not found, of a file without other errors that is no part."""
    from kinetree.rules.shapes.addresses import undeclared
    from kinetree.xacro_text.package import package_of, texts_around  # takes 3 ms and is rarely needed

    if errors not in ({"xacro-argument"}, {"package"}) or is_part(result, files):
        return False
    package = package_of(result.file)
    found = [(QUOTED.search(one.message), one.place[0]) for one in result.findings if one.code in errors]
    if package is None or "package" in errors:
        return bool(package) and all(name and not undeclared(name[1], file) for name, file in found)
    launch = (_text_of(str(path)).decode(errors="replace") for path in package.folder.parent.glob("*/launch/*.launch*"))
    texts = "\n".join([*texts_around(result.file), *launch])
    return all(name and re.search(rf"\b{name[1]}\s*:=|[\"']{name[1]}[\"']\s*:", texts) for name, _ in found)


def once_in_all(results: Sequence[CheckReport]) -> list[CheckReport]:
    """Return the results without findings about another file that is checked itself and has them, as a model has that
    worlds include; and without those about a part alone that the files which include it show to be wrong."""
    results = [*_in_context([*_in_all_fitting(results)])]
    known: dict[str, set[Key]] = {}
    seen = {(f.code, f.place) for result in results for f in result.findings if "${" not in (f.element or "")}
    for result in results:
        own = (*result.findings, *result.known, *(excused.finding for excused in result.excused))
        keys = known.setdefault(os.path.abspath(result.file), set())
        keys |= {key for finding in own if (key := key_of(finding)) and key[1] == os.path.abspath(result.file)}
    return [_without_others(result, known, seen) for result in results]


def _in_all_fitting(results: Sequence[CheckReport]) -> Iterator[CheckReport]:
    """Yield the results. Of findings about a file of parameters those stay, in the first, that all robots give which it
    fits."""
    given: dict[str, set[Key | None]] = {}
    for result in results:
        own = (*result.findings, *result.known, *(excused.finding for excused in result.excused))
        given |= {file: given.get(file, keys) & keys for keys in [set(map(key_of, own))] for file in result.fitted}
    for result in results:
        files = [os.path.abspath(finding.place[0]) for finding in result.findings]
        pairs = zip(files, result.findings, strict=True)
        left = tuple(f for file, f in pairs if file not in result.fitted or key_of(f) in given[file])
        yield replace(result, findings=left)
        given |= {file: given[file] - set(map(key_of, left)) for file in result.fitted}


def _in_context(results: Sequence[CheckReport]) -> Iterator[CheckReport]:
    """Yield the results. What rules miss in a part of xacro, and anything that they find in one of MJCF but about the
    robot, stays only if a file that includes it gives it, too."""
    wholes: dict[str, list[CheckReport]] = {}
    for result in results:
        for part in result.parts - {os.path.abspath(result.file)}:
            wholes.setdefault(part, []).append(result)
    for result in results:
        around = wholes.get(os.path.abspath(result.file), ())
        others = (f for one in around for f in (*one.findings, *one.known, *(e.finding for e in one.excused)))
        there = {key for finding in others if (key := key_of(finding))}

        def stays(finding: Finding, there: Collection[Key] = there, is_xacro: bool = ".xacro" in result.file) -> bool:
            doubtful = MISSED.search(finding.message) if is_xacro else (finding.element or "")[:6] != "robot "
            return finding.code.islower() or not doubtful or key_of(finding) in there

        if around:
            yield replace(result, findings=tuple(filter(stays, result.findings)))
        else:
            yield replace(result, findings=tuple(f for f in result.findings if not _is_named_around(f, result.file)))


def _is_named_around(finding: Finding, own: str) -> bool:
    """Return whether a rule misses a name in a result's own file of xacro that another one includes, and a file of the
    package gives something the name: the whole was not checked, or has errors."""
    file, name = finding.place[0], QUOTED.search(finding.message)
    if name is None or finding.code.islower() or not MISSED.search(finding.message):
        return False
    if file != own or ".xacro" not in file:
        return False
    from kinetree.xacro_text.package import is_included_around, package_of  # takes 3 ms and is rarely needed

    if not is_included_around(file) or (package := package_of(file)) is None:
        return False
    texts = (text for path, text in package.texts.items() if str(path) != os.path.abspath(file))
    return any(f'name="{name[1]}"' in text for text in texts)


def _without_others(result: CheckReport, known: dict[str, set[Key]], seen: Collection[object]) -> CheckReport:
    """Return a result without what others have. seen: codes and places of findings about parts whose name is known, and
    not about the macro that makes them, as `kinetree.checker.macros` finds them."""

    def is_elsewhere(finding: Finding) -> bool:
        if "${" in (finding.element or "") and (finding.code, finding.place) in seen:
            return True
        key = key_of(finding)
        return key is not None and key[1] != os.path.abspath(result.file) and key in known.get(key[1], ())

    return replace(result, findings=tuple(finding for finding in result.findings if not is_elsewhere(finding)))
