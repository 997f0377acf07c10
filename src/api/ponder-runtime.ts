/** The few globals of Ponder 0.16.10 that the serving half leans on, in one place for the next upgrade. */

import type { Registry } from "prom-client";
import type { Logger } from "./contract/logger.ts";

interface PonderGlobals {
  readonly PONDER_COMMON: {
    readonly logger: Logger;
    readonly options: { readonly command: string; readonly port: number; readonly hostname?: string };
    readonly metrics: { readonly registry: Registry };
    readonly apiShutdown: { add(callback: () => Promise<void>): void };
  };
  /** Absent in commands that work on no schema, like `ponder db prune`. */
  readonly PONDER_NAMESPACE_BUILD?: { readonly schema: string };
}

export function ponderRuntime() {
  const { PONDER_COMMON, PONDER_NAMESPACE_BUILD } = globalThis as unknown as PonderGlobals;
  return {
    logger: PONDER_COMMON.logger,
    schema: PONDER_NAMESPACE_BUILD?.schema ?? "",
    command: PONDER_COMMON.options.command,
    port: PONDER_COMMON.options.port,
    hostname: PONDER_COMMON.options.hostname,
    /** What Ponder shows on /metrics. */
    get metrics(): Registry {
      return PONDER_COMMON.metrics.registry;
    },

    /** Runs on SIGINT, SIGTERM and fatal errors, beside Ponder's own shutdown. */
    onStop: (callback: () => Promise<void>): void => PONDER_COMMON.apiShutdown.add(callback),

    /** A supervisor that was killed can't stop us, and a start in its place would find port and schema taken. */
    stopWithSupervisor(): void {
      const stop = (): boolean => process.kill(process.pid, "SIGINT");
      if (process.channel === undefined) return;
      if (process.connected) process.once("disconnect", stop);
      else stop();
    },

    /** Asks the supervisor for a restart in order; false without one, and then only the operator can. */
    askForRestart(reason: string): boolean {
      return process.connected === true && process.send?.({ restart: reason }) === true;
    },

    /**
     * Vite, inside Ponder, exits the process on SIGTERM before Ponder can unlock its schema, and the next start
     * would have to find out that the lock is a dead one's.
     */
    letSigtermUnlockTheSchema(): void {
      for (const listener of process.listeners("SIGTERM")) {
        if (listener.name === "closeServerAndExit")
          process.removeListener("SIGTERM", listener as NodeJS.SignalsListener);
      }
    },
  };
}
