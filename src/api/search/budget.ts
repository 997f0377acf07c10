/** How much memory search indexes may take: the least recently used are dropped, and PostgreSQL answers for the rest. */

import { Counter, Gauge, type Registry } from "prom-client";
import { type CollectionRef, collectionKey } from "../../domain/token-ref.ts";
import { createPromiseCache } from "../async/promise-cache.ts";
import { metricOptions } from "../http/metric-options.ts";
import type { Logger } from "../logging/logger.ts";

// A search index that isn't kept is dropped after this long without requests.
const UNUSED_MS = 30 * 60_000;
// One that was asked for this recently isn't dropped for another: replacing each other by turns, both would mostly load.
const BUSY_MS_PER_MB = 300;
const BYTES_PER_MB = 1_000_000;
// A thread was lost with as many loads of a search index in turn: it takes more than its estimate, and is not loaded again
// for a while. After the first, it is loaded while no other of these is, since either may be at fault.
const LOST_LOADS_MAX = 2;
const LOST_MS = 30 * 60_000;
// A collection that didn't fit may have shrunk.
const ESTIMATE_MS = 60_000;
// More than any service has: all collections are estimated in turn, and one over the limit would cost all of them another.
const ESTIMATES_MAX = 100_000;

interface Entry {
  readonly collection: CollectionRef;
  state: "absent" | "loading" | "loaded";
  /** Estimated until it is loaded. */
  bytes: number;
  /** How far the last load missed its estimate. */
  factor: number;
  /** Loads in turn with which the thread was lost, and when it was last. */
  lostLoads: number;
  lostAt: number;
  /** When a request asked for it last. */
  askedAt: number;
  usedAt: number;
  /** Answered by PostgreSQL. */
  isOutside: boolean;
}

/** A collection that PostgreSQL answers for, and the memory that its search index would take, in bytes. */
export interface Outside {
  readonly collection: CollectionRef;
  readonly bytes: number;
}

export interface Budget {
  /**
   * Call it before each question: says whether to ask the search index, which is loaded if it isn't, or PostgreSQL.
   * `warm` is a question of our own, for which no other search index is dropped. `estimate` returns the memory that the
   * search index will take, in bytes; it is called only if there is a limit.
   */
  place(
    collection: CollectionRef,
    by: "asked" | "warm",
    estimate: () => Promise<number>,
  ): Promise<"memory" | "database">;
  /** The search index could not be loaded. */
  failed(collection: CollectionRef): void;
  /** Notes the size of a search index in bytes; 0 if it is gone. Drops what no longer fits. */
  resize(collection: CollectionRef, bytes: number): void;
  /** These stay though nobody asks for them, while they fit. */
  keep(collections: readonly CollectionRef[]): void;
  /** The size of all search indexes that are loaded or being loaded, in bytes. */
  readonly bytes: number;
  /** The collections asked for in the last half hour that PostgreSQL answers for. */
  readonly outside: readonly Outside[];
}

