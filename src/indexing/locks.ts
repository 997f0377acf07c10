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

type Standards = readonly [LockStandardName, ...LockStandardName[]];

async function recordLock({ event, context }: Call, standards: Standards, rule: LockEventRule) {
  const decoded = readLockLog(rule, event.log);
  if (!decoded) {
    return recordAnomaly(event, context, "unreadable_lock", unreadable(rule.signature, event));
  }
  const { tokenId } = decoded;
  if (tokenId === null) return changeDefaultLock(event, context, standards[0], decoded.isLocked);
  return changeTokenLock(event, context, standards, { ...decoded, tokenId });
}

const rules = lockStandards.flatMap<LockEventRule & { readonly signature: LockSignature }>(
  ({ events }) => events,
);
for (const rule of new Map(rules.map((each) => [each.signature, each])).values()) {
  const { signature } = rule;
  // Several standards may share an event, which has one handler.
  const [first, ...others] = lockStandards.filter(({ events }) =>
    events.some((each: LockEventRule) => each.signature === signature),
  );
  if (!first) continue;
  const standards: Standards = [first.name, ...others.map(({ name }) => name)];
  ponder.on(`Collection:${signature}`, (call: Call) => recordLock(call, standards, rule));
}
