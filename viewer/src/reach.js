/**
 * Inverse kinematics for dragging: damped least squares with the limits as rows that a step may touch but not cross.
 * The Jacobian is taken by central differences of the compiled function.
 */

import { closedAt, joinedCoordinates } from "./loops.js";
import { marginOf, poseOfFrame } from "./model.js";
import { rotationBetween } from "./poses.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./model.js").Bound} Bound */
/** Ways to move: a step is a number for each; columns gives what each changes in q, and moved where a step leads, null
 * where it may not.
 * @typedef {{coordinates: number[], rows: Bound[], columns: (q: Float64Array) => number[][],
 *   moved: (q: Float64Array, direction: number[]) => Float64Array | null}} Ways */

const STEPS = 40;
const LONGEST = 0.5; // rad or m, of one coordinate in one step
const NEAR = 1e-9; // rows closer than this are touched
const STILL = 1e-12; // of a step: what goes along a row by rounding alone
const PATIENCE = 1000; // ms of restarts while loops are kept closed

/** Return coordinates that bring a frame as near to a pose as a few steps can, inside the limits, and what is left.
 * rotate: whether the orientation counts, too. Restarts are tried from places drawn by `random`, if there is time.
 * @param {Model} model @param {string} name @param {number[]} goal @param {boolean} rotate
 * @param {number} [restarts] @param {() => number} [random]
 * @returns {{q: Float64Array, distance: number, angle: number}} */
export function reach(model, name, goal, rotate, restarts = 0, random = Math.random) {
  const first = model.loops?.kept ? closedStart(model, model.loops) : null;
  const ways = first ? closedWays(model, name) : openWays(model, coordinatesOf(model, name));
  const end = performance.now() + (first ? PATIENCE : Infinity);
  let best = descend(model, name, goal, rotate, ways, first ?? Float64Array.from(model.q));
  for (let k = 0; k < restarts && best.cost > 1e-12 && performance.now() < end; k++) {
    const next = descend(model, name, goal, rotate, ways, drawn(model, ways, random));
    if (next.cost < best.cost) best = next;
  }
  const error = errorOf(model, name, goal, best.q, true);
  return { q: best.q, distance: Math.hypot(...error.slice(0, 3)), angle: Math.hypot(...error.slice(3)) };
}

/** Return q with closed loops while driven joints stay, null if there is none.
 * @param {Model} model @param {import("./loops.js").Loops} loops */
function closedStart(model, loops) {
  if (loops.isClosed(model.q)) return Float64Array.from(model.q);
  const { q, why } = closedAt(model, model.q, model.q);
  return why ? null : q;
}

/** Return the ways of coordinates that move by themselves. @param {Model} model @param {number[]} coordinates
 * @returns {Ways} */
function openWays({ bounds, q: { length } }, coordinates) {
  const units = coordinates.map((i) => Array.from({ length }, (_, k) => Number(k === i)));
  return {
    coordinates,
    rows: bounds.filter(({ terms }) => terms.some(([i]) => coordinates.includes(i))),
    columns: () => units,
    moved: (q, direction) => changed(q, units, direction),
  };
}

/** Return the ways of driven joints, which others in loops follow, and of joints outside of loops.
 * @param {Model} model @param {string} name @returns {Ways} */
function closedWays(model, name) {
  const { rates, closer } = /** @type {import("./loops.js").Loops} */ (model.loops);
  const { columns: driven } = /** @type {import("./types.js").Closer} */ (closer);
  const joined = new Set(joinedCoordinates(model));
  const alone = openWays(
    model,
    coordinatesOf(model, name).filter((i) => !joined.has(i)),
  );
  const columns = (/** @type {Float64Array} */ q) => [...alone.columns(q), ...rates(q)];
  return {
    coordinates: [...alone.coordinates, ...driven.filter((i) => model.robot.coordinates[i].unit !== "quaternion")],
    rows: model.bounds,
    columns,
    moved: (q, direction) => {
      const goal = changed(q, columns(q), direction);
      const from = Float64Array.from(goal);
      for (const i of joined) from[i] = q[i];
      const found = closedAt(model, from, goal);
      return found.why ? null : found.q;
    },
  };
}

