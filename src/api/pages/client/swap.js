/** Pages that are changed in place: parts of a page that was asked for anew take the place of those that are shown. */

/** A page or a part of one. Throws when the service does not answer with one. */
export async function read(url, init = {}) {
  const answer = await fetch(url, { ...init, headers: { accept: "text/html" } });
  // What can't be understood in an address is said on a whole page.
  if (!answer.ok && answer.status !== 400) throw new Error(`the service answered ${answer.status}`);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  return { page, url: answer.url };
}

/** Replaces what the element of each id holds, and keeps the focus, and what was opened or closed by hand. */
export function swap(page, ...ids) {
  const held = selectorOf(document.activeElement);
  for (const id of ids) {
    const [shown, fresh] = [document.getElementById(id), page.getElementById(id)];
    if (!shown || !fresh) continue;
    for (const details of fresh.querySelectorAll("details[id]")) {
      const before = document.getElementById(details.id);
      if (before) details.open = before.open;
    }
    // What is read out when it changes is not to be read out again.
    const isSaid = shown.role === "status" && shown.innerHTML === fresh.innerHTML;
    if (!isSaid) shown.replaceChildren(...fresh.childNodes);
  }
  if (document.activeElement !== document.body || held === undefined) return;
  const again = ids.map((id) => document.getElementById(id)?.querySelector(held)).find(Boolean);
  again?.focus({ preventScroll: true });
}

/** How what has the focus is found among what takes its place; undefined where nothing tells. */
function selectorOf(element) {
  if (element.id) return `#${CSS.escape(element.id)}`;
  const { id } = element.closest("summary")?.parentElement ?? {};
  if (id) return `#${CSS.escape(id)} > summary`;
  const name = ["href", "data-copy"].find((each) => element.hasAttribute(each));
  return name && `[${name}="${CSS.escape(element.getAttribute(name))}"]`;
}

/** For people who asked for less motion, moving pictures stand still. */
export function still(images) {
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const image of images) {
    if (!image.src.endsWith(".gif")) continue;
    const draw = () => {
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
      canvas.getContext("2d").drawImage(image, 0, 0);
      canvas.role = "img";
      canvas.ariaLabel = image.alt;
      if (!image.alt) canvas.ariaHidden = "true";
      image.replaceWith(canvas);
    };
    if (image.complete && image.naturalWidth > 0) draw();
    else image.addEventListener("load", draw, { once: true });
  }
}
