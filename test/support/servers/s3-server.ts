/**
 * s3rver, a server of S3's protocol, as a process of its own. It keeps its objects in a folder, so that they survive its
 * end. What it does not do as Amazon does: it ignores If-None-Match of a write and overwrites, and it is lax about
 * signatures, so no test here shows that ours are right.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../../../demo/ports.ts";
import { eventually } from "../eventually.ts";

const S3RVER = fileURLToPath(new URL("../../../node_modules/s3rver/bin/s3rver.js", import.meta.url));

/** The only credentials that s3rver knows. */
export const s3Credentials = { AWS_ACCESS_KEY_ID: "S3RVER", AWS_SECRET_ACCESS_KEY: "S3RVER" };

export interface S3Server {
  readonly endpoint: string;
  start(): Promise<void>;
  /** As `kill -9` does; `start` resumes with the same objects at the same address. */
  kill(): Promise<void>;
  /** Ends it and deletes the objects. */
  close(): Promise<void>;
}

/** Starts a server with these buckets. */
export async function startS3Server(...buckets: readonly string[]): Promise<S3Server> {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-s3-"));
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  let server: ChildProcess | undefined;

  const s3: S3Server = {
    endpoint,
    async start() {
      const made = buckets.flatMap((bucket) => ["--configure-bucket", bucket]);
      const args = ["-d", folder, "-a", "127.0.0.1", "-p", String(port), "-s", "--no-vhost-buckets", ...made];
      // It encrypts the tokens of pages by an algorithm that Node has given up.
      const started = spawn(process.execPath, ["--openssl-legacy-provider", S3RVER, ...args], {
        stdio: "ignore",
      });
      server = started;
      await eventually(
        () => {
          if (started.exitCode !== null) throw new Error(`s3rver ended with ${started.exitCode}`);
          return fetch(endpoint).then(
            () => true,
            () => false,
          );
        },
        (isUp) => isUp,
      );
    },
    async kill() {
      if (!server || server.exitCode !== null || server.signalCode !== null) return;
      server.kill("SIGKILL");
      await once(server, "exit");
    },
    async close() {
      await s3.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await s3.start();
  return s3;
}