/** @param {Float64Array} q @param {number[][]} columns @param {number[]} direction */
function changed(q, columns, direction) {
  return q.map((value, i) => columns.reduce((sum, column, k) => sum + direction[k] * column[i], value));
}

/** Return the coordinates that move a frame and that are turned or slid alone.
 * @param {Model} model @param {string} name @returns {number[]} */
function coordinatesOf(model, name) {
  const { links, joints, coordinates } = model.robot;
  const found = new Set();
  for (let link = links[/** @type {{link: number}} */ (model.frames.get(name)).link]; link.joint !== null;) {
    let joint = joints[link.joint];
    link = links[joint.parent];
    if (joint.leader) joint = joints[joint.leader.joint];
    for (let k = 0; k < joint.coordinates; k++) found.add(/** @type {number} */ (joint.first) + k);
  }
  return [...found].filter((i) => coordinates[i].unit !== "quaternion").sort((a, b) => a - b);
}

/** @param {Model} model @param {string} name @param {number[]} goal @param {boolean} rotate @param {Ways} ways
 * @param {Float64Array} q @returns {{q: Float64Array, cost: number}} */
function descend(model, name, goal, rotate, ways, q) {
  let error = errorOf(model, name, goal, q, rotate);
  let cost = dot(error, error);
  let damping = 1e-3;
  for (let step = 0; step < STEPS && cost > 1e-16; step++) {
    const columns = ways.columns(q);
    const rows = ways.rows.map((row) => ({ margin: marginOf(row, q), slopes: slopesOf(row, columns) }));
    const J = jacobian(model, name, goal, rotate, columns, q);
    const direction = stepOf(J, error, damping * cost + 1e-12, rows);
    const longest = longestOf(direction);
    const length = Math.min(farthest(rows, direction), LONGEST / Math.max(longest, 1e-300), 1);
    if (!(length * longest > 1e-13)) break;
    const next = ways.moved(
      q,
      direction.map((value) => length * value),
    );
    const left = next ? errorOf(model, name, goal, next, rotate) : [Infinity];
    if (next && dot(left, left) < cost) {
      [q, error, cost, damping] = [next, left, dot(left, left), Math.max(damping / 4, 1e-6)];
    } else if ((damping *= 8) > 1e9) break;
  }
  return { q, cost };
}

/** Slope: of a row, its margin and what a step of each way adds to it.
 * @typedef {{margin: number, slopes: number[]}} Slope */

/** Return the step that is best within the rows that are touched: those that it would cross become equations.
 * @param {number[][]} J columns @param {number[]} error @param {number} damping @param {Slope[]} rows
 * @returns {number[]} */
function stepOf(J, error, damping, rows) {
  const n = J.length;
  const touched = rows.filter(({ margin }) => margin < NEAR).map(({ slopes }) => slopes);
  /** @type {number[][]} */
  const kept = [];
  for (;;) {
    const size = n + kept.length;
    const A = Array.from({ length: size }, (_, r) =>
      Array.from({ length: size + 1 }, (_, c) => {
        if (r < n && c < n) return dot(J[r], J[c]) + (r === c ? damping : 0);
        if (c === size) return r < n ? dot(J[r], error) : 0;
        if (r >= n && c >= n) return r === c ? -1e-14 : 0; // for rows that say the same
        return r < n ? kept[c - n][r] : kept[r - n][c];
      }),
    );
    const direction = solved(A).slice(0, n);
    const crossed = touched.find((row) => !kept.includes(row) && dot(row, direction) > STILL * longestOf(direction));
    if (!crossed || kept.length >= n) return direction;
    kept.push(crossed);
  }
}

