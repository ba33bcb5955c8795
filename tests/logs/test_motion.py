"""Motions from CSV and from columns, and what is refused."""

import numpy as np
import pytest

import kinetree as kt
from kinetree.logs import Motion, filled, read_motion, write_motion

ROBOT = """<robot name="r"><link name="base"/><link name="al"/><link name="bl"/><link name="cl"/><link name="dl"/>
<joint name="a" type="revolute"><parent link="base"/><child link="al"/><axis xyz="0 0 1"/>
  <limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
<joint name="b" type="prismatic"><parent link="al"/><child link="bl"/><axis xyz="1 0 0"/>
  <limit lower="-0.2" upper="0.3" velocity="1" effort="1"/></joint>
<joint name="c" type="prismatic"><parent link="bl"/><child link="cl"/><axis xyz="1 0 0"/>
  <mimic joint="b" multiplier="2" offset="0.1"/><limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
<joint name="d" type="floating"><parent link="cl"/><child link="dl"/></joint></robot>"""
POSE = "d.x, d.y, d.z, d.qx, d.qy, d.qz, d.qw"


@pytest.fixture(scope="module")
def robot():
    return kt.load(ROBOT, format="urdf")


@pytest.fixture
def file(tmp_path):
    def write(text, name="motion.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_columns_are_taken_by_name(robot, file):
    motion = read_motion(robot, file("b, stamp, a\n0.1, 5, 0.25\n0.2, 5.5, -0.5\n"))
    assert motion.names == ("a", "b")
    assert motion.times.tolist() == [5.0, 5.5]
    assert motion.q.tolist() == [[0.25, 0.1], [-0.5, 0.2]]
    whole = filled(robot, motion, np.arange(9.0))
    assert whole.tolist() == [[0.25, 0.1, *range(2, 9)], [-0.5, 0.2, *range(2, 9)]]


def test_degrees_are_of_angles_alone(robot, file):
    path = file("a, b, c\n90, 0.1, 0.3\n")
    assert read_motion(robot, path, unit="deg").q.tolist() == [[np.pi / 2, 0.1]]
    assert read_motion(robot, path).times is None


@pytest.mark.parametrize(
    "text",
    [
        "time;a\r\n0;1\r\n1;2\r\n",
        "\ufefftime\ta\n0\t1\n\n1\t2\n",
        "# a robot\n# time, a\n0, 1\n1, 2  # the last\n",  # as numpy.savetxt writes it
        'sep=,\n"time","a"\n0,1\n1,2\n',
        "time,a\n0,1\n1,2\n".encode("utf-16"),
    ],
)
def test_spellings_of_csv(robot, file, text):
    motion = read_motion(robot, file(text))
    assert (motion.names, motion.times.tolist(), motion.q.tolist()) == (("a",), [0, 1], [[1], [2]])


def test_quaternions_are_normalised(robot, file):
    path = file(f"{POSE}\n0, 0, 1, 0, 0, 3, 4\n0, 0, 2, 0, 0, 0, -1e-3\n")
    assert read_motion(robot, path).q.tolist() == [[0, 0, 1, 0, 0, 0.6, 0.8], [0, 0, 2, 0, 0, 0, -1]]


def test_names_that_look_like_numbers_or_times(file):
    named = kt.load(ROBOT.replace('"a"', '"1"').replace('"b"', '"t"'), format="urdf")
    motion = read_motion(named, file("1, t, time\n0.1, 0.2, 0\n0.1, 0.1, 1\n"))
    assert (motion.names, motion.times.tolist()) == (("1", "t"), [0, 1])
    assert read_motion(named, motion).q.tolist() == motion.q.tolist()


def test_a_joint_that_does_not_move_leaves_its_name_to_the_times():
    held = '<link name="e"/><joint name="time" type="fixed"><parent link="base"/><child link="e"/></joint></robot>'
    robot = kt.load(ROBOT.replace("</robot>", held), format="urdf")
    motion = read_motion(robot, {"time": [0, 2], "a": [0.1, 0.2]})
    assert motion.times.tolist() == [0, 2]
    assert read_motion(robot, motion).times.tolist() == [0, 2]


def test_a_motion_has_times_though_joints_have_all_their_names():
    names = {"a": "time", "b": "t", "c": "stamp"}
    text = ROBOT
    for old, new in names.items():
        text = text.replace(f'name="{old}"', f'name="{new}"').replace(f'joint="{old}"', f'joint="{new}"')
    robot = kt.load(text, format="urdf")
    motion = Motion(("time",), np.array([0.0, 1.0]), np.array([[0.5], [0.25]]))
    again = read_motion(robot, motion)
    assert (again.times.tolist(), again.q.tolist()) == ([0, 1], [[0.5], [0.25]])
    for times in ([0.0], [0.0, np.nan]):
        with pytest.raises(kt.KinetreeError, match=r"the time|times of the motion"):
            read_motion(robot, Motion(("time",), np.array(times), motion.q))


def test_a_path_is_no_motion(robot, tmp_path):
    path = kt.motion.through(robot, [robot.q(), robot.q(a=0.5)])
    with pytest.raises(kt.KinetreeError, match=r"expected a Motion, as kt.motion.retime makes of a path; got Path"):
        write_motion(path, tmp_path / "motion.csv")
    assert not (tmp_path / "motion.csv").exists()


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "numpy", "xarray"])
def test_tables_are_read_by_name(robot, library):
    columns = {"b": [0.1, 0.2], "time": [0, 2], "a": [0.3, 0.4]}
    if library == "numpy":
        table = np.array([*zip(*columns.values(), strict=True)], [(name, float) for name in columns])
    else:
        module = pytest.importorskip(library)
        if library == "xarray":
            table = module.Dataset({name: ("n", values) for name, values in columns.items()})
        else:
            table = getattr(module, {"pyarrow": "table"}.get(library, "DataFrame"))(columns)
    motion = read_motion(robot, table)
    assert (motion.names, motion.times.tolist()) == (("a", "b"), [0, 2])
    assert motion.q.tolist() == [[0.3, 0.1], [0.4, 0.2]]


