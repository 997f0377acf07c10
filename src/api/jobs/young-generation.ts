/** Lets a thread have a young generation of its own size in a process that sets one by flags. */

import { once } from "node:events";
import { setFlagsFromString } from "node:v8";
import type { Worker } from "node:worker_threads";

const FLAG = /^--(?:min|max)[-_]semi[-_]space[-_]size=\d+$/;

const flags = [...process.execArgv, ...(process.env.NODE_OPTIONS ?? "").split(/\s+/)].filter((each) =>
  FLAG.test(each),
);
let starting = 0;

/**
 * Starts a thread while V8's flags for semi-spaces are off. They are the process's and win over `resourceLimits`; then a
 * small heap is full from the start, and V8 does nothing but collect. A heap that is there keeps its size.
 */
export async function withOwnYoungGeneration(start: () => Worker): Promise<Worker> {
  if (starting++ === 0) for (const flag of flags) setFlagsFromString(flag.replace(/=\d+$/, "=0"));
  try {
    const worker = start();
    await Promise.race([once(worker, "online"), once(worker, "exit")]);
    return worker;
  } finally {
    if (--starting === 0) for (const flag of flags) setFlagsFromString(flag);
  }
}
