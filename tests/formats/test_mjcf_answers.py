"""What is asked of MuJoCo for elements that make bodies, and what is made of its answers; these are written here.

tests/formats/test_mjcf_expand.py asks MuJoCo itself.
"""

# ruff: noqa: E501

import os
import sys
from types import SimpleNamespace

import pytest

from kinetree.confine import Confinement
from kinetree.formats.mjcf import by_mujoco, expand
from kinetree.formats.mjcf.read import read
from kinetree.isolated import ChildError
from kinetree.syntax.xml.reader import Report, parse
from sdf_texts import opener

pytestmark = pytest.mark.skipif(os.sep != "/", reason="the paths are those of POSIX")

CELL = """<mujoco model="cell">
  <compiler meshdir="m" texturedir="t"/>
  <asset><model name="arm" file="arm.xml"/><mesh file="x\\\\a.stl"/><mesh name="b" file="b.obj"/><texture file="wood.png"/></asset>
  <worldbody><geom size="1"/><camera/><light/>
    <body name="stand" pos="1 0 0"><geom size="0.2"/>
      <attach model="arm" body="upper" prefix="left_"/>
      <frame pos="0 1 0"><attach model="arm" body="upper" prefix="left_2_"/></frame>
      <replicate count="2" sep="_"><body name="leaf"><freejoint name="hinge"/><site/></body><body name="leaf_2"/></replicate>
    </body>
    <body><freejoint/></body>
    <body><flexcomp name="cloth" count="2 1 1"><plugin/><edge/></flexcomp><composite prefix="comp_"><geom size="1"/></composite></body>
  </worldbody>
  <default class="main"><default class="soft"/></default>
  <contact><exclude body1="stand" body2="left_lower"/></contact>
  <sensor><gyro site="left_tip"/></sensor>
</mujoco>"""
MADE = """<mujoco model="cell">
  <compiler angle="radian" meshdir="m/" assetdir="t" strippath="false" inertiafromgeom="auto" settotalmass="-1"/>
  <default><default class="soft"/><default class="left_main"/></default>
  <asset><mesh name="b" file="b.obj"/><mesh file="a.stl"/><texture type="2d" file="wood.png" fileright="r\\\\r.png"/><texture name="none"/></asset>
  <worldbody><geom name="unnamed8:" size="1"/><camera name="unnamed9:"/><light name="unnamed10:"/>
    <body name="stand" pos="1 0 0"><inertial mass="1"/><geom name="unnamed12:" size="0.2"/>
      <body name="left_upper"><joint name="left_elbow"/><geom size="1"/></body>
      <frame name="unnamed14:" pos="0 1 0"><body name="left_2_upper"><geom material="left_2_m"/></body></frame>
      <body name="leaf_0"><joint name="hinge_0"/><site name="unnamed19:_0"/></body><body name="leaf_2_0"/>
      <frame pos="0 0 1"><body name="leaf_1"><joint name="hinge_1"/><site name="unnamed19:_1"/></body><body name="leaf_2_1"/></frame>
    </body>
    <body name="unnamed21:"><joint name="unnamed22:" type="free"/></body>
    <body name="unnamed23:"><body name="cloth_0"><joint/></body><frame><body name="odd"/></frame><body name="comp_0"/></body>
    <body name="unnamed35:"/>
  </worldbody>
  <contact><exclude body1="stand" body2="left_lower"/><exclude body1="unnamed21:" body2="stand"/></contact>
  <deformable><flex name="cloth" body="cloth_0 odd"/></deformable>
  <sensor><gyro site="left_tip"/></sensor>
  <option timestep="1"/>
</mujoco>"""
ANSWERS = {
    "a model": ("3.2", MADE, "", ("is soft\nElement 1", "again"), False, {"mesh b": "/lib/b.obj", "mesh a": "x/a.stl"}),
    "a refusal": ("3.2", "", "Error: bad size\nElement name 'x', id 2, line 14\nof line 17", (), True, {}),
    "a refusal at the element": ("3.2", "", "no line", (), True, {}),
    "a refusal at no line of the text": ("3.2", "", "line 999", (), True, {}),
    "a broken text": ("3.2", "<mujoco><a>", "", (), True, {}),
    "no answer": ("3.2", 3, "", (), True, {}),
    "files that are none": ("3.2", MADE, "", (), True, {"mesh b": 1}),
    "a process that ends": ChildError("ended with SIGSEGV"),
}