/** Return how much of a step stays inside all rows, at most 1.
 * @param {Slope[]} rows @param {number[]} direction */
function farthest(rows, direction) {
  let length = 1;
  for (const { margin, slopes } of rows) {
    const speed = dot(slopes, direction);
    if (speed > STILL * longestOf(direction)) length = Math.min(length, Math.max(0, margin) / speed);
  }
  return length;
}

/** Return a configuration inside the limits: from the present one towards a place drawn in the box.
 * @param {Model} model @param {Ways} ways @param {() => number} random */
function drawn(model, { coordinates, rows, columns, moved }, random) {
  const { lower, upper } = model.robot.limits;
  const now = columns(model.q);
  const wanted = coordinates.map((i) => {
    const [low, high] = [lower[i] ?? -Math.PI, upper[i] ?? Math.PI];
    return low + (high - low) * random() - model.q[i];
  });
  const direction = now.map((column) => wanted.reduce((sum, value, k) => sum + value * column[coordinates[k]], 0));
  const slopes = rows.map((row) => ({ margin: marginOf(row, model.q), slopes: slopesOf(row, now) }));
  const length = farthest(slopes, direction);
  return (
    moved(
      model.q,
      direction.map((value) => length * value),
    ) ?? Float64Array.from(model.q)
  );
}

/** @param {Model} model @param {string} name @param {number[]} goal @param {boolean} rotate @param {number[][]} columns
 * @param {Float64Array} q @returns {number[][]} one column a way */
function jacobian(model, name, goal, rotate, columns, q) {
  const d = 1e-6;
  return columns.map((column) => {
    const [before, after] = [-d, d].map((change) => {
      const at = q.map((value, i) => value + change * column[i]);
      return errorOf(model, name, goal, at, rotate);
    });
    return before.map((value, k) => (value - after[k]) / (2 * d));
  });
}

/** Return what is missing to a goal: metres, and radians as a rotation vector.
 * @param {Model} model @param {string} name @param {number[]} goal @param {Float64Array} q @param {boolean} rotate */
function errorOf(model, name, goal, q, rotate) {
  const T = poseOfFrame(model, name, model.fk(q, scratchOf(model)));
  const places = [3, 7, 11].map((k) => goal[k] - T[k]);
  return rotate ? [...places, ...rotationBetween(T, goal)] : places;
}

/** @type {WeakMap<Model, Float64Array>} */
const SCRATCH = new WeakMap();

/** @param {Model} model */
function scratchOf(model) {
  const known = SCRATCH.get(model) ?? new Float64Array(model.poses.length);
  SCRATCH.set(model, known);
  return known;
}

/** @param {number[]} direction */
function longestOf(direction) {
  return Math.max(...direction.map(Math.abs));
}

/** @param {Bound} row @param {number[][]} columns */
function slopesOf({ terms }, columns) {
  return columns.map((column) => terms.reduce((sum, [i, factor]) => sum + factor * column[i], 0));
}

/** @param {number[]} a @param {number[]} b */
function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

/** Return the solution of linear equations with their right sides in the last column, by elimination with pivots.
 * @param {number[][]} A @returns {number[]} */
function solved(A) {
  const n = A.length;
  for (let i = 0; i < n; i++) {
    let pivot = i;
    for (let r = i + 1; r < n; r++) if (Math.abs(A[r][i]) > Math.abs(A[pivot][i])) pivot = r;
    [A[i], A[pivot]] = [A[pivot], A[i]];
    for (let r = i + 1; r < n; r++) {
      const factor = A[r][i] / A[i][i];
      if (factor) for (let c = i; c <= n; c++) A[r][c] -= factor * A[i][c];
    }
  }
  const x = new Array(n).fill(0);
  for (let i = n - 1; i >= 0; i--) {
    x[i] = A[i][n];
    for (let c = i + 1; c < n; c++) x[i] -= A[i][c] * x[c];
    x[i] /= A[i][i];
  }
  return x;
}
