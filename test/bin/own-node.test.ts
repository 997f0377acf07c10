/** `node bin/…` on a machine whose Node is older than Ponder wants. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { makeFolder } from "../support/folder.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const folder = makeFolder();

/** Starts a command that asks for its own Node, which is a script here, on a Node that calls itself `version`. */
function start(
  version: string,
  script?: string,
  { body = "", hasTerminal = false, interpreter = "#!/bin/sh" } = {},
) {
  const own = join(folder, `node-${version}-${script?.length ?? "none"}`);
  if (script) {
    writeFileSync(own, `${interpreter}\n${script}\n`);
    chmodSync(own, 0o755);
  }
  const command = join(folder, "command.mts");
  writeFileSync(
    command,
    `import { switchToOwnNode } from ${JSON.stringify(join(ROOT, "bin/own-node.ts"))};
await switchToOwnNode(${JSON.stringify(own)}, process.env.INSTALLED_VERSION ?? ${JSON.stringify(version)});
console.log("here");
${body}`,
  );
  const args = ["--import", import.meta.resolve("tsx"), command, "a b", "--c"];
  // `script` gives a command a terminal of its own. Its shell must not stay: some end by the Ctrl-C themselves.
  const [file, given] = hasTerminal
    ? [
        "script",
        ["--quiet", "--return", "--command", `exec ${quoted([process.execPath, ...args])}`, "/dev/null"],
      ]
    : [process.execPath, args];
  return spawn(file, given, { stdio: ["pipe", "pipe", "pipe"] });
}

/** Installs a Node that is new enough. */
const INSTALLED = `INSTALLED_VERSION=24.0.0 exec ${quoted([process.execPath])} "$@"`;

function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(" ");
}

const end = async (child: ReturnType<typeof start>) => {
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close") as Promise<[number | null]>,
  ]);
  return { out, err, code };
};

it.each(["22.0.0", "24.21.0"])("Node %s runs the command itself", async (version) => {
  expect(await end(start(version))).toEqual({ out: "here\n", err: "", code: 0 });
});

it("an older one hands over to the installed one, whose end is its own", async () => {
  const { out, code } = await end(start("20.20.2", 'for each in "$@"; do echo "$each"; done; exit 7'));
  expect(out).toMatch(/^--import\n.*\n.*command\.mts\na b\n--c\n$/);
  expect(code).toBe(7);
});

it("the installed one has the command's stdin, and ends by itself", async () => {
  const child = start("20.20.2", INSTALLED, { body: "process.stdin.pipe(process.stdout);" });
  child.stdin.end("asked\n");
  expect(await end(child)).toEqual({ out: "here\nasked\n", err: "", code: 0 });
});

it("a terminal's Ctrl-C reaches the installed one once", async () => {
  const child = start("20.20.2", INSTALLED, {
    hasTerminal: true,
    body: `process.on("SIGINT", () => { console.log("interrupted"); setTimeout(() => process.exit(3), 500); });
setInterval(() => {}, 1000);
console.log("ready");`,
  });
  const ended = end(child);
  let seen = "";
  child.stdout.on("data", (chunk) => {
    if (!seen.includes("ready") && `${seen}${chunk}`.includes("ready")) child.stdin.write("\x03");
    seen += chunk;
  });
  const { out, code } = await ended;
  expect([out.match(/interrupted/g), code]).toEqual([["interrupted"], 3]);
});

it("the installed one stops when the one that it was started by is killed", async () => {
  const child = start("20.20.2", INSTALLED, {
    body: `process.on("SIGTERM", () => { console.log("stopped"); process.exit(); });
setInterval(() => {}, 1000);
console.log("ready");`,
  });
  const ended = end(child);
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  // It holds the other end of this pipe until it has ended.
  expect((await ended).out).toBe("here\nready\nstopped\n");
});

it("signals reach the installed one", async () => {
  const child = start(
    "20.20.2",
    "trap 'echo stopped; exit 3' TERM; echo ready; while true; do sleep 0.1; done",
  );
  const ended = end(child);
  await once(child.stdout, "data");
  child.kill("SIGTERM");
  expect(await ended).toMatchObject({ out: "ready\nstopped\n", code: 3 });
});

it("an older one without an installed one says what is missing", async () => {
  const { out, err, code } = await end(start("20.20.2"));
  expect({ out, code }).toEqual({ out: "", code: 1 });
  expect(err).toBe(
    "Vitrine needs Node 22 or newer; this is 20.20.2. `npm ci` brings one on Linux; elsewhere, install it.\n",
  );
});

it("one version is pinned for all machines, of the image's major version", () => {
  const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const pinned = Object.entries<string>(optionalDependencies).filter(([name]) => name.startsWith("node-"));
  const versions = [...new Set(pinned.map(([, version]) => version))];
  expect(versions).toHaveLength(1);
  const major = /^(\d+)\.\d+\.\d+$/.exec(versions[0] ?? "")?.[1];
  expect(readFileSync(join(ROOT, "Dockerfile"), "utf8")).toContain(`NODE_IMAGE=node:${major}-`);
});

it.each([
  ["can't be started on this system", 'INSTALLED_VERSION=24.0.0 exec node "$@"', "#!/no/such/loader"],
  ["is too old itself", `exec ${quoted([process.execPath])} "$@"`, "#!/bin/sh"],
])("an installed one that %s is refused in one sentence", async (_, script, interpreter) => {
  const { err, code } = await end(start("20.20.2", script, { interpreter }));
  expect(err).toMatch(/^Vitrine needs Node 22 or newer; this is 20\.20\.2\. .*\n$/);
  expect(code).toBe(1);
});
