"""Every limit of every reader: what is at the limit is read, one more is refused, and neither costs much."""

import shutil
import time
from dataclasses import replace
from xml.parsers import expat

import pytest

import bounds
import kinetree as kt
from each import each
from floods import FLOODS
from kinetree.errors import MAX_MESSAGE, Finding, nearest_names
from kinetree.files import opener, packages
from kinetree.formats import ets, srdf, urdf
from kinetree.formats.dh import rows, values
from kinetree.formats.mjcf import read as read_mjcf
from kinetree.formats.xacro import files as yaml_files
from kinetree.formats.xacro.budget import Budget
from kinetree.model import assemble, semantic_groups
from kinetree.syntax import text
from kinetree.syntax.xml import document as xml_document, encoding as xml_encoding, reader as xml
from kinetree.syntax.xml.document import Document
from kinetree.syntax.xml.reader import Report, parse
from kinetree.syntax.xml.writer import XmlWriter
from support import at_length

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

    def test_bytes_of_includes_count_together(self, monkeypatch):
        monkeypatch.setattr(xml, "MAX_BYTES", 100)
        report = Report()
        assert parse(f"<a>{'x' * 43}</a>", "a.xml", report) is not None
        assert parse(f"<a>{'x' * 43}</a>", "b.xml", report) is not None
        assert parse("<a/>", "c.xml", report) is None
        assert "104 bytes, includes counted" in report.findings[0].message

    def test_bytes_are_counted_in_utf8_too(self, monkeypatch):
        monkeypatch.setattr(xml, "MAX_BYTES", 100)
        head = '<?xml version="1.0" encoding="latin1"?><a>'
        assert said((head + "é" * 27 + "</a>").encode("latin1")) == []  # the declaration becomes shorter
        assert said((head + "é" * 28 + "</a>").encode("latin1")) == ["xml-size"]

    def test_a_long_tag_is_refused_at_its_place(self):
        report = Report()
        assert parse(f'<a>\n<b x="{"y" * xml.MAX_TAG}"/></a>', "a.xml", report) is None
        assert (report.findings[0].source.line, report.findings[0].source.column) == (2, 1)

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

    @each("severity", ["error", "warning", "info"])
    def test_findings(self, severity):
        report = Report()
        root = parse("<a/>", "a.xml", report)
        for i in range(xml.MAX_FINDINGS - 1):
            report.add(severity, "x", str(i), root)
        assert {finding.code for finding in report.findings} == {"x"}
        report.add(severity, "x", "the last", root)
        report.add(severity, "x", "one more", root)
        assert len(report.findings) == xml.MAX_FINDINGS
        assert report.findings[-1].code == "too-many"

    def test_depth_is_written_as_it_is_read(self):
        writer = XmlWriter()
        for _ in range(xml.MAX_DEPTH):
            writer.open("a")
        with pytest.raises(kt.KinetreeError, match="xml-depth"):
            writer.open("a")
        for _ in range(xml.MAX_DEPTH):
            writer.close()
        assert said(writer.text()) == []


class TestPlaces:
    """Line and column of every byte, in files of many blocks."""

    @each("letters", ["ab", "ab\n", "aé\n", "é\U0001d11e", "\n"])
    @each("length", [0, 1, 2047, 2048, 2049, 6144, 7000])
    def test_every_byte(self, letters, length):
        content = (letters * length)[:length]
        document = xml.Document(content.encode(), "f")
        byte, line, column = 0, 1, 1
        for i, letter in enumerate(content):
            if i % 97 == 0 or length - i < 5:
                source = document.source(byte)
                assert (source.line, source.column) == (line, column)
                assert document.byte(source) == byte
            byte += len(letter.encode())
            line, column = (line + 1, 1) if letter == "\n" else (line, column + 1)
        assert document.lines == line
        assert (document.source(byte).line, document.source(byte).column) == (line, column)


