/** A collection's search index, brought up to date on every request. */

import { createYield } from "../../async/yield-to-event-loop.ts";
import type { Logger } from "../../logging/logger.ts";
import type { CollectionIndex } from "../index/collection-index.ts";
import { changeSet, type Loaded, loadIndex, putChanges, type Source } from "./load-index.ts";

/** A search index as of some moment after the request for it. */
export interface Current {
  readonly index: CollectionIndex;
  /** Changes with the rows of the chain index; null before it starts. */
  readonly checkpoint: string | null;
}

export interface LiveIndex {
  /** Loads the search index on first use. A failure rejects for the waiting callers; the next call tries again. */
  current(): Promise<Current>;
  /** The memory of what is loaded, in bytes; 0 before. */
  readonly memory: number;
}

export function createLiveIndex(source: Source, logger: Logger): LiveIndex {
  let loaded: Loaded | undefined;
  /** The update that has not begun yet, and the last one in line. */
  let queued: Promise<Current> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  /** Maintenance beside searches: rebuilding the runs, or the whole search index if most of it is garbage. */
  let maintenance: Promise<void> | undefined;

  async function update(): Promise<Current> {
    loaded ??= await loadIndex(source);
    const known = loaded;
    const changes = await changeSet(source, known.changes.snapshot);
    if (changes.epoch !== known.changes.epoch) {
      loaded = undefined;
      return update();
    }
    await putChanges(source, known.index, changes);
    // If a reload replaced the search index meanwhile, the new one still needs an update.
    if (loaded?.index === known.index) {
      loaded = { index: known.index, changes };
      startMaintenance(known.index);
    }
    return { index: known.index, checkpoint: changes.checkpoint };
  }

  function startMaintenance(index: CollectionIndex): void {
    if (maintenance) return;
    if (index.isWasteful) maintenance = maintain(reload());
    else if (index.needsCompaction) maintenance = maintain(index.compact(createYield()));
  }

  async function reload(): Promise<void> {
    const fresh = await loadIndex(source);
    // `loaded` was cleared meanwhile if the epoch changed.
    if (loaded) loaded = fresh;
  }

  const maintain = (work: Promise<void>): Promise<void> =>
    work
      .catch((error: Error) =>
        logger.warn({ msg: "Could not tidy up a search index", reason: error.message }),
      )
      .finally(() => {
        maintenance = undefined;
      });

  return {
    get memory() {
      return loaded?.index.memory ?? 0;
    },
    // One update at a time, or an older read could be applied last. A running update may miss what a caller has already
    // seen, so the caller waits for the next one, with all who arrive before it begins.
    current() {
      if (!queued) {
        queued = last.then(() => {
          queued = undefined;
          return update();
        });
        last = queued.catch(() => undefined);
      }
      return queued;
    },
  };
}
