/** OpenTelemetry's own variables (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/). */

import { z } from "zod";
import { BootError } from "../../boot-error.ts";
import { parseUrl } from "../text/parse-url.ts";

const samplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

const address = z
  .string()
  .refine((text) => /^https?:$/.test(parseUrl(text)?.protocol ?? ""), { error: "must be an http(s) URL" });

const protocol = z.literal("http/json", {
  error: (issue) => `must be http/json, the only protocol that Vitrine sends; it is "${issue.input}"`,
});

const positive = z.string().regex(/^[1-9]\d*$/, {
  error: (issue) => `must be a positive integer; it is "${issue.input}"`,
});

// Node.js ends a longer timer at once.
const TIMER_MS_MAX = 2 ** 31 - 1;
const milliseconds = z.string().refine((text) => /^[1-9]\d*$/.test(text) && Number(text) <= TIMER_MS_MAX, {
  error: (issue) =>
    `must be a positive integer of milliseconds, at most ${TIMER_MS_MAX}; it is "${issue.input}"`,
});

// The SDK reads them itself, and where it can't it would go on without a word. The exporter and its protocol it takes
// from code alone.
const environmentSchema = z.object({
  OTEL_EXPORTER_OTLP_ENDPOINT: address.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: address.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: z.string().optional(),
  OTEL_SERVICE_NAME: z.string().optional(),
  OTEL_RESOURCE_ATTRIBUTES: z.string().optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol.optional(),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol.optional(),
  OTEL_TRACES_EXPORTER: z.enum(["otlp", "none"]).optional(),
  OTEL_TRACES_SAMPLER: z.enum(samplers).optional(),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .refine((text) => Number(text) >= 0 && Number(text) <= 1, {
      error: (issue) => `must be a share from 0 to 1, such as 0.1; it is "${issue.input}"`,
    })
    .optional(),
  OTEL_EXPORTER_OTLP_TIMEOUT: milliseconds.optional(),
  OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: milliseconds.optional(),
  OTEL_BSP_SCHEDULE_DELAY: milliseconds.optional(),
  OTEL_BSP_EXPORT_TIMEOUT: milliseconds.optional(),
  OTEL_BSP_MAX_QUEUE_SIZE: positive.optional(),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: positive.optional(),
  OTEL_SDK_DISABLED: z.string().optional(),
});

/**
 * Whether traces are sent. If so, throws one BootError that names every invalid variable; a service that sends none may
 * have the variables of others.
 */
export function isTraced(environment: Readonly<Record<string, string | undefined>>): boolean {
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
  const isDisabled = set.OTEL_SDK_DISABLED?.toLowerCase() === "true" || set.OTEL_TRACES_EXPORTER === "none";
  if (isDisabled || !(set.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? set.OTEL_EXPORTER_OTLP_ENDPOINT))
    return false;
  const parsed = environmentSchema.safeParse(set);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${String(path[0])} ${message}`);
    throw new BootError(`${problems.join("; ")}. See docs/operations.md "Traces".`);
  }
  return true;
}
