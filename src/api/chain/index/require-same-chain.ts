/** Checks at boot that the endpoints have the chain that a schema holds an index of: Ponder compares times only. */

import pg, { escapeIdentifier } from "pg";
import { createPublicClient, http } from "viem";
import { BootError } from "../../../boot-error.ts";
import type { ChainConfig } from "../../../config.ts";
import { type Checkpoint, readCheckpoint } from "./checkpoint.ts";

const TIMEOUT_MS = 5_000;

/**
 * Throws a BootError for an endpoint whose block at the height that the chain index has finalized is another one, as after a
 * development chain was started anew. An endpoint that doesn't answer, or doesn't have the block, says nothing.
 */
export async function requireSameChain(
  connectionString: string,
  schema: string,
  chains: readonly ChainConfig[],
): Promise<void> {
  const finalized = await readFinalized(connectionString, schema);
  await Promise.all(
    chains.flatMap(({ id, rpcUrls }) => {
      const block = finalized.find(({ chainId }) => chainId === id);
      return block
        ? rpcUrls.map((url, position) => requireBlock(url, position + 1, { schema, ...block }))
        : [];
    }),
  );
}

async function requireBlock(
  url: string,
  endpoint: number,
  { schema, chainId, block, timestamp }: Checkpoint & { readonly schema: string },
): Promise<void> {
  const client = createPublicClient({ transport: http(url, { timeout: TIMEOUT_MS, retryCount: 0 }) });
  const found = await client.getBlock({ blockNumber: BigInt(block) }).catch(() => undefined);
  if (!found || Number(found.timestamp) === timestamp) return;
  throw new BootError(
    `Schema "${schema}" holds an index of another chain ${chainId}: its block ${block} is of ${dateOf(timestamp)}, and that of PONDER_RPC_URL_${chainId} (endpoint ${endpoint}) of ${dateOf(Number(found.timestamp))}.`,
  );
}

const dateOf = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** The finalized block of each chain that the schema has an index of; none for a schema without one. */
async function readFinalized(connectionString: string, schema: string): Promise<Checkpoint[]> {
  const client = new pg.Client({
    connectionString,
    application_name: "vitrine start",
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  // The query reports the loss; without a listener, the event would end the process.
  client.on("error", () => undefined);
  try {
    await client.connect();
    const table = `${escapeIdentifier(schema)}._ponder_checkpoint`;
    const { rows: found } = await client.query("select to_regclass($1) is not null as exists", [table]);
    if (!found[0]?.exists) return [];
    const { rows } = await client.query<{ chainId: string; checkpoint: string }>(
      `select chain_id as "chainId", finalized_checkpoint as checkpoint from ${table}`,
    );
    // A checkpoint may name no block, or one of another chain.
    return rows.flatMap(({ chainId, checkpoint }) => {
      const found = readCheckpoint(checkpoint);
      return found.chainId === Number(chainId) && Number.isSafeInteger(found.block) ? [found] : [];
    });
  } finally {
    await client.end().catch(() => undefined);
  }
}
