"""Build the files of a release from the last commit, twice, and compare them.

    python packaging/release.py TAG FOLDER

Checks that TAG is `v` and the version of the package, and that CHANGELOG.md has a part for it. Writes FOLDER/dist
(sdist and wheel), FOLDER/notes.md (the part of the changelog) and FOLDER/sha256sums.txt. Needs git, npm and the
packages of packaging/requirements.txt.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LINK = re.compile(r"\]\((?![a-z]+:|#)([^)]+)\)")
PAGES = "https://github.com/kinetree/kinetree/blob"


def main(tag: str, folder: Path) -> None:
    """Write the files of the release. Raises ValueError if they must not be published."""
    version = version_of(ROOT)
    if tag != f"v{version}":
        raise ValueError(f"the tag is {tag}, but the package has the version {version}")
    notes = notes_of((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    time = git("log", "-1", "--format=%ct").decode().strip()
    with tempfile.TemporaryDirectory() as place:
        first, second = (build(Path(place) / name, tag, time) for name in ("first", "second"))
        if (hashes := digests(first)) != (others := digests(second)):
            raise ValueError(f"two builds differ: {hashes} and {others}")
        folder.mkdir(parents=True)
        shutil.copytree(first, folder / "dist")
    (folder / "notes.md").write_text(for_github(notes, tag), encoding="utf-8")
    sums = "".join(f"{digest}  {name}\n" for name, digest in hashes.items())
    (folder / "sha256sums.txt").write_text(sums, encoding="utf-8")
    print(sums, end="")


def version_of(root: Path) -> str:
    """Return the version of the package."""
    text = (root / "src/kinetree/__init__.py").read_text(encoding="utf-8")
    (version,) = re.findall(r'^__version__ = "(.+)"$', text, re.MULTILINE)
    return str(version)


def notes_of(changelog: str, version: str) -> str:
    """Return the part of the changelog about a version. Raises ValueError if it has no date or no text."""
    heading = rf"^## \[?{re.escape(version)}\]? - \d{{4}}-\d\d-\d\d\n"
    found = re.search(rf"{heading}(.+?)(?=^## |^\[[^]]+\]: |\Z)", changelog, re.MULTILINE | re.DOTALL)
    if not found or not found[1].strip():
        raise ValueError(f"CHANGELOG.md has no part with the heading '## {version} - YYYY-MM-DD'")
    return found[1].strip() + "\n"


def for_github(notes: str, tag: str) -> str:
    """Return notes with addresses in place of paths, and a line for each paragraph: GitHub keeps the ends of lines."""
    return re.sub(r"(?<=\S)\n {0,2}(?=[^\s#*-])", " ", with_addresses(notes, tag))


def with_addresses(text: str, tag: str) -> str:
    """Return Markdown with the addresses of files on GitHub in place of paths, which lead nowhere on other pages."""
    return LINK.sub(rf"]({PAGES}/{tag}/\1)", re.sub(r"(!\[[^]]*\]\([^):]+)\)", r"\1?raw=true)", text))


def build(place: Path, tag: str, time: str) -> Path:
    """Build sdist and wheel of the last commit in a new folder, the wheel from the sdist. Return the folder of both.

    PyPI shows README.md, so its links get addresses.
    """
    source, out, unpacked = place / "source", place / "dist", place / "unpacked"
    source.mkdir(parents=True)
    with tempfile.TemporaryFile() as archive:
        archive.write(git("archive", "HEAD"))
        archive.seek(0)
        with tarfile.open(fileobj=archive) as file:
            file.extractall(source, filter="data")
    readme = source / "README.md"
    readme.write_text(with_addresses(readme.read_text(encoding="utf-8"), tag), encoding="utf-8")
    hatch("sdist", source, out, time)
    (sdist,) = out.glob("*.tar.gz")
    with tarfile.open(sdist) as file:
        file.extractall(unpacked, filter="data")
    (inside,) = unpacked.iterdir()
    hatch("wheel", inside, out, time)
    return out


def hatch(target: str, source: Path, out: Path, time: str) -> None:
    """Build a wheel or an sdist, which fails without the bundle of viewer/."""
    environment = {**os.environ, "KINETREE_RELEASE": "1", "SOURCE_DATE_EPOCH": time}
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(out)]
    subprocess.run(command, cwd=source, env=environment, check=True, stdout=subprocess.DEVNULL)


def git(*words: str) -> bytes:
    """Return what git prints."""
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True).stdout


def digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file in a folder."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        main(sys.argv[1], Path(sys.argv[2]))
    except ValueError as error:
        sys.exit(str(error))
