"""The pages of codes: one for each, and their examples give exactly what they show."""

import re
from pathlib import Path

import pytest
from make_codes import FORMATS, code_pages, examples, findings, main
from make_rules import pages as rule_pages

from kinetree.codes import CODES, RETIRED
from kinetree.errors import SITE, address
from kinetree.rules.profiles import FAMILIES, family
from kinetree.rules.rep199.manual_clauses import CLAUSES


@pytest.fixture(scope="module")
def pages():
    return code_pages()


@pytest.mark.slow
def test_there_is_a_page_for_every_code(pages):
    rules = {rule.code for letters in FAMILIES for rule in family(letters)}
    codes = {*CODES, *RETIRED, *rules, *(clause.code for clause in CLAUSES)}
    assert set(pages) == {f"e/{code}.md" for code in codes} | {"e/index.md"}
    for code in codes:
        assert pages[f"e/{code}.md"].startswith(f"# {code}\n\n")
        assert pages["e/index.md"].count(f"| [{code}]({code}.md) | ") == 1
        assert address(code) == f"{SITE}/e/{code}"


@pytest.mark.slow
def test_pages_say_what_to_do(pages):
    page = pages["e/unknown-child.md"]
    assert "**What to do.** Correct the name, or add the link." in page
    assert '<child link="uper"/>' in page
    assert "error: joint 'elbow': its child link 'uper' does not exist; did you mean 'upper'? [unknown-child]" in page
    rule = pages["e/R199-403.md"]
    for said in ("must always point away", "[REP-199](https://", "Good:", "Bad:", "industrial", "--unsafe"):
        assert said in rule
    assert "Does the controller have a flange frame" in pages["e/R199-407.md"]


@pytest.mark.slow
def test_links_lead_to_pages(pages):
    rules = {f"../reference/{name}" for name in rule_pages()} | {"../reference/checking-settings.md"}
    for name, text in pages.items():
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", re.sub(r"```.*?```", "", text, flags=re.DOTALL)):
            assert target in rules or f"e/{target}" in pages, f"{name}: {target}"


@pytest.mark.slow
def test_no_text_is_a_tag(pages):
    for name, text in (pages | rule_pages()).items():
        prose = re.sub(r"```.*?```|`[^`]*`|<!--.*?-->", "", text, flags=re.DOTALL)
        assert "<" not in prose, f"{name}: {prose[prose.index('<') :][:40]}"
    assert "Add &lt;limit>, or make the joint continuous." in pages["e/no-limit.md"]


@pytest.mark.slow
def test_every_example_has_its_finding_alone():
    shown = examples()
    assert len(shown) > 110
    for code, texts in shown.items():
        for form, text in texts.items():
            assert [finding.code for finding in findings(form, text)] == [code], (form, code)


def test_an_example_is_read_as_its_format():
    (finding,) = findings("sdf", examples()["zero-axis"]["sdf"])
    assert (finding.code, finding.source and finding.source.file) == ("zero-axis", "arm.sdf")
    assert set(FORMATS) == {path.stem for path in Path(__file__).parents[1].joinpath("docs/codes").iterdir()}


@pytest.mark.slow
def test_they_are_written(tmp_path):
    main(tmp_path)
    assert (tmp_path / "e" / "zero-axis.md").read_text("utf-8").startswith("# zero-axis\n")
