"""What makers' models have of REP-199, a table with a column for each repository: `rep199_field.py FOLDER`."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from kinetree.checker.after_error import findings_by_rule
from kinetree.errors import Finding, KinetreeError
from kinetree.formats.registry import ReadOptions
from kinetree.load import examine
from kinetree.model.robot import Robot
from kinetree.rules.facts import Subject
from kinetree.rules.options import CheckOptions
from kinetree.rules.profiles import rules_of

DEFAULT = Path(__file__).resolve().parents[2] / "shared" / "corpus"
UR = ("ur3", "ur5", "ur10", "ur3e", "ur5e", "ur10e", "ur16e", "ur20", "ur30")
KAWASAKI = {
    "rs": ("rs007l-b001", "rs013n-a001", "rs015x-a001", "rs025n-a001", "rs080n-a001"),
    "bx": ("bx300l-b001",),
    "bxp": ("bxp135x-a001",),
}
COLUMNS: dict[str, tuple[str, ...]] = {  # heading: folders of repositories
    "ABB": ("ros-industrial+abb", "ros-industrial+abb_experimental"),
    "FANUC": ("ros-industrial+fanuc", "ros-industrial+fanuc_experimental"),
    "FANUC itself": ("FANUC-CORPORATION+fanuc_description",),
    "KUKA": ("ros-industrial+kuka_experimental",),
    "KUKA itself": ("kroshu+kuka_robot_descriptions",),
    "Motoman": ("ros-industrial+motoman",),
    "Yaskawa": ("Yaskawa-Global+motoman_ros2_support_packages",),
    "Stäubli": ("ros-industrial+staubli", "ros-industrial+staubli_experimental"),
    "UR": ("UniversalRobots+Universal_Robots_ROS2_Description", "ros-industrial+universal_robot"),
    "Kawasaki": ("Kawasaki-Robotics+khi_ros2",),
    "Mitsubishi": ("Mitsubishi-Electric-Asia+melfa_ros2_driver",),
}
ARGUMENTS: dict[str, list[dict[str, str]]] = {  # of xacro files that want some
    "ur.urdf.xacro": [{"name": "ur", "ur_type": model} for model in UR],
    "khi.urdf.xacro": [
        {"robot_series": series, "robot_name": name} for series, names in KAWASAKI.items() for name in names
    ],
}
PACKAGES = {"UniversalRobots+Universal_Robots_ROS2_Description": "ur_description"}
"""Repositories that are packages, which a clone by another name hides."""
ROWS: dict[str, tuple[str, ...]] = {
    "links not called link_N": ("R199-301", "R199-302"),
    "base missing": ("R199-208",),
    "tool0 missing": ("R199-501",),
    "flange missing": ("R199-401",),
    "tool0 not below flange": ("R199-505",),
    "base_link missing": ("R199-101",),
    "flange X+ not outward": ("R199-403",),
    "tool0 not fixed": ("R199-504",),
    "something on tool0": ("R199-508",),
    "geometry on base, flange, tool0": ("R199-206", "R199-408", "R199-509"),
    "toolN names": ("R199-601",),
    "base elsewhere than the maker's": ("R199-106", "R199-201"),
}


def robots(folder: Path, seen: set[str]) -> Iterator[tuple[str, Robot]]:
    """The arms with four joints or more that the files of a folder make; of several alike the first."""
    packages = {PACKAGES[folder.name]: folder} if folder.name in PACKAGES else {}
    for path in sorted(p for p in folder.rglob("*") if p.suffix in (".urdf", ".xacro")):
        for arguments in ARGUMENTS.get(path.name, [{}]):
            try:
                robot, _ = examine(path, ReadOptions(packages=packages, args=arguments or None))
            except KinetreeError:
                continue
            if robot is None or robot.nq < 4 or robot.text is None:
                continue
            if robot.text.text not in seen:
                seen.add(robot.text.text)
                yield path.name, robot


def arms_with(row: str, findings: list[Finding], arms: int) -> int:
    """How many arms of a robot have a finding of a row."""
    of_row = [f for f in findings if f.code in ROWS[row] and (f.code != "R199-501" or "has no " in f.message)]
    return arms if row.startswith("links") and of_row else min(arms, len(of_row))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=DEFAULT)
    parser.add_argument("--quick", action="store_true", help="one repository alone")
    parser.add_argument("--show", metavar="CODE", default="-", help="list the files with findings of this code")
    options = parser.parse_args()
    rules = [rule for rule in rules_of("industrial") if rule.code.startswith("R199")]
    counts: dict[str, Counter[str]] = {}
    if not options.folder.is_dir():
        print(f"no folder {options.folder}")
        return
    for maker, folders in list(COLUMNS.items())[: 1 if options.quick else None]:
        count, seen = counts.setdefault(maker, Counter()), set()
        for folder in folders:
            for name, robot in robots(options.folder / folder, seen):
                subject = Subject(robot)
                arms = subject.facts(lambda arms: None)["arms"]
                found = findings_by_rule(robot, rules, CheckOptions()).values()
                findings = [f for some in found for f in some if f.severity != "info"]
                count["arms"] += len(arms)
                count["clean"] += len(arms) if not findings else 0
                count.update({row: arms_with(row, findings, len(arms)) for row in ROWS})
                for finding in findings:
                    if finding.code.startswith(options.show):
                        print(name, finding)
    counts = {maker: count for maker, count in counts.items() if count["arms"]}  # whose repository is at hand
    heads = [f"{maker} {count['arms']}" for maker, count in counts.items()]
    print(f"| | {' | '.join(heads)} |")
    print(f"|---|{'---|' * len(counts)}")
    for row in (*ROWS, "clean"):
        print(f"| {row} | {' | '.join(str(count[row]) for count in counts.values())} |")


if __name__ == "__main__":
    main()
