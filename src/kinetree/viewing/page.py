"""The page: one HTML file with the scene, its functions and the viewer, which needs no network and no server."""

import json
import re
from base64 import b64encode
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files

from kinetree import __version__
from kinetree.compiler.js import write_js
from kinetree.errors import MAX_COMPARED, fail, shortened, visible
from kinetree.viewing.packing import deflated
from kinetree.viewing.scene import Scene

HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="{made_by}">
<title>{title}</title>
<style>{style}</style>
</head>
"""

PAGE = f"""{HEAD}<body>
<main><div id="view"><canvas id="canvas"></canvas></div></main>
<noscript>This page shows a robot with JavaScript, which is switched off in this browser.</noscript>
<script type="text/plain" id="kinetree-scene">{{scene}}</script>
<script type="text/plain" id="kinetree-meshes">{{meshes}}</script>
<script type="module">{{functions}}</script>
<script type="module">{{viewer}}</script>
</body>
</html>
"""

PLAIN = f"""{HEAD}<body class="plain">
<main>
<h1>{{title}}</h1>
{{body}}
</main>
</body>
</html>
"""


def plain_page_of(title: str, body: str) -> str:
    """Return the HTML of a page without scripts. body: HTML."""
    return PLAIN.format(**_head(title, f"kinetree {__version__}", ["'none'"]), body=body)


def page_of(scene: Scene, title: str | None = None) -> str:
    """Return the HTML of a page that shows a scene. title: by default the names of the robots.

    Its content security policy allows its own scripts and style by their hashes, and no request. Raises KinetreeError
    if the package was installed without the viewer.
    """
    names = " and ".join(robot["name"] for robot in scene.content["robots"])
    scripts = {"functions": _inline(_functions(scene)), "viewer": _inline(viewer())}
    return PAGE.format(
        **_head(names if title is None else title, scene.content["made_by"], map(_hash, scripts.values())),
        scene=deflated(json.dumps(scene.content, separators=(",", ":"), allow_nan=False).encode()),
        meshes=scene.meshes,
        **scripts,
    )


def _head(title: str, made_by: str, allowed: Iterable[str]) -> dict[str, str]:
    """Return the parts of the head of a page. allowed: sources of its scripts, such as hashes."""
    style = _inline(_text("page.css"), "style")
    shown = escape(visible(shortened(title, MAX_COMPARED)))
    return {"policy": _policy(allowed, style), "made_by": escape(made_by), "title": shown, "style": style}


@cache
def viewer() -> str:
    """Return the JavaScript of the viewer. Raises KinetreeError if it was not made when the package was installed."""
    try:
        return _text("bundle/viewer.js")
    except FileNotFoundError:
        raise fail(
            "viewer",
            "the viewer is not in this installation of kinetree, because it was built without Node",
            fix="install a wheel of kinetree, or install Node 20 or later and run `pip install .` again",
        ) from None


def _text(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")


def _functions(scene: Scene) -> str:
    names = ", ".join(name for name, _ in scene.functions)
    return f"{write_js(scene.functions)}globalThis.kinetree = {{ functions: {{ {names} }} }};\n"


def _inline(text: str, tag: str = "script") -> str:
    """Return a script or style that no text in it ends, with the ends of lines that a browser hashes."""
    text = re.sub(rf"</(?={tag})", r"<\\/", re.sub("\r\n?", "\n", text), flags=re.IGNORECASE)
    return text.replace("<!--", "<\\!--")


def _policy(allowed: Iterable[str], style: str) -> str:
    """Return the content security policy of a page with this style. allowed: sources of its scripts, such as hashes."""
    return (
        f"default-src 'none'; script-src {' '.join(allowed)}; style-src {_hash(style)}; "
        "form-action 'none'; base-uri 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
