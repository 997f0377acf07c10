/** Operator routes that re-read stored documents by new rules. */

import { createRoute, z } from "@hono/zod-openapi";
import { jsonAnswer } from "../http/json-content.ts";
import { createRouter } from "../http/router.ts";
import type { Renormaliser } from "../metadata/renormalise/renormalise.ts";
import type { RenormaliseState } from "../metadata/renormalise/renormalise-store.ts";
import { NORMALISER } from "../metadata/rules.ts";
import { OPERATOR, type OperatorActions } from "./actions.ts";
import { operatorErrors, operatorRoute } from "./route-docs.ts";

const PATH = "/metadata/renormalise";

const progressSchema = z
  .object({
    normaliser: z.int().openapi({ description: "The version of this release's rules.", example: NORMALISER }),
    total: z.int().nullable().openapi({
      description: "Served tokens whose documents were read by older rules; null until they are counted.",
    }),
    done: z.int().openapi({ description: "The number processed so far." }),
    changed: z.int().openapi({ description: "The result of the new rules is served." }),
    rejected: z.int().openapi({
      description: "The result of the new rules is less complete or unreadable; the old one is still served.",
    }),
    missing: z.int().openapi({ description: "The document is no longer stored; a refresh fetches it." }),
    failed: z.int().openapi({ description: "The result could not be recorded; the log says why." }),
    running: z.boolean().openapi({
      description: "True while a process works on it; none does if REFRESH_CONCURRENCY is 0 everywhere.",
    }),
    started_at: z.string().nullable(),
    finished_at: z.string().nullable().openapi({ description: "null while work is left." }),
  })
  .openapi("RenormaliseProgress");

const answers = {
  200: jsonAnswer("Current state", progressSchema),
  ...operatorErrors(),
};

const progressRoute = createRoute({
  ...operatorRoute,
  path: PATH,
  method: "get",
  operationId: "getRenormaliseProgress",
  summary: "The progress of reading stored documents with new rules",
  responses: answers,
});

const requestRoute = createRoute({
  ...operatorRoute,
  path: PATH,
  method: "post",
  operationId: "requestRenormalise",
  summary: "Read stored documents again with the current rules, in the background and without a fetch",
  description:
    "A new release starts this automatically. Another request continues a run in progress, or starts over after a finished one.",
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
