"""What is asked of usd-core, and what is made of its answers; a function takes its place."""

from __future__ import annotations

import numpy as np
import pytest

from each import each
from kinetree.confine import Confinement
from kinetree.formats.usd import read
from kinetree.formats.usd.prim import stage_of
from kinetree.formats.usd.source import LIMITS, open_stage, parts_of
from kinetree.isolated import ChildError
from usd_texts import TWO, stage

BINARY = b"PXR-USDC...."
SETTINGS = {"metersPerUnit": 1.0, "upAxis": "Z"}
PRIM = ("/a", "Xform", ["PhysicsRigidBodyAPI"], {"physics:centerOfMass": np.arange(3.0).tobytes()}, {}, "", None)


@pytest.fixture
def child(monkeypatch):
    """Return a dictionary: its "answer" is returned or raised in place of that of a child process; "asked" is how."""
    found = {"answer": (SETTINGS, [PRIM], []), "asked": None}

    def call(name, *arguments, **options):
        found["asked"] = (name.rpartition(":")[2], arguments, options)
        if isinstance(found["answer"], Exception):
            raise found["answer"]
        return found["answer"]

    monkeypatch.setattr("kinetree.formats.usd.source._is_installed", lambda: True)
    monkeypatch.setattr("kinetree.isolated.call", call)
    parts_of.cache_clear()
    yield found
    parts_of.cache_clear()


def opened(content: bytes, file: str, folders=None, variants=None):
    return open_stage(content, file, folders and Confinement(folders), variants or {})


class TestAsking:
    def test_of_a_file_without_confinement_is_for_its_workspace_and_may_read_all(self, child, tmp_path):
        file = str(tmp_path / "a.usd")
        opened(BINARY, file)
        name, (text, source, folders, variants), options = child["asked"]
        assert (name, text, source, variants) == ("compose", None, file, {})
        assert str(tmp_path) in folders
        assert options == {**LIMITS, "readable": None}

    def test_of_a_confined_file_is_for_its_folders_and_itself(self, child, tmp_path):
        inside = tmp_path / "inside"
        opened(BINARY, str(tmp_path / "a.usd"), [inside], {"size": "large"})
        _, (text, _, folders, variants), options = child["asked"]
        assert (text, folders, variants) == (None, [str(inside)], {"size": "large"})
        assert options["readable"] == [str(inside), str(tmp_path / "a.usd")]

    @each("folders", [None, ["/inside"]])
    def test_of_a_text_is_for_no_folder(self, child, folders):
        text = '#usda 1.0\ndef "a" (references = @b.usda@) {\n}'
        opened(text.encode(), "<text>", folders)
        _, (given, _, found, _), options = child["asked"]
        assert (given, found, options["readable"]) == (text, [], [])

    def test_of_a_flat_text_is_for_its_variants_alone(self, child):
        flat = stage(*TWO)
        assert len(opened(flat.encode(), "a.usda")[0].prims) == 2
        assert child["asked"] is None
        assert len(opened(flat.encode(), "a.usda", None, {"size": "large"})[0].prims) == 1
        assert child["asked"][1][3] == {"size": "large"}

    def test_of_bytes_without_a_path_is_refused(self, child):
        made, (finding,) = opened(BINARY, "<text>")
        message = "a USD file that is no text is read from the disk alone; name its path"
        assert (made, finding.code, finding.message) == (None, "usd-stage", message)
        assert child["asked"] is None

    def test_of_a_wrong_text_is_for_usd_core_where_it_is_installed(self, child, monkeypatch):
        wrong = b'#usda 1.0\n\ndef Xform "a"\n{'
        assert opened(wrong, "a.usda")[1] == []
        assert child["asked"] is not None
        monkeypatch.setattr("kinetree.formats.usd.source._is_installed", lambda: False)
        made, (finding,) = opened(wrong, "a.usda")
        assert (made, finding.source.line, finding.code) == (None, 4, "usd-stage")
        assert finding.message == "it is no USD text that can be read: '' stands where a property is expected"
        assert finding.fix == "correct it, or if other programs read it, pip install 'kinetree[usd]'"


