/** Announces the demo's wallet (EIP-6963), whose accounts are in the demo's chain. */

import { say } from "./texts.js";
import { post } from "./wallet.js";

const call = new URL("../demo-wallet", import.meta.url);
const provider = {
  request: async ({ method, params }) => (await post(call, { method, ...(params && { params }) })).result,
};
const info = {
  uuid: "7a3c6f0e-52a5-4c9b-9d0e-1f6d3b0c6a11",
  name: say("demoWallet"),
  rdns: "local.vitrine.demo",
};

const announceWallet = () =>
  window.dispatchEvent(
    new CustomEvent("eip6963:announceProvider", { detail: Object.freeze({ info, provider }) }),
  );

window.addEventListener("eip6963:requestProvider", announceWallet);
announceWallet();
