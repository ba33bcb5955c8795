"""XML as elements that know their place. The only module that parses XML.

Expat gives the byte of every tag, from which each element computes its line and column; the text is kept, so an element
can be written back unchanged, comments included. Document types and entities are refused before they are read.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NamedTuple
from xml.parsers import expat

from kinetree.errors import SEVERITIES, Finding, Severity, Source
from kinetree.syntax.plain_words import plain_words
from kinetree.syntax.xml.document import DerivedText as DerivedText, Document as Document, tag_end
from kinetree.syntax.xml.element import Element as Element, Span as Span, attribute_spans as attribute_spans, spaces_in
from kinetree.syntax.xml.encoding import to_utf8
from kinetree.syntax.xml.lenient import Change, Places, changes_of, well_formed

MAX_BYTES = 64_000_000
"""Most bytes of one reading: of a file and of all that it includes."""
MAX_PARTS = 100_000
"""Most elements and attributes of one reading, together. The largest known robots have 9,000."""
MAX_COMMENTS = 100_000
MAX_DEPTH = 200
MAX_ATTRIBUTES = 1000
"""Most attributes of one element."""
MAX_TAG = 4_000_000
"""Most bytes of one start tag: the parser uses some hundred bytes for each attribute before it returns them."""
MAX_FINDINGS = 10_000
"""Most findings of each severity."""
CHUNK = 1_000_000
"""Bytes that are parsed at a time."""
MAX_JOINED = 5
"""Most errors that the warning of an element that is left out lists."""
REMEMBERED = 1_000_000
"""Most bytes of a text whose elements are kept: they take some thirty times as many."""

About = tuple[Finding, Element, Element | None, str | None]
"""An error with its element, the owner of that and its attribute, if they are known."""


class Report:
    """Findings of one reading, in the order in which they are found."""

    def __init__(self, cut: "Callable[[Element, Report], None] | None" = None) -> None:
        self.cut = cut  # what takes parts out of every document that is parsed
        self.findings: list[Finding] = []
        self.about: dict[int, About] = {}  # of each error, by the identity of its finding
        self.count: dict[Severity, int] = dict.fromkeys(SEVERITIES, 0)
        self.bytes = 0  # parsed bytes, with those of includes
        self.parts = 0  # elements and attributes of these
        self._spans: tuple[Element | None, dict[str, Span]] = (None, {})  # of the element looked up last

    @property
    def failed(self) -> bool:
        return any(f.severity == "error" for f in self.findings)

    def add(
        self,
        severity: Severity,
        code: str,
        message: str,
        element: Element,
        *,
        attribute: str | None = None,
        owner: Element | None = None,
        fix: str | None = None,
    ) -> None:
        """Note a finding at `element`, with `attribute` or the tag underlined; messages name `owner`.

        Beyond MAX_FINDINGS of a severity, the last says that the others are left out.
        """
        self.count[severity] += 1
        if self.count[severity] > MAX_FINDINGS:
            return
        if self.count[severity] == MAX_FINDINGS:
            code, message = "too-many", f"this is the {MAX_FINDINGS}th {severity}; the rest is left out"
        written = element.holder(attribute) if attribute else element
        start, stop = self._span(written, attribute)
        document = written.document
        excerpt = document.excerpt(start, stop)
        finding = Finding(code, severity, message, document.source(start), (owner or element).label, fix, excerpt)
        self.findings.append(finding)
        if severity == "error":
            self.about[id(finding)] = finding, element, owner, attribute

    def _span(self, element: Element, attribute: str | None) -> tuple[int, int]:
        """Return the bytes of an attribute's value, or of the start tag as far as it is shown."""
        if attribute is not None:
            if self._spans[0] is not element:
                self._spans = (element, attribute_spans(element))
            if found := self._spans[1].get(attribute):
                _, start, stop, _ = found
                return start, max(stop, start + 1)
        return element.start, element.document.shown_end(element.start)

    def error(self, code: str, message: str, element: Element, **more: str | Element | None) -> None:
        self.add("error", code, message, element, **more)  # type: ignore[arg-type]

    def warning(self, code: str, message: str, element: Element, **more: str | Element | None) -> None:
        self.add("warning", code, message, element, **more)  # type: ignore[arg-type]

    def downgrade(self, first: int, consequence: str, owner: Element) -> None:
        """Replace the errors from an index on by one warning at the first, which names `owner` and ends with the
        consequence.

        The code is "left-out", but for what xacro has left, by which `kinetree.load` recognises xacro.
        """
        later, self.findings = self.findings[first:], self.findings[:first]
        errors = [finding for finding in later if finding.severity == "error"]
        for finding in errors:
            self.about.pop(id(finding), None)
        self.count["error"] -= len(errors)
        joined = {id(finding) for finding in errors[1:]}
        for finding in later:
            if id(finding) in joined:
                continue
            if finding.severity == "error":
                code = next((e.code for e in errors if e.code == "left-over-xacro"), "left-out")
                said = [*dict.fromkeys(e.message for e in errors)][:MAX_JOINED]
                message = "; ".join([*said, consequence])
                finding = replace(finding, severity="warning", code=code, message=message, element=owner.label)
                self.count["warning"] += 1
                if self.count["warning"] > MAX_FINDINGS:
                    continue
            self.findings.append(finding)

    def place(self, findings: Iterable[Finding], document: Document) -> None:
        """Add findings that were made without the file, with the tag at their place underlined."""
        for finding in findings:
            source = finding.source
            within = source and (source.made or source).file == document.file
            if source and within and source.line and not finding.excerpt:
                finding = replace(finding, excerpt=document.excerpt_at(source))
            self.findings.append(finding)


