"""Sizes and times of the page of `kinetree show`: the viewer, the pages of three robots and of one with large meshes.

    python benchmarks/showing.py [--runs 5] [--quick]

A page is made by `kinetree show MODEL -o FILE`, a process of its own. The first picture counts from opening the page in
a browser that has just started, and that draws in software, until the page says that it is painted. The fastest of
several runs counts. Without Chromium there are no times of pictures.
"""

from __future__ import annotations

import argparse
import gzip
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import kinetree.viewing
from cases import ROBOTS
from machine import describe, seconds_of

BUNDLE = Path(kinetree.viewing.__file__).parent / "bundle" / "viewer.js"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
SOFTWARE = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox"]
LARGE = "100 links"
TARGETS = {"iCub": (3.0, 2.8, 3.0), LARGE: (None, 9.0, None)}
"""At most: seconds to make a page, its MB, seconds to its first picture."""
STL = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="one run, small meshes")
    arguments = parser.parse_args()
    runs, steps = (1, 10) if arguments.quick else (arguments.runs, 103)
    print(describe("kinetree", "numpy"), end="\n\n")
    viewer = BUNDLE.read_bytes()
    packed = gzip.compress(viewer, mtime=0)
    print(f"viewer: {len(viewer) / 1e3:.0f} kB (at most 700), compressed {len(packed) / 1e3:.0f} kB (at most 200)\n")
    print(f"{'':<11}{'links':>6}{'triangles':>11}{'making s':>10}{'page MB':>9}{'picture s':>11}   at most")
    with tempfile.TemporaryDirectory() as folder:
        models = {name: source.file() for name, source in ROBOTS.items()}
        models[LARGE] = write_large(Path(folder), steps)
        for name, model in models.items():
            print_row(name, model, Path(folder) / "page.html", runs)


def print_row(name: str, model: Path, page: Path, runs: int) -> None:
    making = min(seconds_of(lambda: make(model, page)) for _ in range(runs))
    html = page.read_text(encoding="utf-8")
    scene = json.loads(html.partition('id="kinetree-scene">')[2].partition("</script>")[0])
    links = sum(len(robot["links"]) for robot in scene["robots"])
    triangles = sum(mesh["triangles"] for mesh in scene["meshes"])
    picture = f"{min(first_picture(page) for _ in range(runs)):.2f}" if CHROMIUM else "–"
    goals = " / ".join("–" if goal is None else f"{goal:g}" for goal in TARGETS.get(name, ()))
    size = page.stat().st_size / 1e6
    print(f"{name:<11}{links:>6}{triangles:>11,}{making:>10.2f}{size:>9.2f}{picture:>11}   {goals}", flush=True)


def make(model: Path, page: Path) -> None:
    """Write the page of a model."""
    command = [sys.executable, "-m", "kinetree", "show", str(model), "-o", str(page), "--force"]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)


def first_picture(page: Path) -> float:
    """Return the seconds from opening a page in a new browser to its first picture."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=SOFTWARE)
        tab = browser.new_page(viewport={"width": 1280, "height": 800})
        start = time.perf_counter()
        tab.goto(page.as_uri())
        tab.wait_for_selector("body[data-ready]", state="attached")
        spent = time.perf_counter() - start
        browser.close()
    return spent


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
