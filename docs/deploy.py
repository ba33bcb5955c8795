"""Put a build of the site beside those of other versions.

    python docs/deploy.py SITE BUILD VERSION

SITE: the folder that is published, empty at first. BUILD: what `docs/build.py` wrote. VERSION: such as 0.1.2.

The site gets a folder `0.1`, the folder `latest` as a copy of the newest version, `versions.json` for the selector of
versions in the pages, and an `index.html` that leads to `latest`.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")
LATEST = "latest"
REDIRECT = f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Kinetree</title>
<meta http-equiv="refresh" content="0; url={LATEST}/">
<link rel="canonical" href="{LATEST}/">
<p><a href="{LATEST}/">Documentation of Kinetree</a></p>
</html>
"""


def deploy(site: Path, build: Path, version: str) -> None:
    """Write the build of a version into the site. Raises ValueError if it must not be published."""
    added = numbers(version)
    folder = f"{added[0]}.{added[1]}"
    if not (build / "index.html").is_file():
        raise ValueError(f"{build} has no index.html")
    titles = published(site)
    if numbers(titles.get(folder, version)) > added:
        raise ValueError(f"{titles[folder]} is published already, which is newer than {version}")
    titles[folder] = version
    newest = max(titles, key=lambda name: numbers(titles[name]))
    for name in (folder, LATEST) if folder == newest else (folder,):
        replace(site / name, build)
    rows = [
        {"version": name, "title": titles[name], "aliases": [LATEST] if name == newest else []}
        for name in sorted(titles, key=lambda name: numbers(titles[name]), reverse=True)
    ]
    (site / "versions.json").write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    (site / "index.html").write_text(REDIRECT, encoding="utf-8")
    (site / ".nojekyll").touch()  # GitHub leaves out files that begin with an underscore, without this


def numbers(version: str) -> tuple[int, ...]:
    """Return the three numbers of a version. Raises ValueError if it is not a final release."""
    found = VERSION.fullmatch(version)
    if not found:
        raise ValueError(f"{version!r} is not the version of a final release, such as 0.1.2")
    return tuple(map(int, found.groups()))


def published(site: Path) -> dict[str, str]:
    """Return the version in each folder of the site, by the name of the folder."""
    table = site / "versions.json"
    rows = json.loads(table.read_text(encoding="utf-8")) if table.is_file() else []
    return {row["version"]: row["title"] for row in rows}


def replace(folder: Path, build: Path) -> None:
    """Make a folder a copy of the build; pages that are no longer in it go."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(build, folder)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    try:
        deploy(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
    except ValueError as error:
        sys.exit(str(error))
