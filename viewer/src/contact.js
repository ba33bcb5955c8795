/** Which links touch each other, and how far the nearest two are apart. */

import { poseOfLink } from "./model.js";
import { inverse, multiply } from "./poses.js";
import { ballsApart, distanceOf, farthest, moved, treeOf, turnsAround } from "./tree.js";

/** @typedef {import("./types.js").Solid} Solid */
/** @typedef {import("./tree.js").Tree} Tree */
/** @typedef {import("./tree.js").Found & {atLeast: boolean}} Found atLeast: the distance may be more */
/** @typedef {import("three").BufferGeometry} BufferGeometry */
/** Body: hulls is its convex hull; fine the triangles of a mesh that is not convex, made once they are asked for.
 * @typedef {Solid & {hulls: Tree, surface: BufferGeometry | null, fine: () => Tree}} Body */
/** Contact: pairs of links that touch; those whose convex hulls touch and of which no more is known; and where there are
 * none the nearest pair, with its points in the root, m.
 * @typedef {{touching: number[][], perhaps: number[][], nearest: Found & {pair: number[]} | null}} Contact */

/** Return the function that finds the contact of a model as it stands.
 * @param {import("./model.js").Model} model @param {import("./types.js").Contacts} contacts
 * @param {import("./tree.js").Step} step @param {BufferGeometry[]} meshes @returns {() => Contact} */
export function createContact(model, contacts, step, meshes) {
  const bodies = contacts.solids.map((solid) => bodyOf(solid, meshes));
  const of = (/** @type {number} */ link) => bodies.flatMap((body, i) => (body.link === link ? [i] : []));
  const pairs = contacts.pairs.flatMap((pair) => of(pair[0]).flatMap((a) => of(pair[1]).map((b) => ({ pair, a, b }))));
  return () => {
    const poses = bodies.map(({ link, T }) => multiply(poseOfLink(model, link), T));
    const placed = pairs.map(({ pair, a, b }) => {
      const T = multiply(inverse(poses[a]), poses[b]);
      const endless = bodies[a].plane || bodies[b].plane;
      return { pair, a, b, T, lower: endless ? -Infinity : ballsApart(bodies[a].ball, bodies[b].ball, T) };
    });
    const [touching, perhaps] = [new Set(), new Set()];
    /** @type {Contact["nearest"]} */
    let nearest = null;
    for (const { pair, a, b, T, lower } of placed.sort((one, other) => one.lower - other.lower)) {
      const most = touching.size + perhaps.size ? 0 : (nearest?.distance ?? Infinity);
      if (lower > most) break;
      if (touching.has(pair)) continue;
      const found = solidsApart(step, bodies[a], bodies[b], T, most);
      if (found.distance === 0) (found.atLeast ? perhaps : touching).add(pair);
      else if (found.distance < most)
        nearest = { ...found, pair, points: found.points.map((point) => moved(poses[a], point)) };
    }
    const sure = contacts.pairs.filter((pair) => touching.has(pair));
    const unsure = contacts.pairs.filter((pair) => perhaps.has(pair) && !touching.has(pair));
    return { touching: sure, perhaps: unsure, nearest: sure.length + unsure.length ? null : nearest };
  };
}

/** @param {Solid} solid @param {BufferGeometry[]} meshes @returns {Body} */
function bodyOf(solid, meshes) {
  const points = solid.hull === null ? solid.points : meshes[solid.hull].attributes.position.array;
  const hulls = { ball: solid.ball, part: { ...solid, points }, children: [] };
  const surface = solid.mesh === null ? null : meshes[solid.mesh];
  /** @type {Tree | null} */
  let made = null;
  return { ...solid, hulls, surface, fine: () => (made ??= surface ? treeOf(surface) : hulls) };
}

/** Return the distance of two solids, 0 in contact, or a number beyond `above`, and points in the frame of the first.
 * @param {import("./tree.js").Step} step @param {Body} a @param {Body} b @param {number[]} T @param {number} above
 * @returns {Found} */
function solidsApart(step, a, b, T, above) {
  if (a.plane) return fromPlane(b, T);
  if (b.plane) {
    const { points, ...found } = fromPlane(a, inverse(T));
    return { ...found, points: points.reverse().map((point) => moved(T, point)) };
  }
  const atLeast = a.rough || b.rough;
  const found = distanceOf(step, a.hulls, b.hulls, T, above);
  if (atLeast || found.distance > above || !(a.surface || b.surface)) return { ...found, atLeast };
  const fine = distanceOf(step, a.fine(), b.fine(), T, above);
  const inside = found.distance === 0 && fine.distance > 0 && (isInside(a, b, T) || isInside(b, a, inverse(T)));
  return { ...fine, distance: inside ? 0 : fine.distance, atLeast };
}

/** Return whether a part of the other solid lies inside of a closed mesh, where the surfaces do not meet.
 * @param {Body} mesh @param {Body} other @param {number[]} T pose of the other in the mesh */
function isInside({ surface, closed }, { parts }, T) {
  const places = parts.flatMap((_, i) => (i % 3 ? [] : [moved(T, parts.slice(i, i + 3))]));
  return surface !== null && closed && places.some((place) => Math.abs(turnsAround(surface, place)) > 0.5);
}

/** Return the distance of a solid from a plane, in whose frame it has this pose; none of another plane.
 * @param {Body} body @param {number[]} T @returns {Found} */
function fromPlane({ hulls, plane }, T) {
  if (plane || !hulls.part) return { distance: Infinity, points: [], atLeast: false };
  const lowest = moved(T, farthest(hulls.part, -T[8], -T[9], -T[10]));
  lowest[2] -= hulls.part.radius;
  return { distance: Math.max(lowest[2], 0), points: [[lowest[0], lowest[1], 0], lowest], atLeast: false };
}
