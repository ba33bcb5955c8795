"""Every limit of a reader, set to a small number: as many are read, one more is refused with that number and the place.

tests/formats/test_limits_of_reading.py reads as much as the true limits allow.
"""

# ruff: noqa: E501

import re
import shutil
import sys
from importlib import import_module
from pathlib import Path

import pytest

import kinetree as kt
from each import each
from kinetree.errors import KinetreeError
from kinetree.files.opener import Files
from kinetree.formats import dh, ets, mjcf, sdf, urdf
from kinetree.formats.srdf import read_onto
from kinetree.formats.xacro import read as read_xacro
from kinetree.formats.xacro.budget import Budget
from kinetree.formats.xacro.expressions import evaluate
from kinetree.formats.xacro.files import expand_pattern, read_yaml
from kinetree.formats.xacro.functions import FUNCTIONS
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import Extension
from kinetree.syntax.xml.reader import Report, parse
from kinetree.syntax.yaml import read_yaml_values
from sdf_texts import model, opener

HEAD = 'convention = "dh"\nunits = { length = "m", angle = "deg" }\n'
ROW = "a = 0, d = 0, alpha = 0, theta = 0"
SHAPE = "{ on = 'tip', radius = 1 }, "
NS = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
URDF = '<robot name="r"><link name="a"/>{}</robot>'


def xml(text: str):
    report = Report()
    parse(text, "f.xml", report)
    return report.findings


def included(text: str, name: str = "x", file: str | None = None):
    """Findings on MJCF that includes or attaches other files."""
    files = {
        f"f{i}.xml": f"<mujoco model='m{i}'><asset><model name='n' file='f{i + 1}.xml'/></asset><worldbody><attach model='n' prefix='p'/></worldbody></mujoco>"
        for i in range(1, 9)
    }
    return mjcf.read(
        text, "f0.xml", opener(files | {"leaf.xml": "<mujocoinclude><body><body/></body></mujocoinclude>"})
    )[1]


class Opened(Files):
    """Files in memory."""

    def open_or_refuse(self, name, asking):
        name = name.rpartition("/")[2]
        return (
            (f"<robot {NS}><xacro:include filename='{int(name[:-6]) + 1}.xacro'/></robot>".encode(), name)
            if name[:-6] in "123456789"
            else None
        )


def xacro(body: str):
    return read_xacro(f"<robot name='r' {NS}><link name='a'/>{body}</robot>", "/w/r.xacro", Opened({}), {})[1]


def refused(call):
    def read(argument):
        try:
            call(argument)
        except KinetreeError as error:
            return error.findings
        return []

    return read


def expression(text: str):
    return evaluate(text, FUNCTIONS.__getitem__, Budget())


def carrying(text: str) -> str:
    parts = parts_of(kt.load(URDF.format(""), format="urdf"))
    parts.extensions.append(Extension("dh", "a", text))
    return kt.text(build(parts), "urdf")


def merged(n: int) -> bytes:
    return ("a: {" + ", ".join(f"k{i}: 1" for i in range(n)) + "}").encode()


