/** Keeps part of a page up to date while it is visible. */

const EVERY_MS = 2_000;
const part = document.getElementById("live");

async function update() {
  if (document.hidden) return;
  const answer = await fetch(location.href, { headers: { accept: "text/html" } });
  if (!answer.ok) throw new Error(`the service answered ${answer.status}`);
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("live");
  if (!fresh) throw new Error("the service answered with another page, as when the session has ended");
  // Skips a part in use: replacing it would take the focus away.
  if (fresh.innerHTML !== part.innerHTML && !part.contains(document.activeElement)) {
    part.replaceChildren(...fresh.childNodes);
  }
}

/** Marks a part that can't be updated, so that it does not pass for live. */
async function keep() {
  try {
    await update();
    delete part.dataset.stale;
  } catch {
    part.dataset.stale = "true";
  }
}

setInterval(keep, EVERY_MS);
