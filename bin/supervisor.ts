/** The supervisor: keeps one Ponder process running, and decides after which exits to restart it. */

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { say } from "../src/api/logging/say.ts";
import {
  describeEnd,
  type End,
  exitCodeOf,
  isPassing,
  isWorthAnotherStart,
  lacksNode,
  startPonder,
} from "./ponder-child.ts";
import { explainRefusal, isOfAnotherIndex, nextSchema, type PonderRefusal } from "./ponder-refusal.ts";

const DELAY_MIN_MS = 250;
const DELAY_MAX_MS = 30_000;
/** A child that lived this long was ready for a while, so its end resets the restart delays. */
export const STEADY_MS = 10_000;
const KILL_AFTER_MS = 10_000;
const PROBE_EVERY_MS = 2_000;
// A node that is behind is asked by Ponder itself, which serves nothing meanwhile.
const SERVE_WHILE_BEHIND_MS = 60_000;
/** npm passes on a terminal's Ctrl-C, which this process has already had: what comes so soon is the same signal. */
export const SAME_SIGNAL_MS = 500;
const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

/** Sent to a child that must not drain: see `stopWithSupervisor` in src/api/ponder-runtime.ts. */
const STOP_AT_ONCE = { stop: "at once" };

export interface SupervisorOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** The child's environment; DATABASE_SCHEMA names its chain index. */
  readonly env: NodeJS.ProcessEnv;
  /** Called before each start of the child; returns what is added to its environment. */
  readonly prepare?: () => Promise<NodeJS.ProcessEnv>;
  /** A value that changes when PostgreSQL restarts; undefined while it is unreachable. */
  readonly probe: () => Promise<string | undefined>;
  /** Serves the index while the indexer lacks a node; without it, the indexer is only started again. */
  readonly replica?: Replica | undefined;
  /** The schema for a new index, where this one holds another code's. If it finds none, or rejects, the next name is. */
  readonly findNext?: (schema: string) => Promise<string | undefined>;
  /** Development waits for a change after a failure, and uses a fresh schema if this one has another code's index. */
  readonly isDevelopment?: boolean;
  /** The destination of the child's stdout; this process's own by default. */
  readonly stdout?: NodeJS.WritableStream;
  readonly onLine?: (line: string) => void;
  readonly pause?: (ms: number, ended: AbortSignal) => Promise<void>;
  readonly now?: () => number;
  readonly probeEveryMs?: number;
  readonly killAfterMs?: number;
  /** How much longer the child may go on after an operator's signal: it drains first. */
  readonly drainMs?: number;
}

export interface Replica {
  /** In place of the indexer's. */
  readonly args: readonly string[];
  /** Resolves once each chain has a node, or when `ended` is aborted. If it rejects, the indexer is started again. */
  readonly untilNodesAnswer: (ended: AbortSignal) => Promise<void>;
}

export interface Supervisor {
  /** Runs until the child is stopped or must not be restarted; returns the exit code. */
  run(): Promise<number>;
  /** Stops the child gracefully, without draining, and restarts it at once. */
  restart(reason: string): void;
  /** Restarts the child on the next schema name; the old chain index is unchanged. */
  rebuild(reason: string): void;
  /** Lets the child drain, and stops it; a second call ends the wait. */
  stop(): void;
}

/** How a child was asked to end: after it has drained, or without that. */
type Interruption = "draining" | "at once";

