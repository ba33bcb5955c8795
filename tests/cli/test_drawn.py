"""What commands draw and serve, without matplotlib, compiled code and a network: each call of these is compared."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

import kinetree as kt
from kinetree.cli import _limits_page
from kinetree.cli._limits_page import allowed, limits_figure, places_figure, places_page, widening_page
from kinetree.lab.calibrate.calibration import Calibration
from kinetree.lab.reach.grid import Grid, sphere
from kinetree.lab.reach.map import ReachMap
from kinetree.solvers.limits.places import ReachedPlaces
from kinetree.solvers.limits.report import report, several
from kinetree.viewing import calibration_figure as of_calibration

JOINT = """<link name="l{0}"/><joint name="j{0}" type="{1}"><parent link="l{2}"/><child link="l{0}"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="{3}" velocity="2" effort="1"/></joint>"""
ARM = '<robot name="arm"><link name="l0"/>' + "".join(
    JOINT.format(i, kind, i - 1, upper)
    for i, kind, upper in (
        (1, "revolute", 1),
        (2, "revolute", 2),
        (3, "prismatic", 0.5),
        (4, "revolute", 1),
        (5, "revolute", 2),
    )
)
ROWS = """[[limits]]
name = "two"
unit = "si"
joints = ["j1", "j5"]
G = [[1, 1]]
h = [1.5]
[[limits]]
name = "three"
unit = "si"
joints = ["j2", "j3", "j4"]
G = [[1, 2, 1]]
h = [2]
"""


class Recorded:
    """An object of matplotlib that keeps each call, with its arrays in short."""

    def __init__(self, name, calls):
        self._name, self._calls = name, calls

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name in ("figure", "xaxis"):
            return Recorded(f"{self._name}.{name}", self._calls)

        def call(*arguments, **named):
            words = [*map(short, arguments), *(f"{key}={short(value)}" for key, value in named.items())]
            self._calls.append(f"{self._name}.{name}({', '.join(words)})")
            if name == "get_legend_handles_labels":
                return ["handles"], ["labels"]
            if name == "subplots":
                shape = arguments
                panels = [Recorded(f"panel {i}", self._calls) for i in range(np.prod(shape))]
                made = np.array(panels, dtype=object).reshape(shape)
                return made if named.get("squeeze") is False else made.ravel()
            return Recorded(f"{self._name}.{name}", self._calls)

        return call


def short(value):
    if isinstance(value, Recorded):
        return value._name
    if isinstance(value, np.ndarray) and value.dtype == object:
        return short(value.tolist())
    if isinstance(value, np.ndarray) and value.size > 12:
        finite = value[np.isfinite(value)]
        edges = [value[0, 0], value[0, -1], value[-1, 0], value[-1, -1]] if value.ndim == 2 else value[[0, -1]]
        return f"array {value.shape} {short(np.array(edges))} mean {finite.mean():.4g} of {finite.size}"
    if isinstance(value, np.ndarray):
        return str((value.round(4) + 0.0).tolist())
    if isinstance(value, tuple | list):
        return f"({', '.join(map(short, value))})"
    return f"{value:.4g}" if isinstance(value, float) else repr(value)


@pytest.fixture
def drawn(monkeypatch):
    """The calls of the figures that are drawn."""
    calls = []
    for module in (_limits_page, of_calibration):
        monkeypatch.setattr(
            module,
            "new_figure",
            lambda *size, **more: calls.append(f"figure {size} {more}") or Recorded("figure", calls),
        )
        monkeypatch.setattr(module, "written", lambda figure, suffix: calls.append(f"written as {suffix}") or b"drawn")
    return calls


@pytest.fixture(scope="module")
def coupled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("coupled")
    (folder / "rows.toml").write_text(ROWS)
    (folder / "arm.urdf").write_text(f"{ARM}</robot>")
    return folder


def places():
    centers = np.array([(x, y, z) for x in (0.05, 0.15) for y in (0.05, 0.15, 0.25) for z in (-0.05, 0.05)])
    within = np.arange(12)
    return ReachedPlaces("l4", "l1", ("j2", "j3"), 0.1, centers, np.array([within < 12, within % 4 > 0, within < 5]))


def test_figures_of_limits_places_and_calibrations(coupled, drawn, golden):
    """Read the difference before you update the file."""
    robot = kt.load(coupled / "arm.urdf", limits=str(coupled / "rows.toml"))
    assert limits_figure(robot, report(robot), ".svg") == b"drawn"
    assert places_figure(robot, places(), ".png") == b"drawn"
    off = np.array([(0.01, 0.1), (0.002, 1e-9), (1e-5, 0.02)])
    T = np.eye(4)
    result = Calibration(False, (), (), T, T, off / 10, off, (), (), "KUKA", "base_link", "flange")
    assert of_calibration.calibration_figure(result, (1e-3, 0.01), ".pdf") == b"drawn"
    for section in places_page(robot, places()):
        drawn += [section.title, section.remark, str(section.columns), *map(str, section.rows)]
    golden("drawn.txt", "\n".join(drawn) + "\n")


def test_the_share_of_the_third_joint_is_that_of_many_samples(coupled):
    robot = kt.load(coupled / "arm.urdf", limits=str(coupled / "rows.toml"))
    block = max(several(robot), key=lambda block: len(block.columns))
    rng = np.random.default_rng(0)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        shares = allowed(block, i, j)
        k = 3 - i - j
        for row, column in rng.integers(0, 241, (20, 2)):
            q = np.empty((2000, 3))
            q[:, i] = np.linspace(block.lower[i], block.upper[i], 241)[column]
            q[:, j] = np.linspace(block.lower[j], block.upper[j], 241)[row]
            q[:, k] = np.linspace(block.lower[k], block.upper[k], 2000)
            inside = (q @ block.A.T <= block.b + 1e-9).all(axis=1).mean()
            assert shares[row, column] == pytest.approx(inside, abs=1e-3)


def test_reach_prints_volumes_and_removes_nothing_but_a_map(run, coupled, tmp_path, monkeypatch):
    asked, removed = [], []
    shape = (3, 1, 2)
    grid = Grid(np.array([-0.25, 0.125, 1.0]), 0.5, shape, (False,) * 3, sphere(2), 2, np.array([0.25, -1.5]))
    bits = np.packbits(np.arange(4) < np.arange(6).reshape(shape)[..., None], axis=-1)
    made = ReachMap("arm", "l4", "l1", grid, bits, np.ones(shape), np.ones(shape), {})
    monkeypatch.setattr("kinetree.lab.reach.run.reach_map", lambda *a, **more: asked.append((a[1:], more)) or made)
    monkeypatch.setattr("kinetree.lab.reach.store.arguments_of", lambda file: removed.append(file.name))
    arm = coupled / "arm.urdf"
    box = ("--box", 0, 0, 0, 1, 2, 3)
    result = run("reach", arm, "--frame", "l4", "--base", "l1", "--voxel", 0.5, *box, "--no-symmetry")
    assert (result.exit_code, result.stderr, result.stdout) == (
        0,
        "",
        "l4 in l1 reaches 0.625 m³, 83.3 % of the box\n"
        "  in 25 % of 4 orientations 0.625 m³, 83.3 % of the box\n"
        "  in 50 % of 4 orientations 0.5 m³, 66.7 % of the box\n"
        "  in 75 % of 4 orientations 0.375 m³, 50 % of the box\n"
        "  in 100 % of 4 orientations 0.25 m³, 33.3 % of the box\n"
        "3 x 1 x 2 voxels of 0.5 m from -0.25, 0.125, 1\n"
        "symmetric about the line at x 0.25, y -1.5\n",
    )
    defaults = {"directions": None, "rolls": None, "descents": 128, "loops": "refuse", "voxel": 0.5, "store": None} | {
        "clearance": None,
        "geometry": "mesh",
    }
    assert asked.pop() == (("l4", "l1"), {**defaults, "box": ((0, 0, 0), (1, 2, 3)), "symmetry": False})
    store = tmp_path / "map.zarr"
    store.mkdir()
    assert run("reach", arm, "--frame", "l4", "-o", store).stderr == f"wrote {store}\n"
    assert asked.pop() == (("l4", None), {**defaults, "voxel": None, "box": None, "symmetry": True, "store": store})
    assert (store.exists(), removed) == (True, [])
    run("reach", arm, "--frame", "l4", "-o", store, "--force")
    assert (store.exists(), removed) == (False, ["map.zarr"])


def test_limits_draws_what_it_is_asked(run, coupled, tmp_path, monkeypatch, drawn):
    monkeypatch.setattr("kinetree.solvers.limits.places.places", lambda robot, frame: places())
    arm = ("limits", coupled / "arm.urdf", "--limits", coupled / "rows.toml")
    for name, more in (("box.svg", ()), ("places.png", ("--reach", "l4")), ("json.svg", ("--reach", "l4", "--json"))):
        result = run(*arm, *more, "--plot", tmp_path / name)
        assert (result.exit_code, (tmp_path / name).read_bytes()) == (0, b"drawn")
    told = json.loads(result.stdout)
    assert (told["frame"], told["base"], told["joints"]) == ("l4", "l1", ["j2", "j3"])
    assert told["volumes"] == pytest.approx({"ranges": 0.012, "all limits": 0.009, "safe box": 0.005})
    heights = {"from": -0.1, "ranges": 0.006, "all limits": 0.003, "safe box": 0.003}
    assert told["heights"] == [
        pytest.approx(heights),
        pytest.approx({"from": 0.0, "ranges": 0.006, "all limits": 0.006, "safe box": 0.002}),
    ]
    assert run(*arm, "--plot", tmp_path / "box.svg").exit_code == 2
    drawn.clear()
    assert run(*arm, "--reach", "l4").stdout.startswith(
        "Places that l4 reaches  (litres, in cubes of 10 cm; what moves is"
    )
    assert drawn == []


def test_serve_says_what_is_wrong_with_a_configuration_and_where_it_listens(run, coupled, tmp_path, monkeypatch):
    asked = []

    class Server:
        def __init__(self, content, player, rate, tell):
            asked.append((player.q.tolist(), player.speed, player.loop, rate))

        async def run(self, host, port, origins, ready):
            asked.append((host, port, origins))
            ready([("127.0.0.1", 1), ("::1", 2), ("192.168.0.7", 3), ("fe80::1%eth0", 4)])

    monkeypatch.setattr("kinetree.serving.server.Server", Server)
    arm = coupled / "arm.urdf"
    result = run(
        "serve", arm, "--q", "j1=90", "--deg", "--host", "h", "--port", 9, "--allow-origin", "https://a.b", "--rate", 5
    )
    assert result.exit_code == 0
    assert result.stdout == "ws://127.0.0.1:1\nws://[::1]:2\nws://192.168.0.7:3\nws://[fe80::1%eth0]:4\n"
    risk = "warning: every computer that reaches {} can read this robot and its meshes, and set its joint values; "
    risk += "there is no password and no encryption. Use --host on a trusted network only."
    assert result.stderr.splitlines() == [
        "note: j1 = 90 deg, outside its limits, -57.3 to 57.3 deg",
        "outside of the limits: 1 of 1 configurations; the worst is j1 upper, by 0.571 rad",
        risk.format("192.168.0.7:3"),
        risk.format("fe80::1%eth0:4"),
        "open this address in a viewer, such as Foxglove; Ctrl-C ends it",
    ]
    assert asked == [([pytest.approx(np.pi / 2), 0, 0, 0, 0], 1.0, False, 5.0), ("h", 9, ("https://a.b",))]
    (tmp_path / "m.csv").write_text("time,j1,j2\n0,0,0\n1,60,130\n2,70,0\n")
    asked.clear()
    result = run("serve", arm, tmp_path / "m.csv", "--deg", "--speed", 2, "--loop")
    assert result.stderr.splitlines()[:2] == [
        f"{tmp_path / 'm.csv'}: without a column, and staying as they are: j3, j4, j5",
        "outside of the limits: 2 of 3 configurations; the worst is j2 upper, by 0.269 rad",
    ]
    assert asked == [([0, 0, 0, 0, 0], 2.0, True, 100.0), ("127.0.0.1", 8765, ())]


@pytest.mark.parametrize(
    ("options", "title", "head", "row"),
    [
        (("rad", None, None), "of the room of their joints", ">by, rad", ["turn", "0.5", "20", "10", "1"]),
        (("rad", "l4", None), "of what l4 reaches, 2 m³", ">by, rad", ["turn", "0.5", "20", "10", "1"]),
        (("rad", None, 10.0), "of the room of their joints", ">by, rad", ["turn", "0.5", "5", "2", "1", "1"]),
    ],
)
def test_a_table_of_widening(options, title, head, row):
    plan = SimpleNamespace(rows=("turn", "still"), by=np.array([0.5, 0.0]), before=2.0, after=2.5, gap=0.001)
    plan.first, plan.last, plan.worth = np.array([0.2, 0.0]), np.array([0.1, 0.0]), np.array([0.01, 0.0])
    unit, reach, radius = options
    (found,) = widening_page(plan, {"turn": 1.0, "still": 1.0}, unit, reach, radius)
    assert found.title == f"Limits moved out: +25.000 % {title}"
    assert found.columns[1] == head
    assert found.rows == [tuple(row)]
    assert found.remark.endswith("; no other choice gains 0.1 % more; 1 other gains nothing")