class TestEncodings:
    @each("name", sorted(xml_encoding.CODECS))
    def test_what_is_listed_is_read(self, name):
        head = f'<?xml version="1.0" encoding="{name.upper()}"?><robot name="r"><link name="l'
        robot, findings = urdf.read((head + '"/></robot>').encode(xml_encoding.CODECS[name]), "r.urdf")
        assert robot is not None, findings

    @each("name", ["iso-8859-15", "windows-1251", "gb18030", "shift_jis", "euc-kr", "big5"])
    def test_letters_are_those_of_the_encoding(self, name):
        letter = {"iso-8859-15": "€", "windows-1251": "ж", "euc-kr": "한"}.get(name, "中")
        head = f'<?xml version="1.0" encoding="{name}"?><robot name="r"><link name="{letter}"/></robot>'
        robot, findings = urdf.read(head.encode(name), "r.urdf")
        assert robot is not None, findings
        assert robot.root == letter

    @each("name", ["punycode", "idna", "utf-7", "rot13", "zlib_codec", "unicode_escape", "hz", "utf-32", "cp037", "x"])
    def test_another_is_read_as_utf8_with_those_that_are_known(self, name):
        start = time.process_time()
        report = Report()
        data = f'<?xml version="1.0" encoding="{name}"?><robot name="r">{"-é" * 500_000}</robot>'.encode()
        root = parse(data, "r.urdf", report)
        assert root is not None
        assert root.text == "-é" * 500_000
        assert time.process_time() - start < 1.0
        assert [finding.code for finding in report.findings] == ["xml-lenient"]
        assert "windows-1250 to 1258" in report.findings[0].message

    def test_the_place_of_a_bad_byte_is_that_in_the_file(self):
        bad = b"<a>" + "é".encode() * xml_encoding.CHUNK + b"\xff</a>"
        report = Report()
        root = parse(bad, "a.xml", report)
        assert root is not None
        assert root.text == "é" * xml_encoding.CHUNK + "ÿ"
        assert (report.findings[0].source.line, report.findings[0].source.column) == (1, xml_encoding.CHUNK + 4)
        assert "0xFF" in report.findings[0].message

    def test_a_letter_over_the_end_of_a_piece_is_whole(self):
        assert said(b"<a>x" + "é".encode() * xml_encoding.CHUNK + b"</a>") == []
        assert said(b"<a>" + "é".encode() * xml_encoding.CHUNK + b"\xc3</a>") == ["xml-lenient"]


class TestFindings:
    def test_a_message_is_cut(self):
        assert Finding("c", "error", "m" * MAX_MESSAGE).message == "m" * MAX_MESSAGE
        assert len(Finding("c", "error", "m" * (MAX_MESSAGE + 1)).message) == MAX_MESSAGE

    def test_many_long_names_are_compared_in_time(self):
        known = [f"{'ab' * 90}{i:06}" for i in range(500)]
        start = time.process_time()
        for i in range(100):
            nearest_names(f"{'ba' * 90}{i}", known)
        assert time.process_time() - start < 5.0
        assert "did you mean 'elbow'" in nearest_names("elbwo", [*known, "elbow"][-500:])

    def test_of_the_structure(self):
        def faults(n):
            joints = "".join(
                f'<joint name="j{i}" type="fixed"><parent link="l"/><child link="x"/></joint>' for i in range(n)
            )
            return [finding.code for finding in urdf.read(robot_of(joints), "r.urdf")[1]]

        assert faults(assemble.MAX_FAULTS - 1) == ["unknown-child"] * (assemble.MAX_FAULTS - 1)
        assert faults(assemble.MAX_FAULTS + 1) == ["unknown-child"] * assemble.MAX_FAULTS + ["too-many"]

    def test_a_large_ring_lists_its_first_names(self):
        def message(n):
            joints = "".join(
                f'<joint name="j{i}" type="continuous"><parent link="l"/><child link="c{i}"/><axis xyz="0 0 1"/>'
                f'<mimic joint="j{(i + 1) % n}"/></joint><link name="c{i}"/>'
                for i in range(n)
            )
            return urdf.read(robot_of(joints), "r.urdf")[1][0].message

        assert message(assemble.MAX_NAMES).endswith(f"-> j{assemble.MAX_NAMES - 1} -> j0")
        assert message(assemble.MAX_NAMES + 1).endswith("-> …")