@pytest.mark.parametrize("value", [3, [1, 2], np.zeros((2, 2)), None])
def test_what_is_no_motion_is_refused(robot, value):
    with pytest.raises(kt.KinetreeError, match="expected a file and columns by name"):
        read_motion(robot, value)


def test_an_array_is_in_the_order_of_q(robot):
    q = np.array([[90.0, 0.1, 0, 0, 0, 0, 0, 0, 1], [45.0, 0.2, 0, 0, 0, 0, 0, 0, 1]])
    motion = read_motion(robot, q, unit="deg")
    assert (motion.names, motion.times) == (robot.coordinate_names, None)
    np.testing.assert_allclose(motion.q[:, :2], [[np.pi / 2, 0.1], [np.pi / 4, 0.2]], atol=1e-15)


def test_columns_in_memory(robot):
    motion = read_motion(robot, {"time": [0, 2], "b": np.array([0.1, 0.2])})
    assert (motion.names, motion.times.tolist(), motion.q.tolist()) == (("b",), [0, 2], [[0.1], [0.2]])
    with pytest.raises(ValueError, match="read-only"):
        motion.q[0] = 1
    with pytest.raises(kt.KinetreeError, match="sample 1: the time is 0 after 0"):
        read_motion(robot, {"time": [0, 0], "b": [0, 0]})
    with pytest.raises(kt.KinetreeError, match="sample 1: column 'b' is nan; expected numbers up to 1e"):
        read_motion(robot, Motion(("b",), None, np.array([[0.0], [np.nan]])))
    for wrong in ({"a": [1, 2], "b": [1]}, {}, {"a": []}, {"a": ["x"]}, {"a": 1.0}):
        with pytest.raises(kt.KinetreeError, match="motion"):
            read_motion(robot, wrong)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ":1: error: there is nothing in it; expected a line of names, such as time, joint1, joint2"),
        ("time\n0\n", ":1: error: there are no names of joints that move"),
        ("el\n0\n", "column 'el' is not a joint that moves; there are 'time', 't', 'stamp', 'a', 'b', 'd.x'"),
        ("d.xx, e\n0, 0\n", "column 'd.xx' is not a joint that moves; did you mean .*'d.x'.*; 1 more columns are unk"),
        ("a, a\n0, 0\n", "column 'a' occurs twice"),
        ("d\n0\n", "column 'd' is a floating joint; expected its coordinates d.x, d.y, d.z, d.qx, d.qy, d.qz, d.qw"),
        ("a\n0\n0, 1\n", ":3: error: has 2 cells under 1 name "),
        ("a, b\n0, 0\n0\n", ":3: error: has 1 cell under 2 names"),
        ("a\nzero\n", ":2: error: column 'a' is 'zero'; expected a finite number"),
        ("a\n0\n\nnan\n", ":4: error: column 'a' is 'nan'; expected a finite number"),
        ("a, b\n0, -1e31\n", ":2: error: column 'b' is -1e\\+31; expected numbers up to 1e"),
        ("a;b\n0;0,5\n", ":2: error: column 'b' is '0,5'; expected a finite number"),
        ("a\n", ":1: error: there are no samples below the names"),
        ("0, 1\n", "there is no line of names above the numbers"),
        ("time, t, a\n0, 0, 0\n", "has 2 columns of times, time, t; expected one"),
        ("t, a\n0, 0\n2, 0\n1, 0\n", ":4: error: the time is 1 after 2; expected times that increase"),
        ("t, a\n0, 0\n2, 0\n2, 0\n", ":4: error: the time is 2 after 2; expected times that increase"),
        ("b, c\n0, 0.1\n0.1, 0.35\n", ":3: error: 'c' follows 'b', and is 0.05 off"),
        ("c\n0.1\n", ":1: error: column 'c' follows 'b', which has no column"),
        ("d.qx, d.qw\n0, 1\n", "the quaternion of joint 'd' is not whole; columns d.qy, d.qz are missing"),
        (f"{POSE}\n0, 0, 1, 0, 0, 0, 1\n0, 0, 1, 0, 0, 0, 0\n", ":3: error: the quaternion of joint 'd' is zero"),
    ],
)
def test_what_is_refused(robot, file, text, message):
    with pytest.raises(kt.KinetreeError, match=message):
        read_motion(robot, file(text))


