/** Lets fetches through to the hosts that their URIs lead to, where the claim could not know the host. */

import type { Database } from "../store/database.ts";
import { awaitHost, readPaused } from "./hosts.ts";
import type { Lease } from "./queue.ts";

export interface Admission {
  /** True counts a fetch until it leaves; false when the token was put back, undefined when its lease was lost. */
  enter(lease: Lease, host: string): Promise<boolean | undefined>;
  leave(host: string): void;
}

/** `perHost` bounds what this process asks of one host at once, over and above what its claims took for it. */
export function createAdmission(database: Database, perHost: number): Admission {
  const inside = new Map<string, number>();
  let asking: ReturnType<typeof readPaused> | undefined;

  // A burst of fetches asks once.
  const paused = (): ReturnType<typeof readPaused> => {
    asking ??= readPaused(database).finally(() => {
      asking = undefined;
    });
    return asking;
  };

  return {
    async enter(lease, host) {
      // The claim has looked at the host that it knew.
      const isKnown = host === lease.host;
      const isOpen = isKnown || !(await paused()).has(host);
      const count = inside.get(host) ?? 0;
      if (!isKnown && (!isOpen || count >= perHost)) {
        return (await awaitHost(database, lease, host)) ? false : undefined;
      }
      inside.set(host, count + 1);
      return true;
    },

    leave(host) {
      const count = (inside.get(host) ?? 1) - 1;
      if (count > 0) inside.set(host, count);
      else inside.delete(host);
    },
  };
}