class _RefusedError(Exception):
    """Error that stops the parser at something that is never read, such as a document type."""

    byte = 0

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class _Fault(NamedTuple):
    """Fault that expat finds: its words, and the byte."""

    words: str
    byte: int


def parse(
    text: bytes | str | DerivedText, file: str, report: Report, *, comments: bool = False, strict: bool = False
) -> Element | None:
    """Return the root element of an XML text, or None with an error in `report`.

    comments: whether to keep comments. strict: whether to refuse all that XML forbids, but wrong encodings; otherwise
    what tinyxml2 takes is read, with warnings (see `kinetree.syntax.xml.lenient`).
    """
    text, origins = (text.text, text.origins) if isinstance(text, DerivedText) else (text, ())
    try:
        data, doubts = to_utf8(text) if len(text) <= MAX_BYTES else (b"", [])
    except UnicodeError as error:
        said = f"the text cannot be decoded: {plain_words(error)}"
        report.findings.append(Finding("xml-encoding", "error", said, Source(file)))
        return None
    is_included = report.bytes > 0
    report.bytes += max(len(text), len(data))
    if report.bytes > MAX_BYTES:
        message = f"{report.bytes} bytes, includes counted; at most {MAX_BYTES} are read"
        report.findings.append(Finding("xml-size", "error", message, Source(file)))
        return None
    document = Document(data, file, origins)
    try:
        root, fault = _build(document, data, report, comments)
        if fault is not None and not strict:
            root, fault = _build_leniently(document, report, comments, root, fault)
    except _RefusedError as error:
        _refuse(report, document, error.code, str(error), error.byte)
        return None
    if root is None or (strict and fault is not None):
        assert fault is not None
        words = f"this is not well-formed XML: {fault.words}" if data.strip() else "the file is empty"
        _refuse(report, document, "xml-syntax", "; it has ".join([words, *(what for _, what in doubts)]), fault.byte)
        return None
    for byte, what in doubts:
        letter = data[byte : byte + 4].decode(errors="ignore")[:1].encode()
        stop, fix = byte + len(letter), "save the file as UTF-8, and declare this or nothing"
        _lenient(report, document, f"{what}; xacro refuses the file" if strict else what, byte, stop, fix)
    if origins:
        document.starts = [element.start for element in root.walk()]
    if data.find(b"xmlns:", 0 if is_included else root.tag_stop) >= 0:
        document.spaces = spaces_in(root, is_included)
    if report.cut:
        report.cut(root, report)
    return root


