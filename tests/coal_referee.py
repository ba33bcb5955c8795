"""coal, the collision library of Pinocchio, as the referee of contact."""

import numpy as np

import kinetree as kt

try:
    import coal
except ImportError:  # tests skip without it
    coal = None


def as_coal(solid):
    """A solid as coal has it: hulls and boxes by their own vertices, other primitives as they are."""
    if solid.kind in ("hull", "mesh"):
        mesh, model = solid.surface, coal.BVHModelOBBRSS()
        model.beginModel(len(mesh.triangles), len(mesh.vertices))
        for triangle in mesh.triangles:
            model.addTriangle(*mesh.vertices[triangle])
        model.endModel()
        if solid.kind == "mesh":
            return model
        model.buildConvexHull(True, "Qt")
        return model.convex
    kinds = {"sphere": coal.Sphere, "box": coal.Box, "cylinder": coal.Cylinder, "capsule": coal.Capsule}
    return kinds.get(solid.kind, coal.Ellipsoid)(*solid.sizes)


class Referee:
    """coal's answers about the pairs of a `kt.collisions`."""

    def __init__(self, contact):
        self.solids = contact._exact.solids
        self.of_link, self.shapes = contact._exact.of_link, [as_coal(solid) for solid in self.solids]
        self.links = list(dict.fromkeys(name for pair in contact.pairs for name in pair))
        self.fk = kt.fk(contact.robot, self.links)
        self.request = coal.DistanceRequest(True, True)
        self.request.gjk_tolerance = 1e-9

    def distances(self, q, pairs):
        """The distance of each pair of links, 0 in contact."""
        T = dict(zip(self.links, self.fk(q), strict=True))
        placed = {i: T[s.link] @ s.T for i, s in enumerate(self.solids) if s.link in T}
        place = {i: coal.Transform3s(own[:3, :3], own[:3, 3]) for i, own in placed.items()}
        return np.array(
            [min(self.distance(i, j, place) for i in self.of_link[a] for j in self.of_link[b]) for a, b in pairs]
        )

    def distance(self, i, j, place):
        result = coal.DistanceResult()
        return max(coal.distance(self.shapes[i], place[i], self.shapes[j], place[j], self.request, result), 0.0)
