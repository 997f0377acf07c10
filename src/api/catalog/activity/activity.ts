/** What happened to a token, in a collection or to a wallet: chain events and metadata changes, merged. */

import { z } from "@hono/zod-openapi";
import type { ContractRef } from "../../../domain/token-ref.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import { transferKinds } from "../../chain/index/transfer-kind.ts";
import type { Database } from "../../db/database.ts";
import { pageCursor } from "../../http/page-cursor.ts";
import type { MetadataUpdate, UpdatesQuery } from "../../metadata/records/update-store.ts";
import type { MetadataService } from "../../metadata/service.ts";
import { type ChainActivity, readChainActivity, type Subject } from "./activity-store.ts";

const lockDirections = ["lock", "unlock"] as const;
/** A wallet has no `metadata`: a change of a document is nobody's act, and no record says who held the token then. */
export const walletTypes = [...transferKinds, ...lockDirections] as const;
export const activityTypes = [...walletTypes, "metadata"] as const;
export type ActivityType = (typeof activityTypes)[number];

export interface Activity
  extends Omit<ChainActivity, "id" | "type" | "block" | "transactionHash" | "timestamp"> {
  readonly type: ActivityType;
  readonly at: Date;
  readonly block: number | null;
  /** Null for metadata, which no transaction changes. */
  readonly transactionHash: string | null;
}

export interface ActivityPage {
  readonly items: readonly Activity[];
  readonly nextCursor: string | null;
}

/** The last entry of a page: a chain event, or a version of a document. Of one second, versions are the newer ones. */
const position = z.union([
  z.strictObject({ event: z.string().regex(/^[0-9]{10}[\w-]*$/) }),
  z.strictObject({
    // PostgreSQL has no year 0.
    at: z.iso.datetime({ precision: 6 }).refine((text) => !text.startsWith("0000")),
    version: z.string().regex(/^[0-9]{1,18}$/),
  }),
]);
type Position = z.infer<typeof position>;
const cursors = pageCursor(position);

const TIMESTAMP_DIGITS = 10;
const padded = (seconds: number): string => String(seconds).padStart(TIMESTAMP_DIGITS, "0");
const secondsOf = (at: string): number => Math.floor(Date.parse(at) / 1000);

/** The id below which the chain events of the next page are. No digit sorts after a colon. */
function eventBound(last: Position | undefined): string {
  if (last === undefined) return ":";
  return "event" in last ? last.event : padded(secondsOf(last.at) + 1);
}

function versionBound(last: Position | undefined): UpdatesQuery["before"] {
  if (last === undefined) return { at: "infinity", id: "0" };
  if ("version" in last) return { at: last.at, id: last.version };
  const seconds = Number(last.event.slice(0, TIMESTAMP_DIGITS));
  return { at: new Date(seconds * 1000).toISOString(), id: "0" };
}

export interface ActivityDeps {
  readonly database: Database;
  readonly tables: ChainTables;
  readonly metadata: Pick<MetadataService, "readUpdates">;
}

export interface ActivityQuery {
  /** Undefined for all. */
  readonly types?: readonly ActivityType[] | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

type Entry = Activity & { readonly position: Position; readonly seconds: number };

export const createActivity = ({ database, tables, metadata }: ActivityDeps) => ({
  /**
   * A page of activity, newest first. A page starts where the previous one ended, whatever happened since. Throws
   * INVALID_REQUEST for a cursor of another list.
   */
  async page(
    subject: Subject,
    { types = activityTypes, limit, cursor }: ActivityQuery,
  ): Promise<ActivityPage> {
    const list = ["activity", subject, [...types].sort()];
    const last = cursors.read(list, cursor);
    // One extra entry shows whether another page follows.
    const count = limit + 1;
    const has = (type: ActivityType): boolean => types.includes(type);
    const [events, updates] = await Promise.all([
      readChainActivity(database, tables, subject, {
        transferKinds: transferKinds.filter(has),
        lockDirections: lockDirections.filter(has),
        before: eventBound(last),
        limit: count,
      }),
      subject.of === "wallet" || !has("metadata")
        ? []
        : metadata.readUpdates(database, {
            chainId: subject.chainId,
            collection: subject.address,
            tokenId: subject.of === "token" ? subject.tokenId : undefined,
            before: versionBound(last),
            limit: count,
          }),
    ]);
    const collection = subject.of === "wallet" ? undefined : subject;
    const entries = merge(
      updates.flatMap((update) => (collection ? entryOfUpdate(collection, update) : [])),
      events.map(entryOfEvent),
    );
    const items = entries.slice(0, limit);
    const end = items.at(-1);
    return {
      items,
      nextCursor: entries.length > limit && end ? cursors.write(list, end.position) : null,
    };
  },
});

export type ActivityService = ReturnType<typeof createActivity>;

const entryOfEvent = ({ id, timestamp, ...event }: ChainActivity): Entry => ({
  ...event,
  at: new Date(timestamp * 1000),
  position: { event: id },
  seconds: timestamp,
});

const entryOfUpdate = (
  { chainId, address }: ContractRef,
  { id, tokenId, readBlock, at }: MetadataUpdate,
): Entry => ({
  type: "metadata",
  chainId,
  collection: address,
  tokenId,
  lastTokenId: null,
  from: null,
  to: null,
  quantity: null,
  block: readBlock,
  at: new Date(at),
  transactionHash: null,
  position: { at, version: id },
  seconds: secondsOf(at),
});

/** Two lists, each newest first, as one; of one second, the first list's entries come first. */
function merge(first: readonly Entry[], second: readonly Entry[]): Entry[] {
  const merged: Entry[] = [];
  let at = 0;
  for (const entry of second) {
    for (let next = first[at]; next && next.seconds >= entry.seconds; next = first[++at]) merged.push(next);
    merged.push(entry);
  }
  return [...merged, ...first.slice(at)];
}
