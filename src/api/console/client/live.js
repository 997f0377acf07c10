/** Keeps a part of a page as it is at the service, while somebody looks. */

const EVERY_MS = 2_000;
const part = document.getElementById("live");

async function look() {
  if (document.hidden) return;
  const answer = await fetch(location.href, { headers: { accept: "text/html" } });
  if (!answer.ok) throw new Error(`the service answered ${answer.status}`);
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("live");
  if (!fresh) throw new Error("the service answered with another page, as when the session has ended");
  // A part that is being used stays: replacing it would take the focus away.
  if (fresh.innerHTML !== part.innerHTML && !part.contains(document.activeElement)) {
    part.replaceChildren(...fresh.childNodes);
  }
}

/** A part that can't be kept as it is at the service says so, rather than pass for live. */
async function keep() {
  try {
    await look();
    delete part.dataset.stale;
  } catch {
    part.dataset.stale = "true";
  }
}

setInterval(keep, EVERY_MS);
