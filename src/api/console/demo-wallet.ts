/** The demo's wallet: the development accounts of a node, which signs for everyone. */

import { z } from "zod";
import { shown } from "../../invalid-value.ts";
import type { ChainClient } from "../chain/rpc/clients.ts";
import { ApiError } from "../http/errors.ts";

/** What a page asks a wallet for (EIP-1193); nothing here sends a transaction. */
export const walletCall = z.discriminatedUnion("method", [
  z.object({ method: z.literal("eth_requestAccounts") }),
  z.object({ method: z.literal("eth_chainId") }),
  z.object({
    method: z.literal("personal_sign"),
    params: z.tuple([z.string(), z.string()]),
  }),
]);

const MESSAGE = /^0x(?:[0-9a-f]{2}){1,8192}$/;

type Ask = (call: { readonly method: string; readonly params?: readonly unknown[] }) => Promise<unknown>;

/**
 * The node's answer. Throws INVALID_REQUEST for a message that is not 1 to 8,192 bytes in hex, and UNAVAILABLE if the node
 * refuses, as one without development accounts does.
 */
export async function askDemoWallet(node: ChainClient, call: z.output<typeof walletCall>): Promise<unknown> {
  if (call.method === "personal_sign" && !MESSAGE.test(call.params[0]))
    throw new ApiError("INVALID_REQUEST", [
      {
        path: "params[0]",
        message: `must be 1 to 8,192 bytes in hex; it is ${shown(call.params[0])}`,
      },
    ]);
  const ask = node.alone.request as Ask;
  try {
    if (call.method === "eth_requestAccounts") {
      // The first account of the demo has deployed its contracts.
      const accounts = (await ask({ method: "eth_accounts" })) as readonly string[];
      return accounts.slice(0, 1);
    }
    return await ask(call);
  } catch (cause) {
    throw new ApiError("UNAVAILABLE", [{ path: "", message: "the node of the demo wallet does not sign" }], {
      cause,
    });
  }
}