def strict_text(root: Element) -> str:
    """Return the text of a document that was read leniently, changed as little as XML needs, up to the root's end."""
    data = root.document.data[: root.stop]
    return (well_formed(data, changes_of(data)) if root.document.lenient else data).decode()


_latest: list[Element] = []
"""The root that a reader remembered last."""


def remember(root: Element) -> None:
    """Keep a document for `parsed`, until the next one, unless it is large."""
    _latest[:] = [root] if len(root.document.data) <= REMEMBERED else []


def parsed(text: DerivedText, file: str) -> Element | None:
    """Return the root of a text that was parsed before, as `parse` does; at no cost if it is remembered."""
    data = text.text.encode()
    for root in _latest:
        document = root.document
        if document.file == file and document.data == data and document.origins == text.origins:
            return root
    return parse(text, file, Report())


def unparsed(text: bytes, file: str) -> Document:
    """Return a file as a document without parsing it. Raises UnicodeError for its encoding."""
    return Document(to_utf8(text)[0], file)


def _refuse(report: Report, document: Document, code: str, message: str, byte: int) -> None:
    markup = b"<" in document.data[: byte + 1]  # no line is shown of a text that is not XML, such as a secret
    excerpt = document.excerpt(byte, byte + 1) if markup else None
    report.findings.append(Finding(code, "error", message, document.source(byte), excerpt=excerpt))


HANDLERS = (
    *("StartElementHandler", "EndElementHandler", "CharacterDataHandler"),
    *("CommentHandler", "StartDoctypeDeclHandler", "EntityDeclHandler"),
)


def _check_comments(data: bytes) -> None:
    """Refuse a text with so many comments that they would fill the memory."""
    if len(data) > MAX_COMMENTS * len("<!---->") and (count := data.count(b"<!--")) > MAX_COMMENTS:
        raise _RefusedError("xml-size", f"{count} comments; at most {MAX_COMMENTS} are read")


def _build_leniently(
    document: Document, report: Report, comments: bool, root: Element | None, fault: _Fault
) -> tuple[Element | None, _Fault | None]:
    """Return the root element of a text that expat has refused, or None and the fault that remains.

    root, fault: what the first attempt has returned.
    """
    changes = changes_of(document.data)
    if changes:
        document.comments.clear()
        places = Places(changes)
        try:
            root, left = _build(document, well_formed(document.data, changes), report, comments)
        except _RefusedError as error:
            error.byte = places(error.byte)
            raise
        if left is not None:
            fault = left._replace(byte=places(left.byte))
        if root is None:
            return None, fault
        document.lenient = True
        document.comments = {places(byte): text for byte, text in document.comments.items()}
        for element in root.walk():
            element.start, element.end = places(element.start), places(element.end)
        _warn_of(report, document, changes)
        if left is None:
            return root, None
    if root is not None:
        byte = fault.byte - document.data.startswith(b"</", fault.byte - 1)  # expat is at the "/"
        message = f"what follows the end of <{root.tag}> is not read: XML allows one root element"
        fix = "remove it, or the end tag that comes too early"
        _lenient(report, document, message, byte, document.shown_end(byte), fix)
    return root, fault


def _warn_of(report: Report, document: Document, changes: list[Change]) -> None:
    """Note what had to change for XML to allow the text: each kind once, at its first place."""
    first: dict[str, Change] = {}
    counts = Counter(what for *_, what in changes)
    for change in changes:
        first.setdefault(change[3], change)
    for what, (start, stop, _, _) in first.items():
        times = f", {counts[what]} times" if counts[what] > 1 else ""
        _lenient(report, document, f"{what}{times}: XML forbids it", start, stop, "correct it; others refuse the file")


def _lenient(report: Report, document: Document, what: str, start: int, stop: int, fix: str) -> None:
    message = f"{what}; it is read as tinyxml2 does, the parser of urdfdom, sdformat and MuJoCo"
    excerpt = document.excerpt(start, max(stop, start + 1))
    report.findings.append(Finding("xml-lenient", "warning", message, document.source(start), fix=fix, excerpt=excerpt))