/** Creates a supervisor for one command. While it runs, it handles the signals that end this process. */
export function createSupervisor({
  command,
  args,
  env,
  prepare = async () => ({}),
  probe,
  replica,
  findNext = async () => undefined,
  isDevelopment = false,
  stdout = process.stdout,
  onLine = say,
  pause = pauseUnlessEnded,
  // Not Date.now: the clock may be set back.
  now = () => performance.now(),
  probeEveryMs = PROBE_EVERY_MS,
  killAfterMs = KILL_AFTER_MS,
  drainMs = 0,
}: SupervisorOptions): Supervisor {
  const childEnv = { ...env };
  const schema = (): string => childEnv.DATABASE_SCHEMA ?? "";
  const outputs = [stdout, process.stderr];
  // A log that can't be written is no reason to stop the service.
  const goOn = (): void => undefined;
  let child: ChildProcess | undefined;
  let interruption: Interruption | undefined;
  let killing: NodeJS.Timeout | undefined;
  let stopAskedAt: number | undefined;
  let isRestartAsked = false;
  let hasRun = false;
  // Its port is the last thing that a start opens; a first index is built after that.
  let hasServed = false;
  let hasFailed = false;
  let listensSince: number | undefined;
  let waiting = new AbortController();

  async function run(): Promise<number> {
    for (const signal of STOP_SIGNALS) process.on(signal, stop);
    process.on("disconnect", stopAtOnce);
    process.on("exit", stopChildAtOnce);
    for (const output of outputs) output.on("error", goOn);
    try {
      return await runUntilFinal();
    } finally {
      for (const signal of STOP_SIGNALS) process.off(signal, stop);
      process.off("disconnect", stopAtOnce);
      process.off("exit", stopChildAtOnce);
      for (const output of outputs) output.off("error", goOn);
    }
  }

  async function runUntilFinal(): Promise<number> {
    let delayMs = DELAY_MIN_MS;
    while (true) {
      isRestartAsked = false;
      let startedAt = now();
      let end = await runChild(args, watchPostgres);
      const serves = replica && lacksNode(end) && !isStopAsked() && !isRestartAsked;
      if (serves) {
        startedAt = now();
        end = await serve(replica, end);
      }
      const endedAt = now();
      const served = listensSince !== undefined && endedAt - listensSince >= STEADY_MS;
      // What fails a start does so however long it takes.
      const failedStart = end.refusal !== undefined || isPassing(end) || end.code === 1;
      const wasSteady = served || (endedAt - startedAt >= STEADY_MS && !failedStart);
      hasServed ||= served;
      hasRun ||= wasSteady;
      if (isStopAsked()) return exitCodeOf(end);
      if (isRestartAsked) continue;

      waiting = new AbortController();
      // Whatever ended a replica, the indexer can say more.
      if (serves || isWorthAnotherStart(end) || mayPass(end)) {
        if (end.refusal && !isOfAnotherIndex(end.refusal)) onLine(explainRefusal(end.refusal));
        // A start that always fails may take long to come to it.
        const failedAgain = end.code === 1 && hasFailed;
        hasFailed = end.code === 1;
        if (wasSteady && !failedAgain) delayMs = 0;
        onLine(
          `Ponder ended ${describeEnd(end)}; starting it again ${delayMs ? `in ${delayMs / 1_000} s` : "at once"}.`,
        );
        if (delayMs > 0) await pause(delayMs, waiting.signal);
        delayMs = Math.min(Math.max(delayMs * 2, DELAY_MIN_MS), DELAY_MAX_MS);
      } else if (isDevelopment && isOfAnotherIndex(end.refusal) && end.refusal.schema === schema()) {
        const by = end.refusal.kind === "other-chain" ? "of another chain" : "built by other code";
        const before = schema();
        childEnv.DATABASE_SCHEMA = nextSchema(before);
        onLine(`Schema "${before}" holds an index ${by}; building one in "${schema()}".`);
      } else {
        if (end.refusal) onLine(await explain(end.refusal));
        if (!isDevelopment || end.code === 0) return exitCodeOf(end);
        onLine(`Ponder ended ${describeEnd(end)}; starting it again after the next change.`);
        if (!waiting.signal.aborted) await once(waiting.signal, "abort");
      }
      if (isStopAsked()) return 0;
    }
  }

  async function explain(refusal: PonderRefusal): Promise<string> {
    if (refusal.kind !== "other-index") return explainRefusal(refusal);
    // What keeps it from being found is not why the start failed.
    return explainRefusal(refusal, await findNext(refusal.schema).catch(() => undefined));
  }

  /**
   * On a first start, an operator is there to read why it ended. A service that has served was configured right, and what
   * keeps it from starting again may pass; but no wait changes what an index was built of.
   */
  const mayPass = (end: End): boolean =>
    (hasRun && isPassing(end)) ||
    (hasServed && !isDevelopment && end.code === 1 && !isOfAnotherIndex(end.refusal));

  /** Serves the index that exists until the indexer can be started again. */
  async function serve({ args, untilNodesAnswer }: Replica, { refusal }: End): Promise<End> {
    if (refusal) onLine(explainRefusal(refusal));
    onLine("Serving what is indexed, without indexing, until the indexer can go on.");
    return runChild(args, async (ended) => {
      // A replica outlives a restart of PostgreSQL; but the connection that watches it must notice.
      void watchProbe(ended, () => undefined);
      if (refusal) await pause(SERVE_WHILE_BEHIND_MS, ended);
      const found = await untilNodesAnswer(ended).then(
        () => "Each chain has a node again",
        (error: Error) => `The nodes can't be watched (${error.message})`,
      );
      if (!ended.aborted) restart(`${found}; starting the indexer.`);
    });
  }

  /** `watch` runs beside the child, and must not reject. */
  async function runChild(
    args: readonly string[],
    watch: (ended: AbortSignal) => Promise<void>,
  ): Promise<End> {
    listensSince = undefined;
    const prepared = await prepare();
    if (isStopAsked()) return { code: 0, signal: null, refusal: undefined };
    const started = startPonder({
      command,
      args,
      env: { ...childEnv, ...prepared },
      stdout,
      onRestart: restart,
      onListening: () => {
        listensSince = now();
      },
      onLine,
    });
    child = started.child;
    interruption = undefined;
    const closed = new AbortController();
    void watch(closed.signal);
    const end = await started.ended;
    closed.abort();
    clearTimeout(killing);
    child = undefined;
    return end;
  }

  /** Ponder commits without waiting for the disk, so a crash may lose a block that it considers stored. */
  const watchPostgres = (ended: AbortSignal): Promise<void> =>
    watchProbe(ended, () =>
      restart(
        "PostgreSQL has restarted; restarting Ponder, which takes up again what the crash may have cost.",
      ),
    );

  /** Calls `onChange` each time that the probe's value has changed. */
  async function watchProbe(ended: AbortSignal, onChange: () => void): Promise<void> {
    let first: string | undefined;
    while (!ended.aborted) {
      const seen = await probe();
      if (ended.aborted) return;
      if (first && seen && seen !== first) onChange();
      first = seen ?? first;
      await pauseUnlessEnded(probeEveryMs, ended);
    }
  }

  function interruptChild(next: Interruption): void {
    if (!child || interruption === next || interruption === "at once") return;
    interruption = next;
    const interrupted = child;
    // A child that is ending may have closed the channel.
    if (next === "at once" && interrupted.connected) interrupted.send(STOP_AT_ONCE, () => undefined);
    // Ponder unlocks its schema on SIGINT; on SIGTERM a handler of its dependencies exits first.
    interrupted.kill("SIGINT");
    clearTimeout(killing);
    killing = setTimeout(
      () => interrupted.kill("SIGKILL"),
      killAfterMs + (next === "draining" ? drainMs : 0),
    );
  }

  const isStopAsked = (): boolean => stopAskedAt !== undefined;
  const stopChildAtOnce = (): void => interruptChild("at once");

  function restart(reason: string): void {
    if (isStopAsked()) return;
    onLine(reason);
    isRestartAsked = true;
    stopChildAtOnce();
    waiting.abort();
  }

  function rebuild(reason: string): void {
    childEnv.DATABASE_SCHEMA = nextSchema(schema());
    restart(`${reason}; building a new index in schema "${schema()}".`);
  }

  function stop(): void {
    const isSecond = stopAskedAt !== undefined && now() - stopAskedAt >= SAME_SIGNAL_MS;
    endWith(isSecond ? "at once" : "draining");
  }

  /** When the process that started this one is gone: nobody drains then, and the next one needs port and schema. */
  const stopAtOnce = (): void => endWith("at once");

  function endWith(next: Interruption): void {
    stopAskedAt ??= now();
    interruptChild(next);
    waiting.abort();
  }

  return { run, restart, rebuild, stop };
}

async function pauseUnlessEnded(ms: number, ended: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal: ended });
  } catch (error) {
    if (!ended.aborted) throw error;
  }
}
