"""The guide for contributors names files that exist, and its map has the layers of pyproject.toml."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
FOLDERS = ("src", "tests", "docs", "benchmarks", "fuzz", "packaging", "viewer", "editors", ".ci")
PATH = r"[\w./-]*/|[\w./-]+\.(?:py|toml|js|json|md|txt)"


def places():
    """Return the path of every file and folder, and each of its ends: `a/b/c.py`, `b/c.py` and `c.py`."""
    found = set()
    for folder in FOLDERS:
        for path in [ROOT / folder, *(ROOT / folder).rglob("*")]:
            if "node_modules" not in path.parts:
                steps = path.relative_to(ROOT).parts
                found |= {"/".join(steps[i:]) for i in range(len(steps))}
    return found | {path.name for path in ROOT.iterdir()}


def test_every_path_exists():
    named = {path.rstrip("/") for path in re.findall(rf"`({PATH})`|`({PATH}): \w+`", GUIDE) for path in path if path}
    assert len(named) > 100
    made = {"viewing/bundle"}  # by hatch_build.py
    missing = sorted(named - places() - made)
    assert not missing, f"CONTRIBUTING.md names files that do not exist: {', '.join(missing)}"


def test_every_name_is_in_its_file():
    """`queries/motion.py: fk`, and `FAMILIES` in or of `rules/profiles.py`."""
    named = [(name, path) for path, name in re.findall(r"`([\w/]+\.py): (\w+)`", GUIDE)]
    named += re.findall(r"`(\w+)`\s(?:in|of)\s`([\w/]+\.py)`", GUIDE)
    assert len(named) > 10
    sources = [path for folder in ("src", "tests", "fuzz", "docs") for path in (ROOT / folder).rglob("*.py")]
    for name, end in named:
        files = [path for path in sources if path.as_posix().endswith(f"/{end}")]
        defines = re.compile(rf"^(?:def |class )?{name}\b[^.]", re.MULTILINE)
        assert any(defines.search(path.read_text(encoding="utf-8")) for path in files), f"{end} has no {name}"


def test_the_map_has_the_layers_in_their_order():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = (one for one in settings["tool"]["importlinter"]["contracts"] if one["type"] == "layers")
    layers = [{name.removeprefix("kinetree.") for name in layer.split(" | ")} for layer in contract["layers"]]
    rows = re.findall(r"^    ((?:\w+(?:/|\.py) +)+)\S", GUIDE[GUIDE.index("src/kinetree/\n") :], re.MULTILINE)
    lines = [set(re.findall(r"\w+(?=/|\.py)", row)) for row in rows]
    for layer in layers:
        while not layer <= lines[0]:
            assert lines[0] < layer, f"the map has {sorted(lines[0])} where pyproject.toml has {sorted(layer)}"
            lines[:2] = [lines[0] | lines[1]]
        assert lines.pop(0) == layer
    assert lines == [{"compiler"}]
