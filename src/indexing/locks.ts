/** The events of every lock standard (domain/lock-standards.ts), in any layout. */

import { type Context, ponder } from "ponder:registry";
import type { RawLog } from "../domain/event-log.ts";
import {
  type LockEventRule,
  type LockSignature,
  type LockStandardName,
  lockStandards,
  readLockLog,
} from "../domain/lock-standards.ts";
import { recordAnomaly, unreadable } from "./anomalies.ts";
import type { ChainEvent } from "./event-row.ts";
import { changeDefaultLock, changeTokenLock } from "./lock-rows.ts";

interface Call {
  readonly event: ChainEvent & { readonly log: RawLog };
  readonly context: Context;
}

async function recordLock({ event, context }: Call, standard: LockStandardName, rule: LockEventRule) {
  const decoded = readLockLog(rule, event.log);
  if (!decoded) {
    return recordAnomaly(event, context, "unreadable_lock", unreadable(rule.signature, event));
  }
  const { tokenId } = decoded;
  if (tokenId === null) return changeDefaultLock(event, context, standard, decoded.isLocked);
  return changeTokenLock(event, context, standard, { ...decoded, tokenId });
}

for (const { name, events } of lockStandards) {
  for (const rule of events) {
    const signature: LockSignature = rule.signature;
    ponder.on(`Collection:${signature}`, (call: Call) => recordLock(call, name, rule));
  }
}
