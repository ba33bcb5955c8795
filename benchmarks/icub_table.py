"""Write docs/reference/icub-models.md: what each model of the PyPI package icub-models lacks or has different.

python benchmarks/icub_table.py [--write]
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from importlib.metadata import version
from math import degrees
from pathlib import Path

from icub_facts import FRAMES, SAMPLES, Model, axes_of, from_table, load_all, name_in, reaches_of, version_of
from kinetree.rules.icub.ranges import board_of
from kinetree.solvers.compare.comparison import Distance

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "icub-models.md"

WIKI = "2.0"
"""The version whose sensor is that of the wiki's page; every model is also compared with it."""

HEAD = """# The models of icub-models, checked

Find out here what is missing or different in the {count} models ({robots} robots and {parts} parts) of the PyPI package
[icub-models](https://pypi.org/project/icub-models) {version}, before you rely on one. The tables are results of
`kinetree check --profile icub` and `kinetree compare`. "The page" below is
[ICub Model naming conventions](http://wiki.icub.org/wiki/ICub_Model_naming_conventions), on which the check is based;
the check allows for the page's known errors. `python benchmarks/icub_table.py --write` writes this file.

## In short

- **Names agree.** Each robot has the 32 joints of the page, with their names and in their places. All robots except
  iCubLisboa01, which has feet of version 1, also have the six force/torque joints and all links of the page.
- **Axes are right.** The check finds the same on all robots: `torso_roll` points the other way than on the page, where
  the page is wrong; pitch and roll of the shoulders are 15.0° off, because the arms lean, which the page says it
  neglects. One more axis is off, `ankle_roll` by 15.0° on iCubGenova02 and iCubGazeboV2_5_KIT_007, the two with the
  later feet: with `ankle_pitch` at zero their soles are level, but the axis and the frame of the foot lean.
- **Frames have other names.** A force/torque frame is `l_arm_ft`, not the page's `l_arm_ft_frame`. No model has eyes.
  Only the three that were made from tables have the skin's `l_upper_arm_dh_frame` and `r_upper_arm_dh_frame`.
- **Limits differ from those of all control boards.** One has the wrong sign: on iCubGenova03, iCubLisboa01 and
  iCubNancy01 `hip_roll` has a range of −119° to 17°, into the other leg, as in the published tables and so in
  `kt.load("icub")`. Boards allow about 0° to 85°, outwards. `kt.load(…, limits="iCubLisboa01")` loads the limits of a
  robot's boards.
- **Many models differ only in inertia.** Seven of the ten robots that are named after a place have all frames where one
  of the four models that are named after a version has them. Those four are made for a simulator: the moments of
  inertia of 18 small links are set to 0.01 kg m², 23 to 5000 times those of the seven. iCubDarmstadt01 and iCubGenova01
  have a chest that is 2 kg lighter. So for dynamics use the model of a robot, not that of a version.
- **Poses differ from the published tables.** On the eleven models that were not made from them, hands are up to 9 mm
  and feet up to 11 mm from those of their version, with equal orientation (the later feet 24 mm and 15°), and the
  inertial sensor 55 to 56 mm. On models of version 2.5 it is 37 mm from the place on its wiki page.
- **iCubLisboa01 is a robot of version 1.** It agrees with the tables of that version to 0.2 mm in the arms and 0.01 mm
  in the legs, but its sensor is 13.5 mm away at zero and over 20 mm elsewhere. Its neck has the numbers of version 2 on
  the torso of version 1, so it is always 30.1 mm from the sensor of version 2. iCubGenova03 and iCubNancy01 are made in
  the same way, but the feet of the first are 18.3 mm from those of version 1, and the legs of the second are those of
  version 2, to 0.5 mm.
"""


