/**
 * Checks at a restart that each indexed chain has a node. Ponder would wait for one, of every chain, before it opens its
 * port; what is indexed can be served meanwhile.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { ChainConfig, IndexConfig } from "../../../config.ts";
import { createEndpoint } from "../rpc/endpoint.ts";
import { probeEndpoint } from "../rpc/endpoint-probe.ts";
import type { Checkpoint } from "./checkpoint.ts";
import type { IndexAtStart } from "./index-at-start.ts";
import { type IndexInputs, isTextHashed, readIndexInputs } from "./index-inputs.ts";
import { NodeAwayError } from "./node-away.ts";

const PROBE_EVERY_MS = 1_000;
// Since the start of this process: a node that starts together with it has time to come up. One that hangs has kept earlier
// checks waiting.
const GRACE_MS = 10_000;

/**
 * Throws a NodeAwayError, ten seconds after this process has started, if a chain of this index has no endpoint that has reached what the index has
 * finalized. Does nothing if the schema has no index, or one of other code or other collections: no one may serve those.
 */
export async function requireNodes(
  index: IndexAtStart,
  config: IndexConfig,
  project: string,
  graceMs = GRACE_MS - performance.now(),
): Promise<void> {
  const inputs = index.content.kind === "index" ? index.content.inputs : undefined;
  if (!inputs || !isSame(inputs, readIndexInputs(project, config))) return;
  const deadline = performance.now() + graceMs;
  for (;;) {
    const away = await chainsWithoutNode(index.finalized, config.chains);
    if (away.length === 0) return;
    if (performance.now() >= deadline) throw new NodeAwayError(sentence(away));
    await sleep(PROBE_EVERY_MS);
  }
}

/** The chains of these blocks of which no endpoint answers with a head that high. Takes up to four seconds. */
export async function chainsWithoutNode(
  finalized: readonly Checkpoint[],
  chains: readonly ChainConfig[],
): Promise<Checkpoint[]> {
  const reached = await Promise.all(
    finalized.map(async ({ chainId, block }) => {
      const { rpcUrls = [] } = chains.find(({ id }) => id === chainId) ?? {};
      const probes = rpcUrls.map((url, index) => probeEndpoint(createEndpoint(url, index + 1), chainId));
      return (await Promise.all(probes)).some((probe) => probe.kind === "well" && probe.latest >= block);
    }),
  );
  return finalized.filter((_, index) => !reached[index]);
}

const isSame = (recorded: IndexInputs, current: IndexInputs): boolean =>
  isDeepStrictEqual(decisive(recorded), decisive(current));

// A build keeps its first record, and resumes after changes of the other files that leave their values as they are.
// The recorded inputs have been through JSON.
const decisive = ({ files, chains }: IndexInputs): unknown => {
  const hashed = Object.entries(files).filter(([file]) => isTextHashed(file));
  return { files: Object.fromEntries(hashed), chains: JSON.parse(JSON.stringify(chains)) };
};

const sentence = (away: readonly Checkpoint[]): string => {
  const lacking = away.map(
    ({ chainId, block }) => `in PONDER_RPC_URL_${chainId} answers with block ${block} or a later one`,
  );
  return `No endpoint ${lacking.join(", and none ")}, which the chain index has finalized. Until then, no chain is indexed further; what is indexed is served.`;
};
