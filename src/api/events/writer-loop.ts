/** Runs the writer: woken by the database, with a slow poll as the rule of last resort. */

import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../http/logger.ts";
import type { EventWriter } from "./writer.ts";

// A reverted block sends no notification.
const POLL_MS = 1_000;
// Notifications come in crowds, and a look costs the same for one row as for hundreds.
const GATHER_MS = 50;

export interface EventWriterLoop {
  wake(): void;
  stop(): Promise<void>;
}

/** One pass at a time; a wake during a pass causes one more. A failing pass is logged and tried at the next poll. */
export function startEventWriter(deps: {
  readonly writer: EventWriter;
  readonly logger: Logger;
}): EventWriterLoop {
  const { writer, logger } = deps;
  let stopped = false;
  let isWoken = false;
  let pass: Promise<void> | undefined;

  async function work(): Promise<void> {
    while (isWoken && !stopped) {
      isWoken = false;
      try {
        while (!stopped && (await writer.writeBatch())) {}
      } catch (error) {
        if (!stopped)
          logger.warn({ msg: "Could not write the event stream", reason: (error as Error).message });
      }
      if (!stopped) await sleep(GATHER_MS);
    }
  }

  function wake(): void {
    isWoken = true;
    pass ??= work().finally(() => {
      pass = undefined;
      if (isWoken && !stopped) wake();
    });
  }

  const timer = setInterval(wake, POLL_MS);
  wake();
  return {
    wake,
    async stop() {
      stopped = true;
      clearInterval(timer);
      await pass;
    },
  };
}
