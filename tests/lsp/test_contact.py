"""Editors never test contact, whatever the settings say."""

from kinetree.checker.check import check
from kinetree.checker.in_child import examine_alone
from kinetree.checker.plan import jobs
from kinetree.lsp.model import read_model
from rule_cases.contact import swing


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
