"""References to files in what a robot keeps of its own format: <asset> of MJCF, and maps of SDF's materials."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from kinetree.model.robot import Extension
from kinetree.syntax.xml.reader import Element, Report, attribute_spans, parse
from kinetree.syntax.xml.writer import attributes_text


def with_references(extension: Extension, format: str, renamed: Callable[[str], str]) -> Extension:
    """Return an extension of a format whose references to files are replaced by a function; others as they are."""
    if extension.format != format or not (extension.tag == "asset" or "_map" in extension.text):
        return extension
    root = parse(extension.text, "", Report())
    if root is None:
        return extension
    data = root.document.data
    for name, start, stop in sorted(_references(format, root), key=lambda row: -row[1]):  # from the end to the start
        if (new := renamed(name)) != name:
            value = attributes_text({"a": new}).removeprefix('a="').removesuffix('"')
            data = data[:start] + value.encode() + data[stop:]
    return replace(extension, text=data.decode())


def _references(format: str, root: Element) -> Iterator[tuple[str, int, int]]:
    """Yield each reference with its first byte and the byte after it."""
    for element in root.walk():
        if format == "mjcf" and root.tag == "asset":
            spans = attribute_spans(element).items()
            yield from ((element.attributes[key], span[1], span[2]) for key, span in spans if key.startswith("file"))
        elif format == "sdf" and element.tag.endswith("_map") and element.text.strip():
            yield element.text.strip(), element.tag_stop, element.end
