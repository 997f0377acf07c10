/** Chains as people know them: their names and block explorers, from viem's list (`npm run generate`). */

import { withoutTrailing } from "../text/without-trailing.ts";
import { words } from "../ui/visitor.ts";
import known from "./known-chains.json" with { type: "json" };

const chains: Readonly<Record<string, readonly string[]>> = known;

interface KnownChain {
  readonly name?: string;
  readonly explorer?: string;
  readonly explorerUrl?: string;
}

function find(chainId: number): KnownChain {
  const [name, explorer, explorerUrl] = chains[chainId] ?? [];
  return { name, explorer, explorerUrl };
}

/** A chain's name, or its id where nobody named it. */
export const chainName = (chainId: number): string => find(chainId).name ?? words().chain.unnamed(chainId);

/** The page of an address or a transaction at the chain's block explorer; undefined where it has none. */
export function explorerUrl(chainId: number, kind: "address" | "tx", value: string): string | undefined {
  const base = find(chainId).explorerUrl;
  return base?.startsWith("https://") ? `${withoutTrailing(base, "/")}/${kind}/${value}` : undefined;
}

/** The explorer's own name, for its links. */
export const explorerName = (chainId: number): string => find(chainId).explorer ?? "";
