/** What a new cluster's postgresql.conf says where PostgreSQL's own defaults are too small; operators may change it. */

import { totalmem } from "node:os";

const MIB = 1024 * 1024;
// The service needs memory as well, and the system caches the files besides.
const MEMORY_SHARE = 1 / 8;
const BUFFERS_MIB = { min: 128, max: 1024 };

/** Bytes: the machine's memory, or the part of it that a container may use; Node says 0 or more than there is without one. */
export const usableMemory = (total = totalmem(), limit = process.constrainedMemory()): number =>
  limit > 0 ? Math.min(total, limit) : total;

/** As `name=value`, where so many bytes of memory can be used. */
export function firstSettings(memoryBytes: number): string[] {
  const share = Math.floor((memoryBytes * MEMORY_SHARE) / MIB);
  const buffers = Math.min(Math.max(share, BUFFERS_MIB.min), BUFFERS_MIB.max);
  return [
    `shared_buffers=${buffers}MB`,
    // Each checkpoint has every page written whole once more: at the default of 1 GB, the first read of 400,000 tokens
    // writes 1.4 times as much.
    "max_wal_size=4GB",
  ];
}