class TestAnswers:
    def test_have_arrays_in_bytes(self, child):
        made, findings = opened(BINARY, "a.usd")
        assert (made.settings, findings) == (SETTINGS, [])
        assert made.prims["/a"].values["physics:centerOfMass"].tolist() == [0, 1, 2]
        assert made.prims["/a"].schemas == ("PhysicsRigidBodyAPI",)

    @each("severity, stays", [("error", False), ("warning", True), ("info", True)])
    def test_with_findings_are_stages_unless_one_is_an_error(self, child, severity, stays):
        child["answer"] = (SETTINGS, [PRIM], [(severity, "usd-stage", "odd", "/a"), ("info", "usd-stage", "more", "")])
        made, (first, second) = opened(BINARY, "a.usd")
        assert (made is not None) == stays
        assert (first.severity, first.code, first.message, first.element) == (severity, "usd-stage", "odd", "prim /a")
        assert (first.source.file, first.source.line) == ("a.usd", None)
        assert (second.message, second.element) == ("more", None)

    def test_have_findings_before_those_of_the_reader(self, child):
        child["answer"] = (SETTINGS, [PRIM], [("warning", "usd-stage", "odd", "")])
        robot, findings = read(BINARY, "a.usd")
        assert findings[0].message == "odd"
        assert robot.notes[0].message == "odd"
        assert robot.text is None

    @each(
        "answer",
        [
            None,
            (1, 2),
            (SETTINGS, [PRIM[:6]], []),
            (SETTINGS, [("/a", 1, *PRIM[2:])], []),
            (SETTINGS, [(*PRIM[:2], [1], *PRIM[3:])], []),
            (SETTINGS, [(*PRIM[:3], {"radius": [1.0]}, *PRIM[4:])], []),
            (SETTINGS, [PRIM], [("fatal", "usd-stage", "odd", "")]),
            (SETTINGS, [PRIM], [("error", "usd-stage", 1, "")]),
            (SETTINGS, [PRIM], [("error", "usd-stage", "odd", None)]),
        ],
    )
    def test_that_are_no_stage_are_errors(self, child, answer):
        child["answer"] = answer
        made, (finding,) = opened(BINARY, "a.usd")
        message = "the process in which usd-core reads this file gives an answer that is no stage"
        assert (made, finding.code, finding.severity, finding.message) == (None, "usd-stage", "error", message)

    def test_that_do_not_come_are_errors(self, child):
        child["answer"] = ChildError("takes too long")
        made, (finding,) = opened(BINARY, "a.usd")
        assert (made, finding.code) == (None, "usd-stage")
        assert finding.message == "the process in which usd-core reads this file takes too long"


class TestParts:
    def test_are_those_in_the_folder_of_the_file(self, child):
        child["answer"] = [
            ("/r/a.usda", "/r/parts/b.usda"),
            ("/r/a.usda", "/other/c.usda"),
            ("/r/a.usda", "/rest.usda"),
        ]
        assert parts_of(("/r/a.usda",)) == {"/r/parts/b.usda"}
        assert child["asked"] == ("referred", (["/r/a.usda"],), {**LIMITS, "readable": None})

    def test_of_no_file_are_not_asked_for(self, child):
        assert parts_of(()) == frozenset()
        assert child["asked"] is None

    @each("answer", [ChildError("ends"), None, [1], [("/a",)], [(1, "/a")]])
    def test_are_none_without_an_answer_that_fits(self, child, answer):
        parts_of.cache_clear()
        child["answer"] = answer
        assert parts_of(("/r/a.usda",)) == frozenset()

    def test_are_none_without_usd_core(self, child, monkeypatch):
        monkeypatch.setattr("kinetree.formats.usd.source._is_installed", lambda: False)
        assert parts_of(("/r/a.usda",)) == frozenset()
        assert child["asked"] is None


def test_usd_core_is_looked_for(monkeypatch):
    """Without it, the command says what to install."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name if name == "pxr" else None)
    monkeypatch.setattr("kinetree.isolated.call", lambda *_, **__: (SETTINGS, [PRIM], []))
    assert open_stage(BINARY, "a.usd", None, {})[0] is not None
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    _, (finding,) = open_stage(BINARY, "a.usd", None, {})
    message = "a binary or archive of USD is read by usd-core, which is not installed"
    assert (finding.code, finding.message, finding.fix) == ("usd-core", message, "pip install 'kinetree[usd]'")


@each("raw", [(1, "Xform", (), {}, {}, "", None), ("/a", "Xform", (), {"size": None}, {}, "", None)])
def test_a_stage_of_other_values_is_refused(raw):
    with pytest.raises(TypeError):
        stage_of("a.usd", {}, [raw])
