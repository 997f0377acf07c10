/**
 * OpenTelemetry's SDK, with an exporter of OTLP over HTTP in JSON. Loaded only where the standard's variables name a
 * collector; the SDK itself reads the other ones.
 */

import type { SpanExporter } from "@opentelemetry/sdk-trace-base";
import { withTimeout } from "../async/timeout.ts";
import type { Logger } from "../logging/logger.ts";
import { isTraced } from "./config.ts";
import { traceWith } from "./spans.ts";

// Nothing is lost but spans, and the schema's lock waits for this process.
const STOP_MS = 2_000;
const SERVICE = "vitrine";

export interface StartedTracing {
  /** Sends what is left, for two seconds at most. Never rejects. */
  stop(): Promise<void>;
}

/**
 * Starts if the environment names a collector; it must be the process's own, which the SDK reads too. Throws a BootError for
 * a variable that is no such setting. A collector that is away costs its spans only.
 */
export async function startTracing(
  environment: Readonly<Record<string, string | undefined>>,
  logger: Logger,
): Promise<StartedTracing> {
  if (!isTraced(environment)) return { stop: async () => undefined };
  // By name here and not in a file of ours: the bundle of the serving half would load what such a file imports at once.
  const [sdk, otlp, { defaultResource, detectResources, envDetector, resourceFromAttributes }, core] =
    await Promise.all([
      import("@opentelemetry/sdk-trace-base"),
      import("@opentelemetry/exporter-trace-otlp-http"),
      import("@opentelemetry/resources"),
      import("@opentelemetry/core"),
    ]);
  const resource = defaultResource()
    .merge(resourceFromAttributes({ "service.name": SERVICE }))
    .merge(detectResources({ detectors: [envDetector] }));
  const exporter = warnOnce(new otlp.OTLPTraceExporter(), logger);
  const provider = new sdk.BasicTracerProvider({
    resource,
    spanProcessors: [new sdk.BatchSpanProcessor(exporter)],
  });
  traceWith({ tracer: provider.getTracer(SERVICE), propagator: new core.W3CTraceContextPropagator() });
  logger.info({ msg: "Sending traces to an OpenTelemetry collector" });
  return {
    async stop() {
      traceWith(undefined);
      await withTimeout(STOP_MS, provider.shutdown());
    },
  };
}

/** Warns at the first failure, and again only after a success: a collector may be away for days. */
function warnOnce(exporter: SpanExporter, logger: Logger): SpanExporter {
  let isAway = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const { error } = result;
        if (error && !isAway)
          logger.warn({ msg: "Could not send traces; they were lost", reason: error.message });
        isAway = error !== undefined;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
