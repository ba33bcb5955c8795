/** A slider for each coordinate, by groups. It stops where the limits end, and says which. */

import { button, element, section } from "../dom.js";
import { moveTo, setCoordinate } from "../loops.js";
import { marginOf, rangeOf, setQ } from "../model.js";
import { fromQuaternion, rpy, toQuaternion } from "../poses.js";
import { UNITS, written } from "../units.js";

/** @typedef {import("../app.js").App} App */
/** @typedef {import("../model.js").Model} Model */
/**
 * What a slider moves: a coordinate, or one of the three angles of a quaternion.
 * @typedef {{name: string, joint: number, unit: import("../units.js").Unit, least: number, most: number,
 *   read: () => number, write: (value: number) => void, stops: () => string[]}} Control
 */

/** @param {App} app */
export function slidersPanel(app) {
  const [model] = app.models;
  const rows = model.robot.joints.flatMap((_, i) => controlsOf(model, i)).map((control) => slider(model, control));
  const found = element("p", { className: "quiet", hidden: true, textContent: "No joint has this in its name." });
  const search = element("input", {
    type: "search",
    placeholder: "Find a joint",
    "aria-label": "Find a joint",
    oninput: () => {
      for (const { row, control } of rows)
        row.hidden = !control.name.toLowerCase().includes(search.value.toLowerCase());
      found.hidden = rows.some(({ row }) => !row.hidden);
    },
  });
  const start = Float64Array.from(model.q);
  const box = section(
    "Joints",
    true,
    element(
      "div",
      { className: "line" },
      search,
      button("Start pose", () => setQ(model, start)),
    ),
    found,
  );
  for (const { title, members } of grouped(model, rows)) {
    const list = members.map(({ row }) => row);
    box.append(
      title ? element("fieldset", {}, element("legend", { textContent: title }), ...list) : element("div", {}, ...list),
    );
  }
  if (model.robot.limits.rows.length) box.append(coupled(model));
  const update = () => rows.forEach((row) => row.update());
  model.listeners.push(update);
  update();
  return box;
}

/** Return the rows by the groups of the robot; a joint stands in its first group, those of none at the end.
 * @param {Model} model @param {ReturnType<typeof slider>[]} rows */
function grouped(model, rows) {
  const left = new Set(rows);
  const groups = model.robot.groups.map(({ name, joints }) => {
    const members = rows.filter((row) => left.has(row) && joints.includes(model.robot.joints[row.control.joint].name));
    members.forEach((row) => left.delete(row));
    return { title: name, members };
  });
  const used = groups.filter(({ members }) => members.length);
  return [...used, { title: used.length && left.size ? "other joints" : "", members: [...left] }];
}

/** @param {Model} model @param {number} index @returns {Control[]} */
function controlsOf(model, index) {
  const { first, coordinates, leader, name } = model.robot.joints[index];
  if (first === null || leader) return [];
  const places = Array.from({ length: coordinates }, (_, k) => first + k);
  const plain = places.filter((i) => model.robot.coordinates[i].unit !== "quaternion");
  const turned = places.find((i) => model.robot.coordinates[i].unit === "quaternion");
  const angles =
    turned === undefined
      ? []
      : ["roll", "pitch", "yaw"].map((angle, axis) => angleControl(model, index, `${name} ${angle}`, turned, axis));
  return [...plain.map((i) => coordinateControl(model, index, i)), ...angles];
}

/** @param {Model} model @param {number} joint @param {number} i @returns {Control} */
function coordinateControl(model, joint, i) {
  const { name, unit } = model.robot.coordinates[i];
  const { lower, upper } = model.robot.limits;
  const reach = unit === "rad" ? Math.PI : 1;
  return {
    name,
    joint,
    unit: UNITS[unit],
    least: lower[i] ?? Math.min(-reach, (upper[i] ?? 0) - reach),
    most: upper[i] ?? Math.max(reach, (lower[i] ?? 0) + reach),
    read: () => model.q[i],
    write: (value) => setCoordinate(model, i, value),
    stops: () => {
      const { lower: low, upper: high, below, above } = rangeOf(model, i);
      const near = [below && model.q[i] - low < 1e-9 ? below : null, above && high - model.q[i] < 1e-9 ? above : null];
      return near
        .filter((bound) => bound !== null && bound.terms.length > 1)
        .map((bound) => `stopped by ${bound?.name}`);
    },
  };
}

