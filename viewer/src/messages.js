/** Messages between the page and the window that frames it, such as a widget of a notebook.
 * Both sides send `{kinetree: {q: [...]}}`; the page first sends `{kinetree: {}}`, which asks for it and for the
 * theme, "dark" or "light". */

import { setQ } from "./model.js";

const PAUSE = 40; // ms between two messages

/** @param {import("./model.js").Model} model */
export function exchange(model) {
  if (window.parent === window) return;
  /** What the parent has: nothing is sent back that came from there.
   * @type {ArrayLike<number>} */
  let known = Float64Array.from(model.q);
  let waiting = false;

  function send() {
    waiting = false;
    if (model.q.every((value, i) => value === known[i])) return;
    known = Float64Array.from(model.q);
    window.parent.postMessage({ kinetree: { q: Array.from(known) } }, "*");
  }
  model.listeners.push(() => {
    if (!waiting) setTimeout(send, PAUSE);
    waiting = true;
  });
  window.addEventListener("message", ({ source, data }) => {
    if (source !== window.parent || !data?.kinetree) return;
    const { q, theme } = data.kinetree;
    if (!isConfiguration(q, model.q.length)) return;
    if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
    known = q;
    setQ(model, q);
  });
  window.parent.postMessage({ kinetree: {} }, "*");
}

/** @param {unknown} q @param {number} length @returns {q is number[]} */
function isConfiguration(q, length) {
  return Array.isArray(q) && q.length === length && q.every(Number.isFinite);
}
