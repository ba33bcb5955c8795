"""How many defects that people repaired the checker names: on real commits of public repositories.

    python benchmarks/repairs.py --clones FOLDER [--half first|second|third] [--lot N ...] [--findings]
    python benchmarks/repairs.py --clones FOLDER --table benchmarks/repairs_later.toml [--half read|unread]

`repairs.toml` lists the commits as they were drawn: repository, commit, what was wrong in our words, and its class. Of
those whose defect can be known, the files before and after the commit are checked; the defect is named if a finding of
one of the expected codes that names the place is there before, and none is after. FOLDER has a bare clone of each
repository, called owner+name. The table is printed as Markdown, for `docs/explanation/repairs.md`.

`repairs_later.toml` is another lot, of other repositories, with the defects alone that can be known. It expects no
code: named is a defect if a warning or an error at the place goes with the commit. Rules were written after its `read`
half was read; nobody who wrote one had seen the other.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

TABLE = Path(__file__).with_name("repairs.toml")
ANY = ("any",)
"""Codes of rows that expect none."""
ABSENT = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
PARTS = {
    "first": range(90),
    "second": range(90, 180),
    "third": range(180, 325),
    "read": range(1000, 2000, 2),
    "unread": range(1001, 2000, 2),
}
CLASSES = {
    "known": "could be known by a general rule",
    "table": "could be known with a table of what one program or plug-in reads",
    "unknowable": "could not be known from the files",
    "none": "repaired no defect of a model",
}


@dataclass(frozen=True)
class Commit:
    """A commit that was drawn. check: what a user would name; `@owner+name:revision/…` is a path in another clone.

    names: what the finding's text has where it names the defect. codes: beginnings of codes; `*` is any, `*error` any
    error; none: no rule names it. arguments, also, packages, environment: as options and settings of `kinetree check`.
    """

    lot: int
    repository: str
    commit: str
    kind: str
    defect: str
    check: tuple[str, ...] = ()
    names: str = ""
    codes: tuple[str, ...] = ()
    profile: str = "sim"
    arguments: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()


@dataclass(frozen=True)
class Result:
    """What was found. before, after: the findings that name the defect."""

    commit: Commit
    before: list[dict[str, Any]]
    after: list[dict[str, Any]]

    @property
    def named(self) -> bool:
        """Whether the defect is named before the commit and no more after it."""
        return bool(self.before) and not self.after


def drawn(table: Path) -> list[Commit]:
    """Return the commits of the table, in the order of the lot."""
    rows = tomllib.loads(table.read_text(encoding="utf-8"))["commits"]
    listed = ({k: tuple(v) if isinstance(v, list) else v for k, v in row.items()} for row in rows)
    return sorted((Commit(**row) for row in listed), key=lambda row: row.lot)


def git_folder(clones: Path, repository: str) -> Path:
    """Return the git folder of a clone, bare or not."""
    for folder in (clones / repository, clones / repository / "repo"):
        for git in (folder / ".git", folder):
            if (git / "HEAD").is_file():
                return git
    raise SystemExit(f"{clones} has no clone of {repository}")


def extract(git: Path, revision: str, into: Path) -> None:
    """Write the files of a revision into a folder; what a partial clone lacks is a pointer, as Git LFS has them."""
    command = ["git", "--git-dir", str(git)]
    listed = subprocess.run([*command, "ls-tree", "-rz", revision], capture_output=True, check=True).stdout
    entries = [entry.split(b"\t", 1) for entry in listed.split(b"\0") if entry]
    files = [(head.split()[0], head.split()[2], name.decode()) for head, name in entries if head.split()[1] == b"blob"]
    with subprocess.Popen(
        [*command, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for mode, blob, name in files:
            process.stdin.write(blob + b"\n")
            process.stdin.flush()
            head = process.stdout.readline().split()
            contents = process.stdout.read(int(head[2]) + 1)[:-1] if head[1:2] == [b"blob"] else ABSENT
            path = into / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if mode == b"120000":
                path.symlink_to(contents.decode())
            else:
                path.write_bytes(contents)
    (into / ".git").mkdir()  # the root of a workspace, as a user has it


def findings(row: Commit, revision: str, clones: Path) -> list[dict[str, Any]]:
    """Return what the checker finds in the files of a revision."""
    with TemporaryDirectory() as folder:
        tree = Path(folder) / row.repository.partition("+")[2]
        extract(git_folder(clones, row.repository), revision, tree)
        for repository in set(re.findall(r"@([^/]+)/", " ".join((*row.check, *row.packages)))):
            name, _, other = repository.partition(":")
            extract(git_folder(clones, name), other or "HEAD", Path(folder) / f"@{repository}")
        named = [f"../{name}" if name.startswith("@") else name for name in row.check]
        asked = [name for name in named if (tree / name).exists()]
        if not asked:
            raise SystemExit(f"lot {row.lot}: {revision} has none of {', '.join(named)}")
        options = [part for name in row.arguments for part in ("--arg", name)]
        options += [part for name in row.also for part in ("--also", name)]
        options += [part for name in row.packages for part in ("--package", name.replace("=@", "=../@"))]
        if row.environment:
            visible = [name.partition("=")[0] for name in row.environment]
            (tree / "kinetree.toml").write_text(f"environment = {json.dumps(visible)}\n", encoding="utf-8")
        command = [sys.executable, "-m", "kinetree", "check", *asked, "--profile", row.profile, *options]
        command += ["--output-format", "json", "--exit-zero"]
        seen = {**os.environ, **dict(name.split("=", 1) for name in row.environment)}
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, cwd=tree, env=seen)
        if not done.stdout.startswith("{"):
            raise SystemExit(f"lot {row.lot}: {' '.join(command)}\n{done.stderr[-2000:]}")
        found: list[dict[str, Any]] = json.loads(done.stdout)["findings"]
        return found


def names(row: Commit, finding: dict[str, Any]) -> bool:
    """Return whether a finding is of an expected code and names the place of the defect."""
    any_error = "*error" in row.codes and finding["severity"] == "error"
    if row.codes == ANY:
        any_error = finding["severity"] != "info"
    expected = any_error or any(code == "*" or finding["code"].startswith(code) for code in row.codes)
    where = " ".join(str(finding.get(key) or "") for key in ("element", "message", "fix", "excerpt"))
    return expected and re.search(row.names, f"{where} {finding['source']}") is not None


def examined(clones: Path, every: bool, row: Commit) -> Result:
    """Return what is found before and after a commit. every: print what goes with it, and the errors that stay."""
    if not row.codes:  # no rule names it
        return Result(row, [], [])
    before, after = (findings(row, revision, clones) for revision in (f"{row.commit}^", row.commit))
    if every:
        later = {*map(_same, after)}
        for one in before:
            state = "stays" if _same(one) in later else "goes"
            if state == "goes" or one["severity"] == "error":
                print(f"  {row.lot} {state}: {one['element']}: {one['message']} [{one['code']}]", file=sys.stderr)
    named, still = ([one for one in found if names(row, one)] for found in (before, after))
    if row.codes == ANY:  # others at the same place may stay
        named, still = [one for one in named if _same(one) not in map(_same, still)], []
    return Result(row, named, still)


def _same(finding: dict[str, Any]) -> tuple[str, ...]:
    return finding["code"], finding["message"], finding["element"]


def print_table(rows: list[Commit], results: dict[int, Result]) -> None:
    """Print one row for each commit, as Markdown."""
    print("| lot | repository | commit | what was wrong | named by |\n|--:|---|---|---|---|")
    for row in rows:
        result = results.get(row.lot)
        said = {"none": "no repair", "unknowable": "unknowable", "table": "needs a table"}.get(row.kind, "no")
        if result is not None and result.named:
            said = ", ".join(sorted({f"`{one['code']}`" for one in result.before}))
        elif result is not None and result.before:
            said = "no (still there after)"
        print(f"| {row.lot} | {row.repository.replace('+', '/')} | `{row.commit[:10]}` | {row.defect} | {said} |")


def print_shares(rows: list[Commit], results: dict[int, Result]) -> None:
    """Print how many commits are of each class, and how many defects are named, by parts of the lot."""
    for kind, meaning in CLASSES.items():
        print(f"- {sum(row.kind == kind for row in rows)} {meaning}")
    for name, lots in {**PARTS, "all": range(2000)}.items():
        part = [result for lot, result in results.items() if lot in lots]
        if part:
            good = sum(result.named for result in part)
            print(f"- {name}: {good} of {len(part)} named ({100 * good / len(part):.0f} %)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clones", type=Path, help="a folder of clones, owner+name")
    parser.add_argument("--quick", action="store_true", help="count the commits of the table, and end")
    parser.add_argument("--table", type=Path, default=TABLE, help="of commits, by default repairs.toml")
    parser.add_argument("--half", choices=PARTS)
    parser.add_argument("--lot", type=int, nargs="*", help="these commits alone")
    parser.add_argument(
        "--findings", action="store_true", help="print the findings that a commit takes away, and errors that stay"
    )
    parser.add_argument("--shares", action="store_true", help="print no table")
    options = parser.parse_args()
    rows = drawn(options.table)
    if options.quick or options.clones is None:
        print(f"{len(rows)} commits, {sum(row.kind == 'known' for row in rows)} with a defect that a rule could know")
        return
    asked = [row for row in rows if options.half is None or row.lot in PARTS[options.half]]
    known = [row for row in asked if row.kind == "known" and (options.lot is None or row.lot in options.lot)]
    with ThreadPoolExecutor(2) as pool:
        results = {r.commit.lot: r for r in pool.map(partial(examined, options.clones, options.findings), known)}
    if not options.shares:
        print_table(asked if options.lot is None else known, results)
    print_shares(asked, results)


if __name__ == "__main__":
    main()
