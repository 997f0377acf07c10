/** Folders for databases that tests make and throw away. */

import { chmodSync, existsSync, mkdtempSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

// Every test file's database is a thousand small files, made and deleted: on disk, that took a third of the processor
// time of the run (ext4 looks long for a place that no file has just left).
const IN_MEMORY = "/dev/shm";
// What a run needs at most is a tenth of it; containers have 64 MB there unless they are told otherwise.
const ROOM_BYTES = 4 * 2 ** 30;

/** A folder of its owner's only: in memory where the system keeps one with room, else on disk. */
export const makePrivateFolder = (): string =>
  mkdtempSync(join(hasRoom(IN_MEMORY) ? IN_MEMORY : tmpdir(), "vitrine-test-"));

/** The same for PostgreSQL's own user to reach, since it refuses to run as root. */
export function makeFolder(): string {
  const folder = makePrivateFolder();
  chmodSync(folder, 0o711);
  return folder;
}

function hasRoom(path: string): boolean {
  if (!existsSync(path)) return false;
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize >= ROOM_BYTES;
}
