/** Refusals to use a schema, parsed from Ponder's output and ours, and what the operator can do about each. */

// Ponder's limit.
const SCHEMA_LENGTH_MAX = 45;
// From 2^53 on, adding one may change nothing.
const COUNTED = /^(.*)_(\d{1,15})$/;
// The JSON log escapes the quotes.
const OTHER_INDEX = /Schema \\?"([^"\\]+)\\?" was previously used by a/;
const IN_USE = /schema \\?"([^"\\]+)\\?"\. A different Ponder app is actively using this schema/;
// Of src/api/chain/index/require-same-chain.ts.
const OTHER_CHAIN = /Schema \\?"([^"\\]+)\\?" holds an index of another chain/;
const NODE_BEHIND = /Finalized block for chain \\?"(\d+)\\?" cannot move backwards/;

export type PonderRefusal =
  | { readonly kind: "other-index" | "in-use" | "other-chain"; readonly schema: string }
  /** The node has not reached the blocks that the index has finalized; it may soon. */
  | { readonly kind: "node-behind"; readonly chainId: string };

/** Whether the schema holds an index of other code, other collections or another chain: only a new index helps then. */
export const isOfAnotherIndex = (
  refusal: PonderRefusal | undefined,
): refusal is Extract<PonderRefusal, { readonly schema: string }> =>
  refusal?.kind === "other-index" || refusal?.kind === "other-chain";

/** The refusal in a line of Ponder's output, if any. */
export function findRefusal(line: string): PonderRefusal | undefined {
  const otherIndex = OTHER_INDEX.exec(line)?.[1];
  if (otherIndex) return { kind: "other-index", schema: otherIndex };
  const otherChain = OTHER_CHAIN.exec(line)?.[1];
  if (otherChain) return { kind: "other-chain", schema: otherChain };
  const chainId = NODE_BEHIND.exec(line)?.[1];
  if (chainId) return { kind: "node-behind", chainId };
  const inUse = IN_USE.exec(line)?.[1];
  return inUse ? { kind: "in-use", schema: inUse } : undefined;
}

/** One sentence for the operator: what is wrong and what to run. `next` is the schema for a new index, if it is known. */
export function explainRefusal(refusal: PonderRefusal, next?: string): string {
  if (refusal.kind === "node-behind")
    return `The node of chain ${refusal.chainId} (PONDER_RPC_URL_${refusal.chainId}, the first endpoint that answers) is behind the blocks that the chain index has finalized; waiting until it has them.`;
  const { kind, schema } = refusal;
  if (kind === "other-chain")
    return `To index the chain that the endpoint has, build a new index: DATABASE_SCHEMA=${nextSchema(schema)} npm start. Otherwise set the variable to an endpoint of the indexed chain.`;
  return kind === "other-index"
    ? `Schema "${schema}" holds an index built by other code or other collections: "npx vitrine index check" says what differs. To build a new one, run "npx vitrine index beside" while the old service goes on, or without one: DATABASE_SCHEMA=${next ?? nextSchema(schema)} npm start`
    : `Schema "${schema}" is in use by another process; stop that process or set DATABASE_SCHEMA to another name.`;
}

/** The name with its number suffix raised, or with the suffix _2 if it has none, or one of more than 15 digits. */
export function nextSchema(name: string): string {
  const [, base = name, number = "1"] = COUNTED.exec(name) ?? [];
  const suffix = `_${Number(number) + 1}`;
  return base.slice(0, SCHEMA_LENGTH_MAX - suffix.length) + suffix;
}
