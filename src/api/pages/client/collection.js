/** A collection's page: filters apply at once, and scrolling loads more tokens. Without it, the form does the same. */

import "./copy.js";
import { read, still, swap } from "./swap.js";

const TYPING_MS = 250;
const AHEAD = "800px";
// Twenty pages; visitors who had more must scroll to them.
const RESTORED_MAX = 480;

const form = document.getElementById("shop");
const results = document.getElementById("results");
// The texts of the visitor's language.
const words = results.dataset;
const byId = (id) => document.getElementById(id);

const here = () => location.pathname + location.search;

// The URL of the history entry that is displayed, or on its way.
let shownAt = here();

// What did not come, with its options, for "Try again".
let failed;

let typing;

// Whether the newest history entry is for text that is still being typed.
let isTyped = false;

// The current request to the service; a newer one aborts it.
let asking = new AbortController();

/** The form as a URL. Empty fields are left out, except the empty value of a trait. */
function addressOf() {
  const fields = [...new FormData(form)].filter(([name, value]) => value !== "" || /^is\*?:/.test(name));
  const query = new URLSearchParams(fields).toString();
  return query ? `${form.action}?${query}` : form.action;
}

async function show(url, options = {}) {
  const { isNew = true, isTyping = false, isForm = true, focus } = options;
  clearTimeout(typing);
  asking.abort();
  asking = new AbortController();
  const { signal } = asking;
  results.ariaBusy = "true";
  try {
    const { page } = await read(url, { signal });
    if (isNew) remember(url, isTyping);
    failed = undefined;
    if (!isForm) follow(url);
    swapFacets(page, isNew);
    swapSorts(page, isNew);
    swap(page, "problems", "chips", "count", "found", "total", "of-total");
    byId("clear").href = page.getElementById("clear").href;
    if (isNew && results.getBoundingClientRect().top < 0) results.scrollIntoView();
    showFailure(false);
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
    failed = [url, options];
    showFailure(true);
    console.warn(error);
    settle();
  }
  results.ariaBusy = "false";
  if (!isNew && !failed) restore();
}

/** Each change is a history entry, but the letters of one text share one, and what changes nothing has none. */
function remember(url, isTyping) {
  if (isTyped && isTyping) history.replaceState(null, "", url);
  else if (!isHere(url)) {
    keep({ y: scrollY });
    history.pushState(null, "", url);
  }
  isTyped = isTyping;
  shownAt = here();
}

/** Links and the form have the same fields in other orders. */
function isHere(url) {
  const sorted = ({ searchParams }) => {
    searchParams.sort();
    return String(searchParams);
  };
  return sorted(new URL(url)) === sorted(new URL(location.href));
}

/** Shown above the tokens, and in the sheet that may cover them; a count that may be wrong is hidden. */
function showFailure(isFailure) {
  byId("failed").hidden = !isFailure;
  byId("failed-here").hidden = !isFailure;
  byId("total").hidden = isFailure;
}

/** The sort options of the results; a menu that may be open is not replaced. */
function swapSorts(page, isNew) {
  const { sort } = form.elements;
  if (isNew && document.activeElement === sort) return;
  // Removing options one by one selects each next one, so the value is read before.
  const { value } = page.getElementById("sort");
  swap(page, "sort");
  sort.value = value;
}

/** Redraws the panel except for the part in use: its input is newer than the answer. */
function swapFacets(page, isNew) {
  const inUse = isNew ? document.activeElement?.closest("#facets > [id]") : null;
  const fresh = inUse && page.getElementById(inUse.id);
  if (!fresh) return swap(page, "facets");
  for (const details of page.querySelectorAll("#facets details[id]")) {
    const before = byId(details.id);
    if (before) details.open = before.open;
  }
  inUse.querySelector(".dot")?.remove();
  const dot = fresh.querySelector(".dot");
  if (dot) inUse.querySelector("summary").append(dot);
  for (const other of [...byId("facets").children]) if (other !== inUse) other.remove();
  const all = [...page.getElementById("facets").children];
  inUse.before(...all.slice(0, all.indexOf(fresh)));
  inUse.after(...all.slice(all.indexOf(fresh) + 1));
}

