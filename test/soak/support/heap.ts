/** A service's memory after a garbage collection, read through the inspector that Node opens on a signal. */

import { WebSocket } from "undici";
import { eventually } from "../../support/eventually.ts";

/**
 * For the service's environment: its inspector, once requested, listens on a free port of this machine. Until the
 * signal nothing listens, and the service runs as without it.
 */
export const INSPECTABLE = { NODE_OPTIONS: "--inspect-port=127.0.0.1:0" };

const OPENS_WITHIN_MS = 30_000;
const MEGABYTE = 1024 * 1024;

// The engine compiles frequently used code for as long as it runs, and keeps the result.
const HEAP_USE = `(() => {
  const isCode = ({ space_name }) => space_name.startsWith("code");
  const used = (spaces) => spaces.reduce((sum, { space_used_size }) => sum + space_used_size, 0);
  const spaces = process.getBuiltinModule("v8").getHeapSpaceStatistics();
  const { external, rss } = process.memoryUsage();
  const code = used(spaces.filter(isCode));
  return JSON.stringify({ heap: used(spaces) - code, code, external, resident: rss });
})()`;

/** In MB. */
export interface HeapUse {
  /** Objects still referenced, without machine code. */
  readonly heap: number;
  readonly code: number;
  /** Buffers and other memory outside the heap. */
  readonly external: number;
  readonly resident: number;
}

/** Makes Node's process `pid` open its inspector, unless it has; `log` is the process's output so far. */
export async function createHeapProbe(pid: number, log: () => string): Promise<() => Promise<HeapUse>> {
  process.kill(pid, "SIGUSR1");
  const url = await eventually(
    () => /Debugger listening on (ws:\S+)/.exec(log())?.[1] ?? "",
    (found) => found !== "",
    OPENS_WITHIN_MS,
  );
  return async () => {
    const inspector = await connect(url);
    try {
      // A second collection frees what the first one finalised.
      for (let turn = 0; turn < 2; turn++) await inspector.send("HeapProfiler.collectGarbage");
      const { result } = (await inspector.send("Runtime.evaluate", { expression: HEAP_USE })) as {
        result: { value: string };
      };
      const inMb = ([name, bytes]: [string, number]): [string, number] => [
        name,
        Math.round((bytes / MEGABYTE) * 10) / 10,
      ];
      return Object.fromEntries(
        Object.entries<number>(JSON.parse(result.value)).map(inMb),
      ) as unknown as HeapUse;
    } finally {
      inspector.close();
    }
  };
}

async function connect(url: string) {
  const socket = new WebSocket(url);
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  let last = 0;
  const opened = new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve());
    socket.addEventListener("error", () => reject(new Error(`no inspector at ${url}`)));
  });
  socket.addEventListener("message", ({ data }) => {
    const { id, result, error } = JSON.parse(String(data));
    if (error) waiting.get(id)?.reject(new Error(error.message));
    else waiting.get(id)?.resolve(result);
    waiting.delete(id);
  });
  socket.addEventListener("close", () => {
    for (const { reject } of waiting.values()) reject(new Error("the inspector hung up"));
  });
  await opened;
  return {
    send: (method: string, params: object = {}) =>
      new Promise<unknown>((resolve, reject) => {
        const id = ++last;
        waiting.set(id, { resolve, reject });
        socket.send(JSON.stringify({ id, method, params }));
      }),
    close: () => socket.close(),
  };
}