/** @param {Model} model @param {number} joint @param {string} name @param {number} first @param {number} axis
 * @returns {Control} */
function angleControl(model, joint, name, first, axis) {
  const angles = () => rpy(fromQuaternion(model.q.subarray(first, first + 4)));
  return {
    name,
    joint,
    unit: UNITS.rad,
    least: axis === 1 ? -Math.PI / 2 : -Math.PI,
    most: axis === 1 ? Math.PI / 2 : Math.PI,
    read: () => angles()[axis],
    write: (value) => {
      const q = Float64Array.from(model.q);
      const next = angles();
      next[axis] = value;
      q.set(toQuaternion(next), first);
      moveTo(model, q);
    },
    stops: () => [],
  };
}

/** @param {Model} model @param {Control} control */
function slider(model, control) {
  const { name, unit, least, most } = control;
  const range = element("input", {
    type: "range",
    min: String(least),
    max: String(most),
    step: "any",
    "aria-label": name,
    tabIndex: 0,
    oninput: () => control.write(Number(range.value)),
  });
  const number = element("input", {
    type: "number",
    step: "any",
    "aria-label": `${name} in ${unit.name || "its own number"}`,
    onchange: () => {
      if (number.value !== "") {
        const wanted = Number(number.value) / unit.factor;
        control.write(wanted);
        held = control.read();
        const end = `${written(held, unit)} ${unit.name}`;
        beyond = Math.abs(held - wanted) > 1e-9 ? `${number.value} ${unit.name} is beyond the limit, ${end}` : "";
      }
      update();
    },
  });
  let [beyond, held] = ["", 0];
  const stop = element("span", { className: "stop", role: "status" });
  const row = element(
    "div",
    { className: "slider" },
    element("span", { className: "name", title: name }, ...broken(name)),
    range,
    number,
    element("span", { className: "unit", textContent: unit.name }),
    stop,
  );
  function update() {
    const value = control.read();
    range.value = String(value);
    range.setAttribute("aria-valuetext", `${written(value, unit)} ${unit.name}`);
    if (document.activeElement !== number) number.value = written(value, unit);
    const follows = Boolean(model.loops?.kept && model.loops.closer?.following.includes(control.joint));
    range.disabled = number.disabled = follows;
    row.classList.toggle("follows", follows);
    if (value !== held) beyond = "";
    const text = follows ? "" : control.stops().join(", ") || beyond;
    if (stop.textContent !== text) stop.textContent = text;
    row.classList.toggle("stopped", text !== "");
  }
  return { row, control, update };
}

/** Return a name in parts, between which a line may end. @param {string} name @returns {(string | HTMLElement)[]} */
function broken(name) {
  return name.split(/(?<=[_./ -])/).flatMap((part) => [part, element("wbr")]);
}

/** Return the rows over several coordinates, each with its distance from the end.
 * @param {Model} model */
function coupled(model) {
  const list = element("ul", { className: "rows" });
  const items = model.robot.limits.rows.map((bound) => {
    const left = element("span", { className: "number" });
    const item = element("li", {}, element("span", { textContent: bound.name }), left);
    list.append(item);
    return { bound, left, item };
  });
  const update = () => {
    for (const { bound, left, item } of items) {
      const margin = marginOf(bound, model.q);
      left.textContent = margin.toFixed(3);
      item.classList.toggle("stopped", margin < 1e-9);
    }
  };
  model.listeners.push(update);
  update();
  return element(
    "details",
    {},
    element("summary", { textContent: `${items.length} limits over several joints` }),
    element("p", { className: "quiet", textContent: "How far each is from its end, in the sum of its row." }),
    list,
  );
}
