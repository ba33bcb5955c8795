/** The distance of two trees of balls, whose leaves are convex parts: the triangles of a mesh, or one solid. */

import { Box3, Sphere, Vector3 } from "three";

/** Convex: the sum of the hull of points, a disc about z, a ball and an ellipsoid, as src/kinetree/contact/convex.py has
 * it. Step: the compiled step of the algorithm of Gilbert, Johnson and Keerthi. Found: m; points in the first's frame.
 * @typedef {{points: ArrayLike<number>, disc: number, radius: number, radii: number[]}} Convex
 * @typedef {{ball: number[], part: Convex | null, children: Tree[]}} Tree
 * @typedef {(state: Float64Array, vertex: number[], own: number[], above: number, next: Float64Array) => void} Step
 * @typedef {{distance: number, points: number[][]}} Found
 * @typedef {import("three").BufferGeometry} BufferGeometry */

const TOUCHING = 1e-8; // m, as in src/kinetree/algorithms/convex.py

/** Return the triangles of a mesh. @param {BufferGeometry} geometry */
function trianglesOf({ attributes: { position }, index }) {
  const at = (/** @type {number} */ i) => new Vector3().fromBufferAttribute(position, index?.getX(i) ?? i);
  return Array.from({ length: (index?.count ?? 0) / 3 }, (_, i) => [at(3 * i), at(3 * i + 1), at(3 * i + 2)]);
}

/** Return the tree of the triangles of a mesh, or of some. @param {BufferGeometry} geometry @returns {Tree} */
export function treeOf(geometry, triangles = trianglesOf(geometry)) {
  const points = triangles.flat();
  const { center, radius } = new Sphere().setFromPoints(points);
  const ball = [...center, radius * (1 + 1e-9)];
  if (triangles.length === 1) {
    const part = { points: points.flatMap((point) => [...point]), disc: 0, radius: 0, radii: [0, 0, 0] };
    return { ball, part, children: [] };
  }
  const sides = [...new Box3().setFromPoints(points).getSize(new Vector3())];
  const axis = sides.indexOf(Math.max(...sides));
  const middle = (/** @type {Vector3[]} */ corners) => corners.reduce((sum, one) => sum + one.getComponent(axis), 0);
  const sorted = triangles.sort((one, other) => middle(one) - middle(other));
  const half = sorted.length >> 1;
  return {
    ball,
    part: null,
    children: [sorted.slice(0, half), sorted.slice(half)].map((some) => treeOf(geometry, some)),
  };
}

/** Return the distance of two trees, 0 in contact, or any number beyond `above`.
 * @param {Step} step @param {Tree} first @param {Tree} second @param {number[]} T pose of the second in the first
 * @param {number} above @returns {Found} */
export function distanceOf(step, first, second, T, above) {
  /** @type {Found} */
  let best = { distance: above + 1e-12, points: [] };
  const open = [bounded(first, second, T)];
  for (let next = open.pop(); next && best.distance > 0; next = open.pop()) {
    const { a, b, lower } = next;
    if (lower >= best.distance) continue;
    if (a.part && b.part) {
      const found = partsApart(step, a.part, b.part, T, best.distance);
      if (found.distance < best.distance) best = found;
      continue;
    }
    const cut = b.part || (!a.part && a.ball[3] > b.ball[3]);
    const [one, other] = cut ? a.children : b.children;
    const pairs = cut ? [bounded(one, b, T), bounded(other, b, T)] : [bounded(a, one, T), bounded(a, other, T)];
    if (pairs[0].lower < pairs[1].lower) pairs.reverse(); // the nearer one is next
    open.push(pairs[0], pairs[1]);
  }
  return best;
}

/** @param {Tree} a @param {Tree} b @param {number[]} T */
function bounded(a, b, T) {
  return { a, b, lower: ballsApart(a.ball, b.ball, T) };
}

