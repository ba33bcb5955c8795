"""Pages in a browser that has just started, is offline and draws in software: first picture, requests, sliders."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
SOFTWARE = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox"]
SLIDERS = "input[type=range], [role=slider]:not([style*='display: none'])"
QUIET = 4.0
"""Seconds without a picture of more triangles, after which the largest one was the whole robot."""
LIMIT = 90.0
"""Seconds after which a page without a picture is given up."""
WHOLE = 0.9
"""Part of the triangles of the largest picture that make a picture of the robot."""

COUNTER = """
const pictures = (globalThis.__pictures = []);
let triangles = 0, context = null;
const counts = {drawElements: 1, drawArrays: 2, drawElementsInstanced: 1, drawArraysInstanced: 2, drawRangeElements: 3};
for (const kind of [globalThis.WebGLRenderingContext, globalThis.WebGL2RenderingContext].filter(Boolean)) {
  for (const [name, place] of Object.entries(counts).filter(([name]) => kind.prototype[name])) {
    const draw = kind.prototype[name];
    kind.prototype[name] = function (...values) {
      if (values[0] === this.TRIANGLES)
        triangles += (values[place] / 3) * (name.endsWith("Instanced") ? values.at(-1) : 1);
      context = this;
      return draw.apply(this, values);
    };
  }
}
const next = globalThis.requestAnimationFrame.bind(globalThis);
const look = () => {
  if (triangles) {
    context.finish();
    pictures.push([performance.now(), triangles]);
    triangles = 0;
  }
  next(look);
};
next(look);
"""
"""Notes when each picture was drawn, in ms from the start of the page, and of how many triangles."""


@dataclass(frozen=True)
class Opened:
    """What a page did: seconds to the first picture, None without one; requests for anything but itself; sliders."""

    picture: float | None
    requests: tuple[str, ...]
    sliders: int


@contextmanager
def new_tab() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=SOFTWARE)
        try:
            yield browser.new_context(viewport={"width": 1280, "height": 800}, offline=True).new_page()
        finally:
            browser.close()


def first_picture(page: Path) -> float:
    """Return the seconds from opening one of our pages to its first picture, as it says itself."""
    with new_tab() as tab:
        start = time.perf_counter()
        tab.goto(page.as_uri())
        tab.wait_for_selector("body[data-ready]", state="attached")
        return time.perf_counter() - start


def opened(page: Path) -> Opened:
    """Return what any page does. Its first picture is the first of at least 90 % of the triangles of the largest."""
    requests: list[str] = []
    with new_tab() as tab:
        tab.add_init_script(f"(() => {{{COUNTER}}})()")
        tab.on("request", lambda request: requests.append(request.url))
        tab.on("websocket", lambda socket: requests.append(socket.url))
        tab.goto(page.as_uri())
        start = grown = time.perf_counter()
        most, pictures = 0.0, []
        while time.perf_counter() < (grown + QUIET if most else start + LIMIT):
            tab.wait_for_timeout(250)
            pictures = tab.evaluate("__pictures")
            now = max((count for _, count in pictures), default=0.0)
            if now > most:
                most, grown = now, time.perf_counter()
        sliders = tab.locator(SLIDERS).count()
    whole = next((ms / 1e3 for ms, count in pictures if count >= WHOLE * most), None)
    foreign = (url for url in requests if url != page.as_uri() and not url.startswith(("data:", "blob:")))
    return Opened(whole, tuple(foreign), sliders)
