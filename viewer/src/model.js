/** A robot with its coordinates: poses by the compiled function, limits, listeners. */

import { multiply } from "./poses.js";

/** @typedef {import("./types.js").Robot} Robot */
/** @typedef {{terms: [number, number][], h: number, name: string}} Bound One row `sum of factor * q <= h`. */
/**
 * @typedef {object} Model
 * @property {Robot} robot
 * @property {Float64Array} q
 * @property {Float64Array} poses of the bodies, 16 numbers each
 * @property {import("./types.js").ForwardKinematics} fk
 * @property {Bound[]} bounds every limit as a row: lower and upper ones first, then those over several coordinates
 * @property {Map<string, {link: number, T: number[]}>} frames every frame, links' own too, by name
 * @property {import("./loops.js").Loops | null} loops
 * @property {(() => void)[]} listeners called after each change of q
 */

const INSIDE = 1e-10; // rad or m: nothing to see, and more than rounding
export const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/** Return the model of a robot at its first q.
 * @param {Robot} robot @param {import("./types.js").ForwardKinematics} fk @returns {Model} */
export function createModel(robot, fk) {
  const { lower, upper, rows } = robot.limits;
  /** @type {Bound[]} */
  const bounds = [];
  robot.coordinates.forEach(({ name }, i) => {
    if (lower[i] !== null) bounds.push({ terms: [[i, -1]], h: -lower[i], name: `lower limit of ${name}` });
    if (upper[i] !== null) bounds.push({ terms: [[i, 1]], h: upper[i], name: `upper limit of ${name}` });
  });
  const frames = new Map(robot.links.map((link, i) => [link.name, { link: i, T: IDENTITY }]));
  for (const { name, link, T } of robot.frames) frames.set(name, { link, T });
  const q = Float64Array.from(robot.q);
  /** @type {Model} */
  const model = {
    robot,
    q,
    fk,
    bounds: [...bounds, ...rows],
    frames,
    loops: null,
    listeners: [],
    poses: new Float64Array(16 * robot.bodies.length),
  };
  fk(q, model.poses);
  return model;
}

/** Set all coordinates as they are, inside the limits or not, with closed loops or not.
 * @param {Model} model @param {ArrayLike<number>} q @param {string} [why] what kept loops from going farther */
export function setQ(model, q, why = "") {
  if (model.loops) model.loops.why = why;
  model.q.set(q);
  model.fk(model.q, model.poses);
  for (const listener of model.listeners) listener();
}

/** Return the number nearest to a value that a coordinate may have while the others stay.
 * @param {Model} model @param {number} i @param {number} value */
export function nearest(model, i, value) {
  const { lower, upper } = rangeOf(model, i);
  return Math.min(Math.max(value, lower), upper);
}

/** Return how far one coordinate can go while the others stay, and the rows that stop it there.
 * A coordinate that is outside may stay where it is.
 * @param {Model} model @param {number} i
 * @returns {{lower: number, upper: number, below: Bound | null, above: Bound | null}} */
export function rangeOf(model, i) {
  let [lower, upper] = [-Infinity, Infinity];
  /** @type {[Bound | null, Bound | null]} */
  let [below, above] = [null, null];
  for (const bound of model.bounds) {
    const factor = bound.terms.find(([k]) => k === i)?.[1];
    if (!factor) continue;
    const value = model.q[i] + marginOf(bound, model.q) / factor;
    if (factor > 0 && value < upper) [upper, above] = [value, bound];
    if (factor < 0 && value > lower) [lower, below] = [value, bound];
  }
  return { lower: Math.min(lower, model.q[i]), upper: Math.max(upper, model.q[i]), below, above };
}

/** Return how far a configuration is inside a row, less a little for rounding.
 * @param {Bound} bound @param {ArrayLike<number>} q */
export function marginOf({ terms, h }, q) {
  let margin = h - INSIDE * (1 + Math.abs(h));
  for (const [i, factor] of terms) margin -= factor * q[i];
  return margin;
}

/** Return whether a configuration is outside of a row, as `Limits.contains` computes it.
 * @param {Bound} bound @param {ArrayLike<number>} q */
export function isOutside({ terms, h }, q) {
  let sum = 0;
  for (const [i, factor] of terms) sum += q[i] * factor;
  return h - sum < 0;
}

/** Return T_base_link of a link.
 * @param {Model} model @param {number} link @param {ArrayLike<number>} [poses] @returns {number[]} */
export function poseOfLink(model, link, poses = model.poses) {
  const { body, T } = model.robot.links[link];
  return multiply(Array.prototype.slice.call(poses, 16 * body, 16 * body + 16), T);
}

/** Return T_base_frame of a frame by its name.
 * @param {Model} model @param {string} name @param {ArrayLike<number>} [poses] @returns {number[]} */
export function poseOfFrame(model, name, poses = model.poses) {
  const frame = model.frames.get(name);
  if (!frame) throw new Error(`there is no frame '${name}'`);
  return multiply(poseOfLink(model, frame.link, poses), frame.T);
}
