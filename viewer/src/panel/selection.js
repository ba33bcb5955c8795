/** What is known about the selected part. */

import { linkOf, nameOf, select } from "../app.js";
import { button, element } from "../dom.js";
import { poseOfFrame } from "../model.js";
import { boundsOf, glow } from "../picture.js";
import { rpy } from "../poses.js";
import { UNITS, written } from "../units.js";

/** @typedef {import("../app.js").App} App */
/** @typedef {import("../model.js").Model} Model */
/** @typedef {import("../types.js").Part} Part */

/** @param {App} app */
export function selectionPanel(app) {
  const [model] = app.models;
  const table = element("dl", {});
  const title = element("h2", {});
  const box = element("div", { className: "selection", hidden: true, role: "region", "aria-label": "Selected part" }, title, table,
    element("div", { className: "line" }, button("Look at it", look), button("Close", () => select(app, null))));
  function look() {
    const [picture] = app.pictures;
    if (picture && app.selected) app.stage?.turnTo(boundsOf(picture, linkOf(model.robot, app.selected)));
  }
  function update() {
    const part = app.selected;
    box.hidden = part === null;
    if (!part) return;
    title.textContent = `${part.kind} ${nameOf(model.robot, part)}`;
    const rows = withOther(facts(model, part), app, nameOf(model.robot, part), part);
    table.replaceChildren(...rows.flatMap(([name, value]) => [element("dt", { textContent: name }), element("dd", { textContent: value })]));
  }
  model.listeners.push(update);
  app.selectionListeners.push((part) => {
    update();
    const [picture] = app.pictures;
    if (picture) glow(picture, new Set(part ? [linkOf(model.robot, part)] : []));
  });
  return box;
}

/** Return facts with those of the second robot behind an arrow, where it has a part of this name that differs.
 * @param {[string, string][]} rows @param {App} app @param {string} name @param {Part} part */
function withOther(rows, app, name, { kind }) {
  const other = app.models[1];
  const index = other && { link: other.robot.links, joint: other.robot.joints, frame: other.robot.frames }[kind].findIndex((one) => one.name === name);
  if (!other || index < 0) return rows;
  const values = new Map(facts(other, { kind, index }));
  return rows.map(([fact, value]) => [fact, [value, ...[values.get(fact) ?? value].filter((one) => one !== value)].join(" → ")]);
}

/** @param {Model} model @param {Part} part @returns {[string, string][]} */
function facts(model, part) {
  const { robot } = model;
  const { m, rad } = UNITS;
  if (part.kind === "joint") {
    const joint = robot.joints[part.index];
    const leader = joint.leader && `${joint.leader.multiplier} × ${robot.joints[joint.leader.joint].name} + ${joint.leader.offset}`;
    return [
      ["Type", joint.type], ["Parent link", robot.links[joint.parent].name], ["Child link", robot.links[joint.child].name],
      ...joint.axes.map((axis) => /** @type {[string, string]} */ (["Axis", axis.map((value) => Number(value.toFixed(6))).join(" ")])),
      ...limitsOf(robot, joint), .../** @type {[string, string][]} */ (leader ? [["Follows", leader]] : []),
    ];
  }
  const T = poseOfFrame(model, nameOf(robot, part));
  /** @type {[string, string][]} */
  const rows = [
    ["Place in the root, mm", [T[3], T[7], T[11]].map((value) => written(value, m)).join("  ")],
    ["Roll, pitch, yaw, °", rpy(T).map((value) => written(value, rad)).join("  ")],
  ];
  if (part.kind === "frame") return [["Link", robot.links[robot.frames[part.index].link].name], ...rows];
  const { inertia } = robot.links[part.index];
  if (!inertia) return [...rows, ["Mass", "none"]];
  const { mass, radii } = inertia;
  return [...rows, ["Mass, kg", String(Number(mass.toPrecision(6)))], ["Radii of inertia, mm", radii ? radii.map((value) => written(value, m)).join("  ") : "no body has this inertia"]];
}

/** Return the ranges of the coordinates of a joint, each with its unit.
 * @param {import("../types.js").Robot} robot @param {import("../types.js").Joint} joint @returns {[string, string][]} */
export function limitsOf(robot, { first, coordinates }) {
  return Array.from({ length: first === null ? 0 : coordinates }, (_, k) => {
    const i = /** @type {number} */ (first) + k;
    const unit = UNITS[robot.coordinates[i].unit];
    const [low, high] = [robot.limits.lower[i], robot.limits.upper[i]].map((value) => (value === null ? "none" : written(value, unit)));
    return [`Limits, ${unit.name}`, `${low} to ${high}`];
  });
}
