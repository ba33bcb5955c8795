/** The front end of the widget: the page in a frame, and its q both ways, see viewer/src/messages.js.
 *
 * @typedef {{get: (name: string) => any, set: (name: string, value: unknown) => void, save_changes: () => void,
 *   on: (event: string, callback: () => void) => void, off: (event: string, callback: () => void) => void}} Model
 */

/** @param {{model: Model, el: HTMLElement}} context */
async function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.title = model.get("name");
  frame.setAttribute("sandbox", "allow-scripts allow-downloads");
  frame.allow = "clipboard-write";
  Object.assign(frame.style, { width: "100%", height: "560px", border: "0" });
  let receiving = false;
  const send = () => {
    if (!receiving) frame.contentWindow?.postMessage({ kinetree: { q: model.get("q") } }, "*");
  };
  /** @param {MessageEvent} event */
  const receive = ({ source, data }) => {
    if (!source || source !== frame.contentWindow || !data?.kinetree) return;
    if (!data.kinetree.q) return send();
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

/** @param {BlobPart} bytes of zlib's format @returns {Promise<string>} */
function inflated(bytes) {
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
}

export default { render };
