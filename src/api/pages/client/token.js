/** A token's page: follows a refresh until it has ended, and then shows what it brought. */

import { read, still, swap } from "./swap.js";

const EVERY_MS = 700;
let timer;

const part = () => document.getElementById("refresh");

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
    showProgress(page);
  } catch {
    tell("The service did not take the request. Try again in a moment.");
  }
  button.disabled = false;
  document.getElementById("ask").focus();
  follow();
}

function follow() {
  clearTimeout(timer);
  if (part().dataset.state === "open") timer = setTimeout(look, EVERY_MS);
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
    showProgress(page);
    if (part().dataset.state === "done") await showAll();
  } catch {
    tell("The service does not answer at the moment; the refresh goes on without us.");
  }
}

/** What is read out stays the same element, or it would not be read out. */
function showProgress(page) {
  swap(page, "steps", "said");
  part().dataset.state = page.getElementById("refresh").dataset.state;
}

/** All but the picture where it is the same: a video that plays goes on. */
async function showAll() {
  const { page } = await read(location.href);
  swap(page, "about", "wide-part");
  const [shown, fresh] = [document.querySelector(".stage"), page.querySelector(".stage")];
  if (fresh && shown.innerHTML !== fresh.innerHTML) shown.replaceChildren(...fresh.childNodes);
  document.title = page.title;
}

function tell(text) {
  document.getElementById("said").textContent = text;
}