DH, MJCF, XML = "formats.dh", "formats.mjcf", "syntax.xml.reader"
ROWS = [  # name, where the constant stands, the limit, a reader, its text of n things, code, what the message has
    (
        "rows of CSV",
        (f"{DH}.csv.MAX_ROWS",),
        4,
        lambda text: dh.read(text, "t.csv")[1],
        lambda n: "# convention: dh\na (m), d (m), alpha (deg), theta (deg)\n" + "0, 0, 0, 0\n" * (n - 1),
        "size",
        "has 5 rows; at most 4",
    ),
    (
        "rows of TOML",
        (f"{DH}.toml.MAX_ROWS",),
        3,
        lambda text: dh.read(text, "t.toml")[1],
        lambda n: HEAD + f"rows = [{f'{{ {ROW} }}, ' * n}]\n",
        "size",
        "has 4 rows; at most 3",
    ),
    (
        "frames of TOML",
        (f"{DH}.toml.MAX_TABLES",),
        3,
        lambda text: dh.read(text, "t.toml")[1],
        lambda n: HEAD + f"rows = [{{ {ROW} }}]\n" + "".join(f'[[frame]]\nname = "f{i}"\n' for i in range(n)),
        "size",
        "there are 4 [[frame]]; at most 3",
    ),
    (
        "shapes of TOML",
        (f"{DH}.toml.MAX_TABLES",),
        3,
        lambda text: dh.read(text, "t.toml")[1],
        lambda n: HEAD + f"rows = [{{ {ROW} }}]\n[shapes]\nrows = [{SHAPE * n}]\n",
        "rows",
        "at most 3 shapes",
    ),
    (
        "bytes of TOML",
        ("syntax.text.MAX_BYTES",),
        len(HEAD) + 8,
        lambda text: dh.read(text, "t.toml")[1],
        lambda n: (HEAD + "rows=[]" + "\n" * 9)[:n],
        "file-size",
        f"{len(HEAD) + 9} bytes; at most {len(HEAD) + 8}",
    ),
    (
        "findings of ETS",
        ("formats.ets.read.MAX_FINDINGS",),
        4,
        lambda text: ets.read(text, "a")[1][4:],
        lambda n: "bad " * n,
        "none",
        "",
    ),
    (
        "characters of a number",
        ("formats.ets.read.MAX_NUMBER",),
        5,
        lambda text: ets.read(text, "a")[1],
        lambda n: f"Rz(q) tx({'1' * n})",
        "ets-argument",
        "tx has '111111'",
    ),
    (
        "includes of SDF",
        ("formats.sdf.expand.MAX_INCLUDES",),
        3,
        lambda text: sdf.read(text, "f.sdf", opener({"in.sdf": model('<link name="l"/>')}))[1],
        lambda n: model(
            '<link name="a"/>' + "".join(f"<include><uri>in.sdf</uri><name>n{i}</name></include>" for i in range(n))
        ),
        "include-count",
        "more than 3 includes",
    ),
    (
        "bytes of XML",
        (f"{XML}.MAX_BYTES",),
        20,
        xml,
        lambda n: "<a>" + "x" * (n - 7) + "</a>",
        "xml-size",
        "21 bytes, includes counted; at most 20",
    ),
    (
        "parts of XML",
        (f"{XML}.MAX_PARTS",),
        4,
        xml,
        lambda n: "<a b='1'>" + "<c/>" * (n - 2) + "</a>",
        "xml-size",
        "more than 4 elements and attributes, includes counted",
    ),
    (
        "comments of XML",
        (f"{XML}.MAX_COMMENTS",),
        3,
        xml,
        lambda n: "<a>" + "<!---->" * n + "</a>",
        "xml-size",
        "4 comments; at most 3",
    ),
    ("depth of XML", (f"{XML}.MAX_DEPTH",), 3, xml, lambda n: "<a>" * n + "</a>" * n, "xml-depth", "more than 3 deep"),
    (
        "attributes of an element",
        (f"{XML}.MAX_ATTRIBUTES",),
        3,
        xml,
        lambda n: f"<a {' '.join(f'b{i}={chr(34) * 2}' for i in range(n))}/>",
        "xml-size",
        "4 attributes; at most 3",
    ),
    (
        "markup that is read leniently",
        ("syntax.xml.lenient.MAX_MARKUP",),
        4,
        xml,
        lambda n: "<a b='&'>" + "<c/>" * (n - 3) + "</a>",
        "xml-syntax",
        "not well-formed",
    ),
    (
        "changes of what is read leniently",
        ("syntax.xml.lenient.MAX_CHANGES",),
        4,
        xml,
        lambda n: "<a>" + "<c b='&'/>" * n + "</a>",
        "xml-syntax",
        "not well-formed",
    ),
    (
        "bytes of YAML",
        ("syntax.yaml.MAX_YAML_BYTES",),
        8,
        refused(lambda text: read_yaml_values(text.encode(), "y")),
        lambda n: "a" * n,
        "yaml",
        "more than 8 bytes",
    ),
    (
        "values of YAML",
        ("syntax.yaml.MAX_YAML_VALUES",),
        4,
        refused(lambda text: read_yaml_values(text.encode(), "y")),
        lambda n: f"[{'1, ' * (n - 1)}]",
        "yaml",
        "more than 4 values",
    ),
    (
        "depth of YAML",
        ("syntax.yaml.MAX_YAML_DEPTH",),
        2,
        refused(lambda text: read_yaml_values(text.encode(), "y")),
        lambda n: "[" * (n + 1) + "]" * (n + 1),
        "yaml",
        "or 2 levels",
    ),
    (
        "inherited attributes",
        (f"{MJCF}.defaults.MAX_INHERITED",),
        4,
        lambda text: mjcf.read(text, "m")[1],
        lambda n: f"<mujoco><default><geom size='1'/></default><worldbody>{'<geom/>' * n}</worldbody></mujoco>",
        "xml-size",
        "more than 4 attributes of classes",
    ),
    (
        "parts of replicas",
        (f"{MJCF}.replicate.MAX_PARTS",),
        12,
        lambda text: mjcf.read(text, "m")[1],
        lambda n: (
            f"<mujoco><worldbody><replicate count='{2 if n == 12 else 3}' sep=''><site name='s'/></replicate></worldbody></mujoco>"
        ),
        "xml-size",
        "more than 12 elements and attributes are replicated",
    ),
    (
        "names of replicas",
        (f"{MJCF}.replicate.MAX_BYTES",),
        12,
        lambda text: mjcf.read(text, "m")[1],
        lambda n: (
            f"<mujoco><worldbody><replicate count='2'><site name='{'s' * (n // 2 + n % 2)}'/></replicate></worldbody></mujoco>"
        ),
        "xml-size",
        "names of more than 12 characters",
    ),
    (
        "depth of includes of MJCF",
        (f"{MJCF}.include.MAX_DEPTH",),
        6,
        included,
        lambda n: (
            f"<mujoco><worldbody>{'<body>' * (n - 5)}<include file='leaf.xml'/>{'</body>' * (n - 5)}</worldbody></mujoco>"
        ),
        "xml-depth",
        "more than 6 deep, includes counted",
    ),
    (
        "characters that are carried",
        ("formats.losses.sidecar.write.MAX_TEXT",),
        50,
        refused(carrying),
        lambda n: "x" * (n - len('{"extensions.0": ["dh", "a", ""]}')),
        "cannot-say-extension",
        "51 characters; at most 50 are written",
    ),
    (
        "items that are carried",
        ("formats.losses.sidecar.values.MAX_ADDED",),
        3,
        lambda text: urdf.read(text, "r")[1],
        lambda n: URDF.format(
            f'<kinetree_carried of="robot">{{"extensions.{n - 1}": ["sdf", "a", "b"]}}</kinetree_carried>'
        ),
        "carried",
        "there is no item 3",
    ),
    (
        "unknown names of SRDF",
        ("formats.srdf.read.MAX_UNKNOWN",),
        2,
        lambda text: read_onto(kt.load(URDF.format(""), format="urdf"), text, "s")[2][2:],
        lambda n: '<robot name="r">' + '<passive_joint name="x"/>' * n + "</robot>",
        "none",
        "",
    ),
    (
        "bytes of xacro",
        ("formats.xacro.engine.MAX_FILE_BYTES",),
        120,
        xacro,
        lambda n: " " * (n - len(f"<robot name='r' {NS}><link name='a'/></robot>")),
        "xacro-size",
        "more than 120 bytes",
    ),
    (
        "children in xacro",
        ("formats.xacro.engine.MAX_CHILDREN",),
        4,
        xacro,
        lambda n: "<b/>" * (n - 1),
        "xacro-size",
        "too many children",
    ),
    (
        "parameters in xacro",
        ("formats.xacro.engine.MAX_VALUE",),
        5,
        xacro,
        lambda n: f"<xacro:macro name='m' params='{'p' * n}'/>",
        "xacro-size",
        "or parameters",
    ),
    (
        "characters of a value in xacro",
        ("formats.xacro.engine.MAX_VALUE",),
        9,
        xacro,
        lambda n: f"<b c='${{1}}{'x' * (n - 4)}'/>",
        "xacro-size",
        "more than 9 characters with expressions",
    ),
    (
        "work in xacro",
        ("formats.xacro.engine.MAX_WORK",),
        4,
        xacro,
        lambda n: "<b/>" * (n - 2),
        "xacro-size",
        "more than 4 elements",
    ),
    (
        "characters in xacro",
        ("formats.xacro.engine.MAX_TEXT",),
        50,
        xacro,
        lambda n: f"<b c='{'x' * (n - len('ra') - len(NS[13:-1]))}'/>",
        "xacro-size",
        "or 50 in all",
    ),
    (
        "characters of one value in xacro",
        ("formats.xacro.engine.MAX_CHARACTERS",),
        40,
        xacro,
        lambda n: f"<b c='{'x' * n}'/>",
        "xacro-size",
        "more than 40 characters, or",
    ),
    (
        "notes of xacro",
        ("formats.xacro.engine.MAX_NOTES",),
        3,
        lambda text: xacro(text)[3:],
        lambda n: "".join(f"${{xacro.warning({i})}}" for i in range(n)),
        "none",
        "",
    ),
    (
        "includes of xacro",
        ("formats.xacro.engine.MAX_INCLUDE_DEPTH",),
        5,
        xacro,
        lambda n: f"<xacro:include filename='{12 - n}.xacro' optional='true'/>",
        "xacro-recursion",
        "includes go on without end",
    ),
    (
        "calls of xacro",
        ("formats.xacro.engine.MAX_MACRO_DEPTH",),
        4,
        xacro,
        lambda n: (
            "".join(f"<xacro:macro name='m{i}'><xacro:m{i + 1}/></xacro:macro>" for i in range(n))
            + f"<xacro:macro name='m{n}'/><xacro:m0/>"
        ),
        "xacro-recursion",
        "calls itself without end",
    ),
    (
        "characters of an expression",
        ("formats.xacro.expressions.MAX_LENGTH",),
        5,
        refused(expression),
        lambda n: "1" * n,
        "xacro-size",
        "an expression of 6 characters; at most 5",
    ),
    (
        "operators of an expression",
        ("formats.xacro.expressions.MAX_OPERATORS",),
        4,
        refused(expression),
        lambda n: "1" + " + 1" * n,
        "xacro-recursion",
        "nested too deep",
    ),
    (
        "digits of a text",
        ("formats.xacro.functions.MAX_DIGITS",),
        4,
        refused(expression),
        lambda n: f"int('{'1' * n}')",
        "xacro-size",
        "more than 4 digits",
    ),
    (
        "places of round",
        ("formats.xacro.functions.MAX_PLACES",),
        4,
        refused(expression),
        lambda n: f"round(1, -{n})",
        "xacro-size",
        "round to -5 digits; at most 4",
    ),
    (
        "bytes of YAML in xacro",
        ("formats.xacro.files.MAX_YAML_BYTES",),
        8,
        refused(lambda text: read_yaml(text, "y", (), Budget())),
        lambda n: b"a" * n,
        "xacro-size",
        "more than 8 bytes",
    ),
    (
        "values of YAML in xacro",
        ("formats.xacro.files.MAX_YAML_NODES",),
        5,
        refused(lambda text: read_yaml(text, "y", (), Budget())),
        lambda n: f"[{'1, ' * (n - 1)}]".encode(),
        "xacro-size",
        "more than 5 values",
    ),
    (
        "digits of YAML in xacro",
        ("formats.xacro.files.MAX_DIGITS",),
        5,
        refused(lambda text: read_yaml(text, "y", (), Budget())),
        lambda n: b"1" * n,
        "xacro-size",
        "a number of more than 5 characters",
    ),
    (
        "items of a mapping in xacro",
        ("formats.xacro.files.MAX_SIZE",),
        3,
        refused(lambda text: read_yaml(text, "y", (), Budget())),
        merged,
        "xacro-size",
        "a mapping of more than 3 items",
    ),
    (
        "numbers as keys in xacro",
        ("formats.xacro.files.MAX_OTHER_KEYS",),
        3,
        refused(lambda text: read_yaml(text, "y", (), Budget())),
        lambda n: ("{" + ", ".join(f"{i}: 1" for i in range(n)) + "}").encode(),
        "xacro-size",
        "or 3 numbers",
    ),
]


