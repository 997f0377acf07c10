/** Samples the service every few seconds: memory, files, connections, queue. */

import { setTimeout as sleep } from "node:timers/promises";
import type { Plant } from "../../faults/support/plant.ts";
import { childrenOf, commandOf, descriptorsOf, memoryOf } from "../../support/processes/process-state.ts";

const EVERY_MS = 5_000;
const DECODER = "media/decoder/image-worker";

export interface Sample {
  /** Since the first sample. */
  readonly seconds: number;
  readonly residentMb: number;
  readonly heapMb: number;
  readonly externalMb: number;
  /** The 99th percentile since the last scrape of /metrics, by anyone. */
  readonly loopLagMs: number;
  readonly decoders: number;
  /** All decoders together. */
  readonly decodersMb: number;
  readonly descriptors: number;
  /** Database sessions of the service. */
  readonly connections: number;
  /** Tokens pending a fetch, including rechecks. */
  readonly queue: number;
}

export interface Samples {
  readonly all: readonly Sample[];
  /** Takes one more sample now. */
  take(): Promise<Sample>;
  /** Rejects if a sample failed. */
  stop(): Promise<void>;
}

/** Samples the serving process `pid` and its decoders. Throws on systems without /proc. */
export function startSamples(plant: Plant, { baseUrl, pid }: { baseUrl: string; pid: number }): Samples {
  if (memoryOf(pid) === 0) throw new Error(`the memory of process ${pid} can't be read: this needs Linux`);
  const all: Sample[] = [];
  const startedAt = Date.now();
  const stopping = new AbortController();

  async function take(): Promise<Sample> {
    // Its compiler is a child process too.
    const decoders = childrenOf(pid).filter((child) => commandOf(child).includes(DECODER));
    const [rows, text] = await Promise.all([
      plant.query<{ connections: number; queue: number }>(
        `select (select count(*)::int from pg_stat_activity
                  where datname = current_database() and pid <> pg_backend_pid()) as connections,
                (select count(*)::int from vitrine.refresh where wanted > done) as queue`,
      ),
      fetch(`${baseUrl}/metrics`).then((response) => response.text()),
    ]);
    const metric = (name: string): number => Number(new RegExp(`^${name} (\\S+)`, "m").exec(text)?.[1] ?? 0);
    return {
      seconds: Math.round((Date.now() - startedAt) / 1_000),
      residentMb: memoryOf(pid),
      heapMb: Math.round(metric("nodejs_heap_size_used_bytes") / 1024 / 1024),
      externalMb: Math.round(metric("nodejs_external_memory_bytes") / 1024 / 1024),
      loopLagMs: Math.round(metric("nodejs_eventloop_lag_p99_seconds") * 1_000),
      decoders: decoders.length,
      decodersMb: decoders.reduce((sum, each) => sum + memoryOf(each), 0),
      descriptors: descriptorsOf(pid),
      connections: rows[0]?.connections ?? 0,
      queue: rows[0]?.queue ?? 0,
    };
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      all.push(await take());
      await sleep(EVERY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }
  const running = run();
  // `stop` reports it; an earlier failure must not end the tests.
  running.catch(() => undefined);

  return {
    all,
    take,
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