class TestOthers:
    def test_groups_have_so_many_members(self, monkeypatch):
        robot = kt.load(robot_of('<link name="m"/>' + HINGE), format="urdf")
        group = '<group name="g{}"><joint name="j"/></group>'

        def codes(n):
            inner = "".join(group.format(i) for i in range(n))
            return [f.code for f in srdf.read_onto(robot, f'<robot name="r">{inner}</robot>', "r.srdf")[2]]

        monkeypatch.setattr(semantic_groups, "MAX_MEMBERS", 20)
        assert codes(20) == []
        assert codes(21)[0] == "srdf-size"

    def test_copies(self):
        def codes(count, inside="<body/>"):
            content = f'<mujoco><worldbody><replicate count="{count}">{inside}</replicate></worldbody></mujoco>'
            return {f.code for f in read_mjcf(content, "r.xml", opener.nothing)[1] if f.severity == "error"}

        each = 2  # <replicate count=…>, <body>: 3 parts, of which the first two are counted for each copy too
        limit = xml.MAX_PARTS // (each + 1)
        assert "xml-size" in codes(limit + 1)
        assert "xml-size" in codes(200, f"<body>{900 * '<site/>'}</body>")
        assert "xml-size" in codes(20_000, f'<body name="{"n" * 4000}"/>')
        assert codes(50) == set()

    def test_files(self, tmp_path):
        for size in (opener.MAX_FILE_BYTES, opener.MAX_FILE_BYTES + 1):
            with open(tmp_path / "large", "wb") as file:
                file.truncate(size)
            if size == opener.MAX_FILE_BYTES:
                assert len(opener.read_file(tmp_path / "large")) == size
            else:
                with pytest.raises(kt.KinetreeError, match="file-size"):
                    opener.read_file(tmp_path / "large")

    def test_package_xml(self, tmp_path):
        def found(size):
            folder = tmp_path / str(size)
            (folder / "urdf").mkdir(parents=True)
            start, stop = "<package><name>p</name><!--", "--></package>"
            (folder / "package.xml").write_text(start + "x" * (size - len(start) - len(stop)) + stop)
            return packages.Packages({}).package("p", folder / "urdf")

        assert found(packages.MAX_PACKAGE_XML) == tmp_path / str(packages.MAX_PACKAGE_XML)
        shutil.rmtree(tmp_path / str(packages.MAX_PACKAGE_XML))
        with pytest.raises(kt.KinetreeError, match="package"):
            found(packages.MAX_PACKAGE_XML + 1)

    def test_folders_looked_into(self, tmp_path, monkeypatch):
        monkeypatch.setattr(packages, "MAX_FOLDERS", 20)
        (tmp_path / "work" / "own" / "urdf").mkdir(parents=True)
        (tmp_path / "work" / "own" / "package.xml").write_text("<package><name>own</name></package>")

        def found(name):
            (tmp_path / "work" / name).mkdir()
            (tmp_path / "work" / name / "package.xml").write_text(f"<package><name>{name}</name></package>")
            return packages.Packages({}).package(name, tmp_path / "work" / "own" / "urdf").name

        for i in range(17):
            (tmp_path / "work" / f"a{i:02}").mkdir()
        assert found("p") == "p"  # the twentieth: their own folder, 17, `own` and this one
        with pytest.raises(kt.KinetreeError, match="cannot be found"):
            found("q")

    def test_texts(self):
        assert text.decode(b"x" * text.MAX_BYTES, "f")[1] == []
        assert [f.code for f in text.decode(b"x" * (text.MAX_BYTES + 1), "f")[1]] == ["file-size"]

    def test_findings_of_texts(self):
        report = text.TextReport("f", "line\n" * 10)
        for _ in range(text.MAX_FINDINGS + 1):
            report.warning("x", "m", 1)
        assert len(report.findings) == text.MAX_FINDINGS
        assert report.findings[-1].code == "too-many"

    def test_dots_of_a_key(self):
        def codes(dots):
            report = text.TextReport("f", "")
            text.read_toml("a." * dots + "a = 1", report)
            return [finding.code for finding in report.findings]

        assert codes(text.MAX_DOTS) == []
        assert codes(text.MAX_DOTS + 1) == ["toml-size"]
        assert codes(10 * text.MAX_DOTS) == ["toml-size"]

    def test_numbers_of_dh(self):
        assert values.parse_cell(values.MAX_INTEGER).value == 1e15
        assert values.parse_cell(values.MAX_INTEGER + 1) is None
        assert values.parse_cell("1".ljust(values.MAX_TEXT)).value == 1.0
        assert values.parse_cell("1".ljust(values.MAX_TEXT + 1)) is None

    def test_terms_of_ets(self):
        module = __import__("kinetree.formats.ets.read", fromlist=["MAX_NUMBER"])
        assert ets.read(f"tx({'1'.rjust(module.MAX_NUMBER, '0')})", "r.ets")[0] is not None
        assert ets.read(f"tx({'1'.rjust(module.MAX_NUMBER + 1, '0')})", "r.ets")[0] is None
        for n in (module.MAX_FINDINGS - 1, module.MAX_FINDINGS, module.MAX_FINDINGS + 1):
            assert len(ets.read("? " * n, "r.ets")[1]) == min(n, module.MAX_FINDINGS)

    def test_many_lines_have_the_places_of_few(self, monkeypatch):
        """Of a file with many lines only some are kept."""
        text = ("a\n\nbö\n" * 700 + "x" * 3000 + "\nö\r\n").encode()
        few = Document(text, "f")
        places = [few.source(byte) for byte in range(len(text) + 1)]
        monkeypatch.setattr(xml_document, "MOST_LINES", 0)
        many = Document(text, "f")
        assert [many.source(byte) for byte in range(len(text) + 1)] == places
        before = text[:2500].decode(errors="ignore")
        assert (places[2500].line, places[2500].column) == (before.count("\n") + 1, len(before.split("\n")[-1]) + 1)

    def test_yaml_of_xacro(self):
        pad = "#".ljust(yaml_files.MAX_YAML_BYTES - len("a: 1\n"), "x")
        assert yaml_files.read_yaml(f"a: 1\n{pad}".encode(), "f.yaml", (), Budget())["a"] == 1
        with pytest.raises(kt.KinetreeError, match="xacro-size"):
            yaml_files.read_yaml(f"a: 1\n{pad}x".encode(), "f.yaml", (), Budget())

    def test_files_of_a_wildcard(self, tmp_path, monkeypatch):
        monkeypatch.setattr(yaml_files, "MAX_FILES", 4)
        for i in range(3):
            (tmp_path / f"{i}.xacro").touch()
        pattern, anything = str(tmp_path / "*.xacro"), lambda _: None
        assert len(yaml_files.expand_pattern(pattern, anything, anything)) == 3
        (tmp_path / "3.xacro").touch()
        with pytest.raises(kt.KinetreeError, match="xacro-size"):
            yaml_files.expand_pattern(pattern, anything, anything)

    def test_rows_of_dh(self):
        assert rows.MAX_ROWS == 1000  # at the limit and above it in FLOODS


HINGE = '<joint name="j" type="continuous"><parent link="l"/><child link="m"/><axis xyz="0 0 1"/></joint>'
