/** GraphQL operations of a schema: any field, arguments of right and wrong kinds, aliases, fragments and variables. */

import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from "graphql";
import type { Random } from "../../support/random.ts";
import type { FuzzRequest } from "./call.ts";
import { randomJson, randomText } from "./hostile-values.ts";
import { bodyText, headerText } from "./rest.ts";

export interface OperationContext {
  /** A working key, unless a request has revoked it. */
  readonly keys: { readonly current: string };
  readonly known: readonly string[];
}

export function createGraphqlFuzzer(
  schema: GraphQLSchema,
  context: OperationContext,
): (random: Random) => FuzzRequest {
  const { known } = context;

  const inputOf = (random: Random, type: GraphQLInputType, depth = 0): unknown => {
    if (random.chance(0.1) || depth > 4) return randomJson(random, known);
    if (isNonNullType(type)) return inputOf(random, type.ofType, depth);
    if (random.chance(0.05)) return null;
    if (isListType(type)) {
      if (random.chance(0.1)) return inputOf(random, type.ofType, depth + 1);
      return Array.from({ length: random.whole(0, 3) }, () => inputOf(random, type.ofType, depth + 1));
    }
    if (isEnumType(type)) return random.pick(type.getValues()).name;
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields());
      const kept = fields.filter((field) =>
        random.chance(isNonNullType(field.type) ? 0.95 : Math.min(0.5, 3 / fields.length)),
      );
      return Object.fromEntries(kept.map((field) => [field.name, inputOf(random, field.type, depth + 1)]));
    }
    switch (type.name) {
      case "Int":
        return random.pick([0, 1, 2, 10, 50, 100, 1000, 1001, -1, 2 ** 31 - 1, -(2 ** 31)]);
      case "Float":
        return random.pick([31337, 1, 0, -1, 1.5, 1e308, 2 ** 53]);
      case "Boolean":
        return random.chance(0.5);
      default:
        return randomText(random, known);
    }
  };

  return (random) => {
    const variables: Record<string, unknown> = {};
    const definitions: string[] = [];
    const fragments: string[] = [];

    const argumentOf = (argument: GraphQLArgument): string => {
      const value = inputOf(random, argument.type);
      if (random.chance(0.5)) {
        const name = `v${definitions.length}`;
        const declared = random.chance(0.9)
          ? String(argument.type)
          : random.pick(["String", "Int!", "[Float]", "JSON"]);
        definitions.push(`$${name}: ${declared}${random.chance(0.1) ? ` = ${literal(value)}` : ""}`);
        if (random.chance(0.95)) variables[name] = value;
        return `${argument.name}: $${name}`;
      }
      return `${argument.name}: ${literal(value, random.chance(0.5) && isEnumType(getNamedType(argument.type)))}`;
    };

    const fieldOf = (field: GraphQLField<unknown, unknown>, depth: number): string => {
      const given = field.args.filter((argument) =>
        random.chance(isNonNullType(argument.type) ? 0.97 : 0.35),
      );
      const args = given.map(argumentOf);
      const alias = random.chance(0.2)
        ? `${random.pick(["a", "b", "__proto__", "constructor", "data"])}: `
        : "";
      const directive = random.chance(0.03)
        ? random.pick([" @skip(if: false)", " @include(if: 1)", " @nothing"])
        : "";
      const type = getNamedType(field.type);
      const set = isLeafType(type) ? "" : ` { ${setOf(type, depth + 1)} }`;
      return `${alias}${field.name}${args.length > 0 ? `(${args.join(", ")})` : ""}${directive}${set}`;
    };

    const setOf = (type: GraphQLNamedType, depth: number): string => {
      if (isUnionType(type)) {
        const member = random.pick(type.getTypes());
        return `__typename ... on ${member.name} { ${setOf(member, depth)} }`;
      }
      if (!isObjectType(type) && !isInterfaceType(type)) return "__typename";
      const all = Object.values(type.getFields());
      const fields = depth > 5 ? all.filter((field) => isLeafType(getNamedType(field.type))) : all;
      const chosen = Array.from({ length: random.whole(1, depth === 0 ? 3 : 4) }, () =>
        fields.length > 0 ? fieldOf(random.pick(fields), depth) : "__typename",
      );
      if (random.chance(0.05)) chosen.push("__typename");
      if (depth === 0 && random.chance(0.05)) chosen.push("__schema { types { name } }");
      if (random.chance(0.08)) {
        const name = `F${fragments.length}`;
        fragments.push("");
        fragments[Number(name.slice(1))] = `fragment ${name} on ${type.name} { ${chosen.join(" ")} }`;
        return `...${name}`;
      }
      return chosen.join(" ");
    };

    const kind = random.chance(0.9) ? "query" : "mutation";
    const root = kind === "query" ? schema.getQueryType() : schema.getMutationType();
    const body = root ? setOf(root, 0) : "__typename";
    const head = definitions.length > 0 ? `(${definitions.join(", ")})` : "";
    let query = `${kind} Fuzz${head} { ${body} } ${fragments.join(" ")}`;
    if (random.chance(0.05)) query = mutate(random, query);
    const request: Record<string, unknown> = { query, variables };
    if (random.chance(0.05)) request.operationName = random.pick(["Fuzz", "Other", null, 1, {}]);
    if (random.chance(0.03)) request.variables = randomJson(random, known);
    if (random.chance(0.02)) request.query = randomJson(random, known);
    if (random.chance(0.02)) request.extensions = randomJson(random, known);
    const sent = random.chance(0.03) ? [request, request] : request;
    const headers: Record<string, string> = { "content-type": "application/json" };
    if (random.chance(0.8)) headers["x-api-key"] = context.keys.current;
    if (random.chance(0.05))
      headers.accept = random.pick(["application/graphql-response+json", "text/html", "*/*"]);
    if (random.chance(0.03)) {
      const search = Object.entries(request).map(
        ([name, value]) =>
          `${name}=${encodeURIComponent(String(typeof value === "string" ? value : JSON.stringify(value)).toWellFormed())}`,
      );
      const target = `/graphql?${search.join("&")}`;
      return {
        method: "GET",
        path: target.length < 12_000 ? target : "/graphql",
        headers: { ...headers, accept: headerText("application/json") },
        body: undefined,
      };
    }
    return { method: "POST", path: "/graphql", headers, body: bodyText(random, sent) };
  };
}

/** A value in GraphQL syntax; strings as enum names if requested. */
function literal(value: unknown, isName = false): string {
  if (value === undefined) return "null";
  if (Array.isArray(value)) return `[${value.map((each) => literal(each, isName)).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).filter(([name]) => /^[_A-Za-z]\w*$/.test(name));
    return `{${entries.map(([name, each]) => `${name}: ${literal(each, isName)}`).join(", ")}}`;
  }
  if (typeof value === "string" && isName && /^[A-Za-z]\w*$/.test(value)) return value;
  return typeof value === "string" ? JSON.stringify(value.toWellFormed()) : JSON.stringify(value);
}

function mutate(random: Random, text: string): string {
  const at = random.whole(0, text.length);
  const other = random.pick(["{", "}", "(", '"', "...", "$", "@", "\0", "", "#", '"""', "on"]);
  return text.slice(0, at) + other + text.slice(at + random.whole(0, 3));
}
