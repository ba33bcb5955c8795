"""What comes in goes out: single precision, and arrays of libraries that are not there, by DLPack."""

import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import kinetree as kt
from kinetree import KinetreeError
from kinetree.arrays import as_numpy, as_out, kind_of
from planar_arm import ARM, poses

CPU, CUDA = 1, 2


class OnlyDLPack:
    """An array that speaks DLPack and nothing else."""

    def __init__(self, array, device=CPU):
        self._array, self._device = np.asarray(array), device

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return (self._device, 0)


class Standard(OnlyDLPack):
    """An array of a library that follows the array API standard."""

    @property
    def dtype(self):
        return self._array.dtype

    def __array_namespace__(self, api_version=None):
        return SimpleNamespace(from_dlpack=lambda given: Standard(np.from_dlpack(given)))


@pytest.fixture(scope="module")
def robot():
    return kt.load(ARM, format="urdf")


@pytest.fixture(scope="module")
def fk(robot):
    return kt.fk(robot, "tip")


Q = np.array([[0.1, 0.2], [0.3, 0.4], [-0.5, 2.0]])


@pytest.mark.parametrize("q", [Q, Q[0], Q[:0], Q[None]])
@pytest.mark.parametrize("threads", [1, 2])
def test_single_precision_in_and_out(fk, q, threads):
    T = fk(q.astype(np.float32), threads=threads)
    assert T.dtype == np.float32
    np.testing.assert_array_equal(T, fk(q.astype(np.float32).astype(float)).astype(np.float32))
    np.testing.assert_array_equal(fk.interpret(q.astype(np.float32)).astype(float), T)


@pytest.mark.slow
def test_precision_of_the_result(fk, robot):
    single = Q.astype(np.float32)
    assert fk(single, dtype=float).dtype == np.float64
    assert fk(single, dtype=np.float32).dtype == np.float32
    assert fk(Q, dtype=np.float32).dtype == np.float32
    assert fk(single, out=np.zeros((3, 4, 4))).dtype == np.float64
    for other in (Q.astype(np.float16), np.zeros((3, 2), int), Q.astype(np.longdouble), Q.tolist()):
        assert fk(other).dtype == np.float64
    integrate = kt.dynamics.integrate(robot)
    assert integrate(single, single).dtype == np.float32
    assert integrate(single, Q).dtype == integrate(single, Q.tolist()).dtype == np.float64
    margin = robot.limits.margin(single)
    assert margin.dtype == kt.margin(robot)(single).dtype == np.float32
    np.testing.assert_array_equal(margin, robot.limits.margin(single.astype(float)).astype(np.float32))
    found = kt.ik(robot, "tip")(fk(single))
    assert found.q.dtype == found.residual.dtype == np.float32
    assert found.success.all()
    ik = kt.ik(robot, "tip")
    assert ik(fk(single), threads=np.int64(1), progress=lambda done, total: None).q.dtype == np.float32
    assert ik(fk(single), q0=Q).q.dtype == np.float64


def test_large_results_in_single_precision(fk):
    q = np.zeros((40_000, 2), np.float32)
    np.testing.assert_array_equal(fk(q), np.broadcast_to(poses(np.zeros(2)), (40_000, 4, 4)).astype(np.float32))


@pytest.mark.parametrize("kind", [OnlyDLPack, Standard])
def test_dlpack(fk, robot, kind):
    T = fk(kind(Q))
    assert type(T) is (Standard if kind is Standard else np.ndarray)
    np.testing.assert_allclose(as_numpy(T, "T"), poses(Q), atol=1e-14)
    inside = robot.limits.contains(kind(Q))
    np.testing.assert_array_equal(as_numpy(inside, "inside"), [True] * 3)
    out = kind(np.zeros((3, 4, 4)))
    assert fk(Q, out=out) is out
    np.testing.assert_array_equal(out._array, as_numpy(T, "T"))


def test_results_of_tensors_are_tensors(fk, monkeypatch):
    """By a stand-in for PyTorch; what nobody may change is copied first, for a tensor has no such mark."""
    given = []
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(from_numpy=lambda array: given.append(array) or "tensor"))
    assert fk(of("torch")(Q)) == "tensor"
    np.testing.assert_allclose(given[0], poses(Q), atol=1e-14)
    frozen = np.array(Q)
    frozen.flags.writeable = False
    kind = kind_of([of("torch")(Q)])
    assert kind.give(frozen) == kind.give(given[0]) == "tensor"
    assert given[1].flags.writeable
    np.testing.assert_array_equal(given[1], Q)
    assert given[2] is given[0]
    for other in ("a text", 3, None, SimpleNamespace):
        assert kind.give_all(other) is other


