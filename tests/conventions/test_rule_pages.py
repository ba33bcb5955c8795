"""The pages about rules are those that the rules make."""

import re
from pathlib import Path

import pytest
from make_rules import main, pages

from each import each
from kinetree.errors import KinetreeError
from kinetree.rules.explain import explain, explanations
from kinetree.rules.profiles import FAMILIES, PROFILES, TITLES, family, rules_of
from kinetree.rules.threshold import Threshold
from kinetree.rules.whole_examples import broken

DOCS = Path(__file__).parents[2] / "docs" / "reference"
AGAIN = "python docs/make_rules.py"


def test_the_pages_are_current():
    made = pages()
    assert {f"rules/{path.name}" for path in (DOCS / "rules").iterdir()} == set(made) - {"rules.md", "rep199.md"}, AGAIN
    for name, text in made.items():
        assert (DOCS / name).read_text("utf-8") == text, f"{name} is not current: {AGAIN}"


@pytest.mark.slow
def test_they_are_written_where_one_says(tmp_path):
    main(tmp_path)
    assert {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.md")} == {str(Path(name)) for name in pages()}


@pytest.mark.slow
def test_every_rule_of_every_profile_is_on_its_page_and_linked():
    made = pages()
    links = dict(re.findall(r"^\| \[([A-Z]+\d*-\d{3})\]\((.*?)\)", made["rules.md"], re.MULTILINE))
    assert set(links) >= {rule.code for profile in PROFILES for rule in rules_of(profile)}
    for code, link in links.items():
        page, _, anchor = link.partition("#")
        assert anchor == code.lower()
        assert f"\n## {code}\n" in made[page]


@each("letters", FAMILIES)
def test_families_have_a_title_and_their_own_rules(letters):
    assert list(TITLES) == list(FAMILIES)
    assert list(TITLES.values()).count(TITLES[letters]) == 1
    assert [rule.code for rule in explanations(letters)] == sorted(rule.code for rule in family(letters))
    assert all(rule.code.startswith(f"{letters}-") for rule in family(letters))


def test_an_explanation_has_what_the_rule_says():
    (rule,) = explain("r199-403")
    assert (rule.code, rule.family, rule.level, rule.severity) == ("R199-403", "R199", "MUST", "error")
    assert rule.title == "The x axis of flange points away from the last link."
    assert rule.why.startswith("Models of grippers are made to be")
    assert {"industrial", "industrial-strict"} <= set(rule.profiles)
    assert "icub" not in rule.profiles


def test_long_lines_are_broken_between_elements():
    short = '<link name="a"/><link name="b"/>'
    joint = '<joint name="elbow"><parent link="a"/><child link="b"/></joint>'
    expected = f'<robot name="arm">\n  <link name="a"/>\n  <link name="b"/>\n  {joint}\n</robot>'
    assert broken(short) == short
    assert broken(f'<robot name="arm">{short}{joint}</robot>') == expected
    comment = "<!-- " + "why " * 30 + "-->"
    assert broken(f"  {comment}<a><b>1</b></a>") == f"  {comment}\n  <a><b>1</b></a>"
    assert broken("x = 1  # " + "y" * 120) == "x = 1  # " + "y" * 120


def test_an_unknown_code_names_the_nearest():
    with pytest.raises(KinetreeError, match=r"no rule 'R199-440'; did you mean .*'R199-40"):
        explain("R199-440")


def test_a_page_says_what_the_rule_finds_and_on_which_numbers_that_depends():
    (rule,) = explain("INR-007")
    solid = "also for a solid box around its shapes, or a body that a joint moves and that is too light altogether."
    assert rule.finds == f"A link that is too heavy, {solid}"
    assert list(rule.numbers.values()) == ["10,000 kg", "100 m", "1e-6 kg", "22,590 kg/m³"]
    (row,) = (line for line in pages()["rules/INR.md"].splitlines() if line.endswith("| 1e-6 kg |"))
    assert row == "| smallest mass of a body that a joint moves | 1e-6 kg |"
    assert explain("INR-004")[0].numbers == {}


@each("letters", FAMILIES)
def test_a_number_is_written_once(letters):
    """What a rule finds is said without its numbers."""
    for rule in family(letters):
        said = {float(text) for text in re.findall(r"\b\d+(?:\.\d+)?\b(?!\s+MB)", rule.check.__doc__)}
        assert not said & {float(number) for number in rule.thresholds}, rule.code


@each(
    "number, text",
    [
        (Threshold(2.0, "m", ""), "2 m"),
        (Threshold(4, "joints", ""), "4 joints"),
        (Threshold(22590.0, "kg/m³", ""), "22,590 kg/m³"),
        (Threshold(0.01, "", ""), "0.01"),
        (Threshold(0.5, "cosine", ""), "60 degrees"),
        (Threshold(0.5, "sine", ""), "30 degrees"),
        (Threshold(0.1, "rad", ""), "0.1 rad, 5.73 degrees"),
    ],
)
def test_a_number_has_its_unit(number, text):
    assert number.text == text
