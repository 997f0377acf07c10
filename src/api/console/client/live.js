/** Keeps a part of a page as it is at the service, while somebody looks. */

const EVERY_MS = 2_000;
const part = document.getElementById("live");

async function look() {
  if (document.hidden) return;
  const answer = await fetch(location.href, { headers: { accept: "text/html" } });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("live");
  // A part that is being used stays: replacing it would take the focus away.
  if (fresh && fresh.innerHTML !== part.innerHTML && !part.contains(document.activeElement)) {
    part.replaceChildren(...fresh.childNodes);
  }
}

setInterval(() => look().catch(() => {}), EVERY_MS);
