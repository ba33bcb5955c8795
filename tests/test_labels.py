"""Tables and other arrays with names are taken by name, whatever their order, or refused: never by position.

The expected numbers are those of plain arrays in the robot's order.
"""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import kinetree as kt
from each import each
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port
from kinetree.compiler.program import trace
from kinetree.controllers import controllers
from kinetree.labels import by_name
from pendants import ARM, shown
from random_arms import random_arm

ROBOT = random_arm(6, seed=3, kinds="rpr")
NAMES = list(ROBOT.coordinate_names)
Q = ROBOT.limits.sample(5)
MIXED = [NAMES[i] for i in (4, 0, 5, 2, 1, 3)]
TABLE = pd.DataFrame(Q, columns=NAMES)[MIXED]


def polars(table):
    return pytest.importorskip("polars").from_pandas(table)


def arrow(table):
    library = pytest.importorskip("pyarrow")
    return library.table({name: table[name].to_numpy() for name in table})


FORMS = {
    "pandas": lambda table: table,
    "pandas, joints in rows": lambda table: table.T,
    "pandas with times": lambda table: table.set_axis(pd.date_range("2026-01-01", periods=len(table)), axis=0),
    "list of series": lambda table: [table.iloc[i] for i in range(len(table))],
    "list of named tuples": lambda table: list(table.itertuples(index=False, name="Row")),
    "list of mappings": lambda table: table.to_dict("records"),
    "mapping": lambda table: {name: table[name].to_numpy() for name in table},
    "records": lambda table: table.to_records(index=False),
    "structured": lambda table: np.asarray(table.to_records(index=False)),
    "xarray": lambda table: xr.DataArray(table.to_numpy(), dims=("time", "joint"), coords={"joint": list(table)}),
    "xarray, joints first": lambda table: xr.DataArray(
        table.to_numpy().T, dims=("joint", "time"), coords={"joint": list(table), "time": np.arange(len(table)) / 10}
    ),
    "data set": lambda table: xr.Dataset({name: ("time", table[name].to_numpy()) for name in table}),
    "polars": polars,
    "arrow": arrow,
}


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_a_table_is_taken_by_name(form):
    given = FORMS[form](TABLE)
    fk = kt.fk(ROBOT, "l6")
    for call in (fk, fk, fk.interpret):  # the first compiles
        np.testing.assert_array_equal(call(given), call(Q))
    np.testing.assert_array_equal(fk(given, threads=2), fk(Q))
    limits = ROBOT.limits
    np.testing.assert_array_equal(limits.margin(given), limits.margin(Q))
    np.testing.assert_array_equal(limits.contains(given), limits.contains(Q))
    np.testing.assert_array_equal(limits.project(given), limits.project(Q))
    np.testing.assert_array_equal(limits.clip_step(given, given), limits.clip_step(Q, Q))
    velocity = kt.velocity(ROBOT, "l6")
    np.testing.assert_array_equal(velocity(given, qd=given), velocity(Q, Q))
    ik, T = kt.ik(ROBOT, "l6"), fk(Q)
    np.testing.assert_array_equal(ik(T, q0=given).q, ik(T, q0=Q).q)
    np.testing.assert_array_equal(ik(T, prefer=given).q, ik(T, prefer=Q).q)
    np.testing.assert_array_equal(ik.step(given, T, dt=0.1).q, ik.step(Q, T, dt=0.1).q)
    guard = kt.guard(ROBOT, speed=1.0)
    order = [NAMES.index(name) for name in guard.joints]
    plain = guard(Q[:, order], Q[::-1, order], 0.1)
    np.testing.assert_array_equal(
        guard(given, FORMS[form](TABLE[::-1].reset_index(drop=True)), 0.1).command, plain.command
    )


