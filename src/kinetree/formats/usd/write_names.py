"""Names that USD allows."""

import re


class Names:
    """Names of prims: letters, digits and "_", each once below a prim."""

    def __init__(self) -> None:
        self.taken: set[str] = set()

    def __call__(self, name: str) -> str:
        """Return a free name that is like this one."""
        plain = re.sub(r"[^A-Za-z0-9_]", "_", name) or "_"
        plain = f"_{plain}" if plain[0].isdigit() else plain
        made, i = plain, 2
        while made in self.taken:
            made, i = f"{plain}_{i}", i + 1
        self.taken.add(made)
        return made
