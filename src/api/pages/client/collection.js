/** A collection's page: filters at once, and more tokens as they are scrolled to. Without it the form does the same. */

import "./copy.js";
import { read, still, swap } from "./swap.js";

const TYPING_MS = 250;
const AHEAD = "800px";
// Twenty pages: whoever had more before has to scroll to them.
const RESTORED_MAX = 480;

const form = document.getElementById("shop");
const results = document.getElementById("results");
const byId = (id) => document.getElementById(id);

// What is shown, as an address.
let shownAt = location.pathname + location.search;

let typing;

// Whether the newest address in the history is one of a text that is being typed.
let isTyped = false;

// What is asked of the service at the moment: a newer wish ends it.
let asking = new AbortController();

/** The form as an address. A field that is empty asks for nothing, but for the empty value of a trait. */
function addressOf() {
  const fields = [...new FormData(form)].filter(([name, value]) => value !== "" || name.startsWith("is:"));
  const query = new URLSearchParams(fields).toString();
  return query ? `${form.action}?${query}` : form.action;
}

async function show(url, { isNew = true, isTyping = false, focus } = {}) {
  clearTimeout(typing);
  asking.abort();
  asking = new AbortController();
  const { signal } = asking;
  results.ariaBusy = "true";
  try {
    const { page } = await read(url, { signal });
    if (isNew) remember(url, isTyping);
    shownAt = location.pathname + location.search;
    swapFacets(page, isNew);
    swapSorts(page, isNew);
    swap(page, "problems", "chips", "count", "found", "total");
    if (isNew && results.getBoundingClientRect().top < 0) results.scrollIntoView();
    tellFailure(false);
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
    tellFailure(true);
    console.warn(error);
    settle();
  }
  results.ariaBusy = "false";
}

/** Each wish is a step in the history, but for the letters of one text. */
function remember(url, isTyping) {
  if (isTyped && isTyping) history.replaceState(null, "", url);
  else history.pushState(null, "", url);
  isTyped = isTyping;
}

/** Above the tokens, and in the sheet that may cover them; a number that may be wrong is not shown. */
function tellFailure(isFailure) {
  byId("failed").hidden = !isFailure;
  byId("failed-here").hidden = !isFailure;
  byId("total").hidden = isFailure;
}

/** The orders that what is found has; a menu that may be open stays as it is. */
function swapSorts(page, isNew) {
  const { sort } = form.elements;
  if (isNew && document.activeElement === sort) return;
  // Options that leave a menu one by one are each chosen in turn, so the choice is taken before.
  const { value } = page.getElementById("sort");
  swap(page, "sort");
  sort.value = value;
}

/** Draws the panel anew around the part that is in use: what is typed or dragged there is newer than the answer. */
function swapFacets(page, isNew) {
  const held = isNew ? document.activeElement?.closest("#facets > [id]") : null;
  const fresh = held && page.getElementById(held.id);
  if (!fresh) return swap(page, "facets");
  for (const details of page.querySelectorAll("#facets details[id]")) {
    const before = byId(details.id);
    if (before) details.open = before.open;
  }
  held.querySelector(".dot")?.remove();
  const dot = fresh.querySelector(".dot");
  if (dot) held.querySelector("summary").append(dot);
  for (const other of [...byId("facets").children]) if (other !== held) other.remove();
  const all = [...page.getElementById("facets").children];
  held.before(...all.slice(0, all.indexOf(fresh)));
  held.after(...all.slice(all.indexOf(fresh) + 1));
}

/** The fields that are not drawn anew, as an address has them. */
function follow(url) {
  const asked = new URL(url).searchParams;
  for (const name of ["q", "sort"]) form.elements[name].value = asked.get(name) ?? "";
}

form.addEventListener("input", ({ target }) => {
  if (target.type === "range") return slide(target);
  if (target.type === "number") return slideTo(target);
  if (target.type !== "search") return;
  clearTimeout(typing);
  typing = setTimeout(() => show(addressOf(), { isTyping: true }), TYPING_MS);
});

