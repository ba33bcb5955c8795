"""Every place at which a rotation enters judges it alike: taken, rounded, or refused."""

import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kinetree as kt
from each import each
from kinetree.errors import UnverifiedWarning
from kinetree.spatial import se3

ARM = kt.chain("Rz(q1) tz(0.4) Ry(q2) tx(0.5) Ry(q3) tx(0.4) Rx(q4) Ry(q5) Rx(q6) tx(0.1)")
Q = np.array([0.3, 0.4, 0.5, -0.4, 0.6, 0.2])
T = kt.fk(ARM, "tip")(Q)
IK = kt.ik(ARM, "tip")


def framed(robot, frame, base):
    return kt.fk(robot, frame, base=base).interpret(robot.q())


def chained(key):
    def placed(given):
        robot = kt.chain([{"a": 0.4}], convention="dh", **{key: given})
        return (
            framed(robot, "tip", "base_link") @ np.linalg.inv(se3.translation([0.4, 0, 0]))
            if key == "base"
            else se3.translation([-0.4, 0, 0]) @ framed(robot, "tip", "base_link")
        )

    return placed


def text_of(given):
    return ", ".join(repr(float(x)) for x in np.ravel(given))


def of_dh(given):
    head = "convention = 'dh'\nunits = { length = 'm', angle = 'rad' }\n"
    rows = "rows = [{ joint = 'a', a = 0, d = 0, alpha = 0, theta = 0 }]"
    text = f"{head}base = {{ matrix = {np.asarray(given).tolist()} }}\n{rows}"
    return framed(kt.load(text, format="dh"), "tip", "base_link")


def of_abb(given):
    numbers = kt.controllers["abb"].from_pose(given)
    return kt.controllers["abb"].to_pose(numbers)


def under_tool(given):
    return se3.inverse(kt.fk(ARM, "tip")(Q)) @ kt.controllers["abb"].to_pose(
        kt.controllers.pose(ARM, "abb", Q, tool=given, base="base_link", tool0="tip")
    )


def moved(given):
    robot = kt.edit.move_frame(kt.edit.add_frame(ARM, "x", "tip"), "x", given, relative_to="tip")
    return framed(robot, "x", "tip")


PLACES = {
    "ik": lambda given: kt.fk(ARM, "tip")(IK(given, q0=Q).q),
    "ik of a batch": lambda given: kt.fk(ARM, "tip")(IK(given[None], q0=Q).q)[0],
    "solutions": lambda given: kt.fk(ARM, "tip")(IK.solutions(given, q0=Q).q[0]),
    "step": lambda given: kt.fk(ARM, "tip")(IK.step(Q, given, dt=1e3).q),
    "from_pose": of_abb,
    "pendant's tool": under_tool,
    "add_frame": lambda given: framed(kt.edit.add_frame(ARM, "x", "tip", given), "x", "tip"),
    "add_tool": lambda given: framed(kt.edit.add_tool(ARM, "x", given, tool0="tip"), "x", "tip"),
    "move_frame": moved,
    "attach": lambda given: framed(
        kt.edit.attach(ARM, kt.chain("tx(q1)"), "tip", given, prefix="b_"), "b_base_link", "tip"
    ),
    "base of a chain": chained("base"),
    "tool of a chain": chained("tool"),
    "base of a DH file": of_dh,
    "SE3 of ETS": lambda given: framed(kt.load(f"SE3({text_of(given)}) Rz(q1)", format="ets"), "tip", "base_link"),
}
"""By name, a function that takes T (4, 4) and returns the pose that comes of it."""


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnverifiedWarning)
        yield


@pytest.mark.slow
@pytest.mark.parametrize(
    "place", [pytest.param(name, marks=pytest.mark.slow) if name == "ik" else name for name in PLACES]
)
def test_a_rounded_rotation_is_replaced_by_the_nearest(place):
    for digits in (3, 4, 5):
        rounded = np.vstack([np.c_[T[:3, :3].round(digits), T[:3, 3]], [0, 0, 0, 1.0]])
        nearest = rounded.copy()
        nearest[:3, :3] = Rotation.from_matrix(rounded[:3, :3]).as_matrix()  # SciPy's nearest
        np.testing.assert_allclose(PLACES[place](rounded), nearest, rtol=0, atol=3e-6, err_msg=place)
    slightly = T.copy()
    slightly[0, 1] += 5e-7
    np.testing.assert_allclose(PLACES[place](slightly), T, rtol=0, atol=3e-6)
    almost = T.copy()
    almost[3, :3] = 1e-17  # as after a numerical inverse
    np.testing.assert_allclose(PLACES[place](almost), T, rtol=0, atol=3e-6)


BAD = {
    "is not a rotation: entry": np.array([[0, 4e-3, 0, 0], *[[0.0] * 4] * 3]) + T,
    "left-handed": T * [[1, 1, -1, 1]],
    "scaled by 1000, as by a conversion from m to mm": np.vstack([1000 * T[:3], T[3]]),
    "last row": np.vstack([T[:3], [0, 0, 0, 2.0]]),
}


@pytest.mark.slow
@each("said", BAD)
@each("place", PLACES)
def test_a_bad_one_is_refused_with_its_fault(place, said):
    if place == "ik of a batch":
        result = IK(BAD[said][None], q0=Q)
        assert result.success.tolist() == [False]
        assert np.array_equal(result.q[0], Q)
        return
    with pytest.raises(kt.KinetreeError, match=said):
        PLACES[place](BAD[said])


def test_edits_and_readers_note_it():
    rounded = T.copy()
    rounded[:3, :3] = T[:3, :3].round(4)
    for robot in (
        kt.edit.add_frame(ARM, "x", "tip", rounded),
        kt.edit.attach(ARM, kt.chain("tx(q1)"), "tip", rounded, prefix="b_"),
        kt.edit.add_tool(ARM, "x", rounded, tool0="tip"),
        kt.chain([{"a": 0.4}], convention="dh", tool=rounded),
        kt.load(f"SE3({text_of(rounded)}) Rz(q1)", format="ets"),
    ):
        assert [note.code for note in robot.notes] == ["rounded-rotation"]
    assert not kt.edit.add_frame(ARM, "x", "tip", T).notes
    touches = np.array(
        [se3.translation([0.5, 0, 0.2]) @ se3.turn(axis, 0.6) for axis in np.vstack([np.eye(3), [1, 0, 0]])]
    )
    touches[3] = se3.translation([0.5, 0, 0.2])
    touches[:, :3, :3] = touches[:, :3, :3].round(3)
    assert "rounded-rotation" in [note.code for note in kt.tcp_from_points(touches).notes]
