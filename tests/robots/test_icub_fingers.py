"""The fingers of the iCub: products of the published matrices, and the bases that are no rotations."""

import json

import numpy as np
import pytest

from each import each
from kinetree.robots.icub.fingers import fingers
from support import shared


def off_identity(T: np.ndarray) -> float:
    return float(np.abs(T[:3, :3] @ T[:3, :3].T - np.eye(3)).max())


def test_each_is_as_published():
    published = json.loads(shared("facts", "icub", "dh_chains.json").read_text())["chains"]
    published = {chain["type"]: chain for chain in published if chain["class"].endswith("iCubFinger")}
    assert list(published) == list(fingers())
    for name, chain in published.items():
        finger = fingers()[name]
        assert np.abs(finger.chain.base - chain["H0"]).max() < 1e-15
        assert np.array_equal(chain["HN"], np.eye(4))
        for row, link in zip(finger.chain.rows, chain["links"], strict=True):
            said = [link[key] for key in ("a_m", "d_m", "alpha_rad", "offset_rad", "min_rad", "max_rad")]
            ours = (row.a, row.d, row.alpha, row.theta, row.limits[0].lower, row.limits[0].upper)
            assert np.abs(np.subtract(ours, said)).max() < 1e-15
        blocked = [i for i, link in enumerate(chain["links"]) if link["blocked_at_zero_by_default"]]
        assert list(finger.blocked) == blocked


def test_products_computed_elsewhere():
    truth = json.loads(shared("facts", "truth", "icub_dh_chains_fk.json").read_text())["chains"]
    compared = 0
    for case in truth:
        if case["class"] != "iCubFinger":
            continue
        for sample in case["fk"]:
            T = fingers()[case["type"]].chain.transform(sample["q"])
            assert np.abs(T - sample["H"]).max() < 1e-12, case["type"]
            compared += 1
    assert compared == 24


@each("name", fingers())
def test_how_far_each_base_is_from_a_rotation(name):
    finger = fingers()[name]
    assert off_identity(finger.chain.base) == pytest.approx(finger.off, rel=0.05)
    assert (finger.corrected is not None) == name.startswith("left_thumb")


@pytest.mark.parametrize("letter", "ab")
def test_the_left_thumbs_are_no_rotations_until_corrected(letter):
    left, right = fingers()[f"left_thumb_{letter}"], fingers()[f"right_thumb_{letter}"]
    assert left.off > 5e-3
    assert off_identity(left.corrected) < 2e-6
    mirror = np.diag([1.0, 1.0, -1.0, 1.0])
    assert np.array_equal(left.corrected, mirror @ right.chain.base @ mirror)
    assert np.linalg.det(left.corrected[:3, :3]) == pytest.approx(1, abs=1e-6)