def test_one_configuration_by_name():
    one, fk = TABLE.iloc[2], kt.fk(ROBOT, "l6")
    row = next(TABLE.iloc[[2]].itertuples(index=False, name="Row"))
    for given in (
        one,
        one.to_dict(),
        row,
        TABLE.to_records(index=False)[2],
        xr.DataArray(one.to_numpy(), {"joint": MIXED}, ("joint",)),
    ):
        np.testing.assert_array_equal(fk(given), fk(Q[2]))
        np.testing.assert_array_equal(ROBOT.q(given), Q[2])
    some = one[MIXED[:2]]
    np.testing.assert_array_equal(ROBOT.q(some), ROBOT.q(some.to_dict()))
    np.testing.assert_array_equal(ROBOT.q(TABLE.iloc[[2]]), Q[2])
    locked = kt.edit.lock(ROBOT, some)
    np.testing.assert_allclose(kt.fk(locked, "l6")(one.drop(some.index)), kt.fk(ROBOT, "l6")(Q[2]), rtol=0, atol=1e-14)


BAD = {
    "a missing joint": (TABLE.drop(columns="j1"), "lacks 'j1'"),
    "a column of times": (TABLE.assign(t=0.0), "has the unknown names 't'"),
    "another name": (TABLE.rename(columns={"j2": "elbow"}), "lacks 'j2' and has the unknown names 'elbow'"),
    "a name twice": (TABLE[[*MIXED, "j0"]], "has more than once 'j0'"),
    "numbers that do not begin at 0": (pd.DataFrame(Q, columns=range(1, 7)), "has the unknown names 1, 2, 3"),
    "numbers out of order": (pd.DataFrame(Q)[[1, 0, 2, 3, 4, 5]], "has the unknown names 1, 0"),
    "levels": (pd.concat({"left": TABLE}, axis=1), "has the unknown names"),
    "coordinates of xarray": (
        xr.DataArray(Q, dims=("t", "axis"), coords={"axis": list("abcdef")}),
        "unknown names 'a'",
    ),
    "two axes of joints": (pd.DataFrame(np.eye(6), NAMES, NAMES), "has names on its axes"),
    "fields": (np.zeros(5, [(name, float) for name in "abcdef"]), "has the unknown names 'a'"),
    "a mapping": (dict.fromkeys("abcdef", 0.0), "has the unknown names 'a'"),
    "a series of times": (pd.Series(Q[0], pd.date_range("2026-01-01", periods=6)), "has the unknown names"),
    "masks": (dict.fromkeys(NAMES, np.ma.masked_array([1.0, 2.0], [False, True])), "masks would be lost"),
    "columns of other lengths": ({**dict.fromkeys(NAMES, 0.0), "j0": [1, 2], "j1": [1, 2, 3]}, "different lengths"),
}


@each("what", BAD)
def test_other_names_are_refused(what):
    given, message = BAD[what]
    ik = kt.ik(ROBOT, "l6")
    T = kt.fk(ROBOT, "l6")(Q[0])
    for call in (kt.fk(ROBOT, "l6"), ROBOT.limits.contains, lambda q: ik(T, q0=q), lambda q: ik(T, prefer=q)):
        with pytest.raises(kt.KinetreeError, match=message):
            call(given)


def test_what_is_said_of_names():
    """Each fault, what is expected, and what to do; of many names some."""
    long = random_arm(10, seed=3, kinds="r" * 10)
    ten = ", ".join(f"'j{i}'" for i in range(8)) + " and 2 more"
    fix = "give one value for each of these names, and for no other"
    chosen = "select the names that are meant; `robot.q(…)` leaves joints without a value neutral"
    for call, message, told in (
        (
            lambda: kt.fk(long, "l1").interpret({"a": 1.0, "b": 2.0}),
            f"q lacks {ten} and has the unknown names 'a', 'b'; expected {ten}, each once, in any order",
            chosen,
        ),
        (
            lambda: kt.velocity(ROBOT, "l1").interpret(Q[0], pd.Series([1.0, 2.0], ["l", "l"])),
            f"qd lacks {', '.join(map(repr, NAMES))} and has the unknown names 'l', 'l' and has more than once 'l'; "
            f"expected {', '.join(map(repr, NAMES))}, each once, in any order",
            fix,
        ),
        (
            lambda: by_name({"x": 1.0, "y": 2.0}, (), "a target"),
            "a target has names on its axes: 'x', 'y'; it is read by position",
            "give the numbers without names, in the order that is meant",
        ),
        (
            lambda: by_name({"x": 1.0}, (), "q", legal="expected a pose"),
            "q has names on its axes: 'x'; expected a pose",
            "give the numbers without names, in the order that is meant",
        ),
    ):
        with pytest.raises(kt.KinetreeError) as caught:
            call()
        (finding,) = caught.value.findings
        assert (finding.message, finding.fix) == (message, told)


