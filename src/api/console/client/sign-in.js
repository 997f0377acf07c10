/** Signs in with any wallet in the browser. */

import { say } from "./texts.js";
import { askWallet, offerWallets, post } from "./wallet.js";

const state = document.getElementById("wallet-state");
const nameOf = (wallet) => say("signInWith", { wallet });
const { message, prove, next } = document.getElementById("wallets").dataset;

async function signIn(provider) {
  await post(prove, await askWallet(provider, (wallet) => post(message, wallet)));
  location.assign(next);
}

offerWallets(state, nameOf, signIn, (hasWallet) => {
  document.getElementById("no-wallet").hidden = hasWallet;
});
