/** Composes one picture as SVG: backdrop, badge, the mirrored facets and, by rarity, floating sparks. */

import { type Appearance, appearanceOf } from "./appearance.ts";
import { FACETS, type Facet } from "./facets.ts";

export const VIEW_BOX = "-60 -60 120 120";

const INK = "#0d0b14";
// Lit from the right: the mirrored half is this much darker, which makes flat facets look solid.
const SHADE = 0.28;
const SPARKS = { Common: 0, Rare: 8, Epic: 14, Legendary: 22 } as const;

export type Layers = { defs: string; back: string; badge: string; subject: string; front: string };

/** The picture of a seed at a moment of its loop; `phase` runs from 0 to 1 and both ends look the same. */
export const drawScene = (seed: string, phase = 0): string => {
  const { defs, back, badge, subject, front } = drawLayers(seed, phase);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${VIEW_BOX}">${defs}${back}${badge}${subject}${front}</svg>`;
};

/** The same picture as separate layers, for a page that moves them against each other. */
export const drawLayers = (seed: string, phase = 0): Layers => {
  const appearance = appearanceOf(seed);
  const wave = Math.sin(phase * 2 * Math.PI);
  return {
    defs: gradients(appearance, wave),
    back: `<rect x="-60" y="-60" width="120" height="120" fill="url(#sky)"/>${backdrop(appearance, phase)}`,
    badge: `<circle r="45" fill="url(#badge)"/><circle r="45" fill="url(#halo)"/>${frame(appearance)}`,
    subject: `<g transform="translate(0 ${(wave * 0.8).toFixed(2)})" stroke-linejoin="round">${half(appearance, "mirrored", wave)}${half(appearance, "lit", wave)}${stone(appearance, wave)}</g>`,
    front: sparks(appearance, phase),
  };
};

const gradients = ({ palette, realm }: Appearance, wave: number): string => {
  const stop = (offset: number, colour: string, opacity = 1): string =>
    `<stop offset="${offset}" stop-color="${colour}" stop-opacity="${opacity.toFixed(3)}"/>`;
  const badge = [mix(realm.sky[0], realm.body[1], 0.35), mix(realm.sky[1], realm.body[0], 0.35)] as const;
  return `<defs>
<radialGradient id="sky" cx="0.5" cy="0.42" r="0.75">${stop(0, realm.sky[0])}${stop(1, realm.sky[1])}</radialGradient>
<radialGradient id="halo">${stop(0, palette.accent, 0.5 + wave * 0.14)}${stop(0.55, realm.body[1], 0.24)}${stop(1, realm.body[1], 0)}</radialGradient>
<linearGradient id="badge" x2="0" y2="1">${stop(0, badge[0])}${stop(1, badge[1])}</linearGradient>
</defs>`;
};

const half = (appearance: Appearance, side: "lit" | "mirrored", wave: number): string => {
  const shade = side === "lit" ? 0 : -SHADE;
  const facets = FACETS[appearance.subject].map((facet) => polygon(appearance, facet, shade, wave)).join("");
  return side === "lit" ? facets : `<g transform="scale(-1 1)">${facets}</g>`;
};

const polygon = (appearance: Appearance, [tone, corners]: Facet, shade: number, wave: number): string => {
  const fill = paint(appearance, tone, shade, wave);
  // A hairline of the same colour hides the antialiasing gaps between neighbours.
  return `<polygon points="${corners}" fill="${fill}" stroke="${fill}" stroke-width="0.35"/>`;
};

const paint = ({ palette }: Appearance, tone: Facet[0], shade: number, wave: number): string => {
  const [dark, middle, light] = palette.body;
  if (tone === "ink") return INK;
  if (tone === "glow")
    return mix(mix(palette.accent, "#ffffff", 0.25 + wave * 0.25), dark, shade < 0 ? 0.12 : 0);
  if (tone === "dim") return mix(palette.accent, dark, shade < 0 ? 0.5 : 0.35);
  if (tone === "pale") return mix(mix(light, "#ffffff", 0.6), dark, shade < 0 ? 0.22 : 0);
  const lit = Math.max(-1, Math.min(1, tone + shade));
  return lit < 0 ? mix(middle, mix(dark, INK, 0.15), -lit) : mix(middle, light, lit);
};

