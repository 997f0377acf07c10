/**
 * The serving half, and what ponder.config.ts needs of it, as one JavaScript file: Ponder's Vite takes a second of a core for
 * the same 450 files of TypeScript. Beside it lie the programs that it starts as processes, each as one file.
 */

import { mkdtempSync, rmSync, statSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Plugin } from "esbuild";

const PROJECT = fileURLToPath(new URL("..", import.meta.url));
const ENTRY = join(PROJECT, "src/api/bundled.ts");
const PROGRAMS = ["media/decoder/image-worker.ts", "postgres/postgres-keeper.ts"];

/** The variable by which Ponder's process learns the bundle's URL. */
export const SERVING_BUNDLE = "VITRINE_SERVING_BUNDLE";

export interface ServingBundle {
  /** The URL of the bundle of the current sources; built anew if one of them has changed. */
  current(): Promise<string>;
  /** The same as a variable of Ponder's process. */
  environment(): Promise<NodeJS.ProcessEnv>;
}

// Ponder's Vite leaves such a path to Node. It would transform any other, a second of a core at each start, after which
// every use of a package is a call of a Proxy.
const NATIVE = "node_modules";

const RESOLVING = Symbol("resolving");

// The bundle lies outside of the project, whose folder may be read-only; so it names everything by its whole path.
const absolutePaths: Plugin = {
  name: "absolute paths",
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, async ({ path, kind, pluginData }) => {
      if (kind === "entry-point" || pluginData === RESOLVING) return undefined;
      const found = await build.resolve(path, { kind, resolveDir: PROJECT, pluginData: RESOLVING });
      if (found.external || found.errors.length > 0) return found;
      return { path: pathToFileURL(found.path).href, namespace: "package", external: true };
    });
    build.onLoad({ filter: /\.tsx?$/ }, async ({ path }) => ({
      contents: (await readFile(path, "utf8")).replaceAll(
        "import.meta.url",
        JSON.stringify(pathToFileURL(path).href),
      ),
      loader: path.endsWith("x") ? "tsx" : "ts",
    }));
  },
};

/**
 * Its folder is removed when this process exits. `programs` are paths from the folder of `entry`; by the same paths,
 * `src/api/jobs/program.ts` finds what was made of them.
 */
export function createServingBundle(
  entry = ENTRY,
  programs = entry === ENTRY ? PROGRAMS : [],
): ServingBundle {
  let folder: string | undefined;
  let sources: readonly string[] = [];
  let outputs: readonly string[] = [];
  let builtAt = 0;

  async function isCurrent(): Promise<boolean> {
    const changed = await Promise.all(sources.map(async (file) => (await stat(file)).mtimeMs));
    return changed.every((at) => at < builtAt);
  }

  async function current(): Promise<string> {
    // A cleaner of temporary files may have taken any of it, and another account may have put something in its place.
    if (folder === undefined || !outputs.every(isOwn)) {
      folder = createFolder();
      outputs = [];
    }
    const outdir = join(folder, NATIVE);
    if (outputs.length === 0 || !(await isCurrent().catch(() => false))) {
      const startedAt = Date.now();
      const entries = programs.map((program) => join(dirname(entry), program));
      ({ sources, outputs } = await bundle([entry, ...entries], outdir));
      builtAt = startedAt;
    }
    return pathToFileURL(join(outdir, basename(entry).replace(/\.ts$/, ".mjs"))).href;
  }

  return {
    current,
    environment: async () => ({ [SERVING_BUNDLE]: await current() }),
  };
}

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-serving-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const isOwn = (file: string): boolean =>
  statSync(file, { throwIfNoEntry: false })?.uid === process.getuid?.();

/** Each entry goes to the same place in `outdir` as it has in the folder of the first. Returns the paths of all files. */
async function bundle(entries: readonly [string, ...string[]], outdir: string) {
  const { build, stop } = await import("esbuild");
  const { metafile } = await build({
    absWorkingDir: PROJECT,
    entryPoints: [...entries],
    outdir,
    outbase: dirname(entries[0]),
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node22",
    // Packages resolve as Node does it, without the bundlers' condition "module".
    conditions: [],
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    logLevel: "silent",
    plugins: [absolutePaths],
  }).finally(stop);
  const paths = (files: object): readonly string[] => Object.keys(files).map((file) => join(PROJECT, file));
  return { sources: paths(metafile.inputs), outputs: paths(metafile.outputs) };
}
