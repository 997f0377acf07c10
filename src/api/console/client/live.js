/** Keeps parts of a page up to date while it is visible: each element with `data-live` and an id. */

// The navigation alone may be some seconds old.
const EVERY_MS = document.querySelector("main [data-live]") ? 2_000 : 10_000;
const parts = [...document.querySelectorAll("[data-live]")];

// The parts as the service sent them; scripts change what is shown.
const sent = new Map(parts.map((part) => [part, part.innerHTML]));

async function update() {
  if (document.hidden) return;
  const answer = await fetch(location.href, { headers: { accept: "text/html" } });
  if (!answer.ok) throw new Error(`the service answered ${answer.status}`);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of parts) {
    const fresh = page.getElementById(part.id);
    if (!fresh) throw new Error("the service answered with another page, as when the session has ended");
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
}

/** Marks parts that can't be updated, so that they do not pass for live. */
async function keep() {
  let isStale = false;
  try {
    await update();
  } catch {
    isStale = true;
  }
  for (const part of parts) part.toggleAttribute("data-stale", isStale);
  setTimeout(keep, EVERY_MS);
}

if (parts.length > 0) setTimeout(keep, EVERY_MS);
