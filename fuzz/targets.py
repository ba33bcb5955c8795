"""What is fuzzed: one row a target, with the texts its cases are made from and what is done with a case."""

from __future__ import annotations

import io
import random
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from fuzz import expressions, texts
from fuzz.mutate import Mutation, mutate_bytes, mutate_tree, mutate_words
from fuzz.texts import Text
from kinetree import icub
from kinetree.algorithms.kinematics import forward_kinematics
from kinetree.checker.baseline import read_baseline
from kinetree.checker.job import Job, check_job
from kinetree.checker.settings import read_settings
from kinetree.errors import KinetreeError
from kinetree.files.opener import Files
from kinetree.fixer.fix import fix, write
from kinetree.fixer.related_files import read_related_files, rename_in_files
from kinetree.formats import limit_tables, srdf
from kinetree.formats.registry import FORMATS, ReadOptions
from kinetree.formats.usd.text import TextError, parse
from kinetree.load import load
from kinetree.logs import read_motion
from kinetree.logs.ros.compare import compared
from kinetree.logs.ros.definitions import full_name
from kinetree.logs.ros.transforms import joint_state_topic, transform_topics
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import Robot
from kinetree.model.tree import build_tree
from kinetree.rules.examples import ARM
from kinetree.rules.options import CheckOptions
from kinetree.shapes import read_mesh

XML: tuple[Mutation, ...] = (mutate_tree, mutate_tree, mutate_words, mutate_bytes)
PLAIN: tuple[Mutation, ...] = (mutate_words, mutate_words, mutate_bytes)
FAR = 1e100
"""m: frames farther away need not be where they were, after a file was written and read again."""


@dataclass(frozen=True)
class Target:
    """What is fuzzed.

    run: does with a case (its text, and the file in which it is said to stand) what is to be shown to be safe.
    own: the texts of ours that cases are made from. mutations: what happens to these. invent: makes a case of nothing,
        where there is a grammar.
    suffixes, roots: which files of a folder are such texts. suffix: of the file that a case is kept in.
    """

    name: str
    run: Callable[[bytes, str], object]
    own: Callable[[], tuple[Text, ...]]
    suffix: str
    mutations: tuple[Mutation, ...] = XML
    suffixes: tuple[str, ...] = ()
    roots: tuple[bytes, ...] = ()
    invent: Callable[[random.Random], bytes] | None = None

    def texts(self, folder: Path | None) -> tuple[Text, ...]:
        """Return the texts of ours, and those of a folder."""
        found = self.own() if self.invent is None else ()
        return found if folder is None or not self.suffixes else found + _in_folder(folder, self.suffixes, self.roots)

    def case(self, rng: random.Random, folder: Path | None) -> Text:
        """Return a case made by lot."""
        if self.invent is not None:
            return Text(self.invent(rng))
        text = rng.choice(self.texts(folder))
        return Text(rng.choice(self.mutations)(text.content, rng), text.file)


_in_folder = cache(texts.in_folder)


def read(format: str) -> Callable[[bytes, str], Robot | None]:
    """Return the function that reads a text in a format and looks whether what it returns is whole."""

    def run(text: bytes, file: str) -> Robot | None:
        robot, findings = FORMATS[format].read(text, file, Files({}), ReadOptions())
        for finding in findings:
            assert finding.message
            assert str(finding)
        errors = [finding for finding in findings if finding.severity == "error"]
        assert robot is not None or errors, "neither a robot nor an error"
        if errors or robot is None:
            return None
        check_sound(robot)
        return robot

    return run


def flat_usd(text: bytes, file: str) -> None:
    """Read flat text of OpenUSD. What usd-core composes is read in its own limited process, and not here."""
    try:
        parse(text.decode())
    except (TextError, UnicodeDecodeError):
        return
    read("usd")(text, file)


def check_sound(robot: Robot) -> None:
    """Assert that a robot is a tree, and that all its frames have places."""
    assert {joint.child for joint in robot.joints.values()} == {*robot.links} - {robot.root}, "not a tree"
    assert len(robot.placed) == len(robot.joints) == len(robot.links) - 1, "not a tree"
    assert np.isfinite(poses(robot)).all(), "a frame is nowhere"


def poses(robot: Robot) -> np.ndarray:
    """Return T_root_frame (k, 4, 4) of all frames, with all joints at zero."""
    return np.array(forward_kinematics(build_tree(robot), robot.q(), robot.frames))


