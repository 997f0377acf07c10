/** Which module may name which table of schema `vitrine` (src/api/db/tables.ts), checked against all SQL in src/. */

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { allowedUses, owned, ownerOf } from "../src/api/db/tables.ts";

const API = resolve(import.meta.dirname, "../src/api");

type Access = "read" | "write";
interface Use {
  readonly name: string;
  readonly access: Access;
}

const NAMED =
  /(?<write>\b(?:insert\s+into|update|delete\s+from|merge\s+into|truncate(?:\s+table)?)\s+(?:only\s+)?)?(?<![\w."])"?vitrine"?\s*\.\s*"?(?<name>\w*)/gi;

/** The tables and functions of schema `vitrine` that SQL names; an interpolated name is empty. */
const usesOf = (sql: string): Use[] =>
  [...sql.matchAll(NAMED)].map(({ groups }) => ({
    name: groups?.name ?? "",
    access: groups?.write ? "write" : "read",
  }));

/** The text of every string and template of a source file; `?` replaces interpolated values. */
function literalsOf(text: string, isTsx = false): string[] {
  const kind = isTsx ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const literals: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) literals.push(node.text);
    if (ts.isTemplateExpression(node))
      literals.push(node.head.text + node.templateSpans.map(({ literal }) => `?${literal.text}`).join(""));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile("source.ts", text, ts.ScriptTarget.Latest, false, kind));
  return literals;
}

interface Found extends Use {
  readonly module: string;
  readonly where: string;
}

const schema = readFileSync(join(API, "db/schema.sql"), "utf8");
const tables = [...schema.matchAll(/^CREATE (?:UNLOGGED TABLE|TABLE|SEQUENCE) vitrine\.(\w+)/gm)].map(
  ([, name = ""]) => name,
);
const functions = [...schema.matchAll(/^CREATE OR REPLACE FUNCTION vitrine\.(\w+)/gm)].map(
  ([, name = ""]) => name,
);

const found: readonly Found[] = [
  ...readdirSync(API, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) =>
      literalsOf(readFileSync(join(API, file), "utf8"), file.endsWith("x"))
        .flatMap(usesOf)
        .map((use) => ({ ...use, module: file.split("/")[0] ?? "", where: `src/api/${file}` })),
    ),
  // A function's SQL and its triggers belong to its owner.
  ...[
    ...schema.matchAll(/^CREATE OR REPLACE FUNCTION vitrine\.(\w+)[\s\S]*?\$function\$;/gm),
    ...schema.matchAll(/^CREATE TRIGGER .* EXECUTE FUNCTION vitrine\.(\w+)\(\);/gm),
  ].flatMap(([sql, name = ""]) =>
    usesOf(sql).map((use) => ({ ...use, module: ownerOf(name) ?? "", where: `function ${name}` })),
  ),
];

const isForeign = ({ module, name }: Found): boolean => ownerOf(name) !== module;
const isCovered = (use: Found): boolean =>
  allowedUses.some(
    ({ module, uses, access }) => module === use.module && uses === use.name && access === use.access,
  );

const OWNERS = "`owned` in src/api/db/tables.ts, and what src/api/db/migrations makes";
const USES = "give it to its owner's face, or list it in `allowedUses` of src/api/db/tables.ts";

describe("the tables of schema vitrine", () => {
  it("each belong to one module, as do its functions, and the map names no others", () => {
    const names = Object.values(owned).flat();
    expect(names.toSorted(), OWNERS).toEqual([...tables, ...functions].toSorted());
    const modules = readdirSync(API);
    expect(Object.keys(owned).filter((module) => !modules.includes(module))).toEqual([]);
  });

  it("are named in SQL, and nothing else is", () => {
    const unknown = found.filter(({ name }) => ownerOf(name) === undefined);
    expect(unknown.map(({ where, name }) => `${where} names vitrine.${name}`)).toEqual([]);
  });

  it("are read and written by the SQL of their own module, or by a use that is allowed", () => {
    const refused = found.filter((use) => isForeign(use) && !isCovered(use));
    expect(
      [
        ...new Set(
          refused.map(({ where, access, name }) => `${where}: ${access} of ${ownerOf(name)}'s ${name}`),
        ),
      ],
      USES,
    ).toEqual([]);
  });

  it("have no use allowed that nothing makes, or that its own module makes", () => {
    const idle = allowedUses.filter(
      ({ module, uses, access }) =>
        !found.some(
          (use) => isForeign(use) && use.module === module && use.name === uses && use.access === access,
        ),
    );
    expect(idle).toEqual([]);
  });
});

describe("reading SQL out of a source file", () => {
  const read = (source: string): string[] =>
    literalsOf(source)
      .flatMap(usesOf)
      .map(({ name, access }) => `${access} ${name}`);

  it.each([
    ["a string", `db.query("select from vitrine.token")`, ["read token"]],
    ["a template", "db.query(`select from vitrine.a join vitrine.b on true`)", ["read a", "read b"]],
    [
      "every part of a template",
      `f(\`\${x} from vitrine.a where \${y("vitrine.b")} in (select from vitrine.c)\`)`,
      ["read a", "read c", "read b"],
    ],
    ["a tagged template", "sql`select from vitrine.token`", ["read token"]],
    [
      "writes",
      "f(`insert into vitrine.a select from vitrine.b; update only vitrine.c set x = 1; delete\n from vitrine.d using vitrine.e; truncate vitrine.f`)",
      ["write a", "read b", "write c", "write d", "read e", "write f"],
    ],
    ["a row that is locked for its update", "f(`select from vitrine.a for update`)", ["read a"]],
    ["upper case and quotes", `f('INSERT INTO "vitrine"."token" SELECT')`, ["write token"]],
    ["a text as an argument", `changedSince("vitrine.token")`, ["read token"]],
    ["a name put in from outside", `f(\`delete from vitrine.\${table}\`)`, ["write "]],
    ["neither comments nor code", "// from vitrine.a\n/** vitrine.b */ vitrine.c(); const x = 1;", []],
    [
      "no other schema's or host's name",
      `f("https://heroes.vitrine.example and my_vitrine.token and .vitrine")`,
      [],
    ],
  ])("finds %s", (_title, source, uses) => {
    expect(read(source)).toEqual(uses);
  });
});
