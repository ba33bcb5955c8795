/** What `kinetree check` found, by element; a click on one finds the other. */

import { Object3D } from "three";

import { linkOf, partOf, select } from "../app.js";
import { element, section } from "../dom.js";

/** @typedef {import("../app.js").App} App */
/** @typedef {import("../types.js").Finding} Finding */

const ORDER = ["error", "warning", "info"];

/** @param {App} app */
export function findingsPanel(app) {
  const { robot } = app.models[0];
  const { findings } = robot;
  if (!findings.length) return section("Findings", true, element("p", { className: "quiet", textContent: "None." }));
  /** @type {Map<string, Finding[]>} */
  const groups = new Map();
  for (const finding of findings) groups.set(finding.element, [...(groups.get(finding.element) ?? []), finding]);
  const sorted = [...groups.entries()].sort(([, a], [, b]) => worst(a) - worst(b));
  const list = element("div", { className: "findings" });
  /** @type {{element: HTMLElement, key: string}[]} */
  const entries = [];
  for (const [name, members] of sorted) {
    const part = partOf(members[0]);
    const group = element("div", { className: "group" }, element("h3", { textContent: name || "the whole robot" }));
    for (const finding of members) group.append(entry(app, finding));
    list.append(group);
    entries.push({ element: group, key: part ? `${part.kind} ${part.index}` : "" });
  }
  app.selectionListeners.push((part) => {
    for (const { element: group, key } of entries) {
      const chosen = part !== null && key === `${part.kind} ${part.index}`;
      group.classList.toggle("chosen", chosen);
      if (chosen) group.scrollIntoView({ block: "nearest" });
    }
  });
  labels(app, sorted);
  const counts = ORDER.map((severity) => [findings.filter((finding) => finding.severity === severity).length, severity]);
  const total = counts.filter(([count]) => count).map(([count, severity]) => `${count} ${severity}${severity !== "info" && Number(count) > 1 ? "s" : ""}`);
  return section("Findings", true, element("p", { className: "quiet", textContent: total.join(", ") }), list);
}

/** @param {Finding[]} findings */
function worst(findings) {
  return Math.min(...findings.map(({ severity }) => ORDER.indexOf(severity)));
}

/** @param {App} app @param {Finding} finding */
function entry(app, finding) {
  const part = partOf(finding);
  const text = [element("b", { textContent: finding.code }), ` ${finding.message}`];
  const more = [finding.where, finding.fix && `To do: ${finding.fix}`].filter(Boolean).map((line) => element("small", { textContent: line }));
  const properties = { className: `finding ${finding.severity}` };
  if (!part) return element("div", properties, ...text, ...more);
  return element("button", { type: "button", ...properties, onclick: () => select(app, part) }, ...text, ...more);
}

/** @param {App} app @param {[string, Finding[]][]} groups */
function labels(app, groups) {
  const [picture] = app.pictures;
  if (!picture || !app.addLabel) return;
  const { robot } = app.models[0];
  for (const [, members] of groups) {
    const part = partOf(members[0]);
    if (!part) continue;
    const anchor = new Object3D();
    picture.links[linkOf(robot, part)].add(anchor);
    const serious = members.filter(({ severity }) => severity !== "info");
    if (!serious.length) continue;
    const text = serious.length === 1 ? serious[0].code : `${serious[0].code} +${serious.length - 1}`;
    app.addLabel({ text: `⚠ ${text}`, kind: ORDER[worst(members)], object: anchor, shown: () => app.findingsShown, pressed: () => select(app, part) }, 0);
  }
}
