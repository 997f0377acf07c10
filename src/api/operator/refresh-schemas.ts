/** The documented schemas of the operator's refresh responses. */

import { z } from "@hono/zod-openapi";
import { HOST_TOKENS_MAX } from "../refresh/module.ts";

export const progressSchema = z
  .object({
    refresh_id: z.string(),
    collection: z.string(),
    created_at: z.string(),
    done: z.boolean(),
    tokens: z.object({
      waiting: z.number(),
      updated: z.number(),
      unchanged: z.number(),
      failed: z.number(),
      not_found: z.number(),
    }),
    failures: z
      .array(
        z.object({
          code: z.string().openapi({ description: "The first word of the reasons." }),
          tokens: z.number(),
          example: z.object({ token_id: z.string(), reason: z.string() }),
        }),
      )
      .openapi({ description: "Failed tokens by the first word of their reason, most frequent first." }),
    sweep: z
      .object({
        asked: z.number().openapi({ description: "Tokens of the collection that are or were in the queue." }),
        known: z.number(),
        counted: z.boolean().openapi({ description: "False while `known` is still being counted." }),
        finished: z.boolean().openapi({ description: "True once every known token is queued." }),
      })
      .nullable()
      .openapi({ description: "For a whole collection; null for a refresh of listed token ids." }),
  })
  .openapi("RefreshProgress");

export const overviewSchema = z
  .object({
    queue: z
      .object({
        waiting: z.object({
          request: z.number().openapi({ description: "Requested by partners, clients and the operator." }),
          event: z.number().openapi({ description: "Triggered by the chain." }),
          anonymous: z.number().openapi({ description: "Requested by callers without a key." }),
          background: z.number().openapi({ description: "Sweeps and rechecks." }),
        }),
        oldest_seconds: z.number(),
      })
      .nullable()
      .openapi({ description: "null while the database is too busy to count." }),
    hosts: z.array(
      z.object({
        host: z.string().nullable().openapi({ description: "null for tokens that were never read." }),
        waiting: z.number().openapi({ description: `Counted up to ${HOST_TOKENS_MAX}.` }),
        in_flight: z.number(),
        paused_until: z.string().nullable(),
        reason: z.string().nullable().openapi({ description: "Why it is paused." }),
      }),
    ),
    more_hosts: z.boolean(),
    sweeps: z.array(
      z.object({
        collection: z.string(),
        from_token_id: z.string(),
        to_token_id: z.string(),
        passed: z.number(),
        known: z.number(),
        counted: z.boolean(),
        refresh_id: z.string().nullable().openapi({ description: "null for one triggered by the chain." }),
        created_at: z.string(),
      }),
    ),
    more_sweeps: z.boolean(),
  })
  .openapi("RefreshQueue");
