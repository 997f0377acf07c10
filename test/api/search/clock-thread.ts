/** In place of a search thread: one that answers each question with the time that it has left. */

import { parentPort } from "node:worker_threads";
import { type ToThread, threadClock } from "../../../src/api/search/threads/messages.ts";

parentPort?.on("message", (message: ToThread) => {
  if (message.type !== "ask") return;
  const { id, deadline } = message;
  parentPort?.postMessage({ type: "answer", id, answer: deadline - threadClock() });
});
parentPort?.postMessage({ type: "ready" });
