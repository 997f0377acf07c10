/** The event stream: reconnects by itself and resumes where it was. */

import type { components } from "./api.ts";
import { parseBody, type VitrineError } from "./errors.ts";
import { type CallOptions, networkErrors, type Sender } from "./request.ts";
import { delayOf, isPassing } from "./retry.ts";
import { readSse } from "./sse.ts";
import { createTimeLimit } from "./time-limit.ts";
import { sleep } from "./timer.ts";

/** A message of the stream; `type` says which. */
export type StreamEvent = components["schemas"]["StreamEvent"];
/** The types that a caller can ask for; `reverted` and `reset` come beside them. */
export type EventType = Exclude<StreamEvent["type"], "reverted" | "reset">;

export interface EventOptions extends CallOptions {
  /** Without it, all. */
  readonly types?: readonly EventType[];
  /** Addresses; without it, all. */
  readonly collections?: readonly string[];
  readonly chainId?: number;
  /** Resumes after this event; without it, the stream starts with the next one. */
  readonly lastEventId?: string | number;
}

/** One connection after the other, as one iterator. Leaving the loop, or the signal, closes it. */
export interface EventStream extends AsyncIterable<StreamEvent> {
  /** Pass it as `lastEventId` to go on later, in another process too. Undefined before the first message. */
  readonly lastEventId: string | undefined;
}

// The service sends a comment every 16 seconds. A connection may die unnoticed.
const SILENCE_MS = 45_000;
// A stream never gives up: it must notice the end of a long outage, whatever the service asked for.
const LONGEST_WAIT_MS = 300_000;

/**
 * Events in their order, without a gap or a repetition. After a lost connection, a network fault, 408, 429 or any 5xx it
 * connects again, as often as it takes, with growing delays, or after the time that the service asks for if that is
 * longer, but at most five minutes; any other refusal is thrown.
 */
export function openEvents(sender: Sender, options: EventOptions): EventStream {
  const { types, collections, chainId, signal } = options;
  const query = { type: types?.join(","), collection_address: collections?.join(","), chain_id: chainId };
  let lastEventId = options.lastEventId === undefined ? undefined : String(options.lastEventId);
  let reconnectMs: number | undefined;

  async function* connect(onMessage: () => void): AsyncGenerator<StreamEvent> {
    const silence = createTimeLimit(SILENCE_MS, "The event stream is silent", signal);
    try {
      const headers = { accept: "text/event-stream", ...(lastEventId && { "last-event-id": lastEventId }) };
      const { body, status } = await sender.open("/market/events", {
        method: "GET",
        query,
        headers,
        signal: silence.signal,
      });
      if (!body) return;
      const messages = readSse(body);
      try {
        for (;;) {
          const next = await networkErrors(() => messages.next(), signal);
          if (next.done) return;
          silence.restart();
          onMessage();
          const { event, data, id, retry } = next.value;
          reconnectMs = retry ?? reconnectMs;
          const fields = data === undefined ? undefined : parseBody(data, "event", status);
          // Before the event is handed over: whoever leaves the loop in its body has had it.
          lastEventId = id || lastEventId;
          if (fields) yield { type: event, ...fields } as StreamEvent;
        }
      } finally {
        await messages.return(undefined);
      }
    } finally {
      silence.end();
    }
  }

  async function* follow(): AsyncGenerator<StreamEvent> {
    let attempt = 0;
    for (;;) {
      signal?.throwIfAborted();
      let fault: VitrineError | undefined;
      try {
        yield* connect(() => {
          attempt = 0;
        });
      } catch (error) {
        signal?.throwIfAborted();
        if (!isPassing(error)) throw error;
        fault = error;
      }
      const asked = fault ? fault.retryAfterMs : reconnectMs;
      await sleep(Math.min(Math.max(delayOf(attempt++), asked ?? 0), LONGEST_WAIT_MS), signal);
      reconnectMs = undefined;
    }
  }

  return {
    get lastEventId() {
      return lastEventId;
    },
    [Symbol.asyncIterator]: follow,
  };
}
