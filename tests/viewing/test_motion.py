"""The motion of a page: every number as it was or within 1e-9, in few bytes."""

import zlib
from base64 import b64decode

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import kinetree as kt
from each import each
from kinetree.logs import read_motion
from kinetree.viewing.scene.motion import described_motion

SAMPLES, JOINTS = 10_000, 32
TIMES = np.linspace(0, 100, SAMPLES)


@pytest.fixture(scope="module")
def icub():
    return kt.load("icub")


def numbers(data, place, n, digits):
    """The numbers of one column, read byte by byte as the page's documentation says."""
    own = data[8 * n * place : 8 * n * (place + 1)]
    words = [bytes(own[i::n]) for i in range(n)]
    if digits is None:
        return np.array([np.frombuffer(word, "<f8")[0] for word in words])
    whole, found = 0, []
    for word in words:
        zigzag = int.from_bytes(word, "little")
        whole += -(zigzag + 1) // 2 if zigzag % 2 else zigzag // 2
        found.append(whole / 10**digits)
    return np.array(found)


def unpacked(described):
    data, n = zlib.decompress(b64decode(described["data"])), described["samples"]
    columns = described["columns"]
    q = {column["coordinate"]: numbers(data, i, n, column["digits"]) for i, column in enumerate(columns)}
    times = described["times"]
    return q, times and numbers(data, len(columns), n, times["digits"])


@each("digits", [2, 9, 17])
def test_numbers_come_back(icub, digits):
    q = icub.limits.sample(50, 0)[:, [3, 0]].round(digits)
    times = np.sort(np.random.default_rng(0).uniform(7, 8, 50))
    names = [icub.coordinate_names[i] for i in (3, 0)]
    described = described_motion(
        icub, read_motion(icub, dict(zip(["t", *names], [times, *q.T], strict=True))), icub.q()
    )
    found, since = unpacked(described)
    assert np.abs(since - (times - times[0])).max() <= 5.1e-10
    for i, expected in zip((3, 0), q.T, strict=True):
        assert np.abs(found[i] - expected).max() <= (5.1e-10 if digits > 9 else 0)


def test_times_far_from_zero_or_near_to_each_other_stay_apart(icub):
    for times in (1.7e9 + np.arange(5) / 1e3, np.arange(5) * 1e-11, np.arange(5) * 1e7):
        _, since = unpacked(described_motion(icub, read_motion(icub, {"t": times, "l_elbow": times}), icub.q()))
        assert np.abs(since - (times - times[0])).max() <= 5.1e-10
        assert (np.diff(since) > 0).all()


def test_rounding_moves_nothing_across_a_limit(icub):
    """Samples at the ends of joints and on rows, which have more digits, are kept bit by bit."""
    q = icub.limits.project(icub.limits.sample(50, 0) + np.random.default_rng(1).normal(size=(50, icub.nq)))
    motion = read_motion(icub, dict(zip(icub.coordinate_names, q.T, strict=True)))
    found, times = unpacked(described_motion(icub, motion, icub.q()))
    assert times is None
    kept = np.column_stack([found[i] for i in range(icub.nq)])
    assert np.abs(kept - q).max() <= 5.1e-10
    assert not np.array_equal(kept, q)
    assert icub.limits.contains(q).all()
    assert icub.limits.contains(kept).all()


@pytest.mark.parametrize("kind", ["smooth", "noisy", "random"])
@pytest.mark.slow
def test_a_long_motion_is_below_two_megabytes(icub, kind):
    places = np.linspace(0, 100, 50)
    q = CubicSpline(places, icub.limits.sample(50, 0))(TIMES)
    q += {"smooth": 0, "noisy": 1e-3, "random": 1}[kind] * np.random.default_rng(0).normal(size=q.shape)
    columns = dict(zip(icub.coordinate_names[:JOINTS], q.T[:JOINTS], strict=True))
    described = described_motion(icub, read_motion(icub, {"time": TIMES, **columns}), icub.q())
    assert (described["samples"], len(described["columns"])) == (SAMPLES, JOINTS)
    assert len(described["data"]) < 2e6
