/** Readers of the event stream that come and go, each resuming where it left off. */

import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "../../support/eventually.ts";
import { type EventReader, readEvents } from "../../support/http/event-reader.ts";
import { createRandom } from "../../support/random.ts";

const AGAIN_MS = 1_000;
const CAUGHT_UP_WITHIN_MS = 60_000;

export interface StoredEvent {
  readonly id: number;
  readonly subject: string;
}

export interface Subscribers {
  connections(): number;
  /** How many events were read, after the end. */
  events(): number;
  /** Lets each reader read up to this id, then disconnects it. */
  stop(upTo: number): Promise<void>;
  /** Deviations of each reader's events from those it should have received of these. */
  faults(stored: readonly StoredEvent[]): readonly string[];
}

interface Plan {
  /** Event types; all if absent. */
  readonly types?: readonly string[];
  /** How long a connection lasts, in seconds; if absent, until the server closes it. */
  readonly staysSeconds?: readonly [number, number];
}

const PLANS: readonly Plan[] = [
  {},
  { types: ["lock", "unlock"] },
  { staysSeconds: [2, 20] },
  { staysSeconds: [1, 5] },
  { staysSeconds: [5, 40], types: ["metadata"] },
  { staysSeconds: [1, 10], types: ["lock", "unlock"] },
];

/** Starts the readers after the event with this id. */
export function startSubscribers(
  baseUrl: string,
  { key, after, seed }: { key: string; after: number; seed: number },
): Subscribers {
  const stopping = new AbortController();
  setMaxListeners(PLANS.length, stopping.signal);
  let connections = 0;
  let goal: number | undefined;

  async function follow(plan: Plan, index: number): Promise<readonly number[]> {
    const random = createRandom(seed, index);
    const ids: number[] = [];
    let position = after;
    const query = plan.types ? `?type=${plan.types.join(",")}` : "";
    while (goal === undefined || position < goal) {
      const reader = await readEvents(`${baseUrl}/market/events${query}`, {
        "x-api-key": key,
        "last-event-id": String(position),
      }).catch(() => undefined);
      if (reader) {
        connections++;
        await stay(reader, plan.staysSeconds && random.whole(...plan.staysSeconds));
        // Taken together: later events are no longer read.
        ids.push(...reader.events.map(({ id }) => id));
        position = reader.lastId ?? position;
        reader.close();
      }
      await sleep(reader ? random.whole(0, 3_000) : AGAIN_MS, undefined, { signal: stopping.signal }).catch(
        () => undefined,
      );
    }
    return ids;
  }

  async function stay(reader: EventReader, seconds = Number.POSITIVE_INFINITY): Promise<void> {
    const until = Date.now() + seconds * 1_000;
    while (reader.isOpen && (goal === undefined ? Date.now() < until : (reader.lastId ?? 0) < goal))
      await sleep(100);
  }

  const following = PLANS.map((plan, index) => follow(plan, index));
  let read: readonly (readonly number[])[] = [];

  return {
    connections: () => connections,
    events: () => read.flat().length,
    async stop(upTo) {
      goal = upTo;
      stopping.abort();
      let isDone = false;
      const all = Promise.all(following).then((ids) => {
        read = ids;
        isDone = true;
      });
      await eventually(() => isDone, Boolean, CAUGHT_UP_WITHIN_MS);
      await all;
    },
    faults: (stored) =>
      PLANS.flatMap(({ types }, index) => {
        const expected = stored
          .filter(({ id, subject }) => id > after && id <= (goal ?? 0) && (types?.includes(subject) ?? true))
          .map(({ id }) => id);
        const got = (read[index] ?? []).filter((id) => id <= (goal ?? 0));
        const at = expected.findIndex((id, place) => got[place] !== id);
        if (at < 0 && got.length === expected.length) return [];
        const place = at < 0 ? expected.length : at;
        const around = (ids: readonly number[]): string =>
          ids.slice(Math.max(0, place - 2), place + 3).join(" ");
        return [
          `reader ${index} (${types?.join(", ") ?? "all"}) got ${got.length} events of ${expected.length}; around the first difference ${around(got)} instead of ${around(expected)}`,
        ];
      }),
  };
}
