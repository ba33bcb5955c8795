/** Marks for axes of frames, joints with their limits, inertias. */

import {
  BoxGeometry,
  BufferGeometry,
  ConeGeometry,
  CylinderGeometry,
  Float32BufferAttribute,
  Line,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  RingGeometry,
  SphereGeometry,
  TorusGeometry,
  DoubleSide,
  Group,
} from "three";

import { inverse } from "./poses.js";
import { paint, placed, turnTo } from "./shapes.js";

/** @typedef {import("three").Object3D} Object3D */
/** @typedef {import("./types.js").Robot} Robot */

const UNSEEN = { depthTest: false };
const BLUE = 0x1e88e5;
const TURN = 2 * Math.PI * (1 + 1e-9);
const MOST_TURNS = 6; // of a spiral
export const ROLES = /** @type {Record<string, string>} */ ({
  base_link: "#d81b60",
  base: "#8e24aa",
  flange: "#ef6c00",
  tool0: "#00796b",
  sensor: "#3949ab",
  skin: "#6d4c41",
});

/** Return axes of a length: x red, y green, z blue.
 * @param {number} length */
export function axes(length) {
  const geometry = new BufferGeometry();
  const [red, green, blue] = [
    [0.9, 0.1, 0.1],
    [0.05, 0.6, 0.1],
    [0.15, 0.3, 1],
  ];
  geometry.setAttribute(
    "position",
    new Float32BufferAttribute([0, 0, 0, length, 0, 0, 0, 0, 0, 0, length, 0, 0, 0, 0, 0, 0, length], 3),
  );
  geometry.setAttribute("color", new Float32BufferAttribute([...red, ...red, ...green, ...green, ...blue, ...blue], 3));
  return inFront(new LineSegments(geometry, new LineBasicMaterial({ vertexColors: true, ...UNSEEN })), 3);
}

/** Return a dot that is seen through everything.
 * @param {number} radius @param {string | number} color */
export function dot(radius, color) {
  return inFront(new Mesh(new SphereGeometry(radius, 16, 12), new MeshBasicMaterial({ color, ...UNSEEN })), 4);
}

/** Return a rod from the origin to a place.
 * @param {number[]} to @param {number} radius */
export function stick([x, y, z], radius) {
  const length = Math.hypot(x, y, z);
  const geometry = new CylinderGeometry(radius, radius, length, 12).rotateX(Math.PI / 2).translate(0, 0, length / 2);
  const rod = new Mesh(geometry, paint([0.36, 0.42, 0.48, 1], { flatShading: false }).clone());
  rod.castShadow = true;
  return aligned([x, y, z], rod);
}

/** Return the ellipsoid of a solid body with this inertia.
 * @param {number[]} radii */
export function ellipsoid([x, y, z]) {
  return new Mesh(new SphereGeometry(1, 24, 16).scale(x, y, z), paint([0.2, 0.4, 0.9, 0.35], { depthWrite: false }));
}

/** Return a crossed box in the place of a shape that is not shown.
 * @param {number} side */
export function crossedBox(side) {
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [1, 2, 4].map((bit) => (i & bit ? side / 2 : -side / 2)));
  const edges = [
    [0, 1],
    [2, 3],
    [4, 5],
    [6, 7],
    [0, 2],
    [1, 3],
    [4, 6],
    [5, 7],
    [0, 4],
    [1, 5],
    [2, 6],
    [3, 7],
    [0, 7],
    [1, 6],
    [2, 5],
    [3, 4],
  ];
  const geometry = new BufferGeometry();
  geometry.setAttribute(
    "position",
    new Float32BufferAttribute(
      edges.flat().flatMap((i) => corners[i]),
      3,
    ),
  );
  return inFront(new LineSegments(geometry, new LineBasicMaterial({ color: 0xd9480f, ...UNSEEN })), 3);
}

/** Return what shows a joint: `fixed` belongs to its parent link at the joint's origin, `moving` to its child link.
 * One axis an arrow; the range of an angle is a sector with a needle, and a curved arrow shows the positive turn; a range
 * of more than a turn is a spiral; the range of a slide is a bar with a block.
 * @param {Robot} robot @param {number} index @param {number} radius
 * @returns {{fixed: Object3D, moving: Object3D}} */
export function jointMarks(robot, index, radius) {
  const joint = robot.joints[index];
  const [fixed, moving] = [new Group(), new Group()];
  joint.axes.forEach((axis) => {
    const turned = new Group();
    turned.quaternion.copy(turnTo(axis[0], axis[1], axis[2]));
    turned.add(line([0, 0, -radius], [0, 0, 1.8 * radius], BLUE), head([0, 0, 1.8 * radius], [0, 0, 1], radius));
    const single = joint.axes.length === 1 && joint.coordinates <= 1;
    const [lower, upper] = single ? rangeOf(robot, index) : [null, null];
    if (joint.type === "prismatic") {
      turned.add(bar(lower, upper, radius));
      moving.add(aligned(axis, block(radius)));
    } else {
      turned.add(sector(lower, upper, radius), ...turn(radius));
      if (single) moving.add(aligned(axis, needle(radius)));
    }
    fixed.add(turned);
  });
  return { fixed: placed(joint.origin, fixed), moving: placed(inverse(joint.child_origin), moving) };
}

/** Return how many turns a joint makes between its limits; 0 if it is not a rotation with two limits.
 * @param {Robot} robot @param {number} index */
export function turnsOf(robot, index) {
  const { type, coordinates, leader } = robot.joints[index];
  const [lower, upper] = coordinates === 1 || leader ? rangeOf(robot, index) : [null, null];
  return type === "revolute" && lower !== null && upper !== null ? (upper - lower) / (2 * Math.PI) : 0;
}

