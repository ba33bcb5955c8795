"""Bounds of readers that cost little to reach: of places, encodings, findings and small files.

tests/formats/test_limits_of_reading.py has those of large texts.
"""

import shutil

import pytest

import kinetree as kt
from each import each
from kinetree.errors import MAX_MESSAGE, Finding, Source
from kinetree.files import opener, packages
from kinetree.formats import ets, srdf, urdf
from kinetree.formats.dh import rows, values
from kinetree.formats.mjcf import read as read_mjcf
from kinetree.formats.xacro import files as yaml_files
from kinetree.model import assemble, semantic_groups
from kinetree.syntax import text
from kinetree.syntax.xml import document as xml_document, encoding as xml_encoding, reader as xml
from kinetree.syntax.xml.document import Document
from kinetree.syntax.xml.reader import Report, parse
from kinetree.syntax.xml.writer import XmlWriter


def said(text, **options):
    report = Report()
    root = parse(text, "file.xml", report, **options)
    assert (root is None) == report.failed
    return [finding.code for finding in report.findings]


def robot_of(body):
    return f'<robot name="r"><link name="l"/>{body}</robot>'


HINGE = '<joint name="j" type="continuous"><parent link="l"/><child link="m"/><axis xyz="0 0 1"/></joint>'


class TestXml:
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

    def test_long_tags_and_texts_in_small_pieces(self, monkeypatch):
        monkeypatch.setattr(xml, "CHUNK", 10)
        monkeypatch.setattr(xml, "MAX_TAG", 40)
        for length in range(60):
            tag = f'<b x="{"y" * length}"/>'
            assert said(f"<a>{tag}</a>") == ["xml-size"] * (length > 31), length
            for inside in ("<!--{}-->", "<?a {}?>", "<![CDATA[{}]]>", "{}"):
                assert said("<a>" + inside.format("x" * length) + "</a>") == []
            assert parse(f"<a>{'é' * length}</a>", "a.xml", Report()).text == "é" * length
        assert said('<a><b x="' + "y" * 30) == ["xml-syntax"]
        assert said('<a><b x="' + "y" * 30 + "<c/>" + "y" * 30 + "</a>") == ["xml-syntax"]

    def test_a_long_tag_is_refused_at_its_place(self, monkeypatch):
        monkeypatch.setattr(xml, "CHUNK", 10)
        monkeypatch.setattr(xml, "MAX_TAG", 40)
        report = Report()
        assert parse(f'<a>\n<b x="{"y" * 80}"/></a>', "a.xml", report) is None
        assert (report.findings[0].source.line, report.findings[0].source.column) == (2, 1)

    @each("severity", ["error", "warning", "info"])
    def test_findings(self, severity, monkeypatch):
        report = Report()
        root = parse("<a/>", "a.xml", report)
        monkeypatch.setattr(xml, "MAX_FINDINGS", 5)
        for i in range(xml.MAX_FINDINGS - 1):
            report.add(severity, "x", str(i), root)
        assert {finding.code for finding in report.findings} == {"x"}
        report.add(severity, "x", "the last", root)
        report.add(severity, "x", "one more", root)
        assert len(report.findings) == xml.MAX_FINDINGS
        assert (report.findings[-1].code, report.findings[-1].severity) == ("too-many", severity)
        assert report.findings[-1].message == f"this is the 5th {severity}; the rest is left out"
        left = len(report.findings)
        report.downgrade(0, "it is left out", root)  # one warning in the place of all errors, none in that of others
        assert len(report.findings) == (1 if severity == "error" else left)

    @each("others", [0, 1, 3])
    def test_warnings_in_the_place_of_errors_count_as_warnings(self, others, monkeypatch):
        monkeypatch.setattr(xml, "MAX_FINDINGS", 5)
        report = Report()
        root = parse("<a/>", "a.xml", report)
        for _ in range(others):
            report.warning("x", "before", root)
        for _ in range(8):
            first = len(report.findings)
            report.error("x", "one", root)
            report.error("x", "two", root)
            report.downgrade(first, "it is left out", root)
        report.warning("x", "behind", root)
        assert [finding.code for finding in report.findings] == ["x"] * others + ["left-out"] * (5 - others)
        report.error("x", "an error", root)  # which is not one too many
        assert report.findings[-1].code == "x"

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
    """Line and column of every byte, in files of many blocks, and what is shown of a line."""

    @each("letters", ["ab", "ab\n", "aé\n", "é\U0001d11e", "\n", "a\n\nbö\n"])
    @each("length", [0, 1, 7, 8, 9, 24, 35])
    @each("most", [xml_document.MOST_LINES, 0])
    def test_every_byte(self, letters, length, most):
        content = (letters * length)[:length]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(xml_document, "BLOCK", 8)
            patch.setattr(xml_document, "MOST_LINES", most)
            document = Document(content.encode(), "f")
            byte, line, column = 0, 1, 1
            for letter in content:
                source = document.source(byte)
                assert (source.line, source.column) == (line, column)
                assert document.byte(source) == byte
                byte += len(letter.encode())
                line, column = (line + 1, 1) if letter == "\n" else (line, column + 1)
            assert document.lines == line
            assert (document.source(byte).line, document.source(byte).column) == (line, column)

    def test_as_many_lines_as_are_kept(self, monkeypatch):
        monkeypatch.setattr(xml_document, "MOST_LINES", 2)
        assert [Document(b"\n" * n, "f")._lines is None for n in (2, 3)] == [False, True]

    def test_what_is_shown_of_a_line(self, monkeypatch):
        monkeypatch.setattr(xml_document, "AROUND", 10)
        document = Document(b'<a>\n  <bc d="1" e=\'2\'/>\n0123456789<long  f="3456789"/>', "f")
        shown = [
            *(document.excerpt(*span) for span in ((0, 3), (0, 30), (6, 7), (10, 11), (42, 43), (50, 51), (27, 28))),
            *(
                document.excerpt_at(Source("f", *place))
                for place in ((1, 1), (2, 3), (2, 10), (2, 16), (2, 7), (3, 11))
            ),
        ]
        assert shown == SHOWN
        assert [document.shown_end(byte) for byte in (0, 1, 6, 34, 35, 45, 50)] == [3, 11, 16, 44, 45, 46, 51]


