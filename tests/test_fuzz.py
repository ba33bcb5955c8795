"""The fuzzer: what it found once stays repaired, and it would find what is broken."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import kinetree as kt
from each import each
from fuzz import oracle
from fuzz.attempt import Trial
from fuzz.engines import FromBytes
from fuzz.expressions import file
from fuzz.oracle import judge
from fuzz.targets import TARGETS
from kinetree.errors import fail

CASES = sorted(path for path in (Path(__file__).parents[1] / "fuzz" / "cases").glob("*/*") if path.is_file())


@each("path", CASES)
def test_what_was_found_once_stays_repaired(path):
    assert judge(lambda: TARGETS[path.parent.name].run(path.read_bytes(), "<text>")) is None


def test_every_case_belongs_to_a_target_and_is_small():
    assert {path.parent.name for path in CASES} <= set(TARGETS)
    assert all(path.stat().st_size <= 2000 for path in CASES)


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_every_target_has_cases_that_pass(name):
    for seed in range(4):
        case = TARGETS[name].case(random.Random(seed), None)
        assert judge(lambda case=case: TARGETS[name].run(case.content, case.file)) is None, case.content


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, target in TARGETS.items() if target.invent is None])
def test_the_texts_that_cases_are_made_from_are_read(name):
    for text in TARGETS[name].own()[:3]:
        TARGETS[name].run(text.content, text.file)


def stumble(text: bytes, file: str) -> None:
    if b"7" in text:
        raise ZeroDivisionError(f"at {len(text)}")


def test_the_oracle_accepts_refusals_and_nothing_else(monkeypatch):
    def refuse():
        raise fail("code", "message")

    assert judge(refuse) is None
    assert judge(dict) is None
    assert judge(lambda: stumble(b"7", "")).key.startswith("ZeroDivisionError at")
    monkeypatch.setattr(oracle, "SECONDS", 0.05)
    assert "TooSlow" in judge(lambda: [i * i for i in range(10**7)]).key


@pytest.mark.slow
def test_a_fault_is_kept_once_and_made_small(tmp_path, monkeypatch):
    monkeypatch.setattr(oracle, "limit_memory", lambda: None)
    trial = Trial(replace(TARGETS["urdf"], run=stumble), None, tmp_path)
    for seed in range(20):
        trial.one(random.Random(seed))
    assert trial.count == 20
    (kept,) = tmp_path.glob("urdf/*.urdf")
    assert b"7" in kept.read_bytes()
    assert len(kept.read_bytes()) < 200
    assert "ZeroDivisionError" in Path(f"{kept}.txt").read_text()


def test_random_numbers_from_bytes_make_cases():
    kinds = Counter(file(FromBytes(bytes([k, 255 - k] * 200))) for k in range(20))
    assert len(kinds) > 10
    assert FromBytes(b"").randrange(10) == 0


def test_a_reader_that_returns_half_a_robot_is_found(monkeypatch):
    from fuzz import targets

    monkeypatch.setattr(targets, "poses", lambda robot: [float("nan")])
    fault = judge(lambda: targets.read("urdf")(b'<robot name="r"><link name="a"/></robot>', "<text>"))
    assert fault.key.endswith("(a frame is nowhere)")


def test_what_is_written_wrong_is_found(monkeypatch):
    from fuzz import targets

    row = targets.FORMATS["sdf"]
    moved = lambda self, robot, without: kt.load("icub").text.text if self is row else ""  # noqa: E731
    monkeypatch.setattr(type(row), "write", moved)
    text = TARGETS["save"].own()[0]
    assert judge(lambda: TARGETS["save"].run(text.content, text.file)).key.startswith("AssertionError")
