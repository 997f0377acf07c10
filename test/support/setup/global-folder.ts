/**
 * The temporary files of the whole run, in one folder: at its end, whatever a test or a killed process has left is
 * removed as well.
 */

import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

// Every test file's database is a thousand small files, created and deleted: on disk, that took a third of the run's
// processor time (ext4 searches long for a slot that no recent file has used).
const IN_MEMORY = "/dev/shm";
// A run needs about a seventh of it; containers have 64 MB there by default.
const SPACE_BYTES = 4 * 2 ** 30;

const NAME = "vitrine-tests-";

/**
 * In memory if the system offers enough and lets programs be run from there, else on disk. Tests and their processes find
 * it as `tmpdir()`. Removed when this process exits, which a signal makes it do at once.
 */
export default function setup(): void {
  // Vitest calls this for the root project and for each selected one.
  if (basename(tmpdir()).startsWith(NAME)) return;
  const isInMemory = isUsable(IN_MEMORY);
  const folder = mkdtempSync(join(isInMemory ? IN_MEMORY : tmpdir(), NAME));
  // PostgreSQL refuses to run as root, and its own user must find its folder in here.
  chmodSync(folder, 0o711);
  process.env.TMPDIR = folder;
  // Hundreds of processes load the same modules: what V8 has compiled serves them all, for a tenth of the run's processor
  // time. To a disk, a process writes thousands of files for seconds as it ends. Nodes before 22 take no notice.
  if (isInMemory) process.env.NODE_COMPILE_CACHE ??= join(folder, "compiled");
  process.on("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
}

function isUsable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
  } catch {
    return false;
  }
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize >= SPACE_BYTES && !forbidsPrograms(path);
}

/** As containers do by default; some tests write a script and run it. */
function forbidsPrograms(path: string): boolean {
  const mounts = existsSync("/proc/mounts") ? readFileSync("/proc/mounts", "utf8").split("\n") : [];
  // Of several at one place, the last is in front.
  const [, , , options = ""] = mounts.map((line) => line.split(" ")).findLast(([, at]) => at === path) ?? [];
  return options.split(",").includes("noexec");
}
