/** Adds an entry to the collections file, and leaves the rest of it as it is. */

import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { CollectionConfig } from "../../src/config.ts";

const INDENT = "  ";

/** The file's text with the entry as its last; the text before it stays byte for byte. */
export function withEntry(text: string, entry: Partial<CollectionConfig>): string {
  const lines = JSON.stringify(entry, undefined, 2).split("\n");
  const added = lines.map((line) => `${INDENT}${line}`).join("\n");
  const end = text.lastIndexOf("]");
  const before = text.slice(0, end).trimEnd();
  if (before.endsWith("[")) return `${before}\n${added}\n${text.slice(end)}`;
  return `${before},\n${added}\n${text.slice(end)}`;
}

/** The entries as they are; none for a file that doesn't exist. Throws for what is not an array of objects. */
export function readEntries(file: string): {
  readonly text: string;
  readonly entries: readonly Partial<CollectionConfig>[];
} {
  const text = existsSync(file) ? readFileSync(file, "utf8") : "[]\n";
  const parsed: unknown = JSON.parse(text.trim() === "" ? "[]" : text);
  if (!Array.isArray(parsed)) throw new Error(`${file} is not an array of collections; mend it first.`);
  return { text: text.trim() === "" ? "[]\n" : text, entries: parsed };
}

/** A reader sees the old file or the new one, never half of it. */
export function replaceFile(file: string, text: string): void {
  const part = `${file}.${process.pid}.part`;
  try {
    writeFileSync(part, text, { mode: existsSync(file) ? statSync(file).mode : 0o644, flush: true });
    renameSync(part, file);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}
