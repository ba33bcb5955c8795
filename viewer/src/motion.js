/** A motion: unpacked as src/kinetree/viewing/scene/motion.py packs it, its q at any time, and where it is outside. */

import { Quaternion } from "three";

import { inflated } from "./meshes.js";
import { isOutside } from "./model.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {{first: number, last: number}} Run samples outside of the limits, one after the other */
/** @typedef {import("./model.js").Bound} Bound */
/**
 * @typedef {object} Motion
 * @property {boolean} timed whether the file has times; otherwise they are the numbers of the samples
 * @property {Float64Array} times s, from the first sample
 * @property {{coordinate: number, values: Float64Array}[]} columns rad, m
 * @property {number[][]} quaternions the columns x, y, z, w of each quaternion
 * @property {Bound[]} rows the limits about its coordinates
 */

/** Return the motion of a robot, null if it has none.
 * @param {Model} model @returns {Promise<Motion | null>} */
export async function unpackMotion({ robot, bounds }) {
  if (!robot.motion) return null;
  const { samples, columns, times, data } = robot.motion;
  const bytes = await inflated(data);
  const found = columns.map(({ coordinate, digits }, i) => ({
    coordinate,
    values: numbers(bytes, 8 * samples * i, samples, digits),
  }));
  const moving = new Set(columns.map(({ coordinate }) => coordinate));
  return {
    timed: times !== null,
    times: times
      ? numbers(bytes, 8 * samples * columns.length, samples, times.digits)
      : Float64Array.from({ length: samples }, (_, i) => i),
    columns: found,
    quaternions: quaternionsOf(
      robot,
      columns.map(({ coordinate }) => coordinate),
    ),
    rows: bounds.filter(({ terms }) => terms.some(([i]) => moving.has(i))),
  };
}

/** Return one column: numbers of 64 bits, or differences of whole multiples of 10^-digits.
 * @param {Uint8Array} bytes @param {number} at @param {number} count @param {number | null} digits */
function numbers(bytes, at, count, digits) {
  const own = new Uint8Array(8 * count);
  for (let place = 0; place < 8; place++)
    for (let i = 0; i < count; i++) own[8 * i + place] = bytes[at + place * count + i];
  if (digits === null) return new Float64Array(own.buffer);
  const halves = new Uint32Array(own.buffer);
  const scale = Number(`1e${digits}`);
  const found = new Float64Array(count);
  for (let i = 0, whole = 0; i < count; i++) {
    const zigzag = halves[2 * i] + 2 ** 32 * halves[2 * i + 1];
    whole += zigzag % 2 ? -(zigzag + 1) / 2 : zigzag / 2;
    found[i] = whole / scale;
  }
  return found;
}

/** @param {import("./types.js").Robot} robot @param {number[]} coordinates of the columns */
function quaternionsOf(robot, coordinates) {
  const starts = robot.coordinates.flatMap(({ unit, joint }, i) => {
    const before = robot.coordinates[i - 1];
    return unit === "quaternion" && (before?.unit !== unit || before.joint !== joint) ? [i] : [];
  });
  return starts
    .filter((i) => coordinates.includes(i))
    .map((i) => [i, i + 1, i + 2, i + 3].map((k) => coordinates.indexOf(k)));
}

/** Return the names of the limits that a configuration is outside of.
 * @param {Motion} motion @param {ArrayLike<number>} q */
export function limitsLeft({ rows }, q) {
  return rows.filter((row) => isOutside(row, q)).map(({ name }) => name);
}

/** Return the runs of samples outside of any limit, with the coordinates that do not move from q.
 * @param {Motion} motion @param {ArrayLike<number>} q @returns {Run[]} */
export function runsOutside(motion, q) {
  const here = Float64Array.from(q);
  /** @type {Run[]} */
  const runs = [];
  for (let i = 0; i < motion.times.length; i++) {
    for (const { coordinate, values } of motion.columns) here[coordinate] = values[i];
    if (!motion.rows.some((row) => isOutside(row, here))) continue;
    const last = runs.at(-1);
    if (last?.last === i - 1) last.last = i;
    else runs.push({ first: i, last: i });
  }
  return runs;
}

/** Return the last sample at or before a time.
 * @param {Motion} motion @param {number} time */
export function sampleAt({ times }, time) {
  let [low, high] = [0, times.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle;
  }
  return low;
}

/** Return the configuration at a time: of a sample exactly, between two of them on a straight line, quaternions on the
 * shortest arc. Coordinates that do not move are those of q.
 * @param {Motion} motion @param {number} time @param {ArrayLike<number>} q */
export function configurationAt(motion, time, q) {
  const found = Float64Array.from(q);
  const { times, columns } = motion;
  const i = sampleAt(motion, time);
  const next = Math.min(i + 1, times.length - 1);
  const part = next === i ? 0 : Math.max(0, (time - times[i]) / (times[next] - times[i]));
  for (const { coordinate, values } of columns)
    found[coordinate] = values[i] + (part && part * (values[next] - values[i]));
  if (!part) return found;
  for (const parts of motion.quaternions) {
    const [from, to] = [i, next].map((k) =>
      new Quaternion().fromArray(parts.map((column) => columns[column].values[k])),
    );
    const between = from.slerp(to, part).normalize().toArray();
    parts.forEach((column, axis) => (found[columns[column].coordinate] = between[axis]));
  }
  return found;
}
