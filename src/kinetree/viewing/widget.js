/** The front end of the widget: the page in a frame, and its q both ways, see viewer/src/messages.js.
 *
 * @typedef {{get: (name: string) => any, set: (name: string, value: unknown) => void, save_changes: () => void,
 *   on: (event: string, callback: () => void) => void, off: (event: string, callback: () => void) => void}} Model
 */

/** @param {{model: Model, el: HTMLElement}} context */
async function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.title = model.get("name");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.allow = "clipboard-write";
  Object.assign(frame.style, { width: "100%", height: "560px", border: "0" });
  let receiving = false;
  /** @param {object} message */
  const post = (message) =>
    frame.contentWindow?.postMessage({ kinetree: message }, "*");
  const send = () => {
    if (!receiving) post({ q: model.get("q") });
  };
  /** @param {MessageEvent} event */
  const receive = ({ source, data }) => {
    if (!source || source !== frame.contentWindow || !data?.kinetree) return;
    if (!data.kinetree.q)
      return post({ q: model.get("q"), theme: themeOf(el) });
    receiving = true;
    model.set("q", data.kinetree.q);
    model.save_changes();
    receiving = false;
  };
  window.addEventListener("message", receive);
  model.on("change:q", send);
  frame.srcdoc = await inflated(model.get("page"));
  el.append(frame);
  return () => {
    window.removeEventListener("message", receive);
    model.off("change:q", send);
    frame.remove();
  };
}

/** Return the theme of the notebook, by the colour of its text.
 * @param {Element} element @returns {"dark" | "light" | null} */
function themeOf(element) {
  const context = document
    .createElement("canvas")
    .getContext("2d", { willReadFrequently: true });
  if (!context) return null;
  context.fillStyle = getComputedStyle(element).color;
  context.fillRect(0, 0, 1, 1);
  const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
  return red + green + blue > 384 ? "dark" : "light";
}

/** @param {BlobPart} bytes of zlib's format @returns {Promise<string>} */
function inflated(bytes) {
  return new Response(
    new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")),
  ).text();
}

export default { render };
