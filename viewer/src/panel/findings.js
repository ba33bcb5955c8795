/** The findings of `kinetree check`, by element; a click on one finds the other. */

import { Object3D, Vector3 } from "three";

import { linkOf, partOf, select } from "../app.js";
import { button, element, scrollTo, section, tick } from "../dom.js";
import { poseOfLink, setQ } from "../model.js";
import { boundsOfPart } from "../picture.js";
import { inverse } from "../poses.js";
import { matrixOf } from "../shapes.js";
import { lookAt } from "./selection.js";

/** @typedef {import("../app.js").App} App */
/** @typedef {import("../types.js").Finding} Finding */
/** @typedef {import("../types.js").Part} Part */
/** @typedef {{finding: Finding, row: HTMLElement}} Entry */
/** @typedef {{name: string, part: Part | null, box: HTMLDetailsElement, count: HTMLElement, entries: Entry[]}} Group */

const ORDER = /** @type {const} */ (["error", "warning", "info"]);
const WORDS = { error: "error", warning: "warning", info: "remark" };
const FEW = 12; // findings: so many are all unfolded

/** @param {App} app */
export function findingsPanel(app) {
  const { findings, rules } = app.models[0].robot;
  const source = element("p", { className: "quiet", textContent: rules ?? "" });
  if (!findings.length) {
    const none = element("p", { className: "quiet", textContent: "None." });
    return section("Findings", true, none, source);
  }
  const groups = grouped(findings).map(([name, members]) => groupOf(app, name, members, findings.length <= FEW));
  const shown = new Set(/** @type {readonly string[]} */ (ORDER));
  const none = element("p", { className: "quiet", hidden: true, textContent: "No finding has this in it." });
  const search = element("input", {
    type: "search",
    placeholder: "Find in findings",
    "aria-label": "Find in findings",
    oninput: filter,
  });
  const ticks = ORDER.flatMap((severity) => {
    const number = findings.filter((finding) => finding.severity === severity).length;
    return number
      ? [
          tick(
            counted(number, severity),
            true,
            (checked) => (checked ? shown.add(severity) : shown.delete(severity), filter()),
          ),
        ]
      : [];
  });
  function filter() {
    const text = search.value.toLowerCase();
    for (const { box, count, entries } of groups) {
      for (const { finding, row } of entries)
        row.hidden = !(shown.has(finding.severity) && textOf(finding).includes(text));
      const left = entries.filter(({ row }) => !row.hidden);
      box.hidden = !left.length;
      if (text) box.open = true;
      count.textContent = String(left.length);
    }
    none.hidden = groups.some(({ box }) => !box.hidden);
    app.stage?.draw();
  }
  const list = element("div", { className: "findings" }, ...groups.map(({ box }) => box), none);
  const panel = section(
    "Findings",
    true,
    element("div", { className: "line counts" }, ...ticks),
    source,
    findings.length > FEW ? search : "",
    list,
  );
  app.selectionListeners.push((part) => {
    const chosen = groups.filter((group) => same(group.part, part));
    for (const group of groups) group.box.classList.toggle("chosen", chosen.includes(group));
    for (const { box } of chosen) panel.open = box.open = true;
    scrollTo(list, chosen[0]?.box);
  });
  const labelled = groups.filter(({ part, entries }) => part && worst(entries.map(({ finding }) => finding)) < 2);
  for (const group of labelled) addLabel(app, group, labelled.length > FEW);
  return panel;
}

/** Return the findings by their elements, the gravest first.
 * @param {Finding[]} findings */
function grouped(findings) {
  /** @type {Map<string, Finding[]>} */
  const groups = new Map();
  for (const finding of findings) {
    const name = finding.element ?? "";
    groups.set(name, [...(groups.get(name) ?? []), finding]);
  }
  return [...groups.entries()].sort(([, a], [, b]) => worst(a) - worst(b));
}

/** @param {App} app @param {string} name @param {Finding[]} findings @param {boolean} open @returns {Group} */
function groupOf(app, name, findings, open) {
  const part = partOf(findings[0]);
  const count = element("small", { className: ORDER[worst(findings)], textContent: String(findings.length) });
  const entries = findings.map((finding) => ({ finding, row: entry(app, finding) }));
  const head = element("summary", {}, element("h3", { textContent: name || "the whole robot" }), " ", count);
  const box = element("details", { open, className: "group" }, head, ...entries.map(({ row }) => row));
  return { name, part, box, count, entries };
}

/** @param {App} app @param {Finding} finding */
function entry(app, finding) {
  const part = partOf(finding);
  const text = [element("b", { textContent: finding.code }), ` ${finding.message}`];
  const more = [finding.where, finding.fix && `To do: ${finding.fix}`]
    .filter(Boolean)
    .map((line) => element("small", { textContent: line }));
  const properties = { className: `finding ${finding.severity}` };
  const found = () => part && (select(app, part), lookAt(app, part));
  const row = part
    ? element("button", { type: "button", ...properties, onclick: found }, ...text, ...more)
    : element("div", properties, ...text, ...more);
  const { q } = finding;
  const go = button("Go there", () => q && (setQ(app.models[0], q), app.showContact()));
  return q ? element("div", {}, row, go) : row;
}

/** Add the label of a group's errors and warnings to the picture. crowded: whether warnings have no text.
 * @param {App} app @param {Group} group @param {boolean} crowded */
function addLabel(app, { part, box, entries }, crowded) {
  const serious = entries.filter(({ finding }) => finding.severity !== "info");
  if (!part || !app.pictures.length || !app.addLabel) return;
  const { code, severity } = serious[0].finding;
  const text = serious.length === 1 ? code : `${code} +${serious.length - 1}`;
  const shown = () => app.findingsShown && !box.hidden && serious.some(({ row }) => !row.hidden);
  const pressed = () => {
    select(app, part);
    box.scrollIntoView({ block: "nearest" });
  };
  app.addLabel(
    {
      text: crowded && severity === "warning" ? "⚠" : `⚠ ${text}`,
      kind: severity,
      object: anchorOf(app, part),
      shown,
      pressed,
      chosen: () => same(part, app.selected),
    },
    severity === "error" ? 0 : 0.5,
  );
}

/** Return an object at the place of a part of a robot: the middle of a link's shapes, or a joint or a frame.
 * @param {App} app @param {Part} part @param {number} [side] the number of the robot */
export function anchorOf(app, part, side = 0) {
  const [model, picture] = [app.models[side], app.pictures[side]];
  const link = linkOf(model.robot, part);
  const anchor = new Object3D();
  picture.links[link].add(anchor);
  const place = boundsOfPart(picture, part).getCenter(new Vector3());
  anchor.position.copy(place.applyMatrix4(matrixOf(inverse(poseOfLink(model, link)))));
  return anchor;
}

/** @param {Part | null} a @param {Part | null} b */
function same(a, b) {
  return a !== null && b !== null && a.kind === b.kind && a.index === b.index;
}

/** @param {Finding[]} findings */
function worst(findings) {
  return Math.min(...findings.map(({ severity }) => ORDER.indexOf(severity)));
}

/** @param {Finding} finding */
function textOf({ code, element, message, fix }) {
  return [code, element, message, fix].join("\n").toLowerCase();
}

/** @param {number} number @param {keyof typeof WORDS} severity */
function counted(number, severity) {
  return `${number} ${WORDS[severity]}${number === 1 ? "" : "s"}`;
}
