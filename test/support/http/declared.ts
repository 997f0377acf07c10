/** Compares answers with what openapi.json declares for their operation. */

import { z } from "zod";

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: unknown;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}
interface Media {
  readonly schema?: Schema;
}
interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}
interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface DeclaredAnswer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

// Given by the server before any operation, as the document's description says.
const BEFORE_OPERATIONS = new Set([408, 431]);

/** What is wrong with an answer of an operation, given by its method in upper case and path; undefined for nothing. */
export function createDeclaredCheck(document: unknown) {
  const { paths, components } = document as OpenApi;
  const validators = new Map<object, z.ZodType>();

  /** The document's schemas are JSON Schema, whose own place for named ones is `$defs`. */
  const validatorOf = (schema: object): z.ZodType => {
    const known = validators.get(schema);
    if (known) return known;
    const text = JSON.stringify({ ...schema, $defs: components.schemas });
    const made = z.fromJSONSchema(JSON.parse(text.replaceAll("#/components/schemas/", "#/$defs/")));
    validators.set(schema, made);
    return made;
  };

  /** A schema, and those that it is made of. */
  const partsOf = (schema: Schema): readonly Schema[] => {
    const { $ref = "", allOf = [], anyOf = [], oneOf = [] } = schema;
    const named = components.schemas[$ref.split("/").at(-1) ?? ""] ?? [];
    return [schema, ...[named, allOf, anyOf, oneOf].flat().flatMap(partsOf)];
  };

  /** The fields of a value that none of its schemas name, by path. */
  const undeclaredIn = (schemas: readonly Schema[], value: unknown, path: string): readonly string[] => {
    const parts = schemas.flatMap(partsOf);
    if (Array.isArray(value)) {
      const items = parts.flatMap((part) => part.items ?? []);
      return value.flatMap((each, at) => undeclaredIn(items, each, `${path}[${at}]`));
    }
    if (typeof value !== "object" || value === null) return [];
    const isOpen =
      parts.every(({ properties }) => properties === undefined) ||
      parts.some(({ additionalProperties = false }) => additionalProperties !== false);
    return Object.entries(value).flatMap(([name, each]) => {
      const named = parts.flatMap(({ properties }) => properties?.[name] ?? []);
      const at = `${path}.${name}`;
      return named.length > 0 || isOpen ? undeclaredIn(named, each, at) : [at];
    });
  };

  return (method: string, path: string, { status, type, text }: DeclaredAnswer): string | undefined => {
    const operation = paths[path]?.[method.toLowerCase()];
    if (!operation) return `${method} ${path} is not in the document`;
    if (BEFORE_OPERATIONS.has(status)) return undefined;
    const declared = operation.responses[status];
    if (!declared) return `status ${status} is not declared: ${text.slice(0, 300)}`;
    const [name = ""] = type.split(";");
    const media = declared.content?.[name.trim()];
    if (!declared.content) return text === "" ? undefined : `status ${status} is declared without a body`;
    if (!media) return `status ${status} is not declared with ${type}`;
    if (!/[/+]json\b/.test(name) || text === "") return undefined;
    const body: unknown = JSON.parse(text);
    const read = validatorOf(media.schema ?? {}).safeParse(body);
    if (!read.success) return `its schema refuses the body: ${read.error.message.slice(0, 600)}`;
    const [first] = undeclaredIn([media.schema ?? {}], body, "");
    return first && `its schema doesn't have the field ${first}`;
  };
}
