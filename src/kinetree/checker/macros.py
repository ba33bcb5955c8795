"""Findings in macros that are never called: what is found in them with the arguments that the package shows, whatever
the others are."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from kinetree.checker.after_error import QUOTED, findings_by_rule
from kinetree.checker.corrected import corrected, files_for
from kinetree.display import listed
from kinetree.errors import Finding, KinetreeError, Source
from kinetree.files.opener import Files
from kinetree.formats.registry import FORMATS
from kinetree.formats.xacro import read
from kinetree.formats.xacro.words import words_of
from kinetree.model.robot import Robot
from kinetree.rules.options import CheckOptions
from kinetree.rules.rule import Rule
from kinetree.syntax.xml.reader import DerivedText, Element, Report, parse
from kinetree.syntax.xml.writer import attributes_text
from kinetree.xacro_text.package import DEFINITION, WORD, is_called_around, package_of, texts_around
from kinetree.xacro_text.reading import BUILT_IN, parameters_of

KEPT = ("xacro:include", "xacro:property", "xacro:arg", "xacro:macro")
"""Elements of a file that define what its macros need."""
DEFINED = re.compile(r"""<xacro:macro\s[^<>]*?\bname\s*=\s*["']([\w.]+)""")
DEFINED_CALL = re.compile(r"<xacro:([\w.]+)")
EXPRESSION = re.compile(r"\$[{(][^})]*")
PASSED = re.compile(r"""<xacro:property\s[^<>]*?name="(\w+)"\s+value="([^"]*)"|\s(\w+)="([^"]*\$\{[^"]*)\"""")
"""Definition of a property, or an attribute with an expression."""
ARGUMENT = re.compile(r"""<xacro:arg\s[^<>]*?name\s*=\s*["']([^"']+)""")
DEFINITIONS = {"property": '<xacro:property name="{}" value="{}"/>', "arg": '<xacro:arg name="{}" default="true"/>'}
"""What defines a name that the callers of a macro have to define."""
NUMBERS = ("1", "0.3")
"""Made-up numbers, one for each expansion."""
TUPLES = {
    **dict.fromkeys(("xyz", "rpy"), ("0 0 0", "0.13 -0.07 0.29")),
    **dict.fromkeys(("size", "scale"), ("1 1 1", "0.3 0.2 0.1")),
    **dict.fromkeys(("rgba", "rgb"), ("1 1 1 1", "0.3 0.2 0.1 1")),
}
"""Attributes of several numbers, to made-up ones for each expansion."""
PI = dict.fromkeys(("M_PI", "PI", "Pi"), "3.141592653589793")
"""Properties of which everybody knows the value."""
ANGLES = re.compile(r"""rpy\s*=\s*["']([^"']*)""")
OF_ANGLES = ("XML-011",)
"""Rules about how frames are turned."""
CHOICE = re.compile(r"""\b(\w+)\s*==\s*'([^'$]+)'|<xacro:(?:if|unless)\s+value\s*=\s*["']\$\{(\w+)\}["']""")
"""Comparison of a parameter with a text, or a parameter that is true or false."""
NAME = "name"
"""Kind of parameters that are names."""
ATTRIBUTE = re.compile(r"""([\w.-]+)\s*=\s*(["'])(.*?)\2""")
UNKNOWN = re.compile(r"[$…]|\.\.\.")
"""What is in values that are no examples."""
NAMING = ("name", "link", "joint", "parent", "child", "reference", "filename", "ns", "type", "macro")
"""Attributes whose values are names."""
ORIGINS = ('<origin xyz="0 0 0" rpy="0 0 0"/>', '<origin xyz="0.13 -0.07 0.29" rpy="0.3 -0.5 0.7"/>')
"""Blocks that stand in for the origin of a macro, one for each expansion."""
TOKEN = re.compile(r"q([xy])\d+q(\w+?)q\1q")
"""Values that stand in for names: `qx0qparentqxq`."""
MADE_UP = "made_up_root"
MISSING = re.compile("exist|neither|not found")
"""Words in messages about names that nothing has."""
MOST = 20
"""Most macros of a file that are expanded."""

Key = tuple[object, ...]
"""Code, place and words of a finding."""


