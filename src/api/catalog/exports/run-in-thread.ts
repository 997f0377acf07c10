/** Runs an export in a thread of its own, whose heap is small: V8 lets garbage grow with the heap that it may use. */

import { startThread } from "../../jobs/thread.ts";
import { fromFault } from "../../jobs/thread-fault.ts";
import type { ExportJob, ExportProgress } from "./export-run.ts";
import type { ExportSettings, FromThread, ThreadStart } from "./export-thread.ts";

// A batch takes a tenth of it, a row group of Parquet a half.
const HEAP_MB = 96;
const YOUNG_MB = 12;

/** As `runExport`. */
export async function runInThread(
  settings: ExportSettings,
  job: ExportJob,
  { onOpen, onWritten }: ExportProgress,
  left: AbortSignal,
): Promise<void> {
  const workerData: ThreadStart = { settings, job };
  const thread = await startThread(new URL("./export-thread.ts", import.meta.url), {
    workerData,
    name: "export",
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: YOUNG_MB },
  });
  const stop = (): void => thread.postMessage("stop");
  if (left.aborted) stop();
  else left.addEventListener("abort", stop, { once: true });
  let failure: Error | undefined = new Error("its thread ended");
  thread.on("message", (message: FromThread) => {
    if (message.type === "open") onOpen(message.asOfBlock);
    else if (message.type === "written") onWritten(message.bytes);
    else failure = message.type === "failure" ? fromFault(message.fault) : undefined;
  });
  thread.on("error", (error: unknown) => {
    failure = error as Error;
  });
  // Only now does nothing write to the file any more.
  await new Promise((resolve) => thread.once("exit", resolve));
  left.removeEventListener("abort", stop);
  if (failure) throw failure;
}