@each("row", ROWS)
def test_as_many_are_read_and_one_more_is_refused(row):
    name, constants, limit, read, text_of, code, words = row
    with pytest.MonkeyPatch.context() as patch:
        for constant in constants:
            module, _, attribute = constant.rpartition(".")
            assert isinstance(getattr(import_module(f"kinetree.{module}"), attribute), int)
            patch.setattr(sys.modules[f"kinetree.{module}"], attribute, limit)
        codes = {finding.code for finding in read(text_of(limit))}
        assert not codes & {code, "xml-syntax"}, f"{name}: {limit}"
        found = [finding for finding in read(text_of(limit + 1)) if finding.code == code]
    assert bool(found) == (code != "none"), f"{name}: {limit + 1}"
    assert all(words in finding.message for finding in found), f"{name}: {found}"


def test_a_wildcard_leads_through_few_files(tmp_path, monkeypatch):
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text("")
    steps = []
    folder = tmp_path / "in" / "side"
    folder.mkdir(parents=True)
    for name in (".hidden", "a.txt", "b.xml"):
        (folder / name).write_text("")
    for pattern, names in (
        ("*", ["a.txt", "b.xml"]),
        (".*", [".hidden"]),
        ("?.[tx]*", ["a.txt", "b.xml"]),
        ("[!a]*", ["b.xml"]),
    ):
        assert expand_pattern(f"{tmp_path}/i*/side/{pattern}", lambda _: None, lambda _: None) == [
            f"{folder}/{one}" for one in names
        ]
    assert expand_pattern(f"{tmp_path}/*/none/*", lambda _: None, lambda _: None) == []
    shutil.rmtree(tmp_path / "in")
    monkeypatch.setattr("kinetree.formats.xacro.files.MAX_FILES", 4)
    assert len(expand_pattern(f"{tmp_path}/*", lambda folder: None, steps.append)) == 3
    assert steps == [3]
    (tmp_path / "d").write_text("")
    with pytest.raises(KinetreeError, match="leads through more than 4 files"):
        expand_pattern(f"{tmp_path}/*", lambda folder: None, steps.append)


