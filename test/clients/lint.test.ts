/** Linters that nobody here wrote find nothing in openapi.json. */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { makeProject, run } from "./run.ts";

const folder = makeProject();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("redocly's recommended rules find nothing", async () => {
  const args = ["lint", "openapi.json", "--extends=recommended", "--format=json"];
  const { stdout } = await run(folder, "@redocly/cli/bin/cli.js", args);
  const { problems } = JSON.parse(stdout.slice(stdout.indexOf("{"))) as {
    problems: { ruleId: string; message: string; location: { pointer?: string }[] }[];
  };

  expect(
    problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`),
  ).toEqual([]);
});

it("spectral's rules for OpenAPI find nothing", async () => {
  writeFileSync(join(folder, "ruleset.yaml"), "extends: ['spectral:oas']\n");
  const args = ["lint", "openapi.json", "--ruleset", "ruleset.yaml", "--format", "json", "--quiet"];
  const { stdout } = await run(folder, "@stoplight/spectral-cli/dist/index.js", args);
  const findings = JSON.parse(stdout) as { code: string; message: string; path: string[] }[];

  expect(findings.map(({ code, message, path }) => `${code}: ${message} ${path.join("/")}`)).toEqual([]);
});
