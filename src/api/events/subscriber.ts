/** One reader of the stream: what is on its way to it, within bounds, and how it ends. */

import { comment, position, retry, type StreamEvent } from "./event.ts";
import { type EventFilter, matches } from "./stream-store.ts";

// The texts, of a few hundred bytes each, are shared by all readers. A burst must not cost a reader that is far away.
const QUEUE_MAX = 10_000;
const STALLED_MS = 30_000;
// What is left to a reader that is dropped, to take the word of it, before its connection is cut.
const CUT_AFTER_MS = 2_000;
/** How long readers that were told to go stay away. */
export const RETRY_MS = 2_000;

export interface Wire {
  /** Resolves once the other side takes more. Never rejects. */
  write(text: string): Promise<unknown>;
  /** Ends the connection at once, whatever is on its way. */
  cut(): void;
  /** Resolves when the other side is gone. */
  readonly gone: Promise<void>;
}

export type Subscriber = ReturnType<typeof createSubscriber>;

export function createSubscriber(wire: Wire, filter: EventFilter, start: number) {
  let queue: string[] = [];
  let isOver = false;
  let writingSince: number | undefined;
  let wakeUp = (): void => {};
  let isLost = false;
  let letGo = (): void => {};

  async function write(text: string): Promise<void> {
    if (isLost) return;
    writingSince = Date.now();
    await new Promise<void>((resolve) => {
      letGo = resolve;
      void wire.write(text).then(() => resolve());
    });
    writingSince = undefined;
  }

  /** What the other side can't take any more may leave a write open for ever. */
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
    // A reader that takes nothing does not take this either.
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

    /** Takes an event that is newer than all before; a reader that has no room for it is dropped. */
    offer(event: StreamEvent): void {
      if (isOver || event.id <= subscriber.position) return;
      subscriber.position = event.id;
      if (!matches(filter, event)) return;
      if (queue.length < QUEUE_MAX) {
        queue.push(event.text);
        wakeUp();
      } else drop(`more than ${QUEUE_MAX} events were waiting to be read`);
    },

    /** A reader that takes nothing for long is dropped. */
    poll(): void {
      if (writingSince === undefined || Date.now() - writingSince < STALLED_MS) return;
      drop(`nothing was read for ${STALLED_MS / 1000} s`);
    },

    /** Says that the stream lives, and up to where there was nothing more to tell. For a reader that is caught up. */
    beat(): void {
      // What waits says that as well.
      if (isOver || queue.length > 0) return;
      queue.push(comment("heartbeat") + position(subscriber.position));
      wakeUp();
    },

    /** Ends it for a reason that is not the reader's: it may come back. */
    sendAway(why: string): void {
      end(retry(RETRY_MS) + comment(why));
    },

    /** The other side is gone. */
    leave(): void {
      isOver = true;
      queue = [];
      wakeUp();
    },

    /** Writes what is offered until it is over. */
    async pump(): Promise<void> {
      for (;;) {
        const batch = queue.join("");
        queue = [];
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
