/** The client as its users get it: packed, installed, type-checked and run against the whole service. */

import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { transform } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type InstalledClient,
  installClient,
  readmeExamples,
  typeErrors,
} from "../support/http/client-package.ts";
import {
  createPartner,
  createWorld,
  eventually,
  WITHOUT_PICTURES,
  type World,
} from "../support/processes/world.ts";
import { createKey } from "../support/service-key.ts";

const examples = readmeExamples();
let world: World;
let client: InstalledClient;
let key: string;
beforeAll(async () => {
  [world, client] = await Promise.all([
    // The locks of the population are events only if they are not final yet: a start may take two minutes.
    createWorld({ host: WITHOUT_PICTURES, secondsPerBlock: 5 }),
    installClient(),
  ]);
  key = await createKey(world.service);
  const partner = createPartner(world.service.baseUrl, key);
  await eventually(
    async () => {
      const [{ served } = { served: 0 }] = await world.query<{ served: number }>(
        "select count(*)::int as served from vitrine.token where served_version is not null",
      );
      const { lock } = await partner.token(world.heroes, 7);
      return { served, locks: lock?.lock_count };
    },
    // Of 64 tokens one is burned, five never have a document, and one host refuses.
    ({ served, locks }) => served >= 57 && locks === 2,
  );
});
afterAll(async () => {
  client?.close();
  await world?.close();
});

const ofThisRun = (code: string): string =>
  code
    .replaceAll("http://localhost:42069", world.service.baseUrl)
    .replaceAll("<API_KEY>", key)
    .replaceAll("0x5fbdb2315678afecb367f032d93f642f64180aa3", world.heroes);

/** Runs a module in a process of its own; resolves with what it printed. */
async function runModule(name: string, code: string): Promise<string> {
  const file = join(client.folder, `${name}.mjs`);
  writeFileSync(file, (await transform(ofThisRun(code), { loader: "ts", format: "esm" })).code);
  const { stdout } = await promisify(execFile)(process.execPath, [file], { timeout: 60_000 });
  return stdout;
}

describe("the package", () => {
  it("contains the built modules, their types, the README and the licence, and depends on nothing", () => {
    expect(client.files).toEqual(
      expect.arrayContaining(["LICENSE", "README.md", "dist/index.d.ts", "dist/index.js", "package.json"]),
    );
    expect(client.files.filter((path) => path.endsWith(".ts") && !path.endsWith(".d.ts"))).toEqual([]);
  });

  it.each(["NodeNext", "Bundler"])(
    "type-checks in a project that resolves modules as %s, its declarations included",
    async (moduleResolution) => {
      for (const [at, { code }] of examples.entries())
        writeFileSync(join(client.folder, `example-${at}.ts`), code);
      const module = moduleResolution === "Bundler" ? "ESNext" : moduleResolution;

      const options = { module, moduleResolution, lib: ["ES2022", "DOM"], types: [] };
      expect(await typeErrors(client.folder, options)).toEqual([]);
    },
  );
});

describe("the README's example", () => {
  it.each(examples)("$title runs and prints what is shown", async ({ title, code, output }) => {
    const printed = await runModule(title.replaceAll(" ", "-"), code);

    expect(printed).toBe(output);
  });
});