def uncalled_findings(robot: Robot, options: CheckOptions, makes_robot: bool) -> list[Finding]:
    """Return the findings of rules in macros of the robot's own file that no robot of its package calls, which are
    there with two sets of arguments; also in macros that these call, about names in blocks of simulators. A remark on
    the arguments joins them, or stands alone for a file that makes no robot."""
    texts = robot.text.files if robot.text else {}
    file = robot.source.file if robot.source else ""
    names = [name for name in DEFINED.findall(texts.get(file, "")) if not is_called_around(name, file)]
    root = parse(corrected(texts[file].encode()), file, Report()) if names else None
    rules = tuple(rule for rule in options.rules if not (rule.of_text or rule.of_robot))
    if root is None or not rules:
        return []
    macros = [macro for macro in root.find_all("xacro:macro") if macro.get("name") in names][:MOST]
    lacking, absent = _lacking(texts), _absent_macros(texts)
    rules = tuple(rule for rule in rules if not absent or rule.code.startswith("XML"))
    shown = {macro.get("name") or "": arguments_shown(macro, file, texts[file]) for macro in macros}
    known = _kinds_in(root)
    calls = [[_call(macro, shown, known, k, i) for i, macro in enumerate(macros)] for k in (0, 1)]
    pairs = [(one, other) for one, other in zip(*calls, strict=True) if one]
    given = MacroFile(robot, file, root, rules, options, lacking, absent)
    found = _in_both(given, pairs) if pairs else None
    groups = [pairs] if found is not None else [[pair] for pair in pairs if len(pairs) > 1]
    results = [found] if found is not None else [_in_both(given, group) for group in groups]
    checked = [group for group, some in zip(groups, results, strict=True) if some is not None]
    sure = _without_made_up(given, macros, shown, known, {k: f for some in results if some for k, f in some.items()})
    if not checked or (makes_robot and not sure):
        return sure
    shown_calls = listed([_shown(one) for group in checked for one, _ in group], between="; ")
    gone = (one for group, some in zip(groups, results, strict=True) if some is None for one, _ in group)
    if lost := [DEFINED_CALL.findall(one)[0] for one in gone]:
        shown_calls += f"; not checked, as no arguments were found with which they make a robot: {', '.join(lost)}"
    who = "has macros that" if makes_robot else "contains only macros, which"
    message = f"{who} no robot of the package calls; checked as {shown_calls}"
    element = f"robot {robot.name!r}" if makes_robot else None
    return [*sure, Finding("macro-not-called", "info", message, Source(file, 1), element)]


def arguments_shown(macro: Element, file: str, own: str) -> Mapping[str, str]:
    """Return the arguments of a macro that texts show: the attributes with values, without expressions, of its first
    call in any text of the package or beside it, and what its own file compares others with."""
    chosen = {one or other: text or "true" for one, text, other in reversed(CHOICE.findall(own))}
    given = {p.name: chosen[p.name] for p in parameters_of(macro) if p.required and p.name in chosen}
    for text in texts_around(file):
        for call in re.findall(rf"<xacro:{re.escape(macro.get('name') or '')}\s([^<>]*)>", text):
            if there := {key: value for key, _, value in ATTRIBUTE.findall(call) if not UNKNOWN.search(value)}:
                return given | there
    return given


def _in_both(given: "MacroFile", pairs: Sequence[tuple[str, str]]) -> Mapping[Key, Finding] | None:
    """Return the findings with the first of two sets of calls that are there with the second, too; None if either makes
    no robot."""
    first = _found(given, [one for one, _ in pairs], 0)
    again = _found(given, [other for _, other in pairs], 1) if first else first
    return None if first is None or again is None else {key: one for key, one in first.items() if key in again}


def _without_made_up(
    given: "MacroFile",
    macros: Sequence[Element],
    shown: Mapping[str, Mapping[str, str]],
    known: Mapping[str, str],
    found: Mapping[Key, Finding],
) -> list[Finding]:
    """Return the findings that do not depend on made-up numbers."""
    file, texts = given.file, given.robot.text.files if given.robot.text else {}
    made_up = {name for name, _ in given.lacking if name not in PI}
    for macro in macros:
        asked = {parameter.name for parameter in parameters_of(macro) if parameter.required}
        made_up |= {name for name in asked - shown[macro.get("name") or ""].keys() if known.get(name) != NAME}
    numbers = _numbers(given.robot, made_up)
    unsure = [child for macro in macros for child in macro.children if not numbers.isdisjoint(_used(child.raw))]
    spans = [(child.source.line or 0, child.document.data.count(b"\n", 0, child.stop) + 2) for child in unsure]
    lines = {n for first, after in spans for n in range(first, after)}
    turned = {word for text in texts.values() for angles in ANGLES.findall(text) for word in _used(angles)}
    sure = [one for one in found.values() if not (turned & numbers and one.code in OF_ANGLES)]
    return [one for one in sure if one.place[0] != file or one.place[1] not in lines]


