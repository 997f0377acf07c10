/** A token's page: follows a refresh until it ends, and then shows its result. */

import "./copy.js";
import { read, still, swap } from "./swap.js";

const EVERY_MS = 700;
let timer;

const part = (page = document) => page.getElementById("refresh");

still(document.querySelectorAll(".stage img"));
document.addEventListener("submit", ask);
follow();

async function ask(event) {
  if (!event.target.closest("#refresh")) return;
  event.preventDefault();
  const button = document.getElementById("ask");
  button.disabled = true;
  try {
    const { page, url } = await read(event.target.action, { method: "POST" });
    const { state } = part(page).dataset;
    // What the page shows stays: the image in place of an animation, and a page of transfers.
    const here = new URL(location.href);
    here.searchParams.set("refresh", new URL(url).searchParams.get("refresh"));
    history.replaceState(null, "", here);
    // The next poll shows the end together with the result.
    if (state === "done") part().dataset.state = "open";
    else showProgress(page);
  } catch {
    announce("refused");
  }
  button.disabled = false;
  // A disabled button loses the focus; visitors who moved on keep theirs.
  if (document.activeElement === document.body) button.focus();
  follow();
}

/** Polls while a refresh is running; its id is then removed from the URL, where it is of no use to later visitors. */
function follow() {
  clearTimeout(timer);
  const { state } = part().dataset;
  if (state === "open") timer = setTimeout(poll, EVERY_MS);
  if (state === "done") history.replaceState(null, "", ownAddress());
}

function ownAddress() {
  const url = new URL(location.href);
  url.searchParams.delete("refresh");
  if (url.hash === "#refresh") url.hash = "";
  return url;
}

async function poll() {
  if (!document.hidden) await pollOnce();
  follow();
}

async function pollOnce() {
  const url = new URL(location.href);
  url.searchParams.set("part", "refresh");
  try {
    const { page } = await read(url);
    // The result comes first: while it can't be loaded, the end is not shown and polling continues.
    if (part(page).dataset.state === "done") await showAll();
    showProgress(page);
  } catch {
    announce("unreachable");
  }
}

/** The live region stays the same element; a replaced one would not be announced. */
function showProgress(page) {
  swap(page, "steps", "said");
  part().dataset.state = part(page).dataset.state;
}

/** Updates everything but an unchanged picture, so that a playing video continues. */
async function showAll() {
  const { page } = await read(ownAddress());
  swap(page, "caption", "summary", "known", "details", "wide-part");
  const [shown, fresh] = [document.querySelector(".stage"), page.querySelector(".stage")];
  if (shown.dataset.what !== fresh.dataset.what) {
    shown.replaceChildren(...fresh.childNodes);
    shown.dataset.what = fresh.dataset.what;
    still(shown.querySelectorAll("img"));
  }
  document.title = page.title;
}

/** Says one of the texts that the page keeps for it. */
function announce(name) {
  const said = document.getElementById("said");
  const text = said.dataset[name];
  if (said.textContent !== text) said.textContent = text;
}