def test_positions_are_no_names():
    fk = kt.fk(ROBOT, "l6")
    for given in (pd.DataFrame(Q), xr.DataArray(Q), xr.DataArray(Q, dims=("time", "joint")), Q.tolist(), tuple(Q)):
        np.testing.assert_array_equal(fk(given), fk(Q))
    np.testing.assert_array_equal(fk(pd.Series(Q[0])), fk(Q[0]))


def test_rows_of_other_times_are_refused():
    velocity, times = kt.velocity(ROBOT, "l6"), np.arange(5) / 10
    q, qd = TABLE.set_axis(times), TABLE.set_axis(times[::-1])
    for call in (velocity, ROBOT.limits.clip_step, lambda q, qd: ROBOT.limits.clip_velocity(q, qd, 0.1)):
        call(q, q)
        call(q, Q)
        with pytest.raises(kt.KinetreeError, match=r"the rows of q and d?qd? have different labels"):
            call(q, qd)


LINKS, PARTS = ["fore", "m", "upper"], list("mxyz")
"""Names of the rows and columns of an input; one is the name of a row and of a column."""
MASSES = np.arange(24.0).reshape(2, 3, 4)
BY_LINK = pd.DataFrame(MASSES[0], LINKS, PARTS)
ORDER, COLUMNS = [2, 0, 1], [3, 1, 0, 2]
ROWS = {
    "shuffled": BY_LINK.iloc[ORDER, COLUMNS],
    "links in columns": BY_LINK.iloc[ORDER, COLUMNS].T,
    "rows by name, columns by position": pd.DataFrame(MASSES[0], LINKS).iloc[ORDER],
    "columns by name, rows by position": pd.DataFrame(MASSES[0], columns=PARTS).iloc[:, COLUMNS],
    "rows": {LINKS[i]: MASSES[0, i] for i in ORDER},
    "table of rows": pd.DataFrame({LINKS[i]: MASSES[0, i] for i in ORDER}),
    "columns": {PARTS[i]: MASSES[0, :, i] for i in COLUMNS},
    "mapping of series": {LINKS[i]: BY_LINK.iloc[i, COLUMNS] for i in ORDER},
    "mapping of columns": {PARTS[i]: BY_LINK.iloc[ORDER, i] for i in COLUMNS},
    "mapping of mappings": BY_LINK.iloc[ORDER, COLUMNS].to_dict(),
    "list of series": [BY_LINK.iloc[i, COLUMNS] for i in range(3)],
    "data set": xr.Dataset({PARTS[i]: ("link", MASSES[0, ORDER, i]) for i in COLUMNS}, {"link": BY_LINK.index[ORDER]}),
}


def taking_rows():
    ports = (Port("q", (6,), tuple(NAMES)), Port("p", (3, 4), tuple(PARTS), rows=tuple(LINKS)))
    return Kernel("f", ports, Port("x", (3, 4)), lambda: trace(lambda q, p: p * (1 + q[0]), (6,), (3, 4)))


@each("form", ROWS)
def test_rows_are_taken_by_name(form):
    k = taking_rows()
    np.testing.assert_array_equal(k.interpret(Q, ROWS[form]), k.interpret(Q, MASSES[0]))
    np.testing.assert_array_equal(k.interpret(Q[0], [ROWS[form]] * 2), k.interpret(Q[0], MASSES[[0, 0]]))
    timed = pd.DataFrame(Q[:3], ["a", "b", "c"], NAMES)
    np.testing.assert_array_equal(k.interpret(timed, ROWS[form]), k.interpret(Q[:3], MASSES[0]))


