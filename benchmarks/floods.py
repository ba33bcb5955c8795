"""Texts as bad as the limits of what is read allow, for `bounds.py` and the tests of the limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kinetree.formats.dh import rows
from kinetree.formats.sdf import expand
from kinetree.formats.xacro import budget, engine, files as yaml_files
from kinetree.model import semantic_groups
from kinetree.syntax import text
from kinetree.syntax.xml import reader as xml

Files = dict[str, bytes]


@dataclass(frozen=True)
class Flood:
    """A text of a format at a limit. make: the files of a size, the one that is loaded first; limit: the largest size
    that is read; above: the code of the error of one more, "" where the size is no limit of its own; legal: whether the
    text at the limit is a robot, srdf: whether a second file is its SRDF."""

    name: str
    format: str
    limit: int
    make: Callable[[int], Files]
    above: str = ""
    srdf: bool = False


def one(file: str, content: str | bytes) -> Files:
    return {file: content.encode() if isinstance(content, str) else content}


def urdf(body: str, parts: int = 0, used: int = 2) -> Files:
    """A robot; parts: how many elements and attributes it shall have, of which `used` are there."""
    return one("r.urdf", f'<robot name="r">{body}{"<gazebo/>" * (parts - used)}</robot>')


def chain(n: int, kind: str = "continuous", more: str = "", start: int = 0) -> str:
    """n joints in a row, of 11 parts each with its link."""
    return "".join(
        f'<link name="l{i + 1}"/><joint name="j{i}" type="{kind}"><parent link="l{i}"/><child link="l{i + 1}"/>'
        f'<axis xyz="0 0 1"/>{more}</joint>'
        for i in range(start, start + n)
    )


def long_chain(n: int) -> Files:
    joints = (n - 4) // 11
    return urdf('<link name="l0"/>' + chain(joints), n, 4 + 11 * joints)


def star(n: int) -> Files:
    joints = (n - 4) // 12
    body = chain(joints).replace('<parent link="l', '<parent link="l0" x="')  # of which each is a warning too
    return urdf('<link name="l0"/>' + body)


def ring(n: int) -> Files:
    """Followers, each of the next one."""
    joints = (n - 4) // 13
    body = "".join(chain(1, more=f'<mimic joint="j{(i + 1) % joints}"/>', start=i) for i in range(joints))
    return urdf('<link name="l0"/>' + body)


def cycle(n: int) -> Files:
    joints = (n - 4) // 11
    return urdf('<link name="l0"/>' + chain(joints).replace(f'"l{joints}"', '"l0"'))


def ordered(n: int) -> Files:
    joints = (n - 6) // 13
    order = ", ".join(f'"j{i}"' for i in reversed(range(joints)))
    record = f'<kinetree_carried of="robot">{{"joint_order": [{order}]}}</kinetree_carried>'
    return urdf('<link name="l0"/>' + chain(joints) + record)


def coupled(n: int) -> Files:
    """Limits over two joints, in a matrix that is as large as can be."""
    joints = max(1000, n // 22)
    limits = (n - 11 * joints - 4) // 9
    body = "".join(
        f'<kinetree_coupled_limit name="c{i}" upper="1"><joint name="j{i % (joints - 1)}" coefficient="1"/>'
        f'<joint name="j{i % (joints - 1) + 1}" coefficient="1"/></kinetree_coupled_limit>'
        for i in range(max(1, limits))
    )
    return urdf('<link name="l0"/>' + chain(joints) + body)


def unknown(n: int) -> Files:
    """Joints whose parents do not exist, with names that are much alike."""
    joints = (n - 4) // 11
    return urdf('<link name="l0"/>' + chain(joints).replace('parent link="l', f'parent link="{"l" * 150}x'))


def long_names(n: int) -> Files:
    """Links with names of megabytes, and joints to links that are not there."""
    links = "".join(f'<link name="{i:02}{"x" * 3_000_000}"/>' for i in range(16))
    joints = "".join(f'<joint name="k{i}" type="fixed"><parent link="z"/><child link="z"/></joint>' for i in range(n))
    return urdf(links + joints)


def shapes(n: int) -> Files:
    """One link with geometry."""
    count = (n - 4) // 10
    shape = '<visual><origin xyz="1 2 3" rpy="0 0 1"/><geometry><box size="1 2 3"/></geometry></visual>'
    return urdf(f'<link name="l0">{shape * count}</link>', n, 4 + 7 * count)


def empty(n: int) -> Files:
    return urdf('<link name="l0"/>' + "<a/>" * (n - 4))


def nameless(n: int) -> Files:
    return urdf("<link/>" * (n - 2))


def attributes(n: int) -> Files:
    """Elements with as many attributes as they may have, none of them known, under a long name."""
    many = " ".join(f'a{i}=""' for i in range(xml.MAX_ATTRIBUTES - 1))
    return urdf(f'<link name="{"l" * 1000}" {many}/>' * (n // 1001))


def few_attributes(n: int) -> Files:
    return urdf(f'<link name="l0"{"".join(f" a{i}=" + chr(34) * 2 for i in range(n - 1))}/>')


def wide_attributes(n: int) -> Files:
    """Attributes of an element whose tag is as long as it may be."""
    many = " ".join(f'a{i}=""' for i in range(990))
    tag = f'<link name="l" {many} z="'
    return urdf(f'{tag}{"x" * (n - len(tag) - 3)}"/>' * 12)


def tag(n: int) -> Files:
    head = '<link name="l0" x="'
    return urdf(f'{head}{"x" * (n - len(head) - 3)}"/>')


def tiny_attributes(n: int) -> Files:
    """One tag, of nothing but attributes."""
    text, i = [], 0
    size = len("<a/>")
    while size + len(piece := f' {i:x}a=""'.replace(" ", " a")) <= n:
        text.append(piece)
        size += len(piece)
        i += 1
    return urdf(f"<a{''.join(text)}/>")


def depth(n: int) -> Files:
    return urdf('<link name="l0"/>' + "<a>" * (n - 1) + "</a>" * (n - 1))


def comments(n: int) -> Files:
    return urdf('<link name="l0"/><!-- kinetree: ignore -->' + "<!---->" * (n - 1))


def filled(filler: str | bytes, head: str = "", tail: str = "") -> Callable[[int], Files]:
    """A file of n bytes with one thing over and over."""
    filler = filler.encode() if isinstance(filler, str) else filler

    def make(n: int) -> Files:
        start = f'<robot name="r"><link name="l0"/>{head}'.encode()
        end = f"{tail}</robot>".encode()
        count, rest = divmod(n - len(start) - len(end), len(filler))
        return one("r.urdf", b"".join((start, filler * count, b" " * rest, end)))

    return make


def pieces(n: int) -> Files:
    """A text between elements."""
    return urdf(f'<link name="l0"/><gazebo>{"x<a/>" * (n - 5)}</gazebo>')


def encoded(encoding: str, letter: str) -> Callable[[int], Files]:
    """A file of n bytes in an encoding."""

    def make(n: int) -> Files:
        start = f'<?xml version="1.0" encoding="{encoding}"?><robot name="r"><link name="l0"/><!--'.encode()
        size = len(letter.encode(encoding))
        body = letter.encode(encoding) * ((n - len(start) - 12) // size)
        return one("r.urdf", start + body + b"--></robot>")

    return make


def utf16(n: int) -> Files:
    head, tail = '<robot name="r"><link name="l0"/><!--', "--></robot>"
    letters = (n - 2) // 2 - len(head) - len(tail)
    return one("r.urdf", b"\xff\xfe" + (head + "é" * letters + tail).encode("utf-16-le"))


def sdf(body: str) -> Files:
    return one("r.sdf", f'<sdf version="1.10"><model name="m">{body}</model></sdf>')


def sdf_chain(n: int) -> Files:
    count = (n - 6) // 11
    return sdf(
        '<link name="l0"/>'
        + "".join(
            f'<link name="l{i + 1}"><pose>1 0 0 0 0 0</pose></link><joint name="j{i}" type="revolute">'
            f"<parent>l{i}</parent><child>l{i + 1}</child><axis><xyz>0 0 1</xyz></axis></joint>"
            for i in range(count)
        )
    )


def sdf_frames(n: int) -> Files:
    """Frames, each relative to the one before."""
    count = (n - 6) // 5
    return sdf(
        '<link name="l0"/>'
        + "".join(
            f'<frame name="f{i + 1}"><pose relative_to="{"f" if i else "l"}{i}">1 0 0 0 0 0.1</pose></frame>'
            for i in range(count)
        )
    )


def sdf_attached(n: int) -> Files:
    count = (n - 6) // 3
    return sdf(
        '<link name="l0"/>'
        + "".join(f'<frame name="f{i + 1}" attached_to="{"f" if i else "l"}{i}"/>' for i in range(count))
    )


def sdf_nested(n: int) -> Files:
    """Models in models, each with links."""
    depth = 90
    each = n * 49 // 100 // depth
    inner = ""
    for k in range(depth):
        links = "".join(f'<link name="l{i}"/>' for i in range(each))
        inner = f'<model name="m{k}">{links}{inner}</model>'
    return sdf(inner)


def sdf_includes(n: int) -> Files:
    """One file that is included n times, and itself has elements."""
    include = "".join(f"<include><uri>a.sdf</uri><name>i{i}</name></include>" for i in range(n))
    inner = '<sdf version="1.10"><model name="a"><link name="l"/></model></sdf>'
    return {**sdf(include), "a.sdf": inner.encode()}


def sdf_include_of_many(n: int) -> Files:
    inner = "".join(f'<link name="l{i}"/>' for i in range(n // 2 - 10))
    include = "".join(f"<include><uri>a.sdf</uri><name>i{i}</name></include>" for i in range(50))
    return {**sdf(include), "a.sdf": f'<sdf version="1.10"><model name="a">{inner}</model></sdf>'.encode()}


def mjcf(body: str, more: str = "") -> Files:
    return one("r.xml", f"<mujoco>{more}<worldbody>{body}</worldbody></mujoco>")


def mjcf_bodies(n: int) -> Files:
    count = n // 9
    return mjcf(
        "".join(
            f'<body name="b{i}"><joint name="j{i}" axis="0 0 1"/><geom name="g{i}" size="1"/></body>'
            for i in range(count)
        )
    )


def mjcf_unnamed(n: int) -> Files:
    return mjcf('<body><joint/><geom size="1"/></body>' * ((n - 2) // 4))


def mjcf_joints(n: int) -> Files:
    """All joints in one body."""
    joints = "".join(f'<joint name="j{i}" ref="1"/>' for i in range((n - 8) // 3))
    return mjcf(f'<body name="b">{joints}<geom size="1"/></body>')


def mjcf_replicate(n: int) -> Files:
    return mjcf(f'<replicate count="{n // 3 - 2}" offset="1 0 0"><body/></replicate>')


def mjcf_replicate_names(n: int) -> Files:
    name = "n" * 1900
    return mjcf(f'<replicate count="{n // 4 - 2}" offset="1 0 0"><body name="{name}"/></replicate>')


def mjcf_replicate_attributes(n: int) -> Files:
    many = " ".join(f'a{i}=""' for i in range(900))
    return mjcf(f'<replicate count="{n // 901}" offset="1 0 0"><body {many}/></replicate>')


def mjcf_classes(n: int) -> Files:
    """A class of many attributes, and as many geoms that are of it."""
    many = " ".join(f'a{i}=""' for i in range(900))
    return mjcf("<body>" + '<geom size="1"/>' * (n * 49 // 100) + "</body>", f"<default><geom {many}/></default>")


def mjcf_class_tree(n: int) -> Files:
    """Classes inside each other."""
    text = "".join(
        f'<default class="c{i}"><geom {" ".join(f"a{i}x{k}=" + chr(34) * 2 for k in range(900))}/>' for i in range(150)
    )
    return mjcf('<body><geom size="1"/></body>', "<default>" + text + "</default>" * 150 + "</default>")


def mjcf_equalities(n: int) -> Files:
    count = n // 16
    bodies = "".join(f'<body><joint name="j{i}"/><geom size="1"/></body>' for i in range(count))
    equal = "".join(
        f'<joint joint1="j{i % (count - 1)}" joint2="j{i % (count - 1) + 1}"/>' for i in range((n - 6 * count - 5) // 3)
    )
    files = mjcf(bodies)
    return one("r.xml", files["r.xml"].replace(b"</mujoco>", f"<equality>{equal}</equality></mujoco>".encode()))


def srdf_groups(n: int) -> Files:
    """Groups of a chain that is as long as the robot."""
    joints = 2000
    groups = max(1, (n - 11 * joints - 5) // 5)
    text = "".join(f'<group name="g{i}"><chain base_link="l0" tip_link="l{joints}"/></group>' for i in range(groups))
    return {**urdf('<link name="l0"/>' + chain(joints)), "r.srdf": f'<robot name="r">{text}</robot>'.encode()}


def srdf_depth(n: int) -> Files:
    text = "".join(f'<group name="g{i}"><group name="g{i + 1}"/></group>' for i in range(n - 1))
    text += f'<group name="g{n - 1}"><joint name="j0"/></group>'
    return {**urdf('<link name="l0"/>' + chain(1)), "r.srdf": f'<robot name="r">{text}</robot>'.encode()}


def srdf_unknown(n: int) -> Files:
    text = "".join(f'<group name="g{i}"><joint name="{"j" * 150}{i}"/></group>' for i in range(n * 22 // 100))
    return {**urdf('<link name="l0"/>' + chain(1000)), "r.srdf": f'<robot name="r">{text}</robot>'.encode()}


DH = 'name = "r"\nconvention = "dh"\nunits = { length = "m", angle = "rad" }\n'


def dh_rows(n: int) -> Files:
    row = '{{ joint = "j{}", a = 0.1, d = 0.2, alpha = 0.3, theta = "-1 -> 1" }},\n'
    return one("r.toml", DH + "rows = [\n" + "".join(row.format(i) for i in range(n)) + "]\n")


def dh_chains(n: int) -> Files:
    """As many chains as the bytes hold."""
    chain = '[[chain]]\nname = "c{}"\nrows = [{{ joint = "j{}", a = 1, d = 0, alpha = 0, theta = "-1 -> 1" }}]\n'
    text, i = DH, 0
    pieces = [text]
    size = len(text)
    while (size := size + len(piece := chain.format(i, i))) <= n:
        pieces.append(piece)
        i += 1
    return one("r.toml", "".join(pieces))


def toml_of(line: Callable[[int], str]) -> Callable[[int], Files]:
    def make(n: int) -> Files:
        return one("r.toml", line(n).ljust(n)[:n])

    return make


def csv_rows(n: int) -> Files:
    lines = "".join(f"j{i},0.1,0.2,0.3,0\n" for i in range(n - 1))
    return one("r.csv", "# convention: dh\njoint,a [m],d [m],alpha [rad],theta [rad]\n" + lines)


def csv_line(n: int) -> Files:
    return one("r.csv", "# name: " + "," * (n - 9) + "x")


def ets_of(piece: str, end: str = "") -> Callable[[int], Files]:
    def make(n: int) -> Files:
        return one("r.ets", (piece * (n // len(piece))).ljust(n)[: n - len(end)] + end)

    return make


def ets_joints(n: int) -> Files:
    pieces, size, i = [], 0, 0
    while (size := size + len(piece := f"Rz(q{i}) ")) <= n:
        pieces.append(piece)
        i += 1
    return one("r.ets", "".join(pieces))


def xacro(body: str) -> Files:
    return one("r.xacro", f'<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="a"/>{body}</robot>')


def xacro_calls(body: str, calls: int) -> Files:
    """Calls of one macro."""
    return xacro(f'<xacro:macro name="m">{body}</xacro:macro>{"<xacro:m/>" * calls}')


def xacro_bytes(n: int) -> Files:
    size = len(xacro("")["r.xacro"]) + len("<!---->")
    return xacro(f"<!--{'x' * (n - size)}-->")


def xacro_yaml(n: int) -> Files:
    """A list of n - 1 values, which is one more."""
    load = "<xacro:property name='d' value=\"${xacro.load_yaml('d.yaml')}\"/><a b=\"${d is None}\"/>"
    return xacro(load) | one("d.yaml", f"[{'1,' * (n - 2)}1]")


P, B, T = xml.MAX_PARTS, xml.MAX_BYTES, text.MAX_BYTES
FLOODS = (
    Flood("urdf: joints in a row", "urdf", P, long_chain, "xml-size"),
    Flood("urdf: joints at one link", "urdf", P, star),
    Flood("urdf: followers in a ring", "urdf", P, ring),
    Flood("urdf: links in a ring", "urdf", P, cycle),
    Flood("urdf: an order of joints", "urdf", P, ordered),
    Flood("urdf: coupled limits", "urdf", P, coupled),
    Flood("urdf: unknown parents", "urdf", P, unknown),
    Flood("urdf: names of megabytes", "urdf", 2000, long_names),
    Flood("urdf: shapes", "urdf", P, shapes, "xml-size"),
    Flood("xml: empty elements", "urdf", P, empty, "xml-size"),
    Flood("xml: elements that are wrong", "urdf", P, nameless),
    Flood("xml: attributes, 1000 an element", "urdf", P, attributes),
    Flood("xml: attributes of one element", "urdf", xml.MAX_ATTRIBUTES, few_attributes, "xml-size"),
    Flood("xml: a long tag", "urdf", xml.MAX_TAG, tag, "xml-size"),
    Flood("xml: attributes of long tags", "urdf", xml.MAX_TAG, wide_attributes),
    Flood("xml: a tag of attributes", "urdf", xml.MAX_TAG, tiny_attributes),
    Flood("xml: depth", "urdf", xml.MAX_DEPTH, depth, "xml-depth"),
    Flood("xml: comments", "urdf", xml.MAX_COMMENTS, comments, "xml-size"),
    Flood("xml: one comment", "urdf", B, filled("x", "<!--", "-->"), "file-size"),
    Flood("xml: one text", "urdf", B, filled("x ", "<gazebo>", "</gazebo>")),
    Flood("xml: a text of any letter", "urdf", B, filled("é\U0001d11e", "<gazebo>", "</gazebo>")),
    Flood("xml: empty lines", "urdf", B, filled("\n")),
    Flood("xml: references", "urdf", B, filled("&#65;", "<gazebo>", "</gazebo>")),
    Flood("xml: pieces of text", "urdf", P, pieces, "xml-size"),
    Flood("xml: elements far to the right", "urdf", B, filled("é", "", "<a/>" * (P - 4))),
    Flood("xml: instructions", "urdf", B, filled("<?a?>")),
    Flood("xml: UTF-16", "urdf", B, utf16),
    Flood("xml: GB18030", "urdf", B, encoded("gb18030", "\u4e2d")),
    Flood("xml: Shift_JIS", "urdf", B, encoded("shift_jis", "\u3042")),
    Flood("xml: windows-1252", "urdf", B, encoded("windows-1252", "e")),
    Flood("xml: ISO-8859-1", "urdf", B, encoded("iso-8859-1", "é")),
    Flood("sdf: joints in a row", "sdf", P, sdf_chain),
    Flood("sdf: frames in a row", "sdf", P, sdf_frames),
    Flood("sdf: attached frames", "sdf", P, sdf_attached),
    Flood("sdf: models in models", "sdf", P, sdf_nested),
    Flood("sdf: includes", "sdf", expand.MAX_INCLUDES, sdf_includes, "include-count"),
    Flood("sdf: includes of much", "sdf", P, sdf_include_of_many),
    Flood("mjcf: bodies", "mjcf", P, mjcf_bodies),
    Flood("mjcf: bodies without a name", "mjcf", P, mjcf_unnamed),
    Flood("mjcf: joints of one body", "mjcf", P, mjcf_joints),
    Flood("mjcf: copies", "mjcf", P, mjcf_replicate),
    Flood("mjcf: copies of long names", "mjcf", P, mjcf_replicate_names),
    Flood("mjcf: copies of attributes", "mjcf", P, mjcf_replicate_attributes),
    Flood("mjcf: a class of many attributes", "mjcf", P, mjcf_classes),
    Flood("mjcf: classes in classes", "mjcf", P, mjcf_class_tree),
    Flood("mjcf: equalities", "mjcf", P, mjcf_equalities),
    Flood("srdf: groups", "urdf", P, srdf_groups, srdf=True),
    Flood("srdf: groups in groups", "urdf", semantic_groups.MAX_DEPTH, srdf_depth, "depth", srdf=True),
    Flood("srdf: unknown joints", "urdf", P, srdf_unknown, srdf=True),
    Flood("dh: rows", "dh", rows.MAX_ROWS, dh_rows, "size"),
    Flood("dh: chains", "dh", T, dh_chains),
    Flood("toml: dots", "dh", T, toml_of(lambda n: "a" + ".a" * (n // 2 - 4) + "=1")),
    Flood("toml: dots of a table", "dh", T, toml_of(lambda n: "[a" + ".a" * (n // 2 - 4) + "]\n")),
    Flood("toml: lists in lists", "dh", T, toml_of(lambda n: "a=" + "[" * (n // 2 - 4) + "]" * (n // 2 - 4))),
    Flood("toml: one text", "dh", T, toml_of(lambda n: 'a="' + "\\n" * (n // 2 - 4) + '"')),
    Flood("toml: keys", "dh", T, toml_of(lambda n: "".join(f"k{i}=1\n" for i in range(n // 12)))),
    Flood("toml: a long number", "dh", T, toml_of(lambda n: "a=" + "1" * (n - 4))),
    Flood("csv: rows", "dh-csv", rows.MAX_ROWS, csv_rows, "size"),
    Flood("csv: columns", "dh-csv", T, lambda n: one("r.csv", "abc," * (n // 4))),
    Flood("csv: settings", "dh-csv", T, lambda n: one("r.csv", "#ab:c\n" * (n // 6))),
    Flood("csv: a long setting", "dh-csv", T, csv_line, "file-size"),
    Flood("xacro: bytes", "xacro", engine.MAX_FILE_BYTES, xacro_bytes, "xacro-size"),
    Flood("xacro: elements", "xacro", engine.MAX_WORK, lambda n: xacro_calls("<a/>" * 500, n // 600)),
    Flood(
        "xacro: characters",
        "xacro",
        engine.MAX_TEXT,
        lambda n: xacro_calls(f"<a>{'b' * 1_000_000}</a>", n // 1_100_000),
    ),
    Flood(
        "xacro: steps",
        "xacro",
        budget.MAX_STEPS_IN_ALL,
        lambda n: xacro_calls('<a b="${[i * i for i in [1] * 900]}"/>', n // 4000),
    ),
    Flood("xacro: values of YAML", "xacro", yaml_files.MAX_YAML_NODES, xacro_yaml, "xacro-size"),
    Flood("ets: joints", "ets", T, ets_joints),
    Flood("ets: terms", "ets", T, ets_of("tx(1)")),
    Flood("ets: blanks", "ets", T, ets_of(" ", "tx(1)"), "file-size"),
    Flood("ets: an open term", "ets", T, ets_of("tx(", "")),
    Flood("ets: one word", "ets", T, ets_of("x")),
    Flood("ets: one argument", "ets", T, lambda n: one("r.ets", f"tx({'1' * (n - 4)})"), "file-size"),
)
