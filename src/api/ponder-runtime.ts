/** The few globals of Ponder 0.17.7 that the serving half relies on, in one place for the next upgrade. */

import http, { type RequestListener } from "node:http";
import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";
import type { Registry } from "prom-client";
import { portFault, stopOnBootError } from "./boot.ts";
import { SUPERVISOR_SERVES } from "./chain/index/node-away.ts";
import { createClientOf } from "./http/client-address.ts";
import { createMemoryRateLimiter } from "./http/limits/rate-limiter.ts";
import { ponderRouteLimit } from "./http/limits/tiers.ts";
import { createGuardedServer } from "./http/server/guard.ts";
import { createConnectionMetrics } from "./http/server/metrics.ts";
import { renderAtMostEvery } from "./http/server/render-metrics.ts";
import type { Logger } from "./logging/logger.ts";
import { loggerForAnyError } from "./logging/ponder-logger.ts";

// Ponder's own metrics are most of a scrape, and no dashboard asks more often.
const METRICS_EVERY_MS = 1_000;

interface PonderGlobals {
  readonly PONDER_COMMON: {
    readonly logger: Logger;
    readonly options: { readonly command: string; readonly port: number; readonly hostname?: string };
    readonly metrics: { readonly registry: Registry };
    readonly apiShutdown: { add(callback: () => Promise<void>): void };
  };
  /** Absent in commands that use no schema, such as `ponder db prune`. */
  readonly PONDER_NAMESPACE_BUILD?: { readonly schema: string };
}

/** False without a supervisor. See `follow` in bin/ponder-child.ts. */
const notifySupervisor = (message: { readonly restart: string } | { readonly listening: true }): boolean =>
  process.connected === true && process.send?.(message) === true;

export function ponderRuntime() {
  let isDraining = false;
  let mayDrain = true;
  let isStopping = false;
  let answer: RequestListener | undefined;
  let isDatabaseAway: (() => Promise<boolean>) | undefined;
  const { PONDER_COMMON, PONDER_NAMESPACE_BUILD } = globalThis as unknown as PonderGlobals;
  return {
    logger: loggerForAnyError(PONDER_COMMON.logger),
    schema: PONDER_NAMESPACE_BUILD?.schema ?? "",
    command: PONDER_COMMON.options.command,
    /** Whether the supervisor serves by itself what can't be indexed further. */
    supervisorServes: process.env[SUPERVISOR_SERVES] !== undefined,
    port: PONDER_COMMON.options.port,
    hostname: PONDER_COMMON.options.hostname,
    /** The registry that Ponder serves on /metrics. */
    get metrics(): Registry {
      return PONDER_COMMON.metrics.registry;
    },

    /**
     * Replaces the next server that Ponder creates, its HTTP server, with ours. Ponder offers no other way, and answers
     * its own routes before any route of ours. /metrics is rendered at most once a second.
     */
    guardServer(trustedProxies: readonly string[], logger: Logger): void {
      const { createServer } = http;
      const { registry } = PONDER_COMMON.metrics;
      renderAtMostEvery(registry, METRICS_EVERY_MS);
      const guard = {
        clientOf: createClientOf(trustedProxies),
        ponderRoutes: createMemoryRateLimiter(ponderRouteLimit),
        onEnd: createConnectionMetrics(registry, logger),
        get answer() {
          return answer;
        },
        get isDatabaseAway() {
          return isDatabaseAway;
        },
        isDraining: () => isDraining,
        isStopping: () => isStopping,
      };
      PONDER_COMMON.apiShutdown.add(async () => {
        isStopping = true;
      });
      const { port, hostname } = PONDER_COMMON.options;
      // Another service may have taken it since this start began, and Ponder would go on to the next one.
      const refusePort = (cause: Error): void =>
        void stopOnBootError(async () => {
          throw await portFault(port, hostname, cause);
        });
      const replace = (createServer: unknown): void => void Object.assign(http, { createServer });
      replace((...given: Parameters<typeof createServer>) => {
        const [, listener] = given;
        // Ponder finds a free port with a server that answers nothing.
        if (typeof listener !== "function") {
          const probe = createServer(...given);
          return probe.once("error", (cause) => {
            // It would try the next one before this start has ended.
            probe.listen = () => probe;
            refusePort(cause);
          });
        }
        replace(createServer);
        const server = createGuardedServer(listener, guard).once("error", refusePort);
        return server.once("listening", () => {
          server.off("error", refusePort);
          notifySupervisor({ listening: true });
        });
      });
    },

    /** Has the guarded server ask the app itself, not Ponder's, for all but Ponder's own routes. */
    answerWith(app: Pick<Hono, "fetch">, isAway: () => Promise<boolean>): void {
      answer = getRequestListener(app.fetch, {
        hostname: PONDER_COMMON.options.hostname,
        // It would reset clients that are still sending a body whose request has been refused.
        autoCleanupIncoming: false,
      });
      isDatabaseAway = isAway;
    },

    /** Runs on SIGINT, SIGTERM and fatal errors, beside Ponder's own shutdown. */
    onStop: (callback: () => Promise<void>): void => PONDER_COMMON.apiShutdown.add(callback),

    /**
     * From an operator's first signal to stop, load balancers learn to send requests elsewhere (see
     * `ServerGuard.isDraining`), and Ponder stops only so many seconds later. A second signal stops it at once.
     */
    drainBeforeStop(seconds: number, logger: Logger): void {
      if (seconds === 0) return;
      for (const signal of ["SIGTERM", "SIGINT"] as const) {
        const stops = process.listeners(signal);
        const stop = (): void => {
          process.off(signal, drain);
          for (const listener of stops) process.on(signal, listener);
          process.emit(signal, signal);
        };
        const drain = (): void => {
          if (isDraining || !mayDrain) {
            stop();
            return;
          }
          isDraining = true;
          logger.info({ msg: "Draining: requests are still answered before the stop", seconds });
          setTimeout(stop, seconds * 1000);
        };
        process.removeAllListeners(signal);
        process.on(signal, drain);
      }
    },

    /**
     * Stops at once, without draining, when the supervisor says so (a restart), and when it is gone: a killed supervisor
     * can't stop this process, and its replacement would find port and schema taken.
     */
    stopWithSupervisor(): void {
      const stop = (): void => {
        mayDrain = false;
        process.kill(process.pid, "SIGINT");
      };
      if (process.channel === undefined) return;
      process.on("message", (message) => {
        if (typeof message === "object" && message !== null && "stop" in message) stop();
      });
      if (process.connected) process.once("disconnect", stop);
      else stop();
    },

    /** Asks the supervisor for an orderly restart. False without a supervisor: then only the operator can restart. */
    askForRestart(reason: string): boolean {
      return notifySupervisor({ restart: reason });
    },

    /**
     * Vite, inside Ponder, exits the process on SIGTERM before Ponder can unlock its schema. The next start would then
     * have to find out that the lock's owner is dead.
     */
    letSigtermUnlockTheSchema(): void {
      for (const listener of process.listeners("SIGTERM")) {
        if (listener.name === "closeServerAndExit")
          process.removeListener("SIGTERM", listener as NodeJS.SignalsListener);
      }
    },
  };
}
