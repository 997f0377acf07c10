/** The part of Ponder's logger that services use; tests pass a silent one. */

type Entry = { readonly msg: string; readonly [field: string]: unknown };

export interface Logger {
  debug(entry: Entry): void;
  info(entry: Entry): void;
  warn(entry: Entry): void;
  error(entry: Entry): void;
}

export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };
