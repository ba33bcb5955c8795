/** Poses in the numbers of makers' controllers, from the table that comes with the scene. */

import { eulerOf } from "./euler.js";
import { quaternion } from "./poses.js";

/** @typedef {import("./types.js").Controller} Controller */
/** @typedef {import("./poses.js").Pose} Pose */

/** Return the numbers of a pose as a controller writes them, in the order of its components.
 * @param {Controller} controller @param {Pose} T @returns {number[]} */
export function numbersOf(controller, T) {
  const { metre, mirrored } = controller;
  const pose = mirrored ? mirroredPose(T, "xyz".indexOf(mirrored)) : T;
  return [...[3, 7, 11].map((place) => pose[place] * metre), ...rotationOf(controller, pose)];
}

/** @param {Controller} controller @param {Pose} T @returns {number[]} */
function rotationOf({ kind, axes, places, zero, radian }, T) {
  const [x, y, z, w] = quaternion(T);
  if (kind === "quaternion") return [w, x, y, z];
  if (kind === "exp") {
    const sine = Math.hypot(x, y, z);
    const factor = radian * (sine < 1e-12 ? 2 : (2 * Math.atan2(sine, w)) / sine);
    return [x * factor, y * factor, z * factor];
  }
  const numbers = [0, 0, 0];
  eulerOf(T, axes, zero).forEach((angle, turn) => (numbers[places[turn]] = angle * radian));
  return numbers;
}

/** @param {Pose} T @param {number} axis */
function mirroredPose(T, axis) {
  return Array.from(T, (value, i) => ((Math.floor(i / 4) === axis) === (i % 4 === axis) ? value : -value));
}