def _build(document: Document, data: bytes, report: Report, comments: bool) -> tuple[Element | None, _Fault | None]:
    """Return the root element, built by handlers of a parser, and what expat refuses.

    data: the text of the document, or what it is changed to. Without a fault there is a root; with one, only if the
    root ends before it.
    """
    parser = expat.ParserCreate("utf-8")
    roots: list[Element] = []
    stack = [Element("", {}, document, 0)]
    stack[0].children = roots
    texts: dict[Element, list[str]] = {}  # of elements with several: adding to a text takes the square of their number
    parts = report.parts

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal parts
        element = Element(tag, attributes, document, parser.CurrentByteIndex)
        stack[-1].children.append(element)
        stack.append(element)
        count = len(attributes)
        parts += count + 1
        if count > MAX_ATTRIBUTES or parts > MAX_PARTS or len(stack) > MAX_DEPTH + 1:
            raise _too_many(count, parts)

    def end(_tag: str) -> None:
        stack.pop().end = parser.CurrentByteIndex

    def characters(text: str) -> None:
        if not text.isspace():
            element = stack[-1]
            if element.text:
                texts.setdefault(element, [element.text]).append(text)
            else:
                element.text = text

    def doctype(*_: object) -> None:
        raise _RefusedError("xml-doctype", "document types (<!DOCTYPE …>) and entities are not accepted; remove them")

    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    parser.StartDoctypeDeclHandler = doctype
    parser.EntityDeclHandler = doctype
    if comments:
        parser.CommentHandler = lambda text: document.comments.update({parser.CurrentByteIndex: text})
    fault = _feed(parser, data)
    if fault is not None and (len(stack) > 1 or not roots):
        return None, fault
    for element, pieces in texts.items():
        element.text = "".join(pieces)
    report.parts = parts
    return roots[0], fault


def _too_many(attributes: int, parts: int) -> _RefusedError:
    """Return the error of an element that exceeds one of the limits."""
    if parts > MAX_PARTS:
        message = f"more than {MAX_PARTS} elements and attributes, includes counted, the most that are read"
        return _RefusedError("xml-size", message)
    if attributes > MAX_ATTRIBUTES:
        return _RefusedError("xml-size", f"{attributes} attributes; at most {MAX_ATTRIBUTES} are read")
    return _RefusedError("xml-depth", f"elements nested more than {MAX_DEPTH} deep")


def _feed(parser: expat.XMLParserType, data: bytes) -> _Fault | None:
    """Parse a text, take the handlers away, and return what expat refuses."""
    try:
        _check_comments(data)
        _feed_pieces(parser, data)
    except expat.ExpatError as error:
        return _Fault(expat.ErrorString(error.code), min(max(parser.ErrorByteIndex, 0), len(data)))
    except _RefusedError as error:
        error.byte = max(parser.CurrentByteIndex, 0)
        raise
    finally:
        for handler in HANDLERS:  # they refer to the parser, which refers to them
            setattr(parser, handler, None)
    return None


def _feed_pieces(parser: expat.XMLParserType, data: bytes) -> None:
    """Parse a text in pieces, to refuse a tag that is too long before its attributes are parsed."""
    for stop in range(CHUNK, len(data), CHUNK):
        parser.Parse(data[stop - CHUNK : stop], False)
        tag = parser.CurrentByteIndex  # of a tag that has begun, but not ended
        if _START.match(data, tag) and _is_too_long(data, tag):
            raise _RefusedError("xml-size", f"a tag of more than {MAX_TAG} bytes")
    parser.Parse(data[max(0, len(data) - 1) // CHUNK * CHUNK :], True)


def _is_too_long(data: bytes, tag: int) -> bool:
    """Return whether a start tag has more than MAX_TAG bytes; if it contains "<", the parser reports that instead."""
    stop = tag + MAX_TAG
    return stop < len(data) and tag_end(data, tag, stop) == tag + 1 and data.find(b"<", tag + 1, stop) < 0


_START = re.compile(rb"<[^!?/]")
