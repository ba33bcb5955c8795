/** Closed loops: how far they are open, and q with closed loops, on the branch of another q, as `kt.kinematics.close`. */

import { marginOf, nearest, setQ } from "./model.js";

/** @typedef {import("./model.js").Model} Model */
/**
 * @typedef {object} Loops
 * @property {boolean} kept whether loops are kept closed while joints move
 * @property {string} why what stopped the last motion, or ""
 * @property {string[]} names
 * @property {number[]} tolerance largest gap of a closed loop, m and rad
 * @property {import("./types.js").Closer | null} closer
 * @property {(q: ArrayLike<number>) => number[][]} gaps how far each loop is open, m and rad
 * @property {(q: ArrayLike<number>) => boolean} isClosed
 * @property {(from: ArrayLike<number>, goal: ArrayLike<number>) => {q: Float64Array, closed: boolean}} walk
 *   to the driven joints of a goal, on the branch of another q
 * @property {(q: ArrayLike<number>) => number[][]} rates of all coordinates for those of each driven one
 */

const [GOING, HEAD] = [0, 6]; // places in a state, as in src/kinetree/algorithms/closing.py
const STEEPEST = 1e4; // largest rate of a coordinate: beyond it the driven joints hardly determine the others
const HALVINGS = 14; // of the way to where something stops a motion
const ROUNDING = 1e-12; // of a margin, rad or m

/** Return the loops of a robot, null if it has none.
 * @param {import("./types.js").Robot} robot @param {Record<string, any>} functions @returns {Loops | null} */
export function createLoops({ loops }, functions) {
  if (!loops) return null;
  const { tolerance, closer } = loops;
  const [n, nv, m] = closer?.sizes ?? [0, 0, 0];
  /** @param {ArrayLike<number>} q */
  const gaps = (q) => rowsOf(functions.loop_gap(q), 2);
  /** @param {ArrayLike<number>} q */
  const isClosed = (q) => gaps(q).every((gap) => gap.every((value, i) => value <= tolerance[i]));
  /** @param {ArrayLike<number>} from @param {ArrayLike<number>} goal @returns {{q: Float64Array, closed: boolean}} */
  function walk(from, goal) {
    const { columns } = /** @type {import("./types.js").Closer} */ (closer);
    const x = columns.map((i) => goal[i]);
    const begun = functions.loop_begin(from, x);
    let [state, next] = [begun.slice(0, n), new Float64Array(n)];
    const [v, e0] = [begun.slice(n, n + nv), begun.slice(n + nv, n + nv + m)];
    while (state[GOING] > 0) {
      functions.loop_step(state, v, e0, next);
      [state, next] = [next, state];
    }
    const q = state.slice(HEAD, HEAD + from.length);
    columns.forEach((i, k) => (q[i] = x[k]));
    return { q, closed: isClosed(q) };
  }
  const rates = (/** @type {ArrayLike<number>} */ q) => rowsOf(functions.loop_rates(q), q.length);
  const names = loops.loops.map(({ name }) => name);
  return { kept: closer !== null, why: "", names, tolerance, closer, gaps, isClosed, walk, rates };
}

/** @param {Float64Array} values @param {number} n */
function rowsOf(values, n) {
  return Array.from({ length: values.length / n }, (_, i) => Array.from(values.subarray(n * i, n * i + n)));
}

/** Return the coordinates of driven joints and of those that follow. @param {Model} model */
export function joinedCoordinates({ robot, loops }) {
  const closer = loops?.closer;
  return [...(closer?.driven ?? []), ...(closer?.following ?? [])].flatMap((joint) => {
    const { first, coordinates } = robot.joints[joint];
    return Array.from({ length: coordinates }, (_, k) => /** @type {number} */ (first) + k);
  });
}

/** Return the limit that q crosses although another one does not, or crosses less.
 * @param {Model} model @param {ArrayLike<number>} q @param {ArrayLike<number>} from */
function crossed({ bounds }, q, from) {
  return bounds.find((bound) => marginOf(bound, q) < Math.min(0, marginOf(bound, from)) - ROUNDING);
}

/** Return q with closed loops at the driven joints of a goal, or what is in the way. Other joints are as in `from`.
 * @param {Model} model @param {ArrayLike<number>} from @param {ArrayLike<number>} goal
 * @returns {{q: Float64Array, why: string}} why: "" if nothing is */
export function closedAt(model, from, goal) {
  const { walk, gaps, rates, tolerance, names } = /** @type {Loops} */ (model.loops);
  const { q, closed } = walk(from, goal);
  if (!closed) {
    const open = gaps(q).map((gap, i) => ({
      name: names[i],
      gap,
      part: Math.max(gap[0] / tolerance[0], gap[1] / tolerance[1]),
    }));
    const { name, gap } = open.reduce((one, other) => (other.part > one.part ? other : one));
    return {
      q,
      why: `Loops cannot be closed there on this branch: ${name} would be open by ${gapText(gap, tolerance)}.`,
    };
  }
  const bound = crossed(model, q, from);
  if (bound) return { q, why: `Stopped by ${bound.name}.` };
  const steep = rates(q).some((row) => !row.every((rate) => Math.abs(rate) < STEEPEST));
  return { q, why: steep ? "Stopped at a dead centre, where driven joints do not determine the others." : "" };
}

/** Move the joints to a goal. If loops are kept closed, those that are driven go as far as loops can be closed inside
 * the limits, and others in loops follow.
 * @param {Model} model @param {ArrayLike<number>} goal */
export function moveTo(model, goal) {
  const { loops } = model;
  if (!loops?.kept || !loops.closer) return setQ(model, goal);
  const { columns } = loops.closer;
  const from = Float64Array.from(goal);
  for (const i of joinedCoordinates(model)) from[i] = model.q[i];
  const at = (/** @type {number} */ share) => {
    const to = Float64Array.from(from);
    for (const i of columns) to[i] += share * (goal[i] - from[i]);
    return closedAt(model, from, to);
  };
  const moves = columns.some((i) => goal[i] !== from[i]);
  const whole = moves ? at(1) : { q: from, why: "" };
  let [low, high, best] = [0, 1, whole.why ? from : whole.q];
  for (let k = 0; k < HALVINGS && whole.why; k++) {
    const share = (low + high) / 2;
    const { q, why } = at(share);
    if (why) high = share;
    else [low, best] = [share, q];
  }
  setQ(model, best, whole.why);
}

/** Close the loops while the driven joints stay. @param {Model} model */
export function closeNow(model) {
  const { q, why } = closedAt(model, model.q, model.q);
  setQ(model, why ? model.q : q, why);
}

/** Set one coordinate as near to a value as the limits, and loops that are kept closed, allow.
 * @param {Model} model @param {number} i @param {number} value */
export function setCoordinate(model, i, value) {
  const q = Float64Array.from(model.q);
  q[i] = nearest(model, i, value);
  moveTo(model, q);
}

/** Return a gap in words. @param {number[]} gap m and rad @param {number[]} tolerance */
export function gapText([distance, angle], tolerance) {
  const [far, turned] = [1e3 * distance, (angle * 180) / Math.PI].map((value) => String(Number(value.toPrecision(3))));
  return `${far} mm${angle > tolerance[1] ? ` and ${turned}°` : ""}`;
}