def test_models_are_attached_to_each_other_a_few_times(monkeypatch):
    text = "<mujoco><asset><model name='n' file='f{}.xml'/></asset><worldbody><attach model='n' prefix='p'/></worldbody></mujoco>"
    monkeypatch.setattr("kinetree.formats.mjcf.attach.MOST_NESTED", 3)
    for first, deep in ((7, False), (6, False), (5, True)):  # the last file wants one that is not there
        said = [finding.message for finding in included(text.format(first)) if finding.severity == "error"]
        assert any("nested too deep" in one for one in said) == deep, (first, said)


def test_findings_of_one_element_and_of_all(monkeypatch):
    monkeypatch.setattr("kinetree.syntax.xml.reader.MAX_JOINED", 2)
    shape = "<visual><origin xyz='x' rpy='y'/><geometry><cylinder radius='1' length='z'/></geometry></visual>"
    (note,) = (
        one
        for one in urdf.read(f'<robot name="r"><link name="a">{shape}</link></robot>', "r")[1]
        if one.code == "left-out"
    )
    assert note.message.count("; expected") == 2
    monkeypatch.setattr("kinetree.formats.finish.MAX_LOOSE", 2)
    sensors = "".join(f'<sensor name="s{i}"><parent link="none"/></sensor>' for i in range(4))
    robot, findings = urdf.read(URDF.format(sensors), "r")
    assert [finding.code for finding in findings] == ["left-out"] * 2
    assert len(robot.extensions) == 2
    monkeypatch.setattr("kinetree.formats.losses.parts.MAX_NAMES", 2)
    for count, more in ((2, ""), (3, " and 1 more")):
        links = "".join(
            f'<link name="l{i}"><inertial/></link><joint name="j{i}" type="fixed"><parent link="a"/><child link="l{i}"/></joint>'
            for i in range(count)
        )
        (note,) = kt.load(URDF.format(links), format="urdf", without=("inertial",)).notes
        assert (
            note.message
            == f"without='inertial' leaves out masses and inertias: link 'l0', link 'l1'{more}; these have no mass"
        )