def check(format: str, profile: str) -> Callable[[bytes, str], None]:
    """Return the function that checks a text as a file, with its comments that excuse."""

    def run(text: bytes, file: str) -> None:
        with _Folder(text, f"case{FORMATS[format].suffixes[0]}") as path:
            found = check_job(Job(str(path), CheckOptions(profile)))
            assert all(str(finding) for finding in found.findings)

    return run


def repair(text: bytes, file: str) -> None:
    """Repair a text as a file, with new names, and read it again."""
    with _Folder(text, f"case{'.xacro' if b'xacro:' in text else '.urdf'}") as path:
        write(fix(path, profile="industrial", unsafe=True))
        load(path)
        assert [p.name for p in path.parent.iterdir()] == [path.name], "a stray file"


def save_and_load(text: bytes, file: str) -> None:
    """Write the robot of a text in all formats that can say it, and read it again."""
    robot = read("urdf")(text, file)
    if robot is None:
        return
    fresh = build(parts_of(robot))
    for name, row in FORMATS.items():
        if row.writer is None:
            continue
        try:
            written = row.write(fresh, ("extension", "safety", "calibration", "velocity_limit", "geometry", "material"))
        except KinetreeError:
            continue  # the format cannot say it
        again, findings = row.read(written.encode(), "<text>", Files({}), ReadOptions())
        errors = [str(finding) for finding in findings if finding.severity == "error"]
        assert again is not None, f"what was written as {name} cannot be read: {errors[0].splitlines()[0]}"
        assert not errors, f"what was written as {name} has errors: {errors[0].splitlines()[0]}"
        _check_same(robot, again.order(robot.joint_names) if again.nq == robot.nq else again, name)


def _check_same(robot: Robot, again: Robot, format: str) -> None:
    """Assert that all frames are where they were."""
    before = dict(zip(robot.frames, poses(robot), strict=True))
    after = dict(zip(again.frames, poses(again), strict=True))
    T_ba = np.linalg.inv(after[robot.root])
    for name, T in before.items():
        size = 1 + np.abs(T).max()
        assert size > FAR or np.abs(T_ba @ after[name] - T).max() <= 1e-9 * size, f"{format} moves a frame"


def read_srdf(text: bytes, file: str) -> None:
    """Read the groups of an arm."""
    _, groups, findings = srdf.read_onto(_arm(), text, file)
    assert all(str(finding) for finding in findings)
    assert all(set(joints) <= set(_arm().joint_names) for joints in groups.values())


def read_limits(text: bytes, file: str) -> None:
    """Read sets of limits."""
    sets, findings = limit_tables.read(text, file)
    assert all(str(finding) for finding in findings)
    assert all(np.isfinite(one.G).all() and one.G.shape == (len(one.h), len(one.joints)) for one in sets)


def read_skin(reader: Callable[[str], object]) -> Callable[[bytes, str], None]:
    """Return the function that reads a text about the iCub's skin; a line break makes it a text, no path."""

    def run(text: bytes, file: str) -> None:
        reader(text.decode("utf-8", "replace") + "\n")

    return run


def follow_names(suffix: str) -> Callable[[bytes, str], None]:
    """Return the function that lets a file that goes with a model follow new names."""

    def run(text: bytes, file: str) -> None:
        with _Folder(text, f"arm{suffix}") as path:
            related = read_related_files([path], "arm.urdf", _arm())
            contents = {one.path: one.content for one in related}
            rename_in_files(related, {("link", "link_1"): "link_x", ("joint", "joint_1"): "joint_x"}, _arm(), contents)

    return run


def mesh(ending: str) -> Callable[[bytes, str], None]:
    """Return the function that reads a mesh of a format."""

    def run(text: bytes, file: str) -> None:
        made = read_mesh(text, f"case{ending}")
        assert np.isfinite(made.bounds).all()
        assert made.triangles.max() < len(made.vertices)

    return run


def bag(text: bytes, file: str) -> None:
    """Read the motion of an arm from a bag, with transforms, and compare these."""
    with _Folder(text, "case.mcap") as path:
        assert np.isfinite(read_motion(_arm(), path).q).all()
        compared(_arm(), path, (0.1, 0.01))


