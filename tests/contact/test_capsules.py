"""Capsules made of a cylinder and two spheres, and the built-in iCub, which has them."""

from collections import Counter

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.contact.capsules import with_capsules
from kinetree.contact.solids import Solid, solids_of


def at(*place):
    T = np.eye(4)
    T[:3, 3] = place
    return T


ROD = Solid("a", "cylinder", (0.1, 0.4), at(0, 0, 0.2), "rod")
START, END = (Solid("a", "sphere", (0.1,), at(0, 0, z), "cap") for z in (0.0, 0.4))


def other(solid, radius=0.1, z=0.0):
    return Solid("a", "sphere", (radius,), solid.T @ at(0, 0, z), "cap")


@each(
    "solids, kinds",
    [
        ([START, ROD, END], {"capsule": 1}),
        ([END, START, ROD, other(END, z=0.2)], {"capsule": 1, "sphere": 1}),
        (
            [ROD, START, END, Solid("a", "cylinder", (0.1, 0.3), at(0, 0, 0.55), "rod"), other(END, z=0.3)],
            {"capsule": 2},
        ),
        ([ROD, START, other(END, z=5e-10)], {"capsule": 1}),
        ([ROD, START], {"cylinder": 1, "sphere": 1}),
        ([ROD, START, START], {"cylinder": 1, "sphere": 2}),
        ([ROD, START, other(END, z=1e-6)], {"cylinder": 1, "sphere": 2}),
        ([ROD, START, other(END, radius=0.1001)], {"cylinder": 1, "sphere": 2}),
        ([ROD], {"cylinder": 1}),
    ],
)
def test_a_cylinder_with_both_caps_is_a_capsule(solids, kinds):
    found = with_capsules(solids)
    assert Counter(solid.kind for solid in found) == kinds
    for solid in found:
        if solid.kind == "capsule":
            assert solid.sizes[0] - 0.1 == pytest.approx(5e-10 if solids[-1].T[2, 3] == 0.4 + 5e-10 else 0, abs=1e-15)
            assert solid.sizes[1] in (0.4, 0.3)


def test_the_icub_is_made_of_them():
    kinds = Counter(solid.kind for own in solids_of(kt.load("icub"), "mesh").values() for solid in with_capsules(own))
    assert kinds == {"capsule": 25, "sphere": 23}


@pytest.mark.slow
@pytest.mark.nightly
def test_contact_of_the_icub():
    icub = kt.load("icub", limits="iCubGenova02")
    contact = kt.collisions(icub)
    assert not contact(icub.q())
    left = {(one.link1, one.link2) for one in contact.left_out if one.reason == "always in contact"}
    assert {("head", "l_eye"), ("chest", "head"), ("l_upper_arm", "l_forearm")} <= left
    assert {("l_hand", "r_hand"), ("l_forearm", "chest"), ("l_lower_leg", "r_lower_leg")}.isdisjoint(left)
    assert 0.92 < 1 - contact(icub.limits.sample(2000, seed=1)).mean() < 0.96
    crossed = icub.q({"l_hip_roll": -30, "r_hip_roll": -30}, unit="deg")
    assert ("l_upper_leg", "r_upper_leg") in [contact.pairs[i] for i in np.flatnonzero(contact.where(crossed))]
    (note,) = contact.notes
    assert "capsules around the published lengths" in note
