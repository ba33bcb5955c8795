/**
 * Inverse kinematics for dragging: damped least squares with the limits as rows that a step may touch but not cross.
 * The Jacobian is taken by central differences of the compiled function.
 */

import { marginOf, poseOfFrame } from "./model.js";
import { rotationBetween } from "./poses.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./model.js").Bound} Bound */

const STEPS = 40;
const LONGEST = 0.5; // rad or m, of one coordinate in one step
const NEAR = 1e-9; // rows closer than this are touched
const STILL = 1e-12; // of a step: what goes along a row by rounding alone

/** Return coordinates that bring a frame as near to a pose as a few steps can, inside the limits, and what is left.
 * rotate: whether the orientation counts, too. Restarts are tried from places drawn by `random`, if there is time.
 * @param {Model} model @param {string} name @param {number[]} goal @param {boolean} rotate
 * @param {number} [restarts] @param {() => number} [random]
 * @returns {{q: Float64Array, distance: number, angle: number}} */
export function reach(model, name, goal, rotate, restarts = 0, random = Math.random) {
  const moving = coordinatesOf(model, name);
  let best = descend(model, name, goal, rotate, moving, Float64Array.from(model.q));
  for (let k = 0; k < restarts && best.cost > 1e-12; k++) {
    const next = descend(model, name, goal, rotate, moving, drawn(model, moving, random));
    if (next.cost < best.cost) best = next;
  }
  const error = errorOf(model, name, goal, best.q, true);
  return { q: best.q, distance: Math.hypot(...error.slice(0, 3)), angle: Math.hypot(...error.slice(3)) };
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

/** @param {Model} model @param {string} name @param {number[]} goal @param {boolean} rotate @param {number[]} moving
 * @param {Float64Array} q @returns {{q: Float64Array, cost: number}} */
function descend(model, name, goal, rotate, moving, q) {
  let error = errorOf(model, name, goal, q, rotate);
  let cost = dot(error, error);
  let damping = 1e-3;
  const rows = model.bounds.filter(({ terms }) => terms.some(([i]) => moving.includes(i)));
  for (let step = 0; step < STEPS && cost > 1e-16; step++) {
    const J = jacobian(model, name, goal, rotate, moving, q);
    const direction = stepOf(J, error, damping * cost + 1e-12, rows, moving, q);
    const longest = longestOf(direction);
    const length = Math.min(farthest(rows, moving, q, direction), LONGEST / Math.max(longest, 1e-300), 1);
    if (!(length * longest > 1e-13)) break;
    const next = moved(q, moving, direction, length);
    const left = errorOf(model, name, goal, next, rotate);
    if (dot(left, left) < cost) {
      [q, error, cost, damping] = [next, left, dot(left, left), Math.max(damping / 4, 1e-6)];
    } else if ((damping *= 8) > 1e9) break;
  }
  return { q, cost };
}

/** Return the step that is best within the rows that are touched: those that it would cross become equations.
 * @param {number[][]} J columns @param {number[]} error @param {number} damping @param {Bound[]} rows
 * @param {number[]} moving @param {Float64Array} q @returns {number[]} */
function stepOf(J, error, damping, rows, moving, q) {
  const n = moving.length;
  const touched = rows.filter((row) => marginOf(row, q) < NEAR).map((row) => dense(row, moving));
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
 * @param {Bound[]} rows @param {number[]} moving @param {Float64Array} q @param {number[]} direction */
function farthest(rows, moving, q, direction) {
  let length = 1;
  for (const row of rows) {
    const speed = dot(dense(row, moving), direction);
    if (speed > STILL * longestOf(direction)) length = Math.min(length, Math.max(0, marginOf(row, q)) / speed);
  }
  return length;
}

/** Return a configuration inside the limits: from the present one towards a place drawn in the box.
 * @param {Model} model @param {number[]} moving @param {() => number} random */
function drawn(model, moving, random) {
  const { lower, upper } = model.robot.limits;
  const direction = moving.map((i) => {
    const [low, high] = [lower[i] ?? -Math.PI, upper[i] ?? Math.PI];
    return low + (high - low) * random() - model.q[i];
  });
  const rows = model.bounds.filter(({ terms }) => terms.some(([i]) => moving.includes(i)));
  return moved(model.q, moving, direction, farthest(rows, moving, model.q, direction));
}

/** @param {Model} model @param {string} name @param {number[]} goal @param {boolean} rotate @param {number[]} moving
 * @param {Float64Array} q @returns {number[][]} one column a coordinate */
function jacobian(model, name, goal, rotate, moving, q) {
  const d = 1e-6;
  return moving.map((i) => {
    const [before, after] = [-d, d].map((change) => {
      const at = Float64Array.from(q);
      at[i] += change;
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

/** @param {Float64Array} q @param {number[]} moving @param {number[]} direction @param {number} length */
function moved(q, moving, direction, length) {
  const next = Float64Array.from(q);
  moving.forEach((i, k) => (next[i] += length * direction[k]));
  return next;
}

/** @param {number[]} direction */
function longestOf(direction) {
  return Math.max(...direction.map(Math.abs));
}

/** @param {Bound} row @param {number[]} moving */
function dense({ terms }, moving) {
  return moving.map((i) => terms.find(([k]) => k === i)?.[1] ?? 0);
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