def page(models: Sequence[Model], samples: int = SAMPLES) -> str:
    """Return the page as Markdown."""
    robots, parts = [m for m in models if not m.is_part], [m for m in models if m.is_part]
    known = {model.name: version_of(model, robots) for model in robots}
    head = HEAD.format(count=len(models), robots=len(robots), parts=len(parts), version=version("icub-models"))
    sections = [
        ("What is there", [STRUCTURE, *_structure(robots), "", MISSING, *_missing(robots)]),
        ("Axes", [AXES, *_axes(robots)]),
        ("Limits", [LIMITS, *_limits(robots)]),
        ("Which version a robot is compared with", [VERSIONS, *_versions(known)]),
        ("Poses against the published tables", [POSES.format(samples=samples), *_poses(robots, known, samples)]),
        ("Parts", [PARTS, *_parts(parts)]),
    ]
    return head + "".join(f"\n## {title}\n\n" + "\n".join(lines) + "\n" for title, lines in sections)


STRUCTURE = """\
For each model the number of links and moving joints. Then, of the page's 32 joints, 6 force/torque joints, 35 links, 14
frames and 8 skin frames, how many are missing, in another place, or under another name.
"""

NAMED = ("ICUB-103", "ICUB-201", "ICUB-203", "ICUB-401")
"""Rules whose remarks (info) the page lists, too: parts that have another name or belong to another version."""

MISSING = """\
The same by name, with all other warnings of the check except those about axes:
"""


def _structure(models: Iterable[Model]) -> list[str]:
    rows = []
    for model in models:
        robot, frames = model.robot, model.of("ICUB-401")
        renamed = model.of("ICUB-401", "the frame is called")
        sensors = Counter(sensor.type for sensor in robot.sensors.values())
        rows.append(
            [
                model.name,
                len(robot.links),
                robot.nq,
                robot.root,
                *(len(model.of(code)) for code in ("ICUB-101", "ICUB-103", "ICUB-201", "ICUB-203")),
                len(renamed),
                len(frames) - len(renamed),
                len(model.of("ICUB-403")),
                ", ".join(f"{count} {type.replace('_', '/')}" for type, count in sorted(sensors.items())),
            ]
        )
    missing = "joints missing, F/T joints missing, links missing, links misplaced"
    frames_missing = "frames under another name, frames missing, skin frames missing"
    head = f"model, links, moving, root, {missing}, {frames_missing}, sensors"
    return _table(head.split(", "), rows)


def _missing(models: Sequence[Model]) -> list[str]:
    """Return a table of the findings that several models have in common."""
    found: dict[tuple[str, str], list[str]] = {}
    for model in models:
        told = Counter(
            (finding.code, _said(name_in(finding), finding.message))
            for finding in model.findings
            if (finding.severity != "info" or finding.code in NAMED) and finding.code != "ICUB-302"
        )
        for (code, said), count in told.items():
            found.setdefault((code, said if count == 1 else f"{said}, {count} times"), []).append(model.name)
    by_models = _grouped(((code, tuple(names)), said) for (code, said), names in sorted(found.items()))
    return _table(
        ["rule", "finding", "models"],
        [[code, "; ".join(said), _names(names, len(models))] for (code, names), said in by_models.items()],
    )


def _said(name: str, message: str) -> str:
    """Return the message of a finding in a few words."""
    if "is called" in message:
        return f"`{name}` is " + message.partition("is called ")[2].partition(",")[0].replace("'", "`")
    if "does not exist" in message:
        return f"no `{name}`"
    return f"`{name}`: " + re.sub(r"'(.*?)'|(<\w+>)", r"`\1\2`", message.partition(";")[0])


AXES = """\
Axes in `root_link` with all joints at zero. All other axes agree with the page.
"""


def _axes(models: Sequence[Model]) -> list[str]:
    found = _grouped(
        ((a.joint, a.page, a.axis, f"{a.angle:.1f}°", f"{a.severity}: {a.said.partition(' (dev')[0]}"), model.name)
        for model in models
        for a in axes_of(model)
    )
    rows = [[f"`{key[0]}`", *key[1:], _names(names, len(models))] for key, names in found.items()]
    return _table(["joint", "the page", "the model", "angle", "finding", "models"], rows)


