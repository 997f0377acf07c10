/** A token's page: follows a refresh until it has ended, and then shows what it brought. */

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
    history.replaceState(null, "", url);
    // An end is told together with what it brought, by the next look.
    if (part(page).dataset.state === "done") part().dataset.state = "open";
    else showProgress(page);
  } catch {
    tell("The service did not take the request. Try again in a moment.");
  }
  button.disabled = false;
  // A disabled button loses the focus; who went on meanwhile keeps theirs.
  if (document.activeElement === document.body) button.focus();
  follow();
}

/** Asks again while a refresh goes on; one that has ended is of no use to whoever opens this address later. */
function follow() {
  clearTimeout(timer);
  const { state } = part().dataset;
  if (state === "open") timer = setTimeout(look, EVERY_MS);
  if (state === "done") history.replaceState(null, "", ownAddress());
}

function ownAddress() {
  const url = new URL(location.href);
  url.searchParams.delete("refresh");
  if (url.hash === "#refresh") url.hash = "";
  return url;
}

async function look() {
  if (!document.hidden) await lookOnce();
  follow();
}

async function lookOnce() {
  const url = new URL(location.href);
  url.searchParams.set("part", "refresh");
  try {
    const { page } = await read(url);
    // What it brought comes first: while that can't be had, the end is not told, and is asked for again.
    if (part(page).dataset.state === "done") await showAll();
    showProgress(page);
  } catch {
    tell("The service does not answer at the moment; the refresh goes on without us.");
  }
}

/** What is read out stays the same element, or it would not be read out. */
function showProgress(page) {
  swap(page, "steps", "said");
  part().dataset.state = part(page).dataset.state;
}

/** All but the picture where it is the same: a video that plays goes on. */
async function showAll() {
  const { page } = await read(ownAddress());
  swap(page, "caption", "told", "known", "details", "wide-part");
  const [shown, fresh] = [document.querySelector(".stage"), page.querySelector(".stage")];
  if (shown.dataset.what !== fresh.dataset.what) {
    shown.replaceChildren(...fresh.childNodes);
    shown.dataset.what = fresh.dataset.what;
    still(shown.querySelectorAll("img"));
  }
  document.title = page.title;
}

function tell(text) {
  const said = document.getElementById("said");
  if (said.textContent !== text) said.textContent = text;
}
