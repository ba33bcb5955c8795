"""Thousands of real files: each loads or is refused for a known cause; none crashes or hangs."""

import pytest

import corpus
from support import sample, shared

pytestmark = pytest.mark.slow

CAUSES = {
    *("xml-syntax", "xml-doctype", "xml-encoding", "xml-size", "xml-depth"),
    *("number", "missing-attribute", "missing-element", "duplicate-element", "duplicate-name", "geometry"),
    "xacro-scope",
    "unknown-root",  # of a part that another robot carries
    *("unknown-parent", "unknown-child", "two-parents", "several-roots", "cycle", "no-links", "mimic", "srdf-alone"),
    *("no-axis", "zero-axis", "joint-type", "urdf-version", "zero-quaternion", "left-over-xacro"),
    *("package", "package-ambiguous", "xacro-include", "xacro-argument", "xacro-macro", "xacro-expression"),
    *("sdf-version", "several-models", "include-not-found", "unknown-frame", "reserved-name"),
    "include",  # of a file with several models
    *("not-sdf", "no-model"),  # no robot in them: tables of the specification, worlds without models
    *("xacro-yaml", "xacro-recursion", "xacro-size", "xacro-substitution", "xacro"),
}


def load_every(n, seconds):
    folder = shared("corpus")
    tasks = [
        (folder, path, format, seconds) for path, format in corpus.files_of(folder, ("urdf", "xacro", "sdf", "mjcf"))
    ]
    return [corpus.outcome(task) for task in sample(tasks, n)]


def check(outcomes, at_least):
    assert len(outcomes) >= at_least
    assert [o for o in outcomes if o.result == "crashed"] == []
    assert {o.code: o.file for o in outcomes if o.result == "refused" and o.code not in CAUSES} == {}
    robots = [o for o in outcomes if o.code not in ("not-sdf", "no-model", "no-links") and o.result != "macro file"]
    assert sum(o.result == "loaded" for o in robots) > 0.65 * len(robots)


def test_files_load_or_are_refused_for_a_known_cause():
    check(load_every(6, seconds=60), at_least=430)
