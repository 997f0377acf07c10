/** Untrusted text on our pages: complete, readable, and without effect on its surroundings. */

import { clip, INVISIBLE, printable } from "../../domain/printable.ts";
import type { Trait } from "../metadata/document/traits.ts";
import { formatNumber } from "../ui/numbers.ts";
import { words } from "../ui/visitor.ts";

const DESCRIPTION_CHARACTERS_MAX = 20_000;
const PREVIEW_CHARACTERS = 280;
const PREVIEW_LINES = 4;
const ATTRIBUTE_CHARACTERS_MAX = 120;

/** For attributes and titles, which can't isolate text: one short line without bidirectional controls. */
export const plain = (text: string): string => printable(text, ATTRIBUTE_CHARACTERS_MAX);

// Controls that reverse the letters after them. Isolation limits them to their text, but that is still reversed.
const OVERRIDES = /[\u202a-\u202e]/g;
const upright = (text: string): string => text.replace(OVERRIDES, "");

const readable = (text: string, max: number): string => clip(upright(text), max);

/** Text whose writing direction does not affect its surroundings. */
export const Foreign = ({ text, max = 1_000 }: { text: string; max?: number }) => (
  <bdi>{readable(text, max)}</bdi>
);

/**
 * The same as a line of its own, which is cut where it has no room. The line has the direction of its text, since a
 * line that runs the other way would lose the beginning.
 */
export const Line = ({
  text,
  max,
  ...attributes
}: {
  text: string;
  max: number;
  class: string;
  title?: string;
}) => (
  <span dir="auto" {...attributes}>
    {readable(text, max)}
  </span>
);

/** A text of any length: its beginning, and the rest on demand. */
export const Description = ({
  text: source,
  characters = PREVIEW_CHARACTERS,
}: {
  text: string;
  /** How much is shown at first. */
  characters?: number;
}) => {
  const text = upright(source);
  const lines = text.split("\n");
  const isShort = text.length <= characters && lines.length <= PREVIEW_LINES;
  if (isShort)
    return (
      <p class="prose" dir="auto">
        {text}
      </p>
    );
  const preview = clip(lines.slice(0, PREVIEW_LINES).join("\n"), characters);
  const cut = text.length - DESCRIPTION_CHARACTERS_MAX;
  return (
    <details class="clamp" id="description">
      <summary>
        <span class="prose" dir="auto">
          {preview}
        </span>
        <span class="more-text">{words().text.more}</span>
        <span class="less-text">{words().text.less}</span>
      </summary>
      <p class="prose" dir="auto">
        {clip(text, DESCRIPTION_CHARACTERS_MAX)}
      </p>
      {cut > 0 && <p class="soft small">{words().text.cut(formatNumber(cut))}</p>}
    </details>
  );
};

const ID_DIGITS_MAX = 12;

/** An id of up to 78 digits; a long one by its first and last digits. */
export const shortId = (tokenId: string): string =>
  tokenId.length > ID_DIGITS_MAX ? `${tokenId.slice(0, 5)}…${tokenId.slice(-4)}` : tokenId;

/** An amount of a token (uint256), in full. */
export const formatAmount = (value: string): string => BigInt(value).toLocaleString(words().locale.numbers);

export const formatPercentage = (value: number): string => {
  if (value === 0 || value === 100) return `${value}%`;
  if (value < 0.1) return "<0.1%";
  return value < 10 ? `${value.toFixed(1)}%` : `${Math.min(99, Math.round(value))}%`;
};

/** A Unix second as a day, with the time if it is not midnight; in UTC, so that all readers see the same. */
export function formatDate(seconds: number): string {
  const date = new Date(seconds * 1000);
  const isMidnight = seconds % 86_400 === 0;
  if (date.getUTCFullYear() < 1) return date.toISOString();
  const day = date.toLocaleDateString(words().locale.days, { dateStyle: "medium", timeZone: "UTC" });
  return isMidnight ? day : `${day}, ${date.toISOString().slice(11, 16)} UTC`;
}

/** A trait's value in readable form. */
export function formatValue({ display_type, value }: Pick<Trait, "display_type" | "value">): string {
  if (typeof value === "boolean") return value ? words().text.yes : words().text.no;
  if (typeof value === "string") return value;
  return display_type === "date" ? formatDate(value) : formatNumber(value);
}

/** Whether a text shows nothing. */
export const isBlank = (text: string): boolean => text.replace(INVISIBLE, "").trim() === "";

/** A text that may be missing or blank; undefined if it is. */
export const shownText = (text: string | null | undefined): string | undefined =>
  text && !isBlank(text) ? text : undefined;

const Empty = () => <em class="soft">{words().text.empty}</em>;

/** An empty or blank text is invisible, so a label replaces it. */
export const Value = ({ text, max = 200 }: { text: string; max?: number }) =>
  isBlank(text) ? <Empty /> : <Foreign text={text} max={max} />;

/** The same as a line of its own. */
export const ValueLine = ({ text, max, ...attributes }: { text: string; max: number; class: string }) =>
  isBlank(text) ? (
    <span {...attributes}>
      <Empty />
    </span>
  ) : (
    <Line text={text} max={max} {...attributes} />
  );
