/** Chains as people know them: their names and block explorers, from viem's list. */

import type { Chain } from "viem";
import * as known from "viem/chains";
import { words } from "../ui/visitor.ts";

// Some ids are listed twice; the first is the one in use.
const byId = new Map<number, Chain>();
for (const chain of Object.values(known) as readonly Chain[])
  if (!byId.has(chain.id)) byId.set(chain.id, chain);

/** A chain's name, or its id where nobody named it. */
export const chainName = (chainId: number): string =>
  byId.get(chainId)?.name ?? words().chain.unnamed(chainId);

/** The page of an address or a transaction at the chain's block explorer; undefined where it has none. */
export function explorerUrl(chainId: number, kind: "address" | "tx", value: string): string | undefined {
  const base = byId.get(chainId)?.blockExplorers?.default.url;
  return base?.startsWith("https://") ? `${base.replace(/\/+$/, "")}/${kind}/${value}` : undefined;
}

/** The explorer's own name, for its links. */
export const explorerName = (chainId: number): string =>
  byId.get(chainId)?.blockExplorers?.default.name ?? "";
