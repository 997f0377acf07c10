/** The script of a search thread: answers questions from the search indexes that it keeps. */

import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { createDatabase } from "../../db/database.ts";
import { toFault } from "../../jobs/thread-fault.ts";
import type { Logger } from "../../logging/logger.ts";
import { Abandoned } from "../awaited.ts";
import { createLocalHost } from "./local-host.ts";
import { type FromThread, type ThreadStart, type ToThread, threadClock } from "./messages.ts";

const { connectionString, tables } = workerData as ThreadStart;

// Indexing and other requests come first where cores are few. At 10, Linux lets a thread that has just worked wait for its
// turn for up to 40 ms, and a token's lookup with it.
const NICENESS = 4;
// Elsewhere this would be about the whole process.
if (process.platform === "linux") setPriority(NICENESS);

const send = (message: FromThread, transfer: readonly ArrayBuffer[] = []): void =>
  parentPort?.postMessage(message, transfer);

const logTo =
  (level: keyof Logger): Logger["info"] =>
  (entry) =>
    send({ type: "log", level, entry });
const logger: Logger = {
  debug: logTo("debug"),
  info: logTo("info"),
  warn: logTo("warn"),
  error: logTo("error"),
};
// Each thread has connections of its own: few, since its questions share their reads.
// With those that copy, as many as docs/scaling.md says.
const database = createDatabase(connectionString, logger, { plain: 4, keyed: 2 });
const host = createLocalHost({
  database,
  tables,
  logger,
  onSize: (collection, bytes) => send({ type: "size", collection, bytes }),
});

parentPort?.on("message", (message: ToThread) => {
  if (message.type === "ping") return send({ type: "pong" });
  if (message.type === "drop") return host.drop(message.collection);
  const { id, question, deadline } = message;
  host
    .ask(question, () => threadClock() < deadline)
    .then(
      (answer) =>
        send(
          { type: "answer", id, answer },
          answer && "packed" in answer && answer.packed ? [answer.packed.counts.buffer] : [],
        ),
      (error: unknown) => {
        // Its asker has been answered, or is about to be.
        if (error instanceof Abandoned) return;
        send({ type: "failure", id, collection: question.collection, fault: toFault(error) });
      },
    );
});
send({ type: "ready" });