/** Sets the fields that are not redrawn from the URL. */
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
  // Typing a year passes through the first centuries.
  if (target.type === "date" && target.value.startsWith("0")) return;
  if (target.type !== "search") show(addressOf());
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  byId("filters").matches(":popover-open") && byId("filters").hidePopover();
  // The form may have other filters than a link, or a step back, that failed.
  if (failed && event.submitter?.closest("#failed")) show(...failed);
  else show(addressOf());
});

results.addEventListener("click", (event) => {
  const link = event.target.closest("a.chip, .empty a, a[rel=next]");
  if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  if (link.rel === "next") return more(link);
  show(link.href, { isForm: false, focus: "count" });
});

byId("q").addEventListener("blur", () => {
  isTyped = false;
});

// A browser with a page cache restores the page as it was; others restore the scroll position from this.
document.addEventListener("click", ({ target }) => {
  if (target.closest("a.token")) keep({ y: scrollY });
});

window.addEventListener("popstate", () => {
  // Only the fragment changed, as with the link that skips to the content.
  if (here() === shownAt) return;
  isTyped = false;
  shownAt = here();
  show(location.href, { isNew: false, isForm: false });
});

const keep = (state) => history.replaceState({ ...history.state, ...state }, "");

/** Restores the number of tokens and the scroll position of this history entry. */
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

/** A range's two sliders and two fields: the ends never cross, and an end at its limit means no bound. */
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

/** Moves a slider to its field's value. */
function slideTo(field) {
  const range = field.closest(".range");
  const slider = range?.querySelector(`.sliders [data-end=${field.dataset.end}]`);
  if (!slider) return;
  slider.value = field.value || (field.dataset.end === "from" ? slider.min : slider.max);
  paint(range.querySelector(".sliders"));
}

/** Draws the part of the track between the two ends. */
function paint(sliders) {
  const [low, high] = sliders.children;
  const part = ({ valueAsNumber, min, max }) => `${((valueAsNumber - min) / (max - min)) * 100}%`;
  sliders.style.setProperty("--low", part(low));
  sliders.style.setProperty("--high", part(high));
  // If both ends meet at the right, only the lower one can move.
  low.style.zIndex = (low.valueAsNumber - low.min) * 2 > low.max - low.min ? 1 : "";
}

let isLoading = false;

const nextLink = () => document.querySelector("#more a[rel=next]");

/**
 * Appends the next tokens to the grid; returns whether they came. The link stays for keyboard users, and for when the
 * service is unavailable.
 */
async function more(link) {
  // The results are about to be replaced, and the new ones load on scrolling.
  if (isLoading || results.ariaBusy === "true") return false;
  isLoading = true;
  const { signal } = asking;
  const hadFocus = document.activeElement === link;
  byId("grid").ariaBusy = "true";
  link.textContent = words.loading;
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
    const many = shown.toLocaleString(words.numbers);
    const isAll = many === byId("total").textContent.trim();
    byId("so-far").textContent = isAll ? words.allShown : words.shown.replace("{count}", many);
    keep({ shown });
    if (hadFocus) fresh[0]?.querySelector("a").focus();
    settle();
    isGood = true;
  } catch {
    link.textContent = signal.aborted ? words.more : words.moreFailed;
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

/** Activates new content: sliders, pictures, and the end of the grid. */
function settle() {
  for (const sliders of document.querySelectorAll(".sliders[hidden]")) {
    sliders.hidden = false;
    paint(sliders);
  }
  still(byId("grid").querySelectorAll("img"));
  scrolled.disconnect();
  const next = nextLink();
  // Reserves space for more tokens, so that the footer is off-screen when they push it down.
  byId("more").classList.toggle("endless", next !== null);
  if (next) scrolled.observe(next);
}

settle();
byId("total").hidden = false;
// A field may have been used while the script was on its way.
const isUsed = ({ type, checked, defaultChecked }) =>
  (type === "checkbox" || type === "radio") && checked !== defaultChecked;
if ([...form.elements].some(isUsed)) show(addressOf());
else restore();
