/** The pose of any frame in any other, in usual forms and as controllers write it. */

import { numbersOf } from "../controllers.js";
import { nameOf } from "../app.js";
import { button, copy, element, section } from "../dom.js";
import { poseOfFrame } from "../model.js";
import { inverse, multiply, quaternion, rpy } from "../poses.js";
import { UNITS, written } from "../units.js";

/** @typedef {import("../app.js").App} App */

/** @param {App} app */
export function measurePanel(app) {
  const [model] = app.models;
  const names = [...model.frames.keys()];
  const list = element("datalist", { id: "frames" }, ...names.map((value) => element("option", { value })));
  const from = frameField("From frame", names[0]);
  const to = frameField("To frame", lastOf(app));
  const kind = element(
    "select",
    { "aria-label": "How the pose is written", onchange: update },
    element("option", { value: "", textContent: "metres, rpy, quaternion, matrix" }),
    ...app.scene.controllers.map(({ key, name }) => element("option", { value: key, textContent: name })),
  );
  const table = element("dl", {});
  const problem = element("p", { className: "quiet", role: "status" });
  const result = element(
    "div",
    {},
    table,
    button("Copy", () => copy(text(), problem)),
  );

  /** @param {string} label @param {string} value */
  function frameField(label, value) {
    const input = element("input", { type: "text", value, "aria-label": label, oninput: update });
    input.setAttribute("list", list.id);
    return input;
  }
  function pose() {
    const missing = [from.value, to.value].find((name) => !model.frames.has(name));
    problem.textContent = missing === undefined ? "" : `There is no frame '${missing}'.`;
    if (missing !== undefined) return null;
    return multiply(inverse(poseOfFrame(model, from.value)), poseOfFrame(model, to.value));
  }
  function update() {
    const T = pose();
    result.hidden = T === null;
    if (!T) return;
    const rows = kind.value ? asController(app, kind.value, T) : asPerson(T);
    table.replaceChildren(
      ...rows.flatMap(([name, value]) => [element("dt", { textContent: name }), element("dd", { textContent: value })]),
    );
  }
  function text() {
    const cells = [...table.children].map((cell) => cell.textContent);
    return cells.flatMap((cell, i) => (i % 2 ? [] : [`${cell}: ${cells[i + 1]}`])).join("\n");
  }
  app.selectionListeners.push((part) => {
    if (part && part.kind !== "joint") to.value = nameOf(model.robot, part);
    update();
  });
  model.listeners.push(update);
  const box = section(
    "Measure",
    false,
    list,
    element("div", { className: "line" }, from, "to", to),
    kind,
    problem,
    result,
  );
  update();
  return box;
}

/** Return the name of the frame that is most likely asked for: tool0, or the last link.
 * @param {App} app */
function lastOf(app) {
  const { links, frames } = app.models[0].robot;
  const roles = [...links, ...frames].find(({ role }) => role === "tool0");
  return (roles ?? links[links.length - 1]).name;
}

/** @param {number[]} T @returns {[string, string][]} */
function asPerson(T) {
  const place = [T[3], T[7], T[11]];
  const length = Math.hypot(...place);
  return [
    ["x y z, m", place.map((value) => value.toFixed(6)).join("  ")],
    ["x y z, mm", place.map((value) => written(value, UNITS.m, 3)).join("  ")],
    ["Distance, mm", written(length, UNITS.m, 3)],
    [
      "rpy, rad",
      rpy(T)
        .map((value) => value.toFixed(6))
        .join("  "),
    ],
    [
      "rpy, °",
      rpy(T)
        .map((value) => written(value, UNITS.rad, 4))
        .join("  "),
    ],
    [
      "Quaternion xyzw",
      quaternion(T)
        .map((value) => value.toFixed(6))
        .join("  "),
    ],
    ...[0, 4, 8].map(
      (row, i) =>
        /** @type {[string, string]} */ ([
          `Matrix, row ${i + 1}`,
          T.slice(row, row + 4)
            .map((value) => value.toFixed(6))
            .join("  "),
        ]),
    ),
  ];
}

/** @param {App} app @param {string} key @param {number[]} T @returns {[string, string][]} */
function asController(app, key, T) {
  const controller = app.scene.controllers.find((one) => one.key === key);
  if (!controller) return [];
  const { components, digits } = controller;
  return numbersOf(controller, T).map((value, i) => [components[i], value.toFixed(digits[i < 3 ? 0 : 1])]);
}
