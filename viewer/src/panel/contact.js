/** The switch for contact: links that touch are red, and the nearest two have a line with their distance. */

import { element, section, tick } from "../dom.js";
import { lineMark } from "../labels.js";
import { alarm } from "../picture.js";
import { UNITS, written } from "../units.js";

/** @typedef {import("../app.js").App} App */

const RED = "#d50000";
const AMBER = "#ff9100";
const VIOLET = "#8e24aa";

/** Return the panel; nothing for two robots.
 * @param {App} app @returns {HTMLElement[]} */
export function contactPanel(app) {
  const { find, scene, models, pictures } = app;
  if (!scene.contact) return [];
  const { pairs, left_out, notes, cover } = scene.contact;
  const named = (/** @type {number[]} */ pair) => pair.map((link) => models[0].robot.links[link].name).join(", ");
  const quiet = (/** @type {string} */ textContent) => element("p", { className: "quiet", textContent });
  const list = (/** @type {string[]} */ texts) =>
    element("ul", { className: "rows names" }, ...texts.map((textContent) => element("li", { textContent })));
  if (!find) return [section("Contact", false, quiet("Contact is not computed here."), ...notes.map(quiet))];
  const answer = element("div", { role: "status" });
  const mark = lineMark(app, VIOLET);
  let [on, asked] = [false, false];

  function update() {
    asked = false;
    const { touching, perhaps, nearest } = on && find ? find() : { touching: [], perhaps: [], nearest: null };
    const coloured = (/** @type {number[][]} */ some, /** @type {string} */ colour) =>
      some.flat().map((link) => /** @type {[number, string]} */ ([link, colour]));
    if (pictures[0]) alarm(pictures[0], new Map([...coloured(perhaps, AMBER), ...coloured(touching, RED)]));
    const far = nearest && `${nearest.atLeast ? "at least " : ""}${written(nearest.distance, UNITS.m)} mm`;
    mark(nearest?.points ?? null, far ?? "");
    answer.replaceChildren(
      ...group("In contact", RED, touching.map(named)),
      ...group("May touch, as their convex hulls do", AMBER, perhaps.map(named)),
      ...group("Nearest", VIOLET, nearest ? [`${named(nearest.pair)}: ${far} apart`] : []),
    );
    app.stage?.draw();
  }
  /** @param {string} title @param {string} colour @param {string[]} texts */
  function group(title, colour, texts) {
    const swatch = element("span", { className: "swatch" });
    swatch.style.background = colour;
    return texts.length ? [element("p", {}, swatch, `${title}:`), list(texts)] : [];
  }
  models[0].listeners.push(() => {
    if (on && !asked) requestAnimationFrame(update);
    asked = on;
  });
  const others = left_out.map(({ links, reason }) => `${named(links)}: ${reason}`);
  const folded = (/** @type {string} */ title, /** @type {string[]} */ texts, open = false) => {
    const summary = element("summary", { textContent: `${title}: ${texts.length}` });
    return texts.length ? [element("details", { open }, summary, list(texts))] : [];
  };
  const parts = [
    tick("Contact: links that touch are red", false, (checked) => ((on = checked), update())),
    answer,
    quiet(`${pairs.length} pairs of links are tested by their collision shapes, whose meshes are rounded to 1/65,535 of
      their size.`),
    ...folded("Not tested", others),
    ...folded("Notes", notes, notes.length < 4),
    ...(cover ? [quiet("Links whose covers do not meet are proved apart; others may be apart too.")] : []),
  ];
  app.showContact = () => on || parts[0].querySelector("input")?.click();
  return [section("Contact", true, ...parts)];
}
