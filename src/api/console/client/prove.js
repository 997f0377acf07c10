/** Proves the ownership of a collection with a signature by its contract's owner, with any wallet in the browser. */

import { say } from "./texts.js";
import { askWallet, offerWallets, post } from "./wallet.js";

// An app that has every collection has nothing to prove.
const form = document.getElementById("prove");
const state = document.getElementById("prove-state");
const nameOf = (wallet) => say("signWith", { wallet });

async function prove(provider) {
  const collection = new FormData(form).get("collection");
  const proof = await askWallet(provider, (wallet) => post(form.dataset.message, { ...wallet, collection }));
  await post(form.action, { ...proof, collection });
  location.assign(form.dataset.next);
}

if (form) offerWallets(state, nameOf, prove);
