/** The KEY field: shows, hides and copies a key, which is fetched from the service only when needed. Copies a secret. */

import { say } from "./texts.js";
import { announce, post } from "./wallet.js";

for (const root of document.querySelectorAll("[data-key-field]")) {
  const input = root.querySelector("input");
  const show = root.querySelector("[data-show]");
  const copy = root.querySelector("[data-copy]");
  const state = root.querySelector("[role=status]");
  const hidden = input.value;
  let key;

  const read = async () => {
    // Without a URL, the field already holds the value.
    key ??= root.dataset.keyField ? (await post(root.dataset.keyField)).key : input.value;
    return key;
  };
  const run = (work) => async () => {
    try {
      await work();
    } catch (error) {
      announce(state, error.message, true);
    }
  };

  show?.addEventListener(
    "click",
    run(async () => {
      const isShown = input.value !== hidden;
      input.value = isShown ? hidden : await read();
      show.textContent = say(isShown ? "show" : "hide");
      announce(state, isShown ? "" : say("keyShown"));
    }),
  );
  copy.addEventListener(
    "click",
    run(async () => {
      await navigator.clipboard.writeText(await read());
      announce(state, say("copied"));
    }),
  );
  if (show) show.hidden = false;
  copy.hidden = false;
}
