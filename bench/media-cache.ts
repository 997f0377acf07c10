/** Ten thousand images of one host through the whole cache, whose processes must stay below a memory ceiling. */

import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createDatabase } from "../src/api/db/database.ts";
import { migrate } from "../src/api/db/migrate.ts";
import { createGuardedFetch } from "../src/api/fetch/guarded-fetch.ts";
import { silentLogger } from "../src/api/logging/logger.ts";
import { createDecoder, type Decoder } from "../src/api/media/decoder/decoder.ts";
import { createFetchMedia } from "../src/api/media/probes/fetch-media.ts";
import { noMetrics } from "../src/api/media/probes/metrics.ts";
import { createProbe } from "../src/api/media/probes/probe.ts";
import { startMediaWorker } from "../src/api/media/probes/worker.ts";
import { createMedia } from "../src/api/media/service.ts";
import { createDisk } from "../src/api/media/storage/disk.ts";
import { stopEmbeddedPostgres } from "../src/api/postgres/embedded-postgres.ts";
import { joinPostgres } from "./postgres.ts";
import { byPace, say } from "./rounds.ts";
import { startScript } from "./script.ts";

const PROCESSES = 2;
const LANES = 8;
const CACHED = byPace(10_000, 100);
const URLS_AT_ONCE = byPace(500, 100);
// Per process: its code, the libraries, and the work in progress.
const CEILING_MB = 400;

export async function benchMediaCache() {
  const decoder = createDecoder({ processes: PROCESSES });
  try {
    return await fillCache(decoder);
  } finally {
    await decoder.close();
  }
}

/** Ten thousand different images of one host through database, fetch, decoders and directory. */
async function fillCache(decoder: Decoder) {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-"));
  chmodSync(folder, 0o711);
  // Its memory is not the service's.
  const pictureHost = await startScript("picture-host.ts");
  const host = `127.0.0.1:${pictureHost.line}`;
  const postgres = await joinPostgres(folder);
  await migrate(postgres);
  const database = createDatabase(postgres, silentLogger);
  const fetch = createGuardedFetch(new Set([host]), "bench");
  const fetchMedia = createFetchMedia({ fetch, fetchFromGateway: fetch, gateways: [] });
  const media = createMedia({ database, gateways: [], baseUrl: "http://bench" });
  const disk = createDisk(join(folder, "media"));
  const worker = startMediaWorker({
    database,
    probe: createProbe({ database, disk, decoder, fetchMedia, metrics: noMetrics }),
    noteHost: async () => undefined,
    metrics: noMetrics,
    // One host gets half of it.
    concurrency: 2 * LANES,
    logger: silentLogger,
  });
  const memory = watchMemory(decoder);
  try {
    const startedAt = performance.now();
    for (let first = 0; first < CACHED; first += URLS_AT_ONCE) {
      const documents = Array.from({ length: URLS_AT_ONCE }, (_, index) => ({
        image: `http://${host}/${first + index}`,
        video: null,
        animation_url: null,
      }));
      await database.transaction((tx) => media.enqueue(tx, documents));
      worker.wake();
    }
    while ((await count("wanted > done")) > 0) await sleep(100);
    const took = (performance.now() - startedAt) / 1000;
    const peaks = memory.stop();
    const files = await count("status = 'accepted'");
    if (files !== CACHED) throw new Error(`${files} of ${CACHED} images were cached`);
    if (peaks.service_mb === 0 || peaks.decoder_mb === 0) throw new Error("the memory could not be measured");
    say(`${CACHED} images in ${took.toFixed(1)} s, ${JSON.stringify(peaks)}`);
    if (Math.max(peaks.service_mb, peaks.decoder_mb) > CEILING_MB)
      throw new Error(`the ceiling is ${CEILING_MB} MB; the processes held ${JSON.stringify(peaks)}`);
    return { cached: CACHED, cached_per_second: Math.round(CACHED / took), ...peaks, ceiling_mb: CEILING_MB };
  } finally {
    memory.stop();
    await worker.stop();
    pictureHost.stop();
    await database.close();
    await stopEmbeddedPostgres(folder);
    rmSync(folder, { recursive: true, force: true });
  }

  async function count(condition: string): Promise<number> {
    const [row] = await database.query<{ count: number }>(
      `select count(*)::int as count from vitrine.media where ${condition}`,
    );
    return row?.count ?? 0;
  }
}

/** The peak resident memory of this process and of any decoder. */
function watchMemory(decoder: Decoder) {
  const peaks = { service_mb: 0, decoder_mb: 0 };
  // Zero for a process that has ended meanwhile.
  const residentMb = (pid: number): number => {
    try {
      const kilobytes = existsSync("/proc")
        ? /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
        : execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" });
      return Math.round(Number(kilobytes ?? 0) / 1024);
    } catch {
      return 0;
    }
  };
  const timer = setInterval(() => {
    peaks.service_mb = Math.max(peaks.service_mb, residentMb(process.pid));
    peaks.decoder_mb = Math.max(peaks.decoder_mb, ...decoder.pids().map(residentMb));
  }, 500);
  return {
    stop: () => {
      clearInterval(timer);
      return peaks;
    },
  };
}
