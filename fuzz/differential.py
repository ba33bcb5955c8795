"""Read the same changed robots with Kinetree, Pinocchio and MuJoCo: `python -m fuzz.differential --mutants 1000`.

A mutant is a real robot in whose text one thing or two mean something else: a number, a sign, a name, an element, an
attribute. Where both load it, all frames must stand in the same places to 1e-9; where one refuses, the cause is
counted. `excused.toml` lists the differences that are meant, with the reason of each; others are faults.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from fuzz.mutate import MEANING, change
from fuzz.peers import PEERS, OtherJointsError, Peer, Poses, RefusedError
from fuzz.texts import Text, in_folder, own
from kinetree.algorithms.kinematics import forward_kinematics
from kinetree.errors import Finding
from kinetree.files.opener import Files
from kinetree.formats.registry import FORMATS, ReadOptions
from kinetree.model.robot import Robot
from kinetree.model.tree import build_tree

CLOSE = 1e-9
CONFIGURATIONS = 3
CHUNK = 5000
"""Mutants of one process: a library that ends it takes no more with it."""
SUFFIXES = {"urdf": ((".urdf",), ()), "mjcf": ((".mjcf",), (b"mujoco",))}
Difference = tuple[str, str, str]
"""(peer, kind, cause)."""


def texts(format: str, folders: Sequence[Path]) -> list[Text]:
    """Return the texts of folders, or ours where there are none, that Kinetree and its peer both load."""
    found = [text for folder in folders for text in in_folder(folder, *SUFFIXES[format])] or list(own(format))
    unique = {text.content: text for text in found}.values()
    peer = next(peer for peer in PEERS if peer.format == format)
    return [text for text in unique if _loads(peer, text)]


def _loads(peer: Peer, text: Text) -> bool:
    try:
        peer.load(ET.tostring(ET.fromstring(text.content)))
    except (RefusedError, ET.ParseError, UnicodeDecodeError):
        return False
    return read(text.content, peer.format)[0] is not None


def read(text: bytes, format: str) -> tuple[Robot | None, list[Finding]]:
    """Return the robot, or None with errors."""
    robot, findings = FORMATS[format].read(text, "<text>", Files({}), ReadOptions())
    errors = [finding for finding in findings if finding.severity == "error"]
    return (None if errors else robot), errors


def mutant(seed: int, all_texts: Sequence[tuple[str, list[Text]]]) -> tuple[str, bytes, str]:
    """Return the format, the text, and what was changed."""
    rng = random.Random(seed)
    format, found = all_texts[rng.random() < 0.25 and len(all_texts) > 1]
    root = ET.fromstring(rng.choice(found).content)
    made = change(root, rng, MEANING, rng.randint(1, 2))
    return format, ET.tostring(root), "+".join(made)


def differences(seed: int, format: str, text: bytes, changes: str) -> Iterator[Difference]:
    """Yield how each peer differs from Kinetree about a text; "agree" and "both refuse" too."""
    robot, errors = read(text, format)
    for peer in (peer for peer in PEERS if peer.format == format):
        try:
            poses = peer.load(text)
        except RefusedError as error:
            yield (peer.name, "both refuse", "") if robot is None else (peer.name, "they refuse", str(error))
            continue
        if robot is None:
            yield peer.name, "we refuse", errors[0].code if errors else "no reason"
        else:
            yield (peer.name, *_compare(robot, poses, np.random.default_rng(seed), text, changes))


def _compare(robot: Robot, theirs: Poses, rng: np.random.Generator, text: bytes, changes: str) -> tuple[str, str]:
    for _ in range(CONFIGURATIONS):
        q = random_q(robot, rng)
        try:
            expected = theirs(robot, q)
        except OtherJointsError as error:
            return "other joints", str(error)
        ours = dict(zip(robot.frames, forward_kinematics(build_tree(robot), q, robot.frames), strict=True))
        for name, T in expected.items():
            if not np.abs(ours[name] - T).max() <= CLOSE * (1 + np.abs(T[:3, 3]).max()):
                return "poses differ", _cause(robot, text) or changes
    return "agree", ""


def _cause(robot: Robot, text: bytes) -> str:
    """What is known to be read in two ways, if the text has some of it."""
    axes = ET.fromstring(text).iter("axis")
    if any("xyz" not in axis.attrib for axis in axes):
        return "axis without xyz"
    if re.search(rb"\de\+?[1-9]\d\d", text):
        return "a number beyond 1e100"
    return ", ".join(sorted({joint.type for joint in robot.joints.values()} & {"planar", "floating"}))


def random_q(robot: Robot, rng: np.random.Generator) -> np.ndarray:
    """Return a configuration (nq,), every number in [-2, 2], quaternions of length 1; limits are not looked at."""
    q = rng.uniform(-2, 2, robot.nq)
    for name, where in robot.q_slices.items():
        if quaternion := robot.joints[name].kind.quaternion:
            q[where][quaternion] /= np.linalg.norm(q[where][quaternion])
    return q


@cache
def excuses() -> list[dict[str, str]]:
    """Return the differences that are meant, with their reasons."""
    rows: list[dict[str, str]] = tomllib.loads((Path(__file__).parent / "excused.toml").read_text())["excused"]
    assert all(set(row) == {"peer", "kind", "cause", "reason"} for row in rows)
    return rows


def excuse(difference: Difference) -> str | None:
    """Return the reason why a difference is meant, "" where there is none to excuse, None where it is a fault."""
    peer, kind, cause = difference
    if kind in ("agree", "both refuse"):
        return ""
    for row in excuses():
        if re.fullmatch(row["peer"], peer) and row["kind"] == kind and re.fullmatch(row["cause"], cause):
            return row["reason"]
    return None


def compare(seeds: Iterable[int], folders: Sequence[Path], log: Path | None = None) -> Counter[Difference]:
    """Return how often each difference was met; with a log, note which mutant is at work."""
    all_texts = [(format, found) for format in SUFFIXES if (found := texts(format, folders))]
    counts: Counter[Difference] = Counter()
    for seed in seeds:
        if log:
            log.write_text(str(seed))
        format, text, changes = mutant(seed, all_texts)
        for difference in differences(seed, format, text, changes):
            counts[difference] += 1
            if log and excuse(difference) is None:
                print(json.dumps({"seed": seed, "difference": difference}), flush=True)
    return counts


def main() -> int:
    """Compare so many mutants; print the counts; return whether there is a difference that is not excused."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.differential", description=__doc__)
    parser.add_argument("--mutants", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="seed of the first, to go on after another run")
    parser.add_argument("--corpus", action="append", default=[], metavar="FOLDER", help="real robots; repeatable")
    parser.add_argument("--counts", metavar="FILE", help="JSON lines, one for each part of a run, to add up later")
    parser.add_argument("--part", metavar="FILE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        seeds = range(options.first, options.first + options.mutants)
        counts = compare(seeds, [Path(folder) for folder in options.corpus], Path(options.part))
        print(json.dumps({"first": options.first, "counts": [[*key, n] for key, n in counts.items()]}))
        return 0
    total: Counter[Difference] = Counter()
    first, end = options.first, options.first + options.mutants
    while first < end:
        counts, first = _part(first, min(CHUNK, end - first), options.corpus, options.counts)
        total += counts
        print(f"{first - options.first} mutants", file=sys.stderr, flush=True)
    return _report(total)


def _part(first: int, count: int, corpus: Sequence[str], keep: str | None) -> tuple[Counter[Difference], int]:
    """Compare some mutants in a process of their own; return the counts and the seed to go on with."""
    at = Path(keep or "differential").with_suffix(".at")
    command = [sys.executable, "-m", "fuzz.differential", "--part", str(at), "--first", str(first)]
    command += ["--mutants", str(count), *(word for folder in corpus for word in ("--corpus", folder))]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]
    for line in lines:
        if "seed" in line:
            print(line, file=sys.stderr)
    if ended.returncode == 0:
        if keep:
            with open(keep, "a") as file:
                file.write(json.dumps(lines[-1]) + "\n")
        at.unlink()
        return Counter({tuple(key): n for *key, n in lines[-1]["counts"]}), first + count
    if not at.is_file():
        raise SystemExit(ended.stderr)
    died = int(at.read_text())
    print(f"mutant {died} ended the process with status {ended.returncode}\n{ended.stderr[-2000:]}", file=sys.stderr)
    counts, _ = _part(first, died - first, corpus, keep) if died > first else (Counter(), first)
    return counts + Counter({("any", "process ended", str(ended.returncode)): 1}), died + 1


def _report(total: Counter[Difference]) -> int:
    faults = 0
    for difference, count in sorted(total.items(), key=lambda item: (item[0][:2], -item[1])):
        reason = excuse(difference)
        faults += count if reason is None else 0
        print(f"{count:8} {': '.join(filter(None, difference))}{f'   [{reason}]' if reason else ''}", end="")
        print("   NOT EXCUSED" if reason is None else "")
    print(f"{faults} differences are not excused")
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
