/** Makes garbage; posts how large the heap is, and how often all of it was collected. */

import { constants, PerformanceObserver } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";
import { parentPort } from "node:worker_threads";

let collections = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries())
    if ((entry as { detail?: { kind?: number } }).detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR)
      collections++;
}).observe({ entryTypes: ["gc"] });

async function makeGarbage(): Promise<void> {
  let kept: number[][] = [];
  for (let round = 0; round < 200; round++) {
    for (let nth = 0; nth < 10; nth++) kept.push(Array.from({ length: 10_000 }, (_, value) => value + 0.5));
    if (round % 3 === 0) kept = [];
    await new Promise((resolve) => setImmediate(resolve));
  }
  parentPort?.postMessage({ committed: getHeapStatistics().total_heap_size, collections });
  parentPort?.close();
}

void makeGarbage();