SHOWN = [
    *("<a>\n~~^", "<a>\n~~^", '<bc d="1"\n~^', '<bc d="1" e=\'2\n    ~^', '89<long  f="3456789"\n          ~^'),
    *('f="3456789"/>\n         ~^', "0123456789<lo\n   ~^", "<a>\n~~^", '<bc d="1"\n~~~~~~~~~^'),
    *("<bc d=\"1\" e='2'/>\n       ~^", "d=\"1\" e='2'/>\n         ~^", '<bc d="1" e=\'2\n    ~~~~~~~~~^'),
    '0123456789<long  f="\n          ~~~~~~~~~^',
]


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

    def test_the_place_of_a_bad_byte_is_that_in_the_file(self, monkeypatch):
        monkeypatch.setattr(xml_encoding, "CHUNK", 20)
        bad = b"<a>" + "é".encode() * xml_encoding.CHUNK + b"\xff</a>"
        report = Report()
        root = parse(bad, "a.xml", report)
        assert root is not None
        assert root.text == "é" * xml_encoding.CHUNK + "ÿ"
        assert (report.findings[0].source.line, report.findings[0].source.column) == (1, xml_encoding.CHUNK + 4)
        assert "0xFF" in report.findings[0].message


class TestFindings:
    def test_a_message_is_cut(self):
        assert Finding("c", "error", "m" * MAX_MESSAGE).message == "m" * MAX_MESSAGE
        assert len(Finding("c", "error", "m" * (MAX_MESSAGE + 1)).message) == MAX_MESSAGE

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

    def test_package_xml(self, tmp_path):
        def found(size):
            folder = tmp_path / str(size)
            (folder / "urdf").mkdir(parents=True)
            start, stop = "<package><name>of_some_size</name><!--", "--></package>"
            (folder / "package.xml").write_text(start + "x" * (size - len(start) - len(stop)) + stop)
            return packages.Packages({}).package("of_some_size", folder / "urdf")

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
