/** Proves the ownership of a collection with a signature by its contract's owner. */

import { say } from "./texts.js";
import { announce, announceProblem, askWallet, findWallet, post } from "./wallet.js";

const form = document.getElementById("prove");
const state = document.getElementById("prove-state");

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = form.querySelector("button");
  button.disabled = true;
  try {
    announce(state, say("checkWallet"));
    const collection = new FormData(form).get("collection");
    const proof = await askWallet(await findWallet(), (wallet) =>
      post(form.dataset.message, { ...wallet, collection }),
    );
    await post(form.action, { ...proof, collection });
    location.assign(form.dataset.next);
  } catch (error) {
    announceProblem(state, error);
    button.disabled = false;
  }
});
