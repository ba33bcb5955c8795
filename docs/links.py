"""Links of a built site that lead nowhere."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The anchors of a page, and the addresses that it refers to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = {""}
        self.addresses: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the names and addresses of an element."""
        found = dict(attrs)
        self.anchors |= {value for key in ("id", "name") if (value := found.get(key))}
        self.addresses |= {value for key in ("href", "src") if (value := found.get(key))}


def faults(site: Path) -> list[str]:
    """Return a line for each link within a site whose file or anchor does not exist."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        for address in sorted(page.addresses):
            parts = urlsplit(address)
            if parts.scheme or parts.netloc or path.name == "404.html":
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            place = f"{path.relative_to(site)}: {address}"
            if not target.exists():
                found.append(f"{place}: there is no such file")
            elif target in pages and unquote(parts.fragment) not in pages[target].anchors:
                found.append(f"{place}: there is no such anchor")
    return found