form.addEventListener("change", ({ target }) => {
  // A year that is being typed passes by the first centuries.
  if (target.type === "date" && target.value.startsWith("0")) return;
  if (target.type !== "search") show(addressOf());
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
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

byId("q").addEventListener("blur", () => {
  isTyped = false;
});

// A browser that keeps the page brings it back as it was; others are told by this how far one had come.
document.addEventListener("click", ({ target }) => {
  if (target.closest("a.token")) keep({ y: scrollY });
});

window.addEventListener("popstate", async () => {
  // A fragment, such as the link that skips to the content, asks for nothing.
  if (location.pathname + location.search === shownAt) return;
  isTyped = false;
  follow(location.href);
  await show(location.href, { isNew: false });
  restore();
});

const keep = (state) => history.replaceState({ ...history.state, ...state }, "");

/** As many tokens, and the same place among them, as when this step of the history was left. */
async function restore() {
  const { shown = 0, y } = history.state ?? {};
  const { signal } = asking;
  const goal = Math.min(shown, RESTORED_MAX);
  const isShort = () => byId("grid").children.length < goal;
  for (let next = nextLink(); next && isShort() && !signal.aborted; next = nextLink())
    if (!(await more(next))) break;
  if (y === undefined || signal.aborted) return;
  scrollTo(0, y);
  keep({ y: undefined });
}

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

/** A slider stands where its field does. */
function slideTo(field) {
  const range = field.closest(".range");
  const slider = range?.querySelector(`.sliders [data-end=${field.dataset.end}]`);
  if (!slider) return;
  slider.value = field.value || (field.dataset.end === "from" ? slider.min : slider.max);
  paint(range.querySelector(".sliders"));
}

/** The part of the track between the two ends. */
function paint(sliders) {
  const [low, high] = sliders.children;
  const part = ({ valueAsNumber, min, max }) => `${((valueAsNumber - min) / (max - min)) * 100}%`;
  sliders.style.setProperty("--low", part(low));
  sliders.style.setProperty("--high", part(high));
  // Where both ends meet at the right, only the lower one can move.
  low.style.zIndex = (low.valueAsNumber - low.min) * 2 > low.max - low.min ? 1 : "";
}

let isLoading = false;

const nextLink = () => document.querySelector("#more a[rel=next]");

/**
 * Puts the next tokens at the end of the grid, and tells whether they came. The link stays for a keyboard, and when the
 * service is away.
 */
async function more(link) {
  // What is shown is about to be replaced; its successor is scrolled to anew.
  if (isLoading || results.ariaBusy === "true") return false;
  isLoading = true;
  const { signal } = asking;
  const hadFocus = document.activeElement === link;
  byId("grid").ariaBusy = "true";
  link.textContent = "Loading…";
  let isGood = false;
  try {
    const url = new URL(link.href);
    url.searchParams.set("part", "tokens");
    const { page } = await read(url, { signal });
    signal.throwIfAborted();
    if (!page.getElementById("more")) throw new Error("the service answered without tokens");
    const fresh = [...page.querySelectorAll("#grid > li")];
    byId("grid").append(...fresh);
    page.querySelector(".back")?.remove();
    swap(page, "more");
    const shown = byId("grid").children.length;
    const many = shown.toLocaleString("en-US");
    byId("so-far").textContent = `, ${many === byId("total").textContent ? "all" : many} shown`;
    keep({ shown });
    if (hadFocus) fresh[0]?.querySelector("a").focus();
    settle();
    isGood = true;
  } catch {
    link.textContent = signal.aborted ? "More" : "The next tokens did not come. Try again";
  }
  byId("grid").ariaBusy = "false";
  isLoading = false;
  return isGood;
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
  const next = nextLink();
  // Room for what comes, so that the foot of the page is out of sight when it is pushed away.
  byId("more").classList.toggle("endless", next !== null);
  if (next) scrolled.observe(next);
}

settle();
byId("total").hidden = false;
restore();
