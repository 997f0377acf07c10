/** In place of a search thread: one that fails each question when it is asked the next. */

import { parentPort } from "node:worker_threads";
import type { ToThread } from "../../../src/api/search/threads/messages.ts";

let last: Extract<ToThread, { type: "ask" }> | undefined;
parentPort?.on("message", (message: ToThread) => {
  if (message.type === "ping") parentPort?.postMessage({ type: "pong" });
  if (message.type !== "ask") return;
  if (last) {
    const { id, question } = last;
    const fault = { message: "the database went away" };
    parentPort?.postMessage({ type: "failure", id, collection: question.collection, fault });
  }
  last = message;
});
parentPort?.postMessage({ type: "ready" });
