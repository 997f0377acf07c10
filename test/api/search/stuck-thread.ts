/** In place of a search thread: one that answers the first question never and pings always, and stops at the second. */

import { parentPort } from "node:worker_threads";
import type { ToThread } from "../../../src/api/search/threads/messages.ts";

let questions = 0;
parentPort?.on("message", ({ type }: ToThread) => {
  if (type === "ping") parentPort?.postMessage({ type: "pong" });
  if (type === "ask" && ++questions === 2) for (;;);
});
parentPort?.postMessage({ type: "ready" });
