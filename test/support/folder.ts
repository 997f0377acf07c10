/** Folders for temporary test databases. */

import { chmodSync, existsSync, mkdtempSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

// Every test file's database is a thousand small files, created and deleted: on disk, that took a third of the run's
// processor time (ext4 searches long for a slot that no recent file has used).
const IN_MEMORY = "/dev/shm";
// A run needs at most a tenth of it; containers have 64 MB there by default.
const SPACE_BYTES = 4 * 2 ** 30;

/** A private folder: in memory if the system offers enough, else on disk. */
export const makePrivateFolder = (): string =>
  mkdtempSync(join(hasSpace(IN_MEMORY) ? IN_MEMORY : tmpdir(), "vitrine-test-"));

/** The same, but accessible to PostgreSQL's own user, since it refuses to run as root. */
export function makeFolder(): string {
  const folder = makePrivateFolder();
  chmodSync(folder, 0o711);
  return folder;
}

function hasSpace(path: string): boolean {
  if (!existsSync(path)) return false;
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize >= SPACE_BYTES;
}
