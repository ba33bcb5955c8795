"""Real files, damaged: a reader may only return a robot or raise KinetreeError, and no robot with a fault inside.

The damage: elements and attributes dropped, doubled, swapped, renamed, given other values; bytes flipped, runs of
bytes cut out. `faults` is a second opinion on URDF, written over ElementTree and sharing nothing with the reader.
"""

from __future__ import annotations

import copy
import math
import os
import random
import re
import xml.etree.ElementTree as ET
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kinetree as kt
from kinetree.load import FORMATS
from support import all_frames, icub_urdfs

EXAMPLES = int(os.environ.get("KINETREE_EXAMPLES", "60"))
TEXTS = {path.parent.name: path.read_bytes() for path in icub_urdfs() if path.stat().st_size < 120_000}
BAD_VALUES = ("", "nan", "inf", "1e999", "-1,5", "0 0 0", "1 2", "1_0", "abc", "${x}", "٣", "0x10", "1 0 0 0", "é")
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
    for owner in (*joints, *(part for link in root.findall("link") for part in link)):
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


def mutate_tree(text: bytes, rng: random.Random) -> bytes:
    """One to three changes to elements or attributes."""
    root = ET.fromstring(text)
    for _ in range(rng.randint(1, 3)):
        parents = [e for e in root.iter() if len(e)]
        parent = rng.choice(parents)
        at = rng.randrange(len(parent))
        child = parent[at]
        action = rng.randrange(7)
        if action == 0:
            parent.remove(child)
        elif action == 1:
            parent.insert(rng.randrange(len(parent) + 1), copy.deepcopy(child))
        elif action == 2:
            other = rng.randrange(len(parent))
            parent[at], parent[other] = parent[other], parent[at]
        elif action == 3:
            child.tag = rng.choice([e.tag for e in parents] + ["unknown"])
        elif action == 4 and child.attrib:
            del child.attrib[rng.choice(list(child.attrib))]
        elif action == 5 and child.attrib:
            child.set(rng.choice(list(child.attrib)), rng.choice(BAD_VALUES))
        elif child.attrib:
            donor = rng.choice([e for e in root.iter() if e.attrib])
            child.set(rng.choice(list(child.attrib)), rng.choice(list(donor.attrib.values())))
        if not len(root):
            break
    return ET.tostring(root)


def mutate_bytes(text: bytes, rng: random.Random) -> bytes:
    data = bytearray(text)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data))
        if rng.random() < 0.7:
            data[at] ^= 1 << rng.randrange(8)
        else:
            del data[at : at + rng.randint(1, 50)]
    return bytes(data)


@pytest.mark.parametrize("mutate", [mutate_tree, mutate_bytes])
@settings(max_examples=EXAMPLES, deadline=10_000, derandomize=True)
@given(seed=st.integers(0, 2**32 - 1))
@pytest.mark.slow
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
    assert not faults(text)
    root = tree(text)
    assert len(robot.links) == len(root.findall("link"))
    assert len(robot.joints) == len(root.findall("joint"))


def other_texts() -> dict[str, bytes]:
    """The iCub in every other format that says trees, and what xacro makes robots of."""
    icub = kt.load("icub")
    left_out = ("extension", "group", "sensor", "velocity_limit")
    texts = {name: FORMATS[name].write(icub, left_out) for name in ("sdf", "mjcf", "dh")}
    arm = kt.edit.cut(kt.load("icub", limits="dh"), "l_shoulder_1")
    texts |= {name: FORMATS[name].write(arm, ("frame", "group", "limit", "sensor")) for name in ("dh-csv", "ets")}
    texts["xacro"] = XACRO
    return {name: text.encode() for name, text in texts.items()}


XACRO = """<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="length" default="0.5"/> <xacro:property name="half" value="${length / 2}"/>
  <xacro:property name="length" value="$(arg length)"/>
  <xacro:macro name="segment" params="name parent:=base *origin">
    <link name="${name}"><visual><geometry><box size="${half} 1 ${[1, 2][0]}"/></geometry></visual></link>
    <joint name="${name}_joint" type="continuous"><xacro:insert_block name="origin"/><axis xyz="0 0 1"/>
      <parent link="${parent}"/><child link="${name}"/></joint>
  </xacro:macro>
  <link name="base"/>
  <xacro:segment name="one"><origin xyz="0 0 ${length}"/></xacro:segment>
  <xacro:if value="${half > 0}"><xacro:segment name="two" parent="one"><origin xyz="0 0 1"/></xacro:segment></xacro:if>
</robot>
"""
OTHERS = other_texts()


@pytest.mark.parametrize("mutate", [mutate_tree, mutate_bytes])
@pytest.mark.parametrize("format", OTHERS)
@settings(max_examples=max(EXAMPLES // 3, 1), deadline=20_000, derandomize=True)
@given(seed=st.integers(0, 2**32 - 1))
@pytest.mark.slow
def test_a_damaged_file_of_another_format_is_refused_or_a_tree(format, mutate, seed):
    text = OTHERS[format]
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
