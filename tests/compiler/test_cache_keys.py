"""Compiled code on disk: where, and what makes another key."""

import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kinetree as kt
from cached import ARM, Q, asked, entries, replaced
from kinetree.compiler import cache, llvm, machine_code
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port
from kinetree.compiler.program import trace
from toy_kernels import runnable

POSIX = pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners and modes are of POSIX")


@pytest.mark.slow
@pytest.mark.parametrize("word", ["off", "OFF", "Off"])
def test_turned_off(word, tmp_path, monkeypatch, work):
    monkeypatch.setenv("KINETREE_CACHE", word)
    monkeypatch.chdir(tmp_path)
    assert replaced(work)
    assert replaced(work)
    assert cache.folder() is None
    assert entries(tmp_path) == []


def test_where_it_is(monkeypatch, tmp_path):
    monkeypatch.setenv("KINETREE_CACHE", str(tmp_path / "mine"))
    assert cache.folder() == tmp_path / "mine"
    monkeypatch.setenv("KINETREE_CACHE", "~/mine")
    assert cache.folder() == Path.home() / "mine"
    monkeypatch.setenv("KINETREE_CACHE", "~nobody-of-this-name/mine")
    assert cache.folder() is None
    for unset in ("", None):
        monkeypatch.delenv("KINETREE_CACHE") if unset is None else monkeypatch.setenv("KINETREE_CACHE", unset)
        assert cache.folder().is_absolute()
        assert "kinetree" in cache.folder().parts


