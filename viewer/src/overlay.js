/** Two robots laid over each other: what agrees is grey and drawn once, what differs has the colour of its robot. */

import { Color } from "three";

import { linkOf } from "./app.js";
import { follow } from "./follow.js";
import { axes, dot } from "./marks.js";
import { IDENTITY, poseOfLink } from "./model.js";
import { boundsOf, glow } from "./picture.js";
import { paint, placed } from "./shapes.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./picture.js").Picture} Picture */
/** @typedef {import("./types.js").Part} Part */
/** @typedef {import("three").Object3D} Object3D */
/** @typedef {import("three").MeshStandardMaterial} MeshStandardMaterial */
/** @typedef {"both" | "first" | "second"} Shown */
/**
 * @typedef {object} Overlay
 * @property {Shown} shown
 * @property {(shown: Shown) => void} show
 * @property {(parts: [Part[], Part[]]) => void} lookAt turn the camera to parts and let them glow
 * @property {(link: number) => number | null} partnerOf the link of the first robot that is paired with one of the second
 * @property {() => string[]} late coordinates of the second robot that do not follow
 */

export const COLOURS = { same: "#b4bac4", inPlace: "#8e44d6", first: "#1c6fe0", second: "#e8590c" };
const NEAR = 1e-6; // m or entries of a rotation: nothing to see
const MARKED = { emissive: 0xffffff, emissiveIntensity: 0.4 };
const LIGHT = 0.35; // of what glows

/** Return the overlay of the first two robots of the page.
 * @param {App} app @param {import("./types.js").Comparison} comparison @returns {Overlay} */
export function createOverlay(app, comparison) {
  const [a, b] = app.models;
  const late = follow(a, b, comparison.coordinates);
  const partners = new Map(comparison.links);
  const differing = [0, 1].map((side) => differingLinks(app, comparison, side));
  const reshaped = new Set(
    comparison.differences.flatMap(({ kind, parts }) => (kind === "shape" ? parts[1].map(({ index }) => index) : [])),
  );
  let chosen = [new Set(), new Set()];
  let together = new Set(); // links of the second robot that the first one covers
  /** @type {Overlay} */
  const overlay = { shown: "both", show, lookAt, partnerOf, late };

  function coverage() {
    const covered = comparison.links.filter(
      ([i, j]) => !reshaped.has(j) && apart(poseOfLink(a, i), poseOfLink(b, j)) < NEAR,
    );
    return new Set(covered.map(([, j]) => j));
  }
  function update() {
    const next = coverage();
    if (next.size === together.size && [...next].every((link) => together.has(link))) return;
    together = next;
    dress();
  }
  function dress() {
    app.pictures.slice(0, 2).forEach((picture, side) => {
      picture.root.visible = overlay.shown === "both" || overlay.shown === (side ? "second" : "first");
      for (const solid of picture.solids) {
        const { link, own } = solid.userData;
        solid.userData.plain =
          overlay.shown === "both" ? materialOf(side, link) : differing[side].has(link) ? lit(own, side) : own;
        solid.visible = side === 0 || overlay.shown !== "both" || !together.has(link);
      }
      glow(picture, chosen[side]);
      for (const object of picture.layers.get("joints") ?? [])
        object.children[0].visible = overlay.shown !== "both" || jointsOf(comparison, side).has(object.userData.joint);
      if (side)
        for (const object of picture.layers.get("roles") ?? [])
          object.children.forEach((child) => (child.visible = overlay.shown !== "both"));
    });
    app.stage?.draw();
  }
  /** @param {number} side @param {number} link */
  function materialOf(side, link) {
    const differs = differing[side].has(link);
    if (side) return tinted(COLOURS.second, differs ? 0.6 : 0.3, differs);
    if (!differs) return tinted(COLOURS.same, 1, false);
    return tinted(together.has(partners.get(link) ?? -1) ? COLOURS.inPlace : COLOURS.first, 1, true);
  }
  /** @param {Shown} shown */
  function show(shown) {
    overlay.shown = shown;
    dress();
  }
  /** @param {[Part[], Part[]]} parts */
  function lookAt(parts) {
    chosen = parts.map((list, side) => new Set(list.map((part) => linkOf(app.models[side].robot, part))));
    if (app.pictures.length < 2) return;
    const boxes = chosen.flatMap((links, side) => [...links].map((link) => boundsOf(app.pictures[side], link)));
    if (boxes.length) app.stage?.turnTo(boxes.reduce((box, next) => box.union(next)));
    dress();
  }
  /** @param {number} link @returns {number | null} */
  function partnerOf(link) {
    return comparison.links.find(([, j]) => j === link)?.[0] ?? null;
  }
  app.selectionListeners.push((part) => {
    const link = part && linkOf(a.robot, part);
    const partner = link === null ? undefined : partners.get(link);
    chosen = [new Set(link === null ? [] : [link]), new Set(partner === undefined ? [] : [partner])];
    dress();
  });
  app.pictures.slice(0, 2).forEach((picture, side) => prepare(picture, comparison, side));
  b.listeners.push(update);
  together = coverage();
  dress();
  return overlay;
}

