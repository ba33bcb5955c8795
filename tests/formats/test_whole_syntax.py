"""XML, TOML, YAML, tables and numbers as values with their places, in full; and all words and bounds of the readers."""

# ruff: noqa: E501

from pathlib import Path

import pytest

from kinetree.errors import KinetreeError, Source
from kinetree.syntax import numbers
from kinetree.syntax.table import Most, cells_of, is_number, quoted, read_table, separator_of
from kinetree.syntax.text import TextReport, decode, read_toml
from kinetree.syntax.toml import Places
from kinetree.syntax.xml.reader import DerivedText, Report, parse, parsed, remember, strict_text, unparsed
from kinetree.syntax.xml.writer import XmlWriter, attributes_text, element_text
from kinetree.syntax.yaml import read_yaml_values


def in_full(things) -> str:
    """Return a line for each, with the lines of the file that findings underline."""
    return "".join(f"{one}\n" for one in things)


TABLES = {
    "commas": b'time,  a ,"b, c"\n0,1,2\n\n# a comment\n1, 2 ,"3" # more\n,,\n',
    "semicolons": "\ufeffsep=;\ntime;a,b;\tc\n0,5;1;−2\n".encode(),
    "tabs": "time\ta\n1\t2\n".encode("utf-16"),
    "latin": "zeit;größe\n1;2\n".encode("latin-1"),
    "names in a comment": b"# made by me\n# time, a, b\n0, 1, 2\n3, 4, 5\n",
    "names in a comment without the first": b"#, a\n1, 2\n",
    "names that are numbers": b"1, 2\n3, 4\n",
    "a name that may be a number": b"known, 7\n3, 4\n",
    "no names": b"0, 1\n2, 3\n",
    "no names but a comment": b"# a\n0, 1\n",
    "nothing": b" \n\t,;\n# names, only\n",
    "lines in quotes": b'"a\nb", c # "x\n1, "2\n3"\n4, 5\n',
    "an open quote": b'a, "b\n1, 2\n',
    "text behind quotes": b'a, b\n"1"x, 2\n',
    "a zero byte": b"a, b\n1, \x00\n",
    "half a letter": b"\xff\xfea\x00\n\x00b",
    "carriage returns": b"a, b\r1, 2\r\n3, 4\r\n",
    "too many columns": b"a, b, c, d, e, f\n",
    "too many rows": b"a\nb\nc\nd\ne\nf\n",
    "too many bytes": b"a, b\n" + b"1, 2\n" * 40,
    "as many as may be": b"a, b, c, d, e\n1\n2\n3\n4\n",
    "wide blanks": "a,\u00a0b\u00a0\n\u00a01, 2\n".encode(),
}


def table(content: bytes) -> str:
    try:
        names, rows = read_table(content, Path("t.csv"), "time, a", "moment", Most(200, 4, 5), ("7",))
    except KinetreeError as error:
        return in_full(error.findings)
    return in_full([names, *rows])


def test_tables(golden):
    golden("syntax_tables.txt", "\n".join(f"# {name}\n{table(content)}" for name, content in TABLES.items()))


def test_cells():
    assert [separator_of(line) for line in ("a;b\tc,d", "a\tb,c", "a,b", "a", '"a;b",c', "")] == [
        ";",
        "\t",
        ",",
        ",",
        ",",
        ",",
    ]
    assert cells_of("a, b,'c'") == ["a", "b", "'c'"]
    assert cells_of('a;" b;c"', ";") == ["a", " b;c"]
    assert cells_of("x" * 200_000) == ["x" * 200_000]
    with pytest.raises(ValueError, match="field larger than"):
        cells_of("x" * 200_000, strict=True)
    assert [is_number(text) for text in ("1", "1,5", "−1", "-1.5e3", "x", "", "nan", "1_0")] == [
        True,
        True,
        True,
        True,
        False,
        False,
        False,
        False,
    ]
    assert [quoted("a" * n)[-3:] for n in (60, 61)] == ["aa'", "a…'"]
    assert quoted("\x1b") == "'\\x1b'"


TOML = {
    "a fault": 'a = 1\nb = "x\n',
    "a fault at the end": "a = ",
    "a key twice": "a = 1\na = 2\n",
    "too deep": "a = " + "[" * 5000,
    "too many digits": "a = " + "1" * 5000,
    "dots": "\na" + ".a" * 101 + " = 1\n",
    "as many dots as may be": "a" + ".a" * 100 + " = 1\n",
    "dots in a text": 'a = "' + "a." * 200 + '"\n',
}
PLACES = """name = "x" # a comment
'quoted' = 1
"double" = 2
  [plain]
  key = 3
[[chain]]
key = 4 # "#"
rows = [
  { a = 1, b = { c = 2 } }, { a = "}" },
  { a = 3 },
]
other = 5
[[chain.rows]]
a = 6
[[chain]]
[[rows]]
a = 7
[chain.units]
length = "m"
[[frame]]
key = 8
"""


