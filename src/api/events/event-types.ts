/**
 * The event types of the stream: their payloads and their documentation. Routes, the stream, the OpenAPI document and
 * docs/trading.md follow from it. To add one, add a row here, and a database trigger in a migration that inserts its
 * events into vitrine.event_due with `type` and `payload`, in the transaction that makes them known.
 */

import { z } from "@hono/zod-openapi";
import { lockStandardNames } from "../../domain/lock-standards.ts";

/** The columns of a row of the stream that payloads are made of. */
export interface PayloadColumns {
  /** A lock's id in the chain index, which starts with its place on the chain. */
  readonly source: string | null;
  readonly transactionHash: string | null;
  /** The standard of a lock; null for an event published before there were others than ERC-721x. */
  readonly standard: string | null;
  readonly approvedContract: string | null;
  readonly lockCount: number | null;
  readonly anomaly: boolean | null;
  readonly version: number | null;
  readonly contentHash: string | null;
  /** The whole payload of a type that has no columns of its own. */
  readonly payload: Readonly<Record<string, unknown>> | null;
}

interface EventTypeRow {
  /** What it means and what a client should do, in Markdown. */
  readonly meaning: string;
  /** The fields beside those that every event has. */
  readonly payload: z.ZodObject;
  /** `mediaBaseUrl` is where images are served, without a trailing slash. */
  readonly payloadOf: (columns: PayloadColumns, mediaBaseUrl: string) => object;
}

const statePayload = { standard: z.enum(lockStandardNames), locked: z.boolean() };
const placePayload = {
  transaction_hash: z.string().nullable(),
  block: z.int(),
  block_time: z.iso.datetime(),
};
const lockPayload = z.object({
  lock_count: z.int(),
  ...statePayload,
  approved_contract: z.string().nullable(),
  surplus: z.boolean(),
  ...placePayload,
});

const stateOf = ({ standard, lockCount }: PayloadColumns) => ({
  standard: standard ?? "erc721x",
  locked: lockCount !== 0,
});

/** Ponder's id of an event starts with its block's Unix seconds (10 digits), chain (16) and number (16). */
const placeOf = ({ transactionHash, source }: PayloadColumns) => {
  const id = source ?? "";
  return {
    transaction_hash: transactionHash,
    block: Number(id.slice(26, 42)),
    block_time: new Date(Number(id.slice(0, 10)) * 1000).toISOString(),
  };
};

const lock: EventTypeRow = {
  meaning:
    "The lock count after the event, its standard, and its position on the chain. `surplus` marks an ERC-721x unlock without a preceding lock, which changes nothing. `approved_contract` is `null` if the event names none. `locked` is the token's state after the event, across all standards.",
  payload: lockPayload,
  payloadOf: (columns) => ({
    lock_count: columns.lockCount,
    ...stateOf(columns),
    approved_contract: columns.approvedContract,
    surplus: columns.anomaly,
    ...placeOf(columns),
  }),
};

export const eventTypeTable = {
  lock,
  unlock: lock,
  default_lock: {
    meaning:
      "The collection's default is now `locked` or not (ERC-6982): reload what you store about its tokens. Sent once for all tokens, with `token_id` `null`.",
    payload: z.object({ ...statePayload, ...placePayload }),
    payloadOf: (columns) => ({ ...stateOf(columns), ...placeOf(columns) }),
  },
  metadata: {
    meaning:
      "Another `version` with another `content_hash` is now served. For a token read before its mint was indexed, it is sent with the mint.",
    payload: z.object({ version: z.int(), content_hash: z.string().nullable() }),
    payloadOf: ({ version, contentHash }) => ({ version, content_hash: contentHash }),
  },
  media: {
    meaning:
      "The picture behind the URL of the token's image was read for the first time, replaced, or refused: `status`, `url` and `reason` are those of the token's `image`. A document that names another URL is a `metadata` event. Where more than a thousand tokens share an image, it is sent once for each collection, with `token_id` `null`.",
    payload: z.object({
      status: z.enum(["cached", "pending", "rejected"]),
      url: z.string().nullable(),
      reason: z.string().nullable(),
    }),
    payloadOf: ({ payload }, mediaBaseUrl) => {
      const { status, file, reason } = payload ?? {};
      const isShown = status === "accepted" && typeof file === "string";
      return {
        status: isShown ? "cached" : status === "pending" ? "pending" : "rejected",
        url: isShown ? `${mediaBaseUrl}/media/images/${file}` : null,
        reason: reason ?? null,
      };
    },
  },
  collection_refreshed: {
    meaning:
      "A refresh of the whole collection has ended, which an app or the operator requested or an event of the contract started (ERC-4906 for all tokens; then no receipt of yours has the `refresh_id`): `status` is `done` or `cancelled`, `counts` says what became of its tokens, and `issues` how many tokens have which problem now, as in the collection's health (docs/refresh.md); null if they could not be counted in time. Sent once for all tokens, with `token_id` `null`.",
    payload: z.object({
      refresh_id: z.string(),
      status: z.enum(["done", "cancelled"]),
      counts: z.object({
        total: z.int(),
        updated: z.int(),
        unchanged: z.int(),
        failed: z.int(),
        not_found: z.int(),
        cancelled: z.int(),
      }),
      issues: z
        .array(
          z.object({
            code: z.string(),
            kind: z.enum(["read", "document", "image", "stale_image"]),
            count: z.int(),
          }),
        )
        .nullable(),
    }),
    payloadOf: ({ payload }) => ({
      refresh_id: "",
      status: "done",
      counts: { total: 0, updated: 0, unchanged: 0, failed: 0, not_found: 0, cancelled: 0 },
      issues: null,
      ...payload,
    }),
  },
} as const satisfies Readonly<Record<string, EventTypeRow>>;

/** What a client can ask for. */
export type EventType = keyof typeof eventTypeTable;
export const eventTypes = Object.keys(eventTypeTable) as [EventType, ...EventType[]];
export const isEventType = (text: string): text is EventType => Object.hasOwn(eventTypeTable, text);

/** What a client gets beside the types that it asked for. */
export const noticeTable = {
  reverted: {
    fields: ["reverts", "reverted_type"],
    meaning:
      "A reorg reverted the event whose id is in `reverts`. Sent to clients that asked for `reverted_type`. Read the token again. If a reorg puts a lock event before one that stays, the one that stays is reverted, too, and sent again after the new one.",
  },
  reset: {
    fields: ["reason", "last_event_id", "latest"],
    meaning:
      "Missed events are no longer available: the id was `too_old`, or is an `unknown_id` of another database. Reload what you store; the stream continues from `latest`.",
  },
} as const;

/** Every message by its meaning, with the names that share it and the fields of their payload. */
export function documentedEvents(): readonly {
  readonly names: readonly string[];
  readonly fields: readonly string[];
  readonly meaning: string;
}[] {
  const byMeaning = new Map<string, EventType[]>();
  for (const type of eventTypes) {
    const { meaning } = eventTypeTable[type];
    byMeaning.set(meaning, [...(byMeaning.get(meaning) ?? []), type]);
  }
  return [
    ...[...byMeaning].map(([meaning, names]) => ({
      names,
      fields: names.flatMap((name, index) =>
        index === 0 ? Object.keys(eventTypeTable[name].payload.shape) : [],
      ),
      meaning,
    })),
    ...Object.entries(noticeTable).map(([name, { fields, meaning }]) => ({ names: [name], fields, meaning })),
  ];
}
