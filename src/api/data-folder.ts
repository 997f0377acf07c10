/** VITRINE_DATA: the folder of what a service keeps on this machine. */

import { mkdirSync, readFileSync, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { BootError } from "../boot-error.ts";

/** A BootError whose cause may pass, so that the same start succeeds later. */
export class PassingBootError extends BootError {
  /** Not 1, after which nothing tries a first start again; EX_IOERR of sysexits.h. */
  static readonly exitCode = 74;
}

/** Makes the folder, and those above it, unless it exists. Throws a BootError where it can't be made. */
export function makeDataFolder(folder: string): void {
  try {
    makeNow(resolve(folder));
  } catch (cause) {
    throw new BootError(`${folder} can't be created; set VITRINE_DATA to a folder that can be written.`, {
      cause,
    });
  }
}

/** What a failed write to the folder ends a start with. */
export function unwritable(folder: string, cause: Error): BootError {
  const { code = cause.message } = cause as NodeJS.ErrnoException;
  const remedy = "set VITRINE_DATA to a folder that can be written.";
  if (code === "ENOSPC" || code === "EDQUOT")
    return new PassingBootError(
      `${folder} can't be written (${code}): its disk is full; free space there or ${remedy}`,
      { cause },
    );
  return new BootError(`${folder} can't be written (${code}); ${remedy}`, { cause });
}

/** What a file of the folder contains. Throws a BootError that names the file where it can't be read. */
export function readKept(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    // A first start by another account, such as root, leaves a file that only that one can read.
    throw new BootError(
      `${file} can't be read (${(cause as NodeJS.ErrnoException).code}); start Vitrine as its owner or set VITRINE_DATA to another folder.`,
      { cause },
    );
  }
}

/**
 * Makes the folder, and those above it. Does nothing if something of that name exists. For what is written while the
 * service runs: it leaves the process to others meanwhile.
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    const above = dirname(folder);
    if (code !== "ENOENT" || above === folder) throw error;
    await makeFolder(above);
    await mkdir(folder).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== "EEXIST") throw cause;
    });
  }
}

// Node's own `recursive` never returns where a folder that exists answers that it doesn't, as /proc does.
function makeNow(folder: string): void {
  if (isFolder(folder)) return;
  const above = dirname(folder);
  if (above !== folder) makeNow(above);
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!isFolder(folder)) throw error;
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