/** Return how far two balls are apart. @param {number[]} a @param {number[]} b @param {number[]} T */
export function ballsApart(a, b, T) {
  const x = T[0] * b[0] + T[1] * b[1] + T[2] * b[2] + T[3] - a[0];
  const y = T[4] * b[0] + T[5] * b[1] + T[6] * b[2] + T[7] - a[1];
  const z = T[8] * b[0] + T[9] * b[1] + T[10] * b[2] + T[11] - a[2];
  return Math.sqrt(x * x + y * y + z * z) - a[3] - b[3];
}

/** @param {number[]} T @param {ArrayLike<number>} point */
export function moved(T, point) {
  const { 0: x, 1: y, 2: z } = point;
  return [
    T[0] * x + T[1] * y + T[2] * z + T[3],
    T[4] * x + T[5] * y + T[6] * z + T[7],
    T[8] * x + T[9] * y + T[10] * z + T[11],
  ];
}

let [state, next] = [new Float64Array(30), new Float64Array(30)];

/** Return the distance of two parts, 0 in contact, or a number beyond `above`.
 * @param {Step} step @param {Convex} a @param {Convex} b @param {number[]} T @param {number} above @returns {Found} */
function partsApart(step, a, b, T, above) {
  const reach = a.radius + b.radius;
  const guess = moved(T, b.points);
  state.fill(0);
  state[0] = 1;
  for (let k = 0; k < 3; k++) state[2 + k] = a.points[k] - guess[k] + 1e-9;
  while (state[0] > 0) {
    const { 2: x, 3: y, 4: z } = state;
    const own = farthest(a, -x, -y, -z);
    const [u, v, w] = [T[0] * x + T[4] * y + T[8] * z, T[1] * x + T[5] * y + T[9] * z, T[2] * x + T[6] * y + T[10] * z];
    const other = moved(T, farthest(b, u, v, w));
    step(state, [own[0] - other[0], own[1] - other[1], own[2] - other[2]], own, above + reach, next);
    [state, next] = [next, state];
  }
  const far = Math.hypot(state[2], state[3], state[4]);
  const distance = far <= TOUCHING ? 0 : Math.max(far - reach, 0);
  if (distance > above) return { distance, points: [] };
  const out = (/** @type {number} */ part) =>
    [0, 1, 2].map((k) => state[6 + k] + (state[2 + k] * part) / Math.max(far, 1e-300));
  return { distance, points: [out(-a.radius), out(b.radius - far)] };
}

/** Return the point of a part without its ball that is farthest in a direction.
 * @param {Convex} part @param {number} x @param {number} y @param {number} z */
export function farthest({ points, disc, radii }, x, y, z) {
  let [best, at] = [-Infinity, 0];
  for (let i = 0; i < points.length; i += 3) {
    const along = points[i] * x + points[i + 1] * y + points[i + 2] * z;
    if (along > best) [best, at] = [along, i];
  }
  const found = [points[at], points[at + 1], points[at + 2]];
  if (!disc && !radii[0]) return found;
  const flat = disc / Math.max(Math.hypot(x, y), 1e-150);
  const size = Math.max(Math.hypot(radii[0] * x, radii[1] * y, radii[2] * z), 1e-150);
  return [x, y, z].map((value, k) => found[k] + (k < 2 ? flat * value : 0) + (radii[k] ** 2 * value) / size);
}

/** Return how often a closed surface goes around a point: about 0 outside (van Oosterom & Strackee, 1983).
 * @param {BufferGeometry} geometry @param {number[]} place */
export function turnsAround(geometry, place) {
  const angles = trianglesOf(geometry).map((corners) => {
    const [a, b, c] = corners.map((corner) => corner.sub(new Vector3(...place)));
    const [l, m, n] = [a, b, c].map((side) => side.length());
    const below = l * m * n + a.dot(b) * n + b.dot(c) * l + c.dot(a) * m;
    return Math.atan2(a.dot(b.clone().cross(c)), below);
  });
  return angles.reduce((sum, angle) => sum + angle, 0) / (2 * Math.PI);
}