const stone = ({ palette, hasStone, subject }: Appearance, wave: number): string => {
  const brow = { Fox: -17, Owl: -20, Dragon: -23, Stag: -16, Lion: -21 }[subject as string];
  if (!hasStone || brow === undefined) return "";
  const bright = mix(palette.accent, "#ffffff", 0.35 + wave * 0.3);
  return `<g transform="translate(0 ${brow})"><path d="M0-4.4L3 0 0 4.8-3 0Z" fill="${palette.accent}"/><path d="M0-4.4L3 0H-3Z" fill="${bright}"/></g>`;
};

const frame = ({ palette, rarity }: Appearance): string => {
  const ring = mix(palette.body[1], palette.accent, rarity === "Common" ? 0.1 : 0.6);
  const teeth = rarity === "Legendary" ? 48 : rarity === "Epic" ? 24 : 0;
  const crown = turns(
    teeth,
    (angle) => `<path d="M-1.1-45.5H1.1L0-49.5Z" transform="rotate(${angle})" fill="${ring}"/>`,
  );
  return `${crown}<circle r="45" fill="none" stroke="${ring}" stroke-width="1.6"/><circle r="42.6" fill="none" stroke="${ring}" stroke-width="0.4" opacity="0.6"/>`;
};

const backdrop = ({ backdrop: kind, palette, realm, random }: Appearance, phase: number): string => {
  const colour = mix(realm.sky[0], realm.body[1], 0.55);
  if (kind === "Rays") {
    // One step of the loop moves every ray onto its neighbour, so the last frame meets the first.
    const rays = turns(16, (angle) => `<path d="M0 0L-7-90H7Z" transform="rotate(${angle})"/>`);
    return `<g fill="${colour}" opacity="0.32" transform="rotate(${(phase * 22.5).toFixed(2)})">${rays}</g>`;
  }
  if (kind === "Rings") {
    // The innermost starts behind the badge and ends where the next one began, so the last frame meets the first.
    const rings = [43, 50, 57, 64, 71, 78]
      .map((radius) => `<circle r="${(radius + phase * 7).toFixed(2)}"/>`)
      .join("");
    return `<g fill="none" stroke="${colour}" stroke-width="2.4" opacity="0.38">${rings}</g>`;
  }
  if (kind === "Peaks") {
    const ridge = (base: number, height: number): string =>
      Array.from(
        { length: 9 },
        (_, i) => `${-70 + i * 17.5} ${(base - (i % 2) * random.between(height / 2, height)).toFixed(1)}`,
      ).join(" L");
    return [34, 44, 53]
      .map(
        (base, i) =>
          `<path d="M${ridge(base, 30)} L70 70 L-70 70Z" fill="${mix(colour, realm.sky[1], i * 0.35)}" opacity="0.7"/>`,
      )
      .join("");
  }
  return turns(46, (angle, i) => {
    const [radius, size] = [random.between(46, 84), random.between(0.25, 0.95)];
    const twinkle = 0.35 + 0.5 * Math.abs(Math.sin((phase + (i % 7) / 7) * Math.PI));
    return `<circle cy="${(-radius).toFixed(1)}" r="${size.toFixed(2)}" transform="rotate(${angle + random.between(-6, 6)})" fill="${palette.accent}" opacity="${twinkle.toFixed(2)}"/>`;
  });
};

const sparks = ({ palette, rarity, random }: Appearance, phase: number): string =>
  turns(SPARKS[rarity], (angle) => {
    const [radius, offset, size] = [random.between(34, 54), random.unit(), random.between(0.8, 2)];
    const shine = Math.abs(Math.sin((phase + offset) * Math.PI)) * size;
    const arm = shine.toFixed(2);
    const waist = (shine * 0.22).toFixed(2);
    return `<path d="M0-${arm}L${waist}-${waist} ${arm} 0 ${waist} ${waist} 0 ${arm}-${waist} ${waist}-${arm} 0-${waist}-${waist}Z" transform="rotate(${angle}) translate(0 ${(-radius).toFixed(1)})" fill="${mix(palette.accent, "#ffffff", 0.5)}" opacity="0.9"/>`;
  });

const turns = (count: number, draw: (angle: number, index: number) => string): string =>
  Array.from({ length: count }, (_, index) => draw((index * 360) / count, index)).join("");

const mix = (from: string, to: string, share: number): string => {
  const weight = Math.max(0, Math.min(1, share));
  const channel = (at: number): string => {
    const [a, b] = [from, to].map((colour) => Number.parseInt(colour.slice(at, at + 2), 16)) as [
      number,
      number,
    ];
    return Math.round(a + (b - a) * weight)
      .toString(16)
      .padStart(2, "0");
  };
  return `#${channel(1)}${channel(3)}${channel(5)}`;
};