def test_dlpack_in_single_precision(fk):
    assert fk(Standard(Q.astype(np.float32))).dtype == np.float32


def test_what_is_refused(fk, robot):
    for call in (fk, fk.interpret, robot.limits.margin):
        with pytest.raises(
            KinetreeError, match="is on the device number 2 of DLPack; expected arrays in the processor"
        ):
            call(OnlyDLPack(Q, CUDA))
    with pytest.raises(KinetreeError, match="complex128"):
        fk(OnlyDLPack(Q.astype(complex)))
    with pytest.raises(KinetreeError, match="cannot be read as an array of numbers"):
        fk(OnlyDLPack(np.array(["a", "b"])))
    with pytest.raises(KinetreeError, match="is on the device"):
        fk(Q, out=OnlyDLPack(np.zeros((3, 4, 4)), CUDA))
    frozen = np.zeros((3, 4, 4))
    frozen.flags.writeable = False
    with pytest.raises(KinetreeError, match="read"):
        fk(Q, out=OnlyDLPack(frozen))
    with pytest.raises(KinetreeError, match="out has shape"):
        fk(Q, out=OnlyDLPack(np.zeros((4, 4))))


def test_doubles_of_numpy_have_no_kind():
    for values in ([Q], [Q, Q], [[0.1, 0.2]], [0.1, None, "text"], [Q, Q.astype(np.float32)], [np.zeros(2, int)]):
        assert kind_of(values) is None


def corners(n):
    """A robot of n joints whose limits are no numbers of single precision, and q far outside of all corners."""
    joints = [
        {"axis": [0, i % 2, 1 - i % 2], "xyz": [0.2, 0, 0], "qlim": [-2.8973 + 0.01 * i, 1.7628 - 0.13 * i]}
        for i in range(n)
    ]
    rng = np.random.default_rng(3)
    return kt.chain(joints), np.float32(rng.choice([-9.0, 0.3, 9.0], (200, n)))


@pytest.mark.slow
def test_single_precision_is_rounded_towards_the_inside_of_the_limits():
    robot, outside = corners(4)
    found = robot.limits.project(outside)
    assert found.dtype == np.float32
    assert robot.limits.contains(found).all()
    np.testing.assert_allclose(found, robot.limits.project(outside.astype(float)), rtol=0, atol=3e-7)
    inside = np.float32([0.1, -0.2, 0.3, 0.4])
    assert (robot.limits.project(inside) == inside).all()
    ik = kt.ik(robot, "tip", goal="position")
    targets = kt.fk(robot, "tip")(robot.limits.project(outside.astype(float)))[:, :3, 3].astype(np.float32)
    far = targets * np.float32(3)
    assert robot.limits.contains(ik(far).q).all()
    assert robot.limits.contains(ik(far[0]).q)
    assert robot.limits.contains(ik.step(found, far, dt=0.5).q).all()
    several = ik.solutions(targets, most=3, q0=found)
    assert several.q.dtype == np.float32
    assert several.mask.any()
    assert robot.limits.contains(several.q[several.mask]).all()
    edge = kt.ik(robot, "tip")(kt.fk(robot, "tip")(found), q0=found)
    assert robot.limits.contains(edge.q).all()


def test_single_precision_is_inside_of_coupled_limits_too():
    limits = kt.load("icub").limits
    outside = np.float32(limits.sample(20, 1) * 3)
    found = limits.project(outside)
    assert found.dtype == np.float32
    assert limits.contains(found).all()
    np.testing.assert_allclose(found, limits.project(outside.astype(float)), rtol=0, atol=1e-5)
    assert limits.contains(limits.project(outside[0]))


def test_single_precision_where_no_number_of_it_is_inside():
    robot = kt.chain([{"axis": [0, 0, 1], "qlim": [0.1, 0.1]}])
    assert robot.limits.project(np.float32([3.0])) == np.float32(0.1)


