/** Records the outcomes of fetches: those that end at about the same time share a transaction (record-batch.ts). */

import type { Database, Queryable } from "../../db/database.ts";
import { type Logger, silentLogger } from "../../logging/logger.ts";
import { currentScope, runInScope, type Scope } from "../../tracing/spans.ts";
import { noRefreshMetrics, type RefreshMetrics } from "../metrics.ts";
import { logRecorded } from "../refresh-spans.ts";
import { type BatchDeps, type FetchedLease, recordBatch } from "./record-batch.ts";

// A transaction costs a dozen round trips, whatever the number of tokens in it.
const TOGETHER_MAX = 256;
// While PostgreSQL works on one transaction, this process prepares the next, once enough outcomes have gathered or if
// the first waits for a lock.
const TRANSACTIONS_MAX = 2;
const SECOND_MIN = 192;
const GATHER_MS = 250;
// While other fetches are under way, the first outcomes wait for as many, or so long: alone, one would take its dozen round
// trips, and those that follow it would wait for them.
const FIRST_MIN = 64;
const FIRST_MS = 15;
// Bodies are up to 2 MiB each, and a statement contains those of a whole batch.
const BYTES_MAX = 8 * 1024 * 1024;
// Of each priority. Hundreds of outcomes may wait while others are fetched: of 2 MiB each, they would take the memory of a
// small machine.
const WAITING_BYTES_MAX = 64 * 1024 * 1024;

/** `lost` if another worker had taken over: nothing was stored. */
export type RecordEnd = "recorded" | "lost";

export interface Recorder {
  /** Resolves once the outcome is committed. Rejects with a fault of ours; then nothing of this fetch was stored. */
  record(fetched: FetchedLease): Promise<RecordEnd>;
  /**
   * False while more than 64 MiB of documents of hosts wait, those that are being recorded included, that were fetched with
   * this priority or a higher one: those of a lower one are recorded later.
   */
  hasSpace(priority: number): boolean;
}

interface Waiting {
  readonly fetched: FetchedLease;
  readonly done: (end: RecordEnd) => void;
  readonly failed: (error: unknown) => void;
  /** Of the fetch. */
  readonly scope: Scope | undefined;
}

export interface RecorderDeps extends BatchDeps {
  readonly database: Database;
  /** Whether fetches are under way whose outcomes will follow soon. None by default. */
  readonly isMoreComing?: () => boolean;
  /** Called when there may be space again. */
  readonly onSpace?: () => void;
  readonly metrics?: RefreshMetrics | undefined;
  /** Gets a line for each caller's request of a batch. */
  readonly logger?: Logger;
}

export function createRecorder(deps: RecorderDeps): Recorder {
  const { database, metrics = noRefreshMetrics, logger = silentLogger, isMoreComing = () => false } = deps;
  const waiting: Waiting[] = [];
  const waitingBytes = new Map<number, number>();
  let working = 0;
  let startedAt = 0;
  let gathering: NodeJS.Timeout | undefined;

  const addBytes = (priority: number, bytes: number): void => {
    waitingBytes.set(priority, (waitingBytes.get(priority) ?? 0) + bytes);
  };

  function hasSpace(priority: number): boolean {
    let sum = 0;
    for (const [each, bytes] of waitingBytes) if (each >= priority) sum += bytes;
    return sum <= WAITING_BYTES_MAX;
  }

  const mayWork = (): boolean =>
    working === 0 ||
    (working < TRANSACTIONS_MAX &&
      (waiting.length >= SECOND_MIN || performance.now() - startedAt > GATHER_MS));

  function begin(): void {
    if (working > 0 || waiting.length >= FIRST_MIN || !isMoreComing()) void work();
    else gathering ??= setTimeout(work, FIRST_MS);
  }

  async function work(): Promise<void> {
    clearTimeout(gathering);
    gathering = undefined;
    while (waiting.length > 0 && mayWork()) {
      working++;
      startedAt = performance.now();
      const batch = takeBatch(waiting);
      // In the trace of one of them: the transaction is the same for all.
      await runInScope(batch.find(({ scope }) => scope)?.scope, () => recordTogether(batch));
      working--;
    }
  }

  async function recordTogether(batch: readonly Waiting[]): Promise<void> {
    try {
      const ends = batch.map(({ fetched }) => fetched);
      const work = (tx: Queryable) => recordBatch(tx, deps, ends);
      const { lost, reports, statuses } = await database.transaction(work, "byKey");
      reports.forEach(metrics.fetched);
      logRecorded(logger, statuses);
      for (const { fetched, done } of batch) done(lost.has(fetched.lease) ? "lost" : "recorded");
    } catch (error) {
      const [only, ...others] = batch;
      if (others.length === 0) return only?.failed(error);
      // An outcome that can't be recorded fails its whole batch, so each is tried on its own.
      for (const each of batch) await recordTogether([each]);
    }
  }

  return {
    record(fetched) {
      const { priority } = fetched.lease;
      // What the contract itself holds took no turn at a host, and would keep others from theirs.
      const bytes = fetched.resolution.host === undefined ? 0 : bytesOf(fetched);
      addBytes(priority, bytes);
      const ending = new Promise<RecordEnd>((done, failed) => {
        waiting.push({ fetched, done, failed, scope: currentScope() });
        begin();
      });
      return ending.finally(() => {
        const wasFull = !hasSpace(0);
        addBytes(priority, -bytes);
        if (wasFull) deps.onSpace?.();
      });
    },
    hasSpace,
  };
}

const bytesOf = ({ resolution }: FetchedLease): number =>
  resolution.kind === "document" ? resolution.document.body.length : 0;

/** By priority: what a caller waits for is not behind a sweep's large documents, a few of which are a batch that takes seconds. */
function takeBatch(waiting: Waiting[]): Waiting[] {
  waiting.sort((a, b) => b.fetched.lease.priority - a.fetched.lease.priority);
  let bytes = 0;
  const end = waiting.findIndex(({ fetched }, index) => {
    bytes += bytesOf(fetched);
    return index > 0 && (index === TOGETHER_MAX || bytes > BYTES_MAX);
  });
  return waiting.splice(0, end === -1 ? waiting.length : end);
}
