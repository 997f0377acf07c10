/** Buttons that copy their value. They stay hidden if the browser has no clipboard, as over plain http. */

const COPIED_MS = 2_000;

if (navigator.clipboard) {
  document.documentElement.classList.add("copies");
  document.addEventListener("click", ({ target }) => {
    const button = target.closest("button[data-copy]");
    if (button) copy(button);
  });
}

async function copy(button) {
  const said = document.getElementById("copied");
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
    said.textContent = said.dataset.done;
    button.dataset.done = "";
  } catch {
    said.textContent = said.dataset.failed;
  }
  setTimeout(() => {
    said.textContent = "";
    delete button.dataset.done;
  }, COPIED_MS);
}
