/** All subscribers of this process: they share one poll of the database, and none waits for another. */

import { createConcurrencyLimit } from "../async/concurrency.ts";
import type { Database } from "../db/database.ts";
import { startPassLoop } from "../jobs/pass-loop.ts";
import type { Logger } from "../logging/logger.ts";
import { message, position, retry } from "./event.ts";
import { type EventFilter, readAfter, readEnds, readStretch } from "./stream-store.ts";
import { createSubscriber, RETRY_MS, type Subscriber, type Wire } from "./subscriber.ts";

const POLL_MS = 1_000;
const BATCH_ROWS = 1_000;
// How many rows one statement reads for a subscriber whose filter matches few of them.
const STRETCH_IDS = 50_000;
// Each scans up to as many events for a rare filter; other requests need the other connections.
const STRETCHES_AT_ONCE = 2;
// A revoked key is noticed within this time; every fourth check sends a heartbeat.
const CHECK_MS = 4_000;
const CHECKS_PER_BEAT = 4;

export interface Subscription {
  readonly filter: EventFilter;
  /** The last id that the client received; undefined starts with new events. */
  readonly after: number | undefined;
  /** Whether the client may still read. Rejects if that can't be determined, which does not end the stream. */
  readonly isAllowed: () => Promise<boolean>;
}

export interface EventHub {
  /** Reads the stream now: there may be something new. */
  wake(): void;
  /** Serves a subscriber until its stream ends. Never rejects. */
  follow(subscription: Subscription, wire: Wire): Promise<void>;
  /** The number of subscribers. */
  readonly size: number;
  /** Asks every subscriber to reconnect, to whichever process serves then. */
  stop(): Promise<void>;
}

export interface EventHubDeps {
  readonly database: Database;
  /** Where images are served, without a trailing slash. */
  readonly mediaBaseUrl: string;
  readonly logger: Logger;
}

export function createEventHub({ database, mediaBaseUrl, logger }: EventHubDeps): EventHub {
  const subscribers = new Map<Subscriber, Pick<Subscription, "isAllowed">>();
  /** Subscribers that have everything up to `head`, and are offered what follows. */
  const live = new Set<Subscriber>();
  const reading = createConcurrencyLimit(STRETCHES_AT_ONCE);
  let head = 0;
  let stopped = false;

  const polling = startPassLoop({
    task: "read the event stream",
    pollMs: POLL_MS,
    logger,
    async pass(signal) {
      while (live.size > 0 && !signal.aborted) {
        const from = head;
        const events = await readAfter(database, from, BATCH_ROWS, mediaBaseUrl);
        // Those it read for have left, and one that needs earlier events has joined.
        if (head !== from) continue;
        for (const event of events) {
          head = Math.max(head, event.id);
          for (const subscriber of live) subscriber.offer(event);
        }
        if (events.length === 0) await leaveLostHead();
        if (events.length < BATCH_ROWS) return undefined;
      }
      // A subscriber that joins wakes the loop.
      return { inMs: Number.POSITIVE_INFINITY };
    },
  });

  /**
   * The newest id in the database. If that is below what was read before, the database was set back, by a restore or a
   * failover to one that lacks the newest events: other events take those ids, and who is ahead would miss them.
   */
  async function leaveLostHead(): Promise<number> {
    const known = head;
    const { last } = await readEnds(database);
    if (last < known && head === known) {
      for (const subscriber of live) subscriber.sendAway("the database was set back; come back");
      live.clear();
    }
    return last;
  }

  /** Writes what the subscriber missed, page by page as it reads, until it can join the others. */
  async function catchUp(subscriber: Subscriber): Promise<void> {
    while (!subscriber.isOver) {
      const last = await leaveLostHead();
      while (subscriber.position < last && !subscriber.isOver) {
        const to = Math.min(subscriber.position + STRETCH_IDS, last);
        const stretch = { after: subscriber.position, to, limit: BATCH_ROWS };
        const events = await reading(async () =>
          // It may have left while others had their turns.
          subscriber.isOver ? [] : readStretch(database, subscriber.filter, stretch, mediaBaseUrl),
        );
        const ends = await readEnds(database);
        // Some may have been deleted before they were read.
        if (ends.resumable > stretch.after) {
          await reset(subscriber, "too_old", stretch.after, ends.last);
          break;
        }
        subscriber.position = events.length === BATCH_ROWS ? (events.at(-1)?.id ?? to) : to;
        const text = events.map((event) => event.text).join("");
        await subscriber.write(text === "" ? position(subscriber.position) : text);
      }
      if (live.size > 0 && subscriber.position < head) continue;
      // No other subscriber needs earlier events; later ones may be there already.
      if (live.size === 0) head = subscriber.position;
      live.add(subscriber);
      return polling.wake();
    }
  }

  async function begin(subscriber: Subscriber, after: number | undefined): Promise<void> {
    const { last, resumable } = await readEnds(database);
    await subscriber.write(retry(RETRY_MS));
    if (after !== undefined && after >= resumable && after <= last) return;
    if (after === undefined) {
      subscriber.position = last;
      return subscriber.write(position(last));
    }
    // An id that was never assigned comes from another database.
    await reset(subscriber, after > last ? "unknown_id" : "too_old", after, last);
  }

  /** Has a client read everything anew whose events after `after` are lost to it. */
  async function reset(
    subscriber: Subscriber,
    reason: "unknown_id" | "too_old",
    after: number,
    latest: number,
  ): Promise<void> {
    subscriber.position = latest;
    await subscriber.write(message("reset", { reason, last_event_id: after, latest }, latest));
  }

  async function serve(subscriber: Subscriber, after: number | undefined): Promise<void> {
    try {
      await begin(subscriber, after);
      await catchUp(subscriber);
    } catch (error) {
      logger.warn({ msg: "Could not send missed events to a subscriber", reason: (error as Error).message });
      subscriber.sendAway("error: the events can't be read now");
    }
    await subscriber.pump();
  }

  let checks = 0;
  function checkSubscribers(): void {
    checks++;
    for (const [subscriber, { isAllowed }] of subscribers) {
      subscriber.poll();
      if (checks % CHECKS_PER_BEAT === 0 && live.has(subscriber)) subscriber.beat();
      isAllowed().then(
        (isIt) => isIt || subscriber.sendAway("error: the key is no longer valid"),
        () => undefined,
      );
    }
  }

  let checking: NodeJS.Timeout | undefined;

  return {
    wake: polling.wake,

    async follow({ filter, after, isAllowed }, wire) {
      const subscriber = createSubscriber(wire, filter, after ?? 0);
      wire.gone.then(subscriber.leave);
      if (stopped) subscriber.sendAway("the service is stopping");
      if (subscribers.size === 0) checking = setInterval(checkSubscribers, CHECK_MS);
      subscribers.set(subscriber, { isAllowed });
      await serve(subscriber, after);
      subscribers.delete(subscriber);
      live.delete(subscriber);
      if (subscribers.size === 0) clearInterval(checking);
    },

    get size() {
      return subscribers.size;
    },

    async stop() {
      stopped = true;
      clearInterval(checking);
      for (const subscriber of subscribers.keys()) subscriber.sendAway("the service is stopping");
      await polling.stop();
    },
  };
}
