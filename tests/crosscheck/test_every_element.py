"""What Drake (libsdformat) and MuJoCo make of the files with every element, and of empty values in them."""

import ctypes
import logging
import re
from pathlib import Path

import pytest

import kinetree as kt
from kinetree.formats.mjcf.known import ATTRIBUTES, CHILDREN
from kinetree.formats.sdf.values import REQUIRED
from kinetree.model.assemble import build, parts_of
from rich_texts import MJCF, SDF, edited, elements_of

pytestmark = pytest.mark.crosscheck


def refused(text):
    logging.getLogger("drake").setLevel(logging.CRITICAL)
    made = pytest.importorskip("pydrake.multibody.plant").MultibodyPlant(0.0)
    parser = pytest.importorskip("pydrake.multibody.parsing").Parser(made)
    try:
        parser.AddModelsFromString(text, "sdf")
    except RuntimeError as error:
        return re.search(r"Error reading element <(\w+)>", str(error))
    return None


def test_libsdformat_refuses_the_same_empty_elements():
    assert not refused(SDF)
    seen = set()
    for _, element in elements_of(SDF):
        if element.text.strip() and ":" not in element.tag and element.tag not in seen:
            seen.add(element.tag)
            empty = edited(SDF, [(element.tag_stop, element.end - element.tag_stop, "")])
            needed = element.tag in (*REQUIRED, "parent", "child", "uri", "name")
            assert bool(refused(empty)) == needed, element.tag
    assert seen >= REQUIRED


def schema():
    """Return {path of tags: (attributes, children)} of MuJoCo."""
    mujoco = pytest.importorskip("mujoco")
    (library,) = [*Path(mujoco.__file__).parent.glob("libmujoco*")][:1]
    buffer = ctypes.create_string_buffer(1_000_000)
    assert ctypes.CDLL(str(library)).mj_printSchema(b"", buffer, len(buffer), 0, 0) > 0
    found, path = {}, []
    for line in buffer.value.decode().splitlines():
        indent = len(line) - len(line.lstrip())
        if match := re.match(r"\s*(\S+) \(.\)(.*)", line):
            path = [*path[: indent // 3], match[1].replace("(world)", "")]
            found[tuple(path)] = set(match[2].split())
        elif line.strip():
            found[tuple(path)] |= set(line.split())
    return found


def test_the_table_of_mjcf_is_the_schema_of_mujoco():
    compared, paths = set(), schema()
    for path, attributes in paths.items():
        outer, tag = ("", *path)[-2:]
        if len(path) > 1 and path[1] not in ("compiler", "default", "asset", "body", "tendon", "equality", "sensor"):
            continue
        own = ATTRIBUTES.get(f"{outer}/{tag}", ATTRIBUTES.get(tag))
        if own is not None:
            compared.add(f"{outer}/{tag}" if f"{outer}/{tag}" in ATTRIBUTES else tag)
            assert attributes - {"class"} <= own, path
        if tag in CHILDREN:
            assert {one[-1] for one in paths if one[:-1] == path} <= CHILDREN[tag], path
    assert {*ATTRIBUTES} - compared == {"worldbody", "frame", "replicate"}  # of which the schema has no rows


def test_mujoco_reads_the_text_and_what_comes_back():
    mujoco = pytest.importorskip("mujoco")
    mujoco.MjSpec.from_string(MJCF)
    mujoco.MjSpec.from_string(kt.text(build(parts_of(kt.load(MJCF, format="mjcf"))), "mjcf"))
