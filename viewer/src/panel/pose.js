/** The configuration as text: to copy into Python, a link or a file, and to type or paste. */

import { button, copy, element, section } from "../dom.js";
import { isOutside, setQ } from "../model.js";

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
  const buttons = element(
    "div",
    { className: "line" },
    button("Set", apply),
    button("Copy for Python", () => copy(asPython(model), answer, "Text for Python")),
    button("Copy link", () => copy(asLink(model), answer, "Link")),
  );
  model.listeners.push(fill);
  fill();
  const follow = () => (answer.textContent = fromLink(model));
  follow();
  addEventListener("hashchange", follow);
  return section("Configuration", false, field, buttons, answer);
}

/** Return the call of robot.q that gives this configuration: a number a joint, or a list for several coordinates.
 * @param {Model} model */
function asPython({ robot, q }) {
  const parts = ownJoints(robot).map(({ name, first, coordinates }) => {
    const values = Array.from(q.subarray(first, first + coordinates));
    return `${JSON.stringify(name)}: ${coordinates === 1 ? values[0] : `[${values.join(", ")}]`}`;
  });
  return `robot.q({${parts.join(", ")}})`;
}

/** Return the joints with coordinates of their own, in the order of q.
 * @param {import("../types.js").Robot} robot */
function ownJoints(robot) {
  const own = robot.joints.flatMap(({ name, first, coordinates, leader }) =>
    first === null || leader ? [] : [{ name, first, coordinates }],
  );
  return own.sort((a, b) => a.first - b.first);
}

/** Return the address of this page with the configuration behind "#q=".
 * @param {Model} model */
function asLink(model) {
  const pairs = model.robot.coordinates.map(({ name }, i) => `${encodeURIComponent(name)}:${model.q[i]}`);
  return `${location.href.split("#")[0]}#q=${pairs.join(",")}`;
}

/** Set the configuration of the address of the page, if it has one. Return a message if it cannot be read, else "".
 * @param {Model} model */
function fromLink(model) {
  if (!location.hash.startsWith("#q=")) return "";
  try {
    const pairs = location.hash
      .slice(3)
      .split(",")
      .map((pair) => pair.split(":"));
    setByNames(
      model,
      named(
        pairs.map(([name, ...values]) => [decodeURIComponent(name), values.map(numberOf)]),
        model,
      ),
    );
    return "";
  } catch (error) {
    return `The address of the page has no configuration of this robot: ${/** @type {Error} */ (error).message}`;
  }
}

const NUMBER = String.raw`[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?`;
const PAIR = new RegExp(String.raw`("(?:[^"\\]|\\.)*"|'[^'\n]*')\s*:\s*(\[[^\]]*\]|${NUMBER})`, "g");

/** Return the values by name of a text: names with numbers, or as many numbers as there are coordinates.
 * @param {string} text @param {Model} model @returns {Map<string, number>} */
function parsed(text, model) {
  const pairs = [...text.matchAll(PAIR)];
  if (pairs.length)
    return named(
      pairs.map(([, name, values]) => [unquoted(name), numbersIn(values)]),
      model,
    );
  const { coordinates } = model.robot;
  const values = numbersIn(text);
  if (values.length !== coordinates.length)
    throw new Error(`Expected names with numbers, or ${coordinates.length} numbers; found ${values.length}.`);
  return new Map(values.map((value, i) => [coordinates[i].name, value]));
}

/** @param {string} text */
function numbersIn(text) {
  return (text.match(new RegExp(NUMBER, "g")) ?? []).map(numberOf);
}

/** @param {string} text */
function numberOf(text) {
  if (text.trim() === "" || !Number.isFinite(Number(text))) throw new Error(`'${text}' is no finite number.`);
  return Number(text);
}

/** @param {string} text */
function unquoted(text) {
  return text[0] === '"' ? String(JSON.parse(text)) : text.slice(1, -1);
}

/** Return values by the names of coordinates; a name may be that of a joint with all its values.
 * @param {[string, number[]][]} pairs @param {Model} model @returns {Map<string, number>} */
function named(pairs, { robot }) {
  const names = robot.coordinates.map(({ name }) => name);
  const known = new Map(names.map((name) => [name, [name]]));
  for (const { name, first, coordinates } of ownJoints(robot)) known.set(name, names.slice(first, first + coordinates));
  return new Map(
    pairs.flatMap(([name, values]) => {
      const places = known.get(name);
      if (!places) throw new Error(`There is no coordinate '${name}'; there are ${names.join(", ")}.`);
      if (places.length !== values.length)
        throw new Error(`'${name}' has ${values.length} numbers; expected are ${places.length}.`);
      return places.map((place, k) => /** @type {[string, number]} */ ([place, values[k]]));
    }),
  );
}

/** Set coordinates by name, as they are. Return whether the configuration is outside of the limits.
 * @param {Model} model @param {Map<string, number>} values */
function setByNames(model, values) {
  const q = Float64Array.from(model.q, (value, i) => values.get(model.robot.coordinates[i].name) ?? value);
  setQ(model, q);
  return model.bounds.some((bound) => isOutside(bound, q));
}
