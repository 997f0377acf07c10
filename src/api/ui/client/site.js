/** On every page: `/` goes to the search, which suggests what it finds, and a theme is chosen in place. */

const TYPING_MS = 150;

const field = document.getElementById("site-search");
const themes = document.getElementById("themes");

const root = document.documentElement;

/** Draws the page with a choice, as the service does. */
const draw = {
  theme(value) {
    if (value === "system") delete root.dataset.theme;
    else root.dataset.theme = value;
    document.querySelector("meta[name=color-scheme]").content = value === "system" ? "light dark" : value;
  },
  density(value) {
    root.dataset.density = value;
  },
};

function show(name, value) {
  draw[name](value);
  for (const each of document.getElementsByName(name)) each.ariaPressed = String(each.value === value);
}

/** Browsers keep pages for going back, and a choice may have been made on another page since. */
function showKept() {
  const cookies = new Map(document.cookie.split("; ").map((each) => each.split("=")));
  for (const name of Object.keys(draw)) {
    const value = cookies.get(`vitrine_${name}`);
    // Each choice has its button.
    const isKnown = [...document.getElementsByName(name)].some((each) => each.value === value);
    if (isKnown) show(name, value);
  }
}

showKept();
window.addEventListener("pageshow", ({ persisted }) => {
  if (persisted) showKept();
});

// A sheet or a dialog would cover what the keyboard goes to next. A click outside of it closes it by itself.
document.addEventListener("focusin", ({ target }) => {
  for (const sheet of document.querySelectorAll(":popover-open"))
    if (!sheet.contains(target) && target.matches(":focus-visible")) sheet.hidePopover();
});

document.addEventListener("submit", async (event) => {
  if (event.target.action !== themes?.action) return;
  event.preventDefault();
  const { name, value } = event.submitter;
  show(name, value);
  if (themes.popover) themes.hidePopover();
  await remember(name, value);
  // The API reference and the explorer read their theme when they start.
  if (document.querySelector("main.full")) location.reload();
});

/** Keeps a choice for the next pages; one that can't be kept still holds for this one. */
async function remember(name, value) {
  const body = new URLSearchParams({ [name]: value });
  await fetch(themes.action, { method: "POST", body, redirect: "manual", keepalive: true }).catch(() => {});
}

if (field) suggestFor(field);

/** A combobox with a list (WAI-ARIA 1.2): arrows choose, Enter follows, Escape closes. */
function suggestFor(input) {
  const list = document.getElementById("suggestions");
  const said = document.getElementById("suggested");
  let typing;
  let asking = new AbortController();
  let shownFor = "";

  list.role = "listbox";
  list.ariaLabel = list.dataset.label;
  input.role = "combobox";
  input.ariaAutoComplete = "list";
  input.setAttribute("aria-controls", list.id);

  const options = () => [...list.querySelectorAll("[role=option]")];
  const chosen = () => list.querySelector("[aria-selected=true]");
  const isAnswered = () => shownFor !== "" && input.value.trim() === shownFor;

  const open = (isOpen) => {
    list.hidden = !isOpen;
    input.ariaExpanded = String(isOpen);
    if (!isOpen) choose();
  };

  const choose = (option) => {
    chosen()?.removeAttribute("aria-selected");
    if (!option) return input.removeAttribute("aria-activedescendant");
    option.ariaSelected = "true";
    option.scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", option.id);
  };

  const suggest = async () => {
    const text = input.value.trim();
    asking.abort();
    asking = new AbortController();
    if (text === "") return open(false);
    const { signal } = asking;
    try {
      const query = new URLSearchParams({ q: text, part: "suggestions" });
      const answer = await fetch(`${input.form.action}?${query}`, {
        signal,
        headers: { accept: "text/html" },
      });
      if (!answer.ok) return open(false);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (signal.aborted) return;
      const { href } = chosen() ?? {};
      list.replaceChildren(...page.body.childNodes);
      // Somebody may have chosen from the last answer while this one was on its way.
      choose(options().find((option) => option.href === href));
      shownFor = text;
      said.textContent = list.firstElementChild?.dataset.said ?? "";
      open(document.activeElement === input);
    } catch {
      // The form still searches.
      if (!signal.aborted) open(false);
    }
  };

  open(false);
  input.addEventListener("input", () => {
    choose();
    clearTimeout(typing);
    typing = setTimeout(suggest, TYPING_MS);
  });
  input.addEventListener("focus", () => {
    if (isAnswered()) open(true);
  });
  input.form.addEventListener("focusout", ({ relatedTarget }) => {
    if (!input.form.contains(relatedTarget)) open(false);
  });
  // Otherwise the field loses the focus, and the list closes before the click.
  list.addEventListener("mousedown", (event) => event.preventDefault());

  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !list.hidden) {
      event.preventDefault();
      return open(false);
    }
    if (event.key === "Enter" && chosen()) {
      event.preventDefault();
      return chosen().click();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || options().length === 0 || (list.hidden && !isAnswered())) return;
    event.preventDefault();
    if (list.hidden) open(true);
    // One place more than there are options: the text itself, before the first and after the last.
    const places = [undefined, ...options()];
    const at = places.indexOf(chosen() ?? undefined);
    choose(places[(at + step + places.length) % places.length]);
  });

  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    const isWriting = event.target.closest?.(
      "input, textarea, select, [contenteditable], .cm-editor, .CodeMirror",
    );
    if (isWriting && !/^(?:checkbox|radio|range)$/.test(isWriting.type ?? "")) return;
    event.preventDefault();
    input.focus();
    input.select();
  });

  // Of what was typed while the script was on its way.
  if (document.activeElement === input) suggest();
}
