"""<include file=…>, replaced by the children of the file's root element."""

from kinetree.files.opener import Opener
from kinetree.formats.fields import check_outer, name_of
from kinetree.syntax.xml.reader import MAX_DEPTH, Element, Report, parse


def expand(report: Report, root: Element, opener: Opener) -> None:
    """Replace every <include> below `root` by the content of its file, in place; a file can be included once.

    A file is looked for beside the main file first, then beside the file that includes it, as MuJoCo does.
    """
    _Expander(report, root.document.file, opener).children(root, 1)


class _Expander:
    def __init__(self, report: Report, main: str, opener: Opener) -> None:
        self.report = report
        self.main = main
        self.opener = opener
        self.seen: set[str] = {main}

    def children(self, parent: Element, depth: int) -> None:
        if depth > MAX_DEPTH:
            message = f"elements nested more than {MAX_DEPTH} deep, includes counted"
            self.report.error("xml-depth", message, parent)
            parent.children = []
            return
        children: list[Element] = []
        for child in parent.children:
            if child.tag != "include":
                children.append(child)
                self.children(child, depth + 1)
            elif root := self.included(child):
                self.children(root, depth + 1)
                children += root.children
        parent.children = children

    def included(self, element: Element) -> Element | None:
        report = self.report
        wanted = name_of(report, element, "file")
        if not wanted:
            return None
        check_outer(report, element, ("file",))
        if element.children:
            report.error("include", "<include> cannot have children", element)
        found = self.opener(wanted, self.main) or self.opener(wanted, element.document.file)
        if found is None:
            message = f"the included file {wanted!r} cannot be found, neither beside {self.main!r} nor beside this file"
            report.error("include-not-found", message, element, attribute="file")
            return None
        text, path = found
        if path in self.seen:
            report.error("include-twice", f"{wanted!r} is included twice; expected once", element, attribute="file")
            return None
        self.seen.add(path)
        root = parse(text, path, report)
        if root is not None and root.tag not in ("mujoco", "mujocoinclude"):
            message = f"the root element of an included file is <{root.tag}>; expected <mujocoinclude> or <mujoco>"
            report.warning("not-understood", message, root)
        if root is not None:
            check_outer(report, root, ("model",))
        if root is not None and not root.children:
            report.error("include", f"the included file {wanted!r} is empty", element, attribute="file")
        return root
