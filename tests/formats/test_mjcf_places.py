"""What MuJoCo makes of a model has the places of the file: with a stand-in that answers what MuJoCo would."""

from each import each
from kinetree.confine import Confinement
from kinetree.formats.mjcf import expand
from kinetree.formats.mjcf.by_mujoco import Expansion
from kinetree.formats.mjcf.expand import expanded
from kinetree.syntax.xml.reader import Report, parse

UNNAMED = """<mujoco model="all">
<compiler meshdir="parts" texturedir="pictures" assetdir="other" inertiafromgeom="true" angle="radian"/>
<default><geom size="1"/><default class="thin"><geom size="0.1"/></default></default>
<asset><mesh file="a.stl"/>
<texture file="b.png"/>
<mesh name="known" file="c.stl"/></asset>
<worldbody>
<light pos="0 0 9"/>
<camera pos="0 9 0"/>
<frame pos="1 0 0">
<body>
<freejoint/>
<geom type="sphere"/></body></frame>
<body name="unnamed">
<joint type="slide"/>
<site pos="0 0 1"/>
<geom class="thin"/>
<body name="">
<joint name="j"/></body></body></worldbody>
<actuator>
<motor joint="j"/></actuator>
<sensor>
<force site="unnamed_s"/></sensor></mujoco>"""
NAMES = {"body", "joint", "freejoint", "geom", "site", "camera", "light", "frame"}


def answering(monkeypatch, answer):
    """Let MuJoCo answer what a function makes of the text that it gets; return what it got."""
    asked = []

    def made(report, root, text, confinement):
        asked.append(text)
        return answer(text)

    monkeypatch.setattr(expand, "_made", made)
    return asked


def read(text, report=None, confinement=None):
    report = report or Report()
    root = parse(text, "model.xml", report)
    return root, report, expanded(report, root, confinement)


def places(root):
    return [(element.tag, element.get("name"), element.source.line) for element in root.walk()]


def test_what_has_no_name_comes_back_without_one_at_its_line(monkeypatch):
    asked = answering(monkeypatch, lambda text: Expansion("3", text, files={"mesh known": "far/c.stl"}))
    root, report, made = read(UNNAMED)
    sent = parse(asked[-1], "sent.xml", Report())
    marked = [element for element in sent.walk() if (element.get("name") or "").startswith("unnamed_")]
    assert {element.tag for element in marked} == NAMES
    assert len({element.get("name") for element in marked}) == len(marked) == 10
    assert [(tag, name or None, line) for tag, name, line in places(root)] == places(made)
    assert [e.attributes for e in made.walk() if e.tag in ("mesh", "texture")] == [
        {"file": "parts/a.stl"},
        {"file": "pictures/b.png"},
        {"name": "known", "file": "far/c.stl"},
    ]
    assert [e.attributes for e in made.find_all("compiler")] == [{"angle": "radian"}]
    assert [(f.severity, f.code, f.message, f.source.line) for f in report.findings] == [
        (
            *("info", "expanded"),
            *("MuJoCo 3 gives masses and inertias, for some follow from meshes that only it makes", 1),
        )
    ]


MAKING = """<mujoco><asset><model name="arm" file="arm.xml"/></asset><worldbody>
<body name="stand">
<geom size="1"/>
<attach model="arm" body="upper" prefix="left_"/>
<flexcomp name="cloth" type="grid"/></body>
<composite prefix="rope" type="cable"/>
<replicate count="2" offset="1 0 0">
<body name="copy">
<freejoint name="free"/></body></replicate></worldbody>
<equality>
<weld body1="stand" body2="left_upper"/>
<connect body1="left_upper" anchor="0 0 0"/></equality>
</mujoco>"""
MADE = """<mujoco><worldbody><body name="stand">GEOM<body name="left_upper"><joint name="left_j"/><geom size="2"/>
<site name="other"/></body><frame pos="1 0 0"><body name="cloth_0"/></frame><body name="cloth_1"/></body>
<body name="ropeB_0"><geom name="ropeG_0"/></body><body name="copy0"><joint type="free" name="free0"/></body>
<body name="copy1"/></worldbody>
<deformable><flex name="cloth"/></deformable>
<equality><weld body1="stand" body2="left_upper"/><connect body1="left_upper" anchor="0 0 0"/></equality>
<contact><exclude body1="cloth_0" body2="stand"/></contact></mujoco>"""


