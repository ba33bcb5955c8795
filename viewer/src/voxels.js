/** A reach map as coloured cubes, as src/kinetree/viewing/voxels.py describes it. */

import {
  Box3,
  BoxGeometry,
  Color,
  Group,
  InstancedMesh,
  Matrix4,
  MeshLambertMaterial,
  SRGBColorSpace,
  Vector3,
} from "three";

import { inflated } from "./meshes.js";
import { poseOfFrame } from "./model.js";
import { setPose } from "./shapes.js";

/** @typedef {import("./types.js").Reach} Reach */
/** What is drawn: voxels of which at least a share of orientations is reached, on one side of a cut across an axis.
 * @typedef {{least: number, axis: number | null, side: number, at: number}} Section at: number of the first or last layer */
/**
 * @typedef {object} Voxels
 * @property {Group} root in the axes of the base
 * @property {Section} section
 * @property {(section: Partial<Section>) => number} show draw another section, return the number of its voxels
 * @property {() => Box3} bounds of all voxels that are reached, in the axes of the scene
 */

const FILLED = 0.94; // side of a cube, in voxels
const THIN = 0.02; // of a flat grid

/** Return the cubes of a map; they follow the base.
 * @param {Reach} reach @param {import("./model.js").Model} model @returns {Promise<Voxels>} */
export async function createVoxels(reach, model) {
  const values = await inflated(reach.data);
  const root = new Group();
  const [x, y, z] = reach.flat.map((flat) => reach.voxel * (flat ? THIN : FILLED));
  const count = values.reduce((sum, value) => sum + Number(value > 0), 0);
  const mesh = new InstancedMesh(new BoxGeometry(x, y, z), new MeshLambertMaterial(), Math.max(count, 1));
  mesh.frustumCulled = false;
  root.add(mesh);
  const { axis, sides } = reach.cut;
  /** @type {Section} */
  const section = { least: 0, axis, side: sides[axis], at: Math.floor(reach.shape[axis] / 2) };
  const drawn = new Uint8Array(values.length);
  const show = (/** @type {Partial<Section>} */ changed) => {
    Object.assign(section, changed);
    choose(reach, values, section, drawn);
    return fill(mesh, reach, values, drawn);
  };
  const follow = () => setPose(root, poseOfFrame(model, reach.base));
  model.listeners.push(follow);
  follow();
  show({});
  return { root, section, show, bounds: () => boundsOf(reach, values, root) };
}

/** Mark the voxels of a section.
 * @param {Reach} reach @param {Uint8Array} values @param {Section} section @param {Uint8Array} drawn */
function choose({ shape }, values, { least, axis, side, at }, drawn) {
  const lowest = Math.max(1, Math.ceil(255 * least));
  const steps = [shape[1] * shape[2], shape[2], 1];
  for (let i = 0; i < values.length; i++) {
    const layer = axis === null ? 0 : Math.floor(i / steps[axis]) % shape[axis];
    const kept = axis === null || (side > 0 ? layer >= at : layer <= at);
    drawn[i] = Number(kept && values[i] >= lowest);
  }
}

/** Place a cube at each marked voxel with a face to see, and return the number of marked voxels.
 * @param {InstancedMesh} mesh @param {Reach} reach @param {Uint8Array} values @param {Uint8Array} drawn */
function fill(mesh, { first, voxel, shape, colours }, values, drawn) {
  const [nx, ny, nz] = shape;
  const palette = Array.from({ length: 256 }, (_, value) => colourOf(value / 255, colours));
  const place = new Matrix4();
  let [total, count] = [0, 0];
  for (let x = 0, i = 0; x < nx; x++)
    for (let y = 0; y < ny; y++)
      for (let z = 0; z < nz; z++, i++) {
        if (!drawn[i]) continue;
        total++;
        const within = x > 0 && y > 0 && z > 0 && x < nx - 1 && y < ny - 1 && z < nz - 1;
        const [dx, dy] = [ny * nz, nz];
        if (within && drawn[i - dx] && drawn[i + dx] && drawn[i - dy] && drawn[i + dy] && drawn[i - 1] && drawn[i + 1])
          continue;
        place.makeTranslation(first[0] + x * voxel, first[1] + y * voxel, first[2] + z * voxel);
        mesh.setMatrixAt(count, place);
        mesh.setColorAt(count++, palette[values[i]]);
      }
  mesh.count = count;
  mesh.instanceMatrix.needsUpdate = true;
  if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
  return total;
}

/** Return the colour of a share, on straight lines between the colours of a table.
 * @param {number} share @param {number[][]} colours */
export function colourOf(share, colours) {
  const at = share * (colours.length - 1);
  const i = Math.min(Math.floor(at), colours.length - 2);
  const [r, g, b] = [0, 1, 2].map((k) => colours[i][k] + (at - i) * (colours[i + 1][k] - colours[i][k]));
  return new Color().setRGB(r, g, b, SRGBColorSpace);
}

/** @param {Reach} reach @param {Uint8Array} values @param {Group} root */
function boundsOf({ first, voxel, shape }, values, root) {
  const box = new Box3();
  const [, ny, nz] = shape;
  values.forEach((value, i) => {
    const layers = [Math.floor(i / (ny * nz)), Math.floor(i / nz) % ny, i % nz];
    if (value) box.expandByPoint(new Vector3().fromArray(layers.map((layer, k) => first[k] + layer * voxel)));
  });
  root.updateMatrixWorld(true);
  return box.isEmpty() ? box : box.expandByScalar(voxel / 2).applyMatrix4(root.matrixWorld);
}
