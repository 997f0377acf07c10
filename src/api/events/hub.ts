/** All readers of this process: they share one look at the database, and none waits for another. */

import type { Database } from "../db/database.ts";
import type { Logger } from "../http/logger.ts";
import { message, position, retry } from "./event.ts";
import { type EventFilter, readAfter, readEnds, readStretch } from "./stream-store.ts";
import { createReader, RETRY_MS, type Reader, type Wire } from "./subscriber.ts";

const POLL_MS = 1_000;
const BATCH_ROWS = 1_000;
// Rows that are looked at in one statement for a reader that wants few of them.
const STRETCH_IDS = 50_000;
// A key that was revoked is noticed within this; every fourth look says that the stream lives.
const LOOK_MS = 4_000;
const LOOKS_PER_BEAT = 4;

export interface Subscription {
  readonly filter: EventFilter;
  /** The last id that the client has; undefined starts with what comes from now on. */
  readonly after: number | undefined;
  /** Whether the client may still read. Rejects when that can't be known, which ends nothing. */
  readonly isAllowed: () => Promise<boolean>;
}

export interface EventHub {
  /** There may be something new. */
  wake(): void;
  /** Serves a reader until it is over. Never rejects. */
  follow(subscription: Subscription, wire: Wire): Promise<void>;
  /** How many readers there are now. */
  readonly size: number;
  /** Tells every reader to come back, to whoever serves then. */
  stop(): Promise<void>;
}

export function createEventHub({ database, logger }: { database: Database; logger: Logger }): EventHub {
  const readers = new Map<Reader, Pick<Subscription, "isAllowed">>();
  /** Those who have all up to `head`, and are offered what follows. */
  const live = new Set<Reader>();
  let head = 0;
  let stopped = false;
  let isWanted = false;
  let pass: Promise<void> | undefined;

  async function look(): Promise<void> {
    while (isWanted && !stopped) {
      isWanted = false;
      try {
        await advance();
      } catch (error) {
        if (!stopped)
          logger.warn({ msg: "Could not read the event stream", reason: (error as Error).message });
      }
    }
  }

  async function advance(): Promise<void> {
    while (live.size > 0 && !stopped) {
      const events = await readAfter(database, head, BATCH_ROWS);
      for (const event of events) {
        head = Math.max(head, event.id);
        for (const reader of live) reader.offer(event);
      }
      if (events.length < BATCH_ROWS) return;
    }
  }

  function wake(): void {
    isWanted = true;
    if (stopped) return;
    pass ??= look().finally(() => {
      pass = undefined;
      if (isWanted) wake();
    });
  }

  /** Writes what was missed, page by page as the reader takes it, until it can join the others. */
  async function catchUp(reader: Reader): Promise<void> {
    while (!reader.isOver) {
      const { last } = await readEnds(database);
      while (reader.position < last && !reader.isOver) {
        const to = Math.min(reader.position + STRETCH_IDS, last);
        const stretch = { after: reader.position, to, limit: BATCH_ROWS };
        const events = await readStretch(database, reader.filter, stretch);
        reader.position = events.length === BATCH_ROWS ? (events.at(-1)?.id ?? to) : to;
        const text = events.map((event) => event.text).join("");
        await reader.write(text === "" ? position(reader.position) : text);
      }
      if (live.size > 0 && reader.position < head) continue;
      // Nobody else needs what lies before; what lies after may be there already.
      if (live.size === 0) head = reader.position;
      live.add(reader);
      return wake();
    }
  }

  async function begin(reader: Reader, after: number | undefined): Promise<void> {
    const { last, resumable } = await readEnds(database);
    await reader.write(retry(RETRY_MS));
    if (after !== undefined && after >= resumable && after <= last) return;
    reader.position = last;
    if (after === undefined) return reader.write(position(last));
    // An id that was never given is of another database.
    const reason = after > last ? "unknown_id" : "too_old";
    await reader.write(message("reset", { reason, last_event_id: after, latest: last }, last));
  }

  async function serve(reader: Reader, after: number | undefined): Promise<void> {
    try {
      await begin(reader, after);
      await catchUp(reader);
    } catch (error) {
      logger.warn({ msg: "Could not catch an event reader up", reason: (error as Error).message });
      reader.sendAway("error: the events can't be read now");
    }
    await reader.pump();
  }

  let looks = 0;
  function lookAtReaders(): void {
    looks++;
    for (const [reader, { isAllowed }] of readers) {
      reader.look();
      if (looks % LOOKS_PER_BEAT === 0 && live.has(reader)) reader.beat();
      isAllowed().then(
        (isIt) => isIt || reader.sendAway("error: the key is not valid any more"),
        () => undefined,
      );
    }
  }

  // Without readers there is nothing to look at.
  let timers: NodeJS.Timeout[] = [];
  function start(): void {
    timers = [setInterval(wake, POLL_MS), setInterval(lookAtReaders, LOOK_MS)];
  }
  function rest(): void {
    for (const timer of timers) clearInterval(timer);
  }

  return {
    wake,

    async follow({ filter, after, isAllowed }, wire) {
      const reader = createReader(wire, filter, after ?? 0);
      wire.gone.then(reader.leave);
      if (stopped) reader.sendAway("the service is stopping");
      if (readers.size === 0) start();
      readers.set(reader, { isAllowed });
      await serve(reader, after);
      readers.delete(reader);
      live.delete(reader);
      if (readers.size === 0) rest();
    },

    get size() {
      return readers.size;
    },

    async stop() {
      stopped = true;
      rest();
      for (const reader of readers.keys()) reader.sendAway("the service is stopping");
      await pass;
    },
  };
}
