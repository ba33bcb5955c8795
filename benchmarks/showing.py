"""Sizes and times of the page of `kinetree show`: the viewer, pages of three robots and of one with large meshes. Then
the same robots as files of other viewers, those that are installed.

    python benchmarks/showing.py [--runs 5] [--quick] [--peers PYTHON]

A page is made by `kinetree show MODEL -o FILE`, a process of its own. The first picture counts from opening the page in
a browser that has just started, is offline and draws in software, until the page says that it is painted; beside other
viewers, until a picture of at least 90 % of all triangles is drawn. The fastest of several runs counts; viewers take
turns. Without Chromium there are no times of pictures. PYTHON is an interpreter that has the other viewers, such as
venv/bin/python after `venv/bin/pip install viser yourdfpy meshcat pin rerun-sdk`; by default this one.

Each figure that has a limit is marked "ok" or "OVER". A size over its limit makes the command fail; times are those of
the machine.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

import kinetree.viewing
import showing_peers
from cases import ROBOTS
from chromium import CHROMIUM, Opened, first_picture, opened
from machine import describe, minima, seconds_of

BUNDLE = Path(kinetree.viewing.__file__).parent / "bundle" / "viewer.js"
LARGE = "100 links"
VIEWER = (700.0, 200.0)
"""At most: kB of the viewer, and compressed."""
TARGETS = {"iCub": (3.0, 2.8, 3.0), LARGE: (None, 9.0, None)}
"""At most: seconds to make a page, its MB, seconds to its first picture."""
BESIDE = ("iCub", "Panda")
"""The robots that the other viewers show."""
STL = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="one run, small meshes")
    parser.add_argument("--peers", default=sys.executable, metavar="PYTHON", help="interpreter with other viewers")
    arguments = parser.parse_args()
    runs, steps = (1, 10) if arguments.quick else (arguments.runs, 103)
    print(describe("kinetree", "numpy"), end="\n\n")
    sizes = viewer_sizes()
    print("viewer", *(judged(*pair) for pair in zip(sizes, VIEWER, strict=True)), "kB, and compressed\n")
    print(f"{'':<11}{'links':>6}{'triangles':>11}{'making s':>18}{'page MB':>18}{'picture s':>18}")
    with tempfile.TemporaryDirectory() as folder:
        models = {name: source.file() for name, source in ROBOTS.items()}
        models[LARGE] = write_large(Path(folder), steps)
        over = [name for name, model in models.items() if not print_row(name, model, Path(folder) / "page.html", runs)]
        beside(arguments.peers, {name: models[name] for name in BESIDE}, Path(folder), runs)
    if over or not within(sizes, VIEWER):
        raise SystemExit(f"over the size: {', '.join(over) or 'viewer'}")


def viewer_sizes() -> tuple[float, float]:
    """Return the kB of the viewer, and compressed."""
    viewer = BUNDLE.read_bytes()
    return len(viewer) / 1e3, len(gzip.compress(viewer, mtime=0)) / 1e3


def within(values: tuple[float, ...], most: tuple[float, ...]) -> bool:
    return all(value <= limit for value, limit in zip(values, most, strict=True))


def judged(value: float | None, most: float | None) -> str:
    """Return a figure with its limit and how it stands to it."""
    if value is None:
        return "–"
    return f"{value:.2f}" if most is None else f"{value:.2f} ≤ {most:g} {'ok' if value <= most else 'OVER'}"


def print_row(name: str, model: Path, page: Path, runs: int) -> bool:
    """Print the figures of a robot and return whether its page is small enough."""
    making = min(seconds_of(lambda: make(model, page)) for _ in range(runs))
    html = page.read_text(encoding="utf-8")
    scene = json.loads(html.partition('id="kinetree-scene">')[2].partition("</script>")[0])
    links = sum(len(robot["links"]) for robot in scene["robots"])
    triangles = sum(mesh["triangles"] for mesh in scene["meshes"])
    picture = min(first_picture(page) for _ in range(runs)) if CHROMIUM else None
    figures, most = (making, page.stat().st_size / 1e6, picture), TARGETS.get(name, (None, None, None))
    cells = "".join(f"{judged(*pair):>18}" for pair in zip(figures, most, strict=True))
    print(f"{name:<11}{links:>6}{triangles:>11,}{cells}", flush=True)
    return most[1] is None or figures[1] <= most[1]


def beside(python: str, models: dict[str, Path], folder: Path, runs: int) -> None:
    """Print the files of other viewers beside ours. A viewer that fails is a line."""
    versions, missing = showing_peers.installed(python)
    print("", *versions.values(), *(f"{name} is not measured: {why}" for name, why in missing.items()), sep="\n")
    if not versions:
        return
    print(f"\n{'':<11}{'viewer':<10}{'making s':>10}{'file MB':>9}{'picture s':>11}{'requests':>10}{'sliders':>9}")
    for robot, model in models.items():
        paths = {"kinetree": folder / "page.html"}
        paths |= {name: folder / f"{name}{showing_peers.files()[name].ENDING}" for name in versions}
        calls = {"kinetree": partial(make, model, folder / "page.html")}
        for name in versions:
            calls[name] = partial(showing_peers.make, python, name, model, paths[name])
        making = minima(calls, runs)
        seen = [pictures(paths) for _ in range(runs)] if CHROMIUM else []
        for name, path in paths.items():
            print(f"{robot:<11}{name:<10}{making[name]:>10.2f}{path.stat().st_size / 1e6:>9.2f}", end="")
            print(described([run[name] for run in seen if name in run]), flush=True)


def pictures(paths: dict[str, Path]) -> dict[str, Opened]:
    """Return what each page does; a file that is no page is left out."""
    return {name: opened(path) for name, path in paths.items() if path.suffix == ".html"}


def described(runs: list[Opened]) -> str:
    times = [run.picture for run in runs if run.picture is not None]
    if not runs:
        return f"{'no page':>11}"
    return f"{judged(min(times, default=None), None):>11}{len(runs[0].requests):>10}{runs[0].sliders:>9}"


def make(model: Path, page: Path) -> None:
    """Write the page of a model."""
    command = [sys.executable, "-m", "kinetree", "show", str(model), "-o", str(page), "--force"]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)


def write_large(folder: Path, steps: int) -> Path:
    """Write a chain of 100 links, each with an uneven ball of 2 * steps**2 triangles as STL, and return its URDF."""
    links, joints = [], []
    for i in range(100):
        (folder / f"{i}.stl").write_bytes(stl(ball(np.random.default_rng(i), steps)))
        links.append(f'<link name="l{i}"><visual><geometry><mesh filename="{i}.stl"/></geometry></visual></link>')
        joints.append(
            f'<joint name="j{i}" type="revolute"><parent link="l{i - 1}"/><child link="l{i}"/><origin xyz="0 0 0.15"/>'
            f'<axis xyz="{i % 2} {1 - i % 2} 0"/><limit lower="-0.3" upper="0.3" effort="1" velocity="1"/></joint>'
        )
    path = folder / "large.urdf"
    path.write_text(f'<robot name="large">{"".join(links)}{"".join(joints[1:])}</robot>')
    return path


def ball(random: np.random.Generator, steps: int) -> np.ndarray:
    """Return the corners (2 * steps**2, 3, 3) in m of the triangles of a ball with smooth random bumps."""
    around, along = np.meshgrid(np.linspace(0, 2 * np.pi, steps + 1), np.linspace(0, np.pi, steps + 1))
    out = np.stack([np.cos(around) * np.sin(along), np.sin(around) * np.sin(along), np.cos(along)], axis=-1)
    bumps = sum(np.sin(out @ random.normal(size=3) * 4 + random.uniform(0, 6)) for _ in range(5))
    p = out * (0.08 + 0.005 * bumps)[..., None]
    a, b, c, d = p[:-1, :-1], p[1:, :-1], p[1:, 1:], p[:-1, 1:]
    return np.concatenate([np.stack(corners, axis=-2).reshape(-1, 3, 3) for corners in ((a, b, c), (a, c, d))])


def stl(triangles: np.ndarray) -> bytes:
    """Return a binary STL file of triangles (n, 3, 3)."""
    records = np.zeros(len(triangles), STL)
    records["corners"] = triangles
    return bytes(80) + len(records).to_bytes(4, "little") + records.tobytes()


if __name__ == "__main__":
    main()