/** @param {Robot} robot @param {number} index @returns {(number | null)[]} */
function rangeOf(robot, index) {
  const { leader } = robot.joints[index];
  let { first } = robot.joints[index];
  let [factor, offset] = [1, 0];
  if (leader) {
    [factor, offset] = [leader.multiplier, leader.offset];
    first = robot.joints[leader.joint].first;
  }
  if (first === null) return [null, null];
  const ends = [robot.limits.lower[first], robot.limits.upper[first]];
  const values = ends.map((end) => (end === null ? null : factor * end + offset));
  return factor < 0 ? values.reverse() : values;
}

/** @param {number | null} lower @param {number | null} upper @param {number} radius */
function sector(lower, upper, radius) {
  const from = lower ?? Math.min(-Math.PI, (upper ?? 0) - Math.PI);
  const angle = (upper ?? from + 2 * Math.PI) - from;
  const shape =
    angle > TURN
      ? spiral(from, angle, radius)
      : new RingGeometry(0.7 * radius, radius, 48, 1, from, Math.max(angle, 0.01));
  return inFront(new Mesh(shape, translucent(0x42a5f5)), 2);
}

/** Return a ribbon that goes outwards with each turn, of at most MOST_TURNS turns.
 * @param {number} from @param {number} angle @param {number} radius */
function spiral(from, angle, radius) {
  const drawn = Math.min(angle, MOST_TURNS * TURN);
  const steps = Math.ceil((48 * drawn) / TURN);
  const places = Array.from({ length: steps + 1 }, (_, i) => {
    const passed = (drawn * i) / steps;
    return [0.7, 0.92].flatMap((inner) => {
      const distance = radius * (inner + (0.3 * passed) / TURN);
      return [distance * Math.cos(from + passed), distance * Math.sin(from + passed), 0];
    });
  });
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(places.flat(), 3));
  geometry.setIndex(
    Array.from({ length: steps }, (_, i) => [2 * i, 2 * i + 1, 2 * i + 2, 2 * i + 1, 2 * i + 3, 2 * i + 2]).flat(),
  );
  return geometry;
}

/** Return a curved arrow about z, the positive sense of a rotation.
 * @param {number} radius */
function turn(radius) {
  const [height, distance] = [1.2 * radius, 0.4 * radius];
  const arc = new TorusGeometry(distance, 0.03 * radius, 6, 36, 1.5 * Math.PI).translate(0, 0, height);
  return [
    inFront(new Mesh(arc, new MeshBasicMaterial({ color: BLUE, ...UNSEEN })), 3),
    head([0, -distance, height], [1, 0, 0], 0.7 * radius),
  ];
}

/** Return the head of an arrow. @param {number[]} at @param {number[]} towards @param {number} radius */
function head([x, y, z], towards, radius) {
  const cone = new Mesh(
    new ConeGeometry(0.13 * radius, 0.4 * radius, 12).rotateX(Math.PI / 2),
    new MeshBasicMaterial({ color: BLUE, ...UNSEEN }),
  );
  cone.position.set(x, y, z);
  return inFront(aligned(towards, cone), 3);
}

/** @param {number | null} lower @param {number | null} upper @param {number} radius */
function bar(lower, upper, radius) {
  const [from, to] = [lower ?? -2 * radius, upper ?? 2 * radius];
  const geometry = new BoxGeometry(0.2 * radius, 0.2 * radius, Math.max(to - from, 0.01 * radius));
  return inFront(new Mesh(geometry.translate(0, 0, (from + to) / 2), translucent(0x42a5f5)), 2);
}

/** @param {number} radius */
function needle(radius) {
  const geometry = new BoxGeometry(radius, 0.06 * radius, 0.06 * radius).translate(radius / 2, 0, 0);
  return inFront(new Mesh(geometry, new MeshBasicMaterial({ color: 0x0d47a1, ...UNSEEN })), 3);
}

/** @param {number} radius */
function block(radius) {
  const geometry = new BoxGeometry(0.5 * radius, 0.5 * radius, 0.08 * radius);
  return inFront(new Mesh(geometry, new MeshBasicMaterial({ color: 0x0d47a1, ...UNSEEN })), 3);
}

/** @param {number} color */
function translucent(color) {
  return new MeshBasicMaterial({ color, transparent: true, opacity: 0.45, side: DoubleSide, ...UNSEEN });
}

/** @param {number[]} from @param {number[]} to @param {number | string} color */
function line(from, to, color) {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute([...from, ...to], 3));
  return inFront(new Line(geometry, new LineBasicMaterial({ color, ...UNSEEN })), 3);
}

/** Return a line between two dots, and what puts its ends somewhere.
 * @param {number} radius of the dots @param {string} color */
export function span(radius, color) {
  const [one, other] = [dot(radius, color), dot(radius, color)];
  const between = line([0, 0, 0], [0, 0, 1], color);
  const object = new Group().add(one, other, between);
  between.frustumCulled = false;
  /** @param {import("three").Vector3} a @param {import("three").Vector3} b */
  const set = (a, b) => {
    one.position.copy(a);
    other.position.copy(b);
    between.geometry.setFromPoints([a, b]);
  };
  return { object, set };
}

/** @param {number[]} axis @param {Object3D} object */
function aligned(axis, object) {
  object.quaternion.copy(turnTo(axis[0], axis[1], axis[2]));
  return object;
}

/** @template {Object3D} T @param {T} object @param {number} order @returns {T} */
function inFront(object, order) {
  object.renderOrder = order;
  return object;
}
