"""Chromium for the tests of pages. Every page records its requests, the messages of its console and its errors.

A test takes the fixture `open_page`. At the end of the test, all pages must have been quiet.
"""

import os
import shutil
import time

import pytest

ARGUMENTS = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox"]
NAMES = ("chromium", "chromium-browser", "google-chrome")
SERIOUS = ("serious", "critical")


def missing(what):
    """Skip the test for want of a program; in CI (variable CI) fail it."""
    (pytest.fail if os.environ.get("CI") else pytest.skip)(f"{what} is not installed")


@pytest.fixture(scope="module")
def browser():
    """Chromium of the system, or playwright's own, with WebGL in software."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ModuleNotFoundError:
        missing("playwright")
    path = next(filter(None, map(shutil.which, NAMES)), None)
    with sync_playwright() as playwright:
        try:
            chromium = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        except Error as error:
            if path or "Executable doesn't exist" not in error.message:
                raise
            missing(f"A browser ({', '.join(NAMES)}, or `playwright install chromium`)")
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser):
    """Open a file once its first picture is painted. options: of `browser.new_context`, such as color_scheme="dark"."""
    pages = []

    def open_page(path, *, quiet=True, fragment="", seconds=60, **options):
        size = {"width": 1280, "height": 800}
        context = browser.new_context(**{"viewport": size, "offline": True, **options})
        page = context.new_page()
        page.heard = []
        pages.append((page, quiet))
        url = path.absolute().as_uri()
        page.on("request", lambda request: request.url.split("#")[0] == url or page.heard.append(request.url))
        page.on("websocket", lambda socket: page.heard.append(socket.url))
        page.on("console", lambda message: page.heard.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: page.heard.append(f"uncaught: {error}"))
        page.goto(url + fragment)
        wait_until_ready(page, seconds)
        return page

    yield open_page
    for page, quiet in pages:
        if quiet:
            assert_quiet(page)
        page.context.close()


def wait_until_ready(page, seconds):
    """Wait for the first picture. A page that raises an error before it fails at once."""
    end = time.monotonic() + seconds
    while not page.locator("body[data-ready]").count():
        if time.monotonic() > end or any(words.startswith("uncaught:") for words in page.heard):
            pytest.fail("\n".join(["no first picture", *page.heard]))
        page.wait_for_timeout(20)


def wait(page, condition):
    """Wait until something is true; `wait_for_function` evaluates texts, which the page's policy forbids."""
    end = time.monotonic() + 20
    while not page.evaluate(condition):
        assert time.monotonic() < end, condition
        page.wait_for_timeout(10)


@pytest.fixture
def opened(monkeypatch, tmp_path):
    """Addresses that `show` would open; no browser starts, and no bundle is needed."""
    from kinetree.viewing import page, show

    addresses: list[str] = []
    monkeypatch.setattr(page, "viewer", lambda: "globalThis.viewer = 1;")
    monkeypatch.setattr(show, "viewer", lambda: "")
    monkeypatch.setattr(show.webbrowser, "open", addresses.append)
    monkeypatch.setattr(show.tempfile, "tempdir", str(tmp_path))
    return addresses


def assert_quiet(page):
    """Check that a page asked for nothing but its own file, wrote nothing to the console and raised no error."""
    assert page.heard == []


def axe(page):
    """Return the serious faults of accessibility that axe-core finds in a page: its rule, and where."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    serious = [fault for fault in found if fault["impact"] in SERIOUS]
    return [f"{fault['id']}: {node['html'][:200]}" for fault in serious for node in fault["nodes"]]
