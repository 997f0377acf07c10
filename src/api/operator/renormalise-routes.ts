/** Operator routes that re-read stored documents by new rules. */

import { createRoute, z } from "@hono/zod-openapi";
import { createRouter, errorResponses } from "../http/router.ts";
import type { Renormaliser } from "../metadata/renormalise/renormalise.ts";
import type { RenormaliseState } from "../metadata/renormalise/renormalise-store.ts";
import { NORMALISER } from "../metadata/rules.ts";
import { OPERATOR, type OperatorActions } from "./actions.ts";

const PATH = "/metadata/renormalise";

const progressSchema = z
  .object({
    normaliser: z.int().openapi({ description: "The version of this release's rules.", example: NORMALISER }),
    total: z.int().nullable().openapi({
      description: "Tokens that were served as older rules read them; null until they are counted.",
    }),
    done: z.int().openapi({ description: "Those of them that were looked at." }),
    changed: z.int().openapi({ description: "What the new rules made of the document is served." }),
    rejected: z.int().openapi({
      description: "The new rules find it less complete or can't read it; what was served still is.",
    }),
    missing: z.int().openapi({ description: "The document is not kept any more; a refresh reads it." }),
    failed: z.int().openapi({ description: "It could not be recorded; the log says why." }),
    running: z.boolean().openapi({
      description: "A process works at it; none does where REFRESH_CONCURRENCY is 0 everywhere.",
    }),
    started_at: z.string().nullable(),
    finished_at: z.string().nullable().openapi({ description: "null while something is left to do." }),
  })
  .openapi("RenormaliseProgress");

const shared = { tags: ["operator"], security: [{ OperatorToken: [] }], path: PATH };
const answers = {
  200: { description: "As of now", content: { "application/json": { schema: progressSchema } } },
  ...errorResponses("KEY_INVALID", "NOT_FOUND"),
};

const progressRoute = createRoute({
  ...shared,
  method: "get",
  operationId: "getRenormaliseProgress",
  summary: "How far the reading of stored documents by new rules is",
  responses: answers,
});

const requestRoute = createRoute({
  ...shared,
  method: "post",
  operationId: "requestRenormalise",
  summary: "Read stored documents of older rules again, in the background and without a fetch",
  description:
    "A new release starts it by itself. Asked for again, it goes on where it is, or looks at every token once more.",
  responses: answers,
});

export interface RenormaliseRouteDeps {
  readonly renormaliser: Pick<Renormaliser, "progress">;
  readonly actions: OperatorActions;
}

export function renormaliseRoutes({ actions, renormaliser }: RenormaliseRouteDeps) {
  return createRouter()
    .openapi(progressRoute, async (c) => c.json(view(await renormaliser.progress()), 200))
    .openapi(requestRoute, async (c) => c.json(view(await actions.requestRenormalise(OPERATOR)), 200));
}

const view = (state: RenormaliseState | undefined): z.infer<typeof progressSchema> => ({
  normaliser: NORMALISER,
  total: state?.total ?? null,
  done: state?.done ?? 0,
  changed: state?.changed ?? 0,
  rejected: state?.rejected ?? 0,
  missing: state?.missing ?? 0,
  failed: state?.failed ?? 0,
  running: state?.isRunning ?? false,
  started_at: state?.startedAt.toISOString() ?? null,
  finished_at: state?.finishedAt?.toISOString() ?? null,
});
