/** What makes a wallet the one that speaks for a contract: its owner, or the admin of its roles (OpenZeppelin's AccessControl). */

import { randomBytes } from "node:crypto";
import {
  bytesToHex,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  parseAbi,
  zeroAddress,
  zeroHash,
} from "viem";
import { asWord } from "../../chain/contract/abi-word.ts";
import { callContract } from "../../chain/contract/contract-call.ts";
import { NOBODYS_FUNCTION, nobodysSignature } from "../../chain/contract/unknown-function.ts";
import type { ChainClient } from "../../chain/rpc/clients.ts";

const abi = parseAbi([
  "function owner() view returns (address)",
  "function hasRole(bytes32 role, address account) view returns (bool)",
  nobodysSignature,
]);

const DEFAULT_ADMIN_ROLE = zeroHash;

export type Authority =
  | { readonly kind: "owner" }
  | { readonly kind: "admin" }
  /** `owner`, in lower case, is another wallet; undefined if the contract names none, as after its owner renounced it. */
  | { readonly kind: "none"; readonly owner: string | undefined };

/** Read at one block; undefined if the node gives no answer. `wallet` is in lower case. */
export async function readAuthority(
  client: ChainClient,
  contract: string,
  wallet: string,
): Promise<Authority | undefined> {
  const block = Number(await client.getBlockNumber());
  const call = (data: Hex) => callContract(client, contract, data, block);

  const named = await call(encodeFunctionData({ abi, functionName: "owner" }));
  if (named.kind === "unavailable") return undefined;
  const owner = named.kind === "answered" ? ownerIn(named.data) : undefined;
  if (owner === wallet) return { kind: "owner" };

  const hasRole = (role: Hex, account: Hex) =>
    call(encodeFunctionData({ abi, functionName: "hasRole", args: [role, account] }));
  // Invented ones, since an answer counts only from a contract that says no to other accounts and other roles.
  const [anyone, anyRole] = [bytesToHex(randomBytes(20)), bytesToHex(randomBytes(32))];
  const answers = await Promise.all([
    hasRole(DEFAULT_ADMIN_ROLE, wallet as Hex),
    hasRole(DEFAULT_ADMIN_ROLE, anyone),
    hasRole(anyRole, wallet as Hex),
    call(encodeFunctionData({ abi, functionName: NOBODYS_FUNCTION, args: [0n] })),
  ]);
  if (answers.some(({ kind }) => kind === "unavailable")) return undefined;
  const [ofWallet, ofAnyone, ofAnyRole, nobodys] = answers.map((answer) =>
    answer.kind === "answered" ? answer.data : "0x",
  ) as [Hex, Hex, Hex, Hex];
  const isAdmin =
    asWord(ofWallet) === 1n && asWord(ofAnyone) === 0n && asWord(ofAnyRole) === 0n && nobodys === "0x";
  return isAdmin ? { kind: "admin" } : { kind: "none", owner };
}

/** Why the wallet that signed doesn't speak for the contract. */
export function whyUnproven({ owner }: Extract<Authority, { kind: "none" }>, wallet: string): string {
  const isNoAdmin = `and ${wallet} doesn't have its admin role`;
  return owner === undefined
    ? `the contract names no owner, ${isNoAdmin}; ask the operator`
    : `the contract's owner is ${owner}, ${isNoAdmin}`;
}

/** What the audit says of a proof. */
export const evidenceOf = ({ kind }: Authority, wallet: string): Record<string, string> =>
  kind === "owner"
    ? { proof: "owner() signature", owner: wallet }
    : { proof: "admin role signature", admin: wallet };

/** In lower case; undefined for what is no address, and for the zero address. */
function ownerIn(data: Hex): string | undefined {
  try {
    const owner = decodeFunctionResult({ abi, functionName: "owner", data });
    return owner === zeroAddress ? undefined : owner.toLowerCase();
  } catch {
    return undefined;
  }
}
