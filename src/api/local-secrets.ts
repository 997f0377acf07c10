/** Secrets that a service generates for itself: random, created once, kept in its data folder. */

import { randomBytes } from "node:crypto";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BootError } from "../boot-error.ts";
import { makeDataFolder, readKept, unwritable } from "./data-folder.ts";

export const OPERATOR_TOKEN_LENGTH_MIN = 16;
export const SECRET_LENGTH_MIN = 32;
const OPERATOR_TOKEN_FILE = "operator-token";
const FILLED_MS = 1_000;
const POLL_MS = 25;

/**
 * The operator token of a service whose BASE_URL only this machine can reach: created once and stored, readable by its
 * owner only, so that `npx vitrine` works beside `npm start` without configuration.
 */
export const localOperatorToken = (dataFolder: string): string =>
  persistedSecret(dataFolder, OPERATOR_TOKEN_FILE, "operator token", OPERATOR_TOKEN_LENGTH_MIN);

/** The token that `localOperatorToken` stored; undefined where it stored none. Creates nothing. */
export const storedOperatorToken = (dataFolder: string): string | undefined =>
  existsSync(operatorTokenFile(dataFolder))
    ? readSecret(operatorTokenFile(dataFolder), "operator token", OPERATOR_TOKEN_LENGTH_MIN)
    : undefined;

export const operatorTokenFile = (dataFolder: string): string => join(dataFolder, OPERATOR_TOKEN_FILE);

/** VITRINE_OPERATOR_TOKEN as it is sent: a file of a secret often ends with a line, which no header can carry. */
export const trimOperatorToken = (text: string): string => text.trim();

/** VITRINE_SECRET where BASE_URL is local; throws a BootError elsewhere. */
export function defaultSecret(baseUrl: string, dataFolder: string): string {
  if (isLocal(baseUrl)) return persistedSecret(dataFolder, "secret", "secret", SECRET_LENGTH_MIN);
  throw new BootError(
    `VITRINE_SECRET must be set where BASE_URL is public; generate one with \`openssl rand -hex 32\`. See README "Configuration".`,
  );
}

/** Random text, created once and stored in the data folder, readable by its owner only. */
function persistedSecret(dataFolder: string, name: string, what: string, lengthMin: number): string {
  const file = join(dataFolder, name);
  makeDataFolder(dataFolder);
  try {
    writeFileSync(file, randomBytes(32).toString("hex"), { mode: 0o600, flag: "wx" });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A full disk or quota takes the file and not its text; the next start would find it empty.
    if (code === "ENOSPC" || code === "EDQUOT") rmSync(file, { force: true });
    if (code !== "EEXIST") throw unwritable(dataFolder, error as Error);
  }
  return readSecret(file, what, lengthMin);
}

function readSecret(file: string, what: string, lengthMin: number): string {
  let text = readKept(file).trim();
  // Another process that starts at the same moment may have created the file and not filled it yet.
  for (let waited = 0; text.length < lengthMin && waited < FILLED_MS; waited += POLL_MS) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS);
    text = readKept(file).trim();
  }
  // An interrupted first start leaves an empty file, and an empty token disables the operator API for good.
  if (text.length < lengthMin) {
    throw new BootError(`${file} holds no valid ${what}; delete it, and the next start creates one.`);
  }
  return text;
}

/** Whether only this machine can reach the URL. */
export function isLocal(url: string): boolean {
  return ["localhost", "127.0.0.1", "[::1]"].includes(new URL(url).hostname);
}
