/** Prints what pages show of chains, from viem's list: as 700 modules, the list takes a third of a second to load. */

import type { Chain } from "viem";
import * as known from "viem/chains";

/** By chain id, one chain per line: its name, and the name and URL of its block explorer where it has one. */
export function printKnownChains(): string {
  const chains = new Map<number, Chain>();
  // The Ronin test network's id before the one that viem has. Contracts of its marketplace use it, and viem's 2021 is of a
  // chain that has ended.
  chains.set(2021, { ...known.saigon, id: 2021 });
  // Some ids are listed twice; the first is the one in use.
  for (const chain of Object.values(known) as readonly Chain[])
    if (!chains.has(chain.id)) chains.set(chain.id, chain);

  const lines = [...chains.values()]
    .toSorted((a, b) => a.id - b.id)
    .map(({ id, name, blockExplorers }) => {
      const explorer = blockExplorers?.default;
      return `  "${id}": ${JSON.stringify(explorer ? [name, explorer.name, explorer.url] : [name])}`;
    });
  return `{\n${lines.join(",\n")}\n}\n`;
}