/** Return the links of one robot that differ: in pose, shape, mass, or because only it has them.
 * @param {App} app @param {import("./types.js").Comparison} comparison @param {number} side @returns {Set<number>} */
function differingLinks(app, comparison, side) {
  const { robot } = app.models[side];
  const found = new Set();
  for (const { kind, parts } of comparison.differences) {
    for (const part of ["limit", "order", "sensor"].includes(kind) ? [] : parts[side]) {
      if (part.kind === "frame") continue;
      const link = linkOf(robot, part);
      found.add(link);
      if (kind === "joint") for (const below of carried(robot, link)) found.add(below);
    }
  }
  return found;
}

/** Return the links that a link carries.
 * @param {import("./types.js").Robot} robot @param {number} link @returns {number[]} */
function carried(robot, link) {
  return robot.joints.flatMap(({ parent, child }) => (parent === link ? [child, ...carried(robot, child)] : []));
}

/** Return the joints of one robot that differ.
 * @param {import("./types.js").Comparison} comparison @param {number} side @returns {Set<number>} */
function jointsOf(comparison, side) {
  return new Set(
    comparison.differences.flatMap(({ parts }) =>
      parts[side].flatMap(({ kind, index }) => (kind === "joint" ? [index] : [])),
    ),
  );
}

/** Keep the materials of a picture, give its marks the colour of its robot, mark frames that differ.
 * @param {Picture} picture @param {import("./types.js").Comparison} comparison @param {number} side */
function prepare(picture, comparison, side) {
  const colour = side ? COLOURS.second : COLOURS.first;
  const { robot } = picture.model;
  picture.marked = MARKED;
  for (const solid of picture.solids) solid.userData.own = solid.userData.plain;
  const frames = comparison.differences.flatMap(({ kind, parts }) =>
    kind === "frame" || kind === "base" ? parts[side] : [],
  );
  for (const part of frames) {
    if (part.kind === "joint") continue;
    const T = part.kind === "frame" ? robot.frames[part.index].T : IDENTITY;
    picture.links[linkOf(robot, part)].add(placed(T, axes(0.08 * robot.size), dot(0.009 * robot.size, colour)));
  }
  for (const object of picture.layers.get("visual") ?? []) if ("isMesh" in object) object.renderOrder = side ? 3 : 4;
  if (!side) return;
  const { layers } = picture;
  for (const object of layers.get("joints") ?? []) object.children[0].scale.setScalar(1.25);
  for (const object of layers.get("inertia") ?? [])
    object.traverse((one) => "material" in one && (one.material = tinted(colour, 0.35, false)));
  for (const layer of /** @type {const} */ (["joints", "masses"]))
    for (const object of layers.get(layer) ?? []) recolour(object, colour);
  for (const object of layers.get("visual") ?? []) if ("isMesh" in object) recolour(object, colour);
}

/** @param {Object3D} object @param {string} colour */
function recolour(object, colour) {
  object.traverse((one) => "material" in one && /** @type {MeshStandardMaterial} */ (one.material).color.set(colour));
}

/** @param {string} colour @param {number} opacity @param {boolean} glows */
function tinted(colour, opacity, glows) {
  const { r, g, b } = new Color(colour).getRGB({ r: 0, g: 0, b: 0 }, "srgb");
  return paint([r, g, b, opacity], {
    depthWrite: opacity === 1,
    ...(glows ? { emissive: colour, emissiveIntensity: LIGHT } : {}),
  });
}

/** @type {WeakMap<MeshStandardMaterial, MeshStandardMaterial>} */
const LIT = new WeakMap();

/** @param {MeshStandardMaterial} plain @param {number} side */
function lit(plain, side) {
  const made = LIT.get(plain) ?? plain.clone();
  made.setValues({ emissive: side ? COLOURS.second : COLOURS.first, emissiveIntensity: LIGHT });
  LIT.set(plain, made);
  return made;
}

/** @param {number[]} S @param {number[]} T */
function apart(S, T) {
  return Math.max(...S.map((value, i) => Math.abs(value - T[i])));
}
