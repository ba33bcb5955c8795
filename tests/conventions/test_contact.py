"""When contact is tested, what excuses it, and which robots are left out."""

import pytest

import kinetree as kt
from kinetree.checker.check import check
from kinetree.checker.in_child import examine_alone
from kinetree.checker.job import Job
from kinetree.checker.plan import jobs
from kinetree.lsp.model import read_model
from kinetree.rules.contact import contacts
from kinetree.rules.options import CheckOptions
from mesh_files import CORNERS, stl
from rule_cases.builders import mesh
from rule_cases.contact import swing

pytestmark = pytest.mark.slow


def codes(examination) -> set[str]:
    return {finding.code for finding in examination.checked.findings if finding.code.startswith("CON")}


def test_editors_do_not_test_contact(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(swing(at=0.0))
    for settings in ("contact = true", 'select = ["CON"]'):
        (tmp_path / "kinetree.toml").write_text(settings)
        (job,) = made = jobs([str(path)])
        assert codes(examine_alone(job)) == {"CON-002"}
        (examined,) = read_model(made, {}, "utf-16").examined
        assert not codes(examined)


def test_contact_is_tested_if_it_is_asked_for():
    text = swing(at=0.0)
    for asked in ({"contact": True}, {"select": ["CON-002"]}, {"select": ["LIM", "CON"]}):
        assert "CON-002" in {one.code for one in check(text, format="urdf", **asked)}, asked
    for other in ({}, {"contact": True, "ignore": ["CON"]}, {"contact": True, "ignore": ["C"]}, {"select": ["LIM"]}):
        assert "CON-002" not in {one.code for one in check(text, format="urdf", **other)}, other
    assert "CON-002" in {one.code for one in check(text, format="urdf", contact=True, ignore=["CON-001"])}


@pytest.mark.parametrize("excused", [True, False])
def test_comments_excuse_what_is_found(tmp_path, excused):
    ends, posture = (
        "<!-- kinetree: ignore CON-003 because it is so -->",
        "<!-- kinetree: ignore CON-002 because it is so -->",
    )
    text = swing(0, 0.95, at=1.0).replace('<joint name="a"', f'{ends if excused else ""}<joint name="a"')
    path = tmp_path / "arm.urdf"
    path.write_text(text)
    assert codes(examine_alone(Job(str(path), CheckOptions(contact=True)))) == (set() if excused else {"CON-003"})
    path.write_text((posture if excused else "") + swing(at=0.0))
    assert codes(examine_alone(Job(str(path), CheckOptions(contact=True)))) == (set() if excused else {"CON-002"})


def test_what_cannot_be_used_is_left_out(monkeypatch):
    text = swing(at=0.0)
    ball = "<geometry><sphere radius='0.1'/></geometry>"
    assert text.count(ball) == 3
    broken = text.replace(ball, mesh("nowhere.stl"), 1)  # of the base
    more = broken.replace("</collision>", f"</collision><collision>{ball}<origin xyz='1 0 0'/></collision>", 1)
    assert not found(broken)
    assert found(more) == ["CON-002"]  # its other shape
    monkeypatch.setattr(contacts, "MOST_PAIRS", 2)
    assert not found(text)
    monkeypatch.setattr(contacts, "MOST_PAIRS", 3)
    assert found(text) == ["CON-002"]
    monkeypatch.setattr(contacts, "find_spec", lambda name: None)
    assert not found(text)
    assert not found(text.replace("collision>", "visual>"))


def test_large_files_are_left_out(tmp_path, monkeypatch):
    (tmp_path / "ball.stl").write_bytes(stl(CORNERS - [0.1, 0.1, 0.1]))
    ball = "<geometry><sphere radius='0.1'/></geometry>"
    path = tmp_path / "arm.urdf"
    path.write_text(swing(at=0.0).replace(ball, mesh("ball.stl"), 1))
    assert found(path) == ["CON-002"]
    monkeypatch.setattr(contacts, "MOST_BYTES", 100)
    assert not found(path)


def found(source) -> list[str]:
    robot = kt.load(source, format="urdf")
    return [one.code for one in check(robot, contact=True, select=["CON"])]


def test_messages_name_at_most_five_pairs():
    some = object.__new__(contacts.Contacts)
    some.pairs = [(f"a{i}", f"b{i}") for i in range(7)]
    assert some.named(range(5)).endswith("'a4' and 'b4'")
    assert some.named(range(7)).endswith("'a4' and 'b4' and 2 more pairs")
