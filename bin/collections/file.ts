/** Adds an entry to the collections file, and leaves the rest of it as it is. */

import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type CollectionConfig, loadIndexConfig } from "../../src/config.ts";

const INDENT = "  ";
/** The lock is held for milliseconds, so one that stays belongs to a process that ended. */
const LOCK_MS_MAX = 5_000;
const LOCK_POLL_MS = 25;

type Entry = Pick<CollectionConfig, "chainId" | "address" | "startBlock"> & Partial<CollectionConfig>;

/** The file's text with the entry as its last; the text before it stays byte for byte. */
function withEntry(text: string, entry: Entry): string {
  const lines = JSON.stringify(entry, undefined, 2).split("\n");
  const added = lines.map((line) => `${INDENT}${line}`).join("\n");
  const end = text.lastIndexOf("]");
  const before = text.slice(0, end).trimEnd();
  if (before.endsWith("[")) return `${before}\n${added}\n${text.slice(end)}`;
  return `${before},\n${added}\n${text.slice(end)}`;
}

interface CollectionsFile {
  readonly text: string;
  readonly entries: readonly Partial<CollectionConfig>[];
}

/** The entries as they are; none for a file that doesn't exist. Throws for what is not an array. */
export function readEntries(file: string): CollectionsFile {
  const found = existsSync(file) ? readFileSync(file, "utf8") : "";
  const text = found.trim() === "" ? "[]\n" : found;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw new Error(`${file} is not valid JSON (${(cause as Error).message}); fix it first.`, { cause });
  }
  if (!Array.isArray(parsed)) throw new Error(`${file} is not an array of collections; fix it first.`);
  return { text, entries: parsed };
}

/** The entry of that chain and address, with an address in lower case. */
export const findEntry = (
  { entries }: CollectionsFile,
  { chainId, address }: Pick<Entry, "chainId" | "address">,
) => entries.find((each) => each?.chainId === chainId && String(each.address).toLowerCase() === address);

/** Throws if another entry has the slug. */
export function requireFreeSlug(file: string, { entries }: CollectionsFile, slug: string | undefined): void {
  if (slug !== undefined && entries.some((each) => each?.slug === slug))
    throw new Error(`${file} uses the slug "${slug}" already; choose another.`);
}

/**
 * Adds the entry to the file as it is now, one process at a time; false if it lists the contract already. What would
 * not pass at a start is refused, and the file stays. A reader sees the old file or the new one, never half of it.
 */
export async function addEntry(file: string, entry: Entry): Promise<boolean> {
  const target = existsSync(file) ? realpathSync(file) : file;
  const unlock = await lock(`${target}.lock`);
  const part = `${target}.${process.pid}.part`;
  try {
    const before = readEntries(target);
    if (findEntry(before, entry)) return false;
    requireFreeSlug(file, before, entry.slug);
    const mode = existsSync(target) ? statSync(target).mode : 0o644;
    writeFileSync(part, withEntry(before.text, entry), { mode, flush: true });
    requireValid(part, file);
    renameSync(part, target);
    return true;
  } finally {
    rmSync(part, { force: true });
    unlock();
  }
}

/** As at a start, except that every chain of the file counts as configured. */
function requireValid(part: string, file: string): void {
  const endpoints = readEntries(part).entries.map((each) => [
    `PONDER_RPC_URL_${each?.chainId}`,
    "http://localhost",
  ]);
  try {
    loadIndexConfig({ ...Object.fromEntries(endpoints), COLLECTIONS_FILE: part });
  } catch (cause) {
    throw new Error((cause as Error).message.replaceAll(part, file), { cause });
  }
}

async function lock(path: string): Promise<() => void> {
  const deadline = performance.now() + LOCK_MS_MAX;
  for (;;) {
    try {
      closeSync(openSync(path, "wx"));
      return () => rmSync(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      if (performance.now() > deadline)
        throw new Error(`${path} exists: another process changes the file. If none does, delete it.`);
    }
    await sleep(LOCK_POLL_MS);
  }
}
