/** In-place updates: parts of a newly fetched page replace those on display. */

/** Fetches a page or a part of one. Throws when the service answers with anything else. */
export async function read(url, init = {}) {
  const answer = await fetch(url, { ...init, headers: { accept: "text/html" } });
  // Invalid parameters in a URL get a full page that explains them.
  if (!answer.ok && answer.status !== 400) throw new Error(`the service answered ${answer.status}`);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  return { page, url: answer.url };
}

/** Replaces the content of each id's element; keeps the focus, and whatever was opened or closed by hand. */
export function swap(page, ...ids) {
  const focused = selectorOf(document.activeElement);
  for (const id of ids) {
    const [shown, fresh] = [document.getElementById(id), page.getElementById(id)];
    if (!shown || !fresh) continue;
    for (const details of fresh.querySelectorAll("details[id]")) {
      const before = document.getElementById(details.id);
      if (before) details.open = before.open;
    }
    // A live region with the same text must not be announced again.
    const isSaid = shown.role === "status" && shown.innerHTML === fresh.innerHTML;
    if (!isSaid) shown.replaceChildren(...fresh.childNodes);
  }
  if (document.activeElement !== document.body || focused === undefined) return;
  const again = ids.map((id) => document.getElementById(id)?.querySelector(focused)).find(Boolean);
  again?.focus({ preventScroll: true });
}

/** A selector that finds the focused element among its replacements; undefined if there is none. */
function selectorOf(element) {
  if (element.id) return `#${CSS.escape(element.id)}`;
  const { id } = element.closest("summary")?.parentElement ?? {};
  if (id) return `#${CSS.escape(id)} > summary`;
  const name = ["href", "data-copy"].find((each) => element.hasAttribute(each));
  return name && `[${name}="${CSS.escape(element.getAttribute(name))}"]`;
}

/** Stops animated pictures for visitors who prefer reduced motion. */
export function still(images) {
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const image of images) {
    if (!image.src.endsWith(".gif")) continue;
    const draw = () => {
      const canvas = document.createElement("canvas");
      // Its natural size depends on the variant and the screen.
      [canvas.width, canvas.height] = ["width", "height"].map((side) => Number(image.getAttribute(side)));
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.role = "img";
      canvas.ariaLabel = image.alt;
      if (!image.alt) canvas.ariaHidden = "true";
      (image.closest("picture") ?? image).replaceWith(canvas);
    };
    if (image.complete && image.naturalWidth > 0) draw();
    else image.addEventListener("load", draw, { once: true });
  }
}
