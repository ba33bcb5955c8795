"""Every limit of every reader: what is at the limit is read, one more is refused, and neither costs much."""

from dataclasses import replace
from xml.parsers import expat

import pytest

import bounds
import kinetree as kt
from each import each
from floods import FLOODS
from kinetree.errors import nearest_names
from kinetree.files import opener
from kinetree.formats import urdf
from kinetree.formats.xacro import files as yaml_files
from kinetree.formats.xacro.budget import Budget
from kinetree.model import assemble
from kinetree.syntax import text
from kinetree.syntax.xml import encoding as xml_encoding, reader as xml
from kinetree.syntax.xml.reader import Report, parse
from support import at_length, soon

pytestmark = pytest.mark.slow


def reader_of(flood):
    return flood.name.partition(":")[0]


def unit_of(flood):
    """What the size of a flood counts."""
    return "elements" if flood.limit == xml.MAX_PARTS else "bytes" if flood.limit > 1_000_000 else "others"


SQUARE = ("urdf: coupled limits",)
"""Floods whose robot has a matrix that grows with the square."""
ENCODED = ("xml: UTF-16", "xml: GB18030", "xml: Shift_JIS", "xml: windows-1252", "xml: ISO-8859-1")
SCANNED_AGAIN = ("xml: one comment", "xml: a tag of attributes", *ENCODED)
"""Floods of one comment or tag: Expat before 2.6 scans it again with each megabyte (CVE-2023-52425), so that time goes
with the square. They still stay below the seconds that were promised.
"""
UNBOUND = SQUARE + SCANNED_AGAIN if expat.version_info < (2, 6) else SQUARE
FACTOR = 8
"""A large text is so many times as large as the small one that it is compared with."""
CLASSES = {
    (name, kind): [flood for flood in FLOODS if (reader_of(flood), unit_of(flood)) == (name, kind)]
    for name, kind in dict.fromkeys((reader_of(flood), unit_of(flood)) for flood in FLOODS)
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("floods", CLASSES.values(), ids=map(" ".join, CLASSES))
def test_no_reader_takes_more_than_was_promised_or_grows_faster_than_n_log_n(floods):
    """Every flood of a reader, in one process: an eighth of it, the whole, and one above the limit.

    A time is the least of up to five, as other programs only ever add to it.
    """
    best = {}
    for _ in range(5):
        texts = [(flood, size) for flood in floods for size in sizes_of(flood)]
        for (flood, size), cost in zip(texts, bounds.costs_of(texts), strict=True):
            earlier = best.get((flood, size), cost)
            best[flood, size] = replace(cost, seconds=min(cost.seconds, earlier.seconds))
        floods = [flood for flood in floods if grows(best, flood)]
        if not floods or any(cost.seconds > bounds.SECONDS for cost in best.values()):
            break
    assert not [(flood.name, *(best[flood, size] for size in sizes_of(flood))) for flood in floods]
    for (flood, size), cost in best.items():
        assert not cost.result.startswith(("crashed", "neither", "stopped")), (flood.name, cost)
        assert cost.memory <= bounds.MEMORY, (flood.name, cost)
        assert cost.seconds <= bounds.SECONDS, (flood.name, cost)
        if flood.above:
            assert (cost.result == flood.above) == (size > flood.limit), (flood.name, cost)


def sizes_of(flood):
    top = flood.limit if flood.above else flood.limit // at_length(4, 1)
    return [max(2, top // FACTOR), top, *([top + 1] if flood.above else [])]


@pytest.mark.parametrize("flood", [flood for flood in FLOODS if flood.name not in SQUARE], ids=lambda flood: flood.name)
def test_a_text_of_eight_times_the_size_has_eight_times_the_elements(flood):
    """Else growth with the size says nothing about growth with what is in the text."""
    small, large, *_ = (b"".join(flood.make(size).values()) for size in sizes_of(flood))
    assert len(large) < 9 * len(small)
    assert large.count(b"<") <= 9 * small.count(b"<")


def grows(best, flood):
    """Whether the large text took more than 12 times as long as the small one; n log n takes 9.4 times.

    Half a second is left for other programs and a cold cache: growth with the square takes 64 times as long.
    """
    small, large, *_ = (best[flood, size].seconds for size in sizes_of(flood))
    return flood.name not in UNBOUND and large > 1.5 * FACTOR * small + 0.5


def said(text, **options):
    report = Report()
    root = parse(text, "file.xml", report, **options)
    assert (root is None) == report.failed
    return [finding.code for finding in report.findings]


def robot_of(body):
    return f'<robot name="r"><link name="l"/>{body}</robot>'


class TestXml:
    def test_elements_and_attributes_of_includes_count_together(self):
        half = "<a>" + "<b c=''/>" * (xml.MAX_PARTS // 4) + "</a>"
        report = Report()
        assert parse(half, "a.xml", report) is not None
        assert parse(half.replace("<b c=''/>", "", 1), "b.xml", report) is not None
        assert report.parts == xml.MAX_PARTS
        assert parse("<a/>", "c.xml", report) is None
        assert [finding.code for finding in report.findings] == ["xml-size"]

    def test_a_tag_that_never_ends_is_no_long_tag(self):
        assert said('<a><b x="' + "y" * 3_000_000) == ["xml-syntax"]
        assert said('<a><b x="' + "y" * 3_000_000 + "<c/>" + "y" * 3_000_000 + "</a>") == ["xml-syntax"]

    def test_what_is_long_but_no_tag_is_read(self):
        for inside in ("<!--{}-->", "<?a {}?>", "<![CDATA[{}]]>", "{}"):
            assert said("<a>" + inside.format("x" * (xml.MAX_TAG + xml.CHUNK)) + "</a>") == []

    def test_text_in_many_pieces_is_whole(self):
        root = parse("<a>1 <b/>2<!-- --> 3<b/> 4&#53;<![CDATA[6]]></a>", "a.xml", Report())
        assert root.text == "1 2 3 456"
        long = "0123456789" * 500_000
        assert parse(f"<a>{long}</a>", "a.xml", Report()).text == long


class TestEncodings:
    @each("name", ["punycode", "idna", "utf-7", "rot13", "zlib_codec", "unicode_escape", "hz", "utf-32", "cp037", "x"])
    def test_another_is_read_as_utf8_with_those_that_are_known(self, name):
        data = f'<?xml version="1.0" encoding="{name}"?><robot name="r">{"-é" * 500_000}</robot>'.encode()

        def read():
            report = Report()
            return parse(data, "r.urdf", report), report

        root, report = soon(1.0, read)
        assert root is not None
        assert root.text == "-é" * 500_000
        assert [finding.code for finding in report.findings] == ["xml-lenient"]
        assert "windows-1250 to 1258" in report.findings[0].message

    def test_a_letter_over_the_end_of_a_piece_is_whole(self):
        assert said(b"<a>x" + "é".encode() * xml_encoding.CHUNK + b"</a>") == []
        assert said(b"<a>" + "é".encode() * xml_encoding.CHUNK + b"\xc3</a>") == ["xml-lenient"]


class TestFindings:
    @pytest.mark.nightly
    def test_many_long_names_are_compared_in_time(self):
        known = [f"{'ab' * 90}{i:06}" for i in range(500)]
        soon(5.0, lambda: [nearest_names(f"{'ba' * 90}{i}", known) for i in range(100)])
        assert "did you mean 'elbow'" in nearest_names("elbwo", [*known, "elbow"][-500:])

    def test_of_the_structure(self):
        def faults(n):
            joints = "".join(
                f'<joint name="j{i}" type="fixed"><parent link="l"/><child link="x"/></joint>' for i in range(n)
            )
            return [finding.code for finding in urdf.read(robot_of(joints), "r.urdf")[1]]

        assert faults(assemble.MAX_FAULTS - 1) == ["unknown-child"] * (assemble.MAX_FAULTS - 1)
        assert faults(assemble.MAX_FAULTS + 1) == ["unknown-child"] * assemble.MAX_FAULTS + ["too-many"]


class TestOthers:
    def test_files(self, tmp_path):
        for size in (opener.MAX_FILE_BYTES, opener.MAX_FILE_BYTES + 1):
            with open(tmp_path / "large", "wb") as file:
                file.truncate(size)
            if size == opener.MAX_FILE_BYTES:
                assert len(opener.read_file(tmp_path / "large")) == size
            else:
                with pytest.raises(kt.KinetreeError, match="file-size"):
                    opener.read_file(tmp_path / "large")

    def test_texts(self):
        assert text.decode(b"x" * text.MAX_BYTES, "f")[1] == []
        assert [f.code for f in text.decode(b"x" * (text.MAX_BYTES + 1), "f")[1]] == ["file-size"]

    def test_yaml_of_xacro(self):
        pad = "#".ljust(yaml_files.MAX_YAML_BYTES - len("a: 1\n"), "x")
        assert yaml_files.read_yaml(f"a: 1\n{pad}".encode(), "f.yaml", (), Budget())["a"] == 1
        with pytest.raises(kt.KinetreeError, match="xacro-size"):
            yaml_files.read_yaml(f"a: 1\n{pad}x".encode(), "f.yaml", (), Budget())


HINGE = '<joint name="j" type="continuous"><parent link="l"/><child link="m"/><axis xyz="0 0 1"/></joint>'
