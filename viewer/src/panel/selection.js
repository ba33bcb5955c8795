/** The panel with facts about the selected part. */

import { linkOf, nameOf, select } from "../app.js";
import { button, element, legible } from "../dom.js";
import { turnsOf } from "../marks.js";
import { poseOfFrame, poseOfLink } from "../model.js";
import { boundsOfPart, enlarge, glow } from "../picture.js";
import { inverse, multiply, rpy } from "../poses.js";
import { short, UNITS, written } from "../units.js";

/** @typedef {import("../app.js").App} App */
/** @typedef {import("../model.js").Model} Model */
/** @typedef {import("../types.js").Part} Part */

/** @param {App} app */
export function selectionPanel(app) {
  const [model] = app.models;
  const table = element("dl", {});
  const title = element("h2", {});
  const box = element(
    "div",
    { className: "selection", hidden: true, role: "region", "aria-label": "Selected part" },
    title,
    table,
    element(
      "div",
      { className: "line" },
      button("Look at it", () => app.selected && lookAt(app, app.selected)),
      button("Close", () => select(app, null)),
    ),
  );
  function update() {
    const part = app.selected;
    box.hidden = part === null;
    if (!part) return;
    title.textContent = legible(`${part.kind} ${nameOf(model.robot, part)}`);
    const rows = withOther(facts(model, part), app, nameOf(model.robot, part), part);
    table.replaceChildren(
      ...rows.flatMap(([name, value]) => [
        element("dt", { textContent: name }),
        element("dd", { textContent: value, className: name.length + value.length > 40 ? "long" : "" }),
      ]),
    );
  }
  model.listeners.push(update);
  app.selectionListeners.push((part) => {
    update();
    const [picture] = app.pictures;
    if (picture) enlarge(picture, part?.kind === "joint" ? part.index : null);
    if (picture) glow(picture, new Set(part ? [linkOf(model.robot, part)] : []));
  });
  return box;
}

/** Turn the camera to a part. @param {App} app @param {Part} part */
export function lookAt(app, part) {
  const [picture] = app.pictures;
  if (picture) app.stage?.turnTo(boundsOfPart(picture, part));
}

/** Return facts with those of the second robot behind an arrow, where it has a part of this name that differs.
 * @param {[string, string][]} rows @param {App} app @param {string} name @param {Part} part */
function withOther(rows, app, name, { kind }) {
  const other = app.models[1];
  const index =
    other &&
    { link: other.robot.links, joint: other.robot.joints, frame: other.robot.frames }[kind].findIndex(
      (one) => one.name === name,
    );
  if (!other || index < 0) return rows;
  const values = new Map(facts(other, { kind, index }));
  return rows.map(([fact, value]) => [
    fact,
    [value, ...[values.get(fact) ?? value].filter((one) => one !== value)].join(" → "),
  ]);
}

/** @param {Model} model @param {Part} part @returns {[string, string][]} */
function facts(model, part) {
  const { robot } = model;
  const { m } = UNITS;
  if (part.kind === "joint") {
    const joint = robot.joints[part.index];
    const leader =
      joint.leader && `${joint.leader.multiplier} × ${robot.joints[joint.leader.joint].name} + ${joint.leader.offset}`;
    return [
      ["Type", joint.type],
      ["Parent link", robot.links[joint.parent].name],
      ["Child link", robot.links[joint.child].name],
      ...joint.axes.map((axis) => /** @type {[string, string]} */ (["Axis", direction(axis)])),
      ...senses(model, part.index),
      ...limitsOf(robot, joint),
      .../** @type {[string, string][]} */ (leader ? [["Follows", leader]] : []),
    ];
  }
  const T = poseOfFrame(model, nameOf(robot, part));
  const parent = part.kind === "frame" ? robot.frames[part.index].link : parentOf(robot, part.index);
  const rows = placeOf(T, "the root");
  if (parent !== null) rows.push(...placeOf(multiply(inverse(poseOfLink(model, parent)), T), robot.links[parent].name));
  if (part.kind === "frame") return [["Link", robot.links[robot.frames[part.index].link].name], ...rows];
  const { inertia, missing } = robot.links[part.index];
  for (const { why } of missing) rows.push(["Shape left out", why]);
  if (!inertia) return [...rows, ["Mass", "none"]];
  const { mass, radii } = inertia;
  const share = (100 * mass) / robot.links.reduce((sum, link) => sum + (link.inertia?.mass ?? 0), 0);
  return [
    ...rows,
    ["Mass, kg", String(Number(mass.toPrecision(6)))],
    ["Of the whole robot's", `${share.toFixed(1)} %`],
    ["Radii of inertia, mm", radii ? radii.map((value) => written(value, m)).join("  ") : "no body has this inertia"],
  ];
}

/** Return the link that carries a link, null for a root.
 * @param {import("../types.js").Robot} robot @param {number} link */
function parentOf(robot, link) {
  const { joint } = robot.links[link];
  return joint === null ? null : robot.joints[joint].parent;
}

/** Return the place and the angles of a pose as rows. @param {number[]} T @param {string} where
 * @returns {[string, string][]} */
function placeOf(T, where) {
  const { m, rad } = UNITS;
  const texts = [[T[3], T[7], T[11]].map((value) => written(value, m)), rpy(T).map((value) => written(value, rad))].map(
    (values) => values.join("  "),
  );
  return [
    [`x y z in ${where}, mm`, texts[0]],
    [`roll pitch yaw in ${where}, °`, texts[1]],
  ];
}

/** Return the ranges of the coordinates of a joint, each with its unit.
 * @param {import("../types.js").Robot} robot @param {import("../types.js").Joint} joint @returns {[string, string][]} */
export function limitsOf(robot, { first, coordinates }) {
  return Array.from({ length: first === null ? 0 : coordinates }, (_, k) => {
    const i = /** @type {number} */ (first) + k;
    const unit = UNITS[robot.coordinates[i].unit];
    const [low, high] = [robot.limits.lower[i], robot.limits.upper[i]].map((value) =>
      value === null ? "none" : written(value, unit),
    );
    const turns = turnsOf(robot, robot.coordinates[i].joint);
    return [`Limits, ${unit.name}`, `${low} to ${high}${turns > 1.001 ? `: ${short(turns)} turns` : ""}`];
  });
}

/** Return where a joint's axis points now, and which parallel axes point the other way.
 * @param {import("../model.js").Model} model @param {number} index @returns {[string, string][]} */
function senses(model, index) {
  const own = axisInRoot(model, index);
  if (!own) return [];
  const opposite = model.robot.joints.filter((_, i) => {
    const other = axisInRoot(model, i);
    return other !== null && own[0] * other[0] + own[1] * other[1] + own[2] * other[2] < -1 + 1e-6;
  });
  return [
    ["Axis in the root, now", direction(own)],
    .../** @type {[string, string][]} */ (
      opposite.length ? [["Opposite to", opposite.map(({ name }) => name).join(", ")]] : []
    ),
  ];
}

/** @param {import("../model.js").Model} model @param {number} index @returns {number[] | null} */
function axisInRoot(model, index) {
  const { axes, parent, origin } = model.robot.joints[index];
  if (axes.length !== 1) return null;
  const T = multiply(poseOfLink(model, parent), origin);
  const [x, y, z] = axes[0];
  return [0, 4, 8].map((row) => T[row] * x + T[row + 1] * y + T[row + 2] * z);
}

/** @param {number[]} axis */
function direction(axis) {
  return axis.map((value) => String(Number(value.toFixed(4)) + 0)).join(" ");
}
