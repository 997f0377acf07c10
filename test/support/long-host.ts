import { hash } from "node:crypto";

const labels = Array.from({ length: 200 }, (_, nth) => hash("sha256", `${nth}`).slice(0, 50)).join(".");

/** A host of so many characters under `domain`, which no index can compress. */
export const hostOf = (characters: number, domain = "example"): string =>
  `${labels.slice(0, characters - domain.length - 2)}x.${domain}`;
