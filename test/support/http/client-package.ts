/** The packed client of clients/typescript, installed as a user installs it. */

import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { makePrivateFolder } from "../folder.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const run = promisify(execFile);

export interface InstalledClient {
  /** A project whose node_modules contain the package. */
  readonly folder: string;
  /** The packed files, by their path in the package. */
  readonly files: readonly string[];
  close(): void;
}

/** Runs `npm pack`, which builds the package, and unpacks the result into a project of its own. */
export async function installClient(): Promise<InstalledClient> {
  const folder = makePrivateFolder();
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", folder], {
    cwd: join(ROOT, "clients/typescript"),
  });
  // npm 11 prints the output of prepack first.
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf("[\n"))) as [
    { filename: string; files: { path: string }[] },
  ];
  const target = join(folder, "node_modules/@vitrine/client");
  mkdirSync(target, { recursive: true });
  await run("tar", ["-xzf", join(folder, packed.filename), "-C", target, "--strip-components=1"]);
  mkdirSync(join(folder, "node_modules/@types"));
  symlinkSync(join(ROOT, "node_modules/@types/node"), join(folder, "node_modules/@types/node"));
  symlinkSync(join(ROOT, "node_modules/undici-types"), join(folder, "node_modules/undici-types"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  return {
    folder,
    files: packed.files.map(({ path }) => path),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The compiler's complaints about files of a project, each on its line. */
export async function typeErrors(
  folder: string,
  options: Readonly<Record<string, unknown>>,
): Promise<string[]> {
  const compilerOptions = { strict: true, noEmit: true, target: "ES2022", ...options };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  return run(process.execPath, [tsc, "-p", folder]).then(
    () => [],
    ({ stdout }: { stdout: string }) => stdout.trim().split("\n"),
  );
}

export interface Example {
  readonly title: string;
  readonly code: string;
  /** What the README says it prints. */
  readonly output: string | undefined;
}

/** The examples of the package's README, in their order. */
export function readmeExamples(): Example[] {
  const readme = readFileSync(join(ROOT, "clients/typescript/README.md"), "utf8");
  return readme.split(/^## /m).flatMap((section) =>
    [...section.matchAll(/^```ts\n(.*?)^```\n(?:\n```text\n(.*?)^```)?/gms)].map(([, code = "", output]) => ({
      title: section.slice(0, section.indexOf("\n")),
      code,
      output,
    })),
  );
}