def test_toml(golden):
    said = []
    for name, text in TOML.items():
        report = TextReport("t.toml", text)
        data = read_toml(text, report)
        said.append(f"# {name}\n{in_full(report.findings)}{'' if data is None or 'as many' in name else data}\n")
    places = Places(PLACES.splitlines())
    tables = [None, ("plain", 0), ("chain", 0), ("chain", 1), ("chain", 2), ("rows", 0), ("frame", 0)]
    keys = ("name", "quoted", "double", "key", "rows", "a", "length", "units", "other", "none")
    for where in tables:
        found = {key: line for key in keys if (line := places.key(key, where))}
        rows = [places.row(where, i) for i in range(5)]
        said.append(f"{where}: {places.span(where)} from {places.start(where)}, keys {found}, rows {rows}\n")
    golden("syntax_toml.txt", "\n".join(said))


def test_reports_of_texts():
    text = "one\n\ttwo two\n" + "x" * 200
    report = TextReport("f", text, most=3)
    report.error("a", "first", 2, bad="two", element="e", fix="f")
    report.error("b", "second", 2, bad=(5, 8))
    report.error("c", "third", 3, bad="y")
    report.error("d", "fourth", 1)
    report.warning("e", "no line")
    report.warning("e", "a line that is not there", 9, bad="x")
    assert [str(finding) for finding in report.findings] == [
        "f:2:2: error: e: first [a]\n    two two\n    ~~^\n    fix: f",
        "f:2:6: error: second [b]\n    two two\n        ~~^",
        "f:3: error: this is the 3th error; the rest is left out [too-many]\n    " + "x" * 100,
        "f: warning: no line [e]",
        "f:9: warning: a line that is not there [e]",
    ]
    assert (report.failed, report.full, TextReport("f", "").failed, TextReport("f", "").full) == (
        True,
        True,
        False,
        False,
    )
    placed = TextReport("f", "a", at=lambda line: Source("other", (line or 0) + 10, 3))
    placed.warning("w", "m", 1, bad="a")
    assert str(placed.findings[0].source) == "other:11:3"
    assert decode(b"\xef\xbb\xbfa", "f") == ("a", [])
    assert decode("\ufeffa", "f") == ("a", [])
    assert [str(finding) for finding in decode(b"a\n\xff", "f")[1]] == [
        "f:2: error: the text is not UTF-8: invalid start byte at byte 2 [encoding]"
    ]
    assert [decode("x" * n, "f")[0] == "" for n in (2_000_000, 2_000_001)] == [False, True]
    assert str(decode(b"x" * 2_000_001, "f")[1][0]) == "f: error: 2000001 bytes; at most 2000000 are read [file-size]"


YAML = {
    "values": "a: 1\nb: [x, 'y', 2.5, {c: d}]\ne: !degrees 90\nf:\n  - !odd z\n  -\n? [k]\n: v\na: yes\n",
    "several": "a: 1\n---\nb: 2\n---\n",
    "aliases": "a: &x [1, 2]\nb: *x\n",
    "a fault": "a: [1\n",
    "another": "a: b: c\n",
    "a tab": "a:\n\tb: 1\n",
    "an unknown alias": "a: *x\n",
}


def yaml(text: str) -> str:
    try:
        documents = read_yaml_values(text.encode(), "y.yaml")
    except KinetreeError as error:
        return in_full(error.findings)
    said = []
    for document in documents:
        for one in document.walk():
            keys = [key for key, _ in one.items]
            said.append(
                f"{one.source.line}:{one.source.column} {one.text!r} {one.tag} {keys} {len(one.values)} {one.number} {one.is_true} {[text.text for text in one.texts]}"
            )
        said.append(f"a = {document.get('a') and document.get('a').text!r}")
    return in_full(said)


def test_yaml(golden):
    golden("syntax_yaml.txt", "\n".join(f"# {name}\n{yaml(text)}" for name, text in YAML.items()))
    deep = [read_yaml_values(("[" * n + "]" * n).encode(), "y") for n in (50, 51)]
    assert len(deep) == 2
    with pytest.raises(KinetreeError, match="more than 30000 values, or 50 levels"):
        read_yaml_values(("[" * 53 + "]" * 53).encode(), "y")


