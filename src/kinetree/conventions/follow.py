"""New names of links and joints, followed to every place of the model and of the files that go with it.

A place is followed where it is plain what it names; where it may be something else, nothing is renamed at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from kinetree.conventions.edit import Edit, attribute_spans, on_disk
from kinetree.conventions.same import Names
from kinetree.errors import KinetreeError, Source, fail
from kinetree.formats.opener import read_file
from kinetree.formats.xml import Element, Report, parse
from kinetree.formats.xml_writer import attributes_text
from kinetree.model.robot import Robot

KINDS = ("link", "joint")
FREE = ("filename", "uri", "type", "class", "version", "plugin")
"""Attributes whose values name nothing of the robot."""
INTERFACES = ("position", "velocity", "effort", "acceleration")
"""What ros2_control puts behind the name of a joint: `elbow/position`."""
TOKEN = re.compile(r"""[^\s\[\]{},"'#]+""")


def in_document(root: Element, renamed: Names, robot: Robot) -> list[Edit]:
    """The edits that rename links and joints in a URDF text. Raises KinetreeError where a place is ambiguous."""
    return [edit for element in root.walk() for edit in _of_element(element, renamed, robot)]


def follow(files: Iterable[Path], renamed: Names, robot: Robot, contents: Mapping[Path, bytes]) -> dict[Path, bytes]:
    """What SRDF and YAML files hold after links and joints of the robot got other names: those that change, by resolved
    path.

    contents: what files hold that are not as on the disk. Raises KinetreeError where a place is ambiguous.
    """
    changed = {}
    for path in files if renamed else ():
        content = contents.get(path.resolve()) or read_file(path)
        is_xml = content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
        new = _in_srdf(content, path, renamed) if is_xml else _in_yaml(content, path, renamed, robot)
        if new != content:
            changed[path.resolve()] = new
    return changed


def _of_element(element: Element, renamed: Names, robot: Robot) -> Iterator[Edit]:
    spans = attribute_spans(element)
    for name, value in element.attributes.items():
        kind = _kind(element.tag, name)
        if kind and (new := _renamed(value, kind, renamed, robot, element.source)):
            _, start, stop, _ = spans[name]
            yield Edit(element.document.file, start, stop, _quoted(new))
    if element.text and not element.children:
        data = element.document.data[element.tag_stop : element.end].decode()
        kind = next((kind for kind in KINDS if kind in element.tag.lower()), "any")
        if new := _renamed(data.strip(), kind, renamed, robot, element.source):
            start = element.tag_stop + len(data[: len(data) - len(data.lstrip())].encode())
            yield Edit(element.document.file, start, start + len(data.strip().encode()), _quoted(new))


def _kind(tag: str, attribute: str) -> str:
    """What an attribute names: "link", "joint", "any" of them, or "" for nothing of the robot."""
    if attribute == "name":
        return tag if tag in KINDS else ""
    if attribute in KINDS:
        return attribute
    return "" if attribute in FREE or attribute.startswith("xmlns") else "any"


def _renamed(value: str, kind: str, renamed: Names, robot: Robot, source: Source) -> str | None:
    """The new name, if a value is an old one."""
    if kind in KINDS:
        return renamed.get((kind, value))
    news = {renamed.get(("link", value))} if value in robot.links else set()
    news |= {renamed.get(("joint", value))} if value in robot.joints else set()
    if len(news) > 1:
        raise _ambiguous(source, f"{value!r} is a link and a joint")
    if news:
        return news.pop()
    old = {name for _, name in renamed}
    if part := next((word for word in re.findall(r"\w+", value) if word in old), None):
        raise _ambiguous(source, f"{value!r} has the name {part!r} in it")
    return None


def _in_srdf(content: bytes, path: Path, renamed: Names) -> bytes:
    report = Report()
    root = parse(content, str(path), report)
    if root is None:
        raise KinetreeError(report.findings)
    edits = []
    for element in root.walk():
        spans = attribute_spans(element)
        for name, value in element.attributes.items():
            of_tag = {"link": "link", "joint": "joint", "passive_joint": "joint"}.get(element.tag)
            kind = of_tag if name == "name" else next((kind for kind in KINDS if kind in name), None)
            if kind and (new := renamed.get((kind, value))):
                _, start, stop, _ = spans[name]
                edits.append(Edit(str(path), start, stop, _quoted(new)))
    return on_disk(content, edits)


def _in_yaml(content: bytes, path: Path, renamed: Names, robot: Robot) -> bytes:
    """Whole words of keys and values; comments stay."""
    try:
        lines = content.decode().splitlines(keepends=True)
    except UnicodeDecodeError:
        raise fail("fix", f"{path} is neither XML nor text in UTF-8") from None
    for i, line in enumerate(lines):
        code = re.split(r"(?:^|(?<=\s))#", line, maxsplit=1)[0]
        source = Source(str(path), i + 1)
        new = TOKEN.sub(lambda match, source=source: _token(match[0], renamed, robot, source), code)
        lines[i] = new + line[len(code) :]
    return "".join(lines).encode()


def _token(token: str, renamed: Names, robot: Robot, source: Source) -> str:
    name, colon = (token[:-1], ":") if token.endswith(":") else (token, "")
    joint, slash, interface = name.partition("/")
    if slash and interface in INTERFACES:
        return f"{renamed.get(('joint', joint), joint)}/{interface}{colon}"
    new = _renamed(name, "any", renamed, robot, source)
    return token if new is None else new + colon


def _quoted(name: str) -> str:
    return attributes_text({"n": name})[3:-1].replace("'", "&apos;")


def _ambiguous(source: Source, why: str) -> KinetreeError:
    return fail("fix", f"{source}: {why}, and it is not plain what is meant there")
