/** A sample for our own client beside each operation that takes a key (`x-codeSamples`, which references show). */

import { KEY_PARAMETER } from "../http/key.ts";
import { type Schema, schemaExample } from "./schema-example.ts";

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly example?: unknown;
  readonly schema?: Schema;
}
interface Operation {
  readonly operationId?: string;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { example?: unknown; schema?: Schema }>>;
  };
  "x-codeSamples"?: readonly { readonly lang: string; readonly label: string; readonly source: string }[];
}
interface Document {
  readonly paths?: Readonly<Record<string, object>>;
  readonly components?: { readonly schemas?: object };
}

const METHODS = ["get", "put", "post", "patch", "delete"] as const;
const JSON_TYPE = "application/json";
const INDENT = 2;
/** The variable of the samples, as in the client's README. */
const CLIENT = "vitrine";
// Where a schema has no example: ids of what the caller has made are text.
const TEXT = "<id>";

/** Adds the samples in place. They call `baseUrl`, and send what the operation requires, by its own examples. */
export function addClientSamples(document: Document, baseUrl: string): void {
  const schemas = (document.components?.schemas ?? {}) as Readonly<Record<string, Schema>>;
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const method of METHODS) {
      const operation = (item as Readonly<Record<string, Operation>>)[method];
      if (!operation?.security?.some((scheme) => "ApiKeyAuth" in scheme)) continue;
      const source = clientSample(method, path, operation, schemas, baseUrl);
      operation["x-codeSamples"] = [{ lang: "TypeScript", label: "Vitrine client", source }];
    }
  }
}

function clientSample(
  method: string,
  path: string,
  { operationId = "", parameters = [], requestBody }: Operation,
  schemas: Readonly<Record<string, Schema>>,
  baseUrl: string,
): string {
  const sampleOf = (schema: Schema | undefined) => schemaExample({ schemas, text: TEXT }, schema);
  const valuesIn = (place: string): Record<string, unknown> | undefined => {
    const taken = parameters.filter(
      (parameter) => parameter.in === place && parameter.required && parameter.name !== KEY_PARAMETER,
    );
    if (taken.length === 0) return undefined;
    return Object.fromEntries(taken.map(({ name, example, schema }) => [name, example ?? sampleOf(schema)]));
  };
  const content = requestBody?.content[JSON_TYPE];
  const fields = Object.entries({
    path: valuesIn("path"),
    query: valuesIn("query"),
    body: content && (content.example ?? sampleOf(content.schema)),
  }).filter(([, value]) => value !== undefined);
  const carried = fields.map(([name, value]) => `  ${name}: ${literal(value)},\n`).join("");
  const call =
    streams[operationId]?.(literal(valuesIn("path")?.collection_address ?? "")) ??
    `const answer = await ${CLIENT}.request(${literal(method)}, ${literal(path)}, {\n${carried}});`;
  return `import { createVitrine } from "@vitrine/client";

const ${CLIENT} = createVitrine({ baseUrl: ${literal(baseUrl)}, apiKey: "<API_KEY>" });
${call}
`;
}

/** What is no JSON has iterables of its own. */
const streams: Readonly<Record<string, (collection: string) => string>> = {
  streamEvents: () => `for await (const event of ${CLIENT}.events()) console.log(event);`,
  exportCollection: (collection) =>
    `for await (const token of ${CLIENT}.exportTokens(${collection})) console.log(token);`,
};

/** JSON as a person would write it in TypeScript. */
const literal = (value: unknown): string =>
  JSON.stringify(value, undefined, INDENT)
    .replaceAll(/"([a-z_][\w]*)":/gi, "$1:")
    .replaceAll("\n", "\n  ");