def test_batches_of_rows_are_taken_by_name():
    k = taking_rows()
    cube = xr.DataArray(MASSES, {"time": [0.5, 1.5], "link": LINKS, "part": PARTS}, ("time", "link", "part"))
    for given in (
        cube[:, ORDER, COLUMNS].transpose("part", "time", "link"),
        [one.to_pandas() for one in cube[:, ORDER, COLUMNS]],
        {LINKS[i]: MASSES[:, i] for i in ORDER},
        {LINKS[i]: pd.DataFrame(MASSES[:, i], columns=PARTS).iloc[:, COLUMNS] for i in ORDER},
    ):
        np.testing.assert_array_equal(k.interpret(Q[0], given), k.interpret(Q[0], MASSES))


@each(
    "given, message",
    [
        (BY_LINK[:2], "p lacks 'upper'; expected 'fore', 'm', 'upper', each once"),
        (BY_LINK.rename(index={"fore": "hand"}), "p lacks 'fore' and has the unknown names 'hand'"),
        (BY_LINK.set_axis(list("abc")), "p lacks 'fore', 'm', 'upper' and has the unknown names 'a', 'b', 'c'"),
        (BY_LINK.iloc[[0, 1, 2, 0]], "p has more than once 'fore'"),
        (BY_LINK.drop(columns="z").T, "p lacks 'z'"),
        ({"fore": MASSES[0, 0], "m": MASSES[0, 1]}, "p lacks 'upper'"),
        ({name: BY_LINK.loc[name].drop("x") for name in LINKS}, "p lacks 'x'"),
        (dict.fromkeys(LINKS, 1.0), "p lacks 'x'"),
        ([BY_LINK[name] for name in PARTS], "p lacks 'x'"),
        (pd.DataFrame(np.eye(3), LINKS, LINKS), "p has names on its axes: 'fore'"),
        (pd.DataFrame(MASSES[0], [2, 0, 1]), "p lacks 'fore'.* and has the unknown names 2, 0, 1"),
    ],
)
def test_other_names_of_rows_are_refused(given, message):
    with pytest.raises(kt.KinetreeError, match=message):
        taking_rows().interpret(Q[0], given)


SWING = """<mujoco><worldbody><body name="upper"><joint name="shoulder"/><geom type="box" size=".1 .2 .3"/>
<body name="fore"><joint name="elbow" axis="1 0 0"/><geom type="box" size=".1 .1 .3"/></body></body></worldbody>
</mujoco>"""


def test_masses_and_wrenches_are_taken_by_name():
    arm = kt.load(SWING, format="mjcf")
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 2))
    masses, frames, w = kt.dynamics.inertial_parameters(arm), ["fore", "upper"], np.arange(6.0)
    plain = np.array(list(masses.values()))
    tau = kt.inverse_dynamics(arm, wrenches=frames, parameters=True).interpret
    expected = tau(q, qd, qdd, [w, 2 * w], plain)
    table = pd.DataFrame(masses, kt.dynamics.inertial_regressor(arm).output.labels[:10]).T
    table.columns = [label.partition(".")[2] for label in table.columns]
    for given in (masses, pd.DataFrame(masses), table.iloc[::-1, ::-1]):
        np.testing.assert_array_equal(tau(q, qd, qdd, {"upper": 2 * w, "fore": w}, given), expected)
    with pytest.raises(kt.KinetreeError, match="w lacks 'fore' and has the unknown names 'hand'"):
        tau(q, qd, qdd, {"upper": w, "hand": w}, plain)
    with pytest.raises(kt.KinetreeError, match=r"qd lacks .*\n    fix: give one value for each of these names"):
        tau(q, {"elbow": 1.0}, qdd, [w, w], plain)
    twice = kt.inverse_dynamics(arm, wrenches=["upper", "upper"]).interpret
    with pytest.raises(kt.KinetreeError, match="w has names on its axes: 'upper'; expected real numbers"):
        twice(q, qd, qdd, {"upper": w})
    for call in (kt.dynamics.mass, kt.dynamics.inertial_parameters):
        with pytest.raises(TypeError, match="robot is 'arm'; expected a Robot"):
            call("arm")


@pytest.mark.slow
def test_what_has_no_joints_is_refused_if_it_has_names():
    ik = kt.ik(ROBOT, "l6")
    with pytest.raises(kt.KinetreeError, match="a target has names on its axes: 'x', 'y'"):
        ik(pd.DataFrame(np.eye(4), columns=list("xyzw")))
    assert ik(pd.DataFrame(kt.fk(ROBOT, "l6")(Q[0]))).success