def expansion(text: str, answer, file: str = "/w/cell.xml", confinement=None, shown: bool = True) -> str:
    """What is asked, if it is shown, what is said and made; each element with its place in the file."""
    asked = []

    def call(*arguments, **options):
        asked.append("\n".join(map(str, [*arguments, options])))
        if isinstance(answer, Exception):
            raise answer
        return answer

    report = Report()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(expand.importlib.util, "find_spec", lambda name: object())
        patch.setattr("kinetree.isolated.call", call)
        made = expand.expanded(report, parse(text, file, report), confinement)
    said = [*asked * shown, *map(str, report.findings)]
    if made is not None:
        said += [made.document.data.decode(), *(f"{e.label} {e.source}, made at {e.source.made}" for e in made.walk())]
    return "\n".join(said) + "\n"


def test_what_is_asked_and_made(golden):
    said = [f"# {name}\n{expansion(CELL, one, shown=name == 'a model')}" for name, one in ANSWERS.items()]
    made = ("3.2", '<mujoco><worldbody><body name="a"/></worldbody></mujoco>', "", ("odd",), True, {})
    plain = '<mujoco><worldbody><body name="unnamed"/><body name="unnamed_"/><site/></worldbody></mujoco>'
    said += [f"# no makers, and names like marks\n{expansion(plain, made, '<text>')}"]
    for answer in (("3.2", "", "bad", (), True, {}), ("3.2", "<a>", "", (), True, {})):
        said += [f"# no makers, and an error\n{expansion(plain, answer, '<text>', shown=False)}"]
    golden("mujoco_answers.txt", "\n".join(said))


def test_a_confined_model_names_no_files_outside(tmp_path):
    inside = tmp_path / "inside"
    (inside / "m").mkdir(parents=True)
    (tmp_path / "out.stl").touch()
    (inside / "in.stl").touch()
    confined = Confinement([inside])
    text = (
        '<mujoco><compiler meshdir="m"/><asset><mesh file="in.stl"/>{}</asset><worldbody><attach/></worldbody></mujoco>'
    )
    made = ("3.2", "<mujoco/>", "", (), True, {})
    for setting, wrong in (
        *(("mesh", '<mesh file="../../out.stl"/>'), ("texture", '<mesh file="../../out.stl"/>')),
        *(("asset", '<hfield file="../../out.stl"/>'), ("other", '<texture fileup="../out.stl"/>')),
    ):
        said = expansion(text.replace("mesh", setting, 1).format(wrong), made, str(inside / "r.xml"), confined)
        assert "lies outside of the workspace" in said
        assert "expand(" not in said
        assert said.count("[confined]") == said.count("fix: ") == 1
    said = expansion(text.format('<mesh file="../none.stl"/>'), made, str(inside / "r.xml"), confined)
    assert f"'readable': ['{inside.resolve()}', '{(inside / 'r.xml').resolve()}']" in said
    assert "[confined]" not in said
    assert "'readable': []" in expansion(text.format(""), made, "<text>")


