/** How systemd starts the processes of deploy/systemd; .ci/run has its own checker read the units. */

import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DEFAULT_SCHEMA } from "../../bin/ponder-process.ts";
import { makeFolder } from "../support/folder.ts";

const UNITS = join(import.meta.dirname, "../../deploy/systemd");

let folder: string;
beforeAll(() => {
  folder = makeFolder();
  // In place of Node: what it is started with.
  const node = '#!/bin/sh\nprintf "%s\\n" "$DATABASE_SCHEMA" "$PORT" "$*"\n';
  writeFileSync(join(folder, "node"), node, { mode: 0o755 });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What Node is started with for a unit, where the administrator's file has these variables. */
function startOf(unit: string, file: Readonly<Record<string, string>>, instance = "") {
  const text = readFileSync(join(UNITS, unit), "utf8").replaceAll("%i", instance);
  const all = (name: string): string[] =>
    [...text.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(([, value = ""]) => value);
  expect(all("EnvironmentFile")).toEqual(["/etc/vitrine/vitrine.env"]);
  const own = all("Environment").flatMap((line) => line.split(" ").map((each) => each.split(/=(.*)/, 2)));
  const [command = "", ...args] = (all("ExecStart")[0] ?? "").split(" ");
  // systemd lets a file's variables override those of the unit, wherever the unit names the file.
  const env = { ...Object.fromEntries(own), ...file, PATH: `${folder}:${process.env.PATH}` };
  const [schema, port, given] = spawnSync(command, args, { encoding: "utf8", env }).stdout.split("\n");
  return { schema, port, given };
}

it("a replica serves the schema that the administrator's file names, as the indexer does, each on its own port", () => {
  const file = { DATABASE_SCHEMA: "vitrine_chain_2", PORT: "42069" };

  const replica = startOf("vitrine-replica@.service", file, "42071");

  expect(replica).toMatchObject({ schema: "vitrine_chain_2", port: "42071" });
  expect(replica.given).toContain(" serve");
  expect(replica.given).not.toContain("--schema");
  expect(startOf("vitrine.service", file)).toMatchObject({ schema: "vitrine_chain_2", port: "42069" });
});

it("a replica serves the indexer's default schema where the file names none", () => {
  expect(startOf("vitrine-replica@.service", {}, "42071").schema).toBe(DEFAULT_SCHEMA);
});

it.each(["vitrine.service", "vitrine-replica@.service"])("%s logs JSON", (unit) => {
  expect(startOf(unit, {}, "42071").given).toMatch(/ --log-format json$/);
});
