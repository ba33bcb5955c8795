"""The table of docs/reference/checking-settings.md lists the rules about suppressions."""

import re
from pathlib import Path

from kinetree.rules.profiles import family

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "checking-settings.md"


def test_the_page_of_settings_has_every_rule_of_suppressions():
    text = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| (SUP-\d{3}) \| (\w+) \| (.*) \|$", text, re.MULTILINE)
    assert rows == [(rule.code, rule.level, rule.title()) for rule in family("SUP")]
