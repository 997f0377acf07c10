/** How much memory search indexes may take: the least recently used are dropped. */

import { Counter, Gauge, type Registry } from "prom-client";
import { collectionKey } from "../../domain/token-ref.ts";
import type { Logger } from "../http/logger.ts";
import type { CollectionRef } from "../metadata/traits/trait-type-store.ts";

// A search index that isn't kept is dropped after this long without requests.
const UNUSED_MS = 30 * 60_000;

interface Entry {
  readonly collection: CollectionRef;
  /** Of the last load, even if it was dropped. */
  bytes: number;
  isLoaded: boolean;
  /** Asked for by a request, not only kept warm. */
  isAsked: boolean;
  usedAt: number;
}

export interface Budget {
  /** Call it before each question; `warm` is one of our own, for which no other search index is dropped. */
  use(collection: CollectionRef, by: "asked" | "warm"): void;
  /** Notes the size of a search index in bytes; 0 if it is gone. Drops what no longer fits. */
  resize(collection: CollectionRef, bytes: number): void;
  /** These stay though nobody asks for them, while they fit. */
  keep(collections: readonly CollectionRef[]): void;
  /** Whether a search index is loaded, or could be without dropping another. */
  hasSpace(collection: CollectionRef): boolean;
  /** The size of all loaded search indexes, in bytes. */
  readonly bytes: number;
}

export function createBudget(deps: {
  /** In bytes. A search index that is larger is kept alone. */
  readonly max: number;
  readonly drop: (collection: CollectionRef) => void;
  readonly logger: Logger;
  readonly metrics?: Registry;
}): Budget {
  const { max, drop, logger } = deps;
  /** Least recently asked for first. */
  const entries = new Map<string, Entry>();
  let kept: ReadonlySet<string> = new Set();
  const metrics = deps.metrics && createSearchMetrics(deps.metrics, total);

  function total(): number {
    let bytes = 0;
    for (const entry of entries.values()) if (entry.isLoaded) bytes += entry.bytes;
    return bytes;
  }

  function dropEntry(entry: Entry): void {
    entry.isLoaded = false;
    entry.isAsked = false;
    drop(entry.collection);
  }

  function evict(entry: Entry): void {
    dropEntry(entry);
    metrics?.evictions.inc();
  }

  function dropUnused(): void {
    for (const [key, entry] of entries) {
      if (kept.has(key) || performance.now() - entry.usedAt <= UNUSED_MS) continue;
      dropEntry(entry);
      entries.delete(key);
    }
  }

  function makeSpace(newest: Entry): void {
    if (total() <= max) return;
    if (!newest.isAsked) {
      evict(newest);
      return;
    }
    for (const entry of entries.values()) {
      if (entry === newest || !entry.isLoaded) continue;
      evict(entry);
      if (total() <= max) return;
    }
    logger.warn({
      msg: "A search index takes more memory than SEARCH_MEMORY_MB allows for all",
      chain_id: newest.collection.chainId,
      collection: newest.collection.collection,
      bytes: newest.bytes,
      allowed: max,
    });
  }

  return {
    use(collection, by) {
      const key = collectionKey(collection);
      const entry = entries.get(key) ?? { collection, bytes: 0, isLoaded: false, isAsked: false, usedAt: 0 };
      if (by === "asked") {
        if (entry.isLoaded) metrics?.hits.inc();
        entry.isAsked = true;
        entries.delete(key);
      }
      entry.usedAt = performance.now();
      entries.set(key, entry);
      dropUnused();
    },
    resize(collection, bytes) {
      const entry = entries.get(collectionKey(collection));
      if (!entry) return;
      if (bytes === 0) {
        entry.isLoaded = false;
        return;
      }
      if (!entry.isLoaded) metrics?.loads.inc();
      const isGrown = !entry.isLoaded || bytes > entry.bytes;
      entry.isLoaded = true;
      entry.bytes = bytes;
      if (isGrown) makeSpace(entry);
    },
    keep(collections) {
      kept = new Set(collections.map(collectionKey));
    },
    hasSpace(collection) {
      const entry = entries.get(collectionKey(collection));
      return entry?.isLoaded || total() + (entry?.bytes ?? 0) < max;
    },
    get bytes() {
      return total();
    },
  };
}

function createSearchMetrics(registry: Registry, bytes: () => number) {
  const registers = [registry];
  new Gauge({
    name: "vitrine_search_index_bytes",
    help: "Memory of the search indexes in this process",
    registers,
    collect() {
      this.set(bytes());
    },
  });
  const count = (name: string, help: string) => new Counter({ name, help, registers });
  return {
    loads: count("vitrine_search_loads_total", "Search indexes loaded"),
    evictions: count("vitrine_search_evictions_total", "Search indexes dropped for want of memory"),
    hits: count("vitrine_search_hits_total", "Searches whose search index was loaded already"),
  };
}
