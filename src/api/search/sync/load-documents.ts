/** Reads which tokens of a collection have the same document, once somebody asks for stacks. */

import { createYield } from "../../async/yield-to-event-loop.ts";
import type { CollectionIndex } from "../index/collection-index.ts";
import type { Source } from "./load-index.ts";
import { readDocuments } from "./store.ts";

const PAGE_ROWS = 10_000;

export function createDocuments(source: Source) {
  const loading = new WeakMap<CollectionIndex, Promise<void>>();

  return {
    /** Completes the index's documents; a failure rejects, and the next call tries again. */
    async complete(index: CollectionIndex): Promise<void> {
      if (index.documents.isComplete) return;
      const load =
        loading.get(index) ?? loadDocuments(source, index).finally(() => void loading.delete(index));
      loading.set(index, load);
      await load;
    },
  };
}

/** Reads all documents while tokens change. Must not run concurrently. */
async function loadDocuments({ database, collection }: Source, index: CollectionIndex): Promise<void> {
  const yieldToEventLoop = createYield();
  index.documents.begin();
  for (let after = "-1"; ; ) {
    const rows = await readDocuments(database, collection, after, PAGE_ROWS);
    for (const { tokenId, document } of rows) {
      const slot = index.find(tokenId);
      if (slot !== undefined && document !== null) index.documents.fill(slot, document);
      await yieldToEventLoop();
    }
    const last = rows.at(-1);
    if (rows.length < PAGE_ROWS || last === undefined) break;
    after = last.tokenId;
  }
  index.documents.end();
}
