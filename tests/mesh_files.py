"""A tetrahedron in every format, written by hand: its corners are (0, 0, 0), (1, 0, 0), (0, 2, 0) and (0, 0, 3)."""

import base64
import json
import struct
import zlib

import numpy as np

CORNERS = np.array([(0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 3)], dtype=float)
FACES = np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
NUMBERS = " ".join(f"{x:g}" for x in CORNERS.ravel())


def stl(corners=CORNERS, faces=FACES) -> bytes:
    rows = b"".join(struct.pack("<12fH", 0, 0, 0, *corners[face].ravel(), 0) for face in faces)
    return b"solid made by a program that says so".ljust(80) + struct.pack("<I", len(faces)) + rows


def stl_text(corners=CORNERS, faces=FACES, end="\n") -> bytes:
    lines = ["solid x"]
    for face in faces:
        lines += ["facet normal 0 0 0", "outer loop"]
        lines += [f"vertex {x:g} {y:g} {z:g}" for x, y, z in corners[face]]
        lines += ["endloop", "endfacet"]
    return end.join([*lines, "endsolid x"]).encode()


def obj() -> bytes:
    lines = ["mtllib look.mtl", *(f"v {x:g} {y:g} {z:g}" for x, y, z in CORNERS), "usemtl red"]
    return "\n".join([*lines, *(f"f {a + 1} {b + 1} {c + 1}" for a, b, c in FACES)]).encode()


def dae(unit="1", up="Z_UP", matrix="1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1", more="", nodes="") -> bytes:
    """A COLLADA file; its material refers to an image, and its effect to nothing."""
    faces = " ".join(str(i) for i in FACES.ravel())
    instance = (
        '<instance_geometry url="#g"><bind_material><technique_common><instance_material symbol="m" target="#mat"/>'
        "</technique_common></bind_material></instance_geometry>"
    )
    return f"""<?xml version="1.0" encoding="utf-8"?>{more}
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="u" meter="{unit}"/><up_axis>{up}</up_axis></asset>
<library_images><image id="i"><init_from>look.png</init_from></image></library_images>
<library_effects><effect id="e"><profile_COMMON><newparam sid="s">
<sampler2D><source>gone</source></sampler2D></newparam>
<technique sid="t"><phong><diffuse><texture texture="s" texcoord="UV"/></diffuse></phong></technique></profile_COMMON>
</effect></library_effects>
<library_materials><material id="mat"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="pa" count="12">{NUMBERS}</float_array>
<technique_common><accessor source="#pa" count="4" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles material="m" count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>{faces}</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n"><matrix>{matrix}</matrix>{instance}</node>{nodes}
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>""".encode()


def gltf(uri="", count=4, nodes=None) -> dict:
    """A glTF document; its buffer is inside or in the file `uri`."""
    buffer = gltf_buffer()
    inside = "data:application/octet-stream;base64," + base64.b64encode(buffer).decode()
    return {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": nodes or [{"mesh": 0, "translation": [0, 0, 1]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {
                "bufferView": 0,
                "componentType": 5126,
                "count": count,
                "type": "VEC3",
                "min": [0, 0, 0],
                "max": [1, 2, 3],
            },
            {"bufferView": 1, "componentType": 5125, "count": 12, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": 48},
            {"buffer": 0, "byteOffset": 48, "byteLength": 48},
        ],
        "buffers": [{"uri": uri or inside, "byteLength": len(buffer)}],
    }


def gltf_buffer() -> bytes:
    return CORNERS.astype("<f4").tobytes() + FACES.astype("<u4").tobytes()


def glb(document: dict | None = None) -> bytes:
    document = document or gltf()
    document["buffers"] = [{"byteLength": 96}]
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", 96, 0x004E4942) + gltf_buffer()
    return b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks


def msh() -> bytes:
    return struct.pack("<4i", 4, 0, 0, 4) + CORNERS.astype("<f4").tobytes() + FACES.astype("<i4").tobytes()


def png() -> bytes:
    """One red pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"\0\xff\0\0")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
