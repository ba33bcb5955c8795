"""The examples on the pages about editing and comparing run, and print what the pages say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[1] / "docs"


@pytest.mark.parametrize("page", ["editing.md", "compare.md"])
def test_a_page_prints_what_it_says(page, capsys):
    text = (DOCS / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert blocks
    code = "\n".join(blocks)
    exec(compile(code, page, "exec"), {})
    said = re.findall(r"(?:^|  )# ?(.*)$", code, re.MULTILINE)
    assert capsys.readouterr().out.splitlines() == said
