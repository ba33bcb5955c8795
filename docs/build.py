"""Build the site: `python docs/build.py` writes build/site, which opens from the folder or from any server.

The pages are those of this folder and what is made here: a page for each code, the Python reference, the gallery, and
llms.txt. Links that leave the folder lead to the repository. A warning of the site generator, an unknown page or a
link without an end is an error.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import links
import make_api
import make_codes
import make_gallery

from kinetree.errors import KinetreeError

DOCS = Path(__file__).parent
ROOT = DOCS.parent
REPOSITORY = "https://github.com/kinetree/kinetree/blob/main/"
FROM_ROOT = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
"""Pages that the repository has in its root."""
LINK = re.compile(r"(\]\(|src=\")([^)#:\"\s]+)((?:#[^)\"]*)?[)\"])")
LEFT_OUT = shutil.ignore_patterns("*.py", "*.toml", "__pycache__", "sources", "codes")


def main() -> None:
    """Build the site; exit status 1 if something is wrong with it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--robots", type=int, default=make_gallery.ROBOTS, help="how many robots the gallery shows")
    robots = parser.parse_args().robots
    pages, site = ROOT / "build" / "pages", ROOT / "build" / "site"
    shutil.rmtree(pages, ignore_errors=True)
    shutil.rmtree(site, ignore_errors=True)
    write_pages(pages, robots)
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--strict", "-f", str(ROOT / "zensical.toml")]
    if subprocess.run(command, cwd=ROOT).returncode:
        raise SystemExit(1)
    (site / "llms.txt").write_text(contents(pages), encoding="utf-8")
    faults = links.faults(site)
    print("\n".join(faults) or f"{len(list(site.rglob('*.html')))} pages in {site}")
    raise SystemExit(bool(faults))


def write_pages(folder: Path, robots: int = make_gallery.ROBOTS) -> None:
    """Write all pages, as Markdown, and their pictures into a folder."""
    shutil.copytree(DOCS, folder, ignore=LEFT_OUT)
    for name in FROM_ROOT:
        shutil.copyfile(ROOT / name, folder / name)
    for page in folder.rglob("*.md"):
        name = page.relative_to(folder).as_posix()
        place = ROOT / name if name in FROM_ROOT else DOCS / name
        page.write_text(on_the_site(page.read_text(encoding="utf-8"), place), encoding="utf-8")
    for name, text in (make_codes.code_pages() | make_api.pages()).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    try:
        make_gallery.write(folder, robots)
    except KinetreeError as error:
        raise SystemExit(f"the gallery cannot be made: {error}") from None


def on_the_site(text: str, place: Path) -> str:
    """Return a page of the repository with its links as they are on the site."""

    def link(match: re.Match[str]) -> str:
        target = Path(os.path.normpath(place.parent / match[2]))
        if target.is_relative_to(DOCS) and target.suffix != ".py" and target.exists():
            inside = target.relative_to(DOCS)
        elif target.name in FROM_ROOT and target.parent == ROOT:
            inside = Path(target.name)
        elif target.exists():
            return f"{match[1]}{REPOSITORY}{target.relative_to(ROOT).as_posix()}{match[3]}"
        else:
            return match[0]
        here = Path(place.name) if place.parent == ROOT else place.relative_to(DOCS)
        return f"{match[1]}{Path(os.path.relpath(inside, here.parent)).as_posix()}{match[3]}"

    return LINK.sub(link, text)


def contents(pages: Path) -> str:
    """Return llms.txt: every page with its first sentence, for programs that read the site."""
    lines = ["# Kinetree", "", "> " + "Robot descriptions loaded right, or refused with the reason.", ""]
    for folder in ("tutorials", "how-to", "migrating", "reference", "explanation"):
        lines += [f"## {folder.capitalize()}", ""]
        for page in sorted((pages / folder).rglob("*.md")):
            text = page.read_text(encoding="utf-8")
            title = re.search(r"^# (.+)$", text, re.MULTILINE)
            first = re.search(r"^[A-Z`\[*][^\n|]*(?:\n(?!#)[^\n|]+)*", text.partition("\n")[2], re.MULTILINE)
            about = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", " ".join(first[0].split()) if first else "")
            about = re.split(r"(?<=[.:]) ", about)[0]
            name = page.relative_to(pages).with_suffix(".html").as_posix()
            lines.append(f"- [{title[1] if title else page.stem}]({name}): {about}")
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
