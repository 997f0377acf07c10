/** Which chain triggers are enqueued together, and at which block each token is read. */

import type { Trigger } from "../queue/queue.ts";

export interface TriggerRow {
  readonly id: string;
  readonly collection: string;
  /** Null for one that was stored before sources were. */
  readonly source: string | null;
  readonly from: string;
  readonly to: string;
  readonly scope: "token" | "range" | "collection" | "inverted";
  readonly block: string;
  readonly blockHash: string;
  /** Handled under another schema name before: this index is a re-index. */
  readonly isOld: boolean;
}

/** Ranges of a collection that wait at a time, to be swept; more are replaced by one that spans them all. */
export const RANGES_MAX = 100;

export const namesTokens = ({ source }: TriggerRow): boolean => source !== "retracted";

export const triggerOf = ({ source }: TriggerRow): Trigger =>
  source === "mint" || source === "first_seen" ? "mint" : "event";

/** Triggers that are enqueued together: those of one collection and kind. Inverted ranges enqueue nothing. */
export interface Batch {
  readonly collection: string;
  readonly trigger: Trigger;
  readonly isOld: boolean;
  /** Each token with the newest block that names it; 0 after a reorg, which voids them. */
  readonly tokens: Map<string, number>;
  /**
   * The same over all batches of the collection. A batch that enqueues a token removes it: one fetch serves them all.
   */
  readonly newest: Map<string, number>;
  /** United: a contract may announce its collection, or parts of it, thousands of times in a block. */
  readonly ranges: readonly TriggerRow[];
}

export function group(
  triggers: readonly TriggerRow[],
  trigger: (row: TriggerRow) => Trigger,
): readonly Batch[] {
  const batches = new Map<string, Batch & { ranges: TriggerRow[] }>();
  const newestOf = new Map<string, Map<string, number>>();
  for (const row of triggers) {
    if (row.scope === "inverted") continue;
    const named = { collection: row.collection, trigger: trigger(row), isOld: row.isOld };
    const name = `${named.collection} ${named.trigger} ${named.isOld}`;
    const newest = newestOf.get(named.collection) ?? new Map<string, number>();
    newestOf.set(named.collection, newest);
    const batch: Batch & { ranges: TriggerRow[] } = batches.get(name) ?? {
      ...named,
      tokens: new Map(),
      newest,
      ranges: [],
    };
    batches.set(name, batch);
    if (row.scope !== "token") batch.ranges.push(row);
    else {
      const block = named.trigger === "reorg" ? 0 : Number(row.block);
      for (const blocks of [batch.tokens, newest]) {
        blocks.set(row.from, Math.max(block, blocks.get(row.from) ?? 0));
      }
    }
  }
  // If a mint and an event name the same token, the receipt of the fetch shows the mint.
  const isMint = ({ trigger }: Batch): number => Number(trigger === "mint");
  return [...batches.values()]
    .map((batch) => (batch.ranges.length > 0 ? { ...batch, ranges: unite(batch.ranges) } : batch))
    .sort((a, b) => isMint(b) - isMint(a));
}

interface Span {
  readonly row: TriggerRow;
  readonly from: bigint;
  readonly to: bigint;
  readonly block: bigint;
}

const span = (a: Span, b: Span): Span => ({
  row: b.to > a.to ? b.row : a.row,
  from: a.from < b.from ? a.from : b.from,
  to: a.to > b.to ? a.to : b.to,
  block: a.block > b.block ? a.block : b.block,
});

/**
 * Overlapping and adjacent ranges become one, at the newest block of any. Minted ranges stay as they are: a reorg reverts
 * each by itself.
 */
function unite(ranges: readonly TriggerRow[]): readonly TriggerRow[] {
  const minted = ranges.filter(({ source }) => source === "mint");
  const spans = ranges
    .filter(({ source }) => source !== "mint")
    .map((row): Span => {
      const from = row.scope === "collection" ? 0n : BigInt(row.from);
      return { row, from, to: BigInt(row.to), block: BigInt(row.block) };
    })
    .sort((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0));
  const united: Span[] = [];
  for (const next of spans) {
    const last = united.at(-1);
    if (last && next.from <= last.to + 1n) united[united.length - 1] = span(last, next);
    else united.push(next);
  }
  const few = united.length > RANGES_MAX ? [united.reduce(span)] : united;
  const rows = few.map(({ row, from, to, block }) => ({
    ...row,
    from: String(from),
    to: String(to),
    block: String(block),
  }));
  return [...minted, ...rows];
}

/** Those of the tokens that no batch has enqueued yet, each at the newest block of any; they count as enqueued now. */
export function newestNotEnqueued(
  requested: ReadonlyMap<string, number>,
  newest: Map<string, number>,
): ReadonlyMap<string, number> {
  const left = new Map<string, number>();
  for (const tokenId of requested.keys()) {
    const block = newest.get(tokenId);
    if (block === undefined) continue;
    left.set(tokenId, block);
    newest.delete(tokenId);
  }
  return left;
}
