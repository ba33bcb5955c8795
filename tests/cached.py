"""A robot that is asked for a pose, the answer that is right, and the files that this leaves."""

import os
import sys

import numpy as np

import kinetree as kt

ARM = """<robot name="arm"><link name="a"/><link name="b"/><link name="c"/>
<joint name="shoulder" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>
<joint name="elbow" type="continuous"><parent link="b"/><child link="c"/><axis xyz="0 1 0"/>
<origin xyz="0.3 0 0.1" rpy="0.1 0.2 0.3"/></joint></robot>"""
Q = np.array([[0.3, -0.7], [1.0, 2.0], [-3.0, 0.1]])


def arm(text=ARM):
    return kt.load(text, format="urdf")


def asked(text=ARM, frame="c", base=None, dtype=float):
    """The answer of a robot that has just been loaded."""
    return kt.fk(arm(text), frame, base)(Q, dtype=dtype)


def entries(folder):
    return sorted(folder.iterdir()) if folder.is_dir() else []


RIGHT = kt.fk(arm(), "c").interpret(Q)


def right(T):
    np.testing.assert_allclose(T, RIGHT, rtol=0, atol=1e-14)
    return True


def replaced(work):
    """Whether the answer is right and has been compiled, rather than read."""
    work.clear()
    assert right(asked())
    return work.count("compile") == 1


def environment(**more):
    """For a Python program that finds what this one finds."""
    return os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} | more
