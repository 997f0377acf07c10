import { totalmem } from "node:os";

/** Bytes: the machine's memory, or the part of it that a container may use; Node says 0 or more than there is without one. */
export const usableMemory = (total = totalmem(), limit = process.constrainedMemory()): number =>
  limit > 0 ? Math.min(total, limit) : total;
