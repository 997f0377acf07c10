/** Sends an app's first request with its own key, from its page. */

import { say } from "./texts.js";
import { announce, enable, post } from "./wallet.js";

const answer = document.getElementById("first-answer");

const show = () => {
  for (const hidden of document.querySelectorAll("[data-request][hidden]")) hidden.hidden = false;
};

document.addEventListener("click", async ({ target }) => {
  const button = target.closest("#send-request");
  if (!button) return;
  const { request, method, body } = button.closest("[data-request]").dataset;
  const state = answer.querySelector("[role=status]");
  const output = answer.querySelector("pre");
  answer.hidden = false;
  button.disabled = true;
  announce(state, say("sending"));
  try {
    const { key } = await post(document.querySelector("[data-key-field]").dataset.keyField);
    const got = await fetch(request, {
      method,
      headers: { "x-api-key": key, ...(body && { "content-type": "application/json" }) },
      ...(body && { body }),
    });
    const text = await got.text();
    announce(state, say(got.ok ? "works" : "answered", { status: got.status }), !got.ok);
    output.textContent = pretty(text);
  } catch (error) {
    announce(state, error.message, true);
  }
  enable(button);
});

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

show();
document.addEventListener("live", show);
