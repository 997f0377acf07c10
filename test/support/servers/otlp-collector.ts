/** An OTLP collector over HTTP that keeps the spans it receives, refuses them, or never answers. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  /** As OTLP numbers them: 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
}

export interface Collector {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** Every body, as it arrived. */
  readonly bodies: readonly string[];
  readonly serviceNames: ReadonlySet<string>;
  close(): Promise<void>;
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
type Sent = Omit<ReceivedSpan, "attributes" | "links"> & {
  readonly attributes?: readonly Attribute[];
  readonly links?: ReceivedSpan["links"];
};
interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly Sent[] }[];
  }[];
}

const valuesOf = (attributes: readonly Attribute[] = []): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/** `answer` is the status of each answer, or `never`. */
export async function startCollector(answer: number | "never" = 200): Promise<Collector> {
  const spans: ReceivedSpan[] = [];
  const bodies: string[] = [];
  const serviceNames = new Set<string>();

  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      bodies.push(body);
      for (const { resource, scopeSpans } of (JSON.parse(body) as Export).resourceSpans) {
        serviceNames.add(String(valuesOf(resource.attributes)["service.name"]));
        for (const span of scopeSpans.flatMap((each) => each.spans))
          spans.push({ ...span, attributes: valuesOf(span.attributes), links: span.links ?? [] });
      }
      if (answer === "never") return;
      response.writeHead(answer, { "content-type": "application/json" });
      response.end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    bodies,
    serviceNames,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
