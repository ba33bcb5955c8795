"""The extension of Visual Studio Code: its lock file, its package, and that its bundle loads."""

import json
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from browser import missing
from kinetree.checker.files import CHECKED
from kinetree.formats.registry import FORMATS
from kinetree.lsp.server import SHOW

FOLDER = Path(__file__).resolve().parents[2] / "editors" / "vscode"
LOCK = json.loads((FOLDER / "package-lock.json").read_text())
PACKAGE = json.loads((FOLDER / "package.json").read_text())
LOADED = """
const Module = require("module");
const get = (made, name) => (name in made && name !== "name" ? made[name] : stand);
const stand = new Proxy(class {}, { get, apply: () => stand });
const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? stand : load(name, ...rest));
console.log(Object.keys(require(process.argv[1])).sort().join(" "));
"""


def test_every_package_has_a_hash_and_none_an_address():
    packages = {name: entry for name, entry in LOCK["packages"].items() if name}
    assert all(entry["integrity"].startswith("sha512-") for entry in packages.values())
    assert not any({"resolved", "link"} & set(entry) for entry in packages.values())
    for name, version in PACKAGE["devDependencies"].items():
        assert re.fullmatch(r"\d+\.\d+\.\d+", version)
        assert LOCK["packages"][f"node_modules/{name}"]["version"] == version


def test_it_asks_what_the_server_knows():
    script = (FOLDER / "extension.js").read_text()
    assert SHOW in script
    endings = {ending for name in CHECKED if name != "usd" for ending in FORMATS[name].suffixes if ending != ".xml"} | {
        ".srdf"
    }
    assert endings == set(PACKAGE["contributes"]["languages"][0]["extensions"])
    assert all(ending[1:] in script for ending in endings)


def test_a_workspace_cannot_name_the_program_that_is_started():
    assert PACKAGE["contributes"]["configuration"]["properties"]["kinetree.command"]["scope"] == "machine"


@pytest.mark.slow
def test_it_is_checked_packed_and_loaded(tmp_path):
    if shutil.which("npm") is None:
        missing("npm")
    work = tmp_path / "vscode"
    shutil.copytree(FOLDER, work, ignore=shutil.ignore_patterns("node_modules", "dist"))
    for command in (["ci", "--ignore-scripts"], ["run", "check"], ["run", "pack"]):
        done = subprocess.run(["npm", *command], cwd=work, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    with zipfile.ZipFile(work / "dist" / "kinetree.vsix") as package:
        names = {name.lower() for name in package.namelist()}
        assert {"extension/package.json", "extension/readme.md", "extension/dist/extension.js"} <= names
        assert not any("node_modules" in name for name in names)
        package.extract("extension/dist/extension.js", tmp_path)
    script = tmp_path / "extension" / "dist" / "extension.js"
    done = subprocess.run(["node", "-e", LOADED, str(script)], capture_output=True, text=True)
    assert done.stdout.split() == ["activate", "deactivate"], done.stderr
