/** The migrations of schema `vitrine`: the numbered SQL files in the folder beside this file. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL("./migrations", import.meta.url));
const FILE_NAME = /^(\d{4})_[a-z0-9_]+\.sql$/;

export interface Migration {
  /** Starts at 1. Databases record it, so a number keeps its meaning forever. */
  readonly id: number;
  /** The file's name. */
  readonly name: string;
  readonly sql: string;
}

/**
 * All migrations in order, numbered from 1 without gaps. Throws if a file is not named like `0001_some_name.sql`, a
 * number is missing, or two files share one, as after merging two branches that both added a migration. Ignores files
 * that don't end in `.sql`.
 */
export function readMigrations(folder = FOLDER): readonly Migration[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .sort();
  if (names.length === 0) throw new Error(`${folder} holds no migrations.`);

  return names.map((name, position) => {
    const id = Number(FILE_NAME.exec(name)?.[1]);
    const next = position + 1;
    if (Number.isNaN(id))
      throw new Error(
        `${join(folder, name)} must be named like 0001_some_name.sql: a number of four digits first.`,
      );
    if (id < next) {
      const other = names[position - 1];
      throw new Error(
        other
          ? `${name} and ${other} in ${folder} have the same number; the one that has not shipped must be renumbered.`
          : `${name} in ${folder} must not be numbered 0; migrations start with 1.`,
      );
    }
    if (id > next) throw new Error(`${folder} has no migration ${next}; the one after it is ${name}.`);
    return { id, name, sql: readFileSync(join(folder, name), "utf8") };
  });
}
