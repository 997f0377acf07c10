/** The Postman collection (format 2.1.0), generated from the OpenAPI document. */

import { type Schema, schemaExample } from "../src/api/app/schema-example.ts";

interface Operation {
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> };
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

interface Document {
  readonly info: { readonly title: string; readonly description?: string };
  readonly servers?: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

const FORMAT = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";
const METHODS = ["get", "put", "post", "patch", "delete"];

/** JSON with a folder per tag, and the variables `baseUrl`, `apiKey` and `operatorToken`. */
export function printPostman(openApi: string): string {
  const document = JSON.parse(openApi) as Document;
  const folders = new Map<string, object[]>();
  for (const [path, operations] of Object.entries(document.paths))
    for (const method of METHODS) {
      const operation = operations[method];
      if (!operation) continue;
      const [tag = "other"] = operation.tags ?? [];
      folders.set(tag, [...(folders.get(tag) ?? []), itemOf(document, method, path, operation)]);
    }
  const collection = {
    info: { name: document.info.title, description: document.info.description ?? "", schema: FORMAT },
    auth: keyAuth("apikey", [
      ["key", "X-API-Key"],
      ["value", "{{apiKey}}"],
      ["in", "header"],
    ]),
    variable: [
      { key: "baseUrl", value: document.servers?.[0]?.url ?? "" },
      { key: "apiKey", value: "" },
      { key: "operatorToken", value: "" },
    ],
    item: [...folders].map(([name, item]) => ({ name, item })),
  };
  return `${JSON.stringify(collection, null, 2)}\n`;
}

function itemOf(document: Document, method: string, path: string, operation: Operation): object {
  const { parameters = [], security, summary, description, operationId } = operation;
  const query = parameters.filter((each) => each.in === "query").map(parameterOf(document));
  const text = path.replaceAll(/\{(\w+)\}/g, ":$1");
  const schema = operation.requestBody?.content?.["application/json"]?.schema;
  const search = query.filter(({ disabled }) => !disabled).map(({ key, value }) => `${key}=${value}`);
  return {
    name: summary ?? operationId ?? text,
    request: {
      method: method.toUpperCase(),
      description: description ?? "",
      ...authOf(security),
      header: [
        ...(schema ? [{ key: "Content-Type", value: "application/json" }] : []),
        ...parameters.filter((each) => each.in === "header").map(parameterOf(document)),
      ],
      url: {
        raw: `{{baseUrl}}${text}${search.length > 0 ? `?${search.join("&")}` : ""}`,
        host: ["{{baseUrl}}"],
        path: text.split("/").slice(1),
        query,
        variable: parameters
          .filter((each) => each.in === "path")
          .map(parameterOf(document))
          .map(({ disabled: _, ...field }) => field),
      },
      ...(schema && { body: bodyOf(document, schema) }),
    },
  };
}

const bodyOf = (document: Document, schema: Schema): object => ({
  mode: "raw",
  raw: JSON.stringify(exampleOf(document, schema), null, 2),
  options: { raw: { language: "json" } },
});

/** Postman sends no parameter that is disabled. */
const parameterOf =
  (document: Document) =>
  ({ name, required, description, schema = {} }: Parameter) => ({
    key: name,
    value: textOf(exampleOf(document, schema)),
    description: description ?? "",
    disabled: !required,
  });

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** The key is the collection's; operators' routes take their token, public ones nothing. */
function authOf(security: Operation["security"]): object {
  if (security?.some((scheme) => "OperatorToken" in scheme))
    return { auth: keyAuth("bearer", [["token", "{{operatorToken}}"]]) };
  return security?.some((scheme) => "ApiKeyAuth" in scheme) ? {} : { auth: { type: "noauth" } };
}

const keyAuth = (type: string, fields: readonly (readonly [key: string, value: string])[]): object => ({
  type,
  [type]: fields.map(([key, value]) => ({ key, value, type: "string" })),
});

const exampleOf = ({ components }: Document, schema: Schema): unknown =>
  schemaExample({ schemas: components?.schemas ?? {}, text: "" }, schema);
