/** The schema of what a report says about a document's media. */

import { z } from "@hono/zod-openapi";
import { checkedStatuses } from "../../media/rules.ts";

const checkedSchema = z
  .object({
    status: z.enum(checkedStatuses).openapi({
      description:
        "accepted: it can be shown. rejected: its content, or its URL, can't be. unreachable: it could not be read. skipped: there is no URL, or it has not been checked yet.",
    }),
    reason: z.string().nullable().openapi({ example: "image_too_small: 300x300, at least 480x480" }),
    width: z.number().nullable(),
    height: z.number().nullable(),
    bytes: z.number().nullable(),
    format: z.string().nullable().openapi({ example: "PNG" }),
  })
  .openapi("CheckedMedia");

export const mediaReportSchema = z.object({
  image: checkedSchema,
  video: checkedSchema,
  animation_url: checkedSchema,
});
