/** Requests for every operation of openapi.json: valid, nearly valid and hostile. */

import type { Random } from "../../support/random.ts";
import type { FuzzRequest } from "./call.ts";
import { DEEP, randomJson, randomText } from "./hostile-values.ts";

type Schema = Readonly<Record<string, unknown>>;
interface Parameter {
  readonly in: "path" | "query" | "header" | "cookie";
  readonly name: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}
interface Operation {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | undefined;
  readonly isOperators: boolean;
}

export interface RestContext {
  /** A working key, unless a request has revoked it. */
  readonly keys: { readonly current: string };
  readonly operatorToken: string;
  /** Existing values: addresses, ids. */
  readonly known: readonly string[];
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "PROPFIND"];
const TYPES = [
  "application/json",
  "application/json; charset=utf-16",
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "",
  "a/b/c",
];

/** A request, with its operation if it is sent to one as the document describes it. */
export type RestRequest = FuzzRequest & {
  readonly operation: { readonly method: string; readonly path: string } | undefined;
};

export function createRestFuzzer(document: unknown, context: RestContext): (random: Random) => RestRequest {
  const root = document as {
    paths: Record<string, Record<string, Schema>>;
    components: { schemas: Record<string, Schema> };
  };
  const resolve = (schema: Schema | undefined): Schema => {
    const name = /^#\/components\/schemas\/(.+)$/.exec(String(schema?.$ref ?? ""))?.[1];
    return (name === undefined ? schema : root.components.schemas[name]) ?? {};
  };
  const operations = Object.entries(root.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Operation => {
      const content = (operation.requestBody as { content?: Record<string, { schema?: Schema }> } | undefined)
        ?.content;
      return {
        method: method.toUpperCase(),
        path,
        parameters: (operation.parameters as Parameter[] | undefined) ?? [],
        body: content?.["application/json"]?.schema,
        isOperators: path.startsWith("/admin"),
      };
    }),
  );

  const inputOf = (random: Random, reference: Schema | undefined, depth = 0): unknown => {
    const schema = resolve(reference);
    if (random.chance(0.12) || depth > 8) return randomJson(random, context.known);
    const either = (schema.anyOf ?? schema.oneOf ?? schema.allOf) as Schema[] | undefined;
    if (either) return inputOf(random, random.pick(either), depth + 1);
    if (Array.isArray(schema.enum)) return random.pick(schema.enum as unknown[]);
    if (schema.example !== undefined && random.chance(0.4)) return schema.example;
    const type = Array.isArray(schema.type) ? random.pick(schema.type as string[]) : schema.type;
    switch (type) {
      case "object": {
        const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
        const required = new Set((schema.required as string[] | undefined) ?? []);
        const kept = properties.filter(([name]) => random.chance(required.has(name) ? 0.95 : 0.5));
        const made = kept.map(([name, each]) => [name, inputOf(random, each, depth + 1)] as const);
        return Object.fromEntries(
          random.chance(0.1) ? [...made, [randomText(random), randomJson(random)]] : made,
        );
      }
      case "array": {
        const length = random.chance(0.05) ? 120 : random.whole(0, 3);
        return Array.from({ length }, () => inputOf(random, schema.items as Schema, depth + 1));
      }
      case "integer":
      case "number":
        return random.pick([0, 1, 2, 20, 31337, 100, 101, -1, 1.5, 2 ** 31, 2 ** 53]);
      case "boolean":
        return random.chance(0.5);
      case "null":
        return null;
      default:
        return randomText(random, context.known);
    }
  };

  const textOf = (random: Random, parameter: Parameter): string => {
    const value = inputOf(random, parameter.schema);
    return typeof value === "string" ? value : JSON.stringify(value);
  };

  return (random) => {
    const { method, path, parameters, body, isOperators } = random.pick(operations);
    const headers: Record<string, string> = {};
    if (random.chance(0.95)) {
      if (isOperators) headers.authorization = `Bearer ${context.operatorToken}`;
      else headers["x-api-key"] = context.keys.current;
    } else headers[random.pick(["authorization", "x-api-key"])] = headerText(randomText(random));
    let filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => {
      const parameter = parameters.find((each) => each.name === name);
      return encode(random, textOf(random, parameter ?? { in: "path", name }));
    });
    const query: string[] = [];
    for (const parameter of parameters.filter((each) => each.in === "query")) {
      const times = random.chance(parameter.required ? 0.95 : 0.4) ? (random.chance(0.03) ? 2 : 1) : 0;
      for (let n = 0; n < times; n++)
        query.push(`${parameter.name}=${encode(random, textOf(random, parameter))}`);
    }
    if (random.chance(0.05))
      query.push(`${encode(random, randomText(random))}=${encode(random, randomText(random))}`);
    if (query.length > 0) filled += `?${query.join("&")}`;
    for (const parameter of parameters.filter((each) => each.in === "header"))
      if (random.chance(0.5)) headers[parameter.name] = headerText(textOf(random, parameter));
    if (random.chance(0.05))
      headers.accept = headerText(random.pick(["text/html", "*/*", "image/png", ";", ""]));
    if (random.chance(0.05))
      headers[
        random.pick(["if-none-match", "range", "accept-encoding", "expect", "origin", "content-encoding"])
      ] = headerText(randomText(random));

    const sentMethod = random.chance(0.93) ? method : random.pick(METHODS);
    const [plainPath = ""] = filled.split("?");
    // Dots, slashes and faulty escapes in a parameter lead to another path.
    const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[\\w-]+")}$`);
    const operation = sentMethod === method && pattern.test(plainPath) ? { method, path } : undefined;
    if (body === undefined && random.chance(0.95))
      return { operation, method: sentMethod, path: filled, headers, body: undefined };
    headers["content-type"] = random.chance(0.95) ? "application/json" : random.pick(TYPES);
    const value = random.chance(0.9) ? inputOf(random, body) : randomJson(random, context.known);
    return { operation, method: sentMethod, path: filled, headers, body: bodyText(random, value) };
  };
}

/** JSON, or sometimes something close to it. */
export function bodyText(random: Random, value: unknown): string | Buffer {
  const levels = random.whole(50, 60_000);
  const open = random.pick(["[", '{"a":']);
  const close = open === "[" ? "]" : "}";
  const text = (JSON.stringify(value) ?? "").replace(
    JSON.stringify(DEEP),
    () => `${open.repeat(levels)}1${close.repeat(levels)}`,
  );
  if (random.chance(0.93)) return text;
  switch (random.whole(0, 5)) {
    case 0:
      return text.slice(0, random.whole(0, text.length));
    case 1:
      return Buffer.from([0xff, 0xfe, 0x00, ...Buffer.from(text)]);
    case 2:
      return "[".repeat(random.whole(1, 50_000));
    case 3:
      return `{"a":${text},"__proto__":${text}}`;
    case 4:
      return " ".repeat(random.whole(0, 200_000)) + text;
    default:
      return text.replace(/[0-9]+/, "1e999");
  }
}

/** Percent-encoded, sometimes badly. */
export function encode(random: Random, text: string): string {
  if (random.chance(0.03))
    return random.pick(["%", "%zz", "%00", "%c0%af", "%ed%a0%80", "%2e%2e%2f", "%252e", ".."]);
  return encodeURIComponent(text.toWellFormed());
}

/** Text that Node accepts in a header. */
export const headerText = (text: string): string => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, "?");
