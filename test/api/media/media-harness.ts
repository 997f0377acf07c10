/** The media module as one process has it: a real database, a real host, real decoders and a directory. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach } from "vitest";
import { createGuardedFetch } from "../../../src/api/fetch/guarded-fetch.ts";
import type { LeaseWorker } from "../../../src/api/jobs/lease-worker.ts";
import { type Logger, silentLogger } from "../../../src/api/logging/logger.ts";
import { createDecoder } from "../../../src/api/media/decoder/decoder.ts";
import type { MediaFields } from "../../../src/api/media/display/display.ts";
import { createFetchMedia, type FetchMedia } from "../../../src/api/media/probes/fetch-media.ts";
import { type MediaMetrics, noMetrics } from "../../../src/api/media/probes/metrics.ts";
import { createProbe } from "../../../src/api/media/probes/probe.ts";
import { startMediaWorker } from "../../../src/api/media/probes/worker.ts";
import { createMedia } from "../../../src/api/media/service.ts";
import { openStore } from "../../../src/api/media/storage/disk.ts";
import { onImageProbed } from "../../../src/api/refresh/module.ts";
import type { StoreAddress } from "../../../src/api/store-address.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { noteHost } from "../../support/processes/worker.ts";
import { startLocalServer } from "../../support/servers/local-server.ts";

export const BASE_URL = "https://vitrine.example";

export interface HostAnswer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: Buffer | string;
  /** Ends the connection instead. */
  readonly breaks?: boolean;
  /** Waits for this before anything is answered. */
  readonly after?: Promise<unknown>;
}

export interface MediaRow {
  readonly kind: string;
  readonly status: string;
  readonly reason: string | null;
  readonly file: string | null;
  readonly attempts: number;
  readonly lease: string | null;
  readonly isOpen: boolean;
  /** Whole seconds from now. */
  readonly dueIn: number;
}

export const document = (fields: Partial<MediaFields>): MediaFields => ({
  image: null,
  video: null,
  animation_url: null,
  ...fields,
});

export async function createMediaHarness({ store }: { readonly store?: StoreAddress } = {}) {
  const test = await createTestDatabase();
  const { database } = test;
  const answers = new Map<string, HostAnswer>();
  const server = await startLocalServer(async ({ url = "" }, response) => {
    const answer = answers.get(url) ?? { status: 404, body: "nothing here" };
    await answer.after;
    if (answer.breaks) return response.destroy();
    response.writeHead(answer.status ?? 200, { "content-type": "image/png", ...answer.headers });
    response.end(answer.body ?? "");
  });
  const folder = mkdtempSync(join(tmpdir(), "vitrine-media-"));
  const disk = openStore(store ?? { kind: "folder", folder });
  const decoder = createDecoder({ processes: 2 });
  const media = createMedia({ database, gateways: [`${server.url}/gateway`], baseUrl: BASE_URL });
  const privateHosts = new Set([server.host]);
  const fetch = createGuardedFetch(privateHosts, "Vitrine tests");
  const fetching = { fetch, fetchFromGateway: fetch, gateways: [`${server.url}/gateway`] };
  const workers: LeaseWorker[] = [];

  beforeEach(async () => {
    answers.clear();
    await database.query("truncate vitrine.media, vitrine.media_file, vitrine.media_variant, vitrine.host");
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  });
  afterAll(async () => {
    await decoder.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function read(fields: Partial<MediaFields>) {
    const [shown] = await media.readAll([document(fields)]);
    if (!shown) throw new Error("a document was left out");
    return shown;
  }

  return {
    test,
    database,
    server,
    answers,
    /** `host:port` on this machine that may be asked; it may grow. */
    privateHosts,
    folder,
    disk,
    decoder,
    media,
    read,

    /** One more process that shares the work. */
    startWorker(
      options: {
        concurrency?: number;
        metrics?: MediaMetrics;
        fetchMedia?: FetchMedia;
        logger?: Logger;
        storePauseMs?: number;
      } = {},
    ): LeaseWorker {
      const {
        concurrency = 8,
        metrics = noMetrics,
        fetchMedia = createFetchMedia(fetching),
        logger = silentLogger,
        storePauseMs = 0,
      } = options;
      const worker = startMediaWorker({
        database,
        probe: createProbe({ database, disk, decoder, metrics, fetchMedia }),
        noteHost,
        onImageProbed,
        metrics,
        concurrency,
        storePauseMs,
        logger,
      });
      workers.push(worker);
      return worker;
    },

    /** Enqueues a probe, as a recorded refresh does. */
    async enqueue(...documents: readonly Partial<MediaFields>[]): Promise<void> {
      await database.transaction((tx) => media.enqueue(tx, documents.map(document)));
      for (const worker of workers) worker.wake();
    },

    /** Until nothing is due or being probed. */
    settled: () =>
      eventually(
        async () => {
          for (const worker of workers) worker.wake();
          return database.query(
            "select 1 from vitrine.media where lease is not null or (wanted > done and not_before <= now())",
          );
        },
        (rows) => rows.length === 0,
      ),

    rows: () =>
      database.query<MediaRow>(
        `select kind, status, reason, file, attempts, lease, wanted > done as "isOpen",
                ceil(extract(epoch from not_before - now()))::int as "dueIn" from vitrine.media order by url`,
      ),

    /** Lets time pass: every moment that the tables remember moves into the past. */
    async pass(interval: string): Promise<void> {
      await database.query(
        `update vitrine.media set not_before = not_before - $1::interval, last_started_at = last_started_at - $1::interval,
                leased_until = leased_until - $1::interval, seen_at = seen_at - $1::interval`,
        [interval],
      );
      for (const table of ["media_file", "media_variant"])
        await database.query(`update vitrine.${table} set unused_since = unused_since - $1::interval`, [
          interval,
        ]);
      await database.query("update vitrine.host set paused_until = paused_until - $1::interval", [interval]);
    },

    /** How often a path was asked for. */
    asked: (path: string): number => server.requests.filter(({ url }) => url === path).length,
  };
}
