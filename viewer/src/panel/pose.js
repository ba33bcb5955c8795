/** The configuration as text: to copy into Python, a link or a file, and to type or paste. */

import { button, element, section } from "../dom.js";
import { setQ } from "../model.js";

/** @typedef {import("../app.js").App} App */
/** @typedef {import("../model.js").Model} Model */

/** @param {App} app */
export function posePanel(app) {
  const [model] = app.models;
  const field = element("textarea", { rows: 4, spellcheck: false, "aria-label": "Configuration as text" });
  const answer = element("p", { className: "quiet", role: "status" });
  const fill = () => {
    if (document.activeElement !== field) field.value = asPython(model);
  };
  const apply = () => {
    try {
      const outside = setByNames(model, parsed(field.value, model));
      answer.textContent = outside ? "Set. It is outside of the limits." : "Set.";
    } catch (error) {
      answer.textContent = String(/** @type {Error} */ (error).message);
    }
  };
  const copy = (/** @type {string} */ text, /** @type {string} */ what) =>
    navigator.clipboard.writeText(text).then(
      () => (answer.textContent = `${what} copied.`),
      () => {
        field.value = text;
        field.select();
        answer.textContent = "This browser does not let the page copy; the text is selected.";
      },
    );
  const buttons = element(
    "div",
    { className: "line" },
    button("Set", apply),
    button("Copy for Python", () => copy(asPython(model), "Text for Python")),
    button("Copy link", () => copy(asLink(model), "Link")),
  );
  model.listeners.push(fill);
  fill();
  fromLink(model);
  addEventListener("hashchange", () => fromLink(model));
  return section("Configuration", false, field, buttons, answer);
}

/** Return the call of robot.q that gives this configuration.
 * @param {Model} model */
function asPython(model) {
  const changed = model.robot.coordinates.map(({ name }, i) => `${JSON.stringify(name)}: ${short(model.q[i])}`);
  return `robot.q({${changed.join(", ")}})`;
}

/** Return the address of this page with the configuration behind "#q=".
 * @param {Model} model */
function asLink(model) {
  const pairs = model.robot.coordinates.map(({ name }, i) => `${encodeURIComponent(name)}:${short(model.q[i])}`);
  return `${location.href.split("#")[0]}#q=${pairs.join(",")}`;
}

/** @param {Model} model */
function fromLink(model) {
  if (!location.hash.startsWith("#q=")) return;
  const pairs = location.hash
    .slice(3)
    .split(",")
    .map((pair) => pair.split(":"));
  const values = new Map(pairs.map(([name, value]) => [decodeURIComponent(name), Number(value)]));
  const known = new Set(model.robot.coordinates.map(({ name }) => name));
  if ([...values].every(([name, value]) => known.has(name) && Number.isFinite(value))) setByNames(model, values);
}

/** Return the values by name of a text: names with numbers, or as many numbers as there are coordinates.
 * @param {string} text @param {Model} model @returns {Map<string, number>} */
function parsed(text, model) {
  const names = model.robot.coordinates.map(({ name }) => name);
  const number = /[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/g;
  const pairs = [...text.matchAll(/["']([^"'\n]+)["']\s*:\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)/g)];
  if (pairs.length) {
    const unknown = pairs.find(([, name]) => !names.includes(name));
    if (unknown) throw new Error(`There is no coordinate '${unknown[1]}'; there are ${names.join(", ")}.`);
    return new Map(pairs.map(([, name, value]) => [name, Number(value)]));
  }
  const values = text.match(number) ?? [];
  if (values.length !== names.length)
    throw new Error(`Expected names with numbers, or ${names.length} numbers; found ${values.length}.`);
  return new Map(values.map((value, i) => [names[i], Number(value)]));
}

/** Set coordinates by name, as they are. Return whether the configuration is outside of the limits.
 * @param {Model} model @param {Map<string, number>} values */
function setByNames(model, values) {
  const q = Float64Array.from(model.q, (value, i) => values.get(model.robot.coordinates[i].name) ?? value);
  setQ(model, q);
  return model.bounds.some(({ terms, h }) => terms.reduce((sum, [i, factor]) => sum + factor * q[i], 0) > h);
}

/** @param {number} value */
function short(value) {
  return Number(value.toPrecision(12));
}
