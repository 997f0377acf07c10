/** A collection's page: filters at once, and more tokens as they are scrolled to. Without it the form does the same. */

import { read, still, swap } from "./swap.js";

const TYPING_MS = 250;
const AHEAD = "800px";

const form = document.getElementById("shop");
const results = document.getElementById("results");
const byId = (id) => document.getElementById(id);

// What is asked of the service at the moment: a newer wish ends it.
let asking = new AbortController();

/** The form as an address. A field that is empty asks for nothing, but for the empty value of a trait. */
function addressOf() {
  const fields = [...new FormData(form)].filter(([name, value]) => value !== "" || name.startsWith("is:"));
  const query = new URLSearchParams(fields).toString();
  return query ? `${form.action}?${query}` : form.action;
}

async function show(url, { isNew = true, focus } = {}) {
  asking.abort();
  asking = new AbortController();
  const { signal } = asking;
  results.ariaBusy = "true";
  try {
    const { page } = await read(url, { signal });
    if (isNew) history.pushState(null, "", url);
    swap(page, "facets", "problems", "chips", "count", "found", "total");
    byId("failed").hidden = true;
    const count = page.querySelector(".filters-button .badge")?.textContent;
    const button = document.querySelector(".filters-button");
    button.querySelector(".badge")?.remove();
    if (count)
      button.append(
        Object.assign(document.createElement("span"), { className: "badge", textContent: count }),
      );
    if (focus) byId(focus)?.focus();
    settle();
  } catch (error) {
    if (signal.aborted) return;
    byId("failed").hidden = false;
    console.warn(error);
  }
  results.ariaBusy = "false";
}

/** The fields that are not drawn anew, as an address has them. */
function follow(url) {
  const asked = new URL(url).searchParams;
  for (const name of ["q", "sort"]) form.elements[name].value = asked.get(name) ?? "";
}

let typing;

form.addEventListener("input", ({ target }) => {
  if (target.type === "range") return slide(target);
  if (target.type !== "search") return;
  clearTimeout(typing);
  typing = setTimeout(() => show(addressOf()), TYPING_MS);
});

form.addEventListener("change", ({ target }) => {
  if (target.type !== "search") show(addressOf());
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(typing);
  byId("filters").matches(":popover-open") && byId("filters").hidePopover();
  show(addressOf());
});

results.addEventListener("click", (event) => {
  const link = event.target.closest("a.chip, .empty a, a[rel=next]");
  if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  if (link.rel === "next") return more(link);
  follow(link.href);
  show(link.href, { focus: "count" });
});

window.addEventListener("popstate", () => {
  follow(location.href);
  show(location.href, { isNew: false });
});

/** Two sliders of a range and its two fields: the ends never cross, and an end at its limit is open. */
function slide(slider) {
  const range = slider.closest(".range");
  const [low, high] = range.querySelectorAll("[type=range]");
  const step = Number(range.querySelector(".sliders").dataset.step);
  if (low.valueAsNumber > high.valueAsNumber) slider.value = (slider === low ? high : low).value;
  const field = range.querySelector(`.ends [data-end=${slider.dataset.end}]`);
  const isOpen = slider.value === (slider === low ? slider.min : slider.max);
  const rounded = Number((Math.round(slider.valueAsNumber / step) * step).toPrecision(12));
  field.value = isOpen ? "" : String(rounded);
  paint(range.querySelector(".sliders"));
}

/** The part of the track between the two ends. */
function paint(sliders) {
  const [low, high] = sliders.children;
  const part = ({ valueAsNumber, min, max }) => `${((valueAsNumber - min) / (max - min)) * 100}%`;
  sliders.style.setProperty("--low", part(low));
  sliders.style.setProperty("--high", part(high));
}

let isLoading = false;

/** Puts the next tokens at the end of the grid. The link stays for a keyboard, and when the service is away. */
async function more(link) {
  if (isLoading) return;
  isLoading = true;
  const { signal } = asking;
  const hadFocus = document.activeElement === link;
  byId("grid").ariaBusy = "true";
  link.textContent = "Loading…";
  try {
    const url = new URL(link.href);
    url.searchParams.set("part", "tokens");
    const { page } = await read(url, { signal });
    const fresh = [...page.querySelectorAll("#grid > li")];
    byId("grid").append(...fresh);
    page.querySelector(".back")?.remove();
    swap(page, "more");
    const shown = byId("grid").children.length;
    const total = byId("total").textContent;
    byId("count").textContent = `${shown.toLocaleString("en-US")} of ${total} tokens shown`;
    if (hadFocus) fresh[0]?.querySelector("a").focus();
    settle();
  } catch {
    if (!signal.aborted) link.textContent = "The next tokens did not come. Try again";
  }
  byId("grid").ariaBusy = "false";
  isLoading = false;
}

const scrolled = new IntersectionObserver(
  (entries) => {
    const seen = entries.find(({ isIntersecting }) => isIntersecting);
    if (seen) more(seen.target);
  },
  { rootMargin: AHEAD },
);

/** Makes what has come work: sliders, pictures, and the end of the grid. */
function settle() {
  for (const sliders of document.querySelectorAll(".sliders[hidden]")) {
    sliders.hidden = false;
    paint(sliders);
  }
  still(byId("grid").querySelectorAll("img"));
  scrolled.disconnect();
  const next = document.querySelector("#more a[rel=next]");
  // Room for what comes, so that the foot of the page is out of sight when it is pushed away.
  byId("more").classList.toggle("endless", next !== null);
  if (next) scrolled.observe(next);
}

settle();
