/** The page of deliberate differences matches the cases and omits none. */

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { bodies, documents, entries, textOf, uris } from "./fixtures.ts";

const page = readFileSync(new URL("../../../docs/metadata-deviations.md", import.meta.url), "utf8");
const quoted = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text);
const rows = page
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .slice(2)
  .map((line) => {
    const [others = "", here = "", code = "", why = "", cases = ""] = line.split(" | ");
    return { others, here, code: quoted(code)[0] ?? "", why, cases: quoted(cases) };
  });

const stem = (file: string): string => file.replace(/\.\w+$/, "");
/** Every case by its name on the page, with its codes. */
const shown = new Map<string, { codes: readonly string[]; agreed: boolean }>();
for (const { file, expect: expected } of documents) {
  const codes =
    "failure" in expected ? [expected.failure] : expected.issues.map((line) => line.split(" at ")[0] ?? "");
  shown.set(`documents/${stem(file)}`, { codes, agreed: "agreed" in expected });
}
for (const row of uris) {
  const codes = "failure" in row.expect ? [row.expect.failure] : [];
  const name = row.file ? `uris/${stem(row.file)}` : textOf(row).trim();
  shown.set(name, { codes, agreed: "agreed" in row.expect });
}
for (const { file, expect: expected } of bodies)
  shown.set(`bodies/${stem(file)}`, { codes: [expected.failure], agreed: expected.agreed === true });
for (const { display_type, value, expect: code } of entries)
  shown.set(`entries/${display_type}/${value}`, { codes: code === "kept" ? [] : [code], agreed: false });

it("gives a reason and at least one case for every difference", () => {
  expect(rows.length).toBeGreaterThan(10);
  for (const row of rows) {
    expect(
      [row.others, row.here, row.code, row.why].every((cell) => cell.length > 1),
      row.others,
    ).toBe(true);
    expect(row.cases.length, row.others).toBeGreaterThan(0);
  }
});

it.each(rows)("$others: each case shows $code", ({ code, cases }) => {
  for (const name of cases) {
    expect(shown.has(name), name).toBe(true);
    if (code !== "none") expect(shown.get(name)?.codes, name).toContain(code);
  }
});

it("explains every code of every case, but for what others refuse too", () => {
  const unexplained = [...shown].flatMap(([name, { codes, agreed }]) =>
    codes
      .filter((code) => !agreed && !rows.some((row) => row.code === code && row.cases.includes(name)))
      .map((code) => `${name}: ${code}`),
  );

  expect(unexplained).toEqual([]);
});
