/**
 * Folded texts in SQL: the same as columns/folded-text.ts, which goes by JavaScript's lower case of each character.
 * PostgreSQL's own `lower` differs by locale and version, so the case mapping is this process's, sent as parameters.
 */

import { FOLDED_CHARACTERS_MAX, folded } from "../columns/folded-text.ts";
import type { Parameters } from "./parameters.ts";

// Unicode assigns nothing with a case above these, and to the last ones only characters without meaning for it.
const RANGES = [
  [0x80, 0x1ffff],
  [0xe0000, 0xe01ff],
] as const;

interface CaseMapping {
  /** Characters outside ASCII that fold to another single character, and those. */
  readonly upper: string;
  readonly lower: string;
  /** A regular expression: any character outside ASCII that folds to something else. */
  readonly anyUpper: string;
  /** The others: they fold to several characters. */
  readonly expanding: readonly (readonly [upper: string, lower: string])[];
}

let mapping: CaseMapping | undefined;

function caseMapping(): CaseMapping {
  mapping ??= readMapping();
  return mapping;
}

function readMapping(): CaseMapping {
  const upper: string[] = [];
  const lower: string[] = [];
  const expanding: (readonly [string, string])[] = [];
  for (const [from, to] of RANGES) {
    for (let code = from; code <= to; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const character = String.fromCodePoint(code);
      // Of a character that NFC replaces, the text that PostgreSQL folds has the replacement.
      const lowered = character === character.normalize("NFC") ? folded(character) : character;
      if (lowered === character) continue;
      if ([...lowered].length > 1) expanding.push([character, lowered]);
      else {
        upper.push(character);
        lower.push(lowered);
      }
    }
  }
  return {
    upper: upper.join(""),
    lower: lower.join(""),
    anyUpper: `[${rangesOf([...upper, ...expanding.map(([each]) => each)].map((each) => each.codePointAt(0) ?? 0))}]`,
    expanding,
  };
}

/** The code points as ranges of a bracket expression. */
function rangesOf(codes: readonly number[]): string {
  const sorted = codes.toSorted((a, b) => a - b);
  const ranges: string[] = [];
  for (let at = 0; at < sorted.length; ) {
    const from = sorted[at] as number;
    let to = from;
    while (sorted[at + 1] === to + 1) {
      to++;
      at++;
    }
    at++;
    ranges.push(from === to ? escaped(from) : `${escaped(from)}-${escaped(to)}`);
  }
  return ranges.join("");
}

const escaped = (code: number): string => `\\U${code.toString(16).padStart(8, "0")}`;

/** SQL: the folded start of a text, ordered by code point; null for null. */
export function foldedSql(text: string, { add }: Pick<Parameters, "add">): string {
  const start = `left(${text}, ${FOLDED_CHARACTERS_MAX})`;
  const { upper, lower, anyUpper, expanding } = caseMapping();
  const p = (value: string): string => `${add(value)}::text`;
  const expanded = expanding.reduce((sql, [from, to]) => `replace(${sql}, ${p(from)}, ${p(to)})`, "f.x");
  // Most texts need none of this, and `translate` compares each character with the whole list. With "offset 0", the text is
  // prepared once, not at each place that uses it; whether it is NFC is found in a third of the time that NFC takes.
  return `(case when octet_length(${start}) = char_length(${start}) then lower(${start} collate "C")
                else (select case when f.x ~ ${p(anyUpper)} then translate(${expanded}, ${p(upper)}, ${p(lower)}) else f.x end
                        from (select lower(case when s is nfc normalized then s else normalize(s, NFC) end collate "C") as x
                                from (select ${start} as s offset 0) t offset 0) f) end collate "C")`;
}
