/** Meshes as src/kinetree/viewing/packing.py packs them: differences of 16 bits, planes of low and high bytes, deflate. */

import { BufferAttribute, BufferGeometry } from "three";

/** @typedef {import("./types.js").PackedMesh} PackedMesh */

/** Return the geometries of packed meshes.
 * @param {PackedMesh[]} meshes @param {string} text base64 of all of them @returns {Promise<BufferGeometry[]>} */
export async function unpack(meshes, text) {
  if (!meshes.length) return [];
  const bytes = await inflated(text);
  return meshes.map((mesh) => {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(positions(mesh, bytes), 3));
    geometry.setIndex(new BufferAttribute(indices(mesh, bytes), 1));
    return geometry;
  });
}

/** Return the bytes of base64 of zlib's format.
 * @param {string} text */
export async function inflated(text) {
  const packed = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** @param {PackedMesh} mesh @param {Uint8Array} bytes */
function positions({ vertices, at, low, step }, bytes) {
  const found = new Float32Array(3 * vertices);
  for (let axis = 0, place = at; axis < 3; axis++)
    for (let i = 0, value = 0; i < vertices; i++, place++) {
      const zigzag = bytes[place] | (bytes[place + 3 * vertices] << 8);
      value = (value + ((zigzag >> 1) ^ -(zigzag & 1))) & 65535;
      found[3 * i + axis] = low[axis] + step * value;
    }
  return found;
}

/** An index is its distance to the next vertex that no triangle has used.
 * @param {PackedMesh} mesh @param {Uint8Array} bytes */
function indices({ vertices, triangles, at }, bytes) {
  const count = 3 * triangles;
  const found = new Uint32Array(count);
  for (let i = 0, next = 0, place = at + 6 * vertices; i < count; i++, place++) {
    const distance = bytes[place] | (bytes[place + count] << 8) | (bytes[place + 2 * count] << 16);
    found[i] = next - distance;
    if (distance === 0) next++;
  }
  return found;
}
