"""Count on how many public files each rule finds something, beside what people judged: `precision.py FOLDER`.

    python benchmarks/precision.py ../shared/corpus            # compare the counts with rules/precision.toml
    python benchmarks/precision.py ../shared/corpus --update   # write the counts; what was read and judged stays

FOLDER holds one folder a repository. One process checks all files by the profile sim, and the repositories with arms or
humanoids by their profiles, too. Rules about meshes, SRDF and YAML have no row, because the corpus lacks such files;
those about contact and the iCub have none either.
"""

from __future__ import annotations

import argparse
import re
import tomllib
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

from kinetree.checker.files import files_of, once_in_all, without_parts
from kinetree.checker.plan import jobs_of
from kinetree.checker.pool import check_all
from kinetree.rules.explain import PRECISION
from kinetree.rules.options import CheckOptions
from kinetree.rules.profiles import codes_of, rules_of

TABLE = Path(__file__).resolve().parents[1] / "src" / "kinetree" / "rules" / "precision.toml"
DEFAULT = Path(__file__).resolve().parents[2] / "shared" / "corpus"
ARMS = "DENSO|Kawasaki|Mitsubishi|Universal|Yaskawa|doosan|lbr|franka|ros-industrial|xArm|Kinova|moveit"
HUMANOIDS = "nao|talos|icub|unitree"
SWEEPS = (("sim", "", "."), ("industrial", "R199", ARMS), ("humanoid", "R120", HUMANOIDS))
"""Profile, beginning of the codes that are counted, and pattern of the names of repositories."""
LEFT_OUT = ("MSH", "MVT", "SRD", "CON", "ICUB", "SUP", "R103-003")


def counted(folder: Path) -> dict[str, tuple[int, int]]:
    """Return the number of files that were checked, and of those with findings, by the code of a rule."""
    found: dict[str, set[str]] = defaultdict(set)
    checked: dict[str, int] = {}
    for profile, begins, pattern in SWEEPS:
        total = 0
        for repository in sorted(path for path in folder.iterdir() if path.is_dir() and re.search(pattern, path.name)):
            jobs, _ = jobs_of([str(repository)], None, CheckOptions(profile=profile), None)
            files = [*files_of([str(repository)])]
            jobs = [replace(job, options=replace(job.options, ignore=("CON",))) for job in jobs]
            results = once_in_all([without_parts(one, files) for one in check_all(jobs, processes=1)])
            total += len(results)
            for result in results:
                for finding in result.findings:
                    if finding.code.startswith(begins):
                        found[finding.code].add(result.file)
        checked |= {rule.code: total for rule in rules_of(profile) if rule.code.startswith(begins)}
    return {code: (total, len(found[code])) for code, total in checked.items() if not code.startswith(LEFT_OUT)}


def written(rows: dict[str, tuple[int, int]]) -> str:
    """Return the text of the table, with the judgements that it has now."""
    head = TABLE.read_text("utf-8").partition("\n[rules]\n")[0]
    old = tomllib.loads(TABLE.read_text("utf-8"))["rules"]
    lines = []
    for code in (code for code in codes_of() if code in rows):
        _, _, *judged = old.get(code, [0, 0, 0, 0, 0, 0])
        cells = ", ".join(f'"{cell}"' if isinstance(cell, str) else str(cell) for cell in (*rows[code], *judged))
        lines.append(f"{code} = [{cells}]")
    return "\n".join([head, "[rules]", *sorted(lines)]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", default=DEFAULT)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--quick", action="store_true", help="print how many rules are judged, and end")
    given = parser.parse_args()
    if given.quick:
        print(f"{len(PRECISION)} rules are judged")
        return
    if not given.folder.is_dir():
        raise SystemExit(f"{given.folder} is no folder")
    rows = counted(given.folder)
    if given.update:
        TABLE.write_text(written(rows), "utf-8")
    for code, (total, files) in rows.items():
        before = PRECISION[code].findings_in if code in PRECISION else None
        if before != files:
            print(f"{code}: findings in {files} of {total} files, {before} in the table")


if __name__ == "__main__":
    main()
