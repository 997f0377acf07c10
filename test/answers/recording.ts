/** The recording on disk: one file per surface, an entry per request, in the order in which they are sent. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Recorded } from "./normalise.ts";

const FOLDER = fileURLToPath(new URL("./recorded/", import.meta.url));

export interface Recording {
  /** What was recorded of a request; undefined where nothing was. */
  find(name: string): Recorded | undefined;
  names(): string[];
  /** Notes what came; `save` writes it. */
  keep(name: string, answer: Recorded): void;
  save(): void;
}

export function openRecording(surface: string): Recording {
  const file = `${FOLDER}${surface}.json`;
  const recorded: Record<string, Recorded> = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  const kept: Record<string, Recorded> = {};
  return {
    find: (name) => recorded[name],
    names: () => Object.keys(recorded),
    keep(name, answer) {
      kept[name] = answer;
    },
    save() {
      mkdirSync(FOLDER, { recursive: true });
      writeFileSync(file, `${JSON.stringify(kept, null, 1)}\n`);
    },
  };
}