export function createBudget(deps: {
  /** In bytes. */
  readonly max: number;
  readonly drop: (collection: CollectionRef) => void;
  readonly logger: Logger;
  readonly metrics?: Registry;
}): Budget {
  const { max, drop, logger } = deps;
  /** Least recently asked for first. */
  const entries = new Map<string, Entry>();
  const estimates = createPromiseCache<string, number>({
    max: ESTIMATES_MAX,
    ttlMs: ESTIMATE_MS,
    now: () => performance.now(),
  });
  let kept: ReadonlySet<string> = new Set();
  const metrics = deps.metrics && createSearchMetrics(deps.metrics, total);

  function total(): number {
    let bytes = 0;
    for (const entry of entries.values()) if (entry.state !== "absent") bytes += entry.bytes;
    return bytes;
  }

  function dropEntry(entry: Entry): void {
    entry.state = "absent";
    entry.askedAt = Number.NEGATIVE_INFINITY;
    drop(entry.collection);
  }

  function evict(entry: Entry): void {
    dropEntry(entry);
    metrics?.evictions.inc();
  }

  function dropUnused(): void {
    for (const [key, entry] of entries) {
      if (kept.has(key) || performance.now() - entry.usedAt <= UNUSED_MS) continue;
      if (entry.state !== "absent") dropEntry(entry);
      entries.delete(key);
    }
  }

  function isBusy({ state, askedAt, bytes }: Entry): boolean {
    const busyMs = (bytes / BYTES_PER_MB) * BUSY_MS_PER_MB;
    return state === "loading" || performance.now() - askedAt < busyMs;
  }

  const isFatal = ({ lostLoads, lostAt }: Entry): boolean =>
    lostLoads >= LOST_LOADS_MAX && performance.now() - lostAt < LOST_MS;

  const isWaiting = (entry: Entry): boolean =>
    entry.lostLoads > 0 &&
    [...entries.values()].some((other) => other.state === "loading" && other.lostLoads > 0);

  /** Drops the least recently asked for among `some` until `bytes` more fit; none if they never do. */
  function makeSpace(bytes: number, some: (entry: Entry) => boolean): boolean {
    const dropped: Entry[] = [];
    let left = total() + bytes - max;
    for (const entry of entries.values()) {
      if (left <= 0) break;
      if (entry.state !== "loaded" || !some(entry)) continue;
      dropped.push(entry);
      left -= entry.bytes;
    }
    if (left > 0) return false;
    for (const entry of dropped) evict(entry);
    return true;
  }

  /** The memory it will take. Callers share an estimate. */
  const sizeOf = async (entry: Entry, estimate: () => Promise<number>): Promise<number> =>
    entry.factor * (await estimates.get(collectionKey(entry.collection), estimate));

  function leaveOutside(entry: Entry, bytes: number): void {
    entry.bytes = bytes;
    metrics?.databaseAnswers.inc();
    if (entry.isOutside) return;
    entry.isOutside = true;
    const reason = isFatal(entry)
      ? "loading its search index ended the search thread"
      : "its search index doesn't fit SEARCH_MEMORY_MB";
    logger.warn({
      msg: `PostgreSQL answers searches of a collection: ${reason}`,
      chain_id: entry.collection.chainId,
      collection: entry.collection.collection,
      bytes: Math.round(bytes),
      used: total(),
      allowed: max,
    });
  }

  function entryOf(collection: CollectionRef, by: "asked" | "warm"): Entry {
    const key = collectionKey(collection);
    const entry: Entry = entries.get(key) ?? {
      collection,
      state: "absent",
      bytes: 0,
      factor: 1,
      lostLoads: 0,
      lostAt: Number.NEGATIVE_INFINITY,
      askedAt: Number.NEGATIVE_INFINITY,
      usedAt: 0,
      isOutside: false,
    };
    const now = performance.now();
    if (by === "asked") {
      if (entry.state === "loaded") metrics?.hits.inc();
      entry.askedAt = now;
      entries.delete(key);
    }
    entry.usedAt = now;
    entries.set(key, entry);
    dropUnused();
    return entry;
  }

  return {
    async place(collection, by, estimate) {
      const entry = entryOf(collection, by);
      if (entry.state !== "absent") return "memory";
      const bytes = max === Number.POSITIVE_INFINITY ? 0 : await sizeOf(entry, estimate);
      // Another caller's question may have started the load meanwhile.
      if (entry.state !== "absent") return "memory";
      if (isWaiting(entry)) return "database";
      const fits = !isFatal(entry) && makeSpace(bytes, (other) => by === "asked" && !isBusy(other));
      if (!fits) {
        if (by === "asked") leaveOutside(entry, bytes);
        return "database";
      }
      entry.state = "loading";
      entry.bytes = bytes;
      entry.isOutside = false;
      return "memory";
    },
    failed(collection) {
      const entry = entries.get(collectionKey(collection));
      if (entry?.state === "loading") entry.state = "absent";
    },
    resize(collection, bytes) {
      const entry = entries.get(collectionKey(collection));
      if (!entry) return;
      if (bytes === 0) {
        if (entry.state === "loading") {
          entry.lostLoads++;
          entry.lostAt = performance.now();
        }
        entry.state = "absent";
        return;
      }
      const isFirst = entry.state !== "loaded";
      if (isFirst) metrics?.loads.inc();
      if (entry.state === "loading" && entry.bytes > 0) entry.factor *= bytes / entry.bytes;
      entry.lostLoads = 0;
      const isGrown = isFirst || bytes > entry.bytes;
      entry.state = "loaded";
      entry.bytes = bytes;
      if (!isGrown || total() <= max) return;
      const isAsked = entry.askedAt !== Number.NEGATIVE_INFINITY;
      if (!isAsked || !makeSpace(0, (other) => other !== entry)) evict(entry);
    },
    keep(collections) {
      kept = new Set(collections.map(collectionKey));
    },
    get bytes() {
      return total();
    },
    get outside() {
      return [...entries.values()].filter(({ isOutside }) => isOutside);
    },
  };
}

function createSearchMetrics(registry: Registry, bytes: () => number) {
  const named = metricOptions(registry);
  new Gauge({
    ...named("vitrine_search_index_bytes", "Memory of the search indexes in this process"),
    collect() {
      this.set(bytes());
    },
  });
  const count = (name: string, help: string) => new Counter(named(name, help));
  return {
    loads: count("vitrine_search_loads_total", "Search indexes loaded"),
    evictions: count("vitrine_search_evictions_total", "Search indexes dropped for want of memory"),
    hits: count("vitrine_search_hits_total", "Searches whose search index was loaded already"),
    databaseAnswers: count(
      "vitrine_search_database_answers_total",
      "Searches answered by PostgreSQL because the search index doesn't fit",
    ),
  };
}