def test_elements_that_mujoco_expands_are_read_as_it_writes_them(monkeypatch):
    """The robot, its text and its files; and no other error after one in what MuJoCo writes."""
    text = '<mujoco><worldbody><body name="a"><geom size="1"/><flexcomp name="c"/></body></worldbody></mujoco>'
    answers = [
        '<mujoco><compiler angle="radian"/><worldbody><body name="a"><geom size="1"/><body name="c_0"><joint/><geom size="1"/></body></body></worldbody></mujoco>',
        '<mujoco><worldbody><body name="a"><geom size="x"/></body></worldbody></mujoco>',
    ]
    monkeypatch.setattr(expand.importlib.util, "find_spec", lambda name: None)
    assert [str(finding) for finding in read(text, "/w/r.xml", opener({}), by="mujoco")[1]] == [
        "/w/r.xml:1:51: error: flexcomp 'c': expand='mujoco' needs MuJoCo, which is not installed [expand]\n"
        f"    {text}\n    {' ' * 50}~~~~~~~~~~~~~~~~~~~^\n    fix: pip install 'kinetree[mujoco]'"
    ]
    monkeypatch.setattr(expand.importlib.util, "find_spec", lambda name: object())
    monkeypatch.setattr("kinetree.isolated.call", lambda *_one, **_more: ("3.2", answers[0], "", (), True, {}))
    robot, findings = read(text, "/w/r.xml", opener({}), by="mujoco")
    assert [(name, link.source.column, link.source.file) for name, link in robot.links.items()] == [
        *(("world", 9, "/w/r.xml"), ("a", 20, "/w/r.xml"), ("c_0", 51, "/w/r.xml"))
    ]
    assert [finding.code for finding in findings] == ["expanded", "no-name"]
    assert robot.text.files == {"/w/r.xml": text}
    assert '<body name="c_0">' in robot.text.text
    del answers[0]
    robot, findings = read(text, "/w/r.xml", opener({}), by="mujoco")
    assert robot is None
    assert [finding.code for finding in findings if finding.severity == "error"] == ["number"]


def test_what_runs_in_the_process_of_mujoco(monkeypatch, tmp_path):
    """The answer of a library with the names of MuJoCo's; its settings, its files, its warnings and errors."""

    class Model:
        mesh_pathadr, hfield_pathadr, skin_pathadr, tex_pathadr = [0, -1, 6], [], [], [13]
        paths = b"a.stl\0c/d.ob\0w.png\0"

        def mesh(self, i):
            return SimpleNamespace(name=f"m{i}")

        def tex(self, i):
            return SimpleNamespace(name=f"t{i}")

    class Spec:
        compiler = SimpleNamespace(saveinertial=False, fusestatic=True, discardvisual=True)

        @staticmethod
        def from_string(text):
            if text == "bad":
                raise ValueError("bad text")
            return Spec()

        def compile(self):
            import warnings

            for word in ("one", "two", "one"):
                warnings.warn(word, stacklevel=1)
            return Model()

        def to_xml(self):
            return f"<made at={os.getcwd()} {vars(self.compiler)}/>"

    fake = SimpleNamespace(
        __version__="3.2",
        __file__=str(tmp_path / "mujoco.py"),
        MjSpec=Spec,
        FatalError=type("FatalError", (Exception,), {}),
    )
    monkeypatch.setitem(sys.modules, "mujoco", fake)
    monkeypatch.setenv("MUJOCO_GL", "other")
    monkeypatch.chdir("/")
    settings = {"saveinertial": True, "fusestatic": False, "discardvisual": False}
    found = {"mesh m0": "a.stl", "mesh m2": "c/d.ob", "texture t0": "w.png"}
    assert by_mujoco.expand("text", str(tmp_path)) == (
        *("3.2", f"<made at={tmp_path} {settings}/>", "", ("one", "two"), False, found),
    )
    assert os.environ["MUJOCO_GL"] == "disable"
    assert by_mujoco.expand("bad", str(tmp_path)) == ("3.2", "", "bad text", (), True, {})
    (tmp_path / "libmujoco.so.1").touch()  # which cannot be loaded
    assert by_mujoco.expand("text", str(tmp_path))[4] is False
    digits = []
    library = SimpleNamespace(_mjPRIVATE__set_xml_precision=digits.append)
    monkeypatch.setattr(by_mujoco.ctypes, "CDLL", lambda path: library if path.endswith("mujoco.dll") else None)
    (tmp_path / "mujoco.dll").touch()
    assert by_mujoco.expand("text", str(tmp_path))[4] is True
    assert digits == [by_mujoco.DIGITS] == [17]
