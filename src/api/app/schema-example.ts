/** Example values of OpenAPI schemas, for samples of requests. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly example?: unknown;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

export interface ExampleDeps {
  /** Those that `$ref` names. */
  readonly schemas: Readonly<Record<string, Schema>>;
  /** The text where a schema has no example. */
  readonly text: string;
}

// A schema may refer to itself.
const DEPTH_MAX = 8;

/** A value that the schema allows: its example, its default, its first choice, or what its required fields make. */
export function schemaExample(deps: ExampleDeps, schema: Schema = {}, depth = 0): unknown {
  const known = [schema.example, schema.examples?.[0], schema.default, schema.enum?.[0]];
  const given = known.find((value) => value !== undefined);
  if (given !== undefined) return given;
  if (depth > DEPTH_MAX) return null;
  const inner = (part: Schema | undefined): unknown => schemaExample(deps, part, depth + 1);
  if (schema.$ref) return inner(deps.schemas[schema.$ref.split("/").at(-1) ?? ""]);
  const choices = schema.anyOf ?? schema.oneOf ?? [];
  // Choices between required fields only: the first whose fields have examples.
  const isShown = (name: string): boolean => schema.properties?.[name]?.example !== undefined;
  const choice = choices.find(({ required }) => required?.every(isShown)) ?? choices[0];
  if (choice && !schema.properties) return inner(choice);
  if (schema.items) return [inner(schema.items)];
  const [type = "object"] = [schema.type].flat();
  if (type === "object") {
    const { properties = {} } = schema;
    const required = [...(schema.required ?? []), ...(choice?.required ?? [])];
    return Object.fromEntries(required.map((name) => [name, inner(properties[name])]));
  }
  return { string: deps.text, integer: 1, number: 1, boolean: true, array: [] }[type] ?? null;
}
