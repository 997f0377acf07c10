/** Shared by the pages that ask a wallet to sign. */

import { say } from "./texts.js";

/** Sends JSON; throws one sentence that says what is wrong. */
export async function post(url, body) {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify(body ?? {}),
  });
  const json = await answer.json().catch(() => ({}));
  if (answer.ok) return json;
  throw new Error(json.details?.[0]?.message ?? json.message ?? say("answered", { status: answer.status }));
}

/** Lets the wallet sign the text that the service issues for its address. */
export async function askWallet(provider, makeMessage) {
  const [address] = await provider.request({ method: "eth_requestAccounts" });
  const chainId = Number(await provider.request({ method: "eth_chainId" }));
  const { message } = await makeMessage({ address, chainId });
  const hex = [...new TextEncoder().encode(message)]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
  const signature = await provider.request({ method: "personal_sign", params: [`0x${hex}`, address] });
  return { message, signature };
}

const ANNOUNCED_MS = 300;

/**
 * A button for each wallet in the browser: those that announce themselves (EIP-6963), or `window.ethereum`. The buttons
 * stand before `state`, which says what happens. `nameOf` a wallet is its button's text, `sign` is what the wallet is for,
 * and `onChange` learns whether there is any.
 */
export function offerWallets(state, nameOf, sign, onChange = () => {}) {
  const known = new Set();
  const offer = (wallet, provider) => {
    if (known.has(provider)) return;
    known.add(provider);
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button primary";
    button.textContent = nameOf(wallet);
    button.addEventListener("click", () => run(button, provider));
    state.before(button);
    state.textContent = "";
    onChange(true);
  };
  const run = async (button, provider) => {
    button.disabled = true;
    try {
      announce(state, say("checkWallet"));
      await sign(provider);
    } catch (error) {
      announceProblem(state, error);
      enable(button);
    }
  };
  window.addEventListener("eip6963:announceProvider", ({ detail }) =>
    offer(detail.info.name, detail.provider),
  );
  window.dispatchEvent(new Event("eip6963:requestProvider"));
  // Wallets announce themselves at once; offer an unnamed one only if none did.
  setTimeout(() => {
    if (known.size === 0 && window.ethereum) offer(say("yourWallet"), window.ethereum);
    if (known.size > 0) return;
    announce(state, say("noWallet"));
    onChange(false);
  }, ANNOUNCED_MS);
}

/** A disabled button loses the focus; visitors who moved on keep theirs. */
export function enable(button) {
  button.disabled = false;
  if (document.activeElement === document.body) button.focus();
}

// EIP-1193: the user rejected the request.
const REJECTED = 4001;

/** Shows why a wallet did not sign; a user who rejects is right, and needs no alarm. */
function announceProblem(element, error) {
  if (error?.code === REJECTED) announce(element, say("rejected"));
  else announce(element, error?.message ?? say("walletSilent"), true);
}

/** Shows a message that screen readers announce. */
export function announce(element, text, isProblem = false) {
  element.textContent = text;
  element.className = isProblem ? "notice bad" : "soft";
}
