/** One subscriber of the stream: its queue of unsent events, within bounds, and how it ends. */

import { comment, position, retry, type StreamEvent } from "./event.ts";
import { type EventFilter, matches } from "./stream-store.ts";

// The texts, of a few hundred bytes each, are shared by all subscribers. A burst must not cost a slow subscriber its
// stream.
const QUEUE_MAX = 10_000;
// What is written lies in memory once more for each subscriber, and none that reads slowly needs all of its queue there.
const TEXTS_PER_WRITE = 500;
const STALLED_MS = 30_000;
// How long a dropped subscriber has to read the last message before its connection is closed.
const CUT_AFTER_MS = 2_000;
/** How long clients that are asked to reconnect wait. */
export const RETRY_MS = 2_000;

export interface Wire {
  /** Resolves once the other side can take more. Never rejects. */
  write(text: string): Promise<unknown>;
  /** Closes the connection immediately, whatever is unsent. */
  cut(): void;
  /** Resolves when the other side is gone. */
  readonly gone: Promise<void>;
}

export type Subscriber = ReturnType<typeof createSubscriber>;

export function createSubscriber(wire: Wire, filter: EventFilter, start: number) {
  let queue: string[] = [];
  let isOver = false;
  /** On a clock that is never set. */
  let writingSince: number | undefined;
  let wakeUp = (): void => {};
  let isLost = false;
  let letGo = (): void => {};

  async function write(text: string): Promise<void> {
    if (isLost) return;
    writingSince = performance.now();
    await new Promise<void>((resolve) => {
      letGo = resolve;
      void wire.write(text).then(() => resolve());
    });
    writingSince = undefined;
  }

  /** If the other side reads nothing more, a write may stay open forever. */
  function lose(): void {
    isLost = true;
    letGo();
  }
  void wire.gone.then(lose);

  function end(last: string): void {
    if (isOver) return;
    isOver = true;
    queue = [last];
    wakeUp();
  }

  function drop(why: string): void {
    if (isOver) return;
    end(comment(`error: ${why}; come back with the last id`));
    // A subscriber that reads nothing does not read this either.
    setTimeout(() => {
      wire.cut();
      lose();
    }, CUT_AFTER_MS).unref();
  }

  const subscriber = {
    filter,
    /** The newest id that was offered, whether it passed the filter or not. */
    position: start,
    write,

    get isOver(): boolean {
      return isOver;
    },

    /** Queues an event that is newer than all before; a subscriber whose queue is full is dropped. */
    offer(event: StreamEvent): void {
      if (isOver || event.id <= subscriber.position) return;
      subscriber.position = event.id;
      if (!matches(filter, event)) return;
      if (queue.length < QUEUE_MAX) {
        queue.push(event.text);
        wakeUp();
      } else drop(`more than ${QUEUE_MAX} events were waiting to be read`);
    },

    /** A subscriber that reads nothing for long is dropped. */
    poll(): void {
      if (writingSince === undefined || performance.now() - writingSince < STALLED_MS) return;
      drop(`nothing was read for ${STALLED_MS / 1000} s`);
    },

    /** Sends a heartbeat with the id up to which there was nothing more. For a subscriber that is caught up. */
    beat(): void {
      // Queued events serve the same purpose.
      if (isOver || queue.length > 0) return;
      queue.push(comment("heartbeat") + position(subscriber.position));
      wakeUp();
    },

    /** Ends it for a reason that is not the subscriber's: it may reconnect. */
    sendAway(why: string): void {
      end(retry(RETRY_MS) + comment(why));
    },

    /** The other side is gone. */
    leave(): void {
      isOver = true;
      queue = [];
      wakeUp();
    },

    /** Writes what is offered until the stream ends. */
    async pump(): Promise<void> {
      for (;;) {
        const batch = queue.splice(0, TEXTS_PER_WRITE).join("");
        if (batch !== "") await write(batch);
        else if (isOver) return;
        else {
          await new Promise<void>((resolve) => {
            wakeUp = resolve;
          });
        }
      }
    },
  };
  return subscriber;
}
