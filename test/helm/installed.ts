/** Fails unless Go and the packages of this folder are installed: what doesn't run must not pass. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

// Debian's packages of Go libraries, without a module proxy.
const DEBIAN = { GO111MODULE: "off", GOPATH: "/usr/share/gocode" };

export default function build({ provide }: TestProject): () => void {
  if (!existsSync(join(import.meta.dirname, "node_modules/kubernetes-models")))
    throw new Error("Kubernetes' schemas are not installed: run npm ci --prefix test/helm");
  const folder = mkdtempSync(join(tmpdir(), "vitrine-helm-"));
  const renderer = join(folder, "render");
  execFileSync("go", ["build", "-o", renderer, "render.go"], {
    cwd: import.meta.dirname,
    env: { ...process.env, ...DEBIAN },
    stdio: ["ignore", "inherit", "inherit"],
  });
  provide("renderer", renderer);
  return () => rmSync(folder, { recursive: true });
}

declare module "vitest" {
  interface ProvidedContext {
    renderer: string;
  }
}