class MacroFile(NamedTuple):
    """A file with macros, the robot that it is a part of, the rules, the properties and arguments that are not defined,
    with their kind, and definitions of macros that stand in for those that are not."""

    robot: Robot
    file: str
    root: Element
    rules: tuple[type[Rule], ...]
    options: CheckOptions
    lacking: tuple[tuple[str, str], ...]
    absent: str


def _lacking(files: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the properties and arguments that files use and none of them defines, each with its kind."""
    texts = files.values()
    roots = [root for file, text in files.items() if (root := parse(text, file, Report()))]
    used = (text for root in roots for e in root.walk() for text in (*e.attributes.values(), e.text) if "$" in text)
    words = [words_of(text) for text in dict.fromkeys(used)]
    defined = {word for text in texts for definition in DEFINITION.findall(text) for word in WORD.findall(definition)}
    declared = {name for text in texts for name in ARGUMENT.findall(text)}
    properties = dict.fromkeys(name for used in words for name in used.names if name not in defined)
    arguments = dict.fromkeys(name for used in words for name in used.arguments if name not in declared)
    return (*((name, "property") for name in properties), *((name, "arg") for name in arguments))


def _absent_macros(files: Mapping[str, str]) -> str:
    """Return empty definitions of macros that are called in links, for an inertia or a shape, and defined nowhere."""
    defined = {name for text in files.values() for name in DEFINED.findall(text)}
    calls: dict[str, list[Element]] = {}
    for root in (parse(text, file, Report()) for file, text in files.items()):
        links = [element for element in root.walk() if element.tag == "link"] if root else []
        for call in (one for link in links for one in link.walk() if one.tag.startswith("xacro:")):
            if (name := call.tag[6:]) not in defined and name not in BUILT_IN:
                calls.setdefault(name, []).append(call)
    made = ""
    for name, some in calls.items():
        given = " ".join(f"{key}:=0" for key in dict.fromkeys(key for call in some for key in call.attributes))
        blocks = " ".join(f"*b{k}" for k in range(len(some[0].children)))
        made += f'<xacro:macro name="{name}" params="{given} {blocks}"/>'
    return made


def _numbers(robot: Robot, found: set[str]) -> set[str]:
    """Return the names of made-up numbers, and of the properties and parameters that are computed from these."""
    texts = robot.text.files.values() if robot.text else ()
    pairs = [(a or c, b or d) for text in texts for a, b, c, d in PASSED.findall(text)] if found else []
    size = -1
    while size != len(found):
        size = len(found)
        found |= {name for name, value in pairs if not found.isdisjoint(_used(value))}
    return found


def _used(text: str) -> list[str]:
    """Return the words in the expressions of a text."""
    return WORD.findall(" ".join(EXPRESSION.findall(text)))


def _kinds_in(root: Element) -> dict[str, str]:
    """Return the kinds of parameters that are no single number: NAME if they are in attributes of names or have letters
    around them, or the attribute of several numbers of which they are the value."""
    found: dict[str, str] = {}
    for element in root.walk():
        for attribute, text in (*element.attributes.items(), ("", element.text)):
            for match in re.finditer(r"(\w?/?)\$\{(\w+)\}(/?\w?)", text) if "${" in text else ():
                if attribute in NAMING or match[1] or match[3]:
                    found[match[2]] = NAME
                elif attribute in TUPLES and match[0] == text.strip():
                    found.setdefault(match[2], attribute)
    return found


def _call(macro: Element, shown: Mapping[str, Mapping[str, str]], kinds: Mapping[str, str], k: int, number: int) -> str:
    """Return a call of a macro with the arguments that the package shows, and made-up ones by their kinds, or "" if it
    needs a block that is no origin."""
    name, blocks, given = macro.get("name") or "", "", ""
    for parameter in parameters_of(macro):
        if parameter.block:
            if not re.search("origin|pose", parameter.name):
                return ""
            blocks += ORIGINS[k]
        elif kinds.get(parameter.name) == NAME:
            which = "xy"[k]
            given += f' {parameter.name}="q{which}{number}q{parameter.name}q{which}q"' if parameter.required else ""
        elif (value := shown[name].get(parameter.name)) is not None:
            given += f" {attributes_text({parameter.name: value})}"
        elif parameter.required:
            given += f' {parameter.name}="{TUPLES.get(kinds.get(parameter.name, ""), NUMBERS)[k]}"'
    return f"<xacro:{name}{given}>{blocks}</xacro:{name}>" if blocks else f"<xacro:{name}{given}/>"


def _found(given: MacroFile, calls: Iterable[str], k: int) -> Mapping[Key, Finding] | None:
    """Return the findings in the macros of a file with these calls, by code, place and words, in the k-th expansion;
    None if they make no robot."""
    robot, file, root, rules, options, lacking, absent = given
    files, row = files_for(robot, options), FORMATS["xacro"]
    text = _with_calls(
        root, [*(DEFINITIONS[kind].format(name, PI.get(name, NUMBERS[k])) for name, kind in lacking), absent, *calls]
    )
    arguments: Any = [*row.arguments(files, options.read), False]
    made, _ = read(text, file, *arguments)
    expanded = _joined(made.text, made.file) if made.text else None
    if expanded is None:
        return None
    macro, findings = FORMATS["urdf"].read(expanded, made.file, files, options.read)
    if macro is None or macro.doubts or any(finding.severity == "error" for finding in findings):
        return None
    found = findings_by_rule(replace(macro, places=robot.places), rules, options)
    lines = text[: text.rindex(b"</")].count(b"\n") + 1
    kept: dict[Key, Finding] = {}
    for finding in (one for ones in found.values() for one in ones):
        where = finding.source
        if finding.severity == "info":
            continue
        if where is None or not where.line:
            continue
        own = where.line < lines if where.file == file else _is_of_package(finding, file)
        if own and not _of_others(finding, macro, file, files):
            shown = replace(finding, message=_shown(finding.message), element=_shown(finding.element or "") or None)
            kept[finding.code, where.place, shown.message] = shown
    return kept


def _is_of_package(finding: Finding, file: str) -> bool:
    """Return whether a finding in an included file is about a name that the macro gives to a macro of its package."""
    package, other = package_of(file), package_of(finding.place[0])
    named = TOKEN.search(finding.message) and finding.code.startswith("XML")
    return bool(named and package and other and package.folder == other.folder)


def _with_calls(root: Element, calls: Iterable[str]) -> bytes:
    """Return the text of a file with these calls in place of the robot that it makes, every other line in its place."""
    data, parts, end = root.document.data, [], 0
    for child in root.children:
        if child.tag not in KEPT:
            parts += [data[end : child.start], b"\n" * data[child.start : child.stop].count(b"\n")]
            end = child.stop
    return b"".join((*parts, data[end : root.end], "".join(calls).encode(), data[root.end :]))


def _joined(text: DerivedText, file: str) -> DerivedText | None:
    """Return an expanded text in which links that others make, and a root, make one tree of all links."""
    root = parse(text, file, Report())
    if root is None or root.tag not in ("robot", "root") or not root.find("link"):
        return None
    if root.tag == "root":  # as files of macros have it
        text = DerivedText(text.text.replace("<root", "<robot", 1).replace("</root>", "</robot>"), text.origins)
    links = {link.get("name") for link in root.find_all("link")}
    ends = [(joint.find("parent"), joint.find("child")) for joint in root.find_all("joint")]
    parents = {parent.get("link") for parent, _ in ends if parent} - links - {None}
    children = {child.get("link") for _, child in ends if child}
    tops = sorted(f"{name}" for name in (links | parents) - children)
    new = [f'<link name="{name}"/>' for name in (*sorted(map(str, parents)), MADE_UP)]
    new += [
        f'<joint name="{MADE_UP}_{i}" type="fixed"><parent link="{MADE_UP}"/><child link="{name}"/></joint>'
        for i, name in enumerate(tops)
    ]
    at = text.text.rindex("</")
    more = [None] * (len(new) + 2 * len(tops))
    return DerivedText(text.text[:at] + "".join(new) + text.text[at:], [*text.origins, *more])


def _of_others(finding: Finding, macro: Robot, file: str, files: Files) -> bool:
    """Return whether a finding is about what stands in, or about what may be of another macro: a file whose name has an
    argument in it, or a part that does not exist here and whose name does not begin as those of the macro's parts."""
    if MADE_UP in f"{finding.element}{finding.message.partition(';')[0]}":
        return True
    if not MISSING.search(finding.message):
        return False
    name = next(iter(QUOTED.findall(finding.message)), "")
    token = TOKEN.match(name)
    if finding.code.startswith("MSH"):  # whose folder may be kept elsewhere
        return TOKEN.search(name) is not None or not _has_folder(name, file, files)
    if token is None or "prefix" in token[2] or "parent" in token[2]:
        return True
    own = (one for part in (macro.links, macro.joints) for one in part.values() if one.source)
    return not any(one.name.startswith(token[0]) for one in own)


def _has_folder(name: str, file: str, files: Files) -> bool:
    try:
        return os.path.isdir(files.path(name.rpartition("/")[0], file))
    except (KinetreeError, OSError):
        return False


def _shown(text: str) -> str:
    """Return a message with parameters in place of the values that stand in for them."""
    listed, _, names = text.partition("; there ")
    return TOKEN.sub(r"${\2}", listed if MADE_UP in names else text)
