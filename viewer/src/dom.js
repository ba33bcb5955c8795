/** Elements of the page. Text is set as text only, so that names of a robot can be anything. */

const HIDDEN = /[^\P{C}\n\t]/gu;

/** Return a new element. Properties with a hyphen are attributes, `on…` are listeners, the others properties.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag @param {Record<string, any>} [properties] @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[K]} */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name.includes("-") || name === "role") made.setAttribute(name, value);
    else Object.assign(made, { [name]: name === "textContent" ? legible(value) : value });
  }
  made.append(...children.map((child) => (typeof child === "string" ? legible(child) : child)));
  return made;
}

/** Return a text where characters that are not seen, or that turn the order of others, are written as codes.
 * @param {unknown} text */
export function legible(text) {
  return String(text ?? "").replace(HIDDEN, (c) => {
    const code = /** @type {number} */ (c.codePointAt(0));
    const [letter, digits] = code < 0x100 ? ["x", 2] : code < 0x10000 ? ["u", 4] : ["U", 8];
    return `\\${letter}${code.toString(16).padStart(digits, "0")}`;
  });
}

/** Return a folded part of the panel with its title.
 * @param {string} title @param {boolean} open @param {...(Node | string)} children */
export function section(title, open, ...children) {
  return element(
    "details",
    { open, className: "section" },
    element("summary", {}, element("h2", { textContent: title })),
    ...children,
  );
}

/** Return a labelled box to tick.
 * @param {string} text @param {boolean} checked @param {(checked: boolean) => void} changed */
export function tick(text, checked, changed) {
  const box = element("input", { type: "checkbox", checked, onchange: () => changed(box.checked) });
  return element("label", { className: "tick" }, box, text);
}

/** Return a button.
 * @param {string} text @param {() => void} pressed @param {Record<string, any>} [properties] */
export function button(text, pressed, properties = {}) {
  return element("button", { type: "button", textContent: text, onclick: pressed, ...properties });
}

/** Scroll a box so far that an element in it is seen, and nothing else of the page.
 * @param {HTMLElement} box @param {HTMLElement | undefined} inner */
export function scrollTo(box, inner) {
  if (!inner) return;
  const [outside, inside] = [box.getBoundingClientRect(), inner.getBoundingClientRect()];
  if (inside.top < outside.top || inside.height > outside.height) box.scrollTop += inside.top - outside.top;
  else if (inside.bottom > outside.bottom) box.scrollTop += inside.bottom - outside.bottom;
}

/** Copy a text to the clipboard and say so. Where the browser does not let the page copy, show the text to copy by hand.
 * @param {string} text @param {HTMLElement} answer @param {string} [what] */
export function copy(text, answer, what = "Text") {
  const failed = () => (answer.textContent = `This browser does not let the page copy. Copy by hand: ${text}`);
  if (!navigator.clipboard) return failed();
  navigator.clipboard.writeText(text).then(() => (answer.textContent = `${what} copied.`), failed);
}