def test_only_known_endings_are_read(robot, file):
    with pytest.raises(
        kt.KinetreeError, match=r"cannot read a motion from 'motion.bag'; expected the endings .csv, .tsv"
    ):
        read_motion(robot, file("a\n0\n", "motion.bag"))
    with pytest.raises(kt.KinetreeError, match="unit is 'mm'"):
        read_motion(robot, file("a\n0\n"), unit="mm")


def test_complex_numbers_are_no_motion(robot):
    with pytest.raises(kt.KinetreeError, match="a column of the motion has values that are not numbers"):
        read_motion(robot, {"b": [0.1, 1j]})


@pytest.mark.parametrize("unit", ["rad", "deg"])
@pytest.mark.parametrize("name", ["a", "1e3", "#a", "a, 'b';", 'a "b"', "time"])
def test_a_motion_comes_back_as_it_was_written(tmp_path, unit, name):
    """Quaternions and lengths have no degrees."""
    written = name.replace('"', "&quot;")
    text = ROBOT.replace('joint name="a"', f'joint name="{written}"')
    robot, rng = kt.load(text, format="urdf"), np.random.default_rng(0)
    q = rng.uniform(-0.2, 0.3, (5, robot.nq))
    q[:, -4:] /= np.linalg.norm(q[:, -4:], axis=1, keepdims=True)
    for times in (np.arange(5) / 3 + 0.1, None):
        motion = Motion(robot.coordinate_names, times, q, robot=robot)
        write_motion(motion, tmp_path / "m.csv", unit=unit)
        again = read_motion(robot, tmp_path / "m.csv", unit=unit)
        assert again.names == motion.names == (name, *robot.coordinate_names[1:])
        assert times is None if again.times is None else np.array_equal(again.times, times)
        assert np.abs(again.q - q).max() <= (2e-16 if unit == "rad" else 1e-14)
        assert np.array_equal(again.q[:, 1:5], q[:, 1:5])


def test_what_cannot_be_written(tmp_path, robot):
    motion = Motion(("a",), [0.0], [[0.5]], robot=robot)
    for wrong, name, unit, message in (
        (motion, "m.bag", "rad", "expected the ending .csv or .mcap"),
        (motion, "m.csv", "grad", "expected 'rad' or 'deg'"),
        (Motion(("a",), [0.0], [[0.5]]), "m.csv", "rad", "the motion has no robot"),
    ):
        with pytest.raises(kt.KinetreeError, match=message):
            write_motion(wrong, tmp_path / name, unit=unit)
    clocks = kt.chain("Rz(time) tx(1) Rz(t) tx(1) Rz(stamp)")
    with pytest.raises(kt.KinetreeError, match="all names of a column of times"):
        write_motion(Motion(("t",), [0.0], [[0.5]], robot=clocks), tmp_path / "m.csv")


def test_degrees_without_the_rounding_of_their_conversion(tmp_path):
    """Each is the shortest number within 1e-12 of a degree."""
    arm = kt.chain("Rz(a) Rz(b)")
    degrees = np.array([[-120.0, 0.1], [359.9999, -1e-9], [12.345678901234, 7e5 + 0.1], [-0.0, 1e-14]])
    write_motion(Motion(("a", "b"), None, np.radians(degrees), robot=arm), tmp_path / "m.csv", unit="deg")
    rows = (tmp_path / "m.csv").read_text().splitlines()[1:]
    assert rows == ["-120.0,0.1", "359.9999,-1e-09", "12.345678901234,700000.1", "0.0,0.0"]
    again = read_motion(arm, tmp_path / "m.csv", unit="deg").q
    np.testing.assert_allclose(np.degrees(again), degrees, rtol=1e-15, atol=1e-12)
