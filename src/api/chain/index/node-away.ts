/** What an indexer and its supervisor agree on for a start without a node. The supervisor loads this, and nothing more of the service. */

import { BootError } from "../../../boot-error.ts";

/** Set in the environment of what a supervisor runs that serves the index by itself after a NodeAwayError. */
export const SUPERVISOR_SERVES = "VITRINE_SUPERVISOR_SERVES";

/** The indexer can't go on without a node, but the index that exists can be served. */
export class NodeAwayError extends BootError {
  /** EX_UNAVAILABLE of sysexits.h. */
  static readonly exitCode = 69;
}
