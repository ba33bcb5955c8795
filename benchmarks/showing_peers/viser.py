"""viser: `ViserUrdf` and the standalone page of the scene's serializer."""

from pathlib import Path

PACKAGES = ("viser", "yourdfpy")
ENDING = ".html"


def write(model: Path, packages: Path, path: Path) -> None:
    import viser
    from viser.extras import ViserUrdf

    server = viser.ViserServer(port=0, verbose=False)
    ViserUrdf(server, model)
    path.write_text(server.get_scene_serializer().as_html(), encoding="utf-8")
    server.stop()