LIMITS = """\
How many of the 32 joints go further in the model than on the control boards (ICUB-501), the largest difference, and how
many go further on the boards than in the model. The boards are those of the robot of that name if its files are known,
otherwise those of iCubGenova02, as the page says.
"""


def _limits(models: Sequence[Model]) -> list[str]:
    rows = []
    for model in models:
        reaches = reaches_of(model)
        worst = max(reaches, key=lambda reach: reach.beyond)
        ranges = (f"{_degrees(low)} to {_degrees(high)}" for low, high in (worst.model, worst.board))
        said = "{}, on the board {}".format(*ranges)
        counts = [len(model.of("ICUB-501")), f"`{worst.joint}`: {said}", sum(reach.short for reach in reaches)]
        rows.append([model.name, board_of(model.robot, worst.joint)[0], *counts])
    return _table(["model", "boards of", "model goes further", "largest difference", "board goes further"], rows)


VERSIONS = """\
It is the version in the model's name, or that of the model with the same frames; for the others the version with the
nearest hands.
"""


def _versions(known: dict[str, tuple[str, str]]) -> list[str]:
    found = _grouped((said, name) for name, said in known.items())
    rows = sorted([*said, _names(names)] for said, names in found.items())
    return _table(["version", "why", "models"], rows)


POSES = """\
Distances in mm in `root_link`: with all joints at zero / the largest one, at zero and at {samples} random
configurations in the ranges of both, as by `kinetree compare icub:2.5 MODEL`. Angles are given in
degrees if they are 0.01 or more. Each model is compared with its version and with 2.0. The `imu_frame` of 2.0 is that
of the wiki's page ICubInertiaSensorKinematicsV2; in later versions it is where iKin has it.
"""


def _poses(models: Sequence[Model], known: dict[str, tuple[str, str]], samples: int) -> list[str]:
    cells = []
    for model in models:
        for tables in dict.fromkeys((known[model.name][0], WIKI)):
            found = from_table(tables, model, samples)
            cells.append(((tables, *(_distance(found[frame]) for frame in FRAMES)), model.name))
    rows = [[_names(names), *key] for key, names in _grouped(cells).items()]
    return _table(["models", "tables", *(f"`{frame}`" for frame in FRAMES)], rows)


PARTS = """\
A part has less than half of the joints, so the check runs no other rules on it.
"""


def _parts(models: Iterable[Model]) -> list[str]:
    rows = []
    for model in models:
        (finding,) = model.of("ICUB-001")
        said = f"{finding.message.partition(';')[0]} [{finding.code}]"
        rows.append([model.name, len(model.robot.links), model.robot.nq, model.robot.root, said])
    return _table(["part", "links", "moving", "root", "finding"], rows)


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(map(str, line))} |" for line in lines]


def _grouped(rows: Iterable[tuple[Hashable, str]]) -> dict[Hashable, list[str]]:
    """Return the second entries by the first, in order."""
    groups: dict[Hashable, list[str]] = {}
    for key, said in rows:
        groups.setdefault(key, []).append(said)
    return groups


def _names(names: Sequence[str], count: int = 0) -> str:
    return f"all {count}" if len(names) == count else ", ".join(names)


def _degrees(angle: float) -> str:
    return f"{round(angle, 1):g}°".replace("-", "−")


def _distance(distance: Distance) -> str:
    said = [f"{1000 * metres:.2f}" for metres, _ in (distance.at_zero, distance.largest)]
    angles = [f"{degrees(radians):.2f}" for _, radians in (distance.at_zero, distance.largest)]
    turned = f", {angles[0]}° / {angles[1]}°" if degrees(distance.largest[1]) >= 0.01 else ""
    return f"{said[0]} / {said[1]}{turned}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help=f"write docs/{PAGE.name} instead of printing it")
    parser.add_argument("--quick", action="store_true", help="two random configurations: no page to keep")
    arguments = parser.parse_args()
    if arguments.write and arguments.quick:
        parser.error("--write goes without --quick")
    text = page(load_all(), 2 if arguments.quick else SAMPLES)
    if arguments.write:
        PAGE.write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
