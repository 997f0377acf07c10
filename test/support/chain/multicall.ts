/** Multicall3 as deployed on public chains, on our own chain. */

import type { Hex } from "viem";
import type { Chain } from "../../../demo/chain.ts";

export const MULTICALL3 = "0xca11bde05977b3631167028862be2a173976ca11";

// viem does not export the bytecode.
const BYTECODE = new URL("../../../node_modules/viem/_esm/constants/contracts.js", import.meta.url);

export async function installMulticall3(chain: Chain): Promise<void> {
  const { multicall3Bytecode } = (await import(BYTECODE.href)) as { multicall3Bytecode: Hex };
  // The constructor returns the code.
  const code = await chain.rpc("eth_call", [{ data: multicall3Bytecode }, "latest"]);
  await chain.rpc("anvil_setCode", [MULTICALL3, code]);
}
