import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, it, onTestFinished, vi } from "vitest";
import { createServingBundle, SERVING_BUNDLE } from "../../bin/serving-bundle.ts";
import { programArguments } from "../../src/api/jobs/program.ts";

const run = promisify(execFile);

/** What the bundle prints in a process of its own, started elsewhere. */
const output = async (url: string): Promise<string> =>
  (await run(process.execPath, [fileURLToPath(url)], { cwd: "/" })).stdout.trim();

async function sources(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "sources-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
    // Written before the bundle, whatever the clock's steps are.
    await utimes(join(folder, name), 1_000, 1_000);
  }
  return folder;
}

it("runs elsewhere with the project's packages, and each file knows where it lies", async () => {
  const folder = await sources({
    "main.ts": `import { Hono } from "hono"; import { where } from "./deep/where.ts"; console.log(typeof Hono, where as string);`,
    "deep/where.ts": "export const where: string = import.meta.url;",
  });
  const url = await createServingBundle(join(folder, "main.ts")).current();

  expect(await output(url)).toBe(`function ${pathToFileURL(join(folder, "deep/where.ts"))}`);
});

it("lies where Ponder's Vite leaves a module to Node", async () => {
  const folder = await sources({ "main.ts": "export {};" });
  const path = fileURLToPath(await createServingBundle(join(folder, "main.ts")).current());
  // Of the package that Ponder loads its API with.
  const { shouldExternalize } = createRequire(import.meta.resolve("ponder"))("vite-node/server");

  expect(await shouldExternalize(path)).toBe(path);
  expect(await shouldExternalize(path.replace("/node_modules/", "/"))).toBe(false);
});

it("has Node keep no compiled code, which takes seconds to write when the process ends", async () => {
  const folder = await sources({ "main.ts": "export {};" });
  const bundle = createServingBundle(join(folder, "main.ts"));

  expect(await bundle.environment()).toEqual({ VITRINE_SERVING_BUNDLE: await bundle.current() });
});

it("is built anew once a source has changed or its file is lost, and not otherwise", async () => {
  const folder = await sources({
    "main.ts": `import { text } from "./text.ts"; console.log(text);`,
    "text.ts": `export const text = "first";`,
  });
  const bundle = createServingBundle(join(folder, "main.ts"));
  const url = await bundle.current();
  expect(await output(url)).toBe("first");

  await writeFile(join(folder, "text.ts"), `export const text = "second";`);
  await utimes(join(folder, "text.ts"), 1_000, 1_000);
  expect(await output(await bundle.current())).toBe("first");
  await writeFile(join(folder, "text.ts"), `export const text = "third";`);
  expect(await output(await bundle.current())).toBe("third");

  await rm(new URL(url));
  expect(await output(await bundle.current())).toBe("third");
});

it("is built elsewhere once its files are another account's, and none of those is run", async () => {
  const source = fileURLToPath(new URL("../../src/api/postgres/postgres-keeper.ts", import.meta.url));
  onTestFinished(() => void vi.unstubAllEnvs());
  const bundle = createServingBundle();
  const before = await bundle.current();
  vi.stubEnv(SERVING_BUNDLE, before);
  expect(programArguments(source).at(-1)).toMatch(/postgres-keeper\.mjs$/);

  const own = process.getuid?.() ?? 0;
  const getuid = vi.spyOn(process, "getuid").mockReturnValue(own + 1);
  expect(programArguments(source).at(-1)).toBe(source);
  const elsewhere = await bundle.current();
  getuid.mockRestore();

  expect(elsewhere).not.toBe(before);
  expect(await bundle.current()).toBe(elsewhere);
});

it("names what can't be bundled, and takes it up again once it can", async () => {
  const folder = await sources({ "main.ts": `import "./missing.ts"; console.log("there");` });
  const bundle = createServingBundle(join(folder, "main.ts"));
  await expect(bundle.current()).rejects.toThrow("./missing.ts");

  await writeFile(join(folder, "missing.ts"), "");
  const url = await bundle.current();
  expect(await output(url)).toBe("there");
  expect(existsSync(new URL(url))).toBe(true);
});

it("holds programs beside it, which `programArguments` finds by the bundle's URL", async () => {
  const source = fileURLToPath(new URL("../../src/api/media/decoder/image-worker.ts", import.meta.url));
  onTestFinished(() => void vi.unstubAllEnvs());
  const bundle = createServingBundle();
  vi.stubEnv(SERVING_BUNDLE, await bundle.current());

  const [, bundled = ""] = programArguments(source);
  expect(programArguments(source)).toEqual(["--enable-source-maps", bundled]);
  expect(bundled).toMatch(/media\/decoder\/image-worker\.mjs$/);
  // A program of another folder, a bundle that a cleaner of temporary files took, and none at all.
  expect(programArguments(import.meta.filename).at(-1)).toBe(import.meta.filename);
  await rm(bundled);
  expect(programArguments(source)).toEqual(["--import", expect.stringMatching(/^file:.*tsx/), source]);
  vi.stubEnv(SERVING_BUNDLE, await bundle.current());
  expect(programArguments(source).at(-1)).toMatch(/image-worker\.mjs$/);
  vi.stubEnv(SERVING_BUNDLE, undefined);
  expect(programArguments(source).at(-1)).toBe(source);
});
