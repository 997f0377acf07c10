/** Replaces Ponder's virtual module: stores the handlers that src/indexing registers, so that tests can call them. */

import type { ponder as PonderRegistry } from "ponder:registry";

type Handler = (call: { event: unknown; context: unknown }) => Promise<void>;

export const handlers = new Map<string, Handler>();

export const ponder = {
  on(name: string, handler: Handler): void {
    handlers.set(name, handler);
  },
} as unknown as typeof PonderRegistry;
