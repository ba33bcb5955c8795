"""Real files, damaged: a reader may only return a robot or raise KinetreeError, and no robot with a fault inside.

The damage: elements and attributes dropped, doubled, swapped, renamed, given other values; bytes flipped, runs of
bytes cut out. `faults` is a second opinion on URDF, written over ElementTree and sharing nothing with the reader.
"""

from __future__ import annotations

import math
import os
import random
import re
import xml.etree.ElementTree as ET
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import kinetree as kt
from fuzz.mutate import mutate_bytes, mutate_tree
from fuzz.texts import own
from support import all_frames, icub_urdfs

pytestmark = pytest.mark.slow

EXAMPLES = int(os.environ.get("KINETREE_EXAMPLES", "60"))
TEXTS = {path.parent.name: path.read_bytes() for path in icub_urdfs() if path.stat().st_size < 120_000}
TYPES = ("fixed", "revolute", "continuous", "prismatic", "planar", "floating")


def tree(text: bytes) -> ET.Element:
    return ET.fromstring(text.replace(b":", b"_"))  # prefixes are names like others, declared or not


def faults(text: bytes) -> set[str]:
    """What is wrong with a URDF file, of the kinds that must never load."""
    try:
        root = tree(text)
    except (ET.ParseError, LookupError, ValueError, UnicodeError):
        return {"syntax"}
    if b"<!DOCTYPE" in text or root.tag != "robot":
        return {"syntax"}
    links = [e.get("name", "") for e in root.findall("link")]
    joints = root.findall("joint")
    names = [e.get("name", "") for e in joints]
    found = set()
    if any(n > 1 for n in (*Counter(links).values(), *Counter(names).values())) or "" in (*links, *names):
        found.add("names")
    children = Counter()
    for joint in joints:
        parent, child = joint.find("parent"), joint.find("child")
        ends = ("" if e is None else e.get("link", "") for e in (parent, child))
        if not set(ends) <= set(links):
            found.add("ends")
        children[child.get("link", "") if child is not None else ""] += 1
        if joint.get("type") not in TYPES:
            found.add("type")
        axis = joint.find("axis")
        if axis is not None and joint.get("type") not in ("fixed", "floating"):
            values = finite(axis.get("xyz", "1 0 0"), 3)
            if values is None or not any(values):
                found.add("axis")
        mimic = joint.find("mimic")
        if mimic is not None and joint.get("type") in TYPES[1:4] and mimic.get("joint") not in names:
            found.add("mimic")
        limit = joint.find("limit")
        for value in limit.attrib.values() if limit is not None and joint.get("type") in TYPES[1:4] else ():
            if finite(value, 1) is None:
                found.add("number")
    for owner in (*joints, *root.findall("link/inertial")):  # of a shape, which is left out, it is a warning
        origin = owner.find("origin")
        if origin is not None and any(finite(origin.get(name, "0 0 0"), 3) is None for name in ("xyz", "rpy")):
            found.add("number")
    if len([name for name in links if not children[name]]) != 1 or any(n > 1 for n in children.values()):
        found.add("roots")
    return found


def finite(text: str, count: int) -> list[float] | None:
    words = text.split()
    if len(words) != count or not all(re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", w) for w in words):
        return None
    values = [float(w) for w in words]
    return values if all(map(math.isfinite, values)) else None


@pytest.mark.parametrize("mutate", [mutate_tree, mutate_bytes])
@settings(max_examples=EXAMPLES, deadline=10_000, derandomize=True)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_damaged_urdf_is_refused_or_sound(mutate, seed, tmp_path_factory):
    rng = random.Random(seed)
    text = mutate(TEXTS[rng.choice(sorted(TEXTS))], rng)
    path = tmp_path_factory.getbasetemp() / "damaged.urdf"
    path.write_bytes(text)
    try:
        robot = kt.load(path)
    except kt.KinetreeError as error:
        assert error.findings
        assert all(finding.severity == "error" and finding.message for finding in error.findings)
        return
    if (wrong := faults(text)) == {"syntax"}:
        assert any(note.code == "xml-lenient" for note in robot.notes)
        return
    assert not wrong
    root = tree(text)
    assert len(robot.links) == len(root.findall("link"))
    assert len(robot.joints) == len(root.findall("joint"))


OTHERS = ("sdf", "mjcf", "dh", "dh-csv", "ets", "xacro")


@pytest.mark.parametrize("mutate", [mutate_tree, mutate_bytes])
@pytest.mark.parametrize("format", OTHERS)
@settings(max_examples=max(EXAMPLES // 3, 1), deadline=20_000, derandomize=True)
@given(seed=st.integers(0, 2**32 - 1))
@pytest.mark.sampled
def test_a_damaged_file_of_another_format_is_refused_or_a_tree(format, mutate, seed):
    text = own(format)[-1].content
    if mutate is mutate_tree and not text.lstrip().startswith(b"<"):
        return  # no XML
    damaged = mutate(text, random.Random(seed)).decode("utf-8", "replace")
    try:
        robot = kt.load(damaged, format=format)
    except kt.KinetreeError as error:
        assert error.findings
        assert all(finding.severity == "error" and finding.message for finding in error.findings)
        return
    assert {joint.child for joint in robot.joints.values()} == {*robot.links} - {robot.root}
    assert len(robot.placed) == len(robot.joints) == len(robot.links) - 1
    assert np.isfinite(list(all_frames(robot, robot.q()).values())).all()