@POSIX
def test_somebody_without_a_home(monkeypatch):
    """Such as a user of a container that is no more than a number."""
    import pwd

    def nobody(uid):
        raise KeyError(uid)

    monkeypatch.setattr(pwd, "getpwuid", nobody)
    for name in ("KINETREE_CACHE", "HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert cache.folder() is None


def key_of(folder, **question):
    """The name of the one file that a question leaves."""
    for path in entries(folder):
        path.unlink()
    asked(**question)
    (path,) = entries(folder)
    return path.name


@pytest.mark.slow
def test_everything_makes_another_key(folder, monkeypatch):
    keys = [key_of(folder)]
    assert key_of(folder) == keys[0]
    assert key_of(folder, text=ARM.replace('name="arm"', 'name="leg"')) == keys[0]  # nothing depends on it
    one = "0.30000000000000004"
    texts = (
        ARM.replace("0.3 0 0.1", f"{one} 0 0.1"),
        ARM.replace("0.1 0.2 0.3", f"0.1 0.2 {one}"),
        ARM.replace('"0 1 0"', '"0 -1 0"'),
        ARM.replace('"elbow" type="continuous"', '"elbow" type="prismatic"').replace(
            "</joint></robot>", '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>'
        ),
    )
    keys += [key_of(folder, text=text) for text in texts]
    questions = {"frame": "b"}, {"frame": ["c"]}, {"frame": ["c", "b"]}, {"frame": ["b", "c"]}, {"base": "b"}
    keys += [key_of(folder, **question) for question in questions]
    assert key_of(folder, base="a") == keys[0]  # the root, which is what it is without
    keys.append(key_of(folder, dtype=np.float32))
    host = llvm.host()
    targets = [t for t in runnable().values() if t != host] + [replace(host, fma=not host.fma)]
    for target in targets[:3]:
        with monkeypatch.context() as patch:
            patch.setattr(llvm, "host", lambda target=target: target)
            keys.append(key_of(folder))
    for owner, name, value in (
        (llvm, "VERSION", "another LLVM"),
        (cache, "package", lambda: "another version"),
        (machine_code, "array_layout", lambda: None),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, value)
            keys.append(key_of(folder))
    assert len(set(keys)) == len(keys)
    assert key_of(folder) == keys[0]


@pytest.mark.slow
def test_kernels_without_a_key_of_their_own(folder, work):
    def made(factor):
        program = trace(lambda x: factor * x, (3,))
        return Kernel("test", (Port("x", (3,)),), Port("y", (3,)), lambda: program)

    numbers = [2.0, 3.0, np.nextafter(3, 4), -3.0]
    for factor in (*numbers, *numbers):
        np.testing.assert_array_equal(made(factor)([1, 2, 3]), factor * np.arange(1, 4))
    assert work.count("compile") == len(numbers)


def test_the_package_stands_for_its_files(monkeypatch, tmp_path):
    package = cache.package.__wrapped__
    root = Path(kt.__file__).parent
    here = tmp_path / "kinetree"
    shutil.copytree(root, here, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(cache, "__file__", str(here / "compiler" / "cache.py"))
    seen = [package()]
    assert package() == seen[0]
    for part in ("algorithms/kinematics.py", "compiler/ir.py", "model/tree.py", "spatial/se3.py", "queries/motion.py"):
        path = here / part
        path.write_text(path.read_text() + "\n")
        seen.append(package())
        os.utime(path, (1, 1))
        seen.append(package())
    (here / "compiler" / "new.py").touch()
    seen.append(package())
    (here / "compiler" / "new.py").unlink()
    monkeypatch.setattr(kt, "__version__", "another")
    seen.append(package())
    assert len(set(seen)) == len(seen)


@pytest.mark.parametrize("place", ["nowhere", "package.zip"])
def test_packages_that_are_no_files(monkeypatch, tmp_path, place):
    (tmp_path / "package.zip").write_bytes(b"PK")
    monkeypatch.setattr(cache, "__file__", str(tmp_path / place / "kinetree" / "compiler" / "cache.py"))
    first = cache.package.__wrapped__()
    monkeypatch.setattr(kt, "__version__", "another")
    assert cache.package.__wrapped__() != first


@pytest.mark.slow
def test_run_from_a_zip_file(tmp_path):
    root = Path(kt.__file__).parent
    with zipfile.ZipFile(tmp_path / "kinetree.zip", "w") as packed:
        for path in root.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                packed.write(path, Path("kinetree") / path.relative_to(root))
    text = f"""
import numpy as np, kinetree as kt
assert "kinetree.zip" in kt.__file__
print(kt.fk(kt.load({ARM!r}, format="urdf"), "c")(np.array({Q.tolist()})).tobytes().hex())
"""
    path = os.pathsep.join([str(tmp_path / "kinetree.zip"), *sys.path])
    environment = os.environ | {"PYTHONPATH": path, "KINETREE_CACHE": str(tmp_path / "cache")}
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env=environment)
        np.testing.assert_array_equal(np.frombuffer(bytes.fromhex(done.stdout)).reshape(3, 4, 4), asked())


def test_the_same_bodies_made_of_other_links_have_other_keys():
    """Parameters and regressors have a row or columns for each link with an inertial."""
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'

    def arm(on_a: str, on_b: str) -> kt.Robot:
        links = f'<link name="w"/><link name="a">{on_a}</link><link name="b">{on_b}</link>'
        turn = '<joint name="j" type="continuous"><parent link="w"/><child link="a"/></joint>'
        fix = '<joint name="f" type="fixed"><parent link="a"/><child link="b"/></joint>'
        return kt.load(f'<robot name="r">{links}{turn}{fix}</robot>', format="urdf")

    one, other = arm(inertial, ""), arm("", inertial)
    for ask in (
        lambda robot: kt.inverse_dynamics(robot, parameters=True),
        lambda robot: kt.dynamics.inertial_regressor(robot),
    ):
        assert ask(one)._key != ask(other)._key
        assert ask(one)._key == ask(arm(inertial, ""))._key


def test_joints_of_other_names_have_other_keys():
    """A question may name a joint, such as that of a sensor."""

    def arm(first: str, second: str) -> kt.Robot:
        links = '<link name="w"/><link name="a"/><link name="b"/>'
        joints = "".join(
            f'<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/></joint>'
            for name, parent, child in ((first, "w", "a"), (second, "a", "b"))
        )
        sensor = '<sensor name="s" type="force_torque"><parent joint="j"/></sensor>'
        return kt.load(f'<robot name="r">{links}{joints}{sensor}</robot>', format="urdf")

    robots = arm("j", "k"), arm("k", "j")
    keys = [
        kt.dynamics.sensor_reading(robot, "s", measures="parent_on_child", at_rest=True, gravity=(0, 0, 0))._key
        for robot in robots
    ]
    assert keys[0] != keys[1]
