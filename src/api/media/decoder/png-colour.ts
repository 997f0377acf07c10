/**
 * The colours that a PNG means (PNG, third edition, 4.3 and 12.1: cICP stands above iCCP, that above sRGB, that above
 * gAMA and cHRM). libvips knows iCCP alone, so the others become one.
 */

import { deflateSync } from "node:zlib";
import sharp from "sharp";
import { greyProfile, type Primaries, rgbProfile, type Transfer } from "./icc-profile.ts";
import { headerChunks, replaceChunks } from "./png-chunks.ts";

const COLOUR_TYPE_AT = 9;
/** Bit 1 of the colour type: the samples are colours, or index a palette of them. */
const IS_COLOUR = 2;
const WHITE_D65 = [0.3127, 0.329] as const;
const BT709: Primaries = { white: WHITE_D65, red: [0.64, 0.33], green: [0.3, 0.6], blue: [0.15, 0.06] };
/** ITU-T H.273, table 2. */
const PRIMARIES: ReadonlyMap<number, Primaries> = new Map([
  [1, BT709],
  [4, { white: [0.31, 0.316], red: [0.67, 0.33], green: [0.21, 0.71], blue: [0.14, 0.08] }],
  [5, { white: WHITE_D65, red: [0.64, 0.33], green: [0.29, 0.6], blue: [0.15, 0.06] }],
  [6, { white: WHITE_D65, red: [0.63, 0.34], green: [0.31, 0.595], blue: [0.155, 0.07] }],
  [7, { white: WHITE_D65, red: [0.63, 0.34], green: [0.31, 0.595], blue: [0.155, 0.07] }],
  [9, { white: WHITE_D65, red: [0.708, 0.292], green: [0.17, 0.797], blue: [0.131, 0.046] }],
  [11, { white: [0.314, 0.351], red: [0.68, 0.32], green: [0.265, 0.69], blue: [0.15, 0.06] }],
  [12, { white: WHITE_D65, red: [0.68, 0.32], green: [0.265, 0.69], blue: [0.15, 0.06] }],
]);
const power =
  (exponent: number): Transfer =>
  (value) =>
    value ** exponent;
const srgb: Transfer = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
/** Video is made for displays of BT.1886, which is a plain power in the absence of black level. */
const video = power(2.4);
/** ITU-T H.273, table 3. */
const TRANSFERS: ReadonlyMap<number, Transfer> = new Map([
  [1, video],
  [4, power(2.2)],
  [5, power(2.8)],
  [6, video],
  [8, power(1)],
  [13, srgb],
  [14, video],
  [15, video],
  [16, perceptualQuantizer],
  [18, hybridLogGamma],
]);
/** Light of diffuse white, in cd/m² (ITU-R BT.2408). Brighter light is cut off there: a picture has no highlights. */
const REFERENCE_WHITE = 203;
const GAMMA_UNIT = 100_000;
/** 1/2.2, which everybody writes who means sRGB. */
const GAMMA_SRGB = 45_455;
const REPLACED = new Set(["cICP", "iCCP", "sRGB", "gAMA", "cHRM"]);

/** The same PNG, with an ICC profile in place of any other statement about its colours. Others stay as they are. */
export function withColourProfile(png: Buffer): Buffer {
  const chunks = headerChunks(png);
  const colours = coloursOf(chunks);
  if (!colours) return png;
  const isColour = ((chunks.get("IHDR")?.[COLOUR_TYPE_AT] ?? 0) & IS_COLOUR) !== 0;
  const profile = isColour ? rgbProfile(colours.primaries, colours.transfer) : greyProfile(colours.transfer);
  if (!profile) return png;
  const data = Buffer.concat([Buffer.from("Vitrine\0\0", "latin1"), deflateSync(profile)]);
  return replaceChunks(png, { type: "iCCP", data }, REPLACED);
}

/** A PNG in grey of 16 bits as one of 8, whose profile libvips applies. */
export async function readableProfile(png: Buffer, limitInputPixels: number): Promise<Buffer> {
  const data = headerChunks(png).get("iCCP");
  const shallow = await sharp(png, { limitInputPixels, autoOrient: true, failOn: "error" })
    .toColourspace("b-w")
    .png({ compressionLevel: 1 })
    .toBuffer();
  return data ? replaceChunks(shallow, { type: "iCCP", data }, REPLACED) : shallow;
}

interface Colours {
  readonly primaries: Primaries;
  readonly transfer: Transfer;
}

/** Undefined where libvips does the right thing by itself: sRGB, or a profile of the file's own. */
function coloursOf(chunks: ReadonlyMap<string, Buffer>): Colours | undefined {
  const coded = codedColours(chunks.get("cICP"));
  if (coded) return coded;
  if (chunks.has("iCCP") || chunks.has("sRGB")) return undefined;
  const gamma = gammaOf(chunks.get("gAMA"));
  const primaries = primariesOf(chunks.get("cHRM"));
  const isSrgb = gamma === undefined || gamma === GAMMA_SRGB;
  if (isSrgb && !primaries) return undefined;
  return { primaries: primaries ?? BT709, transfer: isSrgb ? srgb : power(GAMMA_UNIT / gamma) };
}

/** Primaries, transfer, matrix (0: the samples are RGB) and range (1: full). Browsers ignore other ones. */
function codedColours(data: Buffer | undefined): Colours | undefined {
  if (data?.length !== 4 || data[2] !== 0 || data[3] !== 1) return undefined;
  const primaries = PRIMARIES.get(data[0] ?? 0);
  const transfer = TRANSFERS.get(data[1] ?? 0);
  return primaries && transfer && { primaries, transfer };
}

function gammaOf(data: Buffer | undefined): number | undefined {
  const gamma = data?.length === 4 ? data.readUInt32BE() : 0;
  // 0 is meaningless, and beyond these a picture is black or white.
  return gamma >= GAMMA_UNIT / 100 && gamma <= GAMMA_UNIT * 100 ? gamma : undefined;
}

function primariesOf(data: Buffer | undefined): Primaries | undefined {
  if (data?.length !== 32) return undefined;
  const pair = (index: number): [number, number] => [
    data.readUInt32BE(8 * index) / GAMMA_UNIT,
    data.readUInt32BE(8 * index + 4) / GAMMA_UNIT,
  ];
  return { white: pair(0), red: pair(1), green: pair(2), blue: pair(3) };
}

/** SMPTE ST 2084, in units of the reference white. */
function perceptualQuantizer(value: number): number {
  const [m1, m2, c1, c2, c3] = [1305 / 8192, 2523 / 32, 107 / 128, 2413 / 128, 2392 / 128];
  const root = value ** (1 / m2);
  return ((Math.max(0, root - c1) / (c2 - c3 * root)) ** (1 / m1) * 10_000) / REFERENCE_WHITE;
}

/** ITU-R BT.2100, on a display of 1,000 cd/m² with its system gamma of 1.2 per channel, in units of the reference white. */
function hybridLogGamma(value: number): number {
  const [a, b, c] = [0.17883277, 0.28466892, 0.55991073];
  const scene = value <= 0.5 ? value ** 2 / 3 : (Math.exp((value - c) / a) + b) / 12;
  return (scene ** 1.2 * 1_000) / REFERENCE_WHITE;
}
