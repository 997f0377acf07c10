/** Why a build differs from the one behind a chain index, one sentence per difference. */

import { type ChainInputs, type IndexInputs, isTextHashed } from "../../src/api/chain/index/index-inputs.ts";

/** Empty when nothing recorded differs. */
export function differences(before: IndexInputs, after: IndexInputs): string[] {
  const chains = namesOf(before.chains, after.chains).flatMap((id) =>
    chainDifferences(id, before.chains[id], after.chains[id]),
  );
  const files = namesOf(before.files, after.files).flatMap((file) => {
    const change = changeOf(before.files[file], after.files[file]);
    if (!change) return [];
    return `${file} ${change}${isTextHashed(file) ? "" : ", which counts where it changes events or blocks of a contract"}`;
  });
  return [...chains, ...files];
}

function chainDifferences(
  id: string,
  before: ChainInputs | undefined,
  after: ChainInputs | undefined,
): string[] {
  const [was, is] = [new Set(before?.collections), new Set(after?.collections)];
  const collections = [...new Set([...was, ...is])].flatMap((address) => {
    if (was.has(address) && is.has(address)) return [];
    return `collection ${address} on chain ${id} is ${is.has(address) ? "new" : "gone"}`;
  });
  if (!before || !after) return collections;
  const others: [string, number | string, number | string][] = [
    [`the lowest start block of chain ${id}`, before.startBlock, after.startBlock],
    [`the delegate registry of chain ${id}`, before.registry, after.registry],
  ];
  return [
    ...collections,
    ...others.filter(([, was, is]) => was !== is).map(([what, was, is]) => `${what} is ${is} and was ${was}`),
  ];
}

const changeOf = (before: string | undefined, after: string | undefined): string | undefined => {
  if (before === after) return undefined;
  if (before === undefined) return "is new";
  return after === undefined ? "is gone" : "has changed";
};

const namesOf = (...records: readonly Readonly<Record<string, unknown>>[]): string[] =>
  [...new Set(records.flatMap((record) => Object.keys(record)))].sort();
