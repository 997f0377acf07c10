/** Keeps parts of a page up to date while it is visible: each element with `data-live` and an id. */

import { say } from "./texts.js";

// The navigation alone may be some seconds old.
const EVERY_MS = document.querySelector("main [data-live]") ? 2_000 : 10_000;
// A click takes less time. Some browsers leave an element active after a drag.
const PRESSED_MAX = 3;
let pressed = 0;
const parts = [...document.querySelectorAll("[data-live]")];
// The answer to a form is at an address that only takes forms.
const { liveUrl = location.href } = document.getElementById("script-texts").dataset;

// The parts as the service sent them; scripts change what is shown.
const sent = new Map(parts.map((part) => [part, part.innerHTML]));

/** Returns what to say of parts that can't be updated; undefined if all is well. */
async function update() {
  if (document.hidden) return undefined;
  const answer = await fetch(liveUrl, { headers: { accept: "text/html" } });
  if (!answer.ok) return say("stale");
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  // The page to sign in, or one that shows less than before.
  if (!parts.every((part) => page.getElementById(part.id))) return say("gone");
  // While something is pressed: what changes size would move it away from the pointer, and the click would be lost.
  if (document.querySelector(":active") && pressed < PRESSED_MAX) {
    pressed++;
    return undefined;
  }
  pressed = 0;
  for (const part of parts) {
    const fresh = page.getElementById(part.id);
    const html = fresh.innerHTML;
    // Skips a part in use: replacing it would take the focus away, or move a button under the pointer.
    if (
      html === sent.get(part) ||
      part.contains(document.activeElement) ||
      part.querySelector("button:hover")
    )
      continue;
    sent.set(part, html);
    part.replaceChildren(...fresh.childNodes);
  }
  document.dispatchEvent(new Event("live"));
  return undefined;
}

/** Marks parts that can't be updated, so that they do not pass for live. */
async function keep() {
  const problem = await update().catch(() => say("stale"));
  for (const part of parts) {
    if (problem === undefined) delete part.dataset.stale;
    else part.dataset.stale = problem;
  }
  setTimeout(keep, EVERY_MS);
}

if (parts.length > 0) setTimeout(keep, EVERY_MS);
