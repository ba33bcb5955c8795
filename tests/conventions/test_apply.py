"""Which repairs stay when some of them bring new findings: the rules and repairs are played."""

from collections import Counter
from types import SimpleNamespace

import pytest

from kinetree.errors import Finding
from kinetree.fixer import apply

KEYS = [("URD-001", f"link '{name}'") for name in "abcd"]
NEW = Finding("GEO-009", "warning", "this is new", fix="do not", element="link 'x'")


def state(keys):
    findings = [
        Finding(code, "warning", "to be repaired", element=element) for code, element in keys if code != NEW.code
    ]
    return SimpleNamespace(keys=Counter(keys), findings=[*findings, NEW], excused=frozenset())


@pytest.fixture
def played(monkeypatch):
    """Repairs of one rule: each removes the findings that it is for; that of `bad` brings a new one."""

    def play(bad, useless=()):
        tried = []

        def next_trial(task, now, trials):
            keys = [key for key in now.keys if key in KEYS and key not in trials.given_up]
            chosen = trials.next_to_try(keys) if keys else ()
            return apply.Trial(SimpleNamespace(code="URD-001"), chosen, ()) if chosen else None

        def applied(task, trial, now):
            tried.append("".join(element[-2] for _, element in trial.keys))
            left = [key for key in now.keys if key not in trial.keys or key in useless]
            new = [(NEW.code, NEW.element)] if bad in trial.keys else []
            return apply.Step(now, state(left + new), trial.keys, {})

        monkeypatch.setattr(apply, "_next", next_trial)
        monkeypatch.setattr(apply, "_applied", applied)
        return apply.apply_fixes(SimpleNamespace(options=SimpleNamespace(ignore=())), state(KEYS)), tried

    return play


def test_a_group_with_a_bad_repair_is_halved_until_it_stands_alone(played):
    (steps, why), tried = played(bad=KEYS[2])
    assert tried == ["abcd", "ab", "cd", "c", "d", "d"]  # what comes after a bad one is undone with it
    assert [step.keys for step in steps] == [tuple(KEYS[:2]), (KEYS[3],)]
    caused = "a repair would cause GEO-009 of link 'x': this is new; do not; --ignore GEO-009 accepts that"
    assert why == {KEYS[2]: caused}


def test_repairs_without_use_are_given_up(played):
    (_, why), tried = played(bad=None, useless=(KEYS[1],))
    assert tried == ["abcd", "acd"]
    assert why == {KEYS[1]: apply.NO_USE}
