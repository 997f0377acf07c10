/** A token's look, drawn at random from its seed, so that its picture and its traits match. */
import { createHash } from "node:crypto";

export type Palette = {
  faction: string;
  sky: readonly [string, string];
  /** Dark, middle and light tone of the body. */
  body: readonly [string, string, string];
  accent: string;
};

export const PALETTES: readonly Palette[] = [
  {
    faction: "Ember",
    sky: ["#4a1526", "#14060f"],
    body: ["#7a1f2b", "#e2572f", "#ffc169"],
    accent: "#ffe08a",
  },
  {
    faction: "Tide",
    sky: ["#0d3b66", "#051424"],
    body: ["#0e4f79", "#2a9fd0", "#aeeaf5"],
    accent: "#7df9e9",
  },
  {
    faction: "Grove",
    sky: ["#1d4032", "#081711"],
    body: ["#215a3b", "#5bb25f", "#d5f0a0"],
    accent: "#f4e76e",
  },
  {
    faction: "Dusk",
    sky: ["#3b1d5c", "#10081f"],
    body: ["#46237a", "#9356d6", "#e7c6ff"],
    accent: "#ff9de2",
  },
  {
    faction: "Frost",
    sky: ["#2b4d6b", "#0c1826"],
    body: ["#47739c", "#a3c9e8", "#ffffff"],
    accent: "#9ff0ff",
  },
  {
    faction: "Sand",
    sky: ["#5d3a1f", "#1c0f08"],
    body: ["#8a5527", "#dda24f", "#ffe9bd"],
    accent: "#66e0d0",
  },
  {
    faction: "Storm",
    sky: ["#263149", "#090c15"],
    body: ["#39456b", "#7585b8", "#d6defa"],
    accent: "#ffd84d",
  },
  {
    faction: "Bloom",
    sky: ["#561a43", "#1a0715"],
    body: ["#94245f", "#ec6a9c", "#ffd7e0"],
    accent: "#b8ffd9",
  },
];
export const CREATURES = ["Fox", "Owl", "Dragon", "Knight", "Stag", "Lion"] as const;
export const TREASURES = ["Gem", "Potion", "Blade", "Shield", "Orb"] as const;
export const BACKDROPS = ["Rays", "Rings", "Peaks", "Stars"] as const;
export const RARITIES = ["Common", "Rare", "Epic", "Legendary"] as const;

export type Appearance = {
  subject: (typeof CREATURES)[number] | (typeof TREASURES)[number];
  palette: Palette;
  /** The palette of the sky behind; never the body's own, which would leave no contrast. */
  realm: Palette;
  backdrop: (typeof BACKDROPS)[number];
  rarity: (typeof RARITIES)[number];
  /** Whether a stone of the accent colour sits on the brow. */
  hasStone: boolean;
  random: Random;
};

/** The same numbers for the same seed, on every machine. */
export type Random = {
  unit(): number;
  between(min: number, max: number): number;
  pick<T>(from: readonly T[]): T;
};

/** The look of a seed `<kind>/<id>`: `items` get a treasure, everything else a creature. */
export const appearanceOf = (seed: string): Appearance => {
  const random = createRandom(seed);
  const subject = seed.startsWith("items/") ? random.pick(TREASURES) : random.pick(CREATURES);
  const palette = random.pick(PALETTES);
  return {
    subject,
    palette,
    realm: random.pick(PALETTES.filter((other) => other !== palette)),
    backdrop: random.pick(BACKDROPS),
    rarity: rarityOf(random.unit()),
    hasStone: random.unit() < 0.5,
    random,
  };
};

export const createRandom = (seed: string): Random => {
  let state = createHash("sha256").update(seed).digest().readUInt32LE(0);
  // mulberry32: small, fast, and even enough for pictures.
  const unit = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    unit,
    between: (min, max) => min + unit() * (max - min),
    pick: (from) => from[Math.floor(unit() * from.length)] as (typeof from)[number],
  };
};

const rarityOf = (lot: number): Appearance["rarity"] => {
  if (lot < 0.5) return "Common";
  if (lot < 0.8) return "Rare";
  return lot < 0.95 ? "Epic" : "Legendary";
};
