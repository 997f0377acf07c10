/** Buttons that copy the value they carry. Where the browser gives no clipboard, as over plain http, they stay hidden. */

const TOLD_MS = 2_000;

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
    said.textContent = "Copied.";
    button.dataset.done = "";
  } catch {
    said.textContent = "It could not be copied.";
  }
  setTimeout(() => {
    said.textContent = "";
    delete button.dataset.done;
  }, TOLD_MS);
}