NUMBERS = ("1", "-1.5e3", " 2 ", "+.5", "1_0", "nan", "inf", "x", "", "１", "1 2", "1e400")
MULTIPLES = (
    "pi",
    "-pi",
    "+pi/2",
    "π",
    "2pi",
    "2*pi",
    "3*pi/4",
    "-0.5 * pi / 2.5",
    ".5pi",
    "1.pi",
    "pi/0",
    "pi/",
    "pi2",
    "2",
    "",
    "- pi",
    "1e400pi",
    f"{'9' * 400}pi",
)


def test_numbers():
    assert [numbers.number(text) for text in NUMBERS] == [1.0, -1500.0, 2.0, 0.5, *[None] * 8]
    assert [numbers.numbers(text) for text in (*NUMBERS, "1 2 3", "1 x", "\t1\n2 ", "1 nan")] == [
        *([1.0], [-1500.0], [2.0], [0.5]), *[None] * 4, [], None, [1.0, 2.0], None, [1.0, 2.0, 3.0], None, [1.0, 2.0], None,
    ]  # fmt: skip
    assert [
        numbers.whole_number(text) for text in ("0", "007", "999999999", "1000000000", "-1", "1.0", "²", "", "１")
    ] == [0, 7, 999999999, *[None] * 6]
    values = (0.0, -0.0, 1.0, -2.0, 0.1, 1e15, 999999999999999.0, 1e-7, 1.5e300, float("inf"))
    assert [numbers.format_number(value) for value in values] == [
        "0",
        "0",
        "1",
        "-2",
        "0.1",
        "1000000000000000.0",
        "999999999999999",
        "1e-07",
        "1.5e+300",
        "inf",
    ]
    assert numbers.format_numbers([[1, 2.5], [-0.0, 3]]) == "1 2.5 0 3"
    pi = 3.141592653589793
    found = [numbers.multiple_of_pi(text) for text in MULTIPLES]
    assert found == [
        pi,
        -pi,
        pi / 2,
        pi,
        2 * pi,
        2 * pi,
        3 * pi / 4,
        -0.5 * pi / 2.5,
        0.5 * pi,
        pi,
        *[None] * 5,
        -pi,
        None,
        None,
    ]
    assert [
        numbers.to_si(value, unit)
        for value, unit in ((32, "mm"), (5, "cm"), (2, "m"), (180, "deg"), (90, "°"), (1.5, "rad"), (1.5, "si"))
    ] == [0.032, 0.05, 2.0, pi, pi / 2, 1.5, 1.5]


XML = {
    "a document": '<?xml version="1.0"?>\n<!-- x -->\n<a b="1" c=\'é "2"\'>\n  t1<d/>t2 <e f="x&#10;y &lt;"> t3 </e>\n  <![CDATA[<t4>]]>\n</a>\n',
    "a comment": "<a><!-- one --><b/><!-- two\nlines --></a><!-- three -->",
    "lenient": "<?xml encoding='utf-8'?> <a b=\"1 & < \x01\"c='2'>]]> & x\x0b<!-- -- - \x02--><![CDATA[\x03]]></a> rest",
    "two of a kind": "<a b='&'><c d='&'/><c d='&'/></a>",
    "two roots": "<a/>\n<b c='1'/>",
    "a second end": "<a/></a>",
    "a tag that does not end": "<a><b c='1</a>",
    "not closed": "<a>\n<b>",
    "crossed": "<a><b></a></b>",
    "an attribute twice": "<a b='1' b='2'/>",
    "nothing": "",
    "blanks": " \n ",
    "a secret": "PASSWORD=1\n",
    "a document type": "<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>",
    "an entity": "<a>&x;</a>",
    "a prefix": "<x:a><x:b y:c='1'/></x:a>",
    "blanks before": "\n\n <?xml version='1.0'?><a/>",
    "windows": "<?xml version='1.0' encoding='windows-1252'?><a b='é'/>".encode("cp1252"),
    "not in its encoding": "<?xml version='1.0' encoding='ascii'?><a b='é'/>".encode(),
    "an unknown encoding": "<?xml version='1.0' encoding='klingon'?>\n<a b='é'/>".encode(),
    "a stray byte": b"<a b='x\xe9y'>\n<c d='\xff\xfe'/></a>",
    "UTF-16": "<?xml version='1.0' encoding='utf-16'?><a b='é\U0001d11e'><c/></a>".encode("utf-16"),
    "half UTF-16": b"\xff\xfe<\x00a",
    "UTF-16 that is UTF-8": b"<?xml version='1.0' encoding='utf-16'?><a/>",
    "a mark and another encoding": b"\xef\xbb\xbf<?xml version='1.0' encoding='latin1'?><a b='\xc3\xa9'/>",
    "too deep": "<a>" * 201 + "</a>" * 201,
    "as deep as may be": "<a>" * 200 + "</a>" * 200,
    "as many attributes as may be": f"<a {' '.join(f'b{i}=' + chr(39) * 2 for i in range(1000))}/>",
    "too many attributes": f"<a {' '.join(f'b{i}=' + chr(39) * 2 for i in range(1001))}/>",
    "a long line": f"<a>{'<b/>' * 400}<c d='1' d='2'/>{'<b/>' * 400}</a>",
    "many lines": "<a>" + "<b/>\n" * 3000 + "<c>é</c><d></a>",
}