def test_single_precision_stays_at_limits_that_it_has():
    limits = kt.chain([{"axis": [0, 0, 1], "qlim": [-0.5, 1]}]).limits
    assert limits.project(np.float32([[-3], [3]])).tolist() == [[-0.5], [1.0]]
    assert limits.clip_step(np.float32([0]), np.float32([2])) == 0.5
    largest = np.float32([np.finfo(np.float32).max])
    wide = kt.chain([{"axis": [0, 0, 1], "qlim": [-1e300, 1e300]}]).limits
    assert wide.project(largest) == largest
    assert wide.clip_velocity(np.float32([0]), largest, 1e-9) == largest


def test_fractions_of_steps_are_rounded_down_in_single_precision():
    limits = kt.chain([{"axis": [0, 0, 1], "qlim": [-1, 1]}]).limits
    for dq in np.float32(np.arange(1.5, 40, 0.37)):
        share = limits.clip_step(np.float32([0.0]), np.array([dq]))
        assert share.dtype == np.float32
        assert 0 <= 1 / float(dq) - float(share) < 1e-7
        speed = limits.clip_velocity(np.float32([0.0]), np.array([dq]), 0.1)
        assert speed.dtype == np.float32
        assert abs(float(speed[0])) <= min(10.0, float(dq))


def of(module, base=OnlyDLPack, **more):
    """A class of arrays of a library, by its module."""
    return type("Tensor", (base,), {"__module__": f"{module}.things", **more})


def test_what_is_said_of_arrays_of_other_libraries():
    def stuck(self, **options):
        raise RuntimeError("traced " * 50 + "\nmore")

    on_gpu = of("torch", device="cuda:0")(Q, device=CUDA)
    plain = of("mine")(Q, device=CUDA)
    torch, jax, mine = (of(library, __dlpack__=stuck)(Q) for library in ("torch", "jaxlib", "mine"))
    text = ("traced " * 50)[:199] + "…"
    for value, code, message, fix in (
        (
            *(of("torch", requires_grad=True)(Q), "array-grad"),
            "q requires grad, but gradients are not recorded here",
            "use kinetree.bridges.torch.wrap, or give q.detach()",
        ),
        (on_gpu, "array-device", "q is on the device cuda:0; expected arrays in the processor's own memory", None),
        (
            *(plain, "array-device"),
            "q is on the device number 2 of DLPack; expected arrays in the processor's own memory",
            None,
        ),
        *(
            (one, "array", f"q is a Tensor that cannot be read as an array of numbers: {text}", fix)
            for one, fix in (
                (torch, "inside of transformations, use kinetree.bridges.torch.wrap"),
                (jax, "inside of transformations, use kinetree.bridges.jax.wrap"),
                (mine, None),
            )
        ),
    ):
        with pytest.raises(KinetreeError) as caught:
            as_numpy(value, "q")
        (finding,) = caught.value.findings
        assert (finding.code, finding.message, finding.fix) == (code, message, fix)
    for device in (1, 3):  # of the processor, also for transfers of CUDA
        np.testing.assert_array_equal(as_numpy(OnlyDLPack(Q, device=device), "q"), Q)
    lazy = of("mine", __dlpack_device__=stuck, __array__=lambda self, dtype=None, copy=None: 2 * Q)(Q)
    np.testing.assert_array_equal(as_numpy(lazy, "q"), 2 * Q)
    with pytest.raises(KinetreeError, match="out is an array of JAX, which cannot be changed; expected arrays of"):
        as_out(of("jax")(Q))
    array = np.array(Q)
    assert np.shares_memory(as_out(of("torch")(array)), array)
    assert as_out(array) is array
    derived = type("Mine", (of("torch"),), {"__module__": "mine"})
    with pytest.raises(TypeError, match="Mine and Tensor are of two libraries"):
        kind_of([derived(Q), 1.0, of("jax")(Q)])
    assert kind_of([derived(Q), 1.0, of("torch")(Q)]).like is not None


def test_what_touches_is_an_array_as_the_configurations_are(robot):
    """Of a single target it is True or False."""
    found = kt.ik(robot, "tip", goal="position")(poses(Q[:2])[:, :3, 3])
    plain = found.touching
    assert (type(plain), plain.tolist()) == (np.ndarray, [False, False])
    assert type(replace(found, q=Standard(found.q)).touching) is Standard
    assert kt.ik(robot, "tip", goal="position")(poses(Q[0])[:3, 3]).touching is False
