"""Figures in SVG, read back as points."""

from xml.etree import ElementTree

import numpy as np

NS = "{http://www.w3.org/2000/svg}"


def parsed(text):
    root = ElementTree.fromstring(text)
    assert root.tag == f"{NS}svg"
    return root


def camera_of(root):
    """The camera (2, 4) of the drawing."""
    (area,) = (element for element in root.iter(f"{NS}svg") if "data-camera" in element.attrib)
    return np.array([float(word) for word in area.attrib["data-camera"].split()]).reshape(2, 4)


def seen(camera, points):
    """Points (…, 3) or poses (…, 4, 4) in the picture."""
    points = np.asarray(points)
    if points.shape[-2:] == (4, 4):
        points = points[..., :3, 3]
    return points @ camera[:, :3].T + camera[:, 3]


def points_of(line):
    return np.array([[float(number) for number in pair.split(",")] for pair in line.attrib["points"].split()])


def lines_of(element, name):
    """The lines (k, 2) of a class directly in an element."""
    return [points_of(line) for line in element.findall(f"{NS}polyline") if line.attrib.get("class") == name]


def groups_of(root, name):
    (area,) = (element for element in root.iter(f"{NS}svg") if "data-camera" in element.attrib)
    return [group for group in area.findall(f"{NS}g") if group.attrib.get("class") == name]


def words_of(root):
    return [element.text for element in root.iter(f"{NS}text") if element.text]
