/** A collection's index that is up to date whenever it is asked for. */

import type { Logger } from "../../http/logger.ts";
import { createYield } from "../../jobs/yield-to-event-loop.ts";
import type { CollectionIndex } from "../index/collection-index.ts";
import { changeSet, type Loaded, loadIndex, putChanges, type Source } from "./load-index.ts";

/** An index as of a moment after it was asked for. */
export interface Current {
  readonly index: CollectionIndex;
  /** Another one whenever the chain's index moves; null before it does. */
  readonly checkpoint: string | null;
}

export interface LiveIndex {
  /** Loads the index at first. A failure is this caller's, and the next one tries again. */
  current(): Promise<Current>;
}

export function createLiveIndex(source: Source, logger: Logger): LiveIndex {
  let loaded: Loaded | undefined;
  /** An update that has not begun, and the one that ends last. */
  let queued: Promise<Current> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  /** What goes on beside answers: runs made anew, or the whole index where most of it is garbage. */
  let upkeep: Promise<void> | undefined;

  async function update(): Promise<Current> {
    loaded ??= await loadIndex(source);
    const known = loaded;
    const look = await changeSet(source, known.look.snapshot);
    if (look.epoch !== known.look.epoch) {
      loaded = undefined;
      return update();
    }
    await putChanges(source, known.index, look);
    // A reload that has ended meanwhile put another one in its place, which is yet to be brought up to date.
    if (loaded?.index === known.index) {
      loaded = { index: known.index, look };
      startUpkeep(known.index);
    }
    return { index: known.index, checkpoint: look.checkpoint };
  }

  function startUpkeep(index: CollectionIndex): void {
    if (upkeep) return;
    if (index.isWasteful) upkeep = keepUp(reload());
    else if (index.needsCompaction) upkeep = keepUp(index.compact(createYield()));
  }

  async function reload(): Promise<void> {
    const fresh = await loadIndex(source);
    // Empty meanwhile where the rows have become others.
    if (loaded) loaded = fresh;
  }

  const keepUp = (work: Promise<void>): Promise<void> =>
    work
      .catch((error: Error) =>
        logger.warn({ msg: "Could not tidy up a search index", reason: error.message }),
      )
      .finally(() => {
        upkeep = undefined;
      });

  return {
    // One at a time, or what was read first might be put in last. An update that has begun may miss what a caller has
    // seen, so it waits for the next, with all who come until that begins.
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
