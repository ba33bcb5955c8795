/** Shapes of links as three's meshes. */

import {
  BoxGeometry,
  CapsuleGeometry,
  Color,
  CylinderGeometry,
  DoubleSide,
  Group,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  PlaneGeometry,
  Quaternion,
  SphereGeometry,
  SRGBColorSpace,
  Vector3,
} from "three";

/** @typedef {import("three").BufferGeometry} BufferGeometry */
/** @typedef {import("three").Object3D} Object3D */
/** @typedef {import("./types.js").Shape} Shape */

/** Return the geometry of a shape of this kind. Axes along z, as in URDF.
 * @type {Record<string, (values: number[]) => BufferGeometry>} */
const MAKERS = {
  box: ([x, y, z]) => new BoxGeometry(x, y, z),
  sphere: ([radius]) => new SphereGeometry(radius, 32, 20),
  cylinder: ([radius, length]) => new CylinderGeometry(radius, radius, length, 40).rotateX(Math.PI / 2),
  capsule: ([radius, length]) => new CapsuleGeometry(radius, length, 8, 32).rotateX(Math.PI / 2),
  ellipsoid: ([x, y, z]) => new SphereGeometry(1, 32, 20).scale(x, y, z),
  plane: ([a, b, c, x, y]) => new PlaneGeometry(x, y).applyQuaternion(turnTo(a, b, c)),
};

/** Return the shortest turn from z to a direction. @param {number} x @param {number} y @param {number} z */
export function turnTo(x, y, z) {
  return new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), new Vector3(x, y, z).normalize());
}

/** @type {Map<string, MeshStandardMaterial>} */
const materials = new Map();

/** Return the material of a colour, the same for the same.
 * @param {number[]} rgba @param {Record<string, any>} [more] */
export function paint(rgba, more = {}) {
  const key = JSON.stringify([rgba, more]);
  const [r, g, b, opacity] = rgba;
  const made =
    materials.get(key) ??
    new MeshStandardMaterial({
      color: new Color().setRGB(r, g, b, SRGBColorSpace),
      flatShading: true,
      roughness: 0.65,
      metalness: 0.05,
      side: DoubleSide,
      transparent: opacity < 1,
      opacity,
      ...more,
    });
  materials.set(key, made);
  return made;
}

/** Return the object of a shape in its link, null if there is nothing to show.
 * @param {Shape} shape @param {BufferGeometry[]} meshes @param {MeshStandardMaterial} material */
export function solidOf(shape, meshes, material) {
  const geometry = shape.kind === "mesh" ? meshes[shape.mesh ?? -1] : MAKERS[shape.kind]?.(shape.values);
  if (!geometry) return null;
  const mesh = new Mesh(geometry, material);
  const [x, y, z] = shape.scale;
  mesh.scale.set(x, y, z);
  return placed(shape.T, mesh);
}

/** Return a group at a pose, with these objects in it.
 * @param {ArrayLike<number>} T @param {...Object3D} objects */
export function placed(T, ...objects) {
  const group = new Group();
  group.matrixAutoUpdate = false;
  setPose(group, T);
  for (const object of objects) group.add(object);
  return group;
}

/** Put an object at a pose in its parent.
 * @param {Object3D} object @param {ArrayLike<number>} T */
export function setPose(object, T) {
  object.matrix.copy(matrixOf(T));
  object.matrixWorldNeedsUpdate = true;
}

/** @param {ArrayLike<number>} T */
export function matrixOf(T) {
  return new Matrix4().fromArray(Array.from(T)).transpose();
}
