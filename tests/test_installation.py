"""The wheel, installed as users install it: on every Python of this machine, and then used without a network."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import kinetree as kt
from support import at_length

resource = pytest.importorskip("resource")  # of POSIX
ROOT = Path(__file__).resolve().parents[1]
PYTHONS = re.findall(r'Python :: (3\.\d+)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
NO_NETWORK = ["unshare", "--user", "--map-root-user", "--net"]
WARM = 1.0
"""The longest time of the processor for `kinetree inspect icub` once its files were read, in s."""


def interpreter(version):
    """Return the path of a Python of this version, on the PATH or of pyenv, or None."""
    of_pyenv = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    for path in (sys.executable, shutil.which(f"python{version}"), *map(str, reversed(of_pyenv))):
        say = "import sys; print('{}.{}'.format(*sys.version_info))"
        if path and subprocess.run([path, "-c", say], capture_output=True, text=True).stdout.strip() == version:
            return path
    return None


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def test_the_pythons_are_those_that_pip_takes():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["requires-python"] == f">={PYTHONS[0]}"
    assert [f"3.{minor}" for minor in range(11, 11 + len(PYTHONS))] == PYTHONS


@pytest.mark.slow
@pytest.mark.parametrize("version", at_length(PYTHONS[-1:], PYTHONS))
def test_the_command_works_in_an_empty_home_without_a_network(wheel, tmp_path, version):
    path = interpreter(version)
    if path is None:
        pytest.skip(f"Python {version} is not installed")
    subprocess.run([path, "-m", "venv", str(tmp_path / "venv")], check=True)
    pip = [str(tmp_path / "venv/bin/python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, str(wheel)], check=True, capture_output=True)
    home = tmp_path / "home"
    home.mkdir()
    alone = shutil.which("unshare") and subprocess.run([*NO_NETWORK, "true"], capture_output=True).returncode == 0

    def kinetree(*words):
        """Return what the command prints, and its time of the processor in s."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [*(NO_NETWORK if alone else ()), str(tmp_path / "venv/bin/kinetree"), *words]
        surroundings = {"HOME": str(home), "PATH": os.defpath, "https_proxy": "http://127.0.0.1:9"}
        done = subprocess.run(command, cwd=home, env=surroundings, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert kinetree("--version")[0] == f"kinetree, version {kt.__version__}\n"
    runs = [kinetree("inspect", "icub") for _ in range(4)]
    assert all("links   42, the root is root_link" in printed for printed, _ in runs)
    assert min(seconds for _, seconds in runs[1:]) < WARM
    assert "l_hand" in kinetree("fk", "icub", "l_hand")[0]  # compiles
    (home / "arm.urdf.xacro").write_text('<robot name="arm"><link name="a"/><link name="b"/></robot>')
    assert "arm.urdf.xacro:" in kinetree("check", ".", "--exit-zero")[0]  # in a child process