def test_what_is_made_has_the_place_of_its_maker_and_copies_that_of_their_original(monkeypatch):
    def made(text):
        (geom,) = [line for line in text.splitlines() if line.startswith('<geom size="1"')]
        return Expansion("3.1", MADE.replace("GEOM", geom), warnings=("one\ntwo", "three"), exact=False)

    answering(monkeypatch, made)
    _, report, whole = read(MAKING)
    found = {(tag, name): line for tag, name, line in places(whole)}
    assert found == {
        ("mujoco", None): 1,
        ("worldbody", None): 1,
        ("body", "stand"): 2,
        ("geom", None): 4,
        ("body", "left_upper"): 4,
        ("joint", "left_j"): 4,
        ("site", "other"): 4,
        ("frame", None): 5,
        ("body", "cloth_0"): 5,
        ("body", "cloth_1"): 5,
        ("flex", "cloth"): 5,
        ("body", "ropeB_0"): 6,
        ("geom", "ropeG_0"): 6,
        ("body", "copy0"): 8,
        ("body", "copy1"): 8,
        ("joint", "free0"): 9,
        ("deformable", None): 1,
        ("equality", None): 10,
        ("weld", None): 11,
        ("connect", None): 12,
        ("contact", None): 1,
        ("exclude", None): 5,
    }
    assert [line for tag, name, line in places(whole) if (tag, name) == ("geom", None)] == [3, 4]
    notes = [(f.severity, f.code, f.message, f.source.line) for f in report.findings]
    assert notes == [
        ("info", "expanded", "MuJoCo 3.1 makes 1 bodies of <attach>; they have its place in the file", 4),
        ("info", "expanded", "MuJoCo 3.1 makes 2 bodies of <flexcomp>; they have its place in the file", 5),
        ("info", "expanded", "MuJoCo 3.1 makes 1 bodies of <composite>; they have its place in the file", 6),
        ("warning", "expanded", "MuJoCo 3.1 warns: one; two", 4),
        ("warning", "expanded", "MuJoCo 3.1 warns: three", 4),
        ("warning", "expanded", "MuJoCo 3.1 writes numbers with 6 digits only; lengths and angles are rounded", 4),
    ]


@each(
    "error, said, line",
    [
        ("XML Error: bad\nElement 'joint', line {freejoint}", "refuses this model: XML Error: bad", 9),
        ("bad in line {body}, line {attach}\n\nworse", "refuses this model: {error}; worse", 4),
        ("no place", "refuses this model: no place", 1),
        ("line 99", "refuses this model: line 99", 1),
        ("", "makes a model that is larger than what is read", 4),
    ],
)
def test_what_mujoco_refuses_is_an_error_at_its_line(error, said, line, monkeypatch):
    """It counts the lines of the text that it gets."""

    def made(text):
        lines = [one.split()[0].strip("</>") for one in text.splitlines()]
        return Expansion("3", "<mujoco>", error.format(**{tag: lines.index(tag) + 1 for tag in lines}))

    asked = answering(monkeypatch, made)
    _, report, whole = read(MAKING)
    assert whole is None
    ((severity, code, message, at),) = [(f.severity, f.code, f.message, f.source.line) for f in report.findings]
    expected = said.format(error=made(asked[0]).error.partition("\n")[0])
    assert (severity, code, message, at) == ("error", "expand", f"MuJoCo 3 {expected}", line)


def test_files_outside_of_the_confinement_are_not_given_to_mujoco(tmp_path, monkeypatch):
    asked = answering(monkeypatch, lambda text: Expansion("3", text))
    (tmp_path / "in" / "parts").mkdir(parents=True)
    for name in ("secret.stl", "in/own.stl", "in/parts/own.stl"):
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path / "in")
    text = '<mujoco><compiler meshdir="parts"/><asset><mesh file="{}"/>\n<hfield file="own.stl"/></asset></mujoco>'
    for file, codes in (
        ("own.stl", []),
        ("../secret.stl", [("confined", 1)]),
        ("../../secret.stl", [("confined", 1)]),
        (str(tmp_path / "secret.stl"), [("confined", 1)]),
        ("../nothing.stl", []),
    ):
        _, report, whole = read(text.format(file), confinement=Confinement([tmp_path / "in"]))
        errors = [(f.code, f.source.line) for f in report.findings if f.severity == "error"]
        assert (errors, whole is None) == (codes, bool(codes)), file
    assert len(asked) == 2