READ = "| what | at most |"
BOUNDS = {  # rows of docs/reference/model.md, and where their numbers stand
    "bytes of an XML file and all that it includes": ["syntax.xml.reader.MAX_BYTES"],
    "elements and attributes of these, together": ["syntax.xml.reader.MAX_PARTS"],
    "attributes of one element; bytes of its start tag": [
        "syntax.xml.reader.MAX_ATTRIBUTES",
        "syntax.xml.reader.MAX_TAG",
    ],
    "elements inside each other; comments": ["syntax.xml.reader.MAX_DEPTH", "syntax.xml.reader.MAX_COMMENTS"],
    "attributes that all elements of MJCF together take": ["formats.mjcf.defaults.MAX_INHERITED"],
    "`<include>` in one SDF file": ["formats.sdf.expand.MAX_INCLUDES"],
    "members of all groups of an SRDF; groups inside each other": [
        "model.semantic_groups.MAX_MEMBERS",
        "model.semantic_groups.MAX_DEPTH",
    ],
    "bytes of a TOML, CSV or ETS file": ["syntax.text.MAX_BYTES"],
    "bytes of a xacro file": [f"formats.xacro.engine.{name}" for name in ("MAX_FILE_BYTES", "MAX_WORK", "MAX_TEXT")],
    "steps of an expression; of all": [
        *(
            "formats.xacro.budget.MAX_STEPS",
            "formats.xacro.budget.MAX_STEPS_IN_ALL",
            "formats.xacro.files.MAX_YAML_NODES",
        )
    ],
    "rows of a DH table; tables of one kind; dots of a TOML key": [
        *("formats.dh.rows.MAX_ROWS", "formats.dh.rows.MAX_TABLES", "syntax.text.MAX_DOTS")
    ],
    "findings of each severity": [
        "syntax.xml.reader.MAX_FINDINGS",
        "syntax.text.MAX_FINDINGS",
        "model.assemble.MAX_FAULTS",
    ],
}
OF_XACRO = {  # numbers of docs/reference/formats/xacro.md, in the order of the page
    "more than 50,000 elements": ["engine.MAX_WORK"],
    "values of a size above": ["budget.MAX_SIZE", "functions.MAX_BITS"],
    "expressions of more than": ["budget.MAX_STEPS"],
    "YAML above 1 MB, of more than": ["files.MAX_YAML_NODES"],
}


def test_pages_give_the_limits():
    page = (Path(__file__).parents[2] / "docs" / "reference" / "model.md").read_text(encoding="utf-8")
    rows = [line.split("|") for line in page.partition(READ)[2].partition("\n\n")[0].splitlines()[2:]]
    for start, constants in BOUNDS.items():
        (numbers,) = [row[2] for row in rows if row[1].strip().startswith(start)]
        assert [int(number.replace(",", "")) for number in numbers.split(";")] == [number_of(one) for one in constants]
    page = (Path(__file__).parents[2] / "docs" / "reference" / "formats" / "xacro.md").read_text(encoding="utf-8")
    for start, constants in OF_XACRO.items():
        (line,) = [line for line in page.splitlines() if line.startswith(f"- {start}")]
        for constant in constants:
            number = number_of(f"formats.xacro.{constant}")
            assert {str(number), f"{number:,}"} & {*re.findall(r"\d[\d,]*\b", line)}, (line, constant)
    assert number_of("formats.xacro.files.MAX_YAML_BYTES") == 1_000_000


def number_of(constant: str) -> int:
    module, _, name = constant.rpartition(".")
    return getattr(import_module(f"kinetree.{module}"), name)