@pytest.mark.slow
def test_vectors_have_names_too():
    point = kt.kinematics.point(ROBOT, "l6")
    ik, p = kt.ik(ROBOT, "l6", goal="position"), kt.fk(ROBOT, "l6")(Q[0])[:3, 3]
    target = pd.Series(p, list("xyz"))[::-1]
    np.testing.assert_array_equal(ik(target).q, ik(p).q)
    plane = kt.frame_from_points(*(pd.Series(v, list("xyz"))[::-1] for v in np.diag([1.0, 2.0, 3.0])))
    np.testing.assert_array_equal(plane.T, kt.frame_from_points(*np.diag([1.0, 2.0, 3.0])).T)
    np.testing.assert_array_equal(point(Q[0], {"z": 3.0, "x": 1.0, "y": 2.0}), point(Q[0], [1.0, 2.0, 3.0]))


def test_calibration_takes_tables_by_name():
    joints, poses = shown("kuka", np.random.default_rng(1))
    names = [f"{i}" for i in ARM.joint_names]
    plain = kt.calibrate(ARM, "kuka", joints, poses)
    table = pd.DataFrame(poses, columns=controllers["kuka"].components)
    named = kt.calibrate(
        ARM, "kuka", pd.DataFrame(joints, columns=names)[names[::-1]], table[["C", "B", "A", "Z", "Y", "X"]]
    )
    assert str(named) == str(plain)
    np.testing.assert_array_equal(named.residual, plain.residual)
    who = controllers["kuka"]
    np.testing.assert_array_equal(who.to_pose(table[["C", "B", "A", "Z", "Y", "X"]]), who.to_pose(poses))
    with pytest.raises(kt.KinetreeError, match="a pose lacks 'A'"):
        who.to_pose(table.drop(columns="A"))
    times = np.arange(len(poses)) / 10
    with pytest.raises(kt.KinetreeError, match="the rows of joints and poses have different labels"):
        kt.calibrate(ARM, "kuka", pd.DataFrame(joints, times, names), table.set_axis(times[::-1]))


def test_controllers_and_boards_take_tables_by_name():
    q = ARM.limits.sample(3) if np.isfinite(ARM.limits.upper).all() else np.random.default_rng(0).uniform(-1, 1, (3, 6))
    table = pd.DataFrame(q, columns=ARM.joint_names).iloc[:, ::-1]
    np.testing.assert_array_equal(kt.controllers.joints(ARM, "kuka", table), kt.controllers.joints(ARM, "kuka", q))
    np.testing.assert_array_equal(kt.controllers.pose(ARM, "kuka", table), kt.controllers.pose(ARM, "kuka", q))
    np.testing.assert_array_equal(kt.controllers.to_q(ARM, "kuka", table), kt.controllers.to_q(ARM, "kuka", q))
    icub = kt.load("icub")
    axes = kt.icub.board_joints(icub, "left_arm")
    values = np.zeros(len(axes))
    values[:7] = np.arange(1.0, 8.0)
    for count in (7, len(axes)):
        mixed = pd.Series(values, axes)[:count][::-1]
        plain = kt.icub.from_board(icub, "left_arm", values[:count], unit="deg")
        np.testing.assert_array_equal(kt.icub.from_board(icub, "left_arm", mixed, unit="deg").q, plain.q)
    q = pd.Series(plain.q, icub.coordinate_names)[::-1]
    back = kt.icub.to_board(icub, "left_arm", q, unit="deg")
    np.testing.assert_array_equal(back.values, kt.icub.to_board(icub, "left_arm", plain.q, unit="deg").values)


def test_coordinates_of_one_joint_have_names_of_their_own():
    world = kt.load(
        '<mujoco><worldbody><body name="a"><freejoint name="base"/><geom size="1"/></body></worldbody></mujoco>',
        format="mjcf",
    )
    q = np.array([1.0, 2.0, 3.0, 0.0, 0.6, 0.0, 0.8])
    series = pd.Series(q, world.coordinate_names)
    np.testing.assert_array_equal(kt.fk(world, "a")(series[::-1]), kt.fk(world, "a")(q))