def xml(text: str | bytes, strict: bool = False) -> str:
    report = Report()
    root = parse(text, "f.xml", report, comments=True, strict=strict)
    said = in_full(report.findings)
    if root is None:
        return said
    for element in [*root.walk()][:4]:
        source = element.source
        places = " ".join(
            f"{name}={value!r}@{element.place(name).line}:{element.place(name).column}"
            for name, value in [*element.attributes.items()][:5]
        )
        back = root.document.byte(source) - element.start
        said += f"{source.line}:{source.column} {element.label} {places} text={element.text!r} empty={element.empty} raw={element.raw[:90]!r} {back or ''}\n"
    comments = {
        f"{root.document.source(byte).line}:{root.document.source(byte).column}": text
        for byte, text in root.document.comments.items()
    }
    return f"{said}{root.document.lines} lines, {report.parts} parts, {report.bytes} bytes, comments {comments}\n{strict_text(root)[:120]!r}\n"


def test_xml(golden):
    said = [f"# {name}\n{xml(text)}" for name, text in XML.items()]
    said += [
        f"# {name}, strictly\n{xml(XML[name], strict=True)}"
        for name in ("a document", "lenient", "two roots", "windows", "not in its encoding", "a stray byte")
    ]
    golden("syntax_xml.txt", "\n".join(said))


def test_documents_that_were_made_of_others():
    origins = [Source("x", 1, 2), None, Source("y", 3, 4)]
    text = DerivedText("<a>\n<b c='1'/><d/>\n</a>", origins)
    root = parse(text, "f", Report())
    assert [str(element.source) for element in root.walk()] == ["x:1:2", "f:2:1", "y:3:4"]
    assert [str(element.source.made) for element in root.walk()] == ["f:1:1", "None", "f:2:11"]
    assert [root.document.byte(element.source) for element in root.walk()] == [0, 4, 14]
    remember(root)
    assert parsed(text, "f") is root
    for other in (DerivedText(text.text + " ", origins), DerivedText(text.text, origins[:2])):
        assert parsed(other, "f") is not root
    assert parsed(text, "g") is not root
    assert unparsed(b"\xef\xbb\xbf<a/>", "f").data == b"<a/>"


def test_xml_is_written_as_it_reads():
    writer = XmlWriter()
    with writer.open("a", class_="x", none=None, b='"<>&\n\r\t'):
        writer.leaf("b")
        writer.leaf("c", "t <&>", d="1")
        writer.around("e", ["<f/>", "<g/>"], h="2")
        writer.around("i", [], j="3")
        writer.comment("x -- y --- z")
    assert writer.text() == (
        '<?xml version="1.0"?>\n<a class="x" b="&quot;&lt;&gt;&amp;&#10;&#13;&#9;">\n  <b/>\n  <c d="1">t &lt;&amp;&gt;</c>\n'
        '  <e h="2">\n    <f/>\n    <g/>\n  </e>\n  <i j="3"/>\n  <!-- x - - y - -- z -->\n</a>\n'
    )
    assert attributes_text({"a": "1", "b": '"'}) == 'a="1" b="&quot;"'
    root = parse("<a b='1'><c><d e='&amp;'/></c>text<f/></a>", "f", Report())
    assert element_text(root, "  ") == '  <a b="1">text\n    <c>\n      <d e="&amp;"/>\n    </c>\n    <f/>\n  </a>'
    for bad in ("\x00", "\x08", "\x0b", "\x1f", "\ud800", "\ufffe", "\uffff"):
        with pytest.raises(KinetreeError, match="which XML does not allow"):
            writer.leaf("a", bad)
