/** Signs in with any wallet in the browser: those that announce themselves (EIP-6963), or `window.ethereum`. */

import { say } from "./texts.js";
import { announce, announceProblem, askWallet, post } from "./wallet.js";

const root = document.getElementById("wallets");
const state = document.getElementById("wallet-state");
const known = new Set();

function offer(name, provider) {
  if (known.has(provider)) return;
  known.add(provider);
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button primary";
  button.textContent = say("signInWith", { wallet: name });
  button.addEventListener("click", () => signIn(provider, button));
  root.insertBefore(button, state);
  state.textContent = "";
  document.getElementById("no-wallet").hidden = true;
}

async function signIn(provider, button) {
  button.disabled = true;
  try {
    announce(state, say("checkWallet"));
    const proof = await askWallet(provider, (wallet) => post(root.dataset.message, wallet));
    await post(root.dataset.prove, proof);
    location.assign(root.dataset.next);
  } catch (error) {
    announceProblem(state, error);
    button.disabled = false;
  }
}

window.addEventListener("eip6963:announceProvider", ({ detail }) => offer(detail.info.name, detail.provider));
window.dispatchEvent(new Event("eip6963:requestProvider"));
// Wallets announce themselves at once; offer an unnamed one only if none did.
setTimeout(() => {
  if (known.size === 0 && window.ethereum) offer(say("yourWallet"), window.ethereum);
  if (known.size > 0) return;
  announce(state, say("noWallet"));
  document.getElementById("no-wallet").hidden = false;
}, 300);
