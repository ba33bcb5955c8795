"""meshcat: it reads no robots; Pinocchio gives it the visual shapes. `static_html` is its page."""

from pathlib import Path

PACKAGES = ("meshcat", "pin")
ENDING = ".html"


def write(model: Path, packages: Path, path: Path) -> None:
    import pinocchio
    from pinocchio.visualize import MeshcatVisualizer

    robot, _, visuals = pinocchio.buildModelsFromUrdf(str(model), package_dirs=[str(packages)])
    view = MeshcatVisualizer(robot, pinocchio.GeometryModel(), visuals)
    view.initViewer(open=False, loadModel=True)
    view.display(pinocchio.neutral(robot))
    path.write_text(view.viewer.static_html(), encoding="utf-8")
