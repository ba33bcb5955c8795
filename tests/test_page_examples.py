"""The runner of the examples of pages notices what a page says wrongly."""

import pytest

from each import each
from pages import ROOT, assert_printed, blocks, commands, run_page


@pytest.fixture
def page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("pages.ROOT", tmp_path)

    def write(text):
        path = tmp_path / "page.md"
        path.write_text(text)
        return path

    return write


def test_files_python_and_commands_run_in_their_order(page):
    text = """
```toml title="sub/a.toml"
x = 1
```

- item

  ```python
  from pathlib import Path
  y = Path("sub/a.toml").read_text()
  print(y.strip())
  ```

  ```text
  x = 1
  ```

```console
$ cat sub/a.toml
x = 1
$ echo one; \\
  echo two
…
two
```
```sh
pip install nothing
true  # fine
```
"""
    assert run_page(page(text)) == 3


@pytest.mark.parametrize(
    "text",
    [
        "```python\nprint(1)\n```\n```text\n2\n```",
        "```python\nprint(1)\n```",
        "```python\nx = 1\n```\n```text\n1\n```",
        "```console\n$ echo one\ntwo\n```",
        "```console\n$ kinetree --version\n```",
        "```console\n$ echo one; echo two\none\n```",
        "```sh\nfalse; exit 3\n```",
        "```python\n1 / 0\n```",
    ],
)
def test_what_is_not_printed_is_found(text, page):
    with pytest.raises((AssertionError, ZeroDivisionError)):
        run_page(page(text))


@each("expected, right", [("…\nb\n…", True), ("a\n…", True), ("…\nc", True), ("…\nb", False)])
def test_lines_can_be_left_out(expected, right):
    if right:
        assert_printed("a\nb\nc\n", expected, "here")
    else:
        with pytest.raises(AssertionError, match="here does not print"):
            assert_printed("a\nb\nc\n", expected, "here")


def test_the_pages_have_blocks_at_their_lines():
    page = ROOT / "docs" / "reference" / "kinematics.md"
    lines = page.read_text().splitlines()
    for block in blocks(page):
        assert lines[block.line - 1] == block.text.split("\n")[0]
    console = next(block for block in blocks(ROOT / "docs/reference/command-line.md") if block.language == "console")
    assert next(commands(console))[0] == "kinetree inspect arm.urdf"