def _bag() -> tuple[Text, ...]:
    """Return a bag in which no compression and checksum hides what is changed."""
    from mcap.writer import CompressionType, Writer

    robot, stamps, stream = _arm(), np.arange(5) * 10**8, io.BytesIO()
    q = np.tile(robot.q(), (5, 1))
    writer = Writer(stream, compression=CompressionType.NONE, enable_crcs=False)
    writer.start("ros2")
    for topic in [
        joint_state_topic("/joint_states", robot, q, stamps),
        *transform_topics(robot, q, stamps, stamps, None),
    ]:
        channel = writer.register_channel(
            topic.name, "cdr", writer.register_schema(full_name(topic.type), "ros2msg", b"")
        )
        for time, data in zip(topic.log_times, topic.data, strict=True):
            writer.add_message(channel, time, data, time)
    writer.finish()
    return (Text(stream.getvalue()),)


def settings(text: bytes, file: str) -> None:
    """Read settings."""
    with _Folder(text, "kinetree.toml") as path:
        read_settings(str(path))


def baseline(text: bytes, file: str) -> None:
    """Read a baseline."""
    with _Folder(text, "baseline.json") as path:
        read_baseline(str(path))


@cache
def _arm() -> Robot:
    return load(ARM, format="urdf")


class _Folder:
    """A text as the only file of a folder, which is removed afterwards."""

    def __init__(self, text: bytes, file: str) -> None:
        self.text, self.name = text, Path(file).name

    def __enter__(self) -> Path:
        self.folder = tempfile.mkdtemp()
        path = Path(self.folder) / self.name
        path.write_bytes(self.text)
        return path

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.folder)


def _ours(*said: str) -> Callable[[], tuple[Text, ...]]:
    return lambda: tuple(Text(text.encode()) for text in said)


def _reader(format: str, mutations: tuple[Mutation, ...] = XML) -> Target:
    row = FORMATS[format]
    suffixes = tuple(suffix for suffix in row.suffixes if suffix != ".xml")
    return Target(format, read(format), lambda: texts.own(format), suffixes[0], mutations, suffixes, row.roots)


def _whole(name: str, run: Callable[[bytes, str], object], format: str = "urdf") -> Target:
    row = FORMATS[format]
    return Target(name, run, lambda: texts.own(format), row.suffixes[0], suffixes=row.suffixes[:1], roots=row.roots)


TARGETS: dict[str, Target] = {
    row.name: row
    for row in (
        _reader("urdf"),
        _reader("sdf"),
        _reader("mjcf"),
        _reader("xacro"),
        _reader("dh", PLAIN),
        _reader("dh-csv", PLAIN),
        _reader("ets", PLAIN),
        replace(_reader("usd", PLAIN), run=flat_usd),
        Target("expression", read("xacro"), _ours(), ".xacro", invent=expressions.file),
        Target("srdf", read_srdf, _ours(texts.SRDF), ".srdf", suffixes=(".srdf",)),
        Target("limits", read_limits, _ours(texts.LIMITS), ".toml", PLAIN),
        Target("taxels", read_skin(icub.taxels), _ours(texts.TAXELS), ".txt", PLAIN),
        Target("contacts", read_skin(icub.contacts), _ours(texts.CONTACTS), ".txt", PLAIN),
        Target("bag", bag, _bag, ".mcap", (mutate_bytes,)),
        Target("settings", settings, _ours(texts.SETTINGS), ".toml", PLAIN),
        Target("baseline", baseline, _ours(texts.BASELINE), ".json", PLAIN),
        Target("also-yaml", follow_names(".yaml"), _ours(texts.YAML), ".yaml", PLAIN, suffixes=(".yaml", ".yml")),
        Target("also-srdf", follow_names(".srdf"), _ours(texts.SRDF), ".srdf"),
        _whole("check", check("urdf", "industrial")),
        _whole("check-sdf", check("sdf", "sim"), "sdf"),
        _whole("check-mjcf", check("mjcf", "sim"), "mjcf"),
        _whole("fix", repair),
        _whole("fix-xacro", repair, "xacro"),
        _whole("save", save_and_load),
        Target("mesh-dae", mesh(".dae"), _ours(texts.DAE), ".dae", suffixes=(".dae",)),
        Target("mesh-obj", mesh(".obj"), _ours(texts.OBJ), ".obj", PLAIN, suffixes=(".obj",)),
        Target("mesh-gltf", mesh(".gltf"), _ours(texts.GLTF), ".gltf", PLAIN, suffixes=(".gltf",)),
        Target("mesh-stl", mesh(".stl"), _ours(texts.STL), ".stl", PLAIN, suffixes=(".stl",)),
    )
}
"""A new target is one row; see docs/explanation/fuzzing.md."""
