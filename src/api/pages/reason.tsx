/** Why something did not come: a sentence for people, and the code by which the documentation explains it. */

import { refusalTable } from "../media/rules.ts";
import { Foreign } from "./text.tsx";

const refusals: Readonly<Record<string, string>> = refusalTable;
const KIB = 1_024;

/** A reason as the API gives it, `code: message`; any other text as it is. */
export const Reason = ({ text, max = 300 }: { text: string; max?: number }) => {
  const [, code, message = ""] = /^([a-z0-9_]+): (.*)$/s.exec(text) ?? [];
  if (code === undefined) return <Foreign text={text} max={max} />;
  return (
    <>
      <Foreign text={sentenceOf(code, message)} max={max} /> <code class="soft small">{code}</code>
    </>
  );
};

/** What a code and the figure beside it say, as one sentence. */
export function sentenceOf(code: string, message: string): string {
  const known = refusals[code];
  // The table marks the names of fields for documents, with backticks. A limit in bytes is in its sentence already.
  if (known === undefined) return sentence(withUnits(message) || code);
  const figure = message === "" || /\bbytes\b/.test(message) ? "" : ` (${message})`;
  return withUnits(known.replaceAll("`", "").replace(/\.$/, `${figure}.`));
}

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? "" : "."}`;

/** Sizes as people know them: 1 MB, not 1048576 bytes. */
const withUnits = (text: string): string =>
  text.replace(/\b(\d[\d,]*) bytes\b/g, (whole, digits: string) => {
    const size = Number(digits.replaceAll(",", ""));
    if (size < KIB) return whole;
    const [value, unit] = size < KIB * KIB ? [size / KIB, "kB"] : [size / KIB / KIB, "MB"];
    return `${Number(value.toFixed(1)).toLocaleString("en-US")} ${unit}`;
  });
