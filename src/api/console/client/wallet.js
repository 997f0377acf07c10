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

/** The browser's first wallet. */
export function findWallet() {
  return new Promise((resolve, reject) => {
    window.addEventListener("eip6963:announceProvider", ({ detail }) => resolve(detail.provider), {
      once: true,
    });
    window.dispatchEvent(new Event("eip6963:requestProvider"));
    setTimeout(() => (window.ethereum ? resolve(window.ethereum) : reject(new Error(say("noWallet")))), 300);
  });
}

// EIP-1193: the user rejected the request.
const REJECTED = 4001;

/** Shows why a wallet did not sign; a user who rejects is right, and needs no alarm. */
export function announceProblem(element, error) {
  if (error?.code === REJECTED) announce(element, say("rejected"));
  else announce(element, error?.message ?? say("walletSilent"), true);
}

/** Shows a message that screen readers announce. */
export function announce(element, text, isProblem = false) {
  element.textContent = text;
  element.className = isProblem ? "notice bad" : "soft";
}
