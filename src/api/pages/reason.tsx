/** Explains a missing picture or document: a sentence for people, and the code that the documentation explains. */

import { refusalTable } from "../media/rules.ts";
import { Foreign } from "./text.tsx";

const refusals: Readonly<Record<string, string>> = refusalTable;
const KIB = 1_024;

/** A reason in the API's form, `code: message`; any other text unchanged. */
export const Reason = ({ text, max = 300 }: { text: string; max?: number }) => {
  const [, code, message = ""] = /^([a-z0-9_]+): (.*)$/s.exec(text) ?? [];
  if (code === undefined) return <Foreign text={text} max={max} />;
  return (
    <>
      <Foreign text={sentenceOf(code, message)} max={max} /> <code class="soft small">{code}</code>
    </>
  );
};

/** A code and its measured value as one sentence. */
export function sentenceOf(code: string, message: string): string {
  const known = refusals[code];
  // The table marks the names of document fields with backticks. A sentence with a limit in bytes has its figure.
  if (known === undefined) return sentence(withUnits(message) || code);
  const figure = message === "" || /\bbytes\b/.test(message) ? "" : ` (${message})`;
  return withUnits(known.replaceAll("`", "").replace(/\.$/, `${figure}.`));
}

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? "" : "."}`;

/** Sizes in familiar units: 1 MB, not 1048576 bytes. */
const withUnits = (text: string): string =>
  text.replace(/\b(\d[\d,]{0,30}) bytes\b/g, (whole, digits: string) => {
    const size = Number(digits.replaceAll(",", ""));
    if (size < KIB) return whole;
    const [value, unit] = size < KIB * KIB ? [size / KIB, "kB"] : [size / KIB / KIB, "MB"];
    return `${Number(value.toFixed(1)).toLocaleString("en-US")} ${unit}`;
  });
