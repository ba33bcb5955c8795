"""Files of arms, and profiles of one rule."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from kinetree.conventions.check import FAMILIES, PROFILES, Profile
from kinetree.conventions.rule import Rule


@pytest.fixture
def arm(tmp_path):
    """Write a text as a file."""

    def arm(text: str | bytes, name: str = "arm.urdf") -> Path:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return arm


@pytest.fixture
def with_rule(monkeypatch):
    """Ask one rule in a profile of its own."""

    def with_rule(rule: type[Rule]) -> str:
        monkeypatch.setitem(sys.modules, "kinetree.conventions.tried", SimpleNamespace(RULES=(rule,)))
        monkeypatch.setitem(FAMILIES, "TEST", "tried")
        monkeypatch.setitem(PROFILES, "tried", Profile("one rule", ("TEST",)))
        return "tried"

    return with_rule
