/** Folders for temporary test databases. */

import { chmodSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A private folder, of this run (test/support/setup/global-folder.ts). */
export const makePrivateFolder = (): string => mkdtempSync(join(tmpdir(), "vitrine-test-"));

/** The same, but accessible to PostgreSQL's own user, since it refuses to run as root. */
export function makeFolder(): string {
  const folder = makePrivateFolder();
  chmodSync(folder, 0o711);
  return folder;
}
