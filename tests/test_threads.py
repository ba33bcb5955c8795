"""Threads that use the package at once get what one thread gets, and the same objects."""

import json
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import kinetree as kt
from kinetree.compiler import gradients
from kinetree.compiler.port import result_type
from kinetree.queries.query import memoise
from threads_driver import ARM, digests, together

DRIVER = Path(__file__).with_name("threads_driver.py")
THREADS = 8


def arm():
    return kt.load(ARM, format="urdf")


@pytest.mark.slow
def test_threads_that_share_a_robot_get_the_answers_of_one_thread():
    expected = digests(arm())
    robot = arm()
    assert together(lambda number: digests(robot, number, 3), THREADS) == [expected] * THREADS


@pytest.mark.slow
@pytest.mark.nightly
def test_threads_that_begin_with_the_import_get_them_too(monkeypatch, tmp_path):
    """In a new process, which compiles everything, and in one that finds it in the cache."""
    monkeypatch.setenv("KINETREE_CACHE", str(tmp_path))
    expected = digests(arm())
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, DRIVER, str(THREADS)], capture_output=True, text=True, timeout=300, check=False
        )
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout) == expected


def test_threads_of_one_robot_get_one_kernel():
    robot = arm()

    def ask(number):
        kernels = [kt.fk(robot, "tip"), kt.jacobian(robot, "tip"), kt.mass_matrix(robot), kt.ik(robot, "tip")]
        chosen = kt.fk(robot, "tip", joints=["j2", "j3"])
        return [*kernels, chosen, kt.vjp(kernels[0])]

    first, *others = together(ask, THREADS)
    for kernels in others:
        assert all(a is b for a, b in zip(first, kernels, strict=True))


def both_make():
    """A function that returns a new object in each of two threads, both made before either is kept."""
    made = threading.Barrier(2)

    def make(*_, **__):
        thing = type("Thing", (), {})()
        made.wait(timeout=10)
        return thing

    return make


def test_of_two_results_that_are_made_at_once_one_is_remembered():
    robot, make = arm(), both_make()
    a, b = together(lambda _: memoise(robot, "anything", make), 2)
    assert a is b
    assert memoise(robot, "anything", None) is a


def test_of_two_derivatives_that_are_made_at_once_one_is_remembered(monkeypatch):
    kernel = kt.fk(arm(), "tip")
    monkeypatch.setattr(gradients, "vjp_kernel", both_make())
    a, b = together(lambda _: kt.vjp(kernel), 2)
    assert a is b
    assert kt.vjp(kernel) is a


@pytest.mark.slow
def test_a_type_of_results_is_one_in_all_threads():
    for k in range(20):
        first, *others = together(lambda _, k=k: result_type((f"a{k}", "b")), THREADS)
        assert all(kind is first for kind in others)


def test_each_kernel_is_compiled_once(monkeypatch):
    """And the lock for that is one from the start."""
    monkeypatch.setenv("KINETREE_CACHE", "off")
    from kinetree.compiler import llvm

    compiled, compile_object = [], llvm.compile_object
    monkeypatch.setattr(llvm, "compile_object", lambda *given: compiled.append(given) or compile_object(*given))
    kernel, q = kt.fk(arm(), "tip", base="a"), np.zeros(3)
    first, *others = together(lambda _: kernel(q), THREADS)
    assert len(compiled) == 1
    np.testing.assert_array_equal(others, [first] * len(others))


@pytest.mark.slow
def test_a_call_with_a_type_leaves_warnings_as_they_are():
    """Turning them off is one setting for all threads; two that put it back in the wrong order would lose it."""
    import warnings

    kernel, q, before = kt.fk(arm(), "tip"), np.zeros((4, 3)), warnings.filters[:]
    together(lambda number: [kernel(q, dtype=(np.float32, float)[k % 2]) for k in range(50)], THREADS)
    assert warnings.filters == before
